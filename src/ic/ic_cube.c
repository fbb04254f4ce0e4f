/* Points uniform in the cube from -1 to 1 in x, y and z, at rest, G = M = 1: the plainest input for timing forces.
 * Not centered, so that no coordinate exceeds 1. */
#include "ic/ic.h"

#include "base/rng.h"

static enum hb_status cube_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_seeded(params->seed);
  for (size_t i = 0; i < p->n; i++) p->m[i] = 1.0 / (double)p->n;
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] = 2 * hb_rng_uniform(&rng) - 1;
  return HB_OK;
}

const struct hb_ic_ops hb_ic_cube = {
    .eps = 1.0 / 256,
    .info = {.name = "cube",
             .summary = "uniform cube from -1 to 1 at rest, M = 1",
             .source = "",
             .options = "n seed",
             .n = 1024,
             .n_min = 1,
             .n_max = IC_N_MAX,
             .speed = 0.4},
    .make = cube_make,
};
