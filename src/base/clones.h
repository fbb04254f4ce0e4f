/* HB_CLONES before a function: the compiler makes a version per instruction set, and the loader picks the best one for
 * this machine. Not with sanitizers, which are not ready when the resolver of an ifunc runs; only glibc has ifuncs. */
#ifndef HB_BASE_CLONES_H
#define HB_BASE_CLONES_H

#include <stdint.h> /* says whether it is glibc */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HB_CLONES
#endif

#endif
