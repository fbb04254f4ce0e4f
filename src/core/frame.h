/* A frame of reference that moves with a system. Float has 24 bits for a coordinate: a system far from the origin, or moving
 * fast, would lose those that its forces depend on. */
#ifndef HB_FRAME_H
#define HB_FRAME_H

#include "core/particles.h"

struct hb_frame {
  double x[3], v[3]; /* its origin at time t, and its velocity; all 0: the given coordinates are as good */
  double t;
};

/* sum m q / M, q[3 * n], if the q are nearer to it than to 0: not if one of them is so far away that it drags the mean out
 * of all others. It is rounded to a grid, the power of two below this share of the mean distance. So it is 0 for a system
 * that is centered to half a grid cell, and exactly the shift for one that was shifted by a multiple of the grid: both keep
 * their bits. Without mass: 0. */
void hb_frame_origin(size_t n, const double *m, const double *q, double share, double origin[3]);

/* A center that is off by an eighth of the distance costs float no bit. An error of the velocity adds up with time, but
 * 5e-10 of the speed never matters. */
#define HB_FRAME_COARSE 0.25
#define HB_FRAME_FINE   0x1p-30

/* q'[3 * n] = q[3 * n] - origin: positions by frame->x, velocities by frame->v. q' may be q. */
void hb_frame_subtract(const double origin[3], size_t n, const double *q, double *q_in_frame);

/* Transforms positions and velocities in the frame, at time p->t, to the given coordinates. */
void hb_frame_leave(const struct hb_frame *frame, struct hb_particles *p);

#endif
