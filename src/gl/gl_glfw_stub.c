/* Replaces gl_glfw.c where GLFW is not installed. */
#include "gl/gl_window.h"

static enum hb_status no_window(void)
{
  return hb_fail(HB_ERR_GL, "this build has no GLFW (install it and build again)");
}

static enum hb_status glfw_open(const char *device, int hardware, int debug, void **handle)
{
  (void)device, (void)hardware, (void)debug, (void)handle;
  return no_window();
}

const struct hb_gl_backend hb_gl_glfw = {.name = "glfw", .open = glfw_open};

static enum hb_status window_open(const struct hb_gl_window_params *params, struct hb_gl_window **window)
{
  (void)params, (void)window;
  return no_window();
}

const struct hb_gl_windows hb_gl_windows = {.open = window_open};
