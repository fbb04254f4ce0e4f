/* Calls of a source of forces in precision `reproducible`: finds the units, guesses a scale for each sink, and sums those sinks
 * again whose largest block wants another one. */
#ifndef HB_RESCALE_H
#define HB_RESCALE_H

#include "force/reproducible.h"

/* What of the last sums helps to guess; it changes no bit. */
struct hb_rescale;
enum hb_status hb_rescale_create(struct hb_rescale **rescale);
void hb_rescale_destroy(struct hb_rescale *rescale);

/* Units for the n particles that will be sources or sinks. Errors: as hb_reproducible_find_units. */
enum hb_status hb_rescale_find_units(struct hb_rescale *rescale, double eps, size_t n, const double *m,
                                     const double *x, const double *v);

/* As the ops of struct hb_force_ops, in these units; those of the source are `ops`, its state is `state`. Where a, j and phi go is
 * said when it begins; all arrays stay where they are until it has finished. */
enum hb_status hb_rescale_set_j(struct hb_rescale *rescale, const struct hb_reproducible_ops *ops,
                                void *state, size_t nj, const double *m, const double *x, const double *v);
enum hb_status hb_rescale_begin(struct hb_rescale *rescale, size_t ni, const uint32_t *index, double *a,
                                double *j, double *phi);
enum hb_status hb_rescale_begin_at(struct hb_rescale *rescale, size_t ni, const double *x, const double *v,
                                   const uint32_t *own, double *a, double *j, double *phi);
enum hb_status hb_rescale_finish(struct hb_rescale *rescale);

/* How many sinks were summed again so far. */
uint64_t hb_rescale_repeats(const struct hb_rescale *rescale);

/* Bytes for each source, all of them sinks; and, of these, for those that are summed again. */
enum {
  HB_RESCALE_PARTICLE = 4 * sizeof(uint32_t) + sizeof(struct hb_fixed_total),
  HB_RESCALE_AGAIN = 2 * sizeof(uint32_t)
};

#endif
