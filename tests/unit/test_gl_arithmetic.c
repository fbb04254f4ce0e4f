/* The arithmetic under the all-pairs engine: what shaders/common/real.glsl computes, bit by bit against C, and the
 * self-test that asks drivers for it. */
#include "base/bits.h"
#include "gl/gl.h"
#include "gl/gl_pass.h"
#include "pairs/selftest.h"
#include "support/shader_case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct hb_gl_context *context;

/* ---- a shader of our own, beside the embedded ones ---- */

/* A fragment takes `count` totals, each 4 texels of words, and makes one of them. */
static const char shader[] = "#define RECORDS 1\n"
                             "#define F_RECORDS 2\n"
                             "#include \"common/real.glsl\"\n"
                             "uniform usamplerBuffer given;\n"
                             "uniform int count;\n"
                             "#define OUTPUTS 4\n"
                             "#include \"common/outputs.glsl\"\n"
                             "void main() {\n"
                             "  uvec4 words[WORDS];\n"
                             "  int at = int(gl_FragCoord.x) * count * 4, walked, more;\n"
                             "  for (int w = 0; w < WORDS; w++) words[w] = bufferFetch(given, at + w);\n"
                             "  total t = from_words(words, walked);\n"
                             "  for (int k = 1; k < count; k++) {\n"
                             "    at += 4;\n"
                             "    for (int w = 0; w < WORDS; w++) words[w] = bufferFetch(given, at + w);\n"
                             "    total other = from_words(words, more);\n"
                             "#ifdef MERGE\n"
                             "    merge(t, other);\n"
                             "#else\n"
                             "    force f = begin_sum(t);\n"
                             "    for (int r = 0; r < F_RECORDS; r++) f.f[r] += other.sum[r];\n"
                             "    accumulate(t, f);\n"
                             "#endif\n"
                             "    walked += more;\n"
                             "  }\n"
                             "  to_words(t, walked, words);\n"
                             "  uvec4 all[4] = uvec4[4](uvec4(0u), uvec4(0u), uvec4(0u), uvec4(0u));\n"
                             "  for (int w = 0; w < WORDS; w++) all[w] = words[w];\n"
                             "  write_outputs(all);\n"
                             "}\n";

/* 32000 texels: beyond 32768 softpipe fetches other ones, although it promises 65536. */
enum { CASES = 32, MOST = 250 };

typedef uint32_t total_words[16]; /* high words of two records, then low words, as WORDS says */

static total_words given[CASES * MOST], got[CASES], expected[CASES];

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.debug = 1};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  shader_folder_open();
  shader_folder_put("test.frag", shader);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_gl_context_close(context);
  shader_folder_close();
  return 0;
}

/* given[CASES * count] through the shader into got[CASES]. */
static void run(enum hb_precision precision, int count, const char *mode)
{
  char defines[64];
  struct hb_gl_pass pass;
  struct hb_gl_buffer buffer = {0};
  struct hb_gl_texture layers;
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s", (int)precision, mode);
  shader_folder_use(1);
  const struct hb_gl_program_source source = {.fragment = "test.frag", .defines = defines};
  ASSERT_OK(hb_gl_pass_create(context, &source, &pass));
  shader_folder_use(0);
  ASSERT_OK(hb_gl_texture_words(context, CASES, 1, 4, &layers));
  hb_gl_buffer_fill(&buffer, HB_GL_BY_HOST, CASES * (size_t)count * sizeof *given, given);
  hb_gl_buffer_texture(&buffer, HB_GL_RGBA32UI);
  hb_gl_pass_texture(&pass, "given", &buffer.texture);
  hb_gl_pass_int(&pass, "count", count);
  hb_gl_pass_draw(&pass, &layers.target, 0, 0, CASES, 1);
  for (int k = 0; k < 4; k++) {
    uint32_t words[CASES][4];
    hb_gl_target_read(&layers.target, k, 0, 0, CASES, 1, HB_GL_WORDS, words[0]);
    for (int c = 0; c < CASES; c++) memcpy(got[c] + 4 * k, words[c], sizeof *words);
  }
  ASSERT_OK(hb_gl_context_check(context, "testing arithmetic"));
  hb_gl_pass_destroy(&pass);
  hb_gl_buffer_destroy(&buffer);
  hb_gl_texture_destroy(&layers);
}

static int lacks(enum hb_precision precision)
{
  return precision == HB_PRECISION_DOUBLE && !context->caps.has_double;
}

/* ---- the same in C: one component of a total, its high and low words 8 words apart ---- */

static double words_double(const uint32_t *words) { return hb_bits_to_double(words[0], words[8]); }
static void double_words(double x, uint32_t *words) { hb_bits_of_double(x, &words[0], &words[8]); }

/* Value and lost part += more (Kahan), or += a value and lost part (Knuth); volatile: in this order. */
static void add_double_single(uint32_t *words, const uint32_t *more, int merge)
{
  volatile float sum = hb_bits_to_float(words[0]), lost = hb_bits_to_float(words[8]),
                 x = hb_bits_to_float(more[0]), s, e;
  if (merge) {
    s = sum + x;
    volatile float rounded = s - sum, rest = s - rounded, left = sum - rest, right = x - rounded;
    e = left + right;
    e = lost + e;
    e = e + hb_bits_to_float(more[8]);
  } else {
    volatile float both = x + lost, rounded;
    s = sum + both;
    rounded = s - sum;
    e = both - rounded;
  }
  words[0] = hb_bits_of_float(s);
  words[8] = hb_bits_of_float(e);
}

static void add(enum hb_precision precision, uint32_t *words, const uint32_t *more, int merge)
{
  if (precision == HB_PRECISION_SINGLE) {
    volatile float sum = hb_bits_to_float(words[0]) + hb_bits_to_float(more[0]);
    words[0] = hb_bits_of_float(sum);
  } else if (precision == HB_PRECISION_COMPENSATED) {
    add_double_single(words, more, merge);
  } else {
    double_words(words_double(words) + words_double(more), words);
  }
}

/* ---- numbers ---- */

static uint32_t random_state;
static double uniform(void)
{
  random_state = random_state * 1664525u + 1013904223u;
  return (double)(random_state >> 8) / 16777216.0;
}

/* Totals of `count` numbers a component, in -1 .. 1 or in 0 .. 1; the last of each counts a source. */
static void random_totals(enum hb_precision precision, int count, double least)
{
  random_state = 1;
  for (int t = 0; t < CASES * count; t++) {
    for (int c = 0; c < 8; c++) {
      double x = least + (1 - least) * uniform();
      if (precision == HB_PRECISION_DOUBLE) {
        double_words(x + uniform() / 16777216.0, given[t] + c);
      } else {
        given[t][c] = hb_bits_of_float((float)x);
        given[t][c + 8] = hb_bits_of_float((float)((uniform() - 0.5) / 16777216.0));
      }
    }
    given[t][7] = 1;
  }
}

/* The first `words` words of each case; a total of single has no low words. */
static void require_same(enum hb_precision precision, const char *mode)
{
  size_t words = precision == HB_PRECISION_SINGLE ? 8 : 16;
  for (int c = 0; c < CASES; c++)
    for (size_t w = 0; w < words; w++) {
      if (w == 15) continue; /* what belongs to the count means nothing */
      if (got[c][w] != expected[c][w])
        fail_msg("%s %s: case %d, word %zu is %08x, expected %08x", hb_precision_names[precision], mode, c, w,
                 got[c][w], expected[c][w]);
    }
}

/* In C what the shader is to do with given[CASES * count]. */
static void expect(enum hb_precision precision, int count, int merge)
{
  for (int k = 0; k < CASES; k++) {
    const total_words *mine = given + (size_t)k * (size_t)count;
    memcpy(expected[k], mine[0], sizeof *expected);
    expected[k][7] = 0;
    for (int t = 0; t < count; t++) {
      for (int c = 0; t && c < 7; c++) add(precision, expected[k] + c, mine[t] + c, merge);
      expected[k][7] += mine[t][7];
    }
  }
}

static const enum hb_precision precisions[] = {HB_PRECISION_SINGLE, HB_PRECISION_COMPENSATED,
                                               HB_PRECISION_DOUBLE};

/* Sums of hundreds of partial sums and of totals: the same bits as in C, of one sign or of both. */
static void test_sums(void **state)
{
  (void)state;
  for (size_t p = 0; p < COUNT_OF(precisions); p++)
    for (int mode = 0; mode < 4 && !lacks(precisions[p]); mode++) {
      const char *name = mode % 2 ? "#define MERGE\n" : "";
      random_totals(precisions[p], MOST, mode < 2 ? 0 : -1);
      run(precisions[p], MOST, name);
      expect(precisions[p], MOST, mode % 2);
      require_same(precisions[p], mode % 2 ? "merge" : "accumulate");
    }
}

/* The largest relative error of a sum of MOST floats of one sign. */
static double sum_error(enum hb_precision precision, const char *mode)
{
  double worst = 0;
  random_totals(HB_PRECISION_COMPENSATED, MOST, 0);
  for (int t = 0; t < CASES * MOST; t++) memset(given[t] + 8, 0, 8 * sizeof **given);
  run(precision, MOST, mode);
  for (int c = 0; c < CASES; c++) {
    double right = 0, sum = hb_bits_to_float(got[c][0]);
    if (precision == HB_PRECISION_COMPENSATED) sum += hb_bits_to_float(got[c][8]);
    for (int t = 0; t < MOST; t++) right += hb_bits_to_float(given[c * MOST + t][0]);
    worst = fmax(worst, fabs(sum / right - 1));
  }
  return worst;
}

/* merge() loses what is below 2^-48 of the sum, 250 times: 1e-12 at most. accumulate() rounds each addend, by
 * 2^-25 of it at random: 3e-8 / sqrt(250) = 2e-9, and up to five times that among 32 sums. Floats are worse by far. */
static void test_double_single_sums(void **state)
{
  (void)state;
  static const double MERGE = 1e-12, ACCUMULATE = 5e-9;
  expect_at_most(sum_error(HB_PRECISION_COMPENSATED, "#define MERGE\n"), MERGE);
  expect_at_most(sum_error(HB_PRECISION_COMPENSATED, ""), ACCUMULATE);
  expect_above(sum_error(HB_PRECISION_SINGLE, ""), 10 * ACCUMULATE);
}

/* Words -> numbers -> words keeps every bit: zeros of both signs, denormal, large and infinite numbers. */
static void test_round_trip(void **state)
{
  (void)state;
  static const uint32_t floats[] = {0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                    0xff7fffff, 0x7f800000, 0xff800000, 0x3f800001, 0x00000000};
  static const uint32_t high[] = {0x80000000, 0x00000000, 0x800fffff, 0x00100000, 0x7fefffff,
                                  0xffefffff, 0x7ff00000, 0xfff00000, 0x3ff00000, 0x00000000};
  static const uint32_t low[] = {0, 1, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0, 0, 1, 0};
  enum { KINDS = COUNT_OF(floats) };
  for (size_t p = 0; p < COUNT_OF(precisions); p++) {
    if (lacks(precisions[p])) continue;
    int is_double = precisions[p] == HB_PRECISION_DOUBLE;
    for (int t = 0; t < CASES; t++) {
      for (int c = 0; c < 8; c++) {
        int kind = (t + c) % KINDS;
        given[t][c] = is_double ? high[kind] : floats[kind];
        given[t][c + 8] = is_double ? low[kind] : floats[(kind + 3) % KINDS];
      }
      given[t][7] = t == 0 ? 0 : t == 1 ? INT32_MAX : (uint32_t)t * 1000003u;
    }
    run(precisions[p], 1, "");
    memcpy(expected, given, sizeof expected);
    require_same(precisions[p], "round trip");
  }
}

/* ---- the self-test ---- */

static struct hb_selftest_info healthy(void)
{
  struct hb_selftest_info t;
  ASSERT_OK(hb_selftest_doubles(context, &t));
  return t;
}

/* Bounds: what GLSL asks of any driver, plus what the engine relies on. */
static void test_selftest(void **state)
{
  (void)state;
  struct hb_selftest_info t = healthy(), again = healthy();
  assert_memory_equal(&t, &again, sizeof t);
  assert_int_equal(t.cases, 64);
  assert_int_equal(t.has_double, context->caps.has_double);
  assert_int_equal(t.special_wrong, 0);
  assert_int_equal(t.wrap_wrong, 0);
  expect_at_most(t.inverse_ulp, 2.5);
  expect_at_most(t.roots_ulp, 4);
  expect_at_most(t.rsqrt_ulp, 2.5);
  expect_at_most(t.sqrt_ulp, 4);
  expect_at_most(t.one_over_sqrt_ulp, 4);
  assert_int_equal(t.two_sum_precise_wrong + t.carry_precise_wrong, 0);
  assert_int_equal(t.double_wrong, 0);
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    if (!lacks((enum hb_precision)precision))
      ASSERT_OK(hb_selftest_judge(&t, (enum hb_precision)precision, "this"));
}

/* The test finds what it looks for: the engine's sums with the parts that a compiler would cancel left out. */
static void test_selftest_sees_a_broken_sum(void **state)
{
  (void)state;
  const struct hb_gl_caps kept = context->caps;
  shader_break_sums(context);
  const struct hb_selftest_info t = healthy();
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DS, "this"), HB_ERR_GL, "precision ds needs exact sums");
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_SINGLE, "this"));
  ASSERT_FAILS(hb_selftest_exact(context, "this"), HB_ERR_GL, "this needs exact sums");
  context->caps = kept;
}

/* How many sums are wrong where GLSL lacks `precise`, and real.glsl is as given. */
static int wrong_without_precise(const char *real_glsl)
{
  const struct hb_gl_caps kept = context->caps;
  context->caps.has_precise = 0;
  snprintf(context->caps.version, sizeof context->caps.version, "%zu bytes", strlen(real_glsl));
  shader_folder_put("common/real.glsl", real_glsl);
  shader_folder_use(1);
  const struct hb_selftest_info t = healthy();
  shader_folder_use(0);
  shader_folder_put("common/real.glsl", shader_text("common/real.glsl"));
  context->caps = kept;
  return t.two_sum_precise_wrong;
}

/* There as_written() keeps sums exact, and it is what does: Mesa breaks all of them without it. */
static void test_as_written(void **state)
{
  (void)state;
  assert_int_equal(wrong_without_precise(shader_text("common/real.glsl")), 0);
  char *text = strdup(shader_text("common/real.glsl"));
  for (char *at = text; (at = strstr(at, " ^ always_0"));) memmove(at, at + 11, strlen(at + 11) + 1);
  if (strstr(context->caps.renderer, "llvmpipe")) assert_int_equal(wrong_without_precise(text), 64);
  free(text);
}

/* Behind common/real.glsl: 1 / r too large by eight units in the last place of 1, 9.5e-7. */
static const char wrong_root[] = "void wrong_reciprocals(real r2, out real rinv, out real rinv2) {\n"
                                 "  reciprocals(r2, rinv, rinv2);\n"
                                 "  rinv *= real(1.000001);\n"
                                 "}\n"
                                 "#define reciprocals wrong_reciprocals\n";

/* The mean error of 1 / r is found with its sign; exact roots have none. */
static void test_mean_of_roots(void **state)
{
  (void)state;
  double mean, ulp;
  ASSERT_OK(hb_selftest_roots(context, &mean, &ulp));
  if (fabs(mean) > (context->caps.software ? 1e-9 : 1e-7)) fail_msg("1 / r is wrong by %g", mean);
  const char *right = shader_text("common/real.glsl");
  char *text = malloc(strlen(right) + sizeof wrong_root);
  assert_non_null(text);
  strcat(strcpy(text, right), wrong_root);
  shader_folder_put("common/real.glsl", text);
  free(text);
  shader_folder_use(1);
  ASSERT_OK(hb_selftest_roots(context, &mean, &ulp));
  shader_folder_use(0);
  shader_folder_put("common/real.glsl", right);
  if (fabs(mean - 1e-6) > 1e-7) fail_msg("1 / r is said to be wrong by %g, expected 1e-6", mean);
}

/* Which precision is refused for which fault, and what is offered instead. */
static void test_judgement(void **state)
{
  (void)state;
  const struct hb_selftest_info good = {.cases = 64, .has_double = 1, .double_ulp = 1};
  struct hb_selftest_info t = good;
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    ASSERT_OK(hb_selftest_judge(&t, (enum hb_precision)precision, "Acme"));
  t.two_sum_wrong = 56; /* plain sums promise nothing */
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"));
  t.two_sum_precise_wrong = 3;
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_COMPENSATED, "Acme"), HB_ERR_GL,
               "precision compensated needs exact sums, Acme rearranges `precise` ones (3 of 64 are wrong); "
               "use precision double");
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"), HB_ERR_GL, "precision ds needs exact sums");
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_DOUBLE, "Acme"));
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_SINGLE, "Acme"));
  t.has_double = 0;
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"), HB_ERR_GL, "use precision single");
  t = good;
  t.carry_precise_wrong = 64;
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_COMPENSATED, "Acme"), HB_ERR_GL, "(64 of 64 are wrong)");
  t = good;
  t.double_wrong = 2;
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DOUBLE, "Acme"), HB_ERR_GL,
               "precision double needs exact doubles, Acme has 2 of 64 sums or products wrong and roots by "
               "1 ulp; use precision ds");
  t = good;
  t.roots_ulp = 9;
  ASSERT_FAILS(
      hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"), HB_ERR_GL,
      "precision ds needs reciprocal roots within 8 ulp, Acme has errors of 9; use precision double");
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_SINGLE, "Acme"));
  t.has_double = 0;
  t.double_emulated = 1;
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"), HB_ERR_GL, "use precision reproducible");
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DOUBLE, "Acme"), HB_ERR_GL,
               "precision double needs doubles of the hardware, Acme emulates them");
  t = good;
  t.double_ulp = 1e8; /* float roots */
  ASSERT_FAILS(hb_selftest_judge(&t, HB_PRECISION_DOUBLE, "Acme"), HB_ERR_GL, "roots by 1e+08 ulp");
  ASSERT_OK(hb_selftest_judge(&t, HB_PRECISION_DS, "Acme"));
}

/* ---- a machine with other work ---- */

static void(GLAPIENTRY *real_finish)(void);
static GLint first_program; /* that is timed: a chain of doubles */
static int disturbed;       /* draws of it that take 10 ms longer */

static void GLAPIENTRY late_finish(void)
{
  GLint program;
  real_finish();
  glGetIntegerv(GL_CURRENT_PROGRAM, &program);
  if (!first_program) first_program = program;
  if (program != first_program || disturbed <= 0) return;
  disturbed--;
  nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static int seem_emulated(int draws)
{
  struct hb_selftest_info t;
  const struct hb_gl_caps kept = context->caps;
  context->caps.software = 0;
  snprintf(context->caps.version, sizeof context->caps.version, "%d late draws", draws);
  ASSERT_OK(hb_selftest_run(context, &t));
  real_finish = hb_gl_core_11.Finish;
  hb_gl_core_11.Finish = late_finish;
  first_program = 0;
  disturbed = draws;
  ASSERT_OK(hb_selftest_doubles(context, &t));
  hb_gl_core_11.Finish = real_finish;
  context->caps = kept;
  print_message("# %d draws of doubles were late, emulated: %d\n", draws - disturbed, t.double_emulated);
  return t.double_emulated;
}

/* Doubles are emulated if they are slow each time, not if a machine with other work had no time for some draws. */
static void test_late_draws(void **state)
{
  (void)state;
  if (!context->caps.has_double) skip();
  assert_int_equal(seem_emulated(0), 0);
  assert_int_equal(seem_emulated(12), 0);
  assert_int_equal(seem_emulated(1000), 1); /* the negative control */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_double_single_sums),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_selftest),
      cmocka_unit_test(test_selftest_sees_a_broken_sum),
      cmocka_unit_test(test_as_written),
      cmocka_unit_test(test_mean_of_roots),
      cmocka_unit_test(test_judgement),
      cmocka_unit_test(test_late_draws),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
