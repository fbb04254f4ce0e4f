/* A source of forces whose work several ranks share (base/ranks.h): a layer around any other source, which does not know of
 * it. Every rank has all particles, and gets all results, with the same bits as the others. */
#ifndef HB_FORCE_RANKS_H
#define HB_FORCE_RANKS_H

#include "force/source.h"

/* The operations of `inner`, shared out: *ops has its facts. Particles do not stay on the device. The arrays of sources are the
 * caller's until the next ones. How blocks are shared out is fixed with the first ones: by a word of the tuning (split.h),
 * in precision reproducible, whose bits do not depend on it, by a measurement, and otherwise by the numbers of particles and
 * ranks, so that as many ranks give the same bytes again. */
void hb_force_ranks_around(const struct hb_force_ops *inner, struct hb_force_ops *ops);

/* Collective; the ops' open, which does not know the inner source. */
enum hb_status hb_force_ranks_open(const struct hb_force_ops *inner, const struct hb_force_params *params,
                                   struct hb_gl_context *gl, void **state);

/* Bytes more on each rank, for each particle; not those of memory that the ranks of one machine share. */
double hb_force_ranks_memory(enum hb_precision precision);

/* ---- which device each rank computes on; all of this does nothing alone ---- */

/* A machine's GPUs for its ranks in turns, as the name of params->device, unless a device or a context is named. */
void hb_ranks_place_choose(struct hb_force_params *params, char device[16]);

/* Collective: the source that rank 0 has chosen (status: of choosing) to all. */
enum hb_status hb_ranks_place_agree(enum hb_status status, const struct hb_force_ops **ops);

#endif
