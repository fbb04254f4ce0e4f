/* Particles by their identities, which files keep and whose order they may change. */
#ifndef HB_IDENTITY_H
#define HB_IDENTITY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* order[n]: the indices 0 ... n - 1 by ascending id[n], equal ones as they are. Returns the place in order of the first
 * identity that occurs again right behind it, n if there is none. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_identity_sort(size_t n, const uint64_t *id, uint32_t *order, size_t *twice);

#endif
