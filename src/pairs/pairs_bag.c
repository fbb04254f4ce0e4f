/* The bag scheme on the host's side: which program, how many segments, which passes. See
 * shaders/pairs/bag.frag. */
#include "pairs/pairs_sum.h"
#include "pairs/pairs_watch.h"

#include "base/default.h"
#include "base/mem.h"
#include "gl/gl.h"

#include <stdio.h>

enum {
  TEXEL = 16,             /* bytes */
  BLOCK_TEXELS = 4096,    /* 64 KB, what every device takes as a uniform block */
  MAX_ITERATIONS = 32768, /* llvmpipe silently ends a fragment after 65535 turns of all its loops */
  SMALL_PARTIAL = 32,
  OUTPUT_TARGETS = 1,
  OUTPUT_STORAGE = 2,
  ADD_HOST = 1,
  ADD_DEVICE = 2
};

/* The program comes in shapes: many sinks are walked by fragments that hold several each, few sinks by fragments that
 * hold one and share its sources out. So many that nothing needs to be shared out may read sources from a uniform
 * block, which is walked in one stretch. Each shape has a first pass and one that goes on. */
enum { BLOCKS, MANY, FEW, FEW_LONG, SHAPES };
enum { LONG = 64 }; /* float sums of full length; with so many a sink, few sinks need no shorter ones */
enum {
  FILLED = 16
}; /* a sixteenth of the wanted fragments is enough for the shape that does more per fetch */
enum { ANEW, GO_ON, STAGES };

/* llvmpipe runs fragments in blocks of 4 x 4, half a block in step: fewer rows leave lanes idle. */
enum { SOFTWARE_BAND = 2, SOFTWARE_ROWS = 4 };
/* Where a fragment holds one sink: more vectors to run, and fewer fetches that wait in memory. */
enum { SOFTWARE_PARTIAL = 128, SOFTWARE_UNROLL = 4 };

struct bag {
  struct hb_pairs_program program[SHAPES][STAGES]; /* built when first used */
  struct hb_gl_layers many[2], few[2];             /* ping-pong pairs of render targets, */
  struct hb_pairs_sum sum[2];                      /* of few, of many */
  unsigned framebuffer; /* or, for many, a storage buffer that is continued in place, and no texture */

  /* the walk under way */
  int shape, groups, segments, segment_length, width, height;
  int written; /* which of the pair holds the totals */
  int stage;   /* the program in use */
};

static int adds_on_device(const struct hb_pairs *p) { return p->params.tuning.add_plus_1 == ADD_DEVICE; }
static int holds_several(int shape) { return shape <= MANY; }

/* The totals of few sinks are few: textures are read sooner, and llvmpipe's programs that write them are faster; but
 * what a compute program adds up is written where it reads, since a GPU's driver may turn a whole texture over first. */
static int uses_storage(const struct hb_pairs *p, int shape)
{
  return holds_several(shape) ? p->params.tuning.output_plus_1 == OUTPUT_STORAGE : adds_on_device(p);
}
static int i_each(const struct hb_pairs *p, int shape)
{
  return holds_several(shape) ? p->params.tuning.i_each : 1;
}

/* enum hb_j_source + 1 */
static int j_source(const struct hb_pairs *p, int shape)
{
  int tuned = p->params.tuning.j_source_plus_1;
  return shape != BLOCKS && tuned == HB_J_BLOCK + 1 ? HB_J_BUFFER_TEXTURE + 1 : tuned;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int partial(const struct hb_pairs *p, int shape)
{
  int tuned = p->params.tuning.partial;
  if (shape == FEW) return smaller(tuned, SMALL_PARTIAL);
  return shape == FEW_LONG && p->params.context->caps.software ? smaller(tuned, SOFTWARE_PARTIAL) : tuned;
}

static int unroll(const struct hb_pairs *p, int shape)
{
  int tuned = p->params.tuning.unroll;
  return !holds_several(shape) && p->params.context->caps.software ? smaller(tuned, SOFTWARE_UNROLL) : tuned;
}

/* Rows in which fragments are numbered up and down, see shaders/pairs/bag.frag. */
static size_t band(const struct hb_pairs *p) { return p->params.context->caps.software ? SOFTWARE_BAND : 1; }

static struct hb_gl_layers *totals(struct bag *b) { return holds_several(b->shape) ? b->many : b->few; }

/* ---- create and destroy ---- */

/* Safe choices where nothing was measured; see data/measured for how they came about. */
static enum hb_status complete_tuning(struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  struct hb_pairs_tuning *t = &p->params.tuning;
  t->output_plus_1 =
      hb_default(t->output_plus_1, caps->software && caps->has_compute ? OUTPUT_STORAGE : OUTPUT_TARGETS);
  t->add_plus_1 = hb_default(t->add_plus_1, !caps->software && caps->has_compute ? ADD_DEVICE : ADD_HOST);
  int blocks = p->params.precision == HB_PRECISION_DS && !caps->software; /* a GPU is faster with them */
  t->j_source_plus_1 = hb_default(t->j_source_plus_1, (blocks ? HB_J_BLOCK : HB_J_BUFFER_TEXTURE) + 1);
  int most = uses_storage(p, MANY) ? 8 : caps->max_draw_buffers / p->words;
  if (most > 8 / p->words && !uses_storage(p, MANY)) most = 8 / p->words;
  t->i_each = hb_default(t->i_each, most < 4 || !caps->software ? (most < 4 ? most : 4) : most);
  int doubles = p->params.precision == HB_PRECISION_DOUBLE;
  t->unroll = hb_default(t->unroll, doubles && !caps->software ? 2 : 8);
  /* two tiles of 64 texels, a piece of work for two llvmpipe threads; or what spreads over a GPU's rasterizers */
  t->width = hb_default(t->width, caps->software ? 128 : 1024);
  int partial = hb_pairs_partial(p->params.precision);
  t->partial =
      hb_default(t->partial, partial > 64 && !caps->software ? 64 : partial); /* a GPU is faster with 64 */
  t->threads = hb_default(t->threads, caps->software ? 1024 : 262144);
  if (t->i_each > most)
    return hb_fail(HB_ERR_USAGE, "the bag scheme was to hold %d sinks a fragment, expected at most %d here",
                   t->i_each, most);
  if (t->partial % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a float sum was to take %d sources, expected a multiple of %d", t->partial,
                   t->unroll);
  int needs_43 =
      uses_storage(p, MANY) || t->add_plus_1 == ADD_DEVICE || t->j_source_plus_1 == HB_J_STORAGE + 1;
  if (needs_43 && !caps->has_compute)
    return hb_fail(HB_ERR_GL, "storage buffers need OpenGL 4.3, %s has %d.%d", caps->renderer, caps->major,
                   caps->minor);
  return HB_OK;
}

static enum hb_status bag_create(struct hb_pairs *p)
{
  HB_TRY(complete_tuning(p));
  struct bag *b;
  HB_TRY(HB_ALLOC(1, &b));
  p->state = b;
  if (uses_storage(p, MANY) || uses_storage(p, FEW)) glGenFramebuffers(1, &b->framebuffer);
  return HB_OK;
}

static void bag_destroy(struct hb_pairs *p)
{
  struct bag *b = p->state;
  for (int shape = 0; shape < SHAPES; shape++)
    for (int stage = 0; stage < STAGES; stage++) hb_pairs_program_destroy(&b->program[shape][stage]);
  for (int k = 0; k < 2; k++) {
    hb_gl_layers_destroy(&b->many[k]);
    hb_gl_layers_destroy(&b->few[k]);
    hb_pairs_sum_destroy(&b->sum[k]);
  }
  if (b->framebuffer) glDeleteFramebuffers(1, &b->framebuffer);
  hb_mem_free(b);
}

static enum hb_status build(struct hb_pairs *p, int shape, int stage)
{
  struct bag *b = p->state;
  int storage = uses_storage(p, shape), needs_43 = storage || j_source(p, shape) == HB_J_STORAGE + 1;
  char defines[160];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n#define BLOCK_TEXELS %d\n#define ROWS %zu\n%s%s",
           j_source(p, shape) - 1, BLOCK_TEXELS, band(p), storage ? "#define OUTPUT_STORAGE\n" : "",
           stage == GO_ON ? "#define CONTINUES\n" : "");
  const struct hb_pairs_program_source source = {.fragment = "pairs/bag.frag",
                                                 .version = needs_43 ? 430 : 330,
                                                 .i_each = i_each(p, shape),
                                                 .unroll = unroll(p, shape),
                                                 .partial = partial(p, shape),
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, &b->program[shape][stage]);
}

/* ---- the walk ---- */

/* Fragments in rows of the tuned width; a software renderer's in shorter ones where there would be too few rows. */
static void choose_framebuffer(struct hb_pairs *p)
{
  struct bag *b = p->state;
  size_t fragments = (size_t)b->groups * (size_t)b->segments, width = (size_t)p->params.tuning.width;
  size_t rows = p->params.context->caps.software && fragments < 2 * width ? SOFTWARE_ROWS : 1;
  size_t shortest = (fragments + rows - 1) / rows;
  if (shortest < width) width = shortest;
  b->width = (int)width;
  b->height = (int)((fragments + band(p) * width - 1) / (band(p) * width) * band(p));
}

static size_t quotient_up(size_t a, size_t b) { return (a + b - 1) / b; }

/* Shape and segments, from the sinks of all portions so that these cannot change a result. Segments: as many as give
 * the wanted number of fragments, each at least one float sum long. */
static void choose_shape(const struct hb_pairs *p)
{
  struct bag *b = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  size_t groups = quotient_up(p->sinks, (size_t)t->i_each), sums = quotient_up(p->nj, (size_t)t->partial);
  /* a processor has no lanes to spare for groups of sinks that are mostly empty */
  int wasteful = p->params.context->caps.software && 2 * p->sinks < groups * (size_t)t->i_each;
  int many = groups * sums >= (size_t)t->threads / FILLED && !wasteful;
  int blocks = t->j_source_plus_1 == HB_J_BLOCK + 1 && groups >= (size_t)t->threads / FILLED;
  b->shape = blocks ? BLOCKS : many ? MANY : sums >= LONG ? FEW_LONG : FEW;
  size_t length = (size_t)partial(p, b->shape);
  groups = quotient_up(p->sinks, (size_t)i_each(p, b->shape));
  sums = quotient_up(p->nj, length);
  size_t segments = quotient_up((size_t)t->threads, groups);
  if (segments > sums) segments = sums;
  if (blocks) segments = 1;
  size_t sums_each = quotient_up(sums, segments);
  b->segments = (int)quotient_up(sums, sums_each);
  b->segment_length = (int)(sums_each * length);
}

/* Portions of equal size, as few as keep the totals within bounds. */
static size_t bag_portion(const struct hb_pairs *p)
{
  choose_shape(p);
  const struct bag *b = p->state;
  size_t each = (size_t)i_each(p, b->shape), groups = quotient_up(p->sinks, each);
  size_t copies = uses_storage(p, b->shape) ? 1 : 2;
  size_t most = HB_PAIRS_TOTALS / (copies * TEXEL * each * (size_t)p->words * (size_t)b->segments);
  if (p->params.tuning.portion && (size_t)p->params.tuning.portion / each < most)
    most = (size_t)p->params.tuning.portion / each;
  if (adds_on_device(p) && hb_pairs_results_portion(p) / each < most)
    most = hb_pairs_results_portion(p) / each;
  if (most == 0) most = 1;
  return quotient_up(groups, quotient_up(groups, most)) * each;
}

static enum hb_status make_room(struct hb_pairs *p)
{
  struct bag *b = p->state;
  if (uses_storage(p, b->shape)) {
    glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffer);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, b->width);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, b->height);
    return hb_pairs_storage_room(p, (size_t)b->segments);
  }
  struct hb_gl_layers *t = totals(b);
  if (t[0].height >= b->height) return HB_OK;
  size_t row = 2 * TEXEL * (size_t)p->params.tuning.width * (size_t)(i_each(p, b->shape) * p->words);
  int height = (int)(hb_pairs_room((size_t)b->height * row, HB_PAIRS_TOTALS) / row);
  for (int k = 0; k < 2; k++) {
    hb_gl_layers_destroy(&t[k]);
    HB_TRY(hb_gl_layers_create(p->params.context, p->params.tuning.width, height,
                               i_each(p, b->shape) * p->words, &t[k]));
  }
  return HB_OK;
}

/* Sources of each segment that one pass can walk at most. */
static size_t most_sources(const struct hb_pairs *p)
{
  const struct bag *b = p->state;
  size_t most = (size_t)MAX_ITERATIONS * (size_t)unroll(p, b->shape);
  if (b->shape == BLOCKS) most = BLOCK_TEXELS / (size_t)p->texels;
  return most;
}

static void bind_block(const struct hb_pairs *p, const struct hb_pairs_program *program, size_t from)
{
  size_t first = from * (size_t)p->texels;
  glUniformBlockBinding(program->id, glGetUniformBlockIndex(program->id, "source_block"), 0);
  glUniform1i(program->at[HB_U_BLOCK_START], (GLint)first);
  glBindBufferRange(GL_UNIFORM_BUFFER, 0, p->j_buffer, (GLintptr)(first * 16), (GLsizeiptr)BLOCK_TEXELS * 16);
}

static void use_program(struct hb_pairs *p, const struct hb_pairs_program *program)
{
  const struct bag *b = p->state;
  hb_pairs_program_use(p, program);
  glUniform1i(program->at[HB_U_GROUPS], b->groups);
  glUniform1i(program->at[HB_U_SEGMENT_LENGTH], b->segment_length);
  glUniform1i(program->at[HB_U_WIDTH], b->width);
  if (j_source(p, b->shape) == HB_J_STORAGE + 1) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, p->j_buffer);
  if (uses_storage(p, b->shape)) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, p->storage);
}

static void draw(struct hb_pairs *p)
{
  struct bag *b = p->state;
  if (uses_storage(p, b->shape)) {
    glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffer);
    glViewport(0, 0, b->width, b->height);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    return;
  }
  hb_gl_layers_bind(&totals(b)[b->written], HB_UNIT_BEFORE);
  hb_gl_layers_draw(&totals(b)[!b->written], b->width, b->height);
  b->written = !b->written;
}

static struct hb_gl_watch_array watched(const struct hb_pairs *p, const char *name, int which)
{
  struct bag *b = p->state;
  int storage = uses_storage(p, b->shape);
  struct hb_gl_watch_array array = hb_pairs_watch_totals(p, storage ? HB_GL_WATCH_BUFFER : HB_GL_WATCH_LAYERS,
                                                         storage ? p->storage : totals(b)[which].texture);
  array.name = storage ? "totals" : name;
  array.columns = b->groups;
  array.each = i_each(p, b->shape);
  array.rows = b->segments * array.each;
  array.width = b->width;
  array.band = (int)band(p);
  return array;
}

/* Sources of all segments together that lie between from and to in theirs. */
static size_t sources_of(const struct hb_pairs *p, size_t from, size_t to)
{
  const struct bag *b = p->state;
  size_t count = 0;
  for (size_t first = 0; first < (size_t)(b->segments * b->segment_length);
       first += (size_t)b->segment_length) {
    size_t begin = first + from < p->nj ? first + from : p->nj, end = first + to < p->nj ? first + to : p->nj;
    count += end - begin;
  }
  return count;
}

/* Fragments behind the last one find no source, but they meet their sinks. */
static void tell(struct hb_pairs *p, size_t from, size_t to)
{
  const struct bag *b = p->state;
  size_t sources = sources_of(p, from, to), fragments = (size_t)b->width * (size_t)b->height;
  uint64_t sinks = fragments * (uint64_t)i_each(p, b->shape), texels = (uint64_t)p->texels;
  struct hb_gl_pass pass = hb_pairs_watch_pass(p, texels * (sinks + (uint64_t)b->groups * sources), sinks);
  pass.fragments = fragments;
  pass.pairs = (uint64_t)p->ni * sources;
  pass.write_count = 1;
  pass.write[0] = watched(p, "result", b->written);
  pass.write[0].traffic = sinks * (uint64_t)p->words;
  if (from > 0) {
    pass.read[pass.read_count] = watched(p, "before", !b->written);
    if (uses_storage(p, b->shape)) pass.read[pass.read_count].quantities = NULL; /* overwritten by now */
    pass.read[pass.read_count++].traffic = sinks * (uint64_t)p->words;
  }
  if (b->segments > 1)
    snprintf(pass.what, sizeof pass.what, "sources %zu to %zu of %d segments", from, to - 1, b->segments);
  else
    snprintf(pass.what, sizeof pass.what, "sources %zu to %zu", from, (to < p->nj ? to : p->nj) - 1);
  hb_gl_watch_tell(&pass);
}

static enum hb_status pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct bag *b = p->state;
  int stage = from == 0 ? ANEW : GO_ON;
  HB_TRY(build(p, b->shape, stage));
  const struct hb_pairs_program *program = &b->program[b->shape][stage];
  if (b->stage != stage) use_program(p, program);
  b->stage = stage;
  if (b->shape == BLOCKS) bind_block(p, program, from);
  glUniform2i(program->at[HB_U_BAG], (GLint)from, (GLint)to);
  draw(p);
  if (hb_gl_watch) tell(p, from, to);
  return HB_OK;
}

static enum hb_status add_segments(struct hb_pairs *p)
{
  struct bag *b = p->state;
  const struct hb_pairs_parts parts = {
      .layers = uses_storage(p, b->shape) ? NULL : &totals(b)[b->written],
      .segments = b->segments,
      .groups = b->groups,
      .each = i_each(p, b->shape),
      .width = b->width,
      .band = (int)band(p),
  };
  return hb_pairs_sum_run(p, &b->sum[holds_several(b->shape)], &parts);
}

static enum hb_status bag_walk(struct hb_pairs *p)
{
  struct bag *b = p->state;
  b->groups = (int)quotient_up(p->ni, (size_t)i_each(p, b->shape));
  choose_framebuffer(p);
  HB_TRY(make_room(p));
  b->stage = STAGES; /* no program is in use yet */
  size_t step = (size_t)partial(p, b->shape);
  if (b->shape == BLOCKS) /* a block begins at a multiple of 256 bytes */
    while (step * (size_t)p->texels % 16) step *= 2;
  if (step > (size_t)b->segment_length) step = (size_t)b->segment_length;
  HB_TRY(hb_pairs_passes(p, (size_t)b->segments, (size_t)b->segment_length, step, most_sources(p), pass));
  return adds_on_device(p) ? add_segments(p) : HB_OK;
}

/* ---- results ---- */

/* Adds fragments first .. end, of whose rows the staging area holds each layer: sink k of a group in the layers from
 * k * words on. Small blocks have many totals, and 32 bits are divided faster than 64. */
static enum hb_status add_fragments(const struct hb_pairs *p, uint32_t first, uint32_t end, size_t layer)
{
  const struct bag *b = p->state;
  uint32_t each = (uint32_t)i_each(p, b->shape), groups = (uint32_t)b->groups, rows = (uint32_t)band(p);
  uint32_t width = (uint32_t)b->width, segment = first / groups, group = first % groups;
  for (uint32_t fragment = 0; fragment < end - first; fragment++) {
    uint32_t column = fragment / rows, row = column / width * rows + fragment % rows;
    const uint32_t *texel = p->staging + 4 * ((size_t)row * width + column % width);
    for (size_t k = 0, i = (size_t)group * each; k < each && i < p->ni; k++, i++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      for (int w = 0; w < p->words; w++, texel += layer) words[w] = texel;
      HB_TRY(hb_pairs_add(p, segment, (size_t)b->segment_length, i, words));
    }
    if (++group == groups) group = 0, segment++;
  }
  return HB_OK;
}

/* Band after band of rows, as many as fit the staging area. */
static enum hb_status read_layers(struct hb_pairs *p)
{
  struct bag *b = p->state;
  int layers = i_each(p, b->shape) * p->words, rows = (int)band(p);
  size_t row = 4 * (size_t)b->width * (size_t)layers, piece;
  HB_TRY(hb_pairs_stage(p, row * (size_t)rows, row * (size_t)b->height, &piece));
  rows *= (int)(piece / row) / rows;
  size_t fragments = (size_t)b->groups * (size_t)b->segments, layer = 4 * (size_t)b->width * (size_t)rows;
  for (int from = 0; from < b->height; from += rows) {
    int height = smaller(rows, b->height - from);
    for (int k = 0; k < layers; k++)
      hb_gl_layers_read(&totals(b)[b->written], k, from, b->width, height, p->staging + layer * (size_t)k);
    size_t first = (size_t)b->width * (size_t)from, end = first + (size_t)b->width * (size_t)height;
    HB_TRY(add_fragments(p, (uint32_t)first, (uint32_t)(end < fragments ? end : fragments), layer));
  }
  return HB_OK;
}

static enum hb_status bag_read(struct hb_pairs *p)
{
  const struct bag *b = p->state;
  if (adds_on_device(p)) return hb_pairs_read_results(p);
  if (!uses_storage(p, b->shape)) return read_layers(p);
  return hb_pairs_read_storage(p, (size_t)b->segments, (size_t)b->segment_length);
}

/* Render targets are copied into a buffer, layer after layer, by the device. */
static enum hb_status bag_totals(struct hb_pairs *p, struct hb_pairs_totals *where)
{
  struct bag *b = p->state;
  if (adds_on_device(p) || uses_storage(p, b->shape)) {
    hb_pairs_storage_totals(p, adds_on_device(p) ? 1 : (size_t)b->segments, where);
    return HB_OK;
  }
  int each = i_each(p, b->shape), layer = b->width * b->height;
  size_t bytes = TEXEL * (size_t)layer;
  HB_TRY(hb_pairs_storage_bytes(p, bytes * (size_t)(each * p->words)));
  for (int k = 0; k < each * p->words; k++)
    hb_gl_layers_copy(&totals(b)[b->written], k, b->width, b->height, p->storage, bytes * (size_t)k);
  *where = (struct hb_pairs_totals){
      .buffer = p->storage,
      .segments = b->segments,
      .groups = b->groups,
      .each = each,
      .width = b->width,
      .band = (int)band(p),
      .texels = 1,
      .layer = layer,
      .walked = (uint32_t)b->segments * p->begun + (uint32_t)p->nj,
  };
  return HB_OK;
}

const struct hb_pairs_scheme hb_pairs_bag = {
    .name = "bag",
    .summary = "a pass sums a bag of sources in registers, bags accumulate over passes",
    .source = "[HI07]",
    .create = bag_create,
    .destroy = bag_destroy,
    .portion = bag_portion,
    .walk = bag_walk,
    .read = bag_read,
    .totals = bag_totals,
};
