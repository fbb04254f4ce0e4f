/* A source of forces that has a part of the sources: what several devices, or several processes, share out among them. Any
 * scheme that computes forces at points will do: to a part all sinks are points, and some of these are sources of it. */
#ifndef HB_PART_H
#define HB_PART_H

#include "force/force.h"
#include "force/reproducible.h"

/* Where results go: a[3 * ni], j[3 * ni], phi[ni]; or in precision reproducible totals[ni] of these scales, scale[ni]. */
struct hb_part_results {
  double *a, *j, *phi;
  const uint32_t *scale;
  struct hb_fixed_total *totals; /* NULL: in another precision */
};

/* Memory for results, freed by the other; starts as zeros. Errors: HB_ERR_INTERNAL. */
struct hb_part;
enum hb_status hb_part_results_reserve(const struct hb_part *part, size_t ni,
                                       struct hb_part_results *results);
void hb_part_results_free(struct hb_part_results *results);

/* Those of the sinks from `first` on. */
struct hb_part_results hb_part_results_from(const struct hb_part_results *results, size_t first);

/* Starts as zeros but for ops and state, which belong to whoever opens and closes them. */
struct hb_part {
  const struct hb_force_ops *ops;
  void *state;
  const struct hb_reproducible_units *units; /* NULL: in another precision */
  size_t begin, end;                         /* of all sources */
  uint32_t *own;                             /* [room] which of the part's sources a sink is */
  size_t room;
};
void hb_part_free(struct hb_part *part);

/* It gets the sources begin .. end - 1 of m, x and v, or none. */
enum hb_status hb_part_set_j(struct hb_part *part, size_t begin, size_t end, const double *m, const double *x,
                             const double *v);

/* As the ops of these names: sinks by their numbers, for a part that is all sources; or points, with own[ni] their numbers
 * among all sources. */
enum hb_status hb_part_begin(struct hb_part *part, size_t ni, const uint32_t *index,
                             const struct hb_part_results *results);
enum hb_status hb_part_begin_at(struct hb_part *part, size_t ni, const double *x, const double *v,
                                const uint32_t *own, const struct hb_part_results *results);
enum hb_status hb_part_finish(struct hb_part *part);

/* Positions and velocities of sinks, in arrays that grow. Starts as zeros. */
struct hb_part_sinks {
  size_t room;
  double *x, *v; /* [3 * room] */
};
enum hb_status hb_part_sinks_fill(struct hb_part_sinks *sinks, size_t ni, const uint32_t *index,
                                  const double *x, const double *v);
void hb_part_sinks_free(struct hb_part_sinks *sinks);

/* sum[ni] += more[ni] */
void hb_part_add(size_t ni, const struct hb_part_results *more, const struct hb_part_results *sum);

#endif
