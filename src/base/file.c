#include "base/file.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int real_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static const struct hb_file_calls real_calls = {real_open, write, fsync, close, rename};
static const struct hb_file_calls *sys = &real_calls;

void hb_file_set_calls(const struct hb_file_calls *calls) { sys = calls ? calls : &real_calls; }

static enum hb_status fail(const char *verb, const char *path)
{
  return hb_fail(HB_ERR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

enum hb_status hb_file_write(int fd, const char *name, const void *bytes, size_t count)
{
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = sys->write(fd, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail("write", name);
    next += written;
    count -= (size_t)written;
  }
  return HB_OK;
}

/* A rename lasts only when the folder that holds the name is synced as well. */
static enum hb_status sync_folder(const char *path)
{
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 2;
  if (length >= sizeof folder) return hb_fail(HB_ERR_IO, "cannot sync the folder of %s: name too long", path);
  memcpy(folder, slash ? path : "./", length);
  folder[length] = 0;
  int fd = sys->open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return fail("open the folder", folder);
  int failed = sys->fsync(fd) != 0 && errno != EINVAL; /* EINVAL: a file system without folder sync */
  int reason = errno;
  sys->close(fd);
  errno = reason;
  return failed ? fail("sync the folder", folder) : HB_OK;
}

enum hb_status hb_file_begin(const char *path, const char *suffix, struct hb_file *file)
{
  /* renaming over a device or a folder would destroy or fail late: refuse early */
  struct stat old;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
    return hb_fail(HB_ERR_IO, "cannot write %s: it exists and is not a regular file", path);
  int length = snprintf(file->temporary, sizeof file->temporary, "%s%s", path, suffix);
  if (length < 0 || (size_t)length >= sizeof file->temporary)
    return hb_fail(HB_ERR_IO, "cannot write %s: name too long", path);
  file->path = path;
  file->fd = sys->open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return file->fd < 0 ? fail("write", path) : HB_OK;
}

enum hb_status hb_file_put(struct hb_file *file, const void *bytes, size_t count)
{
  return hb_file_write(file->fd, file->path, bytes, count);
}

enum hb_status hb_file_end(struct hb_file *file, enum hb_status status, const char *previous)
{
  if (status == HB_OK && sys->fsync(file->fd) != 0) status = fail("sync", file->path);
  if (sys->close(file->fd) != 0 && status == HB_OK) status = fail("close", file->path);
  if (status == HB_OK && previous && sys->rename(file->path, previous) != 0 && errno != ENOENT)
    status = fail("rename the old file to", previous);
  if (status == HB_OK && sys->rename(file->temporary, file->path) != 0)
    status = fail("rename the temporary file to", file->path);
  if (status != HB_OK) {
    unlink(file->temporary);
    return status;
  }
  return sync_folder(file->path);
}

enum hb_status hb_file_replace(const char *path, const void *bytes, size_t count)
{
  struct hb_file file;
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".tmp%ld", (long)getpid());
  HB_TRY(hb_file_begin(path, suffix, &file));
  return hb_file_end(&file, hb_file_put(&file, bytes, count), NULL);
}

enum hb_status hb_file_read(const char *path, char **bytes, size_t *count)
{
  *bytes = NULL;
  *count = 0;
  int standard_input = strcmp(path, "-") == 0;
  int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("read", path);
  struct hb_text text = {0};
  char chunk[65536];
  enum hb_status status = hb_text_append_bytes(&text, "", 0);
  while (status == HB_OK) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = fail("read", standard_input ? "standard input" : path);
    if (got <= 0) break;
    status = hb_text_append_bytes(&text, chunk, (size_t)got);
  }
  if (!standard_input) close(fd);
  if (status != HB_OK) {
    hb_mem_free(text.text);
    return status;
  }
  *bytes = text.text;
  *count = text.length;
  return HB_OK;
}
