#include "gl/gl_stream.h"

#include "base/arith.h"
#include "gl/gl.h"

unsigned hb_gl_stream_target(enum hb_gl_stream_kind kind)
{
  return kind == HB_GL_STREAM_RECTANGLE ? GL_TEXTURE_RECTANGLE : GL_TEXTURE_2D;
}

static GLenum internal_format(int channels)
{
  return channels == 1 ? GL_R32F : channels == 3 ? GL_RGB32F : GL_RGBA32F;
}

static GLenum pixel_format(int channels) { return channels == 1 ? GL_RED : channels == 3 ? GL_RGB : GL_RGBA; }

enum hb_status hb_gl_stream_shape(const struct hb_gl_context *context, enum hb_gl_stream_kind kind, size_t n,
                                  int *width, int *height)
{
  int limit =
      kind == HB_GL_STREAM_RECTANGLE ? context->caps.max_rectangle_size : context->caps.max_texture_size;
  size_t side = 1;
  while (side * side < n) side *= 2;
  if (side > (size_t)limit)
    return hb_fail(HB_ERR_GL, "%zu particles need a texture of %zu x %zu texels, the limit of %s is %d", n,
                   side, side, context->caps.renderer, limit);
  *width = (int)side;
  *height = (int)hb_div_ceil(n, side);
  return HB_OK;
}

enum hb_status hb_gl_stream_create(struct hb_gl_context *context, enum hb_gl_stream_kind kind, int channels,
                                   size_t n, struct hb_gl_stream *stream)
{
  struct hb_gl_stream s = {.kind = kind, .channels = channels, .n = n};
  HB_TRY(hb_gl_stream_shape(context, kind, n, &s.width, &s.height));
  GLenum target = hb_gl_stream_target(kind);
  glGenTextures(1, &s.texture);
  glBindTexture(target, s.texture);
  glTexImage2D(target, 0, (GLint)internal_format(channels), s.width, s.height, 0, pixel_format(channels),
               GL_FLOAT, NULL);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  *stream = s;
  return hb_gl_context_check(context, "making a texture of particles");
}

void hb_gl_stream_destroy(struct hb_gl_stream *stream)
{
  if (stream->texture) glDeleteTextures(1, &stream->texture);
  *stream = (struct hb_gl_stream){0};
}

void hb_gl_stream_upload(const struct hb_gl_stream *stream, const float *data)
{
  GLenum target = hb_gl_stream_target(stream->kind);
  glBindTexture(target, stream->texture);
  glTexSubImage2D(target, 0, 0, 0, stream->width, stream->height, pixel_format(stream->channels), GL_FLOAT,
                  data);
}

void hb_gl_stream_bind(const struct hb_gl_stream *stream, int unit)
{
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(hb_gl_stream_target(stream->kind), stream->texture);
}
