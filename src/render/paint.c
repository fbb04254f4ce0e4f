#include "render/paint.h"

#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_reload.h"
#include "render/font.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct vertex {
  float x, y; /* pixels of the framebuffer */
  float u, v; /* pixels of the atlas       */
  uint8_t color[4];
};

struct hb_paint {
  struct hb_gl_context *context;
  unsigned program, vertex_array, buffer, atlas;
  int size_at; /* uniform */
  int width, height, scale;
  struct vertex *vertices;
  size_t count, room;
  enum hb_status status; /* of what was collected */
};

/* ---- collecting -------------------------------------------------------------------------------------- */

static enum hb_status make_room(struct hb_paint *p, size_t count)
{
  if (p->count + count <= p->room) return HB_OK;
  size_t room = 2 * (p->count + count);
  struct vertex *more;
  HB_TRY(HB_ALLOC(room, &more));
  if (p->count) memcpy(more, p->vertices, p->count * sizeof *more);
  hb_mem_free(p->vertices);
  p->vertices = more;
  p->room = room;
  return HB_OK;
}

/* A quadrilateral by its corners in the order of reading, and the part of the atlas that covers it. */
static void put(struct hb_paint *p, const double corner[4][2], const double uv[2], const double size[2],
                uint32_t color)
{
  static const int order[6] = {0, 1, 2, 2, 1, 3};
  if (p->status == HB_OK) p->status = make_room(p, 6);
  if (p->status != HB_OK) return;
  for (int k = 0; k < 6; k++) {
    int c = order[k];
    p->vertices[p->count++] = (struct vertex){
        .x = (float)corner[c][0],
        .y = (float)corner[c][1],
        .u = (float)(uv[0] + (c & 1 ? size[0] : 0)),
        .v = (float)(uv[1] + (c & 2 ? size[1] : 0)),
        .color = {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color}};
  }
}

static void cell_at(int cell, double uv[2])
{
  uv[0] = cell % HB_FONT_ATLAS_COLUMNS * HB_FONT_WIDTH;
  uv[1] = cell / HB_FONT_ATLAS_COLUMNS * HB_FONT_HEIGHT;
}

/* In the middle of the cell that is full. */
static void put_plain(struct hb_paint *p, const double corner[4][2], uint32_t color)
{
  static const double nothing[2] = {0, 0};
  double uv[2];
  cell_at(HB_FONT_FULL, uv);
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

void hb_paint_set_scale(struct hb_paint *p, int scale) { p->scale = scale; }

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

void hb_paint_panel(struct hb_paint *p, double x, double y, int columns, int lines)
{
  double pad = 6 * p->scale;
  hb_paint_box(p, x - pad, y - pad, columns * hb_paint_column(p) + 2 * pad,
               lines * hb_paint_line_height(p) + 2 * pad, 0x0a0e16b0);
}

double hb_paint_column(const struct hb_paint *p) { return HB_FONT_WIDTH * p->scale; }
double hb_paint_line_height(const struct hb_paint *p) { return (HB_FONT_HEIGHT + 2) * p->scale; }
int hb_paint_width(const struct hb_paint *p) { return p->width; }
int hb_paint_height(const struct hb_paint *p) { return p->height; }
int hb_paint_scale(const struct hb_paint *p) { return p->scale; }

/* ---- drawing ----------------------------------------------------------------------------------------- */

static void make_atlas(struct hb_paint *p)
{
  static unsigned char coverage[HB_FONT_ATLAS_WIDTH * HB_FONT_ATLAS_HEIGHT];
  hb_font_atlas(coverage);
  glGenTextures(1, &p->atlas);
  glBindTexture(GL_TEXTURE_2D, p->atlas);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, HB_FONT_ATLAS_WIDTH, HB_FONT_ATLAS_HEIGHT, 0, GL_RED,
               GL_UNSIGNED_BYTE, coverage);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static void describe_vertices(struct hb_paint *p)
{
  static const struct {
    int count;
    GLenum type;
    GLboolean normalized;
    size_t offset;
  } attributes[] = {{2, GL_FLOAT, GL_FALSE, offsetof(struct vertex, x)},
                    {2, GL_FLOAT, GL_FALSE, offsetof(struct vertex, u)},
                    {4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(struct vertex, color)}};
  glGenVertexArrays(1, &p->vertex_array);
  glBindVertexArray(p->vertex_array);
  glGenBuffers(1, &p->buffer);
  glBindBuffer(GL_ARRAY_BUFFER, p->buffer);
  for (GLuint k = 0; k < 3; k++) {
    glEnableVertexAttribArray(k);
    glVertexAttribPointer(k, attributes[k].count, attributes[k].type, attributes[k].normalized,
                          sizeof(struct vertex), (const void *)attributes[k].offset);
  }
  glBindVertexArray(p->context->vertex_array);
}

/* As hb_gl_reload_adopt. */
static enum hb_status adopt(void *owner, unsigned program)
{
  struct hb_paint *p = owner;
  int atlas_at, size_at;
  HB_TRY(hb_gl_program_uniform(program, "size", &size_at));
  HB_TRY(hb_gl_program_uniform(program, "atlas", &atlas_at));
  p->size_at = size_at;
  p->program = program;
  glUseProgram(program);
  glUniform1i(atlas_at, 0);
  return HB_OK;
}

static enum hb_status build(struct hb_paint *p)
{
  const struct hb_gl_program_source source = {.vertex = "view/paint.vert", .fragment = "view/paint.frag"};
  HB_TRY(hb_gl_reload_build(p->context, &source, adopt, p, &p->program));
  make_atlas(p);
  describe_vertices(p);
  return hb_gl_context_check(p->context, "preparing the painter");
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
  if (status != HB_OK) {
    hb_paint_close(p);
    return status;
  }
  *paint = p;
  return HB_OK;
}

void hb_paint_close(struct hb_paint *p)
{
  if (!p) return;
  if (hb_gl_context_use(p->context) == HB_OK) {
    hb_gl_reload_delete(p->context, &p->program);
    if (p->vertex_array) glDeleteVertexArrays(1, &p->vertex_array);
    if (p->buffer) glDeleteBuffers(1, &p->buffer);
    if (p->atlas) glDeleteTextures(1, &p->atlas);
  }
  hb_mem_free(p->vertices);
  hb_mem_free(p);
}

enum hb_status hb_paint_end(struct hb_paint *p, unsigned framebuffer)
{
  HB_TRY(p->status);
  if (p->count == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(p->context));
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, p->width, p->height);
  glUseProgram(p->program);
  glUniform2f(p->size_at, (float)p->width, (float)p->height);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, p->atlas);
  glBindVertexArray(p->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, p->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(p->count * sizeof *p->vertices), p->vertices, GL_STREAM_DRAW);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_TRIANGLES, 0, (GLsizei)p->count);
  glDisable(GL_BLEND);
  glBindVertexArray(p->context->vertex_array);
  return hb_gl_context_check(p->context, "painting over the picture");
}
