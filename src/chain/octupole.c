/* Octupoles of pairs; see octupole.h. */
#include "chain/octupole.h"

enum { PARTS = HB_OCTUPOLE_PARTS };

void hb_octupole_of_vectors(const double m[2], double a, const double e[3], const double h[3],
                            double T[PARTS])
{
  static const unsigned char index[PARTS][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                                {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};
  double M = m[0] + m[1], by = -5. / 8 * m[0] * m[1] * (m[0] - m[1]) / (M * M) * a * a * a, h2 = hb_dot(h, h);
  for (size_t q = 0; q < PARTS; q++) {
    size_t i = index[q][0], k = index[q][1], l = index[q][2];
    double sum = 7 * e[i] * e[k] * e[l];
    sum += e[i] * ((k == l ? h2 : 0) - h[k] * h[l]);
    sum += e[k] * ((i == l ? h2 : 0) - h[i] * h[l]);
    sum += e[l] * ((i == k ? h2 : 0) - h[i] * h[k]);
    T[q] = by * sum;
  }
}

void hb_octupole_of_orbit(const struct hb_chain *c, double T[PARTS])
{
  const double *X = c->X[0], *V = c->V[0];
  double M = c->m[0] + c->m[1], a = hb_chain_span(c) / 2, root = sqrt(M * a), e[3];
  double to_X = hb_dot(V, V) / M - 1 / hb_norm(X), to_V = -hb_dot(X, V) / M;
  double h[3] = {(X[1] * V[2] - X[2] * V[1]) / root, (X[2] * V[0] - X[0] * V[2]) / root,
                 (X[0] * V[1] - X[1] * V[0]) / root};
  for (size_t k = 0; k < 3; k++) e[k] = to_X * X[k] + to_V * V[k];
  hb_octupole_of_vectors(c->m, a, e, h, T);
}

/* Sets u to T x y, a vector. */
static void contract(const double T[PARTS], const double x[3], const double y[3], double u[3])
{
  double xx = x[0] * y[0], yy = x[1] * y[1], zz = x[2] * y[2], xy = x[0] * y[1] + x[1] * y[0],
         xz = x[0] * y[2] + x[2] * y[0], yz = x[1] * y[2] + x[2] * y[1];
  u[0] = T[0] * xx + T[5] * yy + T[7] * zz + T[3] * xy + T[4] * xz + T[9] * yz;
  u[1] = T[3] * xx + T[1] * yy + T[8] * zz + T[5] * xy + T[9] * xz + T[6] * yz;
  u[2] = T[4] * xx + T[6] * yy + T[2] * zz + T[9] * xy + T[7] * xz + T[8] * yz;
}

/* Sets t to the vector of traces. */
static void trace(const double T[PARTS], double t[3])
{
  t[0] = T[0] + T[5] + T[7], t[1] = T[3] + T[1] + T[8], t[2] = T[4] + T[6] + T[2];
}

double hb_octupole_pull(const double T[PARTS], const double r[3], double a[3])
{
  double u[3], t[3];
  contract(T, r, r, u);
  trace(T, t);
  double i2 = 1 / hb_dot(r, r), i5 = i2 * i2 * sqrt(i2), i7 = i5 * i2, ru = hb_dot(r, u), tr = hb_dot(t, r);
  double f = (7.5 * tr - 17.5 * ru * i2) * i7;
  for (size_t c = 0; c < 3; c++) a[c] += 7.5 * i7 * u[c] - 1.5 * i5 * t[c] + f * r[c];
  return 2.5 * ru * i7 - 1.5 * tr * i5;
}

void hb_octupole_add_pull(const double T[PARTS], double times, const double r[3], const double v[3],
                          double a[3], double j[3])
{
  double u[3], w[3], t[3];
  contract(T, r, r, u);
  contract(T, r, v, w);
  trace(T, t);
  double i2 = 1 / hb_dot(r, r), i5 = times * i2 * i2 * sqrt(i2), i7 = i5 * i2, rv = hb_dot(r, v) * i2;
  double ru = hb_dot(r, u), tr = hb_dot(t, r);
  double f = (7.5 * tr - 17.5 * ru * i2) * i7;
  double f_dot = (7.5 * hb_dot(t, v) - 52.5 * hb_dot(v, u) * i2 - 52.5 * tr * rv + 157.5 * ru * rv * i2) * i7;
  for (size_t c = 0; c < 3; c++) {
    a[c] += 7.5 * i7 * u[c] - 1.5 * i5 * t[c] + f * r[c];
    j[c] += i7 * (15 * w[c] - 52.5 * rv * u[c]) + 7.5 * rv * i5 * t[c] + f * v[c] + f_dot * r[c];
  }
}
