/* Signals that ask a run for something; it looks between two block steps. */
#ifndef HB_SIGNALS_H
#define HB_SIGNALS_H

/* From now on SIGINT, SIGTERM, SIGHUP and SIGXCPU are noted, a second of the first two ends the program at once, and
 * SIGUSR1 asks for a checkpoint. What was ignored before, as SIGINT is in the background of a script, stays so. */
void hb_signals_watch(void);

/* The name of the signal that asked to stop, like "SIGINT"; NULL: none did. */
const char *hb_signals_stop(void);

/* Whether a checkpoint was asked for since the last question. */
int hb_signals_asked(void);

#endif
