#include "groups/groups.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/diagnostics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bodies so light that they are test particles in all but name are no stars: else a mass of 1e-12 and one of 0 would mean
 * other encounters. */
static size_t count_stars(const struct hb_particles *p)
{
  static const double least = 1e-8; /* of the mean mass */
  double M = 0;
  size_t massive = hb_particles_massive(p), stars = 0;
  for (size_t i = 0; i < p->n; i++) M += p->m[i];
  for (size_t i = 0; i < p->n; i++) stars += p->m[i] * (double)massive > least * M;
  return stars;
}

/* The center of mass of those within r of a center. */
static void recenter(const struct hb_particles *p, double r, double center[3])
{
  double sum[3] = {0}, M = 0;
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i, d[] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    if (hb_dot(d, d) > r * r) continue;
    M += p->m[i];
    for (size_t c = 0; c < 3; c++) sum[c] += p->m[i] * d[c];
  }
  for (size_t c = 0; c < 3 && M > 0; c++) center[c] += sum[c] / M;
}

/* About the center of mass; where a star that is very far away has moved that out of the system, about that of the inner half. */
static enum hb_status find_half(const struct hb_particles *p, double *r_half)
{
  enum { TIMES = 16 };
  static const double very_far = 8;
  double center[3], velocity[3], half = 0.5, r, *work;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, center, velocity);
  hb_lagrangian_radii(p, center, 1, &half, work, r_half);
  for (int k = 0; k < TIMES && p->n > HB_CHAIN_MOST; k++) {
    recenter(p, *r_half, center);
    hb_lagrangian_radii(p, center, 1, &half, work, &r);
    if (!(r > 0 && r < *r_half / very_far)) break;
    *r_half = r;
  }
  hb_mem_free(work);
  return HB_OK;
}

enum hb_status hb_groups_find_close(const struct hb_particles *p, struct hb_groups *groups)
{
  double r_half;
  HB_TRY(find_half(p, &r_half));
  size_t stars = count_stars(p);
  if (stars == 0) stars = p->n;
  groups->stars = (double)stars;
  groups->r_close = 2 * r_half / (double)stars;
  groups->m_mean = 0;
  for (size_t i = 0; i < p->n; i++) groups->m_mean += p->m[i] / (double)stars;
  hb_groups_use(groups, groups->rules ? groups->rules : &hb_groups_by_size);
  return HB_OK;
}

void hb_groups_use(struct hb_groups *groups, const struct hb_groups_rules *rules)
{
  static const double close = 2; /* at least, in r_close */
  groups->rules = rules;
  groups->bound = close;
  if (rules->widest > 0) /* r_half = N / 2 r_close */
    groups->bound = fmax(close, rules->widest / 2 * hb_elementary_power(groups->stars, 2. / 3));
}

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("groups.m", HB_SECTION_DOUBLES, struct hb_groups, m, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_groups, of, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, near, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, reach, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, orbit, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, active, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, fresh, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, is_live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hint, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hit_end, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, in_space, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, listed, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, first, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, touched, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, block, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups)
{
  struct hb_groups *g;
  size_t n = particles->n;
  *groups = NULL;
  HB_TRY(HB_ALLOC(1, &g));
  g->n = n;
  enum hb_status status = hb_columns_reserve(&columns, n, g);
  if (status == HB_OK && rounds) status = HB_ALLOC(n, &g->sources);
  if (status == HB_OK) status = hb_groups_find_close(particles, g);
  for (size_t i = 0; i < n && status == HB_OK; i++) {
    g->m[i] = particles->m[i];
    g->of[i] = HB_GROUPS_STAR;
  }
  if (status == HB_OK) status = hb_groups_weigh(g);
  if (status != HB_OK)
    hb_groups_destroy(g);
  else
    *groups = g;
  return status;
}

void hb_groups_destroy(struct hb_groups *groups)
{
  if (!groups) return;
  for (size_t k = 0; k < groups->count; k++) hb_mem_free(groups->at[k].list);
  hb_mem_free(groups->at);
  hb_mem_free(groups->link);
  hb_mem_free(groups->hit);
  hb_mem_free(groups->box);
  hb_mem_free(groups->sources);
  hb_mem_free(groups->heavy);
  hb_columns_free(&columns, groups);
  hb_mem_free(groups);
}

struct hb_groups_around hb_groups_near(const struct hb_groups *groups, const struct hb_nodes *nodes,
                                       uint32_t node)
{
  struct hb_groups_around around = {.count = groups->n};
  if (nodes->near) around.list = nodes->near(nodes->context, node, &around.count);
  return around;
}

/* ---- sizes ---- */

/* Of two stars' masses the arithmetic mean says how far they deflect each other, and the geometric one at what distance their
 * energy is that of two mean stars that are close. Beyond a limit a passage is no longer compact. */
static const double most_passing = 4;

static double arithmetic(const struct hb_groups *groups, double m1, double m2)
{
  return (m1 + m2) / (2 * groups->m_mean);
}

static double geometric(const struct hb_groups *groups, double m1, double m2)
{
  return sqrt(m1 * m2) / groups->m_mean;
}

/* The distance at which two nodes of these masses are close: 2 r_half / N from the mean mass on. */
static double close_of(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmin(arithmetic(groups, m1, m2), 1);
}

double hb_groups_passing(const struct hb_groups *groups, double m1, double m2)
{
  double energy = groups->r_close * fmin(geometric(groups, m1, m2), most_passing);
  return fmax(energy, close_of(groups, m1, m2));
}

double hb_groups_bound(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmax(geometric(groups, m1, m2), groups->bound);
}

/* Either of a heavy bound pair feels at least m_mean^2 / (m r_close^2), and where pairs may be wider, less; the others may weaken
 * that, and light ones feel less until they are nearer. */
double hb_groups_least_pull(const struct hb_groups *groups, double m)
{
  double wide = groups->r_close * (groups->bound / 2);
  return groups->m_mean / (8 * fmax(1, m / groups->m_mean) * wide * wide);
}

static double length(const struct hb_chain *c)
{
  double sum = 0;
  for (size_t k = 0; k + 1 < c->n; k++) sum += sqrt(hb_dot(c->X[k], c->X[k]));
  return sum;
}

/* Tides below this part of what holds the group together are left out: 2 m R^3 / (M d^3). Over the orbits of a hard pair
 * they nearly cancel; in a single passage they do not. */
static const double least_tide = 1e-6, least_in_a_passage = 2e-8;

/* They cancel as far as the others stay where they are. What all of a system together do to a pair is the more the wider it is, in
 * half-mass radii, and matters as much as its share of the system's energy, about n m_mean^2 / r_close: of the pairs with most of
 * both fewer are left out, until all that are around are in. */
double hb_groups_system_tide(const struct hb_groups *groups, const struct hb_group *g)
{
  double r = g->R / (groups->stars / 2 * groups->r_close);
  return r * r * r * groups->stars * groups->m_mean / hb_chain_mass(&g->chain);
}

static double share_of(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->chain.B * groups->r_close / (groups->stars * groups->m_mean * groups->m_mean);
}

static double least_by_size(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double share = 2e-8, of_the_hardest = 0.01;
  if (g->chain.w > 0) return least_tide; /* no energy of the system's */
  double tide = hb_groups_system_tide(groups, g), part = share_of(groups, g);
  return least_tide * fmax(fmin(share / (tide * part), 1), of_the_hardest);
}

static double squared(double p) { return p * p; }

/* Where those that are left out are not forgotten, but tides and quadrupoles, what is wrong with a pair's energy is a part of the
 * system's. */
static double least_by_share(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double most = 1e-3, of_the_system = 1e-7,
                      stars = 2048; /* more perturbers cost less beside more stars */
  return g->chain.w > 0
             ? most
             : fmin(most, of_the_system * squared(fmin(1, stars / groups->stars)) / share_of(groups, g));
}

const struct hb_groups_rules hb_groups_by_size = {.forms_below = 3e-3,
                                                  .breaks_above = 1e-2,
                                                  .mean = 1e-6,
                                                  .resolved = HB_GROUPS_RESOLVED,
                                                  .far = INFINITY,
                                                  .least = least_by_size,
                                                  .chain = HB_CHAIN_BY_SIZE};
const struct hb_groups_rules hb_groups_by_perturbation = {.widest = 0.32,
                                                          .forms_below = 3e-2,
                                                          .breaks_above = 0.1,
                                                          .wakes = 1e-2,
                                                          .mean = 1e-4,
                                                          .resolved = 0.2,
                                                          .weak = 0.1,
                                                          .far = 1e-6,
                                                          .least = least_by_share,
                                                          .chain = HB_CHAIN_BY_PERTURBATION};

int hb_groups_is_hard(const struct hb_groups *groups, const struct hb_chain *c)
{
  static const double still = 1.5;
  return c->n == 2 && hb_chain_span(c) < still * hb_groups_bound(groups, c->m[0], c->m[1]);
}

/* The mean over the orbit of mu x x: mu a^2 (5/2 e e + (1 - e^2) (1 - h h) / 2), e and h being vectors. */
static void find_quadrupole(const struct hb_chain *c, double Q[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *X = c->X[0], *V = c->V[0];
  double M = c->m[0] + c->m[1], mu = c->m[0] * c->m[1] / M, a = hb_chain_span(c) / 2;
  double to_X = hb_dot(V, V) / M - 1 / hb_norm(X), to_V = -hb_dot(X, V) / M, e[3];
  double h[3] = {X[1] * V[2] - X[2] * V[1], X[2] * V[0] - X[0] * V[2], X[0] * V[1] - X[1] * V[0]};
  double h2 = hb_dot(h, h);
  for (size_t k = 0; k < 3; k++) e[k] = to_X * X[k] + to_V * V[k];
  for (size_t k = 0; k < 6; k++)
    Q[k] = mu * a *
           (2.5 * a * e[row[k]] * e[column[k]] + ((k < 3 ? h2 : 0) - h[row[k]] * h[column[k]]) / (2 * M));
}

void hb_groups_measure(const struct hb_groups *groups, struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  int is_hard = hb_groups_is_hard(groups, c);
  g->R = is_hard ? fmax(length(c), hb_chain_span(c)) : length(c);
  double tide = 2 * g->R * g->R * g->R / hb_chain_mass(c);
  double least = is_hard ? groups->rules->least(groups, g) : least_in_a_passage;
  g->tide = squared(tide / least);
  g->strong = is_hard ? squared(tide / groups->rules->mean) : INFINITY;
  g->weak = is_hard && groups->rules->weak > 0 ? squared(tide / (groups->rules->weak * least)) : 0;
  g->waking = g->weak > 0 && groups->rules->wakes > 0 ? squared(tide / groups->rules->wakes) : INFINITY;
  struct hb_chain at_rest = *c;
  if (groups->field) hb_chain_turn(&at_rest, -hb_field_turn(groups->field) / 2);
  if (g->weak > 0) find_quadrupole(&at_rest, g->Q);
}

void hb_groups_measure_node(struct hb_groups *groups, struct hb_group *g)
{
  static const double margin = 2; /* places are corrected after hits are found: here by a tenth */
  hb_groups_measure(groups, g);
  groups->reach[g->node] = fmax(margin * g->tide, g->weak);
  groups->orbit[g->node] = (struct hb_groups_orbit){.tide = g->tide, .weak = g->weak};
  memcpy(groups->orbit[g->node].Q, g->Q, sizeof g->Q);
}

int hb_groups_keeps_tides(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->weak > 0 && hb_groups_system_tide(groups, g) > groups->rules->far;
}

/* A field disturbs a hard pair all the time in the same way, and what it does adds up: in about 3 / tide revolutions, which are
 * 0.7 tide^-1/2 around a galaxy, here 2000, it changes an orbit altogether. */
static const double least_of_field = 1e-7;

int hb_groups_feels_field(const struct hb_groups *groups, const struct hb_group *g, const double x[3])
{
  const struct hb_chain *c = &g->chain;
  double hold = (hb_groups_is_hard(groups, c) ? least_of_field : least_in_a_passage) * hb_chain_mass(c);
  return 2 * hb_groups_field_tide(groups, x) * g->R * g->R * g->R > hold;
}

static const double of_a_passage = 0.25, of_a_fall = 0.1;

static double step_alone(const struct hb_groups *groups, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  if (hb_groups_is_all(groups, g)) return INFINITY;
  if (c->n > 2) return of_a_fall * sqrt(g->R * g->R * g->R / hb_chain_mass(c));
  double close = hb_groups_passing(groups, c->m[0], c->m[1]);
  if (hb_groups_is_hard(groups, c)) return INFINITY;
  return of_a_passage * close / sqrt(hb_dot(c->V[0], c->V[0]));
}

double hb_groups_time_of_links(const struct hb_chain *c, double least)
{
  double rate = 0;
  for (size_t k = 0; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > least * least)
      rate = fmax(rate, hb_chain_rate(2, c->m + k, c->X + k, c->V + k));
  return 1 / rate;
}

double hb_groups_step(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g)
{
  double step = step_alone(groups, g);
  for (size_t k = 0; k < g->count; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    hb_groups_need(nodes, other->node);
    double least = groups->rules->resolved * sqrt(hb_distance2(nodes->xp, g->node, other->node));
    step = fmin(step, of_a_fall * fmin(hb_groups_time_of_links(&g->chain, least),
                                       hb_groups_time_of_links(&other->chain, least)));
  }
  return step;
}

/* ---- lists ---- */

static size_t place_in(const struct hb_group *g, uint32_t node)
{
  size_t k = 0;
  while (k < g->count && g->list[k] != node) k++;
  return k;
}

int hb_groups_lists(const struct hb_groups *groups, uint32_t group, uint32_t node)
{
  uint32_t at = groups->first[node];
  while (at && groups->link[at - 1].group != group) at = groups->link[at - 1].next;
  return at != 0;
}

int hb_groups_has(const struct hb_groups *groups, const struct hb_group *g, uint32_t node)
{
  return hb_groups_lists(groups, g->node, node);
}

/* Of each node is known in whose lists it is. */
static enum hb_status add_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  if (groups->free_link == 0) {
    HB_TRY(HB_GROW(groups->links, &groups->link_capacity, &groups->link));
    groups->link[groups->links++].next = 0;
    groups->free_link = (uint32_t)groups->links;
  }
  uint32_t at = groups->free_link;
  struct hb_groups_link *link = groups->link + at - 1;
  groups->free_link = link->next;
  *link = (struct hb_groups_link){group, groups->first[node]};
  groups->first[node] = at;
  return HB_OK;
}

static void drop_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  uint32_t *from = groups->first + node;
  while (*from && groups->link[*from - 1].group != group) from = &groups->link[*from - 1].next;
  uint32_t at = *from;
  if (!at) return;
  *from = groups->link[at - 1].next;
  groups->link[at - 1].next = groups->free_link;
  groups->free_link = at;
}

static enum hb_status link_all(struct hb_groups *groups)
{
  memset(groups->first, 0, groups->n * sizeof *groups->first);
  groups->links = groups->free_link = 0;
  for (size_t k = 0; k < groups->count; k++)
    for (size_t l = 0; l < groups->at[k].count; l++)
      HB_TRY(add_link(groups, groups->at[k].list[l], groups->at[k].node));
  return HB_OK;
}

static enum hb_status append(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  HB_TRY(HB_GROW(g->count, &g->capacity, &g->list));
  g->list[g->count++] = node;
  return add_link(groups, node, g->node);
}

enum hb_status hb_groups_list(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  HB_TRY(append(groups, g, node));
  return other && !hb_groups_has(groups, other, g->node) ? append(groups, other, g->node) : HB_OK;
}

/* The order of the others stays. */
static void take_out(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  size_t k = place_in(g, node);
  if (k == g->count) return;
  if (k < g->settled) g->settled--;
  for (g->count--; k < g->count; k++) g->list[k] = g->list[k + 1];
  g->tides.is_old = 1;
  drop_link(groups, node, g->node);
}

void hb_groups_unlist(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  take_out(groups, g, node);
  if (other) take_out(groups, other, g->node);
}

static void clear_list(struct hb_groups *groups, struct hb_group *g)
{
  for (size_t k = 0; k < g->count; k++) drop_link(groups, g->list[k], g->node);
  g->count = g->settled = 0;
}

static void touch(struct hb_groups *groups, struct hb_group *g)
{
  if (!g->is_touched) groups->touched[groups->touches++] = (uint32_t)(g - groups->at);
  g->is_touched = 1;
}

void hb_groups_touch_listers(struct hb_groups *groups, uint32_t node)
{
  for (uint32_t at = groups->first[node]; at; at = groups->link[at - 1].next)
    touch(groups, hb_groups_of(groups, groups->link[at - 1].group));
}

static int compare_numbers(const void *p, const void *q)
{
  uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
  return (a > b) - (a < b);
}

void hb_groups_sort(size_t count, uint32_t *number)
{
  enum { FEW = 24 };
  if (count > FEW) qsort(number, count, sizeof *number, compare_numbers);
  for (size_t k = 1; k < count && count <= FEW; k++) {
    uint32_t one = number[k];
    size_t to = k;
    for (; to > 0 && number[to - 1] > one; to--) number[to] = number[to - 1];
    number[to] = one;
  }
}

void hb_groups_end_touching(struct hb_groups *groups)
{
  hb_groups_sort(groups->touches, groups->touched);
  for (size_t k = 0; k < groups->touches; k++) groups->at[groups->touched[k]].is_touched = 0;
}

enum { ACTIVE_PIECE = 128, ACTIVE_ALONE = 512 };

struct activation {
  struct hb_groups *groups;
  size_t ni;
  const uint32_t *block;
};

static void activate_piece(void *context, size_t piece)
{
  const struct activation *a = context;
  for (size_t b = piece * ACTIVE_PIECE, end = hb_parallel_end(a->ni, ACTIVE_PIECE, b); b < end; b++)
    hb_groups_see(a->groups, b, a->block[b]);
}

void hb_groups_activate(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct activation a = {groups, ni, block};
  if (groups->seen != ni)
    hb_parallel_for(ni > ACTIVE_ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, ACTIVE_PIECE),
                    activate_piece, &a);
  groups->seen = 0;
  groups->actives = ni;
  groups->tick = tick;
  groups->touches = 0;
  for (size_t b = 0; b < ni; b++) {
    if (!groups->hint[b]) continue;
    struct hb_group *g = hb_groups_of(groups, block[b]);
    if (g) touch(groups, g);
    hb_groups_touch_listers(groups, block[b]);
  }
  hb_groups_end_touching(groups);
}

/* Few bodies with nothing around them: one chain, however wide it is, since nothing else is as exact. */

/* Unless one of their distances is this many times another: then what is small is a group of its own, whose revolutions need
 * not be followed. */
static const double gather_within = 100, part_beyond = 150;

/* Whether all of them are so few bodies, with nothing around, that they should be one group; which two of them join; whether
 * two sides of such a group of more than two, that far apart, stay in it. */
static int are_few(const struct hb_groups *groups)
{
  if (!groups->gathers_few || groups->field || groups->n > HB_CHAIN_MOST) return 0;
  return 1;
}

/* How far a group reaches during an orbit; NULL or a chain of one: a star. */
static double span_of(const struct hb_group *g)
{
  if (!g || g->chain.n == 1) return 0;
  const struct hb_chain *c = &g->chain;
  return c->n == 2 && c->B > 0 ? fmax(g->R, hb_chain_span(c)) : g->R;
}

static int few_join(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k)
{
  if (!are_few(groups) || !(groups->m[i] + groups->m[k] > 0)) return 0;
  double least = sqrt(hb_distance2(nodes->xp, i, k)) / gather_within;
  double sizes = span_of(hb_groups_of(groups, i)) + span_of(hb_groups_of(groups, k));
  if (sizes > 0 && sizes < least) return 0;
  for (uint32_t l = 0; l < groups->n; l++) {
    if (l == i || l == k || groups->of[l] == HB_GROUPS_PARKED) continue;
    hb_groups_need(nodes, l);
    double near2 = fmin(hb_distance2(nodes->xp, l, i), hb_distance2(nodes->xp, l, k));
    if (near2 < least * least) return 0;
  }
  return 1;
}

static int few_stay(const struct hb_groups *groups, const struct hb_group side[2], double distance)
{
  if (!are_few(groups)) return 0;
  return distance < part_beyond * (span_of(side) + span_of(side + 1));
}

int hb_groups_is_all(const struct hb_groups *groups, const struct hb_group *g)
{
  if (!are_few(groups)) return 0;
  for (uint32_t i = 0; i < groups->n; i++)
    if (i != g->node && groups->of[i] != HB_GROUPS_PARKED) return 0;
  return 1;
}

/* ---- nodes that become one, and groups that become two ---- */

/* Nodes join when they are approaching and close, or nearer than some of their sizes, and break when they are receding and
 * farther than that. Sizes count up to some times what is close: else groups of wide orbits would gather ever more members. */
static double near_enough(double close, double sizes) { return fmin(fmax(close, 3 * sizes), 2 * close); }
static double far_enough(double close, double sizes) { return fmin(fmax(2 * close, 4.5 * sizes), 3 * close); }

/* The relative orbit of two nodes. */
struct meeting {
  double r[3], v[3];
};

static struct meeting meeting_of(const struct hb_nodes *nodes, uint32_t i, uint32_t k)
{
  struct meeting m = {{0}, {0}};
  hb_groups_need(nodes, i);
  hb_groups_need(nodes, k);
  hb_between(nodes->xp, i, k, m.r);
  hb_between(nodes->vp, i, k, m.v);
  return m;
}

static double size_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->R : 0;
}

static size_t members_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->chain.n : 1;
}

/* Whether one of the nodes near `node` disturbs a pair at its center with more than `most`. */
static int is_crowded_by(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t node,
                         const uint32_t pair[2], const double center[3], double most)
{
  const struct hb_groups_around around = hb_groups_near(groups, nodes, node);
  for (size_t p = 0; p < around.count; p++) {
    uint32_t l = hb_groups_around_at(&around, p);
    double d[3], d2;
    hb_groups_need(nodes, l);
    for (size_t c = 0; c < 3; c++) d[c] = nodes->xp[3 * (size_t)l + c] - center[c];
    d2 = hb_dot(d, d);
    if (groups->m[l] * groups->m[l] > most * most * d2 * d2 * d2 && l != pair[0] && l != pair[1]) return 1;
  }
  return 0;
}

/* Whether a third node or the field disturbs the pair i k too much for it to become a group that is wide. Of two nodes that have just
 * split, one has no list yet. */
static int is_crowded(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                      double span)
{
  double M = groups->m[i] + groups->m[k], share = groups->m[k] / M, center[3];
  double most = groups->rules->forms_below * M / (2 * span * span * span);
  const uint32_t pair[] = {i, k};
  const struct meeting at = meeting_of(nodes, i, k);
  for (size_t c = 0; c < 3; c++) center[c] = nodes->xp[3 * (size_t)i + c] + share * at.r[c];
  if (hb_groups_field_tide(groups, center) > most) return 1;
  if (is_crowded_by(groups, nodes, i, pair, center, most)) return 1;
  return nodes->near && is_crowded_by(groups, nodes, k, pair, center, most);
}

static int passes(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double passing = hb_groups_passing(groups, m1, m2);
  return r2 < passing * passing;
}

static double widest(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double radius = groups->radius[node];
  for (size_t k = 0; g && k < g->chain.n; k++) radius = fmax(radius, groups->radius[g->chain.member[k]]);
  return radius;
}

/* From how far on a node may touch a member of a group, if one of the two is so large that this is farther than close: collisions
 * with members are found within the group. Two stars find each other. */
static double touching(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!groups->radius || members_of(groups, i) + members_of(groups, k) == 2) return 0;
  double radii = widest(groups, i) + widest(groups, k);
  double close = close_of(groups, groups->m[i], groups->m[k]);
  return radii > close ? radii + size_of(groups, i) + size_of(groups, k) : 0;
}

/* Whether the field pulls two nodes, r2 = r^2 apart, with this part of what they do to each other: a pair breaks at 2 / 3. Where
 * it does, nothing that is close is a system of its own. */
static const double torn_below = 0.1, torn_above = 0.5;

static int is_torn(const struct hb_groups *groups, const double x[3], double M, double r2, double part)
{
  return 2 * hb_groups_field_tide(groups, x) * r2 * sqrt(r2) > part * M;
}

/* Whether around a node there are more test particles than a chain has room for, as far away as one of them may belong to its group: a
 * disk, whose particles are no group. They take steps of their own. */
static int has_disk(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t node)
{
  double reach = hb_groups_bound(groups, groups->m[node], 0);
  size_t most = HB_CHAIN_MOST - members_of(groups, node), around = 0;
  for (uint32_t l = 0; l < groups->n && around <= most; l++) { /* massless: in nobody's list */
    if (!(groups->m[l] == 0 && groups->of[l] == HB_GROUPS_STAR)) continue;
    hb_groups_need(nodes, l);
    around += hb_distance2(nodes->xp, l, node) < reach * reach;
  }
  return around > most;
}

/* Whether two nodes of these sizes are so close that they should be one group if they are alone within spans[2]; of which 0 is none. */
static int meet_alone(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                      const struct meeting *at, double sizes, double spans[2])
{
  double mi = groups->m[i], mk = groups->m[k], r2 = hb_dot(at->r, at->r), touch = touching(groups, i, k);
  spans[0] = spans[1] = 0;
  if (!(mi > 0 || mk > 0) || (hb_groups_are_far(groups, mi, mk, r2) && !(r2 < touch * touch))) return 0;
  double close = close_of(groups, mi, mk), reach = fmax(near_enough(close, sizes), touch);
  size_t members = members_of(groups, i) + members_of(groups, k);
  double bound = members == 2 ? hb_groups_bound(groups, mi, mk) : close;
  if (members > HB_CHAIN_MOST || !(r2 < fmax(reach * reach, bound * bound))) return 0;
  if (is_torn(groups, nodes->xp + 3 * (size_t)i, mi + mk, r2, torn_below)) return 0;
  double span = 2 / (2 / sqrt(r2) - hb_dot(at->v, at->v) / (mi + mk));
  int is_approaching = hb_dot(at->r, at->v)<0, is_bound = span> 0 && span < bound;
  if (r2 < reach * reach && (is_approaching || (is_bound && span < close))) return 1;
  if (members > 2) return 0;
  if (is_bound) spans[0] = span;
  if (is_approaching && passes(groups, mi, mk, r2)) spans[1] = sqrt(r2);
  return spans[0] > 0 || spans[1] > 0;
}

int hb_groups_meet_closely(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i,
                           uint32_t k)
{
  const struct meeting at = meeting_of(nodes, i, k);
  double mi = groups->m[i], mk = groups->m[k], spans[2];
  if (!meet_alone(groups, nodes, i, k, &at, size_of(groups, i) + size_of(groups, k), spans)) return 0;
  if ((mi == 0 || mk == 0) && has_disk(groups, nodes, mi == 0 ? k : i)) return 0;
  if (spans[0] == 0 && spans[1] == 0) return 1;
  for (int s = 0; s < 2; s++)
    if (spans[s] > 0 && !is_crowded(groups, nodes, i, k, spans[s])) return 1;
  return 0;
}

int hb_groups_may_meet(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k)
{
  struct meeting at;
  double spans[2];
  hb_between(nodes->xp, i, k, at.r);
  hb_between(nodes->vp, i, k, at.v);
  return meet_alone(groups, nodes, i, k, &at, INFINITY, spans);
}

int hb_groups_should_join(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i,
                          uint32_t k)
{
  return few_join(groups, nodes, i, k) || hb_groups_meet_closely(groups, nodes, i, k);
}

/* ---- bookkeeping ---- */

static enum hb_status add_group(struct hb_groups *groups, const struct hb_chain *chain, uint32_t node,
                                uint64_t tick)
{
  HB_TRY(HB_GROW(groups->count, &groups->capacity, &groups->at));
  struct hb_group *g = groups->at + groups->count;
  *g = (struct hb_group){.chain = *chain, .node = node, .tick = tick, .tides.is_old = 1};
  groups->of[node] = (uint32_t)groups->count++;
  groups->formed++;
  hb_groups_measure_node(groups, g);
  return HB_OK;
}

/* The last one takes its place. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node)
{
  struct hb_group *g = hb_groups_of(groups, node), *last;
  if (!g) return;
  clear_list(groups, g);
  last = groups->at + groups->count - 1;
  groups->of[last->node] = groups->of[node];
  groups->of[node] = HB_GROUPS_STAR;
  groups->reach[node] = 0;
  groups->orbit[node] = (struct hb_groups_orbit){.tide = 0};
  hb_mem_free(g->list);
  *g = *last;
  *last = (struct hb_group){0};
  groups->count--;
  groups->dissolved++;
}

/* Groups that had one of the old nodes in their lists have the new ones; all of them are at the time of the block. */
static enum hb_status replace(struct hb_groups *groups, const uint32_t old[2], size_t count,
                              const struct hb_groups_node *made)
{
  groups->touches = 0;
  for (size_t o = 0; o < 2; o++) hb_groups_touch_listers(groups, old[o]);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++) {
    struct hb_group *g = groups->at + groups->touched[k];
    for (size_t o = 0; o < 2; o++) hb_groups_unlist(groups, g, old[o]);
    for (size_t c = 0; c < count; c++)
      if (made[c].node != g->node && !hb_groups_has(groups, g, made[c].node))
        HB_TRY(hb_groups_list(groups, g, made[c].node));
    g->settled = g->count;
  }
  return HB_OK;
}

/* ---- joining ---- */

/* Members of a node, relative to its own place plus an offset. */
static void gather_members(const struct hb_groups *groups, uint32_t node, const struct meeting *offset,
                           struct hb_chain *all, double *x, double *v)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double *to_x = x + 3 * all->n, *to_v = v + 3 * all->n;
  struct hb_chain alone = {.n = 1, .member = {node}, .m = {groups->m[node]}};
  const struct hb_chain *c = g ? &g->chain : &alone;
  hb_chain_places(c, to_x, to_v);
  for (size_t k = 0; k < c->n; k++) {
    all->member[all->n] = c->member[k];
    all->m[all->n++] = c->m[k];
    for (size_t d = 0; d < 3 && offset; d++) to_x[3 * k + d] += offset->r[d], to_v[3 * k + d] += offset->v[d];
  }
}

enum hb_status hb_groups_join(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                              uint32_t i, uint32_t k, struct hb_groups_node *made)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(nodes, i, k);
  struct hb_chain all = {0}, chain;
  gather_members(groups, i, NULL, &all, x, v);
  gather_members(groups, k, &at, &all, x, v);
  hb_chain_make(all.n, all.member, all.m, x, v, &chain);
  made->node = mk == 0 || (mi > 0 && i < k) ? i : k;
  for (size_t c = 0; c < 3; c++) {
    made->x[c] = nodes->xp[3 * (size_t)i + c] + mk / (mi + mk) * at.r[c];
    made->v[c] = nodes->vp[3 * (size_t)i + c] + mk / (mi + mk) * at.v[c];
  }
  uint32_t parked = made->node == i ? k : i;
  const uint32_t old[2] = {i, k};
  for (size_t o = 0; o < 2; o++) { /* the others' lists first forget that these were groups */
    struct hb_group *g = hb_groups_of(groups, old[o]);
    if (g) clear_list(groups, g);
  }
  hb_groups_remove(groups, i);
  hb_groups_remove(groups, k);
  HB_TRY(add_group(groups, &chain, made->node, tick));
  groups->of[parked] = HB_GROUPS_PARKED;
  groups->m[parked] = 0;
  groups->m[made->node] = mi + mk;
  return replace(groups, old, 1, made);
}

/* ---- breaking ---- */

/* The parts on both sides of a link, and how far apart and fast their centers are. */
static void part(const struct hb_chain *c, size_t link, struct hb_chain side[2],
                 struct hb_groups_node center[2])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  hb_chain_part(c, 0, link + 1, side);
  hb_chain_part(c, link + 1, c->n - link - 1, side + 1);
  for (size_t s = 0, k = 0; s < 2; s++) {
    double M = hb_chain_mass(side + s);
    center[s] = (struct hb_groups_node){.node = UINT32_MAX};
    for (size_t member = 0; member < side[s].n; member++, k++) {
      double share = M > 0 ? c->m[k] / M : 1;
      if (share > 0 && c->member[k] < center[s].node) center[s].node = c->member[k];
      for (size_t d = 0; d < 3; d++) {
        center[s].x[d] += share * x[3 * k + d];
        center[s].v[d] += share * v[3 * k + d];
      }
    }
  }
}

/* Of test particles that would break away together, only the last one does: they are no group. */
static size_t longest_link(const struct hb_chain *c)
{
  size_t longest = 0, first = 0, last = c->n - 1;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > hb_dot(c->X[longest], c->X[longest])) longest = k;
  while (c->m[first] == 0) first++;
  while (c->m[last] == 0) last--;
  return longest < first ? 0 : longest >= last ? c->n - 2 : longest;
}

/* Whether others disturb a pair too much for one that is as wide as R. */
static int is_disturbed(const struct hb_groups *groups, const struct hb_nodes *nodes,
                        const struct hb_group *g, double R)
{
  double most = groups->rules->breaks_above * hb_chain_mass(&g->chain) / (2 * R * R * R);
  if (hb_groups_field_tide(groups, nodes->xp + 3 * (size_t)g->node) > most) return 1;
  for (size_t k = 0; k < g->count; k++) {
    hb_groups_need(nodes, g->list[k]);
    double d2 = hb_distance2(nodes->xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m > most * most * d2 * d2 * d2) return 1;
  }
  return 0;
}

/* Pairs of stars: those that are close, and wide ones that are alone, for as long as they are bound or pass each other; for the time
 * of its pericenter also a bound pair whose orbit is too wide for that. */
static int pair_splits(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double r2 = hb_dot(c->X[0], c->X[0]), close = close_of(groups, c->m[0], c->m[1]);
  double passing = hb_groups_passing(groups, c->m[0], c->m[1]), span = hb_chain_span(c);
  if (r2 < 4 * close * close || span < close) return 0;
  if (r2 < 4 * passing * passing) return is_disturbed(groups, nodes, g, sqrt(r2));
  if (!hb_groups_is_hard(groups, c) && hb_dot(c->X[0], c->V[0]) > 0) return 1;
  return is_disturbed(groups, nodes, g, g->R);
}

int hb_groups_should_split(const struct hb_groups *groups, const struct hb_nodes *nodes,
                           const struct hb_group *g, size_t *link)
{
  struct hb_group side[2] = {{.node = 0}};
  struct hb_chain chain[2];
  struct hb_groups_node center[2];
  double r[3], v[3], sizes = 0;
  *link = longest_link(&g->chain);
  if (is_torn(groups, nodes->xp + 3 * (size_t)g->node, hb_chain_mass(&g->chain),
              hb_dot(g->chain.X[*link], g->chain.X[*link]), torn_above))
    return 1;
  if (g->chain.n == 2) return !are_few(groups) && pair_splits(groups, nodes, g);
  part(&g->chain, *link, chain, center);
  for (size_t s = 0; s < 2; s++) {
    side[s].chain = chain[s];
    if (chain[s].n > 1) hb_groups_measure(groups, side + s);
    sizes += side[s].R;
  }
  for (size_t c = 0; c < 3; c++)
    r[c] = center[1].x[c] - center[0].x[c], v[c] = center[1].v[c] - center[0].v[c];
  if (few_stay(groups, side, sqrt(hb_dot(r, r)))) return 0;
  double close = close_of(groups, hb_chain_mass(chain), hb_chain_mass(chain + 1));
  double far = far_enough(close, sizes);
  return hb_dot(r, v) > 0 && hb_dot(r, r) > far * far;
}

enum hb_status hb_groups_split(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                               uint32_t node, size_t link, struct hb_groups_node made[2])
{
  struct hb_group *g = hb_groups_of(groups, node);
  const uint32_t old[2] = {node, node};
  struct hb_chain side[2];
  part(&g->chain, link, side, made);
  clear_list(groups, g);
  hb_groups_remove(groups, node);
  for (size_t s = 0; s < 2; s++) {
    uint32_t slot = made[s].node;
    for (size_t c = 0; c < 3; c++) {
      made[s].x[c] += nodes->xp[3 * (size_t)node + c];
      made[s].v[c] += nodes->vp[3 * (size_t)node + c];
    }
    groups->m[slot] = hb_chain_mass(side + s);
    groups->of[slot] = HB_GROUPS_STAR;
    if (side[s].n > 1) HB_TRY(add_group(groups, side + s, slot, tick));
  }
  return replace(groups, old, 2, made);
}

/* ---- members that become one, and particles that vanish ---- */

static size_t place_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, uint32_t *kept, uint32_t *swallowed,
                     double *energy)
{
  const struct hb_chain old = g->chain;
  const double first = old.m[place_of(&old, old.touched[0])], second = old.m[place_of(&old, old.touched[1])];
  int is_ordered = second == 0 || (first > 0 && old.touched[0] < old.touched[1]);
  *kept = old.touched[!is_ordered], *swallowed = old.touched[is_ordered];
  size_t k = place_of(&old, *kept), s = place_of(&old, *swallowed), last = old.n - 1;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], m[HB_CHAIN_MOST], M = old.m[k] + old.m[s];
  uint32_t member[HB_CHAIN_MOST];
  hb_chain_places(&old, x, v);
  memcpy(m, old.m, sizeof m);
  memcpy(member, old.member, sizeof member);
  for (size_t c = 0; c < 3; c++) {
    x[3 * k + c] = (old.m[k] * x[3 * k + c] + old.m[s] * x[3 * s + c]) / M;
    v[3 * k + c] = (old.m[k] * v[3 * k + c] + old.m[s] * v[3 * s + c]) / M;
  }
  m[k] = M;
  for (; s < last; s++) { /* the order of the others stays */
    m[s] = m[s + 1], member[s] = member[s + 1];
    memcpy(x + 3 * s, x + 3 * s + 3, 3 * sizeof *x);
    memcpy(v + 3 * s, v + 3 * s + 3, 3 * sizeof *v);
  }
  hb_chain_make(last, member, m, x, v, &g->chain);
  *energy = first > 0 && second > 0 ? hb_chain_energy(&old) - hb_chain_energy(&g->chain) : 0;
  if (last > 1)
    hb_groups_measure_node(groups, g);
  else
    hb_groups_remove(groups, g->node);
}

void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left)
{
  hb_columns_renumber(&columns, groups->n, number, groups);
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t count = 0, settled = 0;
    g->node = number[g->node];
    for (size_t c = 0; c < g->chain.n; c++) g->chain.member[c] = number[g->chain.member[c]];
    for (size_t l = 0; l < g->count; l++) {
      if (number[g->list[l]] == HB_COLUMNS_GONE) continue;
      settled += l < g->settled;
      g->list[count++] = number[g->list[l]];
    }
    g->count = count, g->settled = settled;
  }
  groups->n = left;
  groups->has_order = 0; /* until the caller sets it */
  memset(groups->fresh, 0, left);
  memset(groups->is_live, 0, left);
  groups->actives = 0;
  link_all(groups);
}

enum hb_status hb_groups_grow(struct hb_groups *groups, size_t n)
{
  HB_TRY(hb_columns_grow(&columns, n, groups));
  if (groups->sources) HB_TRY(HB_RESIZE(n, &groups->sources));
  for (size_t i = groups->n; i < n; i++) groups->of[i] = HB_GROUPS_STAR;
  groups->n = n;
  groups->has_order = 0;
  return HB_OK;
}

/* ---- checkpoints: every field, since each one shapes the steps that follow ---- */

static const struct hb_numbers_row head_rows[] = {
    HB_NUMBER("groups.formed", HB_NUMBER_WORD, struct hb_groups, formed, 0),
    HB_NUMBER("groups.dissolved", HB_NUMBER_WORD, struct hb_groups, dissolved, 0),
    HB_NUMBER("groups.forces", HB_NUMBER_WORD, struct hb_groups, forces, 0),
    HB_NUMBER("groups.r_close", HB_NUMBER_DOUBLE, struct hb_groups, r_close, 1),
    HB_NUMBER("groups.m_mean", HB_NUMBER_DOUBLE, struct hb_groups, m_mean, 1),
    HB_NUMBER("groups.stars", HB_NUMBER_DOUBLE, struct hb_groups, stars, 1),
};
static const struct hb_numbers_row group_rows[] = {
    HB_NUMBER("groups.node", HB_NUMBER_INDEX, struct hb_group, node, 1),
    HB_NUMBER("groups.tick", HB_NUMBER_WORD, struct hb_group, tick, 1),
    HB_NUMBER("groups.listed", HB_NUMBER_SIZE, struct hb_group, count, 1),
    HB_NUMBER("groups.settled", HB_NUMBER_SIZE, struct hb_group, settled, 1),
    HB_NUMBER("groups.rows", HB_NUMBER_SIZE, struct hb_group, chain.rows, 1),
    HB_NUMBER("groups.n", HB_NUMBER_SIZE, struct hb_group, chain.n, 1),
    HB_NUMBER("groups.member", HB_NUMBER_INDEX, struct hb_group, chain.member, 1),
    HB_NUMBER("groups.B", HB_NUMBER_DOUBLE, struct hb_group, chain.B, 1),
    HB_NUMBER("groups.ds", HB_NUMBER_DOUBLE, struct hb_group, chain.ds, 1),
    HB_NUMBER("groups.masses", HB_NUMBER_DOUBLE, struct hb_group, chain.m, 1),
    HB_NUMBER("groups.X", HB_NUMBER_DOUBLE, struct hb_group, chain.X, 1),
    HB_NUMBER("groups.V", HB_NUMBER_DOUBLE, struct hb_group, chain.V, 1),
};
static const struct hb_numbers_row tides_rows[] = {
    HB_NUMBER("groups.tides", HB_NUMBER_DOUBLE, struct hb_group, tides.of_all, 1),
    HB_NUMBER("groups.far", HB_NUMBER_DOUBLE, struct hb_group, tides.of_far, 1),
    HB_NUMBER("groups.cut2", HB_NUMBER_DOUBLE, struct hb_group, tides.cut2, 1),
    HB_NUMBER("groups.tides_tick", HB_NUMBER_WORD, struct hb_group, tides.tick, 1),
    HB_NUMBER("groups.far_tick", HB_NUMBER_WORD, struct hb_group, tides.far_tick, 1),
    HB_NUMBER("groups.tides_old", HB_NUMBER_INDEX, struct hb_group, tides.is_old, 1),
};
static const struct hb_numbers_row lost_rows[] = {
    HB_NUMBER("groups.lost", HB_NUMBER_DOUBLE, struct hb_groups, lost, 0),
};
static const struct hb_numbers of_lost = HB_NUMBERS(lost_rows, struct hb_groups);
static const struct hb_numbers of_all = HB_NUMBERS(head_rows, struct hb_groups),
                               of_each = HB_NUMBERS(group_rows, struct hb_group),
                               of_tides = HB_NUMBERS(tides_rows, struct hb_group);

static int keeps_tides(const struct hb_groups *groups) { return groups->rules->far < INFINITY; }

static enum hb_status put_order(const struct hb_groups *groups, struct hb_sections *sections)
{
  uint64_t *words;
  HB_TRY(HB_ALLOC(groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) words[k] = groups->in_space[k];
  enum hb_status status = hb_sections_put_copy(sections, "groups.order", HB_SECTION_WORDS, groups->n, words);
  hb_mem_free(words);
  return status;
}

static enum hb_status get_order(const struct hb_sections *sections, struct hb_groups *groups)
{
  const void *words;
  if (!hb_sections_find(sections, "groups.order")) return HB_OK;
  HB_TRY(hb_sections_get(sections, "groups.order", HB_SECTION_WORDS, groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) {
    uint64_t node = ((const uint64_t *)words)[k];
    if (node >= groups->n || groups->listed[node])
      return hb_fail(HB_ERR_INPUT, "section 'groups.order' has node %llu, expected each of %zu once",
                     (unsigned long long)node, groups->n);
    groups->in_space[k] = (uint32_t)node;
    groups->listed[node] = 1;
  }
  memset(groups->listed, 0, groups->n);
  groups->has_order = 1;
  return HB_OK;
}

enum hb_status hb_groups_put(const struct hb_groups *groups, struct hb_sections *sections)
{
  size_t listed = 0, l = 0;
  uint64_t *list;
  HB_TRY(hb_columns_put(&columns, groups->n, groups, sections));
  HB_TRY(hb_numbers_put(&of_all, 1, groups, sections));
  if (groups->light > 0) HB_TRY(hb_numbers_put(&of_lost, 1, groups, sections));
  HB_TRY(hb_numbers_put(&of_each, groups->count, groups->at, sections));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_put(&of_tides, groups->count, groups->at, sections));
  for (size_t k = 0; k < groups->count; k++) listed += groups->at[k].count;
  HB_TRY(HB_ALLOC(listed, &list));
  for (size_t k = 0; k < groups->count; k++)
    for (size_t p = 0; p < groups->at[k].count; p++) list[l++] = groups->at[k].list[p];
  enum hb_status status = hb_sections_put_copy(sections, "groups.lists", HB_SECTION_WORDS, listed, list);
  hb_mem_free(list);
  return status == HB_OK && groups->has_order ? put_order(groups, sections) : status;
}

int hb_groups_are_in(const struct hb_sections *sections)
{
  return hb_sections_find(sections, "groups.m") != NULL;
}

static enum hb_status refuse(size_t k, const char *what, double value, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "group %zu of section 'groups' has %s %.15g, expected %s", k, what, value,
                 expected);
}

/* Members are stars so far; then parked, but for the node, which is one of them. */
static enum hb_status check_members(struct hb_groups *groups, size_t k)
{
  const struct hb_group *g = groups->at + k;
  int has_node = 0;
  for (size_t m = 0; m < g->chain.n; m++) {
    uint32_t member = g->chain.member[m];
    if (member >= groups->n || groups->of[member] != HB_GROUPS_STAR)
      return refuse(k, "the member", member, "a star that is in no other group");
    groups->of[member] = HB_GROUPS_PARKED;
    has_node = has_node || member == g->node;
  }
  return has_node ? HB_OK : refuse(k, "the node", g->node, "one of its members");
}

/* Numbers that follow from others, or grow from them in a few steps. */
static enum hb_status check_chain(size_t k, const struct hb_chain *c)
{
  static const double energies = 1e-2, times = 0x1p40;
  double bound = hb_chain_binding(c), U = hb_chain_kinetic(c, c->V) + bound;
  double rate = hb_chain_rate(c->n, c->m, c->X, c->V);
  if (!(U > 0 && isfinite(U) && isfinite(rate)))
    return refuse(k, "the potential energy", -U, "finite and below 0");
  if (!(fabs(c->B - bound) <= energies * U))
    return refuse(k, "the binding energy", c->B, "that of its members' orbits");
  return c->ds * rate > U / times && c->ds * rate < U * times
             ? HB_OK
             : refuse(k, "the step", c->ds, "one that suits its orbits");
}

static enum hb_status read_list(struct hb_groups *groups, struct hb_group *g, const uint64_t *list)
{
  HB_TRY(HB_ALLOC(g->count, &g->list));
  g->capacity = g->count;
  for (size_t p = 0; p < g->count; p++) {
    if (list[p] >= groups->n || groups->of[list[p]] == HB_GROUPS_PARKED || list[p] == g->node ||
        groups->listed[list[p]])
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' has node %llu, expected another one of %zu once",
                     (unsigned long long)list[p], groups->n);
    g->list[p] = (uint32_t)list[p];
    groups->listed[list[p]] = 1;
  }
  for (size_t p = 0; p < g->count; p++) groups->listed[g->list[p]] = 0;
  return HB_OK;
}

static enum hb_status complete_group(struct hb_groups *groups, size_t k)
{
  struct hb_group *g = groups->at + k;
  struct hb_chain *c = &g->chain;
  if (c->n < 2 || c->n > HB_CHAIN_MOST) return refuse(k, "a number of members,", (double)c->n, "2 to 8");
  if (c->rows < 1 || c->rows > HB_CHAIN_ROWS_MOST)
    return refuse(k, "an order of extrapolation of", (double)c->rows, "1 to 10");
  HB_TRY(check_members(groups, k));
  if (!(g->tides.cut2 >= 0)) return refuse(k, "a distance squared of", g->tides.cut2, ">= 0");
  if (g->settled > g->count || g->count > groups->n)
    return refuse(k, "a list of", (double)g->count, "no more than there are particles");
  groups->of[g->node] = (uint32_t)k;
  for (size_t m = 0; m < c->n; m++)
    if (!(c->m[m] >= 0)) return refuse(k, "a member of mass", c->m[m], ">= 0");
  if (!(hb_chain_mass(c) > 0)) return refuse(k, "members of mass", 0, "> 0 together");
  hb_chain_weigh(c);
  hb_groups_measure_node(groups, g);
  return check_chain(k, c);
}

static enum hb_status get_lists(const struct hb_sections *sections, struct hb_groups *groups)
{
  const struct hb_section *section = hb_sections_find(sections, "groups.lists");
  size_t listed = section ? section->count : 0, used = 0;
  const void *lists;
  HB_TRY(hb_sections_get(sections, "groups.lists", HB_SECTION_WORDS, listed, &lists));
  for (size_t k = 0; k < groups->count; k++) {
    if (groups->at[k].count > listed - used)
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too short");
    HB_TRY(read_list(groups, groups->at + k, (const uint64_t *)lists + used));
    used += groups->at[k].count;
  }
  if (used != listed) return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too long");
  return link_all(groups);
}

enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups)
{
  size_t count = hb_numbers_records(&of_each, sections);
  if (count > groups->n / 2)
    return hb_fail(HB_ERR_INPUT, "section 'groups.node' has %zu groups of %zu particles", count, groups->n);
  HB_TRY(hb_columns_get(&columns, sections, groups->n, groups));
  HB_TRY(hb_numbers_get(&of_all, sections, 1, groups));
  if (groups->light > 0) HB_TRY(hb_numbers_get(&of_lost, sections, 1, groups));
  if (!(groups->stars >= 1) || groups->r_close < 0 || groups->m_mean < 0)
    return hb_fail(HB_ERR_INPUT,
                   "section 'groups.stars' has %g, groups.r_close %g, groups.m_mean %g, expected 1 or more, "
                   ">= 0, >= 0",
                   groups->stars, groups->r_close, groups->m_mean);
  hb_groups_use(groups, groups->rules);
  HB_TRY(hb_groups_weigh(groups));
  HB_TRY(HB_ALLOC(count, &groups->at));
  groups->count = groups->capacity = count;
  HB_TRY(hb_numbers_get(&of_each, sections, count, groups->at));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_get(&of_tides, sections, count, groups->at));
  for (size_t k = 0; k < count; k++) HB_TRY(complete_group(groups, k));
  HB_TRY(get_order(sections, groups));
  return get_lists(sections, groups);
}

/* ---- against the particles ---- */

/* Sums of masses, which another order may have rounded. */
static int is_mass(double m, double expected) { return fabs(m - expected) <= 1e-9 * expected; }

static enum hb_status compare_masses(const struct hb_groups *groups, const struct hb_particles *p)
{
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    for (size_t m = 0; m < c->n; m++)
      if (!is_mass(c->m[m], p->m[c->member[m]]))
        return refuse(k, "a member of mass", c->m[m], "that of its particle");
  }
  for (uint32_t i = 0; i < groups->n; i++) {
    const struct hb_group *g = hb_groups_of(groups, i);
    double m = groups->of[i] == HB_GROUPS_PARKED ? 0 : g ? hb_chain_mass(&g->chain) : p->m[i];
    if (!is_mass(groups->m[i], m))
      return hb_fail(HB_ERR_INPUT, "section 'groups.m' has %.15g for particle %u, expected %.15g",
                     groups->m[i], (unsigned)i, m);
  }
  return HB_OK;
}

static double heaviest(const struct hb_particles *p)
{
  double m = 0;
  for (size_t i = 0; i < p->n; i++) m = fmax(m, p->m[i]);
  return m;
}

/* What was found at the start: since then bodies have merged, which leaves their mass, or were removed; and the system has
 * shrunk or grown. Where one body has half of the mass, its half-mass radius is what the others make it shake. */
static enum hb_status compare_close(const struct hb_groups *groups, const struct hb_particles *p, double gone,
                                    int is_lighter)
{
  static const double most_lost = 0x1p20, most_grown = 0x1p16;
  struct hb_groups now = {0};
  HB_TRY(hb_groups_find_close(p, &now));
  double M = now.m_mean * now.stars, M0 = groups->m_mean * groups->stars;
  if (!(is_lighter ? M0 >= M * (1 - 1e-9) && M0 <= M * most_lost : is_mass(M0, M)) ||
      groups->stars > (double)groups->n + gone)
    return hb_fail(
        HB_ERR_INPUT,
        "section 'groups.stars' has %g stars with a mean mass of %g, expected those of a system of mass %g",
        groups->stars, groups->m_mean, M);
  double ratio = groups->r_close * groups->stars / (now.r_close * now.stars);
  if (2 * heaviest(p) >= M * (1 - 1e-9) || (ratio * most_grown > 1 && ratio < most_grown)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'groups.r_close' has a distance of %g, expected about %g",
                 groups->r_close, now.r_close * now.stars / groups->stars);
}

enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter)
{
  struct hb_particles *p;
  HB_TRY(compare_masses(groups, nodes));
  HB_TRY(hb_particles_copy(nodes, &p));
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
    hb_chain_places(c, x, v);
    for (size_t m = 0; m < c->n; m++)
      for (size_t d = 0; d < 3; d++)
        p->x[3 * (size_t)c->member[m] + d] = nodes->x[3 * (size_t)groups->at[k].node + d] + x[3 * m + d];
  }
  enum hb_status status = compare_close(groups, p, gone, is_lighter);
  hb_particles_destroy(p);
  return status;
}

/* ---- heavy nodes ---- */

/* The heaviest nodes as sources. Where sources of forces round pulls to float, the close passages of a few stars of tens of mean
 * masses, and the light ones that fall past them, make most of a run's energy error; and there are so few of them that their pulls
 * cost little in double. */

/* Of n stars at most n / 16 and at most MOST are so heavy at the start, since all of them together have n mean masses. */
static const double heavy = 16;
enum { MOST = 128, LANES = HB_CHAIN_LANES };

/* Sinks that are served before a second thread has woken up; the size of a thread's pieces. */
enum { SINKS_ALONE = 1024, PIECE = 256 };

/* Of LANES sources what one has, side by side; those that are nobody's have mass 0. */
struct hb_groups_heavy {
  uint32_t node[LANES];
  double m[LANES], x[3][LANES], v[3][LANES];
};

enum hb_status hb_groups_weigh(struct hb_groups *groups)
{
  double least = groups->m_mean * fmax(heavy, groups->stars / MOST);
  groups->m_most = 0;
  for (uint32_t i = 0; i < groups->n; i++) groups->m_most = fmax(groups->m_most, groups->m[i]);
  if (!groups->sources) return HB_OK;
  groups->heavies = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    int is_heavy = groups->m[i] > least;
    groups->sources[i] = is_heavy ? 0 : groups->m[i];
    if (!is_heavy) continue;
    size_t lane = groups->heavies % LANES, at = groups->heavies / LANES;
    if (lane == 0) {
      HB_TRY(HB_GROW(at, &groups->heavy_capacity, &groups->heavy));
      groups->heavy[at] = (struct hb_groups_heavy){.node = {0}};
    }
    groups->heavy[at].node[lane] = i;
    groups->heavy[at].m[lane] = groups->m[i];
    groups->heavies++;
  }
  return HB_OK;
}

static void place_heavy(struct hb_groups *groups, const double *x, const double *v)
{
  for (size_t k = 0; k < groups->heavies; k++) {
    struct hb_groups_heavy *to = groups->heavy + k / LANES;
    size_t lane = k % LANES, from = 3 * (size_t)to->node[lane];
    for (size_t c = 0; c < 3; c++) to->x[c][lane] = x[from + c], to->v[c][lane] = v[from + c];
  }
}

/* [PZ07] eq. 1, its derivative and the potential, of p[count] on the node i, which is at x with velocity v. A sum for each lane: the bits are the same whatever a
 * machine does at once. */
HB_CLONES static void add_lanes(size_t count, const struct hb_groups_heavy *p, uint32_t i, const double *x,
                                const double *v, double *a, double *j, double *phi)
{
  double sum[7][LANES] = {{0}};
  for (; count > 0; p++, count--)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double m = p->node[l] == i ? 0 : p->m[l];
      double rx = p->x[0][l] - x[0], ry = p->x[1][l] - x[1], rz = p->x[2][l] - x[2];
      double vx = p->v[0][l] - v[0], vy = p->v[1][l] - v[1], vz = p->v[2][l] - v[2];
      double r2 = rx * rx + ry * ry + rz * rz;
      if (m == 0) r2 = 1;
      double mr = m / sqrt(r2), mr3 = mr / r2, s = 3 * (rx * vx + ry * vy + rz * vz) / r2;
      sum[0][l] += mr3 * rx, sum[1][l] += mr3 * ry, sum[2][l] += mr3 * rz;
      sum[3][l] += mr3 * (vx - s * rx), sum[4][l] += mr3 * (vy - s * ry), sum[5][l] += mr3 * (vz - s * rz);
      sum[6][l] += mr;
    }
  for (size_t c = 0; c < 3; c++) a[c] += hb_chain_sum_lanes(sum[c]), j[c] += hb_chain_sum_lanes(sum[3 + c]);
  *phi -= hb_chain_sum_lanes(sum[6]);
}

struct sinks {
  const struct hb_groups *groups;
  const double *x, *v;
  size_t ni;
  const uint32_t *block;
  double *a, *j, *phi;
};

static void add_piece(void *context, size_t piece)
{
  const struct sinks *s = context;
  const struct hb_groups *groups = s->groups;
  for (size_t b = piece * PIECE, end = hb_parallel_end(s->ni, PIECE, b); b < end; b++) {
    size_t i = 3 * (size_t)s->block[b];
    add_lanes(hb_div_ceil(groups->heavies, LANES), groups->heavy, s->block[b], s->x + i, s->v + i,
              s->a + 3 * b, s->j + 3 * b, s->phi + b);
  }
}

void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi)
{
  struct sinks sinks = {groups, x, v, ni, block, a, j, phi};
  if (groups->heavies == 0) return;
  place_heavy(groups, x, v);
  hb_parallel_for(ni > SINKS_ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, PIECE), add_piece, &sinks);
}
