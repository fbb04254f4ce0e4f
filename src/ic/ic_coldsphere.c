/* A sphere of uniform density at rest, G = M = R = 1, centered: U = -3/5 up to the sampling noise, and all shells
 * would meet in the center at t = pi / sqrt(8) = 1.11. */
#include "ic/ic.h"

#include "base/rng.h"
#include "core/diagnostics.h"

static enum hb_status coldsphere_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_seeded(params->seed);
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = 1.0 / (double)p->n;
    double r = hb_rng_cube_root(&rng), direction[3];
    hb_rng_direction(&rng, direction);
    for (int k = 0; k < 3; k++) p->x[3 * i + k] = r * direction[k];
  }
  hb_center_at_rest(p);
  return HB_OK;
}

const struct hb_ic_ops hb_ic_coldsphere = {
    .info = {.name = "coldsphere",
             .summary = "uniform sphere at rest, M = 1, R = 1: it collapses at t = 1.1",
             .source = "van Albada 1982, MNRAS 201, 939",
             .options = "n seed",
             .n = 1024,
             .n_min = 1,
             .n_max = IC_N_MAX,
             .speed = 0.25},
    .make = coldsphere_make,
};
