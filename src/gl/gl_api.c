/* GLEW is the loader, for its header and its pointers; glewInit() is not, since it knows contexts of GLX only.
 *
 * For every function glX since GL 1.2, GLEW has a pointer __glewX, and glX is a macro for it. hb_gl_api_load fills those
 * listed here from the get_proc of the current context's back end: OSMesaGetProcAddress, eglGetProcAddress,
 * glfwGetProcAddress. The functions of GL 1.0 and 1.1 are not pointers in GLEW but symbols of libGL, which is not loaded
 * for OSMesa, nor for EGL without GLVND: gl.h redirects them to a table of the same names, filled in the same way.
 * Contexts of one back end share pointers; hb_gl_context_use loads them again for another back end.
 *
 * A context of OpenGL ES 3 would fill the same pointers: eglGetProcAddress returns them by the same names, with the same
 * types. What ES lacks (texture buffers before 3.2, rectangle textures, glGetBufferSubData) has to be a field of
 * struct hb_gl_caps; a pointer does not tell. */
#include "gl/gl_api.h"

#include "gl/gl.h"

struct hb_gl_core_11 hb_gl_core_11;

/* Functions of GL 1.2 to 3.3, as the middle of their PFNGL...PROC type and as their name. */
#define GL_33(X)                                                                                             \
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
  X(TEXBUFFER, TexBuffer)                                                                                    \
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
#define GL_NEWER(X)                                                                                          \
  X(BUFFERSTORAGE, BufferStorage)                                                                            \
  X(DEBUGMESSAGECALLBACK, DebugMessageCallback)                                                              \
  X(DISPATCHCOMPUTE, DispatchCompute)                                                                        \
  X(FRAMEBUFFERPARAMETERI, FramebufferParameteri)                                                            \
  X(GETGRAPHICSRESETSTATUS, GetGraphicsResetStatus)                                                          \
  X(MEMORYBARRIER, MemoryBarrier)

enum hb_status hb_gl_api_load(hb_gl_get_proc get_proc)
{
  const char *missing = NULL;
#define LOAD_11(result, name, arguments)                                                                     \
  hb_gl_core_11.name = (result(GLAPIENTRY *) arguments)get_proc("gl" #name);                                 \
  if (!hb_gl_core_11.name) missing = "gl" #name;
  HB_GL_CORE_11(LOAD_11)
#define LOAD(type, name) __glew##name = (PFNGL##type##PROC)get_proc("gl" #name);
#define LOAD_33(type, name)                                                                                  \
  LOAD(type, name)                                                                                           \
  if (!__glew##name) missing = "gl" #name;
  GL_33(LOAD_33)
  GL_NEWER(LOAD)
  if (missing) return hb_fail(HB_ERR_GL, "the OpenGL library has no %s, expected OpenGL 3.3", missing);
  return HB_OK;
}
