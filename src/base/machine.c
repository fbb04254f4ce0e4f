#include "base/machine.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "-ffast-math adds in any order: results would depend on the compiler"
#endif
_Static_assert(FLT_EVAL_METHOD == 0,
               "wider registers: add -msse2 -mfpmath=sse on i386, -fexcess-precision=fast on s390x");
_Static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53, "float and double of 32 and 64 bits are needed");

/* Half of the distance from 1 to the next number, and three quarters. */
static const volatile double HALF = 0x1p-53, MORE = 0x1.8p-53, ONE = 1;

static int rounds_to_nearest(void)
{
  return ONE + HALF == 1 && ONE + MORE == 1 + DBL_EPSILON && -ONE - HALF == -1 &&
         -ONE - MORE == -1 - DBL_EPSILON;
}

static int rounds_products(void)
{
  const volatile double above = 1 + DBL_EPSILON, square = 1 + 2 * DBL_EPSILON;
  return above * above - square == 0;
}

static int keeps_subnormals(void)
{
  const volatile double least = DBL_MIN, small = 0x1p-1074;
  const volatile float least_float = FLT_MIN, small_float = 0x1p-149f;
  const volatile float half_float = least_float / 2;
  return least / 2 > 0 && small * 2 > 0 && half_float > 0 && small_float * 2 > 0;
}

enum hb_status hb_ieee_check(void)
{
  const char *fault = !rounds_to_nearest()  ? "does not round to nearest"
                      : !rounds_products()  ? "does not round products before they are added"
                      : !keeps_subnormals() ? "takes the smallest numbers for 0"
                                            : NULL;
  if (!fault) return HB_OK;
  return hb_fail(
      HB_ERR_USAGE,
      "this process %s, as another library may have set it to: the bits would not be those of other "
      "machines",
      fault);
}

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
