/* Post-Newtonian terms of two bodies, of order 1, 2 and 2.5 in (v / c)^2, in harmonic coordinates: Kidder 1995, PRD 52, 821, eqs 2.2; no spins. */
#ifndef HB_PN_H
#define HB_PN_H

/* Nearer to each other than this times G M / c^2, they mean nothing. */
static const double hb_pn_least = 6;

/* g: what they add to the relative acceleration of masses m[2], G = 1, apart by x with the velocity v; c is the speed of light. */
void hb_pn_pull(const double m[2], double c, const double x[3], const double v[3], double g[3]);

#endif
