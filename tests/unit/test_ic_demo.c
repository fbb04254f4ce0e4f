/* ic/ic.c: the seven demonstrations of the CUDA samples. */
#include "support/ic_case.h"

#include "core/particles.h"
#include "support/support.h"

#include <math.h>

/* The sample's table, once more: time step, scales, softening, damping, point size, camera. */
static const struct {
  const char *model, *dt, *eps, *damping, *point_size, *camera;
  double cluster, velocity;
} demos[] = {
    {"demo1", "0.016", "0.1", "1", "1", "0 -2 -100", 1.54, 8},
    {"demo2", "0.016", "0.1", "1", "0.8", "0 -2 -30", 0.68, 20},
    {"demo3", "0.0006", "1", "1", "0.07", "0 0 -1.5", 0.16, 1000},
    {"demo4", "0.0006", "1", "1", "0.07", "0 0 -1.5", 0.16, 1000},
    {"demo5", "0.0019", "1", "1", "0.07", "0 0 -5", 0.32, 276},
    {"demo6", "0.0016", "0.145", "1", "0.08", "0 0 -5", 0.32, 272},
    {"demo7", "0.016", "1", "1", "0.76", "0 0 -50", 6.04, 0},
};

static void demos_carry_their_parameters(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(demos); k++) {
    struct hb_particles *p = ic_make(demos[k].model, (struct hb_ic_params){.n = 4});
    assert_string_equal(hb_particles_note(p, "dt"), demos[k].dt);
    assert_string_equal(hb_particles_note(p, "eps"), demos[k].eps);
    assert_string_equal(hb_particles_note(p, "damping"), demos[k].damping);
    assert_string_equal(hb_particles_note(p, "point_size"), demos[k].point_size);
    assert_string_equal(hb_particles_note(p, "camera"), demos[k].camera);
    hb_particles_destroy(p);
  }
}

/* Directions even on the sphere (the mean of a coordinate has variance 1/3 n), radii by coordinate between 2.5 and 4
 * scales, and the velocity x cross z times both scales. */
static void demos_start_from_a_shell(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(demos); k++) {
    double scale = demos[k].cluster, speed = scale * demos[k].velocity, mean[3] = {0}, nearest = 99,
           farthest = 0;
    struct hb_particles *p = ic_make(demos[k].model, (struct hb_ic_params){.n = IC_SAMPLE, .seed = k});
    for (size_t i = 0; i < IC_SAMPLE; i++) {
      const double *x = p->x + 3 * i, *v = p->v + 3 * i;
      expect_equal(p->m[i], 1);
      nearest = fmin(nearest, ic_length(x) / scale), farthest = fmax(farthest, ic_length(x) / scale);
      ic_assert_near(v[0], speed * x[1], IC_ROUNDING * speed * scale);
      ic_assert_near(v[1], -speed * x[0], IC_ROUNDING * speed * scale);
      ic_assert_near(v[2], 0, IC_ROUNDING);
      for (int c = 0; c < 3; c++) mean[c] += x[c] / scale / IC_SAMPLE;
    }
    expect_above(nearest, 2.5);
    expect_below(nearest, 2.6);
    expect_below(farthest, 4);
    expect_above(farthest, 3.9);
    for (int c = 0; c < 3; c++) ic_assert_near(mean[c], 0, 5 * 4 * sqrt(1.0 / 3 / IC_SAMPLE));
    hb_particles_destroy(p);
  }
}

/* Both are even in a ball of n / 1024 scales; scattered velocities in one of their own, expanding ones along the place. */
static void demos_have_other_shapes(void **state)
{
  (void)state;
  static double r[IC_SAMPLE], u[IC_SAMPLE];
  double scale = 1.54 * IC_SAMPLE / 1024, speed = scale * 8;
  for (int shape = HB_IC_SHAPE_RANDOM; shape <= HB_IC_SHAPE_EXPAND; shape++) {
    struct hb_particles *p =
        ic_make("demo1", (struct hb_ic_params){.n = IC_SAMPLE, .seed = 1, .shape = (enum hb_ic_shape)shape});
    int along = 0;
    for (size_t i = 0; i < IC_SAMPLE; i++) {
      r[i] = ic_length(p->x + 3 * i) / scale;
      u[i] = ic_length(p->v + 3 * i) / speed;
      along += fabs(r[i] - u[i]) < IC_SUM;
    }
    expect_below(ic_kolmogorov(r, ic_inside_unit_sphere), IC_KOLMOGOROV);
    expect_below(ic_kolmogorov(u, ic_inside_unit_sphere), IC_KOLMOGOROV);
    assert_int_equal(along, shape == HB_IC_SHAPE_EXPAND ? IC_SAMPLE : 0);
    hb_particles_destroy(p);
  }
  struct hb_particles *few = ic_make("demo1", (struct hb_ic_params){.n = 64, .shape = HB_IC_SHAPE_RANDOM});
  for (size_t i = 0; i < 64; i++) expect_below(ic_length(few->x + 3 * i), 1.54); /* never below one scale */
  hb_particles_destroy(few);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(demos_carry_their_parameters),
      cmocka_unit_test(demos_start_from_a_shell),
      cmocka_unit_test(demos_have_other_shapes),
  };
  return cmocka_run_group_tests_name("ic demo", tests, NULL, NULL);
}
