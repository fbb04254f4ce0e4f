/* The pair loops of gravity.c, a template: the file is included once per instruction set, with WIDTH (doubles in a vector),
 * TARGET (the compiler's name of the set) and NAME(stem) defined. Without them it is the version for any machine. Each
 * lane's operations are the same in all of them, in the same order: so are the bits. No include guard, on purpose. */
#include "core/gravity.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WIDTH
#define WIDTH      2
#define NAME(stem) stem##_baseline
#define TARGET
#endif

#ifndef HB_GRAVITY_KERNEL_H
#define HB_GRAVITY_KERNEL_H
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Eight lanes are one AVX-512 vector, two of AVX2, four of SSE2 or NEON. Lane k always sums the sources 8 c + k in
 * ascending c: results do not depend on the vector width. */
enum { LANES = 8, SUMS = 7 /* ax ay az jx jy jz phi */ };

/* The lane of a sink that is none of these sources. */
enum { NOT_HERE = -1 };

/* A sink and its sums, one lane each. */
struct sink {
  _Alignas(64) double sum[SUMS][LANES];
  double x[3], v[3];
};

#define KERNEL_INLINE static inline __attribute__((always_inline))
#endif

#define VECTOR   NAME(vector)
#define MASK     NAME(mask)
#define PAIR     struct NAME(pair)
#define SPREAD   struct NAME(spread)
#define AT(p)    (*(const VECTOR *)(p))
#define FUNCTION KERNEL_INLINE TARGET

typedef double VECTOR __attribute__((vector_size(8 * WIDTH), may_alias));
typedef int64_t MASK __attribute__((vector_size(8 * WIDTH), may_alias));

#if WIDTH == 8
#define ROOT(r2) ((VECTOR)_mm512_sqrt_pd((__m512d)(r2)))
#elif WIDTH == 4
#define ROOT(r2) ((VECTOR)_mm256_sqrt_pd((__m256d)(r2)))
#elif defined(__x86_64__)
#define ROOT(r2) ((VECTOR)_mm_sqrt_pd((__m128d)(r2)))
#else
#define ROOT(r2) ((VECTOR){sqrt((r2)[0]), sqrt((r2)[1])})
#endif

FUNCTION VECTOR NAME(all)(double s)
{
  VECTOR all = {0};
  for (int k = 0; k < WIDTH; k++) all[k] = s;
  return all;
}

FUNCTION MASK NAME(only)(int lane)
{
  MASK only = {0};
  for (int k = 0; k < WIDTH; k++) only[k] = -(int64_t)(k == lane);
  return only;
}

/* The sink in every lane; the velocity is for the jerk alone. */
SPREAD { VECTOR x[3], v[3], eps2; };

/* rij = xj - xi and 1 / r for a vector of sources. */
PAIR { VECTOR r[3], rinv; };

/* The sink itself, if it is one of these sources, is put at unit distance and, below, without mass: an exclusion by
 * identity, right at eps = 0, too. */
FUNCTION PAIR NAME(approach)(const struct hb_gravity *g, size_t c, int lane, const SPREAD *i)
{
  PAIR p = {.r = {AT(g->x + c) - i->x[0], AT(g->y + c) - i->x[1], AT(g->z + c) - i->x[2]}};
  VECTOR r2 = p.r[0] * p.r[0] + p.r[1] * p.r[1] + p.r[2] * p.r[2] + i->eps2;
  if (lane != NOT_HERE) {
    MASK self = NAME(only)(lane);
    r2 = (VECTOR)(((MASK)r2 & ~self) | ((MASK)NAME(all)(1) & self));
  }
  p.rinv = NAME(all)(1) / ROOT(r2);
  return p;
}

FUNCTION VECTOR NAME(mass)(const struct hb_gravity *g, size_t c, int lane)
{
  VECTOR m = AT(g->m + c);
  return lane == NOT_HERE ? m : (VECTOR)((MASK)m & ~NAME(only)(lane));
}

/* [PZ07] eq. 1 (as printed, with ri - rj, it repels; rij = xj - xi attracts) and its time derivative. */
FUNCTION void NAME(add)(const struct hb_gravity *g, size_t c, int lane, const SPREAD *i, const PAIR *p,
                        VECTOR sum[SUMS])
{
  const VECTOR *r = p->r;
  VECTOR v[3] = {AT(g->vx + c) - i->v[0], AT(g->vy + c) - i->v[1], AT(g->vz + c) - i->v[2]};
  VECTOR rinv2 = p->rinv * p->rinv;
  VECTOR mrinv = NAME(mass)(g, c, lane) * p->rinv;
  VECTOR mrinv3 = mrinv * rinv2;
  VECTOR rv = NAME(all)(3) * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) * rinv2;
  for (int k = 0; k < 3; k++) {
    sum[k] += mrinv3 * r[k];
    sum[3 + k] += mrinv3 * (v[k] - rv * r[k]);
  }
  sum[6] -= mrinv;
}

/* The sources from .. to, none of them the sink. Root and quotient take longer than all the rest: those of the next two
 * chunks are on their way while one is added. */
FUNCTION void NAME(add_others)(const struct hb_gravity *g, size_t from, size_t to, const SPREAD *i,
                               VECTOR sum[SUMS])
{
  size_t c = from;
  if (c + 2 * LANES <= to) {
    PAIR here = NAME(approach)(g, c, NOT_HERE, i), next = NAME(approach)(g, c + LANES, NOT_HERE, i);
    for (; c + 2 * LANES < to; c += LANES) {
      PAIR later = NAME(approach)(g, c + 2 * LANES, NOT_HERE, i);
      NAME(add)(g, c, NOT_HERE, i, &here, sum);
      here = next;
      next = later;
    }
    NAME(add)(g, c, NOT_HERE, i, &here, sum);
    NAME(add)(g, c + LANES, NOT_HERE, i, &next, sum);
  } else if (c < to) {
    PAIR here = NAME(approach)(g, c, NOT_HERE, i);
    NAME(add)(g, c, NOT_HERE, i, &here, sum);
  }
}

FUNCTION SPREAD NAME(spread)(const double x[3], const double v[3], double eps2)
{
  SPREAD i = {.eps2 = NAME(all)(eps2)};
  for (int k = 0; k < 3; k++) i.x[k] = NAME(all)(x[k]), i.v[k] = NAME(all)(v[k]);
  return i;
}

/* Adds the sources from .. to, whole chunks, to the sums of a sink, the source `self`, a vector of its lanes after the
 * other: AVX2 has registers for the sums of four lanes, not eight. */
TARGET static void NAME(add_sources)(const struct hb_gravity *gravity, double eps2, size_t self, size_t from,
                                     size_t to, struct sink *sink)
{
  const struct hb_gravity g = *gravity;
  const SPREAD i = NAME(spread)(sink->x, sink->v, eps2);
  size_t own = self / LANES * LANES;
  for (size_t h = 0; h < LANES; h += WIDTH) {
    VECTOR sum[SUMS];
    for (int k = 0; k < SUMS; k++) sum[k] = AT(sink->sum[k] + h);
    if (own >= from && own < to) {
      NAME(add_others)(&g, from + h, own + h, &i, sum);
      int lane = (int)(self - own) - (int)h;
      if (lane < 0) lane = WIDTH; /* of another vector */
      const PAIR p = NAME(approach)(&g, own + h, lane, &i);
      NAME(add)(&g, own + h, lane, &i, &p, sum);
      NAME(add_others)(&g, own + h + LANES, to + h, &i, sum);
    } else {
      NAME(add_others)(&g, from + h, to + h, &i, sum);
    }
    for (int k = 0; k < SUMS; k++) *(VECTOR *)(sink->sum[k] + h) = sum[k];
  }
}

/* The potential alone, for the diagnostics: the same operations in the same order as above. self is beyond the sources if
 * the sink is none of them. */
FUNCTION VECTOR NAME(add_phi)(const struct hb_gravity *g, size_t c, int lane, const SPREAD *i, VECTOR phi)
{
  return phi - NAME(mass)(g, c, lane) * NAME(approach)(g, c, lane, i).rinv;
}

TARGET static void NAME(add_potential)(const struct hb_gravity *gravity, double eps2, size_t self,
                                       const double x[3], double sum[LANES])
{
  const struct hb_gravity g = *gravity;
  const SPREAD i = NAME(spread)(x, x, eps2);
  size_t own = self / LANES * LANES, end = g.n_padded, before = own < end ? own : end;
  for (size_t h = 0; h < LANES; h += WIDTH) {
    VECTOR phi = AT(sum + h);
    for (size_t c = 0; c < before; c += LANES) phi = NAME(add_phi)(&g, c + h, NOT_HERE, &i, phi);
    int lane = (int)(self - own) - (int)h;
    if (own < end) phi = NAME(add_phi)(&g, own + h, lane < 0 ? WIDTH : lane, &i, phi);
    for (size_t c = before + LANES; c < end; c += LANES) phi = NAME(add_phi)(&g, c + h, NOT_HERE, &i, phi);
    *(VECTOR *)(sum + h) = phi;
  }
}

#undef VECTOR
#undef MASK
#undef PAIR
#undef SPREAD
#undef AT
#undef FUNCTION
#undef ROOT
#undef WIDTH
#undef NAME
#undef TARGET
