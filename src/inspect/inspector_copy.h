/* The inspector from inside: inspector.c copies passes, inspector_draw.c shows them. */
#ifndef HB_INSPECTOR_COPY_H
#define HB_INSPECTOR_COPY_H

#include "inspect/inspector.h"
#include "inspect/texels.h"

struct hb_inspector_array {
  struct hb_texels_copy copy;
  float most[HB_TEXELS_FLOATS]; /* largest size of each number */
  char pair;                    /* 'A' or 'B' of two that swap; 0 */
};

/* An image on the screen: pixels from the upper left corner. */
struct hb_inspector_tile {
  const struct hb_inspector_array *array;
  const struct hb_gl_trace_quantity *quantity;
  int component; /* of the record */
  int x, y, width, height;
  int cell, columns; /* pixels of a cell; columns of a piece of the strip */
};
enum { HB_INSPECTOR_TILES = 64 };

struct hb_inspector {
  struct hb_gl_trace watch;
  uint64_t wanted, shown; /* pass to be copied, and that was */
  uint64_t seen, passes;  /* last one told of, and of the longest walk since it began */
  int plays, waits;
  int64_t marked;
  enum hb_status status; /* of the last copy */
  char error[512], scheme[16], what[64], title[192];

  struct hb_texels texels;
  unsigned range;
  struct hb_gl_layers scratch[2]; /* on the way to the scale */
  struct hb_inspector_array read[HB_GL_TRACE_MOST], write[HB_GL_TRACE_MOST];
  int read_count, write_count;

  struct {
    struct hb_gl_context *context;
    unsigned program;
  } paint;
  struct hb_inspector_tile tile[HB_INSPECTOR_TILES];
  int tile_count;
};

#endif
