/* Groups in the block scheme: what they cost, what they keep, and that others feel their members. */
#include "support/groups_case.h"
#include "support/step_case.h"
#include "support/support.h"

#include "base/parallel.h"
#include "core/diagnostics.h"
#include "force/force.h"
#include "groups/groups_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A Plummer sphere of n stars, the first of which are binaries of semi-major axis a, eccentricity 1/2, in some directions. */
static struct hb_particles *cluster(size_t n, size_t binaries, double a)
{
  struct hb_particles *from, *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 3}, &from));
  ASSERT_OK(hb_particles_create(n + binaries, &p));
  for (size_t i = 0, k = 0; i < n; i++) {
    double m = from->m[i], r[3] = {sin(i), cos(i), 0}, v[3] = {cos(i) / 2, -sin(i) / 2, sqrt(0.75)};
    double apart = 1.5 * a, speed = sqrt(2 * m / a / 3);
    for (int part = i < binaries ? -1 : 0; part <= (i < binaries); part += 2, k++) {
      p->m[k] = m;
      for (size_t c = 0; c < 3; c++) {
        p->x[3 * k + c] = from->x[3 * i + c] + part * apart / 2 * r[c];
        p->v[3 * k + c] = from->v[3 * i + c] + part * speed / 2 * v[c];
      }
    }
  }
  hb_particles_destroy(from);
  return p;
}

static double energy(const struct hb_particles *p)
{
  double e_kin = 0;
  for (size_t k = 0; k < 3 * p->n; k++) e_kin += p->m[k / 3] * p->v[k] * p->v[k] / 2;
  return e_kin + step_potential_energy(p, 0);
}

static struct hb_hermite4 *start_with(const struct hb_particles *p, struct hb_sim_params params)
{
  struct hb_force *force;
  struct hb_hermite4 *h;
  params.eta = 0.01, params.dt_max = 0.125, params.dt_min = 0x1p-40;
  ASSERT_OK(hb_force_open(&(struct hb_force_params){.scheme = "host"}, &force));
  ASSERT_OK(step_hermite4(p, &params, force, &h));
  return h;
}

static struct hb_hermite4 *start(const struct hb_particles *p, enum hb_encounters encounters)
{
  return start_with(p, (struct hb_sim_params){.encounters = encounters});
}

/* Runs in which few bodies were no group if their members could not escape or touch. */
static const struct hb_sim_params listing = {.encounters = HB_ENCOUNTERS_GROUPS,
                                             .escapers = HB_ESCAPERS_LIST},
                                  merging = {.encounters = HB_ENCOUNTERS_GROUPS,
                                             .collisions = HB_COLLISIONS_MERGE},
                                  usual = {.encounters = HB_ENCOUNTERS_GROUPS};

static void finish(struct hb_hermite4 *h)
{
  struct hb_force *force = h->force;
  step_hermite4_destroy(h);
  hb_force_close(force);
}

static void go_to(struct hb_hermite4 *h, double t)
{
  while (step_hermite4_next_time(h) <= t) ASSERT_OK(step_hermite4_step(h));
}

static struct hb_particles *state_of(const struct hb_hermite4 *h)
{
  struct hb_particles *p;
  ASSERT_OK(step_hermite4_state(h, step_hermite4_time(h), &p));
  return p;
}

/* ---- energy and steps ---------------------------------------------------------------------------------- */

/* Ten binaries of a = 0.001 among 256 stars. Negative control: short steps alone take more than 15 times as many. */
static void binaries_of_a_cluster(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(256, 10, 0.001), *end;
  struct hb_hermite4 *h = start(p, HB_ENCOUNTERS_GROUPS), *other = start(p, HB_ENCOUNTERS_NONE);
  expect_at_least(h->groups->count, 10); /* and wide pairs that are alone */
  go_to(h, 0.25);
  end = state_of(h);
  expect_at_most(fabs(energy(end) / energy(p) - 1), 1e-6);
  while (other->counts.block_steps < 15 * h->counts.block_steps) ASSERT_OK(step_hermite4_step(other));
  expect_below(step_hermite4_time(other), 0.25);
  hb_particles_destroy(p);
  hb_particles_destroy(end);
  finish(h);
  finish(other);
}

/* Resolved, a system has the energy that it had, whatever joins and breaks. */
static const double rounding = 1e-13;

static void forming_changes_nothing(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(48, 4, 0.002), *now;
  struct hb_hermite4 *h = start(p, HB_ENCOUNTERS_GROUPS);
  now = state_of(h);
  expect_at_least(h->groups->formed, 4);
  expect_at_most(fabs(energy(now) / energy(p) - 1), rounding);
  expect_above(h->groups->at[0].chain.B, 1e-3 * fabs(energy(p))); /* what points would lack */
  hb_particles_destroy(now);
  hb_particles_destroy(p);
  finish(h);
}

/* Nodes at x, v as their members; the energy of these. */
static double resolved_energy(struct hb_groups *groups, const struct hb_particles *p)
{
  struct hb_particles *members;
  ASSERT_OK(hb_particles_copy(p, &members));
  memcpy(members->x, groups->nodes.xp, 3 * p->n * sizeof *members->x);
  memcpy(members->v, groups->nodes.vp, 3 * p->n * sizeof *members->v);
  double e_rounded;
  ASSERT_OK(hb_groups_resolve(groups, 0, 0, members->x, members->v, &e_rounded));
  double E = energy(members);
  hb_particles_destroy(members);
  return E;
}

/* A pair joins another, then a star; then the group breaks, link by link, until all are alone. */
static void breaking_changes_nothing(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(5, 2, 0.01);
  struct hb_groups *groups;
  struct hb_groups_node made[2];
  double x[21], v[21], E = energy(p);
  ASSERT_OK(hb_groups_create(p, 0, &groups));
  memcpy(x, p->x, sizeof x);
  memcpy(v, p->v, sizeof v);
  groups_case_nodes(x, v, groups);
  const uint32_t pairs[][2] = {{0, 1}, {2, 3}, {2, 0}, {5, 0}};
  for (size_t k = 0; k < COUNT_OF(pairs); k++) {
    ASSERT_OK(hb_groups_join(groups, 0, pairs[k][0], pairs[k][1], made));
    groups_case_put(made, x, v);
    expect_at_most(fabs(resolved_energy(groups, p) / E - 1), rounding);
  }
  assert_int_equal(groups->count, 1);
  assert_int_equal(groups->at[0].chain.n, 5);
  while (groups->count > 0) {
    ASSERT_OK(hb_groups_split(groups, 0, groups->at[0].node, 0, made));
    groups_case_put(made, x, v);
    groups_case_put(made + 1, x, v);
    expect_at_most(fabs(resolved_energy(groups, p) / E - 1), rounding);
  }
  for (size_t k = 0; k < 7; k++) {
    assert_true(groups->of[k] == HB_GROUPS_STAR);
    expect_equal(groups->m[k], p->m[k]);
  }
  hb_groups_destroy(groups);
  hb_particles_destroy(p);
}

/* Two pairs of a = 1/16 on circles around each other at a distance of 1, so near that their members matter: as points, the tides of
 * each on the other would lose 1e-6 of the energy meanwhile. Without the distant bodies, which have no mass, all would be one group. */
static void pairs_near_each_other(void **state)
{
  (void)state;
  static const double a = 1. / 16;
  struct hb_particles *p, *end;
  ASSERT_OK(hb_particles_create(4 + 1024, &p));
  for (size_t k = 4; k < p->n; k++) p->x[3 * k] = 1e3 + (double)k;
  for (size_t k = 0; k < 4; k++) {
    double pair = k < 2 ? -0.5 : 0.5, side = k % 2 ? -0.5 : 0.5, inner = sqrt(0.5 / a),
           tilt = k < 2 ? 0.6 : 0;
    p->m[k] = 0.25;
    p->x[3 * k] = pair + side * a;
    p->v[3 * k + 1] = pair + side * inner * sqrt(1 - tilt * tilt);
    p->v[3 * k + 2] = side * inner * tilt;
  }
  struct hb_hermite4 *h = start_with(p, usual);
  hb_groups_use(h->groups, &hb_groups_by_size); /* as with few bodies */
  go_to(h, 6);
  expect_equal(h->groups->count, 2);
  expect_equal(h->groups->formed, 2);
  expect_equal(h->groups->dissolved, 0);
  end = state_of(h);
  expect_at_most(fabs(energy(end) / energy(p) - 1), 1e-8);
  hb_particles_destroy(p);
  hb_particles_destroy(end);
  finish(h);
}

/* N stars of equal mass at rest on a parabola, the last one `far` times as far away. */
static struct hb_particles *at_rest(size_t n, double far)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(n, &p));
  for (size_t i = 0; i < n; i++) {
    double x = (double)i / (double)n * (i + 1 < n ? 1 : far);
    p->m[i] = 1 / (double)n, p->x[3 * i] = x, p->x[3 * i + 1] = x * x / 4;
  }
  return p;
}

/* Of few bodies, how many are in groups at the beginning. */
static size_t gathered(struct hb_particles *p, struct hb_sim_params params)
{
  if (params.collisions) ASSERT_OK(hb_particles_set_radii(p, "1e-6"));
  struct hb_hermite4 *h = start_with(p, params);
  size_t members = 0;
  for (size_t k = 0; k < h->groups->count; k++) members += h->groups->at[k].chain.n;
  finish(h);
  hb_particles_destroy(p);
  return members;
}

static void few_bodies_are_one_group(void **state)
{
  (void)state;
  assert_int_equal(gathered(at_rest(2, 1000), usual), 2);
  assert_int_equal(gathered(at_rest(3, 1), usual), 3);
  assert_int_equal(gathered(at_rest(8, 1), usual), 8);
  assert_int_equal(gathered(at_rest(9, 1), usual), 9);
  assert_int_equal(gathered(at_rest(HB_CHAIN_MOST, 1), usual), HB_CHAIN_MOST);
  assert_int_equal(gathered(at_rest(HB_CHAIN_MOST + 1, 1), usual), 0);
  assert_int_equal(gathered(at_rest(8, 1), listing), 8);
  assert_int_equal(gathered(at_rest(8, 1), merging), 8);
  assert_int_equal(gathered(at_rest(3, 1000), usual), 3); /* also if the third is far outside */
  assert_int_equal(gathered(at_rest(20, 1000), usual), 20);
  struct hb_particles *p = at_rest(3, 1);
  p->m[2] = 0;
  assert_int_equal(gathered(p, usual), 3);
  p = at_rest(30, 1);
  for (size_t i = 10; i < 30; i++) p->m[i] = 0;
  assert_int_equal(gathered(p, usual), 30);
  p = at_rest(200, 1);
  for (size_t i = 0; i < 200; i++) p->m[i] *= i % 20 == 7;
  assert_int_equal(gathered(p, usual), 10); /* no room for those without mass */
  p = at_rest(3, 1);
  p->m[1] = p->m[2] = 0;
  assert_int_equal(gathered(p, usual), 3);
  p = at_rest(3, 1);
  memset(p->m, 0, 3 * sizeof *p->m); /* nobody pulls */
  assert_int_equal(gathered(p, usual), 0);
}

/* What is close to a star with planets follows from the planets' distances, whatever their masses are. Negative control: of equal masses it
 * is the half-mass radius about the center. */
static void planets_say_what_is_close(void **state)
{
  (void)state;
  for (double m = 1e-3; m > 1e-10; m /= 10) {
    enum { PLANETS = 21 };
    struct hb_particles *p;
    struct hb_groups groups = {0};
    ASSERT_OK(hb_particles_create(PLANETS + 1, &p));
    p->m[0] = 1, p->x[0] = 3;
    for (size_t k = 1; k <= PLANETS; k++) {
      p->m[k] = m, p->x[3 * k] = 3 + cos((double)k), p->x[3 * k + 1] = sin((double)k);
      for (size_t c = 0; c < 2; c++)
        p->x[3 * k + c] = p->x[3 * k + c] * (double)k / 10 - (c ? 0 : 3 * ((double)k / 10 - 1));
    }
    ASSERT_OK(hb_groups_find_close(p, &groups));
    double r_half = groups.r_close * groups.stars / 2;
    expect_at_most(fabs(r_half - 1.1), 0.101); /* the planets are 0.1, 0.2, ... 2.1 from the star */
    p->m[0] = m;
    ASSERT_OK(hb_groups_find_close(p, &groups));
    expect_above(fabs(groups.r_close * groups.stars / 2 - r_half), 1e-3);
    hb_particles_destroy(p);
  }
}

/* n bodies on a ring around the first one, which has `center` times the mass of all others. Their speed is that of a circular orbit if the
 * ring is light. The last one has a moon at this distance, unless that is 0. */
static struct hb_particles *ring(size_t n, double center, double moon)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(n + (moon > 0), &p));
  p->m[0] = center;
  for (size_t i = 1; i < n; i++) {
    double angle = 2 * acos(-1.) * (double)i / (double)(n - 1), v = sqrt(center + 1);
    p->m[i] = 1 / (double)(n - 1);
    p->x[3 * i] = cos(angle), p->x[3 * i + 1] = sin(angle);
    p->v[3 * i] = -v * sin(angle), p->v[3 * i + 1] = v * cos(angle);
  }
  if (!(moon > 0)) return p;
  p->m[n] = p->m[n - 1] / 100;
  p->x[3 * n] = p->x[3 * n - 3] + moon, p->x[3 * n + 1] = p->x[3 * n - 2];
  p->v[3 * n] = p->v[3 * n - 3], p->v[3 * n + 1] = p->v[3 * n - 2] + sqrt(p->m[n - 1] / moon);
  return p;
}

/* More than 16 bodies in equilibrium are a cluster; planets are not, even if one has a moon that is near, as long as the star disturbs the
 * moon's orbit. */
static void planets_are_one_group(void **state)
{
  (void)state;
  assert_int_equal(gathered(ring(16, 0.1, 0), usual), 16);
  expect_below(gathered(ring(17, 0.1, 0), usual), 17);
  expect_below(gathered(ring(HB_CHAIN_MOST, 0.9, 0), usual), HB_CHAIN_MOST);
  assert_int_equal(gathered(ring(HB_CHAIN_MOST, 1.1, 0), usual), HB_CHAIN_MOST);
  assert_int_equal(gathered(ring(HB_CHAIN_MOST, 1e5, 0), usual), HB_CHAIN_MOST);
  assert_int_equal(gathered(ring(10, 1e5, 1. / 300), usual), 11); /* a tide of 0.07 */
  expect_below(gathered(ring(60, 2, 1e-5), usual), 61);           /* of 2e-13 */
}

/* ---- who feels whom ------------------------------------------------------------------------------------ */

/* The pull on a node is the mean of those on its members, by all members: computed from the resolved state. */
static void pull_on(const struct hb_hermite4 *h, const struct hb_particles *p, uint32_t node, double a[3])
{
  const struct hb_group *g = hb_groups_of(h->groups, node);
  size_t n = g ? g->chain.n : 1;
  double M = 0;
  memset(a, 0, 3 * sizeof *a);
  for (size_t k = 0; k < n; k++) {
    size_t i = g ? g->chain.member[k] : node;
    M += p->m[i];
    for (size_t j = 0; j < p->n; j++) {
      int is_own = j == i;
      for (size_t l = 0; g && l < n; l++)
        if (g->chain.member[l] == j) is_own = 1;
      if (is_own) continue;
      double r[3], r2 = 0;
      for (size_t c = 0; c < 3; c++) r[c] = p->x[3 * j + c] - p->x[3 * i + c], r2 += r[c] * r[c];
      for (size_t c = 0; c < 3; c++) a[c] += p->m[i] * p->m[j] * r[c] / (r2 * sqrt(r2));
    }
  }
  for (size_t c = 0; c < 3; c++) a[c] /= M;
}

/* Makes the groups of a start those of other rules, with lists and forces by these. */
static void start_by(const struct hb_groups_rules *rules, struct hb_hermite4 *h)
{
  size_t ni = 0;
  hb_groups_use(h->groups, rules);
  for (size_t k = 0; k < h->groups->count; k++) hb_groups_measure_node(h->groups, h->groups->at + k);
  for (uint32_t i = 0; i < h->n; i++)
    if (h->groups->of[i] != HB_GROUPS_PARKED) h->block[ni++] = i;
  ASSERT_OK(hb_hermite4_start_nodes(h, 0, ni));
}

/* Returns the largest relative error of the acceleration of a group, and in *most_of_points that without corrections. */
static double error_of_pulls(const struct hb_groups_rules *rules, double *most_of_points)
{
  struct hb_particles *p = cluster(64, 8, 0.004), *resolved;
  struct hb_hermite4 *h = start(p, HB_ENCOUNTERS_GROUPS);
  double most = 0;
  *most_of_points = 0;
  start_by(rules, h);
  resolved = state_of(h);
  for (uint32_t i = 0; i < h->n; i++) {
    double a[3], error = 0, size = 0;
    if (!hb_groups_of(h->groups, i)) continue; /* groups are fresh: their forces are those of nodes */
    pull_on(h, resolved, i, a);
    double points[3] = {0}, wrong = 0;
    for (uint32_t j = 0; j < h->n; j++) {
      double r[3], r2 = 0;
      if (j == i || h->groups->of[j] == HB_GROUPS_PARKED) continue;
      for (size_t c = 0; c < 3; c++)
        r[c] = h->particles->x[3 * j + c] - h->particles->x[3 * i + c], r2 += r[c] * r[c];
      for (size_t c = 0; c < 3; c++) points[c] += h->groups->m[j] * r[c] / (r2 * sqrt(r2));
    }
    for (size_t c = 0; c < 3; c++) {
      size += a[c] * a[c];
      error += (h->a[3 * i + c] - a[c]) * (h->a[3 * i + c] - a[c]);
      wrong += (points[c] - a[c]) * (points[c] - a[c]);
    }
    most = fmax(most, sqrt(error / size));
    *most_of_points = fmax(*most_of_points, sqrt(wrong / size));
  }
  hb_particles_destroy(resolved);
  hb_particles_destroy(p);
  finish(h);
  return most;
}

/* At the start all nodes have new forces. By size they are those of members; by perturbation many are those of mean orbits, which
 * differ by a part of the pair's size over the distance, squared. Negative control: without the corrections those near a binary are
 * wrong. */
static void nodes_feel_members(void **state)
{
  (void)state;
  static const double bar = 1e-5, bar_of_means = 1e-3;
  double points;
  expect_at_most(error_of_pulls(&hb_groups_by_size, &points), bar);
  expect_above(points, bar);
  expect_at_most(error_of_pulls(&hb_groups_by_perturbation, &points), bar_of_means);
  expect_above(points, bar_of_means);
}

/* Of two groups, each has the other in its list, or neither; no list has a parked slot. */
static void lists_are_symmetrical(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(48, 12, 0.01);
  struct hb_hermite4 *h = start(p, HB_ENCOUNTERS_GROUPS);
  size_t listed = 0;
  for (int step = 0; step < 500; step++) {
    ASSERT_OK(step_hermite4_step(h));
    for (size_t k = 0; k < h->groups->count; k++) {
      const struct hb_group *g = h->groups->at + k;
      expect_equal(h->groups->of[g->node], k);
      expect_equal(g->settled, g->count);
      for (size_t l = 0; l < g->count; l++) {
        expect_other(g->list[l], g->node);
        expect_other(h->groups->of[g->list[l]], HB_GROUPS_PARKED);
        const struct hb_group *other = hb_groups_of(h->groups, g->list[l]);
        if (!other) continue;
        size_t at = 0;
        while (at < other->count && other->list[at] != g->node) at++;
        expect_below(at, other->count);
        listed++;
      }
    }
  }
  expect_above(listed, 0);
  hb_particles_destroy(p);
  finish(h);
}

/* ---- bits ---------------------------------------------------------------------------------------------- */

static uint64_t bits_at(double t, int threads, int looks)
{
  struct hb_particles *p = cluster(128, 8, 0.002), *end;
  hb_parallel_set_threads(threads);
  struct hb_hermite4 *h = start(p, HB_ENCOUNTERS_GROUPS);
  for (int k = 1; k <= looks; k++) {
    go_to(h, t * k / looks);
    ASSERT_OK(step_hermite4_state(h, (step_hermite4_time(h) + step_hermite4_next_time(h)) / 2, &end));
    hb_particles_destroy(end);
  }
  go_to(h, t);
  end = state_of(h);
  uint64_t hash = support_fnv(SUPPORT_FNV, end->x, 3 * end->n * sizeof *end->x);
  hb_particles_destroy(end);
  hb_particles_destroy(p);
  finish(h);
  hb_parallel_set_threads(0);
  return hash;
}

static void the_same_bits_always(void **state)
{
  (void)state;
  uint64_t expected = bits_at(0.125, 1, 1);
  for (int threads = 1; threads <= 4; threads *= 2) expect_equal(bits_at(0.125, threads, 37), expected);
}

/* ---- where there are none ------------------------------------------------------------------------------ */

static void refused(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(8, 0, 1);
  const struct {
    struct hb_sim_params params;
    const char *sentence;
  } rows[] = {
      {{.force = {.scheme = "host", .eps = 0.01}}, "encounters groups needs eps 0"},
      {{.force = {.scheme = "host"}, .steps = HB_STEPS_SHARED}, "encounters groups needs block steps"},
      {{.force = {.scheme = "host"}, .integrator = "leapfrog", .dt = 0.01},
       "encounters groups needs integrator hermite4"}};
  for (size_t k = 0; k < COUNT_OF(rows); k++) {
    struct hb_sim_params params = rows[k].params;
    struct hb_sim *sim;
    ASSERT_OK(hb_sim_create(p, &params, &sim)); /* auto means none there */
    hb_sim_destroy(sim);
    params.encounters = HB_ENCOUNTERS_GROUPS;
    ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, rows[k].sentence);
  }
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binaries_of_a_cluster),
      cmocka_unit_test(forming_changes_nothing),
      cmocka_unit_test(breaking_changes_nothing),
      cmocka_unit_test(pairs_near_each_other),
      cmocka_unit_test(few_bodies_are_one_group),
      cmocka_unit_test(planets_say_what_is_close),
      cmocka_unit_test(planets_are_one_group),
      cmocka_unit_test(nodes_feel_members),
      cmocka_unit_test(lists_are_symmetrical),
      cmocka_unit_test(the_same_bits_always),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
