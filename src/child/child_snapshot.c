/* Reads an HDF5 snapshot, which is standard input, and writes what io/snapshot.h says. */
#include "child/child.h"
#include "io/checkpoint.h"
#include "io/snapshot.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; /* it reserves terabytes and opens files at the end */
#else
enum { SANITIZED = 0 };
#endif

static void limit(int what, rlim_t most)
{
  struct rlimit now;
  if (getrlimit(what, &now) != 0) return;
  if (most < now.rlim_cur) now.rlim_cur = most;
  setrlimit(what, &now);
}

/* A damaged file can ask for any memory and time, and a made-up one for other files. */
static void set_limits(uint64_t bytes)
{
  int next = dup(STDIN_FILENO); /* the one more file that may be opened: standard input by its name */
  close(next);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 5 + bytes / 4000000);
  if (SANITIZED) return;
  limit(RLIMIT_AS, (UINT64_C(1) << 30) + 64 * bytes);
  limit(RLIMIT_NOFILE, (rlim_t)next + 1);
}

static int work(char **words)
{
  struct stat info;
  struct hb_sections sections = {0};
  struct hb_particles *particles;
  if (fstat(STDIN_FILENO, &info) == 0) set_limits((uint64_t)info.st_size);
  enum hb_status status = hb_snapshot_hdf5_take(STDIN_FILENO, words[0], &particles);
  if (status == HB_OK) {
    status = hb_particles_put(particles, &sections);
  } else {
    uint64_t number = status;
    status = hb_sections_put_copy(&sections, "status", HB_SECTION_WORDS, 1, &number);
    if (status == HB_OK)
      status = hb_sections_put(&sections, "sentence", HB_SECTION_BYTES, strlen(hb_error()), hb_error());
  }
  if (status == HB_OK) status = hb_checkpoint_send(STDOUT_FILENO, "standard output", &sections);
  _exit(status); /* what the HDF5 library would do at the end may crash, too */
}

const struct hb_child_task hb_child_snapshot = {.name = "snapshot", .word_count = 1, .work = work};
