/* Groups in a checkpoint: every member of the structs that shapes the steps that follow, and checks of what is read against limits and
 * against the particles. */
#include "groups/groups_internal.h"

#include "base/mem.h"

#include <string.h>

static const struct hb_numbers_row head_rows[] = {
    HB_NUMBER("groups.formed", HB_NUMBER_WORD, struct hb_groups, formed, 0),
    HB_NUMBER("groups.dissolved", HB_NUMBER_WORD, struct hb_groups, dissolved, 0),
    HB_NUMBER("groups.forces", HB_NUMBER_WORD, struct hb_groups, forces, 0),
    HB_NUMBER("groups.r_close", HB_NUMBER_DOUBLE, struct hb_groups, r_close, 1),
    HB_NUMBER("groups.m_mean", HB_NUMBER_DOUBLE, struct hb_groups, m_mean, 1),
    HB_NUMBER("groups.stars", HB_NUMBER_DOUBLE, struct hb_groups, stars, 1),
};
static const struct hb_numbers_row group_rows[] = {
    HB_NUMBER("groups.node", HB_NUMBER_INDEX, struct hb_group, node, 1),
    HB_NUMBER("groups.tick", HB_NUMBER_WORD, struct hb_group, tick, 1),
    HB_NUMBER("groups.listed", HB_NUMBER_SIZE, struct hb_group, count, 1),
    HB_NUMBER("groups.settled", HB_NUMBER_SIZE, struct hb_group, settled, 1),
    HB_NUMBER("groups.rows", HB_NUMBER_SIZE, struct hb_group, chain.rows, 1),
    HB_NUMBER("groups.n", HB_NUMBER_SIZE, struct hb_group, chain.n, 1),
    HB_NUMBER("groups.B", HB_NUMBER_DOUBLE, struct hb_group, chain.B, 1),
    HB_NUMBER("groups.ds", HB_NUMBER_DOUBLE, struct hb_group, chain.ds, 1),
};

/* Members and links of a chain in a checkpoint, which has the same number of them for each group: MANY if a group has more than FEW
 * members. Those that a group does not have are 0. */
enum { FEW = 8, MANY = 64 };
_Static_assert((int)HB_CHAIN_MOST <= (int)MANY, "a checkpoint has room for all members");
struct few_members {
  uint32_t member[FEW];
  double m[FEW], X[FEW - 1][3], V[FEW - 1][3];
};
struct many_members {
  uint32_t member[MANY];
  double m[MANY], X[MANY - 1][3], V[MANY - 1][3];
};
#define MEMBER_ROWS(of)                                                                                      \
  {                                                                                                          \
    HB_NUMBER("groups.member", HB_NUMBER_INDEX, of, member, 1),                                              \
        HB_NUMBER("groups.masses", HB_NUMBER_DOUBLE, of, m, 1),                                              \
        HB_NUMBER("groups.X", HB_NUMBER_DOUBLE, of, X, 1),                                                   \
        HB_NUMBER("groups.V", HB_NUMBER_DOUBLE, of, V, 1),                                                   \
  }
static const struct hb_numbers_row few_rows[] = MEMBER_ROWS(struct few_members),
                                   many_rows[] = MEMBER_ROWS(struct many_members);
static const struct hb_numbers of_few = HB_NUMBERS(few_rows, struct few_members),
                               of_many = HB_NUMBERS(many_rows, struct many_members);

static const struct hb_numbers_row tides_rows[] = {
    HB_NUMBER("groups.tides", HB_NUMBER_DOUBLE, struct hb_group, tides.of_all, 1),
    HB_NUMBER("groups.far", HB_NUMBER_DOUBLE, struct hb_group, tides.of_far, 1),
    HB_NUMBER("groups.cut2", HB_NUMBER_DOUBLE, struct hb_group, tides.cut2, 1),
    HB_NUMBER("groups.tides_tick", HB_NUMBER_WORD, struct hb_group, tides.tick, 1),
    HB_NUMBER("groups.far_tick", HB_NUMBER_WORD, struct hb_group, tides.far_tick, 1),
    HB_NUMBER("groups.tides_old", HB_NUMBER_INDEX, struct hb_group, tides.is_old, 1),
};
static const struct hb_numbers_row lost_rows[] = {
    HB_NUMBER("groups.lost", HB_NUMBER_DOUBLE, struct hb_groups, lost, 0),
};
static const struct hb_numbers_row scale_rows[] = {
    HB_NUMBER("groups.suits_a_chain", HB_NUMBER_WORD, struct hb_groups, suits_a_chain, 0),
};
static const struct hb_numbers of_scale = HB_NUMBERS(scale_rows, struct hb_groups);
static const struct hb_numbers of_lost = HB_NUMBERS(lost_rows, struct hb_groups);
static const struct hb_numbers of_all = HB_NUMBERS(head_rows, struct hb_groups),
                               of_each = HB_NUMBERS(group_rows, struct hb_group),
                               of_tides = HB_NUMBERS(tides_rows, struct hb_group);

static int keeps_tides(const struct hb_groups *groups) { return groups->rules->far < INFINITY; }

static enum hb_status put_order(const struct hb_groups *groups, struct hb_sections *sections)
{
  HB_OWN uint64_t *words = NULL;
  HB_TRY(HB_ALLOC(groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) words[k] = groups->in_space[k];
  return hb_sections_put_copy(sections, "groups.order", HB_SECTION_WORDS, groups->n, words);
}

static enum hb_status get_order(const struct hb_sections *sections, struct hb_groups *groups)
{
  const void *words;
  if (!hb_sections_find(sections, "groups.order")) return HB_OK;
  HB_TRY(hb_sections_get(sections, "groups.order", HB_SECTION_WORDS, groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) {
    uint64_t node = ((const uint64_t *)words)[k];
    if (node >= groups->n || groups->listed[node])
      return hb_fail(HB_ERR_INPUT, "section 'groups.order' has node %llu, expected each of %zu once",
                     (unsigned long long)node, groups->n);
    groups->in_space[k] = (uint32_t)node;
    groups->listed[node] = 1;
  }
  memset(groups->listed, 0, groups->n);
  groups->has_order = 1;
  return HB_OK;
}

/* Fails with a sentence on group k. */
static enum hb_status refuse(size_t k, const char *what, double value, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "group %zu of section 'groups' has %s %.15g, expected %s", k, what, value,
                 expected);
}

/* Offsets of the members and links of a group in its record. */
struct slots {
  uint32_t *member;
  double *m, (*X)[3], (*V)[3];
};

static struct slots few_slots(struct few_members *s) { return (struct slots){s->member, s->m, s->X, s->V}; }

static struct slots many_slots(struct many_members *s) { return (struct slots){s->member, s->m, s->X, s->V}; }

static enum hb_status put_members(const struct hb_groups *groups, struct hb_sections *sections)
{
  HB_OWN struct few_members *few = NULL;
  HB_OWN struct many_members *many = NULL;
  int is_many = 0;
  for (size_t k = 0; k < groups->count; k++) is_many = is_many || groups->at[k].chain.n > FEW;
  HB_TRY(is_many ? HB_ALLOC(groups->count, &many) : HB_ALLOC(groups->count, &few));
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    const struct slots to = is_many ? many_slots(many + k) : few_slots(few + k);
    memcpy(to.member, c->member, c->n * sizeof *c->member);
    memcpy(to.m, c->m, c->n * sizeof *c->m);
    memcpy(to.X, c->X, (c->n - 1) * sizeof *c->X);
    memcpy(to.V, c->V, (c->n - 1) * sizeof *c->V);
  }
  return is_many ? hb_numbers_put(&of_many, groups->count, many, sections)
                 : hb_numbers_put(&of_few, groups->count, few, sections);
}

/* Sets members and links of all groups, whose chains have their numbers of members. */
static enum hb_status get_members(const struct hb_sections *sections, struct hb_groups *groups)
{
  HB_OWN struct few_members *few = NULL;
  HB_OWN struct many_members *many = NULL;
  const struct hb_section *section = hb_sections_find(sections, "groups.member");
  int is_many = section && groups->count > 0 && section->count == groups->count * MANY;
  HB_TRY(is_many ? HB_ALLOC(groups->count, &many) : HB_ALLOC(groups->count, &few));
  HB_TRY(is_many ? hb_numbers_get(&of_many, sections, groups->count, many)
                 : hb_numbers_get(&of_few, sections, groups->count, few));
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_chain *c = &groups->at[k].chain;
    const struct slots from = is_many ? many_slots(many + k) : few_slots(few + k);
    if (c->n < 2 || c->n > (size_t)(is_many ? MANY : FEW))
      return refuse(k, "a number of members,", (double)c->n, is_many ? "2 to 64" : "2 to 8");
    memcpy(c->member, from.member, c->n * sizeof *c->member);
    memcpy(c->m, from.m, c->n * sizeof *c->m);
    memcpy(c->X, from.X, (c->n - 1) * sizeof *c->X);
    memcpy(c->V, from.V, (c->n - 1) * sizeof *c->V);
  }
  return HB_OK;
}

enum hb_status hb_groups_put(const struct hb_groups *groups, struct hb_sections *sections)
{
  size_t listed = 0, l = 0;
  HB_OWN uint64_t *list = NULL;
  HB_TRY(hb_columns_put(&hb_groups_columns, groups->n, groups, sections));
  HB_TRY(hb_numbers_put(&of_all, 1, groups, sections));
  if (groups->light > 0) HB_TRY(hb_numbers_put(&of_lost, 1, groups, sections));
  HB_TRY(hb_numbers_put(&of_each, groups->count, groups->at, sections));
  HB_TRY(put_members(groups, sections));
  if (groups->suits_a_chain) HB_TRY(hb_numbers_put(&of_scale, 1, groups, sections));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_put(&of_tides, groups->count, groups->at, sections));
  for (size_t k = 0; k < groups->count; k++) listed += groups->at[k].count;
  HB_TRY(HB_ALLOC(listed, &list));
  for (size_t k = 0; k < groups->count; k++)
    for (size_t p = 0; p < groups->at[k].count; p++) list[l++] = groups->at[k].list[p];
  HB_TRY(hb_sections_put_copy(sections, "groups.lists", HB_SECTION_WORDS, listed, list));
  return groups->has_order ? put_order(groups, sections) : HB_OK;
}

/* Checks the members of a group, and parks them. The caller then makes one of them, the node, a group. */
static enum hb_status check_members(struct hb_groups *groups, size_t k)
{
  const struct hb_group *g = groups->at + k;
  int has_node = 0;
  for (size_t m = 0; m < g->chain.n; m++) {
    uint32_t member = g->chain.member[m];
    if (member >= groups->n || groups->of[member] != HB_GROUPS_STAR)
      return refuse(k, "the member", member, "a star that is in no other group");
    groups->of[member] = HB_GROUPS_PARKED;
    has_node = has_node || member == g->node;
  }
  return has_node ? HB_OK : refuse(k, "the node", g->node, "one of its members");
}

/* Checks numbers of a chain that follow from its links, exactly or within the errors of an integration. */
static enum hb_status check_chain(size_t k, const struct hb_chain *c)
{
  static const double energies = 1e-2, times = 0x1p40;
  double bound = hb_chain_binding(c), U = hb_chain_kinetic(c, c->V) + bound;
  double rate = hb_chain_rate(c->n, c->m, c->X, c->V);
  if (!(U > 0 && isfinite(U) && isfinite(rate)))
    return refuse(k, "the potential energy", -U, "finite and below 0");
  if (!(fabs(c->B - bound) <= energies * U))
    return refuse(k, "the binding energy", c->B, "that of its members' orbits");
  return c->ds * rate > U / times && c->ds * rate < U * times
             ? HB_OK
             : refuse(k, "the step", c->ds, "one that suits its orbits");
}

static enum hb_status read_list(struct hb_groups *groups, struct hb_group *g, const uint64_t *list)
{
  HB_TRY(HB_ALLOC(g->count, &g->list));
  g->capacity = g->count;
  for (size_t p = 0; p < g->count; p++) {
    if (list[p] >= groups->n || groups->of[list[p]] == HB_GROUPS_PARKED || list[p] == g->node ||
        groups->listed[list[p]])
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' has node %llu, expected another one of %zu once",
                     (unsigned long long)list[p], groups->n);
    g->list[p] = (uint32_t)list[p];
    groups->listed[list[p]] = 1;
  }
  for (size_t p = 0; p < g->count; p++) groups->listed[g->list[p]] = 0;
  return HB_OK;
}

static enum hb_status complete_group(struct hb_groups *groups, size_t k)
{
  struct hb_group *g = groups->at + k;
  struct hb_chain *c = &g->chain;
  if (c->rows < 1 || c->rows > HB_CHAIN_ROWS_MOST)
    return refuse(k, "an order of extrapolation of", (double)c->rows, "1 to 10");
  HB_TRY(check_members(groups, k));
  if (!(g->tides.cut2 >= 0)) return refuse(k, "a distance squared of", g->tides.cut2, ">= 0");
  if (g->settled > g->count || g->count > groups->n)
    return refuse(k, "a list of", (double)g->count, "no more than there are particles");
  groups->of[g->node] = (uint32_t)k;
  for (size_t m = 0; m < c->n; m++)
    if (!(c->m[m] >= 0)) return refuse(k, "a member of mass", c->m[m], ">= 0");
  if (!(hb_chain_mass(c) > 0)) return refuse(k, "members of mass", 0, "> 0 together");
  hb_chain_weigh(c);
  hb_groups_measure_node(groups, g);
  return check_chain(k, c);
}

static enum hb_status get_lists(const struct hb_sections *sections, struct hb_groups *groups)
{
  const struct hb_section *section = hb_sections_find(sections, "groups.lists");
  size_t listed = section ? section->count : 0, used = 0;
  const void *lists;
  HB_TRY(hb_sections_get(sections, "groups.lists", HB_SECTION_WORDS, listed, &lists));
  for (size_t k = 0; k < groups->count; k++) {
    if (groups->at[k].count > listed - used)
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too short");
    HB_TRY(read_list(groups, groups->at + k, (const uint64_t *)lists + used));
    used += groups->at[k].count;
  }
  if (used != listed) return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too long");
  return hb_groups_link_all(groups);
}

const struct hb_groups_rules *hb_groups_saved_rules(const struct hb_sections *sections)
{
  return hb_sections_find(sections, "groups.tides") ? &hb_groups_by_perturbation : &hb_groups_by_size;
}

enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups)
{
  size_t count = hb_numbers_records(&of_each, sections);
  if (count > groups->n / 2)
    return hb_fail(HB_ERR_INPUT, "section 'groups.node' has %zu groups of %zu particles", count, groups->n);
  HB_TRY(hb_columns_get(&hb_groups_columns, sections, groups->n, groups));
  HB_TRY(hb_numbers_get(&of_all, sections, 1, groups));
  if (groups->light > 0) HB_TRY(hb_numbers_get(&of_lost, sections, 1, groups));
  if (!(groups->stars >= 1) || groups->r_close < 0 || groups->m_mean < 0)
    return hb_fail(HB_ERR_INPUT,
                   "section 'groups.stars' has %g, groups.r_close %g, groups.m_mean %g, expected 1 or more, "
                   ">= 0, >= 0",
                   groups->stars, groups->r_close, groups->m_mean);
  hb_groups_use(groups, groups->rules);
  HB_TRY(hb_groups_weigh(groups));
  HB_TRY(HB_ALLOC(count, &groups->at));
  groups->count = groups->capacity = count;
  HB_TRY(hb_numbers_get(&of_each, sections, count, groups->at));
  HB_TRY(get_members(sections, groups));
  groups->suits_a_chain = 0; /* also where the file does not say it: then it is older than such systems */
  HB_TRY(hb_numbers_get(&of_scale, sections, 1, groups));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_get(&of_tides, sections, count, groups->at));
  for (size_t k = 0; k < count; k++) HB_TRY(complete_group(groups, k));
  HB_TRY(get_order(sections, groups));
  return get_lists(sections, groups);
}

/* ---- against the particles ---- */

/* True if a mass is the expected one, but for the rounding of a sum in another order. */
static int is_mass(double m, double expected) { return fabs(m - expected) <= 1e-9 * expected; }

static enum hb_status compare_masses(const struct hb_groups *groups, const struct hb_particles *p)
{
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    for (size_t m = 0; m < c->n; m++)
      if (!is_mass(c->m[m], p->m[c->member[m]]))
        return refuse(k, "a member of mass", c->m[m], "that of its particle");
  }
  for (uint32_t i = 0; i < groups->n; i++) {
    const struct hb_group *g = hb_groups_of(groups, i);
    double m = groups->of[i] == HB_GROUPS_PARKED ? 0 : g ? hb_chain_mass(&g->chain) : p->m[i];
    if (!is_mass(groups->m[i], m))
      return hb_fail(HB_ERR_INPUT, "section 'groups.m' has %.15g for particle %u, expected %.15g",
                     groups->m[i], (unsigned)i, m);
  }
  return HB_OK;
}

static double heaviest(const struct hb_particles *p)
{
  double m = 0;
  for (size_t i = 0; i < p->n; i++) m = fmax(m, p->m[i]);
  return m;
}

/* Compares the close distance, which was found at the start, with that of the present system. Since the start bodies have merged, which
 * leaves their mass, or were removed, and the system has shrunk or grown. Where one body has half of the mass, the half-mass radius
 * says nothing about the system, and is not compared. */
static enum hb_status compare_close(const struct hb_groups *groups, const struct hb_particles *p, double gone,
                                    int is_lighter)
{
  static const double most_lost = 0x1p20, most_grown = 0x1p16;
  struct hb_groups now = {0};
  HB_TRY(hb_groups_find_close(p, &now));
  double M = now.m_mean * now.stars, M0 = groups->m_mean * groups->stars;
  if (!(is_lighter ? M0 >= M * (1 - 1e-9) && M0 <= M * most_lost : is_mass(M0, M)) ||
      groups->stars > (double)groups->n + gone)
    return hb_fail(
        HB_ERR_INPUT,
        "section 'groups.stars' has %g stars with a mean mass of %g, expected those of a system of mass %g",
        groups->stars, groups->m_mean, M);
  double ratio = groups->r_close * groups->stars / (now.r_close * now.stars);
  if (2 * heaviest(p) >= M * (1 - 1e-9) || (ratio * most_grown > 1 && ratio < most_grown)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'groups.r_close' has a distance of %g, expected about %g",
                 groups->r_close, now.r_close * now.stars / groups->stars);
}

enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(compare_masses(groups, nodes));
  HB_TRY(hb_particles_copy(nodes, &p));
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
    hb_chain_places(c, x, v);
    for (size_t m = 0; m < c->n; m++)
      for (size_t d = 0; d < 3; d++)
        p->x[3 * (size_t)c->member[m] + d] = nodes->x[3 * (size_t)groups->at[k].node + d] + x[3 * m + d];
  }
  return compare_close(groups, p, gone, is_lighter);
}
