#include "gl/gl_target.h"

#include "gl/gl.h"
#include "gl/gl_readback.h"

enum hb_status hb_gl_target_create(struct hb_gl_context *context, int count,
                                   const struct hb_gl_stream *streams, struct hb_gl_target *target)
{
  if (count > context->caps.max_draw_buffers || count > context->caps.max_color_attachments)
    return hb_fail(HB_ERR_GL, "a pass needs %d draw buffers, %s has %d", count, context->caps.renderer,
                   context->caps.max_draw_buffers);
  static const GLenum buffers[HB_GL_TARGET_MAX] = {
      GL_COLOR_ATTACHMENT0,     GL_COLOR_ATTACHMENT0 + 1, GL_COLOR_ATTACHMENT0 + 2, GL_COLOR_ATTACHMENT0 + 3,
      GL_COLOR_ATTACHMENT0 + 4, GL_COLOR_ATTACHMENT0 + 5, GL_COLOR_ATTACHMENT0 + 6, GL_COLOR_ATTACHMENT0 + 7};
  target->count = count;
  glGenFramebuffers(1, &target->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  for (int k = 0; k < count; k++)
    glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[k], hb_gl_stream_target(streams[k].kind),
                           streams[k].texture, 0);
  glDrawBuffers(count, buffers);
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    return hb_fail(HB_ERR_GL, "%s cannot render into float textures of %d channels (framebuffer status 0x%x)",
                   context->caps.renderer, streams[0].channels, (unsigned)status);
  return hb_gl_context_check(context, "making a framebuffer");
}

void hb_gl_target_destroy(struct hb_gl_target *target)
{
  if (target->framebuffer) glDeleteFramebuffers(1, &target->framebuffer);
  *target = (struct hb_gl_target){0};
}

static void use_target(const struct hb_gl_target *target, int width, int height)
{
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glViewport(0, 0, width, height);
}

void hb_gl_target_draw(const struct hb_gl_target *target, int width, int height)
{
  use_target(target, width, height);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void hb_gl_target_clear(const struct hb_gl_target *target)
{
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
}

void hb_gl_target_read(const struct hb_gl_target *target, int k, int width, int height, float *data)
{
  use_target(target, width, height);
  glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)k);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, data);
  hb_gl_readback_add((size_t)width * (size_t)height * 16);
}
