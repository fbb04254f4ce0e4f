#include "groups/pn.h"

#include "core/vector.h"

#include <math.h>

/* A term is a factor on n = x / r, or on v. */
struct terms {
  double n, v;
};

static struct terms first(double eta, double u, double v2, double s)
{
  return (struct terms){.n = (1 + 3 * eta) * v2 - 2 * (2 + eta) * u - 1.5 * eta * s * s,
                        .v = -2 * (2 - eta) * s};
}

static struct terms second(double eta, double u, double v2, double s)
{
  double s2 = s * s, eta2 = eta * eta;
  return (struct terms){
      .n = 0.75 * (12 + 29 * eta) * u * u + eta * (3 - 4 * eta) * v2 * v2 +
           1.875 * eta * (1 - 3 * eta) * s2 * s2 - 1.5 * eta * (3 - 4 * eta) * v2 * s2 -
           0.5 * eta * (13 - 4 * eta) * u * v2 - (2 + 25 * eta + 2 * eta2) * u * s2,
      .v = -0.5 * s *
           (eta * (15 + 4 * eta) * v2 - (4 + 41 * eta + 8 * eta2) * u - 3 * eta * (3 + 2 * eta) * s2)};
}

static struct terms radiation(double eta, double u, double v2, double s)
{
  return (struct terms){.n = -1.6 * eta * u * s * (3 * v2 + 17. / 3 * u), .v = 1.6 * eta * u * (v2 + 3 * u)};
}

/* In u = M / r, v^2 and s = r', over powers of c. */
void hb_pn_pull(const double m[2], double c, const double x[3], const double v[3], double g[3])
{
  double M = m[0] + m[1], eta = m[0] * m[1] / (M * M), r = hb_norm(x), u = M / r;
  double v2 = hb_dot(v, v), s = hb_dot(x, v) / r, c2 = c * c;
  const struct terms a = first(eta, u, v2, s), b = second(eta, u, v2, s), d = radiation(eta, u, v2, s);
  double of_n = (a.n + (b.n + d.n / c) / c2) / c2, of_v = (a.v + (b.v + d.v / c) / c2) / c2;
  for (int i = 0; i < 3; i++) g[i] = -u / r * (of_n * x[i] / r + of_v * v[i]);
}
