/* The life of the groups of a simulation: arrays that have an element for each node, their creation, growth and renumbering, and
 * their end. Single groups are made and dissolved in membership.c. */
#include "groups/groups_internal.h"

#include "base/mem.h"

#include <string.h>

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("groups.m", HB_SECTION_DOUBLES, struct hb_groups, m, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_groups, of, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, near, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, reach, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, orbit, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, active, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, fresh, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, is_live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hint, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, chosen, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, needed, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, touch, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, pull_end, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hit_end, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, in_space, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, listed, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, first, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, touched, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, block, 1, HB_COLUMN_SCRATCH),
};
const struct hb_columns hb_groups_columns = HB_COLUMNS(rows, 1);

static void destroy_own(struct hb_groups *const *own) { hb_groups_destroy(*own); }

enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups)
{
  __attribute__((cleanup(destroy_own))) struct hb_groups *g = NULL;
  size_t n = particles->n;
  *groups = NULL;
  HB_TRY(HB_ALLOC(1, &g));
  g->n = n;
  HB_TRY(hb_columns_reserve(&hb_groups_columns, n, g));
  if (rounds) HB_TRY(HB_ALLOC(n, &g->sources));
  HB_TRY(hb_groups_find_close(particles, g));
  g->suits_a_chain = (uint64_t)hb_groups_suit_a_chain(particles);
  memcpy(g->m, particles->m, n * sizeof *g->m);
  for (size_t i = 0; i < n; i++) g->of[i] = HB_GROUPS_STAR;
  HB_TRY(hb_groups_weigh(g));
  return HB_GIVE(g, groups);
}

void hb_groups_destroy(struct hb_groups *groups)
{
  if (!groups) return;
  for (size_t k = 0; k < groups->count; k++) hb_mem_free(groups->at[k].list);
  hb_columns_free(&hb_groups_columns, groups);
  HB_FREE(groups->ahead, groups->found);
  HB_FREE(groups->at, groups->link, groups->pull, groups->made, groups->hit, groups->box, groups->sources,
          groups->heavy, groups->advanced.of, groups);
}

void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left)
{
  hb_columns_renumber(&hb_groups_columns, groups->n, number, groups);
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t count = 0, settled = 0;
    g->node = number[g->node];
    for (size_t c = 0; c < g->chain.n; c++) g->chain.member[c] = number[g->chain.member[c]];
    for (size_t l = 0; l < g->count; l++) {
      if (number[g->list[l]] == HB_COLUMNS_GONE) continue;
      settled += l < g->settled;
      g->list[count++] = number[g->list[l]];
    }
    g->count = count, g->settled = settled;
  }
  groups->n = left;
  groups->has_order = 0; /* until the caller sets it */
  memset(groups->fresh, 0, left);
  memset(groups->is_live, 0, left);
  groups->actives = 0;
  hb_groups_link_all(groups);
}

enum hb_status hb_groups_grow(struct hb_groups *groups, size_t n)
{
  HB_TRY(hb_columns_grow(&hb_groups_columns, n, groups));
  if (groups->sources) HB_TRY(HB_RESIZE(n, &groups->sources));
  for (size_t i = groups->n; i < n; i++) groups->of[i] = HB_GROUPS_STAR;
  groups->n = n;
  groups->has_order = 0;
  return HB_OK;
}
