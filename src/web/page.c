/* The page around the library, as its script sees it: one simulation on the canvas. Functions called page_... are called by
 * page.js; those that can fail return an hb_status, and page_error has the sentence. */
#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/particles.h"
#include "core/resample.h"
#include "force/force.h"
#include "gl/gl_shader.h"
#include "inspect/inspector.h"
#include "measure/bench.h"
#include "measure/card.h"
#include "render/scene.h"
#include "sim/sim.h"
#include "sim/sim_settings.h"
#include "web/show.h"
#include "web/web_turn.h"

#include <holmberg/diagnostics.h>

#include <emscripten.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Everything there is. */
static struct {
  struct hb_gl_context *context;

  /* the simulation */
  struct hb_sim *sim;
  struct hb_particles *initial;               /* what it began with, and what starting over begins with */
  int comes;                                  /* initial's forces are not known yet */
  struct hb_diagnostics energy_begin, energy; /* at the beginning, and when last asked */
  unsigned told;                              /* warnings that were given */
  double force_error;                         /* of page_check */
  double step_s;                              /* time spent in steps */
  int is_busy; /* a call about it has not returned yet, perhaps because it sleeps: web_turn.h */

  /* its textures; the stars are drawn elsewhere, show.c */
  struct hb_paint *paint;
  struct hb_inspector *inspector; /* NULL: closed */
} page;

static const char SHADERS[] = "/shaders"; /* where edited ones are: HB_SHADER_DIR */

/* ---- settings ------------------------------------------------------------------------------------------ */

/* As the script gives them, one after the other. */
static struct {
  char model[32], precision[32];
  struct hb_ic_params ic;
  struct hb_sim_params sim;
} settings = {.model = "plummer",
              .ic = {.seed = 1},
              .sim = {.force = {.context = "webgl", .max_draw_s = 0.05, .flags = HB_FORCE_NO_TUNE}}};

/* "": its default. */
static enum hb_status set_sim(const struct hb_setting *row, const char *value)
{
  struct hb_sim_params *p = &settings.sim;
  void *field = (char *)p + row->at;
  memset(field, 0, row->size);
  if (*value) HB_TRY(hb_setting_read(row, value, field));
  if (field == &p->force.precision && *value) { /* the script's word does not last */
    snprintf(settings.precision, sizeof settings.precision, "%s", value);
    p->force.precision = settings.precision;
  }
  int is_unsoftened = field == &p->force.eps && *value && p->force.eps == 0;
  if (field == &p->force.eps) p->force.flags = HB_FORCE_NO_TUNE | (is_unsoftened ? HB_FORCE_UNSOFTENED : 0U);
  p->predict = p->correct = p->transfer == HB_TRANSFER_BLOCK ? HB_PLACE_GPU : HB_PLACE_HOST;
  return HB_OK;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_set(const char *name, const char *value)
{
  const struct hb_setting *row = hb_setting_find(hb_sim_settings, name);
  if (row) return set_sim(row, value);
  if (strcmp(name, "model") == 0)
    snprintf(settings.model, sizeof settings.model, "%s", value);
  else if (strcmp(name, "n") == 0)
    settings.ic.n = (size_t)atof(value);
  else
    return hb_fail(HB_ERR_USAGE, "unknown setting '%s'", name);
  return HB_OK;
}

/* ---- long calls ---------------------------------------------------------------------------------------- */

static int may_sleep;

/* The next call that begins with LONG may return before it is done, and goes on when the page has had its turn: the script
 * gets a promise. Meanwhile it may draw, change shaders, and open the inspector. */
EMSCRIPTEN_KEEPALIVE void page_may_sleep(void) { may_sleep = 1; }
EMSCRIPTEN_KEEPALIVE void page_stop(void) { hb_web_stop(); }

static int begin_long(void)
{
  page.is_busy = 1;
  hb_web_sleep(may_sleep ? settings.sim.force.max_draw_s : 0);
  return may_sleep = 0;
}

static void end_long(int *begun)
{
  (void)begun;
  hb_web_sleep(0);
  page.is_busy = 0;
}

#define LONG                                                                                                 \
  if (page.is_busy) return hb_fail(HB_ERR_USAGE, "another calculation is under way");                        \
  __attribute__((cleanup(end_long), unused)) int long_here = begin_long()

/* ---- beginning and ending ------------------------------------------------------------------------------ */

static void end_sim(void)
{
  if (page.inspector) hb_inspector_forget(page.inspector);
  hb_sim_destroy(page.sim);
  page.sim = NULL;
}

/* At time t, at which all particles are predicted; the last step's if that is later. */
static enum hb_status measure(struct hb_sim *sim, double t, struct hb_diagnostics *now)
{
  return hb_sim_diagnose(sim, fmax(t, hb_sim_time(sim)), now);
}

/* Of the cluster's own energy, as `holmberg run`. */
static double energy_error(void)
{
  return (page.energy.e_total - page.energy_begin.e_total) / page.energy_begin.e_scale;
}

static enum hb_status check_sim(void)
{
  return page.sim ? HB_OK : hb_fail(HB_ERR_USAGE, "there is no simulation");
}

/* Of page.told. */
enum { TOLD_STEPS = 1, TOLD_ENERGY = 2 };

static struct hb_particles *kept; /* the last state known; NULL: none */

/* Near forces are summed by the host, which knows the build's law alone. */
static int neighbors_of(const struct hb_sim_params *p, const struct hb_particles *particles)
{
  if (hb_gl_shaders_differ(NULL)) return HB_NEIGHBORS_NONE;
  return p->neighbors == HB_NEIGHBORS_AUTO ? hb_sim_default_neighbors(p, particles) : p->neighbors;
}

/* Whether a shader was edited, or is no more, so that the simulation has to go on without neighbors, or with them. */
EMSCRIPTEN_KEEPALIVE int page_is_dated(void)
{
  if (!page.sim || !page.initial) return 0;
  return (neighbors_of(&settings.sim, page.initial) > 0) != (hb_sim_taken(page.sim)->neighbors > 0);
}

/* A simulation of copies of these particles; if that fails, the one that was remains. */
static enum hb_status begin_sim(const struct hb_particles *particles)
{
  struct hb_sim_params p = settings.sim;
  p.neighbors = neighbors_of(&p, particles);
  HB_OWN_SIM struct hb_sim *sim = NULL;
  struct hb_diagnostics now;
  const struct hb_force_scheme *scheme = hb_force_scheme_find(p.force.scheme);
  if (!page.context && (!scheme || scheme->needs_gl)) { /* the host computes also where there is no WebGL 2 */
    HB_TRY(hb_gl_context_open(&(const struct hb_gl_context_params){.context = "webgl"}, &page.context));
    hb_gl_context_show(page.context);
  }
  HB_TRY(hb_sim_create(particles, &p, &sim));
  HB_TRY(measure(sim, 0, &now));
  end_sim();
  page.sim = sim;
  sim = NULL;
  page.step_s = 0;
  page.told = 0;
  page.energy_begin = page.energy = now;
  hb_particles_destroy(kept);
  kept = NULL;
  return HB_OK;
}

static void swap(struct hb_particles **a, struct hb_particles **b)
{
  struct hb_particles *before = *a;
  *a = *b;
  *b = before;
}

/* Takes them over, if that succeeds. */
static enum hb_status begin_with(struct hb_particles **particles)
{
  swap(&page.initial, particles);
  page.comes = 1;
  enum hb_status status = hb_web_show();
  if (status == HB_OK) status = begin_sim(page.initial);
  page.comes = 0;
  if (status != HB_OK) swap(&page.initial, particles);
  return status;
}

static enum hb_status make_model(struct hb_particles **particles)
{
  return hb_ic_make(settings.model, &settings.ic, particles);
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_begin(void)
{
  LONG;
  HB_OWN_PARTICLES struct hb_particles *particles = NULL;
  HB_TRY(make_model(&particles));
  return begin_with(&particles);
}

/* The same particles from their beginning; or from now, with settings that may have changed. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_start_over(void)
{
  LONG;
  HB_TRY(check_sim());
  return begin_sim(page.initial);
}

/* Of the particles as they are at time t, after the steps that it takes. */
static enum hb_status begin_at(double t)
{
  HB_OWN_PARTICLES struct hb_particles *now = NULL;
  enum hb_status status = HB_OK;
  hb_web_trust(1);
  while (status == HB_OK && hb_sim_next_time(page.sim) <= t) status = hb_sim_step(page.sim);
  hb_web_trust(0);
  HB_TRY(status);
  HB_TRY(hb_sim_state(page.sim, t, &now));
  return begin_sim(now);
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_go_on(void)
{
  LONG;
  HB_TRY(check_sim());
  return begin_at(hb_sim_time(page.sim));
}

/* ---- states that go to pictures elsewhere, and come back ---- */

static enum hb_status state_of(struct hb_particles **now)
{
  HB_TRY(check_sim());
  return hb_sim_state(page.sim, hb_sim_time(page.sim), now);
}

/* Of now, or of what is coming, to show_room. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_state(void)
{
  HB_OWN_PARTICLES struct hb_particles *now = NULL;
  if (page.comes) return show_give(page.initial);
  HB_TRY(state_of(&now));
  return show_give(now);
}

/* From the state of n particles in show_room at time t, with settings that may have changed; at once by steps to
 * time `to`. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_from(int n, double t, double to)
{
  LONG;
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(show_take(n, t, &p));
  if (!page.initial || hb_particles_n(page.initial) != (size_t)n) return begin_with(&p);
  HB_TRY(begin_sim(p));
  return to > t ? begin_at(to) : HB_OK;
}

/* From now with the model's new number of particles; page_start_over will begin with as many. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_resize(void)
{
  LONG;
  HB_OWN_PARTICLES struct hb_particles *now = NULL, *others = NULL, *initial = NULL;
  HB_TRY(state_of(&now));
  HB_TRY(make_model(&initial));
  HB_TRY(hb_resample(now, hb_particles_n(initial), settings.ic.seed, &others));
  HB_TRY(begin_sim(others));
  swap(&page.initial, &initial);
  return HB_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* Steps until the model's time t, or until the seconds are over. The clock starts after the first step that is due: it also
 * waits for the last picture. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_advance(double t, double seconds)
{
  LONG;
  double begun = hb_clock_now(), start = 0, now = 0;
  enum hb_status status = HB_OK;
  HB_TRY(check_sim());
  hb_web_trust(1);
  while (status == HB_OK && hb_sim_next_time(page.sim) <= t && now - start < seconds) {
    status = hb_sim_step(page.sim);
    now = hb_clock_now();
    if (!start) start = now;
  }
  hb_web_trust(0);
  page.step_s += hb_clock_now() - begun;
  return status;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_measure(double t)
{
  LONG;
  HB_TRY(check_sim());
  return measure(page.sim, t, &page.energy);
}

/* ---- what this device can do ---------------------------------------------------------------------------- */

static struct {
  char *row; /* NULL: not measured */
  size_t length;
  char doing[64];
} card;

static void show_doing(const char *what, void *context)
{
  (void)context;
  snprintf(card.doing, sizeof card.doing, "%s", what);
}

/* The row is page_row; meanwhile page_doing says what is measured. The simulation stands still. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_card(void)
{
  LONG;
  free(card.row);
  card.row = NULL;
  FILE *out = open_memstream(&card.row, &card.length);
  if (!out) return hb_fail(HB_ERR_INTERNAL, "out of memory");
  const struct hb_force_params place = {.context = "webgl", .max_draw_s = settings.sim.force.max_draw_s};
  enum hb_status status = hb_card_make(&place, show_doing, NULL, out);
  fclose(out);
  *card.doing = 0;
  return status;
}

EMSCRIPTEN_KEEPALIVE const char *page_row(void) { return card.row ? card.row : ""; }
EMSCRIPTEN_KEEPALIVE const char *page_doing(void) { return card.doing; }

/* ---- what goes wrong ------------------------------------------------------------------------------------ */

static const double noted = 1e-4; /* of an energy error: as `holmberg run` */

/* What these settings do not have already. */
static const char *remedy(void)
{
  const char *precision = hb_force_precision(hb_sim_force(page.sim));
  int bits = hb_force_position_bits(precision);
  if (bits < hb_force_position_bits("ds")) return "scheme bag with precision ds";
  return bits < hb_force_position_bits("double") ? "scheme host" : "a larger softening";
}

/* A sentence about it, each once a simulation, or "". As of run.c. */
EMSCRIPTEN_KEEPALIVE const char *page_warning(void)
{
  struct hb_step_trouble trouble;
  if (!page.sim) return "";
  double error = energy_error();
  if (!(page.told & TOLD_STEPS) && hb_sim_step_trouble(page.sim, &trouble)) {
    page.told |= TOLD_STEPS;
    return hb_phrase(
        "the time steps collapse: %.0f %% of them follow the rounding errors of the forces; choose %s, or "
        "a larger nu",
        100 * trouble.noisy, remedy());
  }
  if (page.told & TOLD_ENERGY || fabs(error) <= noted) return "";
  page.told |= TOLD_ENERGY;
  return hb_phrase(
      "the energy error is %.1e at t = %.4f: orbits may be wrong; choose %s, or a smaller nu, and start over",
      error, page.energy.t, remedy());
}

/* ---- what the script reads ------------------------------------------------------------------------------ */

EMSCRIPTEN_KEEPALIVE const char *page_error(void) { return hb_error(); }

enum {
  TIME,
  NEXT_TIME,
  PARTICLES,
  BLOCK_STEPS,
  PARTICLE_STEPS,
  PAIRS,
  ENERGY,
  ENERGY_ERROR,
  STEP_SECONDS,
  FORCE_ERROR,
  IS_COMPARED, /* an energy with that of the beginning */
  VIRIAL_RATIO,
  LIT,         /* particles that shine */
  ENERGY_TIME, /* of the energy */
  NUMBERS
};

EMSCRIPTEN_KEEPALIVE const double *page_numbers(void)
{
  static double x[NUMBERS];
  struct hb_sim_counts c;
  if (page.comes) { /* those that are seen before they begin, and before their energies are known */
    x[PARTICLES] = (double)hb_particles_n(page.initial);
    x[LIT] = (double)hb_view_particles_lit(page.initial);
    x[TIME] = hb_particles_time(page.initial);
    x[IS_COMPARED] = 0;
  }
  if (!page.sim || page.comes) return x;
  hb_sim_counts(page.sim, &c);
  x[TIME] = hb_sim_time(page.sim);
  x[NEXT_TIME] = hb_sim_next_time(page.sim);
  x[PARTICLES] = (double)c.n;
  x[BLOCK_STEPS] = (double)c.block_steps;
  x[PARTICLE_STEPS] = (double)c.particle_steps;
  x[PAIRS] = (double)c.pairs;
  x[ENERGY] = page.energy.e_total;
  x[ENERGY_ERROR] = energy_error();
  x[STEP_SECONDS] = page.step_s;
  x[FORCE_ERROR] = page.force_error;
  x[IS_COMPARED] = page.energy.t > page.energy_begin.t;
  x[ENERGY_TIME] = page.energy.t;
  x[VIRIAL_RATIO] = page.energy.virial_ratio;
  x[LIT] = (double)hb_min(c.n, hb_view_particles_lit(page.initial));
  return x;
}

enum { LEAST = 2, MOST = 16384 }; /* particles of a model */

static void list_models(struct hb_draft *list)
{
  size_t count;
  const struct hb_ic_model *m = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++, m++)
    hb_draft_put(
        list, "%s{\"name\":\"%s\",\"summary\":\"%s\",\"n\":%zu,\"least\":%zu,\"most\":%zu,\"speed\":%g}",
        k ? "," : "", m->name, m->summary, m->n, hb_max(m->n_min, LEAST), hb_min(m->n_max, MOST), m->speed);
}

/* Those that a page can run: without doubles on the device and compute shaders. */
static void list_schemes(struct hb_draft *list)
{
  size_t count, listed = 0;
  const struct hb_force_scheme *s = hb_force_schemes(&count);
  for (const struct hb_force_scheme *end = s + count; s < end; s++)
    if (!s->is_compute && strcmp(s->name, "hybrid") != 0)
      hb_draft_put(list, "%s{\"name\":\"%s\",\"summary\":\"%s\",\"precisions\":\"%s\",\"textures\":%s}",
                   listed++ ? "," : "", s->name, s->summary, s->precisions, s->needs_gl ? "true" : "false");
}

/* What the controls need of rows. */
static void list_settings(struct hb_draft *list)
{
  const struct hb_setting *row;
  size_t listed = 0;
  char name[HB_SETTING_NAME];
  for (size_t k = 0; (row = hb_setting_at(hb_sim_settings, k)); k++)
    if (row->high > 0)
      hb_draft_put(list, "%s\"%s\":{\"low\":%g,\"high\":%g,\"is\":\"%s\",\"help\":\"%s\"}",
                   listed++ ? "," : "", hb_setting_param(row, name), row->low, row->high,
                   row->fallback ? row->fallback : "", row->help);
}

/* Models, schemes and settings as JSON, so that they are listed in one place. */
EMSCRIPTEN_KEEPALIVE const char *page_choices(void)
{
  static struct hb_draft list;
  if (list.text.length) return list.text.text;
  hb_draft_put(&list, "{\"models\":[");
  list_models(&list);
  hb_draft_put(&list, "],\"schemes\":[");
  list_schemes(&list);
  hb_draft_put(&list, "],\"settings\":{");
  list_settings(&list);
  hb_draft_put(&list, "}}");
  return list.status == HB_OK ? list.text.text : "{}";
}

EMSCRIPTEN_KEEPALIVE const char *page_device(void) { return page.context ? page.context->caps.renderer : ""; }

/* ---- files --------------------------------------------------------------------------------------------- */

EMSCRIPTEN_KEEPALIVE enum hb_status page_save(const char *path)
{
  HB_OWN_PARTICLES struct hb_particles *now = NULL;
  HB_TRY(state_of(&now));
  return hb_snapshot_write(path, NULL, now);
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_load(const char *path)
{
  LONG;
  HB_OWN_PARTICLES struct hb_particles *particles = NULL;
  HB_TRY(hb_snapshot_read(path, NULL, &particles));
  return begin_with(&particles);
}

/* ---- shaders ------------------------------------------------------------------------------------------- */

/* All of them become files, which the engine follows from then on. Called before anything else. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_open(void)
{
  setenv("HB_SHADER_DIR", SHADERS, 1);
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", SHADERS, file->name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
      *slash = 0;
      mkdir(path, 0700);
    }
    HB_TRY(hb_file_replace(path, file->text, strlen(file->text)));
  }
  return HB_OK;
}

/* After one was edited: "" or what the compiler says, with the file's own line. */
EMSCRIPTEN_KEEPALIVE const char *page_reload(void)
{
  const char *message = "";
  if (page.context && hb_gl_context_use(page.context) == HB_OK) hb_gl_reload(page.context, &message);
  return message;
}

/* ---- a lost context ------------------------------------------------------------------------------------ */

/* What the processor has is not lost: it is what a new context goes on from. With transfer=block that is what page_keep has
 * last read from the device. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_keep(void)
{
  HB_OWN_PARTICLES struct hb_particles *now = NULL;
  HB_TRY(state_of(&now));
  swap(&kept, &now);
  return HB_OK;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_restored(void)
{
  LONG;
  int had_inspector = page.inspector != NULL;
  hb_inspector_close(page.inspector);
  page.inspector = NULL;
  end_sim();
  hb_paint_close(page.paint);
  page.paint = NULL;
  hb_gl_context_show(NULL);
  hb_gl_context_close(page.context);
  page.context = NULL;
  if (!page.initial) return check_sim();
  HB_OWN_PARTICLES struct hb_particles *last = NULL;
  swap(&kept, &last);
  HB_TRY(begin_sim(last ? last : page.initial));
  return had_inspector ? hb_inspector_open(&page.inspector) : HB_OK;
}

/* ---- textures ------------------------------------------------------------------------------------------ */

EMSCRIPTEN_KEEPALIVE enum hb_status page_inspect(int open)
{
  if (!open) {
    hb_inspector_close(page.inspector);
    page.inspector = NULL;
    return HB_OK;
  }
  return page.inspector ? HB_OK : hb_inspector_open(&page.inspector);
}

EMSCRIPTEN_KEEPALIVE void page_pass(int by)
{
  if (page.inspector) hb_inspector_step(page.inspector, by);
}

EMSCRIPTEN_KEEPALIVE void page_play_passes(int plays)
{
  if (page.inspector) hb_inspector_play(page.inspector, plays);
}

EMSCRIPTEN_KEEPALIVE const char *page_title(void)
{
  return page.inspector ? hb_inspector_title(page.inspector) : "";
}

EMSCRIPTEN_KEEPALIVE const char *page_running(void)
{
  return page.inspector ? hb_inspector_running(page.inspector) : "";
}

/* Where the inspector has no pass to show, or is to show another one: without a step. */
static enum hb_status walk_again(void)
{
  struct hb_diagnostics d;
  if (!page.inspector || !hb_inspector_waits(page.inspector) || !page.sim || page.is_busy ||
      !hb_force_scheme(hb_sim_force(page.sim))->needs_gl)
    return HB_OK;
  return hb_sim_diagnose(page.sim, hb_sim_time(page.sim), &d);
}

/* The texel under a pixel in words; "" where there is none. Its particle is marked in all images. */
EMSCRIPTEN_KEEPALIVE const char *page_texel(int x, int y)
{
  static struct hb_inspector_texel texel;
  if (!page.inspector || !hb_inspector_hit(page.inspector, x, y, &texel)) return "";
  hb_inspector_mark(page.inspector, texel.particle);
  return texel.text;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* scale: pixels of a pixel of the font. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_draw(int width, int height, int scale)
{
  const struct hb_gl_target target = {.width = width, .height = height, .count = 1};
  if (!page.sim) return HB_OK;
  HB_TRY(walk_again());
  HB_TRY(hb_gl_context_use(page.context));
  if (!page.paint) HB_TRY(hb_paint_open(page.context, &page.paint));
  hb_paint_begin(page.paint, width, height, scale);
  if (page.inspector)
    HB_TRY(hb_inspector_draw(page.inspector, page.context, page.paint, &target, 0, 0, width, height));
  return hb_paint_end(page.paint, &target);
}

/* ---- how exact the forces of the shaders are: what exercise 3 is about ------------------------------------ */

/* The relative error of the acceleration, as `holmberg bench force --check --float-positions` has it: of numbers that a float
 * holds, and of bag in sums of single terms, so that nothing is lost but in adding. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_check(void)
{
  struct hb_force_params params = settings.sim.force;
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(state_of(&p));
  params.eps = hb_sim_taken(page.sim)->force.eps;
  if (hb_force_scheme_find(params.scheme)->has_tuning) params.tuning = "partial=1 unroll=1 i_each=1";
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] = (float)p->x[k], p->v[k] = (float)p->v[k];
  for (size_t k = 0; k < p->n; k++) p->m[k] = (float)p->m[k];
  return hb_bench_error(&params, p, &page.force_error);
}
