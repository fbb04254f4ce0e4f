/* The only includer of <GL/glew.h>: types, constants and function pointers of OpenGL for the whole project.
 * gl_context.c says how the pointers are filled. */
#ifndef HB_GL_H
#define HB_GL_H

#define GLEW_GET_FUN(pointer) (hb_gl_since_12.pointer) /* what GLEW's macros stand for */
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

/* Functions that GL 3.3 and ES 3.0 both have, but for glGetBufferSubData, which gl_context.c makes for ES: as the middle of
 * their PFNGL...PROC type and as their name. */
#define HB_GL_33(X)                                                                                          \
  X(ACTIVETEXTURE, ActiveTexture)                                                                            \
  X(ATTACHSHADER, AttachShader)                                                                              \
  X(BEGINQUERY, BeginQuery)                                                                                  \
  X(BINDBUFFER, BindBuffer)                                                                                  \
  X(BINDBUFFERBASE, BindBufferBase)                                                                          \
  X(BINDBUFFERRANGE, BindBufferRange)                                                                        \
  X(BINDFRAMEBUFFER, BindFramebuffer)                                                                        \
  X(BINDVERTEXARRAY, BindVertexArray)                                                                        \
  X(BLENDFUNCSEPARATE, BlendFuncSeparate)                                                                    \
  X(BUFFERDATA, BufferData)                                                                                  \
  X(BUFFERSUBDATA, BufferSubData)                                                                            \
  X(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus)                                                          \
  X(CLEARBUFFERUIV, ClearBufferuiv)                                                                          \
  X(CLIENTWAITSYNC, ClientWaitSync)                                                                          \
  X(COMPILESHADER, CompileShader)                                                                            \
  X(COPYBUFFERSUBDATA, CopyBufferSubData)                                                                    \
  X(CREATEPROGRAM, CreateProgram)                                                                            \
  X(CREATESHADER, CreateShader)                                                                              \
  X(DELETEBUFFERS, DeleteBuffers)                                                                            \
  X(DELETEFRAMEBUFFERS, DeleteFramebuffers)                                                                  \
  X(DELETEPROGRAM, DeleteProgram)                                                                            \
  X(DELETEQUERIES, DeleteQueries)                                                                            \
  X(DELETESHADER, DeleteShader)                                                                              \
  X(DELETESYNC, DeleteSync)                                                                                  \
  X(DELETEVERTEXARRAYS, DeleteVertexArrays)                                                                  \
  X(DRAWBUFFERS, DrawBuffers)                                                                                \
  X(ENDQUERY, EndQuery)                                                                                      \
  X(FENCESYNC, FenceSync)                                                                                    \
  X(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D)                                                              \
  X(FRAMEBUFFERTEXTURELAYER, FramebufferTextureLayer)                                                        \
  X(GENBUFFERS, GenBuffers)                                                                                  \
  X(GENFRAMEBUFFERS, GenFramebuffers)                                                                        \
  X(GENQUERIES, GenQueries)                                                                                  \
  X(GENVERTEXARRAYS, GenVertexArrays)                                                                        \
  X(GETBUFFERSUBDATA, GetBufferSubData)                                                                      \
  X(GETBUFFERPARAMETERIV, GetBufferParameteriv)                                                              \
  X(GETPROGRAMINFOLOG, GetProgramInfoLog)                                                                    \
  X(GETPROGRAMIV, GetProgramiv)                                                                              \
  X(GETQUERYOBJECTUIV, GetQueryObjectuiv)                                                                    \
  X(GETSHADERINFOLOG, GetShaderInfoLog)                                                                      \
  X(GETSHADERIV, GetShaderiv)                                                                                \
  X(GETSTRINGI, GetStringi)                                                                                  \
  X(GETUNIFORMBLOCKINDEX, GetUniformBlockIndex)                                                              \
  X(GETUNIFORMLOCATION, GetUniformLocation)                                                                  \
  X(LINKPROGRAM, LinkProgram)                                                                                \
  X(MAPBUFFERRANGE, MapBufferRange)                                                                          \
  X(SHADERSOURCE, ShaderSource)                                                                              \
  X(TEXIMAGE3D, TexImage3D)                                                                                  \
  X(TEXSUBIMAGE3D, TexSubImage3D)                                                                            \
  X(UNIFORM1FV, Uniform1fv)                                                                                  \
  X(UNIFORM1IV, Uniform1iv)                                                                                  \
  X(UNIFORM1UIV, Uniform1uiv)                                                                                \
  X(UNIFORM2FV, Uniform2fv)                                                                                  \
  X(UNIFORM2IV, Uniform2iv)                                                                                  \
  X(UNIFORM4FV, Uniform4fv)                                                                                  \
  X(UNIFORM4IV, Uniform4iv)                                                                                  \
  X(UNIFORM1I, Uniform1i)                                                                                    \
  X(UNIFORM4UIV, Uniform4uiv)                                                                                \
  X(UNIFORMBLOCKBINDING, UniformBlockBinding)                                                                \
  X(UNMAPBUFFER, UnmapBuffer)                                                                                \
  X(USEPROGRAM, UseProgram)

/* Functions that newer contexts have; the context's capabilities say whether they may be called. */
#define HB_GL_LATER(X)                                                                                       \
  X(BUFFERSTORAGE, BufferStorage)                                                                            \
  X(DEBUGMESSAGECALLBACK, DebugMessageCallback)                                                              \
  X(DISPATCHCOMPUTE, DispatchCompute)                                                                        \
  X(FRAMEBUFFERPARAMETERI, FramebufferParameteri)                                                            \
  X(GETGRAPHICSRESETSTATUS, GetGraphicsResetStatus)                                                          \
  X(MEMORYBARRIER, MemoryBarrier)                                                                            \
  X(TEXBUFFER, TexBuffer)                                                                                    \
  X(TEXTUREBARRIER, TextureBarrier)

struct hb_gl_core_11 {
#define HB_GL_FIELD(result, name, arguments) result(GLAPIENTRY *name) arguments;
  HB_GL_CORE_11(HB_GL_FIELD)
#undef HB_GL_FIELD
};

struct hb_gl_since_12 {
#define HB_GL_FIELD(type, name) PFNGL##type##PROC __glew##name;
  HB_GL_33(HB_GL_FIELD)
  HB_GL_LATER(HB_GL_FIELD)
#undef HB_GL_FIELD
};

/* Of the context that is current in this thread. */
extern _Thread_local struct hb_gl_core_11 hb_gl_core_11;
extern _Thread_local struct hb_gl_since_12 hb_gl_since_12;

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
