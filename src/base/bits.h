/* Numbers as 32-bit words, bit for bit, as the device has them; a double is two words, the high one first. */
#ifndef HB_BITS_H
#define HB_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t hb_bits_of_float(float x)
{
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  return word;
}

static inline float hb_bits_to_float(uint32_t word)
{
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

static inline void hb_bits_of_double(double x, uint32_t *high, uint32_t *low)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  *high = (uint32_t)(bits >> 32);
  *low = (uint32_t)bits;
}

static inline double hb_bits_to_double(uint32_t high, uint32_t low)
{
  uint64_t bits = (uint64_t)high << 32 | low;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The low half of a double that is sent as two floats: x less its rounding to float, as a float. `volatile`: the
 * vectorizer of gcc 12 at -O3 replaces (double)(float)x by x where three components are adjacent, which gives zeros
 * (test_gl_pairs, test_ds_positions). */
static inline float hb_split_low(double x)
{
  volatile float high = (float)x;
  return (float)(x - (double)high);
}

#endif
