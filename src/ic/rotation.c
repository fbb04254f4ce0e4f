#include "ic/rotation.h"

#include <math.h>

/* The azimuthal part of v, (x vy - y vx) / R, changes its sign. */
static void turn_around(const double x[3], double v[3])
{
  double R2 = x[0] * x[0] + x[1] * x[1], omega = (x[0] * v[1] - x[1] * v[0]) / R2;
  if (R2 == 0) return;
  v[0] += 2 * omega * x[1];
  v[1] -= 2 * omega * x[0];
}

void hb_rotation_turn(struct hb_rng *rng, double share, size_t n, const double *x, double *v)
{
  double way = share < 0 ? -1 : 1;
  for (size_t i = 0; i < n; i++) {
    const double *xi = x + 3 * i, *vi = v + 3 * i;
    int is_chosen = hb_rng_uniform(rng) < fabs(share);
    if (is_chosen && way * (xi[0] * vi[1] - xi[1] * vi[0]) < 0) turn_around(xi, v + 3 * i);
  }
}
