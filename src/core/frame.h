/* A frame of reference that goes along with a system. Float keeps 24 bits of a coordinate, from wherever that is
 * measured: far from the origin, or moving fast, a system would lose those that its forces are made of. */
#ifndef HB_FRAME_H
#define HB_FRAME_H

#include "core/particles.h"

struct hb_frame {
  double x[3], v[3]; /* where it is at time t, and its velocity; all 0: the given coordinates are as good */
  double t;
};

/* That of the centre of mass at time t, where particles are nearer to it than to the given origin: not where one of them is
 * so far away that it would drag the centre out of all others. The frame lies on a grid of powers of two, in space of a
 * quarter of the mean distance or less, in velocity of a billionth: so it is 0 for a system that is centred but for
 * rounding, and exactly the difference for one that was moved by a multiple of the grid; either keeps its bits. */
void hb_frame_find(size_t n, const double *m, const double *x, const double *v, double t,
                   struct hb_frame *frame);

int hb_frame_is_zero(const struct hb_frame *frame);

/* q'[3 * n] = q[3 * n] - origin: places by frame->x, velocities by frame->v. q' may be q. */
void hb_frame_subtract(const double origin[3], size_t n, const double *q, double *q_in_frame);

/* Where the frame is at time t. */
void hb_frame_at(const struct hb_frame *frame, double t, double x[3]);

/* Places and velocities in the frame, at time p->t, become those outside. */
void hb_frame_leave(const struct hb_frame *frame, struct hb_particles *p);

/* Section "frame", which is not there where it is 0, and back. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_frame_put(const struct hb_frame *frame, struct hb_sections *sections);
enum hb_status hb_frame_get(const struct hb_sections *sections, struct hb_frame *frame);

#endif
