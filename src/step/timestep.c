#include "step/timestep.h"

#include "core/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

const char *const hb_rounding_names[] = {"down", "nearest", "up", NULL};

/* 0 / 0 means no limit. */
static double quotient(double p, double q) { return p == 0 && q == 0 ? INFINITY : p / q; }

double hb_timestep_anew(double nu, double a_least, const double a[3], const double k[3])
{
  return hb_norm(k) > 0 ? nu * fmax(hb_norm(a), a_least) / hb_norm(k) : INFINITY;
}

double hb_timestep_first(double nu, double a_least, const double a[3], const double k[3], const double s[3])
{
  double pull = fmax(hb_norm(a), a_least);
  double eq2 = nu * quotient(pull, hb_norm(k)); /* [PZ07] eq. 2 */
  double at_rest = sqrt(nu * quotient(pull, hb_norm(s)));
  return eq2 < at_rest ? eq2 : at_rest;
}

double hb_timestep_pulls(double phi, double M, double m)
{
  double others = m > M / 2 ? M - m : M;
  return others > 0 ? phi * phi / others : 0;
}

double hb_timestep_a_least(double pulls) { return pulls / 1024; }

/* |dt k|, |dt (k_p - k)|, |dt^3 k''| of a step. */
struct norms {
  double first, second, third;
};

/* Eqs 5 and 6 find the third derivative from a difference of accelerations, 12 D with D = a - a_p + dt (k + k_p) / 2,
 * which at short steps drowns in the rounding errors of float forces: D is noise then, eq. 9 makes the next step even
 * shorter, and a particle once on short steps, at the start by eq. 2 or in an encounter, stays there. The estimate from
 * the jerks, dtdk = dt (k_p - k) for dt^2 a'', is better by 1 / dt.
 * If D is below floor, an acceleration, replaces dt2a2 and dt3k2 by the estimates from the jerks: dtdk at the end of the
 * step, and for dt^3 k'' the next term of the series k, dtdk. No change for floor = 0. */
static void rely_on_jerks(double floor, const double dtdk[3], double dt2a2[3], double dt3k2[3],
                          struct norms *n)
{
  if (!(n->third > 0 && n->third < 12 * floor && n->first > 0)) return;
  double share = n->second / n->first * (n->second / n->third);
  for (int c = 0; c < 3; c++) {
    dt3k2[c] *= share;
    dt2a2[c] = dtdk[c] - dt3k2[c]; /* eq. 9 adds dt3k2 */
  }
  n->third = hb_norm(dt3k2);
}

double hb_timestep_after(const struct hb_timestep_rule *rule, double pulls, double dt, const double k[3],
                         const double ap[3], const double kp[3], double dt2a2[3], double dt3k2[3], int *noisy)
{
  const double dtdk[3] = {dt * (kp[0] - k[0]), dt * (kp[1] - k[1]), dt * (kp[2] - k[2])};
  struct norms n = {dt * hb_norm(kp), hb_norm(dtdk), hb_norm(dt3k2)};
  double pull = hb_norm(ap);
  if (rule->noise > 0)
    rely_on_jerks(rule->noise * fmax(fmax(pull, rule->pulls), pulls), dtdk, dt2a2, dt3k2, &n);
  /* rounding shows where the jerk changed little, and dt^3 k'' is larger than its whole change */
  *noisy = n.third > n.second && n.second < n.first / 4;
  const double end[3] = {dt2a2[0] + dt3k2[0], dt2a2[1] + dt3k2[1], dt2a2[2] + dt3k2[2]};
  double a2 = hb_norm(end); /* a''_p = a'' + k'' dt, times dt^2 */
  pull = fmax(pull, fmax(rule->a_least, hb_timestep_a_least(pulls)));
  return dt *
         sqrt(rule->nu * quotient(pull * a2 + n.first * n.first, n.first * n.third + a2 * a2)); /* eq. 9 */
}

double hb_timestep_share(double share)
{
  double quarter = sqrt(sqrt(share));
  return quarter * sqrt(sqrt(quarter));
}

unsigned hb_timestep_level(double dt, double dt_min, unsigned level_max, enum hb_rounding rounding)
{
  double ratio = dt / dt_min;
  uint64_t bits;
  if (!(ratio > 1)) return 0;
  memcpy(&bits, &ratio, sizeof bits);
  unsigned exponent = (unsigned)(bits >> 52) - 1023; /* ratio = f 2^exponent, 1 <= f < 2, or infinite */
  if (exponent >= level_max) return level_max;
  bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
  double f;
  memcpy(&f, &bits, sizeof f);
  int up =
      rounding == HB_ROUND_UP ? f > 1 : rounding == HB_ROUND_NEAREST && f >= sqrt(2); /* nearest in log2 */
  return exponent + (unsigned)up;
}
