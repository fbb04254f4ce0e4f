#include "core/identity.h"

#include "base/mem.h"

#include <stdlib.h>

struct entry {
  uint64_t id;
  uint32_t index;
};

static int compare(const void *a, const void *b)
{
  const struct entry *p = a, *q = b;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

enum hb_status hb_identity_sort(size_t n, const uint64_t *id, uint32_t *order, size_t *twice)
{
  struct entry *entries;
  int is_sorted = 1;
  HB_TRY(HB_ALLOC(n, &entries));
  for (size_t i = 0; i < n; i++) {
    entries[i] = (struct entry){id[i], (uint32_t)i};
    is_sorted &= i == 0 || id[i - 1] <= id[i];
  }
  if (!is_sorted) qsort(entries, n, sizeof *entries, compare);
  *twice = n;
  for (size_t i = n; i-- > 0;) {
    order[i] = entries[i].index;
    if (i + 1 < n && entries[i].id == entries[i + 1].id) *twice = i;
  }
  hb_mem_free(entries);
  return HB_OK;
}
