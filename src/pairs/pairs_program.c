#include "pairs/pairs_program.h"

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "gl/gl.h"
#include "gl/gl_reload.h"

#include <string.h>

static enum hb_status write_defines(const struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                    struct hb_text *text)
{
  if (p->params.context->caps.software) HB_TRY(hb_text_append(text, "#define SOFTWARE\n"));
  HB_TRY(hb_text_append(text,
                        "#define PRECISION %d\n#define I_EACH %d\n#define UNROLL %d\n#define PARTIAL %d\n",
                        (int)p->params.precision, source->i_each, source->unroll, source->partial));
  if (p->root_error != 0) HB_TRY(hb_text_append(text, "#define ROOT_ERROR %.6e\n", p->root_error));
  return hb_text_append(text, "%s", source->defines);
}

/* NVIDIA's compiler keeps an array of dvec4 in memory where a loop indexes it, also one that it unrolls itself. */
static void unroll(const struct hb_interaction *interaction, const struct hb_pairs_program_source *source,
                   struct hb_gl_loop loops[HB_GL_LOOPS])
{
  const struct hb_gl_loop all[HB_GL_LOOPS] = {{"I_EACH", source->i_each},
                                              {"UNROLL", source->unroll},
                                              {"ALL_RECORDS", interaction->records},
                                              {"F_RECORDS", interaction->f_records},
                                              {"WORDS", 2 * interaction->f_records}};
  memcpy(loops, all, sizeof all);
}

static void set_constants(const struct hb_pairs *p, unsigned id)
{
  static const struct {
    const char *name;
    int unit;
  } samplers[] = {{"particles", HB_UNIT_PARTICLES},
                  {"sinks", HB_UNIT_SINKS},
                  {"particle_texture", HB_UNIT_PARTICLE_TEXTURE},
                  {"before", HB_UNIT_BEFORE},
                  {"more", HB_UNIT_MORE}};
  glUseProgram(id);
  for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++)
    glUniform1i(glGetUniformLocation(id, samplers[k].name), samplers[k].unit);
  const double *a = p->params.parameter;
  glUniform4f(glGetUniformLocation(id, "parameter_high"), (float)a[0], (float)a[1], (float)a[2], (float)a[3]);
  glUniform4f(glGetUniformLocation(id, "parameter_low"), hb_split_low(a[0]), hb_split_low(a[1]),
              hb_split_low(a[2]), hb_split_low(a[3]));
}

static enum hb_status adopt(void *owner, unsigned id)
{
  static const char *const names[HB_U_COUNT] = {
      "source_count", "sink_count", "particle_texture_size", "bag",   "block_start", "go_on", "last_pass",
      "groups",       "segments",   "segment_length",        "width", "origin",      "shift", "rows",
      "token"};
  struct hb_pairs_program *program = owner;
  for (int u = 0; u < HB_U_COUNT; u++) program->at[u] = glGetUniformLocation(id, names[u]);
  set_constants(program->pairs, id);
  return HB_OK;
}

enum hb_status hb_pairs_program_build(struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                      struct hb_pairs_program *program)
{
  if (program->id) return HB_OK;
  struct hb_text defines = {0};
  enum hb_status status = write_defines(p, source, &defines);
  struct hb_gl_program_source gl = {.vertex = source->fragment ? "fullscreen.vert" : NULL,
                                    .fragment = source->fragment,
                                    .compute = source->compute,
                                    .defines = defines.text,
                                    .version = source->version,
                                    .part = p->params.interaction->file};
  if (p->params.precision == HB_PRECISION_DOUBLE) unroll(p->params.interaction, source, gl.unrolled);
  program->pairs = p;
  if (status == HB_OK) status = hb_gl_reload_build(p->params.context, &gl, adopt, program, &program->id);
  hb_mem_free(defines.text);
  return status;
}

void hb_pairs_program_destroy(struct hb_pairs_program *program)
{
  if (program->id) hb_gl_reload_delete(program->pairs->params.context, &program->id);
}

void hb_pairs_program_use(const struct hb_pairs *p, const struct hb_pairs_program *program)
{
  glUseProgram(program->id);
  glActiveTexture(GL_TEXTURE0 + HB_UNIT_PARTICLES);
  glBindTexture(GL_TEXTURE_BUFFER, p->j_texture);
  glActiveTexture(GL_TEXTURE0 + HB_UNIT_SINKS);
  glBindTexture(GL_TEXTURE_BUFFER, p->i_texture);
  if (p->j_texture_2d) {
    glActiveTexture(GL_TEXTURE0 + HB_UNIT_PARTICLE_TEXTURE);
    glBindTexture(GL_TEXTURE_2D, p->j_texture_2d);
    glUniform2i(program->at[HB_U_PARTICLE_TEXTURE_SIZE], (1 << p->shift) - 1, p->shift);
  }
  glUniform1i(program->at[HB_U_SOURCE_COUNT], (int)p->nj);
  glUniform1i(program->at[HB_U_SINK_COUNT], (int)p->ni);
  glUniform1i(program->at[HB_U_TOKEN], (int)p->token);
}
