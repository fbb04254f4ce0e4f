#include "viewer/view_keep.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/signals.h"
#include "movie/film.h"
#include "render/tone_map.h"
#include "viewer/view.h"
#include "viewer/view_picture.h"

#include <string.h>
#include <unistd.h>

/* A screenshot is a film of one frame. */
struct hb_view_recording {
  struct hb_film film;
  char path[1024];
  int width, height; /* of the window; those of a movie are even */
  char comment[256];
  struct hb_png_text text[2];
  uint8_t *rgb;
};

/* The first of holmberg_0001.png, ... that does not exist, so that nothing is overwritten. */
static enum hb_status free_name(const char *extension, char path[1024])
{
  for (int k = 1; k < 10000; k++) {
    snprintf(path, 1024, "holmberg_%04d.%s", k, extension);
    if (access(path, F_OK) != 0) return HB_OK;
  }
  return hb_fail(HB_ERR_IO, "holmberg_0001.%s to holmberg_9999.%s all exist", extension, extension);
}

static void describe(const struct hb_view *view, struct hb_view_recording *r)
{
  const struct hb_view_source *s = &view->source;
  int used = snprintf(r->comment, sizeof r->comment, "%s: N = %llu, t = %.10g", s->title,
                      (unsigned long long)s->n, s->t);
  if (s->sim)
    snprintf(r->comment + used, sizeof r->comment - (size_t)used, ", eps = %g, %s, %s, %s", s->knobs.eps,
             s->settings.sim.integrator, hb_force_scheme(hb_sim_force(s->sim))->name,
             hb_force_precision(hb_sim_force(s->sim)));
  r->text[0] = (struct hb_png_text){"Software", "Holmberg " HB_VERSION};
  r->text[1] = (struct hb_png_text){"Comment", r->comment};
}

/* A movie's size is even: the last column or row is left out. */
static enum hb_status begin(struct hb_view *view, const char *path, int single, struct hb_view_recording *r)
{
  r->width = view->window.width;
  r->height = view->window.height;
  HB_TRY(HB_ALLOC(3 * (size_t)r->width * (size_t)r->height, &r->rgb));
  describe(view, r);
  const struct hb_film_params params = {.path = path,
                                        .width = single ? r->width : r->width & ~1,
                                        .height = single ? r->height : r->height & ~1,
                                        .frames_per_s = view->fps,
                                        .single = single,
                                        .text = r->text,
                                        .text_count = 2};
  return hb_film_open(&params, &r->film);
}

static enum hb_status add(struct hb_view *view, struct hb_view_recording *r)
{
  const struct hb_film_params *film = &r->film.params;
  const struct hb_gl_target *target;
  HB_TRY(hb_window_hidden(&view->window, &target));
  HB_TRY(hb_view_picture_draw(view, target));
  HB_TRY(hb_tone_map_read(view->window.context, target, film->width, film->height, r->rgb));
  return hb_film_add(&r->film, r->rgb, NULL, 0);
}

enum hb_status hb_view_keep(struct hb_view *view, const char *path)
{
  struct hb_view_recording r = {0};
  HB_TRY(hb_view_detail_full(view));
  if (!path) HB_TRY(free_name("png", r.path));
  if (!path) path = r.path;
  enum hb_status status = begin(view, path, 1, &r);
  if (status == HB_OK) status = hb_film_close(&r.film, add(view, &r));
  hb_mem_free(r.rgb);
  if (status == HB_OK) hb_view_say(view, "wrote %s: %d x %d", path, r.width, r.height);
  return status;
}

/* ---- movies ------------------------------------------------------------------------------------------ */

static enum hb_status end(struct hb_view *view, enum hb_status status)
{
  struct hb_view_recording *r = view->recording;
  view->recording = NULL;
  status = hb_film_close(&r->film, status);
  if (status == HB_OK && r->film.lacks_ffmpeg)
    hb_view_say(view, "ffmpeg is not installed: wrote %lu picture%s, %.*s_0001.png, ...", r->film.frames,
                hb_text_s(r->film.frames), (int)strcspn(r->path, "."), r->path);
  else if (status == HB_OK)
    hb_view_say(view, "wrote %s: %lu picture%s", r->path, r->film.frames, hb_text_s(r->film.frames));
  hb_mem_free(r->rgb);
  hb_mem_free(r);
  return status;
}

/* path NULL: a free name. */
static enum hb_status start(struct hb_view *view, const char *path)
{
  struct hb_view_recording *r;
  HB_TRY(hb_view_detail_full(view));
  HB_TRY(HB_ALLOC(1, &r));
  if (path) snprintf(r->path, sizeof r->path, "%s", path);
  enum hb_status status = path ? HB_OK : free_name("mp4", r->path);
  if (status == HB_OK) status = begin(view, r->path, 0, r);
  if (status != HB_OK) {
    hb_mem_free(r->rgb);
    hb_mem_free(r);
    return status;
  }
  view->recording = r;
  view->late = 0;
  return HB_OK;
}

enum hb_status hb_view_keep_movie(struct hb_view *view)
{
  if (view->recording) return end(view, HB_OK);
  HB_TRY(start(view, NULL));
  hb_view_say(view, "recording %s: v ends it", view->recording->path);
  return HB_OK;
}

enum hb_status hb_view_keep_record(struct hb_view *view, const char *path)
{
  if (view->recording) HB_TRY(end(view, HB_OK));
  view->message_until = 0;
  return start(view, path);
}

/* A change of size ends the movie. */
static enum hb_status keep_frame(struct hb_view *view)
{
  struct hb_view_recording *r = view->recording;
  if (!r) return HB_OK;
  if (r->width != view->window.width || r->height != view->window.height) return end(view, HB_OK);
  enum hb_status status = add(view, r);
  return status == HB_OK ? HB_OK : end(view, status);
}

enum hb_status hb_view_keep_close(struct hb_view *view)
{
  char context[32];
  const char *by = hb_signals_stop();
  snprintf(context, sizeof context, "stopped by %s", by ? by : "");
  if (!view->recording) return by ? hb_fail(HB_ERR_STOPPED, "%s", context) : HB_OK;
  enum hb_status status = end(view, HB_OK);
  if (!by || (status != HB_OK && status != HB_ERR_USAGE)) return status;
  return status == HB_OK ? hb_fail(HB_ERR_STOPPED, "%s: %s", context, view->message)
                         : hb_fail_in(HB_ERR_STOPPED, context);
}

/* ---- showing ---------------------------------------------------------------------------------------- */

enum hb_status hb_view_keep_showing(struct hb_view *view)
{
  double start = hb_clock_now();
  HB_TRY(hb_view_picture_draw(view, &view->window.screen));
  HB_TRY(hb_window_show(&view->window));
  view->draw_s = hb_clock_now() - start;
  view->pictures++;
  return keep_frame(view);
}
