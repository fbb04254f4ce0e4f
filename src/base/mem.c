#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static unsigned long fail_countdown;

void hb_mem_fail_at(unsigned long nth) { fail_countdown = nth; }

enum hb_status hb_mem_alloc(size_t count, size_t size, void **block)
{
  *block = NULL;
  if (size && count > (SIZE_MAX - HB_MEM_ALIGNMENT) / size)
    return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu items of %zu bytes: too large", count, size);
  /* aligned_alloc wants a multiple of the alignment */
  size_t bytes = (count * size + HB_MEM_ALIGNMENT) & ~(size_t)(HB_MEM_ALIGNMENT - 1);
  if (fail_countdown && --fail_countdown == 0)
    return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu bytes: failed on request of a test", bytes);
  *block = aligned_alloc(HB_MEM_ALIGNMENT, bytes);
  if (!*block) return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu bytes: out of memory", bytes);
  memset(*block, 0, bytes);
  return HB_OK;
}

void hb_mem_free(void *block) { free(block); }

enum hb_status hb_mem_strdup(const char *text, char **copy)
{
  size_t bytes = strlen(text) + 1;
  HB_TRY(HB_ALLOC(bytes, copy));
  memcpy(*copy, text, bytes);
  return HB_OK;
}
