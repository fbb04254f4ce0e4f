/* The simulation of the page: models, settings, steps, energies, files. */
#include "web/page.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "gl/gl_reload.h"
#include "web/web_gl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct page page;

static const char SHADERS[] = "/shaders"; /* where edited ones are: HB_SHADER_DIR */

/* ---- settings ------------------------------------------------------------------------------------------ */

/* As the script gives them, one after the other. */
static struct {
  char model[32], scheme[32], precision[32], transfer[32];
  double n, seed, eps, nu, max_draw_ms;
} settings = {"plummer", "bag", "", "", 0, 1, 1.0 / 256, 0.01, 50};

static const struct {
  const char *name;
  char *text;
  double *number;
} known[] = {
    {"model", settings.model, NULL},
    {"scheme", settings.scheme, NULL},
    {"precision", settings.precision, NULL},
    {"transfer", settings.transfer, NULL},
    {"n", NULL, &settings.n},
    {"seed", NULL, &settings.seed},
    {"eps", NULL, &settings.eps},
    {"nu", NULL, &settings.nu},
    {"max_draw_ms", NULL, &settings.max_draw_ms},
};

EMSCRIPTEN_KEEPALIVE enum hb_status page_set(const char *name, const char *value)
{
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strcmp(known[k].name, name) != 0) continue;
    if (known[k].text)
      snprintf(known[k].text, sizeof settings.model, "%s", value);
    else
      *known[k].number = atof(value);
    return HB_OK;
  }
  return hb_fail(HB_ERR_USAGE, "unknown setting '%s'", name);
}

static struct hb_sim_params params(void)
{
  struct hb_sim_params p = {.force = {.scheme = settings.scheme,
                                      .precision = *settings.precision ? settings.precision : NULL,
                                      .context = "webgl",
                                      .eps = settings.eps,
                                      .max_draw_s = 1e-3 * settings.max_draw_ms,
                                      .flags = HB_FORCE_NO_TUNE},
                            .eta = settings.nu};
  if (strcmp(settings.transfer, "block") == 0) {
    p.transfer = HB_TRANSFER_BLOCK;
    p.predict = p.correct = HB_PLACE_GPU;
  }
  return p;
}

/* ---- beginning and ending ------------------------------------------------------------------------------ */

static enum hb_status open_context(void)
{
  if (page.context) return HB_OK;
  HB_TRY(hb_gl_context_open(&(const struct hb_gl_context_params){.context = "webgl"}, &page.context));
  hb_gl_context_show(page.context);
  return hb_page_open_picture();
}

static void stop(void)
{
  if (page.inspector) hb_inspector_forget(page.inspector);
  page.stars.at = (struct hb_device_particles){0};
  hb_sim_destroy(page.sim);
  page.sim = NULL;
}

/* At time t, at which all particles are predicted; the last step's if that is later. */
static enum hb_status measure(double t, double *energy)
{
  struct hb_diagnostics d;
  HB_TRY(hb_sim_diagnose(page.sim, fmax(t, hb_sim_time(page.sim)), &d));
  *energy = d.e_total;
  return HB_OK;
}

/* A simulation of copies of these particles. */
static enum hb_status begin(const struct hb_particles *particles)
{
  const struct hb_sim_params p = params();
  stop();
  HB_TRY(open_context());
  HB_TRY(hb_sim_create(particles, &p, &page.sim));
  page.step_s = 0;
  HB_TRY(measure(0, &page.e_begin));
  page.e_now = page.e_begin;
  return HB_OK;
}

static enum hb_status begin_with(struct hb_particles *particles)
{
  hb_particles_destroy(page.initial);
  page.initial = particles;
  HB_TRY(begin(particles));
  hb_page_fit(0);
  return HB_OK;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_begin(void)
{
  const struct hb_ic_params ic = {.n = (size_t)settings.n, .seed = (uint64_t)settings.seed};
  struct hb_particles *particles;
  HB_TRY(hb_ic_make(settings.model, &ic, &particles));
  snprintf(page.model, sizeof page.model, "%s", settings.model);
  return begin_with(particles);
}

/* The same particles from their beginning; or from now, with settings that may have changed. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_start_over(void) { return begin(page.initial); }

EMSCRIPTEN_KEEPALIVE enum hb_status page_go_on(void)
{
  struct hb_particles *now;
  HB_TRY(hb_sim_state(page.sim, hb_sim_time(page.sim), &now));
  enum hb_status status = begin(now);
  hb_particles_destroy(now);
  return status;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* Steps until the model's time t, or until the seconds are over. The clock starts after the first step that is due: it also
 * waits for the last picture. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_advance(double t, double seconds)
{
  double begun = hb_clock_now(), start = 0, now = 0;
  enum hb_status status = HB_OK;
  if (!page.sim) return hb_fail(HB_ERR_USAGE, "there is no simulation");
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

EMSCRIPTEN_KEEPALIVE enum hb_status page_measure(double t) { return measure(t, &page.e_now); }

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
  NUMBERS
};

EMSCRIPTEN_KEEPALIVE const double *page_numbers(void)
{
  static double x[NUMBERS];
  struct hb_sim_counts c;
  if (!page.sim) return x;
  hb_sim_counts(page.sim, &c);
  x[TIME] = hb_sim_time(page.sim);
  x[NEXT_TIME] = hb_sim_next_time(page.sim);
  x[PARTICLES] = (double)c.n;
  x[BLOCK_STEPS] = (double)c.block_steps;
  x[PARTICLE_STEPS] = (double)c.particle_steps;
  x[PAIRS] = (double)c.pairs;
  x[ENERGY] = page.e_now;
  x[ENERGY_ERROR] = (page.e_now - page.e_begin) / fabs(page.e_begin);
  x[STEP_SECONDS] = page.step_s;
  return x;
}

static enum hb_status list_models(struct hb_text *text)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++)
    HB_TRY(hb_text_append(text, "%s{\"name\":\"%s\",\"summary\":\"%s\",\"n\":%zu,\"fixed\":%s}", k ? "," : "",
                          models[k].name, models[k].summary, models[k].n,
                          models[k].n_min == models[k].n_max ? "true" : "false"));
  return HB_OK;
}

/* Those that a page can run: without doubles on the device and compute shaders. */
static enum hb_status list_schemes(struct hb_text *text)
{
  size_t count, listed = 0;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++)
    if (!schemes[k].is_compute && strcmp(schemes[k].name, "hybrid") != 0)
      HB_TRY(hb_text_append(text,
                            "%s{\"name\":\"%s\",\"summary\":\"%s\",\"precisions\":\"%s\",\"textures\":%s}",
                            listed++ ? "," : "", schemes[k].name, schemes[k].summary, schemes[k].precisions,
                            schemes[k].needs_gl ? "true" : "false"));
  return HB_OK;
}

/* Models and schemes as JSON, so that they are listed in one place. */
EMSCRIPTEN_KEEPALIVE const char *page_choices(void)
{
  static struct hb_text text;
  if (text.length) return text.text;
  enum hb_status status = hb_text_append(&text, "{\"models\":[");
  if (status == HB_OK) status = list_models(&text);
  if (status == HB_OK) status = hb_text_append(&text, "],\"schemes\":[");
  if (status == HB_OK) status = list_schemes(&text);
  if (status == HB_OK) status = hb_text_append(&text, "]}");
  return status == HB_OK ? text.text : "{}";
}

EMSCRIPTEN_KEEPALIVE const char *page_device(void) { return page.context ? page.context->caps.renderer : ""; }

/* ---- files --------------------------------------------------------------------------------------------- */

EMSCRIPTEN_KEEPALIVE enum hb_status page_save(const char *path)
{
  struct hb_particles *now;
  HB_TRY(hb_sim_state(page.sim, hb_sim_time(page.sim), &now));
  enum hb_status status = hb_snapshot_write(path, NULL, now);
  hb_particles_destroy(now);
  return status;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_load(const char *path)
{
  struct hb_particles *particles;
  HB_TRY(hb_snapshot_read(path, NULL, &particles));
  snprintf(page.model, sizeof page.model, "%s", path);
  return begin_with(particles);
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

/* What the processor has is not lost: it is what a new context goes on from. With transfer=block that is the last state
 * that was saved, by page_save in the script's care. */
static struct hb_particles *kept;

EMSCRIPTEN_KEEPALIVE void page_lost(void)
{
  hb_particles_destroy(kept);
  kept = NULL;
  if (page.sim && hb_sim_state(page.sim, hb_sim_time(page.sim), &kept) != HB_OK) kept = NULL;
}

EMSCRIPTEN_KEEPALIVE enum hb_status page_restored(void)
{
  int had_inspector = page.inspector != NULL;
  hb_inspector_close(page.inspector);
  page.inspector = NULL;
  stop();
  hb_page_close_picture();
  hb_gl_context_show(NULL);
  hb_gl_context_close(page.context);
  page.context = NULL;
  HB_TRY(begin(kept ? kept : page.initial));
  return had_inspector ? hb_inspector_open(&page.inspector) : HB_OK;
}
