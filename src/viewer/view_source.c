#include "viewer/view_source.h"

#include "base/clock.h"
#include "base/mem.h"
#include "console/models.h"
#include "core/resample.h"
#include "render/camera.h"
#include "render/view_particles.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Above this many particles energies come from the source's own potentials: summing them in double on the host would
 * visibly stall the picture. */
enum { EXACT_ENERGY_MOST = 2048 };

int hb_view_source_is_series(const struct hb_view_source *s) { return s->file_count > 1; }

int hb_view_source_is_leapfrog(const struct hb_view_source *s) { return hb_run_is_leapfrog(&s->settings); }

/* ---- simulations ------------------------------------------------------------------------------------- */

/* A simulation of these particles, which stay the caller's. */
static enum hb_status simulate(const struct hb_view_source *s, const struct hb_particles *particles,
                               const struct hb_view_knobs *knobs, struct hb_sim **sim)
{
  struct hb_sim_params params;
  struct hb_text tuning = {0};
  HB_TRY(hb_run_params(&s->settings, &tuning, &params));
  params.force.context = "glfw"; /* the window's */
  params.force.device = NULL;
  params.force.eps = knobs->eps;
  if (knobs->eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  params.eta = knobs->eta;
  params.dt_min = s->asked.sim.dt_min; /* 0: by eps, as the next two */
  params.encounters = s->asked.sim.encounters;
  params.first_step = s->asked.sim.first_step;
  params.damping = knobs->damping;
  params.exact_energy = hb_particles_n((struct hb_particles *)particles) <= EXACT_ENERGY_MOST
                            ? HB_EXACT_ENERGY_AUTO
                            : HB_EXACT_ENERGY_NO;
  enum hb_status status = hb_sim_create(particles, &params, sim);
  hb_mem_free(tuning.text);
  return status;
}

enum from { GOES_ON, ANEW };

/* Shows this simulation from now on and destroys the old one. Steps are counted anew, too; pairs go on, rates are made of
 * them. */
static void begin(struct hb_view_source *s, struct hb_sim *sim, const struct hb_particles *particles,
                  enum from from)
{
  struct hb_sim_counts counts;
  hb_view_source_counts(s, &counts);
  hb_sim_destroy(s->sim);
  if (from == ANEW) {
    const struct hb_sim_counts anew = {.pairs = counts.pairs};
    counts = anew;
  }
  s->before = counts;
  s->sim = sim;
  s->t = s->at = hb_particles_time(particles);
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  s->block = 0;
  s->t_step = 0;
  s->energies = 0;
  s->e_error = 0;
  s->generation++;
}

/* Models that come with a step dt for all, which is what they were made for, are shown by it unless something else was
 * asked for: block steps follow close pairs that nobody sees. */
static int has_shared_step(struct hb_view_source *s, const struct hb_particles *particles)
{
  const struct hb_sim_params *sim = &s->settings.sim;
  return hb_particles_note(particles, "dt") && s->file_count == 0 &&
         !hb_opts_typed(s->opts, &sim->integrator) && !hb_opts_typed(s->opts, &sim->eta) &&
         !hb_opts_typed(s->opts, &sim->dt_max);
}

/* Such a step hides the digits of a double: where nothing was asked for and the processor computes in double, floats on its
 * vector units are more than twice as fast. */
static enum hb_status hurry(struct hb_view_source *s, const struct hb_particles *particles,
                            const struct hb_view_knobs *knobs, struct hb_sim **sim)
{
  const char *asked = s->settings.sim.force.scheme;
  if ((asked && strcmp(asked, "auto") != 0) || s->settings.sim.force.precision) return HB_OK;
  if (!hb_force_scheme(hb_sim_force(*sim))->is_exact) return HB_OK;
  hb_sim_destroy(*sim);
  *sim = NULL;
  s->settings.sim.force.scheme = "host-simd";
  return simulate(s, particles, knobs, sim);
}

/* Applies options and notes of the particles and starts a simulation of them; on failure nothing changes. */
static enum hb_status take(struct hb_view_source *s, struct hb_particles *particles)
{
  const struct hb_run_settings old = s->settings;
  s->settings = s->asked;
  int shared = has_shared_step(s, particles);
  if (shared) s->settings.sim.integrator = "leapfrog";
  enum hb_status status = hb_run_take_notes(s->opts, &s->settings, NULL, particles);
  const struct hb_sim_params *params = &s->settings.sim;
  double started = hb_clock_now();
  const struct hb_view_knobs knobs = {params->force.eps, params->eta,
                                      params->damping > 0 ? params->damping : 1};
  struct hb_sim *sim = NULL;
  if (status == HB_OK) status = simulate(s, particles, &knobs, &sim);
  if (status == HB_OK && shared) status = hurry(s, particles, &knobs, &sim);
  if (status != HB_OK) {
    s->settings = old;
    return status;
  }
  s->knobs = knobs;
  begin(s, sim, particles, ANEW);
  s->begin_s = hb_clock_now() - started;
  hb_particles_destroy(s->particles);
  s->particles = particles;
  return HB_OK;
}

enum hb_status hb_view_source_take_model(struct hb_view_source *s, size_t model)
{
  size_t count;
  const struct hb_ic_model *m = &hb_ic_models(&count)[model];
  struct hb_particles *particles;
  const struct hb_ic_params params = {.n = m->n_min == m->n_max ? 0 : s->n_asked, .seed = s->seed};
  HB_TRY(hb_ic_make(m->name, &params, &particles));
  enum hb_status status = take(s, particles);
  if (status != HB_OK) {
    hb_particles_destroy(particles);
    return status;
  }
  s->model = model;
  s->file_count = 0;
  s->speed = m->speed;
  snprintf(s->title, sizeof s->title, "%s", m->name);
  return HB_OK;
}

enum hb_status hb_view_source_reset(struct hb_view_source *s)
{
  if (hb_view_source_is_series(s)) return hb_view_source_show(s, 0);
  struct hb_sim *sim;
  HB_TRY(simulate(s, s->particles, &s->knobs, &sim));
  begin(s, sim, s->particles, ANEW);
  return HB_OK;
}

enum hb_status hb_view_source_turn(struct hb_view_source *s, const struct hb_view_knobs *knobs)
{
  struct hb_particles *state = NULL;
  struct hb_sim *sim;
  HB_TRY(hb_sim_state(s->sim, s->t, &state));
  enum hb_status status = simulate(s, state, knobs, &sim);
  if (status == HB_OK) {
    s->knobs = *knobs;
    begin(s, sim, state, GOES_ON);
  }
  hb_particles_destroy(state);
  return status;
}

enum hb_status hb_view_source_resize(struct hb_view_source *s, size_t n)
{
  size_t count;
  const struct hb_ic_params params = {.n = n, .seed = s->seed};
  const double started = hb_clock_now();
  struct hb_particles *fresh, *state = NULL, *others = NULL;
  struct hb_sim *sim;
  HB_TRY(hb_ic_make(hb_ic_models(&count)[s->model].name, &params, &fresh));
  enum hb_status status = hb_sim_state(s->sim, s->t, &state);
  if (status == HB_OK) status = hb_resample(state, n, s->seed, &others);
  if (status == HB_OK) status = simulate(s, others, &s->knobs, &sim);
  if (status == HB_OK) {
    begin(s, sim, others, GOES_ON);
    s->begin_s = hb_clock_now() - started;
    s->n_asked = n;
    hb_particles_destroy(s->particles);
    s->particles = fresh;
    fresh = NULL;
  }
  hb_particles_destroy(fresh);
  hb_particles_destroy(state);
  hb_particles_destroy(others);
  return status;
}

enum hb_status hb_view_source_use(struct hb_view_source *s, const char *scheme, const char *precision)
{
  struct hb_force_params *force[] = {&s->settings.sim.force, &s->asked.sim.force};
  const char *old_scheme = force[0]->scheme, *old_precision = force[0]->precision;
  for (int k = 0; k < 2; k++) force[k]->scheme = scheme, force[k]->precision = precision;
  enum hb_status status = hb_view_source_turn(s, &s->knobs);
  for (int k = 0; k < 2 && status != HB_OK; k++)
    force[k]->scheme = old_scheme, force[k]->precision = old_precision;
  return status;
}

enum hb_status hb_view_source_step(struct hb_view_source *s)
{
  struct hb_sim_counts before, after;
  double started = hb_clock_now(), t = hb_sim_next_time(s->sim);
  hb_sim_counts(s->sim, &before);
  HB_TRY(hb_sim_step(s->sim));
  hb_sim_counts(s->sim, &after);
  s->block = after.particle_steps - before.particle_steps;
  s->t_step = t - s->t;
  s->t = s->at = t;
  s->step_s += hb_clock_now() - started;
  return HB_OK;
}

void hb_view_source_counts(const struct hb_view_source *s, struct hb_sim_counts *counts)
{
  struct hb_sim_counts now = {0};
  if (s->sim) hb_sim_counts(s->sim, &now);
  *counts = s->before;
  counts->n = s->n;
  counts->block_steps += now.block_steps;
  counts->particle_steps += now.particle_steps;
  counts->pairs += now.pairs;
}

int hb_view_source_has_energy(const struct hb_view_source *s)
{
  return s->sim && s->settings.sim.correct != HB_PLACE_GPU;
}

enum hb_status hb_view_source_diagnose(struct hb_view_source *s)
{
  if (!hb_view_source_has_energy(s)) return HB_OK;
  struct hb_diagnostics now;
  double started = hb_clock_now();
  HB_TRY(hb_sim_diagnose(s->sim, s->t, &now));
  if (s->energies++ == 0) s->begin = now;
  s->e_error = (now.e_total - s->begin.e_total) / s->begin.e_scale;
  s->diagnose_s += hb_clock_now() - started;
  return HB_OK;
}

void hb_view_source_look_at(struct hb_view_source *s, double t)
{
  if (hb_view_source_has_energy(s)) s->at = fmin(fmax(t, s->t), hb_sim_next_time(s->sim));
}

enum hb_status hb_view_source_state(const struct hb_view_source *s, struct hb_particles **state)
{
  if (s->sim) return hb_sim_state(s->sim, s->at, state);
  return hb_particles_copy(s->particles, state);
}

/* ---- files ------------------------------------------------------------------------------------------- */

static enum hb_status read_file(const struct hb_view_source *s, size_t number,
                                struct hb_particles **particles)
{
  return hb_snapshot_read(s->files[number], s->settings.input_format, particles);
}

enum hb_status hb_view_source_show(struct hb_view_source *s, size_t number)
{
  struct hb_particles *particles;
  HB_TRY(read_file(s, number, &particles));
  hb_particles_destroy(s->particles);
  s->particles = particles;
  s->shown = number;
  s->t_step = hb_particles_time(particles) - s->t;
  s->t = s->at = hb_particles_time(particles);
  if (s->n != hb_particles_n(particles) || s->t_step < 0) s->generation++;
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[number]));
  return HB_OK;
}

/* A file does not say how fast to watch it: two thirds of the time in which its inner half would collapse each second, as
 * a number with one digit. */
static enum hb_status speed_of(struct hb_particles *p, double *speed)
{
  double center[3], radius, mass = 0;
  size_t n = hb_particles_n(p);
  HB_TRY(hb_camera_extent(n, hb_particles_x(p), 0.5, center, &radius));
  for (size_t i = 0; i < n; i++) mass += hb_particles_m(p)[i] / 2;
  double t = sqrt(radius * radius * radius / mass) / 1.5;
  double decade = pow(10, floor(log10(t)));
  *speed = isfinite(t) && t > 0 ? decade * floor(t / decade) : 1;
  return HB_OK;
}

static enum hb_status take_file(struct hb_view_source *s)
{
  struct hb_particles *particles;
  HB_TRY(read_file(s, 0, &particles));
  enum hb_status status = speed_of(particles, &s->speed);
  if (status == HB_OK) status = take(s, particles);
  if (status != HB_OK) hb_particles_destroy(particles);
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[0]));
  return status;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

enum hb_status hb_view_source_open(const struct hb_opts *opts, struct hb_view_source *s)
{
  const char *const *operands = opts->operands;
  size_t count = opts->operand_count;
  s->opts = opts;
  s->asked = s->settings;
  int model = count <= 1 ? hb_words_find(hb_models_words, count ? operands[0] : "plummer") : -1;
  if (model >= 0) return hb_view_source_take_model(s, (size_t)model);
  if (s->n_asked)
    return hb_fail(HB_ERR_USAGE, "option -n applies to a model, not to the file '%s'", operands[0]);
  s->files = operands;
  s->file_count = count;
  return count == 1 ? take_file(s) : hb_view_source_show(s, 0);
}

void hb_view_source_close(struct hb_view_source *s)
{
  hb_sim_destroy(s->sim);
  hb_particles_destroy(s->particles);
  s->sim = NULL;
  s->particles = NULL;
}
