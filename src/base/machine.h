/* What this machine and this process compute with: vector instructions, and arithmetic as IEEE 754 says. */
#ifndef HB_MACHINE_H
#define HB_MACHINE_H

#include "base/status.h"

/* Which vector instructions loops with a version for each set may use: what the machine has, at most what HB_SIMD names
 * (avx512, avx2 or baseline). */
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

/* Before a function: the compiler makes a version per instruction set, and the loader picks the best one for this machine. Not with
 * sanitizers, which are not ready when the resolver of an ifunc runs; only glibc has ifuncs. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HB_CLONES
#endif

/* Whether each operation is rounded once, to nearest, to the type it is written in. What compilers can do against it machine.c
 * refuses to be compiled with; what another library can do to a process is asked here, for the calling thread and those it will
 * start. Errors: HB_ERR_USAGE, with what is different. */
enum hb_status hb_ieee_check(void);

#endif
