#include "inspect/texels.h"

#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_readback.h"
#include "gl/gl_shader.h"

#include <stdio.h>
#include <string.h>

enum {
  ARRAY_2D,
  ARRAY_RECTANGLE,
  ARRAY_LAYERS,
  ARRAY_FLOATS,
  ARRAY_WORDS
}; /* as in shaders/view/texels.frag */

void hb_texels_open(struct hb_gl_context *context, struct hb_texels *texels)
{
  *texels = (struct hb_texels){.context = context};
}

void hb_texels_close(struct hb_texels *t)
{
  if (t->context && hb_gl_context_use(t->context) == HB_OK) {
    for (int k = 0; k < 5; k++)
      if (t->program[k]) glDeleteProgram(t->program[k]);
    if (t->buffer_texture) glDeleteTextures(1, &t->buffer_texture);
  }
  *t = (struct hb_texels){0};
}

void hb_texels_drop(struct hb_texels_copy *copy)
{
  hb_gl_layers_destroy(&copy->layers);
  hb_mem_free(copy->numbers);
  *copy = (struct hb_texels_copy){0};
}

int64_t hb_texels_particle(const struct hb_gl_trace_array *a, int column, int row)
{
  int64_t k =
      (int64_t)column * a->each + row % a->each + (a->wraps ? (int64_t)a->columns * (row / a->each) : 0);
  if (k >= (int64_t)a->n) return -1;
  return a->numbers ? (int64_t)a->numbers[k] : k;
}

int64_t hb_texels_source(const struct hb_gl_trace_array *a, int row)
{
  return a->first_source < 0 ? -1 : a->first_source + row;
}

static int source_of(const struct hb_gl_trace_array *a)
{
  switch (a->kind) {
  case HB_GL_2D:
    return ARRAY_2D;
  case HB_GL_RECTANGLE:
    return ARRAY_RECTANGLE;
  case HB_GL_LAYERS:
    return ARRAY_LAYERS;
  default:
    return a->form == HB_GL_TRACE_FLOATS ? ARRAY_FLOATS : ARRAY_WORDS;
  }
}

static enum hb_status build(struct hb_texels *t, int source)
{
  if (t->program[source]) return HB_OK;
  char defines[32];
  snprintf(defines, sizeof defines, "#define SOURCE %d\n", source);
  const struct hb_gl_program_source files = {
      .vertex = "fullscreen.vert", .fragment = "view/texels.frag", .defines = defines};
  HB_TRY(hb_gl_program_build(t->context, &files, &t->program[source]));
  glUseProgram(t->program[source]);
  glUniform1i(glGetUniformLocation(t->program[source], "source"), HB_GL_TRACE_UNIT);
  return HB_OK;
}

static enum hb_status bind(struct hb_texels *t, const struct hb_gl_trace_array *a)
{
  static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_2D_ARRAY,
                                   GL_TEXTURE_BUFFER};
  glActiveTexture(GL_TEXTURE0 + HB_GL_TRACE_UNIT);
  if (a->kind != HB_GL_BUFFER) {
    glBindTexture(targets[a->kind], a->object);
    return HB_OK;
  }
  if (t->context->caps.has_compute)
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT); /* shaders have written it, not as a texture */
  if (!t->buffer_texture) glGenTextures(1, &t->buffer_texture);
  glBindTexture(GL_TEXTURE_BUFFER, t->buffer_texture);
  glTexBuffer(GL_TEXTURE_BUFFER, a->form == HB_GL_TRACE_FLOATS ? GL_RGBA32F : GL_RGBA32UI, a->object);
  return HB_OK;
}

static int slots_of(const struct hb_gl_trace_array *a)
{
  int slots = 1;
  for (const struct hb_gl_trace_quantity *q = a->quantities; q->name; q++)
    if (q->first + q->count > 4 * slots) slots = 2;
  return slots;
}

/* The engine's list of numbers is its own again after the call. */
static enum hb_status copy_numbers(const struct hb_gl_trace_array *a, struct hb_texels_copy *copy)
{
  copy->array = *a;
  copy->array.numbers = NULL;
  if (!a->numbers) return HB_OK;
  if (a->n > copy->numbers_room) {
    hb_mem_free(copy->numbers);
    copy->numbers_room = 0;
    HB_TRY(HB_ALLOC(a->n, &copy->numbers));
    copy->numbers_room = a->n;
  }
  memcpy(copy->numbers, a->numbers, a->n * sizeof *a->numbers);
  copy->array.numbers = copy->numbers;
  return HB_OK;
}

enum hb_status hb_texels_take(struct hb_texels *t, const struct hb_gl_trace_array *a,
                              struct hb_texels_copy *copy)
{
  int source = source_of(a), rows = a->rows, most = HB_TEXELS_MOST / a->columns;
  if (most < 1) most = 1;
  HB_TRY(build(t, source));
  HB_TRY(copy_numbers(a, copy));
  copy->rows = rows;
  copy->array.rows = rows = rows < most ? rows : most;
  struct hb_gl_layers *layers = &copy->layers;
  if (layers->width < a->columns || layers->height < rows) {
    hb_gl_layers_destroy(layers);
    HB_TRY(hb_gl_layers_create(t->context, a->columns, rows, 2, layers));
  }
  HB_TRY(bind(t, a));
  GLuint program = t->program[source];
  glUseProgram(program);
  glUniform4i(glGetUniformLocation(program, "grid"), a->columns, a->each, a->wraps, (GLint)a->n);
  glUniform4i(glGetUniformLocation(program, "place"), a->width, a->band, a->texels, a->step);
  glUniform1i(glGetUniformLocation(program, "low"), a->low);
  glUniform1i(glGetUniformLocation(program, "slots"), slots_of(a));
  hb_gl_layers_draw(layers, a->columns, rows);
  return hb_gl_context_check(t->context, "copying a texture for a picture");
}

enum hb_status hb_texels_read(const struct hb_texels *t, const struct hb_texels_copy *copy, int column,
                              int row, int width, int height, float *floats)
{
  size_t count = (size_t)width * (size_t)height;
  uint32_t *words;
  HB_TRY(hb_gl_context_use(t->context));
  HB_TRY(HB_ALLOC(4 * count, &words));
  glBindFramebuffer(GL_FRAMEBUFFER, copy->layers.framebuffer);
  for (int slot = 0; slot < 2; slot++) {
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)slot);
    glReadPixels(column, row, width, height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words);
    hb_gl_readback_add(4 * count * sizeof *words);
    for (size_t k = 0; k < count; k++)
      memcpy(floats + HB_TEXELS_FLOATS * k + 4 * slot, words + 4 * k, 4 * sizeof *words);
  }
  hb_mem_free(words);
  return hb_gl_context_check(t->context, "reading texels of a picture");
}
