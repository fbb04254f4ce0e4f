/* Sources with times of their own: predicted on the device and on the host against a predictor of the test's own, the
 * forces and the neighbors that follow from them, particles that arrive one by one, lost draws. */
#include "force/resident.h"
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/shader_case.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { N = 900, NI = 60 };

static struct hb_timed_particle particles[N];
static double now;

static double uniform(void) /* in -1 .. 1; tests do not rely on the library's generator */
{
  static uint64_t state = 5;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(state >> 11), -52) - 1;
}

/* Times anywhere within 0.2 of now, in all bits of a double. */
static void make(double shift)
{
  now = 0.7 + 0x1p-50;
  for (int i = 0; i < N; i++) {
    struct hb_timed_particle *p = &particles[i];
    *p = (struct hb_timed_particle){.t = now - 0.1 + 0.1 * uniform(), .m = (1.5 + uniform()) / N};
    for (int c = 0; c < 3; c++) {
      p->x[c] = shift + 3 * uniform();
      p->v[c] = uniform();
      p->a[c] = 5 * uniform();
      p->j[c] = 40 * uniform();
      p->s[c] = 300 * uniform();
    }
  }
}

/* In the plain form, with more digits than double where the machine has them. */
static void predict(const struct hb_timed_particle *p, double t, double x[3], double v[3])
{
  long double dt = (long double)t - (long double)p->t;
  for (int c = 0; c < 3; c++) {
    long double a = p->a[c], j = p->j[c], s = p->s[c];
    x[c] = (double)(p->x[c] + p->v[c] * dt + a * dt * dt / 2 + j * dt * dt * dt / 6 +
                    s * dt * dt * dt * dt / 24);
    v[c] = (double)(p->v[c] + a * dt + j * dt * dt / 2 + s * dt * dt * dt / 6);
  }
}

/* ---- sources of forces ---- */

static const struct source {
  const char *scheme, *precision;
  double place, velocity, force; /* what they may be wrong by, see below */
} sources[] = {
    {"bag", "single", 0x1p-23, 0x1p-23, 3e-5},  {"bag", "compensated", 0x1p-23, 0x1p-23, 3e-5},
    {"bag", "ds", 1e-12, 0x1p-23, 4e-6},        {"bag", "double", 1e-15, 1e-15, 1e-13},
    {"matrix2004", "ds", 1e-12, 0x1p-23, 4e-6}, {"host", "double", 1e-15, 1e-15, 1e-13},
    {"host-simd", "ds", 1e-12, 0x1p-23, 4e-6},
};
/* Positions: 48 bits in ds, where a dozen roundings stay far below 1e-12; floats elsewhere, rounded once. Velocities are
 * floats in all but double. Forces: FLOAT_TOLERANCE and DOUBLE_TOLERANCE of pairs_case.c for equal places. But a float 3
 * from the origin is off by 2e-7, which is 4e-6 of the softening and makes as much of the pull of a close pair; several of
 * them count. In double the places differ by 1e-16. */

static const struct source *at_work;

static struct hb_force *opened[COUNT_OF(sources)]; /* once for all tests */

/* Whether the host predicts particles that are put from now on, as for a device without compute shaders or lasting maps. */
static int is_on_host;

static int in_storage(void **state)
{
  (void)state;
  is_on_host = 0;
  return 0;
}

static int on_host(void **state)
{
  (void)state;
  is_on_host = 1;
  return 0;
}

/* NULL: the device lacks what it needs. */
static struct hb_force *open_force(size_t k)
{
  const struct hb_gl_caps *caps = &pairs_context()->caps;
  const struct hb_force_params params = {.scheme = sources[k].scheme,
                                         .precision = sources[k].precision,
                                         .max_draw_s = 1e3, /* one draw a call, however busy the machine is */
                                         .eps = 0.05,
                                         .flags = HB_FORCE_NO_TUNE};
  int doubles = strcmp(params.precision, "double") == 0, on_host = strncmp(params.scheme, "host", 4) == 0;
  at_work = &sources[k];
  if (!on_host && doubles && !caps->has_double) return NULL;
  if (!opened[k]) ASSERT_OK(hb_force_open(&params, &opened[k]));
  struct hb_gl_context *gl = hb_force_gl(opened[k]);
  if (gl) gl->caps.has_lasting_maps = caps->has_lasting_maps && !is_on_host;
  return opened[k];
}

#define FOR_EACH_SOURCE(force)                                                                               \
  for (size_t k_ = 0; k_ < COUNT_OF(sources); k_++)                                                          \
    for (struct hb_force *force = open_force(k_); force; force = NULL)

static struct hb_timed *open_timed(struct hb_force *force, size_t count)
{
  struct hb_timed *timed;
  ASSERT_OK(hb_timed_create(force, &timed));
  ASSERT_OK(hb_timed_put(timed, count, NULL, particles));
  return timed;
}

/* ---- what is stored on the device ---- */

/* Largest distance of places and of velocities from the test's own, relative to their size. */
static void prediction_error(const struct hb_pairs *pairs, double t, double error[2])
{
  static uint32_t words[16 * N];
  error[0] = error[1] = 0;
  ASSERT_OK(hb_gl_context_use(pairs->params.context));
  hb_gl_buffer_read(&pairs->j, 0, 16 * (size_t)pairs->texels * N, words);
  for (int i = 0; i < N; i++) {
    double q[2][3], d2[2] = {0}, q2[2] = {0};
    predict(&particles[i], t, q[0], q[1]);
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < 3; c++) {
        double d = pairs_on_device(pairs, words, i, r, c) - q[r][c];
        d2[r] += d * d, q2[r] += q[r][c] * q[r][c];
      }
    for (int r = 0; r < 2; r++) error[r] = fmax(error[r], sqrt(d2[r] / q2[r]));
    expect_at_most(fabs(pairs_on_device(pairs, words, i, 0, 3) - particles[i].m), 6e-8 * particles[i].m);
  }
}

static struct hb_pairs *engine_of(struct hb_force *force)
{
  struct hb_pairs *pairs;
  ASSERT_OK(hb_force_engine(force, N, &pairs));
  return pairs;
}

static void test_prediction(void **state)
{
  (void)state;
  double error[2];
  make(0);
  FOR_EACH_SOURCE(force)
  {
    struct hb_pairs *pairs = engine_of(force);
    if (!pairs) continue;
    struct hb_timed *timed = open_timed(force, N);
    ASSERT_OK(hb_timed_predict(timed, N, now));
    ASSERT_OK(hb_timed_check(timed));
    prediction_error(pairs, now, error);
    if (!(error[0] <= at_work->place && error[1] <= at_work->velocity))
      fail_msg("%s: predicted places are wrong by %g, velocities by %g", at_work->precision, error[0],
               error[1]);

    /* negative control: a time that differs by what two floats would lose of it is seen in double, what one would in ds */
    prediction_error(pairs, now + 0x1p-45, error);
    if (pairs->params.precision == HB_PRECISION_DOUBLE) expect_above(error[0], at_work->place);
    prediction_error(pairs, now + 0x1p-25, error);
    if (pairs->params.precision == HB_PRECISION_DS) expect_above(error[0], at_work->place);
    hb_timed_destroy(timed);
  }
}

static void read_words(struct hb_force *force, uint32_t words[16 * N])
{
  struct hb_pairs *pairs = engine_of(force);
  ASSERT_OK(hb_gl_context_use(pairs->params.context));
  hb_gl_buffer_read(&pairs->j, 0, 16 * (size_t)pairs->texels * N, words);
}

/* Where the device cannot, the host predicts: the engine is given what hb_timed_place says, to the last bit. */
static void test_on_host(void **state)
{
  static uint32_t words[2][16 * N];
  static double m[N], x[3 * N], v[3 * N];
  make(7);
  on_host(state);
  for (size_t k = 0; k < COUNT_OF(sources); k++) {
    struct hb_force *force = open_force(k);
    if (!force || !engine_of(force)) continue;
    struct hb_timed *timed = open_timed(force, N);
    for (uint32_t late = 3; late < N; late += 50)
      ASSERT_OK(hb_timed_put(timed, 1, &late, &particles[late - 1]));
    ASSERT_OK(hb_timed_predict(timed, N, now));
    read_words(force, words[0]);
    for (size_t i = 0; i < N; i++) {
      m[i] = particles[i % 50 == 3 ? i - 1 : i].m;
      hb_timed_place(timed, i, now, x + 3 * i, v + 3 * i);
    }
    ASSERT_OK(hb_force_set_j(force, N, m, x, v));
    read_words(force, words[1]);
    if (memcmp(words[0], words[1], sizeof words[0]) != 0)
      fail_msg("%s in %s: not what the host predicts", at_work->scheme, at_work->precision);
    hb_timed_destroy(timed);
  }
  in_storage(state);
}

/* Steps of 2^-44 of a time: two floats would leave four of their bits. */
static void test_short_steps(void **state)
{
  (void)state;
  double error[2];
  make(0);
  for (int i = 0; i < N; i++) {
    particles[i].t = now - ldexp(1 + floor(100 * (1 + uniform())), -52);
    for (int c = 0; c < 3; c++) particles[i].v[c] *= 0x1p40;
  }
  FOR_EACH_SOURCE(force)
  {
    struct hb_pairs *pairs = engine_of(force);
    if (!pairs) continue;
    struct hb_timed *timed = open_timed(force, N);
    ASSERT_OK(hb_timed_predict(timed, N, now));
    prediction_error(pairs, now, error);
    if (!(error[0] <= at_work->place && error[1] <= at_work->velocity))
      fail_msg("%s: after short steps places are wrong by %g, velocities by %g", at_work->precision, error[0],
               error[1]);
    hb_timed_destroy(timed);
  }
}

/* ---- forces ---- */

static double points[3 * NI], speeds[3 * NI];
static uint32_t own[NI];

/* Half of the points are particles, predicted, the others anywhere. */
static void make_points(void)
{
  for (size_t i = 0; i < NI; i++) {
    own[i] = i % 2 ? (uint32_t)(i * 13 % N) : HB_NO_SOURCE;
    double *x = points + 3 * i, *v = speeds + 3 * i;
    predict(&particles[i * 13 % N], now, x, v);
    if (i % 2 == 0) x[0] += 0.3;
  }
}

static double a[3 * NI], j[3 * NI], phi[NI];

/* The largest error of the accelerations at the points, relative to the largest of them. */
static double force_error(struct hb_force *force, size_t nj)
{
  ASSERT_OK(hb_force_at(force, NI, points, speeds, own, a, j, phi));
  double worst = 0, largest = 0;
  for (size_t i = 0; i < NI; i++) {
    double sum[3] = {0}, d2 = 0, a2 = 0;
    for (size_t k = 0; k < nj; k++) {
      double x[3], v[3], r2 = 0.05 * 0.05;
      if (k == own[i]) continue;
      predict(&particles[k], now, x, v);
      for (size_t c = 0; c < 3; c++) x[c] -= points[3 * i + c], r2 += x[c] * x[c];
      for (size_t c = 0; c < 3; c++) sum[c] += particles[k].m * x[c] / (r2 * sqrt(r2));
    }
    for (size_t c = 0; c < 3; c++) d2 += pow(a[3 * i + c] - sum[c], 2), a2 += sum[c] * sum[c];
    worst = fmax(worst, sqrt(d2)), largest = fmax(largest, sqrt(a2));
  }
  return worst / largest;
}

static void require_forces(struct hb_force *force, struct hb_timed *timed, size_t nj, const char *what)
{
  ASSERT_OK(hb_timed_predict(timed, nj, now));
  double error = force_error(force, nj);
  ASSERT_OK(hb_timed_check(timed));
  if (!(error <= at_work->force))
    fail_msg("%s in %s, %s: forces are wrong by %g", at_work->scheme, at_work->precision, what, error);
}

/* Particles arrive one by one, some of them again, at addresses in any order, also between two forces at one time. */
static void test_arrivals(void **state)
{
  (void)state;
  make(0);
  FOR_EACH_SOURCE(force)
  {
    struct hb_timed *timed = open_timed(force, N / 3);
    make_points();
    for (uint32_t k = N - 1; k >= N / 3; k -= 2) ASSERT_OK(hb_timed_put(timed, 1, &k, &particles[0]));
    for (uint32_t k = N / 3; k < N; k++) ASSERT_OK(hb_timed_put(timed, 1, &k, &particles[k]));
    for (size_t i = 0; i < NI; i++)
      if (own[i] != HB_NO_SOURCE && own[i] >= N / 3) own[i] %= N / 3;
    require_forces(force, timed, N, "all");
    require_forces(force, timed, N / 2, "half of them");
    require_forces(force, timed, N, "all again");
    for (int late = 0; late < 5; late++) {
      uint32_t at = (uint32_t)(N - 1 - 7 * late);
      struct hb_timed_particle kept = particles[at];
      particles[at].m = 1; /* as much as all others together */
      particles[at].t -= 0.01;
      ASSERT_OK(hb_timed_put(timed, 1, &at, &particles[at]));
      require_forces(force, timed, N, "with a late one");
      particles[at] = kept;
      expect_above(force_error(force, N), 100 * at_work->force); /* it counts */
      ASSERT_OK(hb_timed_put(timed, 1, &at, &kept));
    }
    now += 0x1p-7;
    require_forces(force, timed, N, "later");
    now -= 0x1p-7;
    hb_timed_destroy(timed);
  }
}

static void test_growth(void **state)
{
  (void)state;
  make(0);
  FOR_EACH_SOURCE(force)
  {
    struct hb_timed *timed = open_timed(force, 1);
    make_points();
    for (size_t i = 0; i < NI; i++) own[i] = HB_NO_SOURCE;
    for (size_t n = 1; n <= N; n = n * 5 + 3) {
      ASSERT_OK(hb_timed_put(timed, n, NULL, particles));
      require_forces(force, timed, n, "growing");
    }
    hb_timed_destroy(timed);
  }
}

/* Far from the origin a float has no digits left: the frame keeps them. */
static void test_far_away(void **state)
{
  (void)state;
  make(1e5);
  make_points();
  FOR_EACH_SOURCE(force)
  {
    struct hb_timed *timed = open_timed(force, N);
    if (strcmp(at_work->precision, "double") != 0) require_forces(force, timed, N, "far away");
    hb_timed_destroy(timed);
  }
}

/* ---- neighbors ---- */

static struct hb_near_lists lists;

/* Against all pairs of places as hb_timed_place gives them, which test_prediction compares. */
static void require_neighbors(struct hb_timed *timed, size_t nj)
{
  static double x[3 * N], h2[NI], r2[NI];
  static uint32_t nearest[NI];
  const struct hb_near_points asked = {NI, points, own};
  for (size_t k = 0; k < nj; k++) hb_timed_place(timed, k, now, x + 3 * k, NULL);
  for (size_t i = 0; i < NI; i++) h2[i] = i % 5 == 4 ? 0 : 0.3 * (double)(i % 5);
  ASSERT_OK(hb_timed_nearest(timed, &asked, nearest, r2));
  ASSERT_OK(hb_timed_find(timed, &asked, h2, 0, &lists));
  for (size_t i = 0; i < NI; i++) {
    uint32_t best = HB_NO_SOURCE;
    size_t at = lists.start[i];
    double least = INFINITY;
    for (uint32_t k = 0; k < nj; k++) {
      double d2 = 0;
      for (size_t c = 0; c < 3; c++)
        d2 += (x[3 * k + c] - points[3 * i + c]) * (x[3 * k + c] - points[3 * i + c]);
      if (k == own[i]) continue;
      if (d2 < least) least = d2, best = k;
      if (d2 < h2[i] && (at >= lists.start[i + 1] || lists.source[at++] != k))
        fail_msg("%s in %s: source %u is not in the list of point %zu", at_work->scheme, at_work->precision,
                 k, i);
    }
    if (nearest[i] != best || r2[i] != least)
      fail_msg("%s in %s: the nearest of point %zu is %u at %.17g, expected %u at %.17g", at_work->scheme,
               at_work->precision, i, nearest[i], r2[i], best, least);
    assert_int_equal(at, lists.start[i + 1]);
  }
}

/* Also threes that only the host can tell apart, some from a point next to them, some in one place. */
static void make_threes(void)
{
  make(0);
  for (int i = 0; i + 2 < N; i += 3)
    for (int k = 1; k <= 2; k++) {
      particles[i + k] = particles[i];
      for (int c = 0; c < 3 && i % 2; c++) particles[i + k].x[c] += 2e-7 * uniform();
    }
  make_points();
  for (size_t i = 0; i < NI; i += 2) points[3 * i] -= 0.299;
}

static void test_neighbors(void **state)
{
  (void)state;
  FOR_EACH_SOURCE(force)
  {
    make_threes();
    struct hb_timed *timed = open_timed(force, N);
    ASSERT_FAILS(hb_timed_nearest(timed, &(struct hb_near_points){0}, NULL, NULL), HB_ERR_USAGE,
                 "neighbors requested before the particles were predicted");
    ASSERT_OK(hb_timed_predict(timed, N, now));
    static double alone[3 * NI];
    ASSERT_OK(hb_force_at(force, NI, points, speeds, own, alone, j, phi));
    ASSERT_OK(hb_force_begin_at(force, NI, points, speeds, own, a, j, phi));
    require_neighbors(timed, N); /* while a call is under way */
    ASSERT_OK(hb_force_finish(force));
    assert_memory_equal(a, alone, sizeof a);
    for (uint32_t k = 0; k < 10; k++) ASSERT_OK(hb_timed_put(timed, 1, &k, &particles[N - 1 - k]));
    ASSERT_OK(hb_timed_predict(timed, N / 2, now));
    for (size_t i = 0; i < NI; i++) own[i] = i % 2 ? (uint32_t)i : HB_NO_SOURCE;
    require_neighbors(timed, N / 2);
    hb_timed_destroy(timed);
  }
}

/* ---- when things go wrong ---- */

static void require_all(struct hb_force *force, struct hb_timed *timed)
{
  require_forces(force, timed, N, "at last");
  require_neighbors(timed, N);
}

/* Each draw of storing, predicting, the force, predicting for neighbors and asking is lost once, where there are such; the force may take several. */
static void test_lost_draws(void **state)
{
  (void)state;
  static uint32_t nearest[NI], right[NI];
  const struct hb_near_points asked = {NI, points, own};
  make(0);
  make_points();
  struct hb_force *force = open_force(0);
  if (!force) skip();
  /* without memory that host and device share, as in ES, the host predicts */
  int least = is_on_host || !hb_force_gl(force)->caps.has_lasting_maps ? 2 : 5, draws = least;
  struct hb_timed *timed = open_timed(force, N);
  require_all(force, timed);
  for (int lose = 0; lose <= draws; lose++) { /* first none */
    ASSERT_OK(hb_timed_put(timed, N, NULL, particles));
    pairs_draws_begin(lose);
    enum hb_status status = hb_timed_predict(timed, N, now), then;
    then = hb_force_at(force, NI, points, speeds, own, a, j, phi);
    if (status == HB_OK) status = then;
    if (status == HB_OK) status = hb_timed_check(timed);
    if (status == HB_OK) status = hb_timed_nearest(timed, &asked, nearest, NULL);
    int count = pairs_draws_end();
    if (lose == 0) draws = count, memcpy(right, nearest, sizeof right);
    if (count < lose || lose == 0) { /* a walk may take fewer than the first one did */
      ASSERT_OK(status);
      continue;
    }
    if (status == HB_OK && !hb_force_gl(force)->caps.has_counts) { /* the host has looked at every source */
      assert_memory_equal(nearest, right, sizeof nearest);
      continue;
    }
    if (status != HB_ERR_DEVICE) fail_msg("draw %d was lost unnoticed", lose);
    assert_non_null(strstr(hb_error(), " dropped a draw"));
    require_all(force, timed); /* and then all is right again */
  }
  expect_at_least(draws, least);
  hb_timed_destroy(timed);
}

static void test_open_again(void **state)
{
  (void)state;
  make(0);
  make_points();
  FOR_EACH_SOURCE(force)
  {
    struct hb_timed *timed = open_timed(force, N);
    require_all(force, timed);
    ASSERT_OK(hb_force_open_again(force));
    require_all(force, timed);
    hb_timed_destroy(timed);
  }
}

/* A device whose compiler may drop the errors of sums does not predict: the host does. */
static void test_no_precise(void **state)
{
  (void)state;
  make(0);
  make_points();
  struct hb_force *force = open_force(0);
  if (!force) skip();
  struct hb_timed *timed = open_timed(force, N);
  struct hb_gl_context *context = hb_force_gl(force);
  const struct hb_gl_caps kept = context->caps;
  shader_break_sums(context);
  pairs_draws_begin(0);
  ASSERT_OK(hb_timed_predict(timed, N, now));
  assert_int_equal(pairs_draws_end(), 0);
  require_all(force, timed);
  context->caps = kept;
  hb_timed_destroy(timed);
}

static enum hb_status whole_life(void *data)
{
  static double h2[NI] = {1};
  static uint32_t nearest[NI];
  const struct hb_near_points asked = {NI, points, own};
  struct hb_timed *timed;
  struct hb_force *force = data;
  struct hb_near_lists some = {0};
  HB_TRY(hb_timed_create(force, &timed));
  enum hb_status status = hb_timed_put(timed, N, NULL, particles);
  if (status == HB_OK) status = hb_timed_predict(timed, N, now);
  if (status == HB_OK) status = hb_force_at(force, NI, points, speeds, own, a, j, phi);
  if (status == HB_OK) status = hb_timed_nearest(timed, &asked, nearest, NULL);
  if (status == HB_OK) status = hb_timed_find(timed, &asked, h2, 0, &some);
  hb_near_lists_free(&some);
  hb_timed_destroy(timed);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  make(0);
  make_points();
  struct hb_force *force = open_force(0);
  if (!force) skip();
  support_survives_lack_of_memory(whole_life, force, 10);
}

static void test_usage(void **state)
{
  (void)state;
  make(0);
  struct hb_force *force = open_force(5);
  struct hb_timed *timed = open_timed(force, 10);
  const uint32_t too_far = UINT32_MAX;
  ASSERT_FAILS(hb_timed_predict(timed, 0, now), HB_ERR_USAGE,
               "the number of sources is 0, expected 1 to the 10 stored");
  ASSERT_FAILS(hb_timed_predict(timed, 11, now), HB_ERR_USAGE, "the number of sources is 11, ");
  ASSERT_FAILS(hb_timed_predict(timed, 10, NAN), HB_ERR_USAGE,
               "the time to predict to is nan, expected finite");
  ASSERT_FAILS(hb_timed_put(timed, 1, &too_far, particles), HB_ERR_USAGE, "expected below 2^31");
  hb_timed_destroy(timed);
}

static int tear_down(void **state)
{
  (void)state;
  hb_near_lists_free(&lists);
  for (size_t k = 0; k < COUNT_OF(opened); k++) hb_force_close(opened[k]);
  return 0;
}

/* Kept in storage buffers, and in textures. */
#define BOTH_WAYS(test)                                                                                      \
  cmocka_unit_test_setup(test, in_storage), { #test "_on_host", test, on_host, NULL, NULL }

int main(void)
{
  const struct CMUnitTest tests[] = {
      BOTH_WAYS(test_prediction),
      BOTH_WAYS(test_short_steps),
      BOTH_WAYS(test_neighbors),
      BOTH_WAYS(test_arrivals),
      BOTH_WAYS(test_growth),
      BOTH_WAYS(test_far_away),
      BOTH_WAYS(test_lost_draws),
      BOTH_WAYS(test_no_memory),
      cmocka_unit_test(test_open_again),
      cmocka_unit_test(test_on_host),
      cmocka_unit_test(test_no_precise),
      cmocka_unit_test(test_usage),
  };
  return RUN_TESTS(tests, 6, NULL, tear_down);
}
