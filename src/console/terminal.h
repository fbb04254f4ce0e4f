/* The user at the terminal: messages and a progress bar on standard error, and standard output that is full or
 * has lost its reader. */
#ifndef HB_TERMINAL_H
#define HB_TERMINAL_H

#include "base/status.h"

#include <stdio.h>

extern struct hb_terminal {
  const char *color; /* "auto", "always" or "never" */
  int is_silent;     /* 1: messages are dropped, as on all ranks but one */
} hb_terminal;

/* Prints hb_error() as one line, followed by a hint after a usage error. command NULL: the program's own help.
 * Prints nothing if standard output has lost its reader. */
void hb_terminal_error(enum hb_status status, const char *command);

/* One line that is not an error. */
void hb_terminal_note(const char *line);

/* The first `most` bytes of the text, with ? for what would command the terminal, also line breaks. */
void hb_terminal_put(FILE *out, const char *text, size_t most);

/* One line on standard output; what a file or its name contains commands nothing. */
void hb_terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output. Errors: HB_ERR_IO, also when an earlier print failed. */
enum hb_status hb_terminal_flush(void);

/* After a failed write to standard output that bypassed stdio: notices a pipe without a reader. */
void hb_terminal_check_reader(void);

/* Whether a progress bar makes sense on standard error. */
int hb_terminal_is_live(void);

/* "90 seconds", "23 minutes", "5.2 hours", "3.1 days", "4e+288 years". */
void hb_terminal_duration(double seconds, char text[32]);

/* A lower bound, on any machine, for the seconds that `steps` steps of `pairs` pairs each take. */
double hb_terminal_least_seconds(double steps, double pairs);

/* Announces how long the work takes, "about" or "at least", if more than ten minutes; then a hint ("": none). */
void hb_terminal_announce(const char *how, double seconds, const char *hint);

/* Draws done = 0 ... 1 with the time left, at most ten times a second and not in the first half second. */
void hb_terminal_progress(double done, double seconds);

/* Sets what follows the time left, from the next drawing on, as far as the line has room: "" at first. */
void hb_terminal_progress_reason(const char *reason);

void hb_terminal_clear_progress(void);

#endif
