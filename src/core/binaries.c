#include "core/binaries.h"

#include "base/mem.h"
#include "core/diagnostics.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hb_orbit hb_binaries_orbit(const struct hb_particles *p, double eps2, uint32_t i, uint32_t j)
{
  double r[3], v[3];
  for (size_t k = 0; k < 3; k++) {
    r[k] = p->x[3 * (size_t)j + k] - p->x[3 * (size_t)i + k];
    v[k] = p->v[3 * (size_t)j + k] - p->v[3 * (size_t)i + k];
  }
  return hb_orbit_of(p->m[i], p->m[j], r, v, eps2);
}

/* The tightest first; ties in the order of the particles. */
static int by_energy(const void *a, const void *b)
{
  const struct hb_binary *p = a, *q = b;
  if (p->orbit.E != q->orbit.E) return p->orbit.E > q->orbit.E ? 1 : -1;
  return p->i != q->i ? (p->i > q->i) - (p->i < q->i) : (p->j > q->j) - (p->j < q->j);
}

static int is_bound(const struct hb_particles *p, double eps2, const uint32_t *nearest, size_t i,
                    struct hb_binary *pair)
{
  uint32_t j = nearest[i];
  if (j == UINT32_MAX || (j < i && nearest[j] == i)) return 0; /* a mutual pair is named once */
  *pair = (struct hb_binary){hb_binaries_orbit(p, eps2, (uint32_t)i, j), (uint32_t)i, j};
  return pair->orbit.E < 0;
}

static enum hb_status bound_pairs(const struct hb_particles *p, double eps2, const uint32_t *nearest,
                                  struct hb_binary **pairs, size_t *count)
{
  struct hb_binary pair;
  *count = 0;
  for (size_t i = 0; i < p->n; i++) *count += (size_t)is_bound(p, eps2, nearest, i, &pair);
  HB_TRY(HB_ALLOC(*count, pairs));
  for (size_t i = 0, k = 0; i < p->n; i++)
    if (is_bound(p, eps2, nearest, i, &pair)) (*pairs)[k++] = pair;
  if (*count) qsort(*pairs, *count, sizeof **pairs, by_energy);
  return HB_OK;
}

/* Keeps only the first pair of each particle. */
static enum hb_status keep_tightest(size_t n, struct hb_binary *pairs, size_t *count)
{
  uint8_t *taken;
  HB_TRY(HB_ALLOC(n, &taken));
  size_t kept = 0;
  for (size_t k = 0; k < *count; k++) {
    struct hb_binary pair = pairs[k];
    if (taken[pair.i] || taken[pair.j]) continue;
    taken[pair.i] = taken[pair.j] = 1;
    pairs[kept++] = pair;
  }
  *count = kept;
  hb_mem_free(taken);
  return HB_OK;
}

/* sum m (v - V)^2 / 2 or -e_pot / 2, each without what the pairs have within, per star. */
static double mean_energy(const struct hb_particles *p, double e_pot, const struct hb_binary *pairs,
                          size_t count)
{
  double X[3], V[3], sum = 0;
  hb_center_of_mass(p, X, V);
  for (size_t i = 0; i < p->n; i++) {
    const double *v = p->v + 3 * i;
    double vx = v[0] - V[0], vy = v[1] - V[1], vz = v[2] - V[2];
    sum += p->m[i] * (vx * vx + vy * vy + vz * vz) / 2;
  }
  for (size_t k = 0; k < count; k++) {
    sum -= pairs[k].orbit.e_kin;
    e_pot -= pairs[k].orbit.E - pairs[k].orbit.e_kin;
  }
  return fmax(fmax(sum, 0), -e_pot / 2) / (double)(p->n - count);
}

enum hb_status hb_binaries_list(const struct hb_particles *particles, double eps2, const uint32_t *nearest,
                                double e_pot, struct hb_binary **pairs, size_t *hard, double *hard_above)
{
  size_t count;
  *pairs = NULL;
  enum hb_status status = bound_pairs(particles, eps2, nearest, pairs, &count);
  if (status == HB_OK) status = keep_tightest(particles->n, *pairs, &count);
  if (status != HB_OK) return status;
  *hard_above = mean_energy(particles, e_pot, *pairs, count);
  *hard = 0;
  while (*hard < count && -(*pairs)[*hard].orbit.E > *hard_above) (*hard)++;
  return HB_OK;
}

struct hb_binaries hb_binaries_sum(const struct hb_binary *pairs, size_t hard, double hard_above)
{
  struct hb_binaries sum = {
      .count = hard, .a_hardest = hard ? pairs[0].orbit.a : NAN, .hard_above = hard_above};
  for (size_t k = 0; k < hard; k++) sum.energy += pairs[k].orbit.E;
  return sum;
}
