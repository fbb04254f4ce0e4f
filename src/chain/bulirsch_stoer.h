/* Advancing a chain of any number of members, however close they come: a leapfrog that is regular at collisions, extrapolated to
 * high order. Bound pairs that others hardly disturb are cheaper by kepler.h. */
#ifndef HB_BULIRSCH_STOER_H
#define HB_BULIRSCH_STOER_H

#include "base/status.h"
#include "chain/chain_tide.h"

/* Advances the chain by exactly dt >= 0. tide, nullable, is what disturbs it. Sets chain->lost, and adds to tide->contacts
 * what is looked for there. *forces, nullable, is increased by the number of times that the accelerations were computed.
 * Errors: HB_ERR_NUMERIC (two members at the same position, steps that no longer advance the time, or a relativistic pair below
 * HB_POST_NEWTON_LEAST), HB_ERR_STOPPED (given up on request, see base/interrupt.h; the chain is then in between). */
enum hb_status hb_chain_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                uint64_t *forces);

#endif
