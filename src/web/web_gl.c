/* WebGL 2, the OpenGL ES 3.0 of browsers, on the canvas of the page: the only context that a page has. What it lacks is made
 * here from what it has. */
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_context.h"
#include "web/web_turn.h"

#include <emscripten.h>
#include <emscripten/html5_webgl.h>
#include <string.h>

static EMSCRIPTEN_WEBGL_CONTEXT_HANDLE canvas; /* 0: not opened yet */

/* ---- buffers: there are no maps, but getBufferSubData ---- */

static struct {
  void *memory;
  GLenum target;
  GLintptr offset;
  GLsizeiptr bytes;
  int is_written;
} map; /* one at a time */

EM_JS(void, web_read_buffer, (int target, int offset, int bytes, void *data),
      { GLctx.getBufferSubData(target, offset, HEAPU8, data, bytes); });

static void GLAPIENTRY read_buffer(GLenum target, GLintptr offset, GLsizeiptr bytes, void *data)
{
  web_read_buffer((int)target, (int)offset, (int)bytes, data);
}

static void *GLAPIENTRY map_buffer(GLenum target, GLintptr offset, GLsizeiptr bytes, GLbitfield access)
{
  uint8_t *memory;
  if (map.memory || HB_ALLOC((size_t)bytes, &memory) != HB_OK) return NULL;
  map.memory = memory;
  map.target = target;
  map.offset = offset;
  map.bytes = bytes;
  map.is_written = (access & GL_MAP_WRITE_BIT) != 0;
  if (access & GL_MAP_READ_BIT) read_buffer(target, offset, bytes, memory);
  return memory;
}

static GLboolean GLAPIENTRY unmap_buffer(GLenum target)
{
  if (map.is_written) glBufferSubData(target, map.offset, map.bytes, map.memory);
  hb_mem_free(map.memory);
  map.memory = NULL;
  return GL_TRUE;
}

/* ---- waiting ---- */

/* A browser's glFinish waits for nothing; reading a pixel does. */
EM_JS(void, web_finish, (void), {
  if (!Module.pixel) {
    Module.pixel = GLctx.createFramebuffer();
    const texture = GLctx.createTexture(), bound = GLctx.getParameter(GLctx.TEXTURE_BINDING_2D);
    GLctx.bindTexture(GLctx.TEXTURE_2D, texture);
    GLctx.texStorage2D(GLctx.TEXTURE_2D, 1, GLctx.RGBA8, 1, 1);
    GLctx.bindTexture(GLctx.TEXTURE_2D, bound);
    GLctx.bindFramebuffer(GLctx.READ_FRAMEBUFFER, Module.pixel);
    GLctx.framebufferTexture2D(GLctx.READ_FRAMEBUFFER, GLctx.COLOR_ATTACHMENT0, GLctx.TEXTURE_2D, texture, 0);
  }
  GLctx.bindFramebuffer(GLctx.READ_FRAMEBUFFER, Module.pixel);
  GLctx.readPixels(0, 0, 1, 1, GLctx.RGBA, GLctx.UNSIGNED_BYTE, new Uint8Array(4));
  GLctx.bindFramebuffer(GLctx.READ_FRAMEBUFFER, GLctx.getParameter(GLctx.DRAW_FRAMEBUFFER_BINDING));
});

static void GLAPIENTRY finish(void) { web_finish(); }

/* ---- errors: asking takes as long as reading a result ---- */

static int trusted;

void hb_web_trust(int trust) { trusted = trust; }

static GLenum (*ask_error)(void);

static GLenum GLAPIENTRY get_error(void)
{
  if (emscripten_is_webgl_context_lost(canvas)) return GL_CONTEXT_LOST;
  return trusted ? GL_NO_ERROR : ask_error();
}

/* ---- names: the real ones are behind an extension ---- */

enum { UNMASKED_VENDOR = 0x9245, UNMASKED_RENDERER = 0x9246 };

static const GLubyte *(*ask_string)(GLenum name);

static const GLubyte *GLAPIENTRY get_string(GLenum name)
{
  GLenum real = name == GL_VENDOR ? UNMASKED_VENDOR : name == GL_RENDERER ? UNMASKED_RENDERER : name;
  const GLubyte *string = ask_string(real);
  return string && *string ? string : ask_string(name);
}

static hb_gl_function get_proc(const char *name)
{
  static const struct {
    const char *name;
    hb_gl_function ours;
  } ours[] = {
      {"glGetBufferSubData", (hb_gl_function)read_buffer}, {"glMapBufferRange", (hb_gl_function)map_buffer},
      {"glUnmapBuffer", (hb_gl_function)unmap_buffer},     {"glFinish", (hb_gl_function)finish},
      {"glGetError", (hb_gl_function)get_error},           {"glGetString", (hb_gl_function)get_string}};
  if (!ask_string) ask_string = (const GLubyte *(*)(GLenum))emscripten_webgl_get_proc_address("glGetString");
  if (!ask_error) ask_error = (GLenum(*)(void))emscripten_webgl_get_proc_address("glGetError");
  for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
    if (strcmp(ours[k].name, name) == 0) return ours[k].ours;
  return (hb_gl_function)emscripten_webgl_get_proc_address(name);
}

/* ---- the context ---- */

/* Of the page's script, and in a worker the only one there is. */
EM_JS(void, web_canvas, (void), { specialHTMLTargets["#canvas"] = Module.canvas; });

static enum hb_status open_canvas(void)
{
  web_canvas();
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  attributes.alpha = attributes.depth = attributes.stencil = attributes.antialias = 0;
  attributes.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
  attributes.preserveDrawingBuffer = 1; /* for pictures and movies of it */
  canvas = emscripten_webgl_create_context("#canvas", &attributes);
  if (canvas <= 0) canvas = 0;
  return canvas ? HB_OK : hb_fail(HB_ERR_GL, "this browser does not offer WebGL 2");
}

/* Also for a context that was lost and is back: it has no extensions, and the errors of deleting what it had. */
static void renew(void)
{
  static const char *const wanted[] = {"EXT_color_buffer_float", "EXT_float_blend",
                                       "OES_texture_float_linear", "WEBGL_debug_renderer_info"};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
    emscripten_webgl_enable_extension(canvas, wanted[k]);
  for (int k = 0; k < 100 && ask_error() != GL_NO_ERROR; k++) {
  }
}

static enum hb_status make_current(void *handle)
{
  (void)handle;
  if (emscripten_webgl_make_context_current(canvas) == EMSCRIPTEN_RESULT_SUCCESS) return HB_OK;
  return hb_fail(HB_ERR_GL, "the browser does not make WebGL current");
}

static enum hb_status web_open(const char *device, int hardware, int debug, void **handle)
{
  (void)device, (void)hardware, (void)debug;
  if (!canvas) HB_TRY(open_canvas());
  *handle = &canvas;
  HB_TRY(make_current(*handle));
  get_proc("glGetError");
  renew();
  return HB_OK;
}

/* The canvas has one context for good. */
static void web_close(void *handle) { (void)handle; }
static void release(void *handle) { (void)handle; }

static const struct hb_gl_backend webgl = {
    .name = "webgl",
    .open = web_open,
    .close = web_close,
    .make_current = make_current,
    .release = release,
    .get_proc = get_proc,
    .breathe = hb_web_breathe,
};

const struct hb_gl_backend *const hb_gl_backends[] = {&webgl, NULL};
