/* The model of perf/machine_model.h for several ranks, each on such a machine with all particles and a part of the sources:
 * eqs 11, 13 and 15 divided, and a term for the sums of the block's forces over all ranks. */
#ifndef HB_MACHINE_RANKS_H
#define HB_MACHINE_RANKS_H

#include <holmberg/measure.h>

/* Seconds to add up the forces of n_block sinks over all ranks: log2 of their number, rounded up, times a message. */
double hb_machine_ranks_t_sum(const struct hb_network *network, int ranks, double n_block);

/* The terms of a block step; t_unit with the machine's laws for blocks. */
void hb_machine_ranks_time(const struct hb_machine *machine, const struct hb_network *network, int ranks,
                           double n, struct hb_model_time *time);

#endif
