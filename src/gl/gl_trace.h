/* Tracing a walk: after each pass a tracer is given what it has read and written. Arrays are described by where their
 * records are stored, so that a tracer can draw them without knowing the engine. */
#ifndef HB_GL_TRACE_H
#define HB_GL_TRACE_H

#include "gl/gl_texture.h"

/* Numbers of one meaning in a record: components first .. first + count - 1, four to a texel. */
struct hb_gl_trace_quantity {
  const char *name; /* "position"; NULL ends a list */
  int first, count;
};

enum hb_gl_trace_form {
  HB_GL_TRACE_FLOATS,
  HB_GL_TRACE_WORDS,  /* bits of floats; low parts of double-singles are left out */
  HB_GL_TRACE_DOUBLES /* doubles as a word each for high and low bits */
};

/* An array that a pass reads or writes, as a grid of records: columns to the right, rows upwards as in the texture.
 *
 *   k         = c * each + r % each + (wraps ? columns * (r / each) : 0)     the record in column c of row r
 *   particle  = numbers ? numbers[k] : k, if k < n; else there is none
 *   fragment  = columns * (r / each) + c                                     and where it is:
 *   BUFFER    texel texels * (c * each + r % each + (wraps ? columns : n) * (r / each))
 *   others    rows of `width` texels, counted down columns of height `band` first; LAYERS: layer texels * (r % each)
 *
 * Component q is in channel q % 4 of the texel, or layer, step * (q / 4) after the first; its low word `low` after that. */
struct hb_gl_trace_array {
  const char *name; /* as the shader calls it */
  const struct hb_gl_trace_quantity
      *quantities; /* NULL: not to be drawn: numbers of sinks, or overwritten by the pass */
  unsigned object; /* texture, or buffer */
  enum hb_gl_shape
      kind; /* LAYERS: of integers, a layer for each texel of a record; BUFFER: texels of a record
                           one after the other */
  enum hb_gl_trace_form form;
  int channels; /* of a texel, 4 bytes each */
  int columns, rows, each, wraps;
  size_t n;
  const uint32_t *numbers; /* [n] nullable, valid during the call */
  int64_t first_source;    /* row r holds terms of source first_source + r; -1: rows are not sources */
  int width, band, texels, step, low;
  uint64_t traffic; /* texels that all fragments together fetch, or write */
};

enum { HB_GL_TRACE_MOST = 6 }; /* arrays of a pass */

struct hb_gl_trace_pass {
  struct hb_gl_context *context; /* current */
  const char *scheme;
  char what[64];      /* "fold 37 rows to 19" */
  const char *shader; /* its file */
  const char *by;     /* the input of the shader that tells this pass from others; NULL: none */
  char input[48];     /* and its value: "shift = 19" */
  uint64_t number;    /* of the walk, from 1 */
  int draws;          /* or dispatches: a long pass is cut into several */
  uint64_t pairs;     /* interactions computed */
  size_t fragments;   /* or threads */
  int read_count, write_count;
  struct hb_gl_trace_array read[HB_GL_TRACE_MOST], write[HB_GL_TRACE_MOST];
};

struct hb_gl_trace {
  void (*pass)(void *context, const struct hb_gl_trace_pass *pass);
  void *context;
};

/* NULL, the default: nothing is traced. Not owned. hb_gl_pass_draw and hb_gl_pass_dispatch call it; it may draw. */
extern const struct hb_gl_trace *hb_gl_trace;

/* Columns of the squarest grid for n records in a row that wraps: a power of two. */
int hb_gl_trace_columns(size_t n);

#endif
