/* Particles in the order of space, and who is within a radius of a point. */
#ifndef HB_ORDER_H
#define HB_ORDER_H

#include "base/status.h"

#include <stdint.h>

struct hb_order;

/* For up to n particles, none of which has a mass yet. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_order_create(size_t n, struct hb_order **order);
void hb_order_destroy(struct hb_order *order);

/* The masses m[n], n at most that of create. One of mass m is seen from w = max(1, m / m_mean)^(2/3) times the square distance of
 * others; one without mass is seen by nobody. */
void hb_order_weigh(struct hb_order *order, size_t n, const double *m, double m_mean);

/* The order of the particles at x[3 * n]. No result depends on it. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_order_sort(struct hb_order *order, const double *x);

/* place[n] of the particles in this order. */
const uint32_t *hb_order_place(const struct hb_order *order);

/* The particles have moved to x[3 * n]. */
void hb_order_refit(struct hb_order *order, const double *x);

/* The first `most` of those but `own` with |x_j - x|^2 < h2 w_j, ascending, and how many there are; several threads may ask. */
size_t hb_order_within(const struct hb_order *order, const double x[3], double h2, uint32_t own, size_t most,
                       uint32_t *list);

/* |x_j - x|^2 / w_j of the one with the k-th smallest, from 0 on, or the last. */
double hb_order_kth(const struct hb_order *order, const double x[3], uint32_t own, size_t k);

/* New numbers as of hb_columns_renumber: sort and weigh follow. */
void hb_order_drop(struct hb_order *order, const uint32_t *number, size_t left);

#endif
