/* Sums over the segments of the sources, computed on the device. See shaders/pairs/add_segments.comp. */
#ifndef HB_PAIRS_SUM_H
#define HB_PAIRS_SUM_H

#include "pairs/pairs_program.h"

enum { HB_SUM_LEVELS = 6 }; /* 1, 2, ... 32 threads a sink */

struct hb_pairs_sum {
  struct hb_gl_pass program[HB_SUM_LEVELS]; /* by log2 of the threads a sink; built when first used */
};

/* The totals of one kind of walk: in layers as shaders/pairs/bag.frag leaves them, or (NULL) in pairs->storage. */
struct hb_pairs_parts {
  const struct hb_gl_texture *layers;
  int segments, groups, each, width, band; /* a sum is always called with the same each and band */
};

/* Starts adding; the sums go where the results of the walk belong. */
enum hb_status hb_pairs_sum_run(struct hb_pairs *pairs, struct hb_pairs_sum *sum,
                                const struct hb_pairs_parts *parts);
void hb_pairs_sum_destroy(struct hb_pairs_sum *sum);

#endif
