/* Energies, centre of mass and radii on configurations whose values are known. */
#include "core/structure.h"
#include "core/diagnostics.h"
#include "support/ic_case.h"
#include "support/step_case.h"
#include "support/support.h"

#include <float.h>
#include <math.h>

/* A handful of roundings. Negative control: the softening of test_energies changes e_pot by 1e-3. */
static const double tolerance = 8 * DBL_EPSILON;

static struct hb_particles *particles(size_t n, const double *m, const double *x, const double *v)
{
  struct hb_particles *p;
  assert_int_equal(hb_particles_create(n, &p), HB_OK);
  for (size_t i = 0; i < n; i++) p->m[i] = m[i];
  for (size_t k = 0; k < 3 * n; k++) p->x[k] = x[k], p->v[k] = v ? v[k] : 0;
  return p;
}

static void test_sum_is_compensated(void **state)
{
  (void)state;
  const double cancels[] = {1, 1e100, 1, -1e100};
  expect_equal(hb_sum(4, cancels), 2);
  double tenths[1000], plain = 0;
  for (int k = 0; k < 1000; k++) plain += tenths[k] = 0.1;
  expect_equal(hb_sum(1000, tenths), 100);
  expect_other(plain, 100); /* negative control: what the carry is for */
  expect_equal(hb_sum(0, NULL), 0);
}

/* A triangle 3-4-5 with masses 1 2 3. */
static void test_energies(void **state)
{
  (void)state;
  const double m[] = {1, 2, 3}, x[] = {0, 0, 0, 3, 0, 0, 0, 4, 0}, v[] = {1, 0, 0, 0, 2, 0, 1, 1, 1};
  struct hb_particles *p = particles(3, m, x, v);
  double e_kin, e_pot, e_soft;
  e_kin = hb_kinetic_energy(p);
  expect_equal(e_kin, 0.5 + 4 + 4.5);
  e_pot = step_potential_energy(p, 0);
  expect_near(e_pot, -(2.0 / 3 + 3.0 / 4 + 6.0 / 5), tolerance);
  e_soft = step_potential_energy(p, 0.01);
  expect_near(e_soft, -(2 / sqrt(9.01) + 3 / sqrt(16.01) + 6 / sqrt(25.01)), tolerance);
  expect_above(fabs(e_soft - e_pot), tolerance * fabs(e_pot));
  const double phi[] = {-1, -2, -3};
  e_pot = hb_potential_energy(p, phi);
  expect_equal(e_pot, -7);
  hb_particles_destroy(p);
}

static void test_centre_of_mass(void **state)
{
  (void)state;
  const double m[] = {1, 3}, x[] = {0, 0, 8, 4, 0, 0}, v[] = {4, 0, 0, 0, 4, 0};
  struct hb_particles *p = particles(2, m, x, v);
  double xc[3], vc[3];
  hb_center_of_mass(p, xc, vc);
  expect_equal(xc[0], 3);
  expect_equal(xc[1], 0);
  expect_equal(xc[2], 2);
  expect_equal(vc[0], 1);
  expect_equal(vc[1], 3);
  expect_equal(vc[2], 0);
  p->m[0] = p->m[1] = 0;
  hb_center_of_mass(p, xc, vc);
  expect_equal(xc[0], 0);
  expect_equal(xc[2], 0);
  expect_equal(vc[1], 0);
  hb_particles_destroy(p);
}

/* Pairs at -r, +r for r = 1 2 3 4 5 around (10, 0, 0): the centre does not move. */
static void test_lagrangian_radii(void **state)
{
  (void)state;
  double m[10], x[30] = {0};
  for (int i = 0; i < 10; i++) {
    m[i] = 0.1;
    x[3 * i] = 10 + (i % 2 ? 1 : -1) * (5 - i / 2);
  }
  struct hb_particles *p = particles(10, m, x, NULL);
  const double fractions[] = {0.2, 0.21, 0.4, 0.6, 1, 1e-9}, radii[] = {1, 2, 2, 3, 5, 1};
  for (int k = 0; k < 6; k++) {
    expect_near(ic_radius(p, fractions[k]), radii[k], tolerance);
  }
  p->m[9] = 1; /* the one at distance 1 now holds more than half */
  p->x[27] = 10;
  expect_below(ic_radius(p, 0.5), 1);
  hb_particles_destroy(p);
}

static void test_auto_pays_up_to_a_bound(void **state)
{
  (void)state;
  assert_true(hb_energy_is_exact(HB_EXACT_ENERGY_AUTO, 32768));
  assert_false(hb_energy_is_exact(HB_EXACT_ENERGY_AUTO, 32769));
  assert_true(hb_energy_is_exact(HB_EXACT_ENERGY_YES, 1000000));
  assert_false(hb_energy_is_exact(HB_EXACT_ENERGY_NO, 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sum_is_compensated),      cmocka_unit_test(test_energies),
      cmocka_unit_test(test_centre_of_mass),          cmocka_unit_test(test_lagrangian_radii),
      cmocka_unit_test(test_auto_pays_up_to_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
