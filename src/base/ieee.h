/* Whether this process computes as IEEE 754 says: each operation rounded once, to nearest, to the type it is written in. What
 * compilers can do against it ieee.c refuses to be compiled with; what a process can do, by another library's hand, is
 * asked here. */
#ifndef HB_IEEE_H
#define HB_IEEE_H

#include "base/status.h"

/* In the calling thread and those it will start. Errors: HB_ERR_USAGE, with what is different. */
enum hb_status hb_ieee_check(void);

#endif
