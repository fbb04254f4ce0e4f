#include "console/terminal.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct hb_terminal hb_terminal = {.color = "auto"};
static int stdout_error;   /* errno of the first print that failed */
static int progress_shown; /* the bar is on the current line       */

/* no-color.org: any nonempty value switches color off; an explicit option wins. */
static int use_color(void)
{
  if (strcmp(hb_terminal.color, "auto") != 0) return strcmp(hb_terminal.color, "always") == 0;
  const char *no_color = getenv("NO_COLOR");
  return hb_terminal_is_live() && !(no_color && *no_color);
}

int hb_terminal_is_live(void)
{
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void hb_terminal_put(FILE *out, const char *text, size_t most)
{
  for (const char *s = text; s < text + most && *s;) {
    size_t length = hb_text_utf8_length(s);
    if (length == 0) length = 1;
    if (hb_text_command(s))
      fputc('?', out);
    else
      fwrite(s, 1, length, out);
    s += length;
  }
}

void hb_terminal_say(const char *format, ...)
{
  struct hb_text line = {0};
  va_list list;
  va_start(list, format);
  if (hb_text_append_list(&line, format, list) == HB_OK) hb_terminal_put(stdout, line.text, line.length);
  va_end(list);
  putchar('\n');
  hb_mem_free(line.text);
}

/* A file name may contain line breaks and escape sequences: print one line, and spare the terminal. */
static void print_line(const char *tint, const char *text)
{
  if (hb_terminal.is_silent) return;
  hb_terminal_clear_progress();
  int colored = use_color();
  fprintf(stderr, "%sholmberg:%s ", colored ? tint : "", colored ? "\033[0m" : "");
  hb_terminal_put(stderr, text, strlen(text));
  fputc('\n', stderr);
}

void hb_terminal_error(enum hb_status status, const char *command)
{
  if (stdout_error == EPIPE) return;
  print_line("\033[1;31m", hb_error());
  if (status != HB_ERR_USAGE || hb_terminal.is_silent) return;
  fprintf(stderr, "try 'holmberg %s%s--help'\n", command ? command : "", command ? " " : "");
}

void hb_terminal_note(const char *line) { print_line("\033[1;33m", line); }

enum hb_status hb_terminal_flush(void)
{
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && !stdout_error) stdout_error = errno ? errno : EIO;
  if (!stdout_error) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot write standard output: %s", strerror(stdout_error));
}

void hb_terminal_check_reader(void)
{
  struct pollfd pipe = {.fd = STDOUT_FILENO, .events = POLLOUT};
  if (poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR)) stdout_error = EPIPE;
}

void hb_terminal_duration(double seconds, char text[32])
{
  static const struct {
    double below, seconds;
    const char *format;
  } units[] = {{90, 1, "%.0f seconds"},
               {5400, 60, "%.0f minutes"},
               {1.8e5, 3600, "%.1f hours"},
               {6e7, 86400, "%.0f days"},
               {INFINITY, 3.156e7, "%.3g years"}};
  size_t k = 0;
  while (seconds >= units[k].below && k + 1 < sizeof units / sizeof *units) k++;
  snprintf(text, 32, units[k].format, fmax(seconds, 1) / units[k].seconds);
}

double hb_terminal_least_seconds(double steps, double pairs)
{
  static const double STEP_S = 1e-7, PAIR_S = 1e-13;
  return steps * fmax(STEP_S, pairs * PAIR_S);
}

void hb_terminal_announce(const char *how, double seconds, const char *hint)
{
  static const double WORTH_A_NOTE_S = 600;
  char text[32], line[256];
  if (!(seconds > WORTH_A_NOTE_S)) return;
  hb_terminal_duration(seconds, text);
  snprintf(line, sizeof line, "this takes %s %s; Ctrl-C stops it%s%s", how, text, *hint ? "; " : "", hint);
  hb_terminal_note(line);
}

/* "1:02:03" or "2:03". */
static void clock_text(double seconds, char text[32])
{
  unsigned long s = seconds < 3.6e9 ? (unsigned long)(seconds + 0.5) : 3600000000UL;
  if (s >= 3600)
    snprintf(text, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, 32, "%lu:%02lu", s / 60, s % 60);
}

static char progress_reason[256];

void hb_terminal_progress_reason(const char *reason)
{
  snprintf(progress_reason, sizeof progress_reason, "%s", reason);
}

/* Columns of the terminal; 80 if it does not say. */
static int columns(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void hb_terminal_progress(double done, double seconds)
{
  enum { WIDTH = 40 };
  static double drawn;
  double now = hb_clock_now();
  if (seconds < 0.5 || done <= 0 || now - drawn < 0.1) return;
  drawn = now;
  char left[32], bar[WIDTH + 1];
  clock_text(seconds * (1 - done) / done, left);
  for (int k = 0; k < WIDTH; k++) bar[k] = k < done * WIDTH ? '=' : ' ';
  bar[WIDTH] = 0;
  int colored = use_color();
  int room = columns() - WIDTH - (int)sizeof "[]       %   left  " - (int)strlen(left);
  fprintf(stderr, "\r[%s%s%s] %5.1f %%  %s left%s%.*s\033[K", colored ? "\033[36m" : "", bar,
          colored ? "\033[0m" : "", 100 * done, left, *progress_reason ? "  " : "", room > 0 ? room : 0,
          progress_reason);
  fflush(stderr);
  progress_shown = 1;
}

void hb_terminal_clear_progress(void)
{
  if (!progress_shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  progress_shown = 0;
}
