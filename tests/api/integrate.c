/* Particles in, integrated to t = 1, energies out: masses of 3, 4 and 5 at rest, in the corners of a right triangle with
 * sides of 3, 4 and 5. Their energy is -(3 4 / 5 + 3 5 / 4 + 4 5 / 3). */
#include <holmberg/diagnostics.h>
#include <holmberg/holmberg.h>
#include <stdio.h>

static int fail(void)
{
  fprintf(stderr, "%s\n", hb_error());
  return 1;
}

int main(void)
{
  static const double m[3] = {3, 4, 5}, x[3][3] = {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}};
  struct hb_particles *particles;
  struct hb_sim *sim;
  struct hb_diagnostics now;

  if (hb_particles_create(3, &particles) != HB_OK) return fail();
  for (int i = 0; i < 3; i++) {
    hb_particles_m(particles)[i] = m[i];
    for (int k = 0; k < 3; k++) hb_particles_x(particles)[3 * i + k] = x[i][k];
  }
  struct hb_sim_params params = {.eta = 0.005, .force = {.eps = 0}};
  if (hb_sim_create(particles, &params, &sim) != HB_OK) return fail();
  for (int t = 0; t <= 4; t++) {
    if (hb_sim_integrate(sim, t / 4.0) != HB_OK) return fail();
    if (hb_sim_diagnose(sim, t / 4.0, &now) != HB_OK) return fail();
    printf("t = %.2f  E = %.9f\n", now.t, now.e_total);
  }
  hb_sim_destroy(sim);
  hb_particles_destroy(particles);
  return 0;
}
