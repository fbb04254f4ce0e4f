/* A frame of reference that moves with a system. Float keeps 24 bits of a coordinate: far from the origin, or moving fast,
 * a system would lose those that its forces are made of. */
#ifndef HB_FRAME_H
#define HB_FRAME_H

#include "core/particles.h"

struct hb_frame {
  double x[3], v[3]; /* where it is at time t, and its velocity; all 0: the given coordinates are as good */
  double t;
};

/* The mean of m q / M, q[3 * n], where the q are nearer to it than to 0: not where one of them is so far away that it drags
 * the mean out of all others. It is rounded to a grid, the power of two below this share of the mean distance. So it is
 * 0 for a system that is centered to half a grid cell, and exactly the shift for one that was moved by a multiple of the
 * grid: both keep their bits. Without mass: 0. */
void hb_frame_origin(size_t n, const double *m, const double *q, double share, double origin[3]);

/* A center that is off by an eighth of the distance costs float no bit. An error of the velocity adds up with
 * time, but 5e-10 of the speed in no run to anything. */
#define HB_FRAME_COARSE 0.25
#define HB_FRAME_FINE   0x1p-30

/* That of the center of mass: places at time t by a coarse grid, velocities by a fine one. */
void hb_frame_find(size_t n, const double *m, const double *x, const double *v, double t,
                   struct hb_frame *frame);

int hb_frame_is_zero(const struct hb_frame *frame);

/* q'[3 * n] = q[3 * n] - origin: places by frame->x, velocities by frame->v. q' may be q. */
void hb_frame_subtract(const double origin[3], size_t n, const double *q, double *q_in_frame);

/* Where the frame is at time t. */
void hb_frame_at(const struct hb_frame *frame, double t, double x[3]);

/* Places and velocities in the frame, at time p->t, become those outside. */
void hb_frame_leave(const struct hb_frame *frame, struct hb_particles *p);

/* To section "frame", which a frame of 0 does not have, and back. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_frame_put(const struct hb_frame *frame, struct hb_sections *sections);
enum hb_status hb_frame_get(const struct hb_sections *sections, struct hb_frame *frame);

#endif
