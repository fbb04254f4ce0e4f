/* Whether a driver's compiler leaves exact arithmetic exact: 64 cases compared with the host bit by bit. */
#ifndef HB_SELFTEST_H
#define HB_SELFTEST_H

#include "pairs/pairs.h"

/* How a * b + c is rounded: after each operation, once after both, or not the same way everywhere. */
enum hb_fusion { HB_FUSION_SEPARATE, HB_FUSION_FUSED, HB_FUSION_OTHER, HB_FUSION_ABSENT /* no fma() */ };

/* How the driver's shader compiler treats exact arithmetic: the number of cases that differ from the host's bits, and the
 * largest errors in units in the last place. */
struct hb_selftest_info {
  int cases;                             /* of each kind; 0: the test could not be run           */
  int two_sum_wrong, two_product_wrong;  /* a sum or product and its rounding error, plain GLSL  */
  int two_sum_precise_wrong;             /* `precise`, as in precisions compensated and ds: 0    */
  int carry_precise_wrong;               /* their other kind of sum: 0                           */
  enum hb_fusion multiply_add, fma;      /* of a * b + c and of fma(a, b, c)                     */
  int dot_differs;                       /* dot() against its products added from left to right  */
  double sqrt_ulp, rsqrt_ulp;            /* sqrt(x), inversesqrt(x)                              */
  double one_over_sqrt_ulp, inverse_ulp; /* 1 / sqrt(x), 1 / x                                   */
  double rsqrt_mean;                     /* mean relative error of 1 / r; compensated and ds correct for it */
  int denormals_lost;                    /* not the same after reading and writing               */
  int denormal_products_lost;            /* products too small to be normal that became 0        */
  int special_wrong, wrap_wrong;         /* NaN, infinities, zeros; unsigned numbers beyond 2^32 */
  int has_double;                        /* 0: absent, or emulated; the two below are not valid  */
  int double_wrong;                      /* a double sum, its rounding error, or a product: 0    */
  double double_ulp;                     /* sqrt, inversesqrt and 1 / x in double                */
  double roots_ulp;                      /* largest error of 1 / r; GLSL allows 2, 8 are refused  */
  int double_emulated;                   /* 1: they take so long that they cannot be hardware's  */
};

/* Runs once per device and driver: some milliseconds and the compiler's time. The result is kept for the rest of the
 * process. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_selftest_run(struct hb_gl_context *context, struct hb_selftest_info *selftest);

/* The same with the part about doubles, for whoever needs them: where they are emulated the compiler takes long. */
enum hb_status hb_selftest_doubles(struct hb_gl_context *context, struct hb_selftest_info *selftest);

/* HB_ERR_GL, with what is broken and what to use instead, where the precision would not be reached. */
enum hb_status hb_selftest_judge(const struct hb_selftest_info *selftest, enum hb_precision precision,
                                 const char *renderer);

/* HB_ERR_GL where its sums are not exact, which `doing` needs, whatever the precision. */
enum hb_status hb_selftest_exact(struct hb_gl_context *context, const char *doing);

/* The last part of it alone. Relative error of 1 / sqrt(x) as the pairs take it (reciprocals() of shaders/common/real.glsl,
 * in float), of 65536 x over two octaves: its mean, and the largest in units of the last place. Errors: HB_ERR_GL,
 * HB_ERR_DEVICE. */
enum hb_status hb_selftest_roots(struct hb_gl_context *context, double *mean, double *ulp);

/* What runs will use, once per scheme, device and tuning: some milliseconds. In precision reproducible every bit of 160
 * particles' totals; in double, of gravity_jerk where nobody edits it, accelerations and jerks within 1e-12 of the sum of the pulls, which a compiler
 * that makes floats of doubles misses. Errors: HB_ERR_GL. */
enum hb_status hb_selftest_programs(struct hb_pairs *pairs);

#endif
