#include "support/faults.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct faults fault;

static int strikes(enum faults_kind kind)
{
  if (kind != fault.kind || --fault.countdown != 0) return 0;
  fault.fired = 1;
  errno = fault.reason;
  return 1;
}

static int faulty_open(const char *path, int flags, mode_t mode)
{
  if (flags & O_CREAT) fault.flags = flags;
  return strikes(FAULTS_OPEN) ? -1 : open(path, flags, mode);
}

static ssize_t faulty_write(int fd, const void *bytes, size_t count)
{
  if (fault.interruptions > 0) {
    fault.interruptions--;
    errno = EINTR;
    return -1;
  }
  if (strikes(FAULTS_WRITE)) return -1;
  return write(fd, bytes, fault.short_writes && count > 3 ? 3 : count);
}

static int faulty_fsync(int fd) { return strikes(FAULTS_FSYNC) ? -1 : fsync(fd); }

static int faulty_close(int fd)
{
  int failed = strikes(FAULTS_CLOSE), reason = errno;
  close(fd);
  errno = reason;
  return failed ? -1 : 0;
}

static int faulty_rename(const char *from, const char *to)
{
  return strikes(FAULTS_RENAME) ? -1 : rename(from, to);
}

static const struct hb_file_calls faulty_calls = {faulty_open, faulty_write, faulty_fsync, faulty_close,
                                                  faulty_rename};

struct faults *faults_start(enum faults_kind kind, int n, int reason)
{
  fault = (struct faults){.kind = kind, .countdown = n, .reason = reason};
  hb_file_set_calls(&faulty_calls);
  return &fault;
}

int faults_stop(void)
{
  hb_file_set_calls(NULL);
  return fault.fired;
}
