/* Particles that stay on the device: prediction there against the host's, what comes back, both ways of keeping them, the
 * modes of a run side by side, lost draws, forces that are no numbers. */
#include "force/resident_way.h"
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

/* In storage buffers and in textures. */
static void both_ways(void (*test)(void))
{
  struct hb_gl_caps *caps = &pairs_context()->caps;
  int kept = caps->has_lasting_maps;
  test();
  caps->has_lasting_maps = 0;
  test();
  caps->has_lasting_maps = kept;
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
static void predicts(void)
{
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
}

static void test_prediction(void **state)
{
  (void)state;
  both_ways(predicts);
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

static void stores_blocks(void)
{
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
}

static void test_blocks_are_stored(void **state)
{
  (void)state;
  both_ways(stores_blocks);
  pairs_skip_if_lacking();
}

/* Numbers of all particles as they lie on the device: x v a k, high and low words. */
static void words_of(struct hb_resident *r, uint32_t words[8][3 * N])
{
  static uint32_t texels[2][4 * N];
  assert_true(N > 1024 && N <= 2048); /* read by whole rows */
  for (int q = 0; q < 4; q++)
    for (int part = 0; part < 2; part++) {
      size_t first = part ? 1024 : 0, count = part ? N - 1024 : 1024;
      ASSERT_OK(r->way->read(r, q, first, count, texels[0], texels[1]));
      for (size_t c = 0; c < 3 * count; c++)
        for (int low = 0; low < 2; low++)
          words[2 * q + low][3 * first + c] = texels[low][4 * (c / 3) + c % 3];
    }
}

/* Two floats can hold more than a double; what the device has corrected does not, or a checkpoint would lose it. */
static void corrects_to_doubles(void)
{
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
      ASSERT_OK(hb_resident_settle(r, SOME, some, levels));
    }
    words_of(r, before);
    ASSERT_OK(hb_resident_get(r, &p));
    ASSERT_OK(hb_resident_put(r, &p, N, NULL));
    words_of(r, after);
    assert_memory_equal(before, after, sizeof before);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
}

static void test_corrected_are_doubles(void **state)
{
  (void)state;
  both_ways(corrects_to_doubles);
  pairs_skip_if_lacking();
}

/* ---- two ways, the same bits ---- */

struct outcome {
  uint32_t sources[16 * N], state[8][3 * N];
  double step[3][SOME];
};

/* What three block steps leave: blocks that differ, levels that change. */
static void live(struct hb_pairs *pairs, const struct hb_resident_way *way, struct outcome *o)
{
  static const size_t strides[] = {7, 11, 13};
  struct hb_resident *r;
  uint32_t some[SOME];
  uint8_t levels[SOME];
  memset(o, 0, sizeof *o);
  ASSERT_OK(hb_resident_create(pairs, N, &r));
  assert_ptr_equal(r->way, way);
  ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
  for (int round = 0; round < 3; round++) {
    pairs_index(SOME, strides[round], N, some);
    for (int b = 0; b < SOME; b++) levels[b] = (uint8_t)(b % LEVELS);
    ASSERT_OK(hb_resident_predict(r, dt));
    ASSERT_OK(hb_resident_correct(r, SOME, some, &how, o->step[round], NULL));
    ASSERT_OK(hb_resident_settle(r, SOME, some, levels));
  }
  ASSERT_OK(hb_resident_predict(r, dt));
  ASSERT_OK(hb_resident_check(r));
  hb_gl_buffer_read(&pairs->j, 0, 16 * (size_t)pairs->texels * N, o->sources);
  words_of(r, o->state);
  hb_resident_destroy(r);
}

static void test_same_bits_both_ways(void **state)
{
  (void)state;
  static struct outcome stored, drawn;
  struct hb_gl_caps *caps = &pairs_context()->caps;
  static const char *const tunings[] = {NULL, "portion=50 i_each=2", "threads=500 output=targets"};
  if (!caps->has_lasting_maps) skip();
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    for (size_t t = 0; t < COUNT_OF(tunings); t++) {
      struct hb_pairs *pairs = open_pairs("bag", (enum hb_precision)precision, tunings[t]);
      if (!pairs) continue;
      live(pairs, &hb_resident_stored, &stored);
      caps->has_lasting_maps = 0;
      live(pairs, &hb_resident_drawn, &drawn);
      caps->has_lasting_maps = 1;
      assert_memory_equal(stored.sources, drawn.sources, sizeof stored.sources);
      assert_memory_equal(stored.state, drawn.state, sizeof stored.state);
      assert_memory_equal(stored.step, drawn.step, sizeof stored.step);
      hb_pairs_destroy(pairs);
    }
  pairs_skip_if_lacking();
}

/* More than one storage buffer may hold: the particles go into textures. */
static void test_limit_of_storage(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps, kept = *caps;
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_SINGLE, NULL);
  if (!pairs || !caps->has_lasting_maps) skip();
  struct hb_resident *r;
  for (int is_less = 0; is_less < 2; is_less++) {
    caps->max_storage_block_size = 128 * N - is_less;
    ASSERT_OK(hb_resident_create(pairs, N, &r));
    assert_ptr_equal(r->way, is_less ? &hb_resident_drawn : &hb_resident_stored);
    hb_resident_destroy(r);
  }
  *caps = kept;
  hb_pairs_destroy(pairs);
}

/* ---- faults ---- */

/* Draws: 1 stores, 2 predicts, then come those of the walk, and the last one corrects. */
static struct hb_resident *begin(struct hb_pairs *pairs, int lose)
{
  struct hb_resident *r;
  pairs->params.max_draw_s = 10;
  pairs->known = 1;
  ASSERT_OK(hb_resident_create(pairs, N, &r));
  pairs_draws_begin(lose);
  ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
  ASSERT_OK(hb_resident_predict(r, dt));
  pairs_draws_end();
  return r;
}

static void lose(const char *scheme, const char *tuning, int nth, enum hb_status expected)
{
  struct hb_pairs *pairs = open_pairs(scheme, HB_PRECISION_SINGLE, tuning);
  if (!pairs) return;
  static uint32_t before[8][3 * N], after[8][3 * N];
  uint32_t some[SOME];
  double step[SOME];
  pairs_index(SOME, 7, N, some);
  struct hb_resident *r = begin(pairs, 0);
  for (int round = 0; round < 2; round++) { /* the second time whole results of the first lie about */
    ASSERT_OK(hb_resident_predict(r, dt));
    words_of(r, before);
    pairs_draws_begin(round == 0 ? 0 : nth);
    enum hb_status status = hb_resident_correct(r, SOME, some, &how, step, NULL);
    pairs_draws_end();
    assert_int_equal(status, round == 0 ? HB_OK : expected);
    if (status == HB_ERR_DEVICE) assert_non_null(strstr(hb_error(), "dropped a draw: sink "));
  }
  if (expected != HB_OK) { /* a block that failed changes nothing */
    words_of(r, after);
    assert_memory_equal(before, after, sizeof before);
  }
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

static void loses(void)
{
  static const char *const many = "i_each=2 unroll=2 partial=32 workgroup=64 threads=2000";
  lose("bag", many, 0, HB_OK);
  lose("bag", many, 1, HB_ERR_DEVICE);
  lose("bag", "threads=1 bag=512 output=targets", 2, HB_ERR_DEVICE);
  lose("bag", "threads=1 output=storage", 1, HB_ERR_DEVICE);
  lose("bag", "portion=50", 3, HB_ERR_DEVICE); /* the first portion was corrected */
  lose("tile", many, 1, HB_ERR_DEVICE);
}

static void test_lost_draws(void **state)
{
  (void)state;
  both_ways(loses);
  pairs_skip_if_lacking();
}

/* A draw that stored, predicted or corrected was lost: what depends on it is refused, in whatever way it is asked for, and
 * what does not is still there. */
static void loses_without_walk(void)
{
  static uint32_t before[8][3 * N], after[8][3 * N];
  static double back[4][3 * N];
  struct hb_force_particles p = {N, m, back[0], back[1], back[2], back[3], level};
  uint32_t some[SOME];
  double step[SOME];
  pairs_index(SOME, 7, N, some);
  for (int nth = 0; nth <= 2; nth++) {
    struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_SINGLE, NULL);
    enum hb_status expected = nth == 0 ? HB_OK : HB_ERR_DEVICE;
    struct hb_resident *r = begin(pairs, nth);
    assert_int_equal(hb_resident_check(r), expected);
    assert_int_equal(hb_resident_check(r), expected); /* again */
    hb_resident_destroy(r);
    r = begin(pairs, nth);
    assert_int_equal(hb_resident_correct(r, SOME, some, &how, step, NULL), expected);
    if (nth == 1) assert_int_equal(hb_resident_get(r, &p), HB_ERR_DEVICE);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_SINGLE, NULL);
  struct hb_resident *r = begin(pairs, 0);
  pairs_draws_begin(0);
  ASSERT_OK(hb_resident_correct(r, SOME, some, &how, step, NULL));
  int last = pairs_draws_end();
  ASSERT_OK(hb_resident_predict(r, dt));
  words_of(r, before);
  pairs_draws_begin(last);
  assert_int_equal(hb_resident_correct(r, SOME, some, &how, step, NULL), HB_ERR_DEVICE);
  pairs_draws_end();
  assert_non_null(strstr(hb_error(), " dropped a draw: "));
  words_of(r, after);
  assert_memory_equal(before, after, sizeof before);
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

static void test_lost_draws_beside_the_walk(void **state)
{
  (void)state;
  both_ways(loses_without_walk);
}

static void finds_no_number(void)
{
  static uint32_t before[8][3 * N], after[8][3 * N];
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_DS, NULL);
  if (!pairs) return;
  struct hb_resident *r;
  uint32_t some[SOME];
  double step[SOME], kept = x[3 * 7];
  pairs_index(SOME, 7, N, some);
  x[3 * 7] = NAN; /* particle 7 is the second sink, and all others feel it */
  ASSERT_OK(hb_resident_create(pairs, N, &r));
  ASSERT_OK(hb_resident_put(r, &particles, N, NULL));
  ASSERT_OK(hb_resident_predict(r, dt));
  words_of(r, before);
  ASSERT_FAILS(hb_resident_correct(r, SOME, some, &how, step, NULL), HB_ERR_NUMERIC,
               "particle 0 has a force that is not finite");
  words_of(r, after);
  assert_memory_equal(before, after, sizeof before);
  x[3 * 7] = kept;
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

static void test_no_number(void **state)
{
  (void)state;
  both_ways(finds_no_number);
  pairs_skip_if_lacking();
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

/* The walk behind the prediction is lost: predict = gpu starts anew with what the host has. */
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
  pairs_draws_begin(2);
  ASSERT_OK(hb_sim_step(sim));
  assert_int_equal(pairs_draws_end(), 2); /* the new context has pointers of its own */
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
      cmocka_unit_test(test_same_bits_both_ways),
      cmocka_unit_test(test_limit_of_storage),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_lost_draws_beside_the_walk),
      cmocka_unit_test(test_no_number),
      cmocka_unit_test(test_modes_agree),
      cmocka_unit_test(test_same_bytes_twice),
      cmocka_unit_test(test_modes_that_make_no_sense),
      cmocka_unit_test(test_lost_draw_is_tried_again),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
