#include "core/binaries.h"

#include "base/mem.h"
#include "core/diagnostics.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  double e_bound, e_kin; /* of the relative motion: binding energy, and its kinetic part */
  uint32_t i, j;
};

static struct pair pair_of(const struct hb_particles *p, double eps2, uint32_t i, uint32_t j)
{
  double r2 = eps2, v2 = 0, m1 = p->m[i], m2 = p->m[j];
  for (int k = 0; k < 3; k++) {
    double r = p->x[3 * j + k] - p->x[3 * i + k], v = p->v[3 * j + k] - p->v[3 * i + k];
    r2 += r * r;
    v2 += v * v;
  }
  if (!(m1 * m2 > 0)) return (struct pair){0, 0, i, j};
  double e_kin = m1 * m2 / (m1 + m2) * v2 / 2;
  return (struct pair){m1 * m2 / sqrt(r2) - e_kin, e_kin, i, j};
}

/* The tightest first; ties in the order of the particles. */
static int by_energy(const void *a, const void *b)
{
  const struct pair *p = a, *q = b;
  if (p->e_bound != q->e_bound) return p->e_bound < q->e_bound ? 1 : -1;
  return p->i != q->i ? (p->i > q->i) - (p->i < q->i) : (p->j > q->j) - (p->j < q->j);
}

static int is_bound(const struct hb_particles *p, double eps2, const uint32_t *nearest, size_t i,
                    struct pair *pair)
{
  uint32_t j = nearest[i];
  if (j == UINT32_MAX || (j < i && nearest[j] == i)) return 0; /* a mutual pair is named once */
  *pair = pair_of(p, eps2, (uint32_t)i, j);
  return pair->e_bound > 0;
}

static enum hb_status bound_pairs(const struct hb_particles *p, double eps2, const uint32_t *nearest,
                                  struct pair **pairs, size_t *count)
{
  struct pair pair;
  *count = 0;
  for (size_t i = 0; i < p->n; i++) *count += (size_t)is_bound(p, eps2, nearest, i, &pair);
  HB_TRY(HB_ALLOC(*count, pairs));
  for (size_t i = 0, k = 0; i < p->n; i++)
    if (is_bound(p, eps2, nearest, i, &pair)) (*pairs)[k++] = pair;
  if (*count) qsort(*pairs, *count, sizeof **pairs, by_energy);
  return HB_OK;
}

/* Keeps only the first pair of each particle. */
static enum hb_status keep_tightest(size_t n, struct pair *pairs, size_t *count)
{
  uint8_t *taken;
  HB_TRY(HB_ALLOC(n, &taken));
  size_t kept = 0;
  for (size_t k = 0; k < *count; k++) {
    struct pair pair = pairs[k];
    if (taken[pair.i] || taken[pair.j]) continue;
    taken[pair.i] = taken[pair.j] = 1;
    pairs[kept++] = pair;
  }
  *count = kept;
  hb_mem_free(taken);
  return HB_OK;
}

/* sum m (v - V)^2 / 2 without the relative motion of the pairs, per star. */
static double mean_kinetic_energy(const struct hb_particles *p, const struct pair *pairs, size_t count)
{
  double X[3], V[3], sum = 0;
  hb_center_of_mass(p, X, V);
  for (size_t i = 0; i < p->n; i++) {
    const double *v = p->v + 3 * i;
    double vx = v[0] - V[0], vy = v[1] - V[1], vz = v[2] - V[2];
    sum += p->m[i] * (vx * vx + vy * vy + vz * vz) / 2;
  }
  for (size_t k = 0; k < count; k++) sum -= pairs[k].e_kin;
  return fmax(sum, 0) / (double)(p->n - count);
}

enum hb_status hb_binaries_find(const struct hb_particles *particles, double eps2, const uint32_t *nearest,
                                struct hb_binaries *binaries)
{
  const struct hb_particles *p = particles;
  struct pair *pairs = NULL;
  size_t count;
  enum hb_status status = bound_pairs(p, eps2, nearest, &pairs, &count);
  if (status == HB_OK) status = keep_tightest(p->n, pairs, &count);
  if (status == HB_OK) {
    struct hb_binaries found = {.a_hardest = NAN};
    found.hard_above = mean_kinetic_energy(p, pairs, count);
    for (size_t k = 0; k < count && pairs[k].e_bound > found.hard_above; k++) {
      found.count++;
      found.energy -= pairs[k].e_bound;
    }
    if (found.count) /* the Kepler orbit with this energy */
      found.a_hardest = p->m[pairs[0].i] * p->m[pairs[0].j] / (2 * pairs[0].e_bound);
    *binaries = found;
  }
  hb_mem_free(pairs);
  return status;
}
