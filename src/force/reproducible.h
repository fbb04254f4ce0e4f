/* The precision `reproducible`: forces whose bits are those of one pure function of the sources, the softening and the sink.
 * Neither the device, nor who sums which sources, nor what was computed before changes them.
 *
 *   units   powers of two for lengths, velocities and masses, from all sources. In them no float operation of a pair can
 *           reach the denormals, which one device flushes and another does not: see reproducible.c.
 *   blocks  each 64 sources, by number, are summed in float, in their order.
 *   totals  of blocks in fixed point. Their scale follows from the largest block, in steps of 2^24 or less; a sink that
 *           was summed in another scale is summed again. A good guess saves that, and changes no bit.
 *
 * Several devices or ranks: a source of forces that has others behind it passes on the units, gives each of them the sources from
 * one multiple of HB_FIXED_BLOCK to another, or some of the sinks, and adds up the totals (hb_fixed_add). It need not know more: the
 * front end (force/force.h) finds the units, repeats what needs another scale, and converts the totals to double. A sink gets the
 * same bits as a source by number and as a point with the same x and v. */
#ifndef HB_REPRODUCIBLE_H
#define HB_REPRODUCIBLE_H

#include "base/status.h"
#include "pairs/fixed.h"

#include <stddef.h>

struct hb_reproducible_units {
  int length, velocity, mass; /* exponents: no coordinate (nor eps), velocity, mass is larger than 2^this */
  int is_at_rest;             /* all velocities are 0, and so is every jerk */
  int bits;                   /* a block's sum is less than 2^bits units of its scale */
  int limit[HB_FIXED_GROUPS]; /* exponent, in these units, up to which the usual scale serves */
  int step;                   /* from one scale to the next */
  double eps;                 /* the softening, in the caller's units */
};

/* From all sources, x[3 * nj] and v[3 * nj], in the frame in which they are sent: not from some device's share of them. Errors:
 * HB_ERR_NUMERIC where a number is not finite. */
enum hb_status hb_reproducible_find_units(size_t nj, const double *m, const double *x, const double *v,
                                          double eps, struct hb_reproducible_units *units);

/* eps^2 in these units, as pairs use it. */
float hb_reproducible_eps2(const struct hb_reproducible_units *units);

/* How x, y, z, m and vx, vy, vz, - become floats. */
enum { HB_REPRODUCIBLE_COLUMNS = 8 };
void hb_reproducible_rounding(const struct hb_reproducible_units *units,
                              struct hb_fixed_column rounding[HB_REPRODUCIBLE_COLUMNS]);

/* The scale of a sink whose largest block has these exponents; most = 0: the usual one. */
uint32_t hb_reproducible_scale(const struct hb_reproducible_units *units, uint32_t most);

/* A total in the caller's units: a[3], j[3], *phi. Errors: HB_ERR_NUMERIC where a block was not finite. */
enum hb_status hb_reproducible_result(const struct hb_reproducible_units *units, uint32_t scale,
                                      const struct hb_fixed_total *total, double a[3], double j[3],
                                      double *phi);

#endif
