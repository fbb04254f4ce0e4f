/* The bag scheme on the host's side: its programs and passes. See shaders/pairs/bag.frag. */
#include "pairs/pairs_bag.h"

#include "base/mem.h"
#include "gl/gl.h"

#include <stdio.h>

enum { MAX_ITERATIONS = 32768 /* llvmpipe silently ends a fragment after 65535 turns of all its loops */ };

/* ---- create and destroy ---- */

static enum hb_status bag_create(struct hb_pairs *p)
{
  HB_TRY(hb_bag_complete_tuning(p));
  struct hb_bag *b;
  HB_TRY(HB_ALLOC(1, &b));
  p->state = b;
  if (hb_bag_needs_storage(p)) glGenFramebuffers(1, &b->framebuffer);
  return HB_OK;
}

static void bag_destroy(struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  for (int shape = 0; shape < HB_BAG_SHAPES; shape++)
    for (int stage = 0; stage < HB_BAG_STAGES; stage++) hb_pairs_program_destroy(&b->program[shape][stage]);
  for (int k = 0; k < 2; k++) {
    hb_gl_layers_destroy(&b->many[k]);
    hb_gl_layers_destroy(&b->few[k]);
  }
  hb_pairs_sum_destroy(&b->sum_of_many);
  hb_pairs_sum_destroy(&b->sum_of_few);
  if (b->framebuffer) glDeleteFramebuffers(1, &b->framebuffer);
  hb_mem_free(b);
}

/* Of the shape of the walk, if they read sources from elsewhere: more particles may not fit a texture. */
static void drop_programs(struct hb_bag *b)
{
  for (int stage = 0; stage < HB_BAG_STAGES && b->built[b->shape] != b->j_source; stage++)
    hb_pairs_program_destroy(&b->program[b->shape][stage]);
  b->built[b->shape] = b->j_source;
}

static enum hb_status build(struct hb_pairs *p, enum hb_bag_stage stage)
{
  struct hb_bag *b = p->state;
  char defines[160];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n#define BLOCK_TEXELS %d\n%s%s", (int)b->j_source,
           HB_BAG_BLOCK_TEXELS, b->in_storage ? "#define OUTPUT_STORAGE\n" : "",
           stage == HB_BAG_GO_ON ? "#define CONTINUES\n" : "");
  const struct hb_pairs_program_source source = {.fragment = "pairs/bag.frag",
                                                 .version =
                                                     b->in_storage || b->j_source == HB_J_STORAGE ? 430 : 330,
                                                 .i_each = b->each,
                                                 .unroll = b->unroll,
                                                 .partial = b->partial,
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, &b->program[b->shape][stage]);
}

/* ---- the walk ---- */

static enum hb_status make_room(struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  if (b->in_storage) {
    glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffer);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, b->width);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, b->height);
    return hb_pairs_storage_room(p, (size_t)b->segments);
  }
  if (b->layers[0].height >= b->height) return HB_OK;
  int layers = b->each * p->words;
  size_t row = 2 * HB_BAG_TEXEL * (size_t)p->params.tuning.width * (size_t)layers;
  int height = (int)(hb_pairs_room((size_t)b->height * row, HB_PAIRS_TOTALS) / row);
  for (int k = 0; k < 2; k++) {
    hb_gl_layers_destroy(&b->layers[k]);
    HB_TRY(hb_gl_layers_create(p->params.context, p->params.tuning.width, height, layers, &b->layers[k]));
  }
  return HB_OK;
}

/* Sources of each segment that one pass can walk at most. */
static size_t most_sources(const struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  return b->shape == HB_BAG_BLOCKS ? hb_bag_block_length(p) : (size_t)MAX_ITERATIONS * (size_t)b->unroll;
}

/* Sources of each segment of which a pass has a multiple. */
static size_t least_sources(const struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  size_t step = b->shape == HB_BAG_BLOCKS ? hb_bag_block_step(p) : (size_t)b->partial;
  size_t length = (size_t)b->segment_length;
  return step < length ? step : length;
}

static void bind_block(const struct hb_pairs *p, const struct hb_pairs_program *program, size_t from)
{
  size_t first = from * (size_t)p->texels;
  glUniform1i(program->at[HB_U_BLOCK_START], (GLint)first);
  glBindBufferRange(GL_UNIFORM_BUFFER, 0, p->j_buffer, (GLintptr)(first * HB_BAG_TEXEL), HB_BAG_BLOCK_BYTES);
}

static void use_program(struct hb_pairs *p, const struct hb_pairs_program *program)
{
  const struct hb_bag *b = p->state;
  hb_pairs_program_use(p, program);
  glUniform1i(program->at[HB_U_GROUPS], b->groups);
  glUniform1i(program->at[HB_U_SEGMENT_LENGTH], b->segment_length);
  glUniform1i(program->at[HB_U_WIDTH], b->width);
  glUniform1i(program->at[HB_U_ROWS], b->band);
  if (b->j_source == HB_J_BLOCK)
    glUniformBlockBinding(program->id, glGetUniformBlockIndex(program->id, "source_block"), 0);
  if (b->j_source == HB_J_STORAGE) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, p->j_buffer);
  if (b->in_storage) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, p->storage);
}

static void draw_rows(const struct hb_bag *b, int row, int rows)
{
  struct hb_gl_layers storage = {.framebuffer = b->framebuffer};
  hb_gl_layers_draw_rows(b->in_storage ? &storage : &b->layers[!b->written], row, b->width, rows);
}

/* Where a uniform block holds the sources: the fragments of one segment after the other, each in rows of its own. A last
 * segment that is shorter may have no sources left, and then reads nothing. */
static void draw_segments(const struct hb_pairs *p, const struct hb_pairs_program *program, size_t from)
{
  const struct hb_bag *b = p->state;
  int rows = b->height / b->segments;
  for (int s = 0; s < b->segments; s++) {
    size_t start = (size_t)s * (size_t)b->segment_length + from;
    bind_block(p, program, start < p->nj ? start : 0);
    draw_rows(b, s * rows, rows);
  }
}

static void draw(struct hb_pairs *p, const struct hb_pairs_program *program, size_t from)
{
  struct hb_bag *b = p->state;
  if (!b->in_storage) hb_gl_layers_bind(&b->layers[b->written], HB_UNIT_BEFORE);
  if (b->shape == HB_BAG_BLOCKS)
    draw_segments(p, program, from);
  else
    draw_rows(b, 0, b->height);
  if (b->in_storage)
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  else
    b->written = !b->written;
}

static enum hb_status pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct hb_bag *b = p->state;
  enum hb_bag_stage stage = from == 0 ? HB_BAG_ANEW : HB_BAG_GO_ON;
  HB_TRY(build(p, stage));
  const struct hb_pairs_program *program = &b->program[b->shape][stage];
  if (b->stage != stage) use_program(p, program);
  b->stage = stage;
  glUniform2i(program->at[HB_U_BAG], (GLint)from, (GLint)to);
  draw(p, program, from);
  if (hb_gl_trace) hb_bag_tell(p, from, to);
  return HB_OK;
}

static enum hb_status add_segments(struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  const struct hb_pairs_parts parts = {
      .layers = b->in_storage ? NULL : &b->layers[b->written],
      .segments = b->segments,
      .groups = b->groups,
      .each = b->each,
      .width = b->width,
      .band = b->band,
  };
  return hb_pairs_sum_run(p, b->sum, &parts);
}

static enum hb_status bag_walk(struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  hb_bag_choose_framebuffer(p);
  drop_programs(b);
  HB_TRY(make_room(p));
  if (b->j_source == HB_J_TEXTURE) HB_TRY(hb_pairs_texture_2d(p));
  b->stage = HB_BAG_STAGES;
  HB_TRY(hb_pairs_passes(p, (size_t)b->segments, (size_t)b->segment_length, least_sources(p), most_sources(p),
                         pass));
  return b->on_device ? add_segments(p) : HB_OK;
}

/* Particles twice: in a buffer, of which large blocks walk uniform blocks (one may begin at the last source), and in a
 * texture for few sinks, filled up to a row. Totals of a portion of the sinks, and of few (threads, and a band of rows:
 * pairs_bag_shape.c) in a ping-pong pair of textures at most, with the room that hb_pairs_room leaves. */
static void bag_memory(double total, struct hb_force_need *need)
{
  enum { FEW = 65536 + 16384, BEHIND = 65536, ROW = 16384 };
  need->device_source *= 2;
  need->device_fixed += HB_PAIRS_TOTALS + 1.5 * 2 * total * FEW + 2 * (BEHIND + ROW);
}

const struct hb_pairs_scheme hb_pairs_bag = {
    .name = "bag",
    .summary = "a pass sums a bag of sources in registers, bags accumulate over passes",
    .source = "[HI07]",
    .has_tuning = 1,
    .create = bag_create,
    .destroy = bag_destroy,
    .portion = hb_bag_portion,
    .walk = bag_walk,
    .read = hb_bag_read,
    .totals = hb_bag_totals,
    .memory = bag_memory,
};
