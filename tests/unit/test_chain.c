/* The regularized integrator: two, three and more bodies, however close they come. */
#include "support/support.h"

#include "chain/bulirsch_stoer.h"
#include "chain/turning.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const uint32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* ---- two bodies ---------------------------------------------------------------------------------------- */

/* Masses 1/2, a = 1, at apocenter; their period is 2 pi. */
static struct hb_chain binary(double e)
{
  const double m[] = {0.5, 0.5}, x[] = {0, 0, 0, 1 + e, 0, 0}, v[] = {0, 0, 0, 0, sqrt((1 - e) / (1 + e)), 0};
  struct hb_chain c;
  hb_chain_make(2, number, m, x, v, &c);
  return c;
}

/* Mean anomaly since apocenter, -pi to pi. */
static double phase(const struct hb_chain *c)
{
  double r = 0, rv = 0;
  for (int k = 0; k < 3; k++) r += c->X[0][k] * c->X[0][k], rv += c->X[0][k] * c->V[0][k];
  double e_cos = 1 - sqrt(r); /* e cos E, e sin E with a = 1 */
  return remainder(atan2(rv, e_cos) - rv - pi, 2 * pi);
}

static double energy_error(const struct hb_chain *c, double E0) { return fabs(hb_chain_energy(c) / E0 - 1); }

/* The bars of 1000 orbits. Negative control: an orbit of the same phase whose energy is 1e-10 off drifts by 9e-7. */
static const double energy_bar = 1e-11, phase_bar = 1e-7;
enum { ORBITS = 1000, FORCES = 300 };

static void binaries_stay(void **state)
{
  (void)state;
  const double es[] = {0.9, 0.99, 0.999};
  for (size_t k = 0; k < COUNT_OF(es); k++) {
    struct hb_chain c = binary(es[k]);
    double E0 = hb_chain_energy(&c);
    uint64_t forces = 0;
    ASSERT_OK(hb_chain_advance(&c, 2 * pi * ORBITS, NULL, &forces));
    expect_at_most(energy_error(&c, E0), energy_bar);
    expect_at_most(fabs(phase(&c)), phase_bar);
    expect_at_most(forces, FORCES * ORBITS);
    struct hb_chain other = binary(es[k]);
    other.V[0][1] *= 1 + 1e-10 / 2 * (1 + es[k]) / (1 - es[k]);
    other.B -= 1e-10 * E0;
    ASSERT_OK(hb_chain_advance(&other, 2 * pi * ORBITS, NULL, NULL));
    expect_above(fabs(phase(&other)), phase_bar);
  }
}

/* Stops at times that have nothing to do with the orbit change nothing but rounding. */
static void stops_are_harmless(void **state)
{
  (void)state;
  struct hb_chain c = binary(0.9);
  double E0 = hb_chain_energy(&c);
  for (int k = 0; k < 16 * 100; k++) ASSERT_OK(hb_chain_advance(&c, 2 * pi / 16, NULL, NULL));
  expect_at_most(energy_error(&c, E0), energy_bar);
  expect_at_most(fabs(phase(&c)), phase_bar);
}

/* Two that pass each other ever faster: energy is kept, nearly all of it kinetic, and steps do not vanish. */
static void swift_passages(void **state)
{
  (void)state;
  static const double way = 0.1, aside = 1e-3;
  for (double u = 10; u <= 1e3; u *= 10) {
    const double m[] = {0.5, 0.5}, x[] = {0, 0, 0, way, aside, 0}, v[] = {0, 0, 0, -u, 0, 0};
    struct hb_chain c;
    uint64_t forces = 0;
    hb_chain_make(2, number, m, x, v, &c);
    double E0 = hb_chain_energy(&c);
    ASSERT_OK(hb_chain_advance(&c, 2 * way / u, NULL, &forces));
    expect_at_most(forces, 5 * FORCES);
    expect_at_most(energy_error(&c, E0), energy_bar);
    if (!(u < 1e3)) expect_below(fabs(c.X[0][0] / -way - 1), 1e-2);
  }
}

static void nothing_in_no_time(void **state)
{
  (void)state;
  struct hb_chain c = binary(0.5), before = c;
  ASSERT_OK(hb_chain_advance(&c, 0, NULL, NULL));
  assert_memory_equal(&c, &before, sizeof c);
}

static void a_collision_is_passed(void **state)
{
  (void)state;
  const double m[] = {0.5, 0.5}, x[] = {0, 0, 0, 1, 0, 0}, v[6] = {0};
  struct hb_chain c;
  hb_chain_make(2, number, m, x, v, &c);
  double E0 = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, 10, NULL, NULL));
  expect_at_most(energy_error(&c, E0), 1e-10);
}

/* ---- three bodies -------------------------------------------------------------------------------------- */

static struct hb_chain pythagorean(void)
{
  const double m[] = {3, 4, 5}, x[] = {1, 3, 0, -2, -1, 0, 1, -1, 0}, v[9] = {0};
  struct hb_chain c;
  hb_chain_make(3, number, m, x, v, &c);
  return c;
}

/* The greatest distance of a member from x[3 * n]. */
static double distance(const struct hb_chain *c, const double *x)
{
  double r[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], most = 0;
  hb_chain_places(c, r, v);
  for (size_t k = 0; k < c->n; k++) {
    const double *p = r + 3 * k, *q = x + 3 * c->member[k];
    most = fmax(most, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                           (p[2] - q[2]) * (p[2] - q[2])));
  }
  return most;
}

/* By tests/long/bodies_quad.c. */
static const double at_60[] = {0.74380750011808294, 1.9399479510948634,   0,
                               0.26401033468625656, -0.73162439486996378, 0,
                               -0.657492767819855,  -0.5786692547609471,  0};

static void pythagorean_to_60(void **state)
{
  (void)state;
  struct hb_chain c = pythagorean();
  double E0 = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, 60, NULL, NULL));
  expect_at_most(energy_error(&c, E0), 1e-11);
  expect_at_most(distance(&c, at_60), 1e-4);
  struct hb_chain other =
      pythagorean(); /* negative control: a difference of 1e-11 at the start grows beyond that */
  other.X[0][0] *= 1 + 1e-11;
  ASSERT_OK(hb_chain_advance(&other, 60, NULL, NULL));
  expect_above(distance(&other, at_60), 1e-4);
}

static void figure_eight(void **state)
{
  (void)state;
  const double m[] = {1, 1, 1}, x[] = {0.97000436, -0.24308753, 0, -0.97000436, 0.24308753, 0, 0, 0, 0},
               v[] = {0.466203685, 0.43236573, 0, 0.466203685, 0.43236573, 0, -0.93240737, -0.86473146, 0};
  struct hb_chain c;
  hb_chain_make(3, number, m, x, v, &c);
  double E0 = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, 10 * 6.32591398, NULL, NULL));
  expect_at_most(energy_error(&c, E0), 1e-12);
  expect_at_most(distance(&c, x), 1e-6); /* the initial values have eight digits */
}

/* A binary, a planet on a long ellipse around one of the two, and one that falls in from far. */
static struct hb_chain with_planets(double mass)
{
  const double m[] = {mass, 0.6, mass, 0.4}, x[] = {0.12, 0, 0, 0, 0, 0, 3, 2, 1, 1, 0, 0},
               v[] = {0, 0.4, 0.1, 0, 0, 0, -0.6, -0.3, -0.2, 0, 0.8, 0};
  struct hb_chain c;
  hb_chain_make(4, number, m, x, v, &c);
  return c;
}

/* As if their masses were far too small to matter, in fewer steps; B is that of the links. */
static void members_without_mass(void **state)
{
  (void)state;
  static const double bar = 1e-9, t = 12;
  struct hb_chain c = with_planets(0), light = with_planets(1e-15), start = with_planets(0);
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], r[12];
  uint64_t forces[2] = {0};
  ASSERT_OK(hb_chain_advance(&c, t, NULL, &forces[0]));
  ASSERT_OK(hb_chain_advance(&light, t, NULL, &forces[1]));
  hb_chain_places(&light, x, v);
  for (size_t k = 0; k < 4; k++) memcpy(r + 3 * light.member[k], x + 3 * k, 3 * sizeof *x);
  print_message("distance %.2g, at most %.2g; forces %.0f and %.0f; B %.2g\n", distance(&c, r), bar,
                (double)forces[0], (double)forces[1], c.B / hb_chain_binding(&c) - 1);
  expect_at_most(distance(&c, r), bar);
  expect_below(forces[0], forces[1]);
  expect_at_most(fabs(c.B / hb_chain_binding(&c) - 1), 1e-11);
  expect_at_most(energy_error(&c, hb_chain_energy(&start)), 1e-11);
  hb_turning_transform(&c, 0.3);
  expect_at_most(fabs(c.B / hb_chain_binding(&c) - 1), 1e-11);
}

/* A pair of a = 1e-5 with a third body at distance 1. */
static void hierarchy(void **state)
{
  (void)state;
  const double a = 1e-5, w = sqrt(1 / a) / 2, m[] = {0.5, 0.5, 1};
  const double x[] = {-a / 2, 0, 0, a / 2, 0, 0, 0, 1, 0}, v[] = {0, -w, 0, 0, w, 0, -sqrt(2), 0, 0};
  struct hb_chain c;
  uint64_t forces = 0;
  hb_chain_make(3, number, m, x, v, &c);
  double E0 = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, 2 * pi * sqrt(a * a * a) * ORBITS, NULL, &forces));
  expect_at_most(energy_error(&c, E0), 1e-10);
  expect_at_most(forces, FORCES * ORBITS);
}

/* ---- others -------------------------------------------------------------------------------------------- */

/* A star that passes two others on a given path: B follows the energy that the links have. Negative control: without the
 * star neither changes by as much as that. */
static void work_of_others(void **state)
{
  (void)state;
  const struct hb_chain_point star = {.m = 1, .x = {3, -2, 0}, .v = {0, 1, 0}};
  struct hb_chain_points points;
  const struct hb_chain_tide tide = {.count = 1, .points = &points};
  hb_chain_tide_set_point(&points, 0, &star);
  hb_chain_tide_pad_points(&points, 1);
  struct hb_chain c = binary(0.5), alone = c;
  double E0 = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, 4, &tide, NULL));
  ASSERT_OK(hb_chain_advance(&alone, 4, NULL, NULL));
  expect_above(energy_error(&c, E0), 1e-3);
  expect_at_most(fabs(c.B + hb_chain_energy(&c)), 1e-12 * fabs(E0));
  expect_at_most(energy_error(&alone, E0), 1e-12);
}

/* Points side by side pull as each of them does alone; in any number, also where lanes are left over. */
static void points_side_by_side(void **state)
{
  (void)state;
  enum { POINTS = 3 * HB_LANES };
  const double m[] = {0.5, 0.3, 0.2}, x[] = {0, 0, 0, 1, 0.2, 0, 2.5, -0.3, 0.1}, v[9] = {0};
  struct hb_chain c;
  hb_chain_make(3, number, m, x, v, &c);
  for (size_t count = 1; count <= POINTS; count++) {
    struct hb_chain_points points[POINTS / HB_LANES], one;
    double f[HB_CHAIN_MOST][3], sum[HB_CHAIN_MOST][3] = {{0}}, alone[HB_CHAIN_MOST][3];
    const struct hb_chain_tide all = {.count = count, .points = points},
                               single = {.count = 1, .points = &one};
    for (size_t k = 0; k < count; k++) {
      double s = (double)k;
      const struct hb_chain_point p = {
          .m = 1 + s, .x = {9 * cos(s), 9 * sin(s), 3}, .v = {1, -s, 0}, .j = {0, s, 1}};
      hb_chain_tide_set_point(points, k, &p);
      hb_chain_tide_set_point(&one, 0, &p);
      hb_chain_tide_pad_points(&one, 1);
      hb_chain_tide_on_members(&c, &single, c.X, 0.5, alone);
      for (int i = 0; i < 9; i++) sum[i / 3][i % 3] += alone[i / 3][i % 3];
    }
    hb_chain_tide_pad_points(points, count);
    hb_chain_tide_on_members(&c, &all, c.X, 0.5, f);
    expect_at_most(support_rms(3, 3, *f, *sum), 1e-13);
  }
}

/* The same three bodies as one chain, and as a pair that a third one disturbs: heavy and far, it hardly feels them. */
static void pair_or_three(void **state)
{
  (void)state;
  const double M = 1e6, R = 1e3, e = 0.5, V = sqrt((M + 1) / R);
  const double m[] = {0.5, 0.5, M}, x[] = {-(1 + e) / 2, 0, 0, (1 + e) / 2, 0, 0, 0, R, 0};
  const double u = sqrt((1 - e) / (1 + e)) / 2, v[] = {V, -u, 0, V, u, 0, 0, 0, 0};
  struct hb_chain three, pair;
  struct hb_chain_point third = {.m = M, .x = {0, R, 0}, .v = {-V, 0, 0}};
  double t = 1, a = (M + 1) / (R * R),
         W = V / R; /* relative to the pair it moves on a circle: its series to the third order */
  third.a[1] = -a, third.j[0] = W * W * V;
  struct hb_chain_points points;
  const struct hb_chain_tide tide = {.count = 1, .points = &points};
  hb_chain_tide_set_point(&points, 0, &third);
  hb_chain_tide_pad_points(&points, 1);
  hb_chain_make(3, number, m, x, v, &three);
  hb_chain_make(2, number, m, x, v, &pair);
  ASSERT_OK(hb_chain_advance(&three, t, NULL, NULL));
  ASSERT_OK(hb_chain_advance(&pair, t, &tide, NULL));
  double r = three.member[0] == 0 && three.member[1] == 1 ? 1 : -1;
  size_t link = three.member[0] == 2 ? 1 : 0;
  double moved = 0;
  for (int k = 0; k < 3; k++) moved = fmax(moved, fabs(r * three.X[link][k] - pair.X[0][k]));
  expect_below(moved, 1e-6);
}

static void parts_keep_their_orbits(void **state)
{
  (void)state;
  struct hb_chain c = pythagorean(), pair;
  ASSERT_OK(hb_chain_advance(&c, 60, NULL, NULL));
  size_t first = hypot(c.X[0][0], c.X[0][1]) < hypot(c.X[1][0], c.X[1][1]) ? 0 : 1;
  hb_chain_extract(&c, first, 2, &pair);
  assert_memory_equal(pair.X[0], c.X[first], sizeof pair.X[0]);
  expect_above(pair.B, 0);
  expect_equal(pair.m[0], c.m[first]);
}

/* ---- close to collisions of three ------------------------------------------------------------------------ */

/* A number from 0 to 1. */
static double next_number(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

/* Flat isosceles triangles at rest: all three come close to each other at once, often as near as 1e-6, and what is left is a pair whose
 * members fall onto each other on a line, and a body that flies away. */
static void flat_triangles(void **state)
{
  (void)state;
  uint64_t random = 43;
  double worst = 0;
  for (int k = 0; k < 40; k++) {
    const double m[] = {0.5, 0.1 + 0.9 * next_number(&random), 0.5};
    const double x[] = {-1, 0, 0, 0, 0.01 + 0.19 * next_number(&random), 0, 1, 0, 0}, v[9] = {0};
    struct hb_chain c;
    uint64_t forces = 0;
    hb_chain_make(3, number, m, x, v, &c);
    double E0 = hb_chain_energy(&c);
    ASSERT_OK(hb_chain_advance(&c, 4, NULL, &forces));
    expect_at_most(energy_error(&c, E0), 1e-8);
    expect_at_most(forces, 200000);
    worst = fmax(worst, energy_error(&c, E0));
  }
  print_message("flat triangles: largest energy error %.1e\n", worst);
}

/* Regular polygons at rest fall together in one place, where rounding would say what comes out: that is an error. A triangle that is moved
 * by 1e-3 is none. */
static void all_in_one_place(void **state)
{
  (void)state;
  for (size_t n = 3; n <= 8; n++) {
    double m[8], x[24] = {0}, v[24] = {0};
    for (size_t k = 0; k < n; k++) {
      double angle = 2 * pi * (double)k / (double)n;
      m[k] = 1. / 3, x[3 * k] = cos(angle), x[3 * k + 1] = sin(angle);
    }
    struct hb_chain c;
    hb_chain_make(n, number, m, x, v, &c);
    assert_int_equal(hb_chain_advance(&c, 4, NULL, NULL), HB_ERR_NUMERIC);
    assert_non_null(strstr(hb_error(), "collide all at once"));
    x[0] += 1e-3;
    hb_chain_make(n, number, m, x, v, &c);
    double E0 = hb_chain_energy(&c);
    if (n > 3) continue;
    ASSERT_OK(hb_chain_advance(&c, 4, NULL, NULL));
    expect_at_most(energy_error(&c, E0), 1e-9);
  }
}

/* Three bodies that fly apart with T / U up to 1e17: they go straight on, in few steps. */
static void bodies_fly_apart(void **state)
{
  (void)state;
  for (double fast = 10; fast < 1e7; fast *= 10) {
    const double m[] = {0.3, 0.3, 0.4}, x[] = {-1, 0, 0, 1, 0.1, 0, 0, 2, 0},
                 v[] = {-fast, 0, 0, fast, 0, fast / 2, 0, fast, 0};
    const double times[] = {100 / fast, 1e5 / fast};
    for (size_t k = 0; k < COUNT_OF(times); k++) {
      struct hb_chain c;
      uint64_t forces = 0;
      hb_chain_make(3, number, m, x, v, &c);
      const struct hb_chain start = c;
      ASSERT_OK(hb_chain_advance(&c, times[k], NULL, &forces));
      double now[9], before[9], speed[9];
      hb_chain_places(&c, now, speed);
      hb_chain_places(&start, before, speed);
      for (size_t l = 0; l < 3; l++)
        for (size_t of = 0; of < 3; of++)
          for (size_t i = 0; i < 3 && c.member[l] == start.member[of]; i++)
            expect_at_most(fabs(now[3 * l + i] - before[3 * of + i] - times[k] * speed[3 * of + i]),
                           times[k] / fast); /* pulls change velocities by less than 1 / fast */
      expect_at_most(forces, 3000);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binaries_stay),
      cmocka_unit_test(stops_are_harmless),
      cmocka_unit_test(swift_passages),
      cmocka_unit_test(nothing_in_no_time),
      cmocka_unit_test(a_collision_is_passed),
      cmocka_unit_test(pythagorean_to_60),
      cmocka_unit_test(figure_eight),
      cmocka_unit_test(members_without_mass),
      cmocka_unit_test(hierarchy),
      cmocka_unit_test(work_of_others),
      cmocka_unit_test(points_side_by_side),
      cmocka_unit_test(pair_or_three),
      cmocka_unit_test(parts_keep_their_orbits),
      cmocka_unit_test(flat_triangles),
      cmocka_unit_test(all_in_one_place),
      cmocka_unit_test(bodies_fly_apart),
  };
  return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
