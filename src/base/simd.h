/* Which vector instructions loops with a version for each set may use: what the machine has, at most what HB_SIMD names
 * (avx512, avx2 or baseline). */
#ifndef HB_SIMD_H
#define HB_SIMD_H

#include "base/status.h"

enum hb_simd { HB_SIMD_BASELINE, HB_SIMD_AVX2, HB_SIMD_AVX512, HB_SIMD_COUNT };

/* A word that HB_SIMD does not know limits nothing here; hb_simd_check refuses it: HB_ERR_USAGE. */
enum hb_simd hb_simd_best(void);
enum hb_status hb_simd_check(void);

/* Whether there are versions beside the baseline. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HB_SIMD_X86 1
#else
#define HB_SIMD_X86 0
#endif

#define HB_SIMD_AVX512_TARGET __attribute__((target("avx512f,avx2,fma")))
#define HB_SIMD_AVX2_TARGET   __attribute__((target("avx2,fma")))

#endif
