/* Post-Newtonian terms of two bodies without spins, of order 1, 2 and 2.5 in (v / c)^2, in harmonic coordinates: Kidder 1995,
 * PRD 52, 821, eqs 2.2. How they are integrated, and what happens to the energy, is in bulirsch_stoer.c. */
#ifndef HB_POST_NEWTON_H
#define HB_POST_NEWTON_H

/* At separations below this times G M / c^2 the series no longer means anything. */
#define HB_POST_NEWTON_LEAST 6.

/* Sets g[3] to what the terms add to the relative acceleration of masses m[2] (G = 1), which are apart by x with relative velocity
 * v; c is the speed of light. */
void hb_post_newton_acceleration(const double m[2], double c, const double x[3], const double v[3],
                                 double g[3]);

#endif
