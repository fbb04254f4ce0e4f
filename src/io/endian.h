/* Numbers in files, of either byte order: `swap` is 1 where a file has the one that this machine does not have. */
#ifndef HB_ENDIAN_H
#define HB_ENDIAN_H

#include "base/bits.h"

#include <stddef.h>

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { HB_ENDIAN_IS_BIG = 1 };
#else
enum { HB_ENDIAN_IS_BIG = 0 };
#endif

/* The `size` bytes at `at`, of a number of that size. */
static inline void hb_endian_copy(void *to, const void *from, size_t size, int swap)
{
  unsigned char *t = (unsigned char *)to;
  const unsigned char *f = (const unsigned char *)from;
  for (size_t k = 0; k < size; k++) t[k] = f[swap ? size - 1 - k : k];
}

static inline uint16_t hb_endian_16(const void *at, int swap)
{
  uint16_t x;
  hb_endian_copy(&x, at, sizeof x, swap);
  return x;
}

static inline int32_t hb_endian_int(const void *at, int swap)
{
  int32_t x;
  hb_endian_copy(&x, at, sizeof x, swap);
  return x;
}

static inline float hb_endian_float(const void *at, int swap)
{
  float x;
  hb_endian_copy(&x, at, sizeof x, swap);
  return x;
}

static inline double hb_endian_double(const void *at, int swap)
{
  double x;
  hb_endian_copy(&x, at, sizeof x, swap);
  return x;
}

#endif
