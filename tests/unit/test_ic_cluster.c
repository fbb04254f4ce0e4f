/* ic/ic.c: clusters as a whole. */
#include "support/cluster_case.h"

#include "base/mem.h"
#include "base/rng.h"
#include "core/diagnostics.h"
#include "core/particles.h"
#include "support/step_case.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ic/ic.c"

static const double PLUMMER_A = 3 * 3.14159265358979323846 / 16;

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refuses_nonsense(void **state)
{
  (void)state;
  static const struct {
    const char *model, *sentence;
    struct hb_ic_cluster c;
  } cases[] = {
      {"cube", "model cube is not a cluster", {.virial = 0.3}},
      {"twobody", "is not a cluster", {.masses = "equal"}},
      {"plummer",
       "masses 'krupa' are neither equal, salpeter, kroupa or two nor a file",
       {.masses = "krupa"}},
      {"plummer", "masses from 2 to 1 solar masses", {.masses = "salpeter", .mass_min = 2, .mass_max = 1}},
      {"plummer", "expected the first above 0 and below the second", {.masses = "salpeter", .mass_min = -1}},
      {"plummer",
       "the smallest mass is 0.001 solar masses, but kroupa begins at 0.01",
       {.masses = "kroupa", .mass_min = 0.001}},
      {"plummer", "a smallest and a largest mass are for", {.mass_min = 1}},
      {"plummer", "a mass ratio and a share of heavy stars are for", {.masses = "kroupa", .heavy = 0.5}},
      {"plummer", "the share of heavy stars is 1", {.masses = "two", .heavy = 1}},
      {"plummer", "the mass ratio is inf", {.masses = "two", .mass_ratio = INFINITY}},
      {"plummer", "the degree of segregation is 1.5, expected 0 to 1", {.segregation = 1.5}},
      {"plummer", "rotation is nan, expected -1 to 1", {.rotation = NAN}},
      {"plummer", "the virial ratio is -1", {.virial = -1}},
      {"plummer", "the tidal radius is inf", {.tidal_radius = INFINITY}},
      {"plummer", "hardly a star of the model is within the tidal radius", {.tidal_radius = 1e-9}},
      {"plummer", "the fractal dimension is 1, expected 1 < D <= 3", {.fractal = 1}},
      {"plummer", "the share of binaries is 2, expected 0 to 1", {.binaries = 2}},
      {"plummer", "are of binaries: give their share", {.eccentricities = HB_IC_CIRCULAR}},
      {"plummer", "expected 0, 1 or 2", {.binaries = 0.5, .pairing = (enum hb_ic_pairing)3}},
      {"plummer", "semi-major axes from 1 to 0.5", {.binaries = 0.5, .a_min = 1, .a_max = 0.5}},
      {"plummer",
       "have periods in days, expected units: give those of mass and length",
       {.binaries = 0.5, .orbits = HB_IC_ORBITS_KROUPA1995}},
      {"plummer",
       "have periods in days, expected units: give that of length",
       {.masses = "kroupa", .binaries = 0.5, .orbits = HB_IC_ORBITS_KROUPA1995}},
      {"plummer",
       "would hardly ever have a semi-major axis",
       {.masses = "kroupa",
        .units = {.length = 1},
        .binaries = 0.5,
        .orbits = HB_IC_ORBITS_KROUPA1995,
        .a_max = 1e-12}},
      {"plummer",
       "the masses 'kroupa' are in solar masses, so only one unit is left",
       {.masses = "kroupa", .units = {.mass = 100}}},
      {"plummer", "units need two of mass, length and time", {.units = {.length = 1}}},
      {"coldsphere", "and takes no tidal radius", {.tidal_radius = 1}},
      {"coldsphere", "is at rest and cannot rotate", {.rotation = 1}},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct hb_ic_params params = {.n = 64, .cluster = cases[k].c};
    struct hb_particles *p = (struct hb_particles *)&p;
    ASSERT_FAILS(hb_ic_make(cases[k].model, &params, &p), HB_ERR_USAGE, cases[k].sentence);
    assert_null(p);
  }
  struct hb_ic_params params = {.n = 64, .scaling = HB_IC_SCALING_MODEL, .cluster.fractal = 2};
  struct hb_particles *p;
  ASSERT_FAILS(hb_ic_make("plummer", &params, &p), HB_ERR_USAGE, "expected scaling measured");
  params = (struct hb_ic_params){.n = 2, .cluster.binaries = 1};
  ASSERT_FAILS(hb_ic_make("plummer", &params, &p), HB_ERR_USAGE, "2 particles make one system");
}

static const struct hb_ic_cluster everything = {.masses = "kroupa",
                                                .segregation = 0.5,
                                                .virial = 0.4,
                                                .rotation = 0.5,
                                                .fractal = 2,
                                                .binaries = 0.3,
                                                .pairing = HB_IC_PAIRING_ORDERED,
                                                .orbits = HB_IC_ORBITS_KROUPA1995,
                                                .units = {.length = 1}};

static enum hb_status make_and_forget(void *data)
{
  (void)data;
  struct hb_particles *p;
  enum hb_status status = hb_ic_make("king", &(struct hb_ic_params){.n = 100, .cluster = everything}, &p);
  hb_particles_destroy(p);
  return status;
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  support_survives_lack_of_memory(make_and_forget, NULL, 20);
}

/* Each option by itself: the bytes that everyone's seed 1 has. */
static void same_bytes_everywhere(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    struct hb_ic_cluster c;
    uint64_t fingerprint;
  } golden[] = {
      {"plummer", {.masses = "salpeter"}, UINT64_C(0x5f530dae3b1a781a)},
      {"king", {.masses = "kroupa", .segregation = 0.5}, UINT64_C(0x0279fa81de6aeccb)},
      {"king", {.fractal = 1.6}, UINT64_C(0x328226bc0ba5083d)},
      {"coldsphere", {.virial = 0.1, .rotation = -0.5}, UINT64_C(0x4a79e32aa306c5fc)},
      {"plummer", {.binaries = 0.5, .tidal_radius = 3}, UINT64_C(0x58b607d309be5186)},
  };
  int wrong = 0;
  for (size_t k = 0; k < COUNT_OF(golden); k++) {
    struct hb_particles *p = cluster_make(golden[k].model, 500, golden[k].c);
    uint64_t got = ic_fingerprint(p);
    if (got != golden[k].fingerprint)
      print_error("%zu: UINT64_C(0x%016llx)\n", k, (unsigned long long)got), wrong++;
    hb_particles_destroy(p);
  }
  struct hb_particles *p = cluster_make("king", 500, everything);
  if (ic_fingerprint(p) != UINT64_C(0x2f0598f195f157ae)) {
    print_error("everything: UINT64_C(0x%016llx)\n", (unsigned long long)ic_fingerprint(p));
    wrong++;
  }
  hb_particles_destroy(p);
  assert_int_equal(wrong, 0);
}

/* ---- virial ratio, tide, rotation ---------------------------------------------------------------------- */

static void virial_ratios(void **state)
{
  (void)state;
  static const char *const names[] = {"plummer", "king", "coldsphere"};
  static const double ratios[] = {1e-3, 0.3, 0.5, 2};
  for (size_t m = 0; m < COUNT_OF(names); m++)
    for (size_t k = 0; k < COUNT_OF(ratios); k++) {
      struct hb_ic_cluster c = {.masses = "kroupa", .segregation = 0.3, .virial = ratios[k]};
      struct hb_particles *p = cluster_make(names[m], 500, c);
      ic_assert_near(cluster_virial_ratio(p), ratios[k], 1e-12 * ratios[k]);
      if (m < 2) ic_assert_near(step_potential_energy(p, 0), -0.5, 1e-12);
      hb_particles_destroy(p);
    }
}

static double tidal_radius;

static double plummer_within(double r)
{
  double s = r / sqrt(r * r + PLUMMER_A * PLUMMER_A);
  return s * s * s;
}

static double mass_within_tide(double r) { return fmin(plummer_within(r) / plummer_within(tidal_radius), 1); }

static void tides_cut_off(void **state)
{
  (void)state;
  static double r[IC_SAMPLE];
  tidal_radius = 1.5;
  struct hb_particles *p =
      cluster_make("plummer", IC_SAMPLE, (struct hb_ic_cluster){.tidal_radius = tidal_radius});
  ic_assert_near(cluster_virial_ratio(p), 0.5, 1e-12);
  for (size_t i = 0; i < IC_SAMPLE; i++) {
    r[i] = ic_length(p->x + 3 * i);
    expect_below(r[i], tidal_radius + 0.05); /* the center of mass has moved by a few 1 / sqrt n */
  }
  expect_below(ic_kolmogorov(r, mass_within_tide), IC_KOLMOGOROV);
  expect_above(ic_kolmogorov(r, plummer_within), IC_KOLMOGOROV); /* the negative control */
  hb_particles_destroy(p);
}

static double angular_momentum(const double x[3], const double v[3]) { return x[0] * v[1] - x[1] * v[0]; }

static void rotation_turns_stars(void **state)
{
  (void)state;
  static const double shares[] = {0.5, 1, -1, -0.25};
  for (size_t k = 0; k < COUNT_OF(shares); k++) {
    struct hb_particles *p = ic_make("plummer", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 1}), *turned;
    ASSERT_OK(hb_particles_copy(p, &turned));
    struct hb_rng rng = hb_rng_seeded(1);
    cluster_turn(&rng, shares[k], IC_SAMPLE, turned->x, turned->v);
    double against = 0, way = shares[k] < 0 ? -1 : 1;
    for (size_t i = 0; i < IC_SAMPLE; i++) {
      double before = angular_momentum(p->x + 3 * i, p->v + 3 * i);
      double after = angular_momentum(turned->x + 3 * i, turned->v + 3 * i);
      ic_assert_near(fabs(after), fabs(before), 1e-12);
      ic_assert_near(ic_length(turned->v + 3 * i), ic_length(p->v + 3 * i), 1e-12);
      expect_equal(turned->v[3 * i + 2], p->v[3 * i + 2]);
      against += way * after < 0;
    }
    /* half of them went the other way before; four standard deviations of a share of a sample */
    ic_assert_near(against / IC_SAMPLE, (1 - fabs(shares[k])) / 2, 4 * 0.5 / sqrt(IC_SAMPLE));
    hb_particles_destroy(turned);
    hb_particles_destroy(p);
  }
}

/* ---- substructure -------------------------------------------------------------------------------------- */

/* How many of 8^depth equal cubes have a point. */
static double occupied(size_t n, const double *x, int depth)
{
  static char is_taken[1 << 18];
  size_t side = (size_t)1 << depth, count = 0;
  memset(is_taken, 0, sizeof is_taken);
  for (size_t i = 0; i < n; i++) {
    size_t cell = 0;
    for (size_t k = 0; k < 3; k++) cell = cell * side + (size_t)((x[3 * i + k] + 1) / 2 * (double)side);
    count += !is_taken[cell];
    is_taken[cell] = 1;
  }
  return (double)count;
}

enum { N = 20000 };

/* The dimension by counting boxes, mean of ten fractals; D 0: of even balls. */
static double box_dimension(double D, size_t n)
{
  double sum = 0, *x;
  ASSERT_OK(HB_ALLOC(6 * n, &x));
  for (uint64_t seed = 0; seed < 10; seed++) {
    struct hb_rng rng = hb_rng_seeded(seed);
    if (D > 0)
      ASSERT_OK(cluster_fractal(&rng, D, n, x, x + 3 * n));
    else
      for (size_t i = 0; i < n; i++) hb_rng_ball(&rng, x + 3 * i);
    sum += log2(occupied(n, x, 4) / occupied(n, x, 2)) / 2 / 10;
  }
  hb_mem_free(x);
  return sum;
}

static void fractal_dimensions(void **state)
{
  (void)state;
  static const double dimensions[] = {1.6, 2, 2.6, 3};
  double before = 0;
  for (size_t k = 0; k < COUNT_OF(dimensions); k++) {
    double found = box_dimension(dimensions[k], N);
    if (k < 2) ic_assert_near(found, dimensions[k], 0.15);
    expect_above(found, before + 0.1);
    before = found;
  }
  ic_assert_near(before, box_dimension(0, N),
                 0.05); /* D = 3 is an even ball, which shows what edges make of a 3 */
}

/* Mean distance to the nearest neighbor over that of as many points at random [Clark & Evans 1954], of those within 0.8. */
static double clark_evans(double D, uint64_t seed)
{
  enum { POINTS = 2000 };
  static double x[6 * POINTS];
  struct hb_rng rng = hb_rng_seeded(seed);
  double sum = 0, inner = 0;
  ASSERT_OK(cluster_fractal(&rng, D, POINTS, x, x + 3 * POINTS));
  for (size_t i = 0; i < POINTS; i++) {
    double nearest = INFINITY;
    if (ic_length(x + 3 * i) > 0.8) continue;
    for (size_t j = 0; j < POINTS; j++) {
      double d[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]};
      if (i != j) nearest = fmin(nearest, ic_length(d));
    }
    sum += nearest, inner++;
  }
  double density = inner / (4.18879 * 0.512);
  return sum / inner / (0.55396 / cbrt(density));
}

static void three_dimensions_are_even(void **state)
{
  (void)state;
  double even = 0, clumped = 0;
  for (uint64_t seed = 40; seed < 44; seed++)
    even += clark_evans(3, seed) / 4, clumped += clark_evans(2, seed) / 4;
  print_message("# Clark & Evans: D = 3 %g (1 +- 0.025), D = 2 %g (below 0.6)\n", even, clumped);
  ic_assert_near(even, 1, 0.025);
  expect_below(clumped, 0.6);
}

/* Mean cosine of the angle between the velocities of nearest neighbors. */
static double coherence(double fractal)
{
  enum { STARS = 500 };
  double sum = 0;
  struct hb_particles *p = cluster_make("plummer", STARS, (struct hb_ic_cluster){.fractal = fractal});
  for (size_t i = 0; i < STARS; i++) {
    double nearest = INFINITY, cosine = 0;
    const double *xi = p->x + 3 * i, *vi = p->v + 3 * i;
    for (size_t j = 0; j < STARS; j++) {
      const double *xj = p->x + 3 * j, *vj = p->v + 3 * j,
                   d[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
      if (i == j || ic_length(d) >= nearest) continue;
      nearest = ic_length(d);
      cosine = (vi[0] * vj[0] + vi[1] * vj[1] + vi[2] * vj[2]) / ic_length(vi) / ic_length(vj);
    }
    sum += cosine / STARS;
  }
  hb_particles_destroy(p);
  return sum;
}

static void neighbors_move_together(void **state)
{
  (void)state;
  double fractal = coherence(1.6), plain = coherence(0);
  expect_above(fractal, 0.4);
  expect_below(fabs(plain), 0.15); /* the negative control: 500 cosines have a mean of 0 +- 0.026 */
}

/* Radii with 90 and 50 % of the mass: Plummer's sphere has 3.714 and 1.305 of its own radius, a uniform ball 0.965 and 0.794.
 * The center of mass is not where the model's was, which matters less the higher the dimension. */
static void substructure_keeps_the_profile(void **state)
{
  (void)state;
  struct hb_particles *p = cluster_make("plummer", IC_SAMPLE, (struct hb_ic_cluster){.fractal = 2.6});
  struct hb_particles *ball = cluster_make("coldsphere", IC_SAMPLE, (struct hb_ic_cluster){.fractal = 2.6});
  ic_assert_near(ic_radius(p, 0.9) / ic_radius(p, 0.5), 3.714 / 1.305, 0.1 * 3.714 / 1.305);
  expect_above(fabs(ic_radius(ball, 0.9) / ic_radius(ball, 0.5) - 3.714 / 1.305), 0.1 * 3.714 / 1.305);
  ic_assert_near(cluster_virial_ratio(p), 0.5, 1e-12);
  hb_particles_destroy(p);
  hb_particles_destroy(ball);
}

/* ---- scale and combine --------------------------------------------------------------------------------- */

static void scaling_keeps_orbits_similar(void **state)
{
  (void)state;
  struct hb_particles *p =
      cluster_make("king", 300, (struct hb_ic_cluster){.masses = "salpeter", .virial = 0.3});
  for (size_t k = 0; k < 900; k++) p->v[k] += 0.5, p->x[k] += 7; /* a system elsewhere, in motion */
  p->t = 2;
  ASSERT_OK(hb_scale_particles(p, &(struct hb_scale){.mass = 3, .radius = 0.5}));
  double V[3], X[3], e_kin, e_bulk;
  hb_center_of_mass(p, X, V);
  hb_kinetic_energy_in(p, V, &e_kin, &e_bulk);
  ic_assert_near(hb_sum(p->n, p->m), 3, 1e-13);
  ic_assert_near(step_potential_energy(p, 0), -9, 1e-10); /* M^2 / 2 R */
  ic_assert_near(e_kin, 0.3 * 9, 1e-10);
  ic_assert_near(p->t, 2 * sqrt(0.125 / 3), 1e-14);
  ic_assert_near(V[0], 0.5 * sqrt(6), 1e-12);
  ic_assert_near(X[2], 3.5, 1e-12);
  ASSERT_OK(hb_scale_particles(p, &(struct hb_scale){.virial = 0.5}));
  hb_center_of_mass(p, X, V);
  hb_kinetic_energy_in(p, V, &e_kin, &e_bulk);
  ic_assert_near(e_kin, 4.5, 1e-10);
  ic_assert_near(V[0], 0.5 * sqrt(6), 1e-12);
  hb_particles_destroy(p);
}

static void standard_units_follow(void **state)
{
  (void)state;
  struct hb_units u, v;
  int are_known;
  struct hb_particles *p, *q;
  ASSERT_OK(hb_particles_create(2, &p)); /* 30 and 10 solar masses at 2 pc, 1 km/s */
  p->m[0] = 30, p->m[1] = 10, p->x[0] = 2, p->v[1] = 1, p->t = 5;
  ASSERT_OK(hb_scale_from_astro(p));
  ASSERT_OK(hb_units_get(p, &u, &are_known));
  assert_true(are_known);
  expect_equal(p->m[0], 30);
  expect_equal(p->x[0], 2);
  ic_assert_near(p->v[1] * hb_units_velocity(&u), 1, 1e-15);
  ic_assert_near(p->t * u.time, 5, 1e-14);
  ASSERT_FAILS(hb_scale_from_astro(p), HB_ERR_INPUT, "have units already");
  ASSERT_OK(hb_particles_copy(p, &q));
  ASSERT_OK(hb_scale_to_standard(q));
  ASSERT_OK(hb_units_get(q, &v, &are_known));
  ic_assert_near(hb_sum(2, q->m), 1, 1e-15);
  ic_assert_near(step_potential_energy(q, 0), -0.5, 1e-14);
  ic_assert_near(q->m[0] * v.mass, 30, 1e-12); /* the same stars, in km/s and Myr */
  ic_assert_near((q->x[0] - q->x[3]) * v.length, 2, 1e-13);
  ic_assert_near((q->v[1] - q->v[4]) * hb_units_velocity(&v), 1, 1e-13);
  ic_assert_near(q->t * v.time, 5, 1e-13);

  /* together again: the second in the units of the first */
  struct hb_particles *both;
  const double at[3] = {1, 2, 3}, velocity[3] = {0, 0, -1};
  p->id[1] = 41;
  ASSERT_OK(hb_combine_particles(p, q, at, velocity, &both));
  assert_int_equal(both->n, 4);
  ic_assert_near(both->m[2], 30, 1e-12);
  ic_assert_near(both->x[6] - both->x[9], 2, 1e-13);
  ic_assert_near((both->x[6] * both->m[2] + both->x[9] * both->m[3]) / 40, 1, 1e-13);
  ic_assert_near(both->v[7] - both->v[10], p->v[1], 1e-14);
  ic_assert_near(both->v[8], -1, 1e-15);
  expect_equal(both->id[1], 41);
  expect_equal(both->id[2], 42);
  expect_equal(both->id[3], 43);
  expect_equal(both->t, p->t);
  ASSERT_OK(hb_units_get(both, &u, &are_known));
  assert_true(are_known);
  expect_equal(u.mass, 1);
  hb_particles_destroy(both);
  struct hb_particles *without = cluster_make("plummer", 10, (struct hb_ic_cluster){0});
  ASSERT_FAILS(hb_combine_particles(p, without, at, velocity, &both), HB_ERR_INPUT,
               "the first system has units");
  assert_null(both);
  p->id[1] = UINT64_MAX;
  ASSERT_FAILS(hb_combine_particles(p, q, at, velocity, &both), HB_ERR_INPUT, "leave no room");
  hb_particles_destroy(without);
  hb_particles_destroy(q);
  hb_particles_destroy(p);
}

static void what_cannot_be_scaled(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(2, &p));
  ASSERT_FAILS(hb_scale_to_standard(p), HB_ERR_INPUT,
               "there is no virial radius"); /* no mass, and in one place */
  p->m[0] = p->m[1] = 1;
  ASSERT_FAILS(hb_scale_particles(p, &(struct hb_scale){.mass = 1}), HB_ERR_INPUT,
               "there is no virial radius");
  p->x[0] = 1;
  ASSERT_FAILS(hb_scale_particles(p, &(struct hb_scale){.virial = 0.5}), HB_ERR_INPUT, "at rest");
  ASSERT_FAILS(hb_scale_particles(p, &(struct hb_scale){.mass = -1}), HB_ERR_USAGE,
               "the mass to scale to is -1");
  ASSERT_OK(hb_scale_particles(p, &(struct hb_scale){.mass = 1}));
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_nonsense),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(same_bytes_everywhere),
      cmocka_unit_test(virial_ratios),
      cmocka_unit_test(tides_cut_off),
      cmocka_unit_test(rotation_turns_stars),
      cmocka_unit_test(fractal_dimensions),
      cmocka_unit_test(three_dimensions_are_even),
      cmocka_unit_test(neighbors_move_together),
      cmocka_unit_test(substructure_keeps_the_profile),
      cmocka_unit_test(scaling_keeps_orbits_similar),
      cmocka_unit_test(standard_units_follow),
      cmocka_unit_test(what_cannot_be_scaled),
  };
  return cmocka_run_group_tests_name("ic_cluster", tests, NULL, NULL);
}
