/* core/identity, measure/diff.c and measure/contents.h against sums of their own. */
#include "support/support.h"

#include "measure/contents.h"
#include "measure/diff.c"

#include <math.h>
#include <string.h>

static void sorts_identities(void **state)
{
  (void)state;
  static const uint64_t ids[] = {9, 3, UINT64_MAX, 0, 7};
  static const uint32_t expected[] = {3, 1, 4, 0, 2};
  uint32_t order[5];
  size_t twice;
  ASSERT_OK(hb_identity_sort(5, ids, order, &twice));
  assert_int_equal(twice, 5);
  assert_memory_equal(order, expected, sizeof order);
  static const uint64_t repeated[] = {4, 2, 9, 2, 4}; /* 2 2 4 4 9 */
  ASSERT_OK(hb_identity_sort(5, repeated, order, &twice));
  assert_int_equal(twice, 0);
  assert_int_equal(order[0], 1);
  assert_int_equal(order[1], 3);
}

static struct hb_particles *cluster(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n}, &p));
  for (size_t i = 0; i < n; i++) p->id[i] = 1000 - 3 * i;
  return p;
}

/* The same in another order, with known differences. */
static void finds_differences(void **state)
{
  (void)state;
  enum { N = 64 };
  struct hb_particles *a = cluster(N), *b;
  struct difference d;
  ASSERT_OK(hb_particles_copy(a, &b));
  for (size_t i = 0; i < N; i++) {
    size_t k = (i * 13 + 5) % N; /* N is no multiple of 13 */
    b->id[i] = a->id[k];
    b->m[i] = a->m[k];
    memcpy(b->x + 3 * i, a->x + 3 * k, 3 * sizeof(double));
    memcpy(b->v + 3 * i, a->v + 3 * k, 3 * sizeof(double));
  }
  ASSERT_OK(find_difference(a, b, &d));
  assert_int_equal(d.matched, N);
  expect_equal(d.only_a, 0);
  expect_equal(d.only_b, 0);
  expect_equal(d.dt, 0);
  expect_equal(d.m.largest, 0);
  expect_equal(d.x.rms, 0);
  expect_equal(d.v.largest, 0);
  b->t = 0.5;
  b->m[3] += 0.25;
  double x2 = 0;
  for (size_t i = 0; i < N; i++) {
    double change[] = {ldexp((double)i, -10), -ldexp((double)i, -9), 0};
    for (int k = 0; k < 3; k++) {
      double before = b->x[3 * i + (size_t)k];
      b->x[3 * i + (size_t)k] += change[k];
      x2 += pow(b->x[3 * i + (size_t)k] - before, 2);
    }
  }
  b->v[3 * 7 + 1] -= 2;
  ASSERT_OK(find_difference(a, b, &d));
  expect_equal(d.dt, 0.5);
  expect_equal(d.m.largest, 0.25);
  expect_equal(d.m.id, b->id[3]);
  expect_below(fabs(d.m.rms - 0.25 / sqrt(N)), 1e-15);
  assert_int_equal(d.x.id, b->id[N - 1]);
  expect_below(fabs(d.x.largest - (N - 1) * sqrt(5) / 1024), 1e-15);
  expect_below(fabs(d.x.rms - sqrt(x2 / N)), 1e-15);
  expect_equal(d.v.id, b->id[7]);
  expect_below(fabs(d.v.largest - 2), 1e-15);
  hb_particles_destroy(a);
  hb_particles_destroy(b);
}

static void tells_who_is_missing(void **state)
{
  (void)state;
  struct hb_particles *a = cluster(8), *b = cluster(6);
  struct difference d;
  b->id[5] = 5; /* in neither */
  ASSERT_OK(find_difference(a, b, &d));
  assert_int_equal(d.matched, 5);
  assert_int_equal(d.only_a, 3);
  assert_int_equal(d.only_b, 1);
  b->id[4] = 5;
  ASSERT_FAILS(find_difference(a, b, &d), HB_ERR_INPUT,
               "matched by identity, but 5 occurs twice among those of the second file");
  ASSERT_FAILS(find_difference(b, a, &d), HB_ERR_INPUT, "the first file");
  hb_particles_destroy(a);
  hb_particles_destroy(b);
}

static void measures_contents(void **state)
{
  (void)state;
  enum { N = 100 };
  struct hb_particles *p = cluster(N);
  struct hb_contents c;
  double e_kin = 0, e_pot = 0, m = 0, P[3] = {0}, eps = 0.05;
  p->m[17] *= 3;
  for (size_t i = 0; i < N; i++) {
    m += p->m[i];
    for (size_t k = 0; k < 3; k++) P[k] += p->m[i] * p->v[3 * i + k];
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < 3; k++) e_kin += 0.5 * p->m[i] * pow(p->v[3 * i + k] - P[k] / m, 2);
    for (size_t j = 0; j < i; j++) {
      double r2 = eps * eps;
      for (size_t k = 0; k < 3; k++) r2 += pow(p->x[3 * i + k] - p->x[3 * j + k], 2);
      e_pot -= p->m[i] * p->m[j] / sqrt(r2);
    }
  }
  ASSERT_OK(hb_contents_of(p, eps, NULL, HB_EXACT_ENERGY_AUTO, &c));
  expect_equal(c.n, N);
  expect_below(fabs(c.m - m), 1e-15);
  expect_equal(c.m_least, p->m[0]);
  expect_equal(c.m_most, p->m[17]);
  expect_below(fabs(c.energies.e_kin - e_kin), 1e-14);
  expect_below(fabs(c.energies.e_pot - e_pot), 1e-14);
  expect_below(fabs(c.energies.e_total - (e_kin + e_pot)), 1e-14);
  expect_below(fabs(c.energies.virial_ratio + e_kin / e_pot), 1e-13);
  ASSERT_OK(hb_contents_of(p, eps, NULL, HB_EXACT_ENERGY_NO, &c));
  assert_true(isnan(c.energies.e_pot));
  expect_below(fabs(c.energies.e_kin - e_kin), 1e-14);
  hb_particles_destroy(p);
}

static double eps_of(const struct hb_particles *p)
{
  double eps;
  ASSERT_OK(hb_particles_eps(p, &eps));
  return eps;
}

static void finds_the_softening(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(2), *q;
  double eps;
  expect_equal(eps_of(p), 1.0 / 256); /* the model's */
  ASSERT_OK(hb_particles_create(2, &q));
  assert_true(isnan(eps_of(q)));
  ASSERT_OK(hb_particles_set_note(q, "options", "eta=0.01 reps=3 eps=0.125 dt_max=1/8"));
  expect_equal(eps_of(q), 0.125);
  ASSERT_OK(hb_particles_set_note(q, "eps", "2^-4"));
  expect_equal(eps_of(q), 0.0625);
  ASSERT_OK(hb_particles_set_note(q, "eps", "soft"));
  ASSERT_FAILS(hb_particles_eps(q, &eps), HB_ERR_INPUT, "eps = 'soft'");
  assert_true(isnan(eps));
  hb_particles_destroy(p);
  hb_particles_destroy(q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_identities),     cmocka_unit_test(finds_differences),
      cmocka_unit_test(tells_who_is_missing), cmocka_unit_test(measures_contents),
      cmocka_unit_test(finds_the_softening),
  };
  return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
