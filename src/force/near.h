/* The nearest source of each of a set of points, and all sources within a radius of it. The device proposes and the host
 * decides: answers are those of a loop in double over r^2 = dx dx + dy dy + dz dz (no softening), to the last bit, on any
 * device in any precision. See shaders/near. */
#ifndef HB_NEAR_H
#define HB_NEAR_H

#include "base/status.h"
#include "gl/gl_pass.h"
#include "gl/gl_mapped.h"

struct hb_near;

/* On this context, of which it holds a share until it is destroyed; NULL: on the host. Errors: HB_ERR_GL. */
enum hb_status hb_near_create(struct hb_gl_context *context, struct hb_near **near);
void hb_near_destroy(struct hb_near *near);

/* The sources x[3 * nj], which must stay until they are set again or the last question is answered. They reach the device
 * with the first question. nj < 2^31. */
enum hb_status hb_near_set_j(struct hb_near *near, size_t nj, const double *x);

/* Points x[3 * ni], which need not be sources. Point i leaves out source own[i], or none where that is HB_NO_SOURCE; own
 * NULL: none does. A source at the same place as a point counts like any other. */
struct hb_near_points {
  size_t ni;
  const double *x;
  const uint32_t *own;
};

/* nearest[ni], the source with the smallest r^2, of several the lowest number; HB_NO_SOURCE where there is none (only the
 * one left out, or no r^2 is finite). r2[ni], nullable, its square distance; INFINITY where there is none.
 * Errors: HB_ERR_DEVICE when a draw was lost, HB_ERR_GL (limits), HB_ERR_INTERNAL (memory). */
enum hb_status hb_near_nearest(struct hb_near *near, const struct hb_near_points *points, uint32_t *nearest,
                               double *r2);

/* Starts as zeros, is used again by each call, and is freed by hb_near_lists_free. The sources with r^2 < h2[i] of point i
 * are source[start[i]] ... source[start[i + 1] - 1], ascending. count[i] says how many there are in all, which is more where
 * the list was cut. */
struct hb_near_lists {
  size_t ni;
  size_t *start;            /* [ni + 1] */
  uint32_t *count, *source; /* [ni], [start[ni]] */
  size_t points_room, source_room;
};

/* The neighbors of each point within h2[ni], a squared radius (none where it is 0, less, or NaN). Of each list the first
 * `most` are kept; 0: all. Errors: as above. */
enum hb_status hb_near_find(struct hb_near *near, const struct hb_near_points *points, const double *h2,
                            size_t most, struct hb_near_lists *lists);
void hb_near_lists_free(struct hb_near_lists *lists);

/* ---- for whoever has sources on the device ---- */

/* The frame in which the device compares distances: float coordinates (x - origin) * scale of size 1, each with a bound on
 * what the float misses, see shaders/near/near.glsl. */
struct hb_near_frame {
  double origin[3], scale; /* a power of two */
};

/* Around the x[3 * n], by the medians of a sample: one that is far away changes nothing for the others. */
void hb_near_frame_find(size_t n, const double *x, struct hb_near_frame *frame);

struct hb_near_device {
  struct hb_gl_context *context; /* a share of it */
  size_t nj;
  struct hb_near_frame frame;
  struct hb_gl_buffer sources; /* (x, y, z, e) of each; filled by whoever has them */
  struct hb_gl_buffer points;
  struct hb_gl_pass nearest, lists;
  struct hb_gl_texture target;
  struct hb_gl_readback readback;
  struct hb_gl_tally tally; /* of the fragments of a question */
};

/* Makes room for nj sources in device->sources. Errors: HB_ERR_GL (limits). */
enum hb_status hb_near_device_reserve(struct hb_near_device *device, size_t nj);

/* The sources x[3 * nj] from the host, in a frame of their own. */
enum hb_status hb_near_device_send(struct hb_near_device *device, size_t nj, const double *x);

/* Sources as near.c needs them: an array, or places that are computed when they are asked for. */
struct hb_near_sources {
  size_t nj;
  const double *x; /* [3 * nj]; NULL: */
  void *owner;
  void (*place)(void *owner, size_t from, size_t to, double *x);
  /* writes device->sources and frame on the device; NULL: the host sends x */
  enum hb_status (*fill)(void *owner, struct hb_near_device *device);
  /* called before several threads ask for `count` places: it may be better to compute all of them now, and return them. NULL
   * where it is not, or without memory. */
  const double *(*expect)(void *owner, size_t count);
};
void hb_near_set_sources(struct hb_near *near, const struct hb_near_sources *sources);

#endif
