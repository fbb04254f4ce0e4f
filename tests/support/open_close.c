#include "support/open_close.h"

#include "base/mem.h"
#include "support/resume_case.h"
#include "support/support.h"

#include <dirent.h>
#include <holmberg/diagnostics.h>
#include <string.h>

enum { MOST = 64 };

static int open_files(void)
{
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

int open_close_rounds(int usual)
{
  const char *rounds = getenv("ROUNDS");
  return rounds ? atoi(rounds) : usual;
}

static void use_forces(const struct hb_force_params *params, const struct hb_particles *p, uint64_t *hash)
{
  size_t n = hb_particles_n(p);
  double a[3 * MOST], j[3 * MOST], phi[MOST];
  uint32_t index[MOST];
  struct hb_particles *own;
  struct hb_force *force;
  ASSERT_OK(hb_particles_copy(p, &own));
  for (size_t k = 0; k < n; k++) index[k] = (uint32_t)k;
  ASSERT_OK(hb_force_open(params, &force));
  ASSERT_OK(hb_force_set_j(force, n, hb_particles_m(own), hb_particles_x(own), hb_particles_v(own)));
  ASSERT_OK(hb_force_eval(force, n, index, a, j, phi));
  ASSERT_FAILS(hb_force_eval(force, 1, (uint32_t[]){MOST}, a, j, phi), HB_ERR_USAGE, "64");
  hb_force_close(force);
  hb_particles_destroy(own);
  *hash = support_fnv(SUPPORT_FNV, a, 3 * n * sizeof *a);
}

static void use_simulation(const struct hb_force_params *force, const struct hb_particles *p, int with_files,
                           uint64_t *hash)
{
  const struct hb_sim_params params = {.force = *force};
  struct hb_diagnostics now;
  struct hb_particles *end;
  struct hb_sim *sim;
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, 1.0 / 64));
  if (with_files) resume_case_now(&sim);
  ASSERT_OK(hb_sim_integrate(sim, 1.0 / 32));
  ASSERT_OK(hb_sim_diagnose(sim, 1.0 / 32, &now));
  ASSERT_OK(hb_sim_state(sim, 1.0 / 32, &end));
  *hash = support_fnv(*hash, hb_particles_x(end), 3 * hb_particles_n(end) * sizeof(double));
  hb_particles_destroy(end);
  hb_sim_destroy(sim);
}

static void use_files(const struct hb_particles *p)
{
  const char *names[] = {"kept.txt", "kept.h5"};
  for (int k = 0; k < 2; k++) {
    struct hb_particles *read;
    ASSERT_OK(hb_snapshot_write(support_path(names[k]), NULL, p));
    ASSERT_OK(hb_snapshot_read(support_path(names[k]), NULL, &read));
    hb_particles_destroy(read);
  }
  struct hb_particles *none;
  ASSERT_FAILS(hb_snapshot_read(support_path("none.txt"), NULL, &none), HB_ERR_IO, "none.txt");
}

void open_close_run(const struct hb_force_params *params, size_t n, int rounds)
{
  size_t bytes = 0;
  int files = 0;
  uint64_t first = 0;
  expect_at_most(n, MOST);
  for (int round = 0; round < rounds; round++) {
    struct hb_particles *p;
    uint64_t hash;
    ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 5}, &p));
    use_forces(params, p, &hash);
    int with_files = round % 20 == 0; /* which are synced to the disk, and for HDF5 start a process */
    use_simulation(params, p, with_files, &hash);
    if (with_files) use_files(p);
    hb_particles_destroy(p);
    if (round == 0) first = hash;
    assert_int_equal(hash, first);
    if (round == 1) bytes = hb_mem_watch.now, files = open_files();
    if (round > 1) assert_int_equal(hb_mem_watch.now, bytes);
    if (round > 1) assert_int_equal(open_files(), files);
  }
}
