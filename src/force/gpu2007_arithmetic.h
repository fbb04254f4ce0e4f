/* Single precision as the two cards of [PZ07] computed it: G80 (GeForce 8800GTX) and NV40's kind (Quadro FX1400, an NV41). Each
 * operation is exact in a double or whole number first and rounded once, so that vector units can do many.
 *
 * G80, by the CUDA Programming Guide 1.0, appendix A, and the PTX reference (targets sm_1x):
 *   a + b, a * b     to nearest even
 *   a * b + c        the product is cut to 24 bits, the sum to nearest; where c is 0 the product is to nearest
 *   1 / x            1 ulp;  1 / sqrt(x)  2 ulp
 *   denormals        zero, as operands and as results
 * NV40, by what Hillesland & Lastra 2004 (GPU floating-point paranoia) measured on an NV35, errors in ulp of the result:
 *   a + b            [-1, 0];  a - b  [-0.75, 0.75]
 *   a * b            [-0.782, 0.625];  a / b  [-1.199, 1.375]
 *   denormals        zero (NVIDIA's GPU Programming Guide)
 *
 * The numbers of both papers and of edition 1.0 are quoted at second hand: data/notebook/2026-11-26-arithmetic-of-2007.md.
 *
 * Assumed:
 *   - the unit of reciprocals interpolates quadratically, in 128 intervals for 1 / x and 64 an octave for 1 / sqrt(x), with
 *     coefficients of 26, 16 and 10 bits (Oberman & Siu 2005, of this unit). The coefficients are our own, so single results differ;
 *     an exact power of two has an exact result. NV40 is given the same unit;
 *   - NV40 is as NV35; its sums cut the smaller operand two bits below the last of the larger, and then the sum to 24 bits,
 *     which has just these errors; its products add 0.625 ulp less 0.40625 u, and cut, where u in 0 .. 1 is 11 of the low bits
 *     of the product, in place of the columns that its multiplier does not form, which has just those;
 *   - NV40's a * b + c is its product and then its sum; a scalar product is formed term by term on both. */
#ifndef HB_GPU2007_ARITHMETIC_H
#define HB_GPU2007_ARITHMETIC_H

#include "base/bits.h"

#include <math.h>

enum gpu2007 { GPU2007_SINGLE, GPU2007_G80, GPU2007_NV40 }; /* single: to nearest, nothing flushed or fused */

#define GPU2007_INLINE static inline __attribute__((always_inline))

GPU2007_INLINE uint64_t gpu2007_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

GPU2007_INLINE double gpu2007_double(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Denormals become zeros of their sign. */
GPU2007_INLINE float gpu2007_flush(float x)
{
  uint32_t bits = hb_bits_of_float(x);
  return hb_bits_to_float(bits & (bits & 0x7f800000u ? 0xffffffffu : 0x80000000u));
}

/* x, exact as a double, toward zero to 24 bits. */
GPU2007_INLINE float gpu2007_cut(double x)
{
  return (float)gpu2007_double(gpu2007_bits(x) & ~UINT64_C(0x1fffffff));
}

/* ---- G80 ---- */

GPU2007_INLINE float g80_add(float a, float b) { return gpu2007_flush(a + b); }
GPU2007_INLINE float g80_multiply(float a, float b) { return gpu2007_flush(a * b); }

/* The exponent of the cut product is not limited. Two numbers of 24 bits: their sum as a double, rounded again, is the sum rounded once
 * (53 >= 2 * 24 + 2). */
GPU2007_INLINE float g80_multiply_add(float a, float b, float c)
{
  double product = gpu2007_double(gpu2007_bits((double)a * (double)b) & ~UINT64_C(0x1fffffff));
  return gpu2007_flush(c == 0 ? a * b + c : (float)(product + (double)c));
}

/* ---- NV40 ---- */

/* The bits of the smaller operand below two guard bits are lost, and those of the sum below its 24. */
GPU2007_INLINE float nv40_add(float a, float b)
{
  float large = fabsf(a) >= fabsf(b) ? a : b, small = fabsf(a) >= fabsf(b) ? b : a;
  uint64_t lost = 27 + (hb_bits_of_float(large) >> 23 & 255) - (hb_bits_of_float(small) >> 23 & 255);
  lost = lost > 52 ? 63 : lost; /* all but the sign */
  double kept = gpu2007_double(gpu2007_bits((double)small) >> lost << lost);
  return gpu2007_flush(gpu2007_cut((double)large + kept));
}

/* 29 bits of the double are below the product's 24, the last 5 not of it. */
GPU2007_INLINE float nv40_multiply(float a, float b)
{
  uint64_t bits = gpu2007_bits((double)a * (double)b), u = bits >> 5 & 0x7ff;
  bits += (UINT64_C(5) << 26) - ((u << 16) + (u << 15) + (u << 13));
  return gpu2007_flush(a * b == 0 ? a * b : gpu2007_cut(gpu2007_double(bits)));
}

GPU2007_INLINE float nv40_multiply_add(float a, float b, float c) { return nv40_add(nv40_multiply(a, b), c); }

/* ---- reciprocals ---- */

/* To a multiple of a power of two, where the quotient is below 2^51. */
GPU2007_INLINE double gpu2007_whole(double x, double unit) { return (x + 0x1.8p52 * unit) - 0x1.8p52 * unit; }

/* Near the middle of an interval of half that width, d from it, to 24 bits: from the coefficients of the cubic there. The slope
 * with three quarters of the cubic term spreads the error over the interval as evenly as can be (Chebyshev). */
GPU2007_INLINE float gpu2007_parabola(const double c[4], double half, double d, double slope_unit)
{
  double level = gpu2007_whole(c[0], 0x1p-26), curvature = gpu2007_whole(c[2], slope_unit * 0x1p6);
  double slope = gpu2007_whole(c[1] + 0.75 * half * half * c[3], slope_unit);
  return (float)(level + d * (slope + d * curvature));
}

/* y times the power of two with this exponent field, by the sign of x: where x is zero, infinity, and where it is infinite, zero. */
GPU2007_INLINE float gpu2007_scaled(float y, uint32_t power, float x)
{
  uint32_t bits = hb_bits_of_float(x), field = bits >> 23 & 255;
  uint32_t scaled = hb_bits_of_float(gpu2007_flush(y * hb_bits_to_float((power & 255) << 23)));
  return hb_bits_to_float((bits & 0x80000000u) | (field == 0 ? 0x7f800000u : field == 255 ? 0 : scaled));
}

/* 128 intervals of 1 .. 2. */
GPU2007_INLINE float gpu2007_reciprocal(float x)
{
  uint32_t bits = hb_bits_of_float(x);
  float middle = hb_bits_to_float((bits & 0x7f0000) | 0x3f808000);
  double d = (double)hb_bits_to_float((bits & 0x7fffff) | 0x3f800000) - (double)middle;
  double y = (double)(1 / middle);
  y += y * (1 - (double)middle * y); /* to more bits than are kept */
  const double c[4] = {y, -y * y, y * y * y, -(y * y) * (y * y)};
  float near = gpu2007_parabola(c, 0x1p-8, d, 0x1p-18);
  return gpu2007_scaled(bits & 0x7fffff ? near : 1, 254 - (bits >> 23 & 255), x);
}

/* 1 / sqrt(x) of x not negative: 64 intervals of 1 .. 2, and of 2 .. 4 where the exponent is odd. */
GPU2007_INLINE float gpu2007_root(float x)
{
  uint32_t bits = hb_bits_of_float(x), field = bits >> 23 & 255, odd = ~field & 1, one = (127 + odd) << 23;
  float middle = hb_bits_to_float((bits & 0x7e0000) | 0x10000 | one);
  double d = (double)hb_bits_to_float((bits & 0x7fffff) | one) - (double)middle;
  double y = (double)(1 / sqrtf(middle));
  y += y * (0.5 - 0.5 * (double)middle * y * y);
  double y3 = y * y * y;
  const double c[4] = {y, -0.5 * y3, 0.375 * y3 * y * y, -0.3125 * y3 * y3 * y};
  float near = gpu2007_parabola(c, odd ? 0x1p-6 : 0x1p-7, d, 0x1p-18);
  return gpu2007_scaled((bits & 0xffffff) == 0x800000 ? 1 : near, (381 + odd - field) >> 1, x);
}

#endif
