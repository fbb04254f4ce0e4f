/* The relative orbit of two bodies, or of two centers of mass. */
#ifndef HB_ORBIT_H
#define HB_ORBIT_H

/* G = 1. Unbound: a < 0, e > 1. */
struct hb_orbit {
  double a, e;     /* -m1 m2 / (2 E), and by the eccentricity vector (v x (r x v)) / (m1 + m2) - r / |r| */
  double E, e_kin; /* the energy mu v^2 / 2 - m1 m2 / sqrt(r^2 + eps2), and its kinetic part */
};

/* r[3] and v[3] are those of 2 relative to 1. If one has no mass E is 0; without any a and e are NaN, too. */
struct hb_orbit hb_orbit_of(double m1, double m2, const double r[3], const double v[3], double eps2);

/* 2 pi sqrt(a^3 / m); NaN if it is unbound. */
double hb_orbit_period(const struct hb_orbit *orbit, double m);

#endif
