/* The host side of the matrix scheme: tiles, the passes that fold each of them, and the sums over tiles. See
 * shaders/pairs/matrix_pair.frag and matrix_sum.frag.
 *
 *   for each portion of the sinks
 *     for each tile of sources
 *       draw its pairs                   matrix[0], in passes
 *       fold until one row is left       matrix[0] -> matrix[1] -> matrix[0] ...
 *       add that row to the totals       totals[0] -> totals[1] -> totals[0] ...
 *
 * The tile determines the order in which terms are added, so another `limit` may change the last bits. Cutting a tile into
 * more draws, to bound their time, does not: a pass is a band of its rows. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/mem.h"

#include <stdio.h>

enum {
  LIMIT_2004 = 2048,
  LEAST_SIDE = 64,
};
static const double MATRIX_BYTES = 256 << 20; /* of the default tile at most: 2048 or 1024 pairs squared */

/* The current tile. */
struct tile {
  int number; /* of the sources */
  int rows;   /* what is left of it */
  int read;   /* which of the pair of textures holds it */
};

struct matrix {
  struct hb_gl_pass pair, block, sum; /* block: in precision reproducible */
  struct hb_gl_texture matrix[2];     /* pairs of a tile; half as many rows to fold them into */
  struct hb_gl_texture totals[2];     /* a row */

  /* the current portion of the sinks */
  int tiles, height;     /* of sources; rows of a tile */
  uint32_t tiles_before; /* of all portions before this one */
  struct tile tile;
};

/* ---- create and destroy ---- */

static double tile_bytes(const struct hb_pairs *p, double side) { return 1.5 * side * side * 16 * p->words; }

/* The limit of 2004, or what the device allows, halved until the textures are of a size that any device has. */
static int default_limit(const struct hb_pairs *p)
{
  int most = p->params.context->caps.max_texture_size, limit = most < LIMIT_2004 ? most : LIMIT_2004;
  while (tile_bytes(p, limit) > MATRIX_BYTES) limit /= 2;
  return limit;
}

static enum hb_status complete_tuning(struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  struct hb_pairs_tuning *t = &p->params.tuning;
  if (!t->limit) t->limit = default_limit(p);
  if (!t->j_source_plus_1) t->j_source_plus_1 = HB_J_BUFFER_TEXTURE + 1;
  if (t->limit > caps->max_texture_size)
    return hb_fail(HB_ERR_USAGE, "the matrix has up to %d x %d texels, expected at most %d on a side here",
                   t->limit, t->limit, caps->max_texture_size);
  if (hb_precisions[p->params.precision].is_fixed && t->limit % HB_FIXED_BLOCK)
    return hb_fail(HB_ERR_USAGE,
                   "the matrix has %d texels on a side, expected a multiple of %d in precision %s", t->limit,
                   HB_FIXED_BLOCK, hb_precision_names[p->params.precision]);
  if (t->j_source_plus_1 != HB_J_BUFFER_TEXTURE + 1 && t->j_source_plus_1 != HB_J_TEXTURE + 1)
    return hb_fail(HB_ERR_USAGE, "scheme matrix2004 cannot read sources from %s (expected %s or %s)",
                   hb_j_source_names[t->j_source_plus_1 - 1], hb_j_source_names[HB_J_BUFFER_TEXTURE],
                   hb_j_source_names[HB_J_TEXTURE]);
  return HB_OK;
}

static enum hb_status matrix_create(struct hb_pairs *p)
{
  HB_TRY(complete_tuning(p));
  struct matrix *s;
  HB_TRY(HB_ALLOC(1, &s));
  p->state = s;
  return HB_OK;
}

static void matrix_destroy(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  HB_GL_DESTROY(pass, &s->pair, &s->block, &s->sum);
  HB_GL_DESTROY(texture, &s->matrix[0], &s->matrix[1], &s->totals[0], &s->totals[1]);
  hb_mem_free(s);
}

/* ---- memory ---- */

static int half_up(int rows) { return (rows + 1) / 2; }

/* `have`, doubled until it is enough, but no more than `most` unless that is needed. */
static int grown(int have, int need, int most)
{
  if (have < LEAST_SIDE) have = LEAST_SIDE;
  while (have < need) have *= 2;
  if (have > most) have = most;
  return have > need ? have : need;
}

static enum hb_status grow(struct hb_pairs *p, int width, int height, int most_height,
                           struct hb_gl_texture *layers)
{
  if (layers->width >= width && layers->height >= height) return HB_OK;
  int new_width = grown(layers->width, width, p->params.tuning.limit);
  int new_height = grown(layers->height, height, most_height);
  hb_gl_texture_destroy(layers);
  return hb_gl_texture_words(p->params.context, new_width, new_height, p->words, layers);
}

static enum hb_status reserve(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  int limit = p->params.tuning.limit, width = (int)p->ni;
  HB_TRY(grow(p, width, s->height, limit, &s->matrix[0]));
  HB_TRY(grow(p, width, half_up(s->height), half_up(limit), &s->matrix[1]));
  for (int k = 0; k < 2; k++) HB_TRY(grow(p, width, 1, 1, &s->totals[k]));
  return HB_OK;
}

/* ---- tiles ---- */

static int height_of(const struct hb_pairs *p, int k)
{
  const struct matrix *s = p->state;
  return hb_min_int(s->height, (int)p->nj - k * s->height);
}

/* What each pair of a tile counts beyond 1: a different number for each tile of each walk, see hb_pairs.token. */
static uint32_t token_of(const struct hb_pairs *p, int k)
{
  const struct matrix *s = p->state;
  return (s->tiles_before + (uint32_t)k) * 0x9e3779b1u;
}

/* What the counts of the sinks have beyond the summed sources. */
static uint32_t tokens_of(const struct hb_pairs *p)
{
  const struct matrix *s = p->state;
  uint32_t tokens = 0;
  for (int k = 0; k < s->tiles; k++) tokens += (uint32_t)height_of(p, k) * token_of(p, k);
  return tokens;
}

/* ---- for a tracer ---- */

static struct hb_gl_trace_array traced(const struct hb_pairs *p, const char *name,
                                       const struct hb_gl_texture *layers, int rows)
{
  struct hb_gl_trace_array array = hb_pairs_trace_totals(p, HB_GL_LAYERS, layers->id);
  array.name = name;
  array.columns = array.width = (int)p->ni;
  array.rows = rows;
  array.each = 1;
  array.traffic = (uint64_t)p->ni * (uint64_t)rows * (uint64_t)p->words;
  return array;
}

static void describe_pairs(void *pairs, struct hb_gl_trace_pass *t)
{
  struct hb_pairs *p = pairs;
  const struct matrix *s = p->state;
  uint64_t fragments = (uint64_t)p->ni * (uint64_t)s->tile.rows;
  hb_pairs_trace_pass(p, 2 * fragments * (uint64_t)p->texels, fragments, t);
  t->pairs = t->fragments = fragments;
  t->write_count = 1;
  t->write[0] = traced(p, "result", &s->matrix[0], s->tile.rows);
  t->write[0].first_source = (int64_t)s->tile.number * s->height;
  t->by = "origin";
  snprintf(t->what, sizeof t->what, "%zu x %d pairs", p->ni, s->tile.rows);
}

/* Some rows become one. */
static void describe_rows(struct hb_pairs *p, size_t rows, const char *how, struct hb_gl_trace_pass *t)
{
  const struct matrix *s = p->state;
  const struct tile *d = &s->tile;
  int left = (int)hb_div_ceil((size_t)d->rows, rows);
  hb_pairs_trace_pass(p, 0, 0, t);
  t->fragments = p->ni * (size_t)left;
  t->read_count = t->write_count = 1;
  t->read[0] = traced(p, "before, more", &s->matrix[d->read], d->rows); /* each row once */
  t->write[0] = traced(p, "result", &s->matrix[!d->read], left);
  snprintf(t->what, sizeof t->what, "%s %d rows to %d", how, d->rows, left);
}

static void describe_fold(void *pairs, struct hb_gl_trace_pass *t)
{
  describe_rows(pairs, 2, "fold", t);
  t->by = "shift";
}

static void describe_block(void *pairs, struct hb_gl_trace_pass *t)
{
  describe_rows(pairs, HB_FIXED_BLOCK, "sum", t);
  t->by = "rows";
}

static void describe_totals(void *pairs, struct hb_gl_trace_pass *t)
{
  struct hb_pairs *p = pairs;
  const struct matrix *s = p->state;
  const struct tile *d = &s->tile;
  hb_pairs_trace_pass(p, 0, 0, t);
  t->fragments = p->ni;
  t->read_count = 2;
  t->write_count = 1;
  t->read[0] = traced(p, "before", &s->totals[d->number % 2], 1);
  t->read[1] = traced(p, "more", &s->matrix[d->read], 1);
  t->write[0] = traced(p, "result", &s->totals[(d->number + 1) % 2], 1);
  t->read[0].wraps = t->write[0].wraps = 1;
  t->by = "shift";
  snprintf(t->what, sizeof t->what, "add to the totals");
}

/* ---- passes ---- */

/* Draws rows 0 .. left in bands of `band`. */
static void draw_bands(struct hb_pairs *p, struct hb_gl_pass *pass, const struct hb_gl_target *target,
                       int left, int band)
{
  for (int from = 0; from < left; from += band) {
    pass->continues = from + band < left;
    hb_gl_pass_draw(pass, target, 0, from, (int)p->ni, hb_min_int(band, left - from));
  }
}

/* How many rows of pairs a draw may take. */
static int rows_a_draw(const struct hb_pairs *p, int rows)
{
  double by_time = p->pairs_per_s * p->params.max_draw_s / (double)p->ni;
  return by_time >= rows ? rows : by_time > 1 ? (int)by_time : 1;
}

/* The rows of each HB_FIXED_BLOCK sources to one of totals. */
static void sum_blocks(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  struct tile *d = &s->tile;
  int left = (int)hb_div_ceil((size_t)d->rows, HB_FIXED_BLOCK);
  int band = rows_a_draw(p, d->rows) / HB_FIXED_BLOCK;
  hb_gl_pass_texture(&s->block, "before", &s->matrix[d->read]);
  hb_gl_pass_int(&s->block, "rows", d->rows);
  draw_bands(p, &s->block, &s->matrix[!d->read].target, left, band < 1 ? 1 : band);
  d->rows = left;
  d->read = !d->read;
}

/* Folds the tile until one row is left. */
static void fold(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  struct tile *d = &s->tile;
  s->sum.describe = describe_fold;
  for (; d->rows > 1; d->rows = half_up(d->rows), d->read = !d->read) {
    int left = half_up(d->rows);
    hb_gl_pass_texture(&s->sum, "before", &s->matrix[d->read]);
    hb_gl_pass_texture(&s->sum, "more", &s->matrix[d->read]);
    hb_gl_pass_int(&s->sum, "shift", left);
    hb_gl_pass_int(&s->sum, "rows", d->rows);
    draw_bands(p, &s->sum, &s->matrix[!d->read].target, left, rows_a_draw(p, left));
  }
}

/* Adds the sums of the tile to the totals. */
static void add_to_totals(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  const struct tile *d = &s->tile;
  s->sum.describe = describe_totals;
  hb_gl_pass_texture(&s->sum, "before", &s->totals[d->number % 2]);
  hb_gl_pass_texture(&s->sum, "more", &s->matrix[d->read]);
  hb_gl_pass_int(&s->sum, "shift", 0);
  hb_gl_pass_int(&s->sum, "rows", 1);
  hb_gl_pass_draw(&s->sum, &s->totals[(d->number + 1) % 2].target, 0, 0, (int)p->ni, 1);
}

static enum hb_status matrix_pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct matrix *s = p->state;
  int number = (int)(from / (size_t)s->height), first = number * s->height, height = height_of(p, number);
  s->tile = (struct tile){.number = number, .rows = height};
  s->pair.continues = (int)to < first + height;
  hb_gl_pass_int2(&s->pair, "origin", 0, first);
  hb_gl_pass_int(&s->pair, "token", (int)token_of(p, number));
  hb_gl_pass_draw(&s->pair, &s->matrix[0].target, 0, (int)from - first, (int)p->ni, (int)(to - from));
  if (s->pair.continues) return HB_OK;
  if (hb_precisions[p->params.precision].is_fixed) sum_blocks(p);
  fold(p);
  add_to_totals(p);
  return HB_OK;
}

static enum hb_status build(struct hb_pairs *p, const char *file, hb_gl_pass_describe describe,
                            struct hb_gl_pass *pass)
{
  char defines[40];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n", p->params.tuning.j_source_plus_1 - 1);
  const struct hb_pairs_program_source source = {.fragment = file,
                                                 .version = 330,
                                                 .precision = p->params.precision,
                                                 .i_each = 1,
                                                 .unroll = 1,
                                                 .partial = hb_precisions[p->params.precision].partial,
                                                 .defines = defines,
                                                 .describe = describe};
  return hb_pairs_program_build(p, &source, pass);
}

static size_t matrix_portion(struct hb_pairs *p) { return (size_t)p->params.tuning.limit; }

static enum hb_status matrix_begin(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  const size_t height = hb_min(p->nj, (size_t)p->params.tuning.limit);
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(hb_pairs_texture_2d(p));
  s->tiles_before += (uint32_t)s->tiles;
  s->tiles = (int)hb_div_ceil(p->nj, height);
  s->height = (int)height;
  p->shape = (struct hb_pairs_shape){
      .segments = 1, .segment_length = p->nj, .step = 1, .most = height, .tile = height};
  HB_TRY(reserve(p));
  HB_TRY(build(p, "pairs/matrix_pair.frag", describe_pairs, &s->pair));
  HB_TRY(build(p, "pairs/matrix_sum.frag", describe_fold, &s->sum));
  hb_pairs_program_inputs(p, &s->pair);
  if (hb_precisions[p->params.precision].is_fixed) {
    HB_TRY(build(p, "pairs/matrix_block.frag", describe_block, &s->block));
    hb_gl_pass_texture(&s->block, "scales", &p->i_scale.buffer.texture);
  }
  hb_gl_target_clear(&s->totals[0].target);
  return HB_OK;
}

/* The row of totals, layer after layer. */
static enum hb_status matrix_read(struct hb_pairs *p)
{
  const struct matrix *s = p->state;
  size_t all = 4 * p->ni * (size_t)p->words, piece;
  HB_TRY(hb_pairs_stage(p, all, all, &piece));
  for (int w = 0; w < p->words; w++)
    hb_gl_target_read(&s->totals[s->tiles % 2].target, w, 0, 0, (int)p->ni, 1, HB_GL_WORDS,
                      p->staging + 4 * p->ni * (size_t)w);
  p->count_start = tokens_of(p);
  for (size_t i = 0; i < p->ni; i++) {
    const uint32_t *words[2 * HB_RECORDS_MAX];
    for (int w = 0; w < p->words; w++) words[w] = p->staging + 4 * (p->ni * (size_t)w + i);
    HB_TRY(hb_pairs_add(p, 0, p->nj, i, words));
  }
  return HB_OK;
}

/* The pairs of a tile and half as many to fold them into; totals in a ping-pong pair. */
static void matrix_memory(double total, struct hb_force_need *need)
{
  double side = LIMIT_2004;
  while (1.5 * side * side * total > MATRIX_BYTES) side /= 2;
  need->device_fixed += (1.5 * side + 2) * side * total;
}

const struct hb_pairs_scheme hb_pairs_matrix2004 = {
    .name = "matrix2004",
    .summary = "all pair terms in a texture, folded log2 N times; in tiles where they are too many",
    .source = "[NHP07] section 31.5",
    .is_historic = 1,
    .create = matrix_create,
    .destroy = matrix_destroy,
    .portion = matrix_portion,
    .begin = matrix_begin,
    .pass = matrix_pass,
    .read = matrix_read,
    .memory = matrix_memory,
};
