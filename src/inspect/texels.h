/* Copies of what a pass reads and writes, made on the device between two passes: every array, whatever its storage,
 * becomes records of eight floats in a grid. */
#ifndef HB_TEXELS_H
#define HB_TEXELS_H

#include "gl/gl_pass.h"
#include "gl/gl_trace.h"

enum { HB_TEXELS_FLOATS = 8, HB_TEXELS_MOST = 1 << 18 }; /* per record; records per copy */
enum { HB_TEXELS_SOURCES = 5 };                          /* kinds of arrays, as in shaders/view/texels.frag */

/* The programs that copy, in the context whose passes are traced. Must not move while open. */
struct hb_texels {
  struct hb_gl_context *context;             /* the caller's */
  struct hb_gl_pass copy[HB_TEXELS_SOURCES]; /* created when first used */
  struct hb_gl_pass range;
  struct hb_gl_texture over;       /* the buffer that is copied */
  struct hb_gl_texture scratch[2]; /* for finding the largest numbers */
};

void hb_texels_open(struct hb_gl_context *context, struct hb_texels *texels);
void hb_texels_close(struct hb_texels *texels);

/* A copy. Names and quantities are the engine's own, which live forever. Start from {0}. */
struct hb_texels_copy {
  struct hb_gl_trace_array array; /* its numbers belong to the copy; its rows are those copied */
  int rows;                       /* of the original: array.rows <= rows */
  uint32_t *numbers;
  size_t numbers_capacity;
  struct hb_gl_texture layers; /* two, holding the bits of floats; may be larger than the grid */
};

/* Replaces the copy. Rows beyond HB_TEXELS_MOST records are left out. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_texels_take(struct hb_texels *texels, const struct hb_gl_trace_array *array,
                              struct hb_texels_copy *copy);
void hb_texels_drop(struct hb_texels_copy *copy);

/* The records of the cells column .. column + width - 1, row .. row + height - 1: floats[8 * width * height], row by
 * row upwards. The context that copied is current. */
enum hb_status hb_texels_read(const struct hb_texels *texels, const struct hb_texels_copy *copy, int column,
                              int row, int width, int height, float *floats);

/* The largest |number| of each component, found on the device: reads 32 bytes back. */
enum hb_status hb_texels_most(struct hb_texels *texels, const struct hb_texels_copy *copy,
                              float most[HB_TEXELS_FLOATS]);

/* The particle whose record is in a cell, -1: none; and the source whose term it holds, -1: no single one. */
int64_t hb_texels_particle(const struct hb_gl_trace_array *array, int column, int row);
int64_t hb_texels_source(const struct hb_gl_trace_array *array, int row);

#endif
