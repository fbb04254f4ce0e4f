/* Stumpff functions of an angle of any size, by a series for a small part of it and the formulas for twice an angle. */
#include "chain/stumpff.h"

#include <float.h>

void hb_stumpff(double x, double c[4])
{
  enum { TERMS = 7 };
  double z = x * x;
  int halvings = 0;
  for (; z > 0.1 && z <= DBL_MAX; halvings++) z /= 4;
  c[2] = c[3] = 1;
  for (int k = TERMS; k > 0; k--) {
    c[2] = 1 - z * c[2] / ((2 * k + 1) * (2 * k + 2));
    c[3] = 1 - z * c[3] / ((2 * k + 2) * (2 * k + 3));
  }
  c[2] /= 2, c[3] /= 6;
  c[0] = 1 - z * c[2], c[1] = 1 - z * c[3];
  for (; halvings > 0; halvings--) {
    c[3] = (c[2] + c[0] * c[3]) / 4;
    c[2] = c[1] * c[1] / 2;
    c[1] *= c[0];
    c[0] = 2 * c[0] * c[0] - 1;
  }
}
