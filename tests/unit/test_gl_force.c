/* Every GL source of forces through the battery, in the context that HB_CONTEXT names. */
#include "base/mem.h"
#include "force/force.h"
#include "gl/gl.h"
#include "support/battery.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* All precisions in one context; in the others, ways to the same renderer, the usual one, and what is no other program there
 * takes a part of the battery. */
static int is_first_context(void) { return !getenv("GPU") && !getenv("SMOKE"); }

static void run_same(const struct hb_force_params *params, const struct battery_tolerance *tolerance)
{
  (is_first_context() ? battery_run : battery_smoke)(params, tolerance);
}

static void test_cg2007(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "cg2007", .flags = HB_FORCE_GL_DEBUG};
  run_same(&params, &battery_single);
}

static void test_cg2007_rect(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "cg2007",
                                         .flags = HB_FORCE_GL_DEBUG | HB_FORCE_CG2007_RECT};
  if (!pairs_lacks_a("rectangles")) run_same(&params, &battery_single);
  pairs_skip_if_lacking();
}

/* The all-pairs engine: every scheme in every precision. In ds a pair is as wrong as in single but starts from exact
 * positions; `double` is rounded correctly in all but sqrt and division on some GPUs. */
static void run_case(const char *scheme, const char *precision, const char *tuning)
{
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = precision,
                                         .tuning = tuning,
                                         .flags = HB_FORCE_GL_DEBUG | HB_FORCE_NO_TUNE};
  if (pairs_lacks_a(scheme) || pairs_lacks_a(precision)) return;
  int is_ds = strcmp(precision, "ds") == 0 || strcmp(precision, "reproducible") == 0;
  battery_run(&params, strcmp(precision, "double") == 0 ? &battery_double
                       : is_ds                          ? &battery_ds
                                                        : &battery_single);
}

static void run_scheme(const char *scheme)
{
  static const char *const precisions[] = {"ds", "single", "compensated", "double", "reproducible"};
  for (int k = 0; k < (is_first_context() ? 5 : 1); k++) run_case(scheme, precisions[k], NULL);
  pairs_skip_if_lacking();
}

static void test_bag(void **state)
{
  (void)state;
  run_scheme("bag");
}

static void test_tile(void **state)
{
  (void)state;
  run_scheme("tile");
}

/* Whole, and cut into many tiles, odd ones too; test_gl_matrix.c cuts in each precision. */
static void test_matrix2004(void **state)
{
  (void)state;
  run_scheme("matrix2004");
  if (!is_first_context()) return;
  run_case("matrix2004", "single", "limit=101");
  run_case("matrix2004", "ds", "limit=100 j_source=texture");
  run_case("matrix2004", "reproducible", "limit=64 j_source=texture");
}

/* Blocks on both sides of the bound, in either order, and with all of them on OpenGL: each once, and each precision. */
static void test_hybrid(void **state)
{
  (void)state;
  run_case("hybrid", "ds", "host_below=32 gl=bag");
  if (!is_first_context()) return;
  if (!pairs_lacks_a("tile")) run_case("hybrid", "single", "host_from=32 gl=tile");
  run_case("hybrid", "double", "host_below=1");
  run_case("hybrid", "reproducible", "host_below=32 gl=bag");
  pairs_skip_if_lacking();
}

/* The bar of the 2007 kernel on the paper's own problem: Plummer, N = 1024, eps = 1/256. Float arithmetic
 * gives 5e-7 (rounding 6e-8 a term, 1024 terms at random, close pairs); 2e-6 is the promise. */
static const double ACC_RMS = 2e-6;
/* Its negative control: the same kernel with another softening is off by far more. */

static double acc_rms_against_host(const struct hb_force_params *params, double eps)
{
  enum { N = 1024 };
  static double a[2][3 * N], j[3 * N], phi[N];
  uint32_t index[N];
  for (uint32_t i = 0; i < N; i++) index[i] = i;
  struct hb_particles *p;
  const struct hb_ic_params ic = {.n = N, .seed = 1};
  assert_int_equal(hb_ic_make("plummer", &ic, &p), HB_OK);
  for (int k = 0; k < 2; k++) {
    struct hb_force_params with = k ? *params : (struct hb_force_params){.scheme = "host"};
    with.eps = k ? eps : 1. / 256;
    struct hb_force *force;
    assert_int_equal(hb_force_open(&with, &force), HB_OK);
    assert_int_equal(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)),
                     HB_OK);
    assert_int_equal(hb_force_eval(force, N, index, a[k], j, phi), HB_OK);
    hb_force_close(force);
  }
  hb_particles_destroy(p);
  return support_rms(N, 3, a[1], a[0]);
}

static void test_cg2007_plummer(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "cg2007"};
  expect_below(acc_rms_against_host(&params, 1. / 256), ACC_RMS);
  expect_above(acc_rms_against_host(&params, 1.01 / 256), ACC_RMS);
}

/* Floats count one by one up to 2^24, and the 2007 kernel adds two particle numbers. */
static void test_cg2007_counts_in_floats(void **state)
{
  (void)state;
  double *none = calloc(3 * (((size_t)1 << 23) + 1), sizeof *none); /* read, never written: takes no memory */
  assert_non_null(none);
  const struct hb_force_params params = {.scheme = "cg2007"};
  struct hb_force *force;
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  assert_int_equal(hb_force_set_j(force, (1 << 23) + 1, none, none, none), HB_ERR_USAGE);
  assert_non_null(strstr(hb_error(), "8388609 particles, expected at most 8388608"));
  hb_force_close(force);
  free(none);
}

static void test_context_is_recorded(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "cg2007"};
  struct hb_force *force;
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  const char *wanted = getenv("HB_CONTEXT");
  if (wanted && strcmp(wanted, "auto") != 0) assert_string_equal(hb_force_context(force), wanted);
  expect_above(strlen(hb_force_device(force)), 0);
  hb_force_close(force);
}

/* ---- cutting a walk ---- */

enum { CUT_N = 1000 };

static void forces_in_draws_of(const char *scheme, const char *precision, double max_draw_s, size_t ni,
                               double *f)
{
  struct hb_particles *p;
  const struct hb_ic_params ic = {.n = CUT_N, .seed = 2};
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = precision,
                                         .max_draw_s = max_draw_s,
                                         .eps = 0.01,
                                         .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  uint32_t index[CUT_N];
  for (uint32_t i = 0; i < CUT_N; i++) index[i] = i;
  assert_int_equal(hb_ic_make("plummer", &ic, &p), HB_OK);
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  assert_int_equal(
      hb_force_of(force, &(struct hb_force_job){.sources = {CUT_N, hb_particles_m(p), hb_particles_x(p),
                                                            hb_particles_v(p)},
                                                .sinks = {.n = ni, .index = index},
                                                .to = {f, f + 3 * CUT_N, f + 6 * CUT_N}}),
      HB_OK);
  hb_force_close(force);
  hb_particles_destroy(p);
}

/* One dispatch or as many as there can be: the same bytes, also where several threads share a body (500 sinks). The
 * other schemes and precisions are cut in test_gl_pairs. */
static void test_cutting_changes_no_bit(void **state)
{
  (void)state;
  static const char *const precisions[] = {"single", "ds"};
  static const size_t ni[] = {500, CUT_N};
  static double whole[7 * CUT_N], cut[7 * CUT_N];
  for (int k = 0; k < 2 && !pairs_lacks_a("tile"); k++)
    for (int b = 0; b < 2; b++) {
      forces_in_draws_of("tile", precisions[k], 1e3, ni[b], whole);
      forces_in_draws_of("tile", precisions[k], 1e-9, ni[b], cut);
      assert_memory_equal(whole, cut, sizeof whole);
    }
  pairs_skip_if_lacking();
}

/* ---- a device that fails ---- */

static void(GLAPIENTRY *real_draw)(GLenum mode, GLint first, GLsizei count);
static int lost;

/* Gives up the first draw and says nothing, as some drivers do with draws that take too long. */
static void GLAPIENTRY losing_draw(GLenum mode, GLint first, GLsizei count)
{
  if (lost++ > 0) real_draw(mode, first, count);
}

static const double two_m[2] = {2, 3}, two_x[6] = {0, 0, 0, 3, 4, 0}, two_v[6] = {0};
static const uint32_t two_index[2] = {0, 1};

/* The best precision that is there, and the errors of two particles in it. */
static const char *best(void) { return pairs_context()->caps.has_double ? "double" : "ds"; }
static double error_of_best(void) { return pairs_context()->caps.has_double ? 1e-15 : 1e-7; }

static void test_lost_draw_is_tried_again(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "bag", .precision = best(), .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  double a[6], j[6], phi[2];
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  real_draw = hb_gl_core_11.DrawArrays;
  lost = 0;
  hb_gl_core_11.DrawArrays = losing_draw;
  assert_int_equal(hb_force_of(force, &(struct hb_force_job){.sources = {2, two_m, two_x, two_v},
                                                             .sinks = {.n = 2, .index = two_index},
                                                             .to = {a, j, phi}}),
                   HB_OK);
  assert_int_equal(lost, 1); /* the new context has pointers of its own */
  expect_below(fabs(a[0] - 9 / 125.), error_of_best());
  expect_below(fabs(phi[1] + 2 / 5.), error_of_best());

  hb_gl_core_11.DrawArrays = losing_draw; /* without a second try it is a fault */
  lost = 0;
  assert_int_equal(hb_force_set_j(force, 2, two_m, two_x, two_v), HB_OK);
  assert_int_equal(hb_force_eval(force, 2, two_index, a, j, phi), HB_ERR_DEVICE);
  assert_non_null(strstr(hb_error(), "dropped a draw"));
  hb_gl_core_11.DrawArrays = real_draw;
  hb_force_close(force);
}

static void test_lost_draw_of_hybrid(void **state)
{
  (void)state;
  const struct hb_force_params params = {
      .scheme = "hybrid", .precision = best(), .tuning = "host_below=2 gl=bag", .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  char tuning[256];
  double a[6], j[6], phi[2];
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  snprintf(tuning, sizeof tuning, "%s", hb_force_tuning(force));
  real_draw = hb_gl_core_11.DrawArrays;
  lost = 0;
  hb_gl_core_11.DrawArrays = losing_draw;
  assert_int_equal(hb_force_of(force, &(struct hb_force_job){.sources = {2, two_m, two_x, two_v},
                                                             .sinks = {.n = 1, .index = two_index},
                                                             .to = {a, j, phi}}),
                   HB_OK);
  assert_int_equal(lost, 0); /* the host's block draws nothing */
  assert_int_equal(hb_force_of(force, &(struct hb_force_job){.sources = {2, two_m, two_x, two_v},
                                                             .sinks = {.n = 2, .index = two_index},
                                                             .to = {a, j, phi}}),
                   HB_OK);
  assert_int_equal(lost, 1);
  expect_below(fabs(a[0] - 9 / 125.), error_of_best());
  expect_below(fabs(phi[1] + 2 / 5.), error_of_best());
  assert_string_equal(hb_force_tuning(force), tuning);
  hb_force_close(force);
}

/* ---- hybrid ---- */

enum { HYBRID_N = 500 };

/* How often something as long as the sources goes to a buffer: mapped, among the driver's commands, or from memory that
 * stays mapped. */
static PFNGLMAPBUFFERRANGEPROC real_map;
static PFNGLBUFFERSUBDATAPROC real_write;
static PFNGLCOPYBUFFERSUBDATAPROC real_copy;
static int sent;

static void *GLAPIENTRY counting_map(GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access)
{
  sent += length >= 16 * HYBRID_N;
  return real_map(target, offset, length, access);
}

static void GLAPIENTRY counting_write(GLenum target, GLintptr offset, GLsizeiptr length, const void *data)
{
  sent += length >= 16 * HYBRID_N;
  real_write(target, offset, length, data);
}

static void GLAPIENTRY counting_copy(GLenum from, GLenum to, GLintptr here, GLintptr there, GLsizeiptr length)
{
  sent += length >= 16 * HYBRID_N;
  real_copy(from, to, here, there, length);
}

/* Forces on the first ni of a Plummer sphere, in one call or in two. */
static void hybrid_forces(struct hb_force *force, int in_one, size_t ni, double *f)
{
  static double m[HYBRID_N], x[3 * HYBRID_N], v[3 * HYBRID_N];
  static uint32_t index[HYBRID_N];
  struct hb_particles *p;
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = HYBRID_N, .seed = 3}, &p), HB_OK);
  memcpy(m, hb_particles_m(p), sizeof m);
  memcpy(x, hb_particles_x(p), sizeof x);
  memcpy(v, hb_particles_v(p), sizeof v);
  hb_particles_destroy(p);
  for (uint32_t i = 0; i < HYBRID_N; i++) index[i] = i;
  double *j = f + 3 * HYBRID_N, *phi = f + 6 * HYBRID_N;
  if (in_one) {
    assert_int_equal(hb_force_of(force, &(struct hb_force_job){.sources = {HYBRID_N, m, x, v},
                                                               .sinks = {.n = ni, .index = index},
                                                               .to = {f, j, phi}}),
                     HB_OK);
  } else {
    assert_int_equal(hb_force_set_j(force, HYBRID_N, m, x, v), HB_OK);
    memset(m, 0, sizeof m); /* it has a copy */
    assert_int_equal(hb_force_eval(force, ni, index, f, j, phi), HB_OK);
  }
}

/* The sources go to the one that takes the block, and to no other. */
static void test_hybrid_sends_where_needed(void **state)
{
  (void)state;
  const struct hb_force_params params = {
      .scheme = "hybrid", .tuning = "host_below=100 gl=bag", .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  static double f[2][7 * HYBRID_N];
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  real_map = glMapBufferRange;
  real_write = glBufferSubData;
  real_copy = glCopyBufferSubData;
  glMapBufferRange = counting_map;
  glBufferSubData = counting_write;
  glCopyBufferSubData = counting_copy;
  for (size_t ni = 99; ni <= 100; ni++) {
    for (int in_one = 0; in_one < 2; in_one++) {
      memset(f[in_one], 0, sizeof f[in_one]);
      sent = 0;
      hybrid_forces(force, in_one, ni, f[in_one]);
      assert_int_equal(sent > 0, ni >= 100);
    }
    assert_memory_equal(f[0], f[1], sizeof f[0]);
  }
  uint32_t index[3] = {0, 1, 2};
  /* after the one call no sources are set */
  assert_int_equal(hb_force_eval(force, 3, index, f[0], f[0], f[0]), HB_ERR_USAGE);
  glMapBufferRange = real_map;
  glBufferSubData = real_write;
  glCopyBufferSubData = real_copy;
  hb_force_close(force);
}

/* What was measured, given as words to another one: the same bytes and the same words. A GPU is measured anew each time. */
static void test_hybrid_words_repeat_it(void **state)
{
  (void)state;
  static const size_t ni[] = {1, 16, 100, HYBRID_N};
  static double f[2][7 * HYBRID_N];
  char words[256] = "";
  for (int p = 0; p < (is_first_context() ? 2 : 1); p++)
    for (int k = 0; k < 4; k++)
      for (int again = 0; again < 2; again++) {
        const struct hb_force_params params = {
            .scheme = "hybrid", .precision = p ? "single" : "ds", .tuning = again ? words : NULL};
        struct hb_force *force;
        assert_int_equal(hb_force_open(&params, &force), HB_OK);
        memset(f[again], 0, sizeof f[again]);
        hybrid_forces(force, 1, ni[k], f[again]);
        if (again)
          assert_string_equal(hb_force_tuning(force), words);
        else
          snprintf(words, sizeof words, "%s", hb_force_tuning(force));
        assert_non_null(strstr(words, "host_below="));
        hb_force_close(force);
        if (again) assert_memory_equal(f[0], f[1], sizeof f[0]);
      }
}

/* Each allocation fails once, from opening to blocks on both sides. */
static void test_hybrid_no_memory(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "hybrid", .tuning = "host_below=2 gl=bag"};
  double a[6], j[6], phi[2];
  int failures = 0;
  for (unsigned long nth = 1; nth < 30; nth++) {
    struct hb_force *force;
    hb_mem_watch.fail_at = nth;
    enum hb_status status = hb_force_open(&params, &force);
    if (status == HB_OK) status = hb_force_set_j(force, 2, two_m, two_x, two_v);
    for (size_t ni = 1; ni <= 2 && status == HB_OK; ni++)
      status = hb_force_eval(force, ni, two_index, a, j, phi);
    hb_mem_watch.fail_at = 0;
    hb_force_close(force);
    assert_true(status == HB_OK || status == HB_ERR_INTERNAL);
    failures += status != HB_OK;
  }
  expect_above(failures, 6); /* a few are forgiven: those of the look for a GPU */
}

/* Without measuring, a software renderer gets nothing and a GPU blocks of 2^20 pairs. */
static void test_hybrid_safe_default(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "hybrid", .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  static double f[7 * HYBRID_N];
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  int software = strstr(hb_force_device(force), "llvmpipe") != NULL;
  hybrid_forces(force, 1, 10, f);
  const char *expected = software ? "host_below=all" : "host_below=2097 ";
  assert_int_equal(strncmp(hb_force_tuning(force), expected, strlen(expected)), 0);
  if (software) assert_string_equal(hb_force_context(force), "none");
  hb_force_close(force);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cg2007),
      cmocka_unit_test(test_context_is_recorded),
      cmocka_unit_test(test_cutting_changes_no_bit),
      cmocka_unit_test(test_lost_draw_is_tried_again),
      cmocka_unit_test(test_cg2007_rect),
      cmocka_unit_test(test_bag),
      cmocka_unit_test(test_tile),
      cmocka_unit_test(test_matrix2004),
      cmocka_unit_test(test_hybrid),
      cmocka_unit_test(test_cg2007_plummer),
      cmocka_unit_test(test_cg2007_counts_in_floats),
      cmocka_unit_test(test_lost_draw_of_hybrid),
      cmocka_unit_test(test_hybrid_sends_where_needed),
      cmocka_unit_test(test_hybrid_words_repeat_it),
      cmocka_unit_test(test_hybrid_no_memory),
      cmocka_unit_test(test_hybrid_safe_default),
  };
  return RUN_TESTS(tests, 4, NULL, NULL);
}
