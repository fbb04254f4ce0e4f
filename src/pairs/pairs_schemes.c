/* The list of schemes, and creating an engine with one of them: in a file of its own, so that no scheme depends on it. */
#include "pairs/pairs_scheme.h"
#include "pairs/selftest.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define LISTED(name) &hb_pairs_##name,
const struct hb_pairs_scheme *const hb_pairs_schemes[] = {HB_PAIRS_SCHEMES(LISTED)};
const size_t hb_pairs_scheme_count = sizeof hb_pairs_schemes / sizeof *hb_pairs_schemes;

static const double DRAW_SECONDS = 0.05;

const struct hb_pairs_scheme *hb_pairs_scheme_find(const char *name)
{
  for (size_t k = 0; k < hb_pairs_scheme_count; k++)
    if (strcmp(hb_pairs_schemes[k]->name, name) == 0) return hb_pairs_schemes[k];
  return NULL;
}

static const double SEEN_ROOT_ERROR = 1e-9; /* less is not visible */

/* root_error, fma_is_fused: see struct hb_pairs. */
static enum hb_status check_device(const struct hb_pairs_params *p, double *root_error, int *fma_is_fused)
{
  const struct hb_gl_caps *caps = &p->context->caps;
  *root_error = 0;
  *fma_is_fused = 0;
  const struct hb_precision_facts *precision = &hb_precisions[p->precision];
  if (precision->is_double && !caps->has_double)
    return hb_fail(HB_ERR_GL, "precision double needs GLSL doubles (OpenGL 4.0), which %s lacks (it has %s)",
                   caps->renderer, caps->api);
  if (p->precision == HB_PRECISION_SINGLE) return HB_OK; /* promises nothing that a compiler could break */
  if (precision->is_fixed) return HB_OK;                 /* is tested as a whole */
  struct hb_selftest_info selftest;
  HB_TRY(hb_selftest_run(p->context, &selftest));
  if (precision->is_double || hb_selftest_judge(&selftest, p->precision, caps->renderer) != HB_OK)
    HB_TRY(hb_selftest_doubles(p->context, &selftest)); /* needed, or named as a way out */
  *root_error = fabs(selftest.rsqrt_mean) > SEEN_ROOT_ERROR ? selftest.rsqrt_mean : 0;
  *fma_is_fused = selftest.fma == HB_FUSION_FUSED;
  return hb_selftest_judge(&selftest, p->precision, caps->renderer);
}

/* In precision reproducible the result must not depend on the tuning, and an interaction must be spelled out for it. */
static enum hb_status check_fixed(const struct hb_pairs_params *p)
{
  if (!hb_precisions[p->precision].is_fixed) return HB_OK;
  if (!p->interaction->is_pinned)
    return hb_fail(
        HB_ERR_USAGE,
        "interaction %s has no precision %s: its operations are not pinned one by one, as those of %s are",
        p->interaction->name, hb_precision_names[p->precision], HB_INTERACTION_GRAVITY->name);
  if (p->tuning.partial && p->tuning.partial != HB_FIXED_BLOCK)
    return hb_fail(HB_ERR_USAGE, "a float sum is over %d sources, expected %d in precision %s",
                   p->tuning.partial, HB_FIXED_BLOCK, hb_precision_names[p->precision]);
  return HB_OK;
}

/* Compiles one call of a user's interaction. */
static enum hb_status check_interaction(struct hb_pairs *p)
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

enum hb_status hb_pairs_create(const struct hb_pairs_params *params, struct hb_pairs **pairs)
{
  *pairs = NULL;
  const struct hb_pairs_scheme *scheme = hb_pairs_scheme_find(params->scheme);
  if (!scheme) return hb_fail(HB_ERR_USAGE, "unknown scheme '%s' of the all-pairs engine", params->scheme);
  double root_error;
  int fma_is_fused;
  HB_TRY(check_fixed(params));
  HB_TRY(check_device(params, &root_error, &fma_is_fused));
  HB_TRY(hb_gl_context_use(params->context));
  struct hb_pairs *p;
  HB_TRY(HB_ALLOC(1, &p));
  p->params = *params;
  if (p->params.max_draw_s == 0) p->params.max_draw_s = DRAW_SECONDS;
  p->scheme = scheme;
  p->root_error = root_error;
  p->fma_is_fused = fma_is_fused;
  p->pairs_per_s = 2e7; /* an unknown device: 10^6 pairs in its first draw, milliseconds on the slowest */
  p->texels = hb_pairs_texels(params->interaction, params->precision);
  p->words = hb_pairs_words(params->interaction, params->precision);
  enum hb_status status = scheme->create(p);
  if (status == HB_OK) status = check_interaction(p);
  if (status == HB_OK) status = hb_selftest_programs(p);
  if (status == HB_OK) status = hb_gl_context_check(params->context, "preparing the all-pairs engine");
  return HB_MADE(status, p, hb_pairs_destroy, pairs);
}
