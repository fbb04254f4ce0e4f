/* Advancing a bound pair that others hardly disturb: motion on Kepler's orbit, at any time in one step, with the accelerations by
 * others as kicks in between. Pairs that others disturb more, and chains of more members, are advanced by bulirsch_stoer.h. */
#ifndef HB_KEPLER_H
#define HB_KEPLER_H

#include "base/status.h"
#include "chain/chain_tide.h"

/* True if hb_kepler_advance may advance the chain: a bound pair, without post-Newtonian terms, in a tide that is weak enough for
 * tide->rules. tide is nullable. */
int hb_kepler_suits(const struct hb_chain *chain, const struct hb_chain_tide *tide);

/* Advances a pair that suits by exactly dt >= 0. tide and forces are nullable; *forces is increased by the number of kicks. ds and rows
 * of the chain stay. Errors: as hb_chain_advance. */
enum hb_status hb_kepler_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                 uint64_t *forces);

/* Adds to tide->contacts what is looked for in the advance by dt of a pair that suits, which was `before`: the first contact, and the
 * first approach. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_kepler_find_contacts(const struct hb_chain *before, double dt,
                                       const struct hb_chain_tide *tide);

#endif
