#include "viewer/view_source.h"

#include "base/clock.h"
#include "base/mem.h"
#include "console/target.h"
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

/* ---- simulations ------------------------------------------------------------------------------------- */

/* A simulation of these particles, which stay the caller's. */
static enum hb_status simulate(const struct hb_view_source *s, const struct hb_particles *particles,
                               const struct hb_view_knobs *knobs, struct hb_sim **sim)
{
  struct hb_sim_params params;
  struct hb_text tuning = {0};
  HB_TRY(hb_run_params(s->run, &tuning, &params));
  params.force.context = "glfw"; /* the window's */
  params.force.device = NULL;
  params.force.eps = knobs->eps;
  if (knobs->eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  params.eta = knobs->eta;
  params.dt_min = s->asked.sim.dt_min; /* 0: by eps, as the next two */
  params.encounters = s->asked.sim.encounters;
  params.first_step = s->asked.sim.first_step;
  params.neighbors = s->asked.sim.neighbors;
  params.damping = knobs->damping;
  params.exact_energy = hb_particles_n((struct hb_particles *)particles) <= EXACT_ENERGY_MOST
                            ? HB_EXACT_ENERGY_AUTO
                            : HB_EXACT_ENERGY_NO;
  enum hb_status status = hb_sim_create(particles, &params, sim);
  hb_mem_free(tuning.text);
  return status;
}

/* Steps of another simulation, or of the same with something changed. */
enum from { GOES_ON, ANEW };

/* Shows this simulation from now on and destroys the old one. Steps are counted anew, too; pairs go on, rates are made of
 * them. */
static void begin_showing(struct hb_view_source *s, struct hb_sim *sim, const struct hb_particles *particles,
                          enum from from)
{
  struct hb_sim_counts counts;
  hb_view_source_counts(s, &counts);
  hb_sim_destroy(s->sim);
  if (from == ANEW) counts = (struct hb_sim_counts){.pairs = counts.pairs};
  s->before = counts;
  s->sim = sim;
  s->t = s->at = hb_particles_time(particles);
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  s->block = 0;
  s->energies = 0;
  s->e_error = 0;
  s->history = (struct hb_hud_history){0};
  s->generation++;
}

/* Models that come with a step dt for all, which is what they were made for, are shown by it unless something else was
 * asked for: block steps follow close pairs that nobody sees. */
static int has_shared_step(struct hb_view_source *s, const struct hb_particles *particles)
{
  const struct hb_sim_params *sim = &s->run->sim;
  return hb_particles_note(particles, "dt") && s->file_count == 0 &&
         !hb_opts_typed(s->opts, &sim->integrator) && !hb_opts_typed(s->opts, &sim->eta) &&
         !hb_opts_typed(s->opts, &sim->dt_max) && !hb_opts_typed(s->opts, &sim->neighbors);
}

/* Such a step hides the digits of a double: where nothing was asked for and the processor computes in double, floats on its
 * vector units are more than twice as fast. */
static enum hb_status hurry(struct hb_view_source *s, const struct hb_particles *particles,
                            const struct hb_view_knobs *knobs, struct hb_sim **sim)
{
  const char *asked = s->run->sim.force.scheme;
  if ((asked && strcmp(asked, "auto") != 0) || s->run->sim.force.precision) return HB_OK;
  if (!hb_force_scheme(hb_sim_force(*sim))->is_exact) return HB_OK;
  hb_sim_destroy(*sim);
  *sim = NULL;
  s->run->sim.force.scheme = "host-simd";
  return simulate(s, particles, knobs, sim);
}

/* Applies options and notes of the particles, which it takes over, and starts a simulation of them; on failure nothing
 * changes. */
static enum hb_status take_particles(struct hb_view_source *s, struct hb_particles *particles)
{
  const struct hb_run_settings old = *s->run;
  *s->run = s->asked;
  int shared = has_shared_step(s, particles);
  if (shared) s->run->sim.integrator = "leapfrog";
  enum hb_status status = hb_run_take_notes(s->opts, s->run, NULL, particles);
  const struct hb_sim_params *params = &s->run->sim;
  double started = hb_clock_now();
  const struct hb_view_knobs knobs = {params->force.eps, params->eta,
                                      params->damping > 0 ? params->damping : 1};
  struct hb_sim *sim = NULL;
  if (status == HB_OK) status = simulate(s, particles, &knobs, &sim);
  if (status == HB_OK && shared) status = hurry(s, particles, &knobs, &sim);
  if (status != HB_OK) {
    *s->run = old;
    hb_particles_destroy(particles);
    return status;
  }
  s->knobs = knobs;
  begin_showing(s, sim, particles, ANEW);
  s->begin_s = hb_clock_now() - started;
  hb_particles_destroy(s->particles);
  s->particles = particles;
  return HB_OK;
}

/* Goes on from the state of now with these knobs, in which others may stand for its particles: n of them, or 0. */
static enum hb_status go_on(struct hb_view_source *s, const struct hb_view_knobs *knobs, size_t n)
{
  struct hb_particles *state = NULL, *others = NULL;
  struct hb_sim *sim;
  HB_TRY(hb_sim_state(s->sim, s->t, &state));
  enum hb_status status = n ? hb_resample(state, n, s->seed, &others) : HB_OK;
  const struct hb_particles *shown = n ? others : state;
  if (status == HB_OK) status = simulate(s, shown, knobs, &sim);
  if (status == HB_OK) {
    s->knobs = *knobs;
    begin_showing(s, sim, shown, GOES_ON);
  }
  hb_particles_destroy(state);
  hb_particles_destroy(others);
  return status;
}

enum hb_status hb_view_source_turn(struct hb_view_source *s, const struct hb_view_knobs *knobs)
{
  return go_on(s, knobs, 0);
}

static enum hb_status take_scheme(struct hb_view_source *s, const char *scheme, const char *precision)
{
  struct hb_force_params *force[] = {&s->run->sim.force, &s->asked.sim.force};
  const char *old_scheme = force[0]->scheme, *old_precision = force[0]->precision;
  for (int k = 0; k < 2; k++) force[k]->scheme = scheme, force[k]->precision = precision;
  enum hb_status status = go_on(s, &s->knobs, 0);
  for (int k = 0; k < 2 && status != HB_OK; k++)
    force[k]->scheme = old_scheme, force[k]->precision = old_precision;
  return status;
}

enum hb_status hb_view_source_use(struct hb_view_source *s, const char *scheme, const char *precision)
{
  HB_TRY(take_scheme(s, scheme, precision));
  s->lends = NULL; /* the user's choice stays */
  return HB_OK;
}

/* ---- forces for the inspector ------------------------------------------------------------------------ */

enum { CG2007_MOST = 256 }; /* a draw for each other particle */

int hb_view_source_has_textures(const struct hb_view_source *s)
{
  return s->sim && hb_force_scheme(hb_sim_force(s->sim))->needs_gl;
}

/* Few particles by the kernel of 2007, whose textures are explained most easily, and many by bag. */
static enum hb_status lend_textures(struct hb_view_source *s)
{
  if (!s->wants_textures || hb_view_source_has_textures(s)) return HB_OK;
  const struct hb_force_params before = s->run->sim.force;
  const char *host = hb_force_scheme(hb_sim_force(s->sim))->name;
  enum hb_status status = HB_ERR_USAGE;
  if (s->n <= CG2007_MOST) status = take_scheme(s, "cg2007", NULL);
  if (status == HB_ERR_USAGE) status = take_scheme(s, "bag", NULL); /* cg2007 knows gravity only */
  HB_TRY(status);
  s->lends = host;
  s->lent_scheme = before.scheme;
  s->lent_precision = before.precision;
  return HB_OK;
}

static enum hb_status return_textures(struct hb_view_source *s)
{
  if (!s->lends) return HB_OK;
  s->lends = NULL;
  return take_scheme(s, s->lent_scheme, s->lent_precision);
}

enum hb_status hb_view_source_want_textures(struct hb_view_source *s, int wants)
{
  s->wants_textures = wants;
  enum hb_status status = wants ? lend_textures(s) : return_textures(s);
  if (status != HB_OK) s->wants_textures = 0;
  return status;
}

/* ---- models ------------------------------------------------------------------------------------------ */

static enum hb_status begin_model(struct hb_view_source *s, size_t model)
{
  size_t count;
  const struct hb_ic_model *m = &hb_ic_models(&count)[model];
  struct hb_particles *particles;
  const struct hb_ic_params params = {.n = m->n_min == m->n_max ? 0 : s->n_asked, .seed = s->seed};
  HB_TRY(hb_ic_make(m->name, &params, &particles));
  HB_TRY(take_particles(s, particles));
  s->model = model;
  s->file_count = 0;
  s->speed = m->speed;
  snprintf(s->title, sizeof s->title, "%s", m->name);
  return HB_OK;
}

enum hb_status hb_view_source_take_model(struct hb_view_source *s, size_t model)
{
  HB_TRY(return_textures(s));
  HB_TRY(begin_model(s, model));
  return lend_textures(s);
}

enum hb_status hb_view_source_reset(struct hb_view_source *s)
{
  if (hb_view_source_is_series(s)) return hb_view_source_show(s, 0);
  struct hb_sim *sim;
  HB_TRY(simulate(s, s->particles, &s->knobs, &sim));
  begin_showing(s, sim, s->particles, ANEW);
  return HB_OK;
}

enum hb_status hb_view_source_resize(struct hb_view_source *s, size_t n)
{
  size_t count;
  const struct hb_ic_params params = {.n = n, .seed = s->seed};
  struct hb_particles *fresh;
  HB_TRY(return_textures(s));
  const double started = hb_clock_now();
  HB_TRY(hb_ic_make(hb_ic_models(&count)[s->model].name, &params, &fresh));
  enum hb_status status = go_on(s, &s->knobs, n);
  if (status != HB_OK) {
    hb_particles_destroy(fresh);
    return status;
  }
  s->begin_s = hb_clock_now() - started;
  s->n_asked = n;
  hb_particles_destroy(s->particles);
  s->particles = fresh;
  return lend_textures(s);
}

/* ---- steps and energies ------------------------------------------------------------------------------ */

enum hb_status hb_view_source_step(struct hb_view_source *s)
{
  struct hb_sim_counts before, after;
  if (hb_view_source_is_series(s)) return hb_view_source_show(s, (s->shown + 1) % s->file_count);
  double started = hb_clock_now(), t = hb_sim_next_time(s->sim);
  hb_sim_counts(s->sim, &before);
  HB_TRY(hb_sim_step(s->sim));
  hb_sim_counts(s->sim, &after);
  s->block = after.particle_steps - before.particle_steps;
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
  counts->near.full_blocks += now.near.full_blocks;
}

int hb_view_source_has_energy(const struct hb_view_source *s)
{
  return s->sim && s->run->sim.correct != HB_PLACE_GPU;
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
  return hb_snapshot_read(s->files[number], s->run->input_format, particles);
}

static enum hb_status show_file(struct hb_view_source *s, size_t number)
{
  struct hb_particles *particles;
  HB_TRY(read_file(s, number, &particles));
  hb_particles_destroy(s->particles);
  s->particles = particles;
  s->shown = number;
  double t = hb_particles_time(particles);
  if (s->n != hb_particles_n(particles) || t < s->t) s->generation++;
  s->t = s->at = t;
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[number]));
  return HB_OK;
}

enum hb_status hb_view_source_show(struct hb_view_source *s, size_t number)
{
  s->play_at = (double)number;
  return show_file(s, number);
}

enum hb_status hb_view_source_play(struct hb_view_source *s, double seconds)
{
  double last = (double)s->file_count;
  s->play_at += seconds * s->rate;
  if (s->play_at >= last) s->play_at = fmod(s->play_at, last);
  size_t number = (size_t)s->play_at;
  return number == s->shown ? HB_OK : show_file(s, number);
}

/* A file does not say how fast to watch it: two thirds of the time in which its inner half would collapse each second, as
 * a number with one digit. */
static enum hb_status find_speed(struct hb_particles *p, double *speed)
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
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[0]));
  HB_TRY(read_file(s, 0, &particles));
  enum hb_status status = find_speed(particles, &s->speed);
  if (status == HB_OK) return take_particles(s, particles);
  hb_particles_destroy(particles);
  return status;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

enum hb_status hb_view_source_open(const struct hb_opts *opts, struct hb_view_source *s)
{
  const char *const *operands = opts->operands;
  size_t count = opts->operand_count;
  s->opts = opts;
  s->asked = *s->run;
  int model = count <= 1 ? hb_words_find(hb_models_words, count ? operands[0] : "plummer") : -1;
  if (model >= 0) return begin_model(s, (size_t)model);
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
