#include "core/diagnostics.h"

#include "base/machine.h"

#include <math.h>

void hb_neumaier_add(struct hb_neumaier *s, double term)
{
  double t = s->sum + term;
  s->carry += fabs(s->sum) >= fabs(term) ? (s->sum - t) + term : (term - t) + s->sum;
  s->sum = t;
}

/* Lanes do not wait for each other. */
HB_CLONES double hb_sum(size_t count, const double *terms)
{
  enum { LANES = 8 };
  double sum[LANES] = {0}, carry[LANES] = {0};
  struct hb_neumaier s = {0};
  for (size_t from = 0; from + LANES <= count; from += LANES)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double term = terms[from + l], t = sum[l] + term, part = t - sum[l];
      carry[l] += (sum[l] - (t - part)) + (term - part);
      sum[l] = t;
    }
  for (size_t k = count - count % LANES; k < count; k++) hb_neumaier_add(&s, terms[k]);
  for (size_t l = 0; l < LANES; l++) hb_neumaier_add(&s, sum[l]), s.carry += carry[l];
  return s.sum + s.carry;
}

void hb_kinetic_energy_in(const struct hb_particles *particles, const double V[3], double *e_kin,
                          double *e_bulk)
{
  const struct hb_particles *p = particles;
  struct hb_neumaier s = {0};
  for (size_t i = 0; i < p->n; i++) {
    double x = p->v[3 * i] - V[0], y = p->v[3 * i + 1] - V[1], z = p->v[3 * i + 2] - V[2];
    hb_neumaier_add(&s, 0.5 * p->m[i] * (x * x + y * y + z * z));
  }
  *e_kin = s.sum + s.carry;
  *e_bulk = 0.5 * hb_sum(p->n, p->m) * (V[0] * V[0] + V[1] * V[1] + V[2] * V[2]);
}

double hb_kinetic_energy(const struct hb_particles *particles)
{
  double e_kin, e_bulk;
  hb_kinetic_energy_in(particles, (const double[3]){0}, &e_kin, &e_bulk);
  return e_kin;
}

double hb_potential_energy(const struct hb_particles *particles, const double *phi)
{
  struct hb_neumaier s = {0};
  for (size_t i = 0; i < particles->n; i++) hb_neumaier_add(&s, 0.5 * particles->m[i] * phi[i]);
  return s.sum + s.carry;
}

/* sum m q / sum m for vectors q[3 * n]. */
static void weighted_mean(const struct hb_particles *p, const double *q, double mean[3])
{
  double m = hb_sum(p->n, p->m);
  for (int k = 0; k < 3; k++) {
    struct hb_neumaier s = {0};
    for (size_t i = 0; i < p->n; i++) hb_neumaier_add(&s, p->m[i] * q[3 * i + k]);
    mean[k] = m > 0 ? (s.sum + s.carry) / m : 0;
  }
}

void hb_center_of_mass(const struct hb_particles *particles, double x[3], double v[3])
{
  weighted_mean(particles, particles->x, x);
  weighted_mean(particles, particles->v, v);
}

void hb_center_at_rest(struct hb_particles *p)
{
  double x[3], v[3];
  hb_center_of_mass(p, x, v);
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] -= x[k % 3];
    p->v[k] -= v[k % 3];
  }
}

void hb_momentum(const struct hb_particles *particles, double momentum[3], double angular_momentum[3])
{
  const struct hb_particles *p = particles;
  struct hb_neumaier P[3] = {{0}}, L[3] = {{0}};
  for (size_t i = 0; i < p->n; i++) {
    const double m = p->m[i], *x = p->x + 3 * i, *v = p->v + 3 * i;
    for (int k = 0; k < 3; k++) {
      int y = (k + 1) % 3, z = (k + 2) % 3;
      hb_neumaier_add(&P[k], m * v[k]);
      hb_neumaier_add(&L[k], m * (x[y] * v[z] - x[z] * v[y]));
    }
  }
  for (int k = 0; k < 3; k++) {
    momentum[k] = P[k].sum + P[k].carry;
    angular_momentum[k] = L[k].sum + L[k].carry;
  }
}

/* ---- Lagrangian radii -------------------------------------------------------------------------------- */

struct shell {
  double r2, m;
};

static void swap(struct shell *a, struct shell *b)
{
  struct shell old = *a;
  *a = *b;
  *b = old;
}

/* Hoare's quicksort in place, where qsort() would allocate as much memory again. The pivot is random, so that no order
 * of the particles is a bad one; `seed` makes it reproducible. */
static void sort_shells(struct shell *s, size_t n, uint64_t seed)
{
  while (n > 16) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double pivot = s[(seed >> 33) % n].r2;
    size_t i = 0, k = n - 1;
    for (;; i++, k--) {
      while (s[i].r2 < pivot) i++;
      while (pivot < s[k].r2) k--;
      if (i >= k) break;
      swap(&s[i], &s[k]);
    }
    size_t below = i == k ? i : k + 1; /* [0, below) <= pivot <= [below, n) */
    if (below == 0) below = 1;         /* the pivot alone was the smallest */
    if (below < n - below) {
      sort_shells(s, below, seed);
      s += below, n -= below;
    } else {
      sort_shells(s + below, n - below, seed);
      n = below;
    }
  }
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && s[k].r2 < s[k - 1].r2; k--) swap(&s[k], &s[k - 1]);
}

void hb_lagrangian_radii(const struct hb_particles *particles, const double center[3], size_t count,
                         const double *fractions, double *work, double *radii)
{
  const struct hb_particles *p = particles;
  struct shell *shells = (struct shell *)work;
  for (size_t i = 0; i < p->n; i++) {
    double x = p->x[3 * i] - center[0], y = p->x[3 * i + 1] - center[1], z = p->x[3 * i + 2] - center[2];
    shells[i] = (struct shell){x * x + y * y + z * z, p->m[i]};
  }
  sort_shells(shells, p->n, 1);
  /* if equal masses make fraction * total a partial sum, rounding must not push it into the next shell */
  double total = hb_sum(p->n, p->m) * (1 - 1e-12);
  struct hb_neumaier within = {.sum = shells[0].m};
  size_t i = 0;
  for (size_t k = 0; k < count; k++) {
    while (within.sum + within.carry < fractions[k] * total && i + 1 < p->n)
      hb_neumaier_add(&within, shells[++i].m);
    radii[k] = sqrt(shells[i].r2);
  }
}

/* ---- what a sum over all pairs is worth ---------------------------------------------------------------- */

/* Up to this N, auto pays for a second sum over all pairs: 1.0 s of processor time there, measured with AVX-512. */
enum { EXACT_MOST = 32768 };

int hb_energy_is_exact(enum hb_exact_energy wanted, size_t n)
{
  return wanted == HB_EXACT_ENERGY_AUTO ? n <= EXACT_MOST : wanted == HB_EXACT_ENERGY_YES;
}
