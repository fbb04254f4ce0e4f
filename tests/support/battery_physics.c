/* What forces must not depend on: position, velocity and orientation of a system, its units and the direction of time.
 * And sizes and separations at which arithmetic breaks first. */
#include "support/support.h"
#include "support/battery_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void name(const char *text) { snprintf(battery_what, sizeof battery_what, "%s", text); }

/* ---- invariance ---- */

/* x' = length R x + shift, v' = speed R v + boost, m' = mass m. */
struct change {
  const char *name;
  double shift, boost, angle, length, speed, mass;
};

/* Shifts and boosts round no coordinate: random ones are multiples of 2^-23. */
static const struct change changes[] = {
    {"shifted by 1", 1, 0, 0, 1, 1, 1},           {"shifted by 1e6", 1e6, 0, 0, 1, 1, 1},
    {"boosted by 1000", 0, 1000, 0, 1, 1, 1},     {"shifted and boosted", -1e6, 200, 0, 1, 1, 1},
    {"turned by 1 radian", 0, 0, 1, 1, 1, 1},     {"in units of 2^10", 0, 0, 0, 0x1p10, 0x1p-5, 1},
    {"in other units", 0, 0, 0, 3100, 0.7, 1e-7}, {"backwards", 0, 0, 0, 1, -1, 1},
};

/* About the axis (1, 1, 1), so that all coordinates mix (Rodrigues). */
static void turn(double angle, const double q[3], double scale, double out[3])
{
  double c = cos(angle), s = sin(angle) / sqrt(3), along = (q[0] + q[1] + q[2]) / 3 * (1 - c);
  if (angle == 0) c = 1, s = along = 0;
  for (int l = 0; l < 3; l++) out[l] = scale * (c * q[l] + s * (q[(l + 2) % 3] - q[(l + 1) % 3]) + along);
}

static void apply(const struct change *c)
{
  static struct battery_set home; /* too large for the stack */
  double L = c->length, a = c->mass / (L * L);
  home = battery_set;
  for (size_t i = 0; i < home.n; i++) {
    size_t k = 3 * i;
    turn(c->angle, home.x + k, L, battery_set.x + k);
    turn(c->angle, home.v + k, c->speed, battery_set.v + k);
    turn(c->angle, home.a + k, a, battery_set.a + k);
    turn(c->angle, home.j + k, a * c->speed / L, battery_set.j + k);
    battery_set.m[i] = c->mass * home.m[i];
    battery_set.phi[i] = c->mass / L * home.phi[i];
    for (size_t l = k; l < k + 3; l++) battery_set.x[l] += c->shift, battery_set.v[l] += c->boost;
  }
}

static void invariance(struct hb_force *force, const struct battery_tolerance *t)
{
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    name(changes[k].name);
    battery_random_set(100, 0, 0);
    apply(&changes[k]);
    battery_check_all(force, t->force);
  }
}

/* Negative control far away: there one particle that is off by a hundred tolerances is noticed. */
static void negative_control(struct hb_force *force, const struct battery_tolerance *t)
{
  name("negative control, shifted and boosted");
  battery_random_set(100, 0, 0);
  apply(&changes[3]);
  battery_notices(force, t->force);
}

/* Backwards in time the jerk changes its sign and nothing else: rounding is symmetric, so to the last bit. */
static void time_reversal(struct hb_force *force)
{
  static struct battery_result forwards;
  name("backwards in time, bit by bit");
  battery_random_set(100, 0, 0);
  battery_send_set(force);
  battery_evaluate(force, 100, battery_all);
  forwards = battery_result;
  for (size_t k = 0; k < 300; k++) battery_set.v[k] = -battery_set.v[k];
  battery_send_set(force);
  battery_evaluate(force, 100, battery_all);
  for (size_t k = 0; k < 300; k++) {
    expect_equal(battery_result.a[k], forwards.a[k]);
    expect_equal(battery_result.j[k], -forwards.j[k]);
    expect_equal(battery_result.phi[k / 3], forwards.phi[k / 3]);
  }
}

/* ---- where arithmetic breaks ---- */

/* Around powers of two that are the rows and tiles of something: some sinks, and the largest by one software renderer. */
static void sizes(struct hb_force *force, const struct battery_tolerance *t)
{
  static const size_t n[] = {256, 1023, 1024, 1025, 4095, 4096, 4097};
  const char *context = hb_force_context(force);
  int slow = strcmp(context, "none") != 0 && strcmp(context, "osmesa") != 0;
  slow |= strcmp(hb_force_scheme(force)->name, "hybrid") == 0; /* its parts are asked on their own */
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
    if (n[k] > BATTERY_WHOLE && slow) break;
    snprintf(battery_what, sizeof battery_what, "N = %zu", n[k]);
    battery_random_set(n[k], 0, 0);
    size_t ni = n[k] > 256 ? BATTERY_SINKS : n[k];
    battery_send_set(force);
    battery_evaluate(force, ni, battery_all);
    battery_compare(ni, battery_all, t->force);
  }
}

static const double NEAR = 1e-10;

static void make_pair(size_t i, size_t k, const double middle[3], const double apart[3])
{
  for (size_t l = 0; l < 3; l++) {
    battery_set.x[3 * i + l] = middle[l] - apart[l];
    battery_set.x[3 * k + l] = middle[l] + apart[l];
  }
}

/* Alone, where the places are exact: 1 / r^5 = 10^50 is not, and a kernel that takes it must not give a number. */
static void close_pair_alone(struct hb_force *force, const struct battery_tolerance *t)
{
  name("a pair at 1e-10");
  battery_set = (struct battery_set){.n = 2, .m = {0.5, 0.5}, .v = {0, 0.25, 1, 0, -0.25, -1}};
  make_pair(0, 1, (const double[3]){0}, (const double[3]){0.3 * NEAR, 0.4 * NEAR, 0});
  battery_reference(&battery_set, 2);
  battery_send_set(force);
  if (strstr(hb_force_scheme(force)->name, "2007")) {
    double a[6], j[6], phi[2];
    ASSERT_FAILS(hb_force_eval(force, 2, battery_all, a, j, phi), HB_ERR_NUMERIC,
                 "another is too close for precision ");
    return;
  }
  battery_evaluate(force, 2, battery_all);
  battery_compare(2, battery_all, t->pair);
}

/* Among others, of whose distances theirs is a tiny part: the separation is as wrong as two places are. */
static void close_pair_among_others(struct hb_force *force, const struct battery_tolerance *t)
{
  double separation = 4 * t->place / NEAR;
  if (separation > 0.01) return; /* float cannot */
  name("a pair at 1e-10 among others");
  battery_random_set(64, 0, 0);
  make_pair(20, 40, (const double[3]){0.375, -0.5, 0.25}, (const double[3]){0, 0.4 * NEAR, 0.3 * NEAR});
  battery_reference(&battery_set, 64);
  battery_check_all(force, t->force + separation);
}

void battery_physics(struct hb_force *force, const struct battery_tolerance *tolerance)
{
  invariance(force, tolerance);
  negative_control(force, tolerance);
  time_reversal(force);
  sizes(force, tolerance);
  close_pair_alone(force, tolerance);
  close_pair_among_others(force, tolerance);
}
