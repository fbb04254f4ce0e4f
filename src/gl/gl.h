/* The only includer of <GL/glew.h>: types, constants and function pointers of OpenGL for the whole project.
 * gl_api.c says how the pointers are filled. */
#ifndef HB_GL_H
#define HB_GL_H

#include <GL/glew.h>

/* The GL 1.0/1.1 functions in use: result, name, arguments. */
#define HB_GL_CORE_11(X)                                                                                     \
  X(const GLubyte *, GetString, (GLenum name))                                                               \
  X(GLenum, GetError, (void))                                                                                \
  X(void, GetIntegerv, (GLenum name, GLint * values))                                                        \
  X(void, GenTextures, (GLsizei count, GLuint * textures))                                                   \
  X(void, DeleteTextures, (GLsizei count, const GLuint *textures))                                           \
  X(void, BindTexture, (GLenum target, GLuint texture))                                                      \
  X(void, TexParameteri, (GLenum target, GLenum name, GLint value))                                          \
  X(void, TexImage2D,                                                                                        \
    (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border, GLenum format, \
     GLenum type, const void *data))                                                                         \
  X(void, TexSubImage2D,                                                                                     \
    (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,             \
     GLenum type, const void *data))                                                                         \
  X(void, ReadBuffer, (GLenum source))                                                                       \
  X(void, ReadPixels,                                                                                        \
    (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *data))               \
  X(void, PixelStorei, (GLenum name, GLint value))                                                           \
  X(void, Viewport, (GLint x, GLint y, GLsizei width, GLsizei height))                                       \
  X(void, Clear, (GLbitfield mask))                                                                          \
  X(void, ClearColor, (GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha))                             \
  X(void, DrawArrays, (GLenum mode, GLint first, GLsizei count))                                             \
  X(void, BlendFunc, (GLenum source, GLenum destination))                                                    \
  X(void, Enable, (GLenum capability))                                                                       \
  X(void, Disable, (GLenum capability))                                                                      \
  X(void, Flush, (void))                                                                                     \
  X(void, Finish, (void))

struct hb_gl_core_11 {
#define HB_GL_FIELD(result, name, arguments) result(GLAPIENTRY *name) arguments;
  HB_GL_CORE_11(HB_GL_FIELD)
#undef HB_GL_FIELD
};

/* Of the context that is current. */
extern struct hb_gl_core_11 hb_gl_core_11;

#define glGetString      hb_gl_core_11.GetString
#define glGetError       hb_gl_core_11.GetError
#define glGetIntegerv    hb_gl_core_11.GetIntegerv
#define glGenTextures    hb_gl_core_11.GenTextures
#define glDeleteTextures hb_gl_core_11.DeleteTextures
#define glBindTexture    hb_gl_core_11.BindTexture
#define glTexParameteri  hb_gl_core_11.TexParameteri
#define glTexImage2D     hb_gl_core_11.TexImage2D
#define glTexSubImage2D  hb_gl_core_11.TexSubImage2D
#define glReadBuffer     hb_gl_core_11.ReadBuffer
#define glReadPixels     hb_gl_core_11.ReadPixels
#define glPixelStorei    hb_gl_core_11.PixelStorei
#define glViewport       hb_gl_core_11.Viewport
#define glClear          hb_gl_core_11.Clear
#define glClearColor     hb_gl_core_11.ClearColor
#define glDrawArrays     hb_gl_core_11.DrawArrays
#define glBlendFunc      hb_gl_core_11.BlendFunc
#define glEnable         hb_gl_core_11.Enable
#define glDisable        hb_gl_core_11.Disable
#define glFlush          hb_gl_core_11.Flush
#define glFinish         hb_gl_core_11.Finish

#endif
