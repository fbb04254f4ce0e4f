/* The person in front of the program: sentences and a progress bar on standard error, and the care that
 * standard output needs when it is full or nobody reads it. */
#ifndef HB_TERMINAL_H
#define HB_TERMINAL_H

#include "base/status.h"

/* "auto", "always" or "never". */
void hb_terminal_set_color(const char *when);

/* Prints hb_error() as one line, behind it a hint for a usage error. command NULL: the program's own help.
 * Prints nothing when the reader of standard output went away. */
void hb_terminal_error(enum hb_status status, const char *command);

/* One line that is not an error. */
void hb_terminal_note(const char *line);

/* Pushes out what was printed. Errors: HB_ERR_IO, also when an earlier print failed. */
enum hb_status hb_terminal_flush(void);

/* After a failed write to standard output that did not go through stdio: was it a pipe without reader? */
void hb_terminal_look_for_reader(void);

/* Whether a progress bar makes sense on standard error. */
int hb_terminal_is_live(void);

/* "90 seconds", "23 minutes", "5.2 hours", "3.1 days", "4e+288 years". */
void hb_terminal_duration(double seconds, char text[32]);

/* A lower bound, on any machine, of the seconds that so many steps of so many pairs each take. */
double hb_terminal_least_seconds(double steps, double pairs);

/* Says that the work takes that long, "about" or "at least", where that is more than ten minutes; then a hint ("": none). */
void hb_terminal_announce(const char *how, double seconds, const char *hint);

/* Draws done = 0 ... 1 with the seconds left, at most ten times per second and not in the first half
 * second. */
void hb_terminal_progress(double done, double seconds);
void hb_terminal_clear_progress(void);

#endif
