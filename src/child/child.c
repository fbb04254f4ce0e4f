/* holmberg-child: the program that does for the library what may crash, so that the calling program survives. A task reads its
 * words, writes its answer to standard output and ends with its exit code. */
#include "gl/gl_context.h"
#include "gl/gl_probe.h"
#include "io/checkpoint.h"
#include "io/hdf5_child.h"
#include "pairs/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- snapshot PATH TIME: reads the HDF5 snapshot nearest to TIME (nan: the last) from standard input; answers: io/hdf5_child.h ---- */

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

static int read_snapshot(char **words)
{
  struct stat info;
  struct hb_sections sections = {0};
  struct hb_particles *particles;
  struct hb_snapshot_choice choice = {.t = strtod(words[1], NULL)};
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1); /* not every file system has locks */
  if (hb_snapshot_hdf5_greet(STDOUT_FILENO) != HB_OK) _exit(HB_ERR_IO);
  enum hb_status status = hb_snapshot_hdf5_load();
  if (fstat(STDIN_FILENO, &info) == 0) set_limits((uint64_t)info.st_size);
  if (status == HB_OK) status = hb_snapshot_hdf5_take(STDIN_FILENO, words[0], &choice, &particles);
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

/* ---- context NAME DEVICE: exit code 0 if a context opens and draws, or fails with an error; a driver that crashes or calls
 * exit() ends it otherwise ---- */

static int open_context(char **words)
{
  struct hb_gl_context *context;
  double mean, ulp;
  const struct hb_gl_context_params params = {.context = words[0], .device = words[1]};
  hb_gl_probe_never();
  alarm(HB_GL_PROBE_S);
  if (hb_gl_context_open(&params, &context) == HB_OK) {
    hb_selftest_roots(context, &mean, &ulp);
    hb_gl_context_close(context);
  }
  _exit(0); /* without the driver's cleanup, which says nothing about it */
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*work)(char **words);
  } tasks[] = {{"snapshot", read_snapshot}, {"context", open_context}};
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a crash is a valid answer */
  for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
    if (argc == 4 && strcmp(argv[1], tasks[k].name) == 0) return tasks[k].work(argv + 2);
  fputs("holmberg-child is run by holmberg and its library, not by hand\n", stderr);
  return 2;
}
