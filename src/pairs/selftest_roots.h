/* By how much a device's 1 / r is wrong on the whole. */
#ifndef HB_SELFTEST_ROOTS_H
#define HB_SELFTEST_ROOTS_H

#include "gl/gl_context.h"

/* Mean relative error of 1 / sqrt(x) as the pairs take it (reciprocals() of shaders/common/real.glsl, in float), of 65536 x
 * over two octaves. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_selftest_roots(struct hb_gl_context *context, double *mean);

#endif
