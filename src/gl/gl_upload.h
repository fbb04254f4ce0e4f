/* Large arrays on their way to the device, a piece at a time. The host writes a piece into a buffer that stays mapped
 * (GL 4.4), and the device copies it from there: the driver allocates and copies nothing while the host waits, and a piece
 * travels while the next one is written. Pieces take turns in a few places; one is written again only when a fence says that
 * the device has read it.
 *
 *   for (offset = 0; offset < bytes; offset += piece) {
 *     HB_TRY(hb_gl_upload_begin(context, &upload, &room));
 *     // write bytes offset .. offset + piece to room, complete cache lines in order
 *     hb_gl_upload_end(&upload, &buffer, offset, piece);
 *   } */
#ifndef HB_GL_UPLOAD_H
#define HB_GL_UPLOAD_H

#include "gl/gl_texture.h"

enum { HB_GL_UPLOAD_PIECE = 1 << 20, HB_GL_UPLOAD_PLACES = 4 };

/* Starts as zeros. */
struct hb_gl_upload {
  struct hb_gl_buffer places;
  char *lasting;                    /* their permanent mapping */
  int turn;                         /* the place that is written */
  void *fence[HB_GL_UPLOAD_PLACES]; /* passed when the device has read the place; NULL: nothing to wait for */
};

/* Whether a context has such uploads: not where the processor is the device, which can be given the buffer itself. */
int hb_gl_upload_is_there(const struct hb_gl_context *context);

/* A place of HB_GL_UPLOAD_PIECE bytes; and the first `bytes` of it on their way to the buffer. Errors: HB_ERR_DEVICE. */
enum hb_status hb_gl_upload_begin(struct hb_gl_context *context, struct hb_gl_upload *upload, void **room);
void hb_gl_upload_end(struct hb_gl_upload *upload, const struct hb_gl_buffer *buffer, size_t offset,
                      size_t bytes);
void hb_gl_upload_destroy(struct hb_gl_upload *upload); /* the context must be current */

#endif
