/* How ranks come to be: a launcher's environment, and MPI in a shared object of its own, so that nobody needs MPI who does
 * not start several ranks. */
#include "base/ranks.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "base/process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- the launcher ---- */

/* mpirun of Open MPI; of MPICH and Intel MPI, and srun with PMI; srun with PMIx. SLURM_NTASKS would not do: a job's script
 * has it, too. */
static const struct {
  const char *number, *count;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

/* A whole number >= 0; -1: none. */
static int number_in(const char *name)
{
  const char *text = getenv(name);
  char *end;
  long number = text ? strtol(text, &end, 10) : -1;
  return text && *text && *end == 0 && number >= 0 && number < 1 << 20 ? (int)number : -1;
}

void hb_ranks_detect(void)
{
  const char *wanted = getenv("HB_RANKS");
  hb_ranks_join(NULL, &(struct hb_ranks_self){.count = 1});
  if (wanted && strcmp(wanted, "off") == 0) return;
  for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
    int number = number_in(launchers[k].number), count = number_in(launchers[k].count);
    if (number < 0 || count <= number) continue;
    hb_ranks_join(NULL, &(struct hb_ranks_self){.number = number, .count = count});
    return;
  }
}

/* ---- MPI ---- */

static enum hb_status load(const struct hb_ranks_ops **ops)
{
  char path[PATH_MAX];
  if (hb_process_beside("holmberg-mpi.so", "HB_MPI", path) != HB_OK)
    return hb_fail(HB_ERR_USAGE,
                   "%d ranks were started, but this build has no MPI: %s; HB_RANKS=off lets each "
                   "rank run on its own",
                   hb_ranks_self()->count, hb_error());
  void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI loads parts of its own, which look for it */
  if (!object) return hb_fail(HB_ERR_USAGE, "MPI cannot be loaded: %s", dlerror());
  *ops = dlsym(object, HB_RANKS_MPI);
  return *ops ? HB_OK : hb_fail(HB_ERR_USAGE, "%s is not a part of this program", path);
}

static enum hb_status begin(const struct hb_ranks_ops *ops)
{
  struct hb_ranks_self self = {0};
  const char *error = ops->open(&self);
  if (error) return hb_fail(HB_ERR_USAGE, "MPI does not start: %s", error);
  const int started = hb_ranks_self()->count;
  if (self.count != started)
    return hb_fail(
        HB_ERR_USAGE,
        "the launcher started %d ranks, but MPI knows of %d: it is not the launcher of this MPI (with "
        "Slurm, --mpi=pmix may help; HB_RANKS=off lets each rank run on its own)",
        started, self.count);
  HB_TRY(hb_ranks_join(ops, &self));
  hb_parallel_share(self.local_count);
  return HB_OK;
}

/* Of all words, with their ends. */
static uint64_t hash_of(int count, char *const *words)
{
  uint64_t hash = HB_HASH_EMPTY;
  for (int k = 0; k < count; k++)
    for (size_t c = 0; c <= strlen(words[k]); c++) hash = hb_hash_byte(hash, (uint8_t)words[k][c]);
  return hash;
}

/* Processes with different work would wait for each other in vain. */
static enum hb_status compare(int count, char *const *words)
{
  const uint64_t mine = hash_of(count, words);
  uint64_t first = mine;
  HB_TRY(hb_ranks_share(&first, sizeof first));
  return hb_ranks_agree(mine == first
                            ? HB_OK
                            : hb_fail(HB_ERR_USAGE, "its command line differs from that of rank 0 "
                                                    "(HB_RANKS=off lets each rank run on its own)"));
}

enum hb_status hb_ranks_open(int count, char *const *words)
{
  const struct hb_ranks_ops *ops;
  if (hb_ranks_self()->count == 1) return HB_OK;
  HB_TRY(load(&ops));
  HB_TRY(begin(ops));
  return compare(count, words);
}
