/* The bag scheme on the host's side: its programs and passes. See shaders/pairs/bag.frag. */
#include "pairs/pairs_bag.h"

#include "base/mem.h"

#include <stdio.h>

enum { MAX_ITERATIONS = 32768 /* llvmpipe silently ends a fragment after 65535 turns of all its loops */ };

/* ---- create and destroy ---- */

static enum hb_status bag_create(struct hb_pairs *p)
{
  HB_TRY(hb_bag_complete_tuning(p));
  struct hb_bag *b;
  HB_TRY(HB_ALLOC(1, &b));
  p->state = b;
  return HB_OK;
}

static void bag_destroy(struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  for (int shape = 0; shape < HB_BAG_SHAPES; shape++)
    for (int stage = 0; stage < HB_BAG_STAGES; stage++) hb_gl_pass_destroy(&b->program[shape][stage]);
  for (int k = 0; k < 2; k++) {
    hb_gl_texture_destroy(&b->many[k]);
    hb_gl_texture_destroy(&b->few[k]);
  }
  hb_pairs_sum_destroy(&b->sum_of_many);
  hb_pairs_sum_destroy(&b->sum_of_few);
  hb_gl_target_destroy(&b->empty);
  hb_mem_free(b);
}

/* Of the shape of the walk, if they read sources from elsewhere: more particles may not fit a texture. */
static void drop_programs(struct hb_bag *b)
{
  for (int stage = 0; stage < HB_BAG_STAGES && b->built[b->shape] != b->j_source; stage++)
    hb_gl_pass_destroy(&b->program[b->shape][stage]);
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
                                                 .precision = p->params.precision,
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
    hb_gl_target_empty(b->width, b->height, &b->empty);
    return hb_pairs_storage_room(p, (size_t)b->segments);
  }
  if (b->layers[0].height >= b->height) return HB_OK;
  int layers = b->each * p->words;
  size_t row = 2 * HB_BAG_TEXEL * (size_t)p->params.tuning.width * (size_t)layers;
  int height = (int)(hb_pairs_room((size_t)b->height * row, HB_PAIRS_TOTALS) / row);
  for (int k = 0; k < 2; k++) {
    hb_gl_texture_destroy(&b->layers[k]);
    HB_TRY(hb_gl_texture_words(p->params.context, p->params.tuning.width, height, layers, &b->layers[k]));
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

static void set_block(const struct hb_pairs *p, struct hb_gl_pass *pass, size_t from)
{
  size_t first = from * (size_t)p->texels;
  hb_gl_pass_int(pass, "block_start", (int)first);
  hb_gl_pass_block(pass, "source_block", &p->j, first * HB_BAG_TEXEL, HB_BAG_BLOCK_BYTES);
}

static void set_inputs(struct hb_pairs *p, struct hb_gl_pass *pass)
{
  const struct hb_bag *b = p->state;
  hb_pairs_program_inputs(p, pass);
  hb_gl_pass_int(pass, "groups", b->groups);
  hb_gl_pass_int(pass, "segment_length", b->segment_length);
  hb_gl_pass_int(pass, "width", b->width);
  hb_gl_pass_int(pass, "rows", b->band);
  if (b->j_source == HB_J_STORAGE) hb_gl_pass_storage(pass, 0, &p->j);
  if (b->in_storage) hb_gl_pass_storage(pass, 1, &p->storage);
}

static void draw_rows(const struct hb_bag *b, struct hb_gl_pass *pass, int row, int rows)
{
  const struct hb_gl_target *target = b->in_storage ? &b->empty : &b->layers[!b->written].target;
  hb_gl_pass_draw(pass, target, 0, row, b->width, rows);
}

/* Where a uniform block holds the sources: the fragments of one segment after the other, each in rows of its own. A last
 * segment that is shorter may have no sources left, and then reads nothing. */
static void draw_segments(const struct hb_pairs *p, struct hb_gl_pass *pass, size_t from)
{
  const struct hb_bag *b = p->state;
  int rows = b->height / b->segments;
  for (int s = 0; s < b->segments; s++) {
    size_t start = (size_t)s * (size_t)b->segment_length + from;
    set_block(p, pass, start < p->nj ? start : 0);
    draw_rows(b, pass, s * rows, rows);
  }
}

static void draw(struct hb_pairs *p, struct hb_gl_pass *pass, size_t from)
{
  struct hb_bag *b = p->state;
  if (!b->in_storage) hb_gl_pass_texture(pass, "before", &b->layers[b->written]);
  if (b->shape == HB_BAG_BLOCKS)
    draw_segments(p, pass, from);
  else
    draw_rows(b, pass, 0, b->height);
  if (!b->in_storage) b->written = !b->written;
}

static enum hb_status walk_bag(struct hb_pairs *p, size_t from, size_t to)
{
  struct hb_bag *b = p->state;
  enum hb_bag_stage stage = from == 0 ? HB_BAG_ANEW : HB_BAG_GO_ON;
  HB_TRY(build(p, stage));
  struct hb_gl_pass *pass = &b->program[b->shape][stage];
  if (b->stage != stage) set_inputs(p, pass);
  b->stage = stage;
  hb_gl_pass_int2(pass, "bag", (int)from, (int)to);
  draw(p, pass, from);
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
                         walk_bag));
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
