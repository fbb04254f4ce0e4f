/* Groups as sections of a checkpoint: every field, since each one shapes the steps that follow. */
#include "groups/groups.h"

#include "base/mem.h"
#include "groups/chain_pulls.h"

#include <math.h>
#include <string.h>

enum { VERSION = 2 };
enum { VERSION_WORD, COUNT, FORMED, DISSOLVED, FORCES, LISTED, WORDS };
enum { R_CLOSE, M_MEAN, STARS, NUMBERS };
/* of each group */
enum { NODE, TICK, LIST, SETTLED, ROWS, N, MEMBERS, GROUP_WORDS = MEMBERS + HB_CHAIN_MOST };
enum { LINKS = 3 * (HB_CHAIN_MOST - 1) };
enum { B, DS, MASSES, X = MASSES + HB_CHAIN_MOST, V = X + LINKS, GROUP_NUMBERS = V + LINKS };

static void pack(const struct hb_group *g, uint64_t *words, double *numbers)
{
  const struct hb_chain *c = &g->chain;
  words[NODE] = g->node, words[TICK] = g->tick, words[LIST] = g->count, words[SETTLED] = g->settled;
  words[ROWS] = c->rows, words[N] = c->n;
  for (size_t k = 0; k < c->n; k++) words[MEMBERS + k] = c->member[k];
  numbers[B] = c->B, numbers[DS] = c->ds;
  memcpy(numbers + MASSES, c->m, sizeof c->m);
  memcpy(numbers + X, c->X, sizeof c->X);
  memcpy(numbers + V, c->V, sizeof c->V);
}

static enum hb_status put_groups(const struct hb_groups *groups, size_t listed, struct hb_sections *sections,
                                 uint64_t *words, double *numbers, uint64_t *list)
{
  size_t count = groups->count;
  for (size_t k = 0, l = 0; k < count; k++) {
    pack(groups->at + k, words + k * GROUP_WORDS, numbers + k * GROUP_NUMBERS);
    for (size_t p = 0; p < groups->at[k].count; p++) list[l++] = groups->at[k].list[p];
  }
  HB_TRY(hb_sections_put_copy(sections, "groups.words", HB_SECTION_WORDS, count * GROUP_WORDS, words));
  HB_TRY(
      hb_sections_put_copy(sections, "groups.numbers", HB_SECTION_DOUBLES, count * GROUP_NUMBERS, numbers));
  return hb_sections_put_copy(sections, "groups.lists", HB_SECTION_WORDS, listed, list);
}

enum hb_status hb_groups_put(const struct hb_groups *groups, struct hb_sections *sections)
{
  size_t listed = 0;
  for (size_t k = 0; k < groups->count; k++) listed += groups->at[k].count;
  const uint64_t head[WORDS] = {VERSION,           groups->count,  groups->formed,
                                groups->dissolved, groups->forces, listed};
  const double numbers_head[NUMBERS] = {groups->r_close, groups->m_mean, groups->stars};
  HB_TRY(hb_sections_put_copy(sections, "groups", HB_SECTION_WORDS, WORDS, head));
  HB_TRY(hb_sections_put_copy(sections, "groups.close", HB_SECTION_DOUBLES, NUMBERS, numbers_head));
  HB_TRY(hb_sections_put(sections, "groups.m", HB_SECTION_DOUBLES, groups->n, groups->m));
  uint64_t *words = NULL, *list = NULL;
  double *numbers = NULL;
  enum hb_status status = HB_ALLOC(groups->count * GROUP_WORDS, &words);
  if (status == HB_OK) status = HB_ALLOC(groups->count * GROUP_NUMBERS, &numbers);
  if (status == HB_OK) status = HB_ALLOC(listed, &list);
  if (status == HB_OK) status = put_groups(groups, listed, sections, words, numbers, list);
  hb_mem_free(words);
  hb_mem_free(numbers);
  hb_mem_free(list);
  return status;
}

int hb_groups_are_in(const struct hb_sections *sections)
{
  return hb_sections_find(sections, "groups") || hb_sections_find(sections, "groups.m");
}

/* ---- reading ---- */

static enum hb_status refuse(size_t k, const char *what, double value, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "group %zu of section 'groups' has %s %.15g, expected %s", k, what, value,
                 expected);
}

/* Members are stars so far; then parked, but for the node, which is one of them. */
static enum hb_status read_members(struct hb_groups *groups, size_t k, const uint64_t *words,
                                   struct hb_chain *c)
{
  int has_node = 0;
  for (size_t m = 0; m < c->n; m++) {
    uint64_t member = words[MEMBERS + m];
    if (member >= groups->n || groups->of[member] != HB_GROUPS_STAR)
      return refuse(k, "the member", (double)member, "a star that is in no other group");
    groups->of[member] = HB_GROUPS_PARKED;
    c->member[m] = (uint32_t)member;
    has_node = has_node || member == words[NODE];
  }
  return has_node ? HB_OK : refuse(k, "the node", (double)words[NODE], "one of its members");
}

/* Numbers that follow from others, or grow from them in a few steps. */
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

static enum hb_status read_group(struct hb_groups *groups, size_t k, const uint64_t *words,
                                 const double *numbers)
{
  struct hb_group *g = groups->at + k;
  struct hb_chain *c = &g->chain;
  if (words[N] < 2 || words[N] > HB_CHAIN_MOST)
    return refuse(k, "a number of members,", (double)words[N], "2 to 8");
  if (words[ROWS] < 1 || words[ROWS] > HB_CHAIN_ROWS_MOST)
    return refuse(k, "an order of extrapolation of", (double)words[ROWS], "1 to 10");
  c->n = words[N], c->rows = words[ROWS];
  HB_TRY(read_members(groups, k, words, c));
  if (words[SETTLED] > words[LIST] || words[LIST] > groups->n)
    return refuse(k, "a list of", (double)words[LIST], "no more than there are particles");
  g->node = (uint32_t)words[NODE], g->tick = words[TICK];
  g->count = words[LIST], g->settled = words[SETTLED];
  groups->of[g->node] = (uint32_t)k;
  c->B = numbers[B], c->ds = numbers[DS];
  memcpy(c->m, numbers + MASSES, sizeof c->m);
  memcpy(c->X, numbers + X, sizeof c->X);
  memcpy(c->V, numbers + V, sizeof c->V);
  for (size_t m = 0; m < c->n; m++)
    if (!(c->m[m] >= 0)) return refuse(k, "a member of mass", c->m[m], ">= 0");
  if (!(hb_chain_mass(c) > 0)) return refuse(k, "members of mass", 0, "> 0 together");
  hb_chain_weigh(c);
  hb_groups_measure(groups, g);
  return check_chain(k, c);
}

static enum hb_status get_groups(const struct hb_sections *sections, size_t count, size_t listed,
                                 struct hb_groups *groups)
{
  const void *words, *numbers, *lists;
  HB_TRY(hb_sections_get(sections, "groups.words", HB_SECTION_WORDS, count * GROUP_WORDS, &words));
  HB_TRY(hb_sections_get(sections, "groups.numbers", HB_SECTION_DOUBLES, count * GROUP_NUMBERS, &numbers));
  HB_TRY(hb_sections_get(sections, "groups.lists", HB_SECTION_WORDS, listed, &lists));
  for (size_t k = 0; k < count * GROUP_NUMBERS; k++)
    if (!(fabs(((const double *)numbers)[k]) <= HB_SECTIONS_MOST))
      return hb_fail(HB_ERR_INPUT, "section 'groups.numbers' has %g, expected finite and at most %g",
                     ((const double *)numbers)[k], HB_SECTIONS_MOST);
  HB_TRY(HB_ALLOC(count, &groups->at));
  groups->capacity = count;
  for (size_t k = 0; k < count; k++, groups->count++)
    HB_TRY(read_group(groups, k, (const uint64_t *)words + k * GROUP_WORDS,
                      (const double *)numbers + k * GROUP_NUMBERS));
  size_t used = 0;
  for (size_t k = 0; k < count; k++) {
    if (groups->at[k].count > listed - used)
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too short");
    HB_TRY(read_list(groups, groups->at + k, (const uint64_t *)lists + used));
    used += groups->at[k].count;
  }
  return HB_OK;
}

enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups)
{
  uint64_t head[WORDS];
  double numbers[NUMBERS];
  HB_TRY(hb_sections_copy(sections, "groups", HB_SECTION_WORDS, WORDS, head));
  if (head[VERSION_WORD] != VERSION)
    return hb_fail(HB_ERR_INPUT, "section 'groups' has version %llu, expected %d",
                   (unsigned long long)head[VERSION_WORD], VERSION);
  if (head[COUNT] > groups->n / 2 || head[LISTED] > head[COUNT] * groups->n)
    return hb_fail(HB_ERR_INPUT, "section 'groups' has %llu groups of %zu particles",
                   (unsigned long long)head[COUNT], groups->n);
  HB_TRY(hb_sections_copy_finite(sections, "groups.close", NUMBERS, numbers));
  HB_TRY(hb_sections_copy_finite(sections, "groups.m", groups->n, groups->m));
  groups->r_close = numbers[R_CLOSE], groups->m_mean = numbers[M_MEAN], groups->stars = numbers[STARS];
  if (!(groups->stars >= 1) || groups->r_close < 0 || groups->m_mean < 0)
    return hb_fail(
        HB_ERR_INPUT,
        "section 'groups.close' has %g stars, a distance of %g, a mass of %g, expected 1 or more, >= 0, >= 0",
        groups->stars, groups->r_close, groups->m_mean);
  groups->formed = head[FORMED], groups->dissolved = head[DISSOLVED], groups->forces = head[FORCES];
  HB_TRY(hb_groups_weigh(groups));
  return get_groups(sections, head[COUNT], head[LISTED], groups);
}

/* ---- against the particles ---- */

/* Sums of masses, which another order may have rounded. */
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

/* What was found at the start: since then bodies have merged, which leaves their mass, or were removed; and the system has
 * shrunk or grown. Where one body has half of the mass, its half-mass radius is what the others make it shake. */
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
        "section 'groups.close' has %g stars with a mean mass of %g, expected those of a system of mass %g",
        groups->stars, groups->m_mean, M);
  double ratio = groups->r_close * groups->stars / (now.r_close * now.stars);
  if (2 * heaviest(p) >= M * (1 - 1e-9) || (ratio * most_grown > 1 && ratio < most_grown)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'groups.close' has a distance of %g, expected about %g",
                 groups->r_close, now.r_close * now.stars / groups->stars);
}

enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter)
{
  struct hb_particles *p;
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
  enum hb_status status = compare_close(groups, p, gone, is_lighter);
  hb_particles_destroy(p);
  return status;
}
