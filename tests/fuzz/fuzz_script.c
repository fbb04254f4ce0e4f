/* Scripts of `holmberg view` in a viewer without a window, whose pictures and movies take no device. */
#include "fuzz/fuzz.h"

#include "viewer/view.c"

static struct view view;
static uint64_t clock_ticks;
static unsigned long polls;

FAKE(hb_clock_now);
FAKE(hb_gl_windows);
FAKE(hb_gl_context_use);
FAKE(hb_scene_resize);
FAKE(hb_film_open);
FAKE(hb_film_close);

/* Without waiting. */
double __wrap_hb_clock_now(void) { return (double)++clock_ticks; }

/* A person gives up after so many pictures. */
static void window_poll(struct hb_gl_window *window, double wait_s)
{
  enum { MOST_PICTURES = 1000 };
  (void)window, (void)wait_s;
  if (++polls > MOST_PICTURES) view.done = 1;
}

static void window_push(struct hb_gl_window *window, const struct hb_gl_event *event)
{
  (void)window;
  if (event->kind == HB_GL_EVENT_CLOSE) view.done = 1;
}

static struct hb_gl_event window_next(struct hb_gl_window *window)
{
  return (void)window, (struct hb_gl_event){0};
}

static void window_resize(struct hb_gl_window *window, int width, int height)
{
  (void)window;
  view.window.width = width;
  view.window.height = height;
}

const struct hb_gl_windows __wrap_hb_gl_windows = {
    .poll = window_poll, .push = window_push, .next = window_next, .resize = window_resize};

/* A film that is open, gets no picture, and is closed. */
__typeof__(hb_gl_context_use) __real_hb_gl_context_use;
enum hb_status __wrap_hb_gl_context_use(struct hb_gl_context *context)
{
  return context ? __real_hb_gl_context_use(context) : HB_ERR_GL;
}
enum hb_status __wrap_hb_scene_resize(struct hb_scene *scene, int width, int height, int samples)
{
  return (void)scene, (void)width, (void)height, (void)samples, HB_OK;
}
enum hb_status __wrap_hb_film_open(const struct hb_film_params *params, struct hb_film *film)
{
  return (void)params, (void)film, HB_OK;
}
enum hb_status __wrap_hb_film_close(struct hb_film *film, enum hb_status status)
{
  return (void)film, (void)status, HB_OK;
}

enum hb_status fuzz_script(const uint8_t *bytes, size_t count)
{
  static const struct view_settings settings;
  static double value;
  view = (struct view){.asked = &settings, /* a series: no simulation; it stands still and draws nothing */
                       .source = {.file_count = 2},
                       .window = {.error = ""},
                       .clock = {.paused = 1},
                       .looks = {.stop_drawing = 1}};
  polls = 0;
  for (int k = 0; k < VIEW_SLIDERS; k++) view.sliders[k] = (struct hud_slider){.name = "", .value = &value};
  FILE *screen = stdout;
  stdout = fopen("/dev/null", "w");
  enum hb_status status = play_script(&view, fuzz_file("in.script", bytes, count));
  fclose(stdout);
  stdout = screen;
  hb_mem_free(view.film);
  return status;
}
