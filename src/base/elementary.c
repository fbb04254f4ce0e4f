#include "base/elementary.h"

#include <math.h>

static const double LN2 = 0.69314718055994530942;

/* e^x = 2^k e^r with |r| <= ln 2 / 2, by its series: 0.35^18 / 18! < 2^-53. */
double hb_elementary_exp(double x)
{
  double k = floor(x / LN2 + 0.5), r = x - k * LN2, term = 1, sum = 1;
  for (int n = 1; n < 18; n++) sum += term *= r / n;
  return ldexp(sum, (int)k);
}

/* ln x = k ln 2 + 2 atanh s with s = (m - 1) / (m + 1), x = 2^k m, m within a factor of the root of two from 1; 0.172^2 is
 * the ratio of the series. */
double hb_elementary_log(double x)
{
  int k;
  double m = frexp(x, &k);
  if (m < 0.70710678118654752440) m *= 2, k--;
  double s = (m - 1) / (m + 1), power = s, sum = s;
  for (int n = 3; n < 31; n += 2) sum += (power *= s * s) / n;
  return k * LN2 + 2 * sum;
}

/* By squares. 1 / x is exact for a power of two, and then its powers reach further down than those of x reach up. */
static double whole_power(double x, double n)
{
  int exponent;
  if (n < 0 && fabs(frexp(x, &exponent)) == 0.5) x = 1 / x, n = -n;
  double power = 1;
  for (double left = fabs(n); left > 0; left = floor(left / 2), x *= x)
    if (fmod(left, 2) == 1) power *= x;
  return n >= 0 ? power : isfinite(power) ? 1 / power : NAN;
}

double hb_elementary_power(double x, double y)
{
  if (y == floor(y)) return whole_power(x, y);
  if (x == 0 && y > 0) return 0;
  double exponent = x > 0 ? y * hb_elementary_log(x) : NAN;
  return fabs(exponent) < 700 ? hb_elementary_exp(exponent) : NAN;
}

/* Box & Muller 1958, with a direction that is drawn from a disk in place of sine and cosine. */
void hb_elementary_normals(struct hb_rng *rng, double pair[2])
{
  double r2;
  do {
    for (int k = 0; k < 2; k++) pair[k] = 2 * hb_rng_uniform(rng) - 1;
    r2 = pair[0] * pair[0] + pair[1] * pair[1];
  } while (r2 > 1 || r2 < 0x1p-20);
  double length = sqrt(-2 * hb_elementary_log(hb_rng_uniform(rng)) / r2);
  for (int k = 0; k < 2; k++) pair[k] *= length;
}

void hb_elementary_three_normals(struct hb_rng *rng, double v[3])
{
  double last[2];
  hb_elementary_normals(rng, v);
  hb_elementary_normals(rng, last);
  v[2] = last[0];
}
