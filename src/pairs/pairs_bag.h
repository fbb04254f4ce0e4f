/* What the bag scheme keeps, see pairs_bag.c. */
#ifndef HB_PAIRS_BAG_H
#define HB_PAIRS_BAG_H

#include "pairs/pairs_sum.h"

/* The program has shapes: with many sinks a fragment holds several; with few it holds one, and several fragments divide its
 * sources. With enough sinks a uniform block may hold the sources, 64 KB of them for each draw. Each shape has a first pass
 * and one that continues. */
enum hb_bag_shape { HB_BAG_BLOCKS, HB_BAG_MANY, HB_BAG_FEW, HB_BAG_FEW_LONG, HB_BAG_SHAPES };
enum hb_bag_stage { HB_BAG_ANEW, HB_BAG_GO_ON, HB_BAG_STAGES };

struct hb_bag {
  struct hb_gl_pass program[HB_BAG_SHAPES][HB_BAG_STAGES]; /* built when first used, */
  enum hb_j_source built[HB_BAG_SHAPES];                   /* for sources from here */
  struct hb_gl_texture many[2], few[2];                    /* ping-pong pairs to draw into, */
  struct hb_pairs_sum sum_of_many, sum_of_few;
  struct hb_gl_target empty; /* or no texture, for totals in a storage buffer */

  /* the tuning in the shape of the current walk */
  enum hb_bag_shape shape;
  int each, unroll, partial; /* sinks a fragment, sources fetched ahead, sources of a float sum */
  enum hb_j_source j_source;
  int in_storage;               /* totals are in pairs->storage, */
  struct hb_gl_texture *layers; /* or in one of this pair */
  int on_device;                /* segments are added there, */
  struct hb_pairs_sum *sum;     /* by this */
  int segments, segment_length;

  /* the current portion of its sinks */
  int groups; /* of `each`; with blocks and segments some are empty, so that a segment has complete rows */
  int width, height,
      band;    /* fragments; rows in which they are numbered up and down, see shaders/pairs/bag.frag */
  int written; /* which of the pair holds the totals */
  enum hb_bag_stage stage; /* the program in use; HB_BAG_STAGES: none */
  size_t from, to;         /* sources of each segment that the pass sums */
};

enum {
  HB_BAG_TEXEL = 16 /* bytes */,
  HB_BAG_BLOCK_TEXELS = 4096 /* 64 KB, a uniform block that nearly every device accepts */,
  HB_BAG_BLOCK_BYTES = HB_BAG_BLOCK_TEXELS * HB_BAG_TEXEL
};

/* Sources that a uniform block holds at most; 0 where a float sum does not fit. */
size_t hb_bag_block_length(const struct hb_pairs *pairs);

#endif
