/* Draws particles as stars: light is summed in a float target and then tone mapped to eight bits, so that the crowded
 * core and the last star of the halo both show.
 *
 *   hb_scene_begin, then hb_scene_stars and hb_scene_trails as often as needed, then hb_scene_enlarge. */
#ifndef HB_SCENE_H
#define HB_SCENE_H

#include "gl/gl_pass.h"
#include "render/camera.h"
#include "render/colormap.h"

#include <holmberg/device.h>

/* ---- the particles of a picture, on the device: in a running simulation's own textures, which are drawn without a copy, or in
 * our own buffers, filled from the host ---- */

enum { HB_VIEW_PARTICLES_LAYOUTS = 4 }; /* records, doubles, streams in textures, streams in rectangles */

struct hb_view_particles {
  struct hb_gl_context *context; /* the caller's */
  struct hb_device_particles at; /* what is drawn; n = 0: nothing */
  double origin[3];              /* of the drawn positions */
  double mass;                   /* of a star of typical brightness; 0: all are equally bright */
  size_t lit;                    /* so many shine, by their numbers; the last ones are dark matter */

  struct hb_gl_buffer records;       /* own */
  struct hb_gl_buffer values, order; /* R32F, by particle number, for colors; R32UI: at.order */
  int has_values;
  int lent; /* 1: `at` is a simulation's, 0: our own */
};

/* Start from {0}. The context must be that of the scene that draws them. */
enum hb_status hb_view_particles_open(struct hb_gl_context *context, struct hb_view_particles *particles);
void hb_view_particles_close(struct hb_view_particles *particles);

/* n particles from the host: m[n] (nullable), x[3 * n], v[3 * n] (nullable), at time t. They are sent as floats
 * relative to origin[3] (nullable: their mean), so that a small group far away keeps its digits. Forgets values.
 * Errors: HB_ERR_GL (a device whose buffer textures are too small), HB_ERR_DEVICE. */
enum hb_status hb_view_particles_send(struct hb_view_particles *particles, size_t n, const double *m,
                                      const double *x, const double *v, double t, const double *origin);

/* How many of these shine: all but the last ones, as many as the note `dark` says. */
size_t hb_view_particles_lit(const struct hb_particles *from);

/* All of these particles, with their masses and time. */
enum hb_status hb_view_particles_load(struct hb_view_particles *particles, struct hb_particles *from,
                                      const double *origin);

/* A simulation's at time t: lent until its next step, where its textures hold that time and are of this context, so that values are
 * kept; else loaded. */
enum hb_status hb_view_particles_follow(struct hb_view_particles *particles, struct hb_sim *sim, double t);

/* Values for colors: value[n], by particle number. */
enum hb_status hb_view_particles_values(struct hb_view_particles *particles, size_t n, const double *value);

/* ---- where they were ---- */

/* Where the particles were: the last few positions and velocities of each, stored on the device. Between two of them a
 * trail follows the cubic through both positions and velocities. */

/* A ring buffer of entries, each with all particles in order of their numbers. */
struct hb_trails {
  struct hb_gl_context *context; /* the caller's */
  size_t n;
  int width, height;          /* of an entry in texels, row by row                   */
  int capacity, count, next;  /* of entries: most, number, the next to be written    */
  double *t;                  /* [capacity] their times                              */
  double t_zero;              /* origin of times on the device                       */
  double origin[3];           /* and of positions                                    */
  struct hb_gl_texture ring;  /* RGBA32F: layers 2 e position, time; 2 e + 1 velocity */
  struct hb_gl_target target; /* two of them */
  struct hb_gl_pass record[HB_VIEW_PARTICLES_LAYOUTS];
};

/* Start from {0}; until hb_trails_close it must not move. Errors: HB_ERR_GL (limits), HB_ERR_INTERNAL. */
enum hb_status hb_trails_open(struct hb_gl_context *context, size_t n, int capacity,
                              struct hb_trails *trails);
void hb_trails_close(struct hb_trails *trails);

/* Adds the particles as they are now, without leaving the device. */
enum hb_status hb_trails_add(struct hb_trails *trails, const struct hb_view_particles *particles);

static inline void hb_trails_clear(struct hb_trails *trails) { trails->count = trails->next = 0; }

/* What is remembered: place brings the particles to a time from `first` on. */
struct hb_trails_past {
  double first;
  enum hb_status (*place)(void *of, double t);
  void *of;
};

/* Trails as long as `length`, ending where the particles are now, which are as many as they like: by one more entry; or if time has jumped
 * or gone back, anew from the past (nullable: nothing is remembered). Start from {0}. Errors: as hb_trails_open. */
enum hb_status hb_trails_follow(struct hb_trails *trails, const struct hb_view_particles *particles,
                                double length, const struct hb_trails_past *past);

/* ---- pictures of them ---- */

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

/* Draws into width x height pixels of a target, with the lower left corner at x y, enlarged to them. */
enum hb_status hb_scene_enlarge(struct hb_scene *scene, const struct hb_scene_style *style,
                                const struct hb_gl_target *target, int x, int y, int width, int height);

/* Draws into a picture that belongs to the scene and stays on the device. */
enum hb_status hb_scene_expose(struct hb_scene *scene, const struct hb_scene_style *style);

/* Draws into rgb[3 * width * height], eight bits each, top row first. */
enum hb_status hb_scene_picture(struct hb_scene *scene, const struct hb_scene_style *style, uint8_t *rgb);

#endif
