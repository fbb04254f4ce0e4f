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

static void glfw_close(void *handle) { (void)handle; }
static enum hb_status make_current(void *handle) { return (void)handle, HB_OK; }
static void release(void *handle) { (void)handle; }
static hb_gl_function get_proc(const char *name) { return (void)name, (hb_gl_function)0; }

const struct hb_gl_backend hb_gl_glfw = {
    .name = "glfw",
    .open = glfw_open,
    .close = glfw_close,
    .make_current = make_current,
    .release = release,
    .get_proc = get_proc,
};

enum hb_status hb_gl_window_open(const struct hb_gl_window_params *params, struct hb_gl_window **window)
{
  (void)params;
  *window = NULL;
  return no_window();
}

/* Never called: there is no window. */
void hb_gl_window_close(struct hb_gl_window *w) { (void)w; }
struct hb_gl_context *hb_gl_window_context(struct hb_gl_window *w) { return (void)w, NULL; }
void hb_gl_window_poll(struct hb_gl_window *w, double wait_s) { (void)w, (void)wait_s; }
struct hb_gl_event hb_gl_window_next(struct hb_gl_window *w) { return (void)w, (struct hb_gl_event){0}; }
void hb_gl_window_push(struct hb_gl_window *w, const struct hb_gl_event *event) { (void)w, (void)event; }
void hb_gl_window_size(const struct hb_gl_window *w, int *width, int *height)
{
  (void)w;
  *width = *height = 0;
}
double hb_gl_window_scale(const struct hb_gl_window *w) { return (void)w, 1; }
void hb_gl_window_resize(struct hb_gl_window *w, int width, int height)
{
  (void)w, (void)width, (void)height;
}
void hb_gl_window_fill_screen(struct hb_gl_window *w, int fill) { (void)w, (void)fill; }
void hb_gl_window_set_title(struct hb_gl_window *w, const char *title) { (void)w, (void)title; }
void hb_gl_window_swap(struct hb_gl_window *w) { (void)w; }
