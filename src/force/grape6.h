/* The emulation of GRAPE-6, beyond its hb_force_ops. */
#ifndef HB_GRAPE6_H
#define HB_GRAPE6_H

#include "force/force.h"

/* Sums that overflowed and were taken again since the source was opened. */
uint64_t hb_grape6_retries(const void *state);

#endif
