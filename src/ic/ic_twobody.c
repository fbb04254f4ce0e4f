/* Two bodies on a Kepler orbit in the xy plane, counter-clockwise, at apocenter: body 1 on the negative x axis,
 * body 2 on the positive one, their center of mass at rest at the origin. */
#include "ic/ic.h"

#include <math.h>

static enum hb_status twobody_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  double mass = params->m1 + params->m2;
  double r = params->a * (1 + params->e);
  double v = sqrt(mass / params->a * (1 - params->e) / (1 + params->e));
  double share1 = params->m2 / mass, share2 = params->m1 / mass;
  p->m[0] = params->m1;
  p->m[1] = params->m2;
  p->x[0] = -share1 * r;
  p->x[3] = share2 * r;
  p->v[1] = -share1 * v;
  p->v[4] = share2 * v;
  return HB_OK;
}

const struct hb_ic_ops hb_ic_twobody = {
    .info = {.name = "twobody",
             .summary = "two bodies on a Kepler orbit, at apocenter",
             .source = "Kepler 1609; Newton 1687",
             .options = "m1 m2 a e",
             .n = 2,
             .n_min = 2,
             .n_max = 2,
             .speed = 1},
    .make = twobody_make,
};
