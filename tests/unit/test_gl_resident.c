/* Particles that stay on the device: prediction there against the host's, what comes back, the modes of a run side by
 * side, lost draws, forces that are no numbers. */
#include "force/resident_transfer.h"
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { N = 1500, LEVELS = 27, SOME = 130 };

static double m[N], x[3 * N], v[3 * N], a[3 * N], k[3 * N];
static uint8_t level[N];
static const struct hb_force_particles particles = {N, m, x, v, a, k, level};
static double dt[HB_FORCE_LEVELS];
static const struct hb_force_step how = {.eta = 0.01};

static double random_number(void)
{
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(state >> 11), -52) - 1;
}

static int set_up(void **state)
{
  (void)state;
  for (int c = 0; c < 3 * N; c++) {
    x[c] = 3 * random_number();
    v[c] = random_number();
    a[c] = 5 * random_number();
    k[c] = 40 * random_number();
  }
  for (int i = 0; i < N; i++) {
    m[i] = 1 + random_number() / 2;
    level[i] = (uint8_t)(i % LEVELS);
  }
  for (int l = 0; l < LEVELS; l++)
    dt[l] = ldexp(1 + floor(100 * (1 + random_number())), l - 36); /* up to 0.2 */
  return 0;
}

static struct hb_pairs *open_pairs(const char *scheme, enum hb_precision precision, const char *tuning)
{
  const struct pairs_case c = {"gravity_jerk", scheme, tuning, precision};
  return pairs_lacks(&c) ? NULL : pairs_open(&c, 1);
}

/* ---- prediction ---- */

/* Largest distance of predicted places from the host's, relative to the place; of velocities; 1 for a wrong mass. */
static double prediction_error(struct hb_pairs *pairs, double error[2])
{
  static uint32_t words[16 * N];
  error[0] = error[1] = 0;
  glBindBuffer(GL_ARRAY_BUFFER, pairs->j.id);
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 16 * pairs->texels * N, words);
  for (int i = 0; i < N; i++) {
    double h = dt[level[i]], d[2] = {0}, q[2] = {0};
    for (int c = 0; c < 3; c++) {
      int at = 3 * i + c;
      double place[2] = {x[at] + h * (v[at] + h / 2 * (a[at] + h / 3 * k[at])),
                         v[at] + h * (a[at] + h / 2 * k[at])};
      for (int r = 0; r < 2; r++) {
        d[r] += pow(pairs_on_device(pairs, words, i, r, c) - place[r], 2);
        q[r] += place[r] * place[r];
      }
    }
    for (int r = 0; r < 2; r++) error[r] = fmax(error[r], sqrt(d[r] / q[r]));
    double mass = pairs_on_device(pairs, words, i, 0, 3);
    if (fabs(mass - m[i]) > 6e-8 * m[i]) return 1;
  }
  return 0;
}

/* Positions: 48 bits in ds, where a dozen roundings of 2^-48 stay far below the promised 1e-12; floats elsewhere, which
 * a rounding to nearest leaves within 2^-24. Velocities go to the kernel as floats in all but double. */
static void test_prediction(void **state)
{
  (void)state;
  static const double limits[HB_PRECISION_COUNT][2] = {[HB_PRECISION_SINGLE] = {0x1p-23, 0x1p-22},
                                                       [HB_PRECISION_COMPENSATED] = {0x1p-23, 0x1p-22},
                                                       [HB_PRECISION_DS] = {1e-12, 0x1p-23},
                                                       [HB_PRECISION_DOUBLE] = {1e-15, 1e-15}};
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    struct hb_pairs *pairs = open_pairs("bag", (enum hb_precision)precision, NULL);
    if (!pairs) continue;
    struct hb_resident *r;
    double error[2];
    ASSERT_OK(hb_resident_create(pairs, N, &r));
    ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
    ASSERT_OK(hb_resident_predict(r, dt));
    assert_true(prediction_error(pairs, error) == 0);
    assert_true(error[0] <= limits[precision][0] && error[1] <= limits[precision][1]);

    /* negative control: a step that differs by what float would lose of it is seen in ds and double */
    double kept = dt[LEVELS - 1];
    dt[LEVELS - 1] *= 1 + 0x1p-24;
    prediction_error(pairs, error);
    if (precision >= HB_PRECISION_DS) assert_true(error[0] > limits[precision][0]);
    dt[LEVELS - 1] = kept;
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* ---- what comes back ---- */

static double get_error(struct hb_resident *r)
{
  static double back[4][3 * N];
  const double *sent[4] = {x, v, a, k};
  struct hb_force_particles p = {N, m, back[0], back[1], back[2], back[3], level};
  double worst = 0;
  ASSERT_OK(hb_resident_get(r, &p));
  for (int q = 0; q < 4; q++)
    for (int c = 0; c < 3 * N; c++) worst = fmax(worst, fabs(back[q][c] - sent[q][c]) / fabs(sent[q][c]));
  return worst;
}

static void test_blocks_are_stored(void **state)
{
  (void)state;
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    struct hb_pairs *pairs = open_pairs("bag", (enum hb_precision)precision, NULL);
    if (!pairs) continue;
    double digits = precision == HB_PRECISION_DOUBLE ? 0 : 0x1p-48; /* two floats: 24 bits each */
    struct hb_resident *r;
    uint32_t some[SOME];
    ASSERT_OK(hb_resident_create(pairs, N, &r));
    ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
    assert_true(get_error(r) <= digits);
    pairs_index(SOME, 7, N, some); /* over both rows of the textures */
    for (int b = 0; b < SOME; b++) x[3 * some[b] + 1] += 1e-9, level[some[b]] = 3;
    assert_true(get_error(r) > digits); /* the device still has the old ones */
    ASSERT_OK(hb_resident_put(r, &particles, SOME, some));
    assert_true(get_error(r) <= digits);
    double error[2];
    ASSERT_OK(hb_resident_predict(r, dt));
    assert_true(prediction_error(pairs, error) == 0 && error[0] < 1e-6); /* with the new levels */
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* Numbers of all particles as they lie on the device: x v a k, high and low words. */
static void words_of(const struct hb_resident *r, uint32_t words[8][3 * N])
{
  static uint32_t texels[4 * 2 * HB_RESIDENT_ROW];
  for (int l = 0; l < 8; l++) {
    hb_gl_target_read(&r->state.target, l, 0, 0, HB_RESIDENT_ROW, r->rows, HB_GL_WORDS, texels);
    for (int c = 0; c < 3 * N; c++) words[l][c] = texels[4 * (c / 3) + c % 3];
  }
}

/* Two floats can hold more than a double; what the device has corrected does not, or a checkpoint would lose it. */
static void test_corrected_are_doubles(void **state)
{
  (void)state;
  static uint32_t before[8][3 * N], after[8][3 * N];
  static double back[4][3 * N];
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    struct hb_pairs *pairs = open_pairs("bag", (enum hb_precision)precision, NULL);
    if (!pairs) continue;
    struct hb_force_particles p = {N, m, back[0], back[1], back[2], back[3], level};
    struct hb_resident *r;
    uint32_t some[SOME];
    double step[SOME];
    uint8_t levels[SOME];
    pairs_index(SOME, 7, N, some);
    for (int b = 0; b < SOME; b++) levels[b] = level[some[b]];
    ASSERT_OK(hb_resident_create(pairs, N, &r));
    ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
    for (int round = 0; round < 3; round++) {
      ASSERT_OK(hb_resident_predict(r, dt));
      ASSERT_OK(hb_resident_correct(r, SOME, some, &how, step, NULL));
      ASSERT_OK(hb_resident_settle(r, SOME, levels));
    }
    words_of(r, before);
    ASSERT_OK(hb_resident_get(r, &p));
    ASSERT_OK(hb_resident_put(r, &p, N, NULL));
    words_of(r, after);
    assert_memory_equal(before, after, sizeof before);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* ---- faults ---- */

static void lose(const char *scheme, const char *tuning, int nth, enum hb_status expected)
{
  struct hb_pairs *pairs = open_pairs(scheme, HB_PRECISION_SINGLE, tuning);
  if (!pairs) return;
  pairs->params.max_draw_s = 10;
  pairs->known = 1;
  struct hb_resident *r;
  uint32_t some[SOME];
  double step[SOME];
  pairs_index(SOME, 7, N, some);
  ASSERT_OK(hb_resident_create(pairs, N, &r));
  ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
  for (int round = 0; round < 2; round++) { /* the second time whole results of the first lie about */
    ASSERT_OK(hb_resident_predict(r, dt));
    pairs_draws_begin(round == 0 ? 0 : nth);
    enum hb_status status = hb_resident_correct(r, SOME, some, &how, step, NULL);
    pairs_draws_end();
    assert_int_equal(status, round == 0 ? HB_OK : expected);
    if (status == HB_ERR_DEVICE) assert_non_null(strstr(hb_error(), "dropped a draw: sink "));
  }
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

static void test_lost_draws(void **state)
{
  (void)state;
  static const char *const many = "i_each=2 unroll=2 partial=32 workgroup=64 threads=2000";
  lose("bag", many, 0, HB_OK);
  lose("bag", many, 1, HB_ERR_DEVICE);
  lose("bag", "threads=1 bag=512 output=targets", 2, HB_ERR_DEVICE);
  lose("bag", "threads=1 output=storage", 1, HB_ERR_DEVICE);
  lose("tile", many, 1, HB_ERR_DEVICE);
  pairs_skip_if_lacking();
}

static void test_no_number(void **state)
{
  (void)state;
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_DS, NULL);
  if (!pairs) skip();
  struct hb_resident *r;
  uint32_t some[SOME];
  double step[SOME], kept = x[3 * 7];
  pairs_index(SOME, 7, N, some);
  x[3 * 7] = NAN; /* particle 7 is the second sink, and all others feel it */
  ASSERT_OK(hb_resident_create(pairs, N, &r));
  ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
  ASSERT_OK(hb_resident_predict(r, dt));
  ASSERT_FAILS(hb_resident_correct(r, SOME, some, &how, step, NULL), HB_ERR_NUMERIC,
               "particle 0 has a force that is not finite");
  x[3 * 7] = kept;
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

/* ---- whole runs ---- */

struct mode {
  const char *name;
  enum hb_transfer transfer;
  enum hb_place predict, correct;
};
static const struct mode modes[] = {{"all/host/host", HB_TRANSFER_ALL, HB_PLACE_HOST, HB_PLACE_HOST},
                                    {"all/gpu/host", HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {"block/gpu/host", HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {"block/gpu/gpu", HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU}};

enum { RUN_N = 128 };

/* The state of a small cluster at t = 1/8, and its counts. */
static struct hb_particles *run(const struct mode *mode, const char *scheme, const char *precision,
                                const char *tuning, enum hb_rounding rounding, struct hb_sim_counts *counts)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = RUN_N, .seed = 3}, &p));
  const struct hb_sim_params params = {.force = {.scheme = scheme,
                                                 .precision = precision,
                                                 .tuning = tuning,
                                                 .eps = 1. / 64,
                                                 .flags = HB_FORCE_NO_TUNE},
                                       .rounding = rounding,
                                       .transfer = mode->transfer,
                                       .predict = mode->predict,
                                       .correct = mode->correct};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  while (hb_sim_next_time(sim) <= 0.125) ASSERT_OK(hb_sim_step(sim));
  hb_sim_counts(sim, counts);
  ASSERT_OK(hb_sim_state(sim, 0.125, &p));
  hb_sim_destroy(sim);
  return p;
}

/* Root mean square distance of two states. */
static double distance(struct hb_particles *p, struct hb_particles *q)
{
  double sum = 0;
  for (int c = 0; c < 3 * RUN_N; c++) sum += pow(hb_particles_x(p)[c] - hb_particles_x(q)[c], 2);
  return sqrt(sum / RUN_N);
}

/* In double all modes are one algorithm, apart from the last bits of division and fused operations. In ds the device
 * keeps 48 of 53 bits and float forces differ in their noise; both grow no faster than the cluster's own errors. Nor does a
 * tuning matter more. */
static void test_modes_agree(void **state)
{
  (void)state;
  static const struct {
    const char *scheme, *precision, *tuning;
    double limit, counts;
    enum hb_rounding rounding;
  } cases[] = {{"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_DOWN},
               {"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_NEAREST},
               {"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_UP},
               {"bag", "double", "portion=50 i_each=2", 1e-12, 0.01,
                HB_ROUND_DOWN}, /* blocks of all particles in three portions */
               {"bag", "double", "j_source=texture", 1e-12, 0.01, HB_ROUND_DOWN},
               {"bag", "ds", NULL, 1e-7, 0.05, HB_ROUND_DOWN},
               {"bag", "single", NULL, 1e-5, 0.1, HB_ROUND_DOWN},
               {"tile", "ds", NULL, 1e-7, 0.05, HB_ROUND_DOWN}};
  int is_lacking = 0;
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    if (hb_force_scheme_find(cases[c].scheme)->is_compute && !pairs_context()->caps.has_compute) {
      is_lacking = 1;
      continue;
    }
    struct hb_sim_counts first, counts;
    struct hb_particles *p =
        run(&modes[0], cases[c].scheme, cases[c].precision, NULL, cases[c].rounding, &first);
    for (size_t other = 1; other < COUNT_OF(modes); other++) {
      struct hb_particles *q = run(&modes[other], cases[c].scheme, cases[c].precision, cases[c].tuning,
                                   cases[c].rounding, &counts);
      double d = distance(p, q), ratio = (double)counts.particle_steps / (double)first.particle_steps;
      if (!(d <= cases[c].limit) || fabs(ratio - 1) > cases[c].counts)
        fail_msg("%s %s %s: %g away from all/host/host, %g times its steps", cases[c].scheme,
                 cases[c].precision, modes[other].name, d, ratio);
      hb_particles_destroy(q);
    }
    hb_particles_destroy(p);
  }
  if (is_lacking) skip(); /* the rest was compared */
}

static void test_same_bytes_twice(void **state)
{
  (void)state;
  struct hb_sim_counts counts;
  struct hb_particles *p = run(&modes[3], "bag", "ds", NULL, HB_ROUND_DOWN, &counts),
                      *q = run(&modes[3], "bag", "ds", NULL, HB_ROUND_DOWN, &counts);
  assert_true(distance(p, q) == 0);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
}

static void test_modes_that_make_no_sense(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("twobody", NULL, &p));
  struct hb_sim_params params = {.force = {.scheme = "bag", .flags = HB_FORCE_NO_TUNE},
                                 .transfer = HB_TRANSFER_BLOCK};
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "has to send all (expected predict gpu)");
  params.transfer = HB_TRANSFER_ALL;
  params.correct = HB_PLACE_GPU;
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "correct gpu with transfer all");
  params.correct = HB_PLACE_HOST;
  params.predict = HB_PLACE_GPU;
  params.force.scheme = "host";
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "scheme host keeps no particles on a device");
  hb_particles_destroy(p);
}

/* The first draw of the run is lost: predict = gpu starts anew with what the host has. */
static void(GLAPIENTRY *real_draw)(GLenum mode, GLint first, GLsizei count);
static int drawn;
static void GLAPIENTRY losing_draw(GLenum mode, GLint first, GLsizei count)
{
  if (drawn++ != 1) real_draw(mode, first, count); /* the second: the walk behind the prediction */
}

static void test_lost_draw_is_tried_again(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("twobody", NULL, &p));
  struct hb_sim_params params = {.force = {.scheme = "bag", .precision = "double", .flags = HB_FORCE_NO_TUNE},
                                 .transfer = HB_TRANSFER_BLOCK,
                                 .predict = HB_PLACE_GPU};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  real_draw = hb_gl_core_11.DrawArrays;
  drawn = 0;
  hb_gl_core_11.DrawArrays = losing_draw;
  ASSERT_OK(hb_sim_step(sim));
  assert_int_equal(drawn, 2); /* the new context has pointers of its own */
  while (hb_sim_next_time(sim) <= 1) ASSERT_OK(hb_sim_step(sim));
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prediction),
      cmocka_unit_test(test_blocks_are_stored),
      cmocka_unit_test(test_corrected_are_doubles),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_no_number),
      cmocka_unit_test(test_modes_agree),
      cmocka_unit_test(test_same_bytes_twice),
      cmocka_unit_test(test_modes_that_make_no_sense),
      cmocka_unit_test(test_lost_draw_is_tried_again),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
