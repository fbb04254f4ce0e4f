#include "core/diagnostics.h"

#include "base/mem.h"
#include "core/gravity.h"

#include <math.h>
#include <stdlib.h>

/* Neumaier's variant of Kahan's sum: the carry also survives a term larger than the sum. */
struct sum {
  double sum, carry;
};

static void sum_add(struct sum *s, double term)
{
  double t = s->sum + term;
  s->carry += fabs(s->sum) >= fabs(term) ? (s->sum - t) + term : (term - t) + s->sum;
  s->sum = t;
}

double hb_sum(size_t count, const double *terms)
{
  struct sum s = {0};
  for (size_t k = 0; k < count; k++) sum_add(&s, terms[k]);
  return s.sum + s.carry;
}

enum hb_status hb_kinetic_energy(const struct hb_particles *particles, double *e_kin)
{
  const struct hb_particles *p = particles;
  struct sum s = {0};
  for (size_t i = 0; i < p->n; i++) {
    const double *v = p->v + 3 * i;
    sum_add(&s, 0.5 * p->m[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  *e_kin = s.sum + s.carry;
  return HB_OK;
}

enum hb_status hb_potential_energy_of(const struct hb_particles *particles, const double *phi, double *e_pot)
{
  struct sum s = {0};
  for (size_t i = 0; i < particles->n; i++) sum_add(&s, 0.5 * particles->m[i] * phi[i]);
  *e_pot = s.sum + s.carry;
  return HB_OK;
}

enum hb_status hb_potential_energy(const struct hb_particles *particles, double eps2, double *e_pot)
{
  struct hb_gravity *gravity = NULL;
  double *phi = NULL;
  enum hb_status status = hb_gravity_create(particles->n, &gravity);
  if (status == HB_OK) status = HB_ALLOC(particles->n, &phi);
  if (status == HB_OK) {
    hb_gravity_set_j(gravity, particles->n, particles->m, particles->x, NULL);
    hb_gravity_potential(gravity, eps2, phi);
    status = hb_potential_energy_of(particles, phi, e_pot);
  }
  hb_mem_free(phi);
  hb_gravity_destroy(gravity);
  return status;
}

/* sum m q / sum m for vectors q[3 * n]. */
static void weighted_mean(const struct hb_particles *p, const double *q, double mean[3])
{
  double m = hb_sum(p->n, p->m);
  for (int k = 0; k < 3; k++) {
    struct sum s = {0};
    for (size_t i = 0; i < p->n; i++) sum_add(&s, p->m[i] * q[3 * i + k]);
    mean[k] = m > 0 ? (s.sum + s.carry) / m : 0;
  }
}

void hb_centre_of_mass(const struct hb_particles *particles, double x[3], double v[3])
{
  weighted_mean(particles, particles->x, x);
  weighted_mean(particles, particles->v, v);
}

struct shell {
  double r2, m;
};

static int by_radius(const void *a, const void *b)
{
  double ra = ((const struct shell *)a)->r2, rb = ((const struct shell *)b)->r2;
  return (ra > rb) - (ra < rb);
}

enum hb_status hb_lagrangian_radius(const struct hb_particles *particles, double fraction, double *radius)
{
  const struct hb_particles *p = particles;
  struct shell *shells;
  HB_TRY(HB_ALLOC(p->n, &shells));
  double centre[3];
  weighted_mean(p, p->x, centre);
  for (size_t i = 0; i < p->n; i++) {
    double x = p->x[3 * i] - centre[0], y = p->x[3 * i + 1] - centre[1], z = p->x[3 * i + 2] - centre[2];
    shells[i] = (struct shell){x * x + y * y + z * z, p->m[i]};
  }
  qsort(shells, p->n, sizeof *shells, by_radius);
  /* Where equal masses make fraction * total a partial sum, rounding must not push it to the next shell. */
  double wanted = fraction * hb_sum(p->n, p->m) * (1 - 1e-12);
  struct sum within = {0};
  size_t i = 0;
  do sum_add(&within, shells[i].m);
  while (within.sum + within.carry < wanted && ++i < p->n);
  *radius = sqrt(shells[i < p->n ? i : p->n - 1].r2);
  hb_mem_free(shells);
  return HB_OK;
}
