/* GRAPE-6's calls on the host: forces, neighbors, programs' habits, failures, boards. */
#include "support/g6_case.h"

#include "base/mem.h"
#include "lib/board.c"
#include "support/support.h"

#include <holmberg/g6.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct g6_particles p;
static struct g6_sinks s;

static void test_schemes(void **state)
{
  (void)state;
  /* float pairs; double sums; ds has 48 bits of a position */
  const struct g6_case cases[] = {{"host", "double", 1e-13}, {"host-simd", "ds", 1e-6}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) g6_case_run(&cases[k]);
}

static void on_host(void)
{
  setenv("HB_G6_SCHEME", "host", 1);
  unsetenv("HB_G6_PRECISION");
}

static int forces(int board)
{
  g6calc_firsthalf(board, p.n, s.n, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
  return g6calc_lasthalf(board, p.n, s.n, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot);
}

static void require_spoilt(int code, enum hb_status status, const char *sentence)
{
  assert_int_equal(code, -(int)status);
  assert_non_null(strstr(g6_error(), sentence));
  for (int i = 0; i < s.n; i++) assert_true(isnan(s.acc[i][0]) && isnan(s.jerk[i][2]) && isnan(s.pot[i]));
}

/* A machine of a file's. */
static void put(const char *name, const char *text)
{
  const char *path = support_path(name);
  char folder[4096];
  for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    mkdir(folder, 0777);
  }
  support_write(path, text, strlen(text));
}

static void require_left(const char *root, double expected)
{
  double left = room_left(root);
  print_message("# %.0f bytes are left, expected %.0f\n", left, expected);
  expect_equal(left, expected);
}

static void test_what_memory_is_left(void **state)
{
  (void)state;
  char root[4096];
  snprintf(root, sizeof root, "%s", support_path("machine"));
  require_left("/nowhere", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
  put("machine/proc/meminfo", "MemTotal: 23000000 kB\nMemFree: 1 kB\nMemAvailable: 9000000 kB\n");
  require_left(root, 9000000 * 1024.0);
  put("machine/proc/self/cgroup",
      "0::/user/one\n"); /* version 2: the limit of the one above, files give way */
  put("machine/sys/fs/cgroup/user/one/memory.max", "max\n");
  put("machine/sys/fs/cgroup/user/memory.max", "5000000000\n");
  put("machine/sys/fs/cgroup/user/memory.current", "3000000000\n");
  put("machine/sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 1000000000\n");
  require_left(root, 3e9);
  put("machine/proc/self/cgroup",
      "9:cpu:/x\n4:memory:/elsewhere/outside\n0::/\n"); /* version 1, in a container */
  put("machine/sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000000\n");
  put("machine/sys/fs/cgroup/memory/memory.usage_in_bytes", "500000000\n");
  require_left(root, 1.5e9);
  put("machine/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  require_left(root, 9000000 * 1024.0);
}

/* Under a limit of the shell's (ulimit -v), and where less is left than physical memory would hold. */
static void test_addresses_beyond_memory(void **state)
{
  (void)state;
  const double x[3] = {0};
  on_host();
  assert_int_equal(g6_open(0), 0);
  int most = 1;
  while (most < 1 << 30 && 350 * (double)most < 1.2 * room_left("")) most *= 2;
  if (350 * (double)most > room_left("")) /* else a very large machine */
    assert_int_equal(g6_set_j_particle(0, most, 1, 0, 0, 1, NULL, NULL, NULL, NULL, x), -HB_ERR_USAGE);
  print_message("# %s; in all it has %.1f GB\n", g6_error(),
                1e-9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
#if !defined __SANITIZE_ADDRESS__ /* which needs terabytes of addresses for itself */
  struct rlimit old;
  assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
  struct rlimit limit = {(rlim_t)1 << 30, old.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  int code = g6_set_j_particle(0, 1 << 23, 1, 0, 0, 1, NULL, NULL, NULL, NULL, x);
  assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
  print_message("# under a limit of 1 GB: %s\n", g6_error());
  assert_int_equal(code, -HB_ERR_INTERNAL);
#endif
  assert_int_equal(g6_close(0), 0);
}

static void test_failures(void **state)
{
  (void)state;
  const double x[3] = {0}, far[3] = {1e30, 0, 0};
  on_host();
  g6_particles_make(50, &p);
  g6_sinks_make(&p, 10, 0, &s);
  require_spoilt(forces(0), HB_ERR_USAGE, "board 0 is not open");
  assert_int_equal(g6_set_ti(-1, 0), -HB_ERR_USAGE);
  setenv("HB_G6_SCHEME", "grape5", 1);
  assert_int_equal(g6_open(0), -HB_ERR_USAGE);
  assert_non_null(strstr(g6_error(), "unknown scheme 'grape5'"));
  setenv("HB_G6_SCHEME", "cg2007", 1);
  assert_int_equal(g6_open(0), -HB_ERR_USAGE);
  assert_string_equal(g6_error(), "scheme cg2007 computes forces on its sources only, not on i-particles");
  setenv("HB_G6_SCHEME", "host", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  assert_int_equal(g6_open(0), -HB_ERR_USAGE);
  assert_non_null(strstr(g6_error(), "scheme host has no precision 'ds'"));
  unsetenv("HB_G6_PRECISION");
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  /* a program that does not look finds NaN, once */
  assert_int_equal(g6_set_j_particle(0, -1, 5, 0, 0, 1, NULL, NULL, NULL, NULL, x), -HB_ERR_USAGE);
  require_spoilt(forces(0), HB_ERR_USAGE, "the address of a j-particle is -1");
  assert_int_equal(forces(0), 0);
  expect_below(g6_error_of(&p, 50, 0, 0.01, &s), 1e-13);
  assert_int_equal(g6_set_j_particle(0, 1 << 30, 1, 0, 0, 1, NULL, NULL, NULL, NULL, far), -HB_ERR_USAGE);
  print_message("# %s\n", g6_error());
  assert_non_null(strstr(g6_error(), "the address of a j-particle is 1073741824: all below it need "));
  assert_int_equal(g6_reset(0), 0);
  assert_int_equal(g6_set_ti(0, NAN), -HB_ERR_USAGE);
  assert_int_equal(g6_reset(0), 0);
  assert_int_equal(forces(0), 0);
  g6calc_firsthalf(0, -5, s.n, s.index, s.x, s.v, NULL, NULL, NULL, 0.01, NULL);
  require_spoilt(g6calc_lasthalf(0, 50, s.n, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot),
                 HB_ERR_USAGE, "forces of -5 particles");
  g6calc_firsthalf(0, 50, s.n, s.index, s.x, s.v, NULL, NULL, NULL, -0.01, NULL);
  require_spoilt(g6calc_lasthalf(0, 50, s.n, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot),
                 HB_ERR_USAGE, "the softening squared is -0.01");
  assert_int_equal(forces(0), 0);
  assert_int_equal(g6calc_lasthalf(0, 50, s.n, s.index, s.x, NULL, 0.01, NULL, NULL, NULL, NULL), 0);
  g6_close(0);
  /* beyond the range of float */
  setenv("HB_G6_SCHEME", "host-simd", 1);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  g6_set_j_particle(0, 17, 17, 0, 0, 1, NULL, NULL, NULL, NULL, far);
  require_spoilt(forces(0), HB_ERR_INPUT, "17");
  g6_send(0, &p);
  assert_int_equal(forces(0), 0);
  g6_close(0);
}

/* Lists that together are too long are cut; nobody crashes on those that were never read. */
static void test_overflow(void **state)
{
  (void)state;
  enum { NI = 65536, NJ = 300 };
  on_host();
  g6_particles_make(NJ, &p);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  int *index = calloc(NI, sizeof *index), list[NJ], count;
  double(*x)[3] = calloc(NI, sizeof *x), *h2 = calloc(NI, sizeof *h2);
  for (int i = 0; i < NI; i++) index[i] = -1;
  h2[5] = 1e-30;
  h2[NI - 1] = 100;
  for (int i = 0; i < NI; i++) x[i][0] = i / (double)NI;
  assert_int_equal(g6_get_neighbour_list(0, 0, NJ, &count, list), -HB_ERR_USAGE);
  g6calc_firsthalf(0, NJ, NI, index, x, NULL, NULL, NULL, NULL, 0.01, h2);
  assert_int_equal(g6calc_lasthalf(0, NJ, NI, index, x, NULL, 0.01, h2, NULL, NULL, NULL), 0);
  assert_int_equal(g6_get_neighbour_list(0, 5, NJ, &count, list), 0);
  assert_int_equal(count, 0);
  assert_int_equal(g6_read_neighbour_list(0), 1);
  assert_int_equal(g6_get_neighbour_list(0, 5, NJ, &count, list), 0);
  assert_int_equal(count, 0);
  assert_int_equal(g6_get_neighbour_list(0, NI - 1, NJ, &count, list), 1);
  assert_int_equal(count, 256);
  h2[NI - 1] = 0;
  g6calc_firsthalf(0, NJ, NI, index, x, NULL, NULL, NULL, NULL, 0.01, h2);
  assert_int_equal(g6calc_lasthalf(0, NJ, NI, index, x, NULL, 0.01, h2, NULL, NULL, NULL), 0);
  assert_int_equal(g6_read_neighbour_list(0), 0);
  assert_int_equal(g6_get_neighbour_list(0, NI, NJ, &count, list), -HB_ERR_USAGE);
  g6_close(0);
  free(index);
  free(x);
  free(h2);
}

static void test_boards(void **state)
{
  (void)state;
  static struct g6_particles q;
  on_host();
  g6_particles_make(50, &p);
  q = p;
  for (int k = 0; k < q.n; k++) q.m[k] *= 1 + k;
  assert_int_equal(g6_open(0), 0);
  assert_int_equal(g6_open(63), 0);
  assert_int_equal(g6_open(63), 0);
  g6_send(0, &p);
  g6_send(63, &q);
  g6_sinks_make(&p, 10, 0, &s);
  assert_int_equal(forces(0), 0);
  expect_below(g6_error_of(&p, 50, 0, 0.01, &s), 1e-13);
  assert_int_equal(forces(63), 0);
  expect_below(g6_error_of(&q, 50, 0, 0.01, &s), 1e-13);
  require_spoilt(forces(1), HB_ERR_USAGE, "board 1 is not open"); /* which of the two? */
  assert_int_equal(g6_close(0), 0);
  assert_int_equal(g6_close(0), 0);
  assert_int_equal(forces(63), 0);
  assert_int_equal(forces(2020210353), 0); /* the only one */
  expect_below(g6_error_of(&q, 50, 0, 0.01, &s), 1e-13);
  assert_int_equal(g6_close(63), 0);
  assert_int_equal(g6_open(2020210353), 0);
  g6_send(0, &p);
  assert_int_equal(forces(0), 0);
  assert_int_equal(g6_close(2020210353), 0);
  require_spoilt(forces(0), HB_ERR_USAGE, "board 0 is not open");
}

static void test_pipes(void **state)
{
  (void)state;
  const struct {
    const char *word;
    int pipes;
  } cases[] = {{"128", 128}, {"16384", 16384}, {"2^20", 16384}, {"0", 48}, {"many", 48}, {"", 48}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    setenv("HB_G6_NPIPES", cases[k].word, 1);
    assert_int_equal(g6_npipes(), cases[k].pipes);
    assert_int_equal(g6_get_number_of_pipelines(), cases[k].pipes);
  }
  unsetenv("HB_G6_NPIPES");
}

/* Open, work, close a thousand times: no memory is left. */
static void test_thousand(void **state)
{
  (void)state;
  size_t before = 0;
  on_host();
  g6_particles_make(20, &p);
  g6_sinks_make(&p, 5, 0, &s);
  for (int k = 0; k < 1000; k++) {
    assert_int_equal(g6_open(0), 0);
    g6_send(0, &p);
    assert_int_equal(forces(0), 0);
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_close(0), 0);
    if (k == 0) before = hb_mem_watch.now;
  }
  assert_int_equal(hb_mem_watch.now, before);
}

/* Boards in threads of their own, at once. */
struct task {
  int board, n;
  double acc[100][G6_MOST][3];
};

static void *run_board(void *context)
{
  struct task *t = context;
  struct g6_particles *mine = malloc(sizeof *mine);
  struct g6_sinks *sinks = malloc(sizeof *sinks);
  g6_particles_make(t->n, mine);
  if (g6_open(t->board)) return NULL;
  g6_send(t->board, mine);
  for (int k = 0; k < 100; k++) {
    g6_sinks_make(mine, t->n / 2, k / 1024.0, sinks);
    g6_set_ti(t->board, k / 1024.0);
    g6calc_firsthalf(t->board, t->n, sinks->n, sinks->index, sinks->x, sinks->v, NULL, NULL, NULL, 0.01,
                     NULL);
    if (g6calc_lasthalf(t->board, t->n, sinks->n, sinks->index, sinks->x, sinks->v, 0.01, NULL, t->acc[k],
                        sinks->jerk, sinks->pot))
      break;
  }
  g6_close(t->board);
  free(mine);
  free(sinks);
  return t;
}

static void test_threads(void **state)
{
  (void)state;
  struct task *alone = calloc(3, sizeof *alone), *together = calloc(3, sizeof *together);
  pthread_t threads[3];
  setenv("HB_G6_SCHEME", "host-simd", 1);
  for (int k = 0; k < 3; k++) {
    alone[k].board = together[k].board = 10 * k;
    alone[k].n = together[k].n = 200 + 50 * k;
    assert_non_null(run_board(&alone[k]));
  }
  for (int k = 0; k < 3; k++) assert_int_equal(pthread_create(&threads[k], NULL, run_board, &together[k]), 0);
  for (int k = 0; k < 3; k++) {
    void *done;
    pthread_join(threads[k], &done);
    assert_non_null(done);
    assert_memory_equal(alone[k].acc, together[k].acc, sizeof alone->acc);
    expect_other(alone[k].acc[99][50][0], 0);
  }
  free(alone);
  free(together);
}

static enum hb_status work(void *data)
{
  (void)data;
  int code = g6_open(0);
  for (int k = 0; k < p.n && code == 0; k++) {
    const double zeros[3] = {0};
    code = g6_set_j_particle(0, 40 * k, k, 0, 0, 1, zeros, zeros, zeros, zeros, p.x[k]);
  }
  int nearest[G6_MOST];
  if (code == 0)
    code = g6calc_lasthalf2(0, 40 * p.n, s.n, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot, nearest);
  if (code == 0) code = g6_read_neighbour_list(0);
  g6_close(0);
  return code == 0 ? HB_OK : (enum hb_status) - code;
}

static void test_lack_of_memory(void **state)
{
  (void)state;
  on_host();
  g6_particles_make(50, &p);
  g6_sinks_make(&p, 5, 0, &s);
  support_survives_lack_of_memory(work, NULL, 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schemes),
      cmocka_unit_test(test_what_memory_is_left),
      cmocka_unit_test(test_addresses_beyond_memory),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_boards),
      cmocka_unit_test(test_pipes),
      cmocka_unit_test(test_thousand),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_lack_of_memory),
  };
  setenv("HB_G6_QUIET", "1", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
