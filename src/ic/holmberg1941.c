/* The experiment this program is named after: two nebulae of 37 lamps each pass each other, with light in place of
 * gravity (Holmberg 1941, ApJ 94, 385).
 *
 * From the paper, as quoted in the literature and as NEMO's mkh41 (P. Teuben and A. Toomre) reads its
 * figure 3: one lamp in the center and rings of 6, 8, 10 and 12 with evenly spaced radii, the first lamp of each
 * ring directly above the center; candle power of a lamp 1, 1, 1, 0.7, 0.3 from the center outward; 0.8 m
 * across, for a nebula of 1e11 solar masses and about 2500 pc; both nebulae in the plane of their orbit and
 * turning the same way; the encounters studied range up to parabolic speed and both senses of rotation.
 *
 * Assumed here (the paper itself was not at hand): a closest approach of one diameter; point masses; each ring
 * turns with the speed that balances the mean pull of its own nebula; the start is at a distance of two diameters,
 * one of them between the rims.
 *
 * Units: G = 1, mass of a nebula 1, radius of its outer ring 1. `velocity` is that of the nebulae relative to each
 * other at infinity, before the encounter (0: parabolic). The orbit runs counter-clockwise; `spin` 1 turns the
 * nebulae the same way (direct), -1 the other way (retrograde). */
#include "ic/models.h"

#include <math.h>

enum { LAMPS = 37, RINGS = 5 };

static const double closest_approach = 2, start_distance = 4;

/* Cosine and sine of the angle from one lamp to the next, written out: libraries round theirs differently. */
struct ring {
  int lamps;
  double candle_power, radius, cosine, sine;
};

static const struct ring rings[RINGS] = {
    {1, 1.0, 0.00, 1, 0},
    {6, 1.0, 0.25, 0.5, 0.86602540378443864676},
    {8, 1.0, 0.50, 0.70710678118654752440, 0.70710678118654752440},
    {10, 0.7, 0.75, 0.80901699437494742410, 0.58778525229247312917},
    {12, 0.3, 1.00, 0.86602540378443864676, 0.5},
};

/* Masses and positions of one nebula about its center. */
static void place_lamps(double *m, double *x)
{
  double light = 0;
  for (int k = 0; k < RINGS; k++) light += rings[k].lamps * rings[k].candle_power;
  for (int k = 0, i = 0; k < RINGS; k++) {
    const struct ring *ring = &rings[k];
    double c = 0, s = 1; /* directly above the center */
    for (int lamp = 0; lamp < ring->lamps; lamp++, i++) {
      m[i] = ring->candle_power / light;
      x[3 * i] = ring->radius * c;
      x[3 * i + 1] = ring->radius * s;
      x[3 * i + 2] = 0;
      double next = c * ring->cosine - s * ring->sine;
      s = s * ring->cosine + c * ring->sine;
      c = next;
    }
  }
}

/* -(a . x) of lamp i in the field of its nebula: the square of the speed of a circular orbit. */
static double circular_speed2(int i, const double *m, const double *x)
{
  double sum = 0;
  for (int j = 0; j < LAMPS; j++) {
    if (j == i) continue;
    double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1];
    double r2 = dx * dx + dy * dy;
    sum -= m[j] * (dx * x[3 * i] + dy * x[3 * i + 1]) / (r2 * sqrt(r2));
  }
  return sum;
}

/* All lamps of a ring get their mean speed, so that it stays a ring for a while. */
static void set_turning(double spin, const double *m, const double *x, double *v)
{
  for (int k = 0, first = 0; k < RINGS; first += rings[k].lamps, k++) {
    if (rings[k].radius == 0) continue;
    double speed2 = 0;
    for (int i = first; i < first + rings[k].lamps; i++) speed2 += circular_speed2(i, m, x) / rings[k].lamps;
    double omega = spin * sqrt(speed2) / rings[k].radius;
    for (int i = first; i < first + rings[k].lamps; i++) {
      v[3 * i] = -omega * x[3 * i + 1];
      v[3 * i + 1] = omega * x[3 * i];
    }
  }
}

/* Relative orbit of the two centers as point masses: speed from the energy, transverse part from the angular
 * momentum at closest approach, the rest inward. */
static void set_orbit(double v_infinity, double *v_radial, double *v_transverse)
{
  const double mass = 2, q = closest_approach, r = start_distance;
  double speed2 = v_infinity * v_infinity + 2 * mass / r;
  *v_transverse = q / r * sqrt(v_infinity * v_infinity + 2 * mass / q);
  *v_radial = -sqrt(speed2 - *v_transverse * *v_transverse);
}

enum hb_status hb_holmberg1941_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                    struct hb_particles *p)
{
  (void)model;
  double v_radial, v_transverse;
  place_lamps(p->m, p->x);
  set_turning(params->spin, p->m, p->x, p->v);
  set_orbit(params->velocity, &v_radial, &v_transverse);
  for (size_t i = 0; i < LAMPS; i++) {
    double *x = p->x + 3 * i, *v = p->v + 3 * i;
    x[0] += start_distance / 2;
    v[0] += v_radial / 2;
    v[1] += v_transverse / 2;
    /* the second nebula is the first one turned by half a circle */
    size_t twin = i + LAMPS;
    p->m[twin] = p->m[i];
    for (size_t k = 0; k < 2; k++) {
      p->x[3 * twin + k] = -x[k];
      p->v[3 * twin + k] = -v[k];
    }
  }
  return HB_OK;
}
