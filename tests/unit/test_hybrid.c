/* hybrid without OpenGL: from measured times to a bound, its words, what auto means. */
#include "force/force.h"
#include "force/devices.c"
#include "force/source.c"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A device as [PZ07] eqs 10 to 16 have it, for one N: seconds of a block of ni sinks. */
struct device {
  double fixed, each;
};

static double seconds(struct device device, size_t ni) { return device.fixed + device.each * (double)ni; }

/* What the measurement would find, with times that are wrong by up to `noise` in either direction. */
static struct hybrid_split split_of(size_t n, struct device host, struct device gl, double noise)
{
  struct hybrid_cost costs[HYBRID_COSTS];
  size_t count = 0;
  uint32_t state = 1;
  for (size_t ni; (ni = hybrid_split_ask(n, count, costs)) > 0;) {
    assert_in_range(ni, 1, n);
    double factor[2];
    for (int k = 0; k < 2; k++) {
      state = state * 1664525u + 1013904223u;
      factor[k] = 1 + noise * (state / 2147483648. - 1);
    }
    size_t place = count++;
    expect_at_most(count, HYBRID_COSTS);
    for (; place > 0 && costs[place - 1].ni > ni; place--) costs[place] = costs[place - 1];
    if (place) expect_other(costs[place - 1].ni, ni); /* nothing is measured twice */
    costs[place] = (struct hybrid_cost){ni, seconds(host, ni) * factor[0], seconds(gl, ni) * factor[1]};
  }
  return hybrid_split_from(n, count, costs);
}

/* The most that the split loses to the better of the two, over all sizes of a block. */
static double worst(size_t n, struct device host, struct device gl, struct hybrid_split split)
{
  double most = 1;
  for (size_t ni = 1; ni <= n; ni++) {
    double h = seconds(host, ni), g = seconds(gl, ni);
    most = fmax(most, (hybrid_split_host(&split, ni) ? h : g) / fmin(h, g));
  }
  return most;
}

static const size_t sizes[] = {1, 2, 3, 5, 100, 1024, 4096, 65536};

static void assert_split(struct hybrid_split split, size_t host_below, size_t host_from)
{
  expect_equal(split.host_below, host_below);
  expect_equal(split.host_from, host_from);
}

static void test_one_side_is_always_faster(void **state)
{
  (void)state;
  const struct device slow = {1e-4, 1e-6}, fast = {1e-6, 1e-7};
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    assert_split(split_of(sizes[k], fast, slow, 0), HYBRID_ALL, HYBRID_ALL);
    assert_split(split_of(sizes[k], slow, fast, 0), 1, HYBRID_ALL);
  }
}

/* The host at once, the other with a journey: affine times cross once, and the bound is there. */
static void test_crossing(void **state)
{
  (void)state;
  const struct device host = {1e-6, 1e-6}, gl = {5e-5, 1e-8};
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    struct hybrid_split split = split_of(sizes[k], host, gl, 0);
    double bound = (gl.fixed - host.fixed) / (host.each - gl.each);
    if (sizes[k] > bound)
      assert_in_range(split.host_below, (size_t)bound, (size_t)bound + 2);
    else
      expect_equal(split.host_below, HYBRID_ALL);
    expect_equal(split.host_from, HYBRID_ALL);
    expect_below(worst(sizes[k], host, gl, split), 1.02);
    split = split_of(sizes[k], gl, host, 0); /* the other way round: small blocks are better on OpenGL */
    if (sizes[k] > bound) {
      assert_int_equal(split.host_below, 1);
      assert_in_range(split.host_from, (size_t)bound, (size_t)bound + 2);
    }
    expect_below(worst(sizes[k], gl, host, split), 1.02);
  }
}

/* Blocks too long to be tried: the bound lies where the last times, carried on, cross. */
static void test_crossing_beyond_what_is_measured(void **state)
{
  (void)state;
  const struct device host = {1e-4, 3e-4}, gl = {0.1, 1e-4};
  struct hybrid_split split = split_of(100000, host, gl, 0);
  assert_in_range(split.host_below, 499, 501); /* 0.0999 / 2e-4 */
  expect_equal(split.host_from, HYBRID_ALL);
}

/* Times up to 3 % off: bounds are then up to 6 % off, and what is lost is of that order. */
static void test_noise(void **state)
{
  (void)state;
  const struct device host = {1e-6, 1e-6};
  for (double journey = 2e-6; journey < 1e-2; journey *= 1.7) {
    const struct device gl = {journey, 2e-8};
    for (size_t k = 3; k < COUNT_OF(sizes); k++)
      expect_below(worst(sizes[k], host, gl, split_of(sizes[k], host, gl, 0.03)), 1.12);
  }
}

/* Times that make no sense, even falling ones, end the measurement and give some bound. */
static void test_nonsense(void **state)
{
  (void)state;
  const struct device falling = {1e-3, -1e-8}, host = {1e-5, 1e-8};
  struct hybrid_split split = split_of(4096, host, falling, 0);
  assert_split(split, HYBRID_ALL, HYBRID_ALL);
  split = split_of(65536, falling, host, 0.9);
  expect_at_least(split.host_below, 1);
  expect_at_least(split.host_from, 1);
}

/* Two that are alike: not worth a device. */
static void test_alike(void **state)
{
  (void)state;
  const struct device host = {1e-6, 1e-7}, gl = {0.99e-6, 0.99e-7};
  assert_split(split_of(4096, host, gl, 0), HYBRID_ALL, HYBRID_ALL);
}

static void test_sides(void **state)
{
  (void)state;
  const struct hybrid_split both = {4, 100}, host = HYBRID_HOST, gl = HYBRID_GL;
  assert_true(hybrid_split_host(&both, 3) && !hybrid_split_host(&both, 4));
  assert_true(!hybrid_split_host(&both, 99) && hybrid_split_host(&both, 100));
  assert_true(hybrid_split_host(&host, 1) && hybrid_split_host(&host, (size_t)1 << 40));
  assert_true(!hybrid_split_host(&gl, 1) && !hybrid_split_host(&gl, (size_t)1 << 40));
}

/* ---- words ---- */

static void test_words_round_trip(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "",
      "host_below=128 gl=tile i_each=4 unroll=8",
      "host_below=all",
      "host_below=1 gl=bag",
      "host_below=1 host_from=1000 gl=bag partial=32",
      "host_below=7 host_from=9",
      "unroll=8",
  };
  for (size_t k = 0; k < COUNT_OF(texts); k++) {
    struct hybrid_words words;
    char text[256];
    ASSERT_OK(hybrid_words_parse(texts[k], &words));
    hybrid_words_print(&words, sizeof text, text);
    assert_string_equal(text, texts[k]);
  }
}

static void test_words_in_any_order(void **state)
{
  (void)state;
  struct hybrid_words words;
  ASSERT_OK(hybrid_words_parse("unroll=8,gl=tile, i_each=4,,host_from=20", &words));
  assert_split(words.split, 1, 20);
  assert_string_equal(words.gl->name, "tile");
  assert_string_equal(words.others, "unroll=8 i_each=4");
  ASSERT_OK(hybrid_words_parse(NULL, &words));
  assert_int_equal(words.split.host_below, 0);
  assert_string_equal(words.others, "");
  char small[12];
  ASSERT_OK(hybrid_words_parse("host_below=123456 gl=bag", &words));
  hybrid_words_print(&words, sizeof small, small);
  assert_string_equal(small, "host_below=");
}

static void test_words_are_refused(void **state)
{
  (void)state;
  struct hybrid_words words;
  static const char *const bounds[] = {"host_below=0", "host_below=-1", "host_from=", "host_below=8k",
                                       "host_from=99999999999999999999"};
  for (size_t k = 0; k < COUNT_OF(bounds); k++)
    ASSERT_FAILS(hybrid_words_parse(bounds[k], &words), HB_ERR_USAGE,
                 ": expected a number of sinks from 1 on, or all");
  ASSERT_FAILS(hybrid_words_parse("gl=cg2007", &words), HB_ERR_USAGE, "expected gl=bag or gl=tile");
  char text[400];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  ASSERT_FAILS(hybrid_words_parse(text, &words), HB_ERR_USAGE, "is too long");
  snprintf(text + 240, sizeof text - 240, " host_from=9"); /* host_below=1 is said with it */
  ASSERT_FAILS(hybrid_words_parse(text, &words), HB_ERR_USAGE, "is too long");
  snprintf(text + 230, sizeof text - 230, " host_from=9");
  ASSERT_OK(hybrid_words_parse(text, &words));
}

/* ---- which source ---- */

static void test_auto(void **state)
{
  (void)state;
  static const struct {
    enum hb_gl_gpu gpu;
    const char *precision, *scheme;
  } cases[] = {
      {HB_GL_NO_GPU, NULL, "host"},        {HB_GL_NO_GPU, "double", "host"},
      {HB_GL_NO_GPU, "ds", "host-simd"},   {HB_GL_NO_GPU, "compensated", "bag"},
      {HB_GL_NO_GPU, "half", "host"},      {HB_GL_GPU, NULL, "hybrid"},
      {HB_GL_GPU, "single", "hybrid"},     {HB_GL_GPU, "compensated", "bag"},
      {HB_GL_GPU_COMPUTE, NULL, "hybrid"}, {HB_GL_GPU_COMPUTE, "double", "hybrid"},
      {HB_GL_GPU_COMPUTE, "d", "hybrid"},  {HB_GL_GPU_COMPUTE, "compensated", "tile"},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++)
    assert_string_equal(automatic_scheme(cases[k].gpu, cases[k].precision)->info.name, cases[k].scheme);
}

/* With all on the host no OpenGL is opened, and the bytes are the host's. */
static void test_all_on_the_host(void **state)
{
  (void)state;
  static const char *const schemes[] = {"host-simd", "hybrid"};
  struct hb_particles *p;
  double f[2][7 * 100];
  uint32_t index[100];
  for (uint32_t i = 0; i < 100; i++) index[i] = i;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 100, .seed = 1}, &p));
  for (int k = 0; k < 2; k++) {
    const struct hb_force_params params = {.scheme = schemes[k],
                                           .precision = "ds",
                                           .context = k ? "egl" : NULL,
                                           .device = k ? "/nowhere" : NULL,
                                           .tuning = k ? "host_below=all" : NULL,
                                           .eps = 0.01};
    struct hb_force *force;
    ASSERT_OK(hb_force_open(&params, &force));
    assert_string_equal(hb_force_context(force), "none");
    ASSERT_OK(hb_force_of(force, &(struct hb_force_job){.sources = {100, hb_particles_m(p), hb_particles_x(p),
                                                                    hb_particles_v(p)},
                                                        .sinks = {.n = 100, .index = index},
                                                        .to = {f[k], f[k] + 300, f[k] + 600}}));
    if (k) assert_string_equal(hb_force_tuning(force), "host_below=all");
    hb_force_close(force);
  }
  assert_memory_equal(f[0], f[1], sizeof f[0]);
  hb_particles_destroy(p);
}

static void test_open_refuses(void **state)
{
  (void)state;
  struct hb_force *force;
  const struct hb_force_params word = {.scheme = "hybrid", .tuning = "host_below=all speed=9"};
  ASSERT_FAILS(hb_force_open(&word, &force), HB_ERR_USAGE, "unknown tuning 'speed=9'");
  const struct hb_force_params compensated = {.scheme = "hybrid", .precision = "compensated"};
  ASSERT_FAILS(hb_force_open(&compensated, &force), HB_ERR_USAGE,
               "(expected one of: ds single double reproducible)");
  const struct hb_force_params nowhere = {.scheme = "hybrid", .context = "egl", .device = "/nowhere"};
  ASSERT_FAILS(hb_force_open(&nowhere, &force), HB_ERR_GL, "/nowhere");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_side_is_always_faster),
      cmocka_unit_test(test_crossing),
      cmocka_unit_test(test_crossing_beyond_what_is_measured),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_nonsense),
      cmocka_unit_test(test_alike),
      cmocka_unit_test(test_sides),
      cmocka_unit_test(test_words_round_trip),
      cmocka_unit_test(test_words_in_any_order),
      cmocka_unit_test(test_words_are_refused),
      cmocka_unit_test(test_auto),
      cmocka_unit_test(test_all_on_the_host),
      cmocka_unit_test(test_open_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
