#include "pairs/pairs_sum.h"

#include "base/div_ceil.h"
#include "gl/gl.h"

#include <stdio.h>

enum { WORKGROUP = 256 };

/* In single the totals are floats, but are added as in compensated. */
static enum hb_status build(struct hb_pairs *p, const struct hb_pairs_parts *parts, int level,
                            struct hb_pairs_program *program)
{
  char defines[256];
  snprintf(
      defines, sizeof defines, "%s#define IN_WORDS %d\n#define WORKGROUP %d\n#define THREADS_PER_BODY %d\n%s",
      hb_precisions[p->params.precision].total_words == 1 ? "#undef PRECISION\n#define PRECISION 1\n" : "",
      p->words, WORKGROUP, 1 << level, parts->layers ? "" : "#define OUTPUT_STORAGE\n");
  const struct hb_pairs_program_source source = {.compute = "pairs/add_segments.comp",
                                                 .version = 430,
                                                 .i_each = parts->each,
                                                 .unroll = 1,
                                                 .partial = 1,
                                                 .defines = defines};
  return hb_pairs_program_build(p, &source, program);
}

enum hb_status hb_pairs_sum_run(struct hb_pairs *p, struct hb_pairs_sum *sum,
                                const struct hb_pairs_parts *parts)
{
  int level = 0;
  while (level < HB_SUM_LEVELS - 1 && 1 << level < parts->segments) level++;
  struct hb_pairs_program *program = &sum->program[level];
  HB_TRY(build(p, parts, level, program));
  HB_TRY(hb_pairs_results(p));
  glUseProgram(program->id);
  glUniform1i(program->at[HB_U_SINK_COUNT], (GLint)p->ni);
  glUniform1i(program->at[HB_U_SEGMENTS], parts->segments);
  glUniform1i(program->at[HB_U_GROUPS], parts->groups);
  glUniform1i(program->at[HB_U_WIDTH], parts->width);
  glUniform1i(program->at[HB_U_ROWS], parts->band);
  if (parts->layers)
    hb_gl_layers_bind(parts->layers, HB_UNIT_BEFORE);
  else
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, p->storage);
  size_t sinks = WORKGROUP >> level; /* of a workgroup */
  glDispatchCompute((GLuint)hb_div_ceil(p->ni, sinks), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT |
                  GL_BUFFER_UPDATE_BARRIER_BIT);
  p->begun = p->token * (uint32_t)parts->segments;
  return HB_OK;
}

void hb_pairs_sum_destroy(struct hb_pairs_sum *sum)
{
  for (int level = 0; level < HB_SUM_LEVELS; level++) hb_pairs_program_destroy(&sum->program[level]);
}
