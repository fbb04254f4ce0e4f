/* hb_sim_*: particles, a source of forces and an integrator in one handle. */
#include "sim/sim.h"
#include "sim/sim_settings.h"
#include "base/arith.h"
#include "base/draft.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/structure.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "gl/gl_context.h"
#include "gl/gl_shader.h"
#include "force/force.h"
#include "force/force_ranks.h"
#include "force/rescale.h"
#include "perf/machine_model.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- params: what they mean, what they need ---------------------------------------------------------- */

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
  if (params->force.eps == 0 || params->neighbors > 0) return HB_FIRST_STEP_EQ9;
  double m = 0; /* of the stars: nobody feels test particles */
  for (size_t i = 0; i < initial->n; i++) {
    if (m > 0 && initial->m[i] > 0 && initial->m[i] != m) return HB_FIRST_STEP_EQ9;
    m = fmax(m, initial->m[i]);
  }
  return HB_FIRST_STEP_EQ2;
}

/* ---- what particles say of the simulation that they were made for ---- */

/* The note's number where there is none; else that is what the particles say from now on, if they say one. */
static enum hb_status settle_note(struct hb_particles *p, const char *name, double *value)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(p, name);
  double noted;
  char text[32];
  if (!note) return HB_OK;
  int is_number = hb_text_number(note, &noted) == HB_OK && noted > 0;
  if (*value == 0 && !is_number)
    return hb_fail(HB_ERR_INPUT, "the particles' note %s is '%s', expected a number > 0", name, note);
  if (*value == 0) *value = noted;
  if (is_number && *value == noted) return HB_OK;
  snprintf(text, sizeof text, "%.17g", *value);
  return hb_particles_set_note(p, name, text);
}

static enum hb_status take_notes(struct hb_sim_params *params, struct hb_particles *initial)
{
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params->integrator, &integrator));
  if (!integrator->info.has_dt) return HB_OK;
  HB_TRY(settle_note(initial, "dt", &params->dt));
  return settle_note(initial, "damping", &params->damping);
}

/* ---- collisions, escapers, groups ---- */

static const char *lacks_for_companions(const struct hb_sim_params *p)
{
  const struct hb_integrator_ops *integrator;
  if (hb_integrator_find(p->integrator, &integrator) != HB_OK || !(integrator->offers & HB_OFFERS_COMPANIONS))
    return hb_phrase("integrator %s", hb_integrator_offering(HB_OFFERS_COMPANIONS));
  int is_gravity = !p->force.interaction || strcmp(p->force.interaction, "gravity_jerk") == 0;
  return is_gravity && !p->force.custom_interaction ? NULL : "gravity, not another interaction";
}

static const char *lacks_for_bodies(const struct hb_sim_params *p)
{
  struct hb_gl_devices devices;
  const char *lacking = lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  if (p->predict != HB_PLACE_HOST) return "predict host: particles that stay on a device cannot leave it";
  if (hb_gl_devices_named(p->force.device, &devices) == HB_OK && devices.count > 0) return "a single device";
  return hb_ranks_count() > 1 ? "a single process" : NULL;
}

enum hb_status hb_sim_check_bodies(const struct hb_sim_params *p)
{
  if (p->escape_radius > 0 && p->escapers == HB_ESCAPERS_NONE)
    return hb_fail(HB_ERR_USAGE, "an escape radius without escapers (expected escapers list or remove)");
  if (p->collisions == HB_COLLISIONS_NONE && p->escapers == HB_ESCAPERS_NONE) return HB_OK;
  const char *what = lacks_for_bodies(p);
  return what ? hb_fail(HB_ERR_USAGE, "%s %s", p->collisions ? "collisions need" : "escapers need", what)
              : HB_OK;
}

/* What groups need and these params lack; NULL: nothing. */
static const char *lacks_for_groups(const struct hb_sim_params *p)
{
  const char *lacking = lacks_for_companions(p);
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
  if (p->encounters == HB_ENCOUNTERS_AUTO) p->encounters = hb_sim_default_encounters(p);
  const char *lacking = p->encounters == HB_ENCOUNTERS_GROUPS ? lacks_for_groups(p) : NULL;
  return lacking ? hb_fail(HB_ERR_USAGE, "encounters groups needs %s", lacking) : HB_OK;
}

/* ---- near and far forces ---- */

/* The precision of the forces, as they will be opened; "": auto's, ds or double. */
static void name_precision(const struct hb_force_params *force, char name[32])
{
  const struct hb_force_scheme *scheme = force->scheme ? hb_force_scheme_find(force->scheme) : NULL;
  const char *from = force->precision ? force->precision : scheme ? scheme->precisions : "";
  snprintf(name, 32, "%.*s", (int)strcspn(from, " "), from);
}

/* What neighbors need and these params lack; NULL: nothing. */
static const char *lacks_for_neighbors(const struct hb_sim_params *p)
{
  const char *lacking = lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  if (p->first_step == HB_FIRST_STEP_EQ2) return "first steps by eq. 9: far forces begin with a trial";
  if (p->correct != HB_PLACE_HOST) return "correct host: near forces are the host's";
  if ((p->predict == HB_PLACE_GPU) != (p->transfer == HB_TRANSFER_BLOCK))
    return "transfer block where a device predicts: it gets those that have stepped since the last full "
           "block";
  char precision[32];
  name_precision(&p->force, precision);
  /* where a strong near pull is taken from the pulls of all, its rounding stays: places of 24 bits leave too much */
  if (*precision && hb_force_position_bits(precision) < hb_force_position_bits("ds"))
    return hb_phrase("precision ds, reproducible or double, not %s", precision);
  return NULL;
}

static size_t count_massive(const struct hb_particles *p)
{
  size_t count = 0;
  for (size_t i = 0; i < p->n; i++) count += p->m[i] > 0;
  return count;
}

/* The same of the particles. Lists may not hold all others: nothing would be far. */
static const char *lacks_in_particles(const struct hb_sim_params *p, const struct hb_particles *initial)
{
  return (size_t)p->neighbors < count_massive(initial) ? NULL : "more particles than a list has";
}

/* In less than double, what a far force was rounded by stays for a far step: some 1e-9 of the energy in a unit of time, which whoever asks for
 * less does not want. */
static int asks_for_more(const struct hb_sim_params *p)
{
  static const double least = 0.005;
  char precision[32];
  name_precision(&p->force, precision);
  return p->eta < least &&
         hb_force_position_bits(*precision ? precision : "ds") < hb_force_position_bits("double");
}

int hb_sim_default_neighbors(const struct hb_sim_params *params, const struct hb_particles *initial)
{
  enum { USUAL = 64, FROM = 1000 };
  const struct hb_force_scheme *scheme =
      params->force.scheme ? hb_force_scheme_find(params->force.scheme) : NULL;
  if (params->predict != HB_PLACE_HOST || count_massive(initial) < FROM || asks_for_more(params) ||
      lacks_for_neighbors(params) || lacks_in_particles(params, initial))
    return HB_NEIGHBORS_NONE;
  /* schemes of 2004 and 2007 are asked for as they were; for shaders of one's own, see hb_sim_default_encounters */
  return (scheme && scheme->is_historic) || hb_gl_shaders_differ() ? HB_NEIGHBORS_NONE : USUAL;
}

double hb_sim_eta_far(const struct hb_sim_params *params) { return 0.75 * params->eta; }

enum hb_status hb_sim_check_neighbors(const struct hb_sim_params *p)
{
  if (p->light_speed > 0 && p->encounters != HB_ENCOUNTERS_GROUPS)
    return hb_fail(HB_ERR_USAGE, "post-Newtonian terms (light_speed) need encounters groups, so eps 0");
  if (p->eta_far > 0 && p->neighbors == HB_NEIGHBORS_NONE)
    return hb_fail(HB_ERR_USAGE, "an eta_far without neighbors (expected neighbors auto, or how many)");
  const char *lacking = p->neighbors > 0 ? lacks_for_neighbors(p) : NULL;
  return lacking ? hb_fail(HB_ERR_USAGE, "neighbors need %s", lacking) : HB_OK;
}

/* And the first step, which depends on them. From here on 0 neighbors are none. */
static enum hb_status settle_neighbors(struct hb_sim_params *p, const struct hb_particles *initial)
{
  HB_TRY(hb_sim_check_neighbors(p));
  const char *lacking = p->neighbors > 0 ? lacks_in_particles(p, initial) : NULL;
  if (lacking) return hb_fail(HB_ERR_USAGE, "%d neighbors need %s", p->neighbors, lacking);
  if (p->neighbors == HB_NEIGHBORS_AUTO) p->neighbors = hb_sim_default_neighbors(p, initial);
  if (p->neighbors == HB_NEIGHBORS_NONE) p->neighbors = 0;
  p->eta_far = p->neighbors ? hb_default_real(p->eta_far, hb_sim_eta_far(p)) : 0;
  if (p->first_step == HB_FIRST_STEP_AUTO) p->first_step = hb_sim_default_first_step(p, initial);
  return HB_OK;
}

/* ---- another interaction than gravity ---- */

enum hb_status hb_sim_check_interaction(const struct hb_sim *sim, const struct hb_sim_params *params)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  if (!(sim->integrator->offers & HB_OFFERS_NO_JERKS) && !hb_interaction_has_jerk(interaction))
    return hb_fail(HB_ERR_USAGE,
                   "interaction %s gives no jerk (jx, jy, jz), which integrator %s needs; %s does not",
                   interaction->name, sim->integrator->info.name, hb_integrator_offering(HB_OFFERS_NO_JERKS));
  if (params->exact_energy == HB_EXACT_ENERGY_YES && interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE,
                   "exact energies are those of gravity: interaction %s has only its own potential",
                   interaction->name);
  return HB_OK;
}

/* ---- what ends a simulation before its time ---- */

const char *const hb_stop_at_names[] = {"none", "collision", "pair", "escape", NULL};

static void complete_stop(struct hb_sim_params *p)
{
  if (p->stop_at == HB_STOP_AT_COLLISION && p->collisions == HB_COLLISIONS_NONE)
    p->collisions = HB_COLLISIONS_STOP;
  if (p->stop_at == HB_STOP_AT_ESCAPE && p->escapers == HB_ESCAPERS_NONE) p->escapers = HB_ESCAPERS_LIST;
}

static unsigned awaited(const struct hb_sim_params *p)
{
  static const unsigned kinds[] = {[HB_STOP_AT_NONE] = 0,
                                   [HB_STOP_AT_COLLISION] = 1U << HB_EVENT_COLLISION,
                                   [HB_STOP_AT_PAIR] = 1U << HB_EVENT_FORMED | 1U << HB_EVENT_ENCOUNTER,
                                   [HB_STOP_AT_ESCAPE] = 1U << HB_EVENT_ESCAPE};
  return kinds[p->stop_at] | (p->collisions == HB_COLLISIONS_STOP ? 1U << HB_EVENT_COLLISION : 0);
}

static enum hb_status watch_stop(struct hb_sim *sim)
{
  unsigned kinds = awaited(&sim->params);
  return kinds ? hb_sim_watch(sim, kinds) : HB_OK;
}

const struct hb_event *hb_sim_stopped(const struct hb_sim *sim)
{
  unsigned kinds = awaited(&sim->params);
  size_t count, k = 0;
  const struct hb_event *events = hb_sim_events(sim, &count);
  if (!kinds) return NULL;
  while (k < count && !(kinds & 1U << events[k].kind)) k++;
  return k < count ? events + k : NULL;
}

/* ---- what happens in it ---- */

static const unsigned of_binaries = 1U << HB_EVENT_INITIAL | 1U << HB_EVENT_FORMED | 1U << HB_EVENT_HARDENED |
                                    1U << HB_EVENT_EXCHANGED | 1U << HB_EVENT_BROKEN;

static enum hb_status look(struct hb_sim *sim, enum hb_event_kind kind)
{
  struct hb_state_view view;
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, hb_sim_time(sim), &view);
  if (status == HB_OK) status = hb_binary_watch_look(&sim->binaries, &view.at, sim->eps2, kind, &sim->events);
  hb_state_view_close(&view);
  return status;
}

static void follow(struct hb_sim *sim)
{
  if (sim->integrator->report) sim->integrator->report(sim->state, &sim->events);
}

enum hb_status hb_sim_watch(struct hb_sim *sim, unsigned kinds)
{
  HB_GL_VISIT;
  int is_anew = kinds >> HB_EVENT_INITIAL & 1;
  int begins = is_anew || ((kinds & of_binaries) && !(sim->events.kinds & of_binaries));
  if (begins && hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "binaries are found by gravity, and this interaction is not gravity");
  if (is_anew) hb_binary_watch_clear(&sim->binaries);
  sim->events.kinds |= kinds;
  follow(sim);
  return begins ? look(sim, HB_EVENT_INITIAL) : HB_OK;
}

const struct hb_event *hb_sim_events(const struct hb_sim *sim, size_t *count)
{
  *count = sim->events.count;
  return sim->events.at;
}

static enum hb_status look_if_due(struct hb_sim *sim, double t)
{
  double every = 2 * sim->params.dt_max; /* from 1024 stars on less than 2 % of the time of the steps */
  if (!(sim->events.kinds & of_binaries) || floor(hb_sim_time(sim) / every) == floor(t / every)) return HB_OK;
  return look(sim, HB_EVENT_FORMED);
}

/* ---- its life ---------------------------------------------------------------------------------------- */

static enum hb_status complete(struct hb_sim_params *params, struct hb_particles *initial)
{
  HB_TRY(settle_eps(&params->force, initial));
  HB_TRY(take_notes(params, initial));
  hb_setting_complete(hb_sim_settings, params);
  params->dt_min = hb_default_real(params->dt_min, hb_sim_default_dt_min(params->force.eps));
  params->damping = hb_default_real(params->damping, 1);
  return hb_setting_check(hb_sim_settings, params);
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
  if (status == HB_OK) complete_stop(&params);
  if (status == HB_OK) status = hb_sim_check_bodies(&params);
  if (status == HB_OK) status = settle_neighbors(&params, initial);
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
  if (status == HB_OK) status = watch_stop(s);
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
  hb_mem_free(sim->bound);
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
  counts->sent_bytes = hb_force_sent_bytes(sim->force);
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

static void count_block(uint64_t ni, uint64_t blocks[HB_BLOCK_SIZES])
{
  if (ni) blocks[63 - __builtin_clzll(ni)]++;
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
  count_block(after.particle_steps - before.particle_steps, sim->blocks);
  count_block(after.near.far_steps - before.near.far_steps, sim->full_blocks);
  return look_if_due(sim, t);
}

static enum hb_status check_time(double t)
{
  return isfinite(t) ? HB_OK : hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", t);
}

enum hb_status hb_sim_integrate(struct hb_sim *sim, double t)
{
  HB_TRY(check_time(t));
  sim->events.count = 0; /* those of a step before this call do not stop it */
  for (int stop = 0; !stop && !hb_sim_stopped(sim) && hb_sim_next_time(sim) <= t;) {
    HB_TRY(hb_sim_step(sim));
    if (sim->between.call) sim->between.call(sim->between.context, sim, &stop);
  }
  return HB_OK;
}

void hb_sim_call(struct hb_sim *sim, const struct hb_between *between)
{
  sim->between = between ? *between : (struct hb_between){NULL, NULL};
}

void hb_sim_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES])
{
  memcpy(blocks, sim->blocks, sizeof sim->blocks);
}

void hb_sim_full_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES])
{
  memcpy(blocks, sim->full_blocks, sizeof sim->full_blocks);
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
  phases->near_s += before->near_s;
  phases->lists_s += before->lists_s;
  phases->groups_s += before->groups_s;
}

enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles)
{
  HB_GL_VISIT;
  HB_TRY(check_time(t));
  HB_TRY(sim->integrator->particles(sim->state, t, particles));
  hb_frame_leave(&sim->frame, *particles);
  return HB_OK;
}

/* ---- energies ---------------------------------------------------------------------------------------- */

const char *const hb_exact_energy_names[] = {"auto", "yes", "no", NULL};

enum hb_status hb_sim_forces(struct hb_state_view *view, struct hb_force *force)
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

static enum hb_status diagnose_view(struct hb_state_view *view, const struct hb_frame *frame,
                                    struct hb_force *force, const struct hb_field *field, double eps2,
                                    int exact, struct hb_diagnostics *diagnostics)
{
  struct hb_diagnostics d = {.t = view->at.t, .e_jacobi = NAN, .exact_energy = exact || is_by_host(force)};
  struct hb_particles *stars;
  HB_TRY(hb_sim_forces(view, force));
  d.e_pot = hb_potential_energy(&view->at, view->phi);
  HB_TRY(hb_particles_copy_massive(&view->at, &stars));
  enum hb_status status = add_stars(stars ? stars : &view->at, frame, force, view, field, eps2, &d);
  hb_particles_destroy(stars);
  if (status == HB_OK) *diagnostics = d;
  return status;
}

enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics)
{
  HB_GL_VISIT;
  struct hb_state_view view;
  HB_TRY(check_time(t));
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, t, &view);
  if (status == HB_OK)
    status =
        diagnose_view(&view, &sim->frame, sim->force, sim->field, sim->eps2, sim->exact_energy, diagnostics);
  hb_state_view_close(&view);
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  if (status == HB_OK) diagnostics->e_lost = counts.e_lost, diagnostics->e_changed = counts.e_changed;
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

/* ---- sections of a checkpoint, for sim_save.c -------------------------------------------------------- */

/* Sections: a name, words and a number. */
static const char name_section[] = "sim.interaction", words_section[] = "sim.parameters",
                  hash_section[] = "sim.interaction_hash";

enum hb_status hb_sim_put_interaction(const struct hb_sim *sim, struct hb_sections *sections)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  const char *words = hb_force_parameters(sim->force);
  if (interaction == HB_INTERACTION_GRAVITY) return HB_OK;
  const char *name = interaction->text ? interaction->file : interaction->name;
  HB_TRY(hb_sections_put_text(sections, name_section, name));
  if (words) HB_TRY(hb_sections_put_text(sections, words_section, words));
  return hb_sections_put(sections, hash_section, HB_SECTION_WORDS, 1, &interaction->hash);
}

enum hb_status hb_sim_get_interaction(const struct hb_sections *sections, struct hb_force_params *force)
{
  HB_TRY(hb_sections_text(sections, name_section, &force->interaction));
  return hb_sections_text(sections, words_section, &force->parameters);
}

enum hb_status hb_sim_same_interaction(const struct hb_sections *sections, const struct hb_force *force)
{
  const struct hb_interaction *interaction = hb_force_interaction(force);
  uint64_t hash;
  if (!hb_sections_find(sections, hash_section)) return HB_OK;
  HB_TRY(hb_sections_copy(sections, hash_section, HB_SECTION_WORDS, 1, &hash));
  if (hash == interaction->hash) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "the code of interaction %s has changed since the checkpoint was written",
                 interaction->text ? interaction->file : interaction->name);
}

enum hb_status hb_sim_put_watch(const struct hb_sim *sim, struct hb_sections *sections)
{
  const uint64_t kinds = sim->events.kinds;
  if (!kinds) return HB_OK;
  HB_TRY(hb_sections_put_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  return hb_binary_watch_put(&sim->binaries, sections);
}

enum hb_status hb_sim_get_watch(const struct hb_sections *sections, struct hb_sim *sim)
{
  uint64_t kinds;
  if (!hb_sections_find(sections, "watch.kinds")) return HB_OK;
  HB_TRY(hb_sections_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  if (kinds >> HB_EVENT_KINDS)
    return hb_fail(HB_ERR_INPUT, "section 'watch.kinds' has %llu, expected less than 2^%d",
                   (unsigned long long)kinds, HB_EVENT_KINDS);
  sim->events.kinds = (unsigned)kinds;
  follow(sim);
  return hb_binary_watch_get(sections, &sim->binaries);
}
