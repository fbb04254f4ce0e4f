/* Shared by the files of the bag scheme: pairs_bag_shape.c chooses how a block is walked, pairs_bag.c walks it,
 * pairs_bag_result.c passes the results to the host, to the device and to a tracer. */
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

/* Fills in what the user did not set. Errors: HB_ERR_USAGE, HB_ERR_GL where the device lacks what was asked for. */
enum hb_status hb_bag_complete_tuning(struct hb_pairs *pairs);

/* The scheme's portion: chooses the shape for pairs->sinks, and how many of them are walked at once. */
size_t hb_bag_portion(const struct hb_pairs *pairs);

/* Sources of which a uniform block holds a multiple, and how many it holds at most; 0 where a float sum does not fit. */
size_t hb_bag_block_step(const struct hb_pairs *pairs);
size_t hb_bag_block_length(const struct hb_pairs *pairs);

/* Groups and framebuffer for the pairs->ni sinks of a portion. */
void hb_bag_choose_framebuffer(const struct hb_pairs *pairs);

/* The scheme's read and totals. */
enum hb_status hb_bag_read(struct hb_pairs *pairs);
enum hb_status hb_bag_totals(struct hb_pairs *pairs, struct hb_pairs_totals *totals);

/* Its passes for a tracer: as hb_gl_pass_describe, of a struct hb_pairs. */
void hb_bag_describe(void *pairs, struct hb_gl_trace_pass *trace);

#endif
