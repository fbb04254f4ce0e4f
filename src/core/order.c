#include "core/order.h"
#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
struct hb_order {
  size_t n;
  uint32_t *place;
  double *w, *x;
};
enum hb_status hb_order_create(size_t n, struct hb_order **order)
{
  HB_TRY(HB_ALLOC(1, order));
  (*order)->n = n;
  HB_TRY(HB_ALLOC(n, &(*order)->place));
  HB_TRY(HB_ALLOC(n, &(*order)->w));
  for (size_t i = 0; i < n; i++) (*order)->place[i] = (uint32_t)i;
  return HB_ALLOC(3 * n, &(*order)->x);
}
void hb_order_destroy(struct hb_order *o)
{
  if (o) {
    hb_mem_free(o->place);
    hb_mem_free(o->w);
    hb_mem_free(o->x);
    hb_mem_free(o);
  }
}
void hb_order_weigh(struct hb_order *o, size_t n, const double *m, double mean)
{
  for (size_t i = 0; i < n; i++) o->w[i] = m[i] > 0 ? fmax(1, cbrt(m[i] / mean * (m[i] / mean))) : 0;
}
enum hb_status hb_order_sort(struct hb_order *o, const double *x)
{
  (void)o;
  (void)x;
  return HB_OK;
}
const uint32_t *hb_order_place(const struct hb_order *o) { return o->place; }
void hb_order_refit(struct hb_order *o, const double *x) { memcpy(o->x, x, 3 * o->n * sizeof *x); }
size_t hb_order_within(const struct hb_order *o, const double x[3], double h2, uint32_t own, size_t most,
                       uint32_t *list)
{
  size_t c = 0;
  for (size_t i = 0; i < o->n; i++) {
    double r2 = 0;
    for (int d = 0; d < 3; d++) r2 += (o->x[3 * i + d] - x[d]) * (o->x[3 * i + d] - x[d]);
    if (i == own || !(r2 < h2 * o->w[i])) continue;
    if (c < most) list[c] = (uint32_t)i;
    c++;
  }
  return c;
}
static int cmp(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}
double hb_order_kth(const struct hb_order *o, const double x[3], uint32_t own, size_t k)
{
  double *q = malloc(o->n * sizeof *q), r;
  size_t c = 0;
  for (size_t i = 0; i < o->n; i++) {
    double r2 = 0;
    for (int d = 0; d < 3; d++) r2 += (o->x[3 * i + d] - x[d]) * (o->x[3 * i + d] - x[d]);
    if (i != own && o->w[i] > 0) q[c++] = r2 / o->w[i];
  }
  qsort(q, c, sizeof *q, cmp);
  r = q[k < c ? k : c - 1];
  free(q);
  return r;
}
void hb_order_drop(struct hb_order *order, const uint32_t *number, size_t left)
{
  (void)number;
  order->n = left;
}
