/* What the interactions of shaders/interactions compute, in plain C and double: a second opinion for every one of them. */
#ifndef PAIRS_LAW_H
#define PAIRS_LAW_H

enum { PAIRS_COLUMNS = 12, PAIRS_SUMS = 4 };

/* A sum of vectors or numbers, and of their sizes. */
struct pairs_sum {
  double f[3], size;
};

struct pairs_law {
  const char *name;
  double parameter[4]; /* as the tests have them */
  /* A column of particles that is changed where a test wants another result and there is no parameter; else 0 */
  int control;
  int is_lattice; /* particles near the points of a lattice, else at random */

  /* What source j, 12 numbers, does to sink i. */
  void (*pair)(const double *parameter, const double *i, const double *j, struct pairs_sum *sum);

  /* Where sum k is among the results, and how wide; width 0 after the last. */
  struct {
    int first, width;
  } result[PAIRS_SUMS + 1];
};

/* Fails the test where there is none. */
const struct pairs_law *pairs_law_of(const char *interaction);

#endif
