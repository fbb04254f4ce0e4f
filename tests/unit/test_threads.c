/* Threads of the host program: each with a simulation of its own, its own error, its own files. */
#include "base/parallel.h"
#include "support/support.h"
#include "support/thread_case.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct hb_force_params host = {.scheme = "host", .eps = 1.0 / 256};
static const struct hb_force_params simd = {.scheme = "host-simd", .eps = 1.0 / 256};
static const struct hb_force_params ds = {
    .scheme = "host-simd", .precision = "ds", .flags = HB_FORCE_UNSOFTENED};

/* Large enough that loops are shared, for which the runs compete. */
static void test_engines_at_once(void **state)
{
  (void)state;
  const struct thread_case cases[] = {{{.force = host}, 600, 1.0 / 16},
                                      {{.force = host}, 600, 1.0 / 16},
                                      {{.force = simd}, 1500, 1.0 / 32},
                                      {{.force = ds}, 1500, 1.0 / 32},
                                      {{.force = host, .integrator = "leapfrog", .dt = 1.0 / 64}, 900, 0.25}};
  hb_parallel_set_threads(3);
  thread_case_run(cases, COUNT_OF(cases), 3);
  hb_parallel_set_threads(0);
}

/* ---- errors ---- */

struct mistake {
  char scheme[16], said[256];
};

static void *make_mistakes(void *context)
{
  struct mistake *m = context;
  struct hb_force *force;
  for (int k = 0; k < 200; k++) {
    if (hb_force_open(&(struct hb_force_params){.scheme = m->scheme}, &force) != HB_ERR_USAGE) break;
    snprintf(m->said, sizeof m->said, "%s", hb_error());
    if (!strstr(m->said, m->scheme)) break;
  }
  return NULL;
}

static void test_errors_are_the_threads_own(void **state)
{
  (void)state;
  struct mistake mine = {.scheme = "mine"}, theirs = {.scheme = "theirs"};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, make_mistakes, &theirs), 0);
  make_mistakes(&mine);
  pthread_join(thread, NULL);
  assert_non_null(strstr(mine.said, "'mine'"));
  assert_non_null(strstr(theirs.said, "'theirs'"));
  assert_non_null(strstr(hb_error(), "'mine'"));
}

/* ---- files ---- */

struct files {
  const char *path;
  uint64_t seed;
  int good;
};

static void *write_files(void *context)
{
  struct files *f = context;
  for (int k = 0; k < 5; k++) {
    struct hb_particles *made, *read;
    if (hb_ic_make("plummer", &(struct hb_ic_params){.n = 50, .seed = f->seed}, &made) != HB_OK) break;
    if (hb_snapshot_write(f->path, NULL, made) == HB_OK && hb_snapshot_read(f->path, NULL, &read) == HB_OK) {
      f->good += memcmp(hb_particles_x(made), hb_particles_x(read), 150 * sizeof(double)) == 0;
      hb_particles_destroy(read);
    }
    hb_particles_destroy(made);
  }
  return NULL;
}

static void test_snapshots_at_once(void **state)
{
  (void)state;
  struct files files[] = {{.path = support_path("one.h5"), .seed = 1},
                          {.path = support_path("two.h5"), .seed = 2}};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, write_files, &files[1]), 0);
  write_files(&files[0]);
  pthread_join(thread, NULL);
  assert_int_equal(files[0].good, 5);
  assert_int_equal(files[1].good, 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_engines_at_once),
      cmocka_unit_test(test_errors_are_the_threads_own),
      cmocka_unit_test(test_snapshots_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
