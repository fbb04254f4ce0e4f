/* Passes of a kernel, copied while it walks: drawn on the screen, or on paper. */
#include "inspect/inspector.h"

#include "base/arith.h"
#include "base/draft.h"
#include "base/mem.h"
#include "gl/gl_pass.h"
#include "gl/gl_trace.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- false colors for numbers of either sign ---- */

enum { ANCHORS = 9 };

/* At -1, -3/4 ... 1 of the signed root, also for shaders; interpolated linearly. */
static const unsigned char false_colors[ANCHORS][3] = {{216, 247, 250}, {80, 180, 220}, {34, 108, 184},
                                                       {24, 50, 106},   {18, 18, 26},   {92, 24, 62},
                                                       {184, 52, 58},   {242, 134, 46}, {255, 240, 176}};

/* 0xRRGGBB: zero is dark, positive numbers are warm, negative ones cold. Brightness grows with the root of |value| / most, so that
 * a single term shows beside a sum of many; most is the largest absolute value in the picture (0: everything is zero). NaN is
 * green. */
static unsigned false_color(double value, double most)
{
  if (isnan(value)) return 0x00a050;
  double t = most > 0 ? copysign(sqrt(fmin(fabs(value) / most, 1)), value) : 0;
  double at = (t + 1) / 2 * (ANCHORS - 1);
  int k = (int)fmin(at, ANCHORS - 2);
  unsigned color = 0;
  for (int c = 0; c < 3; c++) {
    double low = false_colors[k][c], high = false_colors[k + 1][c];
    color = color << 8 | (unsigned)lround(low + (high - low) * (at - k));
  }
  return color;
}

/* ---- copies of what a pass reads and writes: made on the device between two passes, every array, whatever its storage, as
 * records of eight floats in a grid ---- */

enum { TEXELS_FLOATS = 8, TEXELS_MOST = 1 << 18 }; /* per record; records per copy */
enum { TEXELS_SOURCES = 5 };                       /* kinds of arrays, as in shaders/view/texels.frag */

/* The programs that copy, in the context whose passes are traced. Must not move while open. */
struct texels {
  struct hb_gl_context *context;          /* the caller's */
  struct hb_gl_pass copy[TEXELS_SOURCES]; /* created when first used */
  struct hb_gl_pass range;
  struct hb_gl_texture over;       /* the buffer that is copied */
  struct hb_gl_texture scratch[2]; /* for finding the largest numbers */
};

/* A copy. Names and quantities are the engine's own, which live forever. Start from {0}. */
struct texels_copy {
  struct hb_gl_trace_array array; /* its numbers belong to the copy; its rows are those copied */
  int rows;                       /* of the original: array.rows <= rows */
  uint32_t *numbers;
  size_t numbers_capacity;
  struct hb_gl_texture layers; /* two, holding the bits of floats; may be larger than the grid */
};

enum { BLOCK = 8 }; /* cells on a side that a fragment of range.frag reads */

static void texels_close(struct texels *t)
{
  if (t->context && hb_gl_context_use(t->context) == HB_OK) {
    for (int k = 0; k < TEXELS_SOURCES; k++) hb_gl_pass_destroy(&t->copy[k]);
    hb_gl_pass_destroy(&t->range);
    hb_gl_texture_destroy(&t->over);
    for (int k = 0; k < 2; k++) hb_gl_texture_destroy(&t->scratch[k]);
  }
  *t = (struct texels){0};
}

static void texels_drop(struct texels_copy *copy)
{
  hb_gl_texture_destroy(&copy->layers);
  hb_mem_free(copy->numbers);
  *copy = (struct texels_copy){0};
}

/* The particle whose record is in a cell, -1: none. */
static int64_t texels_particle(const struct hb_gl_trace_array *a, int column, int row)
{
  int64_t k =
      (int64_t)column * a->each + row % a->each + (a->wraps ? (int64_t)a->columns * (row / a->each) : 0);
  if (k >= (int64_t)a->n) return -1;
  return a->numbers ? (int64_t)a->numbers[k] : k;
}

/* The source whose term it holds, -1: no single one. */
static int64_t texels_source(const struct hb_gl_trace_array *a, int row)
{
  return a->first_source < 0 ? -1 : a->first_source + row;
}

/* ---- copying ----------------------------------------------------------------------------------------- */

/* The pass that copies an array of this kind, bound to the array. */
static enum hb_status pass_for(struct texels *t, const struct hb_gl_trace_array *a, struct hb_gl_pass **pass)
{
  enum hb_gl_format format = a->form == HB_GL_TRACE_FLOATS ? HB_GL_RGBA32F : HB_GL_RGBA32UI;
  int source = a->kind == HB_GL_BUFFER ? HB_GL_BUFFER + (format == HB_GL_RGBA32UI) : (int)a->kind;
  const struct hb_gl_program_source files = {.fragment = "view/texels.frag",
                                             .defines = hb_phrase("#define SOURCE %d\n", source)};
  *pass = &t->copy[source];
  if (!(*pass)->program) HB_TRY(hb_gl_pass_create(t->context, &files, *pass));
  if (a->kind == HB_GL_BUFFER) hb_gl_texture_over(a->object, format, &t->over);
  const struct hb_gl_texture array = {.shape = a->kind, .id = a->object};
  hb_gl_pass_texture(*pass, "source", a->kind == HB_GL_BUFFER ? &t->over : &array);
  return HB_OK;
}

static int slots_of(const struct hb_gl_trace_array *a)
{
  int slots = 1;
  for (const struct hb_gl_trace_quantity *q = a->quantities; q->name; q++)
    if (q->first + q->count > 4 * slots) slots = 2;
  return slots;
}

/* The engine's list of numbers is valid only during the call, so it is copied. */
static enum hb_status copy_numbers(const struct hb_gl_trace_array *a, struct texels_copy *copy)
{
  copy->array = *a;
  copy->array.numbers = NULL;
  if (!a->numbers) return HB_OK;
  HB_TRY(HB_RENEW(a->n, &copy->numbers_capacity, HB_ARRAY(1, &copy->numbers)));
  memcpy(copy->numbers, a->numbers, a->n * sizeof *a->numbers);
  copy->array.numbers = copy->numbers;
  return HB_OK;
}

/* Two layers of at least this size. */
static enum hb_status reserve_layers(struct texels *t, int width, int height, struct hb_gl_texture *layers)
{
  if (layers->width >= width && layers->height >= height) return HB_OK;
  if (layers->width > width) width = layers->width;
  if (layers->height > height) height = layers->height;
  hb_gl_texture_destroy(layers);
  return hb_gl_texture_words(t->context, width, height, 2, layers);
}

/* Replaces the copy. Rows beyond TEXELS_MOST records are left out. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
static enum hb_status texels_take(struct texels *t, const struct hb_gl_trace_array *a,
                                  struct texels_copy *copy)
{
  struct hb_gl_pass *pass;
  int most = TEXELS_MOST / a->columns, rows = a->rows < most ? a->rows : most > 1 ? most : 1;
  HB_TRY(pass_for(t, a, &pass));
  HB_TRY(copy_numbers(a, copy));
  copy->rows = a->rows;
  copy->array.rows = rows;
  HB_TRY(reserve_layers(t, a->columns, rows, &copy->layers));
  hb_gl_pass_int4(pass, "grid", a->columns, a->each, a->wraps, (int)a->n);
  hb_gl_pass_int4(pass, "place", a->width, a->band, a->texels, a->step);
  hb_gl_pass_int(pass, "low", a->low);
  hb_gl_pass_int(pass, "slots", slots_of(a));
  hb_gl_pass_draw(pass, &copy->layers.target, 0, 0, a->columns, rows);
  return hb_gl_context_check(t->context, "copying a texture for a picture");
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The records of the cells column .. column + width - 1, row .. row + height - 1: floats[8 * width * height], row by
 * row upwards. The context that copied is current. */
static enum hb_status texels_read(const struct texels *t, const struct texels_copy *copy, int column, int row,
                                  int width, int height, float *floats)
{
  size_t count = (size_t)width * (size_t)height;
  HB_OWN uint32_t *words = NULL;
  HB_TRY(hb_gl_context_use(t->context));
  HB_TRY(HB_ALLOC(4 * count, &words));
  for (int slot = 0; slot < 2; slot++) {
    hb_gl_target_read(&copy->layers.target, slot, column, row, width, height, HB_GL_WORDS, words);
    for (size_t k = 0; k < count; k++)
      memcpy(floats + TEXELS_FLOATS * k + 4 * slot, words + 4 * k, 4 * sizeof *words);
  }
  return hb_gl_context_check(t->context, "reading texels of a picture");
}

/* The largest |number| of each component, found on the device: reads 32 bytes back. */
static enum hb_status texels_most(struct texels *t, const struct texels_copy *copy, float most[TEXELS_FLOATS])
{
  const struct hb_gl_program_source files = {.fragment = "view/range.frag"};
  const struct hb_gl_trace_array *grid = &copy->array;
  const struct hb_gl_texture *from = &copy->layers;
  int columns = grid->columns, rows = grid->rows, each = grid->each, wraps = grid->wraps, n = (int)grid->n;
  if (!t->range.program) HB_TRY(hb_gl_pass_create(t->context, &files, &t->range));
  for (int to = 0; from == &copy->layers || columns > 1 || rows > 1; to = !to) {
    int width = (columns + BLOCK - 1) / BLOCK, height = (rows + BLOCK - 1) / BLOCK;
    HB_TRY(reserve_layers(t, width, height, &t->scratch[to]));
    hb_gl_pass_texture(&t->range, "source", from);
    hb_gl_pass_int4(&t->range, "grid", columns, each, wraps, n);
    hb_gl_pass_int(&t->range, "rows", rows);
    hb_gl_pass_draw(&t->range, &t->scratch[to].target, 0, 0, width, height);
    from = &t->scratch[to];
    columns = width, rows = height, each = wraps = 1;
    n = width * height;
  }
  const struct texels_copy last = {.layers = *from};
  return texels_read(t, &last, 0, 0, 1, 1, most);
}

/* ---- the inspector: chooses the pass to copy during a walk, and draws the copy ---- */

struct array {
  struct texels_copy copy;   /* its array.name NULL: none */
  float most[TEXELS_FLOATS]; /* largest |number| of each component */
  char pair;                 /* 'A' or 'B' of two that swap, or 0 */
};

/* An image on the screen: pixels from the upper left corner. */
struct tile {
  const struct array *array; /* NULL: a color alone */
  const struct hb_gl_trace_quantity *quantity;
  int component; /* of the record, or one of these, as in inspect.frag */
  int x, y, width, height;
  int cell, columns; /* pixels per cell; columns of a piece of the strip */
};
enum { SCALE = -1, PAPER = -2 };
enum { TILES = 66 };

struct hb_inspector {
  struct hb_gl_trace watch;
  uint64_t wanted;              /* the pass to copy */
  uint64_t seen, passes;        /* last pass traced; passes of a walk */
  struct hb_gl_trace_pass pass; /* that was copied; number 0: none */
  size_t particles;             /* that it read */
  int plays, waits;
  int64_t marked;
  enum hb_status status; /* of the last copy */
  char error[512], shader[64];

  struct texels texels;
  struct array arrays[2 * HB_GL_TRACE_MOST]; /* what is read, from read_end on what is written */
  int read_end, write_end;

  struct hb_gl_pass image; /* in the context that draws, possibly another one */
  struct tile tile[TILES];
  int tile_count;
};

/* ---- copying ---- */

static enum hb_status copy_array(struct hb_inspector *i, const struct hb_gl_trace_array *from)
{
  struct array *to = &i->arrays[i->write_end++];
  to->pair = 0;
  HB_TRY(texels_take(&i->texels, from, &to->copy));
  return texels_most(&i->texels, &to->copy, to->most);
}

/* Of two arrays with the same meaning that swap, A is the one created first. */
static void name_pair(struct array *read, struct array *write)
{
  const struct hb_gl_trace_array *a = &read->copy.array, *b = &write->copy.array;
  if (a->quantities != b->quantities || a->object == b->object || a->kind != b->kind) return;
  read->pair = a->object < b->object ? 'A' : 'B';
  write->pair = a->object < b->object ? 'B' : 'A';
}

static enum hb_status copy_pass(struct hb_inspector *i, const struct hb_gl_trace_pass *pass)
{
  if (i->texels.context != pass->context) {
    hb_inspector_forget(i);
    i->texels = (struct texels){.context = pass->context};
    HB_TRY(hb_gl_context_use(pass->context));
  }
  i->pass.number = 0;
  i->waits = 1; /* until all is there */
  i->read_end = i->write_end = 0;
  i->particles = 0;
  for (int k = 0; k < pass->read_count; k++) {
    if (pass->read[k].quantities) HB_TRY(copy_array(i, &pass->read[k]));
    i->particles = hb_max(i->particles, pass->read[k].n);
  }
  i->read_end = i->write_end;
  for (int k = 0; k < pass->write_count; k++) HB_TRY(copy_array(i, &pass->write[k]));
  for (int w = i->read_end; w < i->write_end; w++)
    for (int r = 0; r < i->read_end; r++) name_pair(&i->arrays[r], &i->arrays[w]);
  hb_gl_flush(); /* drawing may happen in another context that shares these textures */
  i->pass = *pass;
  snprintf(i->shader, sizeof i->shader, "%s", pass->shader);
  i->waits = 0;
  return HB_OK;
}

/* A new walk: the length of the previous one is known now, and play advances. */
static void begin_walk(struct hb_inspector *i)
{
  i->passes = i->seen;
  if (i->plays && i->pass.number > 0) i->wanted = i->pass.number + 1;
  if (i->passes > 0 && i->wanted > i->passes) i->wanted = i->plays ? 1 : i->passes;
}

static void on_pass(void *context, const struct hb_gl_trace_pass *pass)
{
  struct hb_inspector *i = context;
  if (pass->number == 1) begin_walk(i);
  i->seen = pass->number;
  if (pass->number > i->passes) i->passes = pass->number;
  if (pass->number != i->wanted) return;
  i->status = copy_pass(i, pass);
  if (i->status != HB_OK) snprintf(i->error, sizeof i->error, "%s", hb_error());
}

enum hb_status hb_inspector_open(struct hb_inspector **inspector)
{
  struct hb_inspector *i;
  *inspector = NULL;
  HB_TRY(HB_ALLOC(1, &i));
  i->wanted = 1;
  i->waits = 1;
  i->marked = -1;
  i->watch = (struct hb_gl_trace){on_pass, i};
  hb_gl_trace = &i->watch;
  *inspector = i;
  return HB_OK;
}

void hb_inspector_forget(struct hb_inspector *i)
{
  int is_there = i->texels.context && hb_gl_context_use(i->texels.context) == HB_OK;
  for (int k = 0; k < 2 * HB_GL_TRACE_MOST && is_there; k++) texels_drop(&i->arrays[k].copy);
  if (i->image.program && hb_gl_context_use(i->image.context) == HB_OK) hb_gl_pass_destroy(&i->image);
  texels_close(&i->texels);
  i->read_end = i->write_end = i->tile_count = 0;
  i->pass.number = i->passes = i->seen = 0;
  i->waits = 1;
}

void hb_inspector_close(struct hb_inspector *i)
{
  if (!i) return;
  if (hb_gl_trace == &i->watch) hb_gl_trace = NULL;
  hb_inspector_forget(i);
  hb_mem_free(i);
}

void hb_inspector_step(struct hb_inspector *i, int by)
{
  int64_t to = (int64_t)i->wanted + by;
  if (i->passes > 0 && to > (int64_t)i->passes) to = (int64_t)i->passes;
  if (to < 1) to = 1;
  if ((uint64_t)to != i->wanted) i->waits = 1;
  i->wanted = (uint64_t)to;
}

int hb_inspector_waits(const struct hb_inspector *i) { return i->waits; }
void hb_inspector_play(struct hb_inspector *i, int plays) { i->plays = plays; }
void hb_inspector_mark(struct hb_inspector *i, int64_t particle) { i->marked = particle; }

const char *hb_inspector_title(struct hb_inspector *i)
{
  size_t due = i->pass.write[0].n;
  if (!i->pass.number) return "";
  return hb_phrase(
      "%s, pass %" PRIu64 " of %" PRIu64 ": %s%s", i->pass.scheme, i->pass.number, i->passes, i->pass.what,
      due < i->particles ? hb_phrase("; %zu of %zu are due in this step", due, i->particles) : "");
}

const char *hb_inspector_running(struct hb_inspector *i)
{
  return hb_phrase("%s %s", i->shader, i->pass.input);
}

/* ---- where the images go ---- */

static const uint32_t ink = 0xe6e6ecff, faint = 0x9a9aa8ff, pair_a = 0x4ac0b0ff, pair_b = 0xf0a040ff;

/* Cuts a strip of columns x rows into pieces so that its cells are largest within side x side pixels. */
static void fold(const struct hb_gl_trace_array *grid, int side, struct tile *tile)
{
  tile->cell = 0;
  for (int pieces = 1; pieces <= grid->columns; pieces *= 2) {
    int columns = (grid->columns + pieces - 1) / pieces, used = (grid->columns + columns - 1) / columns;
    int cell = side / (columns > used * grid->rows ? columns : used * grid->rows);
    if (cell <= tile->cell && pieces > 1) continue;
    tile->cell = cell > 1 ? cell : 1;
    tile->columns = columns;
    tile->height = used * grid->rows;
  }
  tile->width = tile->columns * tile->cell < side ? tile->columns * tile->cell : side;
  tile->height = tile->height * tile->cell < side ? tile->height * tile->cell : side;
}

/* Where the next image goes; a line is as high as its highest image. */
struct pen {
  int x, y, left, right, line;
  int label, column; /* the height of a quantity's name and letters, the width of a column of text */
};

static void next_line(struct pen *pen)
{
  if (pen->x > pen->left) pen->y += pen->line;
  pen->x = pen->left;
  pen->line = 0;
}

enum { GAP = 4, WIDE_GAP = 18, NUMBER = 8 }; /* between components, between quantities; letters of 1.23e-05 */

/* Of the name of a quantity and the end of its scale, which is on its right, or below it where there are no letters x y z. */
static int name_width(const struct hb_gl_trace_quantity *q, int column)
{
  int name = (int)strlen(q->name);
  if (q->count == 1) return (name > NUMBER ? name : NUMBER) * column;
  return (name + 1 + NUMBER) * column;
}

static void add_tile(struct hb_inspector *i, struct tile tile)
{
  if (i->tile_count < TILES) i->tile[i->tile_count++] = tile;
}

/* The components of a quantity side by side, below its name. */
static void place_quantity(struct hb_inspector *i, const struct array *array,
                           const struct hb_gl_trace_quantity *q, int side, struct pen *pen)
{
  struct tile tile = {.array = array, .quantity = q};
  if (strcmp(q->name, "free") == 0 && array->most[q->first] == 0) return; /* unused by the shader */
  fold(&array->copy.array, side, &tile);
  int wide = hb_max(q->count * (tile.width + GAP), name_width(q, pen->column));
  if (pen->x > pen->left && pen->x + wide > pen->right) next_line(pen);
  for (int c = 0; c < q->count; c++) {
    tile.component = q->first + c;
    tile.x = pen->x + c * (tile.width + GAP);
    tile.y = pen->y + pen->label;
    add_tile(i, tile);
  }
  pen->x += wide + WIDE_GAP;
  pen->line = hb_max(pen->line, tile.height + pen->label);
}

static void place_arrays(struct hb_inspector *i, int first, int end, int side, struct pen *pen)
{
  for (int k = first; k < end; k++)
    for (const struct hb_gl_trace_quantity *q = i->arrays[k].copy.array.quantities; q->name; q++)
      place_quantity(i, &i->arrays[k], q, side, pen);
  next_line(pen);
}

/* Places all images at the largest size that fits. What is said of the written ones needs `said` pixels, from *middle on. */
static void place_images(struct hb_inspector *i, int x, int y, int width, int height, int said,
                         const struct hb_paint *paint, int *middle)
{
  int line = (int)hb_paint_line_height(paint);
  struct pen start = {x, y, x, x + width, 0, 2 * line + 4, (int)hb_paint_column(paint)};
  for (int side = width / 3 - GAP; side > 4; side -= 2) {
    struct pen pen = start;
    i->tile_count = 1; /* after the paper */
    place_arrays(i, 0, i->read_end, side, &pen);
    pen.y += line / 2;
    *middle = pen.y;
    pen.y += said;
    place_arrays(i, i->read_end, i->write_end, side, &pen);
    if (pen.y <= y + height) return;
  }
  i->tile_count = 1; /* the window is too small */
}

/* ---- the images ---- */

static enum hb_status build_pass(struct hb_inspector *i, struct hb_gl_context *context)
{
  static float anchors[ANCHORS][4];
  const struct hb_gl_program_source files = {.fragment = "view/inspect.frag"};
  if (i->image.program && i->image.context == context) return HB_OK;
  HB_TRY(hb_gl_pass_create(context, &files, &i->image));
  for (int k = 0; k < 4 * ANCHORS; k++)
    anchors[k / 4][k % 4] = k % 4 < 3 ? (float)false_colors[k / 4][k % 4] / 255 : 1;
  hb_gl_pass_set(&i->image, "anchors", HB_GL_FLOAT4, ANCHORS, anchors);
  return HB_OK;
}

/* The number of a particle's record, or -1. */
static int find_record(const struct hb_gl_trace_array *grid, int64_t particle)
{
  if (particle < 0) return -1;
  if (!grid->numbers) return particle < (int64_t)grid->n ? (int)particle : -1;
  for (size_t k = 0; k < grid->n; k++)
    if (grid->numbers[k] == particle) return (int)k;
  return -1;
}

static float most_of(const struct tile *tile)
{
  float most = 0;
  for (int c = 0; c < tile->quantity->count; c++)
    most = fmaxf(most, tile->array->most[tile->quantity->first + c]);
  return most;
}

static void draw_tile(struct hb_inspector *i, const struct tile *t, const struct hb_gl_target *target)
{
  const struct hb_gl_trace_array *grid = t->array ? &t->array->copy.array : NULL;
  if (grid) {
    hb_gl_pass_texture(&i->image, "source", &t->array->copy.layers);
    hb_gl_pass_int4(&i->image, "grid", grid->columns, grid->each, grid->wraps, (int)grid->n);
    hb_gl_pass_int(&i->image, "marked", find_record(grid, i->marked));
  }
  hb_gl_pass_int4(&i->image, "shape", grid ? grid->rows : 1, t->columns, t->cell, target->height);
  hb_gl_pass_int4(&i->image, "image", t->x, t->y, t->width, t->height);
  hb_gl_pass_int(&i->image, "component", t->component);
  hb_gl_pass_float(&i->image, "most", grid ? (double)most_of(t) : 1);
  hb_gl_pass_draw(&i->image, target, t->x, target->height - t->y - t->height, t->width, t->height);
}

/* Why an image is dark: nothing in it but zeros. */
static const char *why_empty(const struct hb_inspector *i, const struct tile *t)
{
  const struct hb_gl_trace_quantity *q = t->quantity;
  if (t->array < i->arrays + i->read_end && t->array->pair && i->pass.number == 1)
    return "nothing summed yet";
  if (most_of(t) == 0)
    return strcmp(q->name, "velocity") == 0 || strcmp(q->name, "jerk") == 0 ? "at rest" : "all zero";
  return "all zero: flat";
}

/* The letter of a component over its image, and in an empty one, why; where there is no room for that, the number. */
static void name_component(const struct hb_inspector *i, const struct tile *t, struct hb_paint *paint)
{
  const struct hb_gl_trace_quantity *q = t->quantity;
  const char letter[] = {"xyz"[t->component - q->first], 0}, *why = why_empty(i, t);
  double line = hb_paint_line_height(paint);
  int columns = (int)((t->width - 4) / hb_paint_column(paint)), longest = (int)strlen("nothing");
  if (q->count == 3) hb_paint_text(paint, t->x, t->y - line, ink, letter);
  if (t->array->most[t->component] != 0 || line > t->height) return;
  if (columns < longest || hb_paint_lines(why, columns, NULL) * line > t->height) why = "0";
  hb_paint_wrapped(paint, t->x + 3, t->y + 2, faint, why, columns > 1 ? columns : 1);
}

/* "position 1.2": the number is the end of its scale. */
static void name_tile(const struct hb_inspector *i, const struct tile *t, struct hb_paint *paint)
{
  uint32_t color = t->array->pair == 'A' ? pair_a : t->array->pair == 'B' ? pair_b : faint;
  if (t->component == t->quantity->first) {
    int is_alone = t->quantity->count == 1; /* without letters below */
    const char *text = hb_phrase("%s%s%.3g", t->quantity->name, is_alone ? "\n" : " ", (double)most_of(t));
    hb_paint_text(paint, t->x, t->y - 2 * hb_paint_line_height(paint), color, text);
  }
  name_component(i, t, paint);
  if (!t->array->pair) return;
  double x = t->x, y = t->y, right = x + t->width, below = y + t->height;
  hb_paint_box(paint, x - 1, y - 1, t->width + 2, 1, color);
  hb_paint_box(paint, x - 1, below, t->width + 2, 1, color);
  hb_paint_box(paint, x - 1, y, 1, t->height, color);
  hb_paint_box(paint, right, y, 1, t->height, color);
}

/* "reads accTexture = A; posTexture; massTexture" */
static void list_arrays(const struct array *array, const struct array *end, const char *verb, char text[256])
{
  size_t used = (size_t)snprintf(text, 256, "%s", verb);
  for (const char *before = " "; array < end && used < 256; array++, before = "; ") {
    const struct texels_copy *copy = &array->copy;
    char pair[8] = "", rows[48] = "";
    if (array->pair) snprintf(pair, sizeof pair, " = %c", array->pair);
    if (copy->array.rows < copy->rows)
      snprintf(rows, sizeof rows, ", %d of %d rows", copy->array.rows, copy->rows);
    used += (size_t)snprintf(text + used, 256 - used, "%s%s%s%s", before, copy->array.name, pair, rows);
  }
}

/* Titles, images and their scale. */
static void place_all(struct hb_inspector *i, struct hb_paint *paint, int x, int y, int width, int height)
{
  int line = (int)hb_paint_line_height(paint), column = (int)hb_paint_column(paint),
      most = width / column - 24;
  int bar = (most < 4 ? 4 : most < 20 ? most : 20) * column;
  int foot = y + height - 3 * line, middle = y;
  int columns = width / column > 8 ? width / column : 8;
  char read[256], write[256];
  const char *title = hb_inspector_title(i);
  list_arrays(i->arrays, i->arrays + i->read_end, "reads", read);
  list_arrays(i->arrays + i->read_end, i->arrays + i->write_end, "writes", write);
  hb_paint_wrapped(paint, x, y, ink, title, columns);
  y += hb_paint_lines(title, columns, NULL) * line;
  hb_paint_wrapped(paint, x, y, ink, read, columns);
  y += hb_paint_lines(read, columns, NULL) * line;
  place_images(i, x, y, width, foot - y - line, hb_paint_lines(write, columns, NULL) * line, paint, &middle);
  if (i->tile_count == 1) {
    hb_paint_wrapped(paint, x, y, faint, "no room for the images: the window is too small", columns);
    return;
  }
  for (int k = 1; k < i->tile_count; k++) name_tile(i, &i->tile[k], paint);
  hb_paint_wrapped(paint, x, middle, ink, write, columns);
  add_tile(i, (struct tile){NULL, NULL, SCALE, x + 2 * column, foot + line / 4, bar, line / 2, 1, 1});
  hb_paint_text(paint, x, foot, faint, "-");
  hb_paint_text(paint, x + bar + 3 * column, foot, faint, "+ as over each image");
}

enum hb_status hb_inspector_draw(struct hb_inspector *i, struct hb_gl_context *context,
                                 struct hb_paint *paint, const struct hb_gl_target *target, int x, int y,
                                 int width, int height)
{
  int line = (int)hb_paint_line_height(paint), margin = line / 2;
  int elsewhere = i->pass.number && i->texels.context != context; /* its textures do not exist here */
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(build_pass(i, context));
  hb_gl_pass_texture(&i->image, "source", &(const struct hb_gl_texture){.shape = HB_GL_LAYERS});
  i->tile_count = 0;
  add_tile(i, (struct tile){NULL, NULL, PAPER, x, y, width, height, 1, 1});
  x += margin, width -= 2 * margin, y += margin, height -= 2 * margin;
  if (i->status == HB_OK && i->pass.number && !elsewhere) place_all(i, paint, x, y, width, height);
  for (int k = 0; k < i->tile_count; k++) draw_tile(i, &i->tile[k], target);
  if (i->status != HB_OK) return hb_fail(i->status, "%s", i->error);
  if (!i->pass.number || elsewhere)
    hb_paint_text(paint, x, y, faint,
                  elsewhere ? "the kernel runs in another context" : "no pass of a kernel has been seen yet");
  return hb_gl_context_check(context, "drawing the inspector");
}

/* ---- the texel under the mouse ---- */

/* empty: why its image is, or NULL. */
static void describe(struct hb_inspector_texel *t, const char *empty)
{
  const char *who = "no particle", *by = t->source >= 0 ? hb_phrase(" by %" PRId64, t->source) : "",
             *what = "";
  if (t->particle >= 0)
    who = hb_phrase("particle %" PRId64, t->particle), what = hb_phrase(", %s", t->quantity);
  for (int c = 0; t->particle >= 0 && c < t->count; c++)
    what = hb_phrase("%s %.6g", what, (double)t->value[c]);
  snprintf(t->text, sizeof t->text, "%s%s%s (%s, column %d, row %d)%s%s", who, by, what, t->array, t->column,
           t->row, empty ? ": " : "", empty ? empty : "");
}

int hb_inspector_hit(struct hb_inspector *i, int x, int y, struct hb_inspector_texel *texel)
{
  for (int k = 0; k < i->tile_count; k++) {
    const struct tile *t = &i->tile[k];
    if (!t->array || x < t->x || y < t->y || x >= t->x + t->width || y >= t->y + t->height) continue;
    const struct hb_gl_trace_array *grid = &t->array->copy.array;
    int right = (x - t->x) / t->cell, down = (y - t->y) / t->cell;
    int column = down / grid->rows * t->columns + right, row = down % grid->rows;
    float floats[TEXELS_FLOATS];
    if (right >= t->columns || column >= grid->columns) return 0;
    if (texels_read(&i->texels, &t->array->copy, column, row, 1, 1, floats) != HB_OK) return 0;
    *texel = (struct hb_inspector_texel){.array = grid->name,
                                         .quantity = t->quantity->name,
                                         .column = column,
                                         .row = row,
                                         .particle = texels_particle(grid, column, row),
                                         .source = texels_source(grid, row),
                                         .count = t->quantity->count};
    memcpy(texel->value, floats + t->quantity->first, (size_t)texel->count * sizeof *floats);
    describe(texel, t->array->most[t->component] == 0 ? why_empty(i, t) : NULL);
    return 1;
  }
  return 0;
}

/* ---- a walk on paper: every array that a pass reads or writes, brought to the host between the passes ---- */

struct trace_array {
  struct texels_copy copy; /* without its texture: the grid and the numbers of the particles */
  float *floats;           /* [8 * columns * rows], row 0 first */
};

struct trace_pass {
  struct hb_gl_trace_pass pass; /* its arrays are those below */
  struct trace_array read[HB_GL_TRACE_MOST], write[HB_GL_TRACE_MOST];
};

struct trace {
  char scheme[16];
  size_t n; /* particles */
  int count;
  size_t capacity;
  struct trace_pass **pass; /* [count] */
  struct hb_trace_cost cost;
  struct texels texels;
  enum hb_status status; /* of what failed during the walk */
  char error[512];
};

static enum hb_status take(struct trace *t, const struct hb_gl_trace_array *from, struct trace_array *to)
{
  HB_TRY(texels_take(&t->texels, from, &to->copy));
  const struct hb_gl_trace_array *grid = &to->copy.array;
  HB_TRY(HB_ALLOC((size_t)TEXELS_FLOATS * (size_t)grid->columns * (size_t)grid->rows, &to->floats));
  HB_TRY(texels_read(&t->texels, &to->copy, 0, 0, grid->columns, grid->rows, to->floats));
  hb_gl_texture_destroy(&to->copy.layers);
  return HB_OK;
}

static enum hb_status add_pass(struct trace *t, struct trace_pass **added)
{
  HB_TRY(HB_GROW((size_t)t->count, &t->capacity, &t->pass));
  HB_TRY(HB_ALLOC(1, &t->pass[t->count]));
  *added = t->pass[t->count++];
  return HB_OK;
}

static void add_cost(struct hb_trace_cost *cost, const struct hb_gl_trace_pass *pass)
{
  cost->draws += (uint64_t)pass->draws;
  cost->pairs += pass->pairs;
  for (int k = 0; k < pass->read_count; k++) {
    cost->texels_read += pass->read[k].traffic;
    cost->bytes_read += 4 * (uint64_t)pass->read[k].channels * pass->read[k].traffic;
  }
  for (int k = 0; k < pass->write_count; k++) {
    cost->texels_written += pass->write[k].traffic;
    cost->bytes_written += 4 * (uint64_t)pass->write[k].channels * pass->write[k].traffic;
  }
}

static enum hb_status record(struct trace *t, const struct hb_gl_trace_pass *pass)
{
  struct trace_pass *p;
  if (!t->texels.context) t->texels.context = pass->context;
  snprintf(t->scheme, sizeof t->scheme, "%s", pass->scheme);
  HB_TRY(add_pass(t, &p));
  p->pass = *pass;
  add_cost(&t->cost, pass);
  for (int k = 0; k < pass->read_count; k++) {
    if (!pass->read[k].quantities) continue;
    HB_TRY(take(t, &pass->read[k], &p->read[k]));
    if (pass->read[k].n > t->n) t->n = pass->read[k].n;
  }
  for (int k = 0; k < pass->write_count; k++) HB_TRY(take(t, &pass->write[k], &p->write[k]));
  return HB_OK;
}

static void record_pass(void *context, const struct hb_gl_trace_pass *pass)
{
  struct trace *t = context;
  if (t->status != HB_OK) return;
  t->status = record(t, pass);
  if (t->status != HB_OK) snprintf(t->error, sizeof t->error, "%s", hb_error());
}

static struct hb_gl_trace watcher = {.pass = record_pass};

/* From now on walks are traced. Start from {0}; the trace must not move until trace_end. */
static void trace_begin(struct trace *trace)
{
  watcher.context = trace;
  hb_gl_trace = &watcher;
}

/* To be called while the walk's context exists. Errors: what failed during the walk, HB_ERR_USAGE if there was none. */
static enum hb_status trace_end(struct trace *trace)
{
  hb_gl_trace = NULL;
  texels_close(&trace->texels);
  if (trace->status != HB_OK) return hb_fail(trace->status, "%s", trace->error);
  if (trace->count == 0) return hb_fail(HB_ERR_USAGE, "no walk on a device took place");
  return HB_OK;
}

static void trace_free(struct trace *t)
{
  for (int p = 0; p < t->count; p++) {
    for (int k = 0; k < HB_GL_TRACE_MOST; k++) {
      struct trace_array *both[] = {&t->pass[p]->read[k], &t->pass[p]->write[k]};
      for (int w = 0; w < 2; w++) {
        HB_FREE(both[w]->floats, both[w]->copy.numbers);
      }
    }
    hb_mem_free(t->pass[p]);
  }
  hb_mem_free(t->pass);
  *t = (struct trace){0};
}

/* The first array of a pass that has the quantity, and where in its records; NULL if none has it. */
static const struct trace_array *trace_find(const struct trace_array *arrays, int count, const char *quantity,
                                            const struct hb_gl_trace_quantity **found)
{
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_trace_quantity *q = arrays[k].copy.array.quantities; q && q->name; q++)
      if (strcmp(q->name, quantity) == 0) {
        *found = q;
        return &arrays[k];
      }
  return NULL;
}

static double most_in(const struct trace_array *a, const char *quantity)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  double most = 0;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q && q->name; q++) {
    if (strcmp(q->name, quantity) != 0) continue;
    for (int row = 0; row < grid->rows; row++)
      for (int column = 0; column < grid->columns; column++) {
        if (texels_particle(grid, column, row) < 0) continue;
        const float *f = a->floats + TEXELS_FLOATS * (row * grid->columns + column) + q->first;
        for (int c = 0; c < q->count; c++) most = fmax(most, fabs((double)f[c]));
      }
  }
  return most;
}

/* The largest |number| of a quantity anywhere in the walk, without unused records. */
static double trace_most(const struct trace *t, const char *quantity)
{
  double most = 0;
  for (int p = 0; p < t->count; p++)
    for (int k = 0; k < HB_GL_TRACE_MOST; k++)
      most =
          fmax(most, fmax(most_in(&t->pass[p]->read[k], quantity), most_in(&t->pass[p]->write[k], quantity)));
  return most;
}

/* ---- walking ---- */

enum { BAGS = 5 };

/* bag in five passes, and no draw split to save time. */
static enum hb_status open_force(const struct hb_force_params *force_params, const char *scheme, size_t n,
                                 struct hb_force **force)
{
  char tuning[128] = "";
  size_t bag = ((n + BAGS - 1) / BAGS + 3) / 4 * 4;
  if (hb_force_scheme_find(scheme)->has_tuning && !hb_force_scheme_find(scheme)->is_compute)
    snprintf(tuning, sizeof tuning,
             "i_each=4 partial=4 unroll=4 threads=1 bag=%zu output=targets j_source=buffer_texture", bag);
  struct hb_force_params params = *force_params;
  params.scheme = scheme;
  params.precision = "single";
  params.tuning = *tuning ? tuning : NULL;
  params.max_draw_s = 10;
  params.flags = HB_FORCE_NO_TUNE;
  return hb_force_open(&params, force);
}

static enum hb_status walk(struct hb_force *force, struct hb_particles *p, size_t n, struct trace *trace)
{
  HB_OWN double *f = NULL;
  HB_OWN uint32_t *index = NULL;
  HB_TRY(HB_ALLOC(7 * n, &f));
  HB_TRY(HB_ALLOC(n, &index));
  for (size_t k = 0; k < n; k++) index[k] = (uint32_t)k;
  HB_TRY(hb_force_set_j(force, n, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
  trace_begin(trace);
  enum hb_status status = hb_force_eval(force, n, index, f, f + 3 * n, f + 6 * n), traced = trace_end(trace);
  return status == HB_OK ? traced : status;
}

static enum hb_status trace_walk(const struct hb_trace_job *job, struct trace *trace)
{
  struct hb_force *force = NULL;
  enum hb_status status = open_force(job->force, job->scheme, job->n, &force);
  if (status == HB_OK) status = walk(force, job->particles, job->n, trace);
  hb_force_close(force);
  return status;
}

/* ---- a page of pictures -------------------------------------------------------------------------------- */

enum { INK = 0xe6e6ec, FAINT = 0x9a9aa8, LINE = 0x4a4a58, READ = 0x4ac0b0, WRITE = 0xf0a040 }; /* A, B */
enum {
  MARGIN = 20,
  SPACE = 16,
  PAPER_WIDTH = 900,
  NUMBERED = 20 /* a cell that fits two digits */,
  AFAR = 30 /* and one whose digits are read from afar */,
  SLIDE_SCALE = 600,
  SLIDE_WIDTH = 1920,
  SLIDE_HEIGHT = 1080
};

/* Pictures and texts flow: below each other in a column, columns side by side, and lines of columns down the page. */
struct page {
  struct hb_draft svg;
  int width;               /* where lines end */
  int x, y, top;           /* the next place, and where its column begins */
  int column, low, widest; /* right end of the column, lower end of the line, right end of the page */
};

static struct page new_page(int width)
{
  return (struct page){.width = width, .x = MARGIN, .y = MARGIN, .top = MARGIN};
}

static void taken(struct page *p, int width, int height)
{
  p->y += height;
  if (p->x + width > p->column) p->column = p->x + width;
  if (p->column > p->widest) p->widest = p->column;
  if (p->y > p->low) p->low = p->y;
}

static void new_line(struct page *p)
{
  p->x = p->column = MARGIN;
  p->y = p->top = p->low + SPACE;
}

/* The next column, if it is so wide that it fits beside the last one; else the next line. */
static void next_column(struct page *p, int gap, int width)
{
  p->x = p->column > MARGIN ? p->column + gap : MARGIN;
  p->y = p->top;
  if (p->x + width > p->width - MARGIN) new_line(p);
}

/* Lines of text, each an element of its own. */
static void put_text(struct page *p, unsigned color, int size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put_text(struct page *p, unsigned color, int size, const char *format, ...)
{
  char text[1024], *rest = text;
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  for (char *line; (line = strsep(&rest, "\n"));) {
    hb_draft_put(&p->svg, "<text x='%d' y='%d' font-size='%d' fill='#%06x'>", p->x, p->y + size, size, color);
    hb_draft_put_escaped(&p->svg, line);
    hb_draft_put(&p->svg, "</text>\n");
    taken(p, (int)strlen(line) * size * 3 / 5, size * 5 / 4);
  }
}

static void put_box(struct page *p, int x, int y, int width, int height, const char *style, unsigned color)
{
  hb_draft_put(&p->svg, "<rect x='%d' y='%d' width='%d' height='%d' %s='#%06x'/>\n", x, y, width, height,
               style, color);
}

/* From -most or 0 to 0 or most, with numbers where the root of the color is 0, 1/2 and 1. */
static void put_scale(struct page *p, double most, int signs, int width)
{
  enum { STEPS = 40, THICK = 10 };
  int low = signs > 0 ? 0 : -2, high = signs < 0 ? 0 : 2, step = high - low == 4 && width < 200 ? 2 : 1;
  int size = width < SLIDE_SCALE ? 10 : 24, digits = size > 10 ? 2 : 3;
  p->y += SPACE / 2;
  for (int k = 0; k < STEPS; k++) {
    double t = (low + (high - low) * (k + 0.5) / STEPS) / 2;
    put_box(p, p->x + k * width / STEPS, p->y, (k + 1) * width / STEPS - k * width / STEPS, THICK, "fill",
            false_color(t * fabs(t), 1));
  }
  for (int k = low; k <= high; k += step)
    hb_draft_put(&p->svg, "<text x='%d' y='%d' font-size='%d' fill='#%06x' text-anchor='%s'>%.*g</text>\n",
                 p->x + (k - low) * width / (high - low), p->y + THICK + 2 + size, size, FAINT,
                 k == low    ? "start"
                 : k == high ? "end"
                             : "middle",
                 digits, k * abs(k) / 4.0 * most);
  taken(p, width, THICK + 6 + size);
}

/* The title is also what a reader of the file finds. Errors: HB_ERR_IO, HB_ERR_INTERNAL. */
static enum hb_status write_page(struct page *p, int width, int height, const char *title, const char *path)
{
  struct hb_draft file = {0};
  hb_draft_put(&file,
               "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
               "font-family='DejaVu Sans Mono,Menlo,Consolas,monospace' xml:space='preserve'>\n<title>",
               width, height, width, height);
  hb_draft_put_escaped(&file, title);
  hb_draft_put(&file, "</title>\n<rect width='100%%' height='100%%' fill='#121218'/>\n");
  hb_draft_put_bytes(&file, p->svg.text.text ? p->svg.text.text : "", p->svg.text.length);
  hb_draft_put(&file, "</svg>\n");
  hb_draft_note(&file, p->svg.status);
  hb_draft_clear(&p->svg);
  return hb_draft_save(&file, path);
}

/* ---- a texture as a picture ------------------------------------------------------------------------------ */

/* One component of an array's records as cells of `cell` pixels, row 0 at the top. */
struct tiles {
  const struct trace_array *array;
  int component, columns, rows;
  double most; /* end of the scale */
  int cell;
  int shift; /* each cell shows the record this many places on, cyclically */
  unsigned frame;
};

static struct tiles tiles_of(const struct trace *t, const struct trace_array *a,
                             const struct hb_gl_trace_quantity *q, int c, int cell)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  return (struct tiles){.array = a,
                        .component = q->first + c,
                        .columns = grid->columns,
                        .rows = grid->rows,
                        .most = trace_most(t, q->name),
                        .cell = cell,
                        .frame = LINE};
}

/* The c-th component of a quantity, from the first of count arrays that has it, about `width` pixels wide. */
static struct tiles find_tiles(const struct trace *t, const struct trace_array *arrays, int count,
                               const char *quantity, int c, int width)
{
  const struct hb_gl_trace_quantity *q = NULL; /* in vain, but for the compiler */
  const struct trace_array *a = trace_find(arrays, count, quantity, &q);
  int cell = width / a->copy.array.columns;
  return tiles_of(t, a, q, c, cell > 2 ? cell : 2);
}

/* A number may be read where the pointer rests. */
static void put_number(struct page *p, const struct tiles *tiles, int column, int row, int64_t particle,
                       float value)
{
  unsigned color = false_color((double)value, tiles->most);
  int bright = 3 * (color >> 16) + 6 * (color >> 8 & 255) + (color & 255) > 1150;
  hb_draft_put(&p->svg, "<text x='%g' y='%g' fill='#%s'>%" PRId64 "<title>%.7g</title></text>\n",
               p->x + (column + 0.5) * tiles->cell,
               p->y + (row + 0.5) * tiles->cell + (tiles->cell < AFAR ? 4 : 8), bright ? "101018" : "d0d0d8",
               particle, (double)value);
}

static void put_cell(struct page *p, const struct tiles *tiles, int column, int row)
{
  const struct hb_gl_trace_array *grid = &tiles->array->copy.array;
  int k = row * tiles->columns + column, cell = tiles->cell, gap = cell >= 7;
  int64_t particle = texels_particle(grid, k % grid->columns, k / grid->columns);
  if (particle < 0) { /* unused: a dot in the center */
    put_box(p, p->x + column * cell + cell / 2 - 1, p->y + row * cell + cell / 2 - 1, 2, 2, "fill", LINE);
    return;
  }
  if (tiles->shift) {
    k = (k + tiles->shift) % (int)grid->n;
    particle = texels_particle(grid, k % grid->columns, k / grid->columns);
  }
  float value = tiles->array->floats[TEXELS_FLOATS * (size_t)k + (size_t)tiles->component];
  hb_draft_put(&p->svg, "<path stroke='#%06x' d='M%d %gh%d'/>\n", false_color((double)value, tiles->most),
               p->x + column * cell, p->y + row * cell + (cell - gap) / 2.0, cell - gap);
  if (cell >= (p->width == SLIDE_WIDTH ? AFAR : NUMBERED)) put_number(p, tiles, column, row, particle, value);
}

static void put_tiles(struct page *p, const struct tiles *tiles)
{
  int width = tiles->columns * tiles->cell, height = tiles->rows * tiles->cell, cell = tiles->cell;
  p->y += 3;
  hb_draft_put(&p->svg,
               "<g stroke-width='%d' font-size='%d' text-anchor='middle' shape-rendering='crispEdges'>\n",
               cell - (cell >= 7), cell < AFAR ? 11 : 24);
  for (int row = 0; row < tiles->rows; row++)
    for (int column = 0; column < tiles->columns; column++) put_cell(p, tiles, column, row);
  hb_draft_put(&p->svg, "</g>\n");
  put_box(p, p->x - 1, p->y - 1, width + 1, height + 1, "fill='none' stroke", tiles->frame);
  taken(p, width, height);
}

static void put_named(struct page *p, unsigned color, const char *name, const struct tiles *tiles)
{
  put_text(p, color, 12, "%s", name);
  put_tiles(p, tiles);
}

/* A column with a sign between two pictures of this height. */
static void put_sign(struct page *p, const char *sign, int height)
{
  next_column(p, SPACE / 2, 0);
  p->y += height / 2;
  put_text(p, INK, 18, "%s", sign);
  p->column -= (int)strlen(sign) * 18 * 3 / 5 - 18; /* an arrow has several bytes */
}

/* ---- contact sheets: a walk on one page ------------------------------------------------------------------ */

struct column {
  const char *quantity, *name;
  int component, signs; /* signs: see put_scale */
};
static const struct column sums[3] = {{"potential", "potential", 0, -1},
                                      {"acceleration", "acceleration x", 0, 0},
                                      {"acceleration", "acceleration y", 1, 0}};

enum { WIDE = 160, SMALL = 80, SIDE = 296 };

static void put_title(struct page *p, const char *title, const char *text)
{
  put_text(p, INK, 22, "%s", title);
  put_text(p, FAINT, 12, "%s", text);
  new_line(p);
}

static void put_heading(struct page *p, const char *text)
{
  put_text(p, INK, 13, "%s", text);
  new_line(p);
}

static void put_cost(struct page *p, const struct trace *t)
{
  const struct hb_trace_cost *c = &t->cost;
  const char *unit = hb_force_scheme_find(t->scheme)->is_compute ? "dispatch"
                     : c->draws == 1                             ? "draw"
                                                                 : "draws";
  double pairs = (double)c->pairs;
  new_line(p);
  put_text(p, FAINT, 11,
           "%" PRIu64 " %s for %" PRIu64 " pairs; a pair asks for %.3g texels (%.4g bytes) and writes %.3g "
           "(%.4g bytes)",
           c->draws, unit, c->pairs, (double)c->texels_read / pairs, (double)c->bytes_read / pairs,
           (double)c->texels_written / pairs, (double)c->bytes_written / pairs);
}

/* ---- cg2007: what every draw reads, two draws in detail, and how the sum grows in all of them ---- */

static struct tiles read_by(const struct trace *t, int pass, const char *quantity, int c)
{
  const struct trace_pass *p = t->pass[pass];
  return find_tiles(t, p->read, p->pass.read_count, quantity, c, WIDE);
}

static struct tiles written_by(const struct trace *t, int pass, int width)
{
  const struct trace_pass *p = t->pass[pass];
  return find_tiles(t, p->write, p->pass.write_count, "potential", 0, width);
}

/* Written by pass k; A is the texture that pass 1 reads. */
static unsigned frame_of(int k) { return k % 2 ? WRITE : READ; }

/* Sum read + contribution of one other = sum written. */
static void put_draw(const struct trace *t, struct page *p, int k)
{
  struct tiles before = read_by(t, k - 1, "potential", 0), other = read_by(t, k - 1, "mass", 0);
  struct tiles after = written_by(t, k - 1, WIDE);
  int height = before.rows * before.cell;
  other.shift = k;
  before.frame = frame_of(k - 1);
  after.frame = frame_of(k);
  put_named(p, before.frame, hb_phrase("draw %d reads %s%s", k, k % 2 ? "A" : "B", k == 1 ? ": zeros" : ""),
            &before);
  put_sign(p, "+", height);
  next_column(p, SPACE / 2, WIDE);
  put_named(p, INK, hb_phrase("the particle %d place%s on", k, hb_text_s((uint64_t)k)), &other);
  put_sign(p, "→", height);
  next_column(p, SPACE / 2, WIDE);
  put_named(p, after.frame, hb_phrase("and writes %s", k % 2 ? "B" : "A"), &after);
  next_column(p, SPACE, WIDE);
  put_text(p, FAINT, 12, "%s",
           k == 1 ? "A fragment is a particle i. It fetches\nits own sum, here the potential, and\n"
                    "particle i + p, adds what that one\ndoes to it, and its color is the new\nsum."
                  : "No draw may write to what it reads.\nSo there are two sets of sums, A and\n"
                    "B, which swap after each draw.\n\nThe middle shows who is felt: behind\n"
                    "the last one comes the first again.");
  new_line(p);
}

static void put_cg2007(const struct trace *t, struct page *p)
{
  static const struct column inputs[] = {{"mass", "mass", 0, 1},
                                         {"position", "position x", 0, 0},
                                         {"position", "position y", 1, 0},
                                         {"velocity", "velocity x", 0, 0},
                                         {"velocity", "velocity y", 1, 0}};
  put_title(p, "cg2007: each draw adds one pair to every sum",
            hb_phrase("%zu particles in textures of %d columns, %d draw%s; after [PZ07] appendix A", t->n,
                      written_by(t, 0, WIDE).columns, t->count, hb_text_s((uint64_t)t->count)));
  put_heading(p, "Every draw reads these. A texel is a particle:");
  for (int k = 0; k < 5; k++) {
    struct tiles tiles = read_by(t, 0, inputs[k].quantity, inputs[k].component);
    next_column(p, SPACE / 2, WIDE);
    put_named(p, FAINT, inputs[k].name, &tiles);
    put_scale(p, tiles.most, inputs[k].signs, WIDE - 8);
  }
  new_line(p);
  for (int k = 1; k <= t->count && k <= 2; k++) put_draw(t, p, k);
  put_heading(p, "The potential that each draw has written: a sum that grows");
  for (int k = 1; k <= t->count; k++) {
    struct tiles tiles = written_by(t, k - 1, SMALL);
    tiles.frame = frame_of(k);
    next_column(p, SPACE, SMALL);
    put_named(p, tiles.frame, hb_phrase("%d: %s", k, k % 2 ? "B" : "A"), &tiles);
  }
  new_line(p);
  put_text(p, FAINT, 12, "potential");
  put_scale(p, written_by(t, 0, WIDE).most, -1, 2 * WIDE);
}

/* ---- matrix2004: all pairs as texels, and the levels of the sum ---- */

/* With a frame around the column of one sink, to follow it by eye. */
static void put_followed(struct page *p, unsigned color, const char *name, const struct tiles *tiles,
                         int followed)
{
  put_named(p, color, name, tiles);
  int height = tiles->rows * tiles->cell;
  put_box(p, p->x + followed * tiles->cell - 1, p->y - height - 1, tiles->cell + 1, height + 1,
          "fill='none' stroke", INK);
}

static void put_matrix(const struct trace *t, struct page *p)
{
  int followed = (int)t->n * 20 / 37;
  struct tiles pairs = find_tiles(t, t->pass[0]->write, 1, "potential", 0, SIDE), level = pairs;
  const struct trace first = {.n = t->n, .count = 1, .pass = t->pass};
  pairs.frame = READ;
  pairs.most = trace_most(&first, "potential"); /* single terms have a scale of their own beside the sums */
  put_title(p, "matrix2004: all pairs are texels, then fold",
            hb_phrase("%zu x %zu pairs in one texture, then %d level%s; after [NHP07] section 31.5", t->n,
                      t->n, t->count - 2, hb_text_s((uint64_t)t->count - 2)));
  put_text(p, INK, 12, "sinks i side by side, sources j one below the other");
  put_followed(p, READ, "draw 1 writes A: a texel is a pair", &pairs, followed);
  p->y += SPACE / 2;
  put_text(p, FAINT, 12, "of a pair");
  put_scale(p, pairs.most, -1, SIDE);
  next_column(p, 4 * SPACE, SIDE);
  put_text(p, INK, 12, "each further draw adds the lower half of the rows\nto the upper half");
  for (int k = 1; k < t->count; k++) {
    int last = k == t->count - 1;
    level = find_tiles(t, t->pass[k]->write, 1, "potential", 0, SIDE);
    level.frame = last ? LINE : k % 2 ? WRITE : READ;
    p->y += SPACE / 2;
    put_followed(
        p, last ? INK : level.frame,
        last ? "totals"
             : hb_phrase("%s: %d row%s", k % 2 ? "B" : "A", level.rows, hb_text_s((uint64_t)level.rows)),
        &level, followed);
  }
  p->y += SPACE / 2;
  put_text(p, FAINT, 12, "of sums");
  put_scale(p, level.most, -1, SIDE);
  new_line(p);
  put_text(p, FAINT, 12,
           "Shown is the potential. On the diagonal a particle meets itself and feels nothing. The framed "
           "column is "
           "what sink %d\nfeels of each: in the end its sum, %.4f.",
           followed, (double)level.array->floats[TEXELS_FLOATS * followed + level.component]);
}

/* ---- bag: which pairs each pass walks in registers, and the totals that it leaves ---- */

/* Fragments to the right, sources downwards: walked before, in this pass, later. */
static void put_diagram(struct page *p, const struct trace *t, const struct hb_gl_trace_array *totals,
                        double before, double walked)
{
  enum { HEIGHT = 148 };
  int width = WIDE / totals->columns;
  p->y += 3;
  for (int source = 0; source < (int)t->n; source++) {
    int top = HEIGHT * source / (int)t->n, below = HEIGHT * (source + 1) / (int)t->n;
    unsigned color = source < (int)before ? 0x3a3a48 : source < (int)walked ? 0xc8d8e8 : 0x1c1c26;
    for (int c = 0; c < totals->columns; c++)
      put_box(p, p->x + c * width, p->y + top, width - 1, below - top - 1, "fill", color);
  }
  taken(p, WIDE, HEIGHT + SPACE / 2);
}

static void put_bag(const struct trace *t, struct page *p)
{
  const struct hb_gl_trace_array *totals = &t->pass[0]->write[0].copy.array;
  struct tiles who = find_tiles(t, t->pass[0]->write, 1, "potential", 0, WIDE);
  double before = 0, walked;
  put_title(
      p, "bag: a loop over some sources in each fragment",
      hb_phrase("%zu particles, %d fragments that keep the sums of %d sink%s each in registers, %d pass%s; "
                "after [HI07]",
                t->n, totals->columns, totals->each, hb_text_s((uint64_t)totals->each), t->count,
                t->count == 1 ? "" : "es"));
  put_text(p, FAINT, 12,
           "Fragments stand side by side, sources one below the other. Bright: walked in this pass, in "
           "registers;\n"
           "dim: walked before, and summed up in the texture that this pass reads first.");
  new_line(p);
  for (int k = 0; k < t->count; k++, before = walked) {
    const struct trace_pass *pass = t->pass[k];
    walked = before + (double)pass->pass.pairs / (double)totals->n;
    next_column(p, SPACE / 2, WIDE);
    put_text(p, INK, 13, "pass %d", k + 1);
    put_text(p, FAINT, 12, "%s", pass->pass.what);
    put_diagram(p, t, totals, before, walked);
    put_text(p, k % 2 ? READ : WRITE, 12, "writes %s", k % 2 ? "A" : "B");
    for (int q = 0; q < 3; q++) {
      struct tiles tiles = find_tiles(t, pass->write, 1, sums[q].quantity, sums[q].component, WIDE);
      tiles.frame = k % 2 ? READ : WRITE;
      put_named(p, FAINT, sums[q].name, &tiles);
      p->y += SPACE / 2;
    }
  }
  new_line(p);
  put_text(p, FAINT, 12, "Whose sums they are: a column is a fragment");
  double most = who.most;
  who.most = 0; /* dark: only the numbers count */
  who.cell = NUMBERED;
  put_tiles(p, &who);
  next_column(p, 2 * SPACE, 2 * WIDE);
  for (int q = 0; q < 2; q++) {
    put_text(p, FAINT, 12, "%s", sums[q].quantity);
    put_scale(p, q ? trace_most(t, "acceleration") : most, sums[q].signs, 2 * WIDE);
  }
}

/* ---- tile: a workgroup between two buffers ---- */

static void put_list(const struct trace *t, struct page *p, const char *title,
                     const struct trace_array *arrays, const struct column list[3])
{
  put_text(p, INK, 13, "%s", title);
  for (int k = 0; k < 3; k++) {
    struct tiles tiles = find_tiles(t, arrays, 1, list[k].quantity, list[k].component, WIDE);
    p->y += SPACE / 2;
    put_named(p, FAINT, list[k].name, &tiles);
    put_scale(p, tiles.most, list[k].signs, WIDE);
  }
}

/* An array's records in one row. */
static void put_strip(const struct trace *t, struct page *p, const struct trace_array *arrays,
                      const char *quantity)
{
  struct tiles tiles = find_tiles(t, arrays, 1, quantity, 0, WIDE);
  tiles.columns = (int)t->n;
  tiles.rows = 1;
  tiles.cell = hb_max_int(250 / (int)t->n, 2);
  put_tiles(p, &tiles);
  p->y += SPACE;
}

static void put_tile(const struct trace *t, struct page *p)
{
  static const struct column in[3] = {
      {"mass", "mass", 0, 1}, {"position", "position x", 0, 0}, {"position", "position y", 1, 0}};
  const struct trace_pass *pass = t->pass[t->count - 1];
  put_title(p, "tile: threads that share what they fetch",
            hb_phrase("%zu particles, %d dispatch%s of %zu threads; after [NHP07] section 31.3", t->n,
                      t->count, t->count == 1 ? "" : "es", pass->pass.fragments));
  put_list(t, p, "buffer of particles", pass->read, in);
  int middle = p->low - p->top;
  put_sign(p, "→", middle);
  next_column(p, 2 * SPACE, 0);
  int left = p->x, top = p->y;
  put_text(p, READ, 13, "a workgroup");
  put_text(p, FAINT, 12, "\nEach thread brings one source into\nmemory that all share:");
  put_strip(t, p, pass->read, "mass");
  put_text(p, FAINT, 12,
           "All wait until it is there. Then each\nthread lets its own sink feel all of it.\n\n"
           "In registers, one sum a thread:");
  put_strip(t, p, pass->write, "potential");
  put_text(p, FAINT, 12,
           "Then the next tile of sources.\n\nNo textures, so none to swap: the sums\n"
           "stay where they are until the last tile,\nand go where the thread likes.");
  put_box(p, left - SPACE / 2, top - SPACE / 2, p->column - left + SPACE, p->y - top + SPACE,
          "fill='none' stroke", READ);
  put_sign(p, "→", middle);
  next_column(p, 2 * SPACE, 0);
  put_list(t, p, "buffer of totals", pass->write, sums);
}

/* The contact sheet. */
static enum hb_status trace_write_sheet(const struct trace *t, const char *folder)
{
  static const struct {
    const char *scheme;
    void (*put)(const struct trace *trace, struct page *page);
  } sheets[] = {{"cg2007", put_cg2007}, {"matrix2004", put_matrix}, {"bag", put_bag}, {"tile", put_tile}};
  enum { SHEETS = sizeof sheets / sizeof *sheets };
  struct page page = new_page(PAPER_WIDTH);
  int k = 0;
  while (k < SHEETS && strcmp(sheets[k].scheme, t->scheme) != 0) k++;
  if (k == SHEETS) return hb_fail(HB_ERR_INTERNAL, "there is no contact sheet for scheme %s", t->scheme);
  sheets[k].put(t, &page);
  put_cost(&page, t);
  return write_page(&page, hb_max_int(page.widest + MARGIN, PAPER_WIDTH), page.low + MARGIN,
                    hb_phrase("a walk of %zu particles by %s, pass by pass", t->n, t->scheme),
                    hb_phrase("%s/%s.svg", folder, t->scheme));
}

/* ---- each array of a pass -------------------------------------------------------------------------------- */

/* Its quantities, their components side by side, in cells of a picture of this size or, 0, of one for reading. */
static void put_array(const struct trace *t, const struct trace_array *a, int side, int size, struct page *p)
{
  static const char *const axes[] = {" x", " y", " z"};
  const struct hb_gl_trace_array *grid = &a->copy.array;
  if (!a->floats) return; /* the list of sinks */
  int cell = side                 ? hb_max_int(side / hb_max_int(grid->columns, grid->rows), 1)
             : grid->columns > 16 ? 8
                                  : NUMBERED;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++) {
    int is_unused = strcmp(q->name, "free") == 0 && trace_most(t, q->name) == 0;
    for (int c = 0; c < q->count && !is_unused; c++) {
      struct tiles tiles = tiles_of(t, a, q, c, cell);
      next_column(p, SPACE,
                  q->count == 1 || c > 0 ? tiles.columns * cell : q->count * (tiles.columns * cell + SPACE));
      put_text(p, INK, size, "%s%s", q->name, q->count == 3 ? axes[c] : "");
      put_tiles(p, &tiles);
      if (!side) put_scale(p, tiles.most, 0, hb_max_int(tiles.columns * cell, 112));
    }
  }
}

static enum hb_status write_array(const struct trace *t, const struct trace_pass *p,
                                  const struct trace_array *a, const char *role, const char *folder,
                                  int *count)
{
  struct page page = new_page(INT_MAX);
  const struct hb_gl_trace_array *grid = &a->copy.array;
  if (!a->floats) return HB_OK;
  put_text(&page, INK, 13, "%s, pass %" PRIu64 ": %s", p->pass.scheme, p->pass.number, p->pass.what);
  put_text(&page, FAINT, 12, "%s %s: %d x %d records of %d particles", role, grid->name, grid->columns,
           grid->rows, (int)t->n);
  new_line(&page);
  put_array(t, a, 0, 12, &page);
  HB_TRY(write_page(&page, page.widest + MARGIN, page.low + MARGIN, p->pass.what,
                    hb_phrase("%s/%s_%02" PRIu64 "_%s_%.*s.svg", folder, p->pass.scheme, p->pass.number, role,
                              (int)strcspn(grid->name, ", "), grid->name)));
  ++*count;
  return HB_OK;
}

static enum hb_status trace_write_passes(const struct trace *t, const char *folder, int *count)
{
  for (int k = 0; k < t->count; k++) {
    const struct trace_pass *p = t->pass[k];
    for (int r = 0; r < p->pass.read_count; r++)
      HB_TRY(write_array(t, p, &p->read[r], "read", folder, count));
    for (int w = 0; w < p->pass.write_count; w++)
      HB_TRY(write_array(t, p, &p->write[w], "write", folder, count));
  }
  return HB_OK;
}

/* ---- passes as slides for a screen ----------------------------------------------------------------------- */

/* What a pass reads above, what it writes below, and the scale. Where sums go to and fro, A is what the first pass reads. */
static struct page slide_of(const struct trace *t, const struct trace_pass *p, int side)
{
  struct page page = new_page(SLIDE_WIDTH);
  put_text(&page, INK, 52, "%s, pass %" PRIu64 " of %d", p->pass.scheme, p->pass.number, t->count);
  put_text(&page, FAINT, 28, "%s", p->pass.what);
  new_line(&page);
  int swaps = strcmp(p->pass.scheme, "cg2007") == 0 || strcmp(p->pass.scheme, "bag") == 0;
  int odd = p->pass.number % 2 != 0;
  put_text(&page, READ, 40, "reads%s", !swaps ? "" : odd ? ", sums from A" : ", sums from B");
  new_line(&page);
  for (int k = 0; k < p->pass.read_count; k++) put_array(t, &p->read[k], side, 24, &page);
  new_line(&page);
  put_text(&page, WRITE, 40, "writes%s", !swaps ? "" : odd ? " B" : " A");
  new_line(&page);
  for (int k = 0; k < p->pass.write_count; k++) put_array(t, &p->write[k], side, 24, &page);
  new_line(&page);
  put_text(&page, FAINT, 24, "colors, as parts of the largest number of an image");
  put_scale(&page, 1, 0, SLIDE_SCALE);
  return page;
}

/* As large as fits. */
static enum hb_status write_slide(const struct trace *t, const struct trace_pass *p, const char *folder)
{
  int side = SLIDE_WIDTH / 4;
  struct page page = slide_of(t, p, side);
  while (side > 24 && page.low + MARGIN > SLIDE_HEIGHT) {
    hb_draft_clear(&page.svg);
    page = slide_of(t, p, side -= 4);
  }
  return write_page(&page, SLIDE_WIDTH, SLIDE_HEIGHT, p->pass.what,
                    hb_phrase("%s/%s_slide_%02" PRIu64 ".svg", folder, t->scheme, p->pass.number));
}

/* The middle of a long walk is more of the same. */
static enum hb_status trace_write_slides(const struct trace *t, const char *folder, int *count)
{
  enum { ALL = 12, FIRST = 3 };
  for (int k = 0; k < t->count; k++) {
    if (t->count > ALL && k >= FIRST && k + 1 < t->count) continue;
    HB_TRY(write_slide(t, t->pass[k], folder));
    ++*count;
  }
  return HB_OK;
}

enum hb_status hb_trace_write(const struct hb_trace_job *job, struct hb_trace_cost *cost, int *count)
{
  struct trace trace = {0};
  *count = 0;
  enum hb_status status = trace_walk(job, &trace);
  if (status == HB_OK) status = trace_write_sheet(&trace, job->folder);
  if (status == HB_OK && job->passes) status = trace_write_passes(&trace, job->folder, count);
  if (status == HB_OK && job->slides) status = trace_write_slides(&trace, job->folder, count);
  *cost = trace.cost;
  trace_free(&trace);
  return status;
}
