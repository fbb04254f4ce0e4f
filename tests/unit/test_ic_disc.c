/* The galaxies of ic/: the disc is what its profile says, and still a disc after ten turns; two of them merge. */
#include "support/ic_case.h"

#include "core/particles.h"
#include "base/elementary.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ic/ic.c"

enum { N = 2 * IC_SAMPLE, STARS = IC_SAMPLE };

static int by_value(const void *a, const void *b)
{
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

static double median(size_t n, double *values)
{
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}

static double distance(const struct hb_particles *p, size_t i) { return hypot(p->x[3 * i], p->x[3 * i + 1]); }

/* ---- elementary functions --------------------------------------------------------------------------- */

static void test_elementary(void **state)
{
  (void)state;
  for (double x = -20; x <= 20; x += 0.37) {
    ic_assert_near(hb_elementary_exp(x) / exp(x), 1, IC_ROUNDING);
    if (x > 0) ic_assert_near(hb_elementary_log(x), log(x), IC_ROUNDING * fmax(1, fabs(log(x))));
  }
  struct hb_rng rng = hb_rng_seeded(3);
  double sum2 = 0, waited = 0;
  for (int k = 0; k < IC_SAMPLE; k++) {
    double pair[2];
    hb_elementary_normals(&rng, pair);
    sum2 += (pair[0] * pair[0] + pair[1] * pair[1]) / 2;
    waited -= hb_elementary_log(hb_rng_uniform(&rng));
  }
  ic_assert_near(sum2 / IC_SAMPLE, 1, 3 / sqrt(IC_SAMPLE)); /* three standard deviations of a mean */
  ic_assert_near(waited / IC_SAMPLE, 1, 3 / sqrt(IC_SAMPLE));
}

/* ---- the model -------------------------------------------------------------------------------------- */

static double inside(double R) { return 1 - (1 + R) * exp(-R); }
static double below(double z) { return 1 / (1 + exp(-2 * z / galaxy_z0)); }
static double inside_gaussian(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static void test_profiles(void **state)
{
  (void)state;
  struct hb_particles *p = ic_make("disc", (struct hb_ic_params){.n = N, .seed = 1});
  static double values[STARS], radial[STARS];
  assert_int_equal(galaxy_disc(N), STARS);
  for (size_t i = 0; i < STARS; i++) values[i] = distance(p, i);
  expect_below(ic_kolmogorov(values, inside), IC_KOLMOGOROV);
  for (size_t i = 0; i < STARS; i++) values[i] = p->x[3 * i + 2];
  expect_below(ic_kolmogorov(values, below), IC_KOLMOGOROV);
  for (size_t i = 0; i < STARS; i++) {
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    double R = distance(p, i);
    radial[i] = (x[0] * v[0] + x[1] * v[1]) / R / galaxy_dispersion(R);
  }
  expect_below(ic_kolmogorov(radial, inside_gaussian), IC_KOLMOGOROV);
  hb_particles_destroy(p);
}

/* The speed of rotation in the mean of a ring is that of a circular orbit less the asymmetric drift, and the curve is flat
 * as a galaxy's; Q is 1.5 where it was set. */
static void test_rotation(void **state)
{
  (void)state;
  const double R = 2.43, sigma = galaxy_dispersion(R), kappa = sqrt(galaxy_epicyclic2(R));
  ic_assert_near(sigma * kappa / (3.36 * exp(-R) / (2 * acos(-1))), galaxy_q, IC_SUM);
  for (double at = 1; at < 6; at += 0.5) {
    double speed = sqrt(galaxy_circular2(at));
    expect_above(speed, 0.85);
    expect_below(speed, 1.15);
    double ratio = sqrt(galaxy_epicyclic2(at)) * at / speed; /* 1 of a point mass, 2 of a solid body */
    expect_above(ratio, 1);
    expect_below(ratio, 2);
  }
  struct hb_particles *p = ic_make("disc", (struct hb_ic_params){.n = N, .seed = 1});
  double around = 0, drift = 0;
  int count = 0;
  for (size_t i = 0; i < STARS; i++) {
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    double at = distance(p, i);
    if (at < 1.5 || at > 4) continue;
    around += (x[0] * v[1] - x[1] * v[0]) / at - sqrt(galaxy_circular2(at));
    drift += sigma * exp((R - at) / 2) * sigma * exp((R - at) / 2) * (2 * at - 0.5) / (2 * 1.1);
    count++;
  }
  expect_above(count, 1000);
  ic_assert_near(around / count, -drift / count, 0.015); /* kappa / 2 Omega is not the same everywhere */
  hb_particles_destroy(p);
}

/* ---- ten turns -------------------------------------------------------------------------------------- */

struct shape {
  double radius, height, bar; /* medians; |mean of e^2i phi| of the inner half */
};

static struct shape shape_of(struct hb_particles *p, size_t stars)
{
  static double values[STARS];
  struct shape shape;
  double c = 0, s = 0, center[3];
  int count = 0;
  for (size_t k = 0; k < 3; k++) { /* it may wander within the halo */
    for (size_t i = 0; i < stars; i++) values[i] = p->x[3 * i + k];
    center[k] = median(stars, values);
  }
  for (size_t i = 0; i < 3 * stars; i++) p->x[i] -= center[i % 3];
  for (size_t i = 0; i < stars; i++) values[i] = distance(p, i);
  shape.radius = median(stars, values);
  for (size_t i = 0; i < stars; i++) values[i] = fabs(p->x[3 * i + 2]);
  shape.height = median(stars, values);
  for (size_t i = 0; i < stars; i++) {
    double x = p->x[3 * i], y = p->x[3 * i + 1], r2 = x * x + y * y;
    if (r2 > shape.radius * shape.radius) continue;
    c += (x * x - y * y) / r2;
    s += 2 * x * y / r2;
    count++;
  }
  shape.bar = hypot(c, s) / count;
  return shape;
}

static struct shape turned(struct hb_particles *p, size_t stars, double turns)
{
  const double R = 2, turn = 2 * acos(-1) * R / sqrt(galaxy_circular2(R));
  const struct hb_sim_params params = {.force = {.scheme = "host-simd", .eps = galaxy_eps},
                                       .integrator = "leapfrog",
                                       .dt = 0.125,
                                       .exact_energy = HB_EXACT_ENERGY_NO};
  struct hb_sim *sim;
  struct hb_particles *later;
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, turns * turn));
  ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &later));
  struct shape shape = shape_of(later, stars);
  hb_particles_destroy(later);
  hb_sim_destroy(sim);
  return shape;
}

#if defined __SANITIZE_ADDRESS__
enum { TURNS = 1 }; /* each takes as long as ten */
#else
enum { TURNS = 10 };
#endif

/* What so few particles do to each other, not the model, makes the disc thicker: half as fast for twice as many. */
static void test_ten_turns(void **state)
{
  (void)state;
  struct hb_particles *p = ic_make("disc", (struct hb_ic_params){.n = STARS, .seed = 1});
  size_t stars = galaxy_disc(STARS);
  struct shape then = turned(p, stars, 0), now = turned(p, stars, TURNS);
  print_message("radius %.3f, now %.3f; height %.3f, now %.3f; bar %.3f, now %.3f\n", then.radius, now.radius,
                then.height, now.height, then.bar, now.bar);
  ic_assert_near(now.radius / then.radius, 1, 0.25);
  expect_below(now.height, 3 * then.height);
  expect_below(now.height, 0.25 * now.radius);
  expect_below(now.bar, 0.2);
  /* without its halo the same disc flies apart: the bounds do tell */
  struct hb_particles *alone;
  ASSERT_OK(hb_particles_create(stars + galaxy_bulge(STARS), &alone));
  memcpy(alone->m, p->m, alone->n * sizeof *p->m);
  memcpy(alone->x, p->x, 3 * alone->n * sizeof *p->x);
  memcpy(alone->v, p->v, 3 * alone->n * sizeof *p->v);
  expect_above(turned(alone, stars, 2).radius, 1.5 * then.radius);
  hb_particles_destroy(alone);
  hb_particles_destroy(p);
}

static void test_merger(void **state)
{
  (void)state;
  struct hb_particles *p;
  const struct hb_ic_params odd = {.n = 129};
  assert_int_equal(hb_ic_make("merger", &odd, &p), HB_ERR_USAGE);
  p = ic_make("merger", (struct hb_ic_params){.n = 1024, .seed = 1});
  assert_string_equal(hb_particles_note(p, "dark"), "448");
  /* the stars of the first galaxy, then those of the second, at twelve scale lengths and on a parabola */
  double x[2] = {0}, v2 = 0;
  for (size_t i = 0; i < 576; i++) x[i / 288] += p->x[3 * i] / 288;
  ic_assert_near(x[0] - x[1], 12, 0.3);
  double v[2][3] = {{0}};
  double M[2] = {0};
  for (size_t i = 0; i < p->n; i++) {
    int which = i < 576 ? (int)(i / 288) : (int)((i - 576) / 224);
    M[which] += p->m[i];
    for (size_t k = 0; k < 3; k++) v[which][k] += p->m[i] * p->v[3 * i + k];
  }
  for (int k = 0; k < 3; k++) v2 += pow(v[0][k] / M[0] - v[1][k] / M[1], 2);
  ic_assert_near(M[0], galaxy_mass(), IC_SUM);
  ic_assert_near(v2, 2 * 2 * galaxy_mass() / 12, IC_SUM);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elementary), cmocka_unit_test(test_profiles), cmocka_unit_test(test_rotation),
      cmocka_unit_test(test_ten_turns),  cmocka_unit_test(test_merger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
