#include "pairs/pairs_program.h"

#include "base/mem.h"
#include "base/bits.h"
#include "base/text.h"

#include <string.h>

static enum hb_status write_defines(const struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                    struct hb_text *text)
{
  if (p->params.context->caps.software) HB_TRY(hb_text_append(text, "#define SOFTWARE\n"));
  HB_TRY(hb_text_append(text,
                        "#define PRECISION %d\n#define I_EACH %d\n#define UNROLL %d\n#define PARTIAL %d\n",
                        (int)source->precision, source->i_each, source->unroll, source->partial));
  HB_TRY(hb_text_append(text, "#define RECORDS %d\n#define F_RECORDS %d\n", p->params.interaction->records,
                        p->params.interaction->f_records));
  if (p->root_error != 0) HB_TRY(hb_text_append(text, "#define ROOT_ERROR %.6e\n", p->root_error));
  return hb_text_append(text, "%s", source->defines);
}

/* The loops that the loader unrolls: see "Loops of constant length" in shaders/README.md. */
static void unroll(const struct hb_interaction *interaction, const struct hb_pairs_program_source *source,
                   struct hb_gl_loop loops[HB_GL_LOOPS])
{
  int low_records = hb_precisions[source->precision].low_texels;
  const struct hb_gl_loop all[HB_GL_LOOPS] = {{"I_EACH", source->i_each},
                                              {"UNROLL", source->unroll},
                                              {"ALL_RECORDS", interaction->records + low_records},
                                              {"F_RECORDS", interaction->f_records},
                                              {"WORDS", hb_pairs_words(interaction, source->precision)}};
  memcpy(loops, all, sizeof all);
}

/* What a compiler has against a user's interaction is the fault of that file, even where it shows elsewhere. */
static enum hb_status blame(const struct hb_interaction *interaction, enum hb_status status)
{
  if (!interaction->text || (status != HB_ERR_GL && status != HB_ERR_INPUT)) return status;
  int is_named = strncmp(hb_error(), interaction->file, strlen(interaction->file)) == 0;
  if (is_named) return hb_fail(HB_ERR_INPUT, "%s", hb_error());
  return hb_fail(HB_ERR_INPUT, "%s does not fit where it is used: %s", interaction->file, hb_error());
}

enum hb_status hb_pairs_program_build(struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                      struct hb_gl_pass *pass)
{
  if (pass->program) return HB_OK;
  HB_TEXT_IN_C;
  struct hb_text defines = {0};
  enum hb_status status = write_defines(p, source, &defines);
  struct hb_gl_program_source gl = {.fragment = source->fragment,
                                    .compute = source->compute,
                                    .defines = defines.text,
                                    .version = source->version,
                                    .part = p->params.interaction->file,
                                    .part_text = p->params.interaction->text};
  unroll(p->params.interaction, source, gl.unrolled);
  if (status == HB_OK) status = hb_gl_pass_create(p->params.context, &gl, pass);
  hb_mem_free(defines.text);
  if (status != HB_OK) return blame(p->params.interaction, status);
  pass->describe = source->describe;
  pass->owner = p;
  return HB_OK;
}

enum hb_status hb_pairs_program_check(struct hb_pairs *p)
{
  struct hb_gl_pass pass = {0};
  const struct hb_pairs_program_source source = {.fragment = "pairs/check.frag",
                                                 .version = 330,
                                                 .precision = p->params.precision,
                                                 .i_each = 1,
                                                 .unroll = 1,
                                                 .partial = 1,
                                                 .defines = ""};
  if (!p->params.interaction->text) return HB_OK;
  enum hb_status status = hb_pairs_program_build(p, &source, &pass);
  hb_gl_pass_destroy(&pass);
  return status;
}

void hb_pairs_program_inputs(const struct hb_pairs *p, struct hb_gl_pass *pass)
{
  const double *a = p->params.parameter;
  hb_gl_pass_float4(pass, "parameter_high", a[0], a[1], a[2], a[3]);
  hb_gl_pass_float4(pass, "parameter_low", (double)hb_split_low(a[0]), (double)hb_split_low(a[1]),
                    (double)hb_split_low(a[2]), (double)hb_split_low(a[3]));
  hb_gl_pass_texture(pass, "particles", &p->j.texture);
  hb_gl_pass_texture(pass, "points", p->points ? &p->i_points.texture : &p->j.texture); /* never unbound */
  hb_gl_pass_int(pass, "has_points", p->points != NULL);
  hb_gl_pass_texture(pass, "sinks", &p->i.texture);
  if (p->i_scale.id) hb_gl_pass_texture(pass, "scales", &p->i_scale.texture);
  if (p->j_2d.id) {
    hb_gl_pass_texture(pass, "particle_texture", &p->j_2d);
    hb_gl_pass_int2(pass, "particle_texture_size", (1 << p->shift) - 1, p->shift);
  }
  hb_gl_pass_int(pass, "token", (int)p->token);
}
