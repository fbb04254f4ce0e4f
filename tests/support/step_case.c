#include "support/step_case.h"

#include "support/support.h"
#include "core/diagnostics.h"
#include "core/gravity.h"

double step_potential_energy(const struct hb_particles *p, double eps2)
{
  double *phi = malloc(p->n * sizeof *phi);
  assert_non_null(phi);
  hb_gravity_potential(p->n, p->m, p->x, eps2, phi);
  double e_pot = hb_potential_energy(p, phi);
  free(phi);
  return e_pot;
}
