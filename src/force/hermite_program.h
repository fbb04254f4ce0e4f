/* Programs of shaders/hermite: particles that stay on the device, stored, predicted and corrected there. */
#ifndef HB_HERMITE_PROGRAM_H
#define HB_HERMITE_PROGRAM_H

#include "gl/gl_pass.h"
#include "pairs/precision.h"

/* One of them for particles in this precision; fma_is_fused: fma() rounds once (hb_pairs). The files' own defines are added.
 * Errors: as hb_gl_pass_create. */
enum hb_status hb_hermite_program(struct hb_gl_context *context, enum hb_precision precision,
                                  int fma_is_fused, const struct hb_gl_program_source *files,
                                  struct hb_gl_pass *pass);

#endif
