/* Stars with test particles among them. */
#ifndef MASSLESS_CASE_H
#define MASSLESS_CASE_H

#include <holmberg/holmberg.h>

enum { MASSLESS_STARS = 48, MASSLESS_EACH = 3, MASSLESS_N = MASSLESS_STARS * (1 + MASSLESS_EACH) };

/* A Plummer sphere of stars, alone, or each followed by some test particles of a wider one; these have a mass if it is not 0. */
struct hb_particles *massless_alone(void);
struct hb_particles *massless_among(double mass);

/* Integrates to t = 1/4. */
struct hb_particles *massless_run(struct hb_particles *initial, const struct hb_sim_params *params,
                                  struct hb_sim_counts *counts);

/* Whether the stars of `among` have the bits of those alone. */
int massless_same_stars(struct hb_particles *alone, struct hb_particles *among);

/* The rms distance between the test particles of both. */
double massless_distance(struct hb_particles *p, struct hb_particles *q);

#endif
