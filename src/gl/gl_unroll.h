/* Writes out loops of constant length, for drivers that leave arrays in memory where a loop indexes them. */
#ifndef HB_GL_UNROLL_H
#define HB_GL_UNROLL_H

#include "base/text.h"

/* What a loop's bound is called, and its value; a list ends with {NULL, 0}. */
enum { HB_GL_LOOPS = 6 };
struct hb_gl_loop {
  const char *bound;
  int count;
};

/* Appends source, with each `for (int k = 0; k < BOUND; k++) statement` whose bound is listed replaced by so many copies
 * of the statement, k by its number. Lines keep their numbers: the copies stand on the loop's first line. A statement with a
 * line of the preprocessor in it stays a loop; one with `continue` or `break` of its own is not allowed. */
enum hb_status hb_gl_unroll(const char *source, const struct hb_gl_loop *loops, struct hb_text *text);

#endif
