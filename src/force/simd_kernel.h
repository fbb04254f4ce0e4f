/* The pair loop of host_simd.c, a template: the file is included once per instruction set, with SIMD_LANES
 * (floats in a vector), SIMD_TARGET (the compiler's name of the set) and SIMD_NAME(stem) defined. Without them
 * it is the version for any machine. No include guard, on purpose. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SIMD_LANES
#define SIMD_LANES      4
#define SIMD_NAME(stem) stem##_baseline
#define SIMD_TARGET
#endif

#ifndef HB_SIMD_KERNEL_H
#define HB_SIMD_KERNEL_H
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Sources lie in chunks of 16: sixteen x, sixteen y, ... in the order of these rows; m is the mass. Positions
 * are x + lo; the rows lo exist only where positions are double-single. */
enum { SIMD_X, SIMD_V = 3, SIMD_M = 6, SIMD_LO = 7, SIMD_ROWS = 7, SIMD_ROWS_DS = 10, SIMD_CHUNK = 16 };

enum { SIMD_SINKS = 16 }; /* sinks that are summed over a part together */

struct simd_sink {
  float x[3], v[3], lo[3];
  uint32_t index; /* its place among the sources */
};

/* a[3] j[3] phi 0 as a kernel adds them: scaled by a power of two, which saves a multiplication. */
enum { SIMD_SUMS = 8 };
static const double simd_scale[SIMD_SUMS] = {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, -0.5, 0};

#define SIMD_INLINE static inline __attribute__((always_inline))
#endif

/* ---- vectors: + - * are the compiler's, the rest differs ---- */

#define VECTOR SIMD_NAME(vector)
#define MASK   SIMD_NAME(mask)
typedef float VECTOR __attribute__((vector_size(4 * SIMD_LANES), may_alias));
typedef int32_t MASK __attribute__((vector_size(4 * SIMD_LANES), may_alias));

#if SIMD_LANES == 16
#define SET1(s)       ((VECTOR)_mm512_set1_ps(s))
#define FMA(a, b, c)  ((VECTOR)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FNMA(a, b, c) ((VECTOR)_mm512_fnmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define ESTIMATE(r2)  ((VECTOR)_mm512_rsqrt14_ps((__m512)(r2)))
#elif SIMD_LANES == 8
#define SET1(s)       ((VECTOR)_mm256_set1_ps(s))
#define FMA(a, b, c)  ((VECTOR)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FNMA(a, b, c) ((VECTOR)_mm256_fnmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define ESTIMATE(r2)  ((VECTOR)_mm256_rsqrt_ps((__m256)(r2)))
#else
#define SET1(s)       ((VECTOR){(s), (s), (s), (s)})
#define FMA(a, b, c)  ((a) * (b) + (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#endif

/* 2 / sqrt(r2). The estimate y is good to 2^-14 (AVX-512) or 1.5 * 2^-12 (AVX2). y (3 - r2 y^2) is twice a
 * Newton step, its error 1.5 times the square: 6e-9 or 2e-7, always too small. The latter is a bias that ds
 * would show, so there AVX2 takes the next order too: y (2 + e + 3/4 e^2) with e = 1 - r2 y^2. */
SIMD_INLINE SIMD_TARGET VECTOR SIMD_NAME(two_over_sqrt)(VECTOR r2, int ds)
{
#ifdef ESTIMATE
  VECTOR y = ESTIMATE(r2);
  VECTOR t = r2 * y;
  if (ds && SIMD_LANES == 8) {
    VECTOR e = FNMA(t, y, SET1(1));
    return y * FMA(e, FMA(e, SET1(0.75f), SET1(1)), SET1(2));
  }
  return y * FNMA(t, y, SET1(3));
#elif defined(__x86_64__)
  (void)ds;
  return SET1(2) / (VECTOR)_mm_sqrt_ps((__m128)r2);
#else
  (void)ds;
  VECTOR z = r2;
  for (int k = 0; k < SIMD_LANES; k++) z[k] = 2 / sqrtf(r2[k]);
  return z;
#endif
}

/* A sink in every lane. */
struct SIMD_NAME(spread) {
  VECTOR x[3], v[3], lo[3], eps2;
};

/* rij = xj - xi and z = 2 / r for a vector of sources. */
struct SIMD_NAME(pair) {
  VECTOR r[3], z;
};

/* A mask of one lane, or none. */
SIMD_INLINE SIMD_TARGET MASK SIMD_NAME(only)(int lane)
{
  MASK only = {0};
  for (int k = 0; k < SIMD_LANES; k++) only[k] = -(k == lane);
  return only;
}

/* The lane of the sink itself is put at unit distance and, below, without mass: an exclusion by identity, right at eps = 0
 * too. Elsewhere lane is -1, a constant after inlining as ds is. */
SIMD_INLINE SIMD_TARGET struct SIMD_NAME(pair)
    SIMD_NAME(approach)(const float *source, int ds, int lane, const struct SIMD_NAME(spread) * i)
{
  struct SIMD_NAME(pair) p;
  VECTOR *r = p.r;
  for (int k = 0; k < 3; k++) {
    r[k] = *(const VECTOR *)(source + (SIMD_X + k) * SIMD_CHUNK) - i->x[k];
    if (ds) r[k] += *(const VECTOR *)(source + (SIMD_LO + k) * SIMD_CHUNK) - i->lo[k];
  }
  VECTOR r2 = FMA(r[2], r[2], FMA(r[1], r[1], FMA(r[0], r[0], i->eps2)));
  if (lane >= 0) {
    MASK self = SIMD_NAME(only)(lane);
    r2 = (VECTOR)(((MASK)r2 & ~self) | ((MASK)SET1(1) & self));
  }
  p.z = SIMD_NAME(two_over_sqrt)(r2, ds);
  return p;
}

/* [PZ07] eq. 1 and its time derivative. */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(add)(const float *source, int lane, const struct SIMD_NAME(spread) * i,
                                            const struct SIMD_NAME(pair) * p, VECTOR sum[SIMD_SUMS])
{
  const VECTOR *r = p->r;
  VECTOR v[3];
  for (int k = 0; k < 3; k++) v[k] = *(const VECTOR *)(source + (SIMD_V + k) * SIMD_CHUNK) - i->v[k];
  VECTOR m = *(const VECTOR *)(source + SIMD_M * SIMD_CHUNK);
  if (lane >= 0) m = (VECTOR)((MASK)m & ~SIMD_NAME(only)(lane));
  VECTOR z2 = p->z * p->z;
  VECTOR mz = m * p->z;
  VECTOR mz3 = mz * z2;
  VECTOR rv = FMA(r[2], v[2], FMA(r[1], v[1], r[0] * v[0])) * (z2 * SET1(0.75f));
  for (int k = 0; k < 3; k++) {
    sum[k] = FMA(mz3, r[k], sum[k]);
    sum[3 + k] = FMA(mz3, FNMA(rv, r[k], v[k]), sum[3 + k]);
  }
  sum[6] += mz;
}

/* Adds a chunk whose first vector is in *p, which gets the first vector of the chunk at `next`, unless that is NULL. */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(add_chunk)(const float *source, const float *next, int ds,
                                                  const struct SIMD_NAME(spread) * i,
                                                  struct SIMD_NAME(pair) * p, VECTOR sum[SIMD_SUMS])
{
  for (int k = 0; k < SIMD_CHUNK; k += SIMD_LANES) {
    const float *later = k + SIMD_LANES < SIMD_CHUNK ? source + k + SIMD_LANES : next;
    struct SIMD_NAME(pair) here = *p;
    if (later) *p = SIMD_NAME(approach)(later, ds, -1, i);
    SIMD_NAME(add)(source + k, -1, i, &here, sum);
  }
}

/* The chunks from .. to, without the sink. A vector's distances are computed while the one before is added: fewer operations
 * wait in the processor for a root. */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(add_others)(const float *source, int ds, size_t from, size_t to,
                                                   const struct SIMD_NAME(spread) * i, VECTOR sum[SIMD_SUMS])
{
  const size_t stride = (ds ? SIMD_ROWS_DS : SIMD_ROWS) * SIMD_CHUNK;
  if (from == to) return;
  const float *chunk = source + from * stride, *last = source + (to - 1) * stride;
  struct SIMD_NAME(pair) p = SIMD_NAME(approach)(chunk, ds, -1, i);
  for (; chunk < last; chunk += stride) SIMD_NAME(add_chunk)(chunk, chunk + stride, ds, i, &p, sum);
  SIMD_NAME(add_chunk)(last, NULL, ds, i, &p, sum);
}

/* The chunk that holds the sink, in that lane of the chunk. */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(add_own)(const float *source, int ds, int lane,
                                                const struct SIMD_NAME(spread) * i, VECTOR sum[SIMD_SUMS])
{
  for (int k = 0; k < SIMD_CHUNK; k += SIMD_LANES) {
    int here = lane >= k ? lane - k : SIMD_LANES;
    const struct SIMD_NAME(pair) p = SIMD_NAME(approach)(source + k, ds, here, i);
    SIMD_NAME(add)(source + k, here, i, &p, sum);
  }
}

/* The lanes of each sum together. */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(add_lanes)(const VECTOR sum[SIMD_SUMS], float total[SIMD_SUMS])
{
#if SIMD_LANES == 16
  __m512 half[4], quarter[2];
  for (int k = 0; k < 4; k++) {
    __m512 a = (__m512)sum[2 * k], b = (__m512)sum[2 * k + 1];
    half[k] = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  }
  for (int k = 0; k < 2; k++) {
    __m512d a = _mm512_castps_pd(half[2 * k]), b = _mm512_castps_pd(half[2 * k + 1]);
    quarter[k] =
        _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
  __m512 s = _mm512_add_ps(_mm512_shuffle_f32x4(quarter[0], quarter[1], 0x44),
                           _mm512_shuffle_f32x4(quarter[0], quarter[1], 0xee));
  __m256 t = _mm256_add_ps(_mm512_castps512_ps256(_mm512_shuffle_f32x4(s, s, 0x08)),
                           _mm512_castps512_ps256(_mm512_shuffle_f32x4(s, s, 0x0d)));
  _mm256_storeu_ps(total, t);
#elif SIMD_LANES == 8
  __m256 half[2];
  for (int k = 0; k < 2; k++)
    half[k] = _mm256_hadd_ps(_mm256_hadd_ps((__m256)sum[4 * k], (__m256)sum[4 * k + 1]),
                             _mm256_hadd_ps((__m256)sum[4 * k + 2], (__m256)sum[4 * k + 3]));
  __m256 t = _mm256_add_ps(_mm256_permute2f128_ps(half[0], half[1], 0x20),
                           _mm256_permute2f128_ps(half[0], half[1], 0x31));
  _mm256_storeu_ps(total, t);
#else
  for (int k = 0; k < SIMD_SUMS; k++) total[k] = (sum[k][0] + sum[k][2]) + (sum[k][1] + sum[k][3]);
#endif
}

/* For each sink: the float sum over the chunks from .. to is added to its total; of all sinks at the end, since a conversion
 * between two sinks delays the second by 6 to 12 cycles (AMD Zen 4). */
SIMD_INLINE SIMD_TARGET void SIMD_NAME(sum_part)(const float *source, int ds, size_t from, size_t to,
                                                 float eps2, size_t ni, const struct simd_sink *sinks,
                                                 double (*total)[SIMD_SUMS])
{
  const size_t stride = (ds ? SIMD_ROWS_DS : SIMD_ROWS) * SIMD_CHUNK;
  float part[SIMD_SINKS][SIMD_SUMS];
  for (size_t b = 0; b < ni; b++) {
    const struct simd_sink *sink = &sinks[b];
    struct SIMD_NAME(spread) i = {.eps2 = SET1(eps2)};
    VECTOR sum[SIMD_SUMS];
    for (int k = 0; k < SIMD_SUMS; k++) sum[k] = SET1(0);
    for (int k = 0; k < 3; k++)
      i.x[k] = SET1(sink->x[k]), i.v[k] = SET1(sink->v[k]), i.lo[k] = SET1(sink->lo[k]);
    size_t own = sink->index / SIMD_CHUNK;
    if (own >= from && own < to) {
      SIMD_NAME(add_others)(source, ds, from, own, &i, sum);
      SIMD_NAME(add_own)(source + own * stride, ds, (int)(sink->index % SIMD_CHUNK), &i, sum);
      SIMD_NAME(add_others)(source, ds, own + 1, to, &i, sum);
    } else {
      SIMD_NAME(add_others)(source, ds, from, to, &i, sum);
    }
    SIMD_NAME(add_lanes)(sum, part[b]);
  }
  for (size_t b = 0; b < ni; b++)
    for (int k = 0; k < SIMD_SUMS; k++) total[b][k] += (double)part[b][k];
}

SIMD_TARGET static inline void SIMD_NAME(sum_single)(const float *source, size_t from, size_t to, float eps2,
                                                     size_t ni, const struct simd_sink *sinks,
                                                     double (*total)[SIMD_SUMS])
{
  SIMD_NAME(sum_part)(source, 0, from, to, eps2, ni, sinks, total);
}

SIMD_TARGET static inline void SIMD_NAME(sum_ds)(const float *source, size_t from, size_t to, float eps2,
                                                 size_t ni, const struct simd_sink *sinks,
                                                 double (*total)[SIMD_SUMS])
{
  SIMD_NAME(sum_part)(source, 1, from, to, eps2, ni, sinks, total);
}

#undef VECTOR
#undef MASK
#undef SET1
#undef FMA
#undef FNMA
#undef ESTIMATE
#undef SIMD_LANES
#undef SIMD_NAME
#undef SIMD_TARGET
