#include "force/resident_both.h"

#include "force/hermite_program.h"

enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass)
{
  return hb_hermite_program(r->context, r->pairs->params.precision, r->pairs->fma_is_fused, files, pass);
}

static void split(const struct hb_resident *r, double value, uint32_t *high, uint32_t *low)
{
  hb_precision_split(r->pairs->params.precision, value, high, low);
}

static void pack_field(struct hb_resident *r, const struct hb_field *field)
{
  enum hb_field_form form[HB_FIELD_PARTS];
  double number[HB_FIELD_PARTS][HB_FIELD_NUMBERS];
  r->part_count = hb_field_parts(field, form, number);
  for (int k = 0; k < r->part_count; k++) {
    uint32_t *word = r->parts + 16 * k;
    for (int c = 0; c < 3; c++) {
      split(r, number[k][c], &word[2 * c], &word[2 * c + 1]);
      split(r, number[k][3 + c], &word[8 + c], &word[12 + c]);
    }
    word[6] = form[k];
  }
  split(r, hb_field_turn(field), &r->double_turn[0], &r->double_turn[1]);
}

enum hb_status hb_resident_build_correct(struct hb_resident *r, const struct hb_gl_program_source *files,
                                         const struct hb_field *field, struct hb_gl_pass *pass)
{
  struct hb_gl_program_source source = *files;
  if (pass->program) return HB_OK;
  if (field) {
    source.defines = "#define FIELD\n";
    pack_field(r, field);
  }
  return hb_resident_build(r, &source, pass);
}

/* ---- words ---- */

void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  enum hb_precision precision = r->pairs->params.precision;
  for (size_t c = 0; c < 3; c++) hb_precision_split(precision, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) hb_precision_split(precision, p->m[i], &high[3], &low[3]);
}

void hb_resident_set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  enum hb_precision precision = r->pairs->params.precision;
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    hb_precision_split(precision, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    hb_precision_split(precision, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

/* ---- inputs and results ---- */

void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

void hb_resident_set_totals(const struct hb_resident *r, const struct hb_pairs_totals *t,
                            const struct hb_force_step *how, size_t first, size_t count,
                            struct hb_gl_pass *pass)
{
  hb_gl_pass_int(pass, "segments", t->segments);
  hb_gl_pass_int(pass, "groups", t->groups);
  hb_gl_pass_int(pass, "each", t->each);
  hb_gl_pass_int4(pass, "place", t->width, t->band, t->texels, t->layer);
  hb_gl_pass_int(pass, "first", (int)first);
  hb_gl_pass_int(pass, "sink_count", (int)(first + count));
  hb_gl_pass_uint(pass, "walked", t->walked);
  hb_gl_pass_float(pass, "eta", how->eta);
  hb_gl_pass_float(pass, "noise", how->noise);
  hb_gl_pass_float(pass, "mass", how->mass);
  if (!how->field) return;
  hb_gl_pass_int(pass, "part_count", r->part_count);
  hb_gl_pass_set(pass, "parts", HB_GL_UINT4, 4 * r->part_count, r->parts);
  hb_gl_pass_set(pass, "double_turn", HB_GL_UINT4, 1, r->double_turn);
}

enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle)
{
  if (asked <= -2)
    return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: sink %zu has not summed all sources",
                   r->context->caps.renderer, sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}
