/* The Jacobi radius, and what is within, of systems where it is known. */
#include "support/support.h"

#include "measure/analyze.c"

#include <math.h>
#include <string.h>

enum { N = 4096 };

static const double a_plummer = 0.58904862254808623221; /* 3 pi / 16 */

static struct hb_particles *plummer(void)
{
  struct hb_particles *p;
  const struct hb_ic_params params = {.n = N, .seed = 5, .scaling = HB_IC_SCALING_MODEL};
  ASSERT_OK(hb_ic_make("plummer", &params, &p));
  return p;
}

static double share_within(double r) { return pow(1 + a_plummer * a_plummer / (r * r), -1.5); }

/* A Plummer sphere has M(r) / r^3 = (r^2 + a^2)^-3/2, so r_J^2 = tide^-2/3 - a^2. */
static void plummer_ends_where_its_tide_says(void **state)
{
  (void)state;
  const double tides[] = {0.01, 0.1, 0.5};
  struct hb_particles *p = plummer(), *inside;
  for (size_t k = 0; k < COUNT_OF(tides); k++) {
    double r, expected = sqrt(pow(tides[k], -2. / 3) - a_plummer * a_plummer), M = 0;
    ASSERT_OK(jacobi_inside(p, tides[k], &r, &inside));
    for (size_t i = 0; i < inside->n; i++) M += inside->m[i];
    expect_below(fabs(M / (tides[k] * r * r * r) - 1), 1e-12); /* its own equation */
    double share = share_within(expected);
    expect_below(fabs(M - share), 5 * sqrt(share * (1 - share) / N) + 1e-3);
    expect_below(fabs(r / expected - 1), 0.03);
    hb_particles_destroy(inside);
  }
  hb_particles_destroy(p);
}

/* Stars far away, and a clump of them whose density is higher, change nothing; identities and order stay. */
static void what_has_left_does_not_count(void **state)
{
  (void)state;
  enum { FAR = 40, CLUMP = 12 };
  double r[2];
  struct hb_particles *p = plummer(), *all, *inside[2];
  ASSERT_OK(hb_particles_create(N + FAR, &all));
  memcpy(all->m, p->m, N * sizeof *p->m);
  memcpy(all->x, p->x, 3 * N * sizeof *p->x);
  memcpy(all->v, p->v, 3 * N * sizeof *p->v);
  memcpy(all->id, p->id, N * sizeof *p->id);
  for (size_t i = N; i < N + FAR; i++) {
    double step = i < N + CLUMP ? 1e-3 : 1;
    all->m[i] = 1. / N;
    all->id[i] = i;
    all->x[3 * i] = 30 + step * (double)(i - N);
    all->x[3 * i + 1] = step * (double)((i * i) % 7);
  }
  ASSERT_OK(jacobi_inside(p, 0.01, &r[0], &inside[0]));
  ASSERT_OK(jacobi_inside(all, 0.01, &r[1], &inside[1]));
  assert_int_equal(inside[0]->n, inside[1]->n);
  assert_memory_equal(inside[0]->id, inside[1]->id, inside[0]->n * sizeof *p->id);
  assert_memory_equal(inside[0]->x, inside[1]->x, 3 * inside[0]->n * sizeof *p->x);
  expect_equal(r[0], r[1]);
  expect_below(inside[0]->n, N);
  hb_particles_destroy(inside[0]);
  hb_particles_destroy(inside[1]);
  hb_particles_destroy(all);
  hb_particles_destroy(p);
}

static void a_tide_that_leaves_nothing(void **state)
{
  (void)state;
  double r;
  struct hb_particles *p = plummer(), *inside;
  ASSERT_FAILS(jacobi_inside(p, 1e12, &r, &inside), HB_ERR_INPUT, "no star is within the Jacobi radius");
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plummer_ends_where_its_tide_says),
      cmocka_unit_test(what_has_left_does_not_count),
      cmocka_unit_test(a_tide_that_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
