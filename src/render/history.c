#include "render/history.h"

#include "base/arith.h"
#include "base/mem.h"

#include <string.h>

enum { LEAST = 16 };

enum hb_status hb_history_open(size_t n, size_t bytes, size_t most, struct hb_history *h)
{
  hb_history_close(h);
  most = hb_max(LEAST, hb_min(bytes / (6 * sizeof(double) * n), most));
  HB_TRY(HB_ALLOC(most, &h->t));
  HB_TRY(HB_ALLOC(most, &h->state));
  h->n = n;
  h->most = most;
  return HB_OK;
}

void hb_history_close(struct hb_history *h)
{
  for (size_t k = 0; k < h->most && h->state; k++) hb_mem_free(h->state[k]);
  HB_FREE(h->state, h->t);
  *h = (struct hb_history){0};
}

size_t hb_history_before(const struct hb_history *h, double t)
{
  size_t first = 0, end = h->count;
  while (end - first > 1) {
    size_t middle = first + (end - first) / 2;
    if (h->t[middle] <= t)
      first = middle;
    else
      end = middle;
  }
  return first;
}

/* Every second state, from the first on; their memory waits behind those that stay. */
static void thin(struct hb_history *h)
{
  size_t kept = (h->count + 1) / 2;
  for (size_t k = 1; k < kept; k++) {
    double *state = h->state[k];
    h->state[k] = h->state[2 * k];
    h->state[2 * k] = state;
    h->t[k] = h->t[2 * k];
  }
  h->count = kept;
  h->spacing = (h->t[kept - 1] - h->t[0]) / (double)(kept - 1);
}

enum hb_status hb_history_add(struct hb_history *h, double t, const double *x, const double *v)
{
  while (h->count && h->t[h->count - 1] >= t) h->count--;
  if (!h->count) h->spacing = 0;
  if (h->count > 1 && h->t[h->count - 1] - h->t[h->count - 2] < h->spacing) h->count--;
  if (h->count == h->most) thin(h);
  double **state = &h->state[h->count];
  if (!*state) HB_TRY(HB_ALLOC(6 * h->n, state));
  memcpy(*state, x, 3 * h->n * sizeof *x);
  memcpy(*state + 3 * h->n, v, 3 * h->n * sizeof *v);
  h->t[h->count++] = t;
  return HB_OK;
}

void hb_history_at(const struct hb_history *h, double t, double *x, double *v)
{
  size_t before = hb_history_before(h, t), after = hb_min(before + 1, h->count - 1), size = 3 * h->n;
  const double *a = h->state[before], *b = h->state[after];
  double span = h->t[after] - h->t[before], s = span > 0 ? (t - h->t[before]) / span : 0;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  for (size_t k = 0; k < size; k++) {
    double d = b[k] - a[k], va = a[size + k] * span, vb = b[size + k] * span;
    double c2 = 3 * d - 2 * va - vb, c3 = va + vb - 2 * d;
    x[k] = a[k] + s * (va + s * (c2 + s * c3));
    v[k] = a[size + k] + (span > 0 ? s * (2 * c2 + 3 * s * c3) / span : 0);
  }
}
