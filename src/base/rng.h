/* Counter-based random numbers: Philox4x64-10 of Random123 (Salmon et al. 2011). The k-th number of a seed is a
 * function of (seed, k) alone, the same on every machine. */
#ifndef HB_RNG_H
#define HB_RNG_H

#include <stdint.h>

struct hb_rng {
  uint64_t seed;
  uint64_t block;    /* counter of the next four words */
  uint64_t words[4]; /* the current ones */
  unsigned used;     /* how many of them */
};

struct hb_rng hb_rng_seeded(uint64_t seed);

/* One of 256 sequences of a seed that have no number in common, so that what one purpose draws does not change what
 * another gets. Sequence 0 is that of hb_rng_seeded. */
struct hb_rng hb_rng_sequence(uint64_t seed, uint8_t sequence);

/* The draws below use +, *, / and sqrt only, which IEEE rounds the same everywhere (unlike sin, cos and cbrt). */

/* Uniform in the open interval (0, 1): odd multiples of 2^-53, so neither end can occur. */
double hb_rng_uniform(struct hb_rng *rng);

/* A point uniform in the unit ball, by rejection from the cube. Returns its squared radius. */
double hb_rng_ball(struct hb_rng *rng, double point[3]);

/* An isotropic unit vector. */
void hb_rng_direction(struct hb_rng *rng, double direction[3]);

#endif
