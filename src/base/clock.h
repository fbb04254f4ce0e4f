/* Wall clock in seconds from an arbitrary start, monotonic. */
#ifndef HB_CLOCK_H
#define HB_CLOCK_H

double hb_clock_now(void);

#endif
