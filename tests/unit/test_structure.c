/* Density centre, core, Lagrangian radii, angular momentum and hard binaries of systems whose values are known. */
#include "base/parallel.h"
#include "support/support.h"

#include "base/mem.h"
#include "base/rng.h"
#include "core/binaries.h"
#include "core/diagnostics.h"
#include "core/kdtree.h"
#include "core/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- neighbours -------------------------------------------------------------------------------------- */

static void scatter(size_t n, double *x)
{
  struct hb_rng rng = hb_rng_seeded(n);
  for (size_t k = 0; k < 3 * n; k++) x[k] = hb_rng_uniform(&rng);
}

/* The k nearest by looking at all, as the tree has to find them. */
static size_t look_at_all(size_t n, const double *x, size_t i, size_t k, double *r2)
{
  size_t found = 0;
  for (size_t j = 0; j < n; j++) {
    double d = 0;
    for (int c = 0; c < 3; c++) d += (x[3 * j + c] - x[3 * i + c]) * (x[3 * j + c] - x[3 * i + c]);
    if (j == i || (found == k && d >= r2[k - 1])) continue;
    size_t at = found < k ? found++ : k - 1;
    for (; at > 0 && r2[at - 1] > d; at--) r2[at] = r2[at - 1];
    r2[at] = d;
  }
  return found;
}

static void expect_neighbours(size_t n, const double *x)
{
  struct hb_kdtree *tree;
  ASSERT_OK(hb_kdtree_create(n, x, &tree));
  for (size_t place = 0; place < n; place++) {
    uint32_t index[7];
    double found[7], expected[7];
    size_t i = tree->index[place], count = look_at_all(n, x, i, 7, expected);
    assert_int_equal(hb_kdtree_nearest(tree, place, 7, index, found), count);
    assert_memory_equal(found, expected, count * sizeof *found);
    for (size_t k = 0; k < count; k++) {
      expect_other(index[k], i);
      expect_below(index[k], n);
    }
  }
  hb_kdtree_destroy(tree);
}

static void tree_finds_what_looking_at_all_finds(void **state)
{
  (void)state;
  static double x[3 * 1000];
  const size_t counts[] = {1, 2, 7, 8, 9, 17, 100, 1000};
  for (size_t k = 0; k < COUNT_OF(counts); k++) {
    scatter(counts[k], x);
    expect_neighbours(counts[k], x);
  }
  for (size_t k = 0; k < 3 * 1000; k++) x[k] = floor(4 * x[k]); /* many in one place, on planes and lines */
  expect_neighbours(1000, x);
  for (size_t k = 0; k < 3 * 1000; k++)
    x[k] = k % 3 ? 0 : (double)(k < 1500 ? k : 3000 - k); /* there and back */
  expect_neighbours(1000, x);
  memset(x, 0, sizeof x);
  expect_neighbours(1000, x);
}

static void tree_does_not_depend_on_threads(void **state)
{
  (void)state;
  enum { N = 50000 };
  static double x[3 * N];
  struct hb_kdtree *one, *many;
  scatter(N, x);
  hb_parallel_set_threads(1);
  ASSERT_OK(hb_kdtree_create(N, x, &one));
  hb_parallel_set_threads(4);
  ASSERT_OK(hb_kdtree_create(N, x, &many));
  hb_parallel_set_threads(0);
  assert_memory_equal(one->index, many->index, N * sizeof *one->index);
  assert_memory_equal(one->axis, many->axis, N);
  hb_kdtree_destroy(one);
  hb_kdtree_destroy(many);
}

/* ---- Plummer's sphere -------------------------------------------------------------------------------- */

enum { N_PLUMMER = 16384 };

static const double a_plummer = 0.58904862254808623221; /* 3 pi / 16 in units of Heggie & Mathieu (1986) */

static struct hb_particles *plummer(size_t n)
{
  struct hb_particles *p;
  const struct hb_ic_params params = {.n = n, .seed = 7, .scaling = HB_IC_SCALING_MODEL};
  ASSERT_OK(hb_ic_make("plummer", &params, &p));
  return p;
}

static void shift(struct hb_particles *p, const double by[3])
{
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] += by[k % 3];
}

/* Three standard deviations of the k-th of n order statistics of the mass f: 3 sqrt(f (1 - f) / n), as a mass; 0.0007 at
 * 1 %, 0.012 at 50 %. Negative control: the same about a centre that is off by the Plummer radius. */
static int holds(double fraction, double r)
{
  double within = pow(r * r / (r * r + a_plummer * a_plummer), 1.5);
  return fabs(within - fraction) <= 3 * sqrt(fraction * (1 - fraction) / N_PLUMMER);
}

static void lagrangian_radii_of_plummer(void **state)
{
  (void)state;
  const double off[3] = {10, -20, 30}, beside[3] = {10 + a_plummer, -20, 30};
  struct hb_particles *p = plummer(N_PLUMMER);
  shift(p, off);
  double *work, radii[HB_LAGRANGE_COUNT];
  ASSERT_OK(HB_ALLOC(2 * p->n, &work));
  hb_lagrangian_radii(p, off, HB_LAGRANGE_COUNT, hb_lagrange_fractions(), work, radii);
  for (int k = 0; k < HB_LAGRANGE_COUNT; k++) {
    assert_true(holds(hb_lagrange_fractions()[k], radii[k]));
    if (k) expect_above(radii[k], radii[k - 1]);
  }
  hb_lagrangian_radii(p, beside, HB_LAGRANGE_COUNT, hb_lagrange_fractions(), work, radii);
  assert_false(holds(0.01, radii[0]) || holds(0.1, radii[3]));
  hb_mem_free(work);
  hb_particles_destroy(p);
}

/* Weights rho over stars of density rho ~ (1 + r^2 / a^2)^(-5/2): r_core = int r^3 rho^2 dr / int r^2 rho^2 dr = 32 a /
 * (15 pi) = 2/5. The mean of N stars scatters by 1 / sqrt(N) of a value of the order of r_core; the estimate of rho by a
 * factor of 1/2, shared by six neighbours, 1.6 times that: three standard deviations are 5 / sqrt(N) = 0.04 of it.
 * Negative control: the mean distance without weights, 1.18. */
static const double core_tolerance = 0.04 * 0.4;

/* The sample is its own mirror image, but for one star that is taken far away: it weighs at most rho(0) / <rho> / N =
 * 4 / N, and six others lose up to a fifth of their weight: 10 / N = 3e-4. Negative control: the centre of mass. */
static const double centre_tolerance = 1e-3;

static double mean_distance(const struct hb_particles *p, const double centre[3])
{
  double sum = 0;
  for (size_t i = 0; i < p->n; i++)
    sum += sqrt(pow(p->x[3 * i] - centre[0], 2) + pow(p->x[3 * i + 1] - centre[1], 2) +
                pow(p->x[3 * i + 2] - centre[2], 2));
  return sum / (double)p->n;
}

static double distance(const double a[3], const double b[3])
{
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void core_of_plummer(void **state)
{
  (void)state;
  const double off[3] = {-3, 5, 100};
  struct hb_particles *p = plummer(2 * N_PLUMMER);
  struct hb_structure s;
  for (size_t k = 0; k < 3 * N_PLUMMER; k++) p->x[k] = -p->x[3 * N_PLUMMER + k];
  shift(p, off);
  p->x[0] += 200, p->m[0] = 0.1; /* an escaper that moves the centre of mass by 18 */
  ASSERT_OK(hb_structure_of(p, 0, &s));
  expect_below(fabs(s.r_core - 0.4), core_tolerance);
  expect_below(distance(s.x_density, off), centre_tolerance);
  expect_above(distance(s.x_mass, off), 10);
  expect_above(fabs(mean_distance(p, off) - 0.4), core_tolerance);
  hb_particles_destroy(p);
}

/* A cubic lattice: all that have six neighbours at distance 1 see five of them within that sphere. */
static void density_counts_five_neighbours(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_surroundings around;
  ASSERT_OK(hb_particles_create(27, &p));
  for (int i = 0; i < 27; i++) {
    const double x[3] = {i % 3, i / 3 % 3, i / 9};
    memcpy(p->x + 3 * i, x, sizeof x);
    p->m[i] = 2;
  }
  p->m[13] = 100; /* its own mass does not count */
  ASSERT_OK(hb_surroundings_find(p, &around));
  double expected = 5 * 2 / (4 * acos(-1) / 3);
  expect_below(fabs(around.rho[13] - expected), 8 * DBL_EPSILON * expected);
  double centre[3], r_core;
  for (int i = 0; i < 27; i++) around.rho[i] = i == 13 || i == 14 ? 3 : 0;
  assert_true(hb_density_center(p, around.rho, centre, &r_core));
  expect_equal(centre[0], 1.5);
  expect_equal(centre[1], 1);
  expect_equal(centre[2], 1);
  expect_equal(r_core, 0.5);
  hb_surroundings_clear(&around);
  hb_particles_destroy(p);
}

/* Without six neighbours, or with seven stars in one place, the centre of mass takes the density centre's part. */
static void density_that_is_not_known(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_structure s;
  for (size_t n = 1; n <= 7; n++) {
    ASSERT_OK(hb_particles_create(n, &p));
    for (size_t i = 0; i < n; i++) p->m[i] = 1, p->x[3 * i] = n == 7 ? 4 : (double)i;
    ASSERT_OK(hb_structure_of(p, 0.01, &s));
    assert_true(isnan(s.r_core) && isnan(s.x_density[0]));
    expect_at_most(s.r_lagrange[0], s.r_lagrange[7]);
    expect_at_most(s.r_lagrange[7], 3);
    hb_particles_destroy(p);
  }
}

/* ---- momentum ---------------------------------------------------------------------------------------- */

/* A ring of mass 2 and radius 3 that turns with 0.5 about the direction (0, 0, 1), displaced by d and moving with u:
 * L = M (d x u) + M r^2 omega. Rounding: some ulps of M r^2 omega = 9. Negative control: the displacement's part. */
static void angular_momentum_of_a_ring(void **state)
{
  (void)state;
  enum { N = 100 };
  const double d[3] = {1, 2, 0}, u[3] = {0, 0.25, 0};
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(N, &p));
  for (int i = 0; i < N; i++) {
    double phi = 2 * acos(-1) * i / N, c = 3 * cos(phi), s = 3 * sin(phi);
    const double x[3] = {d[0] + c, d[1] + s, d[2]}, v[3] = {u[0] - 0.5 * s, u[1] + 0.5 * c, u[2]};
    memcpy(p->x + 3 * i, x, sizeof x);
    memcpy(p->v + 3 * i, v, sizeof v);
    p->m[i] = 2. / N;
  }
  double P[3], L[3], tolerance = 64 * DBL_EPSILON * 9;
  hb_momentum(p, P, L);
  expect_below(fabs(P[0]), tolerance);
  expect_below(fabs(P[1] - 0.5), tolerance);
  expect_below(fabs(P[2]), tolerance);
  expect_below(fabs(L[0]), tolerance);
  expect_below(fabs(L[1]), tolerance);
  expect_below(fabs(L[2] - 9.5), tolerance);
  expect_above(fabs(L[2] - 9), tolerance);
  hb_particles_destroy(p);
}

/* ---- binaries ---------------------------------------------------------------------------------------- */

/* Makes particles i and i + 1 a pair about their centre of mass with separation r along x and speed v along y, at
 * pericentre or apocentre; their old places and velocities, averaged, are those of the pair. */
static void bind(struct hb_particles *p, size_t i, double r, double v)
{
  double *x = p->x + 3 * i, *u = p->v + 3 * i;
  for (int k = 0; k < 3; k++) {
    x[k] = x[3 + k] = (x[k] + x[3 + k]) / 2;
    u[k] = u[3 + k] = (u[k] + u[3 + k]) / 2;
  }
  x[0] -= r / 2, x[3] += r / 2;
  u[1] -= v / 2, u[4] += v / 2;
}

static struct hb_binaries binaries_of(const struct hb_particles *p, double eps2)
{
  struct hb_structure s;
  ASSERT_OK(hb_structure_of(p, eps2, &s));
  return s.binaries;
}

/* A circular pair of masses m: E = -m^2 / (2 a), v^2 = 2 m / a. Separations and velocities of the order of 1 in double,
 * a = 1e-4: 1e4 ulps. Negative control: a pair ten times as wide as E = <E_kin> is bound, and soft. */
static void planted_binaries(void **state)
{
  (void)state;
  enum { N = 2048 };
  const double tolerance = 1e5 * DBL_EPSILON, m = 1. / N, a = 1e-4;
  struct hb_particles *p = plummer(N);
  struct hb_binaries before = binaries_of(p, 0);
  assert_int_equal(before.count, 0);
  expect_equal(before.energy, 0);
  assert_true(isnan(before.a_hardest));
  expect_below(fabs(before.hard_above - 0.25 / N), 0.1 * 0.25 / N); /* T = 1/4, of this sample */
  double a_soft = 10 * m * m / 2 / before.hard_above;
  bind(p, 100, a_soft, sqrt(2 * m / a_soft));
  assert_int_equal(binaries_of(p, 0).count, 0);
  bind(p, 500, a, sqrt(2 * m / a));
  struct hb_binaries hard = binaries_of(p, 0);
  assert_int_equal(hard.count, 1);
  expect_at_most(fabs(hard.energy + m * m / 2 / a), tolerance * m * m / 2 / a);
  expect_at_most(fabs(hard.a_hardest - a), tolerance * a);
  bind(p, 900, 2 * a, sqrt(2 * m / (2 * a)));
  hard = binaries_of(p, 0);
  assert_int_equal(hard.count, 2);
  expect_at_most(fabs(hard.energy + 0.75 * m * m / a), tolerance * m * m / a);
  expect_at_most(fabs(hard.a_hardest - a), tolerance * a);
  assert_int_equal(binaries_of(p, 1).count, 0); /* softened beyond all of them */
  hb_particles_destroy(p);
}

/* Two bodies at any phase: E = -m1 m2 / (2 a). Against nothing every bound pair is hard. */
static void two_bodies(void **state)
{
  (void)state;
  struct hb_particles *p;
  const struct hb_ic_params params = {.m1 = 0.75, .m2 = 0.25, .a = 2, .e = 0.5};
  ASSERT_OK(hb_ic_make("twobody", &params, &p));
  struct hb_binaries found = binaries_of(p, 0);
  assert_int_equal(found.count, 1);
  expect_below(fabs(found.energy + 0.75 * 0.25 / 4), 8 * DBL_EPSILON);
  expect_below(fabs(found.a_hardest - 2), 64 * DBL_EPSILON);
  for (int k = 0; k < 6; k++) p->v[k] *= 3; /* beyond the speed of escape, sqrt(2 (1 + e) / (1 - e)) */
  assert_int_equal(binaries_of(p, 0).count, 0);
  hb_particles_destroy(p);
}

/* A star near a tight pair is bound to it as well, but each star counts once; one without mass binds nothing. */
static void a_star_is_in_one_binary(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(4, &p));
  const double x[] = {0, 0, 0, 1e-3, 0, 0, -0.1, 0, 0, -0.10001, 0, 0};
  memcpy(p->x, x, sizeof x);
  for (int i = 0; i < 3; i++) p->m[i] = 1;
  struct hb_binaries found = binaries_of(p, 0);
  assert_int_equal(found.count, 1);
  expect_below(fabs(found.energy + 1000), 1e-9);
  hb_particles_destroy(p);
}

static void no_memory(void **state)
{
  (void)state;
  struct hb_particles *p = plummer(64);
  enum hb_status status = HB_ERR_INTERNAL;
  for (unsigned long nth = 1; status != HB_OK; nth++) {
    struct hb_structure s;
    hb_mem_watch.fail_at = nth;
    status = hb_structure_of(p, 0, &s);
    hb_mem_watch.fail_at = 0;
    assert_true(status == HB_OK ? nth > 6 : status == HB_ERR_INTERNAL);
  }
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tree_finds_what_looking_at_all_finds),
      cmocka_unit_test(tree_does_not_depend_on_threads),
      cmocka_unit_test(lagrangian_radii_of_plummer),
      cmocka_unit_test(core_of_plummer),
      cmocka_unit_test(density_counts_five_neighbours),
      cmocka_unit_test(density_that_is_not_known),
      cmocka_unit_test(angular_momentum_of_a_ring),
      cmocka_unit_test(planted_binaries),
      cmocka_unit_test(two_bodies),
      cmocka_unit_test(a_star_is_in_one_binary),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
