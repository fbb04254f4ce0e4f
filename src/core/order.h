/* Particles in the order of their places, and exact lists of those that are near a point.
 *
 * Of a particle j near x says r^2 < h2 w_j with r^2 = |x_j - x|^2: a heavy particle is near from farther away. The weight is
 * w = max(1, m / m_mean)^(2/3), which needs the fewest steps of far forces (data/notebook/2026-11-26-near-and-far.md); a particle
 * without mass pulls nobody and is near nobody.
 *
 * Runs of 32 particles that are close together have a box, eight boxes have one, and so on. Boxes follow the particles; the order,
 * which costs a hundred times as much, only has to be good. What is found never depends on the order, the boxes, the number of
 * threads or the machine.
 *
 * All arrays of the caller are by number: x[3 * n], m[n]. n < 2^32. */
#ifndef HB_ORDER_H
#define HB_ORDER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct hb_order;

/* n particles without mass, in the order of their numbers. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_order_create(size_t n, struct hb_order **order);
void hb_order_destroy(struct hb_order *order); /* NULL is ignored */

/* [n] The place of a particle in the order. */
const uint32_t *hb_order_place(const struct hb_order *order);

/* w as above. */
double hb_order_weight(double m, double m_mean);

/* Weights of all n particles. Where the mean is that of the last call, those whose masses are cost nothing but a look. */
void hb_order_weigh(struct hb_order *order, size_t n, const double *m, double m_mean);

/* The order of particles that have their weights and are at x; refits. O(n log n), some 0.3 microseconds a particle. Errors:
 * HB_ERR_INTERNAL, the order is what it was. */
enum hb_status hb_order_sort(struct hb_order *order, const double *x);

/* The particles are at x: what is below needs it after they moved, and after hb_order_drop. */
void hb_order_refit(struct hb_order *order, const double *x);

/* Writes the numbers of all but `own` that are near x into list, in ascending order; returns how many there are. If there are more
 * than `most`, list has `most` of them. Any number of threads may ask at once. */
size_t hb_order_within(const struct hb_order *order, const double x[3], double h2, uint32_t own, size_t most,
                       uint32_t *list);

/* The k-th smallest r^2 / w of all but `own`, k = 1 ... HB_ORDER_KTH_MOST; the largest where they are fewer, 0 of none. */
enum { HB_ORDER_KTH_MOST = 2048 };
double hb_order_kth(const struct hb_order *order, const double x[3], uint32_t own, size_t k);

/* Particles change their numbers to number[n], ascending, of which those that are HB_COLUMNS_GONE vanish (core/columns.h); so
 * do their places, and those behind close up. `left` remain. */
void hb_order_drop(struct hb_order *order, const uint32_t *number, size_t left);

#endif
