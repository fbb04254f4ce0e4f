/* ic/ic.c against King's model, integrated here in another way: with erf, and by the midpoint rule in small steps. */
#include "support/ic_case.h"

#include "base/text.h"
#include "core/diagnostics.h"
#include "core/particles.h"
#include "support/support.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { ROWS = 40000 };

/* G = 1, sigma = 1 and r in King's core radii; mass with the factor 9 of his equation. */
static struct model {
  int count;
  double r[ROWS], W[ROWS], M[ROWS], length, speed; /* those of the units U = -1/2, M = 1 */
} model;

static double density(double W)
{
  if (W <= 0) return 0;
  return exp(W) * erf(sqrt(W)) - sqrt(4 * W / PI) * (1 + 2 * W / 3);
}

static void integrate(double W0)
{
  double r = 1e-4, W = W0 - 1.5 * r * r, M = 3 * r * r * r, u = 0, rho0 = density(W0);
  struct model *m = &model;
  m->count = 0;
  while (W > 0 && m->count < ROWS) {
    m->r[m->count] = r, m->W[m->count] = W, m->M[m->count++] = M;
    double h = 2e-4 * (1 + 2 * r);
    double middle = r + h / 2, Wm = W - M / (r * r) * h / 2, Mm = M + 9 * density(W) / rho0 * r * r * h / 2;
    double dM = 9 * density(Wm) / rho0 * middle * middle * h;
    u -= Mm / middle * dM;
    W -= Mm / (middle * middle) * h;
    M += dM;
    r += h;
  }
  expect_below(m->count, ROWS);
  m->length = -2 * u / (M * M);
  m->speed = sqrt(1 / (M * m->length)); /* sigma in those units */
}

static double at_radius(double r, const double *column)
{
  int low = 0, high = model.count - 1;
  double x = r / model.length;
  if (x >= model.r[high]) return column[high];
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (model.r[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return column[low] + (column[high] - column[low]) * (x - model.r[low]) / (model.r[high] - model.r[low]);
}

static double mass_within(double r) { return at_radius(r, model.M) / model.M[model.count - 1]; }

/* The moment of v^power of King's distribution up to the speed v, by midpoints. */
static double moment(double W, double v, int power)
{
  enum { STEPS = 400 };
  double sum = 0, h = v / STEPS;
  for (int k = 0; k < STEPS; k++) {
    double u = (k + 0.5) * h;
    sum += pow(u, power) * expm1(W - u * u / 2) * h;
  }
  return sum;
}

static struct hb_particles *sample(double w0)
{
  return ic_make("king",
                 (struct hb_ic_params){.n = IC_SAMPLE, .seed = 1, .w0 = w0, .scaling = HB_IC_SCALING_MODEL});
}

static double concentration(double W0)
{
  integrate(W0);
  return log10(model.r[model.count - 1]);
}

/* The model of this test itself: log r_t / r0 of King 1966, as printed with two or three digits in the literature. */
static void concentrations(void **state)
{
  (void)state;
  ic_assert_near(concentration(3), 0.672, 2e-3);
  ic_assert_near(concentration(6), 1.255, 2e-3);
  ic_assert_near(concentration(9), 2.120, 2e-3);
}

static double radii(double w0)
{
  static double r[IC_SAMPLE];
  struct hb_particles *p = sample(w0);
  for (size_t i = 0; i < IC_SAMPLE; i++) r[i] = ic_length(p->x + 3 * i);
  hb_particles_destroy(p);
  return ic_kolmogorov(r, mass_within);
}

static void density_profile(void **state)
{
  (void)state;
  static const double depths[] = {0.5, 3, 6, 9, 12};
  for (size_t k = 0; k < COUNT_OF(depths); k++) {
    integrate(depths[k]);
    expect_below(radii(depths[k]), IC_KOLMOGOROV);
  }
  integrate(6); /* the negative controls: neighbors of the right model */
  expect_above(radii(5), IC_KOLMOGOROV);
  expect_above(radii(7), IC_KOLMOGOROV);
}

static double uniform(double u) { return fmin(fmax(u, 0), 1); }

/* The share of stars at the same place that are slower than each star: uniform. */
static double speeds(double w0)
{
  static double share[IC_SAMPLE];
  struct hb_particles *p = sample(w0);
  for (size_t i = 0; i < IC_SAMPLE; i++) {
    double W = fmax(at_radius(ic_length(p->x + 3 * i), model.W), 1e-9),
           v = ic_length(p->v + 3 * i) / model.speed;
    share[i] = moment(W, fmin(v, sqrt(2 * W)), 2) / moment(W, sqrt(2 * W), 2);
  }
  hb_particles_destroy(p);
  return ic_kolmogorov(share, uniform);
}

static void speed_distribution(void **state)
{
  (void)state;
  static const double depths[] = {1, 6, 12};
  for (size_t k = 0; k < COUNT_OF(depths); k++) {
    integrate(depths[k]);
    expect_below(speeds(depths[k]), IC_KOLMOGOROV);
  }
  integrate(8);
  expect_above(speeds(6), IC_KOLMOGOROV); /* the negative control */
}

/* Mean v^2 in 16 shells of 256 stars, against the model's at the same places: the largest difference in standard deviations
 * of the sample's mean. */
static double worst_dispersion(double w0)
{
  enum { SHELLS = 16, STARS = IC_SAMPLE / SHELLS };
  double expected[SHELLS] = {0}, found[SHELLS] = {0}, square[SHELLS] = {0}, worst = 0;
  struct hb_particles *p = sample(w0);
  for (size_t i = 0; i < IC_SAMPLE; i++) {
    double r = ic_length(p->x + 3 * i), W = fmax(at_radius(r, model.W), 1e-9), v = ic_length(p->v + 3 * i);
    int shell = (int)fmin(mass_within(r) * SHELLS, SHELLS - 1);
    double mean = moment(W, sqrt(2 * W), 4) / moment(W, sqrt(2 * W), 2) * model.speed * model.speed;
    expected[shell] += mean, found[shell] += v * v, square[shell] += (v * v - mean) * (v * v - mean);
  }
  for (int k = 0; k < SHELLS; k++) worst = fmax(worst, fabs(found[k] - expected[k]) / sqrt(square[k]));
  hb_particles_destroy(p);
  return worst;
}

/* 16 normal numbers exceed 3.5 in one of 130 samples. */
static void dispersion_profile(void **state)
{
  (void)state;
  integrate(6);
  expect_below(worst_dispersion(6), 3.5);
  integrate(8); /* the negative control */
  expect_above(worst_dispersion(6), 3.5);
}

/* With the sums of the model, the sample's energy is that of the model but for noise: U by about its own size / sqrt n. */
static void scale_of_the_model(void **state)
{
  (void)state;
  struct hb_particles *p = sample(6);
  ic_assert_near(hb_kinetic_energy(p), 0.25, 4 * 0.25 / sqrt(IC_SAMPLE));
  hb_particles_destroy(p);
}

static double reach(const struct hb_ic_params *params, const char *name)
{
  const double shift = 0.2; /* to the center of mass, and of a binary's members */
  double r = 0;
  struct hb_particles *p = ic_make(name, *params);
  const char *note = hb_particles_note(p, "initial_tidal_radius");
  assert_true(!note || hb_text_number(note, &r) == HB_OK);
  for (size_t i = 0; i < p->n && note; i++) expect_below(ic_length(p->x + 3 * i), r + shift);
  hb_particles_destroy(p);
  return r;
}

/* Measured units scatter by the noise of the sample's potential, about 1 / sqrt n. */
static void tells_where_it_ends(void **state)
{
  (void)state;
  integrate(6);
  double expected = model.r[model.count - 1] * model.length;
  struct hb_ic_params params = {.n = 1024, .w0 = 6, .scaling = HB_IC_SCALING_MODEL};
  ic_assert_near(reach(&params, "king"), expected, 2e-3 * expected);
  params.scaling = HB_IC_SCALING_MEASURED;
  params.cluster.binaries = 0.2;
  ic_assert_near(reach(&params, "king"), expected, 5. / 32 * expected);
  params.cluster.tidal_radius = 2;
  expect_equal(reach(&params, "king"), 2);
  params.w0 = 0;
  expect_equal(reach(&params, "plummer"), 2);
  params.cluster.tidal_radius = 0;
  expect_equal(reach(&params, "plummer"), 0);
}

static void refuses_depths(void **state)
{
  (void)state;
  static const double depths[] = {-1, 0.01, 17, NAN};
  struct hb_particles *p;
  for (size_t k = 0; k < COUNT_OF(depths); k++)
    ASSERT_FAILS(hb_ic_make("king", &(struct hb_ic_params){.w0 = depths[k]}, &p), HB_ERR_USAGE,
                 "expected 0.1 to 16");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(concentrations),     cmocka_unit_test(density_profile),
      cmocka_unit_test(speed_distribution), cmocka_unit_test(dispersion_profile),
      cmocka_unit_test(scale_of_the_model), cmocka_unit_test(tells_where_it_ends),
      cmocka_unit_test(refuses_depths),
  };
  return cmocka_run_group_tests_name("ic_king", tests, NULL, NULL);
}
