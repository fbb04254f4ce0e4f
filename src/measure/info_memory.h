/* What `holmberg info --n N` adds: the memory that a run of N particles needs. */
#ifndef HB_INFO_MEMORY_H
#define HB_INFO_MEMORY_H

#include "base/json.h"

#include <holmberg/measure.h>

/* A table on standard output, or the member "memory" of the current JSON object: an array with an item for each
 * scheme and precision. */
enum hb_status hb_info_memory_print(uint64_t n);
enum hb_status hb_info_memory_json(uint64_t n, struct hb_json *json);

#endif
