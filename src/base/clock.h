/* Wall clock in seconds from an arbitrary start, monotonic. */
#ifndef HB_CLOCK_H
#define HB_CLOCK_H

double hb_clock_now(void);

/* Seconds since *lap, which becomes now: phase after phase without a gap. */
double hb_clock_lap(double *lap);

#endif
