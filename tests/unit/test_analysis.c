/* The analysis of a cluster against Plummer's formulas. Heggie & Mathieu's units: M = 1, G = 1, a = 3 pi / 16. */
#include "support/support.h"

#include "measure/analyze.c"

#include <math.h>

enum { N = 16384, PARTS = 16 };

static const double a_plummer = 0.58904862254808623221;

static struct hb_particles *plummer(void)
{
  struct hb_particles *p;
  const struct hb_ic_params params = {.n = N, .seed = 7, .scaling = HB_IC_SCALING_MODEL};
  ASSERT_OK(hb_ic_make("plummer", &params, &p));
  return p;
}

static void analyse(const struct hb_particles *p, size_t count, const double *limits, struct analysis *a)
{
  struct hb_contents c;
  ASSERT_OK(hb_contents_of(p, 0, NULL, HB_EXACT_ENERGY_NO, &c));
  ASSERT_OK(analysis_of(p, &c, count, limits, PARTS, a));
}

/* The mean of a squared velocity of n stars scatters by about sqrt(2 / (3 n)) of it, its root by half that; with four standard
 * deviations and a factor of 1.5 for the mixture of radii: 2.5 / sqrt(n).
 * sigma^2 = M / (6 sqrt(r^2 + a^2)) of one component; over all of it 3 pi / (64 a) / 3 * 2 = 1 / 6. */
static double sigma_at(double r) { return sqrt(1 / (6 * sqrt(r * r + a_plummer * a_plummer))); }

static void plummer_has_its_dispersion(void **state)
{
  (void)state;
  static struct analysis a;
  struct hb_particles *p = plummer();
  analyse(p, 0, NULL, &a);
  expect_near(a.all.sigma, sqrt(1. / 6), 2.5 / sqrt(N));
  expect_near(a.core.sigma, sigma_at(0.3),
              2.5 / sqrt(a.n_core)); /* 0.4 encloses a quarter, its mean radius is 0.3 */
  expect_above(a.core.sigma, a.half.sigma);
  expect_above(a.half.sigma, a.all.sigma);
  expect_below(fabs(a.all.beta), 5 / sqrt(N));
  expect_below(fabs(a.half.beta), 5 / sqrt(N / 2));
  assert_int_equal(a.shells, PARTS);
  for (size_t k = 0; k + 1 < PARTS; k++) { /* the last one is wide */
    expect_near(a.shell[k].motion.sigma, sigma_at(a.shell[k].r), 2.5 / sqrt(N / PARTS));
    expect_above(fabs(a.shell[k].motion.sigma / (1.2 * sigma_at(a.shell[k].r)) - 1), 2.5 / sqrt(N / PARTS));
    expect_below(fabs(a.shell[k].motion.beta), 5 / sqrt(N / PARTS));
  }
  hb_hierarchy_clear(&a.bound);
  for (size_t i = 0; i < N; i++) /* negative control: orbits through the center */
    for (size_t k = 0; k < 3; k++) p->v[3 * i + k] = p->x[3 * i + k];
  analyse(p, 0, NULL, &a);
  expect_above(a.half.beta, 0.99);
  hb_hierarchy_clear(&a.bound);
  hb_particles_destroy(p);
}

static double share_within(double r) { return pow(1 + a_plummer * a_plummer / (r * r), -1.5); }

/* Of a shell's mass, boundaries are drawn: two of them, each with 4 standard deviations of the number within, which for the
 * difference of two is that of the shell's own number. */
static void plummer_has_its_density(void **state)
{
  (void)state;
  static struct analysis a;
  struct hb_particles *p = plummer();
  analyse(p, 0, NULL, &a);
  double tolerance = 4 / sqrt((double)N / PARTS);
  for (size_t k = 0; k + 1 < PARTS; k++) {
    const struct shell *s = a.shell + k;
    double m = share_within(s->r_out) - (k ? share_within(s->r_in) : 0);
    double rho = m / (4 * acos(-1) / 3 * (pow(s->r_out, 3) - pow(s->r_in, 3)));
    expect_below(fabs(s->rho / rho - 1), tolerance);
    expect_below(fabs(s->m - 1. / PARTS), 1e-12);
    expect_equal(s->n, N / PARTS);
    expect_at_least(fabs(s->rho / (1.3 * rho) - 1), tolerance);
  }
  /* sum rho^2 / sum rho for rho_0 (1 + r^2 / a^2)^(-5/2) */
  double rho_0 = 3 / (4 * acos(-1) * pow(a_plummer, 3)), one = 0, two = 0;
  for (double r = 5e-4; r < 50; r += 1e-3) {
    double rho = pow(1 + r * r / (a_plummer * a_plummer), -2.5);
    one += r * r * rho * rho, two += r * r * rho * rho * rho;
  }
  /* The inverse of a volume that holds six has <1 / V^2> = 5 / 4 <1 / V>^2. Their squares scatter by 1.5 each, six neighbors
   * share one, and some 6000 stars count: 5 %, times three. Negative control: without the factor. */
  expect_below(fabs(a.rho_core / (1.25 * rho_0 * two / one) - 1), 0.15);
  expect_at_least(fabs(a.rho_core / (rho_0 * two / one) - 1), 0.15);
  expect_below(fabs(a.m_core - share_within(0.4)), 0.03);
  expect_equal(a.n_core, (size_t)lround(a.m_core * N));
  hb_hierarchy_clear(&a.bound);
  hb_particles_destroy(p);
}

/* Two classes at random have half-mass radii that differ by some 1 / sqrt(n) of them; where the heavy ones are all within the
 * half-mass radius, the ratio is far from 1. */
static void segregation_of_two_classes(void **state)
{
  (void)state;
  static struct analysis a;
  const double limits[] = {1.5 / N, 10. / N};
  struct hb_particles *p = plummer();
  for (size_t i = 0; i < N; i += 4) p->m[i] = 2. / N;
  analyse(p, 0, NULL, &a);
  assert_int_equal(a.classes, 2);
  expect_equal(a.class[0].n, N * 3 / 4);
  expect_equal(a.class[1].n, N / 4);
  expect_below(fabs(a.class[1].m - 0.5), 1e-12);
  expect_below(fabs(a.segregation - 1), 6 / sqrt(N / 4));
  hb_hierarchy_clear(&a.bound);
  for (size_t i = 0; i < N; i++)
    p->m[i] = hypot(p->x[3 * i], hypot(p->x[3 * i + 1], p->x[3 * i + 2])) < 0.77 ? 2. / N : 1. / N;
  analyse(p, 2, limits, &a);
  assert_int_equal(a.classes, 3);
  expect_equal(a.class[2].n, 0);
  assert_true(isnan(a.class[2].r_lagrange[0]));
  assert_true(isnan(a.segregation)); /* of a class without stars there is none */
  hb_hierarchy_clear(&a.bound);
  analyse(p, 1, limits, &a);
  expect_above(a.segregation, 2);
  hb_hierarchy_clear(&a.bound);
  hb_particles_destroy(p);
}

static enum hb_status work(void *particles)
{
  static struct analysis a;
  struct hb_contents c;
  HB_TRY(hb_contents_of(particles, 0, NULL, HB_EXACT_ENERGY_NO, &c));
  enum hb_status status = analysis_of(particles, &c, 0, NULL, PARTS, &a);
  hb_hierarchy_clear(&a.bound);
  return status;
}

static void without_memory(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 64, .seed = 1}, &p));
  p->m[0] *= 2;
  support_survives_lack_of_memory(work, p, 10);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plummer_has_its_dispersion),
      cmocka_unit_test(plummer_has_its_density),
      cmocka_unit_test(segregation_of_two_classes),
      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
