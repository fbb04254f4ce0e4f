#include "ic/segregation.h"

#include "base/mem.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>

/* ---- order ------------------------------------------------------------------------------------------- */

struct key {
  double value;
  size_t index;
};

/* Equal values keep their order, so that every machine sorts alike. */
static int ascending(const void *a, const void *b)
{
  const struct key *p = a, *q = b;
  int by_value = (p->value > q->value) - (p->value < q->value);
  return by_value ? by_value : (p->index > q->index) - (p->index < q->index);
}

enum hb_status hb_segregation_sort(size_t count, const double *values, size_t *index)
{
  struct key *keys;
  HB_TRY(HB_ALLOC(count, &keys));
  for (size_t i = 0; i < count; i++) keys[i] = (struct key){values[i], i};
  qsort(keys, count, sizeof *keys, ascending);
  for (size_t i = 0; i < count; i++) index[i] = keys[i].index;
  hb_mem_free(keys);
  return HB_OK;
}

/* ---- orbits by energy -------------------------------------------------------------------------------- */

/* v^2 / 2 + Phi, Phi that of the orbits themselves as shells of equal mass. order is scratch. */
static enum hb_status energies(size_t count, const double *X, const double *V, size_t *order, double *E)
{
  for (size_t i = 0; i < count; i++) {
    const double *x = X + 3 * i;
    E[i] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  }
  HB_TRY(hb_segregation_sort(count, E, order));
  double outside = 0; /* sum of 1 / r of the shells beyond */
  for (size_t k = count; k-- > 0;) {
    size_t i = order[k];
    const double *v = V + 3 * i, r = E[i], share = ((double)k + 0.5) / (double)count;
    E[i] = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 - share / r - outside / (double)count;
    outside += 1 / r;
  }
  return HB_OK;
}

/* ---- places by mass ---------------------------------------------------------------------------------- */

/* How many places are left, as a tree of partial sums [Fenwick 1994]: left[k] of those in (k - lowest bit of k, k]. */
static void fill_tree(size_t n, size_t *left)
{
  for (size_t k = 1; k <= n; k++) left[k] = k & (~k + 1);
}

/* Takes the place that `before` of those left come before. */
static size_t take(size_t n, size_t *left, size_t before)
{
  size_t place = 0, bit = 1;
  while (2 * bit <= n) bit *= 2;
  for (; bit > 0; bit /= 2)
    if (place + bit <= n && left[place + bit] <= before) place += bit, before -= left[place];
  for (size_t k = place + 1; k <= n; k += k & (~k + 1)) left[k]--;
  return place;
}

/* star[k]: who has the k-th place. work[n + 1] is scratch. */
static enum hb_status take_places(struct hb_rng *rng, double degree, size_t n, const double *m, size_t *work,
                                  size_t *star)
{
  size_t *by_mass;
  HB_TRY(HB_ALLOC(n, &by_mass));
  enum hb_status status = hb_segregation_sort(n, m, by_mass);
  fill_tree(n, work);
  for (size_t k = 0; status == HB_OK && k < n; k++) {
    double share = degree < 1 ? 1 - hb_elementary_power(hb_rng_uniform(rng), 1 - degree) : 0;
    size_t before = (size_t)(share * (double)(n - k));
    star[take(n, work, before < n - k ? before : n - k - 1)] = by_mass[n - 1 - k];
  }
  hb_mem_free(by_mass);
  return status;
}

/* The middle of each place's share of the mass says which orbit; a star that weighs less than an orbit takes the next one. */
static void take_orbits(size_t n, const double *m, const size_t *star, size_t count, const size_t *by_energy,
                        size_t *orbit)
{
  double all = 0, before = 0;
  for (size_t i = 0; i < n; i++) all += m[i];
  for (size_t k = 0, next = 0; k < n; k++) {
    double mass = m[star[k]];
    size_t at = (size_t)fmax((before + mass / 2) / all * (double)count, 0), last = count - (n - k);
    if (at < next) at = next;
    if (at > last) at = last;
    orbit[star[k]] = by_energy[at];
    before += mass;
    next = at + 1;
  }
}

enum hb_status hb_segregation_choose(struct hb_rng *rng, double degree, size_t n, const double *m,
                                     size_t count, const double *X, const double *V, size_t *orbit)
{
  double *E = NULL;
  size_t *order = NULL, *star = NULL, *work = NULL;
  enum hb_status status = HB_ALLOC(count, &E);
  if (status == HB_OK) status = HB_ALLOC(count, &order);
  if (status == HB_OK) status = HB_ALLOC(n, &star);
  if (status == HB_OK) status = HB_ALLOC(n + 1, &work);
  if (status == HB_OK) status = energies(count, X, V, order, E);
  if (status == HB_OK) status = hb_segregation_sort(count, E, order);
  if (status == HB_OK) status = take_places(rng, degree, n, m, work, star);
  if (status == HB_OK) take_orbits(n, m, star, count, order, orbit);
  hb_mem_free(work);
  hb_mem_free(star);
  hb_mem_free(order);
  hb_mem_free(E);
  return status;
}
