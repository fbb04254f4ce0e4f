/* Copies past the caches, to memory that this processor does not read again: a device that copies from there need not ask
 * them. */
#ifndef HB_STREAM_H
#define HB_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

/* Complete 16 bytes where `to` is aligned to them, else as memcpy. */
static inline void hb_stream_copy(void *to, const void *from, size_t bytes)
{
  if ((uintptr_t)to % 16 || bytes % 16) {
    memcpy(to, from, bytes);
    return;
  }
  for (size_t k = 0; k < bytes; k += 16)
    _mm_stream_si128((__m128i *)((char *)to + k), _mm_loadu_si128((const __m128i *)((const char *)from + k)));
}

/* Before anybody is told that what this thread has copied is there. */
static inline void hb_stream_end(void) { _mm_sfence(); }
#else
static inline void hb_stream_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static inline void hb_stream_end(void) {}
#endif

#endif
