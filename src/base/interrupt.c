#include "base/interrupt.h"

#include "base/clock.h"

#include <math.h>
#include <signal.h>

_Atomic int hb_interrupt_is_armed;
static _Atomic int requested, held;
static _Atomic double deadline = INFINITY, grace = INFINITY;
static _Atomic double noticed = INFINITY; /* when a request was first held back */
static _Atomic uint64_t looks_left;       /* see hb_interrupt_set_look */
static _Atomic int counts_held;

/* ---- requests ---- */

static void arm(void) { hb_interrupt_is_armed = requested || deadline < INFINITY || looks_left > 0; }

void hb_interrupt_request(void)
{
  requested = 1;
  hb_interrupt_is_armed = 1;
}

void hb_interrupt_withdraw(void)
{
  requested = 0;
  noticed = INFINITY;
  arm();
}

void hb_interrupt_set_deadline(double when)
{
  deadline = when;
  arm();
}

void hb_interrupt_set_look(uint64_t look, int only_held)
{
  looks_left = look;
  counts_held = only_held;
  arm();
}

/* Returns 1 if there is a request, also one that is held back. */
static int is_requested(void)
{
  if (!requested && deadline < INFINITY && hb_clock_now() >= deadline) requested = 1;
  return requested;
}

/* ---- work that is not to be given up ---- */

void hb_interrupt_hold(void) { held++; }

void hb_interrupt_release(void)
{
  if (--held == 0) noticed = INFINITY;
}

void hb_interrupt_set_grace(double seconds) { grace = seconds; }
double hb_interrupt_grace(void) { return grace; }

/* True if a request is held back, so that the work goes on. */
static int is_held_back(void)
{
  if (held == 0) return 0;
  double limit = grace, now, since = INFINITY;
  if (isinf(limit)) return 1;
  now = hb_clock_now();
  if (atomic_compare_exchange_strong(&noticed, &since, now)) since = now;
  return now - since < limit;
}

enum hb_status hb_interrupt_look_closely(void)
{
  uint64_t left = held >= counts_held ? (uint64_t)looks_left : 0;
  while (left > 0 && !atomic_compare_exchange_weak(&looks_left, &left, left - 1)) {
  }
  if (left == 1) requested = 1;
  if (!is_requested() || is_held_back()) return HB_OK;
  return hb_fail(HB_ERR_STOPPED, "stopped in the middle of a step, on request");
}

/* ---- signals ---- */

/* The signals that a program handles by itself, as Python does SIGINT; its handler is called, too. */
static const int watched[] = {SIGINT, SIGTERM};
enum { WATCHED = sizeof watched / sizeof *watched };
static void (*before[WATCHED])(int);

static void on_signal(int number)
{
  hb_interrupt_request();
  for (int k = 0; k < WATCHED; k++)
    if (watched[k] == number && before[k]) before[k](number);
}

void hb_interrupt_with_signals(int is_on)
{
  for (int k = 0; k < WATCHED; k++) {
    struct sigaction now;
    if (sigaction(watched[k], NULL, &now) != 0 || now.sa_flags & SA_SIGINFO) continue;
    if (is_on && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN && now.sa_handler != on_signal) {
      before[k] = now.sa_handler;
      now.sa_handler = on_signal;
      sigaction(watched[k], &now, NULL);
    }
    if (!is_on && now.sa_handler == on_signal) {
      now.sa_handler = before[k];
      sigaction(watched[k], &now, NULL);
    }
  }
}
