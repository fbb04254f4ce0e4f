#include "support/ic_case.h"

#include "base/hash.h"
#include "core/diagnostics.h"
#include "core/particles.h"

#include <math.h>
#include <stdlib.h>

struct hb_particles *ic_make(const char *model, struct hb_ic_params params)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make(model, &params, &p));
  return p;
}

void ic_assert_near(double got, double expected, double tolerance)
{
  if (fabs(got - expected) <= tolerance) return;
  fail_msg("%.17g differs from %.17g by %g, allowed %g", got, expected, fabs(got - expected), tolerance);
}

double ic_length(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double ic_kolmogorov(double *values, double (*distribution)(double value))
{
  double d = 0;
  qsort(values, IC_SAMPLE, sizeof *values, ascending);
  for (int i = 0; i < IC_SAMPLE; i++) {
    double f = distribution(values[i]);
    d = fmax(d, fmax(f - (double)i / IC_SAMPLE, (i + 1.0) / IC_SAMPLE - f));
  }
  return d * sqrt(IC_SAMPLE);
}

double ic_inside_unit_sphere(double r) { return r < 1 ? r * r * r : 1; }

double ic_radius(const struct hb_particles *particles, double fraction)
{
  double centre[3], velocity[3], radius, *work = malloc(2 * hb_particles_n(particles) * sizeof *work);
  assert_non_null(work);
  hb_center_of_mass(particles, centre, velocity);
  hb_lagrangian_radii(particles, centre, 1, &fraction, work, &radius);
  free(work);
  return radius;
}

uint64_t ic_fingerprint(const struct hb_particles *p)
{
  uint64_t hash = hb_hash_words(HB_HASH_EMPTY, p->n, p->m);
  hash = hb_hash_words(hash, 3 * p->n, p->x);
  return hb_hash_words(hash, 3 * p->n, p->v);
}
