/* Where the particles were: the last few positions and velocities of each, stored on the device. Between two of them a
 * trail follows the cubic through both positions and velocities. */
#ifndef HB_TRAILS_H
#define HB_TRAILS_H

#include "render/view_particles.h"

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
