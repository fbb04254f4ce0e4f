/* Quadrupoles of pairs; see quadrupole.h. */
#include "chain/quadrupole.h"

void hb_quadrupole_of_orbit(const struct hb_chain *c, double Q[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *X = c->X[0], *V = c->V[0];
  double M = c->m[0] + c->m[1], mu = c->m[0] * c->m[1] / M, a = hb_chain_span(c) / 2;
  double to_X = hb_dot(V, V) / M - 1 / hb_norm(X), to_V = -hb_dot(X, V) / M, e[3];
  double h[3] = {X[1] * V[2] - X[2] * V[1], X[2] * V[0] - X[0] * V[2], X[0] * V[1] - X[1] * V[0]};
  double h2 = hb_dot(h, h);
  for (size_t k = 0; k < 3; k++) e[k] = to_X * X[k] + to_V * V[k];
  for (size_t k = 0; k < 6; k++)
    Q[k] = mu * a *
           (2.5 * a * e[row[k]] * e[column[k]] + ((k < 3 ? h2 : 0) - h[row[k]] * h[column[k]]) / (2 * M));
}

void hb_quadrupole_add_pull(const double Q[6], double times, const double r[3], const double v[3],
                            double a[3], double j[3])
{
  double Qr[3] = {Q[0] * r[0] + Q[3] * r[1] + Q[4] * r[2], Q[3] * r[0] + Q[1] * r[1] + Q[5] * r[2],
                  Q[4] * r[0] + Q[5] * r[1] + Q[2] * r[2]};
  double Qv[3] = {Q[0] * v[0] + Q[3] * v[1] + Q[4] * v[2], Q[3] * v[0] + Q[1] * v[1] + Q[5] * v[2],
                  Q[4] * v[0] + Q[5] * v[1] + Q[2] * v[2]};
  double trace = Q[0] + Q[1] + Q[2], i2 = 1 / hb_dot(r, r), i5 = times * i2 * i2 * sqrt(i2), i7 = i5 * i2;
  double rv = hb_dot(r, v), rQr = hb_dot(r, Qr), rQv = hb_dot(r, Qv);
  double f = 1.5 * trace * i5 - 7.5 * rQr * i7;
  double f_dot = (52.5 * rQr * rv * i2 - 15 * rQv - 7.5 * trace * rv) * i7;
  for (size_t c = 0; c < 3; c++) {
    a[c] += 3 * i5 * Qr[c] + f * r[c];
    j[c] += 3 * i5 * Qv[c] - 15 * rv * i7 * Qr[c] + f * v[c] + f_dot * r[c];
  }
}
