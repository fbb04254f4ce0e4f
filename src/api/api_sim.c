/* hb_sim_*: particles, a source of forces and the integrator under one handle. */
#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/particles.h"
#include "force/force.h"
#include "perf/model.h"
#include "step/integrator.h"

#include <math.h>

struct hb_sim {
  struct hb_force *force;
  const struct hb_integrator_ops *integrator;
  void *state; /* the integrator's */
  double eps2;
  double n_steps_plummer; /* block steps per unit of time that a Plummer sphere would take */
  double t_judged;        /* when the steps were judged last, and the counts of then */
  struct hb_sim_counts judged;
};

static double or_default(double value, double fallback) { return value == 0 ? fallback : value; }

static struct hb_sim_params complete(const struct hb_sim_params *given)
{
  struct hb_sim_params params = *given;
  params.eta = or_default(given->eta, 0.01);
  params.dt_max = or_default(given->dt_max, 0.125);
  params.dt_min = or_default(given->dt_min, ldexp(1, -26));
  params.damping = or_default(given->damping, 1);
  return params;
}

enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *given,
                             struct hb_sim **sim)
{
  *sim = NULL;
  HB_TRY(hb_particles_check(initial));
  const struct hb_sim_params params = complete(given);
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params.integrator, &integrator));
  struct hb_sim *s;
  HB_TRY(HB_ALLOC(1, &s));
  s->integrator = integrator;
  s->eps2 = params.force.eps * params.force.eps;
  s->n_steps_plummer = HB_MODEL_ROUNDED_DOWN * hb_model_n_steps((double)initial->n, params.eta);
  s->t_judged = initial->t;
  enum hb_status status = hb_force_open(&params.force, &s->force);
  if (status == HB_OK) status = integrator->create(initial, &params, s->force, &s->state);
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
  sim->integrator->destroy(sim->state);
  hb_force_close(sim->force);
  hb_mem_free(sim);
}

double hb_sim_next_time(const struct hb_sim *sim) { return sim->integrator->next_time(sim->state); }
enum hb_status hb_sim_step(struct hb_sim *sim) { return sim->integrator->step(sim->state); }
const struct hb_force *hb_sim_force(const struct hb_sim *sim) { return sim->force; }

void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts)
{
  sim->integrator->counts(sim->state, counts);
}

int hb_sim_step_trouble(struct hb_sim *sim, struct hb_step_trouble *trouble)
{
  static const uint64_t enough = 1000;
  static const double many_noisy = 0.25, some_noisy = 1.0 / 16, too_many_steps = 1.5;
  struct hb_sim_counts now, *then = &sim->judged;
  *trouble = (struct hb_step_trouble){0};
  hb_sim_counts(sim, &now);
  if (now.block_steps - then->block_steps < enough) return 0;
  double t = sim->integrator->time(sim->state);
  trouble->noisy =
      (double)(now.noisy_steps - then->noisy_steps) / (double)(now.particle_steps - then->particle_steps);
  trouble->n_steps = (double)(now.block_steps - then->block_steps) / (t - sim->t_judged);
  trouble->n_steps_plummer = sim->n_steps_plummer;
  trouble->at_dt_min = now.at_dt_min;
  sim->t_judged = t;
  sim->judged = now;
  int collapsed = now.at_dt_min > 0 || trouble->n_steps > too_many_steps * trouble->n_steps_plummer;
  return trouble->noisy > many_noisy || (trouble->noisy > some_noisy && collapsed);
}

void hb_sim_phases(const struct hb_sim *sim, struct hb_phases *phases)
{
  sim->integrator->phases(sim->state, phases);
  const struct hb_phases *force = hb_force_phases(sim->force);
  phases->send_s = force->send_s;
  phases->force_s = force->force_s;
  phases->receive_s = force->receive_s;
}

enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles)
{
  return sim->integrator->particles(sim->state, t, particles);
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
    struct hb_phases before = *hb_force_phases(force);
    status = hb_force_of(force, p->n, p->m, p->x, p->v, p->n, index, a, j, phi);
    *hb_force_phases(force) = before;
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
