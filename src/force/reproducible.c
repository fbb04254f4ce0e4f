#include "force/reproducible.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/machine.h"

#include <math.h>

/* In these units coordinates and velocities are at most 1 and masses 2^MASS; positions are multiples of 2^-60, velocities of 2^-32
 * and masses of 2^-24. No float of a pair then is denormal. A product of two multiples is a multiple of the product, also when it is
 * rounded, and a sum of multiples of g is one of g; so these are zero, or at least
 *
 *   rij, vij                                 2^-60, 2^-32          differences of multiples
 *   rij^2, and r^2 < 2^10                    2^-120
 *   1 / r, 1 / r^2, m / r^3                  2^-5, 2^-10, 2^-39    from r < 2^5
 *   m rij / r^3, and sums of it              2^-99, 2^-122         a float of 24 bits: 2^-99 or more is a multiple of 2^-122
 *   rij . vij, alpha = 3 (rij . vij) / r^2   2^-92, 2^-101
 *   vij - alpha rij                          2^-56                 as vij is 2^-32 or more
 *   m / r^3 times that, and sums of it       2^-95, 2^-118
 *
 * One line has a gap. alpha rij may be denormal; then vij, if it is not zero, stays as it is either way. If it is zero, because two
 * bodies share a component of their velocities to the last bit, and they all but share that coordinate, too, and alpha is below
 * 2^-66, the result is at most 2^-126, or zero. A block would have to consist of such terms to show it. */
enum { MASS = 12 };
static const double GRID_X = 0x1p-60, GRID_V = 0x1p-32, GRID_M = 0x1p-24;

/* From here on, in these units, m / r^3 is a float. */
static const double NEAREST = 0x1p-37;

/* The scale that is tried first serves for blocks up to 2^this times what all sources in one place would do from a distance
 * of 1: a, phi and j of particles whose neighbors are near. */
static const int USUAL[HB_FIXED_GROUPS] = {20, 10, 26, 0};

/* A block has at most 2^52 units of its scale, and all blocks together 2^61 (common/fixed.glsl). Scales are so many bits apart that
 * even the smallest block of a scale, times the root of their number, is rounded by less than 2^-28. */
enum { BLOCK_BITS = 52, TOTAL_BITS = 61, KEPT_BITS = 28, USUAL_BLOCKS = 10 };

enum { BIAS = 127 }; /* of a float's exponent */

/* ---- units ---- */

/* sum |q[k]|, in an order of its own that does not depend on the instruction set. */
HB_CLONES static double total(size_t count, const double *q)
{
  enum { LANES = 8 };
  double sum[LANES] = {0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (size_t l = 0; l < LANES; l++) sum[l] += fabs(q[k + l]);
  for (; k < count; k++) sum[0] += fabs(q[k]);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* The smallest e with x <= 2^e; 0: e = 0. */
static int exponent(double x)
{
  int e = 0;
  double fraction = frexp(x, &e);
  return x == 0 ? 0 : fraction == 0.5 ? e - 1 : e;
}

/* So that the powers of two by which numbers are multiplied, 2^(-3 e) too, are doubles. */
enum { FARTHEST = 200 };

static enum hb_status unit_of(double most, const char *what, int *e)
{
  *e = isfinite(most) ? exponent(most) : 0;
  if (isfinite(most) && *e >= -FARTHEST && *e <= FARTHEST) return HB_OK;
  return hb_fail(HB_ERR_NUMERIC, "the largest %s is %g, expected 2^-%d to 2^%d (precision reproducible)",
                 what, most, FARTHEST, FARTHEST);
}

static int log2_up(size_t n)
{
  int e = 0;
  while (e < 63 && (size_t)1 << e < n) e++;
  return e;
}

enum hb_status hb_reproducible_find_units(size_t nj, const double *m, const double *x, const double *v,
                                          double eps, struct hb_reproducible_units *u)
{
  double far = hb_largest(3 * nj, x), fast = hb_largest(3 * nj, v), heavy = hb_largest(nj, m);
  *u = (struct hb_reproducible_units){.eps = eps, .is_at_rest = fast == 0};
  HB_TRY(unit_of(far < eps ? eps : far, "coordinate", &u->length));
  HB_TRY(unit_of(fast, "velocity", &u->velocity));
  HB_TRY(unit_of(heavy, "mass", &u->mass));
  int blocks = log2_up((nj + HB_FIXED_BLOCK - 1) / HB_FIXED_BLOCK);
  u->bits = blocks + BLOCK_BITS < TOTAL_BITS ? BLOCK_BITS : TOTAL_BITS - blocks;
  int all = exponent(total(nj, m)) - u->mass + MASS;
  u->step = u->bits - KEPT_BITS - (blocks > USUAL_BLOCKS ? (blocks - USUAL_BLOCKS + 1) / 2 : 0);
  for (int g = 0; g < HB_FIXED_GROUPS; g++) u->limit[g] = all + USUAL[g];
  return HB_OK;
}

float hb_reproducible_eps2(const struct hb_reproducible_units *u)
{
  double eps = ldexp(u->eps, -u->length);
  return eps < 0x1p-60 ? 0 : (float)(eps * eps); /* as short as this it is lost in the distances */
}

static struct hb_fixed_column column(int e, double grid)
{
  return (struct hb_fixed_column){ldexp(1, e), 0x1.8p52 * grid};
}
void hb_reproducible_rounding(const struct hb_reproducible_units *u,
                              struct hb_fixed_column rounding[HB_REPRODUCIBLE_COLUMNS])
{
  for (int k = 0; k < 4; k++)
    rounding[k] = column(-u->length, GRID_X), rounding[4 + k] = column(-u->velocity, GRID_V);
  rounding[3] = column(MASS - u->mass, GRID_M);
}

/* ---- scales ---- */

/* The lowest limit that a block of exponent e, biased, which is less than 2^(e - BIAS + 1), is not above; 0: no block. */
static int limit_for(const struct hb_reproducible_units *u, int group, int e)
{
  const int usual = u->limit[group], lowest = u->bits - BIAS; /* whose unit is a normal float */
  if (e == 0) return usual;
  int above = e - BIAS + 1 - usual, steps = above > 0 ? (above + u->step - 1) / u->step : -(-above / u->step);
  int limit = usual + steps * u->step;
  return limit > lowest ? limit : lowest;
}

uint32_t hb_reproducible_scale(const struct hb_reproducible_units *u, uint32_t most)
{
  uint32_t scale = 0;
  for (int g = 0; g < HB_FIXED_GROUPS; g++)
    scale |= (uint32_t)(BIAS + u->bits - limit_for(u, g, (int)hb_fixed_byte(most, g))) << 8 * g;
  return scale;
}

/* ---- results ---- */

/* sum[count] in double-precision units of 2^(e + BIAS - the scale's byte). A power of two is made by its bits, where it is a normal
 * double: ldexp takes as long as all the rest. */
static void in_units(size_t count, const int64_t *sum, uint32_t scale, int group, int e, double *result)
{
  e += BIAS - (int)hb_fixed_byte(scale, group);
  int is_normal = e > -1022 && e < 1023;
  double unit = hb_bits_to_double((uint32_t)(1023 + (is_normal ? e : 0)) << 20, 0);
  for (size_t k = 0; k < count; k++) result[k] = is_normal ? (double)sum[k] * unit : ldexp((double)sum[k], e);
}

static int is_any_infinite(uint32_t most)
{
  for (int g = 0; g < HB_FIXED_GROUPS; g++)
    if (hb_fixed_byte(most, g) == 255) return 1;
  return 0;
}

enum hb_status hb_reproducible_result(const struct hb_reproducible_units *u, uint32_t scale,
                                      const struct hb_fixed_total *t, double a[3], double j[3], double *phi)
{
  int m = u->mass - MASS, x = u->length;
  if (is_any_infinite(t->most))
    return hb_fail(HB_ERR_NUMERIC,
                   "the force of a source is beyond the range of float: it is too near (less than "
                   "%.2g, with precision reproducible) or there is one in the same place",
                   ldexp(NEAREST, x));
  in_units(3, t->sum, scale, 0, m - 2 * x, a);
  in_units(1, t->sum + 3, scale, 1, m - x, phi);
  in_units(3, t->sum + 4, scale, 2, m - 3 * x + u->velocity, j);
  for (int k = 0; u->is_at_rest && k < 3; k++) j[k] = 0;
  return HB_OK;
}
