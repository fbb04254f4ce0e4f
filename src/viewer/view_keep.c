/* Pictures that stay: screenshots and movies, named so that nothing is written over. */
#include "viewer/view.h"

#include "base/mem.h"
#include "render/film.h"

#include <string.h>
#include <unistd.h>

struct hb_view_recording {
  struct hb_film film;
  char path[64];
  int width, height; /* of the window; those of the film are even */
  char comment[256];
  struct hb_png_text text[2];
  uint8_t *rgb;
};

/* holmberg_0001.png, ...: the first that is not there. */
static enum hb_status free_name(const char *extension, char path[64])
{
  for (int k = 1; k < 10000; k++) {
    snprintf(path, 64, "holmberg_%04d.%s", k, extension);
    if (access(path, F_OK) != 0) return HB_OK;
  }
  return hb_fail(HB_ERR_IO, "holmberg_0001.%s to holmberg_9999.%s are all there", extension, extension);
}

static void describe(const struct hb_view *view, char comment[256], struct hb_png_text text[2])
{
  const struct hb_view_source *s = &view->source;
  snprintf(comment, 256, "%s: N = %llu, t = %.10g", s->title, (unsigned long long)s->n, s->t);
  size_t used = strlen(comment);
  if (s->sim)
    snprintf(comment + used, 256 - used, ", eps = %g, %s, %s, %s", s->knobs.eps, s->settings.sim.integrator,
             hb_force_scheme(hb_sim_force(s->sim))->name, hb_force_precision(hb_sim_force(s->sim)));
  text[0] = (struct hb_png_text){"Software", "Holmberg " HB_VERSION};
  text[1] = (struct hb_png_text){"Comment", comment};
}

static enum hb_status keep(struct hb_view *view, const char *path, uint8_t *rgb)
{
  char comment[256];
  struct hb_png_text text[2];
  struct hb_film film;
  HB_TRY(hb_view_picture_pixels(view, rgb));
  describe(view, comment, text);
  const struct hb_film_params params = {.path = path,
                                        .width = view->window.width,
                                        .height = view->window.height,
                                        .single = 1,
                                        .text = text,
                                        .text_count = 2};
  HB_TRY(hb_film_open(&params, &film));
  enum hb_status status = hb_film_add(&film, rgb, NULL, 0);
  return hb_film_close(&film, status);
}

enum hb_status hb_view_keep(struct hb_view *view, const char *path)
{
  char name[64];
  if (!path) {
    HB_TRY(free_name("png", name));
    path = name;
  }
  uint8_t *rgb;
  HB_TRY(HB_ALLOC(3 * (size_t)view->window.width * (size_t)view->window.height, &rgb));
  enum hb_status status = keep(view, path, rgb);
  hb_mem_free(rgb);
  if (status == HB_OK) hb_view_say(view, "wrote %s: %d x %d", path, view->window.width, view->window.height);
  return status;
}

/* ---- movies ------------------------------------------------------------------------------------------ */

static enum hb_status begin(struct hb_view *view, struct hb_view_recording *r)
{
  HB_TRY(free_name("mp4", r->path));
  r->width = view->window.width;
  r->height = view->window.height;
  HB_TRY(HB_ALLOC(3 * (size_t)r->width * (size_t)r->height, &r->rgb));
  describe(view, r->comment, r->text);
  const struct hb_film_params params = {.path = r->path,
                                        .width = r->width & ~1,
                                        .height = r->height & ~1,
                                        .frames_per_s = 30,
                                        .text = r->text,
                                        .text_count = 2};
  return hb_film_open(&params, &r->film);
}

static enum hb_status end(struct hb_view *view, enum hb_status status)
{
  struct hb_view_recording *r = view->recording;
  view->recording = NULL;
  status = hb_film_close(&r->film, status);
  if (status == HB_OK && r->film.lacks_ffmpeg)
    hb_view_say(view, "there is no ffmpeg: wrote %lu pictures, %.*s_0001.png, ...", r->film.frames,
                (int)strcspn(r->path, "."), r->path);
  else if (status == HB_OK)
    hb_view_say(view, "wrote %s: %lu pictures", r->path, r->film.frames);
  hb_mem_free(r->rgb);
  hb_mem_free(r);
  return status;
}

enum hb_status hb_view_keep_movie(struct hb_view *view)
{
  if (view->recording) return end(view, HB_OK);
  struct hb_view_recording *r;
  HB_TRY(HB_ALLOC(1, &r));
  enum hb_status status = begin(view, r);
  if (status != HB_OK) {
    hb_mem_free(r->rgb);
    hb_mem_free(r);
    return status;
  }
  view->recording = r;
  hb_view_say(view, "recording %s: v ends it", r->path);
  return HB_OK;
}

/* A film has one size: another one ends it. */
enum hb_status hb_view_keep_frame(struct hb_view *view)
{
  struct hb_view_recording *r = view->recording;
  if (!r) return HB_OK;
  if (r->width != view->window.width || r->height != view->window.height) return end(view, HB_OK);
  enum hb_status status = hb_view_picture_pixels(view, r->rgb);
  size_t from = 3 * (size_t)r->width, to = 3 * (size_t)r->film.params.width;
  for (size_t k = 1; k < (size_t)r->height && from != to; k++)
    memmove(r->rgb + k * to, r->rgb + k * from, to);
  if (status == HB_OK) status = hb_film_add(&r->film, r->rgb, NULL, 0);
  return status == HB_OK ? HB_OK : end(view, status);
}

enum hb_status hb_view_keep_close(struct hb_view *view) { return view->recording ? end(view, HB_OK) : HB_OK; }
