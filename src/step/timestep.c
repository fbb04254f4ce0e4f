#include "step/timestep.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

const char *const hb_rounding_names[] = {"down", "nearest", "up", NULL};

static double norm(const double q[3]) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }

/* 0 / 0 means no limit. */
static double quotient(double p, double q) { return p == 0 && q == 0 ? INFINITY : p / q; }

double hb_timestep_first(double nu, double a_least, const double a[3], const double k[3], const double s[3])
{
  double pull = fmax(norm(a), a_least);
  double eq2 = nu * quotient(pull, norm(k)); /* [PZ07] eq. 2 */
  double at_rest = sqrt(nu * quotient(pull, norm(s)));
  return eq2 < at_rest ? eq2 : at_rest;
}

/* Lower bound of the sum of |pulls|: sum m / r^2 >= phi^2 / M (Cauchy and Schwarz). */
static double least_pull(double phi, double M) { return M > 0 ? phi * phi / M : 0; }

double hb_timestep_a_least(double phi, double M) { return least_pull(phi, M) / 1024; }

double hb_timestep_pull(double phi, double M, const double a[3]) { return fmax(norm(a), least_pull(phi, M)); }

double hb_timestep_next(double nu, double dt, const double a[3], const double k[3], const double dt2a2[3],
                        const double dt3k2[3])
{
  double end[3]; /* a''_p = a'' + k'' dt of [PZ07] eq. 9, times dt^2 */
  for (int c = 0; c < 3; c++) end[c] = dt2a2[c] + dt3k2[c];
  double dtk = dt * norm(k), a2 = norm(end);
  return dt * sqrt(nu * quotient(norm(a) * a2 + dtk * dtk, dtk * norm(dt3k2) + a2 * a2));
}

int hb_timestep_is_noisy(double dt, const double k[3], const double dtdk[3], const double dt3k2[3])
{
  double change = norm(dtdk);
  return norm(dt3k2) > change && change < dt * norm(k) / 4;
}

void hb_timestep_rely_on_jerks(double floor, double dt, const double k[3], const double dtdk[3],
                               double dt2a2[3], double dt3k2[3])
{
  double third = norm(dt3k2), second = norm(dtdk), first = dt * norm(k);
  if (!(third > 0 && third < 12 * floor && first > 0)) return;
  double share = second / first * (second / third);
  for (int c = 0; c < 3; c++) {
    dt3k2[c] *= share;
    dt2a2[c] = dtdk[c] - dt3k2[c]; /* eq. 9 adds dt3k2 */
  }
}

int hb_timestep_is_cut(double dt, double dt_min, enum hb_rounding rounding)
{
  double ratio = dt / dt_min;
  if (rounding == HB_ROUND_UP) return !(ratio > 0.5);
  return !(ratio >= (rounding == HB_ROUND_NEAREST ? sqrt(0.5) : 1));
}

unsigned hb_timestep_level(double dt, double dt_min, unsigned level_max, enum hb_rounding rounding)
{
  double ratio = dt / dt_min, f;
  if (!(ratio > 1)) return 0;
  uint64_t bits; /* of a normal number, or infinity: frexp() takes longer than all else here */
  memcpy(&bits, &ratio, sizeof bits);
  unsigned level = (unsigned)(bits >> 52) - 1023; /* ratio = f 2^level, 1 <= f < 2 */
  if (level >= level_max) return level_max;
  bits = (bits & (UINT64_MAX >> 12)) | (uint64_t)1023 << 52;
  memcpy(&f, &bits, sizeof f);
  if (rounding == HB_ROUND_NEAREST) return level + (f >= 2 * sqrt(0.5)); /* nearest in log2 */
  return level + (rounding == HB_ROUND_UP && f > 1);
}
