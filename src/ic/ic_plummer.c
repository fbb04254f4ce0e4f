/* Plummer's sphere as Aarseth, Henon & Wielen (1974, A&A 37, 183) draw it, in the units of Heggie & Mathieu
 * (1986): G = M = 1, E = -1/4, in virial equilibrium, the center of mass at rest at the origin; the initial
 * conditions of [PZ07] section 4. Only + - * / and sqrt are used, which IEEE rounds the same everywhere, so a
 * seed gives the same bytes on every machine. */
#include "ic/ic.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "core/diagnostics.h"
#include "core/gravity.h"

#include <math.h>

/* The Plummer radius, total mass and G are 1 here. The mass within r is s^3 with s = r / sqrt(1 + r^2), so s is the
 * cube root of a uniform number. s_max is s at the cut-off. */
static double draw_radius(struct hb_rng *rng, double s_max)
{
  double s = s_max * hb_rng_cube_root(rng);
  return s / sqrt(1 - s * s);
}

/* Speed in units of the speed of escape: density q^2 (1 - q^2)^(7/2), by von Neumann's rejection. The density
 * is at most 0.0923, at q^2 = 2/9. */
static double draw_speed(struct hb_rng *rng)
{
  for (;;) {
    double q = hb_rng_uniform(rng);
    double w = 1 - q * q;
    if (0.1 * hb_rng_uniform(rng) < q * q * w * w * w * sqrt(w)) return q;
  }
}

static void stretch(struct hb_particles *p, double length, double speed)
{
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] *= length;
    p->v[k] *= speed;
  }
}

/* The model has U = -3 pi / 32 in Plummer radii; this length of one makes U = -1/2. */
static const double model_length = 0.58904862254808623221; /* 3 pi / 16 */

/* N^2 pairs; progress is reported after each part. */
static enum hb_status measure(const struct hb_ic_params *params, const struct hb_particles *p, double *e_pot)
{
  static const size_t pairs = (size_t)1 << 28; /* in a part: a fraction of a second */
  size_t n = p->n, part = pairs / n + 1;
  double *phi;
  HB_TRY(HB_ALLOC(n, &phi));
  for (size_t first = 0; first < n; first += part) {
    size_t end = hb_parallel_end(n, part, first);
    hb_gravity_potential_part(n, p->m, p->x, 0, first, end, phi);
    if (params->progress) params->progress(params->progress_context, (double)end / (double)n);
  }
  *e_pot = hb_potential_energy(p, phi);
  hb_mem_free(phi);
  return HB_OK;
}

/* Lengths so that U = -1/2, then speeds so that T = 1/4: with the measured sums the energy of the sample itself is exact,
 * not only that of the distribution it is drawn from. */
static enum hb_status scale(const struct hb_ic_params *params, struct hb_particles *p)
{
  if (params->scaling == HB_IC_SCALING_MODEL) {
    stretch(p, model_length, 1 / sqrt(model_length));
    return HB_OK;
  }
  double e_pot;
  HB_TRY(measure(params, p, &e_pot));
  stretch(p, -2 * e_pot, sqrt(0.25 / hb_kinetic_energy(p)));
  return HB_OK;
}

static enum hb_status plummer_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_seeded(params->seed);
  double s_max = params->r_cut > 0 ? 1 / sqrt(1 + 1 / params->r_cut / params->r_cut) : 1;
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = 1.0 / (double)p->n;
    double direction[3];
    double r = draw_radius(&rng, s_max);
    hb_rng_direction(&rng, direction);
    for (int k = 0; k < 3; k++) p->x[3 * i + k] = r * direction[k];
    double v = draw_speed(&rng) * sqrt(2 / sqrt(1 + r * r)); /* times the speed of escape */
    hb_rng_direction(&rng, direction);
    for (int k = 0; k < 3; k++) p->v[3 * i + k] = v * direction[k];
  }
  hb_center_at_rest(p);
  return scale(params, p);
}

const struct hb_ic_ops hb_ic_plummer = {
    .info = {.name = "plummer",
             .summary = "Plummer's sphere of equal masses in virial equilibrium, M = 1, E = -1/4",
             .source = "Aarseth, Henon & Wielen 1974, A&A 37, 183",
             .options = "n seed r-cut scaling",
             .n = 1024,
             .n_min = 2,
             .n_max = IC_N_MAX,
             .speed = 0.5},
    .make = plummer_make,
};
