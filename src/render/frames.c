#include "render/frames.h"

#include "base/clock.h"
#include "gl/gl_timer.h"

#include <stdlib.h>

enum { MOST = 99 };

enum hb_status hb_frames_open(struct hb_gl_context *context, int width, int height, double radius,
                              struct hb_frames *f)
{
  f->style =
      (struct hb_scene_style){.color = HB_SCENE_COLOR_SPEED, .range = {0, 1.5}, .map = HB_COLORMAP_EMBER};
  hb_camera_reset(&f->camera);
  hb_camera_fit(&f->camera, radius, (double)width / height);
  HB_TRY(hb_scene_open(context, hb_scene_quick_format(context), &f->scene));
  HB_TRY(hb_scene_resize(f->scene, width, height, 1));
  return hb_view_particles_open(context, &f->stars);
}

void hb_frames_close(struct hb_frames *f)
{
  hb_scene_close(f->scene);
  if (f->stars.context) hb_view_particles_close(&f->stars);
  *f = (struct hb_frames){0};
}

enum hb_status hb_frames_draw(struct hb_frames *f, const struct hb_device_particles *at)
{
  HB_TRY(hb_view_particles_lend(&f->stars, at));
  HB_TRY(hb_scene_begin(f->scene, &f->camera));
  HB_TRY(hb_scene_stars(f->scene, &f->stars, &f->style));
  return hb_scene_expose(f->scene, &f->style);
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum hb_status hb_frames_time(struct hb_frames *f, const struct hb_device_particles *at, int most,
                              double most_s, double *seconds)
{
  double s[MOST] = {0}, end = hb_clock_now() + most_s;
  int count = 0;
  do {
    double start = hb_gl_timer_start();
    HB_TRY(hb_frames_draw(f, at));
    s[count++] = hb_gl_timer_stop(start);
  } while (count < most && count < MOST && hb_clock_now() < end);
  qsort(s, (size_t)count, sizeof *s, ascending);
  *seconds = s[count / 2];
  return HB_OK;
}
