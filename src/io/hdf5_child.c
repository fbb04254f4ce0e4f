#include "io/hdf5_child.h"

#include "base/file.h"
#include "base/process.h"
#include "io/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum hb_status hb_snapshot_hdf5_pack(const struct hb_particles *particles, const struct hb_snapshot_choice *c,
                                     struct hb_sections *sections)
{
  const uint64_t count = c->count;
  const double times[] = {c->t_chosen, c->t_first, c->t_last};
  HB_TRY(hb_particles_put(particles, sections));
  HB_TRY(hb_sections_put_copy(sections, "format", HB_SECTION_BYTES, strlen(c->format), c->format));
  HB_TRY(hb_sections_put_copy(sections, "snapshots", HB_SECTION_WORDS, 1, &count));
  return hb_sections_put_copy(sections, "times", HB_SECTION_DOUBLES, 3, times);
}

static enum hb_status unpack_choice(const struct hb_sections *sections, struct hb_snapshot_choice *c)
{
  const struct hb_section *format = hb_sections_find(sections, "format");
  uint64_t count;
  double times[3];
  if (format && format->type == HB_SECTION_BYTES)
    snprintf(c->format, sizeof c->format, "%.*s", (int)format->count, (const char *)format->data);
  if (!hb_sections_find(sections, "snapshots")) return HB_OK;
  HB_TRY(hb_sections_copy(sections, "snapshots", HB_SECTION_WORDS, 1, &count));
  HB_TRY(hb_sections_copy_finite(sections, "times", 3, times));
  c->count = (size_t)count;
  c->t_chosen = times[0], c->t_first = times[1], c->t_last = times[2];
  return HB_OK;
}

/* The particles and the choice, or the failure. */
static enum hb_status snapshot_unpack(const char *path, const struct hb_sections *sections,
                                      struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  *particles = NULL;
  const struct hb_section *sentence = hb_sections_find(sections, "sentence");
  if (!sentence) {
    enum hb_status status = unpack_choice(sections, choice);
    if (status == HB_OK) status = hb_particles_get(sections, particles);
    return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
  }
  const void *number;
  HB_TRY(hb_sections_get(sections, "status", HB_SECTION_WORDS, 1, &number));
  uint64_t status = *(const uint64_t *)number;
  if (status == HB_OK || status > HB_ERR_STOPPED) status = HB_ERR_INTERNAL;
  return hb_fail((enum hb_status)status, "%.*s", (int)sentence->count, (const char *)sentence->data);
}

/* Sent before the file is touched: what fails without it is not the file's fault. */
static const char greeting[8] = "HBchild1";

enum hb_status hb_snapshot_hdf5_greet(int fd)
{
  return write(fd, greeting, sizeof greeting) == (ssize_t)sizeof greeting
             ? HB_OK
             : hb_fail(HB_ERR_IO, "cannot write standard output: %s", strerror(errno));
}

static int is_greeted(int fd)
{
  char found[sizeof greeting] = {0};
  size_t count = 0;
  ssize_t more = 1;
  while (count < sizeof found && more > 0) {
    more = read(fd, found + count, sizeof found - count);
    if (more < 0 && errno == EINTR)
      more = 1;
    else if (more > 0)
      count += (size_t)more;
  }
  return count == sizeof found && memcmp(found, greeting, sizeof found) == 0;
}

/* Limits that this program was started with, and the child with it: what they end says nothing about the file. */
static int is_limited(int what)
{
  struct rlimit now;
  return getrlimit(what, &now) == 0 && now.rlim_cur != RLIM_INFINITY;
}

/* Why the child ended without an answer. */
static enum hb_status no_answer(const char *path, const char *child, int has_greeted,
                                struct hb_process_end end)
{
  enum { USAGE = 2, NOT_RUN = 127 };
  int is_time = end.signal == SIGXCPU || end.signal == SIGKILL;
  if (is_time && is_limited(RLIMIT_CPU))
    return hb_fail(HB_ERR_IO, "cannot read %s: the limit of processor time (ulimit -t) ended %s", path,
                   child);
  if (!is_time && (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)))
    return hb_fail(HB_ERR_IO,
                   "cannot read %s: the HDF5 library gave up under the limit of memory (ulimit -v or -d): "
                   "raise it; if that does not help, the file is damaged",
                   path);
  if (hb_process_crashed(end))
    return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library crashed (signal %d) on it, the file is damaged", path,
                   end.signal);
  if (end.signal == SIGXCPU)
    return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library did not finish reading it, the file is damaged", path);
  if (end.signal)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s was ended by signal %d", path, child, end.signal);
  if (end.code == USAGE || end.code == NOT_RUN)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s is of another version", path, child);
  if (!has_greeted)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s never answered, it is not this version's holmberg-child",
                   path, child);
  return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library gave up on it, the file is damaged", path);
}

/* The open file is the child's standard input, so that it cannot be replaced under the same name in between. */
static enum hb_status let_read(int file, const char *path, double t, uint64_t bytes,
                               struct hb_sections *sections)
{
  char child[PATH_MAX], when[32];
  const char *words[] = {child, "snapshot", path, when, NULL};
  snprintf(when, sizeof when, "%.17g", t);
  struct hb_process process;
  enum hb_status status = hb_process_child(child);
  if (status == HB_OK)
    status = hb_process_start_on(words, HB_PROCESS_FROM | HB_PROCESS_SILENT, file, &process);
  if (status != HB_OK) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, hb_error());
  uint64_t most = 64 * hb_snapshot_hdf5_most(bytes) + 2 * bytes;
  int has_greeted = is_greeted(process.from);
  status = has_greeted ? hb_checkpoint_receive(process.from, path, most, sections) : HB_ERR_INPUT;
  struct hb_process_end end = hb_process_end(&process);
  return status == HB_ERR_INPUT ? no_answer(path, child, has_greeted, end) : status;
}

enum hb_status hb_snapshot_hdf5_read(const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles)
{
  struct stat info;
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  HB_OWN_FD int file =
      open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a fifo would wait for its other end */
  *particles = NULL;
  if (file < 0 || fstat(file, &info) != 0)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return hb_fail(HB_ERR_IO, "cannot read %s: HDF5 is read from regular files only", path);
  HB_TRY(let_read(file, path, choice->t, (uint64_t)info.st_size, &sections));
  return snapshot_unpack(path, &sections, choice, particles);
}
