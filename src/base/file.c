#include "base/file.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h> /* getentropy, where unistd.h lacks it */
#include <sys/stat.h>
#include <unistd.h>

/* A temporary name is path.0123456789abcdef.tmp, with new random digits each time. */
enum { DIGITS = 16 };

static int real_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static const struct hb_file_calls real_calls = {real_open, write, fsync, close, rename};
static const struct hb_file_calls *sys = &real_calls;

void hb_file_set_calls(const struct hb_file_calls *calls) { sys = calls ? calls : &real_calls; }

void hb_file_close_own(const int *fd)
{
  if (*fd >= 0) close(*fd);
}

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

/* The folder of path, with its trailing slash. */
static enum hb_status folder_of(const char *path, char folder[4096])
{
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 2;
  if (length >= 4096) return hb_fail(HB_ERR_IO, "cannot use the folder of %s: name too long", path);
  memcpy(folder, slash ? path : "./", length);
  folder[length] = 0;
  return HB_OK;
}

/* A rename is durable only once the folder is synced, too. */
static enum hb_status sync_folder(const char *path)
{
  char folder[4096];
  HB_TRY(folder_of(path, folder));
  int fd = sys->open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return fail("open the folder", folder);
  int failed = sys->fsync(fd) != 0 && errno != EINVAL; /* EINVAL: a file system without folder sync */
  int reason = errno;
  sys->close(fd);
  errno = reason;
  return failed ? fail("sync the folder", folder) : HB_OK;
}

/* ---- replacing ---- */

/* st_nlink is 0 if there is no file. */
static enum hb_status check(const char *path, struct stat *old)
{
  if (lstat(path, old) != 0) {
    *old = (struct stat){0};
    return HB_OK;
  }
  if (S_ISLNK(old->st_mode))
    return hb_fail(HB_ERR_IO, "cannot write %s: it is a symbolic link; name the file that it points to",
                   path);
  if (S_ISREG(old->st_mode)) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot write %s: it exists and is not a regular file", path);
}

enum hb_status hb_file_check(const char *path)
{
  struct stat old;
  return check(path, &old);
}

/* Locked until it is renamed, so that hb_file_sweep in another process leaves it alone; 0 if that was faster. */
static int lock_temporary(int fd)
{
  struct stat info;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return 0;
  return fstat(fd, &info) != 0 || info.st_nlink > 0;
}

/* The name is random, so that no one can have put a file or a link there; if there is one, the next name is tried. */
static enum hb_status open_temporary(struct hb_file *file, mode_t mode)
{
  for (;;) {
    uint64_t digits;
    if (getentropy(&digits, sizeof digits) != 0) return fail("draw a temporary name for", file->path);
    int length =
        snprintf(file->temporary, sizeof file->temporary, "%s.%016" PRIx64 ".tmp", file->path, digits);
    if (length < 0 || (size_t)length >= sizeof file->temporary)
      return hb_fail(HB_ERR_IO, "cannot write %s: name too long", file->path);
    file->fd = sys->open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file->fd < 0 && errno != EEXIST) return fail("write", file->path);
    if (file->fd >= 0 && lock_temporary(file->fd)) return HB_OK;
    if (file->fd >= 0) close(file->fd);
  }
}

/* The new file gets the old permissions, but none for the group if it cannot have the old group. */
static void keep_mode(int fd, const struct stat *old)
{
  mode_t mode = old->st_mode & 0777;
  if (fchown(fd, (uid_t)-1, old->st_gid) != 0) mode &= ~(mode_t)S_IRWXG;
  fchmod(fd, mode); /* if this fails it stays 0600 */
}

enum hb_status hb_file_begin(const char *path, struct hb_file *file)
{
  struct stat old;
  HB_TRY(check(path, &old)); /* renaming over a device would destroy it, over a folder fail late */
  file->path = path;
  HB_TRY(open_temporary(file, old.st_nlink ? 0600 : 0666));
  if (old.st_nlink) keep_mode(file->fd, &old);
  return HB_OK;
}

enum hb_status hb_file_end(struct hb_file *file, enum hb_status status, const char *previous)
{
  int lock = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
  if (status == HB_OK && sys->fsync(file->fd) != 0) status = fail("sync", file->path);
  if (sys->close(file->fd) != 0 && status == HB_OK) status = fail("close", file->path);
  if (status == HB_OK && previous && sys->rename(file->path, previous) != 0 && errno != ENOENT)
    status = fail("rename the old file to", previous);
  if (status == HB_OK && sys->rename(file->temporary, file->path) != 0)
    status = fail("rename the temporary file to", file->path);
  if (lock >= 0) close(lock);
  if (status != HB_OK) {
    unlink(file->temporary);
    return status;
  }
  return sync_folder(file->path);
}

enum hb_status hb_file_replace(const char *path, const void *bytes, size_t count)
{
  struct hb_file file;
  HB_TRY(hb_file_begin(path, &file));
  return hb_file_end(&file, hb_file_write(file.fd, path, bytes, count), NULL);
}

/* ---- leftovers of killed runs ---- */

/* Whether name is that of a temporary file for stem + extension, or for its series, stem_0001 + extension. */
static int is_left_over(const char *name, const char *stem, const char *extension)
{
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return 0;
  name += length;
  if (*name == '_') name += 1 + strspn(name + 1, "0123456789");
  length = strlen(extension);
  if (strncmp(name, extension, length) != 0) return 0;
  name += length;
  return *name == '.' && strspn(name + 1, "0123456789abcdef") == DIGITS &&
         strcmp(name + 1 + DIGITS, ".tmp") == 0;
}

/* Unless it belongs to another user or is being written. */
static void remove_left_over(int folder, const char *name)
{
  struct stat info;
  HB_OWN_FD int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
}

void hb_file_sweep(const char *path)
{
  char folder[4096], stem[NAME_MAX + 1], extension[NAME_MAX + 1];
  if (folder_of(path, folder) != HB_OK) return;
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  if (strlen(base) > NAME_MAX) return;
  snprintf(stem, sizeof stem, "%.*s", dot ? (int)(dot - base) : NAME_MAX, base);
  snprintf(extension, sizeof extension, "%s", dot ? dot : "");
  DIR *names = opendir(folder);
  for (struct dirent *entry; names && (entry = readdir(names));)
    if (is_left_over(entry->d_name, stem, extension)) remove_left_over(dirfd(names), entry->d_name);
  if (names) closedir(names);
}

/* ---- reading ---- */

/* Terminals end by a key, /dev/null at once. */
static int has_no_end(int fd)
{
  struct stat info, null;
  if (fstat(fd, &info) != 0 || !S_ISCHR(info.st_mode) || isatty(fd)) return 0;
  return stat("/dev/null", &null) != 0 || info.st_rdev != null.st_rdev;
}

static enum hb_status read_to_end(int fd, const char *name, char **bytes, size_t *count)
{
  HB_OWN struct hb_text text = {0};
  char chunk[65536];
  if (has_no_end(fd)) return hb_fail(HB_ERR_IO, "cannot read %s: an endless device, expected a file", name);
  for (ssize_t got = 0; got || !text.text;) {
    HB_TRY(hb_text_append_bytes(&text, chunk, (size_t)got));
    while ((got = read(fd, chunk, sizeof chunk)) < 0)
      if (errno != EINTR) return fail("read", name);
  }
  *count = text.length;
  return HB_GIVE(text.text, bytes);
}

enum hb_status hb_file_read(const char *path, char **bytes, size_t *count)
{
  *bytes = NULL;
  *count = 0;
  if (strcmp(path, "-") == 0) return read_to_end(STDIN_FILENO, "standard input", bytes, count);
  HB_OWN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd < 0 ? fail("read", path) : read_to_end(fd, path, bytes, count);
}

enum hb_status hb_file_read_regular(const char *path, char **bytes, size_t *count)
{
  struct stat info;
  *bytes = NULL;
  *count = 0;
  HB_OWN_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a fifo would wait for its other end */
  if (fd < 0 || fstat(fd, &info) != 0) return fail("read", path);
  if (!S_ISREG(info.st_mode)) return hb_fail(HB_ERR_IO, "cannot read %s: it is not a regular file", path);
  return read_to_end(fd, path, bytes, count);
}
