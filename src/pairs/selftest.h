/* Whether a driver's compiler leaves exact arithmetic exact: 64 cases compared with the host bit by bit. */
#ifndef HB_SELFTEST_H
#define HB_SELFTEST_H

#include "pairs/pairs.h"

#include <holmberg/measure.h>

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
