/* Two ways to keep particles with times of their own on a device, behind timed_device.h, as those of resident_way.h. */
#ifndef HB_TIMED_WAY_H
#define HB_TIMED_WAY_H

#include "base/arith.h"
#include "force/timed_device.h"
#include "gl/gl_pass.h"

struct hb_timed_device {
  const struct hb_timed_way *way;
  struct hb_gl_context *context; /* a share of it */
  enum hb_precision precision;
  int texels; /* of a particle in the engine */
  int fma_is_fused;
  size_t room;
  struct hb_gl_pass predict, near;
  uint32_t now[4], origin[16], near_origin[16];
  void *state; /* the way's own */
};

struct hb_timed_way {
  struct hb_gl_program_source predict, near;
  enum hb_status (*create)(struct hb_timed_device *d);
  void (*destroy)(struct hb_timed_device *d);
  size_t portion; /* the most that are put at once */
  enum hb_status (*put)(struct hb_timed_device *d, size_t count, const uint32_t *address,
                        const struct hb_timed_body *bodies);

  /* Runs d->predict or d->near for the first nj particles, so many texels in all: into the buffer. */
  enum hb_status (*run)(struct hb_timed_device *d, struct hb_gl_pass *pass, size_t nj, size_t texels,
                        const struct hb_gl_buffer *buffer);
  enum hb_status (*check)(struct hb_timed_device *d);
};

extern const struct hb_timed_way hb_timed_stored, hb_timed_drawn;

#endif
