#include "pairs/pairs_sum.h"

#include "base/arith.h"

#include <stdio.h>

enum { WORKGROUP = 256 };

/* In single the totals are floats, but are added as in compensated. */
static enum hb_status build(struct hb_pairs *p, const struct hb_pairs_parts *parts, int level,
                            struct hb_gl_pass *pass)
{
  char defines[256];
  enum hb_precision precision = p->params.precision;
  if (precision == HB_PRECISION_SINGLE) precision = HB_PRECISION_COMPENSATED;
  snprintf(defines, sizeof defines,
           "#define IN_WORDS %d\n#define WORKGROUP %d\n#define THREADS_PER_BODY %d\n%s", p->words, WORKGROUP,
           1 << level, parts->layers ? "" : "#define OUTPUT_STORAGE\n");
  const struct hb_pairs_program_source source = {.compute = "pairs/add_segments.comp",
                                                 .version = 430,
                                                 .precision = precision,
                                                 .i_each = parts->each,
                                                 .unroll = 1,
                                                 .partial = 1,
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, pass);
}

enum hb_status hb_pairs_sum_run(struct hb_pairs *p, struct hb_pairs_sum *sum,
                                const struct hb_pairs_parts *parts)
{
  int level = 0;
  while (level < HB_SUM_LEVELS - 1 && 1 << level < parts->segments) level++;
  struct hb_gl_pass *pass = &sum->program[level];
  HB_TRY(build(p, parts, level, pass));
  HB_TRY(hb_pairs_results(p, pass));
  hb_gl_pass_int(pass, "sink_count", (int)p->ni);
  hb_gl_pass_int(pass, "segments", parts->segments);
  hb_gl_pass_int(pass, "groups", parts->groups);
  hb_gl_pass_int(pass, "width", parts->width);
  hb_gl_pass_int(pass, "rows", parts->band);
  if (parts->layers)
    hb_gl_pass_texture(pass, "before", parts->layers);
  else
    hb_gl_pass_storage(pass, 1, &p->storage);
  size_t sinks = WORKGROUP >> level; /* of a workgroup */
  hb_gl_pass_dispatch(pass, hb_div_ceil(p->ni, sinks), 1);
  p->begun = p->token * (uint32_t)parts->segments;
  return HB_OK;
}

void hb_pairs_sum_destroy(struct hb_pairs_sum *sum)
{
  for (int level = 0; level < HB_SUM_LEVELS; level++) hb_gl_pass_destroy(&sum->program[level]);
}
