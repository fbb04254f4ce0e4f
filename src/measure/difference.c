#include "measure/difference.h"

#include "base/mem.h"
#include "core/particles.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

static void add(double difference, uint64_t id, struct hb_difference_of *of)
{
  if (difference > of->largest) {
    of->largest = difference;
    of->id = id;
  }
  of->rms += difference * difference; /* a sum, until end() */
}

static void end(size_t n, struct hb_difference_of *of) { of->rms = n ? sqrt(of->rms / (double)n) : 0; }

static double distance(const double *a, const double *b)
{
  return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

static enum hb_status sort(const struct hb_particles *p, const char *which, uint32_t **order)
{
  size_t twice;
  HB_TRY(HB_ALLOC(p->n, order));
  HB_TRY(hb_identity_sort(p->n, p->id, *order, &twice));
  if (twice == p->n) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "particles are matched by identity, but %llu occurs twice among those of the %s file",
                 (unsigned long long)p->id[(*order)[twice]], which);
}

static int same_bits(const double *a, const double *b, size_t count)
{
  return memcmp(a, b, count * sizeof *a) == 0;
}

/* Both in ascending order. */
static void match(const struct hb_particles *a, const uint32_t *in_a, const struct hb_particles *b,
                  const uint32_t *in_b, struct hb_difference *d)
{
  size_t k = 0, l = 0;
  d->same_bits = a->n == b->n && same_bits(&a->t, &b->t, 1);
  while (k < a->n && l < b->n) {
    size_t i = in_a[k], j = in_b[l];
    if (a->id[i] != b->id[j]) {
      *(a->id[i] < b->id[j] ? &k : &l) += 1;
      continue;
    }
    add(fabs(b->m[j] - a->m[i]), a->id[i], &d->m);
    add(distance(a->x + 3 * i, b->x + 3 * j), a->id[i], &d->x);
    add(distance(a->v + 3 * i, b->v + 3 * j), a->id[i], &d->v);
    d->same_bits &= same_bits(a->m + i, b->m + j, 1) && same_bits(a->x + 3 * i, b->x + 3 * j, 3) &&
                    same_bits(a->v + 3 * i, b->v + 3 * j, 3);
    d->matched++, k++, l++;
  }
  d->same_bits &= d->matched == a->n;
  d->only_a = a->n - d->matched;
  d->only_b = b->n - d->matched;
}

enum hb_status hb_difference_units(const struct hb_particles *a, struct hb_particles *b,
                                   enum hb_units_match *how)
{
  struct hb_units to, from;
  int a_has, b_has;
  HB_TRY(hb_units_get(a, &to, &a_has));
  HB_TRY(hb_units_get(b, &from, &b_has));
  *how = a_has == b_has ? HB_UNITS_SAME : a_has ? HB_UNITS_ONLY_A : HB_UNITS_ONLY_B;
  if (!a_has || !b_has || (to.mass == from.mass && to.length == from.length)) return HB_OK;
  double mass = from.mass / to.mass, length = from.length / to.length;
  double velocity = hb_units_velocity(&from) / hb_units_velocity(&to);
  for (size_t i = 0; i < b->n; i++) b->m[i] *= mass;
  for (size_t k = 0; k < 3 * b->n; k++) b->x[k] *= length, b->v[k] *= velocity;
  b->t *= from.time / to.time;
  *how = HB_UNITS_CONVERTED;
  return HB_OK;
}

enum hb_status hb_difference_find(const struct hb_particles *a, const struct hb_particles *b,
                                  struct hb_difference *difference)
{
  uint32_t *in_a = NULL, *in_b = NULL;
  struct hb_difference d = {.dt = b->t - a->t};
  enum hb_status status = sort(a, "first", &in_a);
  if (status == HB_OK) status = sort(b, "second", &in_b);
  if (status == HB_OK) {
    match(a, in_a, b, in_b, &d);
    end(d.matched, &d.m);
    end(d.matched, &d.x);
    end(d.matched, &d.v);
    *difference = d;
  }
  HB_FREE(in_a, in_b);
  return status;
}
