/* The rest of what posix.h declares: signals, the machine, words. */
#define _CRT_RAND_S
#include <stdlib.h>
#include <windows.h>

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
  if (old) *old = (struct sigaction){.sa_handler = SIG_DFL};
  return action && signal(number, action->sa_handler) == SIG_ERR ? -1 : 0;
}

int sched_getaffinity(int process, size_t bytes, cpu_set_t *set)
{
  DWORD_PTR ours, all;
  (void)process, (void)bytes;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all)) return -1;
  set->count = __builtin_popcountll(ours);
  return 0;
}

long sysconf(int what)
{
  SYSTEM_INFO info;
  (void)what;
  GetSystemInfo(&info);
  return (long)info.dwNumberOfProcessors;
}

int uname(struct utsname *name)
{
  const char *processor = getenv("PROCESSOR_IDENTIFIER");
  *name = (struct utsname){.sysname = "Windows"};
  snprintf(name->machine, sizeof name->machine, "%s", processor ? processor : "x86_64");
  return 0;
}

int setenv(const char *name, const char *value, int replace)
{
  return !replace && getenv(name) ? 0 : _putenv_s(name, value);
}

int unsetenv(const char *name) { return _putenv_s(name, ""); }

int getentropy(void *bytes, size_t count)
{
  unsigned random;
  for (size_t k = 0; k < count; k++) {
    if (rand_s(&random) != 0) return -1;
    ((unsigned char *)bytes)[k] = (unsigned char)random;
  }
  return 0;
}

char *strsep(char **rest, const char *blanks)
{
  char *word = *rest;
  if (!word) return NULL;
  char *end = word + strcspn(word, blanks);
  *rest = *end ? end + 1 : NULL;
  *end = 0;
  return word;
}
