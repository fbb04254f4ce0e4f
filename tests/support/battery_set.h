/* A set of particles, the forces on them by long double, and what a source of forces makes of it: what batteries share. */
#ifndef TESTS_BATTERY_SET_H
#define TESTS_BATTERY_SET_H

#include "support/battery.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* Of sets of more than BATTERY_WHOLE the forces on BATTERY_SINKS are known. */
enum { BATTERY_MOST = 4100, BATTERY_WHOLE = 1000, BATTERY_SINKS = 16 };

/* One set of particles and the forces on them. */
struct battery_set {
  size_t n;
  double eps;
  double m[BATTERY_MOST], x[3 * BATTERY_MOST], v[3 * BATTERY_MOST];
  double a[3 * BATTERY_MOST], j[3 * BATTERY_MOST], phi[BATTERY_MOST];
};

struct battery_result {
  double a[3 * BATTERY_MOST], j[3 * BATTERY_MOST], phi[BATTERY_MOST];
};

extern struct battery_set battery_set;       /* the one at work */
extern struct battery_result battery_result; /* what a source made of it */
extern uint32_t battery_all[BATTERY_MOST];   /* 0, 1, ... */
extern char battery_what[64];                /* the case at work, for the message of a failure */

double battery_uniform(void); /* 0 <= u < 1: a small generator, tests must not depend on the library's */

/* The forces on the first ni particles, by long double, summed in the plainest way. */
void battery_reference(struct battery_set *set, size_t ni);

/* n particles in a cube, rounded to float so that single precision starts from the same positions; `spread` decades of
 * masses. */
void battery_random_set(size_t n, double eps, double spread);

/* Fails the test, naming case and quantity, unless error <= bound. */
void battery_require(double error, double bound, const char *quantity);

/* A source with this softening, which takes sets one after the other; the set to it; its forces; their errors. */
struct hb_force *battery_open_force(const struct hb_force_params *params, double eps);
void battery_send_set(struct hb_force *force);
void battery_evaluate(struct hb_force *force, size_t ni, const uint32_t *index);
void battery_compare(size_t ni, const uint32_t *index, double bound);
void battery_check_all(struct hb_force *force, double bound); /* all of it */

/* The tolerance means something: a mass of the set that is wrong by a thousand of it shows in all forces together. */
void battery_notices(struct hb_force *force, double bound);

/* The cases of battery_physics.c, by a source without softening. */
void battery_physics(struct hb_force *force, const struct battery_tolerance *tolerance);

#endif
