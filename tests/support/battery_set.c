#include "support/battery_set.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>

struct battery_set battery_set;
struct battery_result battery_result;
uint32_t battery_all[BATTERY_MOST];

static uint32_t state;
double battery_uniform(void)
{
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 16777216.0;
}

void battery_reference(struct battery_set *s, size_t ni)
{
  for (size_t i = 0; i < ni; i++) {
    long double a[3] = {0}, j[3] = {0}, phi = 0;
    for (size_t k = 0; k < s->n; k++) {
      if (k == i) continue;
      long double rij[3], vij[3], r2 = (long double)s->eps * s->eps, rv = 0;
      for (int l = 0; l < 3; l++) {
        rij[l] = (long double)s->x[3 * k + l] - s->x[3 * i + l];
        vij[l] = (long double)s->v[3 * k + l] - s->v[3 * i + l];
        r2 += rij[l] * rij[l];
        rv += rij[l] * vij[l];
      }
      long double r = sqrtl(r2), mr3 = s->m[k] / (r2 * r);
      for (int l = 0; l < 3; l++) {
        a[l] += mr3 * rij[l];
        j[l] += mr3 * (vij[l] - 3 * rv / r2 * rij[l]);
      }
      phi -= s->m[k] / r;
    }
    for (int l = 0; l < 3; l++) s->a[3 * i + l] = (double)a[l], s->j[3 * i + l] = (double)j[l];
    s->phi[i] = (double)phi;
  }
}

/* What was made is kept: many sources of forces are asked about the same few sets. */
void battery_random_set(size_t n, double eps, double spread)
{
  static struct {
    struct battery_set set;
    double spread;
  } kept[64];
  size_t k = 0;
  while (k < 64 && kept[k].set.n > 0 &&
         !(kept[k].set.n == n && kept[k].set.eps == eps && kept[k].spread == spread))
    k++;
  expect_below(k, 64);
  if (kept[k].set.n > 0) {
    battery_set = kept[k].set;
    return;
  }
  battery_set.n = n;
  battery_set.eps = eps;
  state = (uint32_t)n * 7919u + 1u;
  for (size_t i = 0; i < n; i++) {
    battery_set.m[i] = (float)(pow(10, spread * (battery_uniform() - 0.5)) / (double)n);
    for (int l = 0; l < 3; l++) {
      battery_set.x[3 * i + l] = (float)(2 * battery_uniform() - 1);
      battery_set.v[3 * i + l] = (float)(2 * battery_uniform() - 1);
    }
  }
  battery_reference(&battery_set, n > BATTERY_WHOLE ? BATTERY_SINKS : n);
  kept[k].set = battery_set;
  kept[k].spread = spread;
}

/* ---- comparing ---- */

char battery_what[64];

void battery_require(double error, double bound, const char *quantity)
{
  if (error <= bound) return; /* NaN falls through */
  char message[256];
  snprintf(message, sizeof message, "%s: %s is wrong by %.3g, allowed %.3g", battery_what, quantity, error,
           bound);
  fail_msg("%s", message);
}

/* Sqrt of the mean over the sinks of |difference|^2 / |reference|^2; `width` numbers a sink. */
static double rms_error(size_t ni, const uint32_t *index, size_t width, const double *got,
                        const double *right)
{
  double sum = 0;
  for (size_t k = 0; k < ni; k++) {
    double d2 = 0, r2 = 0;
    for (size_t l = 0; l < width; l++) {
      double r = right[width * index[k] + l], d = got[width * k + l] - r;
      d2 += d * d;
      r2 += r * r;
    }
    sum += r2 > 0 ? d2 / r2 : d2;
  }
  return sqrt(sum / (double)ni);
}

void battery_evaluate(struct hb_force *force, size_t ni, const uint32_t *index)
{
  if (hb_force_eval(force, ni, index, battery_result.a, battery_result.j, battery_result.phi) != HB_OK)
    fail_msg("%s: %s", battery_what, hb_error());
}

void battery_compare(size_t ni, const uint32_t *index, double bound)
{
  battery_require(rms_error(ni, index, 3, battery_result.a, battery_set.a), bound, "acceleration");
  battery_require(rms_error(ni, index, 3, battery_result.j, battery_set.j), bound, "jerk");
  battery_require(rms_error(ni, index, 1, battery_result.phi, battery_set.phi), bound, "potential");
}

struct hb_force *battery_open_force(const struct hb_force_params *params, double eps)
{
  struct hb_force_params p = *params;
  p.eps = eps;
  struct hb_force *force;
  if (hb_force_open(&p, &force) != HB_OK) fail_msg("%s: %s", battery_what, hb_error());
  return force;
}

void battery_send_set(struct hb_force *force)
{
  if (hb_force_set_j(force, battery_set.n, battery_set.m, battery_set.x, battery_set.v) != HB_OK)
    fail_msg("%s: %s", battery_what, hb_error());
}

void battery_check_all(struct hb_force *force, double bound)
{
  battery_send_set(force);
  battery_evaluate(force, battery_set.n, battery_all);
  battery_compare(battery_set.n, battery_all, bound);
}

void battery_notices(struct hb_force *force, double bound)
{
  const struct battery_result *r = &battery_result;
  const struct battery_set *s = &battery_set;
  battery_set.m[17] *= 1 + 1000 * bound;
  battery_send_set(force);
  battery_evaluate(force, s->n, battery_all);
  expect_above(rms_error(s->n, battery_all, 3, r->a, s->a), bound);
  expect_above(rms_error(s->n, battery_all, 3, r->j, s->j), bound);
  expect_above(rms_error(s->n, battery_all, 1, r->phi, s->phi), bound);
}
