#include "sim/diagnose.h"

#include "base/ranks.h"
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

void hb_diagnose_field(const struct hb_particles *p, const struct hb_field *field, struct hb_diagnostics *d)
{
  double sum = 0, lost = 0;
  for (size_t i = 0; i < p->n; i++) { /* compensated: with Kahan's lost low part */
    double term = p->m[i] * hb_field_potential(field, p->x + 3 * i) - lost, next = sum + term;
    lost = next - sum - term;
    sum = next;
  }
  double momentum[3], L[3];
  hb_momentum(p, momentum, L);
  d->e_field = sum;
  d->e_total += d->e_bulk + sum;
  d->e_gpu += d->e_bulk + sum;
  d->e_jacobi = hb_field_turn(field) != 0 ? d->e_total : d->e_total - hb_field_omega(field) * L[2];
}

/* What the stars have: test particles, which are not among p, have no energies. work[2 * n]. */
static enum hb_status add_stars(struct hb_particles *p, const struct hb_frame *frame, double eps2,
                                int by_host, double *work, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5;
  if (d->exact_energy && !by_host) { /* the only sum over pairs that ranks do not share out */
    if (hb_ranks_number() == 0) hb_gravity_potential(p->n, p->m, p->x, eps2, work);
    d->e_pot = hb_potential_energy(p, work);
    HB_TRY(hb_ranks_share(&d->e_pot, sizeof d->e_pot));
  }
  hb_frame_leave(frame, p);
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, work, &d->r_half);
  return HB_OK;
}

enum hb_status hb_diagnose(struct hb_state_view *view, const struct hb_frame *frame, struct hb_force *force,
                           double eps2, int exact, struct hb_diagnostics *diagnostics)
{
  struct hb_diagnostics d = {.t = view->at.t, .e_jacobi = NAN};
  struct hb_particles *stars;
  /* in double the potentials of such a scheme are those of hb_gravity_potential, bit for bit: one sum is enough */
  int by_host = hb_force_scheme(force)->is_exact && hb_force_facts(force)->is_double;
  d.exact_energy = exact || by_host;
  HB_TRY(hb_diagnose_forces(view, force));
  double e_pot_gpu = d.e_pot = hb_potential_energy(&view->at, view->phi);
  HB_TRY(hb_particles_copy_massive(&view->at, &stars));
  enum hb_status status = add_stars(stars ? stars : &view->at, frame, eps2, by_host, view->a, &d);
  if (stars) hb_frame_leave(frame, &view->at);
  hb_particles_destroy(stars);
  HB_TRY(status);
  d.e_gpu = d.e_kin + e_pot_gpu;
  d.e_total = d.e_kin + d.e_pot;
  d.virial_ratio = d.e_pot != 0 ? d.e_kin / fabs(d.e_pot) : 0; /* a lone particle has none */
  *diagnostics = d;
  return HB_OK;
}
