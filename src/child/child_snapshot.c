/* holmberg-child snapshot PATH TIME: reads the HDF5 snapshot nearest to TIME (nan: the last) from standard input; the answer is described in io/snapshot.h. */
#include "child/child.h"
#include "io/checkpoint.h"
#include "io/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The address sanitizer reserves terabytes and opens files at exit. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
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

/* A damaged file can demand any memory and time, and a forged one other files. */
static void set_limits(uint64_t bytes)
{
  int next = dup(STDIN_FILENO); /* one more file may be opened: standard input, by name */
  close(next);
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
  struct hb_snapshot_choice choice = {.t = strtod(words[1], NULL)};
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1); /* not every file system has locks */
  if (hb_snapshot_hdf5_greet(STDOUT_FILENO) != HB_OK) _exit(HB_ERR_IO);
  if (fstat(STDIN_FILENO, &info) == 0) set_limits((uint64_t)info.st_size);
  enum hb_status status = hb_snapshot_hdf5_take(STDIN_FILENO, words[0], &choice, &particles);
  if (status == HB_OK) {
    status = hb_snapshot_hdf5_pack(particles, &choice, &sections);
  } else {
    uint64_t number = status;
    status = hb_sections_put_copy(&sections, "status", HB_SECTION_WORDS, 1, &number);
    if (status == HB_OK)
      status = hb_sections_put(&sections, "sentence", HB_SECTION_BYTES, strlen(hb_error()), hb_error());
  }
  if (status == HB_OK) status = hb_checkpoint_send(STDOUT_FILENO, "standard output", &sections);
  _exit(status); /* the HDF5 library may crash in its cleanup, too */
}

const struct hb_child_task hb_child_snapshot = {.name = "snapshot", .word_count = 2, .work = work};
