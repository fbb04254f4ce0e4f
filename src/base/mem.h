/* Memory: zeroed, aligned for vector loads, and failing on demand in tests. */
#ifndef HB_MEM_H
#define HB_MEM_H

#include "base/status.h"

#include <stdatomic.h>

enum { HB_MEM_ALIGNMENT = 64 };

/* count * size zero bytes at a multiple of HB_MEM_ALIGNMENT into *block, freed with hb_mem_free. count or size 0
 * gives a valid block. Errors: HB_ERR_INTERNAL, *block = NULL. */
enum hb_status hb_mem_alloc(size_t count, size_t size, void **block);
void hb_mem_free(void *block);

/* Several blocks, some of which may be NULL. */
void hb_mem_free_all(size_t count, void *const *blocks);
#define HB_FREE(...)                                                                                         \
  hb_mem_free_all(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})

/* Before a local pointer that is NULL at first, or a struct that begins with one, such as hb_text: its block is freed at the end
 * of its scope, unless HB_GIVE has made it the caller's. */
#define HB_OWN __attribute__((cleanup(hb_mem_free_own)))
void hb_mem_free_own(void *own);
#define HB_GIVE(own, to) (*(to) = (own), (own) = NULL, HB_OK)

/* Moves *block, nullable, to one of count * size bytes, the new ones zero. Errors: as above, *block unchanged. */
enum hb_status hb_mem_resize(size_t count, size_t size, void **block);

/* Typed: HB_ALLOC(n, &p->x). */
#define HB_ALLOC(count, pointer)  hb_mem_alloc((count), sizeof **(pointer), (void **)(pointer))
#define HB_RESIZE(count, pointer) hb_mem_resize((count), sizeof **(pointer), (void **)(pointer))

/* Makes room for one more than the count elements of *block, which may move and is {NULL, capacity 0} at first; the room is
 * zero. Errors: HB_ERR_INTERNAL, *block as it was. */
enum hb_status hb_mem_grow(size_t count, size_t size, size_t *capacity, void **block);
#define HB_GROW(count, capacity, pointer)                                                                    \
  hb_mem_grow((count), sizeof **(pointer), (capacity), (void **)(pointer))

/* Arrays with memory for `count` things each, [per * count] elements of an array: where that is more than *room, they are new, and
 * zero. Errors: HB_ERR_INTERNAL, *room = 0. */
struct hb_mem_array {
  size_t bytes; /* of a thing */
  void **block;
};
enum hb_status hb_mem_renew(size_t count, size_t *room, const struct hb_mem_array *arrays);
#define HB_ARRAY(per, pointer)                                                                               \
  {                                                                                                          \
    (per) * sizeof **(pointer), (void **)(pointer)                                                           \
  }
#define HB_RENEW(count, room, ...)                                                                           \
  hb_mem_renew((count), (room), (const struct hb_mem_array[]){__VA_ARGS__, {0, NULL}})

/* A copy of text; same errors. */
enum hb_status hb_mem_strdup(const char *text, char **copy);

/* For tests: bytes allocated now, and the most there were since that was last set; and which allocation from now on fails, and no
 * other; 0: none, or it has been made. */
extern struct hb_mem_watch {
  _Atomic size_t now, most;
  unsigned long fail_at;
} hb_mem_watch;

#endif
