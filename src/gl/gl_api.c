/* The header of GLEW is used, its library is not: glewInit() knows contexts of GLX only, and its pointers are the process's,
 * so that two threads with contexts of two kinds, or the host program, would call each other's.
 *
 * For every function glX since GL 1.2, GLEW has a macro glX for a pointer __glewX; gl.h lets it name the field of a table of
 * this thread. hb_gl_api_load fills the functions listed there from the get_proc of the current context's back end:
 * OSMesaGetProcAddress, eglGetProcAddress, glfwGetProcAddress. The functions of GL 1.0 and 1.1 are not pointers in GLEW but
 * symbols of libGL: gl.h redirects them to a table of the same names, filled in the same way. Contexts of one back end share
 * pointers; hb_gl_context_use loads them again for another back end.
 *
 * A context of OpenGL ES 3 fills the same pointers: eglGetProcAddress returns them by the same names, with the same types.
 * What ES lacks is a field of struct hb_gl_caps, since a pointer does not tell, or is made here from what it has. */
#include "gl/gl_api.h"

#include "gl/gl.h"

#include <string.h>

_Thread_local struct hb_gl_core_11 hb_gl_core_11;
_Thread_local struct hb_gl_since_12 hb_gl_since_12;

static void GLAPIENTRY read_mapped(GLenum target, GLintptr offset, GLsizeiptr bytes, void *data)
{
  const void *mapped = glMapBufferRange(target, offset, bytes, GL_MAP_READ_BIT);
  if (!mapped) return; /* glGetError says so */
  memcpy(data, mapped, (size_t)bytes);
  glUnmapBuffer(target);
}

int hb_gl_api_is_es(void)
{
  const char *version = (const char *)glGetString(GL_VERSION);
  return version && strncmp(version, "OpenGL ES", 9) == 0;
}

enum hb_status hb_gl_api_load(hb_gl_get_proc get_proc)
{
  const char *missing = NULL;
#define LOAD_11(result, name, arguments)                                                                     \
  hb_gl_core_11.name = (result(GLAPIENTRY *) arguments)get_proc("gl" #name);                                 \
  if (!hb_gl_core_11.name) missing = "gl" #name;
  HB_GL_CORE_11(LOAD_11)
#define LOAD(type, name) hb_gl_since_12.__glew##name = (PFNGL##type##PROC)get_proc("gl" #name);
#define LOAD_33(type, name)                                                                                  \
  LOAD(type, name)                                                                                           \
  if (!hb_gl_since_12.__glew##name) missing = "gl" #name;
  HB_GL_33(LOAD_33)
  HB_GL_LATER(LOAD)
  if (missing)
    return hb_fail(HB_ERR_GL, "the OpenGL library has no %s, expected OpenGL 3.3 or ES 3.0", missing);
  if (hb_gl_api_is_es()) glGetBufferSubData = read_mapped;
  return HB_OK;
}
