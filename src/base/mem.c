#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Precedes each block, and is as large as its alignment. */
struct head {
  _Alignas(HB_MEM_ALIGNMENT) size_t bytes;
  void *start; /* what malloc gave; Windows has no aligned_alloc */
};

struct hb_mem_watch hb_mem_watch;

static void count_bytes(size_t bytes)
{
  size_t sum = atomic_fetch_add(&hb_mem_watch.now, bytes) + bytes, before = atomic_load(&hb_mem_watch.most);
  while (sum > before && !atomic_compare_exchange_weak(&hb_mem_watch.most, &before, sum)) {
  }
}

enum hb_status hb_mem_alloc(size_t count, size_t size, void **block)
{
  *block = NULL;
  if (size && count > (SIZE_MAX - 2 * HB_MEM_ALIGNMENT) / size)
    return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu items of %zu bytes: too large", count, size);
  size_t bytes = (count * size + HB_MEM_ALIGNMENT) & ~(size_t)(HB_MEM_ALIGNMENT - 1);
  if (hb_mem_watch.fail_at && --hb_mem_watch.fail_at == 0)
    return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu bytes: failed on request of a test", bytes);
  char *start = malloc(HB_MEM_ALIGNMENT + sizeof(struct head) + bytes);
  if (!start) return hb_fail(HB_ERR_INTERNAL, "cannot allocate %zu bytes: out of memory", bytes);
  struct head *head = (void *)(start + HB_MEM_ALIGNMENT - (uintptr_t)start % HB_MEM_ALIGNMENT);
  head->bytes = bytes;
  head->start = start;
  count_bytes(bytes);
  *block = head + 1;
  memset(*block, 0, bytes);
  return HB_OK; /* cppcheck-suppress memleak ; *block is inside the allocation of head */
}

enum hb_status hb_mem_resize(size_t count, size_t size, void **block)
{
  void *old = *block, *resized;
  HB_TRY(hb_mem_alloc(count, size, &resized));
  size_t old_bytes = old ? ((struct head *)old - 1)->bytes : 0, bytes = count * size;
  if (old) memcpy(resized, old, old_bytes < bytes ? old_bytes : bytes);
  hb_mem_free(old);
  *block = resized;
  return HB_OK;
}

void hb_mem_free(void *block)
{
  if (!block) return;
  struct head *head = (struct head *)block - 1;
  atomic_fetch_sub(&hb_mem_watch.now, head->bytes);
  free(head->start);
}

void hb_mem_free_own(void *own)
{
  void *block;
  memcpy(&block, own, sizeof block); /* whatever it points to */
  hb_mem_free(block);
}

void hb_mem_free_all(size_t count, void *const *blocks)
{
  for (size_t k = 0; k < count; k++) hb_mem_free(blocks[k]);
}

enum hb_status hb_mem_grow(size_t count, size_t size, size_t *capacity, void **block)
{
  if (count < *capacity) return HB_OK;
  HB_TRY(hb_mem_resize(2 * *capacity + 16, size, block));
  *capacity = 2 * *capacity + 16;
  return HB_OK;
}

enum hb_status hb_mem_renew(size_t count, size_t *room, const struct hb_mem_array *arrays)
{
  if (count <= *room) return HB_OK;
  *room = 0;
  for (const struct hb_mem_array *a = arrays; a->block; a++) {
    hb_mem_free(*a->block);
    HB_TRY(hb_mem_alloc(count, a->bytes, a->block));
  }
  *room = count;
  return HB_OK;
}

enum hb_status hb_mem_strdup(const char *text, char **copy)
{
  size_t bytes = strlen(text) + 1;
  HB_TRY(HB_ALLOC(bytes, copy));
  memcpy(*copy, text, bytes);
  return HB_OK;
}
