#include "force/resident_both.h"

#include "base/arith.h"

#include <stdio.h>

enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass)
{
  char defines[64];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s", (int)r->pairs->params.precision,
           r->pairs->fma_is_fused ? "#define FMA_IS_FUSED\n" : "");
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  return hb_gl_pass_create(r->context, &source, pass);
}

/* ---- words ---- */

/* A double as two words of the device: its own, or those of the nearest float and the remainder. */
static void split(const struct hb_resident *r, double x, uint32_t *high, uint32_t *low)
{
  if (r->pairs->params.precision == HB_PRECISION_DOUBLE) {
    hb_bits_of_double(x, high, low);
    return;
  }
  *high = hb_bits_of_float((float)x);
  *low = hb_bits_of_float(hb_split_low(x));
}

double hb_resident_join(const struct hb_resident *r, uint32_t high, uint32_t low)
{
  if (r->pairs->params.precision == HB_PRECISION_DOUBLE) return hb_bits_to_double(high, low);
  return (double)hb_bits_to_float(high) + (double)hb_bits_to_float(low);
}

void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  for (size_t c = 0; c < 3; c++) split(r, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) split(r, p->m[i], &high[3], &low[3]);
}

void hb_resident_set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    split(r, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    split(r, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

/* ---- inputs and results ---- */

void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

void hb_resident_set_totals(const struct hb_pairs_totals *t, const struct hb_force_step *how, size_t first,
                            size_t count, struct hb_gl_pass *pass)
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
}

enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle)
{
  if (asked <= -2)
    return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: sink %zu has not summed all sources",
                   r->context->caps.renderer, sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}
