#include "groups/groups.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "groups/chain_pulls.h"

#include <math.h>

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
    if (hb_chain_dot(d, d) > r * r) continue;
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
  return HB_OK;
}

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("groups.m", HB_SECTION_DOUBLES, struct hb_groups, m, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_groups, of, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, near, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, active, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, fresh, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, listed, 1, HB_COLUMN_SCRATCH),
};
const struct hb_columns hb_groups_columns = HB_COLUMNS(rows, HB_SECTIONS_MOST);

enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups)
{
  struct hb_groups *g;
  size_t n = particles->n;
  *groups = NULL;
  HB_TRY(HB_ALLOC(1, &g));
  g->n = n;
  enum hb_status status = hb_columns_reserve(&hb_groups_columns, n, g);
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
  hb_mem_free(groups->sources);
  hb_mem_free(groups->heavy);
  hb_columns_free(&hb_groups_columns, groups);
  hb_mem_free(groups);
}

/* ---- sizes ---- */

/* Of two stars' masses the arithmetic mean says how far they deflect each other, and the geometric one at what distance their
 * energy is that of two mean stars that are close. Beyond a limit a passage is no longer compact. */
static const double most_passing = 4, least_bound = 2;

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
  return groups->r_close * fmax(geometric(groups, m1, m2), least_bound);
}

/* Either of a heavy bound pair feels at least m_mean^2 / (m r_close^2); the others may weaken that, and light ones feel less
 * until they are nearer. */
double hb_groups_least_pull(const struct hb_groups *groups, double m)
{
  return groups->m_mean / (8 * fmax(1, m / groups->m_mean) * groups->r_close * groups->r_close);
}

static double length(const struct hb_chain *c)
{
  double sum = 0;
  for (size_t k = 0; k + 1 < c->n; k++) sum += sqrt(hb_chain_dot(c->X[k], c->X[k]));
  return sum;
}

/* Tides below this part of what holds the group together are left out: 2 m R^3 / (M d^3). Over the orbits of a hard pair
 * they nearly cancel; in a single passage they do not. */
static const double least_tide = 1e-6, least_in_a_passage = 2e-8;

/* They cancel as far as the others stay where they are. What all of a system together do to a pair is the more the wider it is, in
 * half-mass radii, and matters as much as its share of the system's energy, about n m_mean^2 / r_close: of the pairs with most of
 * both fewer are left out, until all that are around are in. */
static double least_of_hard(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double share = 2e-8, of_the_hardest = 0.01;
  const struct hb_chain *c = &g->chain;
  if (c->w > 0) return least_tide; /* no energy of the system's */
  double n = groups->stars, m = groups->m_mean, r = g->R / (n / 2 * groups->r_close);
  double tide = r * r * r * n * m / hb_chain_mass(c), part = c->B * groups->r_close / (n * m * m);
  return least_tide * fmax(fmin(share / (tide * part), 1), of_the_hardest);
}

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
  double least = is_hard ? least_of_hard(groups, g) : least_in_a_passage;
  g->tide = tide / least * (tide / least);
  g->strong = is_hard ? tide / least_tide * (tide / least_tide) : INFINITY;
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
  return of_a_passage * close / sqrt(hb_chain_dot(c->V[0], c->V[0]));
}

double hb_groups_time_of_links(const struct hb_chain *c, double least)
{
  double rate = 0;
  for (size_t k = 0; k + 1 < c->n; k++)
    if (hb_chain_dot(c->X[k], c->X[k]) > least * least)
      rate = fmax(rate, hb_chain_rate(2, c->m + k, c->X + k, c->V + k));
  return 1 / rate;
}

double hb_groups_step(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g)
{
  double step = step_alone(groups, g);
  for (size_t k = 0; k < g->count; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    double least = HB_GROUPS_RESOLVED * sqrt(hb_groups_distance2(nodes->xp, g->node, other->node));
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

static enum hb_status append(struct hb_group *g, uint32_t node)
{
  HB_TRY(HB_GROW(g->count, &g->capacity, &g->list));
  g->list[g->count++] = node;
  return HB_OK;
}

enum hb_status hb_groups_list(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  HB_TRY(append(g, node));
  return other && place_in(other, g->node) == other->count ? append(other, g->node) : HB_OK;
}

/* The order of the others stays. */
static void take_out(struct hb_group *g, uint32_t node)
{
  size_t k = place_in(g, node);
  if (k == g->count) return;
  if (k < g->settled) g->settled--;
  for (g->count--; k < g->count; k++) g->list[k] = g->list[k + 1];
}

void hb_groups_unlist(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  take_out(g, node);
  if (other) take_out(other, g->node);
}
