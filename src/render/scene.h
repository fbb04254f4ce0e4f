/* Draws particles as stars: light is summed in a float target and then tone mapped to eight bits, so that the crowded
 * core and the last star of the halo both show.
 *
 *   hb_scene_begin, then hb_scene_stars and hb_scene_trails as often as needed, then hb_scene_tone_map. */
#ifndef HB_SCENE_H
#define HB_SCENE_H

#include "gl/gl_pass.h"
#include "render/camera.h"
#include "render/colormap.h"
#include "render/view_particles.h"

/* A render target for light, or for a finished picture (RGBA8). Errors: HB_ERR_GL (limit and need), HB_ERR_DEVICE. */
enum hb_status hb_tone_map_texture(struct hb_gl_context *context, enum hb_gl_format format, int width,
                                   int height, struct hb_gl_texture *texture);

/* The upper left width x height pixels of a finished picture: rgb[3 * width * height], top row first. */
enum hb_status hb_tone_map_read(struct hb_gl_context *context, const struct hb_gl_target *target, int width,
                                int height, uint8_t *rgb);

enum hb_scene_color {
  HB_SCENE_COLOR_SPEED, /* |v| of the drawn velocities            */
  HB_SCENE_COLOR_VALUE, /* the particles' values, by color map    */
  HB_SCENE_COLOR_GROUP  /* the particles' values, whole numbers   */
};

enum hb_scene_point {
  HB_SCENE_POINT_STAR, /* Gaussian with faint wings, brighter and larger when near */
  HB_SCENE_POINT_DISC, /* a sharp disc of the same size                            */
  HB_SCENE_POINT_DOT,  /* as small as a pixel allows                               */
  HB_SCENE_POINT_COUNT
};

/* Start from {0}: a zero field means the default given beside it. Brightness is as a screen shows it, 0 to 1. */
struct hb_scene_style {
  enum hb_scene_color color;
  enum hb_colormap map;
  double range[2]; /* of the values; if both are equal, everything gets the middle color */
  enum hb_scene_point point;
  double point_size; /* sigma of a star at the center, thousandths of the height; 0: 1 to 10, by N */
  double glow;       /* brightness of the brightest scattered light; 0: 0.5, < 0: none */
  double exposure;   /* brightness of a single star, below 1; 0: 0.8                   */
  double adapt;      /* weight of the new picture in the adapted white point; 0: 1     */
};

struct hb_scene;

/* Light is stored in the first format that this device sums correctly, starting at `format` (NULL: at the most
 * accurate). Errors: HB_ERR_GL. */
enum hb_status hb_scene_open(struct hb_gl_context *context, const char *format, struct hb_scene **scene);
void hb_scene_close(struct hb_scene *scene);

/* The format to start at for cheap pictures: a GPU sums light in half precision several times as fast. But that has
 * eleven binary digits: n equal stars in one place may lose n / 2048 of their light on a device that truncates (half
 * of that, or gain as much, if it rounds), and from somewhere between 1024 and 4096 stars on the place gets no
 * brighter. */
const char *hb_scene_quick_format(const struct hb_gl_context *context);

/* A picture of width x height pixels, each the mean of samples x samples (1 to 8; 0: 1). Errors: HB_ERR_GL with limit
 * and need, HB_ERR_USAGE. */
enum hb_status hb_scene_resize(struct hb_scene *scene, int width, int height, int samples);

enum hb_status hb_scene_begin(struct hb_scene *scene, const struct hb_camera *camera);
enum hb_status hb_scene_stars(struct hb_scene *scene, struct hb_view_particles *particles,
                              const struct hb_scene_style *style);

/* The paths of the stars, fainter with age, none older than `length`, colored by the values of particles. The youngest
 * entry is the present. */
enum hb_status hb_scene_trails(struct hb_scene *scene, const struct hb_trails *trails,
                               const struct hb_view_particles *particles, double length,
                               const struct hb_scene_style *style);

/* Draws into a target, with the lower left corner at x y. */
enum hb_status hb_scene_tone_map(struct hb_scene *scene, const struct hb_scene_style *style,
                                 const struct hb_gl_target *target, int x, int y);

/* The same, enlarged to width x height pixels. */
enum hb_status hb_scene_enlarge(struct hb_scene *scene, const struct hb_scene_style *style,
                                const struct hb_gl_target *target, int x, int y, int width, int height);

/* Draws into a picture that belongs to the scene and stays on the device. */
enum hb_status hb_scene_expose(struct hb_scene *scene, const struct hb_scene_style *style);

/* Draws into rgb[3 * width * height], eight bits each, top row first. */
enum hb_status hb_scene_picture(struct hb_scene *scene, const struct hb_scene_style *style, uint8_t *rgb);

/* The light itself: light[4 * samples^2 * width * height], bottom row first; red, green, blue and their brightness. */
enum hb_status hb_scene_light(struct hb_scene *scene, float *light);

#endif
