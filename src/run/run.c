/* holmberg run: integrates a snapshot, by the options of the command line, or goes on from a checkpoint. */
#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/table.h"
#include "base/text.h"
#include "console/astro.h"
#include "console/commands.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "run/run_serve.h"
#include "run/run_settings.h"
#include "sim/sim.h"
#include "sim/sim_settings.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- outputs that only grow: a file of rows, or standard output if that is a file. At a checkpoint they are synced to disk and
 * their length recorded; a resumed run truncates them to that length, so that they contain each row once. */

/* Start with only the path set; the rest is the last mark. */
struct hb_appended {
  const char *path;         /* the caller's; "-" is standard output               */
  unsigned long long inode; /* 0: no mark, as when the output is not a regular file */
  unsigned long long device, length;
  unsigned long checksum; /* CRC-32 of the file up to length                     */
};

/* ---- one writer per output: only the holder of a path's lock writes there. It is a file path.lock beside it, locked by flock,
 * so that it ends with its process however that ends, and removed when released. */

/* Start from {0}. */
struct hb_lock {
  char *name; /* of the lock file; NULL: not held */
  int fd;
};

/* ---- rows, as comma separated values or JSON lines with the same names */

struct hb_run_rows {
  const char *path; /* the caller's        */
  FILE *file;       /* NULL: not asked for */
  int csv;
  size_t rows; /* so far: in CSV a header precedes the first */
};

/* ---- a run ---- */

enum hb_run_output_form { HB_RUN_OUTPUT_TABLE, HB_RUN_OUTPUT_JSON, HB_RUN_OUTPUT_NONE };

struct hb_run_output {
  enum hb_run_output_form form;
  int has_bar;
  double t_begin, t_end;
  double wall_begin;       /* wall_s counts from here, after the first evaluation of forces */
  double e_begin, e_scale; /* what e_total was, and what errors of it are compared with        */
  int parts; /* that the table shows, with both errors: 1 cluster and binaries, where e_scale is not that of all by more than
              * a tenth; 2 the orbit in a field, too; else 0 */
  int rows;
  struct hb_units units; /* of rows; mass 0: N-body */
  int has_stars;         /* 1: that age */
  int eps_is_default;    /* neither the command line nor the snapshot says it: the head of the table does */
};

/* ---- the file of --diag: all diagnostics, one row per row of the table ---- */

struct hb_run_diag {
  int has_field;  /* 1: there are forces from outside */
  int has_bodies; /* 1: particles may merge or escape */
  size_t n;       /* particles */
};

enum { HB_RUN_FOLLOW_MOST = 64 };

/* Start from {0}. */
struct hb_run_follow {
  struct hb_follow of[HB_RUN_FOLLOW_MOST];
  size_t count;
};

/* Outputs that grow row by row, and those that are replaced as a whole. Two runs must not write one file at the same time. */
enum hb_run_out {
  RUN_STDOUT,
  RUN_DIAG_ROWS,
  RUN_EVENTS_ROWS,
  RUN_FOLLOW_ROWS,
  RUN_APPENDED_COUNT,
  RUN_OUTPUT = RUN_APPENDED_COUNT,
  RUN_CHECKPOINT,
  RUN_OUTS
};

/* Where and when a run writes checkpoints. */
struct hb_run_checkpoint {
  struct hb_text path; /* none: path.text is NULL                                          */
  unsigned flags;      /* of the next hb_sim_save: keep the previous file once it is ours  */
  double written;      /* when the last one was                                           */
  double began;        /* when this process started on the run                            */
};

/* Options as given, completed from the snapshot. */
struct hb_run_asked {
  struct hb_opts opts; /* its settings are those of struct hb_run */
  struct hb_run_settings settings;
};

/* What only a resumed run has: the record of its checkpoint, and the options in it. */
struct hb_run_resumed {
  struct hb_text record; /* none: record.text is NULL; options point into it */
  char *words[HB_OPTS_MOST + 2];
  struct hb_text device;         /* note of the header if the device has changed; else none   */
  struct hb_run_asked then;      /* by the checkpoint's run, without those given with --resume */
  int differs;                   /* the headers of its snapshots change                        */
  int is_oldest;                 /* its first energy is in the inertial frame                  */
  int names_output;              /* -o is given with it                                        */
  int names[RUN_APPENDED_COUNT]; /* so are --diag, --events, --follow-out                    */
  int same[RUN_APPENDED_COUNT];  /* they have the same names as in the checkpoint             */
};

/* How fast a run without a progress bar is, to announce how long it will take. */
struct hb_run_pace {
  double began, t_begin; /* 0: not yet */
  int is_announced;
  double looked, t_looked,
      groups_s; /* when it was last asked what takes the time; the time of the run, and of groups, then */
};

struct hb_run {
  struct hb_run_asked asked;
  const struct hb_run_settings *settings; /* of asked */
  struct hb_particles *initial;           /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  struct hb_run_rows rows[RUN_APPENDED_COUNT]; /* of files */
  struct hb_run_diag diag;
  struct hb_run_follow follow;
  struct hb_run_serve *serve; /* NULL: nobody watches */
  double t, t_end;
  int is_stopped;      /* by an event: t_end is earlier than asked for */
  unsigned noted;      /* which notes have been printed */
  double energy_error; /* of the last row */
  struct hb_run_pace pace;
  double time_tolerance;           /* a step that ends this close after a requested time ends at it */
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
  struct hb_appended appended[RUN_APPENDED_COUNT];
  struct hb_appended found; /* the file at -o when the run started */
  struct hb_lock locks[RUN_OUTS];
  struct hb_run_checkpoint checkpoint;
  struct hb_run_resumed resumed;
};

static int is_stdout(const struct hb_appended *output) { return strcmp(output->path, "-") == 0; }

static enum hb_status cannot(const char *verb, const struct hb_appended *output)
{
  return hb_fail(HB_ERR_IO, "cannot %s %s: %s", verb, is_stdout(output) ? "standard output" : output->path,
                 strerror(errno));
}

/* Continues the checksum over the bytes from .. to; 0 if the file ends earlier. */
static int sum(int fd, unsigned long long from, unsigned long long to, unsigned long *checksum)
{
  unsigned char chunk[65536];
  unsigned long crc = *checksum;
  while (from < to) {
    size_t wanted = to - from < sizeof chunk ? (size_t)(to - from) : sizeof chunk;
    ssize_t got = pread(fd, chunk, wanted, (off_t)from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    crc = crc32_z(crc, chunk, (size_t)got);
    from += (size_t)got;
  }
  *checksum = crc;
  return 1;
}

/* For reading: standard output may be open for writing only. */
static int open_again(const struct hb_appended *output)
{
  return open(is_stdout(output) ? "/dev/fd/1" : output->path, O_RDONLY | O_CLOEXEC);
}

static int look(const struct hb_appended *output, struct stat *info)
{
  return is_stdout(output) ? fstat(STDOUT_FILENO, info) : stat(output->path, info);
}

/* Where the next row will begin. */
static unsigned long long end_of(const struct hb_appended *output, const struct stat *info)
{
  if (!is_stdout(output) || fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND)
    return (unsigned long long)info->st_size;
  off_t place = lseek(STDOUT_FILENO, 0, SEEK_CUR);
  return place < 0 ? 0 : (unsigned long long)place;
}

static int is_marked(const struct hb_appended *output, const struct stat *info)
{
  return output->inode == info->st_ino && output->device == info->st_dev;
}

/* Whether it begins with the bytes of the mark. */
static int begins_as_marked(const struct hb_appended *output)
{
  unsigned long checksum = 0;
  HB_OWN_FD int fd = open_again(output);
  return fd >= 0 && sum(fd, 0, output->length, &checksum) && checksum == output->checksum;
}

/* Whether it is a regular file, which can be marked and cut. */
static int appended_is_file(const struct hb_appended *output)
{
  struct stat info;
  return look(output, &info) == 0 && S_ISREG(info.st_mode);
}

static int appended_is_marked(const struct hb_appended *output)
{
  struct stat info;
  return output->length > 0 && look(output, &info) == 0 && is_marked(output, &info);
}

/* Whether it has the bytes of the mark and no others; and is the same file, too. */
static int appended_is_whole(const struct hb_appended *output)
{
  struct stat info;
  return output->inode != 0 && look(output, &info) == 0 && S_ISREG(info.st_mode) &&
         (unsigned long long)info.st_size == output->length && begins_as_marked(output);
}

static int appended_is_unchanged(const struct hb_appended *output)
{
  struct stat info;
  return look(output, &info) == 0 && is_marked(output, &info) && appended_is_whole(output);
}

/* ---- marking ---- */

static enum hb_status measure(int fd, const struct stat *info, struct hb_appended *output)
{
  unsigned long long end = end_of(output, info);
  if (!is_marked(output, info) || end < output->length) output->length = output->checksum = 0;
  if (!sum(fd, output->length, end, &output->checksum)) return cannot("read", output);
  if (fsync(fd) != 0) return cannot("sync", output);
  output->length = end;
  output->inode = info->st_ino;
  output->device = info->st_dev;
  return HB_OK;
}

/* Flush any buffers first. Standard output that cannot be read gets no mark. Errors: HB_ERR_IO, leaving no mark. */
static enum hb_status appended_mark(struct hb_appended *output)
{
  struct stat info;
  HB_OWN_FD int fd = -1;
  enum hb_status status = HB_OK;
  if (look(output, &info) != 0 || (S_ISREG(info.st_mode) && (fd = open_again(output)) < 0))
    status = is_stdout(output) ? HB_OK : cannot("read", output);
  if (fd >= 0 && (status = measure(fd, &info, output)) == HB_OK) return HB_OK;
  *output = (struct hb_appended){.path = output->path};
  return status;
}

/* ---- cutting ---- */

static enum hb_status cut_stdout(const struct hb_appended *output, const struct stat *info)
{
  if (!is_marked(output, info) || (unsigned long long)info->st_size < output->length ||
      !begins_as_marked(output))
    return HB_OK;
  if (ftruncate(STDOUT_FILENO, (off_t)output->length) != 0) return cannot("cut", output);
  return lseek(STDOUT_FILENO, (off_t)output->length, SEEK_SET) < 0 ? cannot("cut", output) : HB_OK;
}

static enum hb_status cut_open_file(int fd, const struct hb_appended *output)
{
  struct stat info;
  unsigned long checksum = 0;
  if (fstat(fd, &info) != 0) return cannot("read", output);
  if ((unsigned long long)info.st_size < output->length)
    return hb_fail(HB_ERR_INPUT, "%s has %lld bytes, the checkpoint expects at least %llu", output->path,
                   (long long)info.st_size, output->length);
  if (!sum(fd, 0, output->length, &checksum)) return cannot("read", output);
  if (checksum != output->checksum)
    return hb_fail(HB_ERR_INPUT, "%s does not begin with the %llu bytes that the checkpoint's run wrote",
                   output->path, output->length);
  return ftruncate(fd, (off_t)output->length) != 0 ? cannot("cut", output) : HB_OK;
}

static enum hb_status cut_file(const struct hb_appended *output)
{
  HB_OWN_FD int fd = open(output->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return fd < 0 ? cannot("cut", output) : cut_open_file(fd, output);
}

/* Truncates it to the mark. Standard output is left alone unless it is the marked file and begins with the same bytes.
 * Errors: HB_ERR_INPUT (a file that is shorter or begins with other bytes), HB_ERR_IO. */
static enum hb_status appended_cut(const struct hb_appended *output)
{
  struct stat info;
  if (output->inode == 0) return HB_OK;
  if (look(output, &info) != 0) return is_stdout(output) ? HB_OK : cannot("read", output);
  if (is_stdout(output)) return cut_stdout(output, &info);
  return S_ISREG(info.st_mode) ? cut_file(output) : HB_OK;
}

/* ---- locks ---- */

enum result { LOCKED, GONE, FAILED, UNSUPPORTED };

/* Whether the locked file is empty and still has its name: the last holder may have removed it. */
static enum result judge(int fd, const char *path, const char *name)
{
  struct stat held, named;
  if (fstat(fd, &held) != 0 || lstat(name, &named) != 0) return GONE;
  if (held.st_ino != named.st_ino || held.st_dev != named.st_dev) return GONE;
  if (S_ISREG(held.st_mode) && held.st_size == 0) return LOCKED;
  hb_fail(HB_ERR_IO, "cannot write %s: %s exists and is not a lock file", path, name);
  return FAILED;
}

static enum result take(const char *path, const char *name, int *fd)
{
  /* nonblocking: a fifo would wait for its other end; judge() refuses what is not a lock file */
  *fd = open(name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (*fd < 0) {
    hb_fail(HB_ERR_IO, "cannot write %s: its lock %s: %s", path, name, strerror(errno));
    return FAILED;
  }
  enum result result = LOCKED;
  if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
    result = errno == EWOULDBLOCK ? FAILED : UNSUPPORTED;
    if (result == UNSUPPORTED) hb_log("%s cannot be locked: %s", name, strerror(errno));
    hb_fail(HB_ERR_IO, "cannot write %s: another run is writing it (it holds %s)", path, name);
  }
  if (result == LOCKED) result = judge(*fd, path, name);
  if (result == LOCKED) return result;
  if (result == UNSUPPORTED && judge(*fd, path, name) == LOCKED) unlink(name); /* empty, so we created it */
  close(*fd);
  return result;
}

/* On a file system without flock there is no lock: name stays NULL, with HB_OK. Errors: HB_ERR_IO (another process holds it;
 * the file cannot be created, or is not a lock file). */
static enum hb_status lock_take(const char *path, struct hb_lock *lock)
{
  HB_OWN struct hb_text name = {0};
  HB_TRY(hb_text_append(&name, "%s.lock", path));
  enum result result = GONE;
  /* GONE if its holder releases it in between; always, on a file system whose inodes change */
  for (int tries = 0; result == GONE && tries < 1000; tries++) result = take(path, name.text, &lock->fd);
  if (result == LOCKED) {
    HB_TRY(HB_GIVE(name.text, &lock->name));
    hb_signals_remove(lock->name);
    return HB_OK;
  }
  return result == FAILED ? HB_ERR_IO : HB_OK;
}

/* A lock that is not held is fine. */
static void lock_release(struct hb_lock *lock)
{
  if (!lock->name) return;
  unlink(lock->name); /* while it is held, so that judge() in another process notices */
  close(lock->fd);
  hb_signals_forget(lock->name);
  hb_mem_free(lock->name);
  *lock = (struct hb_lock){0};
}

/* ---- rows ---- */

static int is_csv(const char *path) { return strcasecmp(hb_text_extension(path), ".csv") == 0; }

/* The files of rows. */
static const struct {
  const char *option, *what;
  const char *mark; /* its word in a checkpoint */
} of_rows[RUN_APPENDED_COUNT] = {[RUN_STDOUT] = {NULL, NULL, "appended"},
                                 [RUN_DIAG_ROWS] = {"--diag", "diagnostics", "appended"},
                                 [RUN_EVENTS_ROWS] = {"--events", "events", "events"},
                                 [RUN_FOLLOW_ROWS] = {"--follow-out", "steps", "follow"}};

/* Where such rows go; NULL: nowhere. */
static const char *rows_path(const struct hb_run_settings *s, enum hb_run_out which)
{
  const char *follow = s->follow_out ? s->follow_out : "follow.csv";
  const char *const paths[] = {NULL, s->diag, s->events, s->follow ? follow : NULL};
  return paths[which];
}

/* Checks before the work that such a file can be written. Errors: HB_ERR_USAGE (extension is not csv or jsonl),
 * HB_ERR_IO. */
static enum hb_status run_rows_check(const struct hb_run_settings *s, enum hb_run_out which)
{
  const char *path = rows_path(s, which);
  if (!path) return HB_OK;
  if (!is_csv(path) && strcasecmp(hb_text_extension(path), ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot write %s to '%s': its extension is not csv or jsonl",
                   of_rows[which].what, path);
  return hb_target_check(path, ""); /* the folder only, the format is known */
}

static enum hb_status cannot_write(const struct hb_run_rows *rows)
{
  return hb_fail(HB_ERR_IO, "cannot write %s: %s", rows->path, strerror(errno));
}

static enum hb_status run_rows_open(const char *path, int append, struct hb_run_rows *rows)
{
  *rows = (struct hb_run_rows){.path = path, .csv = is_csv(path)};
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
  if (fd < 0) return cannot_write(rows);
  rows->file = fdopen(fd, "w");
  if (!rows->file) {
    close(fd);
    return cannot_write(rows);
  }
  rows->rows = lseek(fd, 0, SEEK_END) > 0;
  return HB_OK;
}

/* A new one, or to append to the rows of a resumed run. run_rows_close accepts one that was never opened. Errors:
 * HB_ERR_IO. */
static void run_rows_close(struct hb_run_rows *rows)
{
  if (rows->file) fclose(rows->file); /* all rows are flushed */
  rows->file = NULL;
}

/* One row, flushed at once. Errors: HB_ERR_IO. */
static enum hb_status run_rows_put(struct hb_run_rows *rows, const struct hb_table_column *columns,
                                   size_t count, const void *row)
{
  enum hb_table_form form = rows->csv ? HB_TABLE_CSV_FORM : HB_TABLE_JSON_FORM;
  hb_table_put(&(struct hb_table){columns, count, form, rows->file, rows->rows}, row);
  rows->rows++;
  return fflush(rows->file) == 0 && !ferror(rows->file) ? HB_OK : cannot_write(rows);
}

/* ---- what several ranks do together (base/ranks.h): rank 0 reads and writes, the others integrate along ---- */

/* On all ranks but 0: the settings without outputs and their units, checkpoints and limits of time, which are rank 0's. */
static void run_ranks_follow(struct hb_run_settings *s)
{
  if (hb_ranks_number() == 0) return;
  s->output = s->diag = s->events = s->follow = s->follow_out = s->checkpoint = s->format = NULL;
  s->snap_every = s->max_s = 0;
  s->json = 0;
  s->quiet = 1;
}

/* ---- particles ---- */

/* Of a snapshot's notes, those that hb_run_take_notes reads, and sim/sim.c. */
static const char *const shaping[] = {"eps", "dt", "damping", "units", "stars"};

static enum hb_status share_note(const char *key, struct hb_particles *p)
{
  const char *note = hb_ranks_number() ? NULL : hb_particles_note(p, key);
  uint64_t size = note ? strlen(note) + 1 : 0;
  HB_OWN char *text = NULL;
  HB_TRY(hb_ranks_share(&size, sizeof size));
  if (size == 0) return HB_OK;
  enum hb_status status = hb_ranks_agree(HB_ALLOC(size, &text));
  if (status == HB_OK && note) memcpy(text, note, size);
  if (status == HB_OK) status = hb_ranks_share(text, size);
  if (status == HB_OK && hb_ranks_number()) status = hb_particles_set_note(p, key, text);
  return hb_ranks_agree(status);
}

/* What rank 0 has read, status of its reading, to all; other ranks give HB_OK and NULL. Of the notes the others get those that
 * shape a run. Errors: rank 0's; HB_ERR_IO, HB_ERR_INTERNAL. */
static enum hb_status run_ranks_share_particles(enum hb_status status, struct hb_particles **particles)
{
  if (hb_ranks_count() == 1) return status;
  HB_TRY(hb_ranks_agree(status));
  int reads = hb_ranks_number() == 0;
  uint64_t n = reads ? hb_particles_n(*particles) : 0;
  double t = reads ? hb_particles_time(*particles) : 0;
  HB_TRY(hb_ranks_share(&n, sizeof n));
  HB_TRY(hb_ranks_share(&t, sizeof t));
  HB_TRY(hb_ranks_agree(reads ? HB_OK : hb_particles_create(n, particles)));
  struct hb_particles *p = *particles;
  hb_particles_set_time(p, t);
  HB_TRY(hb_ranks_share(hb_particles_m(p), n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_x(p), 3 * n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_v(p), 3 * n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_id(p), n * sizeof(uint64_t)));
  for (size_t k = 0; k < sizeof shaping / sizeof *shaping; k++) HB_TRY(share_note(shaping[k], p));
  return HB_OK;
}

/* ---- checkpoints ---- */

/* Opens bytes as if they were a file's. */
static enum hb_status open_bytes(const char *bytes, size_t count, struct hb_checkpoint **checkpoint)
{
  char path[32];
  FILE *file = tmpfile();
  enum hb_status status = HB_OK;
  if (!file || fwrite(bytes, 1, count, file) != count || fflush(file) != 0)
    status = hb_fail(HB_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
  if (status == HB_OK) {
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    status = hb_checkpoint_open(path, checkpoint);
  }
  if (file) fclose(file);
  return status;
}

/* Rank 0's bytes to all; those of the others are new. */
static enum hb_status share_bytes(char **data, size_t *bytes)
{
  uint64_t size = *bytes;
  HB_TRY(hb_ranks_share(&size, sizeof size));
  enum hb_status status = hb_ranks_number() ? HB_ALLOC(size, data) : HB_OK;
  HB_TRY(hb_ranks_agree(status));
  *bytes = size;
  return hb_ranks_share(*data, size);
}

/* The same for a checkpoint. */
static enum hb_status run_ranks_share_checkpoint(enum hb_status status, struct hb_checkpoint **checkpoint)
{
  if (hb_ranks_count() == 1) return status;
  int reads = hb_ranks_number() == 0;
  HB_OWN char *bytes = NULL;
  size_t count = 0;
  if (reads && status == HB_OK) {
    struct hb_checkpoint_info info;
    hb_checkpoint_info(*checkpoint, &info);
    status = hb_file_read(info.path, &bytes, &count);
  }
  HB_TRY(hb_ranks_agree(status));
  HB_TRY(share_bytes(&bytes, &count));
  return hb_ranks_agree(reads ? HB_OK : open_bytes(bytes, count, checkpoint));
}

/* ---- stopping ---- */

enum { REASON = 16 };

static enum hb_status share_reason(const char **by)
{
  static char reason[REASON];
  char mine[REASON] = "";
  HB_OWN char(*all)[REASON] = NULL;
  if (*by) snprintf(mine, sizeof mine, "%s", *by);
  HB_TRY(HB_ALLOC((size_t)hb_ranks_count(), &all));
  HB_TRY(hb_ranks_gather(sizeof mine / sizeof(uint64_t), mine, all));
  for (int k = hb_ranks_count() - 1; k >= 0; k--)
    if (*all[k]) memcpy(reason, all[k], sizeof reason);
  *by = reason;
  return HB_OK;
}

/* Whether to stop after this step, by whose wish: *by of this rank, or NULL; then that of any, the same on all ranks. It takes
 * until after the next forces for all to know. Errors: HB_ERR_IO. */
static enum hb_status run_ranks_stop(const char **by)
{
  if (hb_ranks_wish(*by != NULL)) return share_reason(by);
  *by = NULL;
  return HB_OK;
}

/* ---- what a run shows ----------------------------------------------------------------------------------- */

/* ---- energies and their errors ---- */

/* Errors are compared with these energies from now on. */
static void run_output_begin(struct hb_run_output *output, const struct hb_diagnostics *now, int has_field)
{
  output->e_begin = now->e_total;
  output->e_scale = now->e_scale;
  double all = fmax(fabs(now->e_kin + now->e_pot), now->e_kin);
  output->parts = has_field ? 2 : fabs(now->e_scale - all) > 0.1 * all;
}

/* What the integrator has made. */
static double change_of(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return now->e_total + now->e_lost - now->e_changed - output->e_begin;
}

static double energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return output->e_begin == 0 ? NAN : change_of(output, now) / fabs(output->e_begin);
}

/* Of E, over the cluster's own energy, 0 if nothing has changed. */
static double run_output_cluster_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  double change = change_of(output, now);
  return change == 0 ? 0 : change / output->e_scale;
}

/* ---- what rows are made of ---- */

struct star_counts {
  uint64_t supernovae, white_dwarfs, neutron_stars, black_holes;
  double mass_lost; /* solar masses, by the fit or table */
};

struct diag_row {
  struct hb_diagnostics now;
  struct hb_sim_counts counts;
  double de_cluster, de_rel, wall_s, eps;
  int done;
  const char *scheme, *precision, *context, *device;
  const char *first_step; /* NULL: the integrator has none */
  const char *units;      /* NULL: N-body */
  int neighbors;          /* 0: none */
  double list_mean;
  struct hb_phases phases;
  int has_slow;
  struct hb_slow slow;
  struct star_counts stars;
  char state_hash[HB_HASH_TEXT];
  /* of --diag */
  double e_kin_inertial, e_total_inertial, virial_ratio_inertial;
  struct hb_structure structure;
  uint64_t blocks[HB_BLOCK_SIZES], full_blocks[HB_BLOCK_SIZES];
};

/* What has become of all that were there. */
static enum hb_status count_stars(struct hb_sim *sim, struct star_counts *c)
{
  size_t count;
  const struct hb_sim_star *stars;
  HB_TRY(hb_sim_stars(sim, &count, &stars));
  for (size_t k = 0; k < count; k++) {
    const struct hb_sim_star *s = stars + k;
    c->mass_lost += s->m_birth - s->m;
    c->white_dwarfs += s->type == HB_STAR_WHITE_DWARF;
    c->neutron_stars += s->type == HB_STAR_NEUTRON;
    c->black_holes += s->type == HB_STAR_BLACK_HOLE;
    c->supernovae += s->type == HB_STAR_UNKNOWN && s->kick > 0;
  }
  c->supernovae += c->neutron_stars + c->black_holes;
  return HB_OK;
}

/* All but hash, structure and stars, in the units of the rows. */
static void fill_row(const struct hb_run_output *output, const struct hb_sim *sim,
                     const struct hb_diagnostics *now, struct diag_row *diag_row)
{
  const struct hb_force *force = hb_sim_force(sim);
  const struct hb_sim_params *taken = hb_sim_taken(sim);
  const struct hb_units *units = &output->units;
  *diag_row = (struct diag_row){.now = *now,
                                .de_cluster = run_output_cluster_error(output, now),
                                .de_rel = energy_error(output, now),
                                .wall_s = hb_clock_now() - output->wall_begin,
                                .eps = taken->force.eps,
                                .neighbors = taken->neighbors,
                                .done = 1,
                                .first_step = hb_integrator_named(taken->integrator)->has_dt
                                                  ? NULL
                                                  : hb_first_step_names[taken->first_step],
                                .scheme = hb_force_scheme(force)->name,
                                .precision = hb_force_precision(force),
                                .context = hb_force_context(force),
                                .device = hb_force_device(force)};
  hb_sim_counts(sim, &diag_row->counts);
  hb_sim_phases(sim, &diag_row->phases);
  hb_sim_block_sizes(sim, diag_row->blocks);
  hb_sim_full_block_sizes(sim, diag_row->full_blocks);
  const struct hb_near_counts *near = &diag_row->counts.near;
  diag_row->list_mean = near->far_steps ? (double)near->listed / (double)near->far_steps : 0;
  if (units->mass > 0) {
    diag_row->units = hb_astro_names[HB_ASTRO_ASTRO];
    diag_row->eps *= units->length;
    diag_row->counts.dt_least *= units->time;
    hb_astro_diagnostics(units, &diag_row->now);
  }
  double e_kin = diag_row->now.e_kin + diag_row->now.e_bulk, e_pot = diag_row->now.e_pot;
  diag_row->e_kin_inertial = e_kin;
  diag_row->e_total_inertial = e_kin + e_pot + diag_row->now.e_field;
  diag_row->virial_ratio_inertial = e_pot != 0 ? e_kin / fabs(e_pot) : 0;
}

#define IN_DIAG(place)               .offset = offsetof(struct diag_row, place)
#define COLUMN(kind, within, member) HB_TABLE_COLUMN(kind, struct diag_row, within, member)

/* ---- the table, or lines of JSON; the last of these also says where it was computed, and to which state ---- */

/* only with neighbors; --diag has force_s anyway */
static const struct hb_table_column near[] = {COLUMN(COUNT, counts.near., full_blocks),
                                              COLUMN(COUNT, counts.near., far_steps),
                                              COLUMN(COUNT, counts.near., near_pairs),
                                              COLUMN(COUNT, counts.near., full_pairs),
                                              COLUMN(REAL, , list_mean),
                                              {"list_longest", HB_TABLE_COUNT, IN_DIAG(counts.near.longest)},
                                              {"list_changes", HB_TABLE_COUNT, IN_DIAG(counts.near.changes)},
                                              {"far_by_reach", HB_TABLE_COUNT, IN_DIAG(counts.near.by_reach)},
                                              {"far_by_noise", HB_TABLE_COUNT, IN_DIAG(counts.near.by_noise)},
                                              COLUMN(REAL, phases., near_s),
                                              COLUMN(REAL, phases., lists_s),
                                              COLUMN(REAL, phases., groups_s),
                                              COLUMN(REAL, phases., force_s)};
enum { NEAR = sizeof near / sizeof *near, NEAR_DIAG = NEAR - 1 };

/* only where stars age, in the last row */
static const struct hb_table_column stars[] = {
    COLUMN(COUNT, stars., supernovae),    COLUMN(COUNT, stars., white_dwarfs),
    COLUMN(COUNT, stars., neutron_stars), COLUMN(COUNT, stars., black_holes),
    COLUMN(REAL, stars., mass_lost),      COLUMN(REAL, now., e_changed)};
enum { STARS = sizeof stars / sizeof *stars };

static const struct hb_table_column shown[] = {
    {"t", HB_TABLE_REAL, IN_DIAG(now.t), "%11.9g", "#t"},
    {"e_total", HB_TABLE_REAL, IN_DIAG(now.e_total), "%#13.10g", "E"},
    {"e_gpu", HB_TABLE_REAL, IN_DIAG(now.e_gpu), "%#13.10g", "E_gpu"},
    COLUMN(REAL, now., e_kin),
    COLUMN(REAL, now., e_pot),
    {"e_cluster", HB_TABLE_REAL, IN_DIAG(now.e_cluster), "%#13.10g", "E_cluster"},
    {"e_binaries", HB_TABLE_REAL, IN_DIAG(now.binaries.energy), "%#13.10g", "E_binaries"},
    {"e_orbit", HB_TABLE_REAL, IN_DIAG(now.e_orbit), "%#13.10g", "E_orbit"},
    COLUMN(REAL, now., e_scale),
    {"de_cluster", HB_TABLE_REAL, IN_DIAG(de_cluster), "%8.1e", "dE/E"},
    {"de_rel", HB_TABLE_REAL, IN_DIAG(de_rel), "%8.1e", "of all"},
    {"virial_ratio", HB_TABLE_REAL, IN_DIAG(now.virial_ratio), "%7.4f", "virial"},
    {"r_half", HB_TABLE_REAL, IN_DIAG(now.r_half), "%7.4f"},
    {"block_steps", HB_TABLE_COUNT, IN_DIAG(counts.block_steps), "%11llu", "block steps"},
    {"particle_steps", HB_TABLE_COUNT, IN_DIAG(counts.particle_steps), "%14llu", "particle steps"},
    {"pairs", HB_TABLE_COUNT, IN_DIAG(counts.pairs), "%14llu"},
    {"wall_s", HB_TABLE_REAL, IN_DIAG(wall_s), "%8.2f", "wall s"},
    COLUMN(TEXT, , units),
    COLUMN(TRUTH, now., exact_energy),
    COLUMN(REAL, , eps)};
static const struct hb_table_column last[] = {
    COLUMN(REAL, counts., dt_least),    COLUMN(TRUTH, , done),      COLUMN(TEXT, , scheme),
    COLUMN(TEXT, , precision),          COLUMN(TEXT, , context),    COLUMN(TEXT, , device),
    COLUMN(COUNT, counts., sent_bytes), COLUMN(TEXT, , first_step), COLUMN(INT, , neighbors),
    COLUMN(CHARS, , state_hash)};
enum {
  SHOWN = sizeof shown / sizeof *shown,
  LAST = sizeof last / sizeof *last,
  ALL_SHOWN = SHOWN + NEAR + STARS + LAST
};

/* How many there are. The columns of parts that the text leaves out have no format. */
static size_t choose_columns(const struct hb_run_output *output, int has_neighbors, int is_last,
                             struct hb_table_column chosen[ALL_SHOWN])
{
  size_t count = SHOWN;
  static const struct {
    size_t offset;
    int parts; /* it is for */
  } of_parts[] = {{offsetof(struct diag_row, now.e_cluster), 1},
                  {offsetof(struct diag_row, now.binaries.energy), 1},
                  {offsetof(struct diag_row, now.e_orbit), 2},
                  {offsetof(struct diag_row, de_rel), 1}};
  memcpy(chosen, shown, sizeof shown);
  for (size_t c = 0; c < SHOWN; c++)
    for (size_t k = 0; k < sizeof of_parts / sizeof *of_parts; k++)
      if (chosen[c].offset == of_parts[k].offset && output->parts < of_parts[k].parts)
        chosen[c].format = NULL;
  if (has_neighbors) memcpy(chosen + count, near, sizeof near), count += NEAR;
  if (is_last && output->has_stars) memcpy(chosen + count, stars, sizeof stars), count += STARS;
  if (is_last) memcpy(chosen + count, last, sizeof last), count += LAST;
  return count;
}

/* Of the state at t, as a file of it has it. */
static enum hb_status hash_state(const struct hb_sim *sim, double t, char text[HB_HASH_TEXT])
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  HB_TRY(hb_sim_state(sim, t, &state));
  hb_hash_text(hb_particles_hash(state), text);
  return HB_OK;
}

/* What the reader of a table has to know before its first row. */
static void print_head(const struct hb_run_output *output, const struct diag_row *diag_row)
{
  if (output->eps_is_default)
    printf("# eps = %.9g, the default: the snapshot does not say its softening, and neither does --eps\n",
           diag_row->eps);
  if (!diag_row->now.exact_energy)
    printf("# no exact energies: E, dE/E and virial use the potentials of %s, %s\n", diag_row->scheme,
           diag_row->precision);
  if (diag_row->units) puts("# t in Myr, E in solar masses (km/s)^2, r_half in pc");
}

static void print_stars(const struct star_counts *c)
{
  printf("# stars: %" PRIu64 " supernovae, %.6g solar masses lost; %" PRIu64 " white dwarfs, %" PRIu64
         " neutron stars, %" PRIu64 " black holes\n",
         c->supernovae, c->mass_lost, c->white_dwarfs, c->neutron_stars, c->black_holes);
}

/* What neighbors have saved: how many block steps and particle steps were full. */
static void print_near(const struct diag_row *diag_row)
{
  const struct hb_sim_counts *c = &diag_row->counts;
  printf("# %d neighbors (%.1f in the mean, %" PRIu64 " at most): %" PRIu64 " of %" PRIu64
         " block steps and %.3g %% of %" PRIu64 " particle steps were full\n",
         diag_row->neighbors, diag_row->list_mean, c->near.longest, c->near.full_blocks, c->block_steps,
         c->particle_steps ? 100 * (double)c->near.far_steps / (double)c->particle_steps : 0,
         c->particle_steps);
}

/* ---- what takes the time ---- */

/* Seconds so far, under names that no field of a row has. */
static const struct hb_table_column spent[] = {{"predict", HB_TABLE_REAL, IN_DIAG(phases.predict_s)},
                                               {"send", HB_TABLE_REAL, IN_DIAG(phases.send_s)},
                                               {"far", HB_TABLE_REAL, IN_DIAG(phases.force_s)},
                                               {"receive", HB_TABLE_REAL, IN_DIAG(phases.receive_s)},
                                               {"near", HB_TABLE_REAL, IN_DIAG(phases.near_s)},
                                               {"lists", HB_TABLE_REAL, IN_DIAG(phases.lists_s)},
                                               {"groups", HB_TABLE_REAL, IN_DIAG(phases.groups_s)},
                                               {"correct", HB_TABLE_REAL, IN_DIAG(phases.correct_s)}};

/* Lengths and times in the units of the rows. */
static void find_slow(const struct hb_run_output *output, struct hb_sim *sim, struct diag_row *diag_row)
{
  struct hb_slow *slow = &diag_row->slow;
  diag_row->has_slow = hb_sim_slow(sim, slow);
  if (!diag_row->has_slow || !(output->units.mass > 0)) return;
  slow->period *= output->units.time, slow->step *= output->units.time;
  slow->nearest *= output->units.length;
}

static void put_slow(const struct hb_slow *slow, struct hb_json *json)
{
  hb_json_open_object(json, "slow");
  if (slow->members > 0) {
    hb_json_open_array(json, "members");
    for (size_t k = 0; k < slow->members; k++) hb_json_count(json, NULL, slow->member[k]);
    hb_json_close_array(json);
    hb_json_count(json, "evaluations", slow->evaluations);
    hb_json_number(json, "period", slow->period);
    hb_json_number(json, "revolutions", slow->revolutions);
  }
  hb_json_count(json, "particle", slow->particle);
  hb_json_number(json, "step", slow->step);
  hb_json_truth(json, "at_dt_min", slow->is_dt_min);
  hb_json_text(json, "criterion", slow->criterion);
  if (slow->nearest < INFINITY) hb_json_count(json, "nearest", slow->nearest_id);
  if (slow->nearest < INFINITY) hb_json_number(json, "distance", slow->nearest);
  hb_json_close_object(json);
}

/* A row as a line of JSON: columns, then phases and what takes the time. */
static void put_json(const struct hb_table_column *columns, size_t count, const struct diag_row *diag_row)
{
  struct hb_json json = {.out = stdout};
  hb_json_open_object(&json, NULL);
  hb_table_members(columns, count, diag_row, &json);
  hb_table_object(&json, "phases", HB_TABLE_COLUMNS(spent), diag_row);
  if (diag_row->has_slow) put_slow(&diag_row->slow, &json);
  hb_json_close_object(&json);
  putchar('\n');
}

/* Appends the reason to a progress line: the group if groups take most of the time, else the shortest step. Lengths and times are in N-body
 * units. */
static void slow_sentence(const struct hb_slow *slow, int by_groups, char text[256])
{
  char names[128] = "";
  size_t used = 0;
  for (size_t k = 0; k < slow->members; k++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%" PRIu64, k ? ", " : "", slow->member[k]);
  if (by_groups && slow->members > 0)
    snprintf(text, 256, "slow: group of %zu (stars %s), inner period %.2g, %.2g revolutions a step",
             slow->members, names, slow->period, slow->revolutions);
  else if (slow->nearest < INFINITY)
    snprintf(text, 256, "slow: shortest step 2^%d%s of star %" PRIu64 "%s, %.2g from star %" PRIu64,
             ilogb(slow->step), slow->is_dt_min ? " = dt-min" : "", slow->particle, slow->because,
             slow->nearest, slow->nearest_id);
  else
    snprintf(text, 256, "slow: shortest step 2^%d of star %" PRIu64 "%s", ilogb(slow->step), slow->particle,
             slow->because);
}

/* Errors: HB_ERR_IO if standard output cannot be written; those of hb_sim_state. */
static enum hb_status run_output_row(struct hb_run_output *output, struct hb_sim *sim,
                                     const struct hb_diagnostics *now, int is_last)
{
  struct diag_row diag_row;
  struct hb_table_column chosen[ALL_SHOWN];
  struct hb_table table = {chosen, 0, HB_TABLE_TEXT_FORM, stdout, (size_t)output->rows};
  fill_row(output, sim, now, &diag_row);
  if (output->form == HB_RUN_OUTPUT_JSON) find_slow(output, sim, &diag_row);
  if (is_last && output->has_stars) HB_TRY(count_stars(sim, &diag_row.stars));
  table.count = choose_columns(output, diag_row.neighbors > 0, is_last, chosen);
  if (is_last && output->form != HB_RUN_OUTPUT_NONE) HB_TRY(hash_state(sim, now->t, diag_row.state_hash));
  hb_terminal_clear_progress();
  if (output->form == HB_RUN_OUTPUT_TABLE && output->rows == 0) print_head(output, &diag_row);
  if (output->form == HB_RUN_OUTPUT_JSON) put_json(chosen, table.count, &diag_row);
  if (output->form == HB_RUN_OUTPUT_TABLE) hb_table_put(&table, &diag_row);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && diag_row.neighbors > 0) print_near(&diag_row);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && output->has_stars) print_stars(&diag_row.stars);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && hb_force_is_reproducible(diag_row.precision))
    printf("# state_hash %s\n", diag_row.state_hash);
  output->rows++;
  return hb_terminal_flush(); /* so that a reader of the pipe sees each row at once */
}

static void run_output_progress(const struct hb_run_output *output, double t)
{
  if (!output->has_bar) return;
  hb_terminal_progress((t - output->t_begin) / (output->t_end - output->t_begin),
                       hb_clock_now() - output->wall_begin);
}

/* ---- the file of --diag ---- */

#define VECTOR(name, place)                                                                                  \
  {name "_x", HB_TABLE_REAL, IN_DIAG(place[0])}, {name "_y", HB_TABLE_REAL, IN_DIAG(place[1])},              \
  {                                                                                                          \
    name "_z", HB_TABLE_REAL, IN_DIAG(place[2])                                                              \
  }

static const struct hb_table_column energies[] = {COLUMN(REAL, now., t),
                                                  COLUMN(COUNT, counts., n),
                                                  COLUMN(TEXT, , scheme),
                                                  COLUMN(TEXT, , precision),
                                                  COLUMN(TRUTH, now., exact_energy),
                                                  COLUMN(REAL, now., e_total),
                                                  COLUMN(REAL, now., e_gpu),
                                                  COLUMN(REAL, now., e_kin),
                                                  COLUMN(REAL, now., e_pot),
                                                  COLUMN(REAL, now., e_cluster),
                                                  COLUMN(REAL, now., e_orbit),
                                                  COLUMN(REAL, now., e_scale),
                                                  COLUMN(REAL, , de_cluster),
                                                  COLUMN(REAL, , de_rel),
                                                  COLUMN(REAL, now., virial_ratio),
                                                  COLUMN(REAL, , e_kin_inertial),
                                                  COLUMN(REAL, , e_total_inertial),
                                                  COLUMN(REAL, , virial_ratio_inertial),
                                                  VECTOR("momentum", structure.momentum),
                                                  VECTOR("angular_momentum", structure.angular_momentum),
                                                  VECTOR("mass_centre", structure.x_mass),
                                                  VECTOR("mass_centre_v", structure.v_mass),
                                                  VECTOR("density_centre", structure.x_density),
                                                  COLUMN(REAL, structure., r_core),
                                                  COLUMN(REAL, now., r_half)};
/* only in other units than N-body */
static const struct hb_table_column units_column = COLUMN(TEXT, , units);
/* only with forces from outside */
static const struct hb_table_column field[] = {COLUMN(REAL, now., e_field), COLUMN(REAL, now., e_jacobi)};
/* only where bodies merge or escape */
static const struct hb_table_column bodies[] = {COLUMN(REAL, now., e_lost), COLUMN(COUNT, counts., merged),
                                                COLUMN(COUNT, counts., escaped)};
/* here come the Lagrangian radii */
static const struct hb_table_column work[] = {{"binaries", HB_TABLE_SIZE, IN_DIAG(now.binaries.count)},
                                              {"e_binaries", HB_TABLE_REAL, IN_DIAG(now.binaries.energy)},
                                              COLUMN(REAL, now.binaries., a_hardest),
                                              COLUMN(COUNT, counts., block_steps),
                                              COLUMN(COUNT, counts., particle_steps),
                                              COLUMN(COUNT, counts., pairs),
                                              COLUMN(REAL, counts., dt_least),
                                              COLUMN(REAL, phases., predict_s),
                                              COLUMN(REAL, phases., send_s),
                                              COLUMN(REAL, phases., force_s),
                                              COLUMN(REAL, phases., receive_s),
                                              COLUMN(REAL, phases., correct_s),
                                              COLUMN(REAL, , wall_s)};
/* and here what neighbors have done, and the block sizes */

#undef VECTOR

enum {
  ENERGIES = sizeof energies / sizeof *energies,
  WORK = sizeof work / sizeof *work,
  FIELD = sizeof field / sizeof *field,
  BODIES = sizeof bodies / sizeof *bodies,
  NAMED = HB_LAGRANGE_COUNT + 2 * HB_BLOCK_SIZES,
  MOST = ENERGIES + 1 + FIELD + BODIES + NAMED + WORK + NEAR,
};

struct diag_columns {
  struct hb_table_column at[MOST];
  size_t count, named;
  char names[NAMED][24];
};

static void add(struct diag_columns *c, const struct hb_table_column *diag_columns, size_t count)
{
  memcpy(c->at + c->count, diag_columns, count * sizeof *diag_columns);
  c->count += count;
}

static void add_named(struct diag_columns *c, enum hb_table_kind kind, size_t offset, const char *stem,
                      unsigned long long number)
{
  char *name = c->names[c->named++];
  snprintf(name, sizeof *c->names, "%s_%llu", stem, number);
  add(c, &(struct hb_table_column){.name = name, .kind = kind, .offset = offset}, 1);
}

/* Histograms of block steps, from 1 to the largest power of two up to n. */
static void add_blocks(struct diag_columns *c, size_t n, size_t offset, const char *stem)
{
  for (size_t k = 0; k < HB_BLOCK_SIZES && n >> k; k++)
    add_named(c, HB_TABLE_COUNT, offset + k * sizeof(uint64_t), stem, 1ULL << k);
}

static void make_columns(const struct hb_run_diag *diag, const struct diag_row *diag_row,
                         struct diag_columns *c)
{
  c->count = c->named = 0;
  add(c, energies, ENERGIES);
  if (diag_row->units) add(c, &units_column, 1);
  if (diag->has_field) add(c, field, FIELD);
  if (diag->has_bodies) add(c, bodies, BODIES);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    add_named(c, HB_TABLE_REAL, offsetof(struct diag_row, structure.r_lagrange) + k * sizeof(double), "r",
              (unsigned long long)lround(100 * hb_lagrange_fractions()[k]));
  add(c, work, WORK);
  if (diag_row->neighbors > 0) add(c, near, NEAR_DIAG);
  add_blocks(c, diag->n, offsetof(struct diag_row, blocks), "blocks");
  if (diag_row->neighbors > 0) add_blocks(c, diag->n, offsetof(struct diag_row, full_blocks), "full_blocks");
}

/* One row. Errors: those of hb_sim_structure, HB_ERR_IO. */
static enum hb_status run_diag_row(struct hb_run *run, const struct hb_diagnostics *now)
{
  struct diag_row diag_row;
  struct hb_structure structure;
  struct diag_columns diag_columns;
  HB_TRY(hb_sim_structure(run->sim, now->t, &structure));
  fill_row(&run->output, run->sim, now, &diag_row);
  diag_row.structure = structure;
  if (run->output.units.mass > 0) hb_astro_structure(&run->output.units, &diag_row.structure);
  make_columns(&run->diag, &diag_row, &diag_columns);
  return run_rows_put(&run->rows[RUN_DIAG_ROWS], diag_columns.at, diag_columns.count, &diag_row);
}

#undef IN_DIAG

/* ---- the file of --events ---- */

struct event_row {
  double t;
  const char *event, *units;
  char members[HB_EVENT_MOST * 21 + 1]; /* identities with blanks between them */
  double a, e, E, r;
};

#define EVENT(kind, member) HB_TABLE_COLUMN(kind, struct event_row, , member)
#define EVENT_COLUMNS                                                                                        \
  EVENT(REAL, t), EVENT(TEXT, event), EVENT(CHARS, members), EVENT(REAL, a), EVENT(REAL, e), EVENT(REAL, E)
/* The last column is left out in N-body units. */
static const struct hb_table_column event_columns[] = {EVENT_COLUMNS, EVENT(TEXT, units)};
static const struct hb_table_column event_columns_with_r[] = {EVENT_COLUMNS, EVENT(REAL, r),
                                                              EVENT(TEXT, units)};
#undef EVENT_COLUMNS
#undef EVENT

static int run_has_approaches(const struct hb_run *run)
{
  const struct hb_sim_params *p = &run->settings->sim;
  return p->approach_distance > 0 || p->approach_radii > 0;
}

static enum hb_status put_event(struct hb_run *run, struct event_row *diag_row)
{
  const struct hb_units *units = &run->output.units;
  size_t count = sizeof event_columns / sizeof *event_columns + (size_t)run_has_approaches(run);
  if (units->mass > 0) {
    diag_row->units = hb_astro_names[HB_ASTRO_ASTRO];
    diag_row->t *= units->time;
    diag_row->a *= units->length;
    diag_row->r *= units->length;
    diag_row->E *= hb_astro_energy(units);
  } else
    count--;
  return run_rows_put(&run->rows[RUN_EVENTS_ROWS],
                      run_has_approaches(run) ? event_columns_with_r : event_columns, count, diag_row);
}

/* Says once what an option that asks for encounters cannot see in such a run, if anything. */
static void run_events_note(const struct hb_run_settings *s, const char *option)
{
  int has_dt = hb_run_has_dt(s);
  const char *how = has_dt                           ? "integrator "
                    : s->sim.force.eps != 0          ? "--eps above 0"
                    : s->sim.correct == HB_PLACE_GPU ? "--correct gpu"
                                                     : NULL;
  if (!how) return;
  hb_terminal_note(hb_phrase("%s: with %s%s, encounters of unbound stars are not looked for, binaries are",
                             option, how, has_dt ? s->sim.integrator : ""));
}

/* The rows of the last step. Nothing if the file is not open. Errors: HB_ERR_IO. */
static enum hb_status run_events_put(struct hb_run *run)
{
  size_t count;
  struct hb_run_rows *rows = &run->rows[RUN_EVENTS_ROWS];
  const struct hb_event *events = hb_sim_events(run->sim, &count);
  for (size_t k = 0; rows->file && k < count; k++) {
    const struct hb_event *e = events + k;
    struct event_row diag_row = {
        .t = e->t, .event = hb_event_names[e->kind], .a = e->a, .e = e->e, .E = e->E, .r = e->r};
    char *place = diag_row.members;
    for (size_t m = 0; m < e->n; m++) place += sprintf(place, "%s%" PRIu64, m ? " " : "", e->id[m]);
    HB_TRY(put_event(run, &diag_row));
  }
  return HB_OK;
}

/* Watches sim for all kinds of events; a new log begins with what is there. Errors: as hb_sim_watch; HB_ERR_IO. */
static enum hb_status run_events_begin(struct hb_run *run)
{
  struct hb_run_rows *rows = &run->rows[RUN_EVENTS_ROWS];
  if (!rows->file) return HB_OK;
  struct event_row diag_row = {
      .t = hb_sim_time(run->sim), .event = "begin", .a = NAN, .e = NAN, .E = NAN, .r = NAN};
  int is_new = rows->rows == 0;
  if (is_new) HB_TRY(put_event(run, &diag_row));
  unsigned all = (1U << HB_EVENT_KINDS) - 1, again = all & ~(1U << HB_EVENT_INITIAL);
  HB_TRY(hb_sim_watch(run->sim, is_new ? all : again));
  return run_events_put(run);
}

/* ---- the file of --follow ------------------------------------------------------------------------------- */

static enum hb_status refuse(const char *list)
{
  return hb_fail(HB_ERR_USAGE,
                 "option --follow: '%s' is no list of up to %d particles by their numbers, as 3,17", list,
                 (int)HB_RUN_FOLLOW_MOST);
}

static int has(const struct hb_run_follow *follow, uint64_t id)
{
  size_t k = 0;
  while (k < follow->count && follow->of[k].id != id) k++;
  return k < follow->count;
}

/* The particles of a list such as 3,17; NULL: none. Errors: HB_ERR_USAGE (what is no such list). */
static enum hb_status run_follow_take(const char *list, struct hb_run_follow *follow)
{
  follow->count = 0;
  for (const char *word = list; word;) {
    char number[24];
    uint64_t id;
    size_t length = strcspn(word, ",");
    snprintf(number, sizeof number, "%.*s", (int)hb_min(length, sizeof number), word);
    if (length >= sizeof number || hb_text_count(number, &id) != HB_OK || follow->count == HB_RUN_FOLLOW_MOST)
      return refuse(list);
    if (!has(follow, id)) follow->of[follow->count++] = (struct hb_follow){.id = id};
    word = word[length] ? word + length + 1 : NULL;
  }
  return HB_OK;
}

/* Whether these have them all. Errors: HB_ERR_USAGE. */
static enum hb_status run_follow_check(const struct hb_run_follow *follow, struct hb_particles *particles)
{
  size_t n = hb_particles_n(particles);
  const uint64_t *id = hb_particles_id(particles);
  for (size_t k = 0; k < follow->count; k++) {
    size_t i = 0;
    while (i < n && id[i] != follow->of[k].id) i++;
    if (i == n)
      return hb_fail(HB_ERR_USAGE, "option --follow: none of the %zu particles has the number %" PRIu64, n,
                     follow->of[k].id);
  }
  return HB_OK;
}

/* ---- rows ---- */

struct followed {
  struct hb_follow f;
  double a, j, a_near, a_far;
};

#define FOLLOWED(kind, within, member) HB_TABLE_COLUMN(kind, struct followed, within, member)
#define COORDINATE(name, place)                                                                              \
  {                                                                                                          \
    name, HB_TABLE_REAL, .offset = offsetof(struct followed, f.place)                                        \
  }
static const struct hb_table_column follow_columns[] = {
    FOLLOWED(REAL, f., t), FOLLOWED(COUNT, f., id), FOLLOWED(COUNT, f., members), COORDINATE("x", x[0]),
    COORDINATE("y", x[1]), COORDINATE("z", x[2]), COORDINATE("vx", v[0]), COORDINATE("vy", v[1]),
    COORDINATE("vz", v[2]), FOLLOWED(REAL, , a), FOLLOWED(REAL, , j), FOLLOWED(REAL, f., step),
    FOLLOWED(REAL, f., nearest), FOLLOWED(COUNT, f., nearest_id),
    /* with neighbors */
    FOLLOWED(REAL, f., far_step), FOLLOWED(INT, f., far_ends), FOLLOWED(COUNT, f., listed),
    FOLLOWED(REAL, , a_near), FOLLOWED(REAL, , a_far)};
#undef COORDINATE
#undef FOLLOWED
enum { COLUMNS = sizeof follow_columns / sizeof *follow_columns, OF_PARTS = 5 };

static double norm(const double q[3]) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }

/* A row for each of them whose step has ended in the last block step; at the start, for all. Nothing if the file is not open. Errors: those of
 * hb_sim_follow, HB_ERR_IO. */
static enum hb_status run_follow_put(struct hb_run *run)
{
  struct hb_run_follow *follow = &run->follow;
  struct hb_run_rows *rows = &run->rows[RUN_FOLLOW_ROWS];
  struct hb_sim *sim = run->sim;
  int has_parts = hb_sim_taken(sim)->neighbors > 0;
  for (size_t k = 0; rows->file && k < follow->count; k++) {
    struct hb_follow *f = follow->of + k;
    int is_due;
    HB_TRY(hb_sim_follow(sim, f, &is_due));
    if (!is_due) continue;
    const struct followed followed = {*f, norm(f->a), norm(f->j), norm(f->near_a), norm(f->far_a)};
    HB_TRY(run_rows_put(rows, follow_columns, has_parts ? COLUMNS : COLUMNS - OF_PARTS, &followed));
  }
  return HB_OK;
}

/* ---- steps, energy and pace: each note once per run, even if that is resumed ---------------------------- */

/* Of the cluster's own |E| or its kinetic energy at the start, whichever is larger (e_scale). A run beyond the first bound is lost; one that ends
 * beyond the second is complete, but fails unless the user accepts that; the note comes at a hundredth of the first. */
static const double lost = 1e-2, doubtful = 1e-3, noted_from = 1e-4;

/* Bits of run->noted, which checkpoints record. */
enum { NOTED_COLLAPSE = 1, NOTED_CUT = 2, NOTED_ENERGY = 4, NOTED_MASSLESS = 8 };

/* Whether it is the first time. */
static int is_first_note(struct hb_run *run, unsigned what)
{
  int is_first = !(run->noted & what);
  run->noted |= what;
  return is_first;
}

/* ---- steps ---- */

/* The remedies that this run does not use already. */
static void name_remedies(const struct hb_run *run, char remedies[128])
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *precisions = hb_force_scheme(force)->precisions, *now = hb_force_precision(force);
  int bits = hb_force_position_bits(now), used = 0;
  char word[16];
  for (int read; sscanf(precisions, "%15s%n", word, &read) == 1; precisions += read)
    if (hb_force_position_bits(word) > bits)
      used += snprintf(remedies + used, 128 - (size_t)used, "%s%s", used ? " or " : "--precision ", word);
  snprintf(remedies + used, 128 - (size_t)used, "%s%sa larger --eta", used ? ", " : "",
           bits == hb_force_position_bits("double") ? ""
           : run->settings->sim.force.interaction   ? "or " /* the host knows gravity alone */
                                                    : "--scheme host or ");
}

static void note_collapse(const struct hb_run *run, const struct hb_step_trouble *trouble)
{
  char remedies[128];
  name_remedies(run, remedies);
  hb_terminal_note(hb_phrase(
      "the time steps collapse: %.0f %% of them follow the rounding errors of the forces (%.6g block "
      "steps per unit of time at t = %.4g, %.6g are usual); use %s",
      100 * trouble->noisy, trouble->n_steps, run->t, trouble->n_steps_usual, remedies));
}

static void note_cut(const struct hb_cut_steps *cut)
{
  double wanted = fmax(cut->wanted, 0); /* NaN: of an infinite jerk */
  hb_terminal_note(hb_phrase("particle %" PRIu64
                             " at t = %s needs a step of %.3g, but --dt-min is 2^%d: from here on energies "
                             "and orbits may be wrong; use a smaller --dt-min or a larger --eps",
                             cut->particle, HB_SHORTEST(cut->t), wanted, ilogb(cut->dt_min)));
}

static void note_massless_error(const struct hb_energy_made *made)
{
  hb_terminal_note(hb_phrase("the energy of test particle %" PRIu64 " is off by %.2g at t = %s: its orbit is "
                             "wrong from here on; a smaller --eta may help",
                             made->particle, made->error, HB_SHORTEST(made->t)));
}

/* Notes, once per run each, that the time steps collapse, and that dt_min cuts one. */
static void run_watch_steps(struct hb_run *run)
{
  struct hb_step_trouble trouble;
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  if (counts.cut.count && is_first_note(run, NOTED_CUT)) note_cut(&counts.cut);
  if (counts.massless.error > noted_from && is_first_note(run, NOTED_MASSLESS))
    note_massless_error(&counts.massless);
  if (run->noted & NOTED_COLLAPSE || !hb_sim_step_trouble(run->sim, &trouble)) return;
  if (is_first_note(run, NOTED_COLLAPSE)) note_collapse(run, &trouble);
}

/* ---- energy ---- */

/* A given step is the user's choice, and damping removes energy. */
static int has_bound(const struct hb_run *run) { return !hb_run_has_dt(run->settings); }

static int is_damped(const struct hb_run *run)
{
  double damping = run->settings->sim.damping;
  return damping > 0 && damping < 1;
}

/* Whose error it is, where that is not all of E. */
static const char *whose(const struct hb_run *run)
{
  const struct hb_run_output *output = &run->output;
  double unit = output->units.mass > 0 ? hb_astro_energy(&output->units) : 1;
  if (!output->parts) return "";
  return hb_phrase(" (the cluster's, over its own energy %.4g)", unit * output->e_scale);
}

static void note_energy(struct hb_run *run, const char *t)
{
  int end_says_it = run->t == run->t_end && run->energy_error > doubtful && has_bound(run);
  if (end_says_it || is_damped(run) || !(run->energy_error > (has_bound(run) ? noted_from : lost)) ||
      !is_first_note(run, NOTED_ENERGY))
    return;
  const char *bound = has_bound(run) ? hb_phrase("; the run stops at %g, see --max-energy-error", lost) : "";
  hb_terminal_note(
      hb_phrase("the energy error is %.2g%s at t = %s%s", run->energy_error, whose(run), t, bound));
}

/* Whether run->energy_error is beyond the bound. */
static int run_energy_is_lost(const struct hb_run *run)
{
  double bound = run->settings->max_energy_error, most = bound > 0 ? bound : has_bound(run) ? lost : INFINITY;
  return !isinf(most) && !(run->energy_error <= most); /* NaN exceeds any */
}

/* Notes, once, that the energy error is large. Errors: HB_ERR_NUMERIC if it exceeds the bound. */
static enum hb_status run_judge_energy(struct hb_run *run)
{
  const char *bound = hb_opts_typed(&run->asked.opts, &run->settings->max_energy_error);
  const char *t = HB_SHORTEST(run->t);
  if (!run_energy_is_lost(run)) {
    if (!bound) note_energy(run, t);
    return HB_OK;
  }
  if (bound)
    return hb_fail(HB_ERR_NUMERIC, "energy error %.3g%s at t = %s exceeds --max-energy-error %s",
                   run->energy_error, whose(run), t, bound);
  return hb_fail(HB_ERR_NUMERIC,
                 "energy error %.3g%s at t = %s exceeds %g; a smaller --eta or a larger --eps may help, "
                 "--max-energy-error sets another bound or none",
                 run->energy_error, whose(run), t, lost);
}

/* After everything is written. Errors: HB_ERR_NUMERIC if the final energy error is too large to pass in silence. */
static enum hb_status run_judge_end(const struct hb_run *run)
{
  if (run->settings->max_energy_error > 0 || !has_bound(run) || run->energy_error <= doubtful) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "the run is complete, but its energy error of %.3g%s exceeds %g; a smaller --eta or a larger "
      "--eps may help, --max-energy-error %g accepts it",
      run->energy_error, whose(run), doubtful, lost);
}

/* ---- how long it takes ---- */

/* Announces how long the run takes, if long: before the first step, and once its pace is known. No step is longer than dt_max, leapfrog's are all dt; the first step may show that the run takes longer. */
static void run_announce(const struct hb_run *run)
{
  const struct hb_sim_params *sim = &run->settings->sim;
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  double n = (double)counts.n, left = run->t_end - run->t, first = hb_sim_next_time(run->sim) - run->t;
  double least = hb_terminal_least_seconds(left / (sim->dt > 0 ? sim->dt : sim->dt_max), n * n);
  double as_now = hb_terminal_least_seconds(left / first, n);
  hb_terminal_announce(as_now > 10 * least ? "about" : "at least", fmax(least, as_now), "");
}

/* Sets text to what takes the time since the last call, if the rest of the run would take long at the pace since then; else to "". */
static void explain_pace(struct hb_run *run, char text[256])
{
  static const double LONG_S = 600;
  struct hb_run_pace *pace = &run->pace;
  struct hb_phases phases;
  struct hb_slow slow;
  double now = hb_clock_now(), wall = now - pace->looked;
  double left = (run->t_end - run->t) / (run->t - pace->t_looked) * wall, groups = pace->groups_s;
  int is_first = pace->looked == 0;
  hb_sim_phases(run->sim, &phases);
  pace->looked = now, pace->t_looked = run->t, pace->groups_s = phases.groups_s;
  *text = 0;
  if (!hb_sim_slow(run->sim, &slow) || is_first || !(left > LONG_S)) return;
  slow_sentence(&slow, phases.groups_s - groups > wall / 2, text);
}

/* Now and then, what makes the run slow goes to the progress line. */
static void run_watch_slow(struct hb_run *run)
{
  static const double APART_S = 1;
  char text[256];
  if (!run->output.has_bar || hb_clock_now() - run->pace.looked < APART_S) return;
  explain_pace(run, text);
  hb_terminal_progress_reason(text);
}

static void run_watch_pace(struct hb_run *run)
{
  static const double ENOUGH_S = 10; /* for a pace */
  struct hb_run_pace *pace = &run->pace;
  char why[256];
  if (pace->is_announced || run->output.has_bar || run->settings->quiet) return;
  double now = hb_clock_now();
  if (pace->began == 0) {
    pace->began = now, pace->t_begin = run->t;
    explain_pace(run, why);
  }
  if (now - pace->began < ENOUGH_S) return;
  pace->is_announced = 1;
  double done = (run->t - pace->t_begin) / (run->t_end - pace->t_begin);
  explain_pace(run, why);
  hb_terminal_announce("about", (now - pace->began) / done, why);
}

/* Rows of two kinds need two files. */
static enum hb_status check_rows(const struct hb_run_settings *s)
{
  if (s->follow_out && !s->follow) return hb_fail(HB_ERR_USAGE, "option --follow-out needs --follow ID");
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    for (enum hb_run_out l = k + 1; l < RUN_APPENDED_COUNT; l++)
      if (rows_path(s, k) && rows_path(s, l) && strcmp(rows_path(s, k), rows_path(s, l)) == 0)
        return hb_fail(HB_ERR_USAGE, "options %s and %s both name %s", of_rows[k].option, of_rows[l].option,
                       rows_path(s, k));
  return HB_OK;
}

/* Checks -o and the options that go with it. Errors: HB_ERR_USAGE, HB_ERR_IO. */
static enum hb_status run_check_output(const struct hb_run_settings *s)
{
  if (!s->output && s->snap_every > 0)
    return hb_fail(HB_ERR_USAGE, "option --snap-every needs -o FILE to name its snapshots");
  HB_TRY(check_rows(s));
  if (!s->output) return HB_OK;
  int to_stdout = strcmp(s->output, "-") == 0;
  if (to_stdout && s->snap_every > 0)
    return hb_fail(HB_ERR_USAGE, "option --snap-every cannot write a series to standard output");
  if (to_stdout && s->json)
    return hb_fail(HB_ERR_USAGE, "options --json and -o - cannot share standard output");
  return hb_target_check(s->output, s->format);
}

/* ---- the record of a checkpoint ------------------------------------------------------------------------- */

/* What a checkpoint records of a run besides its simulation: strings, each with its NUL, the first of them the tag.
 *   progress T T_BEGIN E_BEGIN DIAG_NUMBER SNAP_NUMBER WALL_S WRITTEN ROWS    doubles as hexadecimal: all bits
 *   scale E_SCALE NOTED PARTS                                             in older ones: watch E_KIN_BEGIN NOTED, or nothing
 *   device TEXT                                                               if another device has continued the run
 *   appended INODE DEVICE LENGTH CHECKSUM PATH                                as in struct hb_appended: standard output, --diag
 *   events INODE DEVICE LENGTH CHECKSUM PATH                                  the same of --events
 *   follow INODE DEVICE LENGTH CHECKSUM PATH                                  the same of --follow
 *   found INODE DEVICE LENGTH CHECKSUM PATH                                   the file at -o before the run replaced it
 *   option --NAME=VALUE                                                       those that were given
 *   operand FILE */

static const char tag[] = "holmberg run 1";

/* The same for printf and scanf. */
#define PROGRESS "progress %la %la %la %la %la %la %lu %ld"
#define SCALE    "scale %la %u %d"
#define MARK     " %llu %llu %llu %lu "

/* The number of the first multiple of `every` after t. */
static double first_number(double t, double every) { return floor(t / every + 1e-9) + 1; }

/* Fills in what follows from the settings and the time at which the run begins. */
static void run_set_up(struct hb_run *run, double t_begin)
{
  const struct hb_run_settings *s = run->settings;
  run->t = t_begin;
  run->t_end = s->t_end;
  run->time_tolerance = 1e-9 * s->sim.dt;
  run->diag_every = s->diag_every > 0 ? s->diag_every : s->sim.dt_max;
  run->snap_every = s->snap_every;
  run->diag_number = first_number(run->t, run->diag_every);
  run->snap_number = run->snap_every > 0 ? first_number(run->t, run->snap_every) : 0;

  struct hb_run_output *output = &run->output;
  int is_silent = s->quiet || (s->output && strcmp(s->output, "-") == 0);
  output->form = s->json ? HB_RUN_OUTPUT_JSON : is_silent ? HB_RUN_OUTPUT_NONE : HB_RUN_OUTPUT_TABLE;
  output->has_bar = !s->quiet && !s->json && hb_terminal_is_live();
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    run->appended[k].path = rows_path(s, k);
  run->appended[RUN_STDOUT].path = output->form == HB_RUN_OUTPUT_NONE ? NULL : "-";
  output->t_begin = run->t;
  output->t_end = run->t_end;
  output->has_stars = s->sim.stars != HB_STARS_NONE || s->sim.evolution;
}

/* ---- writing ---- */

/* Formats that write a string end with %c for its NUL. */
static enum hb_status write_options(const struct hb_run *run, struct hb_text *record)
{
  const struct hb_opts *opts = &run->asked.opts;
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    if (!opts->typed[k] || strcmp(option->name, "resume") == 0) continue;
    int is_flag = option->kind == HB_SETTING_FLAG;
    HB_TRY(hb_text_append(record, "option --%s%s%s%c", option->name, is_flag ? "" : "=",
                          is_flag ? "" : opts->typed[k], 0));
  }
  return hb_text_append(record, "operand %s%c", opts->operands[0], 0);
}

static enum hb_status write_mark(const char *word, const struct hb_appended *a, struct hb_text *record)
{
  if (!a->path) return HB_OK;
  return hb_text_append(record, "%s" MARK "%s%c", word, a->inode, a->device, a->length, a->checksum, a->path,
                        0);
}

static enum hb_status write_record(const struct hb_run *run, struct hb_text *record)
{
  const struct hb_run_output *output = &run->output;
  HB_TRY(hb_text_append_bytes(record, tag, sizeof tag));
  HB_TRY(hb_text_append(record, PROGRESS "%c", run->t, output->t_begin, output->e_begin, run->diag_number,
                        run->snap_number, hb_clock_now() - output->wall_begin, run->written,
                        (long)output->rows, 0));
  HB_TRY(hb_text_append(record, SCALE "%c", output->e_scale, run->noted, output->parts, 0));
  if (run->resumed.device.text) HB_TRY(hb_text_append(record, "device %s%c", run->resumed.device.text, 0));
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++)
    HB_TRY(write_mark(of_rows[k].mark, &run->appended[k], record));
  HB_TRY(write_mark("found", &run->found, record));
  return write_options(run, record);
}

/* ---- reading ---- */

/* What follows word in the next string that begins with it; *place moves through the record, NULL at first. */
static char *next_of(const struct hb_text *record, const char *word, char **place)
{
  char *end = record->text + record->length;
  *place = *place ? *place + strlen(*place) + 1 : record->text;
  for (; *place < end; *place += strlen(*place) + 1)
    if (strncmp(*place, word, strlen(word)) == 0) return *place + strlen(word);
  return NULL;
}

/* Reads the options of run->resumed.record, by the rows of the command; and, set up by them, the rest, which must be possible in
 * a run. Errors: HB_ERR_INPUT. */
static enum hb_status record_options(const struct hb_opts_command *command, struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  /* hb_text ends with a NUL of its own, so every string of the record ends */
  if (record->length < sizeof tag || strcmp(record->text, tag) != 0)
    return hb_fail(HB_ERR_INPUT, "the checkpoint was not written by this 'holmberg run'");
  static char no_more[] = "--";
  char **words = run->resumed.words, *place = NULL, *word;
  int count = 0;
  while (count < HB_OPTS_MOST && (word = next_of(record, "option ", &place))) words[count++] = word;
  words[count++] = no_more;
  place = NULL;
  if (!(words[count++] = next_of(record, "operand ", &place)))
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say which file its run began with");
  enum hb_status status = HB_OK;
  if (hb_opts_question(count, words))
    status = hb_fail(HB_ERR_INPUT, "--help and --version are not options of a run");
  run->asked.settings = (struct hb_run_settings){0};
  if (status == HB_OK) status = hb_opts_parse(command, count, words, &run->asked.settings, &run->asked.opts);
  if (status == HB_OK) status = hb_opts_check_powers(&run->asked.opts);
  run->settings = &run->asked.settings;
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_INPUT, "the checkpoint's options");
}

/* Whether number * every is the next time after t, within the rounding of due() and first_number() and run->time_tolerance. */
static int is_next(double number, double every, const struct hb_run *run)
{
  double t = run->t, slack = 1e-6 * every + 4 * DBL_EPSILON * fabs(t) + run->time_tolerance;
  if (!isfinite(number) || floor(number) != number || fabs(number) > 0x1p53) return 0;
  return every == 0 || (number * every >= t - slack && (number - 1) * every <= t + slack);
}

static enum hb_status check_progress(const struct hb_run *run, double wall_s, long rows)
{
  const struct hb_run_output *output = &run->output;
  const struct {
    const char *what;
    double value;
    int good;
  } fields[] = {
      {"a time", run->t, isfinite(run->t)},
      {"a first time", output->t_begin,
       output->t_begin <= run->t + run->time_tolerance && isfinite(output->t_begin)},
      {"a first energy", output->e_begin, isfinite(output->e_begin)},
      {"a number of the next row", run->diag_number, is_next(run->diag_number, run->diag_every, run)},
      {"a number of the next snapshot", run->snap_number, is_next(run->snap_number, run->snap_every, run)},
      {"a wall time", wall_s, wall_s >= 0 && isfinite(wall_s)},
      {"a number of snapshots", (double)run->written, (double)run->written < 0x1p53},
      {"a number of rows", (double)rows, rows > 0 && rows <= INT_MAX}};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (!fields[k].good)
      return hb_fail(HB_ERR_INPUT, "the checkpoint has %s of %.17g, which is impossible", fields[k].what,
                     fields[k].value);
  return HB_OK;
}

/* *path is where the mark names its file. Marks are always whole: one that is not would be ignored otherwise, and rows come twice. */
static enum hb_status read_mark(const char *mark, struct hb_appended *a, const char **path)
{
  int at = 0;
  if (sscanf(mark, MARK "%n", &a->inode, &a->device, &a->length, &a->checksum, &at) != 4 || at == 0 ||
      a->length > INT64_MAX)
    return hb_fail(HB_ERR_INPUT, "the checkpoint has '%.80s' of a file of rows, expected what marks its end",
                   mark);
  *path = mark + at;
  return HB_OK;
}

/* A mark belongs to an output, whatever its name is now. */
static void take_mark(const struct hb_appended *a, const char *path, enum hb_run_out which,
                      struct hb_run *run)
{
  struct hb_appended *rows = &run->appended[which];
  const char *now = rows->path;
  if (!now) return;
  *rows = *a;
  rows->path = now;
  run->resumed.same[which] = strcmp(path, now) == 0;
}

static enum hb_status read_marks(const struct hb_text *record, struct hb_run *run)
{
  struct hb_appended a = {0};
  const char *mark, *path = "";
  char *place = NULL;
  while ((mark = next_of(record, "appended", &place))) {
    HB_TRY(read_mark(mark, &a, &path));
    take_mark(&a, path, strcmp(path, "-") == 0 ? RUN_STDOUT : RUN_DIAG_ROWS, run);
  }
  for (enum hb_run_out k = RUN_EVENTS_ROWS; k < RUN_APPENDED_COUNT; k++) {
    place = NULL;
    if (!(mark = next_of(record, of_rows[k].mark, &place))) continue;
    HB_TRY(read_mark(mark, &a, &path));
    take_mark(&a, path, k, run);
  }
  place = NULL;
  if ((mark = next_of(record, "found", &place))) HB_TRY(read_mark(mark, &run->found, &path));
  run->found.path = run->settings->output;
  return HB_OK;
}

/* Older checkpoints leave e_scale unknown, the oldest also the notes. */
static enum hb_status read_scale(const struct hb_text *record, struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  char *place = NULL;
  double e_kin;
  output->e_scale = NAN;
  run->resumed.is_oldest = 0;
  if (next_of(record, "scale ", &place)) {
    if (sscanf(place, SCALE, &output->e_scale, &run->noted, &output->parts) != 3 || !(output->e_scale >= 0))
      return hb_fail(HB_ERR_INPUT,
                     "the checkpoint has '%s', expected an energy, the bits of printed notes and "
                     "0, 1 or 2",
                     place);
    return HB_OK;
  }
  place = NULL;
  run->resumed.is_oldest = !next_of(record, "watch ", &place);
  if (!run->resumed.is_oldest && sscanf(place, "watch %la %u", &e_kin, &run->noted) != 2)
    return hb_fail(HB_ERR_INPUT, "the checkpoint has '%s', expected an energy and the bits of printed notes",
                   place);
  return HB_OK;
}

static enum hb_status record_progress(struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  struct hb_run_output *output = &run->output;
  char *place = NULL, *word = next_of(record, "progress ", &place);
  double wall_s;
  long rows;
  int end = 0;
  run_set_up(run, 0);
  if (!word ||
      sscanf(place, PROGRESS "%n", &run->t, &output->t_begin, &output->e_begin, &run->diag_number,
             &run->snap_number, &wall_s, &run->written, &rows, &end) != 8 ||
      place[end])
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say how far its run was");
  HB_TRY(check_progress(run, wall_s, rows));
  output->rows = (int)rows;
  output->wall_begin = hb_clock_now() - wall_s;
  HB_TRY(read_scale(record, run));
  place = NULL;
  if ((word = next_of(record, "device ", &place))) HB_TRY(hb_text_append(&run->resumed.device, "%s", word));
  return read_marks(record, run);
}

/* ---- checkpoints ---- */

/* Syncs all output to disk, then writes the checkpoint that relies on it. Does nothing without --checkpoint. */
static enum hb_status run_record_save(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (!c->path.text) return HB_OK;
  hb_terminal_flush(); /* a failure was reported with the row */
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++)
    if (run->appended[k].path) HB_TRY(appended_mark(&run->appended[k]));
  HB_OWN struct hb_text record = {0};
  HB_TRY(write_record(run, &record));
  HB_TRY(hb_sim_save(run->sim, c->path.text, record.text, record.length, c->flags));
  c->flags = HB_SAVE_KEEP;
  c->written = hb_clock_now();
  return HB_OK;
}

/* Writes a checkpoint of the state between two block steps, for a run that will end. A step that was given up where it cannot be done again
 * leaves none: then the last checkpoint counts, and the note says how much work that costs. */
static enum hb_status save_for_end(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  enum hb_status status = run_record_save(run);
  if (status != HB_ERR_STOPPED) return status;
  char text[32];
  hb_terminal_duration(hb_clock_now() - c->written, text);
  hb_terminal_note(
      hb_phrase("the last step could not be ended in time: the checkpoint is that of %s ago", text));
  return HB_OK;
}

static enum hb_status stopped(const struct hb_run *run, const char *by)
{
  const char *path = run->checkpoint.path.text;
  return hb_fail(HB_ERR_STOPPED, "stopped by %s at t = %s; %s%s", by, HB_SHORTEST(run->t),
                 path ? "to continue: holmberg run --resume " : "without --checkpoint nothing was saved",
                 path ? path : "");
}

/* Reason for which this process is to stop; NULL: none. */
static const char *stopped_by(const struct hb_run *run)
{
  const char *by = hb_signals_stop();
  double limit = run->settings->max_s;
  return !by && limit > 0 && hb_clock_now() - run->checkpoint.began > limit ? "--max-hours" : by;
}

/* After a step or an output that failed with this status. If it was given up on request: writes a checkpoint of the state before it, and
 * ends the run. */
static enum hb_status run_record_end(struct hb_run *run, enum hb_status status)
{
  if (status != HB_ERR_STOPPED) return status;
  const char *by = stopped_by(run);
  HB_TRY(save_for_end(run));
  return stopped(run, by ? by : "request");
}

/* Makes signals and time limits stop this run within a step, too. Work that cannot be given up and done again has half a second to end.
 * Several ranks give up nothing, since each would do so in another step. */
static const double grace_s = 0.5;
static void watch_interrupts(const struct hb_run *run)
{
  double limit = run->settings->max_s;
  if (hb_ranks_count() > 1) return;
  hb_signals_reach_steps();
  hb_interrupt_set_grace(grace_s);
  if (limit > 0) hb_interrupt_set_deadline(run->checkpoint.began + limit);
}

/* After a block step: a checkpoint if one is due or asked for; HB_ERR_STOPPED if the run is to end. */
static enum hb_status run_record_poll(struct hb_run *run)
{
  const struct hb_run_checkpoint *c = &run->checkpoint;
  double now = hb_clock_now();
  const struct hb_run_settings *s = run->settings;
  const char *by = stopped_by(run);
  HB_TRY(run_ranks_stop(&by));
  int asked = hb_signals_asked();
  if (asked && !c->path.text) hb_terminal_note("SIGUSR1: without --checkpoint there is nothing to write");
  if (by || asked || now - c->written >= s->checkpoint_every_s) HB_TRY(run_record_save(run));
  return by ? stopped(run, by) : HB_OK;
}

/* ---- the run itself ------------------------------------------------------------------------------------- */

/* With a copy of these options; nothing is opened. */
static void begin_run(const struct hb_opts *opts, struct hb_run *run)
{
  const struct hb_run_settings *settings = opts->settings;
  *run = (struct hb_run){.asked = {*opts, *settings}};
  run->settings = run->asked.opts.settings = &run->asked.settings;
  run_ranks_follow(&run->asked.settings);
}

/* Also after a failure. */
static void close_run(struct hb_run *run)
{
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++) run_rows_close(&run->rows[k]);
  hb_sim_destroy(run->sim);
  hb_particles_destroy(run->initial);
  hb_run_serve_close(run->serve);
  for (size_t k = 0; k < RUN_OUTS; k++) lock_release(&run->locks[k]);
  HB_FREE(run->checkpoint.path.text, run->resumed.record.text, run->resumed.device.text);
}

/* ---- times ------------------------------------------------------------------------------------------- */

/* What was typed for --t-end, or its default. */
static const char *typed_t_end(const struct hb_run *run)
{
  return hb_opts_text(&run->asked.opts, &run->settings->t_end);
}

/* Steps, rows and snapshots are counted from t = 0 in doubles, which skip numbers above 2^53. */
static enum hb_status check_count(const struct hb_run *run, const char *what, double every)
{
  static const double most = 0x1p53;
  int begins_late = every > 0 && fabs(run->t) / every >= most;
  if (!begins_late && !(every > 0 && fabs(run->t_end) / every >= most)) return HB_OK;
  return hb_fail(begins_late ? HB_ERR_INPUT : HB_ERR_USAGE,
                 "%s%s is too late for %s %s (expected fewer than 2^53 from t = 0 on)",
                 begins_late ? "t = " : "option --t-end: ",
                 begins_late ? HB_SHORTEST(run->t) : typed_t_end(run), what, HB_SHORTEST(every));
}

/* every 0: not given. */
static enum hb_status check_interval(const struct hb_run *run, const char *name, const double *every)
{
  double dt_min = run->settings->sim.dt_min;
  if (*every == 0 || *every >= dt_min) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --%s: %s is below the smallest step 2^%d", name,
                 hb_opts_typed(&run->asked.opts, every), ilogb(dt_min));
}

/* Intervals are not below dt-min, and few enough since t = 0 for a double to count them. */
static enum hb_status check_intervals(const struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(check_interval(run, "diag-every", &s->diag_every));
  HB_TRY(check_interval(run, "snap-every", &s->snap_every));
  HB_TRY(check_count(run, "steps of", s->sim.dt > 0 ? s->sim.dt : s->sim.dt_max));
  HB_TRY(check_count(run, "rows every", run->diag_every));
  return check_count(run, "snapshots every", run->snap_every);
}

/* ---- events that end a run before its time ------------------------------------------------------------- */

/* Whether its particles may merge or escape. */
static int has_bodies(const struct hb_run_settings *s)
{
  const struct hb_sim_params *p = &s->sim;
  return p->collisions != HB_COLLISIONS_NONE || p->escapers != HB_ESCAPERS_NONE ||
         p->stop_at == HB_STOP_AT_COLLISION || p->stop_at == HB_STOP_AT_ESCAPE;
}

static void say_stopped(const struct hb_run *run, const struct hb_event *event)
{
  char line[256];
  int length = snprintf(line, sizeof line, "stopped at t = %s by an event, %s, of particle%s",
                        HB_SHORTEST(run->t), hb_event_names[event->kind], event->n > 1 ? "s" : "");
  for (size_t k = 0; k < event->n && length < (int)sizeof line - 24; k++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %" PRIu64, event->id[k]);
  hb_terminal_note(line);
}

/* After a step: makes its time the end of the run if the simulation stops there, and says so. */
static void check_stop(struct hb_run *run)
{
  const struct hb_event *event = hb_sim_stopped(run->sim);
  if (!event) return;
  say_stopped(run, event);
  run->t_end = run->t;
  run->is_stopped = 1;
}

/* ---- notes in the headers of snapshots --------------------------------------------------------------- */

static enum hb_status note_record(const struct hb_run *run, struct hb_particles *particles)
{
  HB_OWN struct hb_text record = {0};
  HB_TRY(hb_opts_record(&run->asked.opts, &record));
  return hb_particles_set_note(particles, "options", record.text);
}

/* The line of history and the record of options of the particles that the run begins with. */
static enum hb_status note_options(const struct hb_run *run, struct hb_particles *initial)
{
  HB_TRY(hb_opts_add_history(&run->asked.opts, initial));
  return note_record(run, initial);
}

/* Takes eps, dt and damping from the notes, see hb_run_take_notes. */
static enum hb_status apply_notes(struct hb_run *run, struct hb_particles *particles)
{
  run->diag.has_field = run->settings->sim.field != NULL;
  run->diag.has_bodies = has_bodies(run->settings);
  if (run->settings->units == HB_ASTRO_ASTRO) HB_TRY(hb_astro_find(particles, &run->output.units));
  if (!run->sim)
    HB_TRY(hb_astro_convert(&run->asked.opts, NULL, particles, run->settings->units == HB_ASTRO_ASTRO));
  double noted;
  run->output.eps_is_default = !run->sim && !hb_opts_typed(&run->asked.opts, &run->settings->sim.force.eps) &&
                               hb_particles_eps(particles, &noted) == HB_OK && isnan(noted);
  return hb_run_take_notes(&run->asked.opts, &run->asked.settings, run->sim, particles);
}

/* The last line of the history is the run's own: it is rewritten from the options. */
static enum hb_status make_history(const struct hb_run *run, struct hb_particles *state)
{
  HB_OWN struct hb_text line = {0};
  const char *old = hb_particles_note(state, "history");
  const char *end = old ? strrchr(old, '\n') : NULL;
  if (end) HB_TRY(hb_text_append_bytes(&line, old, (size_t)(end - old) + 1));
  HB_TRY(hb_opts_line(&run->asked.opts, &line));
  return hb_particles_set_note(state, "history", line.text);
}

/* History and options as if of a single run, even if --t-end was changed on resuming. */
static enum hb_status note_resumed(struct hb_run *run, struct hb_particles *state)
{
  HB_TRY(apply_notes(run, state));
  HB_TRY(make_history(run, state));
  return note_record(run, state);
}

/* Every rank has all particles. A snapshot of several ranks that one goes on with keeps the note, with its own figure. */
static enum hb_status note_memory(const struct hb_force *force, struct hb_particles *state)
{
  const struct hb_force_params params = {.scheme = hb_force_scheme(force)->name,
                                         .precision = hb_force_precision(force)};
  struct hb_force_need need;
  int several = hb_ranks_count() > 1;
  if (!several && !hb_particles_note(state, "bytes_per_rank")) return HB_OK;
  HB_TRY(hb_force_memory(&params, hb_particles_n(state), &need));
  double more = several ? need.host_rank * (double)hb_particles_n(state) : 0;
  return hb_particles_set_note(state, "bytes_per_rank", hb_phrase("%.0f", need.host + more));
}

/* What the run computed with; nothing that differs between two runs of the same input. The snapshot's own notes are already
 * there. */
static enum hb_status note_all(struct hb_run *run, struct hb_particles *state)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  HB_TRY(hb_particles_set_note(state, "scheme", hb_force_scheme(force)->name));
  HB_TRY(hb_particles_set_note(state, "precision", hb_force_precision(force)));
  const char *tuning = hb_force_tuning(force);
  if (*tuning || hb_particles_note(state, "tuning")) HB_TRY(hb_particles_set_note(state, "tuning", tuning));
  HB_TRY(hb_particles_set_note(state, "context", hb_force_context(force)));
  HB_TRY(note_memory(force, state));
  if (run->resumed.record.text) HB_TRY(note_resumed(run, state));
  const char *device = run->resumed.device.text;
  return hb_particles_set_note(state, "device", device ? device : hb_force_device(force));
}

/* ---- files -------------------------------------------------------------------------------------------- */

/* What a run may write to: only one run writes to a file at a time, and a resumed run touches no file but its own. A
 * checkpoint may come from anywhere, so the names in it prove nothing. An existing file is accepted if
 *   the user names it now, with --resume;
 *   -o: it is the one that the user's -o found, unchanged (the checkpoint records device, inode and checksum);
 *   -o, series: it is a snapshot of the same masses (unless bodies merge or escape) by a run with these very options, left by a run that was killed after
 *   its last checkpoint, or by a finished one;
 *   --diag, --events, --follow-out: it is the file of the checkpoint's rows, by device and inode, and begins with them; or is in
 *   the folder of the checkpoint, as in a copied one, and has these rows alone, so that nothing of it is lost. */
static enum hb_status lock_output(struct hb_run *run, enum hb_run_out which, const char *path)
{
  if (!path || strcmp(path, "-") == 0) return HB_OK;
  HB_TRY(lock_take(path, &run->locks[which]));
  if (run->settings->resume) hb_file_sweep(path);
  return HB_OK;
}

static enum hb_status lock_outputs(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(lock_output(run, RUN_OUTPUT, s->output));
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    HB_TRY(lock_output(run, k, rows_path(s, k)));
  return HB_OK;
}

static int is_there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

/* Whether a file is in the folder of the checkpoint. Refuses one elsewhere if that folder has one of its name, too: in a copied
 * folder, with names that lead to the old one, only the user knows which he means. */
static enum hb_status look_beside(const struct hb_run *run, const char *path, const char *option,
                                  int *is_beside)
{
  const char *resumed = run->settings->resume;
  HB_OWN struct hb_text beside = {0};
  struct stat here, there;
  HB_TRY(hb_text_append(&beside, "%.*s%s", (int)(hb_text_base_name(resumed) - resumed), resumed,
                        hb_text_base_name(path)));
  int are_both = lstat(beside.text, &here) == 0 && lstat(path, &there) == 0;
  *is_beside = are_both && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  if (*is_beside == are_both) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot tell %s from %s; give %s again with the one to write", path, beside.text,
                 option);
}

/* Marks the file at -o, which the user has named. */
static void remember_output(struct hb_run *run)
{
  const char *path = run->settings->output;
  run->found = (struct hb_appended){.path = path};
  if (path && strcmp(path, "-") != 0 && is_there(path))
    appended_mark(&run->found); /* if this fails, the file will not be recognized */
}

/* ---- snapshots of a resumed run's own ---------------------------------------------------------------- */

static int same_note(const struct hb_particles *a, const struct hb_particles *b, const char *key)
{
  const char *of_a = hb_particles_note(a, key), *of_b = hb_particles_note(b, key);
  return of_a && of_b && strcmp(of_a, of_b) == 0;
}

/* Masses are the same throughout a run, unless bodies merge or escape. */
static int is_of_run(const struct hb_run *run, struct hb_particles *there, struct hb_particles *own)
{
  size_t n = hb_particles_n(own);
  int same_masses = run->diag.has_bodies || run->output.has_stars ||
                    (hb_particles_n(there) == n &&
                     memcmp(hb_particles_m(there), hb_particles_m(own), n * sizeof(double)) == 0);
  return same_masses && same_note(there, own, "history") && same_note(there, own, "options");
}

/* The notes of the checkpoint's run: its --t-end may differ. */
static enum hb_status note_as_then(struct hb_run *run, struct hb_particles *state)
{
  struct hb_run_asked now = run->asked;
  run->asked = run->resumed.then;
  enum hb_status status = note_resumed(run, state);
  run->asked = now;
  return status;
}

static enum hb_status look_for_own(struct hb_run *run, const char *path, int *is_own)
{
  HB_OWN_PARTICLES struct hb_particles *own = NULL, *there = NULL;
  HB_TRY(hb_sim_state(run->sim, run->t, &own));
  for (int then = 0; then < 2 && !*is_own; then++) {
    HB_TRY(then ? note_as_then(run, own) : note_resumed(run, own));
    if (!there && hb_snapshot_read(path, run->settings->format, &there) != HB_OK) return HB_OK;
    *is_own = is_of_run(run, there, own);
  }
  return HB_OK;
}

/* path is free or the run's own; a run that was not resumed may replace what its user names. */
static enum hb_status may_replace(struct hb_run *run, const char *path)
{
  const struct hb_run_resumed *resumed = &run->resumed;
  if (!resumed->record.text || resumed->names_output || strcmp(path, "-") == 0 || !is_there(path))
    return HB_OK;
  int is_own = 0;
  HB_TRY(hb_file_check(path));
  HB_TRY(look_beside(run, path, "-o", &is_own));
  const struct hb_appended *found = &run->found;
  if (found->path && strcmp(found->path, path) == 0 && appended_is_unchanged(found)) return HB_OK;
  is_own = 0;
  HB_TRY(look_for_own(run, path, &is_own));
  if (is_own) return HB_OK;
  return hb_fail(HB_ERR_IO,
                 "cannot write %s: it exists and this run did not write it; give -o again to replace it",
                 path);
}

/* "run/end.h5", 7 -> "run/end_0007.h5". */
static enum hb_status target_series(const char *path, unsigned long number, struct hb_text *name)
{
  const char *extension = hb_text_extension(path);
  return hb_text_append(name, "%.*s_%04lu%s", (int)(extension - path), path, number, extension);
}

/* The snapshots that the run wrote after its checkpoint are numbered without a gap. */
static enum hb_status check_series(struct hb_run *run)
{
  for (unsigned long k = run->written + 1;; k++) {
    HB_OWN struct hb_text name = {0};
    HB_TRY(target_series(run->settings->output, k, &name));
    if (!is_there(name.text)) return HB_OK;
    HB_TRY(may_replace(run, name.text));
  }
}

/* What a resumed run will write, before it starts. */
static enum hb_status check_targets(struct hb_run *run)
{
  const char *path = run->settings->output;
  if (!path || run->resumed.names_output) return remember_output(run), HB_OK;
  HB_TRY(may_replace(run, path));
  remember_output(run); /* recognized by its notes, which --t-end changes */
  return run->snap_every > 0 ? check_series(run) : HB_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static enum hb_status append_to(const struct hb_appended *marked, struct hb_run_rows *rows)
{
  HB_TRY(appended_cut(marked));
  return run_rows_open(marked->path, 1, rows);
}

static enum hb_status resume_file(struct hb_run *run, enum hb_run_out which)
{
  const struct hb_appended *marked = &run->appended[which];
  const char *option = of_rows[which].option;
  struct hb_run_rows *rows = &run->rows[which];
  int is_named = run->resumed.names[which], is_beside = 0;
  if (!marked->path) return HB_OK;
  if (!is_named) HB_TRY(look_beside(run, marked->path, option, &is_beside));
  int is_marked = appended_is_marked(marked), there = is_there(marked->path);
  if (is_marked || (is_beside && appended_is_whole(marked))) return append_to(marked, rows);
  if (!is_named && there)
    return hb_fail(HB_ERR_IO,
                   "cannot write %s: it is not the file that the run wrote; give %s again to continue it",
                   marked->path, option);
  if (!is_named)
    return hb_fail(HB_ERR_IO, "%s no longer exists; give %s again to start a new one", marked->path, option);
  int is_copy = there && marked->length > 0 && run->resumed.same[which];
  return is_copy ? append_to(marked, rows) : run_rows_open(marked->path, 0, rows);
}

static enum hb_status resume_rows(struct hb_run *run)
{
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  run->diag.n = counts.n + counts.merged; /* as at the beginning, for the same columns */
  if (run->settings->sim.escapers == HB_ESCAPERS_REMOVE) run->diag.n += counts.escaped;
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    HB_TRY(resume_file(run, k)); /* first, since it may fail */
  const struct hb_run_rows *events = &run->rows[RUN_EVENTS_ROWS];
  if (events->file && events->rows == 0) run_events_note(run->settings, "--events");
  HB_TRY(run_events_begin(run));
  return appended_cut(&run->appended[RUN_STDOUT]);
}

/* ---- options of checkpoints --------------------------------------------------------------------------- */

static enum hb_status check_options(const struct hb_run *run, const char *path)
{
  const struct hb_run_settings *s = run->settings;
  if (!path && hb_opts_typed(&run->asked.opts, &s->checkpoint_every_s))
    return hb_fail(HB_ERR_USAGE, "option --checkpoint-every needs --checkpoint FILE");
  if (!path && s->max_s > 0) return hb_fail(HB_ERR_USAGE, "option --max-hours needs --checkpoint FILE");
  if (!path) return HB_OK;
  if (strcmp(path, "-") == 0)
    return hb_fail(HB_ERR_USAGE, "option --checkpoint: '-' is not a file that can be replaced");
  for (enum hb_run_out k = RUN_STDOUT; k < RUN_APPENDED_COUNT; k++) {
    const char *other = k ? rows_path(s, k) : s->output;
    if (other && strcmp(path, other) == 0)
      return hb_fail(HB_ERR_USAGE, "options --checkpoint and %s both name %s", k ? of_rows[k].option : "-o",
                     path);
  }
  return hb_target_check(path, "text"); /* any format: the extension does not matter */
}

/* Otherwise a new run would overwrite at its start the hours of another one. */
static enum hb_status check_absent(const char *path)
{
  HB_OWN struct hb_text previous = {0};
  HB_TRY(hb_text_append(&previous, "%s~", path));
  const char *existing = access(path, F_OK) == 0            ? path
                         : access(previous.text, F_OK) == 0 ? previous.text
                                                            : NULL;
  if (!existing) return HB_OK;
  return hb_fail(HB_ERR_USAGE,
                 "option --checkpoint: %s already exists; continue it with --resume %s, or remove it",
                 existing, path);
}

/* A resumed run that continues its own checkpoint has set the path. */
static enum hb_status open_checkpoints(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  const char *path = c->path.text ? c->path.text : run->settings->checkpoint;
  c->began = c->written = hb_clock_now();
  if (hb_ranks_number() > 0) return HB_OK;
  HB_TRY(check_options(run, path));
  if (!path || c->path.text) return HB_OK;
  HB_TRY(lock_output(run, RUN_CHECKPOINT, path));
  HB_TRY(check_absent(path));
  return hb_text_append(&c->path, "%s", path);
}

/* ---- a new run --------------------------------------------------------------------------------------- */

static enum hb_status check_times(const struct hb_run *run)
{
  HB_TRY(check_intervals(run));
  const double *dt = &run->settings->sim.dt;
  const char *typed = hb_opts_typed(&run->asked.opts, dt), *begin = HB_SHORTEST(run->t);
  if (run->t_end > run->t && *dt > run->t_end - run->t)
    return hb_fail(HB_ERR_USAGE, "option --dt: a step of %s is longer than the run, from t = %s to %s",
                   typed ? typed : HB_SHORTEST(*dt), begin, typed_t_end(run));
  if (run->t_end >= run->t) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the snapshot's time %s", typed_t_end(run),
                 begin);
}

/* Points out options without effect; auto and hybrid use them to compare with the processor. */
static void note_context(const struct hb_run *run)
{
  const struct hb_force_params *force = &run->settings->sim.force;
  const struct hb_force_scheme *named = hb_force_scheme_find(force->scheme);
  if ((!force->context && !force->device) || !named || !named->on_host) return;
  hb_terminal_note(
      hb_phrase("--context and --device have no effect: scheme %s runs on the processor", force->scheme));
}

/* Bodies without radii never touch. */
static int lacks_radii(const struct hb_run *run)
{
  const struct hb_sim_params *p = &run->settings->sim;
  int collide = p->collisions != HB_COLLISIONS_NONE || p->stop_at == HB_STOP_AT_COLLISION;
  const double *radius = collide ? hb_particles_radius(run->initial) : NULL;
  size_t n = hb_particles_n(run->initial), i = 0;
  if (run->output.has_stars) return 0; /* they get theirs */
  while (radius && i < n && radius[i] == 0) i++;
  return radius && i == n;
}

static size_t count_massless(struct hb_particles *p)
{
  const double *m = hb_particles_m(p);
  size_t count = 0;
  for (size_t i = 0; i < hb_particles_n(p); i++) count += m[i] == 0;
  return count;
}

/* Test particles are watched and cost nothing as sources, but for some ways to move them and to compute forces. */
static void note_massless(const struct hb_run *run, size_t massless)
{
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  int has_dt = hb_run_has_dt(run->settings);
  if (massless > 0 && (has_dt || run->settings->sim.correct == HB_PLACE_GPU))
    hb_terminal_note(hb_phrase(
        "with %s%s the energies of particles without mass (%zu) are not watched: a wrong orbit of one is "
        "not told",
        has_dt ? "--integrator " : "--correct gpu", has_dt ? run->settings->sim.integrator : "", massless));
  if (massless == 0 || massless == counts.n || counts.sources < counts.n) return;
  int is_kept = run->settings->sim.predict == HB_PLACE_GPU;
  hb_terminal_note(
      hb_phrase("%s%s takes particles without mass (%zu) as sources, too: they cost as much as stars",
                is_kept ? "" : "scheme ",
                is_kept ? "--predict gpu" : hb_force_scheme(hb_sim_force(run->sim))->name, massless));
}

/* What is asked for and cannot happen. */
static void note_events(const struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  if (s->events)
    run_events_note(s, "--events");
  else if (s->sim.stop_at == HB_STOP_AT_PAIR)
    run_events_note(s, "--stop-at pair");
  if (s->sim.escapers == HB_ESCAPERS_LIST && !s->events && !s->diag)
    hb_terminal_note("--escapers list: without --events or --diag nobody reads the list");
  if ((s->sim.approach_distance > 0 || s->sim.approach_radii > 0) && !s->events)
    hb_terminal_note("--approach-distance and --approach-radii have no effect without --events");
}

static enum hb_status open_sim(struct hb_run *run)
{
  struct hb_sim_params params;
  HB_OWN struct hb_text tuning = {0};
  HB_TRY(hb_run_params(run->settings, &tuning, &params));
  size_t massless = count_massless(run->initial);
  int no_radii =
      lacks_radii(run); /* noted after what is refused: a run that does not begin needs one sentence */
  enum hb_status status = hb_sim_take(run->initial, &params, &run->sim);
  run->initial = NULL;
  HB_TRY(status);
  if (no_radii)
    hb_terminal_note("no particle has a radius, so none can collide; see 'holmberg scale --radius'");
  note_context(run);
  note_massless(run, massless);
  note_events(run);
  return HB_OK;
}

/* Names the snapshot if it is to blame. */
static enum hb_status name_file(enum hb_status status, const struct hb_run *run)
{
  return status == HB_ERR_INPUT ? hb_fail_in(status, run->asked.opts.operands[0]) : status;
}

static enum hb_status check_stars(const struct hb_opts *opts, const struct hb_run_settings *s)
{
  int ages = s->sim.stars != HB_STARS_NONE || s->sim.evolution;
  if (!ages && hb_opts_typed(opts, &s->sim.kick_seed))
    return hb_fail(HB_ERR_USAGE, "option --kick-seed needs --stars zams or --evolution FILE");
  if (s->sim.stars == HB_STARS_NONE && hb_opts_typed(opts, &s->sim.kick))
    return hb_fail(HB_ERR_USAGE, "option --kick needs --stars zams");
  return HB_OK;
}

/* What the run writes to is there, and the snapshot read. */
static enum hb_status prepare_files(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(run_check_output(s));
  HB_TRY(hb_run_check_integrator(&run->asked.opts, s));
  HB_TRY(check_stars(&run->asked.opts, s));
  HB_TRY(open_checkpoints(run));
  HB_TRY(run_follow_take(s->follow, &run->follow));
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++) HB_TRY(run_rows_check(s, k));
  HB_TRY(lock_outputs(run));
  if (hb_ranks_number() > 0) return HB_OK;
  return hb_snapshot_read(run->asked.opts.operands[0], s->input_format, &run->initial);
}

static enum hb_status open_run(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(run_ranks_share_particles(prepare_files(run), &run->initial));
  HB_TRY(name_file(apply_notes(run, run->initial), run));
  run_set_up(run, hb_particles_time(run->initial));
  HB_TRY(name_file(check_times(run), run));
  HB_TRY(note_options(run, run->initial));
  run->diag.n = hb_particles_n(run->initial);
  HB_TRY(run_follow_check(&run->follow, run->initial));
  enum hb_status status = open_sim(run);
  HB_TRY(s->sim.stars == HB_STARS_NONE ? status : name_file(status, run)); /* whose masses may be no star's */
  if (run->checkpoint.path.text) remember_output(run);
  run_announce(run);
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    if (rows_path(s, k)) HB_TRY(run_rows_open(rows_path(s, k), 0, &run->rows[k]));
  HB_TRY(run_follow_put(run));
  return run_events_begin(run);
}

static enum hb_status open_new(const struct hb_opts *opts, struct hb_run *run)
{
  begin_run(opts, run);
  if (opts->operand_count == 0) return hb_fail(HB_ERR_USAGE, "'holmberg run' needs a FILE");
  return open_run(run);
}

/* ---- a resumed run: the file, or its other generation ------------------------------------------------- */

/* The name that a run writes to, from that of either generation. */
static enum hb_status name_of_newest(const char *path, struct hb_text *name)
{
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '~') length--;
  return hb_text_append_bytes(name, path, length);
}

static enum hb_status name_of_other(const char *path, const char *newest, struct hb_text *name)
{
  return hb_text_append(name, "%s%s", newest, strcmp(path, newest) == 0 ? "~" : "");
}

/* Adds to the message of a failure that the other generation is intact, if it is. */
static enum hb_status offer_other(enum hb_status status, const char *which, const char *other)
{
  char sentence[1024];
  struct hb_checkpoint *checkpoint;
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  int is_intact = hb_checkpoint_open(other, &checkpoint) == HB_OK;
  hb_checkpoint_close(checkpoint);
  if (!is_intact) return hb_fail(status, "%s", sentence);
  return hb_fail(status, "%s; the %s checkpoint is intact: --resume %s", sentence, which, other);
}

/* Whether --checkpoint names another file than the run has written so far. */
static int goes_elsewhere(const struct hb_run_settings *given, const struct hb_run *run)
{
  const char *path = run->checkpoint.path.text;
  return path && given->checkpoint && strcmp(given->checkpoint, path) != 0;
}

/* Opens path and sets where the run writes checkpoints. A run that was killed between the two renames of a new checkpoint
 * has left only the older one; that is no damage, and it is used. */
static enum hb_status open_checkpoint(const struct hb_run_settings *given, struct hb_run *run,
                                      struct hb_checkpoint **checkpoint)
{
  const char *path = given->resume;
  struct hb_text *newest = &run->checkpoint.path;
  HB_OWN struct hb_text other = {0};
  HB_TRY(name_of_newest(path, newest));
  if (!goes_elsewhere(given, run)) HB_TRY(lock_output(run, RUN_CHECKPOINT, newest->text));
  HB_TRY(name_of_other(path, newest->text, &other));
  int is_newest = strcmp(path, newest->text) == 0;
  int is_gone = is_newest && access(path, F_OK) != 0 && access(other.text, F_OK) == 0;
  enum hb_status status = hb_checkpoint_open(is_gone ? other.text : path, checkpoint);
  if (status == HB_ERR_INPUT && !is_gone)
    status = offer_other(status, is_newest ? "previous" : "newer", other.text);
  if (status == HB_OK && is_gone)
    hb_terminal_note(hb_phrase("%s does not exist; resuming from %s", path, other.text));
  /* the other one may be damaged: then the next checkpoint replaces it, and this one stays */
  run->checkpoint.flags = is_newest && !is_gone ? HB_SAVE_KEEP : 0;
  return status;
}

/* ---- a resumed run: options ---------------------------------------------------------------------------- */

/* Times given now, by the units of the run; those in the checkpoint are N-body. */
static enum hb_status convert_given(struct hb_opts *given, const struct hb_checkpoint *checkpoint,
                                    int is_astro)
{
  struct hb_units units = {0};
  int are_known;
  if (!hb_opts_has_units(given, is_astro)) return HB_OK;
  HB_TRY(hb_checkpoint_units(checkpoint, &units, &are_known));
  return hb_opts_convert(given, NULL, &units, is_astro);
}

/* Makes the run's options from those of the checkpoint and those given now. */
static enum hb_status merge_options(const struct hb_opts *now, const struct hb_checkpoint *checkpoint,
                                    struct hb_run *run)
{
  HB_TRY(record_options(now->command, run));
  struct hb_opts *opts = &run->asked.opts, converted = *now, *given = &converted;
  HB_TRY(convert_given(given, checkpoint, run->settings->units == HB_ASTRO_ASTRO));
  run->resumed.then = run->asked;
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(given->command, k)); k++) {
    if (!given->typed[k]) continue;
    const char *then = opts->typed[k] ? opts->typed[k] : option->fallback;
    int differs = !hb_opts_same(given, opts, k);
    if (differs && !(option->use & HB_SETTING_SHOWS)) run->resumed.differs = 1;
    if (differs && !(option->use & HB_SETTING_ON_RESUME))
      return hb_fail(HB_ERR_USAGE, "option --%s: '%s' differs from the checkpoint's run (%s); leave it out",
                     option->name, given->typed[k], then ? then : "none");
    hb_opts_copy(opts, given, k);
  }
  return HB_OK;
}

static enum hb_status take_progress(struct hb_run *run)
{
  HB_TRY(record_progress(run));
  return check_intervals(run);
}

/* ---- a resumed run: the simulation --------------------------------------------------------------------- */

/* Only the same arithmetic gives the same bits: notes whatever has changed. */
static enum hb_status compare_arithmetic(const struct hb_checkpoint_info *info, struct hb_run *run)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *const pairs[][2] = {{info->device, hb_force_device(force)},
                                  {info->context, hb_force_context(force)},
                                  {info->version, hb_library_version()}};
  int same_bits = hb_force_is_reproducible(hb_force_precision(force));
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    if (strcmp(pairs[k][0], pairs[k][1]) != 0)
      hb_terminal_note(hb_phrase("the checkpoint was written with %s, this is %s%s", pairs[k][0], pairs[k][1],
                                 same_bits ? "" : ": results may differ in the last bits"));
  if (strcmp(info->device, hb_force_device(force)) == 0) return HB_OK;
  struct hb_text *device = &run->resumed.device;
  if (!device->text) HB_TRY(hb_text_append(device, "%s", info->device));
  return hb_text_append(device, "; from t = %s on %s", HB_SHORTEST(run->t), hb_force_device(force));
}

/* Older checkpoints do not know what errors are compared with: from here on that is what it is now. The oldest have E0 in the
 * inertial frame. */
static enum hb_status take_energies(struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  struct hb_diagnostics now;
  if (!isnan(output->e_scale)) return HB_OK;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  double e_begin = output->e_begin - (run->resumed.is_oldest ? now.e_bulk : 0);
  run_output_begin(output, &now, run->settings->sim.field != NULL);
  output->e_begin = e_begin;
  return HB_OK;
}

static enum hb_status resume_sim(const struct hb_run_settings *given, const struct hb_checkpoint *checkpoint,
                                 struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  const struct hb_force_params place = {.context = given->sim.force.context,
                                        .device = given->sim.force.device,
                                        .max_draw_s = s->sim.force.max_draw_s,
                                        .flags = (s->sim.force.flags & HB_FORCE_GL_DEBUG) |
                                                 (s->diag ? HB_FORCE_PHASES : 0U)};
  struct hb_checkpoint_info info;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_sim_resume(checkpoint, &place, &run->sim));
  const struct hb_sim_params *taken = hb_sim_taken(run->sim);
  if (run->output.has_stars && taken->stars == HB_STARS_NONE && !taken->evolution)
    return hb_fail(HB_ERR_INPUT,
                   "%s was written before checkpoints knew that stars age; begin from its last snapshot, "
                   "which has their masses at birth",
                   info.path);
  HB_TRY(take_energies(run));
  return compare_arithmetic(&info, run);
}

/* An option that was not given now comes from the file, which then is to blame. */
static enum hb_status blame(enum hb_status status, const char *path, int is_given)
{
  if (status == HB_ERR_USAGE && !is_given) status = HB_ERR_INPUT;
  return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
}

/* The run and its simulation must be at the same time; leapfrog's step may be only in the snapshot's notes. */
static enum hb_status check_state(struct hb_run *run)
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  enum hb_status status = hb_sim_state(run->sim, run->t, &state);
  if (status == HB_ERR_USAGE)
    return hb_fail(HB_ERR_INPUT, "its run is at t = %.17g, expected its state's time, %.17g to %.17g", run->t,
                   hb_sim_time(run->sim), hb_sim_next_time(run->sim));
  HB_TRY(status);
  status = apply_notes(run, state);
  run->time_tolerance = 1e-9 * run->settings->sim.dt;
  if (status != HB_OK || run->t_end + run->time_tolerance >= run->t) return status;
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the checkpoint's time %s", typed_t_end(run),
                 HB_SHORTEST(run->t));
}

/* Options and progress of the checkpoint, and what the run writes to. */
static enum hb_status prepare_resumed(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                                      struct hb_run *run)
{
  size_t bytes;
  struct hb_checkpoint_info info;
  const void *own = hb_checkpoint_own(checkpoint, &bytes);
  const struct hb_run_settings *given = opts->settings, *s = run->settings;
  int names_t_end = hb_opts_typed(opts, &given->t_end) != NULL;
  run->resumed.names_output = given->output != NULL;
  run->resumed.names[RUN_DIAG_ROWS] = given->diag != NULL;
  run->resumed.names[RUN_EVENTS_ROWS] = given->events != NULL;
  run->resumed.names[RUN_FOLLOW_ROWS] = given->follow_out != NULL;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_text_append_bytes(&run->resumed.record, own, bytes));
  HB_TRY(blame(merge_options(opts, checkpoint, run), info.path, 1));
  run_ranks_follow(&run->asked.settings);
  HB_TRY(blame(hb_run_check_integrator(&run->asked.opts, s), info.path, 0));
  HB_TRY(blame(take_progress(run), info.path, names_t_end));
  HB_TRY(blame(run_check_output(s), info.path, given->output || given->format));
  HB_TRY(blame(run_follow_take(s->follow, &run->follow), info.path, 0));
  for (enum hb_run_out k = RUN_DIAG_ROWS; k < RUN_APPENDED_COUNT; k++)
    HB_TRY(blame(run_rows_check(s, k), info.path, run->resumed.names[k]));
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (goes_elsewhere(given, run)) {
    hb_mem_free(c->path.text);
    c->path = (struct hb_text){0};
    c->flags = 0;
  }
  HB_TRY(open_checkpoints(run));
  return lock_outputs(run);
}

static enum hb_status take_up_checkpoint(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                                         struct hb_run *run)
{
  struct hb_checkpoint_info info;
  const struct hb_run_settings *given = opts->settings;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_ranks_agree(prepare_resumed(opts, checkpoint, run)));
  HB_TRY(resume_sim(given, checkpoint, run));
  HB_TRY(blame(check_state(run), info.path, hb_opts_typed(opts, &given->t_end) != NULL));
  HB_TRY(check_targets(run));
  return blame(resume_rows(run), info.path, 1);
}

static enum hb_status resume_run(const struct hb_opts *opts, struct hb_run *run)
{
  begin_run(opts, run);
  if (opts->operand_count > 0)
    return hb_fail(HB_ERR_USAGE, "'holmberg run --resume' takes no FILE, but got '%s'", opts->operands[0]);
  struct hb_checkpoint *checkpoint = NULL;
  enum hb_status status = HB_OK;
  if (hb_ranks_number() == 0) status = open_checkpoint(opts->settings, run, &checkpoint);
  status = run_ranks_share_checkpoint(status, &checkpoint);
  if (status == HB_OK) status = take_up_checkpoint(opts, checkpoint, run);
  hb_checkpoint_close(checkpoint); /* the simulation has its own copy of all */
  return status;
}

/* ---- output ------------------------------------------------------------------------------------------ */

static enum hb_status write_state(struct hb_run *run, double t, const char *path)
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  HB_TRY(may_replace(run, path));
  HB_TRY(hb_sim_state(run->sim, t, &state));
  HB_TRY(note_all(run, state));
  return hb_target_write(path, run->settings->format, state);
}

static enum hb_status write_series(struct hb_run *run)
{
  HB_OWN struct hb_text name = {0};
  HB_TRY(target_series(run->settings->output, ++run->written, &name));
  return write_state(run, run->t, name.text);
}

/* Losing the reader of the table ends a run without another result; a run with -o continues for its file. But a resumable
 * run ends when its file of rows cannot grow: otherwise the row would be missing for good. */
static int needs_rows(const struct hb_run *run)
{
  const struct hb_appended *rows = &run->appended[RUN_STDOUT];
  if (!run->settings->output) return 1;
  return run->checkpoint.path.text && rows->path && appended_is_file(rows);
}

/* Writes the row of these diagnostics. */
static enum hb_status put_row(struct hb_run *run, const struct hb_diagnostics *now)
{
  if (run->output.rows == 0) run_output_begin(&run->output, now, run->settings->sim.field != NULL);
  if (run->output.has_stars) /* a star that flies off has errors of its own energy */
    run->output.e_scale = fmax(run->output.e_scale, now->e_scale);
  if (run->rows[RUN_DIAG_ROWS].file) HB_TRY(run_diag_row(run, now));
  run->energy_error = fabs(run_output_cluster_error(&run->output, now));
  int is_last = run->t == run->t_end && !run_energy_is_lost(run);
  enum hb_status status = run_output_row(&run->output, run->sim, now, is_last);
  HB_TRY(run_judge_energy(run));
  return needs_rows(run) ? status : HB_OK;
}

static enum hb_status diagnose(struct hb_run *run)
{
  struct hb_diagnostics now;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  hb_interrupt_set_grace(INFINITY); /* rows are written as a whole; what took long above is remembered */
  hb_interrupt_hold();
  enum hb_status status = put_row(run, &now);
  hb_interrupt_release();
  hb_interrupt_set_grace(grace_s);
  return status;
}

/* ---- the run ----------------------------------------------------------------------------------------- */

/* The time number * every, or t_end if that is within rounding errors or earlier. */
static double due_time(const struct hb_run *run, double number, double every)
{
  double t = number * every;
  return t > run->t_end - 1e-9 * every ? run->t_end : t;
}

static enum hb_status advance_to(struct hb_run *run, double t)
{
  while (hb_sim_next_time(run->sim) <= t + run->time_tolerance) {
    double before = run->t;
    run->t = hb_sim_next_time(run->sim);
    enum hb_status status = hb_sim_step(run->sim);
    if (status == HB_ERR_STOPPED) run->t = before;
    HB_TRY(run_record_end(run, status));
    HB_TRY(run_events_put(run));
    HB_TRY(run_follow_put(run));
    check_stop(run);
    if (run->is_stopped) return HB_OK;
    run_watch_steps(run);
    run_watch_pace(run);
    run_watch_slow(run);
    run_output_progress(&run->output, run->t);
    hb_run_serve_step(run->serve, run->sim, run->energy_error, 0);
    HB_TRY(run_record_poll(run));
  }
  run->t = t;
  return HB_OK;
}

/* The first row, and a first checkpoint: a file that cannot be written fails now, not after hours. */
static enum hb_status show_first(struct hb_run *run)
{
  run->output.wall_begin = hb_clock_now();
  run_watch_steps(run);
  HB_TRY(diagnose(run));
  return run_record_save(run);
}

/* By the first rank, which has all particles. */
static enum hb_status open_watch(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  if (!hb_opts_typed(&run->asked.opts, &s->watch) || hb_ranks_number() > 0) return HB_OK;
  const char *file = run->asked.opts.operand_count ? run->asked.opts.operands[0] : s->resume;
  HB_TRY(hb_run_serve_open(s->watch, file, &run->serve));
  hb_run_serve_step(run->serve, run->sim, run->energy_error, 0);
  return HB_OK;
}

/* Writes the row and the snapshot that are due now. If the row is given up on request, nothing was written. */
static enum hb_status put_due(struct hb_run *run, double t_diag, double t_snap)
{
  if (run->t == t_diag || run->is_stopped) {
    enum hb_status status;
    run->diag_number += run->t == t_diag;
    status = diagnose(run);
    if (status == HB_ERR_STOPPED) run->diag_number -= run->t == t_diag;
    HB_TRY(status);
  }
  if (run->t != t_snap) return HB_OK;
  int on_time = run->snap_number * run->snap_every < run->t_end + 1e-9 * run->snap_every;
  run->snap_number++;
  enum hb_status status = on_time ? write_series(run) : HB_OK;
  if (status == HB_ERR_STOPPED) run->snap_number--, run->written--;
  return status;
}

static enum hb_status integrate(struct hb_run *run)
{
  int resumed = run->resumed.record.text != NULL;
  hb_signals_watch(0);
  watch_interrupts(run);
  HB_TRY(open_watch(run));
  if (!resumed) HB_TRY(show_first(run));
  if (run->resumed.differs) HB_TRY(run_record_save(run)); /* so that later its snapshots are recognized */
  /* checkpoints are written between block steps, before the output due at t; also at t_end */
  for (int more = resumed || run->t < run->t_end; more; more = run->t < run->t_end) {
    double t_diag = due_time(run, run->diag_number, run->diag_every);
    double t_snap = run->snap_every > 0 ? due_time(run, run->snap_number, run->snap_every) : INFINITY;
    HB_TRY(advance_to(run, t_snap < t_diag ? t_snap : t_diag));
    if (run->t == run->t_end) HB_TRY(run_record_save(run));
    HB_TRY(run_record_end(run, put_due(run, t_diag, t_snap)));
    if (run->t < run->t_end) HB_TRY(run_record_poll(run)); /* a step may have many rows */
  }
  const char *path = run->settings->output;
  if (path) HB_TRY(run_record_end(run, write_state(run, run->t_end, path)));
  hb_run_serve_step(run->serve, run->sim, run->energy_error, 1);
  return run_judge_end(run);
}

/* `holmberg run`: with --resume from a checkpoint, as if the run had never stopped; else checks the options, reads the snapshot,
 * opens forces and integrator. Integrates to t_end, writing rows and snapshots on the way and the final state at -o. */
static enum hb_status run_file(const struct hb_opts *opts)
{
  struct hb_run run;
  const struct hb_run_settings *settings = opts->settings;
  if (hb_ranks_count() == 1) hb_signals_watch(1);
  enum hb_status status = hb_ranks_agree(settings->resume ? resume_run(opts, &run) : open_new(opts, &run));
  if (status == HB_OK) status = integrate(&run);
  close_run(&run);
  return status;
}

/* ---- the command ---- */

#define RUN(member) HB_SETTING_FIELD(struct hb_run_settings, member)

static const struct hb_setting result_options[] = {
    {"output", 'o', HB_SETTING_TEXT, RUN(output), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write the final state; - is standard output, without the table (default: none)"},
    {"t-end", 0, HB_SETTING_NUMBER, RUN(t_end), "T", "1", .use = HB_SETTING_ON_RESUME,
     .help = "end time; all particles are corrected at multiples of dt-max, in between they are predicted",
     .of = HB_DIMENSION_TIME},
    {0}};

static const struct hb_setting rows_options[] = {
    {"diag", 0, HB_SETTING_TEXT, RUN(diag), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write all diagnostics, one row per row of the table, as .csv or .jsonl; see 'holmberg plot'"},
    {"events", 0, HB_SETTING_TEXT, RUN(events), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write what happens, with time, members and their orbit, as .csv or .jsonl: hard binaries that "
             "form, harden, exchange a star and break (as found at multiples of 2 dt-max), collisions, "
             "escapers, with eps 0 the encounters of unbound stars, and with --approach-distance or "
             "--approach-radii approaches"},
    {"follow", 0, HB_SETTING_TEXT, RUN(follow), "ID[,ID...]", .use = HB_SETTING_SHOWS | HB_SETTING_FOUND_STEP,
     .help = "write each step of these particles, in N-body units: where it ended, the pull there, how long "
             "the next one is, and with neighbors the far step and both parts of the pull; a binary or "
             "group has one row, that of its center of mass"},
    {"follow-out", 0, HB_SETTING_TEXT, RUN(follow_out), "FILE",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "where @follow writes, .csv or .jsonl (default: follow.csv); see 'holmberg plot'"},
    {"diag-every", 0, HB_SETTING_POSITIVE, RUN(diag_every), "DT", .use = HB_SETTING_SHOWS,
     .help = "a row of the table at every multiple of DT (default: dt-max)", .of = HB_DIMENSION_TIME},
    {"units", 0, HB_SETTING_CHOICE, RUN(units), "UNITS", "nbody", .words.array = hb_astro_names,
     .use = HB_SETTING_SHOWS,
     .help =
         "units of rows, of what --diag writes, and of times and lengths given here: nbody, or astro (Myr, "
         "pc, km/s, solar masses) if FILE has units; dt-max and dt-min become the next power of two "
         "below"},
    {0}};

static const struct hb_setting files_options[] = {
    {"snap-every", 0, HB_SETTING_POSITIVE, RUN(snap_every), "DT", .use = HB_SETTING_SHOWS,
     .help = "write a snapshot at every multiple of DT: end_0001.h5, ... for -o end.h5 (default: none)",
     .of = HB_DIMENSION_TIME},
    {"max-energy-error", 0, HB_SETTING_BOUND, RUN(max_energy_error), "X",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help =
         "stop with exit code 7 when |dE/E| exceeds X, where dE is over |E| of the cluster at the start, or "
         "its kinetic energy if larger, with binaries as points and without the field; none: no bound "
         "(default: none for leapfrog; for hermite4 1e-2, and 1e-3 at the end)"},
    {"checkpoint", 0, HB_SETTING_TEXT, RUN(checkpoint), "FILE",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write checkpoints to FILE, keeping the previous one as FILE~ (default: none; with "
             "--resume, that file)"},
    {"checkpoint-every", 0, HB_SETTING_DURATION, RUN(checkpoint_every_s), "TIME", "10min",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "wall time between checkpoints, like 30s, 10min or 2h"},
    {"resume", 0, HB_SETTING_TEXT, RUN(resume), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "continue from a checkpoint, with the options of its run; no others are needed"},
    {"max-hours", 0, HB_SETTING_POSITIVE, RUN(max_s), "H", .unit = 3600,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write a checkpoint and stop with exit code 75 after H hours (default: no limit)"},
    {"watch", 0, HB_SETTING_WHOLE, RUN(watch), "[PORT]", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .most = 65535,
     .help = "serve the page of `make web` and the run's state to browsers of this machine, under an address "
             "that is "
             "printed; from elsewhere: ssh -L PORT:127.0.0.1:PORT (default of PORT: any that is free)"},
    {"format", 0, HB_SETTING_WORD, RUN(format), "F", .words.at = hb_target_format,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "format of the snapshots written (default: by extension)"},
    {0}};

static const struct hb_setting quiet[] = {{"quiet", 0, HB_SETTING_FLAG, RUN(quiet),
                                           .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
                                           .help = "no table and no progress bar"},
                                          {0}};

static void list_schemes(const struct hb_help *help)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  help->heading("integrators", help->out);
  for (size_t k = 0; k < count; k++)
    hb_help_entry(help, integrators[k].name, "%s (%s)", integrators[k].summary, integrators[k].source);
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  help->heading("schemes", help->out);
  help->entry("auto", hb_force_auto_summary(), help->out);
  for (size_t k = 0; k < count; k++)
    hb_help_entry(help, schemes[k].name, "%s (%s); precision: %s", schemes[k].summary, schemes[k].source,
                  schemes[k].precisions);
}

enum { SIM = offsetof(struct hb_run_settings, sim), FORCE = offsetof(struct hb_run_settings, sim.force) };

const struct hb_opts_command hb_cmd_run = {
    .name = "run",
    .summary = "Integrate a snapshot and print its diagnostics.",
    .operand = "FILE",
    .operand_min = 0, /* it is asked for without --resume */
    .operand_max = 1,
    .groups = {{.options = result_options},
               {.options = hb_sim_settings_accuracy, .at = SIM},
               {.options = hb_sim_settings_block, .at = SIM},
               {.options = hb_sim_settings_integrator, .at = SIM},
               {.options = hb_sim_settings_bodies, .at = SIM},
               {.options = hb_sim_settings_stars, .at = SIM},
               {.options = hb_sim_settings_force, .at = SIM},
               {.options = hb_opts_place, .at = FORCE},
               {.options = hb_sim_settings_tuning, .at = SIM},
               {.options = hb_run_limit_options},
               {.options = hb_sim_settings_draws, .at = SIM},
               {.options = rows_options},
               {.options = hb_sim_settings_energy, .at = SIM},
               {.options = files_options},
               {.options = hb_run_input_options},
               {.options = hb_opts_json, .at = offsetof(struct hb_run_settings, json)},
               {.options = quiet}},
    .settings_size = sizeof(struct hb_run_settings),
    .more_help = list_schemes,
    .by_ranks = 1,
    .example = "  holmberg run cluster.h5 --t-end 0.5 --eps 1/256 --snap-every 0.25 -o end.h5\n"
               "  holmberg run cluster.h5 --scheme cg2007 --context osmesa --json\n"
               "  holmberg run demo1.h5 --integrator leapfrog --t-end 1.6\n"
               "  holmberg run cluster.h5 --t-end 100 --checkpoint run.ckpt -o end.h5 >>rows.txt\n"
               "  holmberg run --resume run.ckpt >>rows.txt\n",
    .work = run_file,
};
