/* What was copied, on the screen: where the images go, the images, and the texel under the mouse. */
#include "inspect/inspector_copy.h"

#include "gl/gl.h"
#include "gl/gl_shader.h"
#include "render/colormap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t ink = 0xe6e6ecff, faint = 0x9a9aa8ff, pair_a = 0x4ac0b0ff, pair_b = 0xf0a040ff;

static enum hb_status build(struct hb_inspector *i, struct hb_gl_context *context)
{
  if (i->paint.program && i->paint.context == context) return HB_OK;
  const struct hb_gl_program_source files = {.vertex = "fullscreen.vert", .fragment = "view/inspect.frag"};
  HB_TRY(hb_gl_program_build(context, &files, &i->paint.program));
  i->paint.context = context;
  unsigned program = i->paint.program;
  glUseProgram(program);
  glUniform1i(glGetUniformLocation(program, "source"), HB_GL_TRACE_UNIT);
  for (int k = 0; k < HB_FALSE_COLOR_ANCHORS; k++) {
    char name[24];
    const unsigned char *c = hb_false_color_anchors[k];
    snprintf(name, sizeof name, "anchors[%d]", k);
    glUniform4f(glGetUniformLocation(program, name), (float)c[0] / 255, (float)c[1] / 255, (float)c[2] / 255,
                1);
  }
  return HB_OK;
}

/* ---- where the images go ---- */

/* A strip of columns x rows cut into pieces so that its cells are largest in a room. */
static void fold(const struct hb_gl_trace_array *grid, int room, struct hb_inspector_tile *tile)
{
  tile->cell = 0;
  for (int pieces = 1; pieces <= grid->columns; pieces *= 2) {
    int columns = (grid->columns + pieces - 1) / pieces, used = (grid->columns + columns - 1) / columns;
    int cell = room / (columns > used * grid->rows ? columns : used * grid->rows);
    if (cell <= tile->cell && pieces > 1) continue;
    tile->cell = cell > 1 ? cell : 1;
    tile->columns = columns;
    tile->height = used * grid->rows;
  }
  tile->width = tile->columns * tile->cell < room ? tile->columns * tile->cell : room;
  tile->height = tile->height * tile->cell < room ? tile->height * tile->cell : room;
}

/* Where the next image goes; lines are as high as their highest image. */
struct pen {
  int x, y, left, right, line;
};

static void next_line(struct pen *pen)
{
  if (pen->x > pen->left) pen->y += pen->line;
  pen->x = pen->left;
  pen->line = 0;
}

enum { GAP = 4, WIDE_GAP = 18 }; /* between the components of a quantity, and between quantities */

/* The components of a quantity side by side, below its name. */
static void place_quantity(struct hb_inspector *i, const struct hb_inspector_array *array,
                           const struct hb_gl_trace_quantity *q, int room, int label, struct pen *pen)
{
  struct hb_inspector_tile tile = {.array = array, .quantity = q};
  if (strcmp(q->name, "free") == 0 && array->most[q->first] == 0) return; /* a number that no shader uses */
  fold(&array->copy.array, room, &tile);
  int wide = q->count * (tile.width + GAP);
  if (pen->x > pen->left && pen->x + wide > pen->right) next_line(pen);
  for (int c = 0; c < q->count && i->tile_count < HB_INSPECTOR_TILES; c++) {
    tile.component = q->first + c;
    tile.x = pen->x + c * (tile.width + GAP);
    tile.y = pen->y + label;
    i->tile[i->tile_count++] = tile;
  }
  int least = 110; /* a name needs that */
  pen->x += (wide > least ? wide : least) + WIDE_GAP;
  if (tile.height + label > pen->line) pen->line = tile.height + label;
}

static void place_arrays(struct hb_inspector *i, const struct hb_inspector_array *arrays, int count, int room,
                         int label, struct pen *pen)
{
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_trace_quantity *q = arrays[k].copy.array.quantities; q->name; q++)
      place_quantity(i, &arrays[k], q, room, label, pen);
  next_line(pen);
}

/* All images in the largest room that they fit with; *middle: where the written ones begin. */
static void place(struct hb_inspector *i, int x, int y, int width, int height, int line, int *middle)
{
  int label = line + 4;
  for (int room = width / 3 - GAP; room > 4; room -= 2) {
    struct pen pen = {.x = x, .y = y, .left = x, .right = x + width};
    i->tile_count = 0;
    place_arrays(i, i->read, i->read_count, room, label, &pen);
    pen.y += line / 2;
    *middle = pen.y;
    pen.y += line;
    place_arrays(i, i->write, i->write_count, room, label, &pen);
    if (pen.y <= y + height) return;
  }
  i->tile_count = 0; /* too small a window for any of it */
}

/* ---- the images ---- */

static float most_of(const struct hb_inspector_tile *tile)
{
  float most = 0;
  for (int c = 0; c < tile->quantity->count; c++)
    most = fmaxf(most, tile->array->most[tile->quantity->first + c]);
  return most;
}

/* The number of a particle's record, -1: it has none here. */
static int record_of(const struct hb_gl_trace_array *grid, int64_t particle)
{
  if (particle < 0) return -1;
  if (!grid->numbers) return particle < (int64_t)grid->n ? (int)particle : -1;
  for (size_t k = 0; k < grid->n; k++)
    if (grid->numbers[k] == particle) return (int)k;
  return -1;
}

static void draw_tile(const struct hb_inspector *i, const struct hb_inspector_tile *t, int page_height)
{
  const struct hb_gl_trace_array *grid = &t->array->copy.array;
  unsigned program = i->paint.program;
  hb_gl_layers_bind(&t->array->copy.layers, HB_GL_TRACE_UNIT);
  glUniform4i(glGetUniformLocation(program, "grid"), grid->columns, grid->each, grid->wraps, (GLint)grid->n);
  glUniform4i(glGetUniformLocation(program, "image"), t->x, t->y, t->width, t->height);
  glUniform4i(glGetUniformLocation(program, "shape"), grid->rows, t->columns, t->cell, page_height);
  glUniform1i(glGetUniformLocation(program, "component"), t->component);
  glUniform1f(glGetUniformLocation(program, "most"), most_of(t));
  glUniform1i(glGetUniformLocation(program, "marked"), record_of(grid, i->marked));
  glViewport(t->x, page_height - t->y - t->height, t->width, t->height);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

enum { SCALE = -1, PAPER = -2 }; /* in place of a component, as in inspect.frag */

static void draw_plain(const struct hb_inspector *i, int what, int x, int y, int width, int height,
                       int page_height)
{
  unsigned program = i->paint.program;
  glUniform4i(glGetUniformLocation(program, "image"), x, y, width, height);
  glUniform4i(glGetUniformLocation(program, "shape"), 1, 1, 1, page_height);
  glUniform1i(glGetUniformLocation(program, "component"), what);
  glUniform1f(glGetUniformLocation(program, "most"), 1);
  glViewport(x, page_height - y - height, width, height);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* "position x y z, 1.2": the number is the end of its scale. */
static void name_tile(const struct hb_inspector_tile *t, struct hb_paint *paint)
{
  uint32_t color = t->array->pair == 'A' ? pair_a : t->array->pair == 'B' ? pair_b : faint;
  if (t->component == t->quantity->first) {
    char name[64];
    snprintf(name, sizeof name, "%s%s %.3g", t->quantity->name, t->quantity->count == 3 ? " xyz" : "",
             (double)most_of(t));
    hb_paint_text(paint, t->x, t->y - hb_paint_line_height(paint), color, name);
  }
  if (!t->array->pair) return;
  double x = t->x, y = t->y, right = x + t->width, below = y + t->height;
  hb_paint_box(paint, x - 1, y - 1, t->width + 2, 1, color);
  hb_paint_box(paint, x - 1, below, t->width + 2, 1, color);
  hb_paint_box(paint, x - 1, y, 1, t->height, color);
  hb_paint_box(paint, right, y, 1, t->height, color);
}

/* "reads accTexture (A), posTexture, massTexture" */
static void name_arrays(const struct hb_inspector_array *arrays, int count, const char *verb,
                        struct hb_paint *paint, int x, int y, int width)
{
  char text[256];
  size_t used = (size_t)snprintf(text, sizeof text, "%s ", verb);
  for (int k = 0; k < count && used < sizeof text; k++) {
    const struct hb_texels_copy *copy = &arrays[k].copy;
    char pair[8] = "", rows[48] = "";
    if (arrays[k].pair) snprintf(pair, sizeof pair, " = %c", arrays[k].pair);
    if (copy->array.rows < copy->rows)
      snprintf(rows, sizeof rows, ", %d of %d rows", copy->array.rows, copy->rows);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", k ? "; " : "", copy->array.name,
                             pair, rows);
  }
  int most = width / (int)hb_paint_column(paint);
  if (most < (int)sizeof text) text[most > 0 ? most : 0] = 0;
  hb_paint_text(paint, x, y, ink, text);
}

enum hb_status hb_inspector_draw(struct hb_inspector *i, struct hb_gl_context *context,
                                 struct hb_paint *paint, unsigned framebuffer, int x, int y, int width,
                                 int height)
{
  int line = (int)hb_paint_line_height(paint), page_height = hb_paint_height(paint), margin = line / 2;
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(build(i, context));
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glUseProgram(i->paint.program);
  draw_plain(i, PAPER, x, y, width, height, page_height);
  x += margin, width -= 2 * margin, y += margin, height -= 2 * margin;
  i->tile_count = 0;
  if (i->status != HB_OK) return hb_fail(i->status, "%s", i->error);
  int elsewhere = i->shown && i->texels.context != context; /* whose textures this one does not know */
  if (!i->shown || elsewhere) {
    hb_paint_text(paint, x, y, faint,
                  elsewhere ? "the kernel runs in another context" : "no pass of a kernel has been seen yet");
    return hb_gl_context_check(context, "drawing the inspector");
  }
  hb_paint_text(paint, x, y, ink, hb_inspector_title(i));
  int middle = y, column = (int)hb_paint_column(paint), bar = 20 * column, foot = y + height - line;
  place(i, x, y + 2 * line, width, height - 4 * line, line, &middle);
  for (int k = 0; k < i->tile_count; k++) {
    draw_tile(i, &i->tile[k], page_height);
    name_tile(&i->tile[k], paint);
  }
  name_arrays(i->read, i->read_count, "reads", paint, x, y + line, width);
  name_arrays(i->write, i->write_count, "writes", paint, x, middle, width);
  draw_plain(i, SCALE, x + 2 * column, foot + line / 4, bar, line / 2, page_height);
  hb_paint_text(paint, x, foot, faint, "-");
  hb_paint_text(paint, x + bar + 3 * column, foot, faint, "+ as over each image");
  return hb_gl_context_check(context, "drawing the inspector");
}

/* ---- the texel under the mouse ---- */

static void describe(struct hb_inspector_texel *texel)
{
  size_t used = 0, room = sizeof texel->text;
  if (texel->particle < 0)
    used = (size_t)snprintf(texel->text, room, "no particle");
  else
    used = (size_t)snprintf(texel->text, room, "particle %" PRId64, texel->particle);
  if (texel->source >= 0)
    used += (size_t)snprintf(texel->text + used, room - used, " by %" PRId64, texel->source);
  if (texel->particle >= 0) {
    used += (size_t)snprintf(texel->text + used, room - used, ", %s", texel->quantity);
    for (int c = 0; c < texel->count; c++)
      used += (size_t)snprintf(texel->text + used, room - used, " %.6g", (double)texel->value[c]);
  }
  snprintf(texel->text + used, room - used, " (%s, column %d, row %d)", texel->array, texel->column,
           texel->row);
}

int hb_inspector_hit(struct hb_inspector *i, int x, int y, struct hb_inspector_texel *texel)
{
  for (int k = 0; k < i->tile_count; k++) {
    const struct hb_inspector_tile *t = &i->tile[k];
    if (x < t->x || y < t->y || x >= t->x + t->width || y >= t->y + t->height) continue;
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
    describe(texel);
    return 1;
  }
  return 0;
}
