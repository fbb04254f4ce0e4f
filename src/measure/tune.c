/* hb_tune: the fastest way to walk, for every all-pairs scheme and precision. */
#include "pairs/tuning.h"

#include <holmberg/measure.h>

static const size_t sizes[] = {2048, 16384, 131072};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const double SECONDS = 50;

const char *hb_tune_path(void) { return hb_tuning_cache_path(); }

struct tune {
  struct hb_gl_context *context;
  double seconds; /* for each search */
  void (*found)(const struct hb_tune_result *result, void *context);
  void *found_context;
};

static enum hb_status tune_one(const struct tune *t, const char *scheme, enum hb_precision precision,
                               size_t n)
{
  const struct hb_pairs_params params = {.context = t->context,
                                         .interaction = HB_INTERACTION_GRAVITY,
                                         .scheme = scheme,
                                         .precision = precision,
                                         .parameter = {1e-4}};
  struct hb_pairs_tuning tuning;
  struct hb_tune_result result = {scheme, hb_precision_names[precision], NULL, n, 0};
  enum hb_status status = hb_tuning_renew(&params, n, t->seconds, &tuning, &result.pairs_per_s);
  if (status == HB_ERR_GL) return HB_OK; /* not on this device */
  if (status != HB_OK) return status;
  char words[256];
  hb_tuning_print(&tuning, sizeof words, words);
  result.tuning = words;
  t->found(&result, t->found_context);
  return HB_OK;
}

static enum hb_status tune_all(const struct tune *t)
{
  for (size_t s = 0; s < hb_pairs_scheme_count; s++)
    for (int precision = 0; hb_pairs_schemes[s]->has_tuning && precision < HB_PRECISION_COUNT; precision++)
      for (int k = 0; k < SIZES; k++)
        HB_TRY(tune_one(t, hb_pairs_schemes[s]->name, (enum hb_precision)precision, sizes[k]));
  return HB_OK;
}

enum hb_status hb_tune(const struct hb_force_params *params, double seconds,
                       void (*found)(const struct hb_tune_result *result, void *context), void *context)
{
  const struct hb_gl_context_params gl = {params->context, params->device, 0};
  struct tune t = {.found = found, .found_context = context};
  int searches = 0;
  for (size_t s = 0; s < hb_pairs_scheme_count; s++)
    searches += hb_pairs_schemes[s]->has_tuning * HB_PRECISION_COUNT * SIZES;
  t.seconds = (seconds > 0 ? seconds : SECONDS) / searches;
  HB_TRY(hb_gl_context_open(&gl, &t.context));
  enum hb_status status = tune_all(&t);
  hb_gl_context_close(t.context);
  return status;
}
