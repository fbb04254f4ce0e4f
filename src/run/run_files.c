#include "run/run_files.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- outputs that only grow ---- */

static int is_stdout(const struct hb_appended *output) { return strcmp(output->path, "-") == 0; }

static enum hb_status fail(const char *verb, const struct hb_appended *output)
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
  int fd = open_again(output);
  int same = fd >= 0 && sum(fd, 0, output->length, &checksum) && checksum == output->checksum;
  if (fd >= 0) close(fd);
  return same;
}

int hb_appended_is_file(const struct hb_appended *output)
{
  struct stat info;
  return look(output, &info) == 0 && S_ISREG(info.st_mode);
}

int hb_appended_is_marked(const struct hb_appended *output)
{
  struct stat info;
  return output->length > 0 && look(output, &info) == 0 && is_marked(output, &info);
}

int hb_appended_is_unchanged(const struct hb_appended *output)
{
  struct stat info;
  return output->inode != 0 && look(output, &info) == 0 && is_marked(output, &info) &&
         (unsigned long long)info.st_size == output->length && begins_as_marked(output);
}

/* ---- marking ---- */

static enum hb_status measure(int fd, const struct stat *info, struct hb_appended *output)
{
  unsigned long long end = end_of(output, info);
  if (!is_marked(output, info) || end < output->length) output->length = output->checksum = 0;
  if (!sum(fd, output->length, end, &output->checksum)) return fail("read", output);
  if (fsync(fd) != 0) return fail("sync", output);
  output->length = end;
  output->inode = info->st_ino;
  output->device = info->st_dev;
  return HB_OK;
}

enum hb_status hb_appended_mark(struct hb_appended *output)
{
  struct stat info;
  int fd = -1;
  enum hb_status status = HB_OK;
  if (look(output, &info) != 0 || (S_ISREG(info.st_mode) && (fd = open_again(output)) < 0))
    status = is_stdout(output) ? HB_OK : fail("read", output);
  if (fd >= 0) {
    status = measure(fd, &info, output);
    close(fd);
    if (status == HB_OK) return HB_OK;
  }
  *output = (struct hb_appended){.path = output->path};
  return status;
}

/* ---- cutting ---- */

static enum hb_status cut_stdout(const struct hb_appended *output, const struct stat *info)
{
  if (!is_marked(output, info) || (unsigned long long)info->st_size < output->length ||
      !begins_as_marked(output))
    return HB_OK;
  if (ftruncate(STDOUT_FILENO, (off_t)output->length) != 0) return fail("cut", output);
  return lseek(STDOUT_FILENO, (off_t)output->length, SEEK_SET) < 0 ? fail("cut", output) : HB_OK;
}

static enum hb_status cut_open_file(int fd, const struct hb_appended *output)
{
  struct stat info;
  unsigned long checksum = 0;
  if (fstat(fd, &info) != 0) return fail("read", output);
  if ((unsigned long long)info.st_size < output->length)
    return hb_fail(HB_ERR_INPUT, "%s has %lld bytes, the checkpoint expects at least %llu", output->path,
                   (long long)info.st_size, output->length);
  if (!sum(fd, 0, output->length, &checksum)) return fail("read", output);
  if (checksum != output->checksum)
    return hb_fail(HB_ERR_INPUT, "%s does not begin with the %llu bytes that the checkpoint's run wrote",
                   output->path, output->length);
  return ftruncate(fd, (off_t)output->length) != 0 ? fail("cut", output) : HB_OK;
}

static enum hb_status cut_file(const struct hb_appended *output)
{
  int fd = open(output->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return fail("cut", output);
  enum hb_status status = cut_open_file(fd, output);
  close(fd);
  return status;
}

enum hb_status hb_appended_cut(const struct hb_appended *output)
{
  struct stat info;
  if (output->inode == 0) return HB_OK;
  if (look(output, &info) != 0) return is_stdout(output) ? HB_OK : fail("read", output);
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

enum hb_status hb_lock_take(const char *path, struct hb_lock *lock)
{
  struct hb_text name = {0};
  HB_TRY(hb_text_append(&name, "%s.lock", path));
  int fd = -1;
  enum result result = GONE;
  /* GONE if its holder releases it in between; always, on a file system whose inodes change */
  for (int tries = 0; result == GONE && tries < 1000; tries++) result = take(path, name.text, &fd);
  if (result == LOCKED)
    *lock = (struct hb_lock){name.text, fd};
  else
    hb_mem_free(name.text);
  return result == FAILED ? HB_ERR_IO : HB_OK;
}

void hb_lock_release(struct hb_lock *lock)
{
  if (!lock->name) return;
  unlink(lock->name); /* while it is held, so that judge() in another process notices */
  close(lock->fd);
  hb_mem_free(lock->name);
  *lock = (struct hb_lock){0};
}

/* ---- rows ---- */

static int is_csv(const char *path) { return strcasecmp(hb_text_extension(path), ".csv") == 0; }

enum hb_status hb_run_rows_check(const char *path, const char *what)
{
  if (!is_csv(path) && strcasecmp(hb_text_extension(path), ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot write %s to '%s': its extension is not csv or jsonl", what, path);
  return hb_target_check(path, ""); /* the folder only, the format is known */
}

static enum hb_status cannot_write(const struct hb_run_rows *rows)
{
  return hb_fail(HB_ERR_IO, "cannot write %s: %s", rows->path, strerror(errno));
}

enum hb_status hb_run_rows_open(const char *path, int append, struct hb_run_rows *rows)
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

void hb_run_rows_close(struct hb_run_rows *rows)
{
  if (rows->file) fclose(rows->file); /* all rows are flushed */
  rows->file = NULL;
}

enum hb_status hb_run_rows_put(struct hb_run_rows *rows, const struct hb_table_column *columns, size_t count,
                               const void *row)
{
  enum hb_table_form form = rows->csv ? HB_TABLE_CSV_FORM : HB_TABLE_JSON_FORM;
  hb_table_put(&(struct hb_table){columns, count, form, rows->file, rows->rows}, row);
  rows->rows++;
  return fflush(rows->file) == 0 && !ferror(rows->file) ? HB_OK : cannot_write(rows);
}
