/* Precision reproducible: one hash for every scheme, tuning and split of the sources, with an error test beside it; and a device
 * that has other bits is refused. Renderers and vector widths: tests/cli/states.bats. */
#include "core/particles.h"
#include "force/force.h"
#include "gl/gl.h"
#include "pairs/selftest.c"
#include "support/pairs_case.h"
#include "support/shader_case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 1024 };
static struct hb_particles *plummer;
static uint32_t all[N];

static int set_up(void **state)
{
  (void)state;
  const struct hb_ic_params ic = {.n = N, .seed = 1, .scaling = HB_IC_SCALING_MODEL};
  for (uint32_t i = 0; i < N; i++) all[i] = i;
  return hb_ic_make("plummer", &ic, &plummer);
}

static int tear_down(void **state)
{
  (void)state;
  hb_particles_destroy(plummer);
  return 0;
}

struct pulls {
  double a[3 * N], j[3 * N], phi[N];
};

static struct hb_force *opened(const char *scheme, const char *precision, const char *tuning, double eps)
{
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = precision,
                                         .tuning = tuning,
                                         .eps = eps,
                                         .flags = HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG};
  struct hb_force *force;
  ASSERT_OK(hb_force_open(&params, &force));
  return force;
}

static int has_compute(void)
{
  struct hb_force *force = opened("bag", "single", NULL, 0);
  int has = hb_force_gl(force)->caps.has_compute;
  hb_force_close(force);
  return has;
}

/* Of the first n particles on ni of them, spread evenly. */
static void evaluate(struct hb_force *force, size_t n, size_t ni, struct pulls *f)
{
  uint32_t index[N];
  for (size_t k = 0; k < ni; k++) index[k] = (uint32_t)(k * n / ni);
  ASSERT_OK(hb_force_set_j(force, n, plummer->m, plummer->x, plummer->v));
  ASSERT_OK(hb_force_eval(force, ni, index, f->a, f->j, f->phi));
}

static uint64_t hash_of(const struct pulls *f, size_t ni)
{
  uint64_t hash = support_fnv(SUPPORT_FNV, f->a, 3 * ni * sizeof *f->a);
  hash = support_fnv(hash, f->j, 3 * ni * sizeof *f->j);
  return support_fnv(hash, f->phi, ni * sizeof *f->phi);
}

/* ---- one hash ---- */

static void expect_hash(const char *scheme, const char *tuning, double eps, size_t n, size_t ni,
                        uint64_t known)
{
  static struct pulls f;
  struct hb_force *force = opened(scheme, "reproducible", tuning, eps);
  evaluate(force, n, ni, &f);
  uint64_t hash = hash_of(&f, ni);
  if (hash != known)
    fail_msg("%s %s on %s: %zu of %zu give %016llx, expected %016llx", scheme, tuning ? tuning : "",
             hb_force_device(force), ni, n, (unsigned long long)hash, (unsigned long long)known);
  hb_force_close(force);
}

static void expect_hashes(const char *scheme, const char *const *tunings)
{
  for (; *tunings; tunings++) {
    const char *tuning = **tunings ? *tunings : NULL;
    expect_hash(scheme, tuning, 1. / 256, 1024, 1024, 0x15fa2d97f78680d3);
    expect_hash(scheme, tuning, 0, 1000, 7, 0x6bc05c50c75d37df);
  }
}

static void test_one_hash(void **state)
{
  (void)state;
  expect_hashes("host", (const char *const[]){"", NULL});
  expect_hashes("bag", (const char *const[]){"", "i_each=1 threads=64",
                                             "i_each=2 unroll=2 bag=128 j_source=texture", NULL});
  expect_hashes("matrix2004", (const char *const[]){"", "limit=128", NULL});
  if (has_compute())
    expect_hashes("tile", (const char *const[]){"", "workgroup=128 threads=262144",
                                                "i_each=1 unroll=4 threads=64", NULL});
}

/* The error of 1024 particles is that of nearest neighbors: 7.5e-8, 2.7e-8 at N = 65536. */
static double acc_rms(const char *precision, double eps)
{
  static struct pulls f, right;
  struct hb_force *host = opened("host", "double", NULL, 1. / 256),
                  *force = opened("bag", precision, NULL, eps);
  evaluate(host, N, N, &right);
  evaluate(force, N, N, &f);
  hb_force_close(host);
  hb_force_close(force);
  return support_rms(N, 3, f.a, right.a);
}

static void test_error_beside_the_hash(void **state)
{
  (void)state;
  static const double ALLOWED = 9e-8;
  expect_below(acc_rms("reproducible", 1. / 256), ALLOWED);
  expect_above(acc_rms("single", 1. / 256), ALLOWED);
  expect_above(acc_rms("reproducible", 1.001 / 256), ALLOWED);
}

/* ---- splits ---- */

static void begin_at(struct hb_force *force, const struct hb_reproducible_units *units, size_t from,
                     size_t to, const uint32_t *scale, struct hb_fixed_total *totals)
{
  const struct hb_force_ops *ops = force->ops;
  const double *m = plummer->m, *x = plummer->x, *v = plummer->v;
  uint32_t own[N];
  for (uint32_t i = 0; i < N; i++) own[i] = i >= from && i < to ? i - (uint32_t)from : UINT32_MAX;
  const struct hb_force_job job = {.sources = {to - from, m + from, x + 3 * from, v + 3 * from},
                                   .sinks = {N, own, x, v},
                                   .words = {units, scale, totals}};
  ASSERT_OK(ops->begin(force->state, &job));
  if (ops->finish) ASSERT_OK(ops->finish(force->state, &job));
}

/* Whether two parts, one by each source of forces, add up to the totals of all. */
static int parts_add_up(struct hb_force *one, struct hb_force *other, size_t cut)
{
  static struct hb_fixed_total whole[N], part[N], rest[N];
  struct hb_reproducible_units units;
  uint32_t scale[N];
  ASSERT_OK(hb_reproducible_find_units(N, plummer->m, plummer->x, plummer->v, 1. / 256, &units));
  for (size_t i = 0; i < N; i++) scale[i] = hb_reproducible_scale(&units, 0);
  begin_at(one, &units, 0, N, scale, whole);
  begin_at(one, &units, 0, cut, scale, part);
  begin_at(other, &units, cut, N, scale, rest);
  for (size_t i = 0; i < N; i++) hb_fixed_add(&part[i], &rest[i]);
  return memcmp(whole, part, sizeof whole) == 0;
}

static void test_any_split_at_blocks(void **state)
{
  (void)state;
  struct hb_force *host = opened("host", "reproducible", NULL, 1. / 256);
  struct hb_force *bag = opened("bag", "reproducible", NULL, 1. / 256);
  assert_true(parts_add_up(host, bag, HB_FIXED_BLOCK));
  assert_true(parts_add_up(bag, host, 9 * (size_t)HB_FIXED_BLOCK));
  assert_false(parts_add_up(host, host, HB_FIXED_BLOCK / 2));
  hb_force_close(host);
  hb_force_close(bag);
}

/* ---- scales ---- */

/* Units that are too small for the sums, by up to all bits: the totals are nonsense, but `most` is right and says so. */
static void test_overflow_is_told(void **state)
{
  (void)state;
  static struct hb_fixed_total right[N], wrong[N];
  struct hb_reproducible_units units;
  uint32_t scale[N];
  ASSERT_OK(hb_reproducible_find_units(N, plummer->m, plummer->x, plummer->v, 1. / 256, &units));
  const char *const schemes[] = {"host", "bag", "matrix2004"};
  for (size_t s = 0; s < COUNT_OF(schemes); s++) {
    struct hb_force *force = opened(schemes[s], "reproducible", NULL, 1. / 256);
    for (size_t i = 0; i < N; i++) scale[i] = hb_reproducible_scale(&units, 0);
    begin_at(force, &units, 0, N, scale, right);
    for (uint32_t finer = 24; finer <= 120; finer += 24) {
      for (size_t i = 0; i < N; i++)
        scale[i] = hb_reproducible_scale(&units, right[i].most) + finer * 0x10101;
      begin_at(force, &units, 0, N, scale, wrong);
      for (size_t i = 0; i < N; i++) {
        assert_int_equal(wrong[i].most, right[i].most);
        assert_int_not_equal(hb_reproducible_scale(&units, wrong[i].most), scale[i]);
      }
    }
    hb_force_close(force);
  }
}

static int draws_of(struct hb_force *force, struct pulls *f)
{
  pairs_draws_begin(0);
  evaluate(force, N, N, f);
  return pairs_draws_end();
}

/* Forces of every size, from pairs at 1e-10 to bodies far outside: summed again where the scale was not right, and the same with a
 * memory of other forces as without. */
static void test_the_past_changes_no_bit(void **state)
{
  (void)state;
  static struct pulls fresh, again, right;
  struct hb_particles *p = plummer;
  double kept[9];
  memcpy(kept, p->x, sizeof kept);
  struct hb_force *bag = opened("bag", "reproducible", NULL, 0), *host = opened("host", "double", NULL, 0);
  for (int c = 0; c < 3; c++) p->x[3 + c] = p->x[c] + 1e-6 * (c + 1), p->x[6 + c] = 1e4 * (c + 1);
  const int draws = draws_of(bag, &fresh);
  evaluate(host, N, N, &right);
  for (int i = 0; i < 2; i++) expect_below(fabs(fresh.a[3 * i] / right.a[3 * i] - 1), 1e-6);
  memcpy(p->x, kept, sizeof kept);
  evaluate(bag, N, N, &again);
  for (int c = 0; c < 3; c++) p->x[3 + c] = p->x[c] + 1e-6 * (c + 1), p->x[6 + c] = 1e4 * (c + 1);
  evaluate(bag, N, N, &again);
  memcpy(p->x, kept, sizeof kept);
  assert_memory_equal(&fresh, &again, sizeof fresh);
  evaluate(bag, N, N, &again);
  expect_above(draws, draws_of(bag, &again)); /* which sums none again */
  hb_force_close(bag);
  hb_force_close(host);
}

static void test_points_and_sources(void **state)
{
  (void)state;
  static struct pulls sources, points;
  struct hb_force *force = opened("bag", "reproducible", NULL, 1. / 256);
  evaluate(force, N, N, &sources);
  ASSERT_OK(hb_force_at(force, N, plummer->x, plummer->v, all, points.a, points.j, points.phi));
  assert_memory_equal(&sources, &points, sizeof sources);
  const double far[3] = {1e6, 0, 0};
  ASSERT_FAILS(hb_force_at(force, 1, far, NULL, NULL, points.a, points.j, points.phi), HB_ERR_INPUT,
               "precision reproducible takes points up to 16 times as far");
  hb_force_close(force);
}

static void test_two_in_one_place(void **state)
{
  (void)state;
  static struct pulls f;
  const double m[2] = {1, 1}, x[6] = {1, 2, 3, 1, 2, 3}, v[6] = {0};
  const char *const schemes[] = {"host", "bag"};
  for (int s = 0; s < 2; s++) {
    struct hb_force *force = opened(schemes[s], "reproducible", NULL, 0);
    ASSERT_OK(hb_force_set_j(force, 2, m, x, v));
    ASSERT_FAILS(hb_force_eval(force, 2, all, f.a, f.j, f.phi), HB_ERR_NUMERIC,
                 "is beyond the range of float");
    hb_force_close(force);
  }
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
  (void)state;
  struct hb_force *force = opened("bag", "reproducible", NULL, 0.1);
  const struct hb_force_particles p = {.n = 1};
  ASSERT_FAILS(hb_force_keep(force, &p, 1, NULL), HB_ERR_USAGE, "predicts and corrects on the host");
  ASSERT_FAILS(hb_force_set_eps(force, 0.2), HB_ERR_USAGE, "keeps the softening");
  hb_force_close(force);
  struct hb_force_params params = {.scheme = "bag", .precision = "reproducible", .tuning = "partial=32"};
  ASSERT_FAILS(hb_force_open(&params, &force), HB_ERR_USAGE, "a float sum is over 32 sources, expected 64");
  params =
      (struct hb_force_params){.scheme = "bag", .precision = "reproducible", .interaction = "gravity_snap"};
  assert_int_not_equal(hb_force_open(&params, &force), HB_OK);
}

/* ---- the test of the device ---- */

static void test_table(void **state)
{
  (void)state;
  static struct fixed t;
  static struct hb_fixed_total totals[FIXED_N];
  uint32_t scale[FIXED_N];
  const struct hb_force_params params = {.scheme = "host", .precision = "reproducible"};
  void *host = NULL;
  ASSERT_OK(hb_force_host.open(&params, NULL, &host));
  for (int k = 0; k < FIXED_CASES; k++) {
    fixed_make(k, &t);
    const struct hb_reproducible_units units = {.mass = 12, .eps = sqrt((double)t.eps2)};
    for (int i = 0; i < FIXED_N; i++) scale[i] = t.scale;
    ASSERT_OK(hb_force_host.begin(host, &(struct hb_force_job){.sources = {FIXED_N, t.m, t.x, t.v},
                                                               .sinks = {.n = FIXED_N, .index = all},
                                                               .words = {&units, scale, totals}}));
    if (fixed_hash(FIXED_N, totals) != fixed_right[k])
      fail_msg("case %d gives 0x%016llx", k, (unsigned long long)fixed_hash(FIXED_N, totals));
  }
  hb_force_host.close(host);
}

/* Its text with every `word` replaced. */
static char *replaced(const char *text, const char *word, const char *by)
{
  char *result = calloc(4 * strlen(text) + 1, 1), *end = result;
  assert_non_null(result);
  for (const char *next; (next = strstr(text, word)); text = next + strlen(word))
    end += sprintf(end, "%.*s%s", (int)(next - text), text, by);
  strcpy(end, text);
  return result;
}

/* On a device that is another, as its driver's version says, so that it is tested anew. */
static enum hb_status on_changed(const char *file, const char *word, const char *by)
{
  static int count;
  struct hb_gl_context *context;
  const struct hb_gl_context_params place = {0};
  ASSERT_OK(hb_gl_context_open(&place, &context));
  snprintf(context->caps.version, sizeof context->caps.version, "changed %d times", ++count);
  char *text = replaced(shader_text(file), word, by);
  if (by != word) assert_string_not_equal(text, shader_text(file));
  shader_folder_put(file, text);
  shader_folder_use(1);
  const struct hb_pairs_params params = {.context = context,
                                         .interaction = HB_INTERACTION_GRAVITY,
                                         .scheme = "bag",
                                         .precision = HB_PRECISION_REPRODUCIBLE};
  struct hb_pairs *pairs;
  enum hb_status status = hb_pairs_create(&params, &pairs);
  shader_folder_use(0);
  shader_folder_put(file, shader_text(file));
  hb_pairs_destroy(pairs);
  hb_gl_context_close(context);
  free(text);
  return status;
}

/* Mesa's root is rounded correctly, and ours is not; one that is off in one bit of 64 blocks is seen. */
static void test_other_bits_are_refused(void **state)
{
  (void)state;
  static const char refused[] = "precision reproducible needs float arithmetic as IEEE 754 has it";
  shader_folder_open();
  ASSERT_OK(on_changed("common/fixed.glsl", "float root(", "float root("));
  ASSERT_FAILS(on_changed("common/fixed.glsl", "return y2", "return inversesqrt(x)"), HB_ERR_GL, refused);
  ASSERT_FAILS(on_changed("common/fixed.glsl", "return y2", "return 1.0 / sqrt(x)"), HB_ERR_GL, refused);
  ASSERT_FAILS(on_changed("interactions/gravity_jerk.glsl",
                          "square.z + as_written(square.y + as_written(square.x + parameter.x))",
                          "square.x + as_written(square.y + as_written(square.z + parameter.x))"),
               HB_ERR_GL, refused);
  shader_folder_close();
}

/* Also where only the program of large blocks has them, or that of a draw which goes on from another. */
static void test_every_program_is_tested(void **state)
{
  (void)state;
  static const char refused[] = "precision reproducible needs float arithmetic as IEEE 754 has it";
  static const char *const conditions[] = {"I_EACH > 1 || J_SOURCE == 2", "defined(CONTINUES)"};
  shader_folder_open();
  for (size_t k = 0; k < COUNT_OF(conditions); k++) {
    char changed[120];
    snprintf(changed, sizeof changed, "\n#if %s\nreturn inversesqrt(x);\n#endif\nreturn y2", conditions[k]);
    ASSERT_FAILS(on_changed("common/fixed.glsl", "return y2", changed), HB_ERR_GL, refused);
  }
  shader_folder_close();
}

/* Without `precise` Mesa simplifies (units + COARSE) - COARSE; where GLSL has none, as_written() does the same. */
static void test_precise_is_needed(void **state)
{
  (void)state;
  shader_folder_open();
  struct hb_force *force = opened("bag", "single", NULL, 0);
  int has_precise = hb_force_gl(force)->caps.has_precise;
  hb_force_close(force);
  enum hb_status status = has_precise ? on_changed("common/fixed.glsl", "precise ", "")
                                      : on_changed("common/fixed.glsl", "as_written(", "(");
  assert_int_equal(status, HB_ERR_GL);
  shader_folder_close();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_hash),
      cmocka_unit_test(test_every_program_is_tested),
      cmocka_unit_test(test_precise_is_needed),
      cmocka_unit_test(test_error_beside_the_hash),
      cmocka_unit_test(test_any_split_at_blocks),
      cmocka_unit_test(test_overflow_is_told),
      cmocka_unit_test(test_the_past_changes_no_bit),
      cmocka_unit_test(test_points_and_sources),
      cmocka_unit_test(test_two_in_one_place),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_other_bits_are_refused),
  };
  return RUN_TESTS(tests, 3, set_up, tear_down);
}
