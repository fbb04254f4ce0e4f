/* Chooses the pass to copy during a walk, and draws the copy on the screen. */
#include "inspect/inspector.h"

#include "base/arith.h"
#include "base/mem.h"
#include "inspect/texels.h"
#include "render/colormap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct array {
  struct hb_texels_copy copy;   /* its array.name NULL: none */
  float most[HB_TEXELS_FLOATS]; /* largest |number| of each component */
  char pair;                    /* 'A' or 'B' of two that swap, or 0 */
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
  char error[512], title[192], shader[64], running[128];

  struct hb_texels texels;
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
  HB_TRY(hb_texels_take(&i->texels, from, &to->copy));
  return hb_texels_most(&i->texels, &to->copy, to->most);
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
    hb_texels_open(pass->context, &i->texels);
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
  for (int k = 0; k < 2 * HB_GL_TRACE_MOST && is_there; k++) hb_texels_drop(&i->arrays[k].copy);
  if (i->image.program && hb_gl_context_use(i->image.context) == HB_OK) hb_gl_pass_destroy(&i->image);
  hb_texels_close(&i->texels);
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
  int used = snprintf(i->title, sizeof i->title, "%s, pass %" PRIu64 " of %" PRIu64 ": %s", i->pass.scheme,
                      i->pass.number, i->passes, i->pass.what);
  if (due < i->particles)
    snprintf(i->title + used, sizeof i->title - (size_t)used, "; %zu of %zu are due in this step", due,
             i->particles);
  return i->title;
}

const char *hb_inspector_running(struct hb_inspector *i)
{
  snprintf(i->running, sizeof i->running, "%s %s", i->shader, i->pass.input);
  return i->running;
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
  static float anchors[HB_FALSE_COLOR_ANCHORS][4];
  const struct hb_gl_program_source files = {.fragment = "view/inspect.frag"};
  if (i->image.program && i->image.context == context) return HB_OK;
  HB_TRY(hb_gl_pass_create(context, &files, &i->image));
  for (int k = 0; k < 4 * HB_FALSE_COLOR_ANCHORS; k++)
    anchors[k / 4][k % 4] = k % 4 < 3 ? (float)hb_false_color_anchors[k / 4][k % 4] / 255 : 1;
  hb_gl_pass_set(&i->image, "anchors", HB_GL_FLOAT4, HB_FALSE_COLOR_ANCHORS, anchors);
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
  if (columns < longest || hb_paint_lines(why, columns) * line > t->height) why = "0";
  hb_paint_wrapped(paint, t->x + 3, t->y + 2, faint, why, columns > 1 ? columns : 1);
}

/* "position 1.2": the number is the end of its scale. */
static void name_tile(const struct hb_inspector *i, const struct tile *t, struct hb_paint *paint)
{
  uint32_t color = t->array->pair == 'A' ? pair_a : t->array->pair == 'B' ? pair_b : faint;
  if (t->component == t->quantity->first) {
    char text[64];
    int is_alone = t->quantity->count == 1; /* without letters below */
    snprintf(text, sizeof text, "%s%s%.3g", t->quantity->name, is_alone ? "\n" : " ", (double)most_of(t));
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
    const struct hb_texels_copy *copy = &array->copy;
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
  list_arrays(i->arrays, i->arrays + i->read_end, "reads", read);
  list_arrays(i->arrays + i->read_end, i->arrays + i->write_end, "writes", write);
  hb_paint_wrapped(paint, x, y, ink, hb_inspector_title(i), columns);
  y += hb_paint_lines(i->title, columns) * line;
  hb_paint_wrapped(paint, x, y, ink, read, columns);
  y += hb_paint_lines(read, columns) * line;
  place_images(i, x, y, width, foot - y - line, hb_paint_lines(write, columns) * line, paint, &middle);
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
  hb_gl_pass_texture_id(&i->image, "source", HB_GL_LAYERS, 0);
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
static void describe(struct hb_inspector_texel *texel, const char *empty)
{
  size_t used = 0, size = sizeof texel->text;
  if (texel->particle < 0)
    used = (size_t)snprintf(texel->text, size, "no particle");
  else
    used = (size_t)snprintf(texel->text, size, "particle %" PRId64, texel->particle);
  if (texel->source >= 0)
    used += (size_t)snprintf(texel->text + used, size - used, " by %" PRId64, texel->source);
  if (texel->particle >= 0) {
    used += (size_t)snprintf(texel->text + used, size - used, ", %s", texel->quantity);
    for (int c = 0; c < texel->count; c++)
      used += (size_t)snprintf(texel->text + used, size - used, " %.6g", (double)texel->value[c]);
  }
  used += (size_t)snprintf(texel->text + used, size - used, " (%s, column %d, row %d)", texel->array,
                           texel->column, texel->row);
  if (empty) snprintf(texel->text + used, size - used, ": %s", empty);
}

int hb_inspector_hit(struct hb_inspector *i, int x, int y, struct hb_inspector_texel *texel)
{
  for (int k = 0; k < i->tile_count; k++) {
    const struct tile *t = &i->tile[k];
    if (!t->array || x < t->x || y < t->y || x >= t->x + t->width || y >= t->y + t->height) continue;
    const struct hb_gl_trace_array *grid = &t->array->copy.array;
    int right = (x - t->x) / t->cell, down = (y - t->y) / t->cell;
    int column = down / grid->rows * t->columns + right, row = down % grid->rows;
    float floats[HB_TEXELS_FLOATS];
    if (right >= t->columns || column >= grid->columns) return 0;
    if (hb_texels_read(&i->texels, &t->array->copy, column, row, 1, 1, floats) != HB_OK) return 0;
    *texel = (struct hb_inspector_texel){.array = grid->name,
                                         .quantity = t->quantity->name,
                                         .column = column,
                                         .row = row,
                                         .particle = hb_texels_particle(grid, column, row),
                                         .source = hb_texels_source(grid, row),
                                         .count = t->quantity->count};
    memcpy(texel->value, floats + t->quantity->first, (size_t)texel->count * sizeof *floats);
    describe(texel, t->array->most[t->component] == 0 ? why_empty(i, t) : NULL);
    return 1;
  }
  return 0;
}
