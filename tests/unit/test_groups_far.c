/* What groups and nodes do to each other that are in no list: tides as a tensor, orbits as quadrupoles. */
#include "support/groups_case.h"
#include "support/support.h"

#include "chain/kepler_orbit.h"
#include "groups/groups_internal.h"

#include <math.h>
#include <string.h>

/* A pair, 0 and 1, with a = 0.04, e = 0.6, among stars of a mean mass 1 / 64 at distances of 0.7 to 3. */
enum { N = 64 };
static const double a = 0.04, e = 0.6;

struct scene {
  struct hb_particles *p;
  struct hb_groups *groups;
  double x[3 * N], v[3 * N];
  uint32_t near[N], count[N]; /* of all the same list */
  double reach2[N];
};

static double part_of(unsigned k) { return 2 * fmod(k * 0.6180339887498949, 1) - 1; }

static struct hb_particles *pair_among_stars(void)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(N, &p));
  for (unsigned i = 0; i < N; i++) {
    double d[] = {part_of(i), part_of(7 * i + 3), part_of(13 * i + 5)}, far = 0.7 + 2.3 * i / N;
    double by = far / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    p->m[i] = 1. / N;
    for (size_t c = 0; c < 3; c++)
      p->x[3 * i + c] = by * d[c], p->v[3 * i + c] = part_of(3 * i + (unsigned)c);
  }
  double apart = a * (1 + e), speed = sqrt(2. / N * (1 - e) / apart);
  for (size_t k = 0; k < 2; k++) {
    const double x[] = {k ? apart / 2 : -apart / 2, 0, 0},
                 v[] = {0, k ? 0.6 * speed / 2 : -0.6 * speed / 2, k ? 0.8 * speed / 2 : -0.8 * speed / 2};
    memcpy(p->x + 3 * k, x, sizeof x);
    memcpy(p->v + 3 * k, v, sizeof v);
  }
  return p;
}

static struct scene *set_scene(void)
{
  static struct scene s;
  struct hb_groups_node made;
  s = (struct scene){.p = pair_among_stars()};
  ASSERT_OK(hb_groups_create(s.p, 0, &s.groups));
  hb_groups_use(s.groups, &hb_groups_by_perturbation);
  memcpy(s.x, s.p->x, sizeof s.x);
  memcpy(s.v, s.p->v, sizeof s.v);
  groups_case_nodes(s.x, s.v, s.groups);
  s.groups->nodes.dt_min = 0x1p-10;
  ASSERT_OK(hb_groups_join(s.groups, 0, 0, 1, &made));
  groups_case_put(&made, s.x, s.v);
  for (size_t c = 0; c < 3; c++) s.x[3 + c] = 1e6, s.v[3 + c] = 0; /* parked */
  return &s;
}

static void clear(struct scene *s)
{
  hb_groups_destroy(s->groups);
  hb_particles_destroy(s->p);
}

/* All within a distance become neighbors. */
static void make_lists(struct scene *s, double reach)
{
  uint32_t count = 0;
  for (uint32_t i = 2; i < N; i++)
    if (hb_distance2(s->x, 0, i) < reach * reach) s->near[count++] = i;
  for (size_t i = 0; i < N; i++) s->reach2[i] = reach * reach, s->count[i] = count;
  s->groups->nodes.list = s->near, s->groups->nodes.count = s->count, s->groups->nodes.reach2 = s->reach2;
}

static void move(struct scene *s, double dt)
{
  for (size_t k = 0; k < 3 * N; k++) s->x[k] += dt * s->v[k];
}

/* The tensor by definition, of the nodes from `first` on. */
static void tensor_of(const struct scene *s, size_t first, double T[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  memset(T, 0, 6 * sizeof *T);
  for (size_t i = first; i < N; i++) {
    double r[3];
    hb_between(s->x, 0, i, r);
    double r2 = hb_dot(r, r), r5 = r2 * r2 * sqrt(r2);
    for (size_t k = 0; k < 6; k++)
      T[k] += s->p->m[i] * (3 * r[row[k]] * r[column[k]] - (k < 3 ? r2 : 0)) / r5;
  }
}

static double apart(const double *p, const double *q)
{
  double sum = 0, norm = 0;
  for (size_t k = 0; k < 6; k++) sum += (p[k] - q[k]) * (p[k] - q[k]), norm += q[k] * q[k];
  return sqrt(sum / norm);
}

/* With and without neighbors, of all but those in the list; its rate is the difference of tensors. Negative control: with those in the
 * list it is another one. */
static void tides_are_a_tensor(void **state)
{
  (void)state;
  static const double rounded = 1e-13, dt = 1e-5, bar = 1e-7;
  for (int with_lists = 0; with_lists < 2; with_lists++) {
    struct scene *s = set_scene();
    struct hb_group *g = s->groups->at;
    double T[6], before[6], after[6];
    if (with_lists) make_lists(s, 1.5);
    for (uint32_t i = 2; i < 5; i++) ASSERT_OK(hb_groups_list(s->groups, g, i));
    ASSERT_OK(hb_groups_look_far(s->groups, 0, 1, &(uint32_t){0}));
    tensor_of(s, 5, T);
    expect_at_most(apart(g->tides.of_all, T), rounded);
    tensor_of(s, 2, T);
    expect_above(apart(g->tides.of_all, T), 1e-2);
    move(s, -dt);
    tensor_of(s, 5, before);
    move(s, 2 * dt);
    tensor_of(s, 5, after);
    for (size_t k = 0; k < 6; k++) T[k] = (after[k] - before[k]) / (2 * dt);
    expect_at_most(apart(g->tides.of_all + 6, T), bar);
    if (with_lists)
      expect_above(g->tides.cut2, 0);
    else
      expect_equal(g->tides.cut2, 0);
    clear(s);
  }
}

/* The far part is 16 ticks old, some have passed the cut meanwhile. Negative control: without its rate it is ten times as wrong. */
static void far_tides_go_on(void **state)
{
  (void)state;
  struct scene *s = set_scene();
  struct hb_group *g = s->groups->at;
  double T[6], late[6];
  make_lists(s, 1.5);
  ASSERT_OK(hb_groups_look_far(s->groups, 0, 1, &(uint32_t){0}));
  s->groups->nodes.tick = 16;
  g->tides.is_old = 1; /* else they would go on themselves */
  move(s, 0x1p-6);
  ASSERT_OK(hb_groups_look_far(s->groups, s->groups->nodes.tick, 1, &(uint32_t){0}));
  expect_equal(g->tides.far_tick, 0);
  tensor_of(s, 2, T);
  for (size_t k = 0; k < 6; k++) late[k] = g->tides.of_all[k] - 0x1p-6 * g->tides.of_far[6 + k];
  expect_at_most(apart(g->tides.of_all, T), 1e-3);
  expect_above(apart(late, T), 10 * apart(g->tides.of_all, T));
  s->groups->nodes.tick = 512;
  move(s, 0.5);
  ASSERT_OK(hb_groups_look_far(s->groups, s->groups->nodes.tick, 1, &(uint32_t){0}));
  expect_equal(g->tides.far_tick, 0); /* not where all would have to be predicted for it */
  s->groups->nodes.is_full = 1;
  ASSERT_OK(hb_groups_look_far(s->groups, s->groups->nodes.tick, 1, &(uint32_t){0}));
  expect_equal(g->tides.far_tick, 512);
  clear(s);
}

/* In boxes, of which the center is alone in its own, or with one star: the others there have no mass; or that star is alone in the other
 * one. A box with one star is small, but no reason to take a neighbor for far. */
static void a_box_of_its_own(void **state)
{
  (void)state;
  const uint32_t with_mass[][2] = {{32, N}, {2, 3}, {32, 33}};
  for (size_t k = 0; k < COUNT_OF(with_mass); k++) {
    struct scene *s = set_scene();
    struct hb_group *g = s->groups->at;
    uint32_t place[N];
    double T[6];
    for (uint32_t i = 0; i < N; i++) place[i] = i;
    for (uint32_t i = 2; i < N; i++)
      if (i < with_mass[k][0] || i >= with_mass[k][1])
        s->groups->m[i] = s->p->m[i] = 0, s->groups->of[i] = HB_GROUPS_PARKED;
    make_lists(s, 2.5);
    hb_groups_set_order(s->groups, place);
    s->groups->has_order = 1; /* though there are few */
    ASSERT_OK(hb_groups_look_far(s->groups, 0, 1, &(uint32_t){0}));
    tensor_of(s, 2, T);
    expect_at_most(apart(g->tides.of_all, T), 1e-13);
    clear(s);
  }
}

/* Who enters the list, after its tides were found, leaves them. */
static void who_is_listed_leaves_the_tides(void **state)
{
  (void)state;
  struct scene *s = set_scene();
  struct hb_group *g = s->groups->at;
  double T[6];
  ASSERT_OK(hb_groups_look_far(s->groups, 0, 1, &(uint32_t){0}));
  ASSERT_OK(hb_groups_list(s->groups, g, 2));
  hb_groups_leave_tides(s->groups, g, 2, 0);
  tensor_of(s, 3, T);
  expect_at_most(apart(g->tides.of_all, T), 1e-13);
  clear(s);
}

/* What a pair does to a star in the mean of its orbit, less what a point does. */
static void mean_pull(const struct scene *s, uint32_t star, double pull[3])
{
  enum { PLACES = 64 };
  const struct hb_chain *c = &s->groups->at[0].chain;
  double X[PLACES][3], part[PLACES], r[3], M = hb_chain_mass(c);
  hb_kepler_orbit_places(c, PLACES, X, part);
  hb_between(s->x, star, 0, r);
  double r3 = hb_dot(r, r) * hb_norm(r);
  for (size_t d = 0; d < 3; d++) pull[d] = -M * r[d] / r3;
  for (size_t k = 0; k < 2 * PLACES; k++) {
    double q[3], share = (k % 2 ? c->m[0] : -c->m[1]) / M;
    for (size_t d = 0; d < 3; d++) q[d] = r[d] + share * X[k / 2][d];
    double q3 = hb_dot(q, q) * hb_norm(q);
    for (size_t d = 0; d < 3; d++) pull[d] += part[k / 2] * c->m[k % 2] * q[d] / q3;
  }
}

static double error_of(const double *p, const double *q)
{
  double d[] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return hb_norm(d) / hb_norm(q);
}

/* A quadrupole is that, but for (2 a / d)^2 = 1e-2; its jerk is how it changes; and the pair feels the opposite. */
static void orbits_are_quadrupoles(void **state)
{
  (void)state;
  static const double bar = 2e-2, dt = 1e-5;
  const uint32_t block[] = {0, 2};
  struct scene *s = set_scene();
  double at[3][3] = {{0}}, jerk[6] = {0}, pulls[6] = {0}, expected[3], change[3];
  for (uint32_t i = 3; i < N; i++) s->groups->m[i] = 0, s->groups->of[i] = HB_GROUPS_PARKED;
  mean_pull(s, 2, expected);
  ASSERT_OK(hb_groups_find_hits(s->groups, 2, block));
  hb_groups_add_quadrupoles(s->groups, 0, 2, block, pulls, jerk);
  expect_at_most(error_of(pulls + 3, expected), bar);
  for (size_t c = 0; c < 3; c++)
    expect_at_most(fabs(s->groups->m[0] * pulls[c] + s->groups->m[2] * pulls[3 + c]), 1e-15);
  for (int k = 0; k < 3; k += 2) {
    double a_of[3] = {0}, j_of[3] = {0};
    move(s, k == 0 ? -dt : 2 * dt);
    ASSERT_OK(hb_groups_find_hits(s->groups, 1, block + 1));
    hb_groups_add_quadrupoles(s->groups, 0, 1, block + 1, a_of, j_of);
    memcpy(at[k], a_of, sizeof a_of);
  }
  for (size_t c = 0; c < 3; c++) change[c] = (at[2][c] - at[0][c]) / (2 * dt);
  expect_at_most(error_of(jerk + 3, change), 1e-6);
  clear(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tides_are_a_tensor), cmocka_unit_test(a_box_of_its_own),
                                     cmocka_unit_test(far_tides_go_on),
                                     cmocka_unit_test(who_is_listed_leaves_the_tides),
                                     cmocka_unit_test(orbits_are_quadrupoles)};
  return cmocka_run_group_tests_name("groups_far", tests, NULL, NULL);
}
