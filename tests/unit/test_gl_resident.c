/* Particles that stay on the device: prediction there against the host's, what comes back, both ways of keeping them,
 * prediction ahead, lost draws, forces that are no numbers. */
#include "force/resident.c"
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { N = 1500, MOST_LEVELS = 27, SOME = 130 };

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
    level[i] = (uint8_t)(i % MOST_LEVELS);
  }
  for (int l = 0; l < MOST_LEVELS; l++)
    dt[l] = ldexp(1 + floor(100 * (1 + random_number())), l - 36); /* up to 0.2 */
  for (int l = MOST_LEVELS; l < 2 * MOST_LEVELS; l++) dt[l] = dt[l - MOST_LEVELS];
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

static void sources_of(const struct hb_resident *r, uint32_t words[16 * N])
{
  const struct hb_pairs *pairs = r->pairs;
  memset(words, 0, 16 * N * sizeof *words);
  hb_gl_buffer_read(&pairs->j, 0, 16 * (size_t)pairs->texels * N, words);
}

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
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    expect_equal(prediction_error(pairs, error), 0);
    expect_at_most(error[0], limits[precision][0]);
    expect_at_most(error[1], limits[precision][1]);

    /* negative control: a step that differs by what float would lose of it is seen in ds and double */
    double kept = dt[MOST_LEVELS - 1];
    dt[MOST_LEVELS - 1] *= 1 + 0x1p-24;
    prediction_error(pairs, error);
    if (precision >= HB_PRECISION_DS) expect_above(error[0], limits[precision][0]);
    dt[MOST_LEVELS - 1] = kept;
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

/* The error of a product by fma(): the same bits as without where it rounds once, and a wrong prediction where it does not. */
static void test_products(void **state)
{
  (void)state;
  static uint32_t words[2][16 * N];
  double error[2];
  int is_fused = 0;
  for (int other = 0; other < 2; other++) {
    struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_DS, NULL);
    if (!pairs) skip();
    struct hb_resident *r;
    if (other)
      pairs->fma_is_fused = !is_fused;
    else
      is_fused = pairs->fma_is_fused;
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    sources_of(r, words[other]);
    prediction_error(pairs, error);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  if (is_fused)
    assert_memory_equal(words[0], words[1], sizeof words[0]);
  else
    expect_above(error[0], 1e-12);
}

/* ---- what comes back ---- */

static double get_error(struct hb_resident *r)
{
  static double back[4][3 * N];
  const double *sent[4] = {x, v, a, k};
  struct hb_force_particles p = {N, m, back[0], back[1], back[2], back[3], level};
  double worst = 0;
  ASSERT_OK(hb_resident_ops.fetch(r, &p));
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
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
    expect_at_most(get_error(r), digits);
    pairs_index(SOME, 7, N, some); /* over both rows of the textures */
    for (int b = 0; b < SOME; b++)
      x[3 * some[b] + 1] += 1e-9, level[some[b]] = MOST_LEVELS; /* a level is stored as a whole */
    expect_above(get_error(r), digits);                         /* the device still has the old ones */
    ASSERT_OK(hb_resident_ops.keep(r, &particles, SOME, some));
    expect_at_most(get_error(r), digits);
    double error[2];
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    expect_equal(prediction_error(pairs, error), 0); /* with the new levels */
    expect_below(error[0], 1e-6);
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
  expect_above(N, 1024); /* read by whole rows */
  expect_at_most(N, 2048);
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
    for (int b = 0; b < SOME; b++) levels[b] = (uint8_t)(MOST_LEVELS + b % MOST_LEVELS); /* no others' */
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
    for (int round = 0; round < 3; round++) {
      ASSERT_OK(hb_resident_ops.predict(r, dt));
      ASSERT_OK(hb_resident_ops.correct(
          r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step}));
      ASSERT_OK(hb_resident_ops.settle(r, SOME, some, levels));
    }
    words_of(r, before);
    static uint8_t settled[N];
    memcpy(settled, level, sizeof settled);
    for (int b = 0; b < SOME; b++) settled[some[b]] = levels[b];
    p.level = settled;
    ASSERT_OK(hb_resident_ops.fetch(r, &p));
    ASSERT_OK(hb_resident_ops.keep(r, &p, N, NULL));
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
  ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
  assert_ptr_equal(r->way, way);
  ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
  for (int round = 0; round < 3; round++) {
    pairs_index(SOME, strides[round], N, some);
    for (int b = 0; b < SOME; b++) levels[b] = (uint8_t)(b % MOST_LEVELS);
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    ASSERT_OK(hb_resident_ops.correct(
        r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = o->step[round]}));
    ASSERT_OK(hb_resident_ops.settle(r, SOME, some, levels));
  }
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  ASSERT_OK(hb_resident_ops.check(r, 0, NULL));
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
      live(pairs, &resident_stored, &stored);
      caps->has_lasting_maps = 0;
      live(pairs, &resident_drawn, &drawn);
      caps->has_lasting_maps = 1;
      assert_memory_equal(stored.sources, drawn.sources, sizeof stored.sources);
      assert_memory_equal(stored.state, drawn.state, sizeof stored.state);
      assert_memory_equal(stored.step, drawn.step, sizeof stored.step);
      hb_pairs_destroy(pairs);
    }
  pairs_skip_if_lacking();
}

/* A block step that predicts ahead, to `guess`; the draws that prediction to `times` takes then. */
static int draws_after(struct hb_resident *r, const double *guess, const double *times)
{
  static uint32_t before[16 * N], after[16 * N];
  uint32_t some[SOME];
  uint8_t levels[SOME];
  double step[SOME];
  pairs_index(SOME, 7, N, some);
  for (int b = 0; b < SOME; b++) levels[b] = level[some[b]];
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  sources_of(r, before);
  ASSERT_OK(hb_resident_ops.correct(
      r,
      &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step, .ahead = guess}));
  ASSERT_OK(hb_resident_ops.settle(r, SOME, some, levels));
  sources_of(r, after);
  assert_memory_equal(before, after, sizeof before); /* until the next prediction, for pictures */
  pairs_draws_begin(0);
  ASSERT_OK(hb_resident_ops.predict(r, times));
  return pairs_draws_end();
}

static void test_prediction_ahead(void **state)
{
  (void)state;
  static uint32_t ahead[16 * N], anew[16 * N];
  double later[HB_FORCE_LEVELS], latest[HB_FORCE_LEVELS];
  if (!pairs_context()->caps.has_lasting_maps) skip();
  for (int l = 0; l < HB_FORCE_LEVELS; l++) later[l] = dt[l] + 0x1p-10, latest[l] = dt[l] + 0x1p-9;
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    struct hb_pairs *pairs = open_pairs("bag", (enum hb_precision)precision, NULL);
    if (!pairs) continue;
    struct hb_resident *r;
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
    assert_int_equal(draws_after(r, later, later), 0);
    sources_of(r, ahead);
    ASSERT_OK(hb_resident_ops.predict(r, dt)); /* not there any more */
    ASSERT_OK(hb_resident_ops.predict(r, later));
    sources_of(r, anew);
    assert_memory_equal(ahead, anew, sizeof ahead);
    assert_int_equal(draws_after(r, later, latest), 1); /* in vain */
    ASSERT_OK(hb_resident_ops.check(r, 0, NULL));
    sources_of(r, ahead);
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    ASSERT_OK(hb_resident_ops.predict(r, latest));
    sources_of(r, anew);
    assert_memory_equal(ahead, anew, sizeof ahead);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* What was predicted ahead stays while others send sources; it is replaced, or lost. */
static void test_prediction_ahead_is_not_there(void **state)
{
  (void)state;
  static uint32_t ahead[16 * N], anew[16 * N];
  uint32_t some[SOME];
  double step[SOME];
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_SINGLE, NULL);
  struct hb_resident *r;
  if (!pairs || !pairs_context()->caps.has_lasting_maps) skip();
  pairs_index(SOME, 7, N, some);
  ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
  ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
  for (int round = 0; round < 2; round++) {
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    ASSERT_OK(hb_resident_ops.correct(
        r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step, .ahead = dt}));
    if (round == 0)
      pairs_send(pairs, N); /* as diagnostics do */
    else
      ASSERT_OK(hb_resident_ops.keep(r, &particles, SOME, some));
    pairs_draws_begin(0);
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    assert_int_equal(pairs_draws_end(), round);
    ASSERT_OK(hb_resident_ops.check(r, 0, NULL));
    sources_of(r, ahead);
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    sources_of(r, anew);
    assert_memory_equal(ahead, anew, sizeof ahead);
  }
  pairs_draws_begin(0);
  ASSERT_OK(hb_resident_ops.correct(
      r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step, .ahead = dt}));
  int last = pairs_draws_end();
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  pairs_draws_begin(last);
  ASSERT_OK(hb_resident_ops.correct(
      r, &(struct hb_force_correction){
             .ni = SOME, .index = some, .how = &how, .step = step, .ahead = dt})); /* does not depend on it */
  pairs_draws_end();
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  ASSERT_FAILS(
      hb_resident_ops.correct(
          r,
          &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step, .ahead = dt}),
      HB_ERR_DEVICE, "dropped a draw: not all particles were stored and predicted");
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
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
    ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
    assert_ptr_equal(r->way, is_less ? &resident_drawn : &resident_stored);
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
  ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
  pairs_draws_begin(lose);
  ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
  ASSERT_OK(hb_resident_ops.predict(r, dt));
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
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    words_of(r, before);
    pairs_draws_begin(round == 0 ? 0 : nth);
    enum hb_status status = hb_resident_ops.correct(
        r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step});
    pairs_draws_end();
    assert_int_equal(status, round == 0 ? HB_OK : expected);
    if (status == HB_ERR_DEVICE) assert_non_null(strstr(hb_error(), "dropped a draw: "));
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
    for (int twice = 0; twice < 2 && pairs_context()->caps.has_counts; twice++) /* else a force tells */
      assert_int_equal(hb_resident_ops.check(r, 0, NULL), expected);
    hb_resident_destroy(r);
    r = begin(pairs, nth);
    assert_int_equal(
        hb_resident_ops.correct(
            r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step}),
        expected);
    if (nth == 1) assert_int_equal(hb_resident_ops.fetch(r, &p), HB_ERR_DEVICE);
    hb_resident_destroy(r);
    hb_pairs_destroy(pairs);
  }
  struct hb_pairs *pairs = open_pairs("bag", HB_PRECISION_SINGLE, NULL);
  struct hb_resident *r = begin(pairs, 0);
  pairs_draws_begin(0);
  ASSERT_OK(hb_resident_ops.correct(
      r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step}));
  int last = pairs_draws_end();
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  words_of(r, before);
  pairs_draws_begin(last);
  assert_int_equal(
      hb_resident_ops.correct(
          r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step}),
      HB_ERR_DEVICE);
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
  ASSERT_OK(hb_resident_create(pairs, N, 0, &r));
  ASSERT_OK(hb_resident_ops.keep(r, &particles, N, NULL));
  ASSERT_OK(hb_resident_ops.predict(r, dt));
  words_of(r, before);
  ASSERT_FAILS(hb_resident_ops.correct(
                   r, &(struct hb_force_correction){.ni = SOME, .index = some, .how = &how, .step = step}),
               HB_ERR_NUMERIC, "particle 0 has a force that is not finite");
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prediction),
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_blocks_are_stored),
      cmocka_unit_test(test_corrected_are_doubles),
      cmocka_unit_test(test_same_bits_both_ways),
      cmocka_unit_test(test_prediction_ahead),
      cmocka_unit_test(test_prediction_ahead_is_not_there),
      cmocka_unit_test(test_limit_of_storage),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_lost_draws_beside_the_walk),
      cmocka_unit_test(test_no_number),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
