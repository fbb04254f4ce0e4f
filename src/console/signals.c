#include "console/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stop, asked;

static void on_stop(int number)
{
  if (stop == SIGINT || stop == SIGTERM) {
    signal(number, SIG_DFL); /* so that the parent sees what it died of */
    raise(number);
  }
  stop = number;
}

/* A closed terminal and a reached limit send theirs more than once, which is not impatience. */
static void on_end(int number)
{
  if (!stop) stop = number;
}

static void on_ask(int number)
{
  (void)number;
  asked = 1;
}

static void watch(int number, void (*handler)(int))
{
  struct sigaction old, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
  sigaction(number, &action, NULL);
}

void hb_signals_watch(void)
{
  watch(SIGINT, on_stop);
  watch(SIGTERM, on_stop);
  watch(SIGHUP, on_end);
  watch(SIGXCPU, on_end);
  watch(SIGUSR1, on_ask);
}

const char *hb_signals_stop(void)
{
  switch (stop) {
  case 0:
    return NULL;
  case SIGINT:
    return "SIGINT";
  case SIGHUP:
    return "SIGHUP";
  case SIGXCPU:
    return "SIGXCPU";
  default:
    return "SIGTERM";
  }
}

int hb_signals_asked(void)
{
  int was = asked;
  asked = 0;
  return was;
}
