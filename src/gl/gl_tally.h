/* A driver may drop a draw without an error. Where the result carries no mark of its own, the device counts the fragments
 * drawn (occlusion queries), and the count is compared with the expected one. Queries of OpenGL ES do not count
 * (caps.has_counts): nothing is checked there, and whoever draws leaves marks. */
#ifndef HB_GL_TALLY_H
#define HB_GL_TALLY_H

#include "gl/gl_context.h"

enum { HB_GL_TALLY_QUERIES = 4 };

/* Starts as zeros. */
struct hb_gl_tally {
  unsigned query[HB_GL_TALLY_QUERIES];
  uint64_t started, read;   /* queries; the counts of those from read to started are still to be asked for */
  uint64_t counting;        /* fragments expected of the query that is running; 0: none is */
  uint64_t expected, drawn; /* fragments of the queries that have ended, and of those read */
};

/* Deletes its queries: the context must be current. */
void hb_gl_tally_destroy(struct hb_gl_tally *tally);

/* Forgets what was counted. */
void hb_gl_tally_reset(struct hb_gl_tally *tally);

/* Before a draw: counts its fragments, and expects that many. All draws count until the tally pauses, so other passes must
 * come after a pause; hb_gl_pass_draw of a pass with a tally does the first, and before a tracer draws the second. */
void hb_gl_tally_expect(struct hb_gl_tally *tally, uint64_t fragments);
void hb_gl_tally_pause(struct hb_gl_tally *tally);

/* Pauses and waits for the draws. HB_ERR_DEVICE where fragments are missing, and again until the tally is reset. */
enum hb_status hb_gl_tally_check(struct hb_gl_tally *tally, const struct hb_gl_context *context);

#endif
