/* Which pass is copied, and how: the part of the inspector that works while a walk is under way. */
#include "inspect/inspector_copy.h"

#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_shader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 8 }; /* cells on a side that a fragment of range.frag looks at */

static enum hb_status build_range(struct hb_inspector *i)
{
  if (i->range) return HB_OK;
  const struct hb_gl_program_source files = {.vertex = "fullscreen.vert", .fragment = "view/range.frag"};
  HB_TRY(hb_gl_program_build(i->texels.context, &files, &i->range));
  glUseProgram(i->range);
  glUniform1i(glGetUniformLocation(i->range, "source"), HB_GL_TRACE_UNIT);
  return HB_OK;
}

static enum hb_status make_scratch(struct hb_inspector *i, int columns, int rows)
{
  for (int k = 0; k < 2; k++) {
    columns = (columns + BLOCK - 1) / BLOCK;
    rows = (rows + BLOCK - 1) / BLOCK;
    struct hb_gl_layers *layers = &i->scratch[k];
    if (layers->width >= columns && layers->height >= rows) continue;
    int width = columns > layers->width ? columns : layers->width;
    int height = rows > layers->height ? rows : layers->height;
    hb_gl_layers_destroy(layers);
    HB_TRY(hb_gl_layers_create(i->texels.context, width, height, 2, layers));
  }
  return HB_OK;
}

/* Down to one record, which comes back: 32 bytes. */
static enum hb_status find_most(struct hb_inspector *i, struct hb_inspector_array *array)
{
  const struct hb_gl_trace_array *grid = &array->copy.array;
  const struct hb_gl_layers *from = &array->copy.layers;
  int columns = grid->columns, rows = grid->rows, each = grid->each, wraps = grid->wraps, to = 0;
  int64_t n = (int64_t)grid->n;
  HB_TRY(build_range(i));
  HB_TRY(make_scratch(i, columns, rows));
  glUseProgram(i->range);
  do {
    int width = (columns + BLOCK - 1) / BLOCK, height = (rows + BLOCK - 1) / BLOCK;
    hb_gl_layers_bind(from, HB_GL_TRACE_UNIT);
    glUniform4i(glGetUniformLocation(i->range, "grid"), columns, each, wraps, (GLint)n);
    glUniform1i(glGetUniformLocation(i->range, "rows"), rows);
    hb_gl_layers_draw(&i->scratch[to], width, height);
    from = &i->scratch[to];
    to = !to;
    columns = width, rows = height, each = wraps = 1;
    n = (int64_t)width * height;
  } while (columns > 1 || rows > 1);
  uint32_t words[HB_TEXELS_FLOATS];
  for (int k = 0; k < 2; k++) hb_gl_layers_read(from, k, 0, 1, 1, words + 4 * k);
  memcpy(array->most, words, sizeof words);
  return hb_gl_context_check(i->texels.context, "finding the scale of a picture");
}

static enum hb_status copy_array(struct hb_inspector *i, const struct hb_gl_trace_array *from,
                                 struct hb_inspector_array *to)
{
  HB_TRY(hb_texels_take(&i->texels, from, &to->copy));
  return find_most(i, to);
}

/* Of two arrays of the same meaning that swap, A is the one that was made first. */
static void name_pair(struct hb_inspector *i)
{
  for (int w = 0; w < i->write_count; w++)
    for (int r = 0; r < i->read_count; r++) {
      struct hb_inspector_array *read = &i->read[r], *write = &i->write[w];
      const struct hb_gl_trace_array *a = &read->copy.array, *b = &write->copy.array;
      if (a->quantities != b->quantities || a->object == b->object || a->kind != b->kind) continue;
      read->pair = a->object < b->object ? 'A' : 'B';
      write->pair = a->object < b->object ? 'B' : 'A';
    }
}

static enum hb_status copy_pass(struct hb_inspector *i, const struct hb_gl_trace_pass *pass)
{
  if (i->texels.context != pass->context) {
    hb_inspector_forget(i);
    hb_texels_open(pass->context, &i->texels);
  }
  i->read_count = i->write_count = 0;
  for (int k = 0; k < pass->read_count; k++)
    if (pass->read[k].quantities) {
      HB_TRY(copy_array(i, &pass->read[k], &i->read[i->read_count]));
      i->read[i->read_count++].pair = 0;
    }
  for (int k = 0; k < pass->write_count; k++) {
    HB_TRY(copy_array(i, &pass->write[k], &i->write[k]));
    i->write[k].pair = 0;
    i->write_count = k + 1;
  }
  name_pair(i);
  glFlush(); /* who draws may do so in a context that shares these textures */
  i->shown = pass->number;
  snprintf(i->scheme, sizeof i->scheme, "%s", pass->scheme);
  snprintf(i->what, sizeof i->what, "%s", pass->what);
  i->waits = 0;
  return HB_OK;
}

/* A new walk: how long the last one was is known, and play goes on. */
static void begin_walk(struct hb_inspector *i)
{
  i->passes = i->seen;
  if (i->plays && i->shown > 0) i->wanted = i->shown + 1;
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

static void drop(struct hb_inspector_array *arrays)
{
  for (int k = 0; k < HB_GL_TRACE_MOST; k++) {
    hb_texels_drop(&arrays[k].copy);
    arrays[k] = (struct hb_inspector_array){0};
  }
}

void hb_inspector_forget(struct hb_inspector *i)
{
  if (i->texels.context && hb_gl_context_use(i->texels.context) == HB_OK) {
    drop(i->read);
    drop(i->write);
    for (int k = 0; k < 2; k++) hb_gl_layers_destroy(&i->scratch[k]);
    if (i->range) glDeleteProgram(i->range);
    if (i->paint.program && i->paint.context == i->texels.context) glDeleteProgram(i->paint.program);
  }
  hb_texels_close(&i->texels);
  i->range = 0;
  i->paint.program = 0;
  i->paint.context = NULL;
  i->read_count = i->write_count = i->tile_count = 0;
  i->shown = i->passes = i->seen = 0;
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
  i->title[0] = 0;
  if (i->shown)
    snprintf(i->title, sizeof i->title, "%s, pass %" PRIu64 " of %" PRIu64 ": %s", i->scheme, i->shown,
             i->passes, i->what);
  return i->title;
}
