/* Points: sinks that are not sources, as a caller gives them. */
#ifndef HB_POINTS_H
#define HB_POINTS_H

#include "core/frame.h"
#include "force/force.h"

#include <stdint.h>

/* What is made of them for a call, in arrays that grow. */
struct hb_points {
  struct hb_frame_copy in_frame;
  size_t capacity;
  double *rest;     /* [3 * capacity] velocities of points without */
  uint32_t *nobody; /* [capacity] HB_NO_SOURCE */
};
void hb_points_free(struct hb_points *points);

/* Replaces x, v and index of the sinks (the last two may be NULL) by what a source of forces is given: none of them NULL, in the
 * frame with that origin. There no coordinate and no velocity may be beyond reach (0: all that are finite). Errors: HB_ERR_INPUT,
 * HB_ERR_USAGE (index: not below nj), HB_ERR_INTERNAL. */
enum hb_status hb_points_prepare(struct hb_points *points, const double origin[2][3], double reach, size_t nj,
                                 struct hb_force_sinks *sinks);

#endif
