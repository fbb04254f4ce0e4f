/* Orbits from and to chains; see hierarchy_case.h. */
#include "support/hierarchy_case.h"

#include <string.h>

static void cross(const double p[3], const double q[3], double r[3])
{
  for (int i = 0; i < 3; i++) r[i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
}

void hierarchy_draw(struct hb_rng *rng, double a, double e, struct hierarchy_orbit *orbit)
{
  double W[3], norm;
  orbit->a = a, orbit->e = e, orbit->since = 6.28318530717958647693 * hb_rng_uniform(rng);
  hb_rng_direction(rng, W);
  do {
    double P[3];
    hb_rng_direction(rng, P);
    for (int i = 0; i < 3; i++) orbit->P[i] = P[i] - hb_dot(P, W) * W[i];
    norm = hb_norm(orbit->P);
  } while (norm < 0.1);
  for (int i = 0; i < 3; i++) orbit->P[i] /= norm;
  cross(W, orbit->P, orbit->Q);
}

void hierarchy_tilt(const struct hierarchy_orbit *from, double angle, struct hierarchy_orbit *orbit)
{
  double W[3];
  cross(from->P, from->Q, W);
  memcpy(orbit->P, from->P, sizeof orbit->P);
  for (int i = 0; i < 3; i++) orbit->Q[i] = cos(angle) * from->Q[i] + sin(angle) * W[i];
}

void hierarchy_place(const struct hierarchy_orbit *orbit, double M, double x[3], double v[3])
{
  double a = orbit->a, e = orbit->e, E = orbit->since, p, q, speed;
  if (a > 0) {
    for (int k = 0; k < 60; k++) E -= 0.8 * (E - e * sin(E) - orbit->since) / (1 - e * cos(E));
    double b = sqrt(1 - e * e);
    speed = sqrt(M / a) / (1 - e * cos(E)), p = -speed * sin(E), q = speed * b * cos(E);
    for (int i = 0; i < 3; i++) {
      x[i] = a * ((cos(E) - e) * orbit->P[i] + b * sin(E) * orbit->Q[i]);
      v[i] = p * orbit->P[i] + q * orbit->Q[i];
    }
  } else { /* e sinh E - E = since */
    E = copysign(log(1 + 2 * fabs(orbit->since) / e), orbit->since);
    for (int k = 0; k < 200; k++) E -= 0.8 * (e * sinh(E) - E - orbit->since) / (e * cosh(E) - 1);
    double b = sqrt(e * e - 1);
    speed = sqrt(-M / a) / (e * cosh(E) - 1), p = -speed * sinh(E), q = speed * b * cosh(E);
    for (int i = 0; i < 3; i++) {
      x[i] = -a * ((e - cosh(E)) * orbit->P[i] + b * sinh(E) * orbit->Q[i]);
      v[i] = p * orbit->P[i] + q * orbit->Q[i];
    }
  }
}

void hierarchy_make(size_t n, const double *m, const struct hierarchy_orbit *inner,
                    const struct hierarchy_orbit *outer, struct hb_chain *chain)
{
  static const uint32_t number[] = {0, 1, 2, 3};
  double x[12] = {0}, v[12] = {0};
  for (size_t p = 0; p + 1 < n; p += 2) {
    double M = m[p] + m[p + 1], r[3], u[3];
    if (p + 1 >= n) break;
    hierarchy_place(inner + p / 2, M, r, u);
    for (int i = 0; i < 3; i++) {
      x[3 * p + i] = -m[p + 1] / M * r[i], v[3 * p + i] = -m[p + 1] / M * u[i];
      x[3 * p + 3 + i] = m[p] / M * r[i], v[3 * p + 3 + i] = m[p] / M * u[i];
    }
  }
  double M = 0, r[3], u[3];
  for (size_t k = 0; k < n; k++) M += m[k];
  hierarchy_place(outer, M, r, u);
  for (size_t k = 2; k < n; k++)
    for (int i = 0; i < 3; i++) x[3 * k + i] += r[i], v[3 * k + i] += u[i];
  hb_chain_make(n, number, m, x, v, chain);
}

/* Sets the center of the members in a mask, and its velocity. Returns their mass. */
static double find_center(size_t n, const double *m, const double *x, const double *v, unsigned mask,
                          double to[3], double by[3])
{
  double M = 0, count = 0;
  for (size_t k = 0; k < n; k++)
    if (mask >> k & 1) M += m[k], count += 1;
  memset(to, 0, 3 * sizeof *to), memset(by, 0, 3 * sizeof *by);
  for (size_t k = 0; k < n; k++) {
    if (!(mask >> k & 1)) continue;
    double share = M > 0 ? m[k] / M : 1 / count;
    for (int i = 0; i < 3; i++) to[i] += share * x[3 * k + i], by[i] += share * v[3 * k + i];
  }
  return M;
}

void hierarchy_find(const struct hb_chain *chain, unsigned first, unsigned second,
                    struct hierarchy_elements *e)
{
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], X[2][3], V[2][3], h[3];
  hierarchy_bodies(chain, m, x, v);
  double M = find_center(chain->n, m, x, v, first, X[0], V[0]);
  M += find_center(chain->n, m, x, v, second, X[1], V[1]);
  for (int i = 0; i < 3; i++) X[1][i] -= X[0][i], V[1][i] -= V[0][i];
  const double *r = X[1], *u = V[1];
  double d = hb_norm(r), u2 = hb_dot(u, u);
  cross(r, u, h);
  for (int i = 0; i < 3; i++) e->ecc[i] = (u2 / M - 1 / d) * r[i] - hb_dot(r, u) / M * u[i];
  e->a = 1 / (2 / d - u2 / M), e->e = hb_norm(e->ecc), e->r = d;
  e->h = hb_norm(h) / sqrt(M * fabs(e->a));
  for (int i = 0; i < 3; i++) e->normal[i] = h[i] / hb_norm(h);
}

void hierarchy_bodies(const struct hb_chain *chain, double *m, double *x, double *v)
{
  double to[3 * HB_CHAIN_MOST], by[3 * HB_CHAIN_MOST];
  hb_chain_places(chain, to, by);
  for (size_t k = 0; k < chain->n; k++) {
    uint32_t l = chain->member[k];
    m[l] = chain->m[k];
    memcpy(x + 3 * l, to + 3 * k, 3 * sizeof *x);
    memcpy(v + 3 * l, by + 3 * k, 3 * sizeof *v);
  }
}
