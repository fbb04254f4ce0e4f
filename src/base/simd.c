#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[HB_SIMD_COUNT] = {"baseline", "avx2", "avx512"};

/* HB_SIMD_COUNT: HB_SIMD is not set, or unknown. */
static enum hb_simd named(const char *word)
{
  int set = 0;
  while (set < HB_SIMD_COUNT && (!word || strcmp(word, names[set]) != 0)) set++;
  return (enum hb_simd)set;
}

static enum hb_simd of_machine(void)
{
#if HB_SIMD_X86
  if (__builtin_cpu_supports("avx512f")) return HB_SIMD_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return HB_SIMD_AVX2;
#endif
  return HB_SIMD_BASELINE;
}

enum hb_simd hb_simd_best(void)
{
  enum hb_simd has = of_machine(), most = named(getenv("HB_SIMD"));
  return has < most ? has : most;
}

enum hb_status hb_simd_check(void)
{
  const char *word = getenv("HB_SIMD");
  if (!word || named(word) < HB_SIMD_COUNT) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "HB_SIMD is '%s', expected avx512, avx2 or baseline", word);
}
