/* The particles of a picture, on the device: in a running simulation's own textures, which are drawn without a copy,
 * or in our own buffers, filled from the host. */
#ifndef HB_VIEW_PARTICLES_H
#define HB_VIEW_PARTICLES_H

#include "gl/gl_pass.h"

#include <holmberg/device.h>

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

/* A simulation's, from hb_sim_on_device, to be drawn before its next step. Their context must be `context`, or share
 * its textures. Values are kept. */
enum hb_status hb_view_particles_lend(struct hb_view_particles *particles,
                                      const struct hb_device_particles *at);

/* A simulation's at time t: lent, where its textures hold that time and are of this context; else loaded. */
enum hb_status hb_view_particles_follow(struct hb_view_particles *particles, struct hb_sim *sim, double t);

/* Values for colors: value[n], by particle number. */
enum hb_status hb_view_particles_values(struct hb_view_particles *particles, size_t n, const double *value);

/* Passes of view/NAME.vert and .frag that read particles, one per layout, created when first needed: *pass is ready
 * with the particles and the uniforms of shaders/view/places.glsl. */
enum { HB_VIEW_PARTICLES_LAYOUTS = 4 }; /* records, doubles, streams in textures, streams in rectangles */
enum hb_status hb_view_particles_pass(const struct hb_view_particles *particles, const char *name,
                                      struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS],
                                      struct hb_gl_pass **pass);
void hb_view_particles_destroy_passes(struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS]);

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

/* Forgets the youngest entry if it is less than `spacing` later than the one before. Called before each hb_trails_add, this
 * leaves entries that far apart, of which the youngest is the present. */
void hb_trails_thin(struct hb_trails *trails, double spacing);
void hb_trails_clear(struct hb_trails *trails);

#endif
