/* The matrix scheme on the host's side: tiles, the passes that fold each of them, and the sums over tiles. See
 * shaders/pairs/matrix_pair.frag and matrix_sum.frag.
 *
 *   for each tile of sinks               a row of the totals
 *     for each tile of sources
 *       draw its pairs                   matrix[0]
 *       fold until one row is left       matrix[0] -> matrix[1] -> matrix[0] ...
 *       add that row to the totals       totals[0] -> totals[1] -> totals[0] ...
 *
 * The tile decides in which order terms are added, so another `limit` may change the last bits. Cutting a tile into
 * more draws for the sake of time does not: a draw is a band of its rows. */
#include "pairs/pairs_program.h"
#include "pairs/pairs_watch.h"

#include "base/mem.h"
#include "base/arith.h"
#include "gl/gl_timer.h"

#include <stdio.h>

enum {
  LIMIT_2004 = 2048,
  LEAST_ROOM = 64,
};
static const double MATRIX_BYTES = 256 << 20; /* the default tile takes no more: 2048 or 1024 pairs squared */

struct matrix {
  struct hb_gl_pass pair, sum;
  struct hb_gl_texture matrix[2]; /* pairs of a tile; half as many rows to fold them into */
  struct hb_gl_texture totals[2]; /* a row for each tile of sinks */

  /* the walk under way */
  int width, height; /* of a tile */
  int sink_tiles, source_tiles;
  uint32_t tiles_before; /* of all walks before this one */
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
    return hb_fail(HB_ERR_USAGE,
                   "the matrix was to have up to %d x %d texels, expected at most %d on a side here",
                   t->limit, t->limit, caps->max_texture_size);
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
  hb_gl_pass_destroy(&s->pair);
  hb_gl_pass_destroy(&s->sum);
  for (int k = 0; k < 2; k++) {
    hb_gl_texture_destroy(&s->matrix[k]);
    hb_gl_texture_destroy(&s->totals[k]);
  }
  hb_mem_free(s);
}

static enum hb_status build(struct hb_pairs *p, const char *file, struct hb_gl_pass *pass)
{
  char defines[40];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n", p->params.tuning.j_source_plus_1 - 1);
  const struct hb_pairs_program_source source = {.fragment = file,
                                                 .version = 330,
                                                 .precision = p->params.precision,
                                                 .i_each = 1,
                                                 .unroll = 1,
                                                 .partial = 1,
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, pass);
}

/* ---- room ---- */

static int smaller(int a, int b) { return a < b ? a : b; }
static int half_up(int rows) { return (rows + 1) / 2; }

/* What there is, doubled until it is enough, but no more than `most` unless that is needed. */
static int grown(int have, int need, int most)
{
  if (have < LEAST_ROOM) have = LEAST_ROOM;
  while (have < need) have *= 2;
  if (have > most) have = most;
  return have > need ? have : need;
}

static enum hb_status grow(struct hb_pairs *p, int width, int height, int most_width, int most_height,
                           struct hb_gl_texture *layers)
{
  if (layers->width >= width && layers->height >= height) return HB_OK;
  int new_width = grown(layers->width, width, most_width);
  int new_height = grown(layers->height, height, most_height);
  hb_gl_texture_destroy(layers);
  return hb_gl_texture_words(p->params.context, new_width, new_height, p->words, layers);
}

static enum hb_status make_room(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  int limit = p->params.tuning.limit, most = p->params.context->caps.max_texture_size;
  HB_TRY(grow(p, s->width, s->height, limit, limit, &s->matrix[0]));
  HB_TRY(grow(p, s->width, half_up(s->height), limit, half_up(limit), &s->matrix[1]));
  for (int k = 0; k < 2; k++) HB_TRY(grow(p, s->width, s->sink_tiles, limit, most, &s->totals[k]));
  return HB_OK;
}

/* ---- the walk ---- */

/* Rows of so many pairs that a draw may take. */
static int rows_a_draw(const struct hb_pairs *p, int width, int rows)
{
  double by_time = p->pairs_per_s * p->params.max_draw_s / width;
  return by_time >= rows ? rows : by_time > 1 ? (int)by_time : 1;
}

static int height_of(const struct hb_pairs *p, int k)
{
  const struct matrix *s = p->state;
  return smaller(s->height, (int)p->nj - k * s->height);
}

/* What each pair of a tile counts beyond 1: another number for each tile of each walk, see hb_pairs.token. */
static uint32_t token_of(const struct hb_pairs *p, int row, int k)
{
  const struct matrix *s = p->state;
  return (s->tiles_before + (uint32_t)row * (uint32_t)s->source_tiles + (uint32_t)k) * 0x9e3779b1u;
}

/* ---- telling who watches ---- */

static struct hb_gl_trace_array watched(const struct hb_pairs *p, const char *name,
                                        const struct hb_gl_texture *layers, int width, int rows, int row)
{
  struct hb_gl_trace_array array = hb_pairs_watch_totals(p, HB_GL_LAYERS, layers->id);
  size_t first = (size_t)row * (size_t)((const struct matrix *)p->state)->width;
  array.name = name;
  array.columns = array.width = width;
  array.rows = rows;
  array.each = 1;
  array.n = p->ni - first;
  array.numbers = p->index + first;
  array.traffic = (uint64_t)width * (uint64_t)rows * (uint64_t)p->words;
  return array;
}

static void tell_pairs(struct hb_pairs *p, int row, int k, int width, int height, int draws)
{
  const struct matrix *s = p->state;
  uint64_t fragments = (uint64_t)width * (uint64_t)height;
  struct hb_gl_trace_pass pass = hb_pairs_watch_pass(p, 2 * fragments * (uint64_t)p->texels, fragments);
  pass.draws = draws;
  pass.pairs = pass.fragments = fragments;
  pass.write_count = 1;
  pass.write[0] = watched(p, "result", &s->matrix[0], width, height, row);
  pass.write[0].first_source = (int64_t)k * s->height;
  snprintf(pass.what, sizeof pass.what, "%d x %d pairs", width, height);
  hb_gl_trace_tell(&pass);
}

static void tell_fold(struct hb_pairs *p, int row, int read, int width, int rows, int draws)
{
  const struct matrix *s = p->state;
  int left = half_up(rows);
  struct hb_gl_trace_pass pass = hb_pairs_watch_pass(p, 0, 0);
  pass.draws = draws;
  pass.fragments = (size_t)width * (size_t)left;
  pass.read_count = pass.write_count = 1;
  pass.read[0] = watched(p, "before, more", &s->matrix[read], width, rows, row); /* each row once */
  pass.write[0] = watched(p, "result", &s->matrix[!read], width, left, row);
  snprintf(pass.what, sizeof pass.what, "fold %d rows to %d", rows, left);
  hb_gl_trace_tell(&pass);
}

/* The totals have a row for each tile of sinks; this pass has changed one of them. */
static void tell_totals(struct hb_pairs *p, int row, int k, int sums, int width)
{
  const struct matrix *s = p->state;
  struct hb_gl_trace_pass pass = hb_pairs_watch_pass(p, 0, 0);
  pass.fragments = (size_t)width;
  pass.read_count = 2;
  pass.write_count = 1;
  pass.read[0] = watched(p, "before", &s->totals[k % 2], s->width, s->sink_tiles, 0);
  pass.read[1] = watched(p, "more", &s->matrix[sums], width, 1, row);
  pass.write[0] = watched(p, "result", &s->totals[(k + 1) % 2], s->width, s->sink_tiles, 0);
  pass.read[0].wraps = pass.write[0].wraps = 1;
  pass.read[0].traffic = pass.write[0].traffic = pass.read[1].traffic;
  snprintf(pass.what, sizeof pass.what, "add to the totals");
  hb_gl_trace_tell(&pass);
}

/* ---- passes ---- */

/* While the device's speed is unknown the bands of a tile are timed; a tile that is one draw anyway is not. */
static void draw_pairs(struct hb_pairs *p, int row, int k, int width, int height)
{
  struct matrix *s = p->state;
  hb_gl_pass_int2(&s->pair, "origin", row * s->width, k * s->height);
  hb_gl_pass_int(&s->pair, "token", (int)token_of(p, row, k));
  int draws = 0;
  for (int from = 0, rows; from < height; from += rows, draws++) {
    rows = smaller(rows_a_draw(p, width, height), height - from);
    double start = p->known || rows == height ? 0 : hb_gl_timer_start();
    hb_gl_pass_draw(&s->pair, &s->matrix[0].target, 0, from, width, rows);
    if (start > 0) hb_pairs_learn(p, (double)width * rows, hb_gl_timer_stop(start));
    if (rows < height) hb_gl_flush();
  }
  if (hb_gl_trace) tell_pairs(p, row, k, width, height, draws);
}

/* Folds the tile; gives which of the pair holds the one row that is left. */
static int fold(struct hb_pairs *p, int row, int width, int height)
{
  struct matrix *s = p->state;
  int written = 0;
  for (int rows = height; rows > 1; rows = half_up(rows)) {
    hb_gl_pass_texture(&s->sum, "before", &s->matrix[written]);
    hb_gl_pass_texture(&s->sum, "more", &s->matrix[written]);
    hb_gl_pass_int(&s->sum, "shift", half_up(rows));
    hb_gl_pass_int(&s->sum, "rows", rows);
    written = !written;
    int band = rows_a_draw(p, width, half_up(rows)), draws = 0;
    for (int from = 0; from < half_up(rows); from += band, draws++)
      hb_gl_pass_draw(&s->sum, &s->matrix[written].target, 0, from, width,
                      smaller(band, half_up(rows) - from));
    if (hb_gl_trace) tell_fold(p, row, !written, width, rows, draws);
  }
  return written;
}

/* Adds the sums of the k-th tile of sources to the totals of this row of sinks. */
static void add_to_totals(struct hb_pairs *p, int row, int k, int sums, int width)
{
  struct matrix *s = p->state;
  hb_gl_pass_texture(&s->sum, "before", &s->totals[k % 2]);
  hb_gl_pass_texture(&s->sum, "more", &s->matrix[sums]);
  hb_gl_pass_int(&s->sum, "shift", -row);
  hb_gl_pass_int(&s->sum, "rows", 1);
  hb_gl_pass_draw(&s->sum, &s->totals[(k + 1) % 2].target, 0, row, width, 1);
  if (hb_gl_trace) tell_totals(p, row, k, sums, width);
}

static void walk_tile(struct hb_pairs *p, int row, int k)
{
  const struct matrix *s = p->state;
  int width = smaller(s->width, (int)p->ni - row * s->width), height = height_of(p, k);
  draw_pairs(p, row, k, width, height);
  int sums = fold(p, row, width, height);
  add_to_totals(p, row, k, sums, width);
}

static enum hb_status matrix_walk(struct hb_pairs *p)
{
  struct matrix *s = p->state;
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(hb_pairs_texture_2d(p));
  s->tiles_before += (uint32_t)s->sink_tiles * (uint32_t)s->source_tiles;
  size_t limit = (size_t)p->params.tuning.limit;
  s->width = (int)(p->ni < limit ? p->ni : limit);
  s->height = (int)(p->nj < limit ? p->nj : limit);
  s->sink_tiles = (int)hb_div_ceil(p->ni, limit);
  s->source_tiles = (int)hb_div_ceil(p->nj, limit);
  HB_TRY(make_room(p));
  HB_TRY(build(p, "pairs/matrix_pair.frag", &s->pair));
  HB_TRY(build(p, "pairs/matrix_sum.frag", &s->sum));
  hb_pairs_program_inputs(p, &s->pair);
  hb_gl_target_clear(&s->totals[0].target);
  for (int row = 0; row < s->sink_tiles; row++)
    for (int k = 0; k < s->source_tiles; k++) {
      walk_tile(p, row, k);
      if (s->source_tiles > 1)
        hb_gl_flush(); /* a driver that gathers draws would make one long piece of work */
    }
  return HB_OK;
}

/* ---- results ---- */

/* What the counts of a row of sinks have beyond the sources that were met. */
static uint32_t tokens_of(const struct hb_pairs *p, int row)
{
  const struct matrix *s = p->state;
  uint32_t tokens = 0;
  for (int k = 0; k < s->source_tiles; k++) tokens += (uint32_t)height_of(p, k) * token_of(p, row, k);
  return tokens;
}

/* A row of totals after the other, its layers one behind the other. */
static enum hb_status matrix_read(struct hb_pairs *p)
{
  const struct matrix *s = p->state;
  size_t width = (size_t)s->width, all = 4 * width * (size_t)p->words, piece;
  HB_TRY(hb_pairs_stage(p, all, all, &piece));
  for (int row = 0; row < s->sink_tiles; row++) {
    for (int w = 0; w < p->words; w++)
      hb_gl_target_read(&s->totals[s->source_tiles % 2].target, w, 0, row, s->width, 1, HB_GL_WORDS,
                        p->staging + 4 * width * (size_t)w);
    p->begun = tokens_of(p, row);
    for (size_t x = 0, i = width * (size_t)row; x < width && i < p->ni; x++, i++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      for (int w = 0; w < p->words; w++) words[w] = p->staging + 4 * (width * (size_t)w + x);
      HB_TRY(hb_pairs_add(p, 0, p->nj, i, words));
    }
  }
  return HB_OK;
}

/* The pairs of a tile and half as many to fold them into; totals in a ping-pong pair, whose rows grow by doubling. */
static void matrix_memory(double total, struct hb_force_need *need)
{
  double side = LIMIT_2004;
  while (1.5 * side * side * total > MATRIX_BYTES) side /= 2;
  need->device_fixed += 1.5 * side * side * total;
  need->device_sink += 2 * 2 * total;
}

const struct hb_pairs_scheme hb_pairs_matrix2004 = {
    .name = "matrix2004",
    .summary = "all pair terms in a texture, folded log2 N times; in tiles where they are too many",
    .source = "[NHP07] section 31.5",
    .is_historic = 1,
    .create = matrix_create,
    .destroy = matrix_destroy,
    .walk = matrix_walk,
    .read = matrix_read,
    .memory = matrix_memory,
};
