/* Calls of a source of forces in precision `reproducible`: finds the units, guesses a scale for each sink, and sums those sinks
 * again whose largest block wants another one. */
#ifndef HB_RESCALE_H
#define HB_RESCALE_H

#include "force/source.h"

/* What of the last sums helps to guess; it changes no bit. */
struct hb_rescale;
enum hb_status hb_rescale_create(struct hb_rescale **rescale);
void hb_rescale_destroy(struct hb_rescale *rescale);

/* Units for particles that will be sources or sinks. Errors: as hb_reproducible_find_units. */
enum hb_status hb_rescale_find_units(struct hb_rescale *rescale, double eps,
                                     const struct hb_force_sources *particles);

/* A job on a source of forces in these units: the job for its totals, and one more for those sinks. */
enum hb_status hb_rescale_begin(struct hb_rescale *rescale, const struct hb_force_ops *ops, void *state,
                                const struct hb_force_job *job);
enum hb_status hb_rescale_finish(struct hb_rescale *rescale, const struct hb_force_ops *ops, void *state,
                                 const struct hb_force_job *job);

/* How many sinks were summed again so far. */
uint64_t hb_rescale_repeats(const struct hb_rescale *rescale);

/* Bytes for each source, all of them sinks; and, of these, for those that are summed again. */
enum {
  HB_RESCALE_PARTICLE = 4 * sizeof(uint32_t) + sizeof(struct hb_fixed_total),
  HB_RESCALE_AGAIN = 2 * sizeof(uint32_t)
};

#endif
