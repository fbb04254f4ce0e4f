/* Groups: each is a chain, and in the block scheme one node, its center of
 * mass; see groups.h. */
#include "groups/groups_internal.h"

#include "base/arith.h"
#include "base/ascending.h"
#include "base/elementary.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "chain/bulirsch_stoer.h"
#include "chain/contact.h"
#include "chain/kepler.h"
#include "chain/kepler_orbit.h"
#include "chain/lanes.h"
#include "chain/quadrupole.h"
#include "chain/turning.h"
#include "core/diagnostics.h"

#include <stdatomic.h>
#include <string.h>

/* The close distance of a system: how near two stars of mean mass come to each
 * other when they deflect each other strongly. It follows from the half-mass
 * radius and the number of stars. How groups use it is in criteria.c. */
/* Returns the number of stars. Bodies that are so light that they are test
 * particles in all but name do not count: otherwise a mass of 1e-12 would give
 * other encounters than a mass of 0. */
static size_t count_stars(const struct hb_particles *p)
{
  static const double least = 1e-8; /* of the mean mass */
  double M = 0;
  size_t massive = hb_particles_massive(p), stars = 0;
  for (size_t i = 0; i < p->n; i++) M += p->m[i];
  for (size_t i = 0; i < p->n; i++) stars += p->m[i] * (double)massive > least * M;
  return stars;
}

/* Moves a center to the center of mass of the particles within r of it. */
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

/* Finds the half-mass radius about the center of mass. Where a star that is
 * very far away has moved that out of the system, the center is that of the
 * inner half. */
static enum hb_status find_half(const struct hb_particles *p, double *r_half)
{
  enum { TIMES = 16 };
  static const double very_far = 8;
  double center[3], velocity[3], half = 0.5, r;
  HB_OWN double *work = NULL;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, center, velocity);
  hb_lagrangian_radii(p, center, 1, &half, work, r_half);
  for (int k = 0; k < TIMES && p->n > HB_CHAIN_MOST; k++) {
    recenter(p, *r_half, center);
    hb_lagrangian_radii(p, center, 1, &half, work, &r);
    if (!(r > 0 && r < *r_half / very_far)) break;
    *r_half = r;
  }
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

/* The life of the groups of a simulation: arrays that have an element for each
 * node, their creation, growth and renumbering, and their end. Single groups
 * are made and dissolved in membership.c. */
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
const struct hb_columns hb_groups_columns = HB_COLUMNS(rows, 1);

static void destroy_own(struct hb_groups *const *own) { hb_groups_destroy(*own); }

enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups)
{
  __attribute__((cleanup(destroy_own))) struct hb_groups *g = NULL;
  size_t n = particles->n;
  *groups = NULL;
  HB_TRY(HB_ALLOC(1, &g));
  g->n = n;
  HB_TRY(hb_columns_reserve(&hb_groups_columns, n, g));
  if (rounds) HB_TRY(HB_ALLOC(n, &g->sources));
  HB_TRY(hb_groups_find_close(particles, g));
  memcpy(g->m, particles->m, n * sizeof *g->m);
  for (size_t i = 0; i < n; i++) g->of[i] = HB_GROUPS_STAR;
  HB_TRY(hb_groups_weigh(g));
  return HB_GIVE(g, groups);
}

void hb_groups_destroy(struct hb_groups *groups)
{
  if (!groups) return;
  for (size_t k = 0; k < groups->count; k++) hb_mem_free(groups->at[k].list);
  hb_columns_free(&hb_groups_columns, groups);
  HB_FREE(groups->at, groups->link, groups->hit, groups->box, groups->sources, groups->heavy, groups);
}

void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left)
{
  hb_columns_renumber(&hb_groups_columns, groups->n, number, groups);
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
  hb_groups_link_all(groups);
}

enum hb_status hb_groups_grow(struct hb_groups *groups, size_t n)
{
  HB_TRY(hb_columns_grow(&hb_groups_columns, n, groups));
  if (groups->sources) HB_TRY(HB_RESIZE(n, &groups->sources));
  for (size_t i = groups->n; i < n; i++) groups->of[i] = HB_GROUPS_STAR;
  groups->n = n;
  groups->has_order = 0;
  return HB_OK;
}

/* Criteria: how large groups are, when a pair is hard, which tides disturb a
 * group, and the two sets of rules. It decides nothing about single nodes;
 * lists.c, far.c and membership.c do that with these numbers. */
/* The arithmetic mean of two stars' masses says at which distance they deflect
 * each other, the geometric mean at which distance their energy is that of two
 * close stars of mean mass. Beyond this multiple of r_close a passage is no
 * longer compact. */
static const double most_passing = 4;

static double arithmetic(const struct hb_groups *groups, double m1, double m2)
{
  return (m1 + m2) / (2 * groups->m_mean);
}

static double geometric(const struct hb_groups *groups, double m1, double m2)
{
  return sqrt(m1 * m2) / groups->m_mean;
}

double hb_groups_close(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmin(arithmetic(groups, m1, m2), 1);
}

double hb_groups_passing(const struct hb_groups *groups, double m1, double m2)
{
  double energy = groups->r_close * fmin(geometric(groups, m1, m2), most_passing);
  return fmax(energy, hb_groups_close(groups, m1, m2));
}

double hb_groups_bound(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmax(geometric(groups, m1, m2), groups->bound);
}

/* Each star of a heavy bound pair has at least the acceleration m_mean^2 / (m
 * r_close^2), and less where pairs may be wider. Other stars may weaken it, and
 * light stars have less until they are nearer, hence the factor 8. */
double hb_groups_least_pull(const struct hb_groups *groups, double m)
{
  double wide = groups->r_close * (groups->bound / 2);
  return groups->m_mean / (8 * fmax(1, m / groups->m_mean) * wide * wide);
}

/* Returns the sum of the lengths of all links. */
static double length(const struct hb_chain *c)
{
  double sum = 0;
  for (size_t k = 0; k + 1 < c->n; k++) sum += sqrt(hb_dot(c->X[k], c->X[k]));
  return sum;
}

/* Tides below this part of what holds the group together are left out: 2 m R^3
 * / (M d^3). Over the orbits of a hard pair they nearly cancel; in a single
 * passage they do not. */
static const double least_tide = 1e-6, least_in_a_passage = 2e-8;

/* Tides on a hard pair cancel as far as the other nodes stay where they are.
 * The tide of the whole system grows with the width of the pair, in half-mass
 * radii, and matters in proportion to the share of the pair in the energy of
 * the system, about n m_mean^2 / r_close. The lists of pairs with a large
 * product of both have more nodes. */
double hb_groups_system_tide(const struct hb_groups *groups, const struct hb_group *g)
{
  double r = g->R / (groups->stars / 2 * groups->r_close);
  return r * r * r * groups->stars * groups->m_mean / hb_chain_mass(&g->chain);
}

/* Returns the binding energy of a group as a share of the energy of the system.
 */
static double share_of(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->chain.B * groups->r_close / (groups->stars * groups->m_mean * groups->m_mean);
}

/* Returns the least tide in the list of a hard pair, by size. */
static double least_by_size(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double share = 2e-8, of_the_hardest = 0.01;
  if (g->chain.w > 0) return least_tide; /* it has no part of the energy of the system */
  double tide = hb_groups_system_tide(groups, g), part = share_of(groups, g);
  return least_tide * fmax(fmin(share / (tide * part), 1), of_the_hardest);
}

static double squared(double p) { return p * p; }

/* Returns the least tide in the list of a hard pair, by perturbation. Nodes
 * that are not in the list still act by tides and quadrupoles. What remains as
 * an error of the energy of the pair is limited to a part of that of the
 * system. */
static double least_by_share(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double most = 1e-3, of_the_system = 1e-7,
                      stars = 2048; /* from here on lists may be longer, since
                                       they cost less beside more stars */
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
  if (groups->field) hb_turning_transform(&at_rest, -hb_field_turn(groups->field) / 2);
  if (g->weak > 0) hb_quadrupole_of_orbit(&at_rest, g->Q);
}

void hb_groups_measure_node(struct hb_groups *groups, struct hb_group *g)
{
  static const double margin = 2; /* positions are corrected after hits are found; this allows for a
            tenth of a distance */
  hb_groups_measure(groups, g);
  groups->reach[g->node] = fmax(margin * g->tide, g->weak);
  groups->orbit[g->node] = (struct hb_groups_orbit){.tide = g->tide, .weak = g->weak};
  memcpy(groups->orbit[g->node].Q, g->Q, sizeof g->Q);
}

int hb_groups_keeps_tides(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->weak > 0 && hb_groups_system_tide(groups, g) > groups->rules->far;
}

/* The least tide of a field on a hard pair. A field disturbs a pair in the same
 * way all the time, and its effect adds up: it changes an orbit altogether in
 * about 3 / tide revolutions, or 0.7 tide^-1/2 orbits around a galaxy, here
 * 2000. */
static const double least_of_field = 1e-7;

int hb_groups_feels_field(const struct hb_groups *groups, const struct hb_group *g, const double x[3])
{
  const struct hb_chain *c = &g->chain;
  double hold = (hb_groups_is_hard(groups, c) ? least_of_field : least_in_a_passage) * hb_chain_mass(c);
  return 2 * hb_groups_field_tide(groups, x) * g->R * g->R * g->R > hold;
}

int hb_groups_are_few(const struct hb_groups *groups)
{
  return groups->gathers_few && !groups->field && groups->n <= HB_CHAIN_MOST;
}

int hb_groups_is_all(const struct hb_groups *groups, const struct hb_group *g)
{
  if (!hb_groups_are_few(groups)) return 0;
  for (uint32_t i = 0; i < groups->n; i++)
    if (i != g->node && groups->of[i] != HB_GROUPS_PARKED) return 0;
  return 1;
}

static const double of_a_passage = 0.25, of_a_fall = 0.1;

/* Returns the longest step of the center of a group, without regard to other
 * groups. */
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

double hb_groups_step(const struct hb_groups *groups, const struct hb_group *g)
{
  double step = step_alone(groups, g);
  for (size_t k = 0; k < g->count; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    hb_groups_need(groups, other->node);
    double least = groups->rules->resolved * sqrt(hb_distance2(groups->nodes.xp, g->node, other->node));
    step = fmin(step, of_a_fall * fmin(hb_groups_time_of_links(&g->chain, least),
                                       hb_groups_time_of_links(&other->chain, least)));
  }
  return step;
}

void hb_groups_use(struct hb_groups *groups, const struct hb_groups_rules *rules)
{
  static const double close = 2; /* at least, in r_close */
  groups->rules = rules;
  groups->bound = close;
  if (rules->widest > 0) /* r_half = N / 2 r_close */
    groups->bound = fmax(close, rules->widest / 2 * hb_elementary_power(groups->stars, 2. / 3));
}

/* Lists of perturbers: which nodes are in the list of a group, and in whose
 * lists a node is. The second half sorts numbers and marks the groups that a
 * block concerns. Which nodes belong into a list is decided in advance.c. */
/* Returns the index of a node in the list of a group, or the length of the
 * list. */
static size_t index_in(const struct hb_group *g, uint32_t node)
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

/* Stores that a node is in the list of the group whose node is `group`. */
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

/* Removes what add_link stored. */
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

enum hb_status hb_groups_link_all(struct hb_groups *groups)
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

/* Takes a node out of a list. The order of the other nodes stays. */
static void take_out(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  size_t k = index_in(g, node);
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

void hb_groups_clear_list(struct hb_groups *groups, struct hb_group *g)
{
  for (size_t k = 0; k < g->count; k++) drop_link(groups, g->list[k], g->node);
  g->count = g->settled = 0;
}

/* Adds a group to touched[], once. */
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

/* Up to this many numbers are sorted by counting, for each, how many are
 * smaller, in vectors of RANKED_AT_ONCE. */
enum { RANKED = 256, RANKED_AT_ONCE = 64 };

/* Sorts up to RANKED numbers, ascending. */
HB_CLONES static void rank(uint32_t *list, size_t count)
{
  uint32_t number[RANKED], sorted[RANKED];
  size_t padded = hb_div_ceil(count, RANKED_AT_ONCE) * RANKED_AT_ONCE;
  for (size_t k = 0; k < padded; k++) number[k] = k < count ? list[k] : UINT32_MAX;
  for (size_t from = 0; from < count; from += RANKED_AT_ONCE) {
    uint32_t at[RANKED_AT_ONCE] = {0};
    for (size_t j = 0; j < count; j++)
      for (size_t k = 0; k < RANKED_AT_ONCE; k++)
        at[k] += number[j] < number[from + k]; /* cppcheck-suppress uninitvar ; up to padded */
    for (size_t k = 0; k < RANKED_AT_ONCE && from + k < count; k++) sorted[at[k]] = number[from + k];
  }
  memcpy(list, sorted, count * sizeof *list); /* cppcheck-suppress uninitvar ; a permutation */
}

/* Hoare's quicksort of different numbers, until they are few enough. */
void hb_groups_sort(size_t count, uint32_t *list)
{
  while (count > RANKED) {
    uint32_t pivot = list[count / 2];
    size_t i = 0, k = count - 1;
    for (;; i++, k--) {
      while (list[i] < pivot) i++;
      while (list[k] > pivot) k--;
      if (i >= k) break;
      uint32_t swap = list[i];
      list[i] = list[k], list[k] = swap;
    }
    size_t below = i == k ? i + 1 : i;
    hb_groups_sort(count - below, list + below);
    count = below;
  }
  rank(list, count);
}

void hb_groups_end_touching(struct hb_groups *groups)
{
  hb_groups_sort(groups->touches, groups->touched);
  for (size_t k = 0; k < groups->touches; k++) groups->at[groups->touched[k]].is_touched = 0;
}

enum { ACTIVE_PIECE = 128, ACTIVE_ALONE = 512 };

struct activation {
  struct hb_groups *groups;
  const uint32_t *block;
};

static void activate_piece(void *context, size_t b, size_t end)
{
  const struct activation *a = context;
  for (; b < end; b++) hb_groups_see(a->groups, b, a->block[b]);
}

void hb_groups_activate(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct activation a = {groups, block};
  if (groups->seen != ni) hb_parallel_pieces(ni, ACTIVE_PIECE, ACTIVE_ALONE, activate_piece, &a);
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

/* Membership: which nodes join to a group, which groups break, and what
 * joining, breaking and merging do to nodes, groups and lists. Sizes and tides
 * are from criteria.c. */
/* ---- few bodies alone ---- */

/* A few bodies with nothing around them are one chain, however wide it is,
 * since nothing else is as exact. */

/* But not where one distance is this many times another. Then the small
 * subsystem is a group of its own, whose revolutions need not be followed. The
 * second number is for a group that divides. */
static const double gather_within = 100, divide_beyond = 150;

/* Returns how far a group reaches during an orbit; 0 for a star, which is NULL
 * or a chain of one. */
static double span_of(const struct hb_group *g)
{
  if (!g || g->chain.n == 1) return 0;
  const struct hb_chain *c = &g->chain;
  return c->n == 2 && c->B > 0 ? fmax(g->R, hb_chain_span(c)) : g->R;
}

/* True if two nodes of such a system should be one group. */
static int few_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!hb_groups_are_few(groups) || !(groups->m[i] + groups->m[k] > 0)) return 0;
  double least = sqrt(hb_distance2(groups->nodes.xp, i, k)) / gather_within;
  double sizes = span_of(hb_groups_of(groups, i)) + span_of(hb_groups_of(groups, k));
  if (sizes > 0 && sizes < least) return 0;
  for (uint32_t l = 0; l < groups->n; l++) {
    if (l == i || l == k || groups->of[l] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, l);
    double near2 = fmin(hb_distance2(groups->nodes.xp, l, i), hb_distance2(groups->nodes.xp, l, k));
    if (near2 < least * least) return 0;
  }
  return 1;
}

/* ---- which nodes join ---- */

/* Nodes join when they approach and are close, or nearer than a few of their
 * sizes, and break when they recede and are farther than that. Sizes count up
 * to a few times the close distance: otherwise groups of wide orbits would
 * gather ever more members. */
static double near_enough(double close, double sizes) { return fmin(fmax(close, 3 * sizes), 2 * close); }
static double far_enough(double close, double sizes) { return fmin(fmax(2 * close, 4.5 * sizes), 3 * close); }

/* Relative position and velocity of two nodes. */
struct meeting {
  double r[3], v[3];
};

static struct meeting meeting_at(const double *x, const double *v, uint32_t i, uint32_t k)
{
  struct meeting m = {0};
  hb_between(x, i, k, m.r);
  hb_between(v, i, k, m.v);
  return m;
}

static struct meeting meeting_of(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  hb_groups_need(groups, i);
  hb_groups_need(groups, k);
  return meeting_at(groups->nodes.xp, groups->nodes.vp, i, k);
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

/* True if one of the nodes near `node` has a tide above `most` on a pair with
 * this center. */
static int is_crowded_by(const struct hb_groups *groups, uint32_t node, const uint32_t pair[2],
                         const double center[3], double most)
{
  const struct hb_groups_around around = hb_groups_near(groups, node);
  for (size_t p = 0; p < around.count; p++) {
    uint32_t l = hb_groups_around_at(&around, p);
    double d[3], d2;
    hb_groups_need(groups, l);
    for (size_t c = 0; c < 3; c++) d[c] = groups->nodes.xp[3 * (size_t)l + c] - center[c];
    d2 = hb_dot(d, d);
    if (groups->m[l] * groups->m[l] > most * most * d2 * d2 * d2 && l != pair[0] && l != pair[1]) return 1;
  }
  return 0;
}

/* True if a third node or the field disturbs the pair i k too much for it to
 * become a wide group. The neighbors of both are asked, since one of two nodes
 * that have just split has no list yet. */
static int is_crowded(const struct hb_groups *groups, uint32_t i, uint32_t k, double span)
{
  double M = groups->m[i] + groups->m[k], share = groups->m[k] / M, center[3];
  double most = groups->rules->forms_below * M / (2 * span * span * span);
  const uint32_t pair[] = {i, k};
  const struct meeting at = meeting_of(groups, i, k);
  for (size_t c = 0; c < 3; c++) center[c] = groups->nodes.xp[3 * (size_t)i + c] + share * at.r[c];
  if (hb_groups_field_tide(groups, center) > most) return 1;
  if (is_crowded_by(groups, i, pair, center, most)) return 1;
  return groups->nodes.list && is_crowded_by(groups, k, pair, center, most);
}

static int passes(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double passing = hb_groups_passing(groups, m1, m2);
  return r2 < passing * passing;
}

/* Returns the largest radius of the members of a node. */
static double widest(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double radius = groups->radius[node];
  for (size_t k = 0; g && k < g->chain.n; k++) radius = fmax(radius, groups->radius[g->chain.member[k]]);
  return radius;
}

/* Returns the distance from which on a node may touch a member of a group, if
 * radii are so large that it is farther than close; else 0. Then they join,
 * since collisions with members are found within a group only. Two stars need
 * no group for that. */
static double touching(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!groups->radius || members_of(groups, i) + members_of(groups, k) == 2) return 0;
  double radii = widest(groups, i) + widest(groups, k);
  double close = hb_groups_close(groups, groups->m[i], groups->m[k]);
  return radii > close ? radii + size_of(groups, i) + size_of(groups, k) : 0;
}

/* The tide of a field relative to the force that two nodes have on each other:
 * a pair breaks at 2 / 3. Nodes join below the first number, and groups break
 * above the second. */
static const double torn_below = 0.1, torn_above = 0.5;

/* True if the tide of the field on two nodes of mass M, r2 = r^2 apart, is
 * above this part of their own force. */
static int is_torn(const struct hb_groups *groups, const double x[3], double M, double r2, double part)
{
  return 2 * hb_groups_field_tide(groups, x) * r2 * sqrt(r2) > part * M;
}

/* True if more test particles are within the reach of a node than a chain has
 * room for. They are a disk, and take steps of their own. */
static int has_disk(const struct hb_groups *groups, uint32_t node)
{
  double reach = hb_groups_bound(groups, groups->m[node], 0);
  size_t most = HB_CHAIN_MOST - members_of(groups, node), around = 0;
  for (uint32_t l = 0; l < groups->n && around <= most; l++) { /* particles without mass are in no list */
    if (!(groups->m[l] == 0 && groups->of[l] == HB_GROUPS_STAR)) continue;
    hb_groups_need(groups, l);
    around += hb_distance2(groups->nodes.xp, l, node) < reach * reach;
  }
  return around > most;
}

/* True if two nodes of these sizes are so close that they should be one group.
 * If a span is not 0, they should only if no third node disturbs a pair of that
 * width: spans[0] is 2 a of a bound pair, spans[1] the distance in a passage.
 */
static int meet_alone(const struct hb_groups *groups, const double *x, uint32_t i, uint32_t k,
                      const struct meeting *at, double sizes, double spans[2])
{
  double mi = groups->m[i], mk = groups->m[k], r2 = hb_dot(at->r, at->r), touch = touching(groups, i, k);
  spans[0] = spans[1] = 0;
  if (!(mi > 0 || mk > 0) || (hb_groups_are_far(groups, mi, mk, r2) && !(r2 < touch * touch))) return 0;
  double close = hb_groups_close(groups, mi, mk), reach = fmax(near_enough(close, sizes), touch);
  size_t members = members_of(groups, i) + members_of(groups, k);
  double bound = members == 2 ? hb_groups_bound(groups, mi, mk) : close;
  if (members > HB_CHAIN_MOST || !(r2 < fmax(reach * reach, bound * bound))) return 0;
  if (is_torn(groups, x + 3 * (size_t)i, mi + mk, r2, torn_below)) return 0;
  double span = 2 / (2 / sqrt(r2) - hb_dot(at->v, at->v) / (mi + mk));
  int is_approaching = hb_dot(at->r, at->v)<0, is_bound = span> 0 && span < bound;
  if (r2 < reach * reach && (is_approaching || (is_bound && span < close))) return 1;
  if (members > 2) return 0;
  if (is_bound) spans[0] = span;
  if (is_approaching && passes(groups, mi, mk, r2)) spans[1] = sqrt(r2);
  return spans[0] > 0 || spans[1] > 0;
}

int hb_groups_meet_closely(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  const struct meeting at = meeting_of(groups, i, k);
  double mi = groups->m[i], mk = groups->m[k], spans[2];
  if (!meet_alone(groups, groups->nodes.xp, i, k, &at, size_of(groups, i) + size_of(groups, k), spans))
    return 0;
  if ((mi == 0 || mk == 0) && has_disk(groups, mi == 0 ? k : i)) return 0;
  if (spans[0] == 0 && spans[1] == 0) return 1;
  for (int s = 0; s < 2; s++)
    if (spans[s] > 0 && !is_crowded(groups, i, k, spans[s])) return 1;
  return 0;
}

int hb_groups_may_meet(const struct hb_groups *groups, const double *x, const double *v, uint32_t i,
                       uint32_t k)
{
  const struct meeting at = meeting_at(x, v, i, k);
  double spans[2];
  return meet_alone(groups, x, i, k, &at, INFINITY, spans);
}

int hb_groups_should_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  return few_join(groups, i, k) || hb_groups_meet_closely(groups, i, k);
}

/* ---- bookkeeping ---- */

/* Makes a chain the group of a node. */
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

/* The last group of the array is moved to the free element. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node)
{
  struct hb_group *g = hb_groups_of(groups, node), *last;
  if (!g) return;
  hb_groups_clear_list(groups, g);
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

/* Replaces old nodes by new ones in the lists of all groups that had them;
 * these groups are at the time of the block. */
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

/* Appends the members of a node, relative to the node plus an offset. */
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

enum hb_status hb_groups_join(struct hb_groups *groups, uint64_t tick, uint32_t i, uint32_t k,
                              struct hb_groups_node *made)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(groups, i, k);
  struct hb_chain all = {0}, chain;
  gather_members(groups, i, NULL, &all, x, v);
  gather_members(groups, k, &at, &all, x, v);
  hb_chain_make(all.n, all.member, all.m, x, v, &chain);
  made->node = mk == 0 || (mi > 0 && i < k) ? i : k;
  for (size_t c = 0; c < 3; c++) {
    made->x[c] = groups->nodes.xp[3 * (size_t)i + c] + mk / (mi + mk) * at.r[c];
    made->v[c] = groups->nodes.vp[3 * (size_t)i + c] + mk / (mi + mk) * at.v[c];
  }
  uint32_t parked = made->node == i ? k : i;
  const uint32_t old[2] = {i, k};
  for (size_t o = 0; o < 2; o++) { /* first out of the lists of others, as groups */
    struct hb_group *g = hb_groups_of(groups, old[o]);
    if (g) hb_groups_clear_list(groups, g);
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

/* Divides a chain at a link into two, and finds their nodes, and positions and
 * velocities of their centers. */
static void divide(const struct hb_chain *c, size_t link, struct hb_chain side[2],
                   struct hb_groups_node center[2])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  hb_chain_extract(c, 0, link + 1, side);
  hb_chain_extract(c, link + 1, c->n - link - 1, side + 1);
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

/* Returns the longest link. Test particles that would break away together are
 * no group: of these only the last one does. */
static size_t longest_link(const struct hb_chain *c)
{
  size_t longest = 0, first = 0, last = c->n - 1;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > hb_dot(c->X[longest], c->X[longest])) longest = k;
  while (c->m[first] == 0) first++;
  while (c->m[last] == 0) last--;
  return longest < first ? 0 : longest >= last ? c->n - 2 : longest;
}

/* True if other nodes or the field disturb a pair of width R too much. */
static int is_disturbed(const struct hb_groups *groups, const struct hb_group *g, double R)
{
  double most = groups->rules->breaks_above * hb_chain_mass(&g->chain) / (2 * R * R * R);
  if (hb_groups_field_tide(groups, groups->nodes.xp + 3 * (size_t)g->node) > most) return 1;
  for (size_t k = 0; k < g->count; k++) {
    hb_groups_need(groups, g->list[k]);
    double d2 = hb_distance2(groups->nodes.xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m > most * most * d2 * d2 * d2) return 1;
  }
  return 0;
}

/* True if a pair should break. Close pairs stay together, and wide ones that
 * are alone, for as long as they are bound or pass each other. So does a bound
 * pair with an orbit that is too wide for that, near its pericenter. */
static int pair_splits(const struct hb_groups *groups, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double r2 = hb_dot(c->X[0], c->X[0]), close = hb_groups_close(groups, c->m[0], c->m[1]);
  double passing = hb_groups_passing(groups, c->m[0], c->m[1]), span = hb_chain_span(c);
  if (r2 < 4 * close * close || span < close) return 0;
  if (r2 < 4 * passing * passing) return is_disturbed(groups, g, sqrt(r2));
  if (!hb_groups_is_hard(groups, c) && hb_dot(c->X[0], c->V[0]) > 0) return 1;
  return is_disturbed(groups, g, g->R);
}

int hb_groups_should_split(const struct hb_groups *groups, const struct hb_group *g, size_t *link)
{
  struct hb_group side[2] = {{.node = 0}};
  struct hb_chain chain[2];
  struct hb_groups_node center[2];
  double r[3], v[3], sizes = 0;
  *link = longest_link(&g->chain);
  if (is_torn(groups, groups->nodes.xp + 3 * (size_t)g->node, hb_chain_mass(&g->chain),
              hb_dot(g->chain.X[*link], g->chain.X[*link]), torn_above))
    return 1;
  if (g->chain.n == 2) return !hb_groups_are_few(groups) && pair_splits(groups, g);
  divide(&g->chain, *link, chain, center);
  for (size_t s = 0; s < 2; s++) {
    side[s].chain = chain[s];
    if (chain[s].n > 1) hb_groups_measure(groups, side + s);
    sizes += side[s].R;
  }
  for (size_t c = 0; c < 3; c++)
    r[c] = center[1].x[c] - center[0].x[c], v[c] = center[1].v[c] - center[0].v[c];
  if (hb_groups_are_few(groups) && sqrt(hb_dot(r, r)) < divide_beyond * (span_of(side) + span_of(side + 1)))
    return 0;
  double close = hb_groups_close(groups, hb_chain_mass(chain), hb_chain_mass(chain + 1));
  double far = far_enough(close, sizes);
  return hb_dot(r, v) > 0 && hb_dot(r, r) > far * far;
}

enum hb_status hb_groups_split(struct hb_groups *groups, uint64_t tick, uint32_t node, size_t link,
                               struct hb_groups_node made[2])
{
  struct hb_group *g = hb_groups_of(groups, node);
  const uint32_t old[2] = {node, node};
  struct hb_chain side[2];
  divide(&g->chain, link, side, made);
  hb_groups_clear_list(groups, g);
  hb_groups_remove(groups, node);
  for (size_t s = 0; s < 2; s++) {
    uint32_t slot = made[s].node;
    for (size_t c = 0; c < 3; c++) {
      made[s].x[c] += groups->nodes.xp[3 * (size_t)node + c];
      made[s].v[c] += groups->nodes.vp[3 * (size_t)node + c];
    }
    groups->m[slot] = hb_chain_mass(side + s);
    groups->of[slot] = HB_GROUPS_STAR;
    if (side[s].n > 1) HB_TRY(add_group(groups, side + s, slot, tick));
  }
  return replace(groups, old, 2, made);
}

/* ---- members that become one, and particles that vanish ---- */

static size_t index_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, uint32_t *kept, uint32_t *swallowed,
                     double *energy)
{
  const struct hb_chain old = g->chain;
  const double first = old.m[index_of(&old, old.touched[0])], second = old.m[index_of(&old, old.touched[1])];
  int is_ordered = second == 0 || (first > 0 && old.touched[0] < old.touched[1]);
  *kept = old.touched[!is_ordered], *swallowed = old.touched[is_ordered];
  size_t k = index_of(&old, *kept), s = index_of(&old, *swallowed), last = old.n - 1;
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

/* Groups in a checkpoint: every member of the structs that shapes the steps
 * that follow, and checks of what is read against limits and against the
 * particles. */
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
  HB_OWN uint64_t *words = NULL;
  HB_TRY(HB_ALLOC(groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) words[k] = groups->in_space[k];
  return hb_sections_put_copy(sections, "groups.order", HB_SECTION_WORDS, groups->n, words);
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
  HB_OWN uint64_t *list = NULL;
  HB_TRY(hb_columns_put(&hb_groups_columns, groups->n, groups, sections));
  HB_TRY(hb_numbers_put(&of_all, 1, groups, sections));
  if (groups->light > 0) HB_TRY(hb_numbers_put(&of_lost, 1, groups, sections));
  HB_TRY(hb_numbers_put(&of_each, groups->count, groups->at, sections));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_put(&of_tides, groups->count, groups->at, sections));
  for (size_t k = 0; k < groups->count; k++) listed += groups->at[k].count;
  HB_TRY(HB_ALLOC(listed, &list));
  for (size_t k = 0; k < groups->count; k++)
    for (size_t p = 0; p < groups->at[k].count; p++) list[l++] = groups->at[k].list[p];
  HB_TRY(hb_sections_put_copy(sections, "groups.lists", HB_SECTION_WORDS, listed, list));
  return groups->has_order ? put_order(groups, sections) : HB_OK;
}

/* Fails with a sentence on group k. */
static enum hb_status refuse(size_t k, const char *what, double value, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "group %zu of section 'groups' has %s %.15g, expected %s", k, what, value,
                 expected);
}

/* Checks the members of a group, and parks them. The caller then makes one of
 * them, the node, a group. */
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

/* Checks numbers of a chain that follow from its links, exactly or within the
 * errors of an integration. */
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
      return hb_fail(HB_ERR_INPUT,
                     "section 'groups.lists' has node %llu, expected another "
                     "one of %zu once",
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
  return hb_groups_link_all(groups);
}

enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups)
{
  size_t count = hb_numbers_records(&of_each, sections);
  if (count > groups->n / 2)
    return hb_fail(HB_ERR_INPUT, "section 'groups.node' has %zu groups of %zu particles", count, groups->n);
  HB_TRY(hb_columns_get(&hb_groups_columns, sections, groups->n, groups));
  HB_TRY(hb_numbers_get(&of_all, sections, 1, groups));
  if (groups->light > 0) HB_TRY(hb_numbers_get(&of_lost, sections, 1, groups));
  if (!(groups->stars >= 1) || groups->r_close < 0 || groups->m_mean < 0)
    return hb_fail(HB_ERR_INPUT,
                   "section 'groups.stars' has %g, groups.r_close %g, "
                   "groups.m_mean %g, expected 1 or more, "
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

/* True if a mass is the expected one, but for the rounding of a sum in another
 * order. */
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

/* Compares the close distance, which was found at the start, with that of the
 * present system. Since the start bodies have merged, which leaves their mass,
 * or were removed, and the system has shrunk or grown. Where one body has half
 * of the mass, the half-mass radius says nothing about the system, and is not
 * compared. */
static enum hb_status compare_close(const struct hb_groups *groups, const struct hb_particles *p, double gone,
                                    int is_lighter)
{
  static const double most_lost = 0x1p20, most_grown = 0x1p16;
  struct hb_groups now = {0};
  HB_TRY(hb_groups_find_close(p, &now));
  double M = now.m_mean * now.stars, M0 = groups->m_mean * groups->stars;
  if (!(is_lighter ? M0 >= M * (1 - 1e-9) && M0 <= M * most_lost : is_mass(M0, M)) ||
      groups->stars > (double)groups->n + gone)
    return hb_fail(HB_ERR_INPUT,
                   "section 'groups.stars' has %g stars with a mean mass of "
                   "%g, expected those of a system of mass %g",
                   groups->stars, groups->m_mean, M);
  double ratio = groups->r_close * groups->stars / (now.r_close * now.stars);
  if (2 * heaviest(p) >= M * (1 - 1e-9) || (ratio * most_grown > 1 && ratio < most_grown)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'groups.r_close' has a distance of %g, expected about %g",
                 groups->r_close, now.r_close * now.stars / groups->stars);
}

enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
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
  return compare_close(groups, p, gone, is_lighter);
}

/* The heaviest nodes as sources, summed in double. Where sources of forces
 * round accelerations to float, the close passages of a few stars of tens of
 * mean masses, and of light ones that fall past them, make most of a run's
 * energy error. There are so few heavy nodes that their accelerations in double
 * cost little. */
/* Heavy is this multiple of the mean mass, and more for so many stars that more
 * than HEAVY_MOST could be heavy at the start. All n stars together have n mean
 * masses, so that at most n / 16 are heavy. */
static const double heavy_ratio = 16;
enum { HEAVY_MOST = 128 };

/* Loops over fewer sinks than SINKS_ALONE run on the calling thread. Larger
 * ones are split into pieces of SINKS_PIECE. */
enum { SINKS_ALONE = 1024, SINKS_PIECE = 256 };

/* HB_LANES sources side by side. Unused lanes have mass 0. */
struct hb_groups_heavy {
  uint32_t node[HB_LANES];
  double m[HB_LANES], x[3][HB_LANES], v[3][HB_LANES];
};

enum hb_status hb_groups_weigh(struct hb_groups *groups)
{
  double least = groups->m_mean * fmax(heavy_ratio, groups->stars / HEAVY_MOST);
  groups->m_most = 0;
  for (uint32_t i = 0; i < groups->n; i++)
    groups->m_most = groups->m[i] > groups->m_most ? groups->m[i] : groups->m_most;
  if (!groups->sources) return HB_OK;
  groups->heavies = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    int is_heavy = groups->m[i] > least;
    groups->sources[i] = is_heavy ? 0 : groups->m[i];
    if (!is_heavy) continue;
    size_t lane = groups->heavies % HB_LANES, at = groups->heavies / HB_LANES;
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

/* Sets positions and velocities of all heavy nodes. */
static void place_heavy(struct hb_groups *groups, const double *x, const double *v)
{
  for (size_t k = 0; k < groups->heavies; k++) {
    struct hb_groups_heavy *to = groups->heavy + k / HB_LANES;
    size_t lane = k % HB_LANES, from = 3 * (size_t)to->node[lane];
    for (size_t c = 0; c < 3; c++) to->x[c][lane] = x[from + c], to->v[c][lane] = v[from + c];
  }
}

/* Adds acceleration ([PZ07] eq. 1), jerk and potential by p[count] of the node
 * i, which is at x with velocity v. Each lane has a sum of its own, so that all
 * machines give the same bits. */
HB_CLONES static void add_lanes(size_t count, const struct hb_groups_heavy *p, uint32_t i, const double *x,
                                const double *v, double *a, double *j, double *phi)
{
  double sum[7][HB_LANES] = {{0}};
  for (; count > 0; p++, count--)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
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
  for (size_t c = 0; c < 3; c++) a[c] += hb_lanes_sum(sum[c]), j[c] += hb_lanes_sum(sum[3 + c]);
  *phi -= hb_lanes_sum(sum[6]);
}

struct sinks {
  const struct hb_groups *groups;
  const double *x, *v;
  const uint32_t *block;
  double *a, *j, *phi;
};

static void add_piece(void *context, size_t b, size_t end)
{
  const struct sinks *s = context;
  const struct hb_groups *groups = s->groups;
  for (; b < end; b++) {
    size_t i = 3 * (size_t)s->block[b];
    add_lanes(hb_div_ceil(groups->heavies, HB_LANES), groups->heavy, s->block[b], s->x + i, s->v + i,
              s->a + 3 * b, s->j + 3 * b, s->phi + b);
  }
}

void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi)
{
  struct sinks sinks = {groups, x, v, block, a, j, phi};
  if (groups->heavies == 0) return;
  place_heavy(groups, x, v);
  hb_parallel_pieces(ni, SINKS_PIECE, SINKS_ALONE, add_piece, &sinks);
}

/* Nodes and groups that are in no list of each other: the tides of distant
 * nodes on a pair, as a tensor, and the quadrupoles of pairs on distant nodes.
 * What is in lists is in advance.c and correct.c. */
/* ---- tides ---- */

enum { TENSOR_NUMBERS = 12 }; /* of a tide: the tensor as xx yy zz xy xz yz, and its rate */

/* HB_LANES nodes side by side. Unused lanes have mass 0. */
struct view {
  double m[HB_LANES], x[3][HB_LANES], v[3][HB_LANES];
};

/* The center of a group, about which tides are summed. */
struct center {
  double x[3], v[3];
};

/* Which share of the tide of a node counts: constant + of_near s, where s is 1
 * up to half of the square of the distance cut, 0 beyond the cut, and smooth
 * between, so that nothing jumps where nodes pass the cut. */
struct tide_share {
  double constant, of_near;
};
static const struct tide_share share_all = {1, 0}, share_near = {0, 1}, share_far = {1, -1},
                               share_negative = {-1, 0};

/* Adds to sum[12] the tidal tensors of the nodes of a view and their rates,
 * without the node that is the center; to_near is 2 / cut^2. */
HB_CLONES static void add_tides(const struct view *p, const struct center *at, double to_near,
                                const struct tide_share *share, double sum[TENSOR_NUMBERS][HB_LANES])
{
  const double constant = share->constant, of_near = share->of_near;
#pragma omp simd
  for (size_t l = 0; l < HB_LANES; l++) {
    double x = p->x[0][l] - at->x[0], y = p->x[1][l] - at->x[1], z = p->x[2][l] - at->x[2];
    double u = p->v[0][l] - at->v[0], v = p->v[1][l] - at->v[1], w = p->v[2][l] - at->v[2];
    double r2 = x * x + y * y + z * z, rv = x * u + y * v + z * w, s = 2 - r2 * to_near;
    double m = r2 > 0 ? p->m[l] : 0;
    s = s > 0 ? s : 0;
    s = s < 1 ? s : 1;
    double mass = m * (constant + of_near * (s * s * (3 - 2 * s)));
    double rate = m * of_near * -12 * s * (1 - s) * to_near * rv;
    r2 = m > 0 ? r2 : 1;
    double i2 = 1 / r2, i3 = i2 * sqrt(i2), i5 = 3 * i3 * i2, m5 = mass * i5, d = m5 * rv;
    double f = rate * i5 - 5 * d * i2, g = d - rate * i3, m3 = mass * i3;
    sum[0][l] += m5 * x * x - m3;
    sum[1][l] += m5 * y * y - m3;
    sum[2][l] += m5 * z * z - m3;
    sum[3][l] += m5 * x * y;
    sum[4][l] += m5 * x * z;
    sum[5][l] += m5 * y * z;
    sum[6][l] += 2 * m5 * x * u + f * x * x + g;
    sum[7][l] += 2 * m5 * y * v + f * y * y + g;
    sum[8][l] += 2 * m5 * z * w + f * z * z + g;
    sum[9][l] += m5 * (x * v + y * u) + f * x * y;
    sum[10][l] += m5 * (x * w + z * u) + f * x * z;
    sum[11][l] += m5 * (y * w + z * v) + f * y * z;
  }
}

static struct center center_at(const struct hb_groups *groups, uint32_t node)
{
  struct center at;
  memcpy(at.x, groups->nodes.xp + 3 * (size_t)node, sizeof at.x);
  memcpy(at.v, groups->nodes.vp + 3 * (size_t)node, sizeof at.v);
  return at;
}

/* Sets a view to the nodes from .. to - 1 of those around, HB_LANES at most, at
 * xp vp. */
static void view_nodes(const struct hb_groups *groups, const struct hb_groups_around *around, size_t from,
                       size_t to, struct view *view)
{
  for (size_t l = to - from; l < HB_LANES; l++) {
    view->m[l] = 0;
    for (size_t c = 0; c < 3; c++) view->x[c][l] = view->v[c][l] = 0;
  }
  for (size_t l = 0; l < to - from; l++) {
    uint32_t i = hb_groups_around_at(around, from + l);
    view->m[l] = groups->m[i];
    for (size_t c = 0, k = 3 * (size_t)i; c < 3; c++, k++)
      view->x[c][l] = groups->nodes.xp[k], view->v[c][l] = groups->nodes.vp[k];
  }
}

/* Adds to sum[12] the tides of all nodes around, at xp vp, without that of the
 * center. */
static void add_nodes(const struct hb_groups *groups, uint32_t center, const struct hb_groups_around *around,
                      double cut2, const struct tide_share *share, double sum[TENSOR_NUMBERS][HB_LANES])
{
  const struct center at = center_at(groups, center);
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t from = 0; from < around->count; from += HB_LANES) {
    struct view view;
    view_nodes(groups, around, from, hb_parallel_end(around->count, HB_LANES, from), &view);
    add_tides(&view, &at, to_near, share, sum);
  }
}

/* Returns the square of the norm of a tensor. */
static double norm2(const double T[6])
{
  return T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5]);
}

/* Returns the square of the distance up to which the list of neighbors is
 * complete; 0 if unknown. */
static double reach2(const struct hb_groups *groups, uint32_t node)
{
  return groups->nodes.reach2 ? groups->nodes.reach2[node] / groups->nodes.grown : 0;
}

/* The square of the distance cut relative to reach2: neighbors may be farther
 * from a center than from where it was when its list was made. */
static const double part_of_reach = 0.7;

/* True if the far part has to be found anew. It is extrapolated linearly until
 * the list of neighbors no longer reaches to the cut; or, where all positions
 * are known anyway, until it has changed by a certain part of itself, which is
 * smaller for wider pairs. */
static int is_far_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double least = 0.07, most = 0.3, at_tide = 2e-3;
  const struct hb_groups_tides *t = &g->tides;
  double reach = reach2(groups, g->node), dt = hb_groups_since(groups, t->far_tick, tick);
  if (!(reach > 0) || !hb_groups_keeps_tides(groups, g)) return 0;
  if (t->cut2 == 0 || t->cut2 > reach) return 1;
  if (!groups->nodes.is_full) return 0;
  double change = least * sqrt(sqrt(at_tide / hb_groups_system_tide(groups, g)));
  change = fmin(fmax(change, least), most);
  return dt * dt * norm2(t->of_far + 6) > change * change * norm2(t->of_far);
}

/* True if of_all has to be found anew. It is extrapolated linearly until it has
 * changed by a certain part of itself, or a node has left the list. */
static int is_near_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double change = 0.07;
  const struct hb_groups_tides *t = &g->tides;
  double dt = hb_groups_since(groups, t->tick, tick);
  return t->is_old || dt * dt * norm2(t->of_all + 6) > change * change * norm2(t->of_all);
}

/* Adds up the lanes. */
static void end_sum(double sum[TENSOR_NUMBERS][HB_LANES], double T[TENSOR_NUMBERS])
{
  for (size_t c = 0; c < TENSOR_NUMBERS; c++) T[c] = hb_lanes_sum(sum[c]);
}

/* ---- many nodes ---- */

/* Nodes that follow each other in the order of space, as a point: mass, center
 * of mass and its velocity, squared radius. */
struct hb_groups_box {
  double m, x[3], v[3], size2;
};
enum {
  BOX = 32,
  PARTS = BOX / HB_LANES,
  FROM = 2048
}; /* nodes in a box; its parts; boxes are used from this number of nodes on */

/* A box, its parts, and the nodes of these. */
struct hb_groups_boxes {
  struct hb_groups_box all, part[PARTS];
  struct view view[PARTS];
};

/* Makes a box of `count` views. */
HB_CLONES static void enclose(const struct view *view, size_t count, struct hb_groups_box *box)
{
  double sum[7][HB_LANES] = {{0}}, most[HB_LANES] = {0}, M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double m = view[p].m[l];
      sum[6][l] += m;
      for (size_t c = 0; c < 3; c++) sum[c][l] += m * view[p].x[c][l], sum[3 + c][l] += m * view[p].v[c][l];
    }
  *box = (struct hb_groups_box){.m = M = hb_lanes_sum(sum[6])};
  for (size_t c = 0; c < 3 && M > 0; c++)
    box->x[c] = hb_lanes_sum(sum[c]) / M, box->v[c] = hb_lanes_sum(sum[3 + c]) / M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double x = view[p].x[0][l] - box->x[0], y = view[p].x[1][l] - box->x[1],
             z = view[p].x[2][l] - box->x[2], r2 = x * x + y * y + z * z;
      r2 = view[p].m[l] > 0 ? r2 : 0;
      most[l] = r2 > most[l] ? r2 : most[l];
    }
  for (size_t l = 0; l < HB_LANES; l++) box->size2 = most[l] > box->size2 ? most[l] : box->size2;
}

static void make_box(const struct hb_groups *groups, const struct hb_groups_around *in,
                     struct hb_groups_boxes *box)
{
  for (size_t p = 0, from = 0; p < PARTS; p++, from += HB_LANES) {
    size_t begin = from < in->count ? from : in->count;
    view_nodes(groups, in, begin, hb_parallel_end(in->count, HB_LANES, begin), box->view + p);
    enclose(box->view + p, 1, box->part + p);
  }
  enclose(box->view, PARTS, &box->all);
}

void hb_groups_set_order(struct hb_groups *groups, const uint32_t *place)
{
  for (uint32_t i = 0; i < groups->n; i++) groups->in_space[place[i]] = i;
  groups->has_order = groups->n >= FROM;
}

enum { BOXES_PIECE = 16, BOXES_ALONE = 64 };

static void box_piece(void *context, size_t k, size_t end)
{
  const struct hb_groups *groups = context;
  for (; k < end; k++) {
    const struct hb_groups_around in = {groups->in_space + k * BOX,
                                        hb_parallel_end(groups->n, BOX, k * BOX) - k * BOX};
    make_box(groups, &in, groups->box + k);
  }
}

static enum hb_status make_boxes(struct hb_groups *groups)
{
  size_t count = hb_div_ceil(groups->n, BOX);
  if (!groups->box) HB_TRY(HB_ALLOC(count, &groups->box));
  hb_parallel_pieces(count, BOXES_PIECE, BOXES_ALONE, box_piece, groups);
  return HB_OK;
}

/* A sum of the far part about a center. Points are collected in a view, and
 * added when it is full. */
struct far {
  struct center at;
  double cut2, (*sum)[HB_LANES];
  struct view view;
  size_t lane;
};

/* Adds a box as a point. */
static void add_point_of(struct far *far, const struct hb_groups_box *p)
{
  far->view.m[far->lane] = p->m;
  for (size_t c = 0; c < 3; c++) far->view.x[c][far->lane] = p->x[c], far->view.v[c][far->lane] = p->v[c];
  if (++far->lane < HB_LANES) return;
  add_tides(&far->view, &far->at, 0, &share_all, far->sum);
  far->lane = 0;
}

/* True if a box may be a point: its radius is below 0.4 of its distance, and
 * all of it is beyond the cut. */
static int is_point(const struct far *far, const struct hb_groups_box *p)
{
  static const double open = 0.16, beyond = 3;
  const double r[] = {p->x[0] - far->at.x[0], p->x[1] - far->at.x[1], p->x[2] - far->at.x[2]};
  double d2 = hb_dot(r, r);
  return p->size2 < open * d2 && d2 > beyond * far->cut2;
}

/* Adds to sum[12] the far part from boxes, from parts of boxes that are too
 * near to be points, and from nodes of parts that are. */
static void add_boxes(const struct hb_groups *groups, uint32_t center, double cut2,
                      double sum[TENSOR_NUMBERS][HB_LANES])
{
  struct far far = {.at = center_at(groups, center), .cut2 = cut2, .sum = sum};
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t k = 0; k < hb_div_ceil(groups->n, BOX); k++) {
    const struct hb_groups_boxes *box = groups->box + k;
    if (!(box->all.m > 0)) continue;
    if (is_point(&far, &box->all)) {
      add_point_of(&far, &box->all);
      continue;
    }
    for (size_t p = 0; p < PARTS; p++)
      if (is_point(&far, box->part + p))
        add_point_of(&far, box->part + p);
      else
        add_tides(box->view + p, &far.at, to_near, &share_far, sum);
  }
  for (size_t l = far.lane; l < HB_LANES; l++) far.view.m[l] = 0;
  if (far.lane > 0) add_tides(&far.view, &far.at, 0, &share_all, sum);
}

/* Finds the far part of the tides of a group. */
static void find_far(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around all = {.count = groups->n};
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}};
  g->tides.cut2 = part_of_reach * reach2(groups, g->node);
  g->tides.far_tick = tick;
  if (groups->has_order)
    add_boxes(groups, g->node, g->tides.cut2, sum);
  else
    add_nodes(groups, g->node, &all, g->tides.cut2, &share_far, sum);
  end_sum(sum, g->tides.of_far);
}

/* ---- of all ---- */

/* Finds the tides of a group: the far part and that of the neighbors, less that
 * of the nodes in its list. */
static void find_tides(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
  struct hb_groups_tides *t = &g->tides;
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}};
  if (!hb_groups_keeps_tides(groups, g)) {
    *t = (struct hb_groups_tides){.tick = tick, .far_tick = tick, .is_old = 1};
    return;
  }
  int is_old = is_far_old(groups, g, tick);
  if (is_old) find_far(groups, g, tick);
  if (!is_old && !is_near_old(groups, g, tick)) return;
  double dt = hb_groups_since(groups, t->far_tick, tick);
  t->tick = tick;
  t->is_old = 0;
  add_nodes(groups, g->node, &near, t->cut2, t->cut2 > 0 ? &share_near : &share_all, sum);
  if (list.count > 0) add_nodes(groups, g->node, &list, 0, &share_negative, sum);
  end_sum(sum, t->of_all);
  for (size_t c = 0; c < 6 && t->cut2 > 0; c++) {
    t->of_all[c] += t->of_far[c] + dt * t->of_far[6 + c];
    t->of_all[6 + c] += t->of_far[6 + c];
  }
}

void hb_groups_leave_tides(const struct hb_groups *groups, struct hb_group *g, uint32_t node, uint64_t tick)
{
  const struct hb_groups_around one = {&node, 1};
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}}, T[TENSOR_NUMBERS];
  if (!hb_groups_has_tides(g)) return;
  double dt = hb_groups_since(groups, tick, g->tides.tick);
  add_nodes(groups, g->node, &one, 0, &share_negative, sum);
  end_sum(sum, T);
  for (size_t c = 0; c < 6; c++) {
    g->tides.of_all[c] += T[c] + dt * T[6 + c];
    g->tides.of_all[6 + c] += T[6 + c];
  }
}

struct centers {
  struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *group;
};

enum { FAR_ALONE = 4 }; /* groups */

static void find_one(void *context, size_t k)
{
  const struct centers *c = context;
  find_tides(c->groups, c->groups->at + c->group[k], c->tick);
}

/* Makes sure that xp vp of all nodes around are set. */
static void need_all(const struct hb_groups *groups, const struct hb_groups_around *around)
{
  for (size_t k = 0; k < around->count && groups->nodes.need; k++)
    hb_groups_need(groups, hb_groups_around_at(around, k));
}

enum hb_status hb_groups_look_far(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct centers centers = {groups, tick, groups->touched};
  const struct hb_groups_around all = {.count = groups->n};
  int needs_all = 0;
  size_t count = 0;
  groups->touches = 0;
  if (!(groups->rules->far < INFINITY)) return HB_OK;
  for (size_t b = 0; b < ni; b++) {
    if (groups->of[block[b]] >= HB_GROUPS_PARKED) continue;
    groups->touched[count++] = groups->of[block[b]];
    const struct hb_group *g = groups->at + groups->of[block[b]];
    if (!hb_groups_keeps_tides(groups, g)) continue;
    const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
    int is_old = is_far_old(groups, g, tick);
    needs_all |= is_old;
    if (!is_old && !is_near_old(groups, g, tick)) continue;
    need_all(groups, &near);
    need_all(groups, &list);
  }
  if (needs_all) need_all(groups, &all);
  if (needs_all && groups->has_order) HB_TRY(make_boxes(groups));
  hb_parallel_for(count > FAR_ALONE ? hb_parallel_threads() : 1, count, find_one, &centers);
  return HB_OK;
}

/* ---- quadrupoles ---- */

/* True if a node may be near another one, `of`. */
static int is_neighbor(const struct hb_groups *groups, uint32_t of, uint32_t node)
{
  const struct hb_groups_around around = hb_groups_near(groups, of);
  size_t guess = (size_t)node * around.count / groups->n;
  return !around.list || hb_ascending_has(around.list, around.count, guess, node);
}

/* True if a node at this distance feels the quadrupole of a pair. */
static int feels_weakly(const struct hb_groups *groups, const struct hb_groups_orbit *orbit, uint32_t node,
                        double d2)
{
  double m = hb_groups_felt_mass(groups, node);
  return m * m * orbit->weak > d2 * d2 * d2;
}

/* Appends the hits of one node to hit[]. */
static enum hb_status find_around(struct hb_groups *groups, uint32_t i)
{
  const struct hb_groups_around around = hb_groups_near(groups, i);
  const double *x = groups->nodes.xp + 3 * (size_t)i, m = hb_groups_felt_mass(groups, i),
               own = groups->reach[i];
  for (size_t p = 0; p < around.count; p++) {
    uint32_t k = hb_groups_around_at(&around, p);
    double its = groups->reach[k];
    if (!(its > 0 || own > 0) || k == i || groups->of[k] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, k);
    const double *y = groups->nodes.xp + 3 * (size_t)k, r[] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double d2 = hb_dot(r, r), d6 = d2 * d2 * d2, mk = hb_groups_felt_mass(groups, k);
    if (!(m * m * its > d6 || mk * mk * own > d6)) continue;
    HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
    groups->hit[groups->hits++] = k;
  }
  return HB_OK;
}

struct hb_groups_around hb_groups_hits_of(const struct hb_groups *groups, uint32_t b)
{
  if (groups->hits == 0) return (struct hb_groups_around){groups->hit, 0};
  uint32_t from = b > 0 ? groups->hit_end[b - 1] : 0;
  return (struct hb_groups_around){groups->hit + from, groups->hit_end[b] - from};
}

enum hb_status hb_groups_find_hits(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  groups->hits = 0;
  for (size_t b = 0; b < ni; b++) {
    if (groups->rules->weak > 0 && groups->count > 0) HB_TRY(find_around(groups, block[b]));
    groups->hit_end[b] = (uint32_t)groups->hits;
  }
  return HB_OK;
}

enum hb_status hb_groups_take_hits(struct hb_groups *groups, uint32_t b, size_t words, const uint64_t *mask,
                                   const uint32_t *list)
{
  if (b == 0) groups->hits = 0;
  for (size_t w = 0; w < words; w++)
    for (uint64_t left = mask[w]; left; left &= left - 1) {
      HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
      groups->hit[groups->hits++] = list[64 * w + (size_t)__builtin_ctzll(left)];
    }
  groups->hit_end[b] = (uint32_t)groups->hits;
  groups->has_hits = 1;
  return HB_OK;
}

/* Adds to node i the difference between what nodes i and k do to each other and
 * what points would do. */
static void add_to(const struct hb_groups *groups, uint32_t i, uint32_t k, double a[3], double j[3])
{
  const struct hb_groups_orbit *own = groups->orbit + i, *its = groups->orbit + k;
  double r[3], v[3];
  hb_groups_need(groups, k);
  hb_between(groups->nodes.xp, k, i, r);
  double d2 = hb_dot(r, r);
  int by_other = feels_weakly(groups, its, i, d2), by_own = feels_weakly(groups, own, k, d2);
  if (!by_other && !by_own) return;
  if (hb_groups_lists(groups, its->tide > 0 ? k : i, its->tide > 0 ? i : k))
    return;                               /* of two groups, each lists the other, or neither does */
  if (!is_neighbor(groups, k, i)) return; /* momentum: either both feel it, or neither does */
  hb_between(groups->nodes.vp, k, i, v);
  if (by_other) hb_quadrupole_add_pull(its->Q, 1, r, v, a, j);
  if (by_own) /* seen from k, turned around */
    hb_quadrupole_add_pull(own->Q, groups->m[k] / groups->m[i], r, v, a, j);
}

/* Prefetches what add_to will read. Lists are long and far apart in memory. */
static void fetch_hits(const struct hb_groups *groups, const uint32_t *block, uint32_t b)
{
  const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
  for (size_t h = 0; h < hits.count; h++) {
    uint32_t k = hits.list[h];
    const struct hb_groups_around around = hb_groups_near(groups, k);
    __builtin_prefetch(groups->orbit + k);
    __builtin_prefetch(groups->nodes.xp + 3 * (size_t)k);
    if (around.list) __builtin_prefetch(around.list + (size_t)block[b] * around.count / groups->n);
  }
}

void hb_groups_add_quadrupoles(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a,
                               double *j)
{
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
    if (b + 1 < ni) fetch_hits(groups, block, b + 1);
    for (size_t k = 0; k < hits.count; k++)
      add_to(groups, block[b], hits.list[k], a + 3 * (size_t)b, j + 3 * (size_t)b);
  }
}

/* Groups in time: the perturbers of a group as points, which groups a block
 * advances, new perturbers, and the positions of all members at a given time.
 * What nodes feel of the members is in correct.c. */
/* ---- what disturbs a group ---- */

/* Moves a point by a time dt: position, velocity and acceleration. */
static void shift_point(double dt, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    double v = p->v[c], a = p->a[c], j = p->j[c];
    p->x[c] += dt * (v + dt / 2 * (a + dt / 3 * j));
    p->v[c] += dt * (a + dt / 2 * j);
    p->a[c] += dt * j;
  }
}

/* Adds sign times q to p, without the mass. */
static void add_point(double sign, const struct hb_chain_point *q, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    p->x[c] += sign * q->x[c], p->v[c] += sign * q->v[c];
    p->a[c] += sign * q->a[c], p->j[c] += sign * q->j[c];
  }
}

/* Returns a node as a point at a tick. */
static struct hb_chain_point node_at(const struct hb_groups *groups, uint32_t node, uint64_t tick)
{
  size_t k = hb_groups_row(groups, node);
  struct hb_chain_point p = {.m = groups->m[node]};
  memcpy(p.x, groups->nodes.x + k, sizeof p.x);
  memcpy(p.v, groups->nodes.v + k, sizeof p.v);
  memcpy(p.a, groups->nodes.a + k, sizeof p.a);
  memcpy(p.j, groups->nodes.j + k, sizeof p.j);
  shift_point(hb_groups_since_node(groups, node, tick), &p);
  return p;
}

/* Sets points to the nodes of the list at their own times, and dt[] to the
 * times from these to that of the group. */
static void gather(const struct hb_groups *groups, const struct hb_group *g, struct hb_chain_points *points,
                   double *dt)
{
  for (size_t k = 0; k < g->settled; k++) {
    struct hb_chain_points *to = points + k / HB_LANES;
    size_t l = k % HB_LANES, from = hb_groups_row(groups, g->list[k]);
    to->m[l] = groups->m[g->list[k]];
    for (size_t c = 0; c < 3; c++) {
      to->x[c][l] = groups->nodes.x[from + c], to->v[c][l] = groups->nodes.v[from + c];
      to->a[c][l] = groups->nodes.a[from + c], to->j[c][l] = groups->nodes.j[from + c];
    }
    dt[k] = hb_groups_since_node(groups, g->list[k], g->tick);
  }
  hb_chain_tide_pad_points(points, g->settled);
  for (size_t k = g->settled; k % HB_LANES > 0; k++) dt[k] = 0;
}

/* Moves points by their times dt[HB_LANES], and makes them relative to the
 * center. */
HB_CLONES static void shift_points(struct hb_chain_points *p, const double *dt,
                                   const struct hb_chain_point *center)
{
  for (size_t c = 0; c < 3; c++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double v = p->v[c][l], a = p->a[c][l], j = p->j[c][l], t = dt[l];
      p->x[c][l] = p->x[c][l] + t * (v + t / 2 * (a + t / 3 * j)) - center->x[c];
      p->v[c][l] = v + t * (a + t / 2 * j) - center->v[c];
      p->a[c][l] = a + t * j - center->a[c];
      p->j[c][l] = j - center->j[c];
    }
}

/* Sets points to the list as it disturbs the group from the group's own time
 * on, for dt, relative to `center`. A star is one point. A group that is large
 * relative to its distance is as many points as can be told apart at that
 * distance; hb_groups_step has limited the step so that none of them moves far,
 * and where it did not know of that group yet, the group is one point. times[]
 * is scratch with an element for each lane. Returns the number of points. */
static size_t look_from(const struct hb_chain_point *center, const struct hb_groups *groups,
                        const struct hb_group *g, double dt, struct hb_chain_points *points, double *times)
{
  static const double not_far = 0.4;
  size_t count = g->settled;
  gather(groups, g, points, times);
  for (size_t k = 0; k < count; k += HB_LANES) shift_points(points + k / HB_LANES, times + k, center);
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    struct hb_chain_point node, parts[HB_CHAIN_MOST];
    hb_chain_tide_get_point(points, k, &node);
    double least = HB_GROUPS_RESOLVED * sqrt(hb_dot(node.x, node.x)),
           from = hb_groups_since(groups, other->tick, g->tick);
    double until = fmax(fabs(from), fabs(from + dt));
    if (other->R < least || until > not_far * hb_groups_time_of_links(&other->chain, least)) continue;
    size_t n = hb_chain_tide_points_of(&other->chain, least, parts);
    for (size_t p = 0; p < n; p++) {
      shift_point(from, parts + p);
      add_point(1, &node, parts + p);
      hb_chain_tide_set_point(points, p == 0 ? k : count++, parts + p);
    }
  }
  hb_chain_tide_pad_points(points, count);
  return count;
}

/* Returns the largest number of points that look_from may set. */
static size_t most_points(const struct hb_groups *groups, const struct hb_group *g)
{
  size_t sum = 0;
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    sum += other ? other->chain.n : 1;
  }
  return sum;
}

/* Records a contact of a pair, which went from `before` to chain.
 * hb_chain_advance itself looks for contacts of more members. */
static void notice_touch(const struct hb_groups *groups, const struct hb_chain *before, double dt,
                         struct hb_chain *chain)
{
  const uint32_t *member = chain->member;
  if (!groups->radius || chain->n != 2) return;
  if (hb_contact_touches(chain->m[0] + chain->m[1], groups->radius[member[0]] + groups->radius[member[1]], dt,
                         before->X[0], before->V[0], chain->X[0], chain->V[0]))
    hb_contact_record(chain, 0, 1), chain->touched[0] = member[0], chain->touched[1] = member[1];
}

/* The largest (dt / time in which the field changes an orbit)^2. It is well
 * below 1 as a rule, since the steps of the center resolve the field, too. */
static const double most_of_field = 1e12;

/* Advances a chain by dt in axes at rest. */
static enum hb_status advance_at_rest(const struct hb_groups *groups, double dt,
                                      const struct hb_chain_tide *tide, struct hb_chain *chain,
                                      uint64_t *forces)
{
  enum hb_status status = HB_OK;
  if (tide->turn != 0) hb_turning_transform(chain, -tide->turn);
  const struct hb_chain before = *chain;
  chain->touched[0] = chain->touched[1] = 0;
  memset(chain->met, 0, sizeof chain->met);
  if (tide->field && !(hb_field_tide(tide->field, tide->center.x) * dt * dt <= most_of_field))
    return hb_fail(HB_ERR_NUMERIC,
                   "the field's tide on particles %u and %u is too strong for "
                   "a step of %g",
                   chain->member[0], chain->member[1], dt);
  status = (hb_kepler_suits(chain, tide) ? hb_kepler_advance : hb_chain_advance)(chain, dt, tide, forces);
  if (status == HB_OK) notice_touch(groups, &before, dt, chain);
  if (tide->turn == 0) return status;
  hb_turning_rotate(chain->n - 1, -tide->turn * dt, chain->X);
  hb_turning_rotate(chain->n - 1, -tide->turn * dt, chain->V);
  hb_turning_transform(chain, tide->turn);
  return status;
}

/* Advances `chain`, a copy of that of g, by dt in the tides of the list, of far
 * nodes and of the field. */
static enum hb_status advance_chain(const struct hb_groups *groups, const struct hb_group *g, double dt,
                                    struct hb_chain *chain, uint64_t *forces)
{
  enum { FEW = 8 };
  HB_OWN struct hb_chain_points *many = NULL;
  struct hb_chain_points few[FEW], *points = few;
  double few_times[FEW * HB_LANES], *times = few_times;
  if (dt == 0) return HB_OK;
  size_t most = hb_div_ceil(most_points(groups, g), HB_LANES);
  if (most > FEW) {
    size_t for_times = hb_div_ceil(most * HB_LANES * sizeof *times, sizeof *many);
    HB_TRY(HB_ALLOC(most + for_times, &many));
    points = many, times = (double *)(many + most);
  }
  struct hb_chain_tide tide = {
      .points = points, .radius = groups->radius, .center = node_at(groups, g->node, g->tick)};
  tide.count = look_from(&tide.center, groups, g, dt, points, times);
  tide.rules = groups->rules->chain;
  if (hb_groups_has_tides(g)) tide.tensor = g->tides.of_all;
  tide.since = hb_groups_since(groups, g->tides.tick, g->tick);
  if (hb_groups_feels_field(groups, g, tide.center.x)) tide.field = groups->field;
  tide.is_all = hb_groups_is_all(groups, g);
  tide.light = groups->light;
  tide.turn = groups->field ? hb_field_turn(groups->field) / 2 : 0;
  return advance_at_rest(groups, dt, &tide, chain, forces);
}

/* Gives a group its advanced chain. */
static void store_chain(struct hb_groups *groups, struct hb_group *g, const struct hb_chain *chain,
                        uint64_t tick)
{
  groups->lost += chain->lost;
  g->chain = *chain;
  g->chain.lost = 0;
  g->tick = tick;
  hb_groups_measure_node(groups, g);
}

/* Advances one group. */
static enum hb_status advance_group(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  struct hb_chain chain = g->chain;
  HB_TRY(advance_chain(groups, g, hb_groups_since(groups, g->tick, tick), &chain, &groups->forces));
  store_chain(groups, g, &chain, tick);
  return HB_OK;
}

/* ---- the block ---- */

/* Groups that are advanced together, by several threads, and copies of their
 * chains. No group changes while others read it. */
struct work {
  const struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *needed;
  struct hb_chain *chain;
  _Atomic uint64_t forces;
  _Atomic size_t failed; /* 1 + an index in needed; 0: none failed */
};

static enum hb_status advance_one(struct work *w, size_t k)
{
  uint64_t forces = 0;
  const struct hb_group *g = w->groups->at + w->needed[k];
  w->chain[k] = g->chain;
  HB_TRY(advance_chain(w->groups, g, hb_groups_since(w->groups, g->tick, w->tick), w->chain + k, &forces));
  w->forces += forces;
  return HB_OK;
}

static void advance_piece(void *context, size_t k)
{
  struct work *w = context;
  if (advance_one(w, k) != HB_OK) w->failed = k + 1;
}

/* True if a node and a group belong into each other's lists. */
static int feels(const struct hb_groups *groups, const struct hb_group *g, uint32_t i)
{
  hb_groups_need(groups, g->node);
  hb_groups_need(groups, i);
  return hb_groups_feel(groups, g, i, hb_distance2(groups->nodes.xp, g->node, i));
}

/* Sets listed[] of the group's node and of all in its list. */
static void mark(struct hb_groups *groups, const struct hb_group *g, uint8_t as)
{
  groups->listed[g->node] = as;
  for (size_t k = 0; k < g->count; k++) groups->listed[g->list[k]] = as;
}

/* Puts nodes of the block into the lists of all groups where they belong. */
static enum hb_status enter_all(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t b = 0;
    while (b < ni && (block[b] == g->node || !feels(groups, g, block[b]))) b++;
    if (b == ni) continue;
    mark(groups, g, 1);
    for (; b < ni && status == HB_OK; b++)
      if (!groups->listed[block[b]] && feels(groups, g, block[b]))
        status = hb_groups_list(groups, g, block[b]);
    mark(groups, g, 0);
    HB_TRY(status);
  }
  return HB_OK;
}

/* Puts a node of the block into the list of a group nearby, if it belongs
 * there. */
static enum hb_status enter_near(struct hb_groups *groups, uint64_t tick, uint32_t node, struct hb_group *g)
{
  struct hb_group *own = hb_groups_of(groups, node);
  if (!feels(groups, g, node) || hb_groups_has(groups, g, node)) return HB_OK;
  HB_TRY(hb_groups_list(groups, g, node));
  hb_groups_leave_tides(groups, g, node, tick);
  if (own) hb_groups_leave_tides(groups, own, g->node, tick);
  return HB_OK;
}

/* Puts nodes of the block into lists. */
static enum hb_status enter(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  if (groups->rules == &hb_groups_by_size) return enter_all(groups, ni, block);
  if (!groups->has_hits) HB_TRY(hb_groups_find_hits(groups, ni, block));
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
    for (size_t k = 0; k < hits.count; k++)
      if (groups->orbit[hits.list[k]].tide > 0)
        HB_TRY(enter_near(groups, tick, block[b], hb_groups_of(groups, hits.list[k])));
    if (groups->seen && hits.count > 0) groups->hint[b] |= groups->first[block[b]] != 0;
  }
  return HB_OK;
}

/* True if the block has to advance a group: the group is active, or an active
 * node in its list disturbs it strongly. */
static int is_needed(const struct hb_groups *groups, const struct hb_group *g)
{
  if (hb_groups_active(groups, g->node) || g->settled < g->count || !(g->waking < INFINITY)) return 1;
  if (groups->field && hb_field_turn(groups->field) != 0)
    return 1; /* correct.c follows no orbit in coordinates that turn */
  for (size_t k = 0; k < g->count; k++) {
    if (!hb_groups_active(groups, g->list[k])) continue;
    hb_groups_need(groups, g->node);
    double d2 = hb_distance2(groups->nodes.xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m * g->waking > d2 * d2 * d2) return 1;
  }
  return 0;
}

enum { ALONE = 8 }; /* up to this many groups are advanced by the calling thread */

/* Advances these groups to a tick. */
static enum hb_status advance(struct hb_groups *groups, uint64_t tick, size_t count, const uint32_t *needed)
{
  HB_OWN struct hb_chain *chain = NULL;
  if (count == 0) return HB_OK;
  HB_TRY(HB_ALLOC(count, &chain));
  struct work w = {.groups = groups, .tick = tick, .needed = needed, .chain = chain};
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, count, advance_piece, &w);
  groups->forces += w.forces;
  if (w.failed)
    return advance_one(&w, w.failed - 1); /* once more, to have its error message in this thread */
  for (size_t k = 0; k < count; k++) {
    struct hb_group *g = groups->at + needed[k];
    store_chain(groups, g, chain + k, tick);
    g->settled = g->count;
  }
  return HB_OK;
}

enum hb_status hb_groups_meet(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  HB_OWN uint32_t *needed = NULL;
  size_t count = 0;
  if (!groups->has_hits) groups->hits = 0;
  if (groups->count > 0) HB_TRY(enter(groups, tick, ni, block));
  groups->has_hits = 0;
  hb_groups_activate(groups, tick, ni, block);
  if (groups->touches == 0) return HB_OK;
  HB_TRY(HB_ALLOC(groups->touches, &needed));
  for (size_t k = 0; k < groups->touches; k++)
    if (is_needed(groups, groups->at + groups->touched[k])) needed[count++] = groups->touched[k];
  return advance(groups, tick, count, needed);
}

/* ---- lists ---- */

enum hb_status hb_groups_wake_listers(struct hb_groups *groups, uint64_t tick, uint32_t node)
{
  size_t count = 0;
  groups->touches = 0;
  hb_groups_touch_listers(groups, node);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++)
    if (groups->at[groups->touched[k]].tick < tick) groups->touched[count++] = groups->touched[k];
  return advance(groups, tick, count, groups->touched);
}

enum hb_status hb_groups_look_around(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  enum hb_status status = HB_OK;
  for (size_t k = g->count; k-- > 0;)
    if (!feels(groups, g, g->list[k])) hb_groups_unlist(groups, g, g->list[k]);
  mark(groups, g, 1);
  uint32_t own = hb_groups_active(groups, g->node);
  int is_near = groups->rules == &hb_groups_by_size || !own; /* any node nearby may enter */
  struct hb_groups_around around =
      is_near ? hb_groups_near(groups, g->node) : hb_groups_hits_of(groups, own - 1);
  /* passages and chains keep no tides of others: they list whoever they feel,
   * neighbor or not, wherever all are at hand */
  if (g->weak == 0 && groups->nodes.is_full) around = (struct hb_groups_around){.count = groups->n};
  for (size_t k = 0; k < around.count && status == HB_OK; k++) {
    uint32_t i = hb_groups_around_at(&around, k);
    if (i == g->node || groups->of[i] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, i);
    if (!feels(groups, g, i)) continue;
    struct hb_group *other = hb_groups_of(groups, i);
    if (groups->listed[i] && groups->rules != &hb_groups_by_size) continue;
    if (other) status = advance_group(groups, other, tick);
    if (status == HB_OK && !groups->listed[i]) status = hb_groups_list(groups, g, i);
    if (other) other->settled = other->count;
  }
  mark(groups, g, 0);
  g->settled = g->count;
  return status;
}

/* ---- members ---- */

/* Returns by how much the potential energy within a group differs between the
 * positions r relative to its center, and x, which has lost digits. */
static double energy_rounded(const struct hb_chain *chain, const double *r, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < chain->n; k++)
    for (size_t l = 0; l < k; l++) {
      double r2 = hb_distance2(r, (uint32_t)k, (uint32_t)l);
      double x2 = hb_distance2(x, chain->member[k], chain->member[l]);
      if (x2 > 0) sum += chain->m[k] * chain->m[l] * (1 / sqrt(x2) - 1 / sqrt(r2));
    }
  return sum;
}

/* Does for one group what hb_groups_resolve does for all. */
static enum hb_status resolve_one(const struct hb_groups *groups, const struct hb_group *g, double dt,
                                  double *x, double *v, double *e_rounded)
{
  struct hb_chain chain = g->chain;
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], center[2][3];
  HB_TRY(advance_chain(groups, g, dt, &chain, NULL));
  hb_chain_places(&chain, r, w);
  memcpy(center[0], x + 3 * (size_t)g->node, sizeof *center);
  memcpy(center[1], v + 3 * (size_t)g->node, sizeof *center);
  for (size_t k = 0; k < chain.n; k++)
    for (size_t c = 0; c < 3; c++) {
      x[3 * (size_t)chain.member[k] + c] = center[0][c] + r[3 * k + c];
      v[3 * (size_t)chain.member[k] + c] = center[1][c] + w[3 * k + c];
    }
  *e_rounded += energy_rounded(&chain, r, x);
  return HB_OK;
}

enum hb_status hb_groups_resolve(const struct hb_groups *groups, uint64_t tick, double dt, double *x,
                                 double *v, double *e_rounded)
{
  *e_rounded = 0;
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_group *g = groups->at + k;
    HB_TRY(resolve_one(groups, g, hb_groups_since(groups, g->tick, tick) + dt, x, v, e_rounded));
  }
  return HB_OK;
}

/* Corrections: sources of forces take groups for points. This file replaces the
 * accelerations of points by those of the members, for the nodes in the lists
 * of groups and for groups in a field. */
/* The points that a node is made of: itself, or its members. */
struct points {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST]; /* relative to the node */
};

static void take_members(const struct hb_chain *c, struct points *p)
{
  p->n = c->n;
  memcpy(p->m, c->m, c->n * sizeof *c->m);
  hb_chain_places(c, p->x, p->v);
}

static void take_node(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  p->n = 1;
  p->m[0] = groups->m[node];
  for (size_t c = 0; c < 3; c++) p->x[c] = p->v[c] = 0;
}

/* Sets p to the members of a node at the time of the block. A pair that the
 * block has not advanced is moved along its orbit. */
static void resolve(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  const struct hb_chain_tide none = {.rules = groups->rules->chain};
  if (!g) {
    take_node(groups, node, p);
    return;
  }
  double dt = hb_groups_since(groups, g->tick, groups->tick);
  if (!(dt > 0) || !hb_kepler_suits(&g->chain, NULL)) {
    take_members(&g->chain, p);
    return;
  }
  struct hb_chain chain = g->chain;
  hb_kepler_advance(&chain, dt, &none, NULL);
  take_members(&chain, p);
}

/* Up to this strength s of the field's tide a pair is replaced by the mean of
 * its orbit, so that the steps of its center need not resolve its revolutions.
 * The energy that this neglects is a part s^3/2 / 64 of the pair's, and does
 * not add up. */
static const double most_mean = 1e-4;

/* True if the field acts on a pair by the mean of its orbit. */
static int is_mean(const struct hb_groups *groups, const struct hb_chain *c, const double x[3])
{
  if (c->n != 2 || !(c->B > 0)) return 0;
  double span = hb_chain_span(c);
  return 2 * hb_groups_field_tide(groups, x) * span * span * span < most_mean * hb_chain_mass(c);
}

/* Returns the chain with velocities in axes at rest, in which the path of a
 * pair is an ellipse. */
static struct hb_chain at_rest(const struct hb_groups *groups, const struct hb_chain *c)
{
  struct hb_chain turned = *c;
  if (groups->field) hb_turning_transform(&turned, -hb_field_turn(groups->field) / 2);
  return turned;
}

/* Sets p to both members of a pair at several positions of their orbit, each
 * with a part of the mass. */
static void resolve_orbit(const struct hb_chain *c, struct points *p)
{
  enum { PLACES = HB_CHAIN_MOST / 2 }; /* exact for products of two components */
  double X[PLACES][3], part[PLACES], M = hb_chain_mass(c);
  hb_kepler_orbit_places(c, PLACES, X, part);
  *p = (struct points){.n = HB_CHAIN_MOST}; /* at rest */
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds a correction to acceleration and jerk of a node; Coriolis' force changes
 * the jerk with it. */
static void add_more(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* True if a node at this distance feels the quadrupole of the group in place of
 * its members. */
static int is_orbit(const struct hb_groups *groups, const struct hb_group *g, uint32_t node, double d2)
{
  double m = groups->m[node];
  return g->weak > 0 && m * m * g->strong <= d2 * d2 * d2;
}

/* Adds to a group, node i, the acceleration by another group, node k, of all
 * members by all members, less that of points. Where only the mean of an orbit
 * counts, it is a quadrupole. */
static void correct_pair(const struct hb_groups *groups, uint32_t i, uint32_t k, struct points *members,
                         double *a, double *j)
{
  struct points one, source;
  const struct hb_group *own = hb_groups_of(groups, i), *other = hb_groups_of(groups, k);
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i];
  hb_between(groups->nodes.xp, i, k, r);
  hb_between(groups->nodes.vp, i, k, v);
  double d2 = hb_dot(r, r), to_i[3] = {-r[0], -r[1], -r[2]}, by[3] = {-v[0], -v[1], -v[2]};
  int is_own_mean = is_orbit(groups, own, k, d2), is_other_mean = is_orbit(groups, other, i, d2);
  if (is_own_mean)
    take_node(groups, i, &one);
  else if (members->n == 0)
    resolve(groups, i, members);
  const struct points *sink = is_own_mean ? &one : members;
  if (is_other_mean)
    take_node(groups, k, &source);
  else
    resolve(groups, k, &source);
  for (size_t p = 0; p < sink->n && sink->n + source.n > 2; p++)
    for (size_t q = 0; q < source.n; q++) {
      double rpq[3], vpq[3], share = sink->n > 1 ? sink->m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source.x[3 * q + c] - sink->x[3 * p + c]);
        vpq[c] = v[c] + (source.v[3 * q + c] - sink->v[3 * p + c]);
      }
      hb_chain_add_pull(share * source.m[q], hb_dot(rpq, rpq), rpq, vpq, sum_a, sum_j);
    }
  if (sink->n + source.n > 2) hb_chain_add_pull(-groups->m[k], d2, r, v, sum_a, sum_j);
  if (is_other_mean) hb_quadrupole_add_pull(other->Q, 1, to_i, by, sum_a, sum_j);
  if (is_own_mean) hb_quadrupole_add_pull(own->Q, groups->m[k] / M, to_i, by, sum_a, sum_j);
  add_more(groups, sum_a, sum_j, a, j);
}

/* Adds to a group and a star in its list what either does to the other more
 * than points would. The group is given by its members; without any, it is its
 * quadrupole. b and own are 1 + the index in the block of the star and of the
 * group; 0: it is not active. */
static void correct_star(const struct hb_groups *groups, uint32_t center, const struct points *group,
                         uint32_t own, uint32_t star, uint32_t b, double *a, double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  hb_between(groups->nodes.xp, star, center, r);
  hb_between(groups->nodes.vp, star, center, v);
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    hb_chain_add_pull(group->m[p], hb_dot(rp, rp), rp, vp, sum_a, sum_j);
  }
  if (group->n > 0)
    hb_chain_add_pull(-M, hb_dot(r, r), r, v, sum_a, sum_j);
  else
    for (size_t c = 0; c < 3; c++) r[c] = -r[c], v[c] = -v[c];
  if (group->n == 0) hb_quadrupole_add_pull(hb_groups_of(groups, center)->Q, 1, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (b) add_more(groups, sum_a, sum_j, a + 3 * (size_t)(b - 1), j + 3 * (size_t)(b - 1));
  if (own) add_more(groups, back_a, back_j, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
  if (b) groups->near[star] = 1;
}

/* Corrects a group, and the stars in its list. */
static void correct_list(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points members, orbit;
  uint32_t own = hb_groups_active(groups, g->node);
  members.n = orbit.n = 0;
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = hb_groups_active(groups, node);
    int is_star =
        !hb_groups_of(groups, node); /* another group corrects itself, since lists are symmetrical */
    if (!own && !(b && is_star)) continue;
    hb_groups_need(groups, g->node);
    hb_groups_need(groups, node);
    int feels_mean = hb_groups_is_mean(groups, g, node, hb_distance2(groups->nodes.xp, g->node, node));
    if (feels_mean && orbit.n == 0 && !(g->weak > 0)) {
      const struct hb_chain turned = at_rest(groups, &g->chain);
      resolve_orbit(&turned, &orbit);
    }
    if (!feels_mean && members.n == 0) resolve(groups, g->node, &members);
    if (is_star)
      correct_star(groups, g->node, feels_mean ? &orbit : &members, own, node, b, a, j);
    else
      correct_pair(groups, g->node, node, &members, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    if (own) groups->near[g->node] = 1;
  }
}

/* Adds to a group the mean of the field at its members, less the field at its
 * center. */
static void correct_field(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points sink;
  const struct hb_chain turned = at_rest(groups, &g->chain);
  uint32_t center = g->node;
  const double *x = groups->nodes.xp + 3 * (size_t)center, *v = groups->nodes.vp + 3 * (size_t)center;
  double from_a[3] = {0}, from_j[3] = {0}, sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center];
  if (is_mean(groups, &turned, x))
    resolve_orbit(&turned, &sink);
  else
    resolve(groups, center, &sink);
  hb_field_pull(groups->field, x, v, from_a, from_j);
  for (size_t p = 0; p < sink.n; p++) {
    double at[3], by[3], of_a[3] = {0}, of_j[3] = {0};
    for (size_t c = 0; c < 3; c++) at[c] = x[c] + sink.x[3 * p + c], by[c] = v[c] + sink.v[3 * p + c];
    hb_field_pull(groups->field, at, by, of_a, of_j);
    for (size_t c = 0; c < 3; c++) {
      sum_a[c] += sink.m[p] / M * (of_a[c] - from_a[c]);
      sum_j[c] += sink.m[p] / M * (of_j[c] - from_j[c]);
    }
  }
  add_more(groups, sum_a, sum_j, a, j);
  groups->near[center] = 1;
}

void hb_groups_correct(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a, double *j)
{
  for (size_t k = 0; k < groups->touches; k++) {
    size_t g = groups->touched[k];
    uint32_t center = groups->at[g].node, own = hb_groups_active(groups, center);
    if (own && hb_groups_feels_field(groups, groups->at + g, groups->nodes.xp + 3 * (size_t)center))
      correct_field(groups, groups->at + g, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    correct_list(groups, groups->at + g, a, j);
  }
  hb_groups_add_quadrupoles(groups, ni, block, a, j);
}
