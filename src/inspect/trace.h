/* A walk on paper: every array that a pass reads or writes, brought to the host between the passes. For small runs,
 * whose pictures can be read texel by texel. */
#ifndef HB_TRACE_H
#define HB_TRACE_H

#include "inspect/texels.h"

struct hb_trace_array {
  struct hb_texels_copy copy; /* without its texture: the grid and the numbers of the particles */
  float *floats;              /* [8 * columns * rows], row 0 first */
};

struct hb_trace_pass {
  struct hb_gl_trace_pass pass; /* its arrays are those below */
  struct hb_trace_array read[HB_GL_TRACE_MOST], write[HB_GL_TRACE_MOST];
};

/* The cost of a walk so far; bytes are those that its fragments request and write. */
struct hb_trace_cost {
  uint64_t draws, pairs, texels_read, texels_written, bytes_read, bytes_written;
};

struct hb_trace {
  char scheme[16];
  size_t n; /* particles */
  int count;
  size_t capacity;
  struct hb_trace_pass **pass; /* [count] */
  struct hb_trace_cost cost;
  struct hb_texels texels;
  enum hb_status status; /* of what failed during the walk */
  char error[512];
};

enum { HB_TRACE_MOST = 128 }; /* largest number of particles whose walk fits on a page */

/* From now on walks are traced. Start from {0}; the trace must not move until hb_trace_end. */
void hb_trace_begin(struct hb_trace *trace);

/* To be called while the walk's context exists. Errors: what failed during the walk, HB_ERR_USAGE if there was none. */
enum hb_status hb_trace_end(struct hb_trace *trace);
void hb_trace_free(struct hb_trace *trace);

/* Traces the forces on the first n particles by this scheme in single precision, in few passes, none split to save
 * time; the trace must be {0}. Uses eps, context and device of params. Errors: as hb_force_open and hb_trace_end. */
enum hb_status hb_trace_walk(const struct hb_force_params *params, const char *scheme, size_t n,
                             struct hb_particles *particles, struct hb_trace *trace);

/* ---- what it holds ---- */

/* The first array of a pass that has the quantity, and where in its records; NULL if none has it. */
const struct hb_trace_array *hb_trace_find(const struct hb_trace_array *arrays, int count,
                                           const char *quantity, const struct hb_gl_trace_quantity **found);

/* The largest |number| of a quantity anywhere in the walk, without unused records. */
double hb_trace_most(const struct hb_trace *trace, const char *quantity);

/* The contact sheet, folder/SCHEME.svg; each array of each pass as folder/SCHEME_NN_read_NAME.svg or _write_; passes as slides,
 * folder/SCHEME_slide_NN.svg, of many only the first three and the last. The latter two add the number of files to *count.
 * Errors: HB_ERR_IO. */
enum hb_status hb_trace_write_sheet(const struct hb_trace *trace, const char *folder);
enum hb_status hb_trace_write_passes(const struct hb_trace *trace, const char *folder, int *count);
enum hb_status hb_trace_write_slides(const struct hb_trace *trace, const char *folder, int *count);

#endif
