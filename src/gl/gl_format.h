/* What a texel is made of. */
#ifndef HB_GL_FORMAT_H
#define HB_GL_FORMAT_H

#include <stddef.h>

enum hb_gl_format {
  HB_GL_R8,
  HB_GL_R8UI,
  HB_GL_R32I,
  HB_GL_R32UI,
  HB_GL_R32F,
  HB_GL_RGB32F,
  HB_GL_RGBA8,
  HB_GL_RGBA16,
  HB_GL_RGBA16F,
  HB_GL_RGBA32F,
  HB_GL_RGBA32UI
};

/* What OpenGL calls a format, and how its texels are sent. */
struct hb_gl_layout {
  unsigned internal, pixels, type;
  size_t bytes; /* a texel */
};
const struct hb_gl_layout *hb_gl_layout(enum hb_gl_format format);

#endif
