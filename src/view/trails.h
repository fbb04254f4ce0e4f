/* Where the particles were: the last few places and velocities of each, kept on the device. Between two of them a star is
 * drawn along the cubic curve that has both places and both velocities. */
#ifndef HB_TRAILS_H
#define HB_TRAILS_H

#include "view/view_particles.h"

/* A ring of `room` entries; entry k mod room is a row of n particles (wrapped into a texture). */
struct hb_trails {
  struct hb_gl_context *context; /* the caller's */
  size_t n;
  int room, count, next; /* entries: most, there are, the one to be written */
  double *t;             /* [room] */
  double origin[3];
  unsigned texture;     /* TEXTURE_2D_ARRAY RGBA32F: place and velocity in layers 2 k, 2 k + 1 */
  unsigned framebuffer; /* of the layer that is written */
  unsigned program[4];  /* by layout */
};

/* Start from {0}. Errors: HB_ERR_GL (limits), HB_ERR_INTERNAL. */
enum hb_status hb_trails_open(struct hb_gl_context *context, size_t n, int room, struct hb_trails *trails);
void hb_trails_close(struct hb_trails *trails);

/* Copies where the particles are now, on the device; nothing is read back. */
enum hb_status hb_trails_add(struct hb_trails *trails, const struct hb_view_particles *particles);
void hb_trails_clear(struct hb_trails *trails);

#endif
