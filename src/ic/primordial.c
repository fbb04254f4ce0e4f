#include "ic/primordial.h"

#include "base/mem.h"
#include "core/units.h"
#include "base/elementary.h"
#include "ic/masses.h"
#include "ic/segregation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, LN10 = 2.30258509299404568402;
static const double least_ratio = 0.1; /* of the masses, for uniform */

/* ---- pairs ------------------------------------------------------------------------------------------- */

/* Of S systems share S are pairs, and there are (1 + share) S stars. */
size_t hb_primordial_pairs(double share, size_t n)
{
  size_t pairs = (size_t)((double)n * share / (1 + share) + 0.5);
  return pairs < n / 2 ? pairs : n / 2;
}

static void shuffle(struct hb_rng *rng, size_t n, double *m)
{
  for (size_t i = 0; i + 1 < n; i++) {
    size_t k = i + (size_t)(hb_rng_uniform(rng) * (double)(n - i));
    double old = m[i];
    m[i] = m[k];
    m[k] = old;
  }
}

static enum hb_status sort_down(size_t n, double *m)
{
  size_t *index;
  double *sorted = NULL;
  HB_TRY(HB_ALLOC(n, &index));
  enum hb_status status = HB_ALLOC(n, &sorted);
  if (status == HB_OK) status = hb_segregation_sort(n, m, index);
  for (size_t i = 0; status == HB_OK && i < n; i++) sorted[i] = m[index[n - 1 - i]];
  if (status == HB_OK) memcpy(m, sorted, n * sizeof *m);
  hb_mem_free(sorted);
  hb_mem_free(index);
  return status;
}

enum hb_status hb_primordial_pair(struct hb_rng *rng, enum hb_ic_pairing pairing, size_t n, size_t pairs,
                                  double *m)
{
  shuffle(rng, n, m);
  if (pairing == HB_IC_PAIRING_ORDERED) return sort_down(2 * pairs, m);
  for (size_t i = 0; i < 2 * pairs; i += 2) {
    if (pairing == HB_IC_PAIRING_UNIFORM)
      m[i + 1] = m[i] * (least_ratio + (1 - least_ratio) * hb_rng_uniform(rng));
    if (m[i] >= m[i + 1]) continue;
    double primary = m[i + 1];
    m[i + 1] = m[i];
    m[i] = primary;
  }
  return HB_OK;
}

/* ---- orbits ------------------------------------------------------------------------------------------ */

/* log P. The integral of kroupa1995 is 1.25 ln (1 + (log P - 1)^2 / 45), and 1 at its end. */
static double draw_period(struct hb_rng *rng, enum hb_ic_orbits orbits)
{
  double normals[2];
  if (orbits == HB_IC_ORBITS_KROUPA1995)
    return 1 + sqrt(45 * (hb_elementary_exp(hb_rng_uniform(rng) / 1.25) - 1));
  hb_elementary_normals(rng, normals);
  return 4.8 + 2.3 * normals[0];
}

/* Kepler's third law, a^3 = m P^2 / 4 pi^2. */
static double axis_of(const struct hb_units *units, double m, double log_p)
{
  double days = hb_units_day / (hb_units_myr * units->time), P = hb_elementary_exp(log_p * LN10) * days;
  return hb_elementary_power(m * P * P / (4 * PI * PI), 1.0 / 3);
}

static double draw_axis(struct hb_rng *rng, const struct hb_ic_cluster *c, double m)
{
  if (c->orbits != HB_IC_ORBITS_OPIK) return axis_of(&c->units, m, draw_period(rng, c->orbits));
  double a = c->a_min * hb_elementary_power(c->a_max / c->a_min, hb_rng_uniform(rng));
  return fmin(fmax(a, c->a_min), c->a_max);
}

static double draw_eccentricity(struct hb_rng *rng, enum hb_ic_eccentricities kind)
{
  double u = hb_rng_uniform(rng);
  return kind == HB_IC_THERMAL ? sqrt(u) : kind == HB_IC_UNIFORM ? u : 0;
}

/* What the stars do to each other at pericenter while they are young; see primordial.h. */
static void evolve(const struct hb_ic_cluster *c, double m[2], double *a, double *e)
{
  double pericenter = *a * (1 - *e);
  double rho = hb_elementary_power(28 * hb_units_r_sun / (hb_units_pc * c->units.length) / pericenter, 0.75);
  *e *= hb_elementary_exp(-rho);
  *a = pericenter / (1 - *e);
  if (hb_masses_function(c->masses)) m[1] += (m[0] - m[1]) * fmin(rho, 1); /* masses that are given stay */
}

static int touch(const struct hb_ic_cluster *c, const double m[2], double a, double e)
{
  double R = 0;
  for (int k = 0; k < 2; k++) R += hb_elementary_power(m[k] * c->units.mass, 0.8);
  return a * (1 - e) <= R * hb_units_r_sun / (hb_units_pc * c->units.length);
}

static enum hb_status hardly_ever(const struct hb_ic_cluster *c, double m)
{
  char axes[64];
  if (isinf(c->a_max))
    snprintf(axes, sizeof axes, "above %g", c->a_min);
  else if (c->a_min > 0)
    snprintf(axes, sizeof axes, "from %g to %g", c->a_min, c->a_max);
  else
    snprintf(axes, sizeof axes, "below %g", c->a_max);
  return hb_fail(HB_ERR_USAGE, "a binary of mass %g would hardly ever have a semi-major axis %s", m, axes);
}

enum hb_status hb_primordial_orbit(struct hb_rng *rng, const struct hb_ic_cluster *c, double m[2], double *a,
                                   double *e, size_t *redrawn)
{
  double born = m[1];
  for (int tries = 0, fits = 0; !fits; tries++) {
    if (tries == 1 && c->orbits != HB_IC_ORBITS_OPIK) ++*redrawn;
    if (tries == 100000) return hardly_ever(c, m[0] + born);
    m[1] = born;
    *a = draw_axis(rng, c, m[0] + m[1]);
    if (*a < c->a_min || *a > c->a_max) continue;
    *e = draw_eccentricity(rng, c->eccentricities);
    if (c->orbits == HB_IC_ORBITS_KROUPA1995) evolve(c, m, a, e);
    fits = c->orbits == HB_IC_ORBITS_OPIK || !touch(c, m, *a, *e);
  }
  return HB_OK;
}

/* ---- places ------------------------------------------------------------------------------------------ */

/* cos E and sin E for a mean anomaly E - e sin E that is uniform: E has the density 1 - e cos E, so that Kepler's equation
 * need not be solved. */
static void draw_phase(struct hb_rng *rng, double e, double *cos_E, double *sin_E)
{
  double r2, point[2];
  do {
    do {
      for (int k = 0; k < 2; k++) point[k] = 2 * hb_rng_uniform(rng) - 1;
      r2 = point[0] * point[0] + point[1] * point[1];
    } while (r2 > 1 || r2 < 0x1p-20);
    *cos_E = point[0] / sqrt(r2);
    *sin_E = point[1] / sqrt(r2);
  } while (hb_rng_uniform(rng) * (1 + e) >= 1 - e * *cos_E);
}

/* Unit vectors to pericenter and along the motion there. */
static void draw_axes(struct hb_rng *rng, double p[3], double q[3])
{
  double along, length2;
  hb_rng_direction(rng, p);
  do {
    hb_rng_direction(rng, q);
    along = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    for (int k = 0; k < 3; k++) q[k] -= along * p[k];
    length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  } while (length2 < 0x1p-20);
  for (int k = 0; k < 3; k++) q[k] /= sqrt(length2);
}

void hb_primordial_place(struct hb_rng *rng, double m, double a, double e, double x[3], double v[3])
{
  double c, s, p[3], q[3], minor = sqrt((1 - e) * (1 + e));
  draw_phase(rng, e, &c, &s);
  draw_axes(rng, p, q);
  double speed = sqrt(m / a) / (1 - e * c); /* a dE / dt */
  for (int k = 0; k < 3; k++) {
    x[k] = a * ((c - e) * p[k] + minor * s * q[k]);
    v[k] = speed * (minor * c * q[k] - s * p[k]);
  }
}
