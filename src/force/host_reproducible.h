/* The processor in precision `reproducible`: the pairs of shaders/interactions/gravity_jerk.glsl in C, operation by operation. */
#ifndef HB_HOST_REPRODUCIBLE_H
#define HB_HOST_REPRODUCIBLE_H

#include "force/reproducible.h"

struct hb_host_reproducible;
enum hb_status hb_host_reproducible_create(struct hb_host_reproducible **host);
void hb_host_reproducible_destroy(struct hb_host_reproducible *host);

/* As struct hb_reproducible_ops, of this handle; the totals are there when these return. */
enum hb_status hb_host_reproducible_set_j(struct hb_host_reproducible *host,
                                          const struct hb_reproducible_units *units, size_t nj,
                                          const double *m, const double *x, const double *v);
enum hb_status hb_host_reproducible_begin(struct hb_host_reproducible *host, size_t ni, const uint32_t *index,
                                          const uint32_t *scale, struct hb_fixed_total *totals);
enum hb_status hb_host_reproducible_begin_at(struct hb_host_reproducible *host, size_t ni, const double *x,
                                             const double *v, const uint32_t *own, const uint32_t *scale,
                                             struct hb_fixed_total *totals);

/* Bytes of a particle. */
enum { HB_HOST_REPRODUCIBLE_PARTICLE = 12 * sizeof(float) };

#endif
