#include "run/lock.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
