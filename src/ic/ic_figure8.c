/* Three equal masses chasing each other on a figure eight, period 6.32591398. Initial values: C. Simo's in
 * Chenciner & Montgomery (2000); bodies 1 and 2 balance the momentum of body 3. */
#include "ic/ic.h"

#include <string.h>

static enum hb_status figure8_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  (void)params;
  const double x1 = 0.97000435669734, y1 = -0.24308753153583;
  const double vx3 = -0.93240737144104, vy3 = -0.86473146092102;
  const double x[9] = {x1, y1, 0, -x1, -y1, 0, 0, 0, 0};
  const double v[9] = {-vx3 / 2, -vy3 / 2, 0, -vx3 / 2, -vy3 / 2, 0, vx3, vy3, 0};
  for (int i = 0; i < 3; i++) p->m[i] = 1;
  memcpy(p->x, x, sizeof x);
  memcpy(p->v, v, sizeof v);
  return HB_OK;
}

const struct hb_ic_ops hb_ic_figure8 = {
    .info = {.name = "figure8",
             .summary = "three equal masses on a figure eight, period 6.3259",
             .source = "Chenciner & Montgomery 2000, Ann. Math. 152, 881",
             .options = "",
             .n = 3,
             .n_min = 3,
             .n_max = 3,
             .speed = 6.32591398 / 6},
    .make = figure8_make,
};
