/* Wall clock in seconds from an arbitrary start, monotonic. */
#ifndef HB_CLOCK_H
#define HB_CLOCK_H

double hb_clock_now(void);

/* Seconds since *lap, which is set to now: successive laps leave no gap. */
double hb_clock_lap(double *lap);

#endif
