#include "measure/jacobi.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_within(const struct hb_particles *p, size_t i, const double center[3], double r)
{
  double r2 = 0;
  for (size_t k = 0; k < 3; k++) r2 += (p->x[3 * i + k] - center[k]) * (p->x[3 * i + k] - center[k]);
  return r2 <= r * r;
}

/* Of the mass within the last radius the next one: they shrink to the largest that agrees with its mass. */
static double radius_about(const struct hb_particles *p, const double center[3], double tide)
{
  double r = INFINITY, next = cbrt(hb_sum(p->n, p->m) / tide);
  while (next < r) {
    double m = 0;
    r = next;
    for (size_t i = 0; i < p->n; i++) m += is_within(p, i, center, r) ? p->m[i] : 0;
    next = cbrt(m / tide);
  }
  return r;
}

/* ---- where to begin ---- */

static int by_size(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static enum hb_status median_center(const struct hb_particles *p, double center[3])
{
  double *q;
  HB_TRY(HB_ALLOC(p->n, &q));
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < p->n; i++) q[i] = p->x[3 * i + k];
    qsort(q, p->n, sizeof *q, by_size);
    center[k] = q[p->n / 2];
  }
  hb_mem_free(q);
  return HB_OK;
}

/* The density center, which a few stars close together may draw out of a cluster, and the median of each coordinate, which more
 * than half of the stars would have to. */
enum { STARTS = 2 };

static enum hb_status find_starts(const struct hb_particles *p, double center[STARTS][3])
{
  struct hb_surroundings around;
  double r_core;
  HB_TRY(median_center(p, center[0]));
  enum hb_status status = hb_surroundings_find(p, &around);
  if (status == HB_OK && !hb_density_center(p, around.rho, center[1], &r_core))
    memcpy(center[1], center[0], sizeof *center);
  hb_surroundings_clear(&around);
  return status;
}

/* ---- what is within ---- */

/* Only those within r of the center stay. */
static void cut(struct hb_particles *p, const double center[3], double r)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (!is_within(p, i, center, r)) continue;
    p->m[n] = p->m[i], p->id[n] = p->id[i];
    if (p->radius) p->radius[n] = p->radius[i];
    memmove(p->x + 3 * n, p->x + 3 * i, 3 * sizeof *p->x);
    memmove(p->v + 3 * n++, p->v + 3 * i, 3 * sizeof *p->v);
  }
  p->n = n;
}

/* The center of mass of those within r, and their mass. */
static double mass_within(const struct hb_particles *p, double r, double center[3])
{
  double m = 0, x[3] = {0};
  for (size_t i = 0; i < p->n; i++) {
    if (!is_within(p, i, center, r)) continue;
    m += p->m[i];
    for (size_t k = 0; k < 3; k++) x[k] += p->m[i] * p->x[3 * i + k];
  }
  for (size_t k = 0; k < 3 && m > 0; k++) center[k] = x[k] / m;
  return m;
}

/* Follows the center to where it stays; returns the mass. */
static double settle(const struct hb_particles *p, double tide, double center[3], double *r)
{
  enum { MOST = 1000 }; /* a star at the edge may come and go */
  double m = 0, before = -1;
  for (int k = 0; k < MOST && m != before; k++) {
    before = m;
    *r = radius_about(p, center, tide);
    m = mass_within(p, *r, center);
  }
  return m;
}

enum hb_status hb_jacobi_inside(const struct hb_particles *particles, double tide, double *r_jacobi,
                                struct hb_particles **inside)
{
  struct hb_particles *massive;
  double center[STARTS][3], r[STARTS], m[STARTS];
  HB_TRY(hb_particles_copy_massive(particles, &massive));
  enum hb_status status = find_starts(massive ? massive : particles, center);
  hb_particles_destroy(massive);
  HB_TRY(status);
  for (int k = 0; k < STARTS; k++) m[k] = settle(particles, tide, center[k], &r[k]);
  int best = m[1] > m[0];
  if (!(m[best] > 0)) return hb_fail(HB_ERR_INPUT, "no star is within the Jacobi radius of so strong a tide");
  HB_TRY(hb_particles_copy(particles, inside));
  cut(*inside, center[best], r[best]);
  *r_jacobi = r[best];
  return HB_OK;
}
