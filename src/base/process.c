#include "base/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void hb_process_close(int *pipe)
{
  if (*pipe >= 0) close(*pipe);
  *pipe = -1;
}

/* Signals ignored or blocked here are not in the child. */
static int set_signals(posix_spawnattr_t *attributes, unsigned flags)
{
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                  (flags & HB_PROCESS_APART ? POSIX_SPAWN_SETPGROUP : 0));
}

/* in, out and said become its standard input, output and error; -1: /dev/null, and for the error ours unless silent. */
static int spawn(const char *const *words, unsigned flags, int in, int out, int said, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  set_signals(&attributes, flags);
  if (in >= 0)
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (out >= 0)
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (said >= 0)
    posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  else if (flags & HB_PROCESS_SILENT)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

enum hb_status hb_process_start(const char *const *words, unsigned flags, struct hb_process *process)
{
  return hb_process_start_on(words, flags, -1, process);
}

enum hb_status hb_process_start_on(const char *const *words, unsigned flags, int file,
                                   struct hb_process *process)
{
  int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1}, error = 0;
  *process = (struct hb_process){.to = -1, .from = -1, .said = -1};
  if ((flags & HB_PROCESS_TO && pipe2(in, O_CLOEXEC) != 0) ||
      (flags & HB_PROCESS_FROM && pipe2(out, O_CLOEXEC) != 0) ||
      (flags & HB_PROCESS_SAID && pipe2(said, O_CLOEXEC) != 0))
    error = errno;
  if (!error) error = spawn(words, flags, file >= 0 ? file : in[0], out[1], said[1], &process->pid);
  hb_process_close(&in[0]);
  hb_process_close(&out[1]);
  hb_process_close(&said[1]);
  if (error) {
    hb_process_close(&in[1]);
    hb_process_close(&out[0]);
    hb_process_close(&said[0]);
    process->pid = 0;
    if (error == ENOENT) return hb_fail(HB_ERR_USAGE, "%s is not installed", words[0]);
    return hb_fail(HB_ERR_IO, "cannot run %s: %s", words[0], strerror(error));
  }
  process->to = in[1];
  process->from = out[0];
  process->said = said[0];
  return HB_OK;
}

struct hb_process_end hb_process_end(struct hb_process *process)
{
  struct hb_process_end end = {.code = -1};
  int status = 0;
  hb_process_close(&process->to);
  hb_process_close(&process->from);
  hb_process_close(&process->said);
  if (process->pid <= 0) return end;
  pid_t got;
  while ((got = waitpid(process->pid, &status, 0)) < 0 && errno == EINTR) {
  }
  process->pid = 0;
  if (got < 0) return end; /* SIGCHLD is ignored here, the status is lost */
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

void hb_process_kill(struct hb_process *process)
{
  if (process->pid > 0) kill(process->pid, SIGKILL);
}

int hb_process_crashed(struct hb_process_end end)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
    if (end.signal == faults[k]) return 1;
  return 0;
}

/* The file that this code was loaded from, the shared library or the program; 0: unknown. */
static int own_file(char file[PATH_MAX])
{
  Dl_info info;
  struct stat there, program;
  if (!dladdr((const void *)own_file, &info) || !info.dli_fname) return 0;
  /* of the program, dladdr knows the word it was called by, not where that was found */
  int in_library = strchr(info.dli_fname, '/') && realpath(info.dli_fname, file) && stat(file, &there) == 0 &&
                   (stat("/proc/self/exe", &program) != 0 || there.st_ino != program.st_ino ||
                    there.st_dev != program.st_dev);
  return in_library || realpath("/proc/self/exe", file);
}

/* allowed: as for access(). */
static enum hb_status find_beside(const char *name, const char *variable, int allowed, char path[PATH_MAX])
{
  static const char *const places[] = {"", "../", "../libexec/holmberg/", "../../libexec/holmberg/"};
  const char *named = getenv(variable);
  char file[PATH_MAX];
  if (named && *named) {
    snprintf(path, PATH_MAX, "%s", named);
    return HB_OK;
  }
  if (!own_file(file))
    return hb_fail(HB_ERR_IO, "the folder of this program is unknown; %s can name %s", variable, name);
  strrchr(file, '/')[1] = 0;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    if (snprintf(path, PATH_MAX, "%s%s%s", file, places[k], name) < PATH_MAX && access(path, allowed) == 0)
      return HB_OK;
  return hb_fail(HB_ERR_IO, "%s is not in %s nor in ../libexec/holmberg; %s can name it", name, file,
                 variable);
}

enum hb_status hb_process_beside(const char *name, const char *variable, char path[PATH_MAX])
{
  return find_beside(name, variable, R_OK, path);
}

enum hb_status hb_process_child(char path[PATH_MAX])
{
  return find_beside("holmberg-child", "HB_CHILD", X_OK, path);
}
