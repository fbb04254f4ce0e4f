#include "render/scene.h"

#include "base/arith.h"
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_reload.h"
#include "render/tone_map.h"
#include "render/places.h"
#include "render/view_program.h"

#include <math.h>
#include <string.h>

enum { PALETTE = 256, SAMPLES_MOST = 8, VERTICES = 6, PIECES = 8 /* of trails.vert */ };

/* In samples: a Gaussian of this size still looks the same wherever it falls between the samples. */
static const double LEAST_SIGMA = 0.6;
static const double LARGEST_STAR = 40; /* times the usual size: nearer stars do not grow */
static const double TRAIL = 0.2;       /* brightness of a trail's young end, of a star's */
static const double NEAR = 1e-3;       /* of the distance to the centre */
static const double BACKGROUND[3] = {0.018, 0.021, 0.038};

struct hb_scene {
  struct hb_gl_context *context;
  const struct hb_plate_format *format;
  int width, height, samples;
  struct hb_plate light, picture; /* picture: made when it is first read */
  struct hb_tone_map develop;
  struct hb_camera camera;
  unsigned palette; /* a row of PALETTE colours for each map, then one for groups */
  unsigned stars[HB_PLACES_LAYOUTS], trails;
  uint8_t *pixels;
};

/* ---- open and close ---- */

static enum hb_status make_palette(struct hb_scene *s)
{
  enum { ROWS = HB_COLORMAP_COUNT + 1 };
  float(*rgba)[4];
  HB_TRY(HB_ALLOC(ROWS * PALETTE, &rgba));
  for (int row = 0; row < ROWS; row++)
    for (int k = 0; k < PALETTE; k++) {
      float *color = rgba[row * PALETTE + k];
      if (row < HB_COLORMAP_COUNT)
        hb_colormap_rgb((enum hb_colormap)row, k / (PALETTE - 1.0), color);
      else
        hb_colormap_group((size_t)k, color);
      color[3] = 1;
    }
  glGenTextures(1, &s->palette);
  glBindTexture(GL_TEXTURE_2D, s->palette);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, PALETTE, ROWS, 0, GL_RGBA, GL_FLOAT, rgba);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  hb_mem_free(rgba);
  return hb_gl_context_check(s->context, "making colours");
}

/* Light that falls on light must add up: three times the palette's last grey, 1, on one texel. */
static int adds_up(struct hb_scene *s, const struct hb_plate_format *format)
{
  struct hb_plate plate;
  float sum[4] = {0};
  int complete = hb_plate_create(s->context, format->internal, 1, 1, &plate) == HB_OK;
  if (complete) {
    hb_plate_clear(&plate);
    hb_plate_add_up();
    glUseProgram(s->develop.spread);
    hb_view_set(s->develop.spread, "target_size", 1, 1, format->unit, 0);
    hb_view_bind(HB_VIEW_UNIT_PARTICLES, GL_TEXTURE_2D, s->palette);
    for (int k = 0; k < 3; k++) glDrawArrays(GL_TRIANGLES, 0, 3);
    hb_plate_replace();
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, sum);
  }
  hb_plate_destroy(&plate);
  int right = hb_gl_context_check(s->context, "adding up light") == HB_OK;
  return complete && right && fabs(sum[3] / format->unit - 3) < 0.01;
}

static enum hb_status choose_format(struct hb_scene *s, const char *wanted)
{
  int from_here = !wanted;
  for (const struct hb_plate_format *f = hb_plate_formats; f->name; f++) {
    from_here = from_here || strcmp(wanted, f->name) == 0;
    if (!from_here || !adds_up(s, f)) continue;
    s->format = f;
    return HB_OK;
  }
  return hb_fail(HB_ERR_GL, "%s adds up no light in %s", s->context->caps.renderer,
                 wanted ? wanted : "textures of floats or of 16 bits");
}

static enum hb_status prepare(struct hb_scene *s, const char *format)
{
  HB_TRY(hb_gl_context_use(s->context));
  HB_TRY(hb_tone_map_build(s->context, &s->develop));
  HB_TRY(hb_view_program_build(s->context, "trails", "trails", "", &s->trails));
  HB_TRY(make_palette(s));
  HB_TRY(choose_format(s, format));
  return hb_scene_resize(s, 640, 480, 1);
}

enum hb_status hb_scene_open(struct hb_gl_context *context, const char *format, struct hb_scene **scene)
{
  struct hb_scene *s;
  *scene = NULL;
  HB_TRY(HB_ALLOC(1, &s));
  s->context = context;
  hb_camera_reset(&s->camera);
  enum hb_status status = prepare(s, format);
  if (status != HB_OK) {
    hb_scene_close(s);
    return status;
  }
  *scene = s;
  return HB_OK;
}

void hb_scene_close(struct hb_scene *s)
{
  if (!s) return;
  if (hb_gl_context_use(s->context) == HB_OK) {
    hb_places_destroy(s->context, s->stars);
    hb_gl_reload_delete(s->context, &s->trails);
    if (s->palette) glDeleteTextures(1, &s->palette);
    hb_tone_map_close(&s->develop);
    hb_plate_destroy(&s->light);
    hb_plate_destroy(&s->picture);
  }
  hb_mem_free(s->pixels);
  hb_mem_free(s);
}

enum hb_status hb_scene_resize(struct hb_scene *s, int width, int height, int samples)
{
  samples = hb_default(samples, 1);
  if (width < 1 || height < 1) return hb_fail(HB_ERR_USAGE, "a picture of %d x %d pixels", width, height);
  if (samples < 0 || samples > SAMPLES_MOST)
    return hb_fail(HB_ERR_USAGE, "%d x %d samples a pixel (expected 1 to %d)", samples, samples,
                   SAMPLES_MOST);
  if (width == s->width && height == s->height && samples == s->samples) return HB_OK;
  HB_TRY(hb_gl_context_use(s->context));
  hb_plate_destroy(&s->light);
  hb_plate_destroy(&s->picture);
  hb_mem_free(s->pixels);
  s->pixels = NULL;
  s->width = s->height = 0; /* until all of it is there */
  HB_TRY(hb_plate_create(s->context, s->format->internal, width * samples, height * samples, &s->light));
  HB_TRY(hb_tone_map_resize(&s->develop, s->format, width, height, samples));
  s->width = width, s->height = height, s->samples = samples;
  return HB_OK;
}

const char *hb_scene_quick_format(const struct hb_gl_context *context)
{
  return context->caps.software ? NULL : "RGBA16F";
}

const char *hb_scene_format(const struct hb_scene *scene) { return scene->format->name; }

/* ---- exposing ---- */

enum hb_status hb_scene_begin(struct hb_scene *s, const struct hb_camera *camera)
{
  HB_TRY(hb_gl_context_use(s->context));
  if (s->width == 0) return hb_fail(HB_ERR_USAGE, "a picture without a size");
  s->camera = *camera;
  hb_plate_clear(&s->light);
  return HB_OK;
}

/* The uniforms of camera.glsl; places on the device are counted from origin. */
static void set_camera(const struct hb_scene *s, unsigned program, const double origin[3])
{
  static const char *const names[3] = {"axis_right", "axis_up", "axis_back"};
  const struct hb_camera *c = &s->camera;
  double slope = hb_camera_slope(c), aspect = (double)s->width / s->height;
  const double w[3] = {1 / (slope * aspect), 1 / slope, NEAR * c->distance};
  hb_view_set(program, "eye", c->centre[0] - origin[0], c->centre[1] - origin[1], c->centre[2] - origin[2],
              c->distance);
  for (int k = 0; k < 3; k++)
    hb_view_set(program, names[k], c->axis[k][0], c->axis[k][1], c->axis[k][2], w[k]);
  hb_view_set(program, "screen", s->light.width, s->light.height, 0, 0);
}

/* The uniforms of color.glsl. */
static void set_color(const struct hb_scene *s, unsigned program, const struct hb_scene_style *style)
{
  double from = style->range[0], length = style->range[1] - style->range[0];
  int is_group = style->color == HB_SCENE_COLOR_GROUP;
  hb_view_set_int(program, "color_by", (int)style->color);
  hb_view_set(program, "range", from, length != 0 ? 1 / length : 0, length != 0 ? 0 : 0.5, 0);
  hb_view_set_int(program, "palette_row", is_group ? HB_COLORMAP_COUNT : (int)style->map);
  hb_view_bind(HB_VIEW_UNIT_PALETTE, GL_TEXTURE_2D, s->palette);
}

/* Of a star at the centre, in samples: by itself larger where there are few. */
static double sigma_of(const struct hb_scene *s, size_t n, const struct hb_scene_style *style)
{
  double by_itself = fmin(fmax(1.8 * pow(1e4 / (double)n, 0.25), 1), 10);
  return hb_default_real(style->point_size, by_itself) / 1000 * s->light.height;
}

static enum hb_status draw(struct hb_scene *s, unsigned program, size_t vertices)
{
  hb_view_set_float(program, "unit", s->format->unit);
  hb_plate_use(&s->light);
  hb_plate_add_up();
  for (size_t first = 0, most = VERTICES * ((size_t)1 << 26); first < vertices; first += most)
    glDrawArrays(GL_TRIANGLES, (GLint)first, (GLsizei)(vertices - first < most ? vertices - first : most));
  hb_plate_replace();
  return hb_gl_context_check(s->context, "drawing particles");
}

static enum hb_status check_values(const struct hb_scene_style *style, int has_values)
{
  if (style->color == HB_SCENE_COLOR_SPEED || has_values) return HB_OK;
  return hb_fail(HB_ERR_INTERNAL, "particles are to be coloured by values that were not given");
}

enum hb_status hb_scene_stars(struct hb_scene *s, struct hb_view_particles *particles,
                              const struct hb_scene_style *style)
{
  unsigned program;
  if (particles->at.n == 0) return HB_OK;
  HB_TRY(check_values(style, particles->has_values));
  HB_TRY(hb_gl_context_use(s->context));
  HB_TRY(hb_places_use(s->stars, "stars", "stars", particles, &program));
  set_camera(s, program, particles->origin);
  set_color(s, program, style);
  double sigma = sigma_of(s, particles->at.n, style);
  hb_view_set_int(program, "point", (int)style->point);
  hb_view_set(program, "star", sigma, LEAST_SIGMA * (style->point == HB_SCENE_POINT_DOT ? s->samples : 1),
              LARGEST_STAR * fmax(sigma, LEAST_SIGMA), particles->mass);
  return draw(s, program, VERTICES * particles->at.n);
}

enum hb_status hb_scene_trails(struct hb_scene *s, const struct hb_trails *trails,
                               const struct hb_view_particles *particles, double length,
                               const struct hb_scene_style *style)
{
  if (trails->count < 2) return HB_OK;
  HB_TRY(check_values(style, particles->has_values));
  HB_TRY(hb_gl_context_use(s->context));
  int oldest = (trails->next - trails->count + trails->room) % trails->room;
  int youngest = (trails->next - 1 + trails->room) % trails->room;
  double sigma = 0.6 * sigma_of(s, trails->n, style);
  glUseProgram(s->trails);
  set_camera(s, s->trails, trails->origin);
  set_color(s, s->trails, style);
  glUniform4i(glGetUniformLocation(s->trails, "entries"), oldest, trails->count, trails->room,
              (int)trails->n);
  hb_view_set(s->trails, "ages", trails->t[youngest] - trails->t_zero, length, 0, 0);
  hb_view_set(s->trails, "line", sigma, LEAST_SIGMA, LARGEST_STAR * fmax(sigma, LEAST_SIGMA), TRAIL);
  hb_view_bind(HB_VIEW_UNIT_RING, GL_TEXTURE_2D_ARRAY, trails->texture);
  hb_view_bind(HB_VIEW_UNIT_VALUES, GL_TEXTURE_BUFFER, particles->values);
  return draw(s, s->trails, VERTICES * PIECES * (size_t)(trails->count - 1) * trails->n);
}

/* ---- developing ---- */

enum hb_status hb_scene_develop(struct hb_scene *s, const struct hb_scene_style *style, unsigned framebuffer,
                                int x, int y)
{
  const struct hb_tone_map_how how = {.exposure = hb_default_real(style->exposure, 0.8),
                                      .glow = style->glow < 0 ? 0 : hb_default_real(style->glow, 0.5),
                                      .adapt = hb_default_real(style->adapt, 1),
                                      .background = {BACKGROUND[0], BACKGROUND[1], BACKGROUND[2]}};
  return hb_tone_map_picture(&s->develop, &s->light, &how, framebuffer, x, y, s->width, s->height);
}

enum hb_status hb_scene_expose(struct hb_scene *s, const struct hb_scene_style *style)
{
  HB_TRY(hb_gl_context_use(s->context));
  if (!s->picture.texture) HB_TRY(hb_plate_create(s->context, GL_RGBA8, s->width, s->height, &s->picture));
  return hb_scene_develop(s, style, s->picture.framebuffer, 0, 0);
}

enum hb_status hb_scene_picture(struct hb_scene *s, const struct hb_scene_style *style, uint8_t *rgb)
{
  size_t row = (size_t)s->width, pixels = row * (size_t)s->height;
  if (!s->pixels) HB_TRY(HB_ALLOC(4 * pixels, &s->pixels));
  HB_TRY(hb_scene_expose(s, style));
  hb_plate_use(&s->picture);
  glReadPixels(0, 0, s->width, s->height, GL_RGBA, GL_UNSIGNED_BYTE, s->pixels);
  for (size_t k = 0; k < pixels; k++)
    memcpy(rgb + 3 * ((pixels / row - 1 - k / row) * row + k % row), s->pixels + 4 * k, 3);
  return hb_gl_context_check_lost(s->context, "reading a picture");
}

enum hb_status hb_scene_light(struct hb_scene *s, float *light)
{
  HB_TRY(hb_gl_context_use(s->context));
  hb_plate_use(&s->light);
  glReadPixels(0, 0, s->light.width, s->light.height, GL_RGBA, GL_FLOAT, light);
  for (size_t k = 0; k < 4 * (size_t)s->light.width * (size_t)s->light.height; k++)
    light[k] /= (float)s->format->unit;
  return hb_gl_context_check_lost(s->context, "reading light");
}
