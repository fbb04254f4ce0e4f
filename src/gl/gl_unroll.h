/* Writes out loops of constant length, for drivers that put arrays in memory where a loop indexes them. */
#ifndef HB_GL_UNROLL_H
#define HB_GL_UNROLL_H

#include "base/text.h"

/* The name of a loop's bound, and its value; a list ends with {NULL, 0}. */
enum { HB_GL_LOOPS = 6 };
struct hb_gl_loop {
  const char *bound;
  int count;
};

/* Appends source, with each `for (int k = 0; k < BOUND; k++) statement` whose bound is listed replaced by that many copies
 * of the statement, with numbers for k. Line numbers stay: all copies are on the loop's first line. A statement that contains
 * a preprocessor line stays a loop; one with its own `continue` or `break` is not allowed. */
enum hb_status hb_gl_unroll(const char *source, const struct hb_gl_loop *loops, struct hb_text *text);

#endif
