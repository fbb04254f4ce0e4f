/* What was copied, on the screen: where the images go, the images, and the texel under the mouse. */
#include "view/inspector_copy.h"

#include "gl/gl.h"
#include "gl/gl_shader.h"
#include "view/false_color.h"

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
  glUniform1i(glGetUniformLocation(program, "source"), HB_GL_WATCH_UNIT);
  for (int k = 0; k < HB_FALSE_COLOR_ANCHORS; k++) {
    char name[16];
    const uint8_t *c = hb_false_color_anchors[k];
    snprintf(name, sizeof name, "anchors[%d]", k);
    glUniform4f(glGetUniformLocation(program, name), (float)c[0] / 255, (float)c[1] / 255, (float)c[2] / 255,
                1);
  }
  return HB_OK;
}

/* ---- where the images go ---- */

/* A strip of columns x rows cut into pieces so that its cells are largest in a room. */
static void fold(const struct hb_gl_watch_array *grid, int room, struct hb_inspector_tile *tile)
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

static int components(const struct hb_inspector_array *arrays, int count)
{
  int sum = 0;
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_watch_quantity *q = arrays[k].copy.array.quantities; q->name; q++)
      sum += q->count;
  return sum;
}

static int quotient_up(int a, int b) { return (a + b - 1) / b; }

/* Images a line and the room of each, so that all fit and are large. */
static int choose_room(const struct hb_inspector *i, int width, int height, int label, int *a_line)
{
  int read = components(i->read, i->read_count), write = components(i->write, i->write_count), best = 0;
  *a_line = 1;
  for (int count = 1; count <= read + write; count++) {
    int lines = quotient_up(read, count) + quotient_up(write, count);
    int across = width / count - 10, down = height / (lines > 0 ? lines : 1) - label;
    int room = across < down ? across : down;
    if (room > best) best = room, *a_line = count;
  }
  return best;
}

/* The images of these arrays, line by line from y on; gives where the next ones begin. */
static int place(struct hb_inspector *i, const struct hb_inspector_array *arrays, int count, int x, int y,
                 int room, int a_line, int label)
{
  int n = 0;
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_watch_quantity *q = arrays[k].copy.array.quantities; q->name; q++)
      for (int c = 0; c < q->count && i->tile_count < HB_INSPECTOR_TILES; c++, n++) {
        struct hb_inspector_tile *tile = &i->tile[i->tile_count++];
        *tile = (struct hb_inspector_tile){.array = &arrays[k], .quantity = q, .component = q->first + c};
        tile->x = x + n % a_line * (room + 10);
        tile->y = y + n / a_line * (room + label) + label;
        fold(&arrays[k].copy.array, room, tile);
      }
  return y + quotient_up(n, a_line) * (room + label);
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
static int record_of(const struct hb_gl_watch_array *grid, int64_t particle)
{
  if (particle < 0) return -1;
  if (!grid->numbers) return particle < (int64_t)grid->n ? (int)particle : -1;
  for (size_t k = 0; k < grid->n; k++)
    if (grid->numbers[k] == particle) return (int)k;
  return -1;
}

static void draw_tile(const struct hb_inspector *i, const struct hb_inspector_tile *t, int page_height)
{
  const struct hb_gl_watch_array *grid = &t->array->copy.array;
  unsigned program = i->paint.program;
  hb_gl_layers_bind(&t->array->copy.layers, HB_GL_WATCH_UNIT);
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

/* "position x 1.2": the number is the end of its scale. */
static void name_tile(const struct hb_inspector_tile *t, struct hb_paint *paint, int room)
{
  static const char *const axes[] = {" x", " y", " z"};
  char name[64], end[24];
  int column = (int)hb_paint_column(paint), most = room / (column > 0 ? column : 1);
  uint32_t color = t->array->pair == 'A' ? pair_a : t->array->pair == 'B' ? pair_b : faint;
  snprintf(name, sizeof name, "%s%s", t->quantity->name,
           t->quantity->count == 3 ? axes[t->component - t->quantity->first] : "");
  snprintf(end, sizeof end, " %.2g", (double)most_of(t));
  if ((int)(strlen(name) + strlen(end)) <= most) strcat(name, end);
  name[most < (int)sizeof name ? most : (int)sizeof name - 1] = 0;
  hb_paint_text(paint, t->x, t->y - hb_paint_line_height(paint), color, name);
  double x = t->x, y = t->y, right = x + t->width, below = y + t->height;
  if (!t->array->pair) return;
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
  if (!i->shown) {
    hb_paint_text(paint, x, y, faint, "no pass of a kernel has been seen yet");
    return hb_gl_context_check(context, "drawing the inspector");
  }
  hb_paint_text(paint, x, y, ink, hb_inspector_title(i));
  int a_line, label = line + 6, names = 3 * line, scale = 2 * line;
  int room = choose_room(i, width, height - names - scale, label, &a_line);
  if (room > 0) {
    name_arrays(i->read, i->read_count, "reads", paint, x, y + line, width);
    int below = place(i, i->read, i->read_count, x, y + 2 * line, room, a_line, label);
    name_arrays(i->write, i->write_count, "writes", paint, x, below + line / 4, width);
    below = place(i, i->write, i->write_count, x, below + line, room, a_line, label);
    for (int k = 0; k < i->tile_count; k++) {
      draw_tile(i, &i->tile[k], page_height);
      name_tile(&i->tile[k], paint, room);
    }
    int bar = width < 20 * line ? width : 20 * line, top = y + height - line;
    draw_plain(i, SCALE, x, top - line / 2, bar, line / 2, page_height);
    hb_paint_text(paint, x, top + 2, faint, "-");
    hb_paint_text(paint, x + bar / 2 - hb_paint_column(paint) / 2, top + 2, faint, "0");
    hb_paint_text(paint, x + bar - 22 * hb_paint_column(paint), top + 2, faint, "the number over each +");
  }
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
    const struct hb_gl_watch_array *grid = &t->array->copy.array;
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
