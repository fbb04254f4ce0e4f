/* The host's half of the self-test: what shaders/common/selftest.frag should compute. */
#include "pairs/selftest.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "gl/gl_pass.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 64, LAYERS = 4 };

/* Roots and quotients in double may be off by this much, 7e-15, before precision double is refused; a driver that uses
 * those of float is off by 1e8. */
static const double DOUBLE_ULP = 64;

/* 1 / r may be off by this much, 5e-7, before the precisions that promise 3e-8 in the mean are refused; GLSL allows 2. */
static const double ROOTS_ULP = 8;

static const float TINY = 1.0f / 16777216.0f; /* as in the shader */

struct given {
  float a, b, c, special;
};

/* One draw: words[layer][case][4]. */
struct answer {
  uint32_t words[LAYERS][CASES][4];
};

/* ---- the cases ---- */

/* a in [-1, 1], b the same down to 2^-29 of it, c in [0, 1], and every eighth of each kind of special number. */
static void make_cases(struct given given[CASES])
{
  static const uint32_t special[8] = {0x00012345, 0x7fc00000, 0x7f800000, 0x80000000,
                                      0x00000000, 0x00800000, 0xff800000, 0x7f7fffff};
  struct hb_rng rng = hb_rng_seeded(64);
  for (int k = 0; k < CASES; k++) {
    given[k].a = (float)(2 * hb_rng_uniform(&rng) - 1);
    given[k].b = (float)ldexp(2 * hb_rng_uniform(&rng) - 1, -(k % 30));
    given[k].c = (float)hb_rng_uniform(&rng);
    given[k].special = hb_bits_to_float(special[k % 8] + (k % 8 ? 0 : (uint32_t)k));
  }
}

/* ---- the draw ---- */

struct draw {
  struct hb_gl_pass pass;
  struct hb_gl_buffer cases;
  struct hb_gl_texture layers;
};

static void destroy_draw(struct draw *d)
{
  hb_gl_pass_destroy(&d->pass);
  hb_gl_buffer_destroy(&d->cases);
  hb_gl_texture_destroy(&d->layers);
}

static enum hb_status ask_with(struct draw *d, struct hb_gl_context *context, enum hb_precision precision,
                               const struct given *given, struct answer *answer)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)precision);
  const struct hb_gl_program_source source = {.fragment = "common/selftest.frag", .defines = defines};
  HB_TRY(hb_gl_pass_create(context, &source, &d->pass));
  HB_TRY(hb_gl_texture_words(context, CASES, 1, LAYERS, &d->layers));
  hb_gl_buffer_fill(&d->cases, HB_GL_BY_HOST, CASES * sizeof *given, given);
  hb_gl_buffer_texture(&d->cases, HB_GL_RGBA32F);
  hb_gl_pass_texture(&d->pass, "cases", &d->cases.texture);
  hb_gl_pass_draw(&d->pass, &d->layers.target, 0, 0, CASES, 1);
  for (int k = 0; k < LAYERS; k++)
    hb_gl_target_read(&d->layers.target, k, 0, 0, CASES, 1, HB_GL_WORDS, answer->words[k][0]);
  return hb_gl_context_check(context, "testing the driver's arithmetic");
}

static enum hb_status ask(struct hb_gl_context *context, enum hb_precision precision,
                          const struct given *given, struct answer *answer)
{
  struct draw draw = {0};
  enum hb_status status = ask_with(&draw, context, precision, given, answer);
  destroy_draw(&draw);
  return status;
}

/* ---- the expected results: volatile, so that the host's compiler rearranges nothing either ---- */

static void two_sum(float a, float b, float *sum, float *error)
{
  volatile float s = a + b, rounded = s - a, rest = s - rounded;
  volatile float left = a - rest, right = b - rounded;
  *sum = s;
  *error = left + right;
}

static void carried_sum(float a, float lost, float more, float *sum, float *error)
{
  volatile float both = more + lost, s = a + both, rounded = s - a;
  *sum = s;
  *error = both - rounded;
}

static float product(float a, float b)
{
  volatile float p = a * b;
  return p;
}

static int differs(uint32_t word, float expected) { return word != hb_bits_of_float(expected); }

static void judge_plain(const struct given *g, const uint32_t *words, struct hb_selftest_info *t)
{
  float s, error, p = product(g->a, g->b);
  two_sum(g->a, g->b, &s, &error);
  t->two_sum_wrong += differs(words[0], s) || differs(words[1], error);
  t->two_product_wrong +=
      differs(words[2], p) || differs(words[3], (float)((double)g->a * (double)g->b - (double)p));
}

static void judge_precise(const struct given *g, const struct answer *answer, int k,
                          struct hb_selftest_info *t)
{
  const float sum[4] = {g->a, g->a, g->c, g->a}, more[4] = {g->b, g->c, -g->a, product(g->b, g->c)};
  const float lost[4] = {TINY * g->c, TINY * g->b, TINY * g->b, TINY * g->c};
  int wrong = 0, wrong_carry = 0;
  for (int l = 0; l < 4; l++) {
    float s, error;
    two_sum(sum[l], more[l], &s, &error);
    wrong |= differs(answer->words[0][k][l], s) || differs(answer->words[1][k][l], 0.0f + error);
    carried_sum(sum[l], lost[l], more[l], &s, &error);
    wrong_carry |= differs(answer->words[2][k][l], s) || differs(answer->words[3][k][l], error);
  }
  t->two_sum_precise_wrong += wrong;
  t->carry_precise_wrong += wrong_carry;
}

/* Distance in units of the last of `digits` binary places. */
static double in_ulp(long double got, long double right, int digits)
{
  double ulp = (double)(fabsl(got - right) / ldexpl(1, ilogbl(right) + 1 - digits));
  return ulp < 1e9 ? ulp : 1e9; /* NaN, too */
}

static void judge_roots(const struct given *g, const uint32_t *words, struct hb_selftest_info *t)
{
  long double c = g->c;
  t->sqrt_ulp = fmax(t->sqrt_ulp, in_ulp(hb_bits_to_float(words[0]), sqrtl(c), 24));
  t->rsqrt_ulp = fmax(t->rsqrt_ulp, in_ulp(hb_bits_to_float(words[1]), 1 / sqrtl(c), 24));
  t->one_over_sqrt_ulp = fmax(t->one_over_sqrt_ulp, in_ulp(hb_bits_to_float(words[2]), 1 / sqrtl(c), 24));
  t->inverse_ulp = fmax(t->inverse_ulp, in_ulp(hb_bits_to_float(words[3]), 1 / c, 24));
}

static void judge_special(const struct given *g, const uint32_t *words, uint32_t half,
                          struct hb_selftest_info *t)
{
  float x = g->special;
  uint32_t flags = (isnan(x) ? 3u : 0u) | (isinf(x) ? 4u : 0u);
  int denormal = fpclassify(x) == FP_SUBNORMAL;
  t->special_wrong += words[2] != flags;
  if (denormal) t->denormals_lost += words[0] != hb_bits_of_float(x);
  if (!denormal && !isnan(x)) t->special_wrong += words[0] != hb_bits_of_float(x);
  if (fpclassify(product(x, 0.5f)) == FP_SUBNORMAL)
    t->denormal_products_lost += half != hb_bits_of_float(product(x, 0.5f));
  if (x == 0 || isinf(x)) t->special_wrong += differs(words[1], 1 / x);
  t->wrap_wrong += words[3] != (hb_bits_of_float(g->a) + 0xffff0000u) * 2654435761u;
}

static enum hb_fusion fusion_of(int separate, int fused)
{
  return separate == CASES ? HB_FUSION_SEPARATE : fused == CASES ? HB_FUSION_FUSED : HB_FUSION_OTHER;
}

static void judge_fusion(const struct given *given, const struct answer *answer, int has_fma,
                         struct hb_selftest_info *t)
{
  int separate[2] = {0}, fused[2] = {0}; /* cases in which a * b + c and fma(a, b, c) are so */
  for (int k = 0; k < CASES; k++) {
    const struct given *g = &given[k];
    const uint32_t *words = answer->words[1][k];
    for (int l = 0; l < 2; l++) {
      separate[l] += words[l] == hb_bits_of_float(product(g->a, g->b) + g->c);
      fused[l] += words[l] == hb_bits_of_float(fmaf(g->a, g->b, g->c));
    }
    float spelled_out = product(g->a, g->b) + product(g->b, g->c) + product(g->c, g->a);
    t->dot_differs += differs(words[2], spelled_out);
  }
  t->multiply_add = fusion_of(separate[0], fused[0]);
  t->fma = has_fma ? fusion_of(separate[1], fused[1]) : HB_FUSION_ABSENT;
}

static void judge_double(const struct given *g, const struct answer *answer, int k,
                         struct hb_selftest_info *t)
{
  double got[8];
  for (int l = 0; l < 8; l++) {
    int layer = l / 4 * 2;
    got[l] = hb_bits_to_double(answer->words[layer][k][l % 4], answer->words[layer + 1][k][l % 4]);
  }
  double x = (double)g->a + (double)g->b * (double)TINY, y = (double)g->c + (double)g->a * (double)TINY;
  volatile double s = x + y, rounded = s - x, rest = s - rounded, left = x - rest, right = y - rounded;
  volatile double p = x * y;
  t->double_wrong += got[0] != s || got[1] != left + right || got[2] != p;
  long double exact = y;
  t->double_ulp = fmax(t->double_ulp, in_ulp(got[4], sqrtl(exact), 53));
  t->double_ulp = fmax(t->double_ulp, in_ulp(got[5], 1 / sqrtl(exact), 53));
  t->double_ulp = fmax(t->double_ulp, in_ulp(got[6], 1 / exact, 53));
}

/* ---- doubles that the hardware does not have ---- */

/* Hardware takes 64 times as long as for floats at most (NVIDIA's GeForce); emulation, some hundreds of integer instructions for
 * each sum and product. The program is as much longer: Mesa's are 1.00 times as long with hardware, 2.8 to 4.2 without. */
static const double EMULATED_SLOWER = 128, EMULATED_LONGER = 2;
static const double SEEN_SECONDS = 4e-3; /* of a draw, beside its latency */

enum { CHAINS = 256 /* rows and columns */, FEW_STEPS = 16, MOST_STEPS = 16384, TIMES = 3, TURNS = 8 };

struct chain {
  struct hb_gl_pass pass;
  int length; /* bytes; 0: the driver does not say */
};

static enum hb_status make_chain(struct hb_gl_context *context, const char *number, struct chain *c)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define NUMBER %s\n", number);
  const struct hb_gl_program_source source = {.fragment = "common/doubles.frag", .defines = defines};
  HB_TRY(hb_gl_pass_create(context, &source, &c->pass));
  c->length = hb_gl_pass_length(&c->pass);
  return HB_OK;
}

static double draw_chain(struct chain *c, const struct hb_gl_texture *layers, int steps)
{
  hb_gl_pass_int(&c->pass, "steps", steps);
  double start = hb_gl_timer_start();
  hb_gl_pass_draw(&c->pass, &layers->target, 0, 0, CHAINS, CHAINS);
  return hb_gl_timer_stop(start);
}

/* Seconds of a chain of this many steps when it is compiled and nobody disturbs it. */
static double time_chain(struct chain *c, const struct hb_gl_texture *layers, int steps)
{
  double least = INFINITY;
  draw_chain(c, layers, 1);
  for (int k = 0; k < TIMES; k++) least = fmin(least, draw_chain(c, layers, steps));
  return least;
}

/* Whether doubles are as slow as emulated ones, each time: what else a machine does slows down some draws. */
static int are_slow(struct chain chain[2], const struct hb_gl_texture *layers, int steps, double *seconds)
{
  double share = 1. / 8 /* of the steps, in double */, single = *seconds = INFINITY;
  for (int k = 0; k < TURNS; k++) {
    *seconds = fmin(*seconds, time_chain(&chain[1], layers, (int)(share * steps)));
    if (*seconds < SEEN_SECONDS) return 0;
    single = fmin(single, time_chain(&chain[0], layers, steps));
    if (*seconds <= share * EMULATED_SLOWER * single) return 0;
  }
  return 1;
}

static enum hb_status compare_chains(struct hb_gl_context *context, struct hb_gl_texture *layers,
                                     struct chain chain[2], int *emulated)
{
  HB_TRY(hb_gl_texture_words(context, CHAINS, CHAINS, 1, layers));
  HB_TRY(make_chain(context, "float", &chain[0]));
  HB_TRY(make_chain(context, "double", &chain[1]));
  *emulated = chain[1].length > EMULATED_LONGER * chain[0].length && chain[0].length > 0;
  double seconds = context->caps.has_draws ? 0 : INFINITY;
  for (int steps = FEW_STEPS; !*emulated && seconds < SEEN_SECONDS && steps <= MOST_STEPS; steps *= 4)
    *emulated = are_slow(chain, layers, steps, &seconds);
  return hb_gl_context_check(context, "timing doubles");
}

/* Of a GPU; for a processor they are nothing special. */
static enum hb_status find_emulated(struct hb_gl_context *context, int *emulated)
{
  struct hb_gl_texture layers = {0};
  struct chain chain[2] = {0};
  *emulated = 0;
  if (!context->caps.has_double || context->caps.software) return HB_OK;
  enum hb_status status = compare_chains(context, &layers, chain, emulated);
  hb_gl_texture_destroy(&layers);
  for (int k = 0; k < 2; k++) hb_gl_pass_destroy(&chain[k].pass);
  return status;
}

/* ---- the mean error of 1 / r ---- */

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
static void root_errors(const uint32_t *words, double *mean, double *ulp)
{
  double sum = 0, weights = 0;
  *ulp = 0;
  for (uint32_t k = 0; k < ROOTS; k++) {
    double x = number(k), root = hb_bits_to_float(words[k]);
    sum += (root * sqrt(x) - 1) / x;
    weights += 1 / x;
    *ulp = fmax(*ulp, in_ulp(root, 1 / sqrt(x), 24));
  }
  *mean = sum / weights;
}

enum hb_status hb_selftest_roots(struct hb_gl_context *context, double *mean, double *ulp)
{
  struct hb_gl_texture layers = {0};
  struct hb_gl_pass pass = {0};
  HB_OWN uint32_t *words = NULL;
  HB_TRY(HB_ALLOC(ROOTS, &words));
  enum hb_status status = take_roots(context, &layers, &pass, words);
  if (status == HB_OK) root_errors(words, mean, ulp);
  hb_gl_texture_destroy(&layers);
  hb_gl_pass_destroy(&pass);
  return status;
}

/* ---- all of it ---- */

/* Of a driver that draws nothing: nobody knows better. */
static const struct hb_selftest_info as_promised = {.cases = CASES, .fma = HB_FUSION_FUSED};

static enum hb_status test(struct hb_gl_context *context, struct hb_selftest_info *t)
{
  struct given given[CASES];
  struct answer answer;
  make_cases(given);
  *t = (struct hb_selftest_info){0};
  HB_TRY(ask(context, HB_PRECISION_SINGLE, given, &answer));
  for (int k = 0; k < CASES; k++) {
    judge_plain(&given[k], answer.words[0][k], t);
    judge_roots(&given[k], answer.words[2][k], t);
    judge_special(&given[k], answer.words[3][k], answer.words[1][k][3], t);
  }
  judge_fusion(given, &answer, context->caps.has_precise, t);
  HB_TRY(ask(context, HB_PRECISION_COMPENSATED, given, &answer));
  for (int k = 0; k < CASES; k++) judge_precise(&given[k], &answer, k, t);
  HB_TRY(hb_selftest_roots(context, &t->rsqrt_mean, &t->roots_ulp));
  t->cases = CASES;
  if (!context->caps.has_draws) *t = as_promised;
  return HB_OK;
}

static enum hb_status test_doubles(struct hb_gl_context *context, struct hb_selftest_info *t)
{
  struct given given[CASES];
  struct answer answer;
  make_cases(given);
  HB_TRY(find_emulated(context, &t->double_emulated));
  t->has_double = context->caps.has_double && !t->double_emulated;
  if (!t->has_double) return HB_OK;
  HB_TRY(ask(context, HB_PRECISION_DOUBLE, given, &answer));
  for (int k = 0; k < CASES && context->caps.has_draws; k++) judge_double(&given[k], &answer, k, t);
  return HB_OK;
}

/* ---- precision reproducible ---- */

/* A system of 160 particles, two blocks and a half, whose totals are known. */
enum { FIXED_N = 160, FIXED_CASES = 4 };
struct fixed {
  double m[FIXED_N], x[3 * FIXED_N], v[3 * FIXED_N];
  struct hb_fixed_column rounding[8];
  float eps2;
  uint32_t scale;
};

/* Their hashes, the same as the processor's: test_gl_reproducible.c compares them with force/host.c. */
static const uint64_t fixed_right[FIXED_CASES] = {0x9e8298c5cecad794, 0xb5f84b17f7de05c7, 0x6e9a862e3961c714,
                                                  0x0ae5bd04568b6c17};

/* Half of the particles come in pairs, closer from case to case; every other case has no softening. */
static void fixed_make(int k, struct fixed *t)
{
  struct hb_rng rng = hb_rng_seeded(64 + (uint64_t)k);
  *t = (struct fixed){.eps2 = k % 2 ? 0 : 0x1p-12f, .scale = 0x7f909a9a};
  for (int i = 0; i < FIXED_N; i++) {
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

/* FNV-1a of all bytes of sum[] and most, sink after sink. */
static uint64_t fixed_hash(size_t n, const struct hb_fixed_total *totals)
{
  uint64_t hash = HB_HASH_EMPTY;
  for (size_t i = 0; i < n; i++) {
    hash = hb_hash_words(hash, HB_FIXED_SUMS, totals[i].sum);
    for (int g = 0; g < HB_FIXED_GROUPS; g++)
      hash = hb_hash_byte(hash, (uint8_t)hb_fixed_byte(totals[i].most, g));
  }
  return hash;
}

/* A test's particles, and what walks write: totals in precision reproducible, else a and j. */
struct tested {
  struct fixed t;
  struct hb_fixed_total totals[FIXED_N];
  double a[FIXED_N][3], j[FIXED_N][3];
};

static enum hb_status walk_fixed(struct hb_pairs *p, struct tested *w)
{
  const struct fixed *t = &w->t;
  const struct hb_column columns[8] = {{t->x, 3}, {t->x + 1, 3}, {t->x + 2, 3}, {t->m, 1},
                                       {t->v, 3}, {t->v + 1, 3}, {t->v + 2, 3}};
  struct hb_result results[8] = {{0}};
  uint32_t index[FIXED_N], scale[FIXED_N];
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  for (uint32_t i = 0; i < FIXED_N; i++) index[i] = i, scale[i] = t->scale;
  for (int c = 0; c < 3; c++) {
    results[c] = (struct hb_result){&w->a[0][c], 3};
    results[4 + c] = (struct hb_result){&w->j[0][c], 3};
  }
  p->params.parameter[0] = (double)t->eps2;
  if (is_fixed) hb_pairs_set_rounding(p, t->rounding);
  HB_TRY(hb_pairs_set_j(p, FIXED_N, columns));
  HB_TRY(hb_pairs_walk(p, &(const struct hb_pairs_job){.ni = FIXED_N,
                                                       .index = index,
                                                       .scale = scale,
                                                       .totals = is_fixed ? w->totals : NULL,
                                                       .results = is_fixed ? NULL : results}));
  return hb_pairs_read(p);
}

/* In the shapes of large and of small blocks, in one pass and in several, so that the programs of runs are tested. */
static enum hb_status walk_shaped(struct hb_pairs *p, int k, struct tested *w)
{
  enum { MANY = 1 /* thread is as many as are wanted */, SHORT = 64 };
  static const struct {
    int threads, bag;
  } shapes[FIXED_CASES] = {{0, 0}, {MANY, 0}, {MANY, SHORT}, {0, SHORT}};
  const struct hb_pairs_tuning tuning = p->params.tuning;
  if (shapes[k].threads) p->params.tuning.threads = shapes[k].threads;
  p->params.tuning.bag = shapes[k].bag;
  enum hb_status status = walk_fixed(p, w);
  p->params.tuning = tuning;
  return status;
}

/* ---- forces in double ---- */

/* Of sums of 160 pulls: half of the digits that a double has beyond a float's. */
static const double DOUBLE_FORCES = 1e-12;

/* How much a and j are off, of the sums of the pulls' sizes. */
static double error_of(const struct fixed *t, size_t i, const double a[3], const double j[3])
{
  double a_right[3] = {0}, j_right[3] = {0}, a_size = 0, j_size = 0, off = 0;
  for (size_t k = 0; k < FIXED_N; k++) {
    double r[3], v[3], r2 = (double)t->eps2, rv = 0;
    for (int c = 0; c < 3; c++) {
      r[c] = t->x[3 * k + c] - t->x[3 * i + c];
      v[c] = t->v[3 * k + c] - t->v[3 * i + c];
      r2 += r[c] * r[c];
      rv += r[c] * v[c];
    }
    if (k == i) continue;
    double mr3inv = t->m[k] / (r2 * sqrt(r2));
    for (int c = 0; c < 3; c++) {
      double pull = mr3inv * r[c], jerk = mr3inv * (v[c] - 3 * rv / r2 * r[c]);
      a_right[c] += pull;
      j_right[c] += jerk;
      a_size += fabs(pull);
      j_size += fabs(jerk);
    }
  }
  for (int c = 0; c < 3; c++)
    off = fmax(off, fmax(fabs(a[c] - a_right[c]) / a_size, fabs(j[c] - j_right[c]) / j_size));
  return off;
}

/* How many of the cases have other bits; or in double how much forces are off. */
static enum hb_status test_programs(struct hb_pairs *p, double *off)
{
  int is_fixed = hb_precisions[p->params.precision].is_fixed, has_draws = p->params.context->caps.has_draws;
  HB_OWN struct tested *w = NULL;
  HB_TRY(HB_ALLOC(1, &w));
  *off = 0;
  for (int k = 0; k < FIXED_CASES; k++) {
    fixed_make(k, &w->t);
    HB_TRY(walk_shaped(p, k, w));
    if (is_fixed) *off += has_draws && fixed_hash(FIXED_N, w->totals) != fixed_right[k];
    for (size_t i = 0; !is_fixed && has_draws && i < FIXED_N; i++) {
      double error = error_of(&w->t, i, w->a[i], w->j[i]);
      if (!(error <= *off)) *off = isnan(error) ? HUGE_VAL : error;
    }
  }
  return HB_OK;
}

/* ---- once per device and driver ---- */

struct found {
  char key[400];
  int is_known, knows_doubles;
  struct hb_selftest_info info;
  double off; /* of test_programs */
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* What was found there by a scheme, or none ""; with is_known 0 it is to be found. */
static struct found *found_by(const char *scheme, const struct hb_gl_context *context)
{
  enum { KEPT = 24 };
  static struct found found[KEPT + 1]; /* the last one serves again and again */
  char key[sizeof found->key];
  snprintf(key, sizeof key, "%s %s %s %s", scheme, context->backend->name, context->caps.renderer,
           context->caps.version);
  struct found *f = found;
  while (f < found + KEPT && f->is_known && strcmp(f->key, key) != 0) f++;
  if (f == found + KEPT) f->is_known = f->knows_doubles = 0;
  if (!f->is_known) memcpy(f->key, key, sizeof key);
  return f;
}

static enum hb_status find(struct hb_gl_context *context, int wants_doubles, struct found *f)
{
  int missing = wants_doubles && !f->knows_doubles;
  if (f->is_known && !missing) return HB_OK;
  HB_TRY(hb_gl_context_use(context));
  if (!f->is_known) HB_TRY(test(context, &f->info));
  f->is_known = 1;
  if (missing) HB_TRY(test_doubles(context, &f->info));
  f->knows_doubles |= missing;
  return HB_OK;
}

static enum hb_status run(struct hb_gl_context *context, int wants_doubles, struct hb_selftest_info *selftest)
{
  pthread_mutex_lock(&one_at_a_time);
  struct found *f = found_by("", context);
  enum hb_status status = find(context, wants_doubles, f);
  *selftest = f->info;
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

enum hb_status hb_selftest_run(struct hb_gl_context *context, struct hb_selftest_info *selftest)
{
  return run(context, 0, selftest);
}

enum hb_status hb_selftest_doubles(struct hb_gl_context *context, struct hb_selftest_info *selftest)
{
  return run(context, 1, selftest);
}

/* Once by that name. */
static enum hb_status find_off(struct hb_pairs *p, const char *name, double *off)
{
  enum hb_status status = HB_OK;
  double parameter = p->params.parameter[0];
  pthread_mutex_lock(&one_at_a_time);
  struct found *f = found_by(name, p->params.context);
  if (!f->is_known) status = test_programs(p, &f->off);
  f->is_known = status == HB_OK;
  *off = f->off;
  pthread_mutex_unlock(&one_at_a_time);
  p->params.parameter[0] = parameter;
  return status;
}

static enum hb_status judge_fixed(struct hb_pairs *p)
{
  double wrong;
  HB_TRY(find_off(p, p->scheme->name, &wrong));
  if (wrong == 0) return HB_OK;
  return hb_fail(
      HB_ERR_GL,
      "precision reproducible needs float arithmetic as IEEE 754 has it, %s has other bits (in %.0f "
      "of %d tests); use precision ds",
      p->params.context->caps.renderer, wrong, FIXED_CASES);
}

static enum hb_status judge_forces(struct hb_pairs *p)
{
  char name[80];
  double off;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  const struct hb_interaction *law = p->params.interaction;
  if (law->text || strcmp(law->name, "gravity_jerk") != 0 || hb_gl_shaders_differ(law->file)) return HB_OK;
  snprintf(name, sizeof name, "%s in double %d %d", p->scheme->name, t->i_each, t->unroll);
  HB_TRY(find_off(p, name, &off));
  if (off <= DOUBLE_FORCES) return HB_OK;
  return hb_fail(
      HB_ERR_GL,
      "precision double: forces by %s (i_each=%d unroll=%d) are off by %.2g on %s, expected at most %.0e; "
      "use precision ds",
      p->scheme->name, t->i_each, t->unroll, off, p->params.context->caps.renderer, DOUBLE_FORCES);
}

enum hb_status hb_selftest_programs(struct hb_pairs *p)
{
  const struct hb_precision_facts *precision = &hb_precisions[p->params.precision];
  if (precision->is_fixed) return judge_fixed(p);
  return precision->is_double ? judge_forces(p) : HB_OK;
}

static int wrong_sums(const struct hb_selftest_info *t)
{
  return t->two_sum_precise_wrong > t->carry_precise_wrong ? t->two_sum_precise_wrong
                                                           : t->carry_precise_wrong;
}

static int exact_sums(const struct hb_selftest_info *t) { return wrong_sums(t) == 0; }

static int exact_doubles(const struct hb_selftest_info *t)
{
  return t->has_double && t->double_wrong == 0 && t->double_ulp <= DOUBLE_ULP;
}

enum hb_status hb_selftest_judge(const struct hb_selftest_info *t, enum hb_precision precision,
                                 const char *renderer)
{
  const char *name = hb_precision_names[precision];
  if (precision == HB_PRECISION_DOUBLE && t->double_emulated)
    return hb_fail(HB_ERR_GL,
                   "precision double needs doubles of the hardware, %s emulates them, which takes minutes to "
                   "compile; use precision %s",
                   renderer, hb_precision_names[exact_sums(t) ? HB_PRECISION_DS : HB_PRECISION_SINGLE]);
  if (hb_precisions[precision].needs_precise && !exact_sums(t))
    return hb_fail(HB_ERR_GL,
                   "precision %s needs exact sums, %s rearranges `precise` ones (%d of %d are wrong); "
                   "use precision %s",
                   name, renderer, wrong_sums(t), t->cases,
                   hb_precision_names[exact_doubles(t) ? HB_PRECISION_DOUBLE : HB_PRECISION_SINGLE]);
  if (hb_precisions[precision].needs_precise && t->roots_ulp > ROOTS_ULP)
    return hb_fail(
        HB_ERR_GL,
        "precision %s needs reciprocal roots within %.0f ulp, %s has errors of %.3g; use precision %s", name,
        ROOTS_ULP, renderer, t->roots_ulp,
        hb_precision_names[exact_doubles(t) ? HB_PRECISION_DOUBLE : HB_PRECISION_REPRODUCIBLE]);
  if (precision == HB_PRECISION_DOUBLE && !exact_doubles(t))
    return hb_fail(HB_ERR_GL,
                   "precision double needs exact doubles, %s has %d of %d sums or products wrong and roots "
                   "by %.3g ulp; use precision %s",
                   renderer, t->double_wrong, t->cases, t->double_ulp,
                   hb_precision_names[exact_sums(t) ? HB_PRECISION_DS : HB_PRECISION_SINGLE]);
  return HB_OK;
}

enum hb_status hb_selftest_exact(struct hb_gl_context *context, const char *doing)
{
  struct hb_selftest_info t;
  HB_TRY(hb_selftest_run(context, &t));
  if (exact_sums(&t)) return HB_OK;
  return hb_fail(HB_ERR_GL, "%s needs exact sums, %s rearranges `precise` ones (%d of %d are wrong)", doing,
                 context->caps.renderer, wrong_sums(&t), t.cases);
}
