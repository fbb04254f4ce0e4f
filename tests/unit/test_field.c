/* core/field.c and simulations with forces from outside. */
#include "support/ic_case.h"
#include "support/step_case.h"

#include "base/rng.h"
#include "core/diagnostics.h"
#include "core/field.h"
#include "core/particles.h"
#include "force/force.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

static struct hb_field *field_of(const char *words)
{
  struct hb_field *field;
  ASSERT_OK(hb_field_create(words, &field));
  return field;
}

static void feel(const struct hb_field *field, const double x[3], const double v[3], double a[3], double j[3])
{
  const uint32_t index = 0;
  for (int k = 0; k < 3; k++) a[k] = j[k] = 0;
  hb_field_add(field, 1, &index, x, v, a, j);
}

/* Of the potentials alone. */
static void pull(const struct hb_field *field, const double x[3], const double v[3], double a[3], double j[3])
{
  for (int k = 0; k < 3; k++) a[k] = j[k] = 0;
  hb_field_pull(field, x, v, a, j);
}

/* Forces are minus the gradient of the potential, and jerks are their derivatives along the motion: by central differences,
 * whose error is about the square of the step. */
static double worst_difference(const struct hb_field *field, double of_a, double of_j)
{
  const double h = 1e-4;
  double worst = 0;
  struct hb_rng rng = hb_rng_seeded(1);
  for (int i = 0; i < 200; i++) {
    double x[3], v[3], a[3], j[3], before[3], after[3], none[3];
    for (int k = 0; k < 3; k++) x[k] = 4 * hb_rng_uniform(&rng) - 2, v[k] = 2 * hb_rng_uniform(&rng) - 1;
    if (ic_length(x) < 0.5) continue;
    pull(field, x, v, a, j);
    double size_a = ic_length(a), size_j = ic_length(j);
    for (int k = 0; k < 3; k++) {
      double up[3], down[3];
      memcpy(up, x, sizeof up), memcpy(down, x, sizeof down);
      up[k] += h, down[k] -= h;
      double slope = (hb_field_potential(field, up) - hb_field_potential(field, down)) / (2 * h);
      worst = fmax(worst, fabs(of_a * a[k] + slope) / size_a);
    }
    double later[3], earlier[3];
    for (int k = 0; k < 3; k++) later[k] = x[k] + h * v[k], earlier[k] = x[k] - h * v[k];
    pull(field, later, v, after, none);
    pull(field, earlier, v, before, none);
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, fabs(of_j * j[k] - (after[k] - before[k]) / (2 * h)) / size_j);
  }
  return worst;
}

static void forces_belong_to_the_potentials(void **state)
{
  (void)state;
  static const char *const words[] = {"point:m=2",
                                      "plummer:m=3,a=0.7",
                                      "disc:m=2,a=1.5,b=0.3",
                                      "log:v=1.5,r=0.2",
                                      "log:v=1.5,r=0.2,q=0.8",
                                      "disc:m=1,a=2,b=0.5,x=0.1,y=-0.2,z=0.3",
                                      "frame:w=1.5",
                                      "hill:w=1,k=1.4,n=2",
                                      "point:m=1,z=-3 hill:w=-1.5,x=0.1",
                                      "log:v=1,r=0.5 disc:m=2,a=1,b=0.4 point:m=0.1,z=-3 omega=0.5"};
  for (size_t k = 0; k < COUNT_OF(words); k++) {
    struct hb_field *field = field_of(words[k]);
    expect_below(worst_difference(field, 1, 1), 1e-5);
    expect_above(worst_difference(field, 1.001, 1), 1e-5); /* the negative controls */
    expect_above(worst_difference(field, 1, 1.001), 1e-5);
    hb_field_destroy(field);
  }
}

/* From x to x + s the potential rises as the difference says, and over the smallest s as the force does, where that difference
 * has six digits left. */
static void potentials_rise_without_cancellation(void **state)
{
  (void)state;
  static const char *const words[] = {"point:m=2", "disc:m=2,a=1.5,b=0.3,x=0.1", "log:v=1.5,r=0.2,q=0.8",
                                      "hill:w=1,k=1.4,n=2,y=-3",
                                      "log:v=1,r=0.5 disc:m=2,a=1,b=0.4 plummer:m=0.1,a=2,z=-3"};
  const double x[3] = {2, -1, 0.5}, s[3] = {0.3, -0.7, 0.4}, v[3] = {0};
  for (size_t k = 0; k < COUNT_OF(words); k++) {
    struct hb_field *field = field_of(words[k]);
    double to[3], least[3], a[3] = {0}, j[3] = {0}, work = 0;
    for (int c = 0; c < 3; c++) to[c] = x[c] + s[c], least[c] = 1e-10 * s[c];
    double difference = hb_field_potential(field, to) - hb_field_potential(field, x);
    ic_assert_near(hb_field_rise(field, x, s), difference, 1e-14);
    hb_field_pull(field, x, v, a, j);
    for (int c = 0; c < 3; c++) work += a[c] * least[c];
    ic_assert_near(hb_field_rise(field, x, least), -work, 1e-9 * fabs(work));
    hb_field_destroy(field);
  }
}

/* A disc with a = 0 is Plummer's sphere; a log halo has the speed V far out; a disc has this much mass within: Gauss' theorem
 * far away. */
static void known_limits(void **state)
{
  (void)state;
  struct hb_field *disc = field_of("disc:m=2,a=1e-12,b=0.7"), *sphere = field_of("plummer:m=2,a=0.7");
  struct hb_field *halo = field_of("log:v=1.5,r=0.01"), *flat = field_of("disc:m=2,a=3,b=0.1");
  const double x[3] = {0.3, -1, 0.4}, far[3] = {0, 1000, 0}, v[3] = {0.1, 0.2, -0.3};
  double a[3], j[3], b[3], k[3];
  feel(disc, x, v, a, j);
  feel(sphere, x, v, b, k);
  for (int c = 0; c < 3; c++) ic_assert_near(a[c], b[c], 1e-11), ic_assert_near(j[c], k[c], 1e-11);
  feel(halo, far, v, a, j);
  ic_assert_near(sqrt(-a[1] * far[1]), 1.5, 1e-9);
  feel(flat, far, v, a, j);
  ic_assert_near(-a[1] * 1e6, 2, 1e-4);
  hb_field_destroy(disc);
  hb_field_destroy(sphere);
  hb_field_destroy(halo);
  hb_field_destroy(flat);
}

static void refuses_words(void **state)
{
  (void)state;
  static const struct {
    const char *words, *sentence;
  } bad[] = {{"frame:w=0", "w is 0, expected not 0"},
             {"hill:k=1", "w is missing"},
             {"hill:w=1,k=-1", "k is -1, expected > 0"},
             {"hill:w=1,q=1", "hill has no q"},
             {"frame:w=1 hill:w=1", "the coordinates turn already"},
             {"point:m=1 frame:w=1 omega=1", "omega is of coordinates at rest"},
             {"", "is not a field"},
             {"omega=1", "is not a field"},
             {"halo:m=1", "'halo:m=1' is not a field"},
             {"point", "'point' is not a field"},
             {"point:", "m is missing"},
             {"point:m=0", "m is 0, expected > 0"},
             {"point:m=x", "'x' is not a number"},
             {"point:m=1,a=1", "point has no a"},
             {"point:m=1,k=1", "point has no k"},
             {"point:m=1,e=1", "'e=1', expected like m=10"},
             {"disc:m=1,a=1", "b is missing"},
             {"point:m=1,x=2,m=3", "m is given twice"},
             {"disc:m=1,a=1,b=1,x=0,y=0,z=0,x=0,y=0,z=0,m=5", "x is given twice"},
             {"point:m=1 omega=1 omega=2", "omega is given twice"},
             {"log:v=1,r=1 pont:m=1", "'pont:m=1' is not a field"}};
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    struct hb_field *field;
    ASSERT_FAILS(hb_field_create(bad[k].words, &field), HB_ERR_USAGE, bad[k].sentence);
    assert_null(field);
  }
}

/* ---- simulations --------------------------------------------------------------------------------------- */

/* A Plummer sphere of n stars at R = 100 on an orbit in a halo and a disc, with the speed of a circular one in the plane and
 * some across it. */
static const char galaxy[] = "log:v=10,r=1 disc:m=2000,a=30,b=3 omega=0.1";

static struct hb_particles *cluster_on_an_orbit(size_t n, double speed)
{
  struct hb_particles *p = ic_make("plummer", (struct hb_ic_params){.n = n, .seed = 1});
  for (size_t i = 0; i < n; i++) p->x[3 * i] += 100, p->v[3 * i + 1] += speed, p->v[3 * i + 2] += 2;
  return p;
}

static struct hb_sim *sim_of(const struct hb_particles *p, const char *scheme, const char *precision,
                             const char *field)
{
  struct hb_sim *sim;
  const struct hb_sim_params params = {
      .force = {.scheme = scheme, .precision = precision, .eps = 0.05}, .eta = 0.01, .field = field};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  return sim;
}

/* Eight stars that hardly feel each other, on orbits of many shapes, for ten turns of 2 pi 100 / 11: the energies to 1e-8 of
 * that of the motion. */
static void conserves_jacobis_energy(void **state)
{
  (void)state;
  struct hb_particles *p = cluster_on_an_orbit(8, 11);
  for (size_t i = 0; i < 8; i++) {
    p->m[i] = 1e-9;
    for (size_t k = 0; k < 3; k++)
      p->x[3 * i + k] *= 1 + 0.1 * (double)i, p->v[3 * i + k] *= 1 - 0.05 * (double)i;
  }
  struct hb_sim *sim = sim_of(p, "host", NULL, galaxy), *turning;
  struct hb_diagnostics first, last;
  ASSERT_OK(hb_sim_diagnose(sim, 0, &first));
  ASSERT_OK(hb_sim_integrate(sim, 570));
  ASSERT_OK(hb_sim_diagnose(sim, 570, &last));
  double motion = first.e_kin + first.e_bulk;
  expect_below(fabs(last.e_total - first.e_total), 1e-8 * motion);
  expect_below(fabs(last.e_jacobi - first.e_jacobi), 1e-8 * motion);
  /* the negative controls: what is not conserved, and what omega has to do with it */
  expect_above(fabs(last.e_total - last.e_field - first.e_total + first.e_field), 1e-3 * motion);
  expect_above(fabs(last.e_total - last.e_jacobi), motion);
  hb_sim_destroy(sim);
  for (size_t i = 0; i < 8; i++) /* the same in coordinates that turn */
    p->v[3 * i] += 0.1 * p->x[3 * i + 1], p->v[3 * i + 1] -= 0.1 * p->x[3 * i];
  turning = sim_of(p, "host", NULL, "log:v=10,r=1 disc:m=2000,a=30,b=3 frame:w=0.1");
  double e_jacobi = first.e_jacobi;
  ASSERT_OK(hb_sim_diagnose(turning, 0, &first));
  ASSERT_OK(hb_sim_integrate(turning, 570));
  ASSERT_OK(hb_sim_diagnose(turning, 570, &last));
  expect_below(fabs(first.e_jacobi - e_jacobi), 1e-13 * motion);
  expect_below(fabs(last.e_jacobi - first.e_jacobi), 1e-8 * motion);
  expect_equal(last.e_jacobi, last.e_total);
  hb_sim_destroy(turning);
  hb_particles_destroy(p);
}

/* A cluster of 16: what its own encounters cost, in units of its own energy, and not more. */
static void a_cluster_on_its_orbit(void **state)
{
  (void)state;
  struct hb_particles *p = cluster_on_an_orbit(16, 11);
  struct hb_sim *sim = sim_of(p, "host", NULL, galaxy), *alone = sim_of(p, "host", NULL, NULL);
  struct hb_diagnostics first, last;
  ASSERT_OK(hb_sim_diagnose(sim, 0, &first));
  ASSERT_OK(hb_sim_integrate(sim, 16));
  ASSERT_OK(hb_sim_diagnose(sim, 16, &last));
  expect_below(fabs(last.e_total - first.e_total), 1e-4 * 0.25);
  expect_above(first.e_field, 0);
  ASSERT_OK(hb_sim_diagnose(alone, 0, &last));
  ic_assert_near(last.e_total, first.e_total - first.e_bulk - first.e_field, 1e-12 * first.e_field);
  expect_equal(last.e_field, 0);
  assert_true(isnan(last.e_jacobi));
  hb_sim_destroy(alone);
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
}

/* ---- coordinates that turn ----------------------------------------------------------------------------- */

static void turned(double angle, const double from[3], double to[3])
{
  double c = cos(angle), s = sin(angle);
  to[0] = c * from[0] - s * from[1], to[1] = s * from[0] + c * from[1], to[2] = from[2];
}

/* The state at t of one test particle. */
static struct hb_particles *after(const double x[3], const double v[3], const char *field, double eta,
                                  double t, double *e_jacobi)
{
  struct hb_particles *p, *end;
  struct hb_diagnostics d;
  ASSERT_OK(hb_particles_create(1, &p));
  p->m[0] = 1;
  memcpy(p->x, x, 3 * sizeof *x);
  memcpy(p->v, v, 3 * sizeof *v);
  struct hb_sim *sim;
  const struct hb_sim_params params = {.force = {.scheme = "host"}, .eta = eta, .field = field};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, t));
  ASSERT_OK(hb_sim_diagnose(sim, t, &d));
  ASSERT_OK(hb_sim_state(sim, t, &end));
  *e_jacobi = d.e_jacobi;
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
  return end;
}

/* An orbit in a galaxy, in coordinates at rest and in others that turn by 0.5: one orbit, one Jacobi energy. */
static double apart(const char *at_rest, const char *turning, double *jacobi)
{
  const double t = 8, w = 0.5, x[3] = {1, 0.2, 0.1}, v[3] = {-0.1, 1.1, 0.3},
               u[3] = {v[0] + w * x[1], v[1] - w * x[0], v[2]};
  double e[2], back[3], worst = 0;
  struct hb_particles *p = after(x, v, at_rest, 0.001, t, &e[0]), *q = after(x, u, turning, 0.001, t, &e[1]);
  turned(w * t, q->x, back);
  for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(p->x[c] - back[c]));
  *jacobi = fabs(e[0] - e[1]);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  return worst;
}

static void one_orbit_in_both_frames(void **state)
{
  (void)state;
  double jacobi;
  expect_below(apart("log:v=1,r=0.1 disc:m=0.5,a=1,b=0.1 omega=0.5",
                     "log:v=1,r=0.1 disc:m=0.5,a=1,b=0.1 frame:w=0.5", &jacobi),
               1e-7);
  expect_below(jacobi, 1e-8);
  expect_above(apart("log:v=1,r=0.1 omega=0.5", "log:v=1,r=0.1 frame:w=0.501", &jacobi), 1e-3);
  expect_above(jacobi, 1e-4);
}

/* Hill's equations without a cluster have x = A cos kt, y = -(2 w / k) A sin kt, z = B cos nt. */
static double from_epicycle(double k, double eta)
{
  const double w = 1, n = 1.2, A = 0.7, B = 0.3, t = 64;
  const double x[3] = {A, 0, B}, v[3] = {0, -2 * w * A, 0};
  double e;
  struct hb_particles *p = after(x, v, "hill:w=1,k=1.5,n=1.2", eta, t, &e);
  double error = fabs(p->x[0] - A * cos(k * t)) + fabs(p->x[1] + 2 * w / k * A * sin(k * t)) +
                 fabs(p->x[2] - B * cos(n * t));
  hb_particles_destroy(p);
  return error;
}

static void epicycles(void **state)
{
  (void)state;
  expect_below(from_epicycle(1.5, 0.001), 1e-4);
  expect_below(from_epicycle(1.5, 0.001),
               from_epicycle(1.5, 0.004) / 8); /* of fourth order, as the scheme: dt^4 ~ eta^2 */
  expect_above(from_epicycle(1.501, 0.001), 1e-3);
}

/* King's tidal radius: where a point mass and the tide hold each other, (m / (4 w^2 - k^2))^1/3. */
static void tidal_radius(void **state)
{
  (void)state;
  struct hb_field *field = field_of("point:m=2 hill:w=0.5,k=0.7,n=0.9");
  const double r = cbrt(2 / (4 * 0.25 - 0.49)), at[3] = {r, 0, 0}, beside[3] = {1.01 * r, 0, 0}, v[3] = {0};
  double a[3], j[3];
  feel(field, at, v, a, j);
  expect_below(ic_length(a), 1e-15);
  expect_equal(ic_length(j), 0);
  feel(field, beside, v, a, j);
  expect_above(a[0], 1e-3);
  hb_field_destroy(field);
}

/* The derivative of Coriolis' force is that of the whole acceleration. */
static void coriolis(void **state)
{
  (void)state;
  struct hb_field *field = field_of("frame:w=0.25");
  const double v[3] = {1, 2, 3};
  double a[3] = {10, 20, 30}, j[3] = {0};
  hb_field_deflect(field, v, a, j);
  expect_equal(a[0], 11);
  expect_equal(a[1], 19.5);
  expect_equal(a[2], 30);
  expect_equal(j[0], 9.75);
  expect_equal(j[1], -5.5);
  expect_equal(j[2], 0);
  struct hb_sim *none;
  struct hb_particles *p = cluster_on_an_orbit(4, 0);
  const struct hb_sim_params params = {
      .force.scheme = "host", .integrator = "leapfrog", .dt = 0.01, .field = "frame:w=1"};
  ASSERT_FAILS(hb_sim_create(p, &params, &none), HB_ERR_USAGE,
               "depends on velocities (expected integrator hermite4)");
  hb_particles_destroy(p);
  hb_field_destroy(field);
}

/* A lone particle at the speed of a circular orbit stays on it: the period is 2 pi R / v. */
static void circular_orbit(void **state)
{
  (void)state;
  struct hb_particles *p, *after;
  ASSERT_OK(hb_particles_create(1, &p));
  p->m[0] = 1, p->x[0] = 3, p->v[1] = 2 * sqrt(9.0 / 10); /* v^2 = V^2 R^2 / (R^2 + R0^2) */
  struct hb_sim *sim = sim_of(p, "host", NULL, "log:v=2,r=1");
  double period = 2 * PI * 3 / p->v[1];
  ASSERT_OK(hb_sim_integrate(sim, period));
  ASSERT_OK(hb_sim_state(sim, period, &after));
  ic_assert_near(after->x[0], 3, 1e-5);
  ic_assert_near(after->x[1], 0, 1e-4);
  hb_particles_destroy(after);
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
}

/* ds has enough digits of positions for an orbit at R = 100; single is refused. */
static void precisions(void **state)
{
  (void)state;
  struct hb_particles *p = cluster_on_an_orbit(64, 11), *a, *b;
  struct hb_sim *exact = sim_of(p, "host", NULL, galaxy), *ds = sim_of(p, "host-simd", "ds", galaxy), *none;
  ASSERT_OK(hb_sim_integrate(exact, 0.5));
  ASSERT_OK(hb_sim_integrate(ds, 0.5));
  ASSERT_OK(hb_sim_state(exact, 0.5, &a));
  ASSERT_OK(hb_sim_state(ds, 0.5, &b));
  for (size_t k = 0; k < 3 * 64; k++) ic_assert_near(a->x[k], b->x[k], 1e-5);
  struct hb_sim_params params = {.force = {.scheme = "host-simd", .precision = "single"}, .field = galaxy};
  ASSERT_FAILS(hb_sim_create(p, &params, &none), HB_ERR_USAGE, "precision single has too few digits");
  params.force.precision = "ds";
  params.field = "nothing";
  ASSERT_FAILS(hb_sim_create(p, &params, &none), HB_ERR_USAGE, "is not a field");
  hb_particles_destroy(a);
  hb_particles_destroy(b);
  hb_sim_destroy(exact);
  hb_sim_destroy(ds);
  hb_particles_destroy(p);
}

static void resumes_to_the_same_bits(void **state)
{
  (void)state;
  char path[] = "/tmp/holmberg_test_field_XXXXXX";
  struct hb_particles *p = cluster_on_an_orbit(32, 11), *a, *b;
  struct hb_sim *whole = sim_of(p, "host", NULL, galaxy), *half = sim_of(p, "host", NULL, galaxy), *rest;
  struct hb_checkpoint *checkpoint;
  int fd = mkstemp(path);
  expect_at_least(fd, 0);
  close(fd);
  ASSERT_OK(hb_sim_integrate(half, 0.5));
  ASSERT_OK(hb_sim_save(half, path, "", 1, 0));
  ASSERT_OK(hb_checkpoint_open(path, &checkpoint));
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, &rest));
  hb_checkpoint_close(checkpoint);
  ASSERT_OK(hb_sim_integrate(whole, 1));
  ASSERT_OK(hb_sim_integrate(rest, 1));
  ASSERT_OK(hb_sim_state(whole, 1, &a));
  ASSERT_OK(hb_sim_state(rest, 1, &b));
  expect_equal(ic_fingerprint(a), ic_fingerprint(b));
  expect_other(ic_fingerprint(a), ic_fingerprint(p));
  assert_int_equal(unlink(path), 0);
  hb_particles_destroy(a);
  hb_particles_destroy(b);
  hb_sim_destroy(whole);
  hb_sim_destroy(half);
  hb_sim_destroy(rest);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_belong_to_the_potentials),
      cmocka_unit_test(potentials_rise_without_cancellation),
      cmocka_unit_test(known_limits),
      cmocka_unit_test(refuses_words),
      cmocka_unit_test(conserves_jacobis_energy),
      cmocka_unit_test(a_cluster_on_its_orbit),
      cmocka_unit_test(one_orbit_in_both_frames),
      cmocka_unit_test(epicycles),
      cmocka_unit_test(tidal_radius),
      cmocka_unit_test(coriolis),
      cmocka_unit_test(circular_orbit),
      cmocka_unit_test(precisions),
      cmocka_unit_test(resumes_to_the_same_bits),
  };
  return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
