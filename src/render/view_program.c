#include "render/view_program.h"

#include "gl/gl.h"
#include "gl/gl_reload.h"

#include <stdio.h>

static const struct {
  const char *name;
  enum hb_view_unit unit;
} samplers[] = {{"particles", HB_VIEW_UNIT_PARTICLES},
                {"positions", HB_VIEW_UNIT_PARTICLES},
                {"source", HB_VIEW_UNIT_PARTICLES},
                {"velocities", HB_VIEW_UNIT_VELOCITIES},
                {"glow", HB_VIEW_UNIT_VELOCITIES},
                {"before", HB_VIEW_UNIT_VELOCITIES},
                {"masses", HB_VIEW_UNIT_MASSES},
                {"white", HB_VIEW_UNIT_MASSES},
                {"values", HB_VIEW_UNIT_VALUES},
                {"order", HB_VIEW_UNIT_ORDER},
                {"palette", HB_VIEW_UNIT_PALETTE},
                {"haze", HB_VIEW_UNIT_PALETTE},
                {"ring", HB_VIEW_UNIT_RING}};

static enum hb_status adopt(void *owner, unsigned program)
{
  (void)owner; /* other uniforms are looked up where they are set */
  glUseProgram(program);
  for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++)
    hb_view_set_int(program, samplers[k].name, HB_VIEW_UNIT_FIRST + (int)samplers[k].unit);
  return HB_OK;
}

enum hb_status hb_view_program_build(struct hb_gl_context *context, const char *vertex, const char *fragment,
                                     const char *defines, unsigned *program)
{
  char vertex_path[64] = "fullscreen.vert", fragment_path[64];
  if (vertex) snprintf(vertex_path, sizeof vertex_path, "view/%s.vert", vertex);
  snprintf(fragment_path, sizeof fragment_path, "view/%s.frag", fragment);
  const struct hb_gl_program_source source = {
      .vertex = vertex_path, .fragment = fragment_path, .defines = defines};
  return hb_gl_reload_build(context, &source, adopt, NULL, program);
}

void hb_view_bind(enum hb_view_unit unit, unsigned target, unsigned texture)
{
  glActiveTexture(GL_TEXTURE0 + HB_VIEW_UNIT_FIRST + (GLenum)unit);
  glBindTexture(target, texture);
}

void hb_view_set_int(unsigned program, const char *name, int value)
{
  glUniform1i(glGetUniformLocation(program, name), value);
}

void hb_view_set_float(unsigned program, const char *name, double value)
{
  glUniform1f(glGetUniformLocation(program, name), (float)value);
}

void hb_view_set(unsigned program, const char *name, double x, double y, double z, double w)
{
  glUniform4f(glGetUniformLocation(program, name), (float)x, (float)y, (float)z, (float)w);
}
