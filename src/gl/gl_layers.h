/* A stack of equal textures of four 32-bit words a texel, and the framebuffer that writes all of them in one pass:
 * what a pass with several outputs leaves behind, read by the next pass as one array texture. */
#ifndef HB_GL_LAYERS_H
#define HB_GL_LAYERS_H

#include "gl/gl_context.h"

struct hb_gl_layers {
  unsigned texture; /* TEXTURE_2D_ARRAY, RGBA32UI */
  unsigned framebuffer;
  int width, height, count;
};

/* Errors: HB_ERR_GL naming limit and need, HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_layers_create(struct hb_gl_context *context, int width, int height, int count,
                                   struct hb_gl_layers *layers);
void hb_gl_layers_destroy(struct hb_gl_layers *layers);

/* One pass of the current program over the fragments (0 .. width, 0 .. height). */
void hb_gl_layers_draw(const struct hb_gl_layers *layers, int width, int height);

/* The same over (0 .. width, row .. row + height). */
void hb_gl_layers_draw_rows(const struct hb_gl_layers *layers, int row, int width, int height);

/* Binds the stack to a texture unit for a usampler2DArray. */
void hb_gl_layers_bind(const struct hb_gl_layers *layers, int unit);

/* `height` rows of layer k from `row` on: words[4 * width * height]. */
void hb_gl_layers_read(const struct hb_gl_layers *layers, int k, int row, int width, int height,
                       uint32_t *words);

/* The first rows into a buffer, on the device. */
void hb_gl_layers_copy(const struct hb_gl_layers *layers, int k, int width, int height, unsigned buffer,
                       size_t offset);

/* The other way: words[4 * width * height] become the first texels of layer k. */
void hb_gl_layers_write(const struct hb_gl_layers *layers, int k, int width, int height,
                        const uint32_t *words);

#endif
