#include "gl/gl_layers.h"

#include "gl/gl.h"
#include "gl/gl_readback.h"

enum { MOST = 8 };

enum hb_status hb_gl_layers_create(struct hb_gl_context *context, int width, int height, int count,
                                   struct hb_gl_layers *layers)
{
  const struct hb_gl_caps *caps = &context->caps;
  struct hb_gl_layers l = {.width = width, .height = height, .count = count};
  *layers = (struct hb_gl_layers){0};
  int most = caps->max_draw_buffers < caps->max_color_attachments ? caps->max_draw_buffers
                                                                  : caps->max_color_attachments;
  if (most > MOST) most = MOST;
  if (count > most)
    return hb_fail(HB_ERR_GL, "a pass needs %d draw buffers, the limit of %s is %d", count, caps->renderer,
                   most);
  if (width > caps->max_texture_size || height > caps->max_texture_size)
    return hb_fail(HB_ERR_GL, "a pass needs %d x %d texels, the limit of %s is %d", width, height,
                   caps->renderer, caps->max_texture_size);
  glGenTextures(1, &l.texture);
  glBindTexture(GL_TEXTURE_2D_ARRAY, l.texture);
  glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA32UI, width, height, count, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
               NULL);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glGenFramebuffers(1, &l.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, l.framebuffer);
  GLenum buffers[MOST];
  for (int k = 0; k < count; k++) {
    buffers[k] = GL_COLOR_ATTACHMENT0 + (GLenum)k;
    glFramebufferTextureLayer(GL_FRAMEBUFFER, buffers[k], l.texture, 0, k);
  }
  glDrawBuffers(count, buffers);
  *layers = l;
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return hb_fail(HB_ERR_GL, "%s cannot render into %d integer textures at once", caps->renderer, count);
  return hb_gl_context_check(context, "making a stack of textures");
}

void hb_gl_layers_destroy(struct hb_gl_layers *layers)
{
  if (layers->framebuffer) glDeleteFramebuffers(1, &layers->framebuffer);
  if (layers->texture) glDeleteTextures(1, &layers->texture);
  *layers = (struct hb_gl_layers){0};
}

void hb_gl_layers_draw(const struct hb_gl_layers *layers, int width, int height)
{
  hb_gl_layers_draw_rows(layers, 0, width, height);
}

void hb_gl_layers_draw_rows(const struct hb_gl_layers *layers, int row, int width, int height)
{
  glBindFramebuffer(GL_FRAMEBUFFER, layers->framebuffer);
  glViewport(0, row, width, height);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void hb_gl_layers_bind(const struct hb_gl_layers *layers, int unit)
{
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(GL_TEXTURE_2D_ARRAY, layers->texture);
}

/* To the host, or behind `to` in the buffer that is bound. */
static void read_layer(const struct hb_gl_layers *layers, int k, int row, int width, int height, void *to)
{
  glBindFramebuffer(GL_FRAMEBUFFER, layers->framebuffer);
  glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)k);
  glReadPixels(0, row, width, height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, to);
}

void hb_gl_layers_read(const struct hb_gl_layers *layers, int k, int row, int width, int height,
                       uint32_t *words)
{
  read_layer(layers, k, row, width, height, words);
  hb_gl_readback_add((size_t)width * (size_t)height * 16);
}

void hb_gl_layers_copy(const struct hb_gl_layers *layers, int k, int width, int height, unsigned buffer,
                       size_t offset)
{
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
  read_layer(layers, k, 0, width, height, (void *)offset);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void hb_gl_layers_write(const struct hb_gl_layers *layers, int k, int width, int height,
                        const uint32_t *words)
{
  glBindTexture(GL_TEXTURE_2D_ARRAY, layers->texture);
  glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, k, width, height, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words);
}
