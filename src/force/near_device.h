/* Shared by the files of near.h: what the device proposes (near_device.c) and how the host decides (near.c). */
#ifndef HB_NEAR_DEVICE_H
#define HB_NEAR_DEVICE_H

#include "force/near.h"
#include "force/near_frame.h"
#include "gl/gl_pass.h"
#include "gl/gl_readback.h"

enum {
  HB_NEAR_EACH = 4,  /* points of a fragment: I_EACH of shaders/near */
  HB_NEAR_BITS = 128 /* of a texel of lists.frag */
};

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

enum hb_status hb_near_device_create(struct hb_gl_context *context, struct hb_near_device **device);
void hb_near_device_destroy(struct hb_near_device *device);

/* Makes room for nj sources in device->sources. Errors: HB_ERR_GL (limits). */
enum hb_status hb_near_device_reserve(struct hb_near_device *device, size_t nj);

/* The sources x[3 * nj] from the host, in a frame of their own. */
enum hb_status hb_near_device_send(struct hb_near_device *device, size_t nj, const double *x);

/* Proposals for `count` points: word w of point i over segment s is at
 * words[4 * ((i % HB_NEAR_EACH * segments + s) * columns + i / HB_NEAR_EACH) + w]; each segment has
 * group * HB_NEAR_BITS sources. */
struct hb_near_proposals {
  const uint32_t *words;
  size_t segments, columns, group;
};
static inline const uint32_t *hb_near_proposal(const struct hb_near_proposals *p, size_t i, size_t segment)
{
  return p->words + 4 * ((i % HB_NEAR_EACH * p->segments + segment) * p->columns + i / HB_NEAR_EACH);
}

/* The points first ... of all that one call takes, at most `left`. */
size_t hb_near_device_portion(const struct hb_near_device *device, size_t left);

/* What shaders/near/nearest.frag or, h2[count] not being NULL, lists.frag leaves for points x[3 * count], own[count]
 * (nullable); valid until hb_near_device_done. count at most a portion. Errors: HB_ERR_DEVICE when a draw was lost. */
enum hb_status hb_near_device_ask(struct hb_near_device *device, size_t count, const double *x,
                                  const uint32_t *own, const double *h2, struct hb_near_proposals *proposals);
void hb_near_device_done(struct hb_near_device *device);

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
