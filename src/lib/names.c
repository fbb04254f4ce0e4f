#include "lib/names.h"

#include "base/mem.h"

#include <math.h>

enum { LEAST_ROOM = 1024, NONE = -1 };

void hb_names_free(struct hb_names *s)
{
  HB_FREE(s->name, s->is_set, s->first, s->next, s->before);
  *s = (struct hb_names){0};
}

/* room is a power of two: names in a row have lists of their own. */
static int *list_of(const struct hb_names *s, int name) { return &s->first[(uint32_t)name & (s->room - 1)]; }

static void link_address(struct hb_names *s, int address)
{
  int *first = list_of(s, s->name[address]);
  s->before[address] = NONE;
  s->next[address] = *first;
  if (*first != NONE) s->before[*first] = address;
  *first = address;
}

static void unlink_address(struct hb_names *s, int address)
{
  int before = s->before[address], next = s->next[address];
  *(before == NONE ? list_of(s, s->name[address]) : &s->next[before]) = next;
  if (next != NONE) s->before[next] = before;
}

static enum hb_status grow(struct hb_names *s, size_t address)
{
  size_t room = s->room ? s->room : LEAST_ROOM;
  while (room <= address) room *= 2;
  HB_TRY(HB_RESIZE(room, &s->name));
  HB_TRY(HB_RESIZE(room, &s->is_set));
  HB_TRY(HB_RESIZE(room, &s->first));
  HB_TRY(HB_RESIZE(room, &s->next));
  HB_TRY(HB_RESIZE(room, &s->before));
  s->room = room;
  for (size_t k = 0; k < room; k++) s->first[k] = NONE;
  for (size_t k = 0; k < s->used; k++)
    if (s->is_set[k]) link_address(s, (int)k);
  return HB_OK;
}

enum hb_status hb_names_set(struct hb_names *s, size_t address, int name)
{
  if (address >= s->room) HB_TRY(grow(s, address));
  if (s->is_set[address] && s->name[address] == name) return HB_OK;
  if (s->is_set[address]) unlink_address(s, (int)address);
  s->is_set[address] = 1;
  s->name[address] = name;
  link_address(s, (int)address);
  if (address >= s->used) s->used = address + 1;
  return HB_OK;
}

int hb_names_find(const struct hb_names *s, int name, size_t n, uint32_t *address)
{
  int count = 0;
  *address = HB_NO_SOURCE;
  if (s->room == 0) return 0;
  for (int k = *list_of(s, name); k != NONE && count < 2; k = s->next[k])
    if (s->name[k] == name && (size_t)k < n && count++ == 0) *address = (uint32_t)k;
  return count;
}

uint32_t hb_names_nearest(const struct hb_names *s, int name, size_t n, const double x[3],
                          void (*place)(const void *context, size_t address, double x[3]),
                          const void *context, double *r2)
{
  uint32_t nearest = HB_NO_SOURCE;
  *r2 = INFINITY;
  for (size_t k = 0; k < n; k++) {
    double to[3], d2 = 0;
    if (!s->is_set[k] || s->name[k] == name) continue;
    place(context, k, to);
    for (int d = 0; d < 3; d++) d2 += (to[d] - x[d]) * (to[d] - x[d]);
    if (!(d2 < *r2)) continue;
    *r2 = d2;
    nearest = (uint32_t)k;
  }
  return nearest;
}
