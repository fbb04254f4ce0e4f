/* What POSIX has, Windows lacks, and this program needs; included before every file that `make windows` compiles. The
 * functions are in windows_files.c and windows_posix.c. What has no counterpart does nothing, and says so by its result. */
#ifndef HB_POSIX_H
#define HB_POSIX_H

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- files ---- */

#define O_CLOEXEC   _O_NOINHERIT
#define O_NOFOLLOW  0
#define O_NONBLOCK  0
#define O_DIRECTORY 0x1000000

#define S_ISLNK(mode) 0

#define F_GETFD         1
#define F_GETFL         3
#define F_DUPFD_CLOEXEC 1030

#define LOCK_EX 2
#define LOCK_NB 4

typedef int uid_t, gid_t;

/* The system's own knows neither inodes nor fractions of a second. A name for both, the struct and the function. */
struct hb_stat {
  mode_t st_mode;
  off_t st_size;
  uint64_t st_ino, st_dev;
  unsigned st_nlink;
  uid_t st_uid;
  gid_t st_gid;
  struct timespec st_mtim;
};
int hb_stat(const char *path, struct hb_stat *info);
int hb_fstat(int fd, struct hb_stat *info);
#undef stat
#undef fstat
#define stat              hb_stat
#define lstat             hb_stat
#define fstat             hb_fstat
#define mkdir(path, mode) _mkdir(path)

int fcntl(int fd, int command, ...);
ssize_t hb_write(int fd, const void *bytes, size_t count);
#define write    hb_write
#define NAME_MAX 255
int flock(int fd, int how); /* EWOULDBLOCK: another has it */
int fsync(int fd);
ssize_t pread(int fd, void *bytes, size_t count, off_t from);
int getentropy(void *bytes, size_t count);
ssize_t getline(char **line, size_t *room, FILE *file);
FILE *open_memstream(char **bytes, size_t *count); /* one at a time */
int hb_fclose(FILE *file);
#define fclose hb_fclose
char *strsep(char **rest, const char *blanks);

/* Owners and modes stay as they are. Nothing is opened in a folder: temporary files of killed runs are not swept. */
static inline int fchown(int fd, uid_t owner, gid_t group) { return (void)fd, (void)owner, (void)group, 0; }
static inline int fchmod(int fd, mode_t mode) { return (void)fd, (void)mode, 0; }
static inline uid_t geteuid(void) { return 0; }
static inline int openat(int folder, const char *name, int flags)
{
  return (void)folder, (void)name, (void)flags, -1;
}
static inline int unlinkat(int folder, const char *name, int flags) { return openat(folder, name, flags); }
#define dirfd(folder) ((void)(folder), -1)

struct pollfd {
  int fd;
  short events, revents;
};
#define POLLOUT 4
#define POLLERR 8
static inline int poll(struct pollfd *files, unsigned long count, int wait)
{
  return (void)files, (void)count, (void)wait, 0;
}

/* ---- signals: SIGINT and SIGTERM are delivered once, and then end the program ---- */

#define SIGHUP     1
#define SIGPIPE    13
#define SIGALRM    14
#define SIGCHLD    17
#define SIGXCPU    24
#define SIGXFSZ    25
#define SIGUSR1    10
#define SA_RESTART 0

struct sigaction {
  void (*sa_handler)(int number);
  int sa_flags;
};
#define SA_SIGINFO 4 /* never set */
int sigaction(int number, const struct sigaction *action, struct sigaction *old);

typedef uint32_t sigset_t;
#define sigfillset(set) (*(set) = ~0u)
#undef pthread_sigmask
#undef pthread_atfork
#define pthread_sigmask(how, set, old)    ((void)(set), (void)(old))
#define pthread_atfork(before, in, child) ((void)(child))

/* ---- the machine ---- */

typedef struct {
  int count;
} cpu_set_t;
#define CPU_COUNT(set) ((set)->count)
int sched_getaffinity(int process, size_t bytes, cpu_set_t *set);
#define _SC_NPROCESSORS_ONLN 84
long sysconf(int what);

struct utsname {
  char sysname[16], nodename[64], release[64], version[64], machine[64];
};
int uname(struct utsname *name);

int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);

/* ---- numbers: a program that never calls setlocale has the C locale ---- */

typedef int locale_t;
#define LC_ALL_MASK                 0
#define newlocale(mask, name, base) 1
static inline locale_t uselocale(locale_t locale) { return locale; }

#endif
