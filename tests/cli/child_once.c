/* Stands for holmberg-child in a run of tests, where HB_CHILD names it. A driver's trial is made once for each context, device and
 * environment: one that went well leaves a file beside this program. All else is done by the real one, a folder above.
 * What a trial is, is tested with the real one alone: by gl_context.bats, and by all journeys. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static uint64_t mixed(uint64_t hash, const char *text)
{
  do hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  while (*text++);
  return hash;
}

/* Whether a variable may change what a driver does: all but those that tell where in the tests a program is started. */
static int matters(const char *entry)
{
  static const char *const places[] = {"BATS_", "HOLMBERG=", "OLDPWD=", "PWD=", "SHLVL=", "_="};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    if (strncmp(entry, places[k], strlen(places[k])) == 0) return 0;
  return 1;
}

static int try(const char *real, char **argv, const char *kept)
{
  int end;
  pid_t child = fork();
  if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL); /* who waits for a driver in vain kills this program */
  if (child == 0) execv(real, argv);
  if (child == 0) _exit(2);
  if (child < 0 || waitpid(child, &end, 0) != child) return 2;
  if (WIFSIGNALED(end)) raise(WTERMSIG(end));
  if (end == 0) close(open(kept, O_CREAT | O_WRONLY, 0600));
  return WEXITSTATUS(end);
}

int main(int argc, char **argv)
{
  char folder[4096], real[4200], kept[4200];
  ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[length < 0 ? 0 : length] = 0;
  *strrchr(folder, '/') = 0;
  snprintf(real, sizeof real, "%s/../holmberg-child", folder);
  uint64_t hash = UINT64_C(14695981039346656037);
  for (int k = 1; k < argc; k++) hash = mixed(hash, argv[k]);
  for (char **entry = environ; *entry; entry++)
    if (matters(*entry)) hash = mixed(hash, *entry);
  snprintf(kept, sizeof kept, "%s/%016llx", folder, (unsigned long long)hash);
  if (argc > 1 && strcmp(argv[1], "context") == 0) return access(kept, F_OK) == 0 ? 0 : try(real, argv, kept);
  execv(real, argv);
  return 2;
}
