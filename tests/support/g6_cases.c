/* The tests of GRAPE-6's calls, each for a scheme. */
#include "support/g6_case.h"
#include "support/support.h"

#include <holmberg/g6.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct g6_case *the_case;
static struct g6_particles p;
static struct g6_sinks s;

static const double NOW = 0.0625;

static void require(const char *what, double error)
{
  if (error <= the_case->tolerance) return;
  fail_msg("%s, %s %s: error %g, expected at most %g", what, the_case->scheme, the_case->precision, error,
           the_case->tolerance);
}

static void first(int nj, double eps2)
{
  g6calc_firsthalf(0, nj, s.n, s.index, s.x, s.v, s.acc, s.jerk, s.pot, eps2, s.h2);
}

static void last(int nj, double eps2)
{
  int code = g6calc_lasthalf2(0, nj, s.n, s.index, s.x, s.v, eps2, s.h2, s.acc, s.jerk, s.pot, s.nearest);
  if (code != 0) fail_msg("g6calc_lasthalf2: %d, %s", code, g6_error());
}

static void both(int nj, double eps2)
{
  first(nj, eps2);
  last(nj, eps2);
}

static void begin(int n, int ni)
{
  g6_particles_make(n, &p);
  g6_sinks_make(&p, ni, NOW, &s);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  assert_int_equal(g6_set_ti(0, NOW), 0);
}

static void end(void) { assert_int_equal(g6_close(0), 0); }

/* ---- forces ---- */

static void test_forces(void)
{
  begin(300, 100);
  both(300, 1.0 / 4096);
  require("forces", g6_error_of(&p, 300, NOW, 1.0 / 4096, &s));
  both(300, 0); /* another softening */
  require("forces without softening", g6_error_of(&p, 300, NOW, 0, &s));
  both(150, 0.01);
  require("forces of the first half of the memory", g6_error_of(&p, 150, NOW, 0.01, &s));
  s.index[0] = -1; /* a point that is nobody */
  s.x[0][0] += 0.01;
  s.nearest[1] = 0;
  both(300, 0.01);
  require("forces on a point", g6_error_of(&p, 300, NOW, 0.01, &s));
  /* the measure is not blind: a particle more or less, half the jerk, a wrong time */
  expect_above(g6_error_of(&p, 299, NOW, 0.01, &s), 1e-4);
  expect_above(g6_error_of(&p, 300, NOW + 1e-3, 0.01, &s), 1e-4);
  end();
}

/* A whole block in pieces of g6_npipes(), after one g6_set_ti. */
static void test_pieces(void)
{
  static struct g6_sinks all;
  begin(300, 0);
  g6_sinks_make(&p, 130, NOW, &all);
  int pipes = g6_npipes();
  assert_int_equal(pipes, 48);
  for (int from = 0; from < all.n; from += pipes) {
    int ni = all.n - from < pipes ? all.n - from : pipes;
    g6calc_firsthalf(0, 300, ni, all.index + from, all.x + from, all.v + from, all.acc + from,
                     all.jerk + from, all.pot + from, 0.001, all.h2 + from);
    assert_int_equal(g6calc_lasthalf(0, 300, ni, all.index + from, all.x + from, all.v + from, 0.001,
                                     all.h2 + from, all.acc + from, all.jerk + from, all.pot + from),
                     0);
  }
  require("pieces", g6_error_of(&p, 300, NOW, 0.001, &all));
  end();
}

/* ---- what is sent, and when ---- */

static void test_times(void)
{
  static double x[G6_MOST][3], v[G6_MOST][3];
  begin(120, 40);
  /* sent after g6_set_ti, it is predicted all the same */
  p.x[60][0] += 0.25;
  p.t[60] -= 0.125;
  g6_send_one(0, 60, &p, 60);
  both(120, 0.01);
  require("a particle sent after the time", g6_error_of(&p, 120, NOW, 0.01, &s));
  /* sent again, and once more */
  p.m[61] *= 8;
  g6_send_one(0, 61, &p, 61);
  p.x[61][2] = -0.5;
  g6_send_one(0, 61, &p, 61);
  both(120, 0.01);
  require("a particle sent twice", g6_error_of(&p, 120, NOW, 0.01, &s));
  g6_set_ti(0, -0.03125);
  g6_sinks_make(&p, 40, -0.03125, &s);
  both(120, 0.01);
  require("another time", g6_error_of(&p, 120, -0.03125, 0.01, &s));
  assert_int_equal(g6_get_predicted_j_particles(0, 120, x, v), 0);
  for (int k = 0; k < 120; k++) {
    double y[3], w[3];
    g6_place(&p, k, -0.03125, y, w);
    for (int d = 0; d < 3; d++) expect_below(fabs(x[k][d] - y[d]) + fabs(v[k][d] - w[d]), 1e-13);
  }
  end();
}

/* Addresses that were left out count for nothing, and forces of nobody are zero. */
static void test_memory(void)
{
  g6_particles_make(120, &p);
  g6_sinks_make(&p, 20, NOW, &s);
  assert_int_equal(g6_open(0), 0);
  g6_set_ti(0, NOW);
  s.acc[3][1] = s.jerk[4][0] = s.pot[5] = 17;
  both(1, 0.01); /* an empty memory */
  for (int i = 0; i < 20; i++) {
    expect_equal(s.acc[i][0], 0);
    expect_equal(s.acc[i][1], 0);
    expect_equal(s.acc[i][2], 0);
    expect_equal(s.jerk[i][0], 0);
    expect_equal(s.pot[i], 0);
    assert_int_equal(s.nearest[i], -1);
  }
  for (int k = 0; k < 120; k++) g6_send_one(0, 3 * k + 2, &p, k);
  memset(s.x[0], 0, sizeof s.x[0]); /* no particle of a gap is at the origin */
  both(3 * 120, 0);
  require("with gaps", g6_error_of(&p, 120, NOW, 0, &s));
  both(1 << 20, 0);
  require("more than there are", g6_error_of(&p, 120, NOW, 0, &s));
  both(0, 0);
  expect_equal(s.acc[7][0], 0);
  expect_equal(s.jerk[7][1], 0);
  expect_equal(s.pot[7], 0);
  s.n = 0;
  s.pot[0] = 17;
  both(120, 0);
  expect_equal(s.pot[0], 17);
  end();
}

/* ---- which particle is which ---- */

static void test_index(void)
{
  begin(100, 50);
  for (int k = 0; k < 100; k++) p.index[k] = 16777216 + k; /* the same floats in pairs */
  p.index[7] = -2147483647 - 1;
  g6_sinks_make(&p, 50, NOW, &s);
  g6_send(0, &p);
  both(100, 0);
  require("large indices", g6_error_of(&p, 100, NOW, 0, &s));
  for (int k = 40; k < 50; k++) p.index[k] = 5; /* ten of one name leave out each other */
  for (int k = 40; k < 50; k++) g6_send_one(0, k, &p, k);
  g6_sinks_make(&p, 50, NOW, &s);
  both(100, 0);
  require("twins", g6_error_of(&p, 100, NOW, 0, &s));
  for (int i = 40; i < 50; i++) assert_int_not_equal(s.nearest[i], 5);
  for (int k = 40; k < 50; k++) p.index[k] = 1000 + k; /* and get names of their own again */
  for (int k = 40; k < 50; k++) g6_send_one(0, k, &p, k);
  g6_sinks_make(&p, 50, NOW, &s);
  both(100, 0);
  require("renamed", g6_error_of(&p, 100, NOW, 0, &s));
  end();
}

/* ---- neighbors ---- */

static double square_distance(int k, int i)
{
  double x[3], v[3];
  g6_place(&p, k, NOW, x, v);
  double dx = x[0] - s.x[i][0], dy = x[1] - s.x[i][1], dz = x[2] - s.x[i][2];
  return dx * dx + dy * dy + dz * dz;
}

static void check_list(int i, int most)
{
  int list[G6_MOST], count = -1, expected = 0;
  int code = g6_get_neighbour_list(0, i, most, &count, list);
  for (int k = 0; k < p.n; k++) {
    if (p.index[k] == s.index[i] || !(square_distance(k, i) < s.h2[i])) continue;
    if (expected < most) assert_int_equal(list[expected], p.index[k]); /* indices ascend with k */
    expected++;
  }
  assert_int_equal(code, expected > most);
  assert_int_equal(count, expected > most ? most : expected);
}

static void test_neighbors(void)
{
  float distance[G6_MOST];
  begin(200, 60);
  for (int d = 0; d < 3; d++) p.x[70][d] = p.x[71][d] = s.x[9][d]; /* three at one place */
  for (int k = 70; k < 72; k++) {
    p.t[k] = NOW;
    g6_send_one(0, k, &p, k);
  }
  for (int i = 0; i < 60; i++) s.h2[i] = i % 4 == 0 ? 0 : i % 4 == 1 ? 100 : i % 4 == 2 ? 0.09 : 1e-6;
  first(200, 0.25);
  assert_int_equal(g6calc_lasthalf2p(0, 200, s.n, s.index, s.x, s.v, 0.25, s.h2, s.acc, s.jerk, s.pot,
                                     s.nearest, distance),
                   0);
  for (int i = 0; i < 60; i++) {
    int best = -1;
    for (int k = 0; k < 200; k++)
      if (p.index[k] != s.index[i] && (best < 0 || square_distance(k, i) < square_distance(best, i)))
        best = k;
    assert_int_equal(s.nearest[i], p.index[best]);
    expect_below(fabs(distance[i] - sqrt(square_distance(best, i) + 0.25)), 1e-6);
  }
  assert_int_equal(s.nearest[9], p.index[70]);
  assert_int_equal(g6_read_neighbour_list(0), 0);
  for (int i = 0; i < 60; i++) check_list(i, G6_MOST);
  check_list(1, 199);
  check_list(1, 198);
  check_list(1, 0);
  end();
}

/* ---- particles without mass, which are no sources where they are many ---- */

static void require_nearest(void)
{
  for (int i = 0; i < s.n; i++) {
    int best = -1;
    for (int k = 0; k < p.n; k++)
      if (p.index[k] != s.index[i] && (best < 0 || square_distance(k, i) < square_distance(best, i)))
        best = k;
    assert_int_equal(s.nearest[i], p.index[best]);
  }
}

static void test_massless(void)
{
  const double mass = 1.0 / 16;
  begin(300, 100);
  for (int k = 0; k < 300; k++) p.m[k] = k % 20 == 7 ? mass : 0;
  g6_send(0, &p);
  both(300, 1.0 / 4096);
  require("15 of 300 with mass", g6_error_of(&p, 300, NOW, 1.0 / 4096, &s));
  require_nearest();
  both(100, 0.01);
  require("5 of 100", g6_error_of(&p, 100, NOW, 0.01, &s));
  both(7, 0.01);
  require("none of 7", g6_error_of(&p, 7, NOW, 0.01, &s));
  p.m[7] = 0, p.m[60] = p.m[3] = mass;
  g6_send_one(0, 7, &p, 7);
  g6_send_one(0, 60, &p, 60);
  g6_send_one(0, 3, &p, 3);
  both(300, 0.01);
  require("others with mass", g6_error_of(&p, 300, NOW, 0.01, &s));
  p.x[60][1] += 0.5;
  g6_send_one(0, 60, &p, 60);
  both(300, 0);
  require("one that moved", g6_error_of(&p, 300, NOW, 0, &s));
  g6_particles_make(300, &p);
  g6_send(0, &p);
  both(300, 0.01);
  require("all have mass again", g6_error_of(&p, 300, NOW, 0.01, &s));
  require_nearest();
  end();
}

/* ---- programs' habits ---- */

static void test_aliases(void)
{
  double both_at_once[G6_MOST][3];
  begin(100, 30);
  first(100, 0.01);
  memset(s.x, 0, sizeof s.x); /* what the first half was given is copied */
  last(100, 0.01);
  g6_sinks_make(&p, 30, NOW, &s);
  struct g6_sinks *again = &s;
  both(100, 0.01);
  require("again", g6_error_of(&p, 100, NOW, 0.01, again));
  struct g6_sinks kept = s;
  g6calc_firsthalf(0, 100, 30, s.index, s.x, s.v, both_at_once, both_at_once, s.pot, 0.01, s.h2);
  assert_int_equal(
      g6calc_lasthalf(0, 100, 30, s.index, s.x, s.v, 0.01, s.h2, both_at_once, both_at_once, s.pot), 0);
  assert_memory_equal(both_at_once, kept.jerk, 30 * sizeof *kept.jerk); /* written last */
  /* discarded: a first half of other particles, and one of another number */
  g6calc_firsthalf(0, 50, 30, s.index, s.v, s.x, s.acc, s.jerk, s.pot, 1, s.h2);
  first(100, 0.01);
  last(100, 0.01);
  assert_memory_equal(s.acc, kept.acc, 30 * sizeof *kept.acc);
  g6calc_firsthalf(0, 100, 7, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
  memset(s.acc, 0, sizeof s.acc);
  last(100, 0.01);
  assert_memory_equal(s.acc, kept.acc, 30 * sizeof *kept.acc);
  memset(s.jerk, 0, sizeof s.jerk);
  last(100, 0.01); /* no first half at all */
  assert_memory_equal(s.jerk, kept.jerk, 30 * sizeof *kept.jerk);
  first(100, 0.01); /* and a last one that never comes */
  end();
}

static void test_fortran(void)
{
  const int zero = 0, n = 100, ni = 30, most = G6_MOST, pipe = 2, size = 300;
  const double ti = NOW, eps2 = 0.01, none = 0, unit = 48;
  struct g6_sinks kept;
  begin(100, 30);
  for (int i = 0; i < 30; i++) s.h2[i] = 0.5;
  both(100, 0.01);
  kept = s;
  assert_int_equal(g6_read_neighbour_list(0), 0);
  int list[2][G6_MOST], count[2];
  assert_int_equal(g6_get_neighbour_list(0, 2, G6_MOST, &count[0], list[0]), 0);
  end();
  assert_int_equal(g6_open_(NULL), 0);
  assert_int_equal(g6_set_tunit_(&unit), 0);
  assert_int_equal(g6_set_xunit_(NULL), 0);
  assert_int_equal(g6_initialize_jp_buffer_(&zero, &size), 0);
  for (int k = 0; k < 100; k++) {
    double a2by18[3], a1by6[3], aby2[3];
    for (int d = 0; d < 3; d++) {
      a2by18[d] = p.s[k][d] / 18;
      a1by6[d] = p.j[k][d] / 6;
      aby2[d] = p.a[k][d] / 2;
    }
    assert_int_equal(g6_set_j_particle_(&zero, &k, &p.index[k], &p.t[k], &none, &p.m[k], a2by18, a1by6, aby2,
                                        p.v[k], p.x[k]),
                     0);
  }
  assert_int_equal(g6_flush_jp_buffer_(&zero), 0);
  assert_int_equal(g6_set_ti_(&zero, &ti), 0);
  memset(s.acc, 0, sizeof s.acc);
  g6calc_firsthalf_(NULL, &n, &ni, s.index, s.x, s.v, s.acc, s.jerk, s.pot, &eps2, s.h2);
  assert_int_equal(
      g6calc_lasthalf2_(NULL, &n, &ni, s.index, s.x, s.v, &eps2, s.h2, s.acc, s.jerk, s.pot, s.nearest), 0);
  assert_memory_equal(&s, &kept, sizeof s);
  assert_int_equal(g6_read_neighbour_list_(&zero), 0);
  assert_int_equal(g6_get_neighbour_list_(&zero, &pipe, &most, &count[1], list[1]), 0);
  expect_above(count[0], 0);
  expect_equal(count[0], count[1]);
  assert_memory_equal(list[0], list[1], (size_t)count[0] * sizeof **list);
  assert_int_equal(g6_npipes_(), g6_npipes());
  assert_int_equal(g6_close_(&zero), 0);
}

void g6_case_run(const struct g6_case *c)
{
  the_case = c;
  setenv("HB_G6_SCHEME", c->scheme, 1);
  setenv("HB_G6_PRECISION", c->precision, 1);
  test_forces();
  test_pieces();
  test_times();
  test_memory();
  test_index();
  test_neighbors();
  test_massless();
  test_aliases();
  test_fortran();
}
