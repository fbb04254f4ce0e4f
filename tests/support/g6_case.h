/* GRAPE-6's calls against sums of the test's own: particles with times of their own, and what should come back. */
#ifndef G6_CASE_H
#define G6_CASE_H

#include "support/support.h"

enum { G6_MOST = 400 };

/* What a test expects of a scheme: errors relative to the sum of the sizes of the terms. */
struct g6_case {
  const char *scheme, *precision;
  double tolerance;
};

/* Particles as a program keeps them: derivatives, not what is sent. */
struct g6_particles {
  int n, index[G6_MOST];
  double t[G6_MOST], m[G6_MOST];
  double x[G6_MOST][3], v[G6_MOST][3], a[G6_MOST][3], j[G6_MOST][3], s[G6_MOST][3];
};

/* n particles in a cube of side 2, derivatives and times at random, indices 7 k + 3. The same for the same n. */
void g6_particles_make(int n, struct g6_particles *p);

/* Particle k of p at time t by its Taylor series. */
void g6_place(const struct g6_particles *p, int k, double t, double x[3], double v[3]);

void g6_send(int board, const struct g6_particles *p);
void g6_send_one(int board, int address, const struct g6_particles *p, int k);

/* i-particles and their results. */
struct g6_sinks {
  int n, index[G6_MOST], nearest[G6_MOST];
  double x[G6_MOST][3], v[G6_MOST][3], h2[G6_MOST];
  double acc[G6_MOST][3], jerk[G6_MOST][3], pot[G6_MOST];
};

/* The first n particles of p at time t. */
void g6_sinks_make(const struct g6_particles *p, int n, double t, struct g6_sinks *s);

/* The largest error of s's acc, jerk and pot, in the measure above, against a sum over the first nj of p at time t. */
double g6_error_of(const struct g6_particles *p, int nj, double t, double eps2, const struct g6_sinks *s);

/* Runs every test of the calls with this scheme. */
void g6_case_run(const struct g6_case *c);

#endif
