/* Signals that ask a run to stop or to write a checkpoint. It checks for them between block steps, and those that ask it to stop may also
 * reach into a step. */
#ifndef HB_SIGNALS_H
#define HB_SIGNALS_H

/* From now on SIGINT, SIGTERM, SIGHUP and SIGXCPU are recorded, a second one of the first two ends the program at once,
 * and SIGUSR1 asks for a checkpoint. Ignored signals stay ignored, as SIGINT is in the background of a script. ends_at_once 1: until the
 * next call, a signal that asks to stop ends the program, with one line and the exit code HB_ERR_STOPPED. That is for the time in which
 * files and devices are opened, which may be long and has nothing to save. */
void hb_signals_watch(int ends_at_once);

/* A signal that ends the program at once removes this file first, until it is forgotten. The path stays the caller's; at most 8 are kept,
 * further ones are not removed. */
void hb_signals_remove(const char *path);
void hb_signals_forget(const char *path);

/* Makes a signal that asks to stop also a request of base/interrupt.h, so that a step may fail with HB_ERR_STOPPED. */
void hb_signals_reach_steps(void);

/* The name of the signal that asked to stop, like "SIGINT"; NULL: none. */
const char *hb_signals_stop(void);

/* Whether a checkpoint was asked for since the last call. */
int hb_signals_asked(void);

#endif
