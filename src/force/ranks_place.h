/* Which device each rank of a run computes on. All of this does nothing alone. */
#ifndef HB_RANKS_PLACE_H
#define HB_RANKS_PLACE_H

#include "force/force.h"

/* A machine's GPUs for its ranks in turns, as the name of params->device, unless a device or a context is named. */
void hb_ranks_place_choose(struct hb_force_params *params, char device[16]);

/* Collective: the source that rank 0 has chosen (status: of choosing) to all. */
enum hb_status hb_ranks_place_agree(enum hb_status status, const struct hb_force_ops **ops);

/* Collective: rank 0 warns of every device with its machine and ranks, so that one shared by mistake shows. place: where
 * in the machine the device is, may be "". */
enum hb_status hb_ranks_place_report(const char *device, const char *place);

#endif
