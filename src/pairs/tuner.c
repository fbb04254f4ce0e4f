#include "pairs/tuner.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "gl/gl_timer.h"
#include "pairs/tuning_cache.h"

#include <string.h>

/* What is tried, most important first; a word changes one field. Where a device cannot do it (a storage buffer before GL
 * 4.3, more render targets than it has), creation fails and the word is skipped. */
static const char *const bag_words[] = {"threads=131072",
                                        "i_each=3",
                                        "i_each=2",
                                        "unroll=4",
                                        "unroll=2",
                                        "width=512",
                                        "width=1024",
                                        "threads=262144",
                                        "unroll=16",
                                        "j_source=texture",
                                        "j_source=buffer_texture",
                                        "j_source=storage",
                                        "j_source=block",
                                        "unroll=1",
                                        "i_each=1",
                                        "partial=32",
                                        "output=storage",
                                        "i_each=4",
                                        "width=256",
                                        "threads=32768",
                                        "partial=64",
                                        NULL};
static const char *const tile_words[] = {"i_each=2",
                                         "i_each=4",
                                         "unroll=4",
                                         "unroll=16",
                                         "threads=131072",
                                         "threads=65536",
                                         "threads=524288",
                                         "workgroup=512",
                                         "workgroup=128",
                                         "workgroup=256",
                                         "body_threads=32",
                                         "unroll=32",
                                         "unroll=8",
                                         "i_each=1",
                                         "j_source=buffer_texture",
                                         NULL};
/* A software renderer has few threads, and segments are costly for its small blocks. */
static const char *const software_words[] = {
    "threads=512", "i_each=4", "threads=2048", "output=targets", "threads=256", "unroll=4",
    "unroll=16",   "width=64", "i_each=2",     "partial=128",    NULL};

static const double GAIN = 1.02;          /* less is noise */
static const double TRIAL_SECONDS = 0.03; /* of each stretch that is timed */
static const double WALK_SECONDS = 0.004; /* about what one walk may take */

struct trial {
  struct hb_pairs_params params;
  size_t n, ni;
  double *x;                     /* [4 * records * n], random in the unit cube */
  uint32_t *index;               /* [n] */
  uint32_t *scale;               /* [n] in precision reproducible: any, */
  struct hb_fixed_total *totals; /* [n] and where totals go; else NULL */
};

static enum hb_status prepare(const struct hb_pairs_params *params, size_t n, struct trial *t)
{
  *t = (struct trial){.params = *params, .n = n, .ni = n};
  size_t width = 4 * (size_t)params->interaction->records;
  HB_TRY(HB_ALLOC(width * n, &t->x));
  HB_TRY(HB_ALLOC(n, &t->index));
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t k = 0; k < width * n; k++) t->x[k] = hb_rng_uniform(&rng);
  for (size_t k = 0; k < n; k++) t->index[k] = (uint32_t)k;
  if (!hb_precisions[params->precision].is_fixed) return HB_OK;
  HB_TRY(HB_ALLOC(n, &t->scale));
  HB_TRY(HB_ALLOC(n, &t->totals));
  for (size_t k = 0; k < n; k++) t->scale[k] = 0x7f7f7f7f; /* units of 1 */
  return HB_OK;
}

static enum hb_status walk(struct trial *t, struct hb_pairs *pairs)
{
  return hb_pairs_walk(pairs, &(const struct hb_pairs_job){
                                  .ni = t->ni, .index = t->index, .scale = t->scale, .totals = t->totals});
}

static enum hb_status send(const struct trial *t, struct hb_pairs *pairs)
{
  struct hb_column columns[4 * HB_RECORDS_MAX];
  size_t width = 4 * (size_t)t->params.interaction->records;
  struct hb_fixed_column rounding[4 * HB_RECORDS_MAX];
  for (size_t c = 0; c < width; c++) {
    columns[c] = (struct hb_column){t->x + c, width};
    rounding[c] = (struct hb_fixed_column){1, 1};
  }
  if (t->totals) hb_pairs_set_rounding(pairs, rounding);
  return hb_pairs_set_j(pairs, t->n, columns);
}

/* Repeats the walk for this duration, at least once; seconds of one walk. */
static enum hb_status walk_for(struct trial *t, struct hb_pairs *pairs, double duration, double *seconds)
{
  double start = hb_gl_timer_start();
  int walks = 0, batch = 1;
  do {
    for (int k = 0; k < batch; k++, walks++) HB_TRY(walk(t, pairs));
    *seconds = hb_gl_timer_stop(start) / walks;
    batch = 8;
  } while (*seconds * walks < duration);
  return HB_OK;
}

/* Seconds of one walk, the better of two stretches; *tuning becomes complete. */
static enum hb_status measure(struct trial *t, struct hb_pairs_tuning *tuning, double *seconds)
{
  struct hb_pairs *pairs;
  double again = 0;
  t->params.tuning = *tuning;
  HB_TRY(hb_pairs_create(&t->params, &pairs));
  *tuning = pairs->params.tuning;
  enum hb_status status = send(t, pairs);
  for (int k = 0; k < 2 && status == HB_OK; k++) { /* compiles; learns the speed, of which passes are made */
    status = walk(t, pairs);
    if (status == HB_OK) status = hb_pairs_read(pairs);
  }
  if (status == HB_OK) status = walk_for(t, pairs, TRIAL_SECONDS, seconds);
  if (status == HB_OK) status = walk_for(t, pairs, TRIAL_SECONDS, &again);
  if (again < *seconds) *seconds = again;
  hb_pairs_destroy(pairs);
  return status;
}

/* As many sinks as make a walk of WALK_SECONDS: all, or a block that is large enough to fill the device. The first
 * measurement only wakes it up: a GPU that was idle takes its time to raise its clock. */
static enum hb_status choose_sinks(struct trial *t, struct hb_pairs_tuning *tuning)
{
  double seconds = 0;
  t->ni = t->n < 1024 ? t->n : 1024;
  for (int k = 0; k < 3 && seconds < TRIAL_SECONDS; k++) HB_TRY(measure(t, tuning, &seconds));
  double affordable = (double)t->ni * WALK_SECONDS / seconds;
  t->ni = affordable < 1024 ? t->ni : affordable < (double)t->n ? (size_t)affordable : t->n;
  return HB_OK;
}

/* Sums of more sources than the default would be less exact. */
static int keeps_precision(const struct hb_pairs_tuning *tuning, const struct hb_pairs_tuning *safe)
{
  return tuning->partial <= safe->partial;
}

static enum hb_status search(const struct hb_pairs_params *params, size_t n, double seconds,
                             struct hb_pairs_tuning *best, double *pairs_per_s)
{
  double begin = hb_clock_now(), fastest, elapsed;
  const char *const *words = params->context->caps.software                     ? software_words
                             : hb_pairs_scheme_find(params->scheme)->is_compute ? tile_words
                                                                                : bag_words;
  struct trial t;
  struct hb_pairs_tuning safe = {0};
  enum hb_status status = prepare(params, n, &t);
  if (status == HB_OK) status = choose_sinks(&t, &safe);
  *best = safe;
  if (status == HB_OK) status = measure(&t, best, &fastest);
  for (size_t k = 0; status == HB_OK && words[k] && hb_clock_now() - begin < seconds; k++) {
    struct hb_pairs_tuning tuning = *best;
    if (hb_tuning_parse(words[k], &tuning) != HB_OK || memcmp(&tuning, best, sizeof tuning) == 0) continue;
    if (!keeps_precision(&tuning, &safe) || measure(&t, &tuning, &elapsed) != HB_OK) continue;
    if (elapsed * GAIN >= fastest) continue;
    fastest = elapsed;
    *best = tuning;
  }
  if (status == HB_OK) *pairs_per_s = (double)t.ni * (double)(n - 1) / fastest;
  hb_mem_free(t.x);
  hb_mem_free(t.index);
  hb_mem_free(t.scale);
  hb_mem_free(t.totals);
  return status;
}

static struct hb_tuning_key key_of(const struct hb_pairs_params *params, size_t n)
{
  return (struct hb_tuning_key){params->context, params->scheme, hb_precision_names[params->precision],
                                params->interaction->key, hb_tuning_class(n)};
}

enum hb_status hb_tuner_renew(const struct hb_pairs_params *params, size_t n, double seconds,
                              struct hb_pairs_tuning *tuning, double *pairs_per_s)
{
  const struct hb_tuning_key key = key_of(params, n);
  HB_TRY(search(params, key.n, seconds, tuning, pairs_per_s));
  if (hb_tuning_cache_put(&key, tuning) != HB_OK) hb_log("the tuning cannot be saved: %s", hb_error());
  return HB_OK;
}

enum hb_status hb_tuner_open(const struct hb_pairs_params *params, size_t n, double seconds,
                             struct hb_pairs **pairs)
{
  const struct hb_tuning_key key = key_of(params, n);
  struct hb_pairs_params tuned = *params;
  double pairs_per_s;
  if (hb_tuning_cache_get(&key, &tuned.tuning)) {
    if (hb_pairs_create(&tuned, pairs) == HB_OK) return HB_OK;
    hb_log_warn("%s has a tuning that does not fit and is dropped: %s", hb_tuning_cache_path(), hb_error());
    hb_tuning_cache_drop(&key);
  }
  hb_log("looking for the fastest way to walk on %s", params->context->caps.renderer);
  HB_TRY(hb_tuner_renew(params, n, seconds, &tuned.tuning, &pairs_per_s));
  return hb_pairs_create(&tuned, pairs);
}
