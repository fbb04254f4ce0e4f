/* hb_picture_*: a scene in a context of its own (holmberg/picture.h). */
#include "base/arith.h"
#include "base/mem.h"
#include "render/coloring.h"
#include "render/scene.h"

#include <string.h>

struct hb_picture {
  struct hb_gl_context *context;
  struct hb_scene *scene;
  struct hb_view_particles particles;
  struct hb_scene_style style;
  struct hb_camera camera;
  int width, height;
  int has_camera, has_range; /* given, or found from the first picture */
};

static enum hb_status check(const struct hb_picture_params *p)
{
  if ((unsigned)p->map >= HB_COLORMAP_COUNT)
    return hb_fail(HB_ERR_USAGE, "color map %d, expected 0 to %d", (int)p->map, HB_COLORMAP_COUNT - 1);
  if (!(p->exposure >= 0 && p->exposure < 1))
    return hb_fail(HB_ERR_USAGE, "exposure %g, expected a number below 1", p->exposure);
  if (!(p->radius >= 0)) return hb_fail(HB_ERR_USAGE, "radius %g, expected a number >= 0", p->radius);
  if (p->width < 0 || p->height < 0)
    return hb_fail(HB_ERR_USAGE, "a picture of %d x %d pixels", p->width, p->height);
  return HB_OK;
}

static double aspect(const struct hb_picture *p) { return (double)p->width / p->height; }

static void configure(struct hb_picture *p, const struct hb_picture_params *params)
{
  p->width = params->width ? params->width : 960;
  p->height = params->height ? params->height : 540;
  p->style = (struct hb_scene_style){.map = params->map,
                                     .range = {params->range[0], params->range[1]},
                                     .point_size = params->point_size,
                                     .glow = params->glow,
                                     .exposure = params->exposure};
  p->has_range = params->range[0] != params->range[1];
  hb_camera_reset(&p->camera);
  p->camera.field_of_view = 28 * HB_DEGREE;
  memcpy(p->camera.center, params->center, sizeof params->center);
  p->has_camera = params->radius > 0;
  if (p->has_camera) hb_camera_fit(&p->camera, params->radius, aspect(p));
  hb_camera_look(&p->camera, params->azimuth * HB_DEGREE, (90 - params->inclination) * HB_DEGREE, 0);
}

enum hb_status hb_picture_open(const struct hb_picture_params *params, struct hb_picture **picture)
{
  HB_GL_VISIT;
  const struct hb_gl_context_params gl = {.context = params->context, .device = params->device};
  struct hb_picture *p;
  *picture = NULL;
  HB_TRY(check(params));
  HB_TRY(HB_ALLOC(1, &p));
  configure(p, params);
  enum hb_status status = hb_gl_context_open(&gl, &p->context);
  if (status == HB_OK) status = hb_scene_open(p->context, NULL, &p->scene);
  if (status == HB_OK) status = hb_scene_resize(p->scene, p->width, p->height, 2);
  if (status == HB_OK) status = hb_view_particles_open(p->context, &p->particles);
  return HB_MADE(status, p, hb_picture_close, picture);
}

void hb_picture_close(struct hb_picture *picture)
{
  HB_GL_VISIT;
  if (!picture) return;
  hb_view_particles_close(&picture->particles);
  hb_scene_close(picture->scene);
  hb_gl_context_close(picture->context);
  hb_mem_free(picture);
}

const char *hb_picture_device(const struct hb_picture *picture) { return picture->context->caps.renderer; }

enum hb_status hb_picture_draw(struct hb_picture *p, size_t n, const double *m, const double *x,
                               const double *v, const double *value, uint8_t *rgb)
{
  HB_GL_VISIT;
  if (n == 0) return hb_fail(HB_ERR_USAGE, "a picture of 0 particles, expected at least 1");
  if (!v && !value) return hb_fail(HB_ERR_USAGE, "a picture needs velocities or values to color by");
  if (!p->has_range) HB_TRY(hb_coloring_fit(n, v, value, p->style.range));
  p->has_range = 1;
  if (!p->has_camera) HB_TRY(hb_camera_enclose(&p->camera, n, x, aspect(p)));
  p->has_camera = 1;
  p->style.color = value ? HB_SCENE_COLOR_VALUE : HB_SCENE_COLOR_SPEED;
  HB_TRY(hb_view_particles_send(&p->particles, n, m, x, v, 0, p->camera.center));
  if (value) HB_TRY(hb_view_particles_values(&p->particles, n, value));
  HB_TRY(hb_scene_begin(p->scene, &p->camera));
  HB_TRY(hb_scene_stars(p->scene, &p->particles, &p->style));
  return hb_scene_picture(p->scene, &p->style, rgb);
}
