/* A trial step after a change is by the same pulls as any other, to the last bit: r^2 is summed before eps^2. */
#include "support/step_case.h"
#include "support/support.h"

#include "step/hermite4_change.c"

#include <holmberg/holmberg.h>

#include <stdio.h>

enum { N = 64 };

static struct hb_pull pull_on_one(const struct hb_particles *p, size_t i, double eps2)
{
  struct hb_pull f = {{0}, {0}};
  for (size_t j = 0; j < p->n; j++) {
    double r[3], v[3];
    if (j == i) continue;
    hb_between(p->x, i, j, r);
    hb_between(p->v, i, j, v);
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps2, mr3 = p->m[j] / (r2 * sqrt(r2));
    double s = 3 * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) / r2;
    for (size_t c = 0; c < 3; c++) f.a[c] += mr3 * r[c], f.k[c] += mr3 * (v[c] - s * r[c]);
  }
  return f;
}

static void test_softened(void **state)
{
  (void)state;
  static const double eps[] = {0, 0.01, 0.1};
  const struct hb_sim_params params = {.eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-30};
  for (size_t e = 0; e < COUNT_OF(eps); e++) {
    struct hb_particles *p;
    struct hb_hermite4 *h;
    ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p));
    struct hb_force *force = step_host(eps[e]);
    ASSERT_OK(step_hermite4(p, &params, force, &h));
    const struct change c = {.h = h, .eps2 = eps[e] * eps[e]};
    size_t others = 0;
    for (uint32_t i = 0; i < N; i++) {
      const struct hb_pull f = pull_after(&c, i, 0), expected = pull_on_one(p, i, c.eps2);
      others += memcmp(&f, &expected, sizeof f) != 0;
    }
    printf("eps %g: %zu of %d pulls have other bits\n", eps[e], others, N);
    assert_int_equal(others, 0);
    step_hermite4_destroy(h);
    hb_force_close(force);
    hb_particles_destroy(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_softened)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
