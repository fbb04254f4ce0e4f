/* Finds the tuning that walks fastest on this device, by trying. */
#ifndef HB_TUNER_H
#define HB_TUNER_H

#include "pairs/pairs.h"

/* Starts from the safe defaults and changes one field at a time, most important first, as long as it gets faster and
 * the seconds last. n particles in a random cube. *best holds every field; *pairs_per_s what it reaches. Tunings are
 * tried in a fixed order, but which one wins depends on the measurement, so it is saved in the cache of tunings. */
enum hb_status hb_tuner_renew(const struct hb_pairs_params *params, size_t n, double seconds,
                              struct hb_pairs_tuning *best, double *pairs_per_s);

/* Pairs with the tuning for n particles of params->scheme, precision and interaction: from the cache of tunings, or as
 * hb_tuner_renew finds it. That it cannot be saved is only logged; one in the cache that does not fit is dropped with a
 * warning. */
enum hb_status hb_tuner_open(const struct hb_pairs_params *params, size_t n, double seconds,
                             struct hb_pairs **pairs);

#endif
