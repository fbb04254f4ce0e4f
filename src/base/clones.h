/* HB_CLONES before a function: the compiler makes one version per instruction set, the loader takes the best one this
 * machine has. The resolver of an ifunc runs before the sanitizers are ready, and only glibc has ifuncs. */
#ifndef HB_BASE_CLONES_H
#define HB_BASE_CLONES_H

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__)
#define HB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HB_CLONES
#endif

#endif
