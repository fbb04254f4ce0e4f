/* Gravity through the all-pairs engine: one source of forces for each of its schemes. */
#include "force/resident.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gl/gl_pass.h"
#include "pairs/pairs.h"
#include "pairs/tuning.h"

/* Seconds that a run may spend on finding a tuning; `holmberg tune` takes more. */
static const double BRIEFLY = 2;

struct gravity {
  struct hb_gl_context *context;
  struct hb_pairs *pairs;
  int tunes; /* the tuning is to be looked up, or measured, when the number of particles is known */
  char tuning[256];
  struct hb_resident *resident; /* made when particles are first sent */
  int waits;                    /* HB_FORCE_PHASES */
};

static void gravity_close(void *state)
{
  struct gravity *g = state;
  if (!g) return;
  hb_resident_destroy(g->resident);
  hb_pairs_destroy(g->pairs);
  hb_gl_context_close(g->context);
  hb_mem_free(g);
}

static enum hb_status gravity_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                   void **state)
{
  struct gravity *g;
  HB_TRY(HB_ALLOC(1, &g));
  *state = g;
  HB_TRY(hb_force_open_gl(params, gl, &g->context));
  struct hb_pairs_params pairs = {.context = g->context,
                                  .interaction = params->custom_interaction,
                                  .scheme = params->scheme,
                                  .precision = hb_precision_find(params->precision),
                                  .max_draw_s = params->max_draw_s};
  HB_TRY(hb_interaction_set(pairs.interaction, params->eps, params->parameters, pairs.parameter));
  g->waits = (params->flags & HB_FORCE_PHASES) != 0;
  g->tunes = !params->tuning && !(params->flags & HB_FORCE_NO_TUNE);
  HB_TRY(hb_tuning_parse(params->tuning, &pairs.tuning));
  return hb_pairs_create(&pairs, &g->pairs);
}

/* Once, when the number of particles is known: the tuning in the cache, or one that is measured now and saved there. */
static enum hb_status tune(struct gravity *g, size_t n)
{
  g->tunes = 0;
  const struct hb_pairs_params params = g->pairs->params;
  hb_pairs_destroy(g->pairs);
  g->pairs = NULL;
  return hb_tuning_open(&params, n, BRIEFLY, &g->pairs);
}

static void gravity_set_eps(void *state, double eps)
{
  struct hb_pairs *pairs = ((struct gravity *)state)->pairs;
  if (pairs) hb_interaction_parameter(pairs->params.interaction, eps, pairs->params.parameter);
}

/* Columns and results are those of the records of gravity_jerk. */
static enum hb_status gravity_send(struct gravity *g, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  const double *x = s->x, *v = s->v;
  const struct hb_column columns[8] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {s->m, 1},
                                       {v, 3}, {v + 1, 3}, {v + 2, 3}, {0}};
  struct hb_fixed_column rounding[HB_REPRODUCIBLE_COLUMNS];
  if (g->tunes) HB_TRY(tune(g, s->n));
  if (job->words.units) {
    g->pairs->params.parameter[0] = (double)hb_reproducible_eps2(job->words.units);
    hb_reproducible_rounding(job->words.units, rounding);
    hb_pairs_set_rounding(g->pairs, rounding);
  }
  HB_TRY(hb_pairs_set_j(g->pairs, s->n, columns));
  if (g->waits) hb_gl_timer_start();
  hb_force_sent(job, job->since);
  return HB_OK;
}

static enum hb_status gravity_begin(void *state, const struct hb_force_job *job)
{
  struct gravity *g = state;
  const struct hb_force_sinks *i = &job->sinks;
  const struct hb_force_results *to = &job->to;
  struct hb_column points[8] = {{0}};
  struct hb_result results[8] = {{0}};
  struct hb_pairs_job walk = {
      .ni = i->n, .index = i->index, .scale = job->words.scale, .totals = job->words.totals};
  if (job->sources.m) HB_TRY(gravity_send(g, job));
  if (i->n == 0) return HB_OK;
  for (int c = 0; i->x && c < 3; c++) {
    points[c] = (struct hb_column){i->x + c, 3};
    points[4 + c] = (struct hb_column){i->v + c, 3};
  }
  for (int c = 0; !walk.totals && c < 3; c++) {
    results[c] = (struct hb_result){to->a + c, 3};
    results[4 + c] = (struct hb_result){to->j + c, 3};
  }
  results[3] = (struct hb_result){to->phi, 1};
  if (i->x) walk.points = points;
  if (!walk.totals) walk.results = results;
  return hb_pairs_walk(g->pairs, &walk);
}

static enum hb_status gravity_finish(void *state, const struct hb_force_job *job)
{
  struct gravity *g = state;
  double done = g->waits ? hb_gl_timer_start() : 0;
  HB_TRY(hb_pairs_read(g->pairs));
  if (g->waits && job->spent) job->spent->receive_s += hb_clock_now() - done;
  return HB_OK;
}

/* ---- particles that stay on the device ---- */

static enum hb_status gravity_records(void *state, size_t n, void **records)
{
  struct gravity *g = state;
  if (g->tunes) HB_TRY(tune(g, n));
  if (g->resident && g->resident->n != n) { /* particles were added or removed */
    hb_resident_destroy(g->resident);
    g->resident = NULL;
  }
  if (!g->resident) HB_TRY(hb_resident_create(g->pairs, n, g->waits ? HB_FORCE_PHASES : 0, &g->resident));
  *records = g->resident;
  return HB_OK;
}

static enum hb_status gravity_engine(void *state, size_t nj, struct hb_pairs **pairs)
{
  struct gravity *g = state;
  if (g->tunes) HB_TRY(tune(g, nj));
  *pairs = g->pairs;
  return HB_OK;
}

static struct hb_gl_context *gravity_on_device(const void *state, struct hb_device_particles *particles)
{
  const struct gravity *g = state;
  if (!g->pairs) return NULL; /* a device that failed before they were made */
  int doubles = g->pairs->params.precision == HB_PRECISION_DOUBLE;
  *particles = (struct hb_device_particles){.layout = doubles ? HB_DEVICE_DOUBLES : HB_DEVICE_RECORDS,
                                            .n = g->pairs->nj,
                                            .texture = {g->pairs->j.texture.id},
                                            .texels = g->pairs->texels};
  return g->context;
}

/* Bytes that a run needs on a GPU without a tuning, into *need. */
static void pairs_memory(const struct hb_pairs_scheme *scheme, const struct hb_interaction *interaction,
                         enum hb_precision precision, struct hb_force_need *need)
{
  need->device_source += 16 * hb_pairs_texels(interaction, precision);
  need->device_sink += (hb_precisions[precision].is_fixed ? 2 : 1) * sizeof(uint32_t); /* number, scale */
  need->host_fixed += HB_PAIRS_PIECE + HB_GL_UPLOAD_PLACES * HB_GL_UPLOAD_PIECE;
  scheme->memory(16 * hb_pairs_words(interaction, precision), need);
}

static void gravity_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  pairs_memory(hb_pairs_scheme_find(params->scheme), HB_INTERACTION_GRAVITY,
               hb_precision_find(params->precision), need);
}

static const struct hb_gl_context *gravity_gl(const void *state)
{
  return ((const struct gravity *)state)->context;
}

static const char *gravity_tuning(const void *state)
{
  struct gravity *g = (struct gravity *)state; /* the text is made on demand */
  if (!g->pairs) return "";                    /* a device that failed before they were made */
  hb_tuning_print(&g->pairs->params.tuning, sizeof g->tuning, g->tuning);
  return g->tuning;
}

/* The rest of info comes from the scheme: source.c.     */
#define GRAVITY_BY(scheme)                                                                                   \
  const struct hb_force_ops hb_force_##scheme = {                                                            \
      .info = {.name = #scheme, .precisions = "single compensated ds double reproducible", .needs_gl = 1},   \
      .pairs = &hb_pairs_##scheme,                                                                           \
      .takes_interactions = 1,                                                                               \
      .reach = HB_FORCE_FLOAT_REACH,                                                                         \
      .open = gravity_open,                                                                                  \
      .close = gravity_close,                                                                                \
      .memory = gravity_memory,                                                                              \
      .set_eps = gravity_set_eps,                                                                            \
      .begin = gravity_begin,                                                                                \
      .has_points = 1,                                                                                       \
      .finish = gravity_finish,                                                                              \
      .engine = gravity_engine,                                                                              \
      .resident = &hb_resident_ops,                                                                          \
      .records = gravity_records,                                                                            \
      .on_device = gravity_on_device,                                                                        \
      .gl = gravity_gl,                                                                                      \
      .tuning = gravity_tuning,                                                                              \
  };
HB_PAIRS_SCHEMES(GRAVITY_BY)
