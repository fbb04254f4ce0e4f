/* A program of the all-pairs engine: a scheme's shader around an interaction, with its uniforms found once. */
#ifndef HB_PAIRS_PROGRAM_H
#define HB_PAIRS_PROGRAM_H

#include "pairs/pairs.h"

/* Uniforms by name; a program that has no such uniform has -1, which GL ignores. */
enum hb_pairs_uniform {
  HB_U_SOURCE_COUNT,
  HB_U_SINK_COUNT,
  HB_U_PARTICLE_TEXTURE_SIZE,
  HB_U_BAG,
  HB_U_BLOCK_START,
  HB_U_GO_ON,
  HB_U_LAST_PASS,
  HB_U_GROUPS,
  HB_U_SEGMENTS,
  HB_U_SEGMENT_LENGTH,
  HB_U_WIDTH,
  HB_U_ORIGIN,
  HB_U_SHIFT,
  HB_U_ROWS,
  HB_U_TOKEN,
  HB_U_COUNT
};

struct hb_pairs_program {
  struct hb_pairs *pairs;
  unsigned id; /* 0: not built */
  int at[HB_U_COUNT];
};

struct hb_pairs_program_source {
  const char *fragment, *compute; /* one of them */
  int version;                    /* of GLSL: 330 or 430 */
  int i_each, unroll, partial;    /* for EACH_I, EACH_J, EACH_PAIR and PARTIAL */
  const char *defines;            /* the scheme's own, "#define WORKGROUP 256\n" */
};

/* Builds it unless it is built. The interaction's parameter and the texture units are set for good. */
enum hb_status hb_pairs_program_build(struct hb_pairs *pairs, const struct hb_pairs_program_source *source,
                                      struct hb_pairs_program *program);
void hb_pairs_program_destroy(struct hb_pairs_program *program);

/* Makes it current, with the particles and sinks of the walk bound. */
void hb_pairs_program_use(const struct hb_pairs *pairs, const struct hb_pairs_program *program);

/* Texture units. */
enum { HB_UNIT_PARTICLES, HB_UNIT_SINKS, HB_UNIT_PARTICLE_TEXTURE, HB_UNIT_BEFORE, HB_UNIT_MORE };

#endif
