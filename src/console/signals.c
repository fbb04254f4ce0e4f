#include "console/signals.h"

#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop, asked, reaches_steps, is_opening;

enum { REMOVED_MOST = 8 };
static const char *volatile removed[REMOVED_MOST];

static const char *name_of(int number);

void hb_signals_remove(const char *path)
{
  for (int k = 0; k < REMOVED_MOST; k++)
    if (!removed[k]) {
      removed[k] = path;
      return;
    }
}

void hb_signals_forget(const char *path)
{
  for (int k = 0; k < REMOVED_MOST; k++)
    if (removed[k] == path) removed[k] = NULL;
}

/* Ends the program with the exit code of a run that was stopped. Only calls that a signal handler may make. */
static void end_at_once(int number)
{
  static const char before[] = "holmberg: stopped by ",
                    after[] = " before the first step; no checkpoint was changed\n";
  const char *name = name_of(number);
  for (int k = 0; k < REMOVED_MOST; k++)
    if (removed[k]) unlink(removed[k]);
  ssize_t written = write(STDERR_FILENO, before, sizeof before - 1);
  if (written > 0) written = write(STDERR_FILENO, name, strlen(name));
  if (written > 0) written = write(STDERR_FILENO, after, sizeof after - 1);
  _exit(HB_ERR_STOPPED);
}

static void on_stop(int number)
{
  if (is_opening) end_at_once(number);
  if (stop == SIGINT || stop == SIGTERM) {
    signal(number, SIG_DFL); /* so that the parent sees which signal ended it */
    raise(number);
  }
  stop = number;
  if (reaches_steps) hb_interrupt_request();
}

/* A closed terminal or an exceeded limit may send its signal more than once: not a sign of impatience. */
static void on_end(int number)
{
  if (is_opening) end_at_once(number);
  if (!stop) stop = number;
  if (reaches_steps) hb_interrupt_request();
}

static void on_ask(int number)
{
  (void)number;
  asked = 1;
}

static const struct {
  int number;
  const char *name;
  void (*handler)(int number);
} watched[] = {{SIGTERM, "SIGTERM", on_stop},
               {SIGINT, "SIGINT", on_stop},
               {SIGHUP, "SIGHUP", on_end},
               {SIGXCPU, "SIGXCPU", on_end},
               {SIGUSR1, "SIGUSR1", on_ask}};
enum { WATCHED = sizeof watched / sizeof *watched };

static const char *name_of(int number)
{
  for (int k = 0; k < WATCHED; k++)
    if (number == watched[k].number) return watched[k].name;
  return NULL;
}

void hb_signals_watch(int ends_at_once)
{
  is_opening = ends_at_once;
  for (int k = 0; k < WATCHED; k++) {
    struct sigaction old, action = {.sa_handler = watched[k].handler, .sa_flags = SA_RESTART};
    if (sigaction(watched[k].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    sigaction(watched[k].number, &action, NULL);
  }
}

void hb_signals_reach_steps(void)
{
  reaches_steps = 1;
  if (stop) hb_interrupt_request();
}

const char *hb_signals_stop(void) { return name_of(stop); }

int hb_signals_asked(void)
{
  int was = asked;
  asked = 0;
  return was;
}
