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

#define HB_ENDIAN_GET(NAME, TYPE)                                                                            \
  static inline TYPE hb_endian_##NAME(const void *at, int swap)                                              \
  {                                                                                                          \
    TYPE x;                                                                                                  \
    hb_endian_copy(&x, at, sizeof x, swap);                                                                  \
    return x;                                                                                                \
  }
HB_ENDIAN_GET(16, uint16_t)
HB_ENDIAN_GET(int, int32_t)
HB_ENDIAN_GET(float, float)
HB_ENDIAN_GET(double, double)

#endif
