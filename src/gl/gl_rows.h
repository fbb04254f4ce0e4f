/* Buffer textures where there are none (OpenGL ES before 3.2, WebGL): a texture of rows of HB_GL_ROW texels that is a copy
 * of the buffer. Shaders read either one by bufferFetch(array, k), and declare a samplerBuffer: the prologue of a shader
 * says what these are. For gl_texture.c, which keeps the copy up to date. */
#ifndef HB_GL_ROWS_H
#define HB_GL_ROWS_H

#include "gl/gl_texture.h"

enum { HB_GL_ROW_BITS = 10, HB_GL_ROW = 1 << HB_GL_ROW_BITS };

/* Room for that many bytes. */
void hb_gl_rows_reserve(size_t bytes, struct hb_gl_texture *texture);

/* The first bytes of a buffer, on the device. */
void hb_gl_rows_copy(unsigned buffer, size_t bytes, const struct hb_gl_texture *texture);

/* Memory for the host to write, one at a time in a thread; NULL: there is none. Unmapping brings it into buffer and texture:
 * from there, since browsers copy slowly from a buffer to a texture. */
void *hb_gl_rows_map(size_t bytes);
void hb_gl_rows_unmap(unsigned buffer, const struct hb_gl_texture *texture);

/* The first bytes from the host. */
void hb_gl_rows_write(const struct hb_gl_texture *texture, size_t bytes, const void *data);

#endif
