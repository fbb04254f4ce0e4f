/* A sphere of uniform density at rest, G = M = R = 1, centered: U = -3/5 up to the sampling noise, and all shells
 * would meet in the center at t = pi / sqrt(8) = 1.11. With a virial ratio its velocities are normal. */
#include "base/elementary.h"
#include "ic/ic.h"

static void coldsphere_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double r = hb_rng_cube_root(rng), direction[3];
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  if (sphere->number != 0) hb_elementary_three_normals(rng, v);
}

static enum hb_status coldsphere_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  *sphere = (struct hb_ic_sphere){.draw = coldsphere_draw, .number = params->cluster.virial};
  return HB_OK;
}

const struct hb_ic_ops hb_ic_coldsphere = {
    .eps = 1.0 / 256,
    .info = {.name = "coldsphere",
             .summary = "uniform sphere at rest, M = 1, R = 1: it collapses at t = 1.1",
             .source = "van Albada 1982, MNRAS 201, 939",
             .options = "n seed",
             .n = 1024,
             .n_min = 1,
             .n_max = IC_N_MAX,
             .speed = 0.25,
             .is_cluster = 1},
    .open = coldsphere_open,
};
