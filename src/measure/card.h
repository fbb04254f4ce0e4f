/* A card: what this device can do, in one row of JSON that owners send. A minute of work; nothing in it is about the person or the
 * machine beyond the device. */
#ifndef HB_CARD_H
#define HB_CARD_H

#include "base/status.h"

#include <holmberg/holmberg.h>

#include <stdio.h>

/* On place's context and device, the row goes to out as one line: names and version, limits, self-test; of each scheme and
 * precision the errors and the rate of N particles, or why there is none; a block of 64; the end states of tests/states; the
 * longest draw that came back, up to a second; and a sum over all before it. `doing` is called with what comes next. Errors: those of
 * opening the context; HB_ERR_GL where no scheme works, HB_ERR_IO. */
enum hb_status hb_card_make(const struct hb_force_params *place,
                            void (*doing)(const char *what, void *context), void *context, FILE *out);

#endif
