/* Plummer's sphere as Aarseth, Henon & Wielen (1974, A&A 37, 183) draw it, in the units of Heggie & Mathieu
 * (1986): G = M = 1, E = -1/4, in virial equilibrium, the center of mass at rest at the origin; the initial
 * conditions of [PZ07] section 4. Only + - * / and sqrt are used, which IEEE rounds the same everywhere, so a
 * seed gives the same bytes on every machine. */
#include "ic/ic.h"

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

static void plummer_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double direction[3], r = draw_radius(rng, sphere->number);
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  double speed = draw_speed(rng) * sqrt(2 / sqrt(1 + r * r)); /* times the speed of escape */
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) v[k] = speed * direction[k];
}

static enum hb_status plummer_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  double s_max = params->r_cut > 0 ? 1 / sqrt(1 + 1 / params->r_cut / params->r_cut) : 1;
  *sphere = (struct hb_ic_sphere){
      .draw = plummer_draw, .number = s_max, .length = 0.58904862254808623221 /* 3 pi / 16 */};
  return HB_OK;
}

const struct hb_ic_ops hb_ic_plummer = {
    .eps = 1.0 / 256,
    .info = {.name = "plummer",
             .summary = "Plummer's sphere in virial equilibrium, M = 1, E = -1/4",
             .source = "Aarseth, Henon & Wielen 1974, A&A 37, 183",
             .options = "n seed r-cut scaling",
             .n = 1024,
             .n_min = 2,
             .n_max = IC_N_MAX,
             .speed = 0.5,
             .is_cluster = 1},
    .open = plummer_open,
};
