/* Memory of the device: buffers, textures, and the targets that a pass draws into. Long arrays are stored in rows: record
 * k in texel (k mod width, k / width). Nothing here has mipmaps, depth or sRGB. */
#ifndef HB_GL_TEXTURE_H
#define HB_GL_TEXTURE_H

#include "gl/gl_context.h"

/* What a texel is made of. */
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

enum hb_gl_shape {
  HB_GL_2D,
  HB_GL_RECTANGLE, /* as in the 2007 code; OpenGL ES has none */
  HB_GL_LAYERS,    /* a stack of equal textures, for a sampler2DArray */
  HB_GL_BUFFER     /* a buffer's elements, for a samplerBuffer */
};

/* Bytes read back from the device since the program started, over all contexts, so that tests can see that there are none.
 * Reads that do not go through this file are added by the second function. */
uint64_t hb_gl_readback_bytes(void);
void hb_gl_readback_add(size_t bytes);

/* ---- targets ---- */

/* What a pass draws into: the layers of a texture, several textures, or (framebuffer 0) the window. */
struct hb_gl_target {
  unsigned framebuffer;
  int width, height;
  int count;    /* draw buffers */
  int is_words; /* they hold integers */
};

enum { HB_GL_TARGET_MOST = 8 };

void hb_gl_target_destroy(struct hb_gl_target *target);
void hb_gl_target_clear(const struct hb_gl_target *target); /* to zero */
void hb_gl_target_fill(const struct hb_gl_target *target,
                       const uint32_t texel[4]); /* of words, all draw buffers */

/* Numbers as they are read, four a texel. OpenGL ES reads no others. */
enum hb_gl_pixels { HB_GL_FLOATS, HB_GL_WORDS, HB_GL_BYTES };

/* Waits: a rectangle of draw buffer k, rows upwards without gaps. */
void hb_gl_target_read(const struct hb_gl_target *target, int k, int x, int y, int width, int height,
                       enum hb_gl_pixels pixels, void *data);

/* ---- textures ---- */

struct hb_gl_texture {
  unsigned id;
  enum hb_gl_shape shape;
  enum hb_gl_format format;
  int width, height, layers;
  struct hb_gl_target target; /* all layers, where it was made to be drawn into */
};

struct hb_gl_texture_params {
  const char *what; /* what needs it, for errors: "a picture"; NULL: the caller knows the limits */
  enum hb_gl_shape shape;
  enum hb_gl_format format;
  int width, height;
  int layers;       /* LAYERS only */
  int drawn;        /* 1: to be drawn into; each layer is a draw buffer */
  int smooth;       /* 1: sampled between texels */
  const void *data; /* NULL: undefined */
};

/* Errors, with *texture zeros: HB_ERR_GL (naming limit and need, or where the driver cannot draw into such a texture),
 * HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_texture_create(struct hb_gl_context *context, const struct hb_gl_texture_params *params,
                                    struct hb_gl_texture *texture);

/* The usual result of a pass with several outputs: layers of four words a texel, to be drawn into. */
enum hb_status hb_gl_texture_words(struct hb_gl_context *context, int width, int height, int layers,
                                   struct hb_gl_texture *texture);
void hb_gl_texture_destroy(struct hb_gl_texture *texture);

/* The first rows of a layer from the host: width * height texels in the texture's own numbers. */
void hb_gl_texture_write(const struct hb_gl_texture *texture, int layer, int width, int height,
                         const void *data);

/* For gl_pass.c; others call hb_gl_pass_texture. Textures are made in a unit that no pass reads. */
enum { HB_GL_UNIT_OF_NONE = 15 };
void hb_gl_texture_bind(unsigned id, enum hb_gl_shape shape, int unit);

/* A target of the first layer of each of `count` textures; or of layers first .. first + count - 1 of one (LAYERS).
 * An existing target changes to the new ones. Errors: HB_ERR_GL. */
enum hb_status hb_gl_target_textures(struct hb_gl_context *context, int count,
                                     const struct hb_gl_texture *textures, struct hb_gl_target *target);
enum hb_status hb_gl_target_layers(struct hb_gl_context *context, const struct hb_gl_texture *texture,
                                   int first, int count, struct hb_gl_target *target);

/* A target without memory, for a pass that writes into storage buffers (GL 4.3). */
void hb_gl_target_empty(int width, int height, struct hb_gl_target *target);

/* The smallest square, 2^k texels a side, that holds n records, and the rows of it that they take: float arithmetic between
 * index and texel is exact then. Errors: HB_ERR_GL, naming limit and need. */
enum hb_status hb_gl_texture_square(const struct hb_gl_context *context, enum hb_gl_shape shape, size_t n,
                                    int *width, int *height);

/* ---- buffers ---- */

/* Starts as zeros. */
struct hb_gl_buffer {
  unsigned id;
  size_t bytes;
  struct hb_gl_texture texture; /* its elements, where hb_gl_buffer_texture was called */
  int is_copied;                /* into that, since shaders cannot read it itself */
};

/* What fills it most often: the host, entirely each time, or the device. */
enum hb_gl_filled { HB_GL_BY_HOST, HB_GL_BY_DEVICE };

/* Makes it this large; undefined unless data is given. */
void hb_gl_buffer_fill(struct hb_gl_buffer *buffer, enum hb_gl_filled by, size_t bytes, const void *data);
void hb_gl_buffer_destroy(struct hb_gl_buffer *buffer);

void hb_gl_buffer_write(const struct hb_gl_buffer *buffer, size_t bytes, const void *data);
void hb_gl_buffer_read(const struct hb_gl_buffer *buffer, size_t offset, size_t bytes,
                       void *data); /* waits */

/* Its memory, for the host to write all of it in order. Errors: HB_ERR_DEVICE (the driver cannot), HB_ERR_INTERNAL. */
enum hb_status hb_gl_buffer_map(struct hb_gl_context *context, const struct hb_gl_buffer *buffer,
                                size_t bytes, void **room);
void hb_gl_buffer_unmap(const struct hb_gl_buffer *buffer);

/* buffer->texture reads its elements in this format; to be called again after hb_gl_buffer_fill has changed its size. The
 * second function for a buffer that belongs elsewhere, each time that it has changed. */
void hb_gl_buffer_texture(struct hb_gl_buffer *buffer, enum hb_gl_format format);
void hb_gl_texture_over(unsigned buffer, enum hb_gl_format format, struct hb_gl_texture *texture);

/* Rows of a draw buffer or of a texture to and from a buffer, on the device. */
void hb_gl_target_copy(const struct hb_gl_target *target, int k, int width, int height,
                       const struct hb_gl_buffer *buffer, size_t offset);
void hb_gl_texture_copy(const struct hb_gl_texture *texture, const struct hb_gl_buffer *buffer);

#endif
