/* hb_sim_*: particles, a source of forces and an integrator in one handle. */
#include "sim/diagnose.h"
#include "sim/sim_bodies.h"
#include "sim/sim.h"
#include "sim/sim_interaction.h"
#include "base/arith.h"
#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/particles.h"
#include "core/softening.h"
#include "core/structure.h"
#include "gl/gl_shader.h"
#include "force/force.h"
#include "force/force_ranks.h"
#include "force/rescale.h"
#include "perf/machine_model.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

double hb_sim_default_dt_min(double eps) { return eps == 0 ? 0x1p-40 : 0x1p-26; }

/* The params' own softening, or that of the particles, which then say it. */
static enum hb_status settle_eps(struct hb_force_params *force, struct hb_particles *initial)
{
  double noted;
  if (force->eps == 0 && !(force->flags & HB_FORCE_UNSOFTENED)) {
    HB_TRY(hb_particles_eps(initial, &noted));
    if (!isnan(noted)) force->eps = noted;
  }
  return hb_softening_note(initial, force->eps);
}

enum hb_first_step hb_sim_default_first_step(const struct hb_sim_params *params,
                                             const struct hb_particles *initial)
{
  const struct hb_integrator_info *integrator =
      params->integrator ? hb_integrator_named(params->integrator) : NULL;
  if (integrator && integrator->has_dt) return HB_FIRST_STEP_EQ2;
  if (params->force.eps == 0) return HB_FIRST_STEP_EQ9;
  double m = 0; /* of the stars: nobody feels test particles */
  for (size_t i = 0; i < initial->n; i++) {
    if (m > 0 && initial->m[i] > 0 && initial->m[i] != m) return HB_FIRST_STEP_EQ9;
    m = fmax(m, initial->m[i]);
  }
  return HB_FIRST_STEP_EQ2;
}

static enum hb_status complete(struct hb_sim_params *params, struct hb_particles *initial)
{
  HB_TRY(settle_eps(&params->force, initial));
  HB_TRY(hb_sim_take_notes(params, initial));
  params->eta = hb_default_real(params->eta, 0.01);
  params->dt_max = hb_default_real(params->dt_max, 0.125);
  params->dt_min = hb_default_real(params->dt_min, hb_sim_default_dt_min(params->force.eps));
  params->damping = hb_default_real(params->damping, 1);
  if (params->first_step == HB_FIRST_STEP_AUTO)
    params->first_step = hb_sim_default_first_step(params, initial);
  return HB_OK;
}

enum hb_status hb_sim_open(const struct hb_sim_params *params, struct hb_sim **sim)
{
  *sim = NULL;
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params->integrator, &integrator));
  struct hb_sim *s;
  HB_TRY(HB_ALLOC(1, &s));
  s->integrator = integrator;
  s->eps2 = params->force.eps * params->force.eps;
  enum hb_status status = params->force.device ? hb_mem_strdup(params->force.device, &s->device) : HB_OK;
  if (status != HB_OK) {
    hb_sim_destroy(s);
    return status;
  }
  s->params = *params;
  s->params.integrator = integrator->info.name;
  s->params.force =
      (struct hb_force_params){.eps = params->force.eps, .flags = params->force.flags, .device = s->device};
  *sim = s;
  return HB_OK;
}

enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_sim **sim)
{
  HB_GL_VISIT;
  struct hb_particles *copy;
  *sim = NULL;
  if (!initial) return hb_fail(HB_ERR_USAGE, "no particles (NULL), expected those to integrate");
  HB_TRY(hb_particles_copy(initial, &copy));
  return hb_sim_take(copy, params, sim);
}

/* If forces are rounded to less than double, a run is integrated in the system's own frame, found once: steps cost no more,
 * and the device's copies are in it, too. Damping is relative to the given frame, so that the own one must not move then. */
static enum hb_status enter_frame(struct hb_sim *s, struct hb_particles *p)
{
  if (hb_force_rounds(s->force) && !s->field) hb_frame_find(p->n, p->m, p->x, p->v, p->t, &s->frame);
  if (s->params.damping != 1) memset(s->frame.v, 0, sizeof s->frame.v);
  hb_frame_subtract(s->frame.x, p->n, p->x, p->x);
  hb_frame_subtract(s->frame.v, p->n, p->v, p->v);
  return hb_force_check_range(s->force, p->n, p->m, p->x, p->v);
}

/* What groups need and these params lack; NULL: nothing. */
static const char *lacks_for_groups(const struct hb_sim_params *p)
{
  const char *lacking = hb_sim_lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->force.eps != 0) return "eps 0: softened binaries are not regularized";
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  return p->correct == HB_PLACE_HOST ? NULL : "correct host, where the forces near groups are corrected";
}

enum hb_encounters hb_sim_default_encounters(const struct hb_sim_params *params)
{
  /* shaders of one's own may compute another force than Newton's, which is what groups know */
  return lacks_for_groups(params) || hb_gl_shader_folder() ? HB_ENCOUNTERS_NONE : HB_ENCOUNTERS_GROUPS;
}

static enum hb_status settle_encounters(struct hb_sim_params *p)
{
  if ((unsigned)p->encounters > HB_ENCOUNTERS_GROUPS)
    return hb_fail(HB_ERR_USAGE, "the treatment of encounters is %d, expected 0, 1 or 2", (int)p->encounters);
  if (p->encounters == HB_ENCOUNTERS_AUTO) p->encounters = hb_sim_default_encounters(p);
  const char *lacking = p->encounters == HB_ENCOUNTERS_GROUPS ? lacks_for_groups(p) : NULL;
  return lacking ? hb_fail(HB_ERR_USAGE, "encounters groups needs %s", lacking) : HB_OK;
}

enum hb_status hb_sim_open_force(struct hb_sim *s, const struct hb_sim_params *params)
{
  enum { ENOUGH_BITS = 40 }; /* of a position: a thousandth of a pc in a galaxy leaves 16 */
  if (params->field) HB_TRY(hb_field_create(params->field, &s->field));
  HB_TRY(hb_force_open(&params->force, &s->force));
  if (!params->field) return HB_OK;
  s->params.field = hb_field_words(s->field);
  const char *precision = hb_force_precision(s->force);
  if (hb_force_rounds(s->force) && hb_force_position_bits(precision) < ENOUGH_BITS)
    return hb_fail(HB_ERR_USAGE,
                   "precision %s has too few digits for orbits in a field (expected ds or double)",
                   precision);
  if (hb_field_turn(s->field) != 0 && !(s->integrator->offers & HB_OFFERS_VELOCITIES))
    return hb_fail(HB_ERR_USAGE, "field '%s' has a force that depends on velocities (expected integrator %s)",
                   params->field, hb_integrator_offering(HB_OFFERS_VELOCITIES));
  hb_force_set_field(s->force, s->field);
  return HB_OK;
}

enum hb_status hb_sim_take(struct hb_particles *initial, const struct hb_sim_params *given,
                           struct hb_sim **sim)
{
  HB_GL_VISIT;
  struct hb_sim *s = NULL;
  *sim = NULL;
  if (!initial || !given) {
    hb_particles_destroy(initial);
    return hb_fail(HB_ERR_USAGE, "no %s (NULL); all parameters 0 are the defaults",
                   initial ? "parameters" : "particles");
  }
  struct hb_sim_params params = *given;
  enum hb_status status = hb_particles_check(initial);
  if (status == HB_OK) status = complete(&params, initial);
  if (status == HB_OK) status = settle_encounters(&params);
  if (status == HB_OK) status = hb_sim_complete_stop(&params);
  if (status == HB_OK) status = hb_sim_check_bodies(&params);
  if (status == HB_OK) status = hb_sim_open(&params, &s);
  if (status != HB_OK) {
    hb_particles_destroy(initial);
    return status;
  }
  status = hb_sim_open_force(s, &params);
  if (status == HB_OK) status = hb_sim_check_interaction(s, &params);
  if (status == HB_OK && hb_force_interaction(s->force) == HB_INTERACTION_GRAVITY)
    s->exact_energy = hb_energy_is_exact(params.exact_energy, hb_particles_massive(initial));
  if (status == HB_OK) status = enter_frame(s, initial);
  if (status == HB_OK)
    status = s->integrator->create(initial, &params, s->force, &s->state);
  else
    hb_particles_destroy(initial);
  if (status == HB_OK) status = hb_sim_watch_stop(s);
  if (status != HB_OK) {
    hb_sim_destroy(s);
    return status;
  }
  hb_sim_judge_from_here(s);
  *sim = s;
  return HB_OK;
}

void hb_sim_judge_from_here(struct hb_sim *sim)
{
  hb_sim_counts(sim, &sim->judged);
  sim->n_steps_usual =
      fmax(hb_model_rounded(sim->params.rounding) * hb_model_n_steps((double)sim->judged.n, sim->params.eta),
           1 / sim->params.dt_max);
  sim->t_judged = sim->integrator->time(sim->state);
}

void hb_sim_destroy(struct hb_sim *sim)
{
  HB_GL_VISIT;
  if (!sim) return;
  sim->integrator->destroy(sim->state);
  hb_force_close(sim->force);
  hb_field_destroy(sim->field);
  hb_mem_free(sim->events.at);
  hb_binary_watch_clear(&sim->binaries);
  hb_mem_free(sim->device);
  for (int k = 0; k < HB_SIM_LENT; k++) hb_mem_free(sim->lent[k]);
  hb_mem_free(sim);
}

double hb_sim_time(const struct hb_sim *sim) { return sim->integrator->time(sim->state); }
double hb_sim_next_time(const struct hb_sim *sim) { return sim->integrator->next_time(sim->state); }
const struct hb_force *hb_sim_force(const struct hb_sim *sim) { return sim->force; }
const struct hb_sim_params *hb_sim_taken(const struct hb_sim *sim) { return &sim->params; }

void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts)
{
  sim->integrator->counts(sim->state, counts);
}

/* m x v id of struct hb_particles. Of struct hb_hermite4: a j lost xp vp a1 j1, phi1, block level1; of struct hb_blocks: next
 * level marks marked_words; the stamps of struct hb_force. Diagnostics use the integrator's arrays, see
 * step/integrator.h. */
static const double PARTICLES = 8 * sizeof(double);
static const double INTEGRATOR = (7 * 3 + 1) * sizeof(double) + (4 + 1) + (4 + 1 + 1. / 8 + 1. / 512) + 4;
/* To find the binaries of a row: nearest, and index x axis of the k-d tree. */
static const double BINARIES = sizeof(uint32_t) + sizeof(uint32_t) + 3 * sizeof(double) + 1;

enum hb_status hb_force_memory(const struct hb_force_params *params, size_t n, struct hb_force_need *need)
{
  const struct hb_force_ops *ops = params->scheme ? hb_force_find(params->scheme) : NULL;
  if (!ops || !params->precision)
    return hb_fail(HB_ERR_USAGE, "hb_force_memory needs a scheme and a precision");
  struct hb_force_need result = {.host_particle = PARTICLES + INTEGRATOR + BINARIES};
  ops->memory(params, &result);
  enum hb_precision precision = hb_precision_find(params->precision);
  result.host_rank = hb_force_ranks_memory(precision);
  if (hb_force_is_reproducible(params->precision)) result.host_particle += HB_RESCALE_PARTICLE;
  if (ops->resident && precision < HB_PRECISION_COUNT)
    result.device_kept = ops->resident->memory(HB_INTERACTION_GRAVITY, precision);
  result.device = (double)n * (result.device_source + result.device_sink) + result.device_fixed;
  result.host = (double)n * result.host_particle + result.host_fixed;
  *need = result;
  return HB_OK;
}

/* The block size is the number of particles that the step advanced. */
enum hb_status hb_sim_step(struct hb_sim *sim)
{
  HB_GL_VISIT;
  struct hb_sim_counts before, after;
  double t = hb_sim_time(sim);
  hb_sim_counts(sim, &before);
  sim->events.count = 0;
  HB_TRY(sim->integrator->step(sim->state));
  hb_sim_counts(sim, &after);
  uint64_t ni = after.particle_steps - before.particle_steps;
  if (ni) sim->blocks[63 - __builtin_clzll(ni)]++;
  return hb_sim_look(sim, t);
}

static enum hb_status check_time(double t)
{
  return isfinite(t) ? HB_OK : hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", t);
}

enum hb_status hb_sim_integrate(struct hb_sim *sim, double t)
{
  HB_TRY(check_time(t));
  sim->events.count = 0; /* those of a step before this call do not stop it */
  while (!hb_sim_stopped(sim) && hb_sim_next_time(sim) <= t) HB_TRY(hb_sim_step(sim));
  return HB_OK;
}

void hb_sim_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES])
{
  memcpy(blocks, sim->blocks, sizeof sim->blocks);
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
  trouble->n_steps_usual = sim->n_steps_usual;
  trouble->at_dt_min = now.at_dt_min;
  sim->t_judged = t;
  sim->judged = now;
  int collapsed = now.at_dt_min > 0 || trouble->n_steps > too_many_steps * trouble->n_steps_usual;
  /* a hard binary needs many steps, and one in fourteen of them is noisy */
  if (!hb_force_rounds(sim->force)) collapsed = 0;
  return trouble->noisy > many_noisy || (trouble->noisy > some_noisy && collapsed);
}

void hb_sim_phases(const struct hb_sim *sim, struct hb_phases *phases)
{
  sim->integrator->phases(sim->state, phases);
  const struct hb_phases *force = hb_force_phases(sim->force), *before = &sim->before;
  phases->predict_s += force->predict_s + before->predict_s;
  phases->correct_s += force->correct_s + before->correct_s;
  phases->send_s = force->send_s + before->send_s;
  phases->force_s = force->force_s + before->force_s;
  phases->receive_s = force->receive_s + before->receive_s;
}

enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles)
{
  HB_GL_VISIT;
  HB_TRY(check_time(t));
  HB_TRY(sim->integrator->particles(sim->state, t, particles));
  hb_frame_leave(&sim->frame, *particles);
  return HB_OK;
}

enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics)
{
  HB_GL_VISIT;
  struct hb_state_view view;
  HB_TRY(check_time(t));
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, t, &view);
  if (status == HB_OK)
    status =
        hb_diagnose(&view, &sim->frame, sim->force, sim->field, sim->eps2, sim->exact_energy, diagnostics);
  hb_state_view_close(&view);
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  if (status == HB_OK) diagnostics->e_lost = counts.e_lost;
  return status;
}

enum hb_status hb_sim_structure(struct hb_sim *sim, double t, struct hb_structure *structure)
{
  HB_GL_VISIT;
  struct hb_state_view view;
  HB_TRY(check_time(t));
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, t, &view);
  if (status == HB_OK) hb_frame_leave(&sim->frame, &view.at);
  if (status == HB_OK) status = hb_structure_of(&view.at, sim->eps2, structure);
  hb_state_view_close(&view);
  if (status == HB_OK && hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    structure->binaries = (struct hb_binaries){.energy = NAN, .a_hardest = NAN, .hard_above = NAN};
  return status;
}
