/* How long the device takes for some commands: wall-clock time between two waits for the device. Timer queries of
 * GL 3.3 would not need the waits, but Mesa 22.3's llvmpipe answers 1779 s for 2 ms of work to GL_TIME_ELAPSED. */
#ifndef HB_GL_TIMER_H
#define HB_GL_TIMER_H

/* Waits until the device is idle and starts the clock. */
double hb_gl_timer_start(void);

/* Waits until the device is idle: seconds since `start`. */
double hb_gl_timer_stop(double start);

#endif
