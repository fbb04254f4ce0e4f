#include "force/near_frame.h"

#include "base/arith.h"

#include <math.h>

enum { SAMPLE = 63 };
static const double LARGEST_SCALE = 0x1p300; /* squares of double coordinates are normal numbers within it */

/* The median of the finite ones; 0: there are none. */
static double median(size_t n, double *q)
{
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    if (isfinite(q[k])) q[count++] = q[k];
  return count ? hb_select(count, q, count / 2) : 0;
}

void hb_near_frame_find(size_t n, const double *x, struct hb_near_frame *frame)
{
  double q[SAMPLE] = {0};
  size_t count = n < SAMPLE ? n : SAMPLE, step = n / (count ? count : 1);
  for (size_t c = 0; c < 3; c++) {
    for (size_t k = 0; k < count; k++) q[k] = x[3 * step * k + c];
    frame->origin[c] = median(count, q);
  }
  for (size_t k = 0; k < count; k++) {
    const double *at = x + 3 * step * k, *o = frame->origin;
    q[k] = fmax(fmax(fabs(at[0] - o[0]), fabs(at[1] - o[1])), fabs(at[2] - o[2]));
  }
  double far = median(count, q);
  frame->scale = far > 1 / LARGEST_SCALE && far < LARGEST_SCALE ? ldexp(1, -ilogb(far)) : 1;
}

/* A float that is not below x >= 0. */
static float round_up(double x) { return (float)(x * (1 + 0x1p-22)); }

void hb_near_frame_place(const struct hb_near_frame *frame, const double x[3], float place[4])
{
  double size2 = 0, missed2 = 0;
  for (int c = 0; c < 3; c++) {
    double q = (x[c] - frame->origin[c]) * frame->scale;
    place[c] = (float)q;
    size2 += q * q;
    missed2 += (q - (double)place[c]) * (q - (double)place[c]);
  }
  if (size2 < HB_NEAR_REACH * HB_NEAR_REACH) {
    /* the differences are rounded to 2^-53 */
    place[3] = round_up(sqrt(missed2) + 0x1p-51 * sqrt(size2) + HB_NEAR_LEAST);
    return;
  }
  for (int c = 0; c < 3; c++) place[c] = 0;
  place[3] = HB_NEAR_ANYWHERE;
}

float hb_near_frame_reach(const struct hb_near_frame *frame, double radius, float e)
{
  return round_up(fmin(radius * frame->scale * (1 + 0x1p-50) + (double)e, (double)HB_NEAR_ANYWHERE));
}
