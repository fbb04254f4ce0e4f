#include "sim/diagnose.h"

#include "core/diagnostics.h"
#include "core/gravity.h"
#include "force/force.h"

#include <holmberg/diagnostics.h>

#include <math.h>

const char *const hb_exact_energy_names[] = {"auto", "yes", "no", NULL};

enum hb_status hb_diagnose_forces(struct hb_state_view *view, struct hb_force *force)
{
  const struct hb_particles *p = &view->at;
  struct hb_phases before = *hb_force_phases(force);
  enum hb_status status =
      hb_force_of(force, p->n, p->m, p->x, p->v, p->n, view->index, view->a, view->j, view->phi);
  *hb_force_phases(force) = before;
  return status;
}

enum hb_status hb_diagnose(struct hb_state_view *view, const struct hb_frame *frame, struct hb_force *force,
                           double eps2, int exact, struct hb_diagnostics *diagnostics)
{
  struct hb_particles *p = &view->at;
  struct hb_diagnostics d = {.t = p->t};
  /* the potentials of such a scheme are those of hb_gravity_potential, bit for bit: one sum is enough */
  int by_host = hb_force_scheme(force)->is_exact;
  d.exact_energy = exact || by_host;
  double center[3], velocity[3], half = 0.5;
  HB_TRY(hb_diagnose_forces(view, force));
  double e_pot_gpu = d.e_pot = hb_potential_energy(p, view->phi);
  if (exact && !by_host) {
    hb_gravity_potential(p->n, p->m, p->x, eps2, view->phi);
    d.e_pot = hb_potential_energy(p, view->phi);
  }
  hb_frame_leave(frame, p);
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d.e_kin, &d.e_bulk);
  d.e_gpu = d.e_kin + e_pot_gpu;
  d.e_total = d.e_kin + d.e_pot;
  d.virial_ratio = d.e_pot != 0 ? d.e_kin / fabs(d.e_pot) : 0; /* a lone particle has none */
  hb_lagrangian_radii(p, center, 1, &half, view->a, &d.r_half);
  *diagnostics = d;
  return HB_OK;
}
