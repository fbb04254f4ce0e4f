/* Where the time of a block step goes, as [PZ07] eq. 10 splits it: see struct hb_phases. */
#ifndef HB_PHASES_H
#define HB_PHASES_H

#include "base/clock.h"

#include <holmberg/holmberg.h>

/* Seconds since *lap, which becomes now: phase after phase without a gap. */
static inline double hb_phases_lap(double *lap)
{
  double before = *lap;
  *lap = hb_clock_now();
  return *lap - before;
}

#endif
