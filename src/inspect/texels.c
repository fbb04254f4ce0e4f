#include "inspect/texels.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 8 }; /* cells on a side that a fragment of range.frag reads */

void hb_texels_open(struct hb_gl_context *context, struct hb_texels *texels)
{
  *texels = (struct hb_texels){.context = context};
}

void hb_texels_close(struct hb_texels *t)
{
  if (t->context && hb_gl_context_use(t->context) == HB_OK) {
    for (int k = 0; k < HB_TEXELS_SOURCES; k++) hb_gl_pass_destroy(&t->copy[k]);
    hb_gl_pass_destroy(&t->range);
    hb_gl_texture_destroy(&t->over);
    for (int k = 0; k < 2; k++) hb_gl_texture_destroy(&t->scratch[k]);
  }
  *t = (struct hb_texels){0};
}

void hb_texels_drop(struct hb_texels_copy *copy)
{
  hb_gl_texture_destroy(&copy->layers);
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

/* ---- copying ----------------------------------------------------------------------------------------- */

/* The pass that copies an array of this kind, bound to the array. */
static enum hb_status pass_for(struct hb_texels *t, const struct hb_gl_trace_array *a,
                               struct hb_gl_pass **pass)
{
  enum hb_gl_format format = a->form == HB_GL_TRACE_FLOATS ? HB_GL_RGBA32F : HB_GL_RGBA32UI;
  int source = a->kind == HB_GL_BUFFER ? HB_GL_BUFFER + (format == HB_GL_RGBA32UI) : (int)a->kind;
  char defines[32];
  snprintf(defines, sizeof defines, "#define SOURCE %d\n", source);
  const struct hb_gl_program_source files = {.fragment = "view/texels.frag", .defines = defines};
  *pass = &t->copy[source];
  if (!(*pass)->program) HB_TRY(hb_gl_pass_create(t->context, &files, *pass));
  if (a->kind == HB_GL_BUFFER) hb_gl_texture_over(a->object, format, &t->over);
  hb_gl_pass_texture_id(*pass, "source", a->kind, a->kind == HB_GL_BUFFER ? t->over.id : a->object);
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
static enum hb_status copy_numbers(const struct hb_gl_trace_array *a, struct hb_texels_copy *copy)
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
static enum hb_status reserve_layers(struct hb_texels *t, int width, int height, struct hb_gl_texture *layers)
{
  if (layers->width >= width && layers->height >= height) return HB_OK;
  if (layers->width > width) width = layers->width;
  if (layers->height > height) height = layers->height;
  hb_gl_texture_destroy(layers);
  return hb_gl_texture_words(t->context, width, height, 2, layers);
}

enum hb_status hb_texels_take(struct hb_texels *t, const struct hb_gl_trace_array *a,
                              struct hb_texels_copy *copy)
{
  struct hb_gl_pass *pass;
  int most = HB_TEXELS_MOST / a->columns, rows = a->rows < most ? a->rows : most > 1 ? most : 1;
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

enum hb_status hb_texels_read(const struct hb_texels *t, const struct hb_texels_copy *copy, int column,
                              int row, int width, int height, float *floats)
{
  size_t count = (size_t)width * (size_t)height;
  uint32_t *words;
  HB_TRY(hb_gl_context_use(t->context));
  HB_TRY(HB_ALLOC(4 * count, &words));
  for (int slot = 0; slot < 2; slot++) {
    hb_gl_target_read(&copy->layers.target, slot, column, row, width, height, HB_GL_WORDS, words);
    for (size_t k = 0; k < count; k++)
      memcpy(floats + HB_TEXELS_FLOATS * k + 4 * slot, words + 4 * k, 4 * sizeof *words);
  }
  hb_mem_free(words);
  return hb_gl_context_check(t->context, "reading texels of a picture");
}

enum hb_status hb_texels_most(struct hb_texels *t, const struct hb_texels_copy *copy,
                              float most[HB_TEXELS_FLOATS])
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
  const struct hb_texels_copy last = {.layers = *from};
  return hb_texels_read(t, &last, 0, 0, 1, 1, most);
}
