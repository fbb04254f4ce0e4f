/* Walks that are watched: what each pass is said to read and write is what lies there, and watching changes no bit. */
#include "core/frame.h"
#include "force/force.h"
#include "gl/gl.h"
#include "gl/gl_trace.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspector.c"

enum { N = 37, MOST_FLOATS = TEXELS_FLOATS * 64 * 64 };

/* Sums of at most 37 float terms, relative to the sum of their sizes. Coordinates are below 1 and distances, with the
 * softening, above 1/8, so that rounding takes 3 of 24 bits from a difference and a few times that from its powers. A
 * sum that leaves out one term, or has it twice, is wrong by a hundredth. */
static const double TOLERANCE = 1e-5;

static double m[N], x[3 * N], v[3 * N];
static const double EPS = 0.125;

/* Into their frame, so that on the device they are as they are here. */
static void centre(double *q)
{
  double origin[3];
  hb_frame_origin(N, m, q, HB_FRAME_COARSE, origin);
  for (int k = 0; k < 3 * N; k++) q[k] = (float)(q[k] - origin[k % 3]);
}

static void make_particles(void)
{
  srand(1);
  for (int k = 0; k < 3 * N; k++) {
    x[k] = (float)(rand() / (RAND_MAX + 1.0));
    v[k] = (float)(rand() / (RAND_MAX + 1.0) - 0.5);
  }
  for (int k = 0; k < N; k++) m[k] = (float)(1.0 / N * (1 + k % 3));
  centre(x);
  centre(v);
}

/* Adds what i feels of s to f: a, phi, jerk; and the sizes of the terms to size. */
static void feel(int64_t i, int64_t s, double f[7], double size[7])
{
  if (i == s) return;
  double r[3], u[3], r2 = EPS * EPS, ru = 0;
  for (int c = 0; c < 3; c++) {
    r[c] = x[3 * s + c] - x[3 * i + c];
    u[c] = v[3 * s + c] - v[3 * i + c];
    r2 += r[c] * r[c];
    ru += r[c] * u[c];
  }
  double r3 = m[s] / (r2 * sqrt(r2));
  for (int c = 0; c < 3; c++) {
    double jerk = r3 * (u[c] - 3 * ru / r2 * r[c]);
    f[c] += r3 * r[c];
    f[4 + c] += jerk;
    size[c] += r3 * sqrt(r2), size[4 + c] += fabs(r3 * u[c]) + fabs(3 * r3 * ru / r2 * r[c]);
  }
  f[3] -= m[s] / sqrt(r2);
  size[3] += m[s] / sqrt(r2);
}

/* ---- somebody who watches ---- */

struct seen {
  struct texels texels;
  struct texels_copy copy;
  uint64_t passes, pairs, read_bytes, written_bytes, read_texels, written_texels;
  int draws, vandal;
  unsigned last_written;
  const uint32_t *index; /* the sinks as they were asked for */
  size_t ni;
  long sources; /* that sums hold after this pass, by its own words; -1: others */
  int checked;  /* numbers */
};

/* Where a component of this quantity is in f of feel(). */
static int place_of(const char *quantity)
{
  static const char *const names[] = {"acceleration", "potential", "jerk"};
  static const int places[] = {0, 3, 4};
  for (int k = 0; k < 3; k++)
    if (strcmp(names[k], quantity) == 0) return places[k];
  return -1;
}

static void check_number(const char *what, double got, double expected, double size)
{
  if (!(fabs(got - expected) <= TOLERANCE * size))
    fail_msg("%s is %.9g, expected %.9g within %.2g", what, got, expected, TOLERANCE * size);
}

/* What a record holds: of particles their own numbers, of forces the sum that the caller expects. */
static void check_record(struct seen *s, const struct hb_gl_trace_array *array, int64_t i,
                         const float *floats, const double f[7], const double size[7])
{
  for (const struct hb_gl_trace_quantity *q = array->quantities; q->name; q++)
    for (int c = 0; c < q->count; c++, s->checked++) {
      double got = floats[q->first + c];
      int place = place_of(q->name);
      if (place >= 0)
        check_number(q->name, got, f[place + c], size[place + c]);
      else if (strcmp(q->name, "mass") == 0)
        check_number("mass", got, m[i], 0);
      else if (strcmp(q->name, "free") == 0)
        check_number("the free number", got, 0, 0);
      else
        check_number(q->name, got, q->name[0] == 'p' ? x[3 * i + c] : v[3 * i + c], 0);
    }
}

typedef void (*expectation)(const struct seen *s, const struct hb_gl_trace_pass *pass, int64_t i,
                            int64_t source, int row, double f[7], double size[7]);

static void check_array(struct seen *s, const struct hb_gl_trace_pass *pass,
                        const struct hb_gl_trace_array *array, expectation expect)
{
  static float floats[MOST_FLOATS];
  ASSERT_OK(texels_take(&s->texels, array, &s->copy));
  const struct hb_gl_trace_array *copy = &s->copy.array;
  ASSERT_OK(texels_read(&s->texels, &s->copy, 0, 0, copy->columns, copy->rows, floats));
  for (int row = 0; row < copy->rows; row++)
    for (int column = 0; column < copy->columns; column++) {
      int64_t i = texels_particle(copy, column, row);
      double f[7] = {0}, size[7] = {0};
      if (i < 0) continue;
      expect(s, pass, i, texels_source(copy, row), row, f, size);
      check_record(s, copy, i, floats + TEXELS_FLOATS * (row * copy->columns + column), f, size);
    }
}

static void count(struct seen *s, const struct hb_gl_trace_pass *pass)
{
  s->passes++;
  assert_int_equal(pass->number, s->passes);
  s->pairs += pass->pairs;
  s->draws += pass->draws;
  for (int k = 0; k < pass->read_count; k++) {
    s->read_texels += pass->read[k].traffic;
    s->read_bytes += 4 * (uint64_t)pass->read[k].channels * pass->read[k].traffic;
    for (int w = 0; w < pass->write_count; w++) /* never both at once, but for buffers */
      if (pass->write[w].kind != HB_GL_BUFFER && pass->write[w].kind == pass->read[k].kind)
        assert_int_not_equal(pass->read[k].object, pass->write[w].object);
  }
  for (int k = 0; k < pass->write_count; k++) {
    s->written_texels += pass->write[k].traffic;
    s->written_bytes += 4 * (uint64_t)pass->write[k].channels * pass->write[k].traffic;
  }
}

static void watch(struct seen *s, const struct hb_gl_trace_pass *pass, expectation expect)
{
  count(s, pass);
  if (s->vandal) { /* leaves the context as no engine would like it */
    glUseProgram(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, 1, 1);
    glActiveTexture(GL_TEXTURE0 + 11);
    return;
  }
  if (!s->texels.context) s->texels.context = pass->context;
  for (int k = 0; k < pass->read_count; k++)
    if (pass->read[k].quantities && place_of(pass->read[k].quantities->name) < 0)
      check_array(s, pass, &pass->read[k], expect);
  for (int k = 0; k < pass->write_count; k++) check_array(s, pass, &pass->write[k], expect);
}

static struct hb_force *open_scheme(const char *scheme, const char *precision, const char *tuning,
                                    unsigned flags)
{
  struct hb_force *force;
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = precision,
                                         .tuning = tuning,
                                         .eps = EPS,
                                         .max_draw_s = 10, /* passes are cut by the bag alone */
                                         .flags = flags | HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG};
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, N, m, x, v));
  return force;
}

/* Every sink in an order of its own, or a few. */
static size_t choose_sinks(size_t ni, uint32_t *index)
{
  for (size_t k = 0; k < ni; k++) index[k] = (uint32_t)(k * 5 % N);
  return ni;
}

/* Evaluates unwatched, disturbed, and watched: the bits are the same. */
static struct seen seen_by(const char *scheme, const char *precision, const char *tuning, unsigned flags,
                           size_t ni, void (*pass)(void *, const struct hb_gl_trace_pass *))
{
  struct hb_force *force = open_scheme(scheme, precision, tuning, flags);
  static double plain[7 * N], watched[7 * N];
  static uint32_t index[N];
  choose_sinks(ni, index);
  for (int k = 0; k < 3; k++) {
    struct seen s = {.vandal = k == 1, .index = index, .ni = ni};
    const struct hb_gl_trace ours = {pass, &s};
    double *f = k ? watched : plain;
    hb_gl_trace = k ? &ours : NULL;
    ASSERT_OK(hb_force_eval(force, ni, index, f, f + 3 * N, f + 6 * N));
    hb_gl_trace = NULL;
    if (k == 0) {
      assert_int_equal(s.passes, 0);
      continue;
    }
    assert_memory_equal(plain, watched, sizeof plain);
    if (k == 1) continue;
    expect_above(s.passes, 0);
    expect_above(s.checked, 0);
    texels_drop(&s.copy);
    texels_close(&s.texels);
    hb_force_close(force);
    return s;
  }
  fail();
  return (struct seen){0};
}

/* ---- cg2007 ---- */

/* The stream is the sinks and then the others in their order; after pass p particle k has felt the p behind it. */
static void expect_cg2007(const struct seen *s, const struct hb_gl_trace_pass *pass, int64_t i,
                          int64_t source, int row, double f[7], double size[7])
{
  (void)source, (void)row;
  const uint32_t *order = pass->read[0].numbers;
  int64_t k = 0;
  for (size_t c = 0; c < s->ni; c++) assert_int_equal(order[c], s->index[c]);
  while (order[k] != i) k++;
  for (uint64_t p = 1; p <= pass->number; p++) feel(i, order[(k + (int64_t)p) % N], f, size);
}

static void on_cg2007(void *context, const struct hb_gl_trace_pass *pass)
{
  struct seen *s = context;
  assert_string_equal(pass->scheme, "cg2007");
  if (s->passes) assert_int_equal(pass->read[0].object, s->last_written);
  s->last_written = pass->write[0].object;
  watch(s, pass, expect_cg2007);
}

static void test_cg2007(void **state)
{
  (void)state;
  for (int rectangle = 0; rectangle < 2; rectangle++) {
    unsigned flags = rectangle ? HB_FORCE_CG2007_RECT : 0;
    if (rectangle && pairs_lacks_a("rectangles")) break;
    struct seen s = seen_by("cg2007", NULL, NULL, flags, N, on_cg2007);
    assert_int_equal(s.passes, N - 1);
    assert_int_equal(s.draws, N - 1);
    assert_int_equal(s.pairs, N * (N - 1));
    /* 40 texels of 8 x 5 are drawn: 7 are fetched for each and 2 written */
    assert_int_equal(s.read_bytes, (N - 1) * 40 * (rectangle ? 80 : 100));
    assert_int_equal(s.written_bytes, (N - 1) * 40 * (rectangle ? 28 : 32));
    s = seen_by("cg2007", NULL, NULL, flags, 11, on_cg2007);
    assert_int_equal(s.pairs, 11 * (N - 1));
  }
  pairs_skip_if_lacking();
}

/* What a pass costs where nobody watches. */
static int barriers, draws, binds;
static PFNGLTEXTUREBARRIERPROC real_barrier;
static PFNGLBINDFRAMEBUFFERPROC real_bind;
static void(GLAPIENTRY *real_draw)(GLenum, GLint, GLsizei);

static void GLAPIENTRY barrier(void)
{
  barriers++;
  real_barrier();
}

static void GLAPIENTRY bind(GLenum target, GLuint framebuffer)
{
  binds++;
  real_bind(target, framebuffer);
}

static void GLAPIENTRY draw(GLenum mode, GLint first, GLsizei vertices)
{
  draws++;
  real_draw(mode, first, vertices);
}

static void count_calls(struct hb_force *force, double *f)
{
  static uint32_t index[N];
  choose_sinks(N, index);
  real_barrier = hb_gl_since_12.__glewTextureBarrier;
  real_bind = hb_gl_since_12.__glewBindFramebuffer;
  real_draw = hb_gl_core_11.DrawArrays;
  hb_gl_since_12.__glewTextureBarrier = barrier;
  hb_gl_since_12.__glewBindFramebuffer = bind;
  hb_gl_core_11.DrawArrays = draw;
  barriers = draws = binds = 0;
  ASSERT_OK(hb_force_eval(force, N, index, f, f + 3 * N, f + 6 * N));
  hb_gl_since_12.__glewTextureBarrier = real_barrier;
  hb_gl_since_12.__glewBindFramebuffer = real_bind;
  hb_gl_core_11.DrawArrays = real_draw;
}

/* Sums that are read where they are written need a barrier a pass and no other target; the bits are those of the pair. */
static void test_cg2007_in_place(void **state)
{
  (void)state;
  static double in_place[7 * N], pair[7 * N];
  struct hb_force *force = open_scheme("cg2007", NULL, NULL, 0);
  struct hb_gl_caps *caps = &hb_force_gl(force)->caps;
  int has_texture_barrier = caps->has_texture_barrier;
  if (has_texture_barrier) {
    count_calls(force, in_place);
    assert_int_equal(draws, N - 1);
    assert_int_equal(barriers, N - 2);
    assert_in_range(binds, 1, 6); /* to clear, to draw, to read two results */
  }
  caps->has_texture_barrier = 0;
  count_calls(force, pair);
  assert_int_equal(draws, N - 1);
  assert_int_equal(barriers, 0);
  expect_at_least(binds, N - 1);
  if (has_texture_barrier) assert_memory_equal(in_place, pair, sizeof pair);
  hb_force_close(force);
  if (!has_texture_barrier) skip();
}

/* Exercise 2 of shaders/README.md: the number that is free becomes 1 / distance^2 of the nearest neighbour. */
static void on_exercise(void *context, const struct hb_gl_trace_pass *pass)
{
  static float floats[MOST_FLOATS];
  struct seen *s = context;
  s->passes++;
  if (s->vandal || pass->number < N - 1) return;
  s->texels.context = pass->context;
  ASSERT_OK(texels_take(&s->texels, &pass->write[0], &s->copy));
  ASSERT_OK(texels_read(&s->texels, &s->copy, 0, 0, 8, 5, floats));
  assert_string_equal(pass->write[0].quantities[1].name, "free");
  for (int cell = 0; cell < 40; cell++) {
    int64_t i = texels_particle(&s->copy.array, cell % 8, cell / 8);
    double most = 0;
    for (int64_t k = 0; i >= 0 && k < N; k++) {
      double r2 = 0;
      for (int c = 0; c < 3; c++) r2 += (x[3 * k + c] - x[3 * i + c]) * (x[3 * k + c] - x[3 * i + c]);
      if (k != i) most = fmax(most, 1 / r2);
    }
    if (i >= 0) check_number("1 / distance^2", (double)floats[TEXELS_FLOATS * cell + 3], most, most);
    s->checked++;
  }
}

static void test_exercise(void **state)
{
  (void)state;
  char folder[] = "/tmp/hb_exercise_XXXXXX", command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command,
           "cp -r shaders/. %s && patch -s -d %s -p1 <shaders/exercises/2_nearest_neighbor.diff", folder,
           folder);
  assert_int_equal(system(command), 0);
  setenv("HB_SHADER_DIR", folder, 1);
  assert_int_equal(seen_by("cg2007", NULL, NULL, 0, N, on_exercise).passes, N - 1);
  unsetenv("HB_SHADER_DIR");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* ---- matrix2004 ---- */

/* Level after level: row y holds the terms of all sources that folding has put there. */
static void expect_matrix(const struct seen *s, const struct hb_gl_trace_pass *pass, int64_t i,
                          int64_t source, int row, double f[7], double size[7])
{
  (void)s, (void)pass;
  if (source >= 0) {
    feel(i, source, f, size);
    return;
  }
  int rows[8] = {N}, levels = 0;
  while (rows[levels] > 1 && rows[levels] != pass->write[0].rows) {
    rows[levels + 1] = (rows[levels] + 1) / 2;
    levels++;
  }
  for (int j0 = 0; j0 < N; j0++) {
    int y = j0;
    for (int k = 0; k < levels; k++)
      if (y >= rows[k + 1]) y -= rows[k + 1];
    if (y == row) feel(i, j0, f, size);
  }
}

static void on_matrix(void *context, const struct hb_gl_trace_pass *pass)
{
  watch(context, pass, expect_matrix);
}

static void test_matrix(void **state)
{
  (void)state;
  static const char *const precisions[] = {"single", "ds"};
  for (int k = 0; k < 2; k++) {
    struct seen s = seen_by("matrix2004", precisions[k], NULL, 0, N, on_matrix);
    assert_int_equal(s.passes, 1 + 6 + 1); /* 37 19 10 5 3 2 1, and the sum into the totals */
    assert_int_equal(s.pairs, N * N);
    if (k) continue;
    /* a pair: a number, two particles of 32 bytes and a total of 32; then 37 + 19 + 10 + 5 + 3 + 2 rows read */
    assert_int_equal(s.read_bytes, N * (N * 68 + 76 * 32 + 64));
    assert_int_equal(s.written_bytes, N * (N * 32 + (19 + 10 + 5 + 3 + 2 + 1) * 32 + 32));
  }
  seen_by("matrix2004", "single", NULL, 0, 11, on_matrix);
}

/* ---- bag and tile ---- */

static void expect_first_sources(const struct seen *s, const struct hb_gl_trace_pass *pass, int64_t i,
                                 int64_t source, int row, double f[7], double size[7])
{
  (void)pass, (void)source, (void)row;
  for (int64_t j0 = 0; j0 < (int64_t)(s->pairs / s->ni); j0++) feel(i, j0, f, size);
}

static void on_bag(void *context, const struct hb_gl_trace_pass *pass)
{
  watch(context, pass, expect_first_sources);
}

static void test_bag(void **state)
{
  (void)state;
  static const char *const outputs[] = {"i_each=4 partial=4 unroll=2 threads=1 bag=8 output=targets",
                                        "i_each=4 partial=4 unroll=2 threads=1 bag=8 output=storage"};
  static const char *const precisions[] = {"single", "double"};
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < 2; k++) {
      if (pairs_lacks_a(precisions[p])) continue;
      if (p && !k) continue; /* doubles of four sinks are more outputs than a fragment has */
      struct seen s = seen_by("bag", precisions[p], outputs[k], 0, N, on_bag);
      assert_int_equal(s.passes, 5);
      assert_int_equal(s.pairs, N * N);
      assert_int_equal(seen_by("bag", precisions[p], outputs[k], 0, 16, on_bag).pairs, 16 * N);
    }
  pairs_skip_if_lacking();
}

static void test_tile(void **state)
{
  (void)state;
  struct seen s = seen_by("tile", "single", "workgroup=64", 0, N, on_bag);
  assert_int_equal(s.passes, 1);
  assert_int_equal(s.pairs, N * N);
}

/* ---- costs ---- */

enum { MANY = 1024 };

static void on_any(void *context, const struct hb_gl_trace_pass *pass) { count(context, pass); }

/* The row of the table in shaders/README.md says what is counted. */
static void check_row(const char *scheme, const char *tuning)
{
  static double mm[MANY], xx[3 * MANY], vv[3 * MANY], f[7 * MANY];
  static uint32_t index[MANY];
  for (uint32_t k = 0; k < MANY; k++) {
    mm[k] = 1.0 / MANY;
    for (uint32_t c = 0; c < 3; c++) xx[3 * k + c] = sin(3.7 * k + 2 * c);
    index[k] = k;
  }
  struct hb_force *force = open_scheme(scheme, "single", tuning, 0);
  ASSERT_OK(hb_force_set_j(force, MANY, mm, xx, vv));
  struct seen s;
  for (int k = 0; k < 3;
       k++) { /* the first walk's time is that of compiling, and may cut the next one short */
    s = (struct seen){0};
    const struct hb_gl_trace ours = {on_any, &s};
    hb_gl_trace = &ours;
    ASSERT_OK(hb_force_eval(force, MANY, index, f, f + 3 * MANY, f + 6 * MANY));
    hb_gl_trace = NULL;
  }
  hb_force_close(force);
  char row[160];
  double pairs = (double)s.pairs;
  snprintf(row, sizeof row, "| `%s` | %d | %.3g texels, %.3g bytes | %.3g texels, %.3g bytes |", scheme,
           s.draws, (double)s.read_texels / pairs, (double)s.read_bytes / pairs,
           (double)s.written_texels / pairs, (double)s.written_bytes / pairs);
  size_t length;
  char *text = support_read("shaders/README.md", &length);
  assert_non_null(text);
  if (!strstr(text, row)) fail_msg("shaders/README.md has no row %s", row);
  free(text);
}

static void test_costs(void **state)
{
  (void)state;
  check_row("cg2007", NULL);
  check_row("matrix2004", NULL);
  check_row("bag", "i_each=4 threads=1 output=targets width=128");
  check_row("tile", "i_each=1 threads=1 body_threads=1 workgroup=256");
}

int main(void)
{
  make_particles();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cg2007),   cmocka_unit_test(test_cg2007_in_place),
      cmocka_unit_test(test_exercise), cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_bag),      cmocka_unit_test(test_tile),
      cmocka_unit_test(test_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
