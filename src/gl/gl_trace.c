#include "gl/gl_trace.h"

#include "gl/gl.h"

const struct hb_gl_trace *hb_gl_trace;

void hb_gl_trace_tell(const struct hb_gl_trace_pass *pass)
{
  GLint program, framebuffer, viewport[4], unit;
  glGetIntegerv(GL_CURRENT_PROGRAM, &program);
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
  glGetIntegerv(GL_VIEWPORT, viewport);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &unit);
  hb_gl_trace->pass(hb_gl_trace->context, pass);
  glUseProgram((GLuint)program);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)framebuffer);
  glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  glActiveTexture((GLenum)unit);
}

int hb_gl_trace_columns(size_t n)
{
  size_t side = 1;
  while (side * side < n) side *= 2;
  return (int)side;
}
