/* Time without a clock: it goes on by TICK_US microseconds each time that someone looks at it, and by as long as someone waits
 * in vain for events, without waiting. Preloaded into a program whose timing is tested, however busy the machine is; or whose
 * measurements, which last until a clock says so, would only take the tests' time. Such a program waits for others, which are
 * no faster by its clock: with TICK_WAITS it does. */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic long long time_ns;

static long long tick_ns(void)
{
  const char *us = getenv("TICK_US");
  return us ? 1000 * atoll(us) : 1000;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
  if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, now);
  long long ns = atomic_fetch_add(&time_ns, tick_ns());
  *now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  return 0;
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
  static const struct timespec none;
  struct timespec most;
  if (timeout) most = getenv("TICK_WAITS") ? *timeout : none;
  int ready = (int)syscall(SYS_ppoll, files, count, timeout ? &most : NULL, mask, _NSIG / 8);
  if (ready == 0 && timeout) atomic_fetch_add(&time_ns, timeout->tv_sec * 1000000000LL + timeout->tv_nsec);
  return ready;
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
  const struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
  return ppoll(files, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}
