#include "base/clock.h"

#include <time.h>

double hb_clock_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double hb_clock_lap(double *lap)
{
  double before = *lap;
  *lap = hb_clock_now();
  return *lap - before;
}
