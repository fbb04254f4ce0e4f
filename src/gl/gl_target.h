/* A framebuffer: the streams that a pass writes. A pass draws one fragment for each record. */
#ifndef HB_GL_TARGET_H
#define HB_GL_TARGET_H

#include "gl/gl_stream.h"

/* Its colour attachments are streams of one shape. */
struct hb_gl_target {
  unsigned framebuffer;
  int count;
};

enum { HB_GL_TARGET_MAX = 8 };

/* Errors: HB_ERR_GL where the driver cannot render into such textures. */
enum hb_status hb_gl_target_create(struct hb_gl_context *context, int count,
                                   const struct hb_gl_stream *streams, struct hb_gl_target *target);
void hb_gl_target_destroy(struct hb_gl_target *target);

/* One pass: draws the fragments (0 .. width, 0 .. height) of the target with the current program. */
void hb_gl_target_draw(const struct hb_gl_target *target, int width, int height);

/* Clears all attachments to zero. */
void hb_gl_target_clear(const struct hb_gl_target *target);

/* Device to host: the first `height` rows of attachment k, 4 floats a texel. */
void hb_gl_target_read(const struct hb_gl_target *target, int k, int width, int height, float *data);

#endif
