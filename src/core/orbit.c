#include "core/orbit.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

struct hb_orbit hb_orbit_of(double m1, double m2, const double r[3], const double v[3], double eps2)
{
  double r2 = 0, soft2 = eps2, v2 = 0, rv = 0, e2 = 0, m = m1 + m2;
  if (!(m > 0)) return (struct hb_orbit){.a = NAN, .e = NAN};
  for (int k = 0; k < 3; k++) {
    r2 += r[k] * r[k];
    soft2 += r[k] * r[k];
    v2 += v[k] * v[k];
    rv += r[k] * v[k];
  }
  for (int k = 0; k < 3; k++) {
    double e = (v2 / m - 1 / sqrt(r2)) * r[k] - rv / m * v[k];
    e2 += e * e;
  }
  double e_kin = m1 * m2 / m * v2 / 2, E = e_kin - m1 * m2 / sqrt(soft2);
  if (!(m1 * m2 > 0)) return (struct hb_orbit){.a = 1 / (2 / sqrt(soft2) - v2 / m), .e = sqrt(e2)};
  return (struct hb_orbit){.a = -m1 * m2 / (2 * E), .e = sqrt(e2), .E = E, .e_kin = e_kin};
}

double hb_orbit_period(const struct hb_orbit *orbit, double m)
{
  return orbit->a > 0 ? 2 * PI * orbit->a * sqrt(orbit->a / m) : NAN;
}
