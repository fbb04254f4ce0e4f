/* The one battery every source of forces goes through, in every context. */
#ifndef TESTS_BATTERY_H
#define TESTS_BATTERY_H

#include <holmberg/holmberg.h>

/* What a precision may be wrong by, relative to the force a particle feels (rms over particles) and to the sum of
 * |m a|. Named with their derivation where they are defined. */
struct battery_tolerance {
  double force; /* acc, jerk, pot of random particles against long double          */
  double pair;  /* one pair of particles: no accumulation                          */
  double split; /* the same force in another block, or with the sources rearranged */
  double place; /* a coordinate, relative to the size of the system                */
};

extern const struct battery_tolerance battery_single, battery_ds, battery_double;

/* Runs all cases on the source that params describe; fails the current cmocka test with the case's name. */
void battery_run(const struct hb_force_params *params, const struct battery_tolerance *tolerance);

/* Some of them: where the context is tested, and another one has had them all. */
void battery_smoke(const struct hb_force_params *params, const struct battery_tolerance *tolerance);

#endif
