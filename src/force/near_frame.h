/* The frame in which the device compares distances: float coordinates (x - origin) * scale of size 1, each with a bound on
 * what the float misses, see shaders/near/near.glsl. */
#ifndef HB_NEAR_FRAME_H
#define HB_NEAR_FRAME_H

#include <stddef.h>

struct hb_near_frame {
  double origin[3], scale; /* a power of two */
};

/* Around the x[3 * n], by the medians of a sample: one that is far away changes nothing for the others. */
void hb_near_frame_find(size_t n, const double *x, struct hb_near_frame *frame);

/* A coordinate in the frame beyond which a place is HB_NEAR_ANYWHERE, the e of one that only the host compares. */
#define HB_NEAR_REACH    1e15
#define HB_NEAR_ANYWHERE 3e38F

/* The part of e for what is too small for float: 2^-61 squared, the square of a difference, is a normal one. */
#define HB_NEAR_LEAST 0x1p-59

/* (x, y, z, e) of a place. */
void hb_near_frame_place(const struct hb_near_frame *frame, const double x[3], float place[4]);

/* A radius >= 0 as `reach` of a point with this e, rounded up. */
float hb_near_frame_reach(const struct hb_near_frame *frame, double radius, float e);

#endif
