/* A driver may give up a draw and say nothing. Where what it should have written carries no mark of its own, the fragments
 * are counted by the device (occlusion queries), and compared with how many there should be. */
#ifndef HB_GL_TALLY_H
#define HB_GL_TALLY_H

#include "gl/gl_context.h"

enum { HB_GL_TALLY_QUERIES = 4 };
#define HB_GL_TALLY_MOST ((uint64_t)1 << 31) /* fragments of one query: the counter may have 32 bits */

/* Starts as zeros. */
struct hb_gl_tally {
  unsigned query[HB_GL_TALLY_QUERIES];
  uint64_t begun, read; /* queries; those from read to begun have not been asked for their count */
  uint64_t expected, drawn;
};

/* Deletes its queries: the context must be current. */
void hb_gl_tally_destroy(struct hb_gl_tally *tally);

/* Forgets what was counted. */
void hb_gl_tally_anew(struct hb_gl_tally *tally);

/* Counts what is drawn between the two, so many fragments. */
void hb_gl_tally_begin(struct hb_gl_tally *tally);
void hb_gl_tally_end(struct hb_gl_tally *tally, uint64_t fragments);

/* Waits for the draws. HB_ERR_DEVICE where fragments are missing, and again until the tally begins anew. */
enum hb_status hb_gl_tally_check(struct hb_gl_tally *tally, const struct hb_gl_context *context);

#endif
