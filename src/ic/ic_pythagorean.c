/* Burrau's problem: masses 3, 4 and 5 at rest at the corners of a triangle with sides 3, 4 and 5, each mass opposite
 * the side of its number. After about 60 time units two of them leave as a binary. */
#include "ic/ic.h"

#include <string.h>

static enum hb_status pythagorean_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  (void)params;
  const double m[3] = {3, 4, 5};
  const double x[9] = {1, 3, 0, -2, -1, 0, 1, -1, 0};
  memcpy(p->m, m, sizeof m);
  memcpy(p->x, x, sizeof x);
  return HB_OK;
}

const struct hb_ic_ops hb_ic_pythagorean = {
    .info = {.name = "pythagorean",
             .summary = "masses 3, 4, 5 at rest in the corners of a 3-4-5 triangle",
             .source = "Burrau 1913, AN 195, 113; Szebehely & Peters 1967, AJ 72, 876",
             .options = "",
             .n = 3,
             .n_min = 3,
             .n_max = 3,
             .speed = 2},
    .make = pythagorean_make,
};
