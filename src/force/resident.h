/* Particles that stay on the device from step to step ([PZ07] Fig. 5), beside the all-pairs engine that walks them: only
 * blocks are transferred; the device predicts and, on request, corrects. See shaders/hermite. */
#ifndef HB_RESIDENT_H
#define HB_RESIDENT_H

#include "force/source.h"
#include "pairs/pairs.h"

struct hb_resident;

/* For n particles beside pairs, which is not owned. HB_FORCE_PHASES among the flags: it waits for the device to take the time of each
 * phase, and predicts nothing ahead. Errors: HB_ERR_GL (limits). */
enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, unsigned flags,
                                  struct hb_resident **resident);
void hb_resident_destroy(struct hb_resident *resident);

/* What it can do. Where a correction fails the state does not change. */
extern const struct hb_force_resident_ops hb_resident_ops;

#endif
