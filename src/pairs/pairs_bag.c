/* The host side of the bag scheme: its programs and passes. See shaders/pairs/bag.frag. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum {
  TEXEL = 16 /* bytes */,
  BLOCK_TEXELS = 4096 /* 64 KB, a uniform block that nearly every device accepts */,
  BLOCK_BYTES = BLOCK_TEXELS * TEXEL,
  MAX_ITERATIONS = 32768, /* llvmpipe silently ends a fragment after 65535 iterations of all its loops */
  LEVELS = 6,             /* of a sum over the segments: log2 of the threads a sink */
  SMALL_PARTIAL = 32,
  MOST_EACH = 8, /* sinks a fragment, or render targets */
  LONG = 64      /* float sums of full length; with so many a sink, few sinks need no shorter ones */
};
/* A fraction of the wanted fragments is enough for the shape that does more per fetch, and for a draw that others follow. */
enum { SOFTWARE_FILLED = 16, GPU_FILLED = 4, DRAWN = 32 };
enum { BLOCKS_WANTED = 4 }; /* times the fragments: a draw waits for nothing, a pass for the one before */
enum { OUTPUT_TARGETS = 1, OUTPUT_STORAGE = 2 };
enum { ADD_HOST = 1, ADD_DEVICE = 2 };

/* llvmpipe runs fragments in blocks of 4 x 4, half a block in lockstep: fewer rows leave lanes idle. */
enum { SOFTWARE_BAND = 2, SOFTWARE_ROWS = 4 };
/* A GPU runs blocks of 8 x 4 in lockstep, which should walk one segment: with bands of four rows they do, once a segment has
 * enough groups of sinks. */
enum { GPU_BAND = 4, GPU_BANDED = 256 };
/* Where a fragment holds one sink: more vectors, and fewer pending fetches. */
enum { SOFTWARE_PARTIAL = 128, SOFTWARE_UNROLL = 4 };

/* The program has shapes: with many sinks a fragment holds several; with few it holds one, and several fragments divide its
 * sources. With enough sinks a uniform block may hold the sources, 64 KB of them for each draw. Each shape has a first pass
 * and one that continues. */
enum bag_shape { BAG_BLOCKS, BAG_MANY, BAG_FEW, BAG_FEW_LONG, BAG_SHAPES };
enum bag_stage { BAG_ANEW, BAG_GO_ON, BAG_STAGES };

struct bag {
  struct hb_gl_pass program[BAG_SHAPES][BAG_STAGES]; /* built when first used, */
  enum hb_j_source built[BAG_SHAPES];                /* for sources from here */
  struct hb_gl_texture many[2], few[2];              /* ping-pong pairs to draw into, */
  struct hb_gl_pass sum_of_many[LEVELS], sum_of_few[LEVELS];
  struct hb_gl_target empty; /* or no texture, for totals in a storage buffer */

  /* the tuning in the shape of the current walk */
  enum bag_shape shape;
  size_t nj;                    /* with so many sources; 0: none yet */
  int each, unroll, partial;    /* sinks a fragment, sources fetched ahead, sources of a float sum */
  int in_storage;               /* totals are in pairs->storage, */
  struct hb_gl_texture *layers; /* or in one of this pair */
  int on_device;                /* segments are added there, */
  struct hb_gl_pass *sum;       /* by one of these: with 1, 2, ... 32 threads a sink */

  /* the current portion of its sinks */
  int groups; /* of `each`; with blocks and segments some are empty, so that a segment has complete rows */
  int width, height,
      band;    /* fragments; rows in which they are numbered up and down, see shaders/pairs/bag.frag */
  int written; /* which of the pair holds the totals */
  enum bag_stage stage; /* the program in use; BAG_STAGES: none */
  size_t from, to;      /* sources of each segment that the pass sums */
};

/* ---- the tuning ---- */

static int holds_several(enum bag_shape shape) { return shape <= BAG_MANY; }

/* The totals of few sinks are few: textures are read sooner, and llvmpipe's programs that write them are faster; but
 * for a compute program that adds them they go to a buffer, since a GPU's driver may first convert a texture's layout. */
static int uses_storage(const struct hb_pairs *p, enum bag_shape shape)
{
  const struct hb_pairs_tuning *t = &p->params.tuning;
  return holds_several(shape) ? t->output_plus_1 == OUTPUT_STORAGE : t->add_plus_1 == ADD_DEVICE;
}

/* Sinks that a fragment can hold: each needs its own render targets. */
static int most_each(const struct hb_pairs *p)
{
  return uses_storage(p, BAG_MANY)
             ? MOST_EACH
             : hb_min_int(MOST_EACH, p->params.context->caps.max_draw_buffers) / p->words;
}

static enum hb_status check_tuning(const struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  if (most_each(p) < 1)
    return hb_fail(HB_ERR_GL, "a total of this precision and interaction takes %d render targets, %s has %d",
                   p->words, caps->renderer, caps->max_draw_buffers);
  if (t->i_each > most_each(p))
    return hb_fail(HB_ERR_USAGE, "i_each is %d sinks a fragment of the bag scheme, expected at most %d here",
                   t->i_each, most_each(p));
  if (t->partial % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a float sum is over %d sources, expected a multiple of %d", t->partial,
                   t->unroll);
  int needs_43 =
      uses_storage(p, BAG_MANY) || uses_storage(p, BAG_FEW) || t->j_source_plus_1 == HB_J_STORAGE + 1;
  if (needs_43 && !caps->has_storage)
    return hb_fail(HB_ERR_GL, "storage buffers need OpenGL 4.3, %s has %s", caps->renderer, caps->api);
  if (t->j_source_plus_1 == HB_J_BLOCK + 1 && caps->max_uniform_block_size < BLOCK_BYTES)
    return hb_fail(HB_ERR_GL, "sources from blocks need uniform blocks of %d bytes, the limit of %s is %d",
                   BLOCK_BYTES, caps->renderer, caps->max_uniform_block_size);
  return HB_OK;
}

/* Where sources are read fastest; for a software renderer all are ordinary memory. */
static enum hb_j_source fastest_source(const struct hb_gl_caps *caps)
{
  int has_blocks = caps->max_uniform_block_size >= BLOCK_BYTES;
  return has_blocks && !caps->software ? HB_J_BLOCK : HB_J_BUFFER_TEXTURE;
}

/* Sinks a fragment and sources ahead: on an H200 the fastest, on other cards what each of their compilers has registers for
 * (data/drivers.csv): what spills is several times as slow, and the tuner finds more where there is room. */
static int usual_each(const struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  if (caps->software) return MOST_EACH;
  if (caps->registers > 128) return 4;
  int is_light = p->params.precision == HB_PRECISION_SINGLE && p->params.interaction->f_records <= 2;
  return caps->registers > 64 && is_light ? 2 : 1;
}

static int usual_unroll(const struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  if (caps->software) return 8;
  if (p->params.precision == HB_PRECISION_DOUBLE) return 2;
  if (caps->registers > 128) return is_fixed ? 4 : 8;
  return caps->registers > 64 ? 4 : is_fixed || p->params.precision == HB_PRECISION_DS ? 1 : 2;
}

/* What the user did not set: safe choices where nothing was measured; from the measurements in data/measured. Errors:
 * HB_ERR_USAGE, HB_ERR_GL where the device lacks what was asked for. */
static enum hb_status complete_tuning(struct hb_pairs *p)
{
  int software = p->params.context->caps.software, storage = p->params.context->caps.has_storage;
  enum hb_precision precision = p->params.precision;
  struct hb_pairs_tuning *t = &p->params.tuning;
  t->output_plus_1 = hb_default(t->output_plus_1, software && storage ? OUTPUT_STORAGE : OUTPUT_TARGETS);
  t->add_plus_1 = hb_default(t->add_plus_1, !software && storage ? ADD_DEVICE : ADD_HOST);
  t->j_source_plus_1 = hb_default(t->j_source_plus_1, (int)fastest_source(&p->params.context->caps) + 1);
  t->i_each = hb_default(t->i_each, hb_min_int(usual_each(p), most_each(p)));
  t->unroll = hb_default(t->unroll, usual_unroll(p));
  /* two tiles of 64 texels, a piece of work for two llvmpipe threads; or what spreads over a GPU's rasterizers */
  t->width = hb_default(t->width, software ? 128 : 1024);
  int partial = hb_precisions[precision].partial;
  t->partial =
      hb_default(t->partial, software ? partial : hb_min_int(64, partial)); /* a GPU is faster with 64 */
  t->threads = hb_default(t->threads, software ? 1024 : 65536);
  return check_tuning(p);
}

/* ---- shape and portions ---- */

/* As long as shape and number of sources stay, they are as they were. */
static void take_shape(struct hb_pairs *p, enum bag_shape shape)
{
  struct bag *b = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  int software = p->params.context->caps.software, several = holds_several(shape);
  b->shape = shape;
  b->nj = p->nj;
  b->each = several ? t->i_each : 1;
  b->unroll = !several && software ? hb_min_int(t->unroll, SOFTWARE_UNROLL) : t->unroll;
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  b->partial = is_fixed                            ? t->partial
               : shape == BAG_FEW                  ? hb_min_int(t->partial, SMALL_PARTIAL)
               : shape == BAG_FEW_LONG && software ? hb_min_int(t->partial, SOFTWARE_PARTIAL)
                                                   : t->partial;
  p->shape.j_source = (enum hb_j_source)(t->j_source_plus_1 - 1);
  if (shape != BAG_BLOCKS && p->shape.j_source == HB_J_BLOCK)
    p->shape.j_source = hb_pairs_fit_texture_2d(p) ? HB_J_TEXTURE : HB_J_BUFFER_TEXTURE;
  b->in_storage = uses_storage(p, shape);
  b->layers = several ? b->many : b->few;
  b->on_device = t->add_plus_1 == ADD_DEVICE;
  b->sum = several ? b->sum_of_many : b->sum_of_few;
}

/* Sources of which a uniform block holds a multiple. */
static size_t block_step(const struct hb_pairs *p)
{
  size_t step = (size_t)p->params.tuning.partial;
  while (step * (size_t)p->texels % 16) step *= 2; /* a block begins at a multiple of 256 bytes */
  return step;
}

/* And how many it holds at most; 0 where a float sum does not fit. */
static size_t block_length(const struct hb_pairs *p)
{
  size_t step = block_step(p);
  return BLOCK_TEXELS / (size_t)p->texels / step * step;
}

/* Into at most `wanted` segments of equal length, a multiple of `unit` sources; a single one has no more float sums than
 * are needed. */
static void cut(struct hb_pairs *p, size_t unit, size_t wanted)
{
  const struct bag *b = p->state;
  struct hb_pairs_shape *s = &p->shape;
  size_t units = hb_div_ceil(p->nj, unit), each = hb_div_ceil(units, wanted < units ? wanted : units);
  s->segments = hb_div_ceil(units, each);
  if (s->segments == 1) unit = (size_t)b->partial, each = hb_div_ceil(p->nj, unit);
  s->segment_length = each * unit;
  s->step = hb_min(b->shape == BAG_BLOCKS ? block_step(p) : (size_t)b->partial, s->segment_length);
  s->most = b->shape == BAG_BLOCKS ? block_length(p) : (size_t)MAX_ITERATIONS * (size_t)b->unroll;
}

/* Shape and segments, from the sinks of all portions, so that portions cannot change a result. Segments: as many as give
 * the wanted number of fragments, each at least one float sum long. */
static void choose_shape(struct hb_pairs *p)
{
  struct bag *b = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  size_t each = (size_t)t->i_each, threads = (size_t)t->threads;
  size_t groups = hb_div_ceil(p->job.ni, each), sums = hb_div_ceil(p->nj, (size_t)t->partial);
  /* a processor has no lanes to spare for groups of sinks that are mostly empty */
  int software = p->params.context->caps.software, wasteful = software && 2 * p->job.ni < groups * each;
  int many = groups * sums >= threads / (software ? SOFTWARE_FILLED : GPU_FILLED) && !wasteful;
  /* a draw for each uniform block has enough work, and a float sum fits one */
  int blocks = t->j_source_plus_1 == HB_J_BLOCK + 1 && groups >= threads / DRAWN && block_length(p) > 0;
  enum bag_shape shape = blocks ? BAG_BLOCKS : many ? BAG_MANY : sums >= LONG ? BAG_FEW_LONG : BAG_FEW;
  if (shape != b->shape || p->nj != b->nj) take_shape(p, shape);
  groups = hb_div_ceil(p->job.ni, (size_t)b->each);
  cut(p, blocks ? block_length(p) : (size_t)b->partial,
      hb_div_ceil(blocks ? BLOCKS_WANTED * threads : threads, groups));
  int is_banded = !blocks && (groups >= GPU_BANDED || !many) && p->shape.segments > 1;
  b->band = software ? SOFTWARE_BAND : is_banded ? GPU_BAND : 1;
}

/* The scheme's portion: chooses the shape for all sinks, and cuts them into portions of equal size, as few as keep the
 * totals within bounds. */
static size_t bag_portion(struct hb_pairs *p)
{
  choose_shape(p);
  const struct bag *b = p->state;
  size_t each = (size_t)b->each, groups = hb_div_ceil(p->job.ni, each), copies = b->in_storage ? 1 : 2;
  size_t most = HB_PAIRS_TOTALS / (copies * TEXEL * each * (size_t)p->words * p->shape.segments);
  size_t wanted = (size_t)p->params.tuning.portion / each;
  if (p->params.tuning.portion && wanted < most) most = wanted;
  if (b->on_device) most = hb_min(most, hb_pairs_results_portion(p) / each);
  if (most == 0) most = 1;
  return hb_div_ceil(groups, hb_div_ceil(groups, most)) * each;
}

/* Each segment is drawn separately, in complete rows: empty groups fill the last one. */
static void choose_rows_for_each(const struct hb_pairs *p, size_t width)
{
  struct bag *b = p->state;
  size_t band = (size_t)b->band, rows = hb_div_ceil((size_t)b->groups, band * width) * band;
  b->width = (int)hb_div_ceil((size_t)b->groups, rows);
  b->groups = b->width * (int)rows;
  b->height = (int)p->shape.segments * (int)rows;
}

/* Groups and framebuffer for the sinks of a portion: fragments in rows of the tuned width; a software renderer's in shorter
 * ones where there would be too few rows. */
static void choose_framebuffer(const struct hb_pairs *p)
{
  struct bag *b = p->state;
  b->groups = (int)hb_div_ceil(p->ni, (size_t)b->each);
  size_t fragments = (size_t)b->groups * p->shape.segments, width = (size_t)p->params.tuning.width;
  size_t rows = p->params.context->caps.software && fragments < 2 * width ? SOFTWARE_ROWS : 1;
  if (b->shape == BAG_BLOCKS && p->shape.segments > 1) return choose_rows_for_each(p, width);
  size_t shortest = hb_div_ceil(fragments, rows), band = (size_t)b->band;
  if (shortest < width) width = shortest;
  b->width = (int)width;
  b->height = (int)(hb_div_ceil(fragments, band * width) * band);
}

/* ---- results to the host ---- */

/* Adds fragments first .. end, of whose rows the staging area holds each layer: sink k of a group in the layers from
 * k * words on. Small blocks have many totals, and 32 bits are divided faster than 64. */
static enum hb_status add_fragments(const struct hb_pairs *p, uint32_t first, uint32_t end, size_t layer)
{
  const struct bag *b = p->state;
  uint32_t each = (uint32_t)b->each, groups = (uint32_t)b->groups, rows = (uint32_t)b->band;
  uint32_t width = (uint32_t)b->width, segment = first / groups, group = first % groups;
  for (uint32_t fragment = 0; fragment < end - first; fragment++) {
    uint32_t column = fragment / rows, row = column / width * rows + fragment % rows;
    const uint32_t *texel = p->staging + 4 * ((size_t)row * width + column % width);
    for (size_t k = 0, i = (size_t)group * each; k < each && i < p->ni; k++, i++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      for (int w = 0; w < p->words; w++, texel += layer) words[w] = texel;
      HB_TRY(hb_pairs_add(p, segment, p->shape.segment_length, i, words));
    }
    if (++group == groups) group = 0, segment++;
  }
  return HB_OK;
}

/* In a browser each read takes a millisecond, however little it reads: the device gathers all layers in a buffer first. */
static enum hb_status read_at_once(struct hb_pairs *p)
{
  const struct bag *b = p->state;
  size_t layers = (size_t)(b->each * p->words), layer = 4 * (size_t)b->width * (size_t)b->height;
  size_t bytes = 4 * layers * layer;
  const uint32_t *words;
  HB_TRY(hb_gl_readback_reserve(p->params.context, bytes, &p->readback));
  for (size_t k = 0; k < layers; k++)
    hb_gl_target_copy(&b->layers[b->written].target, (int)k, b->width, b->height, &p->readback.buffer,
                      4 * layer * k);
  HB_TRY(hb_gl_readback_open(p->params.context, &p->readback, bytes, &words));
  memcpy(p->staging, words, bytes);
  hb_gl_readback_close(&p->readback);
  return add_fragments(p, 0, (uint32_t)b->groups * (uint32_t)p->shape.segments, layer);
}

/* The scheme's read: sums of the device, totals in a buffer, or band after band of rows, as many as fit the staging area. */
static enum hb_status bag_read(struct hb_pairs *p)
{
  const struct bag *b = p->state;
  if (b->on_device) return hb_pairs_read_results(p);
  if (b->in_storage) return hb_pairs_read_storage(p);
  int layers = b->each * p->words, rows = b->band;
  size_t row = 4 * (size_t)b->width * (size_t)layers, piece;
  HB_TRY(hb_pairs_stage(p, row * (size_t)rows, row * (size_t)b->height, &piece));
  if (p->params.context->caps.is_es && piece == row * (size_t)b->height) return read_at_once(p);
  rows *= (int)(piece / row) / rows;
  size_t fragments = (size_t)b->groups * p->shape.segments, layer = 4 * (size_t)b->width * (size_t)rows;
  for (int from = 0; from < b->height; from += rows) {
    int height = b->height - from < rows ? b->height - from : rows;
    for (int k = 0; k < layers; k++)
      hb_gl_target_read(&b->layers[b->written].target, k, 0, from, b->width, height, HB_GL_WORDS,
                        p->staging + layer * (size_t)k);
    size_t first = (size_t)b->width * (size_t)from, end = first + (size_t)b->width * (size_t)height;
    HB_TRY(add_fragments(p, (uint32_t)first, (uint32_t)(end < fragments ? end : fragments), layer));
  }
  return HB_OK;
}

/* ---- results to the device ---- */

/* Render targets are copied into a buffer, layer after layer, by the device. */
static enum hb_status copy_layers(struct hb_pairs *p, struct hb_pairs_totals *where)
{
  const struct bag *b = p->state;
  int layers = b->each * p->words, layer = b->width * b->height;
  size_t bytes = TEXEL * (size_t)layer;
  HB_TRY(hb_pairs_reserve_storage(p, bytes * (size_t)layers));
  for (int k = 0; k < layers; k++)
    hb_gl_target_copy(&b->layers[b->written].target, k, b->width, b->height, &p->storage, bytes * (size_t)k);
  *where = (struct hb_pairs_totals){
      .buffer = p->storage.id,
      .segments = (int)p->shape.segments,
      .groups = b->groups,
      .each = b->each,
      .width = b->width,
      .band = b->band,
      .texels = 1,
      .layer = layer,
      .walked = (uint32_t)p->shape.segments * p->count_start + (uint32_t)p->nj,
  };
  return HB_OK;
}

/* The scheme's totals. */
static enum hb_status bag_totals(struct hb_pairs *p, struct hb_pairs_totals *where)
{
  const struct bag *b = p->state;
  if (!b->on_device && !b->in_storage) return copy_layers(p, where);
  hb_pairs_storage_totals(p, b->on_device ? 1 : p->shape.segments, where);
  return HB_OK;
}

/* ---- passes to a tracer ---- */

static struct hb_gl_trace_array traced(const struct hb_pairs *p, const char *name, int which)
{
  const struct bag *b = p->state;
  struct hb_gl_trace_array array = b->in_storage
                                       ? hb_pairs_trace_totals(p, HB_GL_BUFFER, p->storage.id)
                                       : hb_pairs_trace_totals(p, HB_GL_LAYERS, b->layers[which].id);
  array.name = b->in_storage ? "totals" : name;
  array.columns = b->groups;
  array.each = b->each;
  array.rows = (int)p->shape.segments * b->each;
  array.width = b->width;
  array.band = b->band;
  return array;
}

/* Sources from .. to of each segment, of all segments together. */
static size_t sources_of(const struct hb_pairs *p, size_t from, size_t to)
{
  size_t count = 0, length = p->shape.segment_length;
  for (size_t first = 0; first < p->shape.segments * length; first += length) {
    size_t begin = first + from < p->nj ? first + from : p->nj, end = first + to < p->nj ? first + to : p->nj;
    count += end - begin;
  }
  return count;
}

/* As hb_gl_pass_describe. Fragments after the last one have no sources, but they read their sinks. Called before the pair is
 * swapped. */
static void describe(void *pairs, struct hb_gl_trace_pass *t)
{
  struct hb_pairs *p = pairs;
  const struct bag *b = p->state;
  size_t sources = sources_of(p, b->from, b->to), fragments = (size_t)b->width * (size_t)b->height;
  uint64_t sinks = fragments * (uint64_t)b->each, texels = (uint64_t)p->texels;
  hb_pairs_trace_pass(p, texels * (sinks + (uint64_t)b->groups * sources), sinks, t);
  t->by = "bag";
  t->fragments = fragments;
  t->pairs = (uint64_t)p->ni * sources;
  t->write_count = 1;
  t->write[0] = traced(p, "result", !b->written);
  t->write[0].traffic = sinks * (uint64_t)p->words;
  if (b->from > 0) {
    t->read[t->read_count] = traced(p, "before", b->written);
    if (b->in_storage) t->read[t->read_count].quantities = NULL; /* overwritten by now */
    t->read[t->read_count++].traffic = sinks * (uint64_t)p->words;
  }
  if (p->shape.segments > 1)
    snprintf(t->what, sizeof t->what, "sources %zu to %zu of %d segment%s", b->from, b->to - 1,
             (int)p->shape.segments, hb_text_s(p->shape.segments));
  else
    snprintf(t->what, sizeof t->what, "sources %zu to %zu", b->from, (b->to < p->nj ? b->to : p->nj) - 1);
}

/* ---- create and destroy ---- */

static enum hb_status bag_create(struct hb_pairs *p)
{
  HB_TRY(complete_tuning(p));
  struct bag *b;
  HB_TRY(HB_ALLOC(1, &b));
  p->state = b;
  return HB_OK;
}

static void bag_destroy(struct hb_pairs *p)
{
  struct bag *b = p->state;
  for (int shape = 0; shape < BAG_SHAPES; shape++)
    for (int stage = 0; stage < BAG_STAGES; stage++) hb_gl_pass_destroy(&b->program[shape][stage]);
  for (int level = 0; level < LEVELS; level++)
    HB_GL_DESTROY(pass, &b->sum_of_many[level], &b->sum_of_few[level]);
  HB_GL_DESTROY(texture, &b->many[0], &b->many[1], &b->few[0], &b->few[1]);
  hb_gl_target_destroy(&b->empty);
  hb_mem_free(b);
}

/* Those of the current shape read sources from elsewhere now: more particles may not fit a texture. */
static void drop_programs(const struct hb_pairs *p)
{
  struct bag *b = p->state;
  for (int stage = 0; stage < BAG_STAGES; stage++) hb_gl_pass_destroy(&b->program[b->shape][stage]);
  b->built[b->shape] = p->shape.j_source;
}

static enum hb_status build(struct hb_pairs *p, enum bag_stage stage)
{
  struct bag *b = p->state;
  char defines[160];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n#define BLOCK_TEXELS %d\n%s%s",
           (int)p->shape.j_source, BLOCK_TEXELS, b->in_storage ? "#define OUTPUT_STORAGE\n" : "",
           stage == BAG_GO_ON ? "#define CONTINUES\n" : "");
  const struct hb_pairs_program_source source = {
      .fragment = "pairs/bag.frag",
      .version = b->in_storage || p->shape.j_source == HB_J_STORAGE ? 430 : 330,
      .precision = p->params.precision,
      .i_each = b->each,
      .unroll = b->unroll,
      .partial = b->partial,
      .defines = defines,
      .describe = describe};
  return hb_pairs_program_build(p, &source, &b->program[b->shape][stage]);
}

/* ---- the walk ---- */

static enum hb_status reserve(struct hb_pairs *p)
{
  struct bag *b = p->state;
  if (b->in_storage) {
    hb_gl_target_empty(b->width, b->height, &b->empty);
    return hb_pairs_reserve_totals(p, p->shape.segments);
  }
  int layers = b->each * p->words;
  size_t row = 2 * TEXEL * (size_t)p->params.tuning.width * (size_t)layers;
  int height = (int)(hb_pairs_capacity((size_t)b->height * row, HB_PAIRS_TOTALS) / row);
  for (int k = 0; k < 2; k++) {
    hb_gl_texture_destroy(&b->layers[k]);
    HB_TRY(hb_gl_texture_words(p->params.context, p->params.tuning.width, height, layers, &b->layers[k]));
  }
  return HB_OK;
}

static void set_block(const struct hb_pairs *p, struct hb_gl_pass *pass, size_t from)
{
  size_t first = from * (size_t)p->texels;
  hb_gl_pass_int(pass, "block_start", (int)first);
  hb_gl_pass_block(pass, "source_block", &p->j, first * TEXEL, BLOCK_BYTES);
}

static void set_inputs(struct hb_pairs *p, struct hb_gl_pass *pass)
{
  const struct bag *b = p->state;
  hb_pairs_program_inputs(p, pass);
  hb_gl_pass_int(pass, "source_count", (int)p->nj);
  hb_gl_pass_int(pass, "sink_count", (int)p->ni);
  hb_gl_pass_int(pass, "groups", b->groups);
  hb_gl_pass_int(pass, "segment_length", (int)p->shape.segment_length);
  hb_gl_pass_int(pass, "width", b->width);
  hb_gl_pass_int(pass, "rows", b->band);
  if (p->shape.j_source == HB_J_STORAGE) hb_gl_pass_storage(pass, 0, &p->j);
  if (b->in_storage) hb_gl_pass_storage(pass, 1, &p->storage);
}

static enum hb_status bag_begin(struct hb_pairs *p)
{
  struct bag *b = p->state;
  choose_framebuffer(p);
  if (b->built[b->shape] != p->shape.j_source) drop_programs(p);
  b->stage = BAG_STAGES;
  if (b->in_storage || b->layers[0].height < b->height) HB_TRY(reserve(p));
  return p->shape.j_source == HB_J_TEXTURE ? hb_pairs_texture_2d(p) : HB_OK;
}

/* With sources in a uniform block the fragments of one segment are drawn after the other, each in its own rows. A shorter last
 * segment may have no sources left, and then reads nothing. */
static enum hb_status bag_pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct bag *b = p->state;
  enum bag_stage stage = from == 0 ? BAG_ANEW : BAG_GO_ON;
  struct hb_gl_pass *pass = &b->program[b->shape][stage];
  if (!pass->program) HB_TRY(build(p, stage));
  if (b->stage != stage) set_inputs(p, pass);
  b->stage = stage;
  b->from = from;
  b->to = to;
  hb_gl_pass_int2(pass, "bag", (int)from, (int)to);
  if (!b->in_storage) hb_gl_pass_texture(pass, "before", &b->layers[b->written]);
  const struct hb_gl_target *target = b->in_storage ? &b->empty : &b->layers[!b->written].target;
  int draws = b->shape == BAG_BLOCKS ? (int)p->shape.segments : 1, rows = b->height / draws;
  for (int s = 0; s < draws; s++) {
    size_t first = (size_t)s * p->shape.segment_length + from;
    if (b->shape == BAG_BLOCKS) set_block(p, pass, first < p->nj ? first : 0);
    pass->continues = s + 1 < draws;
    hb_gl_pass_draw(pass, target, 0, s * rows, b->width, rows);
  }
  if (!b->in_storage) b->written = !b->written;
  return HB_OK;
}

/* ---- the sum over segments, on the device. See shaders/pairs/add_segments.comp ---- */

enum { SUM_WORKGROUP = 256 };

/* In single the totals are floats, but are added as in compensated. */
static enum hb_status build_sum(struct hb_pairs *p, int level)
{
  const struct bag *b = p->state;
  char defines[256];
  enum hb_precision precision = p->params.precision;
  if (precision == HB_PRECISION_SINGLE) precision = HB_PRECISION_COMPENSATED;
  snprintf(defines, sizeof defines,
           "#define IN_WORDS %d\n#define WORKGROUP %d\n#define THREADS_PER_BODY %d\n%s", p->words,
           SUM_WORKGROUP, 1 << level, b->in_storage ? "#define OUTPUT_STORAGE\n" : "");
  const struct hb_pairs_program_source source = {.compute = "pairs/add_segments.comp",
                                                 .version = 430,
                                                 .precision = precision,
                                                 .i_each = b->each,
                                                 .unroll = 1,
                                                 .partial = 1,
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, &b->sum[level]);
}

static enum hb_status bag_end(struct hb_pairs *p)
{
  const struct bag *b = p->state;
  int level = 0, segments = (int)p->shape.segments;
  if (!b->on_device) return HB_OK;
  while (level < LEVELS - 1 && 1 << level < segments) level++;
  struct hb_gl_pass *pass = &b->sum[level];
  if (!pass->program) HB_TRY(build_sum(p, level));
  HB_TRY(hb_pairs_results(p, pass));
  hb_gl_pass_int(pass, "sink_count", (int)p->ni);
  hb_gl_pass_int(pass, "segments", segments);
  hb_gl_pass_int(pass, "groups", b->groups);
  hb_gl_pass_int(pass, "width", b->width);
  hb_gl_pass_int(pass, "rows", b->band);
  if (b->in_storage)
    hb_gl_pass_storage(pass, 1, &p->storage);
  else
    hb_gl_pass_texture(pass, "before", &b->layers[b->written]);
  hb_gl_pass_dispatch(pass, hb_div_ceil(p->ni, SUM_WORKGROUP >> level), 1);
  p->count_start = p->token * (uint32_t)segments;
  return HB_OK;
}

/* Particles twice: in a buffer, read as uniform blocks by large blocks (one may start at the last source), and in a texture
 * for few sinks, padded to a row. Totals of a portion of the sinks, and of few (threads, and a band of rows) in at most a
 * ping-pong pair of textures, with the spare memory of hb_pairs_capacity. */
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
    .portion = bag_portion,
    .begin = bag_begin,
    .pass = bag_pass,
    .end = bag_end,
    .read = bag_read,
    .totals = bag_totals,
    .memory = bag_memory,
};
