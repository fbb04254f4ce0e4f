/* The processor in precision `reproducible`: the pairs of shaders/interactions/gravity_jerk.glsl in C, operation by operation. */
#ifndef HB_HOST_REPRODUCIBLE_H
#define HB_HOST_REPRODUCIBLE_H

#include "force/force.h"

struct hb_host_reproducible;
enum hb_status hb_host_reproducible_create(struct hb_host_reproducible **host);
void hb_host_reproducible_destroy(struct hb_host_reproducible *host);

/* As in struct hb_force_ops, of this handle; the totals are there when it returns. */
enum hb_status hb_host_reproducible_begin(struct hb_host_reproducible *host, const struct hb_force_job *job);

/* Bytes of a particle. */
enum { HB_HOST_REPRODUCIBLE_PARTICLE = 12 * sizeof(float) };

#endif
