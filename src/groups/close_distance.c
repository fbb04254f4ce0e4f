/* The close distance of a system: how near two stars of mean mass come to each other when they deflect each other strongly. It
 * follows from the half-mass radius and the number of stars. How groups use it is in criteria.c. */
#include "groups/groups.h"

#include "base/mem.h"
#include "core/diagnostics.h"

#include <string.h>

/* Returns the number of stars. Bodies that are so light that they are test particles in all but name do not count: otherwise a mass of
 * 1e-12 would give other encounters than a mass of 0. */
static size_t count_stars(const struct hb_particles *p)
{
  static const double least = 1e-8; /* of the mean mass */
  double M = 0;
  size_t massive = hb_particles_massive(p), stars = 0;
  for (size_t i = 0; i < p->n; i++) M += p->m[i];
  for (size_t i = 0; i < p->n; i++) stars += p->m[i] * (double)massive > least * M;
  return stars;
}

/* Moves a center to the center of mass of the particles within r of it. */
static void recenter(const struct hb_particles *p, double r, double center[3])
{
  double sum[3] = {0}, M = 0;
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i, d[] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    if (hb_dot(d, d) > r * r) continue;
    M += p->m[i];
    for (size_t c = 0; c < 3; c++) sum[c] += p->m[i] * d[c];
  }
  for (size_t c = 0; c < 3 && M > 0; c++) center[c] += sum[c] / M;
}

/* Returns the particle with more than half of all mass, or SIZE_MAX if there is none. */
static size_t find_dominant(const struct hb_particles *p)
{
  double M = 0;
  size_t heaviest = 0;
  for (size_t i = 0; i < p->n; i++) {
    M += p->m[i];
    if (p->m[i] > p->m[heaviest]) heaviest = i;
  }
  return 2 * p->m[heaviest] > M ? heaviest : SIZE_MAX;
}

/* Finds the half-mass radius about the center of mass. Where a star that is very far away has moved that out of the system, the center is
 * that of the inner half. Of a star with planets that would be the star's distance from the center of mass: the radius about a body with
 * more than half of all mass is that within which the others have half of their mass. */
static enum hb_status find_half(const struct hb_particles *p, double *r_half)
{
  enum { TIMES = 16 };
  static const double very_far = 8;
  double center[3], velocity[3], half = 0.5, r;
  HB_OWN double *work = NULL;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, center, velocity);
  size_t dominant = find_dominant(p);
  if (dominant < p->n) {
    double M = 0;
    for (size_t i = 0; i < p->n; i++) M += p->m[i];
    half = (1 + p->m[dominant] / M) / 2;
    memcpy(center, p->x + 3 * dominant, sizeof center);
    hb_lagrangian_radii(p, center, 1, &half, work, r_half);
    return HB_OK;
  }
  hb_lagrangian_radii(p, center, 1, &half, work, r_half);
  for (int k = 0; k < TIMES && p->n > HB_CHAIN_MOST; k++) {
    recenter(p, *r_half, center);
    hb_lagrangian_radii(p, center, 1, &half, work, &r);
    if (!(r > 0 && r < *r_half / very_far)) break;
    *r_half = r;
  }
  return HB_OK;
}

enum hb_status hb_groups_find_close(const struct hb_particles *p, struct hb_groups *groups)
{
  double r_half;
  HB_TRY(find_half(p, &r_half));
  size_t stars = count_stars(p);
  if (stars == 0) stars = p->n;
  groups->stars = (double)stars;
  groups->r_close = 2 * r_half / (double)stars;
  groups->m_mean = 0;
  for (size_t i = 0; i < p->n; i++) groups->m_mean += p->m[i] / (double)stars;
  hb_groups_use(groups, groups->rules ? groups->rules : &hb_groups_by_size);
  return HB_OK;
}
