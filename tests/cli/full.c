/* Preloaded into a program: a disk that is full once FULL_AT bytes have been written to it. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t write(int fd, const void *bytes, size_t count)
{
  static ssize_t (*next)(int, const void *, size_t);
  static size_t written;
  struct stat file;
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "write");
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return next(fd, bytes, count);
  size_t room = strtoul(getenv("FULL_AT"), NULL, 10) - written;
  if (count > room) count = room;
  written += count;
  if (count > 0) return next(fd, bytes, count);
  errno = ENOSPC;
  return -1;
}
