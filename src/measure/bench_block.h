#ifndef HB_BENCH_BLOCK_H
#define HB_BENCH_BLOCK_H

#include "core/particles.h"

#include <holmberg/device.h>

/* Median milliseconds of a block step in mode block/gpu/host: the particles index[ni] of p are sent, all are predicted, and
 * their forces are read. Errors: as hb_force_open and hb_force_keep. */
enum hb_status hb_bench_block(const struct hb_force_params *params, const struct hb_particles *p, size_t ni,
                              const uint32_t *index, size_t samples, double *ms);

#endif
