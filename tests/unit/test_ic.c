/* ic/: every model holds what its comment promises. */
#include "support/ic_case.h"
#include "support/step_case.h"

#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The digits of the literature. */
static const double FIGURE8 = 1e-13;

static double total_mass(const struct hb_particles *p) { return hb_sum(p->n, p->m); }

static double energy(const struct hb_particles *p)
{
  return hb_kinetic_energy(p) + step_potential_energy(p, 0);
}

static void assert_centred(const struct hb_particles *p, double tolerance)
{
  double x[3], v[3];
  hb_center_of_mass(p, x, v);
  for (int k = 0; k < 3; k++) {
    ic_assert_near(x[k], 0, tolerance);
    ic_assert_near(v[k], 0, tolerance);
  }
}

static double angular_momentum_z(const struct hb_particles *p)
{
  double sum = 0;
  for (size_t i = 0; i < p->n; i++)
    sum += p->m[i] * (p->x[3 * i] * p->v[3 * i + 1] - p->x[3 * i + 1] * p->v[3 * i]);
  return sum;
}

/* ---- all models ---------------------------------------------------------------------------------------- */

/* The bytes of every model at its own n, seed 1: a change here changes everyone's runs. */
static const struct {
  const char *model;
  uint64_t fingerprint;
} golden[] = {
    {"plummer", UINT64_C(0xc30589fada03456d)},     {"king", UINT64_C(0xb0e6cb613c480e1a)},
    {"coldsphere", UINT64_C(0xe52f89c192dccf7f)},  {"cube", UINT64_C(0x4e7fb11ff6c0c002)},
    {"twobody", UINT64_C(0x0a3eb36857303705)},     {"figure8", UINT64_C(0xcd0b980295f4de6e)},
    {"pythagorean", UINT64_C(0x52f0ba42afc509d1)}, {"holmberg1941", UINT64_C(0x3a0a5640a464fa51)},
    {"disc", UINT64_C(0xce41d0220b7f1ca8)},        {"merger", UINT64_C(0x52f48b5f4b6c21c3)},
    {"demo1", UINT64_C(0xaf7f0e181017dcef)},       {"demo2", UINT64_C(0xfcd3fd617c158367)},
    {"demo3", UINT64_C(0xab52462390c41590)},       {"demo4", UINT64_C(0xab52462390c41590)},
    {"demo5", UINT64_C(0x7452200269380749)},       {"demo6", UINT64_C(0x148d1e9b3cd97866)},
    {"demo7", UINT64_C(0x6c166ae9db8b0f51)},
};

static void same_bytes_everywhere(void **state)
{
  (void)state;
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  assert_int_equal(count, COUNT_OF(golden));
  int wrong = 0;
  for (size_t k = 0; k < count; k++) {
    struct hb_particles *p = ic_make(models[k].name, (struct hb_ic_params){.seed = 1});
    uint64_t got = ic_fingerprint(p);
    size_t g = 0;
    while (g < COUNT_OF(golden) && strcmp(golden[g].model, models[k].name) != 0) g++;
    expect_below(g, COUNT_OF(golden));
    if (got != golden[g].fingerprint) {
      print_error("{\"%s\", UINT64_C(0x%016llx)},\n", models[k].name, (unsigned long long)got);
      wrong++;
    }
    hb_particles_destroy(p);
  }
  assert_int_equal(wrong, 0);
}

static void models_are_sound(void **state)
{
  (void)state;
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++) {
    const struct hb_ic_model *m = &models[k];
    struct hb_particles *p;
    assert_true(m->name && m->summary && m->source && m->options);
    expect_at_least(m->n_min, 1);
    expect_at_most(m->n_min, m->n);
    expect_at_most(m->n, m->n_max);
    ASSERT_OK(hb_ic_make(m->name, NULL, &p));
    assert_int_equal(p->n, m->n);
    expect_equal(p->t, 0);
    ASSERT_OK(hb_particles_check(p));
    expect_above(total_mass(p), 0);
    if (strcmp(m->name, "cube") != 0 && strncmp(m->name, "demo", 4) != 0) assert_centred(p, IC_SUM);
    hb_particles_destroy(p);
    /* the smallest number is possible, and one less is refused */
    p = ic_make(m->name, (struct hb_ic_params){.n = m->n_min});
    assert_int_equal(p->n, m->n_min);
    ASSERT_OK(hb_particles_check(p));
    hb_particles_destroy(p);
    if (m->n_min > 1)
      ASSERT_FAILS(hb_ic_make(m->name, &(struct hb_ic_params){.n = m->n_min - 1}, &p), HB_ERR_USAGE, m->name);
    ASSERT_FAILS(hb_ic_make(m->name, &(struct hb_ic_params){.n = m->n_max + 1}, &p), HB_ERR_USAGE, m->name);
    assert_null(p);
  }
}

static void seeds_matter(void **state)
{
  (void)state;
  static const char *const seeded[] = {"plummer", "coldsphere", "cube", "demo1", "demo7"};
  for (size_t k = 0; k < COUNT_OF(seeded); k++) {
    struct hb_particles *p = ic_make(seeded[k], (struct hb_ic_params){.n = 64, .seed = 1});
    struct hb_particles *again = ic_make(seeded[k], (struct hb_ic_params){.n = 64, .seed = 1});
    struct hb_particles *other = ic_make(seeded[k], (struct hb_ic_params){.n = 64, .seed = 2});
    expect_equal(ic_fingerprint(p), ic_fingerprint(again));
    expect_other(ic_fingerprint(p), ic_fingerprint(other));
    hb_particles_destroy(p);
    hb_particles_destroy(again);
    hb_particles_destroy(other);
  }
}

static void refuses_nonsense(void **state)
{
  (void)state;
  static const struct {
    const char *model, *sentence;
    struct hb_ic_params params;
  } cases[] = {
      {"plumer", "did you mean 'plummer'", {0}},
      {"", "unknown model ''", {0}},
      {"figure8", "model figure8 has 3 particles, not 4", {.n = 4}},
      {"twobody", "eccentricity e is 1, expected 0 <= e < 1", {.e = 1}},
      {"twobody", "eccentricity", {.e = -0.1}},
      {"twobody", "eccentricity", {.e = NAN}},
      {"twobody", "mass m1 is -1", {.m1 = -1}},
      {"twobody", "mass m2 is inf", {.m2 = INFINITY}},
      {"twobody", "semi-major axis a is -2", {.a = -2}},
      {"plummer", "cut-off radius is -1", {.r_cut = -1}},
      {"plummer", "cut-off radius is nan", {.r_cut = NAN}},
      {"holmberg1941", "velocity at infinity is -1", {.velocity = -1}},
      {"holmberg1941", "spin is inf", {.spin = INFINITY}},
      {"demo3", "the shape is 3, expected 0, 1 or 2", {.shape = (enum hb_ic_shape)3}},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct hb_particles *p = (struct hb_particles *)&p;
    ASSERT_FAILS(hb_ic_make(cases[k].model, &cases[k].params, &p), HB_ERR_USAGE, cases[k].sentence);
    assert_null(p);
  }
}

static enum hb_status make_and_forget(void *data)
{
  (void)data;
  struct hb_particles *p;
  enum hb_status status = hb_ic_make("plummer", &(struct hb_ic_params){.n = 100}, &p);
  hb_particles_destroy(p);
  return status;
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  support_survives_lack_of_memory(make_and_forget, NULL, 5);
}

/* ---- plummer ------------------------------------------------------------------------------------------- */

static const double PLUMMER_A = 3 * 3.14159265358979323846 / 16; /* Plummer radius in Heggie-Mathieu units */

static void plummer_is_in_equilibrium(void **state)
{
  (void)state;
  static const size_t numbers[] = {2, 3, 100, 1024, 4096};
  for (size_t k = 0; k < COUNT_OF(numbers); k++) {
    struct hb_particles *p = ic_make("plummer", (struct hb_ic_params){.n = numbers[k], .seed = k});
    double e_kin = hb_kinetic_energy(p), e_pot = step_potential_energy(p, 0);
    ic_assert_near(total_mass(p), 1, IC_ROUNDING);
    ic_assert_near(e_kin, 0.25, 1e-13);
    ic_assert_near(e_pot, -0.5, 1e-13);
    assert_centred(p, IC_SUM);
    hb_particles_destroy(p);
  }
}

struct told {
  int words;
  double last;
};

static void tell(void *context, double done)
{
  struct told *told = context;
  expect_above(done, told->last);
  expect_at_most(done, 1);
  told->last = done;
  told->words++;
}

static void large_spheres_take_the_models_sums_and_long_sums_are_told(void **state)
{
  (void)state;
  struct told told = {0};
  assert_int_equal(hb_ic_scaling_for(131072), HB_IC_SCALING_MEASURED);
  assert_int_equal(hb_ic_scaling_for(131073), HB_IC_SCALING_MODEL);
  struct hb_ic_params params = {.n = 17000, .progress = tell, .progress_context = &told};
  hb_particles_destroy(ic_make("plummer", params)); /* 2.9e8 pairs: two parts */
  assert_int_equal(told.words, 2);
  expect_equal(told.last, 1);
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mass_within(double r)
{
  double s = r / sqrt(r * r + PLUMMER_A * PLUMMER_A);
  return s * s * s;
}

static void plummer_radii(void **state)
{
  (void)state;
  static double r[IC_SAMPLE];
  struct hb_particles *p = ic_make("plummer", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 3});
  for (size_t i = 0; i < IC_SAMPLE; i++) r[i] = ic_length(p->x + 3 * i);
  expect_below(ic_kolmogorov(r, mass_within), IC_KOLMOGOROV);
  /* the half-mass radius is 1.3048 a; the slope of mass_within there is 0.4254 / a, so a sample's median has the
   * standard deviation 0.5 / sqrt(n) a / 0.4254, of which 4 are allowed */
  const double half_mass = 1.3048 * PLUMMER_A, allowed = 4 * 0.5 / sqrt(IC_SAMPLE) * PLUMMER_A / 0.4254;
  double r_half;
  r_half = ic_radius(p, 0.5);
  ic_assert_near(r_half, half_mass, allowed);
  hb_particles_destroy(p);

  /* the negative control: a uniform sphere, brought to the same half-mass radius, and a cube */
  p = ic_make("coldsphere", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 3});
  for (size_t i = 0; i < IC_SAMPLE; i++) r[i] = ic_length(p->x + 3 * i) * half_mass / cbrt(0.5);
  expect_above(ic_kolmogorov(r, mass_within), IC_KOLMOGOROV);
  hb_particles_destroy(p);
  p = ic_make("cube", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 3});
  r_half = ic_radius(p, 0.5);
  expect_above(fabs(r_half - half_mass), allowed);
  hb_particles_destroy(p);
}

/* The integral of q^2 (1 - q^2)^(7/2) from 0 to q, over that to 1, which is 7 pi / 512: midpoint rule, exact to
 * 1e-7 with this many steps. */
static double slower_than(double q)
{
  enum { STEPS = 500 };
  if (q >= 1) return 1;
  double sum = 0, h = q / STEPS;
  for (int k = 0; k < STEPS; k++) {
    double u = (k + 0.5) * h;
    sum += u * u * pow(1 - u * u, 3.5) * h;
  }
  return sum * 512 / (7 * 3.14159265358979323846);
}

static double slower_in_a_ball(double q) { return q < 1 ? q * q * q : 1; }

static void plummer_speeds(void **state)
{
  (void)state;
  static double q[IC_SAMPLE];
  struct hb_particles *p = ic_make("plummer", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 4});
  for (size_t i = 0; i < IC_SAMPLE; i++) {
    double r = ic_length(p->x + 3 * i);
    q[i] = ic_length(p->v + 3 * i) / sqrt(2 / sqrt(r * r + PLUMMER_A * PLUMMER_A));
  }
  expect_below(ic_kolmogorov(q, slower_than), IC_KOLMOGOROV);
  expect_above(ic_kolmogorov(q, slower_in_a_ball), IC_KOLMOGOROV); /* the negative control */
  hb_particles_destroy(p);
}

/* The farthest radius over the median one. */
static double extent(double r_cut)
{
  static double r[IC_SAMPLE];
  struct hb_particles *p =
      ic_make("plummer", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 5, .r_cut = r_cut});
  for (size_t i = 0; i < IC_SAMPLE; i++) r[i] = ic_length(p->x + 3 * i);
  hb_particles_destroy(p);
  qsort(r, IC_SAMPLE, sizeof *r, ascending);
  return r[IC_SAMPLE - 1] / r[IC_SAMPLE / 2];
}

static void plummer_cut_off(void **state)
{
  (void)state;
  /* at a cut-off of 5, 0.943 of the mass is left and half of that is within 1.239: the ratio is 4.035, and the
   * median of the sample is known to 4 percent (4 standard deviations) */
  ic_assert_near(extent(5), 4.035, 0.04 * 4.035);
  expect_above(extent(0), 2 * 4.035); /* the negative control */
  /* the core of Plummer's sphere has an even density: cbrt 2 */
  ic_assert_near(extent(1e-3), cbrt(2), 0.02 * cbrt(2));
}

/* ---- the others ---------------------------------------------------------------------------------------- */

static void twobody_orbits(void **state)
{
  (void)state;
  static const struct hb_ic_params cases[] = {
      {0}, {.e = 0.9}, {.m1 = 1, .m2 = 1e-3, .a = 5, .e = 0.2}, {.m1 = 1e-6, .m2 = 3, .a = 0.01, .e = 0.999}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    const struct hb_ic_params *c = &cases[k];
    double m1 = c->m1 > 0 ? c->m1 : 0.5, m2 = c->m2 > 0 ? c->m2 : 0.5, a = c->a > 0 ? c->a : 1;
    struct hb_particles *p = ic_make("twobody", *c);
    double e = -m1 * m2 / (2 * a);
    double l = m1 * m2 * sqrt(a * (1 - c->e * c->e) / (m1 + m2));
    /* at apocentre the energy is a difference of terms 2 / (1 + e) times as large as itself */
    ic_assert_near(energy(p), e, IC_ROUNDING * fabs(e) * 2);
    /* and 1 - e^2 is a difference too */
    ic_assert_near(angular_momentum_z(p), l, IC_ROUNDING * l / (1 - c->e));
    ic_assert_near(p->x[3] - p->x[0], a * (1 + c->e), IC_ROUNDING * a);
    expect_equal(p->x[1], 0);
    expect_equal(p->v[0], 0);
    expect_equal(p->v[3], 0);
    assert_centred(p, IC_ROUNDING * a);
    hb_particles_destroy(p);
  }
}

static void figure8_is_balanced(void **state)
{
  (void)state;
  struct hb_particles *p = ic_make("figure8", (struct hb_ic_params){0});
  double x[3], v[3];
  hb_center_of_mass(p, x, v);
  for (int k = 0; k < 3; k++) {
    expect_equal(x[k], 0);
    expect_equal(v[k], 0);
  }
  ic_assert_near(angular_momentum_z(p), 0, FIGURE8);
  ic_assert_near(energy(p), -1.287146, 1e-5); /* six digits in the literature */
  expect_equal(total_mass(p), 3);
  hb_particles_destroy(p);
}

static void pythagorean_is_at_rest(void **state)
{
  (void)state;
  struct hb_particles *p = ic_make("pythagorean", (struct hb_ic_params){0});
  double x[3], v[3];
  hb_center_of_mass(p, x, v);
  for (int k = 0; k < 3; k++) {
    expect_equal(x[k], 0);
    expect_equal(v[k], 0);
  }
  ic_assert_near(energy(p), -(3.0 * 4 / 5 + 3.0 * 5 / 4 + 4.0 * 5 / 3), IC_ROUNDING * 13);
  hb_particles_destroy(p);
}

static void coldsphere_is_uniform(void **state)
{
  (void)state;
  static double r[IC_SAMPLE];
  struct hb_particles *p = ic_make("coldsphere", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 6});
  double e_pot = step_potential_energy(p, 0);
  /* U = -3/5: a shell's share varies by about its own size, so the sum by 1 / sqrt(n), of which 4 are allowed */
  ic_assert_near(e_pot, -0.6, 4 * 0.6 / sqrt(IC_SAMPLE));
  for (size_t i = 0; i < IC_SAMPLE; i++) {
    r[i] = ic_length(p->x + 3 * i);
    for (int k = 0; k < 3; k++) ic_assert_near(p->v[3 * i + k], 0, IC_SUM);
  }
  expect_below(ic_kolmogorov(r, ic_inside_unit_sphere), IC_KOLMOGOROV);
  expect_above(ic_kolmogorov(r, mass_within), IC_KOLMOGOROV); /* the negative control */
  ic_assert_near(total_mass(p), 1, IC_ROUNDING);
  hb_particles_destroy(p);
}

static void cube_is_in_its_bounds(void **state)
{
  (void)state;
  struct hb_particles *p = ic_make("cube", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 7});
  double mean[3] = {0}, square[3] = {0};
  for (size_t k = 0; k < 3 * IC_SAMPLE; k++) {
    expect_below(fabs(p->x[k]), 1);
    expect_equal(p->v[k], 0);
    mean[k % 3] += p->x[k] / IC_SAMPLE;
    square[k % 3] += p->x[k] * p->x[k] / IC_SAMPLE;
  }
  for (int k = 0; k < 3; k++) { /* variances 1/3 and 4/45, 5 standard deviations */
    ic_assert_near(mean[k], 0, 5 * sqrt(1.0 / 3 / IC_SAMPLE));
    ic_assert_near(square[k], 1.0 / 3, 5 * sqrt(4.0 / 45 / IC_SAMPLE));
  }
  hb_particles_destroy(p);
}

/* ---- holmberg1941 -------------------------------------------------------------------------------------- */

enum { LAMPS = 37 };

/* Mean position and velocity of LAMPS particles from first on. */
static void centre_of_nebula(const struct hb_particles *p, size_t first, double x[2], double v[2])
{
  for (int k = 0; k < 2; k++) x[k] = v[k] = 0;
  for (size_t i = first; i < first + LAMPS; i++)
    for (size_t k = 0; k < 2; k++) {
      x[k] += p->m[i] * p->x[3 * i + k]; /* a nebula has mass 1 */
      v[k] += p->m[i] * p->v[3 * i + k];
    }
}

static void holmberg1941_orbit(void **state)
{
  (void)state;
  static const double velocities[] = {0, 0.5, 3};
  for (size_t c = 0; c < COUNT_OF(velocities); c++) {
    double w = velocities[c], q = 2, mass = 2;
    struct hb_particles *p = ic_make("holmberg1941", (struct hb_ic_params){.velocity = w});
    double x1[2], v1[2], x2[2], v2[2];
    assert_int_equal(p->n, 2 * LAMPS);
    ic_assert_near(total_mass(p), 2, IC_SUM);
    centre_of_nebula(p, 0, x1, v1);
    centre_of_nebula(p, LAMPS, x2, v2);
    double x = x1[0] - x2[0], y = x1[1] - x2[1], vx = v1[0] - v2[0], vy = v1[1] - v2[1];
    ic_assert_near(sqrt(x * x + y * y), 4, IC_SUM);
    ic_assert_near((vx * vx + vy * vy) / 2 - mass / 4, w * w / 2, IC_SUM * 10);
    ic_assert_near(x * vy - y * vx, q * sqrt(w * w + 2 * mass / q), IC_SUM * 10);
    expect_below(x * vx + y * vy, 0); /* they approach */
    hb_particles_destroy(p);
  }
}

/* The first nebula alone, about its own centre. */
static struct hb_particles *one_nebula(double spin)
{
  struct hb_particles *both = ic_make("holmberg1941", (struct hb_ic_params){.spin = spin}), *p;
  double x[2], v[2];
  centre_of_nebula(both, 0, x, v);
  ASSERT_OK(hb_particles_create(LAMPS, &p));
  memcpy(p->m, both->m, LAMPS * sizeof *p->m);
  for (size_t i = 0; i < LAMPS; i++)
    for (size_t k = 0; k < 2; k++) {
      p->x[3 * i + k] = both->x[3 * i + k] - x[k];
      p->v[3 * i + k] = both->v[3 * i + k] - v[k];
    }
  hb_particles_destroy(both);
  return p;
}

/* On every ring the mean pull inwards is what the turning needs: v^2 = -(a . x). */
static void holmberg1941_rings(void **state)
{
  (void)state;
  static const struct {
    size_t lamps;
    double radius, candle_power;
  } rings[] = {{1, 0, 1}, {6, 0.25, 1}, {8, 0.5, 1}, {10, 0.75, 0.7}, {12, 1, 0.3}};
  struct hb_particles *p = one_nebula(1);
  struct hb_gravity *gravity;
  ASSERT_OK(hb_gravity_create(LAMPS, &gravity));
  hb_gravity_set_j(gravity, LAMPS, p->m, p->x, p->v);
  uint32_t index[LAMPS];
  double a[3 * LAMPS], j[3 * LAMPS], phi[LAMPS];
  for (uint32_t i = 0; i < LAMPS; i++) index[i] = i;
  hb_gravity_eval(gravity, 0, LAMPS, index, a, j, phi);
  for (size_t k = 0, i = 0; k < COUNT_OF(rings); k++) {
    double excess = 0;
    for (size_t lamp = 0; lamp < rings[k].lamps; lamp++, i++) {
      const double *x = p->x + 3 * i, *v = p->v + 3 * i;
      ic_assert_near(ic_length(x), rings[k].radius, IC_SUM);
      ic_assert_near(p->m[i] / p->m[0], rings[k].candle_power, IC_ROUNDING);
      excess += v[0] * v[0] + v[1] * v[1] + a[3 * i] * x[0] + a[3 * i + 1] * x[1];
    }
    ic_assert_near(excess, 0, IC_SUM * 10);
  }
  hb_gravity_destroy(gravity);
  hb_particles_destroy(p);
}

static void holmberg1941_turns_both_ways(void **state)
{
  (void)state;
  struct hb_particles *direct = one_nebula(0), *retrograde = one_nebula(-1);
  double l = angular_momentum_z(direct);
  expect_above(l, 0.1);
  ic_assert_near(angular_momentum_z(retrograde), -l, IC_SUM * 10);
  hb_particles_destroy(direct);
  hb_particles_destroy(retrograde);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bytes_everywhere),
      cmocka_unit_test(models_are_sound),
      cmocka_unit_test(large_spheres_take_the_models_sums_and_long_sums_are_told),
      cmocka_unit_test(seeds_matter),
      cmocka_unit_test(refuses_nonsense),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(plummer_is_in_equilibrium),
      cmocka_unit_test(plummer_radii),
      cmocka_unit_test(plummer_speeds),
      cmocka_unit_test(plummer_cut_off),
      cmocka_unit_test(twobody_orbits),
      cmocka_unit_test(figure8_is_balanced),
      cmocka_unit_test(pythagorean_is_at_rest),
      cmocka_unit_test(coldsphere_is_uniform),
      cmocka_unit_test(cube_is_in_its_bounds),
      cmocka_unit_test(holmberg1941_orbit),
      cmocka_unit_test(holmberg1941_rings),
      cmocka_unit_test(holmberg1941_turns_both_ways),
  };
  return cmocka_run_group_tests_name("ic", tests, NULL, NULL);
}
