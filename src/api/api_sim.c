/* hb_sim_*: particles, a source of forces and the integrator under one handle. */
#include "base/default.h"
#include "base/mem.h"
#include "core/diagnostics.h"
#include "force/force.h"
#include "step/hermite4.h"

#include <math.h>

struct hb_sim {
  struct hb_force *force;
  struct hb_hermite4 *hermite4;
  double eps2;
};

enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_sim **sim)
{
  *sim = NULL;
  HB_TRY(hb_particles_check(initial));
  struct hb_hermite4_params hermite4 = {.eta = hb_default_real(params->eta, 0.01),
                                        .dt_max = hb_default_real(params->dt_max, 0.125),
                                        .dt_min = hb_default_real(params->dt_min, ldexp(1, -26)),
                                        .rounding = params->rounding};
  struct hb_sim *s;
  HB_TRY(HB_ALLOC(1, &s));
  s->eps2 = params->force.eps * params->force.eps;
  enum hb_status status = hb_force_open(&params->force, &s->force);
  if (status == HB_OK) status = hb_hermite4_create(initial, &hermite4, s->force, &s->hermite4);
  if (status != HB_OK) {
    hb_sim_destroy(s);
    return status;
  }
  *sim = s;
  return HB_OK;
}

void hb_sim_destroy(struct hb_sim *sim)
{
  if (!sim) return;
  hb_hermite4_destroy(sim->hermite4);
  hb_force_close(sim->force);
  hb_mem_free(sim);
}

double hb_sim_next_time(const struct hb_sim *sim) { return hb_hermite4_next_time(sim->hermite4); }
enum hb_status hb_sim_step(struct hb_sim *sim) { return hb_hermite4_step(sim->hermite4); }
const struct hb_force *hb_sim_force(const struct hb_sim *sim) { return sim->force; }

void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts)
{
  const struct hb_hermite4 *h = sim->hermite4;
  *counts = (struct hb_sim_counts){.block_steps = h->block_steps,
                                   .particle_steps = h->particle_steps,
                                   .pairs = h->particle_steps * (h->n - 1)};
}

enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles)
{
  return hb_hermite4_state(sim->hermite4, t, particles);
}

/* Potential energy by the potentials of the source of forces. Its sources are set anew by each block step, so
 * the trajectory does not notice. */
static enum hb_status potential_of_source(struct hb_force *force, const struct hb_particles *p, double *e_pot)
{
  double *a = NULL, *j = NULL, *phi = NULL;
  uint32_t *index = NULL;
  enum hb_status status = HB_ALLOC(3 * p->n, &a);
  if (status == HB_OK) status = HB_ALLOC(3 * p->n, &j);
  if (status == HB_OK) status = HB_ALLOC(p->n, &phi);
  if (status == HB_OK) status = HB_ALLOC(p->n, &index);
  if (status == HB_OK) {
    for (size_t i = 0; i < p->n; i++) index[i] = (uint32_t)i;
    status = hb_force_of(force, p->n, p->m, p->x, p->v, p->n, index, a, j, phi);
  }
  if (status == HB_OK) status = hb_potential_energy_of(p, phi, e_pot);
  hb_mem_free(a);
  hb_mem_free(j);
  hb_mem_free(phi);
  hb_mem_free(index);
  return status;
}

static enum hb_status diagnose(struct hb_sim *sim, const struct hb_particles *p, struct hb_diagnostics *d)
{
  double e_pot_source;
  HB_TRY(hb_kinetic_energy(p, &d->e_kin));
  HB_TRY(hb_potential_energy(p, sim->eps2, &d->e_pot));
  HB_TRY(potential_of_source(sim->force, p, &e_pot_source));
  HB_TRY(hb_lagrangian_radius(p, 0.5, &d->r_half));
  d->t = p->t;
  d->e_total = d->e_kin + d->e_pot;
  d->e_gpu = d->e_kin + e_pot_source;
  d->virial_ratio = d->e_pot != 0 ? d->e_kin / fabs(d->e_pot) : 0; /* a lone particle has none */
  return HB_OK;
}

enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics)
{
  struct hb_particles *p;
  HB_TRY(hb_sim_state(sim, t, &p));
  struct hb_diagnostics d = {0};
  enum hb_status status = diagnose(sim, p, &d);
  if (status == HB_OK) *diagnostics = d;
  hb_particles_destroy(p);
  return status;
}
