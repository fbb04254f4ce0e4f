#include "render/plate.h"

#include "gl/gl.h"

/* Blending is part of OpenGL 3.3 for each of them, but drivers for small hardware lack it for floats, first in 32 bits. */
const struct hb_plate_format hb_plate_formats[] = {
    {"RGBA32F", GL_RGBA32F, 1},
    {"RGBA16F", GL_RGBA16F, 1},
    {"RGBA16", GL_RGBA16, 1. / 64}, /* 64 stars in one place, each of 1024 steps */
    {NULL, 0, 0},
};

enum hb_status hb_plate_create(struct hb_gl_context *context, unsigned internal, int width, int height,
                               struct hb_plate *plate)
{
  struct hb_plate p = {.width = width, .height = height};
  *plate = p;
  int most = context->caps.max_texture_size;
  if (width > most || height > most)
    return hb_fail(HB_ERR_GL, "a picture needs a texture of %d x %d texels, the limit of %s is %d", width,
                   height, context->caps.renderer, most);
  HB_TRY(hb_gl_context_check(context, "before a picture's texture is made"));
  glGenTextures(1, &p.texture);
  glBindTexture(GL_TEXTURE_2D, p.texture);
  glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glGenFramebuffers(1, &p.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, p.framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p.texture, 0);
  *plate = p;
  HB_TRY(hb_gl_context_check(context, "making a picture's texture"));
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    return hb_fail(HB_ERR_GL, "%s cannot draw into a texture of %d x %d texels (framebuffer status 0x%x)",
                   context->caps.renderer, width, height, (unsigned)status);
  return HB_OK;
}

void hb_plate_destroy(struct hb_plate *plate)
{
  if (plate->framebuffer) glDeleteFramebuffers(1, &plate->framebuffer);
  if (plate->texture) glDeleteTextures(1, &plate->texture);
  *plate = (struct hb_plate){0};
}

void hb_plate_use(const struct hb_plate *plate)
{
  glBindFramebuffer(GL_FRAMEBUFFER, plate->framebuffer);
  glViewport(0, 0, plate->width, plate->height);
}

void hb_plate_clear(const struct hb_plate *plate)
{
  hb_plate_use(plate);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
}

void hb_plate_add_up(void)
{
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
}

void hb_plate_replace(void) { glDisable(GL_BLEND); }
