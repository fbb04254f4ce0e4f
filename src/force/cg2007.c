/* The 2007 method [PZ07] section 3.1 and appendix A: particles in float textures, one other particle a pass,
 * N - 1 passes, results accumulated through a pair of textures that swap reading and writing.
 *
 * As in 2007 all particles are sent at every call. The sinks are put first in the textures, so that a pass
 * draws the block's rows only: N n_block interactions as in [PZ07] eq. 15. The order in which a particle
 * meets the others depends on that arrangement, and with it the last bits of the float sums; the scheduler
 * delivers a block in ascending order, which makes runs repeatable. */
#include "force/source.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/arith.h"
#include "base/text.h"
#include "gl/gl_pass.h"
#include "gl/gl_trace.h"

#include <stdio.h>
#include <string.h>

enum { ACC, JERK_POT, RESULTS, PASSES = RESULTS, MOST_RESULTS }; /* the textures that are accumulated */
enum {
  MOST = 1 << 23
}; /* coords1D + otherParticle stays below 2^24, up to which floats hold every integer */
enum { DRAWS_PER_FLUSH = 256 }; /* so that the driver starts early and its queue stays short */

struct cg2007 {
  struct hb_gl_context *context;
  enum hb_gl_shape shape;
  float eps2;
  struct hb_gl_pass kernel;

  size_t nj, room; /* sources, and what textures and host arrays were made for */
  struct hb_gl_texture mass, pos, vel;
  struct hb_gl_texture result[2][MOST_RESULTS]; /* ping-pong pair */
  struct hb_gl_target target[2];
  struct hb_gl_tally tally; /* of a walk: a missing pass does not show in the results */
  int results, count_by;    /* without a tally PASSES is one of the results, and counts */
  size_t ni, other;         /* sinks, and the pass of the walk under way: */
  int read;                 /* from this one of the pair to the other */

  float *m, *x, *v;       /* [nj], [3 * nj], [3 * nj]: the sources in their own order */
  float *staging;         /* [4 * texels] one texture being sent or read */
  uint32_t *order;        /* [nj] particle in each texel: the sinks first */
  unsigned char *is_sink; /* [nj] */

  int waits; /* HB_FORCE_PHASES */
};

/* ---- close ---- */

static void destroy_textures(struct cg2007 *c)
{
  if (c->context && hb_gl_context_use(c->context) == HB_OK) {
    for (int k = 0; k < 2; k++) {
      hb_gl_target_destroy(&c->target[k]);
      for (int r = 0; r < c->results; r++) hb_gl_texture_destroy(&c->result[k][r]);
    }
    HB_GL_DESTROY(texture, &c->mass, &c->pos, &c->vel);
  }
  HB_FREE(c->m, c->x, c->v, c->staging, c->order, c->is_sink);
  c->m = c->x = c->v = c->staging = NULL;
  c->order = NULL;
  c->is_sink = NULL;
  c->room = c->nj = 0;
}

static void cg2007_close(void *state)
{
  struct cg2007 *c = state;
  if (!c) return;
  destroy_textures(c);
  if (c->context && hb_gl_context_use(c->context) == HB_OK) {
    hb_gl_pass_destroy(&c->kernel);
    hb_gl_tally_destroy(&c->tally);
  }
  hb_gl_context_close(c->context);
  hb_mem_free(c);
}

/* ---- sources ---- */

/* 2007 used three floats a record; with the option, rectangle textures of that kind can surely be rendered to. */
static int vector_channels(const struct cg2007 *c) { return c->shape == HB_GL_RECTANGLE ? 3 : 4; }

static enum hb_status create_texture(const struct cg2007 *c, int channels, size_t n,
                                     struct hb_gl_texture *texture)
{
  struct hb_gl_texture_params params = {.what = "cg2007",
                                        .shape = c->shape,
                                        .format = channels == 1   ? HB_GL_R32F
                                                  : channels == 3 ? HB_GL_RGB32F
                                                                  : HB_GL_RGBA32F};
  HB_TRY(hb_gl_texture_square(c->context, c->shape, n, &params.width, &params.height));
  return hb_gl_texture_create(c->context, &params, texture);
}

static enum hb_status create_textures(struct cg2007 *c, size_t n)
{
  int channels = vector_channels(c);
  HB_TRY(create_texture(c, 1, n, &c->mass));
  HB_TRY(create_texture(c, channels, n, &c->pos));
  HB_TRY(create_texture(c, channels, n, &c->vel));
  for (int k = 0; k < 2; k++) {
    HB_TRY(create_texture(c, channels, n, &c->result[k][ACC]));
    HB_TRY(create_texture(c, 4, n, &c->result[k][JERK_POT]));
    if (c->results > PASSES) HB_TRY(create_texture(c, 1, n, &c->result[k][PASSES]));
    HB_TRY(hb_gl_target_textures(c->context, c->results, c->result[k], &c->target[k]));
  }
  HB_TRY(HB_ALLOC(n, &c->m));
  HB_TRY(HB_ALLOC(3 * n, &c->x));
  HB_TRY(HB_ALLOC(3 * n, &c->v));
  HB_TRY(HB_ALLOC(4 * (size_t)c->pos.width * (size_t)c->pos.height, &c->staging));
  HB_TRY(HB_ALLOC(n, &c->order));
  HB_TRY(HB_ALLOC(n, &c->is_sink));
  c->room = n;
  return HB_OK;
}

static enum hb_status cg2007_send(struct cg2007 *c, const struct hb_force_job *job)
{
  const double *m = job->sources.m, *x = job->sources.x, *v = job->sources.v;
  size_t nj = job->sources.n;
  if (nj > MOST)
    return hb_fail(HB_ERR_USAGE,
                   "cg2007 counts particles in floats, as in 2007: %zu particles, expected at most %d", nj,
                   MOST);
  HB_TRY(hb_gl_context_use(c->context));
  if (nj != c->room) { /* width and unused texels depend on N */
    destroy_textures(c);
    HB_TRY(create_textures(c, nj));
  }
  c->nj = nj;
  for (size_t k = 0; k < nj; k++) c->m[k] = (float)m[k];
  for (size_t k = 0; k < 3 * nj; k++) c->x[k] = (float)x[k];
  for (size_t k = 0; k < 3 * nj; k++) c->v[k] = (float)v[k];
  hb_force_sent(job, job->since);
  return HB_OK;
}

/* ---- forces ---- */

static void arrange(struct cg2007 *c, const uint32_t *index)
{
  memset(c->is_sink, 0, c->nj);
  for (size_t k = 0; k < c->ni; k++) {
    c->order[k] = index[k];
    c->is_sink[index[k]] = 1;
  }
  size_t next = c->ni;
  for (size_t j = 0; j < c->nj; j++)
    if (!c->is_sink[j]) c->order[next++] = (uint32_t)j;
}

static void upload(struct cg2007 *c, const struct hb_gl_texture *texture, const float *vectors)
{
  int channels = vector_channels(c);
  for (size_t k = 0; k < c->nj; k++)
    memcpy(c->staging + (size_t)channels * k, vectors + 3 * (size_t)c->order[k], 3 * sizeof *vectors);
  hb_gl_texture_write(texture, 0, texture->width, texture->height, c->staging);
}

static void send(struct cg2007 *c)
{
  for (size_t k = 0; k < c->nj; k++) c->staging[k] = c->m[c->order[k]];
  hb_gl_texture_write(&c->mass, 0, c->mass.width, c->mass.height, c->staging);
  upload(c, &c->pos, c->x);
  upload(c, &c->vel, c->v);
}

static struct hb_gl_trace_array watched(const struct cg2007 *c, const char *name,
                                        const struct hb_gl_trace_quantity *quantities,
                                        const struct hb_gl_texture *texture, size_t n, size_t traffic)
{
  return (struct hb_gl_trace_array){
      .name = name,
      .quantities = quantities,
      .object = texture->id,
      .kind = c->shape,
      .form = HB_GL_TRACE_FLOATS,
      .channels = texture == &c->mass               ? 1
                  : texture->format == HB_GL_RGB32F ? 3
                                                    : 4,
      .columns = texture->width,
      .rows = texture->height,
      .each = 1,
      .wraps = 1,
      .n = n,
      .numbers = c->order,
      .first_source = -1,
      .width = texture->width,
      .band = 1,
      .step = 1,
      .traffic = traffic,
  };
}

static int block_width(const struct cg2007 *c)
{
  size_t row = (size_t)c->pos.width;
  return (int)(c->ni < row ? c->ni : row);
}

static int block_height(const struct cg2007 *c) { return (int)hb_div_ceil(c->ni, (size_t)c->pos.width); }

/* As hb_gl_pass_describe. */
static void describe(void *owner, struct hb_gl_trace_pass *trace)
{
  const struct cg2007 *c = owner;
  int read = c->read;
  size_t ni = c->ni, fragments = (size_t)block_width(c) * (size_t)block_height(c);
  static const struct hb_gl_trace_quantity mass[] = {{"mass", 0, 1}, {0}}, pos[] = {{"position", 0, 3}, {0}},
                                           vel[] = {{"velocity", 0, 3}, {0}},
                                           acc[] = {{"acceleration", 0, 3}, {0}},
                                           acc_free[] = {{"acceleration", 0, 3}, {"free", 3, 1}, {0}},
                                           jerk_pot[] = {{"jerk", 0, 3}, {"potential", 3, 1}, {0}};
  /* The fourth number is written as 0, for modified shaders to use. */
  const struct hb_gl_trace_quantity *sums = vector_channels(c) == 4 ? acc_free : acc;
  *trace = (struct hb_gl_trace_pass){
      .context = c->context,
      .scheme = "cg2007",
      .by = "otherParticle",
      .number = c->other,
      .draws = 1,
      .pairs = ni,
      .fragments = fragments,
      .read_count = 5,
      .write_count = RESULTS,
      .read = {watched(c, "accTexture", sums, &c->result[read][ACC], ni, fragments),
               watched(c, "jerkAndPotTexture", jerk_pot, &c->result[read][JERK_POT], ni, fragments),
               watched(c, "posTexture", pos, &c->pos, c->nj, 2 * fragments),
               watched(c, "velTexture", vel, &c->vel, c->nj, 2 * fragments),
               watched(c, "massTexture", mass, &c->mass, c->nj, fragments)},
      .write = {watched(c, "accOut", sums, &c->result[!read][ACC], ni, fragments),
                watched(c, "jerkAndPotOut", jerk_pot, &c->result[!read][JERK_POT], ni, fragments)},
  };
  snprintf(trace->what, sizeof trace->what, "each feels the particle %zu place%s on", c->other,
           hb_text_s(c->other));
}

static void read_from(struct cg2007 *c, int k)
{
  c->read = k;
  hb_gl_pass_texture(&c->kernel, "accTexture", &c->result[k][ACC]);
  hb_gl_pass_texture(&c->kernel, "jerkAndPotTexture", &c->result[k][JERK_POT]);
  if (c->results > PASSES) hb_gl_pass_texture(&c->kernel, "passesTexture", &c->result[k][PASSES]);
}

/* N - 1 passes, reading and writing swapped after each ([PZ07] section 3.1); c->read has the results afterwards. A driver
 * that lets a draw read its own target (OpenGL 4.5) needs to swap only once, so that after the second pass only
 * otherParticle changes. The sums are the same; but whoever looks at each pass wants to see what it has read, and a kernel
 * that somebody has changed may read what another fragment writes. */
static enum hb_status walk(struct cg2007 *c)
{
  struct hb_gl_pass *kernel = &c->kernel;
  int width = block_width(c), height = block_height(c);
  hb_gl_pass_float(kernel, "texSizeX", c->pos.width);
  hb_gl_pass_float(kernel, "texSizeY", c->pos.height);
  hb_gl_pass_float(kernel, "offset", (double)((size_t)c->pos.width * (size_t)c->pos.height - c->nj));
  hb_gl_pass_float(kernel, "eps2", (double)c->eps2);
  c->count_by = 3 - c->count_by;
  if (c->results > PASSES) hb_gl_pass_float(kernel, "countBy", c->count_by);
  hb_gl_pass_texture(kernel, "massTexture", &c->mass);
  hb_gl_pass_texture(kernel, "posTexture", &c->pos);
  hb_gl_pass_texture(kernel, "velTexture", &c->vel);
  int in_place = c->context->caps.has_texture_barrier && !hb_gl_trace && !hb_gl_shader_folder();
  hb_gl_target_clear(&c->target[0]);
  hb_gl_tally_reset(&c->tally);
  read_from(c, 0);
  for (c->other = 1; c->other < c->nj; c->other++) {
    hb_gl_pass_float(kernel, "otherParticle", (double)c->other);
    if (in_place && c->other > 1) {
      hb_gl_pass_draw_again(kernel);
    } else {
      hb_gl_pass_draw(kernel, &c->target[!c->read], 0, 0, width, height);
      read_from(c, !c->read);
    }
    if (c->other % DRAWS_PER_FLUSH == 0) hb_gl_flush();
    HB_TRY(hb_gl_context_breathe(c->context, (double)c->ni));
  }
  hb_gl_tally_pause(&c->tally);
  return HB_OK;
}

static void receive(struct cg2007 *c, const struct hb_force_results *to)
{
  const struct hb_gl_target *result = &c->target[c->read];
  int width = block_width(c), height = block_height(c);
  size_t ni = c->ni;
  hb_gl_target_read(result, ACC, 0, 0, width, height, HB_GL_FLOATS, c->staging);
  for (size_t k = 0; k < 3 * ni; k++) to->a[k] = c->staging[4 * (k / 3) + k % 3];
  hb_gl_target_read(result, JERK_POT, 0, 0, width, height, HB_GL_FLOATS, c->staging);
  for (size_t k = 0; k < 3 * ni; k++) to->j[k] = c->staging[4 * (k / 3) + k % 3];
  for (size_t k = 0; k < ni; k++) to->phi[k] = c->staging[4 * k + 3];
}

/* Whether all passes have reached all sinks. */
static enum hb_status check(struct cg2007 *c)
{
  double expected = c->count_by * ((double)c->nj - 1);
  if (c->results <= PASSES) return hb_gl_tally_check(&c->tally, c->context);
  hb_gl_target_read(&c->target[c->read], PASSES, 0, 0, block_width(c), block_height(c), HB_GL_FLOATS,
                    c->staging);
  for (size_t k = 0; k < c->ni; k++)
    if (c->staging[4 * k] != expected)
      return hb_gl_context_dropped(c->context, "particle %u has not met all others", c->order[k]);
  return HB_OK;
}

static enum hb_status cg2007_begin(void *state, const struct hb_force_job *job)
{
  struct cg2007 *c = state;
  if (job->sources.m) HB_TRY(cg2007_send(c, job));
  if (job->sinks.n == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(c->context));
  c->ni = job->sinks.n;
  arrange(c, job->sinks.index);
  double lap = hb_clock_now();
  send(c);
  if (c->waits) hb_gl_timer_start();
  hb_force_sent(job, lap);
  HB_TRY(walk(c));
  if (c->waits) lap = hb_gl_timer_start();
  receive(c, &job->to);
  if (c->waits && job->spent) job->spent->receive_s += hb_clock_now() - lap;
  HB_TRY(hb_gl_context_check_lost(c->context, "evaluating forces with cg2007"));
  return check(c);
}

static enum hb_status cg2007_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                  void **state)
{
  struct cg2007 *c;
  HB_TRY(HB_ALLOC(1, &c));
  *state = c;
  int rectangle = (params->flags & HB_FORCE_CG2007_RECT) != 0;
  c->shape = rectangle ? HB_GL_RECTANGLE : HB_GL_2D;
  c->eps2 = (float)hb_force_eps2(params);
  c->waits = (params->flags & HB_FORCE_PHASES) != 0;
  HB_TRY(hb_force_open_gl(params, gl, &c->context));
  if (rectangle && c->context->caps.is_es)
    return hb_fail(HB_ERR_GL, "cg2007 with rectangle textures needs a desktop's OpenGL, %s has %s",
                   c->context->caps.renderer, c->context->caps.api);
  int counts = !c->context->caps.has_counts;
  c->results = counts ? MOST_RESULTS : RESULTS;
  c->count_by = 1;
  const struct hb_gl_program_source source = {.fragment = "cg2007/acc_jerk_pot.frag",
                                              .defines = rectangle ? "#define HB_CG2007_RECT\n"
                                                         : counts  ? "#define HB_COUNT_PASSES\n"
                                                                   : ""};
  HB_TRY(hb_gl_pass_create(c->context, &source, &c->kernel));
  c->kernel.tally = &c->tally;
  c->kernel.describe = describe;
  c->kernel.owner = c;
  return HB_OK;
}

static struct hb_gl_context *cg2007_on_device(const void *state, struct hb_device_particles *particles)
{
  const struct cg2007 *c = state;
  *particles = (struct hb_device_particles){.layout = HB_DEVICE_STREAMS,
                                            .n = c->nj,
                                            .texture = {c->pos.id, c->vel.id, c->mass.id},
                                            .width = c->pos.width,
                                            .rectangle = c->shape == HB_GL_RECTANGLE,
                                            .order = c->order};
  return c->context;
}

/* mass, position, velocity, and twice acceleration and jerk with potential: 84 bytes in 2007, with vectors of three
 * floats; 100 with vectors of four. On the host m x v, staging, order, is_sink. */
/* OpenGL ES, which counts no samples, has a texture of counts in both targets more: 8 bytes a source (create_textures). */
static void cg2007_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  double vector = params->flags & HB_FORCE_CG2007_RECT ? 12 : 16;
  need->device_source += 4 + 2 * vector + 2 * (vector + 16);
  need->host_particle += 4 + 12 + 12 + 16 + 4 + 1;
}

static const struct hb_gl_context *cg2007_gl(const void *state)
{
  return ((const struct cg2007 *)state)->context;
}

const struct hb_force_ops hb_force_cg2007 = {
    .info = {.name = "cg2007",
             .summary = "the 2007 kernel: one other particle a pass, N - 1 passes over float textures",
             .source = "[PZ07] appendix A",
             .precisions = "single",
             .needs_gl = 1,
             .flops_per_pair = 47,
             .has_rect = 1,
             .is_historic = 1},
    .reach = 0x1p23, /* r^-5 */
    .open = cg2007_open,
    .close = cg2007_close,
    .memory = cg2007_memory,
    .begin = cg2007_begin,
    .on_device = cg2007_on_device,
    .gl = cg2007_gl,
};
