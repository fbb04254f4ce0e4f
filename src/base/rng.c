#include "base/rng.h"

#include <math.h>

/* By itself the header offers this on two machines only. */
#define R123_USE_PHILOX_64BIT 1
#ifdef __SIZEOF_INT128__
#define R123_USE_GNU_UINT128 1
#else
#define R123_USE_MULHILO64_C99 1
#endif
#include <Random123/philox.h>

struct hb_rng hb_rng_seeded(uint64_t seed) { return hb_rng_sequence(seed, 0); }

struct hb_rng hb_rng_sequence(uint64_t seed, uint8_t sequence)
{
  return (struct hb_rng){.seed = seed, .block = (uint64_t)sequence << 56, .used = 4};
}

static uint64_t next_word(struct hb_rng *rng)
{
  if (rng->used == 4) {
    philox4x64_ctr_t counter = {{rng->block++, 0, 0, 0}};
    philox4x64_key_t key = {{rng->seed, 0}};
    philox4x64_ctr_t random = philox4x64(counter, key);
    for (int k = 0; k < 4; k++) rng->words[k] = random.v[k];
    rng->used = 0;
  }
  return rng->words[rng->used++];
}

double hb_rng_uniform(struct hb_rng *rng) { return ((double)(next_word(rng) >> 12) + 0.5) * 0x1p-52; }

double hb_rng_ball(struct hb_rng *rng, double point[3])
{
  double r2;
  do {
    r2 = 0;
    for (int k = 0; k < 3; k++) {
      point[k] = 2 * hb_rng_uniform(rng) - 1;
      r2 += point[k] * point[k];
    }
  } while (r2 > 1);
  return r2;
}

void hb_rng_direction(struct hb_rng *rng, double direction[3])
{
  double r2;
  do {
    r2 = hb_rng_ball(rng, direction);
  } while (r2 < 0x1p-20); /* keeps the division well conditioned */
  for (int k = 0; k < 3; k++) direction[k] /= sqrt(r2);
}
