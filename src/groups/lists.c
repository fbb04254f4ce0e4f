/* Lists of perturbers: which nodes are in the list of a group, and in whose lists a node is. The second half sorts numbers and marks
 * the groups that a block concerns. Which nodes belong into a list is decided in advance.c. */
#include "groups/groups_internal.h"

#include "base/arith.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <string.h>

/* Returns the index of a node in the list of a group, or the length of the list. */
static size_t index_in(const struct hb_group *g, uint32_t node)
{
  size_t k = 0;
  while (k < g->count && g->list[k] != node) k++;
  return k;
}

int hb_groups_lists(const struct hb_groups *groups, uint32_t group, uint32_t node)
{
  uint32_t at = groups->first[node];
  while (at && groups->link[at - 1].group != group) at = groups->link[at - 1].next;
  return at != 0;
}

int hb_groups_has(const struct hb_groups *groups, const struct hb_group *g, uint32_t node)
{
  return hb_groups_lists(groups, g->node, node);
}

/* Stores that a node is in the list of the group whose node is `group`. */
static enum hb_status add_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  if (groups->free_link == 0) {
    size_t capacity = groups->link_capacity;
    HB_TRY(HB_GROW(groups->links, &capacity, &groups->link));
    if (capacity > groups->link_capacity) HB_TRY(HB_RESIZE(capacity, &groups->pull));
    groups->link_capacity = capacity;
    groups->link[groups->links++].next = 0;
    groups->free_link = (uint32_t)groups->links;
  }
  uint32_t at = groups->free_link;
  struct hb_groups_link *link = groups->link + at - 1;
  groups->free_link = link->next;
  *link = (struct hb_groups_link){group, groups->first[node]};
  groups->first[node] = at;
  return HB_OK;
}

/* Removes what add_link stored. */
static void drop_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  uint32_t *from = groups->first + node;
  while (*from && groups->link[*from - 1].group != group) from = &groups->link[*from - 1].next;
  uint32_t at = *from;
  if (!at) return;
  *from = groups->link[at - 1].next;
  groups->link[at - 1].next = groups->free_link;
  groups->free_link = at;
}

enum hb_status hb_groups_link_all(struct hb_groups *groups)
{
  memset(groups->first, 0, groups->n * sizeof *groups->first);
  groups->links = groups->free_link = 0;
  for (size_t k = 0; k < groups->count; k++)
    for (size_t l = 0; l < groups->at[k].count; l++)
      HB_TRY(add_link(groups, groups->at[k].list[l], groups->at[k].node));
  return HB_OK;
}

static enum hb_status append(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  HB_TRY(HB_GROW(g->count, &g->capacity, &g->list));
  g->list[g->count++] = node;
  return add_link(groups, node, g->node);
}

enum hb_status hb_groups_list(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  HB_TRY(append(groups, g, node));
  return other && !hb_groups_has(groups, other, g->node) ? append(groups, other, g->node) : HB_OK;
}

/* Takes a node out of a list. The order of the other nodes stays. */
static void take_out(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  size_t k = index_in(g, node);
  if (k == g->count) return;
  if (k < g->settled) g->settled--;
  for (g->count--; k < g->count; k++) g->list[k] = g->list[k + 1];
  g->tides.is_old = 1;
  drop_link(groups, node, g->node);
}

void hb_groups_unlist(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  take_out(groups, g, node);
  if (other) take_out(groups, other, g->node);
}

void hb_groups_clear_list(struct hb_groups *groups, struct hb_group *g)
{
  for (size_t k = 0; k < g->count; k++) drop_link(groups, g->list[k], g->node);
  g->count = g->settled = 0;
}

/* Adds a group to touched[], once. */
static struct hb_groups_touch *touch(struct hb_groups *groups, uint32_t group)
{
  struct hb_groups_touch *t = groups->touch + group;
  if (!t->is_touched) groups->touched[groups->touches++] = group, t->first_pull = 0;
  t->is_touched = 1;
  return t;
}

void hb_groups_touch_listers(struct hb_groups *groups, uint32_t node)
{
  for (uint32_t at = groups->first[node]; at; at = groups->link[at - 1].next)
    touch(groups, groups->of[groups->link[at - 1].group]);
}

/* Touches the groups that the b-th node of the block concerns, and stores in whose lists it is. The number of pulls so far was `pulls`;
 * returns what it is now. */
static uint32_t touch_by(struct hb_groups *groups, uint32_t b, uint32_t pulls)
{
  uint32_t node = groups->block[b];
  if (groups->of[node] < HB_GROUPS_PARKED) touch(groups, groups->of[node]);
  for (uint32_t at = groups->first[node]; at; at = groups->link[at - 1].next) {
    uint32_t group = groups->of[groups->link[at - 1].group];
    struct hb_groups_touch *t = touch(groups, group);
    struct hb_groups_pull *pull = groups->pull + pulls;
    pull->b = b, pull->group = group, pull->next = t->first_pull;
    t->first_pull = ++pulls;
  }
  return pulls;
}

/* Up to this many numbers are sorted by counting, for each, how many are smaller, in vectors of RANKED_AT_ONCE. */
enum { RANKED = 256, RANKED_AT_ONCE = 64 };

/* Sorts up to RANKED numbers, ascending. */
HB_CLONES static void rank(uint32_t *list, size_t count)
{
  uint32_t number[RANKED], sorted[RANKED];
  size_t padded = hb_div_ceil(count, RANKED_AT_ONCE) * RANKED_AT_ONCE;
  for (size_t k = 0; k < padded; k++) number[k] = k < count ? list[k] : UINT32_MAX;
  for (size_t from = 0; from < count; from += RANKED_AT_ONCE) {
    uint32_t at[RANKED_AT_ONCE] = {0};
    for (size_t j = 0; j < count; j++)
      for (size_t k = 0; k < RANKED_AT_ONCE; k++)
        at[k] += number[j] < number[from + k]; /* cppcheck-suppress uninitvar ; up to padded */
    for (size_t k = 0; k < RANKED_AT_ONCE && from + k < count; k++) sorted[at[k]] = number[from + k];
  }
  memcpy(list, sorted, count * sizeof *list); /* cppcheck-suppress uninitvar ; a permutation */
}

/* Hoare's quicksort of different numbers, until they are few enough. */
void hb_groups_sort(size_t count, uint32_t *list)
{
  while (count > RANKED) {
    uint32_t pivot = list[count / 2];
    size_t i = 0, k = count - 1;
    for (;; i++, k--) {
      while (list[i] < pivot) i++;
      while (list[k] > pivot) k--;
      if (i >= k) break;
      uint32_t swap = list[i];
      list[i] = list[k], list[k] = swap;
    }
    size_t below = i == k ? i + 1 : i;
    hb_groups_sort(count - below, list + below);
    count = below;
  }
  rank(list, count);
}

void hb_groups_end_touching(struct hb_groups *groups)
{
  hb_groups_sort(groups->touches, groups->touched);
  for (size_t k = 0; k < groups->touches; k++) groups->touch[groups->touched[k]].is_touched = 0;
}

enum { ACTIVE_PIECE = 128, ACTIVE_ALONE = 512 };

struct activation {
  struct hb_groups *groups;
  const uint32_t *block;
};

static void activate_piece(void *context, size_t b, size_t end)
{
  const struct activation *a = context;
  for (; b < end; b++) hb_groups_see(a->groups, b, a->block[b]);
}

void hb_groups_activate(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct activation a = {groups, block};
  if (groups->seen != ni) hb_parallel_pieces(ni, ACTIVE_PIECE, ACTIVE_ALONE, activate_piece, &a);
  groups->seen = 0;
  groups->actives = ni;
  groups->tick = tick;
  groups->touches = 0;
  for (uint32_t b = 0, pulls = 0; b < ni; b++) {
    if (groups->hint[b]) pulls = touch_by(groups, b, pulls);
    groups->pull_end[b] = pulls;
  }
  hb_groups_end_touching(groups);
}
