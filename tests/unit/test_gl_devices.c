/* Several devices that share out blocks: here all of them are the software renderer, with a context and a thread each. */
#include "force/devices.c"
#include "force/force.h"
#include "gl/gl_context.h"
#include "support/pairs_case.h"
#include "support/resume_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 300 };
static const double EPS = 1.0 / 64;

/* Partial sums of some sources in single, relative to the sum of the sizes of their terms. */
static const double TOLERANCE = 1e-6;

static struct hb_particles *sphere(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 3}, &p));
  return p;
}

/* Short programs, which compile fast: what is tested here is no matter of theirs. */
#define SHORT " i_each=2 unroll=2"

static struct hb_force *open_force(const char *scheme, const char *precision, const char *devices,
                                   const char *tuning)
{
  struct hb_force *force;
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = precision,
                                         .device = devices,
                                         .tuning = tuning,
                                         .eps = EPS,
                                         .flags = HB_FORCE_NO_TUNE};
  ASSERT_OK(hb_force_open(&params, &force));
  return force;
}

/* ---- forces ---- */

struct forces {
  uint32_t index[N];
  double a[3 * N], j[3 * N], phi[N];
};

static double distance(size_t count, const double *a, const double *b)
{
  double most = 0, size = 0;
  for (size_t k = 0; k < count; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
    size = fmax(size, fabs(b[k]));
  }
  return most / size;
}

/* The largest difference, relative to the largest number. */
static double difference(size_t ni, const struct forces *got, const struct forces *right)
{
  return fmax(fmax(distance(3 * ni, got->a, right->a), distance(3 * ni, got->j, right->j)),
              distance(ni, got->phi, right->phi));
}

static void choose(size_t n, size_t ni, struct forces *f)
{
  for (size_t k = 0; k < ni; k++) f->index[k] = (uint32_t)(7 * k % n);
}

static enum hb_status eval(struct hb_force *force, struct hb_particles *p, size_t ni, struct forces *f)
{
  size_t n = hb_particles_n(p);
  choose(n, ni, f);
  return hb_force_of(
      force, &(struct hb_force_job){.sources = {n, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)},
                                    .sinks = {.n = ni, .index = f->index},
                                    .to = {f->a, f->j, f->phi}});
}

/* The same as points, and in two calls. */
static void eval_at(struct hb_force *force, struct hb_particles *p, size_t ni, struct forces *f)
{
  static double x[3 * N], v[3 * N];
  choose(hb_particles_n(p), ni, f);
  for (size_t k = 0; k < 3 * ni; k++) {
    x[k] = hb_particles_x(p)[3 * f->index[k / 3] + k % 3];
    v[k] = hb_particles_v(p)[3 * f->index[k / 3] + k % 3];
  }
  ASSERT_OK(
      hb_force_set_j(force, hb_particles_n(p), hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
  ASSERT_OK(hb_force_begin_at(force, ni, x, v, f->index, f->a, f->j, f->phi));
  ASSERT_OK(hb_force_finish(force));
}

static const char *const lists[] = {"software,software", "software,software,software"};
static const struct {
  const char *scheme, *precision, *plan;
  int list;
} cases[] = {
    {"tile", "ds", "alone_below=1" SHORT, 0},
    {"tile", "reproducible", "alone_below=1 shares=1:9:2" SHORT, 1},
    {"bag", "single", "alone_below=1" SHORT, 1},
    {"bag", "reproducible", "alone_below=1 shares=15:2" SHORT, 0},
    {"bag", "double", "alone_below=60 shares=1:16" SHORT, 0},
    {"matrix2004", "compensated", "alone_below=1 shares=3:2:1", 1},
    {"matrix2004", "reproducible", "alone_below=1", 0},
};

/* Whatever the number of sinks says: by sources, by sinks; some devices have no source, or no sink. */
static void test_forces(void **state)
{
  (void)state;
  static const size_t sinks[] = {1, 40, N - 1, N};
  static struct forces right, got;
  struct hb_particles *p = sphere(N);
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    if (pairs_lacks_a(cases[c].scheme) || pairs_lacks_a(cases[c].precision)) continue;
    struct hb_force *one = open_force(cases[c].scheme, cases[c].precision, "software",
                                      strstr(cases[c].plan, SHORT) ? SHORT : NULL);
    struct hb_force *some =
        open_force(cases[c].scheme, cases[c].precision, lists[cases[c].list], cases[c].plan);
    for (size_t k = 0; k < COUNT_OF(sinks); k++) {
      size_t ni = sinks[k];
      ASSERT_OK(eval(one, p, ni, &right));
      ASSERT_OK(eval(some, p, ni, &got));
      expect_below(difference(ni, &got, &right), TOLERANCE);
      eval_at(some, p, ni, &got);
      expect_below(difference(ni, &got, &right), TOLERANCE);
      if (strcmp(cases[c].precision, "reproducible") != 0) continue;
      assert_memory_equal(got.a, right.a, 3 * ni * sizeof *got.a);
      assert_memory_equal(got.j, right.j, 3 * ni * sizeof *got.j);
      assert_memory_equal(got.phi, right.phi, ni * sizeof *got.phi);
    }
    assert_string_equal(hb_force_scheme(some)->name, cases[c].scheme);
    hb_force_close(one);
    hb_force_close(some);
  }
  hb_particles_destroy(p);
  pairs_skip_if_lacking();
}

/* ---- one of them does less ---- */

static const struct hb_force_ops *scheme;

/* The sources, but no forces. */
static enum hb_status begin_nothing(void *state, const struct hb_force_job *job)
{
  for (size_t i = 0; i < job->sinks.n; i++) {
    memset(job->to.a + 3 * i, 0, 3 * sizeof *job->to.a);
    memset(job->to.j + 3 * i, 0, 3 * sizeof *job->to.j);
    job->to.phi[i] = 0;
  }
  return job->sinks.n ? HB_OK : scheme->begin(state, job);
}

/* Control of the comparison above: the part of one device left out, by sources, is far beyond the tolerance. */
static void test_a_part_left_out(void **state)
{
  (void)state;
  static struct forces right, got;
  struct hb_particles *p = sphere(N);
  struct hb_force *force = open_force("tile", "ds", "software,software", "alone_below=1 shares=15:1" SHORT);
  struct devices *d = force->state;
  struct hb_force_ops idle = *d->ops;
  scheme = d->ops;
  idle.begin = begin_nothing;
  idle.finish = NULL;
  ASSERT_OK(eval(force, p, 40, &right));
  d->member[1].part.ops = &idle;
  ASSERT_OK(eval(force, p, 40, &got));
  d->member[1].part.ops = d->ops;
  expect_above(difference(40, &got, &right), 1000 * TOLERANCE);
  ASSERT_OK(eval(force, p, 40, &got));
  assert_memory_equal(got.a, right.a, sizeof right.a);

  /* and where the parts do not add up to all sources, it is said */
  ASSERT_OK(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
  ASSERT_OK(hb_force_eval(force, 40, got.index, got.a, got.j, got.phi));
  d->member[1].part.end -= 1;
  ASSERT_FAILS(hb_force_eval(force, 40, got.index, got.a, got.j, got.phi), HB_ERR_INTERNAL,
               "did 299 of 300 sources");
  hb_force_close(force);
  hb_particles_destroy(p);
}

/* ---- faults ---- */

static enum hb_status lose_next(void *context)
{
  pairs_draws_begin(*(const int *)context);
  return HB_OK;
}

static enum hb_status lose_none(void *context)
{
  *(int *)context = pairs_draws_end();
  return HB_OK;
}

static void in_its_thread(struct hb_force *force, int k, enum hb_status (*work)(void *context), int *number)
{
  struct devices *d = force->state;
  hb_worker_start(d->member[k].worker, work, number);
  ASSERT_OK(hb_worker_wait(d->member[k].worker));
}

/* A draw that is lost in the thread of another device: all are opened again, with the same result. */
static void test_dropped_draw(void **state)
{
  (void)state;
  static struct forces right, got;
  struct hb_particles *p = sphere(N);
  for (int bag = 0; bag < 2; bag++)
    for (size_t ni = 40; ni <= N; ni += N - 41) {
      struct hb_force *force =
          open_force(bag ? "bag" : "tile", bag ? "single" : "ds", lists[1], "alone_below=1" SHORT);
      ASSERT_OK(eval(force, p, ni, &right));
      unsigned before = hb_force_openings(force);
      in_its_thread(force, 2, lose_next, &(int){1});
      ASSERT_OK(eval(force, p, ni, &got));
      assert_int_equal(hb_force_openings(force), before + 1);
      expect_below(difference(ni, &got, &right), TOLERANCE);
      hb_force_close(force);
    }
  hb_particles_destroy(p);
}

/* And where only the devices have the particles: the sentence says which one, and the state is what it was. */
static void test_dropped_correction(void **state)
{
  (void)state;
  static const struct hb_sim_params params = {.force = {.scheme = "tile",
                                                        .precision = "ds",
                                                        .device = "software,software",
                                                        .tuning = "kept_alone_below=1" SHORT,
                                                        .eps = 1.0 / 64,
                                                        .flags = HB_FORCE_NO_TUNE},
                                              .transfer = HB_TRANSFER_BLOCK,
                                              .predict = HB_PLACE_GPU,
                                              .correct = HB_PLACE_GPU,
                                              .steps = HB_STEPS_SHARED};
  int count = 1;
  if (pairs_lacks_a("kept")) count = -1;
  for (int nth = 0; nth <= count; nth++) {
    struct hb_particles *p = sphere(64), *before, *after;
    struct hb_sim *sim;
    ASSERT_OK(hb_sim_create(p, &params, &sim));
    hb_particles_destroy(p);
    struct hb_force *force = (struct hb_force *)hb_sim_force(sim);
    ASSERT_OK(hb_sim_step(sim));
    ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &before));
    in_its_thread(force, 1, lose_next, &nth);
    enum hb_status status = hb_sim_step(sim);
    if (nth == 0) {
      in_its_thread(force, 1, lose_none, &count);
      assert_int_equal(status, HB_OK);
      expect_at_least(count, 3);  /* walk, correction, and particles on their way */
    } else if (status != HB_OK) { /* a prediction ahead may be lost, which is noticed when it is used */
      ASSERT_FAILS(status, HB_ERR_DEVICE, "device software: ");
      if (hb_sim_state(sim, hb_sim_time(sim), &after) == HB_OK) {
        assert_memory_equal(hb_particles_x(after), hb_particles_x(before), 3 * 64 * sizeof(double));
        assert_memory_equal(hb_particles_v(after), hb_particles_v(before), 3 * 64 * sizeof(double));
        hb_particles_destroy(after);
      }
    } else {
      ASSERT_FAILS(hb_sim_step(sim), HB_ERR_DEVICE, "device software: ");
    }
    hb_particles_destroy(before);
    hb_sim_destroy(sim);
  }
  pairs_skip_if_lacking();
}

static void test_software_is_last(void **state)
{
  (void)state;
  struct hb_gl_devices devices;
  ASSERT_OK(hb_gl_devices_named("software,1,software,/dev/dri/card0", &devices));
  static const char *const names[] = {"1", "/dev/dri/card0", "software", "software"};
  assert_int_equal(devices.count, COUNT_OF(names));
  for (size_t k = 0; k < COUNT_OF(names); k++) assert_string_equal(devices.name[k], names[k]);
}

static void test_cannot_open(void **state)
{
  (void)state;
  static const struct {
    const char *scheme, *devices, *sentence;
    enum hb_status status;
  } wrong[] = {
      {"tile", "software,/dev/dri/none", "device /dev/dri/none: ", HB_ERR_USAGE},
      {"bag", "software,", "device 1 of the list has a name of 0 characters", HB_ERR_USAGE},
      {"bag", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "more than 16 devices", HB_ERR_USAGE},
      {"cg2007", "software,software", "works on one device", HB_ERR_USAGE},
      {"hybrid", "software,software", "works on one device", HB_ERR_USAGE},
      {"host", "software,/dev/dri/none", "no device '/dev/dri/none'", HB_ERR_USAGE},
  };
  for (size_t k = 0; k < COUNT_OF(wrong); k++) {
    struct hb_force *force;
    const struct hb_force_params params = {.scheme = wrong[k].scheme, .device = wrong[k].devices};
    enum hb_status status = hb_force_open(&params, &force);
    assert_null(force);
    assert_true(status == wrong[k].status || status == HB_ERR_GL);
    if (!strstr(hb_error(), wrong[k].sentence)) fail_msg("%s: %s", wrong[k].devices, hb_error());
  }
}

/* ---- runs ---- */

#define PLACES(send, guess, mend) .transfer = send, .predict = guess, .correct = mend
static const struct hb_sim_params places[] = {
    {PLACES(HB_TRANSFER_ALL, HB_PLACE_HOST, HB_PLACE_HOST)},
    {PLACES(HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST)},
    {PLACES(HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST)},
    {PLACES(HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU)},
};

static struct hb_sim_params run_params(size_t place, const char *precision, const char *devices)
{
  struct hb_sim_params params = places[place];
  params.force = (struct hb_force_params){.scheme = "tile",
                                          .precision = precision,
                                          .device = devices,
                                          .tuning = "alone_below=4 kept_alone_below=4" SHORT,
                                          .eps = EPS,
                                          .flags = HB_FORCE_NO_TUNE};
  return params;
}

static struct hb_sim *run(const struct hb_sim_params *params, double t)
{
  struct hb_particles *p = sphere(N);
  struct hb_sim *sim;
  ASSERT_OK(hb_sim_create(p, params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, t));
  hb_particles_destroy(p);
  return sim;
}

static void get_state(struct hb_sim *sim, double t, double *x)
{
  struct hb_particles *p;
  ASSERT_OK(hb_sim_state(sim, t, &p));
  memcpy(x, hb_particles_x(p), 3 * N * sizeof *x);
  hb_particles_destroy(p);
}

/* Another order of the sums changes forces by their rounding, and the trajectories much less in a short time. */
static void test_runs(void **state)
{
  (void)state;
  static const double T = 1.0 / 32, same = 1e-10;
  static double right[3 * N], got[3 * N];
  for (size_t k = 0; k < COUNT_OF(places); k++) {
    if (places[k].correct == HB_PLACE_GPU && pairs_lacks_a("kept")) break;
    struct hb_sim_params params = run_params(k, "ds", "software");
    struct hb_sim *sim = run(&params, T);
    get_state(sim, T, right);
    hb_sim_destroy(sim);
    params = run_params(k, "ds", lists[k % 2]);
    sim = run(&params, T);
    get_state(sim, T, got);
    hb_sim_destroy(sim);
    expect_below(distance(3 * N, got, right), same);
    if (k == 0) expect_above(distance(3 * N, got, right), 0); /* or it was one device all along */
  }
  pairs_skip_if_lacking();
}

/* One is removed, two are added, one is elsewhere, one is lighter: half a time unit later they are where the host has them. */
static void change(struct hb_sim *sim)
{
  const uint64_t id[] = {10, 40}, gone = 31;
  const double m[] = {0.5 / N, 0.5 / N}, x[] = {0, 0, 1, 0.5, 0, 0}, v[] = {0, 0.1, 0, 0, 0.5, 0};
  struct hb_particles *added;
  ASSERT_OK(hb_particles_create(2, &added));
  for (size_t k = 0; k < 2; k++) {
    hb_particles_id(added)[k] = 1000 + k;
    hb_particles_m(added)[k] = 1.0 / N;
    hb_particles_x(added)[3 * k] = 1 + (double)k;
    hb_particles_v(added)[3 * k + 1] = 0.5;
  }
  ASSERT_OK(hb_sim_change(
      sim, &(struct hb_change){
               .n = 2, .id = id, .m = m, .x = x, .v = v, .n_removed = 1, .removed = &gone, .added = added}));
  hb_particles_destroy(added);
}

static void get_changed(const struct hb_sim_params *params, double *x, double *error)
{
  struct hb_sim *sim = run(params, 1.0 / 16);
  struct hb_diagnostics d[2];
  struct hb_particles *p;
  ASSERT_OK(hb_sim_diagnose(sim, 1.0 / 16, d));
  change(sim);
  ASSERT_OK(hb_sim_integrate(sim, 1.0 / 8));
  ASSERT_OK(hb_sim_diagnose(sim, 1.0 / 8, d + 1));
  *error = fabs(d[1].e_total - d[1].e_changed - d[0].e_total);
  ASSERT_OK(hb_sim_state(sim, 1.0 / 8, &p));
  assert_int_equal(hb_particles_n(p), N + 1);
  memcpy(x, hb_particles_x(p), 3 * (N + 1) * sizeof *x);
  hb_particles_destroy(p);
  hb_sim_destroy(sim);
}

static void test_changed(void **state)
{
  (void)state;
  enum { LISTED = 32 };
  static double right[3 * (N + 1)], got[3 * (N + 1)];
  static const char *const devices[] = {"software", "software,software"};
  double error[2];
  const struct hb_sim_params host = {.force = {.scheme = "host", .eps = EPS}, .neighbors = HB_NEIGHBORS_NONE};
  get_changed(&host, right, error);
  for (size_t k = 0; k < 4 * COUNT_OF(places); k++) {
    struct hb_sim_params params = run_params(k / 4, "ds", devices[k % 2]);
    params.neighbors = k / 2 % 2 ? LISTED : HB_NEIGHBORS_NONE;
    if (params.correct == HB_PLACE_GPU && (params.neighbors > 0 || pairs_lacks_a("kept"))) break;
    if (params.neighbors > 0 && params.predict == HB_PLACE_GPU && params.transfer == HB_TRANSFER_ALL)
      continue;
    get_changed(&params, got, error + 1);
    printf("%s, place %zu, lists of %d: %.1e from the host's, energy %.1e, the host's %.1e\n", devices[k % 2],
           k / 4, params.neighbors, distance(3 * (N + 1), got, right), error[1], error[0]);
    expect_below(distance(3 * (N + 1), got, right), 1e-7);
    expect_below(error[1], error[0] + 1e-8);
  }
  pairs_skip_if_lacking();
}

static void test_resumed(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(places); k++) {
    if (places[k].correct == HB_PLACE_GPU && pairs_lacks_a("kept")) break;
    struct hb_sim_params params = run_params(k, "ds", "software,software");
    params.force.tuning = "alone_below=4 kept_alone_below=4 shares=2:1" SHORT;
    resume_case_run(&params, 100, 2, 1.0 / 32);
  }
  pairs_skip_if_lacking();
}

/* ---- the exchange ---- */

struct copy {
  struct devices *d;
  int k;
  double x[3 * N], v[3 * N], a[3 * N], j[3 * N];
};

static enum hb_status fetch(void *context)
{
  struct copy *c = context;
  return c->d->ops->resident->fetch(
      c->d->member[c->k].records,
      &(struct hb_force_particles){.n = N, .x = c->x, .v = c->v, .a = c->a, .j = c->j});
}

static enum hb_status catch_up(void *member) { return devices_catch_up(member); }

/* What one has corrected, or got from the host, the others have, too, to the last bit; and not before they were told. */
static void check_all_have_the_same(size_t place)
{
  static struct copy first, last;
  struct hb_sim_params params = run_params(place, "ds", lists[1]);
  struct hb_sim *sim = run(&params, 1.0 / 32);
  struct devices *d = ((struct hb_force *)hb_sim_force(sim))->state;
  while (d->kept.behind_count == 0) ASSERT_OK(hb_sim_step(sim)); /* a block that was the first one's alone */
  first.d = last.d = d;
  last.k = 2;
  for (int told = 0; told < 2; told++) {
    if (told) {
      ASSERT_OK(devices_tell_late(d));
      hb_worker_start(d->member[2].worker, catch_up, &d->member[2]);
      ASSERT_OK(hb_worker_wait(d->member[2].worker));
    }
    ASSERT_OK(fetch(&first));
    hb_worker_start(d->member[2].worker, fetch, &last);
    ASSERT_OK(hb_worker_wait(d->member[2].worker));
    const int is_same =
        memcmp(first.x, last.x, sizeof first.x) == 0 && memcmp(first.v, last.v, sizeof first.v) == 0 &&
        memcmp(first.a, last.a, sizeof first.a) == 0 && memcmp(first.j, last.j, sizeof first.j) == 0;
    assert_int_equal(is_same, told);
  }
  hb_sim_destroy(sim);
}

static void test_all_have_the_same(void **state)
{
  (void)state;
  if (pairs_lacks_a("kept")) pairs_skip_if_lacking();
  check_all_have_the_same(2);
  check_all_have_the_same(3);
}

/* ---- what is measured ---- */

static void test_measured(void **state)
{
  (void)state;
  if (pairs_lacks_a("kept")) pairs_skip_if_lacking();
  struct hb_sim_params params = run_params(3, "single", "software,software");
  params.force.tuning = "i_each=4 unroll=2";
  params.force.flags = 0;
  struct hb_sim *sim = run(&params, 1.0 / 256);
  const char *words = hb_force_tuning(hb_sim_force(sim));
  assert_non_null(strstr(words, "shares="));
  assert_non_null(strstr(words, "kept_alone_below="));
  assert_non_null(strstr(words, "i_each=4"));
  hb_sim_destroy(sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces),
      cmocka_unit_test(test_a_part_left_out),
      cmocka_unit_test(test_dropped_draw),
      cmocka_unit_test(test_dropped_correction),
      cmocka_unit_test(test_software_is_last),
      cmocka_unit_test(test_cannot_open),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_changed),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_all_have_the_same),
      cmocka_unit_test(test_measured),
  };
  return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
