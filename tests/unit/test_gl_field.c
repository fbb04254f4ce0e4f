/* Forces from outside where particles stay on the device, shaders/hermite/field.glsl, against the host's. */
#include "support/pairs_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

/* All potentials, and coordinates that turn. */
static const char everything[] = "log:v=10,r=1,q=0.8 disc:m=2000,a=30,b=3,y=1 plummer:m=30,a=5,x=90 "
                                 "point:m=10,z=60 hill:w=0.1,k=0.15,n=0.12";

struct mode {
  enum hb_transfer transfer;
  enum hb_place predict, correct;
};
static const struct mode on_host = {HB_TRANSFER_ALL, HB_PLACE_HOST, HB_PLACE_HOST},
                         modes[] = {{HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU}};

enum { N = 8 };

/* The state at t of N stars of a total mass around R = 100, and what became of Jacobi's energy, relative to that of the motion. */
static struct hb_particles *run(double mass, const char *scheme, const char *precision,
                                const struct mode *mode, const char *field, double t, double *change)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_diagnostics first, last;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 3}, &p));
  for (size_t i = 0; i < N; i++) {
    hb_particles_m(p)[i] *= mass;
    hb_particles_x(p)[3 * i] += 100;
    hb_particles_v(p)[3 * i + 1] += 3;
  }
  const struct hb_sim_params params = {
      .force = {.scheme = scheme, .precision = precision, .eps = 0.25, .flags = HB_FORCE_NO_TUNE},
      .field = field,
      .transfer = mode->transfer,
      .predict = mode->predict,
      .correct = mode->correct};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  ASSERT_OK(hb_sim_diagnose(sim, 0, &first));
  ASSERT_OK(hb_sim_integrate(sim, t));
  ASSERT_OK(hb_sim_diagnose(sim, t, &last));
  *change = fabs(last.e_jacobi - first.e_jacobi) / (first.e_kin + first.e_bulk);
  ASSERT_OK(hb_sim_state(sim, t, &p));
  hb_sim_destroy(sim);
  return p;
}

static double distance(struct hb_particles *p, struct hb_particles *q)
{
  double sum = 0;
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++)
    sum += pow(hb_particles_x(p)[k] - hb_particles_x(q)[k], 2);
  return sqrt(sum / (double)hb_particles_n(p));
}

/* Places of 100 in double, and in ds to 48 bits and with float pulls of the pairs. The negative control is a field that differs by
 * one part in 10^4 of one of its parts. */
static void agrees_with_the_host(void **state)
{
  (void)state;
  static const struct {
    const char *scheme, *precision;
    double limit;
  } cases[] = {{"bag", "double", 1e-12}, {"bag", "ds", 1e-8}, {"tile", "ds", 1e-8}};
  const double t = 0.125;
  double change;
  struct hb_particles *host = run(1, "host", NULL, &on_host, everything, t, &change);
  struct hb_particles *other = run(1, "host", NULL, &on_host,
                                   "log:v=10,r=1,q=0.8 disc:m=2000,a=30,b=3,y=1 plummer:m=30,a=5,x=90 "
                                   "point:m=10,z=60 hill:w=0.10001,k=0.15,n=0.12",
                                   t, &change);
  expect_above(distance(host, other), 1e-6);
  hb_particles_destroy(other);
  for (size_t c = 0; c < COUNT_OF(cases); c++)
    for (size_t k = 0; k < COUNT_OF(modes); k++) {
      if (pairs_lacks_a(cases[c].scheme) || pairs_lacks_a(cases[c].precision)) continue;
      struct hb_particles *p = run(1, cases[c].scheme, cases[c].precision, &modes[k], everything, t, &change);
      if (!(distance(p, host) < cases[c].limit))
        fail_msg("%s %s, mode %zu: %g away", cases[c].scheme, cases[c].precision, k, distance(p, host));
      hb_particles_destroy(p);
    }
  hb_particles_destroy(host);
  pairs_skip_if_lacking();
}

/* Stars that do not feel each other on orbits that the device alone predicts and corrects, in ds and in coordinates that turn:
 * Jacobi's energy to 1e-8 in ten turns of 2 pi 100 / 13. */
static void conserves_jacobis_energy(void **state)
{
  (void)state;
  double change;
  hb_particles_destroy(run(1e-9, "bag", "ds", &modes[2], "log:v=10,r=1 frame:w=0.1", 480, &change));
  expect_below(change, 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_host),
      cmocka_unit_test(conserves_jacobis_energy),
  };
  return cmocka_run_group_tests_name("gl_field", tests, NULL, NULL);
}
