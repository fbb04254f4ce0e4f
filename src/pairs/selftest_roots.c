/* The self-test's last part: shaders/common/roots.frag takes roots, here is the mean of their errors. */
#include "pairs/selftest_roots.h"

#include "base/bits.h"
#include "base/mem.h"
#include "gl/gl_pass.h"

#include <math.h>

enum { ROW = 128, ROOTS = 4 * ROW * ROW };

static enum hb_status take_roots(struct hb_gl_context *context, struct hb_gl_texture *layers,
                                 struct hb_gl_pass *pass, uint32_t *words)
{
  const struct hb_gl_program_source source = {.fragment = "common/roots.frag",
                                              .defines = context->caps.software
                                                             ? "#define SOFTWARE\n#define PRECISION 0\n"
                                                             : "#define PRECISION 0\n"};
  HB_TRY(hb_gl_pass_create(context, &source, pass));
  HB_TRY(hb_gl_texture_words(context, ROW, ROW, 1, layers));
  hb_gl_pass_draw(pass, &layers->target, 0, 0, ROW, ROW);
  hb_gl_target_read(&layers->target, 0, 0, 0, ROW, ROW, HB_GL_WORDS, words);
  return hb_gl_context_check(context, "taking reciprocal roots");
}

/* As in the shader. */
static double number(uint32_t k) { return 1 + (192 * k + (k * 2654435761u >> 16) % 192) / 4194304.0; }

/* x is as likely in one octave as in the next: weights 1 / x. */
static double mean_error(const uint32_t *words)
{
  double sum = 0, weights = 0;
  for (uint32_t k = 0; k < ROOTS; k++) {
    double x = number(k);
    sum += ((double)hb_bits_to_float(words[k]) * sqrt(x) - 1) / x;
    weights += 1 / x;
  }
  return sum / weights;
}

enum hb_status hb_selftest_roots(struct hb_gl_context *context, double *mean)
{
  struct hb_gl_texture layers = {0};
  struct hb_gl_pass pass = {0};
  uint32_t *words;
  HB_TRY(HB_ALLOC(ROOTS, &words));
  enum hb_status status = take_roots(context, &layers, &pass, words);
  if (status == HB_OK) *mean = mean_error(words);
  hb_gl_texture_destroy(&layers);
  hb_gl_pass_destroy(&pass);
  hb_mem_free(words);
  return status;
}
