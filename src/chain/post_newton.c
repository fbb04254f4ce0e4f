/* The terms of Kidder 1995, eqs 2.2, one function for each order. Their arguments are eta = m1 m2 / M^2, u = M / r, v2 = v^2 and
 * s = dr/dt; powers of 1 / c are multiplied at the end. */
#include "chain/post_newton.h"

#include "core/vector.h"

/* The factors of one order on n = x / r and on v. */
struct pn_terms {
  double n, v;
};

static struct pn_terms first_order(double eta, double u, double v2, double s)
{
  return (struct pn_terms){.n = (1 + 3 * eta) * v2 - 2 * (2 + eta) * u - 1.5 * eta * s * s,
                           .v = -2 * (2 - eta) * s};
}

static struct pn_terms second_order(double eta, double u, double v2, double s)
{
  double s2 = s * s, eta2 = eta * eta;
  return (struct pn_terms){
      .n = 0.75 * (12 + 29 * eta) * u * u + eta * (3 - 4 * eta) * v2 * v2 +
           1.875 * eta * (1 - 3 * eta) * s2 * s2 - 1.5 * eta * (3 - 4 * eta) * v2 * s2 -
           0.5 * eta * (13 - 4 * eta) * u * v2 - (2 + 25 * eta + 2 * eta2) * u * s2,
      .v = -0.5 * s *
           (eta * (15 + 4 * eta) * v2 - (4 + 41 * eta + 8 * eta2) * u - 3 * eta * (3 + 2 * eta) * s2)};
}

static struct pn_terms radiation(double eta, double u, double v2, double s)
{
  return (struct pn_terms){.n = -1.6 * eta * u * s * (3 * v2 + 17. / 3 * u),
                           .v = 1.6 * eta * u * (v2 + 3 * u)};
}

void hb_post_newton_acceleration(const double m[2], double c, const double x[3], const double v[3],
                                 double g[3])
{
  double M = m[0] + m[1], eta = m[0] * m[1] / (M * M), r = hb_norm(x), u = M / r;
  double v2 = hb_dot(v, v), s = hb_dot(x, v) / r, c2 = c * c;
  const struct pn_terms a = first_order(eta, u, v2, s), b = second_order(eta, u, v2, s),
                        d = radiation(eta, u, v2, s);
  double of_n = (a.n + (b.n + d.n / c) / c2) / c2, of_v = (a.v + (b.v + d.v / c) / c2) / c2;
  for (int i = 0; i < 3; i++) g[i] = -u / r * (of_n * x[i] / r + of_v * v[i]);
}
