#include "force/resident_transfer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_reload.h"
#include "gl/gl_timer.h"

#include <stdio.h>

/* ---- create and destroy ---- */

static enum hb_status adopt(void *owner, unsigned program)
{
  (void)owner; /* uniforms are looked up where they are set */
  static const struct {
    const char *name;
    int unit;
  } samplers[] = {{"state", HB_RESIDENT_UNIT_STATE},
                  {"block", HB_RESIDENT_UNIT_BLOCK},
                  {"sinks", HB_RESIDENT_UNIT_SINKS},
                  {"levels", HB_RESIDENT_UNIT_LEVELS},
                  {"totals", HB_RESIDENT_UNIT_TOTALS}};
  glUseProgram(program);
  for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++)
    glUniform1i(glGetUniformLocation(program, samplers[k].name), samplers[k].unit);
  return HB_OK;
}

static enum hb_status build(struct hb_resident *r, const char *vertex, const char *fragment,
                            unsigned *program)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)r->pairs->params.precision);
  const struct hb_gl_program_source source = {.vertex = vertex, .fragment = fragment, .defines = defines};
  return hb_gl_reload_build(r->context, &source, adopt, r, program);
}

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  if (!r->context->caps.has_precise)
    return hb_fail(
        HB_ERR_GL,
        "predicting on the device needs the GLSL qualifier `precise` (OpenGL 4.0), %s has not got it",
        r->context->caps.renderer);
  HB_TRY(build(r, "fullscreen.vert", "hermite/predict.frag", &r->predict));
  HB_TRY(build(r, "fullscreen.vert", "hermite/correct.frag", &r->correct));
  HB_TRY(build(r, "hermite/scatter.vert", "hermite/scatter.frag", &r->scatter));
  glGenTextures(1, &r->totals);
  HB_TRY(hb_gl_layers_create(r->context, HB_RESIDENT_ROW, r->rows, HB_RESIDENT_LAYERS, &r->state));
  HB_TRY(hb_pairs_room_j(r->pairs, r->n));
  return hb_gl_layers_create(r->context, HB_RESIDENT_ROW, hb_resident_rows(r->n * (size_t)r->pairs->texels),
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

static void destroy_list(struct hb_resident_list *list)
{
  glDeleteBuffers(1, &list->buffer);
  glDeleteTextures(1, &list->texture);
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (hb_gl_context_use(r->context) == HB_OK) {
    unsigned *const programs[] = {&r->predict, &r->correct, &r->scatter};
    for (int k = 0; k < 3; k++) hb_gl_reload_delete(r->context, programs[k]);
    hb_gl_layers_destroy(&r->state);
    hb_gl_layers_destroy(&r->block);
    hb_gl_layers_destroy(&r->records);
    destroy_list(&r->sinks);
    destroy_list(&r->levels);
    glDeleteTextures(1, &r->totals);
    hb_gl_tally_destroy(&r->made);
    hb_gl_tally_destroy(&r->stored);
  }
  hb_mem_free(r);
}

/* ---- prediction and correction ---- */

static void use(const struct hb_resident *r, unsigned program)
{
  glUseProgram(program);
  glUniform4uiv(glGetUniformLocation(program, "since"), HB_FORCE_LEVELS, r->since);
  hb_gl_layers_bind(&r->state, HB_RESIDENT_UNIT_STATE);
}

enum hb_status hb_resident_predict(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  for (int l = 0; l < HB_FORCE_LEVELS; l++) {
    hb_resident_split(r, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    hb_resident_split(r, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
  HB_TRY(hb_pairs_room_j(r->pairs, r->n));
  use(r, r->predict);
  glUniform1i(glGetUniformLocation(r->predict, "source_count"), (GLint)r->n);
  hb_gl_tally_anew(&r->made);
  hb_gl_tally_begin(&r->made);
  hb_gl_layers_draw(&r->records, HB_RESIDENT_ROW, r->records.height);
  hb_gl_tally_end(&r->made, (uint64_t)HB_RESIDENT_ROW * (uint64_t)r->records.height);
  hb_gl_layers_copy(&r->records, 0, HB_RESIDENT_ROW, r->records.height, r->pairs->j_buffer, 0);
  return hb_pairs_filled_j(r->pairs);
}

enum hb_status hb_resident_check(struct hb_resident *r)
{
  HB_TRY(hb_gl_tally_check(&r->stored, r->context));
  return hb_gl_tally_check(&r->made, r->context);
}

/* What takes part in correcting a block, portion by portion. */
struct correction {
  struct hb_resident *r;
  const struct hb_force_step *how;
  struct hb_phases *last; /* NULL: do not wait */
};

/* Sinks first .. first + count of the block, whose totals lie on the device, into r->block. */
static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  const struct correction *c = context;
  struct hb_resident *r = c->r;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  unsigned program = r->correct;
  use(r, program);
  hb_resident_bind(&r->sinks, HB_RESIDENT_UNIT_SINKS);
  glActiveTexture(GL_TEXTURE0 + HB_RESIDENT_UNIT_TOTALS);
  glBindTexture(GL_TEXTURE_BUFFER, r->totals);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32UI, t.buffer);
  glUniform1i(glGetUniformLocation(program, "segments"), t.segments);
  glUniform1i(glGetUniformLocation(program, "groups"), t.groups);
  glUniform1i(glGetUniformLocation(program, "each"), t.each);
  glUniform4i(glGetUniformLocation(program, "place"), t.width, t.band, t.texels, t.layer);
  glUniform1i(glGetUniformLocation(program, "first"), (GLint)first);
  glUniform1i(glGetUniformLocation(program, "sink_count"), (GLint)(first + count));
  glUniform1ui(glGetUniformLocation(program, "walked"), t.walked);
  glUniform1f(glGetUniformLocation(program, "eta"), (float)c->how->eta);
  glUniform1f(glGetUniformLocation(program, "noise"), (float)c->how->noise);
  glUniform1f(glGetUniformLocation(program, "mass"), (float)c->how->mass);
  size_t row = first / HB_RESIDENT_ROW,
         width = first + count < HB_RESIDENT_ROW ? first + count : HB_RESIDENT_ROW;
  glBindFramebuffer(GL_FRAMEBUFFER, r->block.framebuffer);
  glViewport(0, (GLint)row, (GLsizei)width, hb_resident_rows(first + count) - (GLsizei)row);
  hb_gl_tally_begin(&r->made);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  hb_gl_tally_end(&r->made, count);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return hb_gl_context_check(r->context, "correcting particles");
}

enum hb_status hb_resident_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, double *step, struct hb_phases *last)
{
  struct correction correction = {r, how, last};
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_resident_room(r, ni));
  hb_resident_send_sinks(r, ni, index);
  HB_TRY(hb_pairs_walk_taking(r->pairs, ni, index, correct_portion, &correction));
  double lap = hb_clock_now();
  enum hb_status status = hb_resident_read_steps(r, ni, index, step);
  if (last) last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status != HB_ERR_DEVICE)
    HB_TRY(hb_resident_check(r)); /* what nobody has written may look like anything */
  return status;
}
