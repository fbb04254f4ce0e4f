/* A float texture as a stream of n records.
 *
 * Record k lives in texel (k mod width, k / width); width is a power of two, so that the shader's float
 * arithmetic between index and texel is exact. The last row may be partly unused. */
#ifndef HB_GL_STREAM_H
#define HB_GL_STREAM_H

#include "gl/gl_context.h"

enum hb_gl_stream_kind {
  HB_GL_STREAM_2D,       /* TEXTURE_2D, 1 or 4 channels                                            */
  HB_GL_STREAM_RECTANGLE /* TEXTURE_RECTANGLE, 1, 3 or 4 channels: what the 2007 code had           */
};

struct hb_gl_stream {
  unsigned texture;
  enum hb_gl_stream_kind kind;
  int channels;      /* floats a record */
  int width, height; /* texels */
  size_t n;          /* records, at most width * height */
};

/* The squarest power-of-two width for n records. Errors: HB_ERR_GL, naming the limit and the need. */
enum hb_status hb_gl_stream_shape(const struct hb_gl_context *context, enum hb_gl_stream_kind kind, size_t n,
                                  int *width, int *height);

/* An empty stream of that shape. Errors: HB_ERR_GL (limits), HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_stream_create(struct hb_gl_context *context, enum hb_gl_stream_kind kind, int channels,
                                   size_t n, struct hb_gl_stream *stream);
void hb_gl_stream_destroy(struct hb_gl_stream *stream);

/* Host to device: data holds width * height records (the unused ones included). */
void hb_gl_stream_upload(const struct hb_gl_stream *stream, const float *data);

/* GL_TEXTURE_2D or GL_TEXTURE_RECTANGLE. */
unsigned hb_gl_stream_target(enum hb_gl_stream_kind kind);

/* Binds the stream's texture to a texture unit for a shader's sampler. */
void hb_gl_stream_bind(const struct hb_gl_stream *stream, int unit);

#endif
