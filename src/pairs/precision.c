#include "pairs/precision.h"

#include "pairs/fixed.h"

#include <holmberg/holmberg.h>

#include <string.h>

const char *const hb_precision_names[] = {[HB_PRECISION_SINGLE] = "single",
                                          [HB_PRECISION_COMPENSATED] = "compensated",
                                          [HB_PRECISION_DS] = "ds",
                                          [HB_PRECISION_DOUBLE] = "double",
                                          [HB_PRECISION_REPRODUCIBLE] = "reproducible",
                                          [HB_PRECISION_GRAPE6] = "grape6",
                                          [HB_PRECISION_G80] = "g80",
                                          [HB_PRECISION_NV40] = "nv40",
                                          NULL};

const struct hb_precision_facts hb_precisions[HB_PRECISION_NAMES] = {
    [HB_PRECISION_SINGLE] = {.position_bits = 24, .record_texels = 1, .total_words = 1, .partial = 256},
    [HB_PRECISION_COMPENSATED] =
        {.position_bits = 24, .needs_precise = 1, .record_texels = 1, .total_words = 2, .partial = 64},
    /* Twenty times the error of an acceleration, 3e-8: the D of a step that is still noise. Where the steps
     * are those of exact forces this is less than D down to nu = 4e-4. The coarser precisions are left to eq. 9. */
    [HB_PRECISION_DS] = {.position_bits = 48,
                         .acc_noise = 7e-7,
                         .needs_precise = 1,
                         .record_texels = 1,
                         .low_texels = 1,
                         .total_words = 2,
                         .partial = 32},
    [HB_PRECISION_DOUBLE] =
        {.position_bits = 53, .is_double = 1, .record_texels = 2, .total_words = 2, .partial = 256},
    /* acc_noise: as ds, which has the same error. */
    [HB_PRECISION_REPRODUCIBLE] = {.position_bits = 48,
                                   .is_fixed = 1,
                                   .acc_noise = 7e-7,
                                   .record_texels = 1,
                                   .low_texels = 1,
                                   .total_words = 2,
                                   .partial = HB_FIXED_BLOCK},
    [HB_PRECISION_GRAPE6] = {.position_bits = 64},
    [HB_PRECISION_G80] = {.position_bits = 24},
    [HB_PRECISION_NV40] = {.position_bits = 24},
};

enum hb_precision hb_precision_find(const char *name)
{
  int k = 0;
  while (k < HB_PRECISION_NAMES && strcmp(hb_precision_names[k], name) != 0) k++;
  return (enum hb_precision)k;
}
