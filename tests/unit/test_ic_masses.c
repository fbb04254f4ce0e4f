/* ic/ic.c, core/units.c: what stars weigh, and where the heavy ones are. */
#include "support/cluster_case.h"

#include "base/rng.h"
#include "core/particles.h"
#include "core/units.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ic/ic.c"

/* ---- mass functions ------------------------------------------------------------------------------------ */

/* The integral of m^-slope from a to b, if that is above a. */
static double power_law(double slope, double a, double b)
{
  return b > a ? (pow(b, 1 - slope) - pow(a, 1 - slope)) / (1 - slope) : 0;
}

static double least, most;

static double salpeter_below(double m)
{
  return power_law(2.35, least, fmin(m, most)) / power_law(2.35, least, most);
}

/* Kroupa 2001, eq. 2: continuous at 0.08 and 0.5. */
static double kroupa_stars(double m)
{
  double at1 = pow(0.08, 1), at2 = at1 * 0.5;
  return power_law(0.3, least, fmin(m, 0.08)) + at1 * power_law(1.3, fmax(least, 0.08), fmin(m, 0.5)) +
         at2 * power_law(2.3, fmax(least, 0.5), m);
}

static double kroupa_below(double m) { return kroupa_stars(fmin(m, most)) / kroupa_stars(most); }

static double distance(const char *masses, double (*distribution)(double))
{
  static double m[IC_SAMPLE];
  struct hb_rng rng = hb_rng_seeded(1);
  struct hb_ic_cluster c = {.masses = masses, .mass_min = least, .mass_max = most};
  size_t n = IC_SAMPLE;
  ASSERT_OK(cluster_check_masses(&c, &n));
  ASSERT_OK(cluster_draw_masses(&c, &rng, n, m));
  for (size_t i = 0; i < n; i++) {
    expect_at_least(m[i], least);
    expect_at_most(m[i], most);
  }
  return ic_kolmogorov(m, distribution);
}

static void mass_functions(void **state)
{
  (void)state;
  static const double limits[][2] = {{0.08, 100}, {0.01, 50}, {0.1, 0.3}, {0.7, 20}};
  for (size_t k = 0; k < COUNT_OF(limits); k++) {
    least = limits[k][0], most = limits[k][1];
    expect_below(distance("salpeter", salpeter_below), IC_KOLMOGOROV);
    expect_below(distance("kroupa", kroupa_below), IC_KOLMOGOROV);
    if (k == 3) continue;                                            /* slopes of 2.3 and 2.35 */
    expect_above(distance("salpeter", kroupa_below), IC_KOLMOGOROV); /* the negative controls */
    expect_above(distance("kroupa", salpeter_below), IC_KOLMOGOROV);
  }
}

static void two_classes(void **state)
{
  (void)state;
  struct hb_particles *p =
      cluster_make("plummer", 1000, (struct hb_ic_cluster){.masses = "two", .mass_ratio = 5, .heavy = 0.2});
  for (size_t i = 0; i < 1000; i++) ic_assert_near(p->m[i], i < 200 ? 5 / 1800.0 : 1 / 1800.0, IC_ROUNDING);
  hb_particles_destroy(p);
}

static void write_file(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  expect_at_least(fputs(text, file), 0);
  assert_int_equal(fclose(file), 0);
}

static void masses_from_a_file(void **state)
{
  (void)state;
  static const struct {
    const char *text, *sentence;
  } bad[] = {{"1\n2 3\n", "masses:2: '2 ...', expected one mass > 0 in each line"},
             {"1\n-2\n", "masses:2: '-2'"},
             {"1\nnan\n", "masses:2: 'nan'"},
             {"# none\n\n", "there is no mass in it"}};
  char path[] = "/tmp/holmberg_test_masses_XXXXXX";
  struct hb_particles *p;
  struct hb_units units;
  int are_known;
  assert_non_null(mkdtemp(path));
  assert_int_equal(chdir(path), 0);
  write_file("masses", "# solar masses\n10\n\n 0.5 # a dwarf\n1.5");
  p = cluster_make("plummer", 0, (struct hb_ic_cluster){.masses = "masses", .units = {.length = 2}});
  assert_int_equal(p->n, 3);
  static const double m[] = {10, 0.5, 1.5};
  for (size_t i = 0; i < 3; i++) ic_assert_near(p->m[i], m[i] / 12, IC_ROUNDING);
  ASSERT_OK(hb_units_get(p, &units, &are_known));
  assert_true(are_known);
  expect_equal(units.mass, 12);
  expect_equal(units.length, 2);
  hb_particles_destroy(p);
  struct hb_ic_params params = {.n = 4, .cluster.masses = "masses"};
  ASSERT_FAILS(hb_ic_make("plummer", &params, &p), HB_ERR_USAGE,
               "masses has 3 masses, but 4 particles were asked for");
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    write_file("masses", bad[k].text);
    params.n = 0;
    ASSERT_FAILS(hb_ic_make("plummer", &params, &p), HB_ERR_INPUT, bad[k].sentence);
  }
  assert_int_equal(unlink("masses"), 0);
  assert_int_equal(rmdir(path), 0);
}

/* ---- units --------------------------------------------------------------------------------------------- */

static void units_of_two(void **state)
{
  (void)state;
  struct hb_units u = {.mass = 1000, .length = 1}, v = {.mass = 1000}, w = {.length = 1};
  ASSERT_OK(hb_units_complete(&u));
  /* G = 0.00430091 (km/s)^2 pc / M_sun and pc / (km/s) = 0.977792 Myr, as in the literature */
  double speed = sqrt(4.30091);
  ic_assert_near(hb_units_velocity(&u), speed, 2e-6 * speed);
  ic_assert_near(u.time, 0.977792 / speed, 2e-6);
  const double gm_sun = 1.3271244e20, pc = 648000 / acos(-1) * 149597870700.0,
               myr = 3.15576e13; /* IAU, in m and s */
  ic_assert_near(gm_sun * myr * myr / (pc * pc * pc), 1 / (1000 * u.time * u.time), 1e-15);
  v.time = w.time = u.time;
  ASSERT_OK(hb_units_complete(&v));
  ASSERT_OK(hb_units_complete(&w));
  ic_assert_near(v.length, 1, 1e-14);
  ic_assert_near(w.mass, 1000, 1e-11);
  ASSERT_OK(hb_units_complete(&u)); /* all three, which agree */
  ASSERT_FAILS(hb_units_complete(&(struct hb_units){.mass = 1}), HB_ERR_USAGE, "units need two of");
  ASSERT_FAILS(hb_units_complete(&(struct hb_units){.mass = 1, .length = 1, .time = 1}), HB_ERR_USAGE,
               "make G = ");
  ASSERT_FAILS(hb_units_complete(&(struct hb_units){.mass = -1, .length = 1}), HB_ERR_USAGE,
               "the unit of mass is -1");
}

static void units_are_kept(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_units u = {.mass = 1234.5678901234567, .time = 0.1}, got;
  int are_known;
  ASSERT_OK(hb_particles_create(1, &p));
  ASSERT_OK(hb_units_get(p, &got, &are_known));
  assert_false(are_known);
  ASSERT_OK(hb_units_set(p, &u));
  ASSERT_OK(hb_units_get(p, &got, &are_known));
  assert_true(are_known);
  expect_equal(got.mass, u.mass);
  ic_assert_near(got.time, 0.1, 1e-15);
  static const char *const bad[] = {"", "mass_msun=1", "mass_msun=0 length_pc=1",
                                    "mass_msun=1 length_pc=1 x"};
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    ASSERT_OK(hb_particles_set_note(p, "units", bad[k]));
    ASSERT_FAILS(hb_units_get(p, &got, &are_known), HB_ERR_INPUT, "the note units is");
  }
  hb_particles_destroy(p);
}

/* ---- segregation --------------------------------------------------------------------------------------- */

/* Half-mass radius of the stars first to end - 1 in the order of mass, heaviest first. */
static double median_radius(const struct hb_particles *p, size_t first, size_t end)
{
  static double minus_m[IC_SAMPLE], r[IC_SAMPLE];
  static size_t by_mass[IC_SAMPLE], by_radius[IC_SAMPLE];
  for (size_t i = 0; i < p->n; i++) minus_m[i] = -p->m[i];
  ASSERT_OK(cluster_sort(p->n, minus_m, by_mass));
  for (size_t k = first; k < end; k++) r[k - first] = ic_length(p->x + 3 * by_mass[k]);
  ASSERT_OK(cluster_sort(end - first, r, by_radius));
  return r[by_radius[(end - first) / 2]];
}

/* The largest difference of the mass within r from Plummer's, as a share. */
static double profile_error(const struct hb_particles *p)
{
  static double r[IC_SAMPLE];
  static size_t order[IC_SAMPLE];
  double within = 0, worst = 0, a = 3 * 3.14159265358979323846 / 16;
  for (size_t i = 0; i < p->n; i++) r[i] = ic_length(p->x + 3 * i);
  ASSERT_OK(cluster_sort(p->n, r, order));
  for (size_t k = 0; k < p->n; k++) {
    double x = r[order[k]], s = x / sqrt(x * x + a * a);
    within += p->m[order[k]];
    worst = fmax(worst, fabs(within - s * s * s));
  }
  return worst;
}

static struct hb_particles *segregated(double degree)
{
  struct hb_ic_params params = {.n = IC_SAMPLE,
                                .seed = 1,
                                .scaling = HB_IC_SCALING_MODEL,
                                .cluster = {.masses = "kroupa", .mass_max = 10, .segregation = degree}};
  return ic_make("plummer", params);
}

static void heavy_stars_inside(void **state)
{
  (void)state;
  double ratio[3];
  for (int k = 0; k < 3; k++) {
    struct hb_particles *p = segregated(0.5 * k);
    ratio[k] = median_radius(p, 0, 400) / median_radius(p, 2000, IC_SAMPLE);
    /* a star of 10 in 1700 solar masses is 0.6 %, and the shuffled ones make noise of 0.87 sqrt (<m^2> / <m>^2 / n) = 2.6 % */
    expect_below(profile_error(p), 0.04);
    hb_particles_destroy(p);
  }
  ic_assert_near(ratio[0], 1, 0.12); /* medians of 400 and 2096 stars */
  expect_below(ratio[1], 0.85);
  expect_below(ratio[2], 0.5);
  expect_below(ratio[2], ratio[1]);
}

/* The negative control: orbits that are shared out by numbers of stars, not by mass, do not keep the profile. */
static void the_profile_needs_the_masses(void **state)
{
  (void)state;
  struct hb_particles *p = segregated(0), *all = segregated(0);
  static double nearly_equal[IC_SAMPLE];
  static size_t orbit[IC_SAMPLE];
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t i = 0; i < p->n; i++) nearly_equal[i] = 1 + 1e-9 * p->m[i];
  ASSERT_OK(cluster_segregate(&rng, 1, p->n, nearly_equal, all->n, all->x, all->v, orbit));
  for (size_t i = 0; i < p->n; i++) memcpy(p->x + 3 * i, all->x + 3 * orbit[i], 3 * sizeof *p->x);
  expect_above(profile_error(p), 0.1);
  hb_particles_destroy(p);
  hb_particles_destroy(all);
}

static void full_segregation_is_an_order(void **state)
{
  (void)state;
  enum { N = 5, PLACES = 40 };
  static const double m[N] = {3, 1, 10, 2, 1.5};
  double x[3 * PLACES] = {0}, v[3 * PLACES] = {0};
  size_t orbit[N];
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t k = 0; k < PLACES; k++)
    x[3 * k + k % 3] = (double)(k + 1); /* at rest: farther out is more energy */
  ASSERT_OK(cluster_segregate(&rng, 1, N, m, PLACES, x, v, orbit));
  expect_below(orbit[2], orbit[0]);
  expect_below(orbit[0], orbit[3]);
  expect_below(orbit[3], orbit[4]);
  expect_below(orbit[4], orbit[1]);
  assert_int_equal(orbit[2], 11); /* the middle of 10 / 17.5 of 40 */
}

static void every_orbit_once(void **state)
{
  (void)state;
  enum { N = 200 };
  double m[N], x[3 * N], v[3 * N] = {0};
  size_t orbit[N], taken[N] = {0};
  struct hb_rng rng = hb_rng_seeded(2);
  for (size_t i = 0; i < N; i++) m[i] = i < 3 ? 1000 : 1e-3;
  for (size_t k = 0; k < 3 * N; k++) x[k] = hb_rng_uniform(&rng);
  ASSERT_OK(cluster_segregate(&rng, 0.9, N, m, N, x, v, orbit)); /* as many orbits as stars */
  for (size_t i = 0; i < N; i++) taken[orbit[i]]++;
  for (size_t i = 0; i < N; i++) assert_int_equal(taken[i], 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_functions),
      cmocka_unit_test(two_classes),
      cmocka_unit_test(masses_from_a_file),
      cmocka_unit_test(units_of_two),
      cmocka_unit_test(units_are_kept),
      cmocka_unit_test(heavy_stars_inside),
      cmocka_unit_test(the_profile_needs_the_masses),
      cmocka_unit_test(full_segregation_is_an_order),
      cmocka_unit_test(every_orbit_once),
  };
  return cmocka_run_group_tests_name("ic_masses", tests, NULL, NULL);
}
