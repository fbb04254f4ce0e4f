/* GLFW: the window system's own context, here behind a window that stays hidden. */
#include "gl/gl_context.h"

#include "base/mem.h"
#include "gl/gl_probe.h"
#include "gl/gl_software.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <stdlib.h>
#include <string.h>

static int open_windows; /* glfwTerminate after the last one, */
static int is_shared;    /* but never where the program had called glfwInit before us */

static enum hb_status fail(const char *what)
{
  const char *reason = NULL;
  glfwGetError(&reason);
  return hb_fail(HB_ERR_GL, "%s: %s", what, reason ? reason : "no reason given");
}

/* GLFW 3.4 tries Wayland before X11. Where no socket of Wayland's can be, its library says so on standard error. */
static void skip_wayland(void)
{
#ifdef GLFW_PLATFORM
  const char *folder = getenv("XDG_RUNTIME_DIR"), *display = getenv("WAYLAND_DISPLAY");
  if ((folder && *folder == '/') || (display && *display == '/')) return;
  if (glfwPlatformSupported(GLFW_PLATFORM_WAYLAND)) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

static int init(void)
{
  glfwGetError(NULL);
  glfwGetPrimaryMonitor(); /* no side effect but this error */
  is_shared = glfwGetError(NULL) != GLFW_NOT_INITIALIZED;
  if (!is_shared) skip_wayland();
  return glfwInit();
}

static void end(void)
{
  if (!is_shared) glfwTerminate();
}

static enum hb_status make_current(void *handle)
{
  glfwMakeContextCurrent(handle);
  return glfwGetCurrentContext() == handle ? HB_OK : fail("GLFW cannot make its context current");
}

static void release(void *handle)
{
  (void)handle;
  glfwMakeContextCurrent(NULL);
}

/* Best first. OpenGL ES is what small boards have instead. */
static const struct version {
  int api, major, minor;
} versions[] = {{GLFW_OPENGL_API, 4, 5},    {GLFW_OPENGL_API, 4, 3},   {GLFW_OPENGL_API, 4, 1},
                {GLFW_OPENGL_API, 4, 0},    {GLFW_OPENGL_API, 3, 3},   {GLFW_OPENGL_ES_API, 3, 2},
                {GLFW_OPENGL_ES_API, 3, 1}, {GLFW_OPENGL_ES_API, 3, 0}};
enum { VERSIONS = sizeof versions / sizeof *versions };

static GLFWwindow *open_window(const struct version *version, int debug)
{
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CLIENT_API, version->api);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, version->major);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, version->minor);
  if (version->api == GLFW_OPENGL_API) {
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE); /* Apple has no other core contexts */
  }
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, debug);
  return glfwCreateWindow(640, 480, "Holmberg", NULL, NULL);
}

static enum hb_status open_on(const char *device, int debug, void **handle)
{
  if (open_windows == 0 && !init()) return fail("GLFW found no window system");
  enum hb_status status = hb_gl_probe("glfw", device);
  GLFWwindow *window = NULL;
  for (int k = 0; status == HB_OK && k < VERSIONS && !window; k++) window = open_window(&versions[k], debug);
  if (!window) {
    if (status == HB_OK) status = fail("GLFW got no context of OpenGL 3.3 core or OpenGL ES 3.0");
    if (open_windows == 0) end();
    return status;
  }
  open_windows++;
  *handle = window;
  return make_current(window);
}

static enum hb_status glfw_open(const char *device, int hardware, int debug, void **handle)
{
  if (device && strcmp(device, "software") != 0)
    return hb_fail(
        HB_ERR_USAGE,
        "glfw opens on the window system's device, not on '%s' (expected software, or context egl)", device);
  (void)hardware; /* the caller checks the renderer */
  if (!device) return open_on(NULL, debug, handle);
  const struct hb_gl_software before = hb_gl_software_begin();
  enum hb_status status = open_on(device, debug, handle);
  hb_gl_software_end(&before);
  return status;
}

static void glfw_close(void *handle)
{
  if (!handle) return;
  release(handle);
  glfwDestroyWindow(handle);
  if (--open_windows == 0) end();
}

static hb_gl_function get_proc(const char *name) { return glfwGetProcAddress(name); }

const struct hb_gl_backend hb_gl_glfw = {
    .name = "glfw",
    .open = glfw_open,
    .close = glfw_close,
    .make_current = make_current,
    .release = release,
    .get_proc = get_proc,
};
