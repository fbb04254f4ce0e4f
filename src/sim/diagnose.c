#include "sim/diagnose.h"

#include "base/mem.h"
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
      hb_force_of(force, &(struct hb_force_job){.sources = {p->n, p->m, p->x, p->v},
                                                .sinks = {.n = p->n, .index = view->index},
                                                .to = {view->a, view->j, view->phi}});
  *hb_force_phases(force) = before;
  return status;
}

/* In double the potentials of such a scheme are those of hb_gravity_potential, bit for bit: one sum is enough. */
static int is_by_host(const struct hb_force *force)
{
  return hb_force_scheme(force)->is_exact && hb_force_facts(force)->is_double;
}

/* Of the stars' potentials in double, whatever the source's are. work[n]. */
static enum hb_status sum_potential(const struct hb_particles *p, double eps2, double *work, double *e_pot)
{
  /* the only sum over pairs that ranks do not share out */
  if (hb_ranks_number() == 0) hb_gravity_potential(p->n, p->m, p->x, eps2, work);
  *e_pot = hb_potential_energy(p, work);
  return hb_ranks_share(e_pot, sizeof *e_pot);
}

/* The rest, in the given coordinates. work[2 * n]. */
static void add_rest(struct hb_particles *p, const struct hb_binary *pairs, const struct hb_state_view *view,
                     const struct hb_field *field, double e_pot_gpu, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5;
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, view->a, &d->r_half);
  d->e_pot += view->e_rounded;
  d->e_gpu = d->e_kin + e_pot_gpu + view->e_rounded;
  d->e_total = d->e_kin + d->e_pot;
  if (field) hb_energy_add_field(p, field, d);
  hb_energy_split(p, pairs, view->e_rounded, field, view->a, d);
}

/* What the stars have: test particles, which are not among p, have no energies. */
static enum hb_status add_stars(struct hb_particles *p, const struct hb_frame *frame,
                                const struct hb_force *force, const struct hb_state_view *view,
                                const struct hb_field *field, double eps2, struct hb_diagnostics *d)
{
  struct hb_binary *pairs = NULL;
  double e_pot_gpu = d->e_pot;
  int by_host = is_by_host(force), is_gravity = hb_force_interaction(force) == HB_INTERACTION_GRAVITY;
  d->binaries = (struct hb_binaries){.a_hardest = NAN, .hard_above = NAN};
  if (d->exact_energy && !by_host) HB_TRY(sum_potential(p, eps2, view->a, &d->e_pot));
  enum hb_status status =
      is_gravity ? hb_energy_find_binaries(p, eps2, d->e_pot, &pairs, &d->binaries) : HB_OK;
  hb_frame_leave(frame, p);
  if (status == HB_OK) add_rest(p, pairs, view, field, e_pot_gpu, d);
  hb_mem_free(pairs);
  return status;
}

enum hb_status hb_diagnose(struct hb_state_view *view, const struct hb_frame *frame, struct hb_force *force,
                           const struct hb_field *field, double eps2, int exact,
                           struct hb_diagnostics *diagnostics)
{
  struct hb_diagnostics d = {.t = view->at.t, .e_jacobi = NAN, .exact_energy = exact || is_by_host(force)};
  struct hb_particles *stars;
  HB_TRY(hb_diagnose_forces(view, force));
  d.e_pot = hb_potential_energy(&view->at, view->phi);
  HB_TRY(hb_particles_copy_massive(&view->at, &stars));
  enum hb_status status = add_stars(stars ? stars : &view->at, frame, force, view, field, eps2, &d);
  hb_particles_destroy(stars);
  if (status == HB_OK) *diagnostics = d;
  return status;
}
