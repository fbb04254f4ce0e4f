/* Scripts of `holmberg view` in a viewer without a window, where the actions themselves do nothing. */
#include "fuzz/fuzz.h"

#include "base/clock.h"
#include "viewer/view.h"

#include <stdio.h>

static struct hb_view view;
static uint64_t clock_ticks;

FAKE(hb_clock_now);
FAKE(hb_gl_windows);
FAKE(hb_view_input);
FAKE(hb_view_show);
FAKE(hb_view_picture_save);
FAKE(hb_view_step);
FAKE(hb_view_run);
FAKE(hb_view_record);
FAKE(hb_view_diagnose);

/* Without waiting. */
double __wrap_hb_clock_now(void) { return (double)++clock_ticks; }
static void window_poll(struct hb_gl_window *window, double wait_s) { (void)window, (void)wait_s; }

static void window_push(struct hb_gl_window *window, const struct hb_gl_event *event)
{
  (void)window;
  if (event->kind == HB_GL_EVENT_CLOSE) view.done = 1;
}

static void window_resize(struct hb_gl_window *window, int width, int height)
{
  (void)window;
  view.window.width = width;
  view.window.height = height;
}

const struct hb_gl_windows __wrap_hb_gl_windows = {
    .poll = window_poll, .push = window_push, .resize = window_resize};

enum hb_status __wrap_hb_view_input(struct hb_view *v) { return (void)v, HB_OK; }
enum hb_status __wrap_hb_view_picture_save(struct hb_view *v, const char *path)
{
  return (void)v, (void)path, HB_OK;
}
enum hb_status __wrap_hb_view_record(struct hb_view *v, const char *path)
{
  return (void)v, (void)path, HB_OK;
}
enum hb_status __wrap_hb_view_step(struct hb_view *v) { return (void)v, HB_OK; }
enum hb_status __wrap_hb_view_diagnose(struct hb_view *v) { return (void)v, HB_OK; }

enum hb_status __wrap_hb_view_run(struct hb_view *v, double seconds) { return (void)v, (void)seconds, HB_OK; }

/* A person gives up after so many. */
enum hb_status __wrap_hb_view_show(struct hb_view *v)
{
  enum { MOST_PICTURES = 1000 };
  v->done = v->done || ++v->detail.pictures > MOST_PICTURES;
  return HB_OK;
}

enum hb_status fuzz_script(const uint8_t *bytes, size_t count)
{
  static const struct hb_view_settings settings;
  static double value;
  view = (struct hb_view){
      .asked = &settings, .source = {.file_count = 2}, .window = {.error = ""}}; /* a series: no simulation */
  for (int k = 0; k < HB_VIEW_SLIDERS; k++)
    view.sliders[k] = (struct hb_hud_slider){.name = "", .value = &value};
  FILE *screen = stdout;
  stdout = fopen("/dev/null", "w");
  enum hb_status status = hb_view_script(&view, fuzz_file("in.script", bytes, count));
  fclose(stdout);
  stdout = screen;
  return status;
}
