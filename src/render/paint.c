#include "render/paint.h"

#include "base/mem.h"
#include "gl/gl_pass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A quadrilateral: its corners in reading order, and the part of the atlas that covers it; four texels. */
struct hb_paint_quad {
  float corner[4][2];   /* pixels of the framebuffer */
  float uv[2], size[2]; /* pixels of the atlas */
  float color[4];
};
/* Of characters, in bands of font.txt. */
enum {
  COLUMNS = 12,
  BANDS = 8,
  ATLAS_WIDTH = COLUMNS * HB_FONT_WIDTH,
  ATLAS_HEIGHT = BANDS * HB_FONT_HEIGHT,
  FULL = COLUMNS * BANDS - 1
};
enum { TEXELS = 4, AT_ONCE = 65536 / TEXELS /* the smallest limit of a buffer texture */ };

/* Whether a character, by hb_font_cell, has ink at column x from the left and row y from the top. */
static int font_ink(int cell, int x, int y)
{
  int row = cell / COLUMNS * HB_FONT_HEIGHT + y, column = cell % COLUMNS * HB_FONT_WIDTH + x;
  return hb_font_files[0].text[row * (ATLAS_WIDTH + 1) + column] == '#';
}

/* ---- collecting -------------------------------------------------------------------------------------- */

static void put(struct hb_paint *p, const double corner[4][2], const double uv[2], const double size[2],
                uint32_t color)
{
  if (p->status == HB_OK) p->status = HB_GROW(p->count, &p->capacity, &p->quads);
  if (p->status != HB_OK) return;
  struct hb_paint_quad *q = &p->quads[p->count++];
  for (int k = 0; k < 4; k++) {
    for (int c = 0; c < 2; c++) q->corner[k][c] = (float)corner[k][c];
    q->color[k] = (float)(color >> (24 - 8 * k) & 255) / 255;
  }
  for (int c = 0; c < 2; c++) {
    q->uv[c] = (float)uv[c];
    q->size[c] = (float)size[c];
  }
}

static void cell_at(int cell, double uv[2])
{
  uv[0] = cell % COLUMNS * HB_FONT_WIDTH;
  uv[1] = cell / COLUMNS * HB_FONT_HEIGHT;
}

/* Covered by the center of the full cell. */
static void put_plain(struct hb_paint *p, const double corner[4][2], uint32_t color)
{
  static const double nothing[2] = {0, 0};
  double uv[2];
  cell_at(FULL, uv);
  uv[0] += HB_FONT_WIDTH / 2;
  uv[1] += HB_FONT_HEIGHT / 2;
  put(p, corner, uv, nothing, color);
}

void hb_paint_begin(struct hb_paint *p, int width, int height, int scale)
{
  p->width = width;
  p->height = height;
  p->scale = scale;
  p->count = 0;
  p->status = HB_OK;
}

void hb_paint_box(struct hb_paint *p, double x, double y, double width, double height, uint32_t color)
{
  const double corner[4][2] = {{x, y}, {x + width, y}, {x, y + height}, {x + width, y + height}};
  put_plain(p, corner, color);
}

void hb_paint_line(struct hb_paint *p, double x0, double y0, double x1, double y1, double thickness,
                   uint32_t color)
{
  double length = hypot(x1 - x0, y1 - y0);
  if (length == 0) return;
  double nx = -(y1 - y0) / length * thickness / 2, ny = (x1 - x0) / length * thickness / 2;
  const double corner[4][2] = {
      {x0 + nx, y0 + ny}, {x1 + nx, y1 + ny}, {x0 - nx, y0 - ny}, {x1 - nx, y1 - ny}};
  put_plain(p, corner, color);
}

void hb_paint_text(struct hb_paint *p, double x, double y, uint32_t color, const char *text)
{
  static const double size[2] = {HB_FONT_WIDTH, HB_FONT_HEIGHT};
  double left = floor(x), width = HB_FONT_WIDTH * p->scale, height = HB_FONT_HEIGHT * p->scale;
  x = left;
  y = floor(y);
  for (; *text; text++) {
    if (*text == '\n') {
      x = left;
      y += hb_paint_line_height(p);
      continue;
    }
    const double corner[4][2] = {{x, y}, {x + width, y}, {x, y + height}, {x + width, y + height}};
    double uv[2];
    cell_at(hb_font_cell(*text), uv);
    if (*text != ' ') put(p, corner, uv, size, color);
    x += width;
  }
}

/* The length of the first line of a text wrapped to this many columns, between words unless a word is longer than the line;
 * *next: where the next line starts. */
static int break_line(const char *text, int columns, const char **next)
{
  int length = (int)strlen(text), end = columns;
  while (length > columns && end > 0 && text[end] != ' ') end--;
  if (length <= columns) end = length;
  if (end == 0) end = columns; /* a word longer than the line */
  *next = text + end;
  while (**next == ' ') ++*next;
  return end;
}

int hb_paint_lines(const char *text, int columns, int *widest)
{
  int count = 0, most = 0;
  for (const char *next; *text; text = next, count++) {
    int length = break_line(text, columns, &next);
    if (length > most) most = length;
  }
  if (widest) *widest = most;
  return count;
}

void hb_paint_wrapped(struct hb_paint *p, double x, double y, uint32_t color, const char *text, int columns)
{
  for (const char *at = text, *next; *at; at = next, y += hb_paint_line_height(p)) {
    char line[512];
    snprintf(line, sizeof line, "%.*s", break_line(at, columns, &next), at);
    hb_paint_text(p, x, y, color, line);
  }
}

void hb_paint_panel(struct hb_paint *p, double x, double y, int columns, int lines)
{
  double pad = 6 * p->scale;
  hb_paint_box(p, x - pad, y - pad, columns * hb_paint_column(p) + 2 * pad,
               lines * hb_paint_line_height(p) + 2 * pad, 0x0a0e16b0);
}

/* ---- the font ---------------------------------------------------------------------------------------- */

/* All characters as one image of coverage (0 or 255) for a texture, rows from the top: the character c in the cell of column
 * (c - 32) % COLUMNS, row (c - 32) / COLUMNS. The last cell is full, for drawing rectangles. */
static void draw_atlas(unsigned char coverage[ATLAS_WIDTH * ATLAS_HEIGHT])
{
  for (int k = 0; k < ATLAS_WIDTH * ATLAS_HEIGHT; k++) {
    int x = k % ATLAS_WIDTH, y = k / ATLAS_WIDTH, cell = y / HB_FONT_HEIGHT * COLUMNS + x / HB_FONT_WIDTH;
    coverage[k] = cell == FULL || font_ink(cell, x % HB_FONT_WIDTH, y % HB_FONT_HEIGHT) ? 255 : 0;
  }
}

/* ---- drawing ----------------------------------------------------------------------------------------- */

static enum hb_status build(struct hb_paint *p)
{
  static unsigned char coverage[ATLAS_WIDTH * ATLAS_HEIGHT];
  const struct hb_gl_program_source source = {.vertex = "view/paint.vert", .fragment = "view/paint.frag"};
  const struct hb_gl_texture_params atlas = {
      .format = HB_GL_R8, .width = ATLAS_WIDTH, .height = ATLAS_HEIGHT, .data = coverage};
  draw_atlas(coverage);
  HB_TRY(hb_gl_pass_create(p->context, &source, &p->pass));
  HB_TRY(hb_gl_texture_create(p->context, &atlas, &p->atlas));
  hb_gl_pass_texture(&p->pass, "atlas", &p->atlas);
  return HB_OK;
}

enum hb_status hb_paint_open(struct hb_gl_context *context, struct hb_paint **paint)
{
  struct hb_paint *p;
  *paint = NULL;
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(HB_ALLOC(1, &p));
  p->context = context;
  p->scale = 1;
  enum hb_status status = build(p);
  return HB_MADE(status, p, hb_paint_close, paint);
}

void hb_paint_close(struct hb_paint *p)
{
  if (!p) return;
  if (hb_gl_context_use(p->context) == HB_OK) {
    hb_gl_pass_destroy(&p->pass);
    hb_gl_buffer_destroy(&p->buffer);
    hb_gl_texture_destroy(&p->atlas);
  }
  HB_FREE(p->quads, p);
}

enum hb_status hb_paint_end(struct hb_paint *p, const struct hb_gl_target *target)
{
  struct hb_gl_vertices v = {.target = target, .width = p->width, .height = p->height, .blend = HB_GL_OVER};
  HB_TRY(p->status);
  HB_TRY(hb_gl_context_use(p->context));
  hb_gl_pass_float2(&p->pass, "size", p->width, p->height);
  for (size_t first = 0, count; first < p->count; first += count) {
    count = p->count - first < AT_ONCE ? p->count - first : AT_ONCE;
    hb_gl_buffer_fill(&p->buffer, HB_GL_BY_HOST, count * sizeof *p->quads, p->quads + first);
    hb_gl_buffer_texture(&p->buffer, HB_GL_RGBA32F);
    hb_gl_pass_texture(&p->pass, "quads", &p->buffer.texture);
    v.count = 6 * count;
    hb_gl_pass_draw_vertices(&p->pass, &v);
  }
  return hb_gl_context_check(p->context, "painting over the picture");
}
