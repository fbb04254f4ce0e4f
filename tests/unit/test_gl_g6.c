/* GRAPE-6's calls, and the others of src/lib, on OpenGL. */
#include "base/parallel.h"
#include "gl/gl.h"
#include "support/g6_case.h"
#include "support/pairs_case.h"
#include "support/siblings_case.h"
#include "support/sixth_case.h"
#include "support/support.h"

#include <holmberg/g6.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DS = 1e-6; /* float pairs of double-single positions */

static void test_bag(void **state)
{
  (void)state;
  g6_case_run(&(struct g6_case){"bag", "ds", DS});
}

static void test_tile(void **state)
{
  (void)state;
  if (!pairs_context()->caps.has_compute) skip();
  g6_case_run(&(struct g6_case){"tile", "ds", DS});
}

static struct g6_particles p;
static struct g6_sinks s;

/* Forces, nearest neighbors and lists of a block that is new to the device. */
static int whole_call(double t, int nearest[30], int *neighbors)
{
  int list[100], count;
  g6_set_ti(0, t);
  g6_send_one(0, 5, &p, 5);
  g6_sinks_make(&p, 30, t, &s);
  for (int i = 0; i < 30; i++) s.h2[i] = 0.1;
  g6calc_firsthalf(0, 100, 30, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
  int code = g6calc_lasthalf2(0, 100, 30, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot, nearest);
  if (code == 0) code = g6_read_neighbour_list(0);
  *neighbors = 0;
  for (int i = 0; i < 30 && code == 0; i++) {
    code = g6_get_neighbour_list(0, i, 100, &count, list);
    *neighbors += count;
  }
  return code;
}

/* One draw of a call is lost, the first, the second, ...: it is asked again, and right. */
static void test_lost_draws(void **state)
{
  (void)state;
  int expected[30], nearest[30], neighbors, expected_neighbors;
  setenv("HB_G6_SCHEME", "bag", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  g6_particles_make(100, &p);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  assert_int_equal(whole_call(0.0625, expected, &expected_neighbors), 0);
  int draws = 0;
  for (int lost = 0; lost <= draws; lost++) { /* 0: to count them */
    int none;
    assert_int_equal(whole_call(0, nearest, &none), 0); /* the next one has to predict */
    pairs_draws_begin(lost);
    int code = whole_call(0.0625, nearest, &neighbors), made = pairs_draws_end();
    if (lost == 0) draws = made;
    if (code != 0) fail_msg("draw %d was lost: %s", lost, g6_error());
    double error = g6_error_of(&p, 100, 0.0625, 0.01, &s);
    if (!(error < DS)) fail_msg("draw %d was lost, error %g", lost, error);
    assert_memory_equal(nearest, expected, sizeof expected);
    assert_int_equal(neighbors, expected_neighbors);
  }
  /* sends, predicts (both are the host's where nothing counts them), walks, finds the nearest and the lists */
  expect_at_least(draws, pairs_context()->caps.has_compute && pairs_context()->caps.has_counts ? 5 : 3);
  g6_close(0);
}

/* The same for NBODY6's block: its neighbors are found, and its forces summed, once more. */
static void test_lost_draws_of_blocks(void **state)
{
  (void)state;
  enum { N = 100, ROW = 64 };
  const int n = N, row = ROW, most = ROW - 1;
  static double h2[N], dtr[N], acc[2][N][3], jerk[N][3], pot[N];
  static int list[2][N][ROW];
  setenv("HB_G6_SCHEME", "bag", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  g6_particles_make(N, &p);
  for (int i = 0; i < N; i++) h2[i] = N * 0.1;
  gpunb_open_(&n);
  int draws = 0;
  for (int lost = 0; lost <= draws; lost++) {
    int k = lost > 0;
    gpunb_send_(&n, p.m, p.x, p.v);
    pairs_draws_begin(lost);
    gpunb_regf_(&n, h2, dtr, p.x, p.v, acc[k], jerk, pot, &row, &most, list[k][0]);
    int made = pairs_draws_end();
    if (lost == 0) draws = made;
    assert_memory_equal(list[k], list[0], sizeof *list);
    for (int i = 0; i < N; i++)
      for (int d = 0; d < 3; d++) expect_equal(acc[k][i][d] - acc[0][i][d], 0);
  }
  expect_at_least(draws, 3); /* the nearest, candidates, forces */
  gpunb_close_();
}

/* ---- waits ---- */

static struct {
  PFNGLCLIENTWAITSYNCPROC wait;
  PFNGLGETQUERYOBJECTUIVPROC query;
  PFNGLGETBUFFERSUBDATAPROC read;
  void(GLAPIENTRY *finish)(void);
  void(GLAPIENTRY *read_pixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
  GLsync last;
  int count;
} real;

static GLenum GLAPIENTRY wait_for(GLsync fence, GLbitfield flags, GLuint64 timeout)
{
  real.count += fence != real.last; /* it is asked again and again */
  real.last = fence;
  return real.wait(fence, flags, timeout);
}

static void GLAPIENTRY query(GLuint id, GLenum name, GLuint *value)
{
  real.count++;
  real.query(id, name, value);
}

static void GLAPIENTRY read_buffer(GLenum target, GLintptr offset, GLsizeiptr bytes, void *data)
{
  real.count++;
  real.read(target, offset, bytes, data);
}

static void GLAPIENTRY finish(void)
{
  real.count++;
  real.finish();
}

static void GLAPIENTRY read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                                   GLenum type, void *data)
{
  real.count++;
  real.read_pixels(x, y, width, height, format, type, data);
}

static void waits_begin(void)
{
  real.wait = hb_gl_since_12.__glewClientWaitSync;
  real.query = hb_gl_since_12.__glewGetQueryObjectuiv;
  real.read = hb_gl_since_12.__glewGetBufferSubData;
  real.finish = hb_gl_core_11.Finish;
  real.read_pixels = hb_gl_core_11.ReadPixels;
  real.count = 0;
  real.last = NULL;
  hb_gl_since_12.__glewClientWaitSync = wait_for;
  hb_gl_since_12.__glewGetQueryObjectuiv = query;
  hb_gl_since_12.__glewGetBufferSubData = read_buffer;
  hb_gl_core_11.Finish = finish;
  hb_gl_core_11.ReadPixels = read_pixels;
}

static int waits_end(void)
{
  hb_gl_since_12.__glewClientWaitSync = real.wait;
  hb_gl_since_12.__glewGetQueryObjectuiv = real.query;
  hb_gl_since_12.__glewGetBufferSubData = real.read;
  hb_gl_core_11.Finish = real.finish;
  hb_gl_core_11.ReadPixels = real.read_pixels;
  return real.count;
}

/* Particles are sent, stored and predicted, forces summed: only these are waited for. */
static void test_one_wait(void **state)
{
  (void)state;
  if (!pairs_context()->caps.has_compute || !pairs_context()->caps.has_lasting_maps) skip();
  setenv("HB_G6_SCHEME", "tile", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  g6_particles_make(100, &p);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  for (int call = 0; call < 6; call++) {
    double t = 0.0625 * call;
    int ni = call % 2 ? 1 : 30;
    for (int k = 0; k < 20; k++) g6_send_one(0, 5 * k, &p, 5 * k);
    g6_sinks_make(&p, ni, t, &s);
    waits_begin();
    g6_set_ti(0, t);
    g6calc_firsthalf(0, 100, ni, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
    int code = g6calc_lasthalf(0, 100, ni, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot);
    int waits = waits_end();
    assert_int_equal(code, 0);
    if (call >= 2)
      expect_at_most(waits, 1); /* the first calls compile; where results are polled there is none */
    expect_below(g6_error_of(&p, 100, t, 0.01, &s), DS);
  }
  g6_close(0);
}

/* ---- calls with many sinks, the loops of which are shared by threads ---- */

enum { MANY = 20000, SOURCES = 100 };

static struct many {
  int index[MANY];
  double x[MANY][3], v[MANY][3], h2[MANY], acc[MANY][3], jerk[MANY][3], pot[MANY];
} many, other;

/* Sinks in and around the particles; some of them are particles. */
static void make_many(struct many *c)
{
  memset(c, 0, sizeof *c);
  for (int i = 0; i < MANY; i++) {
    c->index[i] = i % 7 ? -1 : p.index[i % SOURCES];
    for (int d = 0; d < 3; d++) {
      c->x[i][d] = p.x[i % SOURCES][d] + (i % 7 ? 1e-4 * (i / SOURCES) : 0);
      c->v[i][d] = p.v[i % SOURCES][d];
    }
  }
}

static int call_many(struct many *c, int threads)
{
  hb_parallel_set_threads(threads);
  g6_set_ti(0, 0);
  g6calc_firsthalf(0, SOURCES, MANY, c->index, c->x, c->v, c->acc, c->jerk, c->pot, 0.01, c->h2);
  int code = g6calc_lasthalf(0, SOURCES, MANY, c->index, c->x, c->v, 0.01, c->h2, c->acc, c->jerk, c->pot);
  hb_parallel_set_threads(0);
  return code;
}

/* The bits of one thread, also after a lost draw; and what is said of a sink that is too far away is said of the first. */
static void test_many_sinks(void **state)
{
  (void)state;
  setenv("HB_G6_SCHEME", pairs_context()->caps.has_compute ? "tile" : "bag", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  g6_particles_make(SOURCES, &p);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  make_many(&many);
  make_many(&other);
  assert_int_equal(call_many(&many, 1), 0);
  assert_int_equal(call_many(&other, 4), 0);
  assert_memory_equal(&many, &other, sizeof many);
  expect_below(many.pot[MANY - 1], 0);
  for (int i = 0; i < MANY; i++) other.x[i][0] += 1;
  assert_int_equal(call_many(&other, 4), 0); /* other results, which must not stay */
  make_many(&other);
  pairs_draws_begin(1); /* nothing was sent: the walk */
  assert_int_equal(call_many(&other, 4), 0);
  expect_at_least(pairs_draws_end(), 1);
  assert_memory_equal(&many, &other, sizeof many);
  other.x[12000][1] = 1e30;
  other.x[7000][2] = NAN;
  other.v[19000][0] = 1e30;
  assert_int_not_equal(call_many(&other, 4), 0);
  assert_non_null(strstr(g6_error(), "point 7000 has z = "));
  assert_true(isnan(other.pot[MANY - 1]));
  g6_close(0);
}

static void test_siblings(void **state)
{
  (void)state;
  setenv("HB_G6_PRECISION", "ds", 1);
  siblings_case_run("bag", DS);
}

static void test_sixth(void **state)
{
  (void)state;
  setenv("HB_G6_PRECISION", "ds", 1);
  sixth_case_run("bag", DS);
  unsetenv("HB_G6_PRECISION");
  if (pairs_context()->caps.has_double) sixth_case_run("bag", 1e-8); /* it is double then */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),        cmocka_unit_test(test_tile),
      cmocka_unit_test(test_lost_draws), cmocka_unit_test(test_lost_draws_of_blocks),
      cmocka_unit_test(test_one_wait),   cmocka_unit_test(test_many_sinks),
      cmocka_unit_test(test_siblings),   cmocka_unit_test(test_sixth),
  };
  setenv("HB_G6_QUIET", "1", 1);
  return RUN_TESTS(tests, 1, NULL, NULL);
}
