#include "step/change.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "core/vector.h"

#include <math.h>
#include <string.h>

enum hb_status hb_change_make_room(const struct hb_state_change *by, struct hb_particles *p)
{
  size_t n = p->n + hb_change_added(by);
  int has_radius = by->radius || (by->added && hb_particles_radii(by->added));
  if (has_radius) HB_TRY(hb_particles_reserve_radius(p));
  if (n > p->n) HB_TRY(hb_columns_grow(&hb_particles_columns, n, p));
  p->n = n;
  return HB_OK;
}

static void add_new(const struct hb_particles *added, struct hb_particles *p, double *x, double *v)
{
  size_t from = p->n - added->n, bytes = 3 * added->n * sizeof *x;
  memcpy(p->m + from, added->m, added->n * sizeof *p->m);
  memcpy(p->id + from, added->id, added->n * sizeof *p->id);
  if (p->radius && added->radius) memcpy(p->radius + from, added->radius, added->n * sizeof *p->radius);
  memcpy(x + 3 * from, added->x, bytes);
  memcpy(v + 3 * from, added->v, bytes);
}

void hb_change_apply(const struct hb_state_change *by, struct hb_particles *p, double *x, double *v)
{
  for (size_t k = 0; k < by->n; k++) {
    size_t i = by->slot[k];
    if (by->m) p->m[i] = by->m[k];
    if (by->radius) p->radius[i] = by->radius[k];
    if (by->x) memcpy(x + 3 * i, by->x + 3 * k, 3 * sizeof *x);
    if (by->v) memcpy(v + 3 * i, by->v + 3 * k, 3 * sizeof *v);
  }
  for (size_t k = 0; k < by->n_removed; k++) p->m[by->removed[k]] = 0;
  if (by->added) add_new(by->added, p, x, v);
}

size_t hb_change_number(const struct hb_state_change *by, size_t n, uint32_t *number)
{
  uint32_t left = 0;
  memset(number, 0, n * sizeof *number);
  for (size_t k = 0; k < by->n_removed; k++) number[by->removed[k]] = HB_COLUMNS_GONE;
  for (size_t i = 0; i < n; i++)
    if (number[i] != HB_COLUMNS_GONE) number[i] = left++;
  return left;
}

/* ---- energy ---- */

struct sum {
  const struct hb_particles *p;
  const double *x, *v;
  uint32_t *who; /* [count] */
  const uint8_t *what;
  unsigned bit;
  double eps2;
  const struct hb_field *field;
  double *e; /* [count] */
};

/* Of one, and half of what two of them have together. */
static void sum_one(void *context, size_t k)
{
  const struct sum *s = context;
  size_t i = s->who[k];
  const double *m = s->p->m, *x = s->x + 3 * i, *v = s->v + 3 * i;
  double pot = 0;
  for (size_t j = 0; j < s->p->n && m[i] > 0; j++) {
    if (j == i || !(m[j] > 0)) continue;
    const double r[3] = {s->x[3 * j] - x[0], s->x[3 * j + 1] - x[1], s->x[3 * j + 2] - x[2]};
    pot -= (s->what[j] & s->bit ? 0.5 : 1) * m[j] / sqrt(hb_dot(r, r) + s->eps2);
  }
  if (s->field) pot += hb_field_potential(s->field, x);
  s->e[k] = m[i] > 0 ? m[i] * (hb_dot(v, v) / 2 + pot) : 0;
}

/* Of the center of mass, without a field, in which that counts. */
static double bulk(const struct sum *s)
{
  double M = 0, P[3] = {0};
  if (s->field) return 0;
  for (size_t i = 0; i < s->p->n; i++) {
    M += s->p->m[i];
    for (size_t c = 0; c < 3; c++) P[c] += s->p->m[i] * s->v[3 * i + c];
  }
  return M > 0 ? hb_dot(P, P) / (2 * M) : 0;
}

enum hb_status hb_change_energy(const struct hb_particles *p, const double *x, const double *v,
                                const uint8_t *what, unsigned bit, double eps2, const struct hb_field *field,
                                double *energy)
{
  enum { FEW = 4 };
  HB_OWN uint32_t *who = NULL;
  HB_OWN double *e = NULL;
  size_t count = 0;
  HB_TRY(HB_ALLOC(p->n, &who));
  for (uint32_t i = 0; i < p->n; i++)
    if (what[i] & bit) who[count++] = i;
  HB_TRY(HB_ALLOC(count, &e));
  struct sum s = {p, x, v, who, what, bit, eps2, field, e};
  hb_parallel_for(count > FEW ? hb_parallel_threads() : 1, count, sum_one, &s);
  *energy = -bulk(&s);
  for (size_t k = 0; k < count; k++) *energy += e[k];
  return HB_OK;
}
