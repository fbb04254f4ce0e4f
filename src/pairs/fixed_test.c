#include "pairs/fixed_test.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The same as the processor's: test_gl_reproducible.c compares them with force/host_reproducible.c. */
const uint64_t hb_fixed_test_right[HB_FIXED_TEST_CASES] = {0x9e8298c5cecad794, 0xb5f84b17f7de05c7,
                                                           0x6e9a862e3961c714, 0x0ae5bd04568b6c17};

/* Half of the particles come in pairs, closer from case to case; every other case has no softening. */
void hb_fixed_test_make(int k, struct hb_fixed_test *t)
{
  struct hb_rng rng = hb_rng_seeded(64 + (uint64_t)k);
  *t = (struct hb_fixed_test){.eps2 = k % 2 ? 0 : 0x1p-12f, .scale = 0x7f909a9a};
  for (int i = 0; i < HB_FIXED_TEST_N; i++) {
    int is_second = i % 4 == 3;
    t->m[i] = ldexp(1 + hb_rng_uniform(&rng), i % 16 - 4);
    for (int c = 3 * i; c < 3 * i + 3; c++) {
      double r = 2 * hb_rng_uniform(&rng) - 1;
      t->x[c] = is_second ? t->x[c - 3] + ldexp(r, -2 - k) : r;
      t->v[c] = 2 * hb_rng_uniform(&rng) - 1;
    }
  }
  for (int c = 0; c < 8; c++)
    t->rounding[c] = (struct hb_fixed_column){1, c < 3 ? 0x1.8p-8 : c == 3 ? 0x1.8p28 : 0x1.8p20};
}

uint64_t hb_fixed_test_hash(size_t n, const struct hb_fixed_total *totals)
{
  uint64_t hash = HB_HASH_EMPTY;
  for (size_t i = 0; i < n; i++) {
    hash = hb_hash_words(hash, HB_FIXED_SUMS, totals[i].sum);
    for (int g = 0; g < HB_FIXED_GROUPS; g++)
      hash = hb_hash_byte(hash, (uint8_t)hb_fixed_byte(totals[i].most, g));
  }
  return hash;
}

static enum hb_status walk(struct hb_pairs *p, const struct hb_fixed_test *t, struct hb_fixed_total *totals)
{
  const struct hb_column columns[8] = {{t->x, 3}, {t->x + 1, 3}, {t->x + 2, 3}, {t->m, 1},
                                       {t->v, 3}, {t->v + 1, 3}, {t->v + 2, 3}};
  uint32_t index[HB_FIXED_TEST_N], scale[HB_FIXED_TEST_N];
  for (uint32_t i = 0; i < HB_FIXED_TEST_N; i++) index[i] = i, scale[i] = t->scale;
  p->params.parameter[0] = (double)t->eps2;
  hb_pairs_set_rounding(p, t->rounding);
  HB_TRY(hb_pairs_set_j(p, HB_FIXED_TEST_N, columns));
  HB_TRY(hb_pairs_walk(p, &(const struct hb_pairs_job){
                              .ni = HB_FIXED_TEST_N, .index = index, .scale = scale, .totals = totals}));
  return hb_pairs_read(p);
}

static enum hb_status count_wrong(struct hb_pairs *p, struct hb_fixed_test *t, struct hb_fixed_total *totals,
                                  int *wrong)
{
  *wrong = 0;
  for (int k = 0; k < HB_FIXED_TEST_CASES; k++) {
    hb_fixed_test_make(k, t);
    HB_TRY(walk(p, t, totals));
    *wrong += hb_fixed_test_hash(HB_FIXED_TEST_N, totals) != hb_fixed_test_right[k];
  }
  return HB_OK;
}

static enum hb_status test(struct hb_pairs *p, int *wrong)
{
  struct hb_fixed_test *t = NULL;
  struct hb_fixed_total *totals = NULL;
  enum hb_status status = HB_ALLOC(1, &t);
  if (status == HB_OK) status = HB_ALLOC(HB_FIXED_TEST_N, &totals);
  if (status == HB_OK) status = count_wrong(p, t, totals, wrong);
  hb_mem_free(t);
  hb_mem_free(totals);
  return status;
}

/* Once per scheme, device and driver. */
static enum hb_status run_or_recall(struct hb_pairs *p, int *wrong)
{
  enum { KEPT = 16 };
  static struct kept {
    char key[400];
    int wrong;
  } kept[KEPT];
  static int count;
  const struct hb_gl_context *context = p->params.context;
  char key[sizeof kept->key];
  snprintf(key, sizeof key, "%s %s %s %s", p->scheme->name, context->backend->name, context->caps.renderer,
           context->caps.version);
  for (int k = 0; k < count; k++)
    if (strcmp(kept[k].key, key) == 0) {
      *wrong = kept[k].wrong;
      return HB_OK;
    }
  HB_TRY(test(p, wrong));
  if (count == KEPT) return HB_OK;
  memcpy(kept[count].key, key, sizeof key);
  kept[count++].wrong = *wrong;
  return HB_OK;
}

enum hb_status hb_fixed_test_run(struct hb_pairs *p)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  int wrong;
  double parameter = p->params.parameter[0];
  pthread_mutex_lock(&one_at_a_time);
  enum hb_status status = run_or_recall(p, &wrong);
  pthread_mutex_unlock(&one_at_a_time);
  p->params.parameter[0] = parameter;
  if (status != HB_OK || wrong == 0) return status;
  return hb_fail(HB_ERR_GL,
                 "precision reproducible needs float arithmetic as IEEE 754 has it, %s has other bits (in %d "
                 "of %d tests); use precision ds",
                 p->params.context->caps.renderer, wrong, HB_FIXED_TEST_CASES);
}
