#include "gl/gl_texture.h"

#include "base/arith.h"
#include "base/mem.h"
#include "gl/gl.h"

/* What OpenGL calls a format, and how its texels are sent. */
struct layout {
  unsigned internal, pixels, type;
  size_t bytes; /* a texel */
};
static const struct layout layouts[] = {
    [HB_GL_R8] = {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
    [HB_GL_R8UI] = {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1},
    [HB_GL_R32I] = {GL_R32I, GL_RED_INTEGER, GL_INT, 4},
    [HB_GL_R32UI] = {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    [HB_GL_R32F] = {GL_R32F, GL_RED, GL_FLOAT, 4},
    [HB_GL_RGB32F] = {GL_RGB32F, GL_RGB, GL_FLOAT, 12},
    [HB_GL_RGBA8] = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    [HB_GL_RGBA16] = {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8},
    [HB_GL_RGBA16F] = {GL_RGBA16F, GL_RGBA, GL_FLOAT, 16},
    [HB_GL_RGBA32F] = {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    [HB_GL_RGBA32UI] = {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
};

static const struct layout *layout_of(enum hb_gl_format format) { return &layouts[format]; }

/* ---- buffer textures where there are none (OpenGL ES before 3.2, WebGL): a copy of the buffer in rows ---- */

static void bind(const struct hb_gl_texture *texture)
{
  glActiveTexture(GL_TEXTURE0 + HB_GL_UNIT_OF_NONE);
  glBindTexture(GL_TEXTURE_2D, texture->id);
}

/* Whole rows, and the rest in one that is not; from memory, or from the start of the buffer that is bound. */
static void write_rows(const struct layout *layout, size_t texels, const char *data)
{
  GLsizei rows = (GLsizei)(texels / HB_GL_ROW), rest = (GLsizei)(texels % HB_GL_ROW);
  if (rows) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, HB_GL_ROW, rows, layout->pixels, layout->type, data);
  if (rest)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, layout->pixels, layout->type,
                    data + (size_t)rows * HB_GL_ROW * layout->bytes);
}

/* Room for that many bytes. */
static void reserve_rows(size_t bytes, struct hb_gl_texture *texture)
{
  const struct layout *layout = layout_of(texture->format);
  int rows = (int)hb_div_ceil(bytes / layout->bytes, HB_GL_ROW);
  if (texture->height == rows) return;
  texture->width = HB_GL_ROW;
  texture->height = rows;
  bind(texture);
  glTexImage2D(GL_TEXTURE_2D, 0, (GLint)layout->internal, HB_GL_ROW, rows, 0, layout->pixels, layout->type,
               NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/* The first bytes from the host. */
static void write_all_rows(const struct hb_gl_texture *texture, size_t bytes, const void *data)
{
  const struct layout *layout = layout_of(texture->format);
  bind(texture);
  write_rows(layout, bytes / layout->bytes, data);
}

/* The first bytes of a buffer, on the device. */
static void copy_rows(unsigned buffer, size_t bytes, const struct hb_gl_texture *texture)
{
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
  write_all_rows(texture, bytes, NULL);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

static _Thread_local struct {
  uint8_t *memory;
  size_t bytes;
} mapped;

/* Memory for the host to write, one at a time in a thread. Unmapping brings it into buffer and texture:
 * from there, since browsers copy slowly from a buffer to a texture. */
static enum hb_status map_rows(size_t bytes, void **room)
{
  mapped.bytes = bytes;
  HB_TRY(HB_ALLOC(bytes, &mapped.memory));
  *room = mapped.memory;
  return HB_OK;
}

static void unmap_rows(unsigned buffer, const struct hb_gl_texture *texture)
{
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)mapped.bytes, mapped.memory);
  write_all_rows(texture, mapped.bytes, mapped.memory);
  hb_mem_free(mapped.memory);
  mapped.memory = NULL;
}

/* ---- bytes read back, and shapes ---- */

static _Thread_local uint64_t read_back;

uint64_t hb_gl_readback_bytes(void) { return read_back; }
void hb_gl_readback_add(size_t bytes) { read_back += bytes; }

static const GLenum gl_targets[] = {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_2D_ARRAY,
                                    GL_TEXTURE_BUFFER};

static int is_rows(enum hb_gl_shape shape)
{
  return shape == HB_GL_BUFFER && !hb_gl_context_caps()->has_buffer_textures;
}

static const struct {
  GLenum pixels, type;
  size_t bytes; /* a texel */
} as_read[] = {
    [HB_GL_FLOATS] = {GL_RGBA, GL_FLOAT, 16},
    [HB_GL_WORDS] = {GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    [HB_GL_BYTES] = {GL_RGBA, GL_UNSIGNED_BYTE, 4},
};

/* ---- targets ---- */

void hb_gl_target_destroy(struct hb_gl_target *target)
{
  if (target->framebuffer) glDeleteFramebuffers(1, &target->framebuffer);
  *target = (struct hb_gl_target){0};
}

void hb_gl_target_fill(const struct hb_gl_target *target, const uint32_t texel[4])
{
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  for (int k = 0; k < target->count; k++) glClearBufferuiv(GL_COLOR, k, texel);
}

void hb_gl_target_clear(const struct hb_gl_target *target)
{
  static const uint32_t zeros[4];
  if (target->is_words) {
    hb_gl_target_fill(target, zeros);
    return;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
}

/* To the host, or to the offset `data` in the bound buffer. */
static void read_pixels(const struct hb_gl_target *target, int k, int x, int y, int width, int height,
                        enum hb_gl_pixels pixels, void *data)
{
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glReadBuffer(target->framebuffer ? GL_COLOR_ATTACHMENT0 + (GLenum)k : GL_BACK);
  glReadPixels(x, y, width, height, as_read[pixels].pixels, as_read[pixels].type, data);
}

void hb_gl_target_read(const struct hb_gl_target *target, int k, int x, int y, int width, int height,
                       enum hb_gl_pixels pixels, void *data)
{
  read_pixels(target, k, x, y, width, height, pixels, data);
  read_back += (size_t)width * (size_t)height * as_read[pixels].bytes;
}

/* The framebuffer, to which `count` textures or layers are attached next. */
static enum hb_status begin_target(struct hb_gl_context *context, int count,
                                   const struct hb_gl_texture *texture, struct hb_gl_target *target)
{
  const struct hb_gl_caps *caps = &context->caps;
  int most = caps->max_draw_buffers < caps->max_color_attachments ? caps->max_draw_buffers
                                                                  : caps->max_color_attachments;
  if (most > HB_GL_TARGET_MOST) most = HB_GL_TARGET_MOST;
  if (count > most)
    return hb_fail(HB_ERR_GL, "a pass needs %d draw buffers, the limit of %s is %d", count, caps->renderer,
                   most);
  if (!target->framebuffer) glGenFramebuffers(1, &target->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  target->width = texture->width;
  target->height = texture->height;
  target->count = count;
  target->is_words = texture->format == HB_GL_RGBA32UI;
  return HB_OK;
}

static enum hb_status end_target(struct hb_gl_context *context, const struct hb_gl_target *target)
{
  GLenum buffers[HB_GL_TARGET_MOST];
  for (int k = 0; k < target->count; k++) buffers[k] = GL_COLOR_ATTACHMENT0 + (GLenum)k;
  glDrawBuffers(target->count, buffers);
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  HB_TRY(hb_gl_context_check(context, "making a render target"));
  if (status == GL_FRAMEBUFFER_COMPLETE) return HB_OK;
  return hb_fail(HB_ERR_GL, "%s cannot render into %d textures of %d x %d texels (framebuffer status 0x%x)",
                 context->caps.renderer, target->count, target->width, target->height, (unsigned)status);
}

enum hb_status hb_gl_target_textures(struct hb_gl_context *context, int count,
                                     const struct hb_gl_texture *textures, struct hb_gl_target *target)
{
  HB_TRY(begin_target(context, count, textures, target));
  for (int k = 0; k < count; k++)
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)k, gl_targets[textures[k].shape],
                           textures[k].id, 0);
  return end_target(context, target);
}

enum hb_status hb_gl_target_layers(struct hb_gl_context *context, const struct hb_gl_texture *texture,
                                   int first, int count, struct hb_gl_target *target)
{
  HB_TRY(begin_target(context, count, texture, target));
  for (int k = 0; k < count; k++)
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)k, texture->id, 0, first + k);
  return end_target(context, target);
}

void hb_gl_target_empty(int width, int height, struct hb_gl_target *target)
{
  if (!target->framebuffer) glGenFramebuffers(1, &target->framebuffer);
  target->width = width;
  target->height = height;
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, width);
  glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, height);
}

/* ---- textures ---- */

void hb_gl_texture_bind(unsigned id, enum hb_gl_shape shape, int unit)
{
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(is_rows(shape) ? GL_TEXTURE_2D : gl_targets[shape], id);
}

enum hb_status hb_gl_texture_square(const struct hb_gl_context *context, enum hb_gl_shape shape, size_t n,
                                    int *width, int *height)
{
  int limit = shape == HB_GL_RECTANGLE ? context->caps.max_rectangle_size : context->caps.max_texture_size;
  size_t side = 1;
  while (side * side < n) side *= 2;
  if (side > (size_t)limit)
    return hb_fail(HB_ERR_GL, "%zu particles need a texture of %zu x %zu texels, the limit of %s is %d", n,
                   side, side, context->caps.renderer, limit);
  *width = (int)side;
  *height = (int)hb_div_ceil(n, side);
  return HB_OK;
}

static void make_storage(const struct hb_gl_texture_params *p)
{
  const struct layout *layout = layout_of(p->format);
  GLenum target = gl_targets[p->shape], pixels = layout->pixels, type = layout->type;
  GLint internal = (GLint)layout->internal, filter = p->smooth ? GL_LINEAR : GL_NEAREST;
  if (p->shape == HB_GL_LAYERS)
    glTexImage3D(target, 0, internal, p->width, p->height, p->layers, 0, pixels, type, p->data);
  else
    glTexImage2D(target, 0, internal, p->width, p->height, 0, pixels, type, p->data);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static enum hb_status create(struct hb_gl_context *context, const struct hb_gl_texture_params *p,
                             struct hb_gl_texture *texture)
{
  const struct hb_gl_caps *caps = &context->caps;
  int limit = p->shape == HB_GL_RECTANGLE ? caps->max_rectangle_size : caps->max_texture_size;
  *texture = (struct hb_gl_texture){
      .shape = p->shape, .format = p->format, .width = p->width, .height = p->height, .layers = p->layers};
  if (p->what && (p->width > limit || p->height > limit))
    return hb_fail(HB_ERR_GL, "%s needs a texture of %d x %d texels, the limit of %s is %d", p->what,
                   p->width, p->height, caps->renderer, limit);
  glGenTextures(1, &texture->id);
  hb_gl_texture_bind(texture->id, p->shape, HB_GL_UNIT_OF_NONE);
  make_storage(p);
  HB_TRY(hb_gl_context_check(context, "making a texture"));
  if (!p->drawn) return HB_OK;
  return p->shape == HB_GL_LAYERS ? hb_gl_target_layers(context, texture, 0, p->layers, &texture->target)
                                  : hb_gl_target_textures(context, 1, texture, &texture->target);
}

enum hb_status hb_gl_texture_create(struct hb_gl_context *context, const struct hb_gl_texture_params *params,
                                    struct hb_gl_texture *texture)
{
  enum hb_status status = create(context, params, texture);
  if (status != HB_OK) hb_gl_texture_destroy(texture);
  return status;
}

enum hb_status hb_gl_texture_words(struct hb_gl_context *context, int width, int height, int layers,
                                   struct hb_gl_texture *texture)
{
  const struct hb_gl_texture_params params = {.what = "a pass",
                                              .shape = HB_GL_LAYERS,
                                              .format = HB_GL_RGBA32UI,
                                              .width = width,
                                              .height = height,
                                              .layers = layers,
                                              .drawn = 1};
  return hb_gl_texture_create(context, &params, texture);
}

void hb_gl_texture_destroy(struct hb_gl_texture *texture)
{
  hb_gl_target_destroy(&texture->target);
  if (texture->id) glDeleteTextures(1, &texture->id);
  *texture = (struct hb_gl_texture){0};
}

void hb_gl_texture_write(const struct hb_gl_texture *texture, int layer, int width, int height,
                         const void *data)
{
  const struct layout *layout = layout_of(texture->format);
  GLenum target = gl_targets[texture->shape], pixels = layout->pixels, type = layout->type;
  hb_gl_texture_bind(texture->id, texture->shape, HB_GL_UNIT_OF_NONE);
  if (texture->shape == HB_GL_LAYERS)
    glTexSubImage3D(target, 0, 0, 0, layer, width, height, 1, pixels, type, data);
  else
    glTexSubImage2D(target, 0, 0, 0, width, height, pixels, type, data);
}

/* ---- buffers ---- */

/* An odd number of 256 bytes, from 3 on: llvmpipe has a variant of each shader for texels that are a power of two in number,
 * and for bits 8 to 15 of the size all 0; here both are false for each buffer, so that one variant serves all sizes. */
static size_t room_for(size_t bytes) { return 256 + 512 * hb_max(1, hb_div_ceil(bytes, 512)); }

void hb_gl_buffer_fill(struct hb_gl_buffer *buffer, enum hb_gl_filled by, size_t bytes, const void *data)
{
  if (!buffer->id) glGenBuffers(1, &buffer->id);
  glBindBuffer(GL_ARRAY_BUFFER, buffer->id);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)room_for(bytes), NULL,
               by == HB_GL_BY_HOST ? GL_STREAM_DRAW : GL_DYNAMIC_COPY);
  if (data) glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, data);
  buffer->bytes = bytes;
}

void hb_gl_buffer_destroy(struct hb_gl_buffer *buffer)
{
  hb_gl_texture_destroy(&buffer->texture);
  if (buffer->id) glDeleteBuffers(1, &buffer->id);
  *buffer = (struct hb_gl_buffer){0};
}

void hb_gl_buffer_write(const struct hb_gl_buffer *buffer, size_t bytes, const void *data)
{
  glBindBuffer(GL_ARRAY_BUFFER, buffer->id);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, data); /* also for blocks and storage */
  if (buffer->is_copied) write_all_rows(&buffer->texture, bytes, data);
}

void hb_gl_buffer_read(const struct hb_gl_buffer *buffer, size_t offset, size_t bytes, void *data)
{
  glBindBuffer(GL_ARRAY_BUFFER, buffer->id);
  glGetBufferSubData(GL_ARRAY_BUFFER, (GLintptr)offset, (GLsizeiptr)bytes, data);
  read_back += bytes;
}

enum hb_status hb_gl_buffer_map(struct hb_gl_context *context, const struct hb_gl_buffer *buffer,
                                size_t bytes, void **room)
{
  if (buffer->is_copied) return map_rows(bytes, room);
  glBindBuffer(GL_ARRAY_BUFFER, buffer->id);
  *room = glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes,
                           GL_MAP_WRITE_BIT | (context->caps.software ? 0 : GL_MAP_INVALIDATE_BUFFER_BIT));
  if (*room) return HB_OK;
  HB_TRY(hb_gl_context_check(context, "mapping the particles' buffer"));
  return hb_fail(HB_ERR_DEVICE, "%s cannot map the particles' buffer", context->caps.renderer);
}

void hb_gl_buffer_unmap(const struct hb_gl_buffer *buffer)
{
  if (buffer->is_copied) {
    unmap_rows(buffer->id, &buffer->texture);
    return;
  }
  glBindBuffer(GL_ARRAY_BUFFER, buffer->id);
  glUnmapBuffer(GL_ARRAY_BUFFER);
}

static void lay_over(unsigned buffer, size_t bytes, enum hb_gl_format format, struct hb_gl_texture *texture)
{
  if (!texture->id) glGenTextures(1, &texture->id);
  texture->shape = HB_GL_BUFFER;
  texture->format = format;
  if (is_rows(HB_GL_BUFFER)) {
    reserve_rows(bytes, texture);
    copy_rows(buffer, bytes, texture);
    return;
  }
  hb_gl_texture_bind(texture->id, HB_GL_BUFFER, HB_GL_UNIT_OF_NONE);
  glTexBuffer(GL_TEXTURE_BUFFER, layout_of(format)->internal, buffer);
}

void hb_gl_texture_over(unsigned buffer, enum hb_gl_format format, struct hb_gl_texture *texture)
{
  GLint bytes = 0;
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  if (is_rows(HB_GL_BUFFER)) glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &bytes);
  lay_over(buffer, (size_t)bytes, format, texture);
}

void hb_gl_buffer_texture(struct hb_gl_buffer *buffer, enum hb_gl_format format)
{
  lay_over(buffer->id, buffer->bytes, format, &buffer->texture);
  buffer->is_copied = is_rows(HB_GL_BUFFER);
}

void hb_gl_target_copy(const struct hb_gl_target *target, int k, int width, int height,
                       const struct hb_gl_buffer *buffer, size_t offset)
{
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer->id);
  read_pixels(target, k, 0, 0, width, height, target->is_words ? HB_GL_WORDS : HB_GL_FLOATS, (void *)offset);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  if (buffer->is_copied) copy_rows(buffer->id, buffer->bytes, &buffer->texture);
}

void hb_gl_texture_copy(const struct hb_gl_texture *texture, const struct hb_gl_buffer *buffer)
{
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer->id);
  hb_gl_texture_write(texture, 0, texture->width, texture->height, NULL);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}
