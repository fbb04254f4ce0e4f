#include "force/resident_transfer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gl/gl_timer.h"
#include "pairs/selftest.h"

#include <stdio.h>

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_resident *r, const char *vertex, const char *fragment,
                            struct hb_gl_pass *pass)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)r->pairs->params.precision);
  const struct hb_gl_program_source source = {.vertex = vertex, .fragment = fragment, .defines = defines};
  return hb_gl_pass_create(r->context, &source, pass);
}

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_selftest_exact(r->context, "predicting on the device"));
  HB_TRY(build(r, NULL, "hermite/predict.frag", &r->predict));
  HB_TRY(build(r, NULL, "hermite/correct.frag", &r->correct));
  HB_TRY(build(r, "hermite/scatter.vert", "hermite/scatter.frag", &r->scatter));
  HB_TRY(hb_gl_texture_words(r->context, HB_RESIDENT_ROW, r->rows, HB_RESIDENT_LAYERS, &r->state));
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  return hb_gl_texture_words(r->context, HB_RESIDENT_ROW, hb_resident_rows(r->n * (size_t)r->pairs->texels),
                             1, &r->records);
}

enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, struct hb_resident **resident)
{
  *resident = NULL;
  struct hb_resident *r;
  HB_TRY(HB_ALLOC(1, &r));
  r->pairs = pairs;
  r->context = pairs->params.context;
  r->n = n;
  r->rows = hb_resident_rows(n);
  enum hb_status status = create(r);
  if (status != HB_OK) {
    hb_resident_destroy(r);
    return status;
  }
  *resident = r;
  return HB_OK;
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (hb_gl_context_use(r->context) == HB_OK) {
    struct hb_gl_pass *const passes[] = {&r->predict, &r->correct, &r->scatter};
    struct hb_gl_texture *const textures[] = {&r->state, &r->block, &r->records, &r->totals};
    for (int k = 0; k < 3; k++) hb_gl_pass_destroy(passes[k]);
    for (int k = 0; k < 4; k++) hb_gl_texture_destroy(textures[k]);
    hb_gl_buffer_destroy(&r->sinks);
    hb_gl_buffer_destroy(&r->levels);
    hb_gl_tally_destroy(&r->made);
    hb_gl_tally_destroy(&r->stored);
  }
  hb_mem_free(r);
}

/* ---- prediction and correction ---- */

static void set_state(struct hb_resident *r, struct hb_gl_pass *pass)
{
  hb_gl_pass_set(pass, "since", HB_GL_UINT4, HB_FORCE_LEVELS, r->since);
  hb_gl_pass_texture(pass, "state", &r->state);
}

enum hb_status hb_resident_predict(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  for (int l = 0; l < HB_FORCE_LEVELS; l++) {
    hb_resident_split(r, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    hb_resident_split(r, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  set_state(r, &r->predict);
  hb_gl_pass_int(&r->predict, "source_count", (int)r->n);
  hb_gl_tally_reset(&r->made);
  hb_gl_tally_expect(&r->made, (uint64_t)HB_RESIDENT_ROW * (uint64_t)r->records.height);
  hb_gl_pass_draw(&r->predict, &r->records.target, 0, 0, HB_RESIDENT_ROW, r->records.height);
  hb_gl_tally_pause(&r->made);
  hb_gl_target_copy(&r->records.target, 0, HB_RESIDENT_ROW, r->records.height, &r->pairs->j, 0);
  return hb_pairs_filled_j(r->pairs);
}

enum hb_status hb_resident_check(struct hb_resident *r)
{
  HB_TRY(hb_gl_tally_check(&r->stored, r->context));
  return hb_gl_tally_check(&r->made, r->context);
}

/* The arguments of correct_portion. */
struct correction {
  struct hb_resident *r;
  const struct hb_force_step *how;
  struct hb_phases *last; /* NULL: do not wait */
};

/* Corrects sinks first .. first + count - 1 of the block, from their totals on the device, into r->block. */
static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  const struct correction *c = context;
  struct hb_resident *r = c->r;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  struct hb_gl_pass *pass = &r->correct;
  hb_gl_texture_over(t.buffer, HB_GL_RGBA32UI, &r->totals);
  set_state(r, pass);
  hb_gl_pass_texture(pass, "sinks", &r->sinks.texture);
  hb_gl_pass_texture(pass, "totals", &r->totals);
  hb_gl_pass_int(pass, "segments", t.segments);
  hb_gl_pass_int(pass, "groups", t.groups);
  hb_gl_pass_int(pass, "each", t.each);
  hb_gl_pass_int4(pass, "place", t.width, t.band, t.texels, t.layer);
  hb_gl_pass_int(pass, "first", (int)first);
  hb_gl_pass_int(pass, "sink_count", (int)(first + count));
  hb_gl_pass_uint(pass, "walked", t.walked);
  hb_gl_pass_float(pass, "eta", c->how->eta);
  hb_gl_pass_float(pass, "noise", c->how->noise);
  hb_gl_pass_float(pass, "mass", c->how->mass);
  size_t row = first / HB_RESIDENT_ROW,
         width = first + count < HB_RESIDENT_ROW ? first + count : HB_RESIDENT_ROW;
  hb_gl_tally_expect(&r->made, count);
  hb_gl_pass_draw(pass, &r->block.target, 0, (int)row, (int)width,
                  hb_resident_rows(first + count) - (int)row);
  hb_gl_tally_pause(&r->made);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return hb_gl_context_check(r->context, "correcting particles");
}

enum hb_status hb_resident_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, double *step, struct hb_phases *last)
{
  struct correction correction = {r, how, last};
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_resident_reserve(r, ni));
  hb_resident_send_sinks(r, ni, index);
  HB_TRY(hb_pairs_walk_taking(r->pairs, ni, index, correct_portion, &correction));
  double lap = hb_clock_now();
  enum hb_status status = hb_resident_read_steps(r, ni, index, step);
  if (last) last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status != HB_ERR_DEVICE) HB_TRY(hb_resident_check(r)); /* what was never written may have any value */
  return status;
}
