/* GLFW: the window system's own context, behind a window that stays hidden or is the visible one, whose callbacks fill a queue of
 * events. */
#include "gl/gl_window.h"

#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_probe.h"

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

/* ---- the visible window ------------------------------------------------------------------------------ */

enum { QUEUE = 256 };

struct hb_gl_window {
  struct hb_gl_context *context;
  GLFWwindow *glfw;
  struct hb_gl_event queue[QUEUE]; /* a ring */
  unsigned first, count;
  double x, y; /* points: the mouse as of the events so far; GLFW only has its position now */
  int moved;   /* 0: not known from an event yet */
  int left, top, width, height; /* before it filled the screen; width 0: it does not fill it */
};

/* ---- events ------------------------------------------------------------------------------------------ */

static void window_push(struct hb_gl_window *w, const struct hb_gl_event *event)
{
  if (w->count == QUEUE) { /* not read for long: the oldest are dropped */
    w->first = (w->first + 1) % QUEUE;
    w->count--;
  }
  w->queue[(w->first + w->count++) % QUEUE] = *event;
}

static struct hb_gl_event window_next(struct hb_gl_window *w)
{
  if (w->count == 0) return (struct hb_gl_event){.kind = HB_GL_EVENT_NONE};
  struct hb_gl_event event = w->queue[w->first];
  w->first = (w->first + 1) % QUEUE;
  w->count--;
  return event;
}

static void window_poll(struct hb_gl_window *w, double wait_s)
{
  if (wait_s > 0 && w->count == 0)
    glfwWaitEventsTimeout(wait_s);
  else
    glfwPollEvents();
}

static void push_key(GLFWwindow *glfw, int key)
{
  struct hb_gl_event event = {.kind = HB_GL_EVENT_KEY, .key = key};
  window_push(glfwGetWindowUserPointer(glfw), &event);
}

static void on_char(GLFWwindow *glfw, unsigned code)
{
  if (code >= ' ' && code <= '~') push_key(glfw, (int)code);
}

static void on_key(GLFWwindow *glfw, int key, int scancode, int action, int mods)
{
  static const struct {
    int glfw, key;
  } keys[] = {{GLFW_KEY_ESCAPE, HB_GL_KEY_ESCAPE}, {GLFW_KEY_LEFT, HB_GL_KEY_LEFT},
              {GLFW_KEY_RIGHT, HB_GL_KEY_RIGHT},   {GLFW_KEY_UP, HB_GL_KEY_UP},
              {GLFW_KEY_DOWN, HB_GL_KEY_DOWN},     {GLFW_KEY_HOME, HB_GL_KEY_HOME},
              {GLFW_KEY_END, HB_GL_KEY_END}};
  (void)scancode, (void)mods;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (action != GLFW_RELEASE && keys[k].glfw == key) push_key(glfw, keys[k].key);
}

/* Pixels a point: GLFW counts the mouse in points where a screen has more pixels than that. */
static void pixels_a_point(GLFWwindow *glfw, double *x, double *y)
{
  int points[2], pixels[2];
  glfwGetWindowSize(glfw, &points[0], &points[1]);
  glfwGetFramebufferSize(glfw, &pixels[0], &pixels[1]);
  *x = points[0] > 0 ? (double)pixels[0] / points[0] : 1;
  *y = points[1] > 0 ? (double)pixels[1] / points[1] : 1;
}

static void push_at(GLFWwindow *glfw, double x, double y, struct hb_gl_event event)
{
  double sx, sy;
  pixels_a_point(glfw, &sx, &sy);
  event.x = x * sx;
  event.y = y * sy;
  window_push(glfwGetWindowUserPointer(glfw), &event);
}

static void on_move(GLFWwindow *glfw, double x, double y)
{
  struct hb_gl_window *w = glfwGetWindowUserPointer(glfw);
  w->x = x;
  w->y = y;
  w->moved = 1;
  push_at(glfw, x, y, (struct hb_gl_event){.kind = HB_GL_EVENT_MOVE});
}

static void on_button(GLFWwindow *glfw, int button, int action, int mods)
{
  if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
  struct hb_gl_window *w = glfwGetWindowUserPointer(glfw);
  if (!w->moved) glfwGetCursorPos(glfw, &w->x, &w->y);
  push_at(glfw, w->x, w->y,
          (struct hb_gl_event){.kind = action == GLFW_PRESS ? HB_GL_EVENT_PRESS : HB_GL_EVENT_RELEASE,
                               .button = button == GLFW_MOUSE_BUTTON_LEFT    ? HB_GL_BUTTON_LEFT
                                         : button == GLFW_MOUSE_BUTTON_RIGHT ? HB_GL_BUTTON_RIGHT
                                                                             : HB_GL_BUTTON_MIDDLE,
                               .shift = (mods & GLFW_MOD_SHIFT) != 0});
}

static void on_wheel(GLFWwindow *glfw, double dx, double dy)
{
  (void)dx;
  struct hb_gl_event event = {.kind = HB_GL_EVENT_WHEEL, .y = dy};
  window_push(glfwGetWindowUserPointer(glfw), &event);
}

static void on_resize(GLFWwindow *glfw, int width, int height)
{
  struct hb_gl_event event = {.kind = HB_GL_EVENT_RESIZE, .x = width, .y = height};
  window_push(glfwGetWindowUserPointer(glfw), &event);
}

static void on_close(GLFWwindow *glfw)
{
  struct hb_gl_event event = {.kind = HB_GL_EVENT_CLOSE};
  window_push(glfwGetWindowUserPointer(glfw), &event);
}

/* ---- the window -------------------------------------------------------------------------------------- */

static enum hb_status window_open(const struct hb_gl_window_params *params, struct hb_gl_window **window)
{
  struct hb_gl_window *w;
  *window = NULL;
  HB_TRY(HB_ALLOC(1, &w));
  const struct hb_gl_context_params gl = {.context = "glfw", .debug = params->debug};
  enum hb_status status = hb_gl_context_open(&gl, &w->context);
  if (status != HB_OK) {
    hb_mem_free(w);
    return status;
  }
  w->glfw = w->context->handle; /* as open_on() has it */
  glfwSetWindowUserPointer(w->glfw, w);
  glfwSetCharCallback(w->glfw, on_char);
  glfwSetKeyCallback(w->glfw, on_key);
  glfwSetCursorPosCallback(w->glfw, on_move);
  glfwSetMouseButtonCallback(w->glfw, on_button);
  glfwSetScrollCallback(w->glfw, on_wheel);
  glfwSetFramebufferSizeCallback(w->glfw, on_resize);
  glfwSetWindowCloseCallback(w->glfw, on_close);
  glfwSetWindowTitle(w->glfw, params->title);
  glfwSetWindowSize(w->glfw, params->width, params->height);
  glfwShowWindow(w->glfw);
  glfwSwapInterval(0);
  hb_gl_context_show(w->context);
  *window = w;
  return HB_OK;
}

static void window_close(struct hb_gl_window *w)
{
  if (!w) return;
  hb_gl_context_show(NULL);
  hb_gl_context_close(w->context);
  hb_mem_free(w);
}

static struct hb_gl_context *window_context(struct hb_gl_window *w) { return w->context; }

static void window_size(const struct hb_gl_window *w, int *width, int *height)
{
  glfwGetFramebufferSize(w->glfw, width, height);
}

static double window_scale(const struct hb_gl_window *w)
{
  float x = 1, y = 1;
  glfwGetWindowContentScale(w->glfw, &x, &y);
  return x > y ? (double)x : (double)y;
}

static void window_resize(struct hb_gl_window *w, int width, int height)
{
  double sx, sy;
  pixels_a_point(w->glfw, &sx, &sy);
  glfwSetWindowSize(w->glfw, (int)(width / sx), (int)(height / sy));
}

static void window_fill_screen(struct hb_gl_window *w, int fill)
{
  if (fill == (w->width > 0)) return;
  if (fill) {
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (!mode) return;
    glfwGetWindowPos(w->glfw, &w->left, &w->top);
    glfwGetWindowSize(w->glfw, &w->width, &w->height);
    glfwSetWindowMonitor(w->glfw, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  } else {
    glfwSetWindowMonitor(w->glfw, NULL, w->left, w->top, w->width, w->height, GLFW_DONT_CARE);
    w->width = 0;
  }
  glfwSwapInterval(0);
}

static void window_set_title(struct hb_gl_window *w, const char *title)
{
  glfwSetWindowTitle(w->glfw, title);
}

static void window_swap(struct hb_gl_window *w)
{
  glFinish();
  glfwSwapBuffers(w->glfw);
}

const struct hb_gl_windows hb_gl_windows = {window_open,   window_close,       window_context,   window_poll,
                                            window_next,   window_push,        window_size,      window_scale,
                                            window_resize, window_fill_screen, window_set_title, window_swap};
