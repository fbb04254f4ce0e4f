#include "core/binaries.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/kdtree.h"
#include "core/vector.h"

#include <holmberg/diagnostics.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- orbits ---- */

static const double PI = 3.14159265358979323846;

struct hb_orbit hb_orbit_of(double m1, double m2, const double r[3], const double v[3], double eps2)
{
  double r2 = 0, soft2 = eps2, v2 = 0, rv = 0, e2 = 0, m = m1 + m2;
  if (!(m > 0)) return (struct hb_orbit){.a = NAN, .e = NAN};
  for (int k = 0; k < 3; k++) {
    r2 += r[k] * r[k];
    soft2 += r[k] * r[k];
    v2 += v[k] * v[k];
    rv += r[k] * v[k];
  }
  for (int k = 0; k < 3; k++) {
    double e = (v2 / m - 1 / sqrt(r2)) * r[k] - rv / m * v[k];
    e2 += e * e;
  }
  double e_kin = m1 * m2 / m * v2 / 2, E = e_kin - m1 * m2 / sqrt(soft2);
  if (!(m1 * m2 > 0)) return (struct hb_orbit){.a = 1 / (2 / sqrt(soft2) - v2 / m), .e = sqrt(e2)};
  return (struct hb_orbit){.a = -m1 * m2 / (2 * E), .e = sqrt(e2), .E = E, .e_kin = e_kin};
}

struct hb_orbit hb_orbit_of_pair(const double *m, const double *x, const double *v, double eps2, size_t i,
                                 size_t j)
{
  double r[3], w[3];
  hb_between(x, i, j, r);
  hb_between(v, i, j, w);
  return hb_orbit_of(m[i], m[j], r, w, eps2);
}

/* ---- events ---- */

const char *const hb_event_names[] = {"initial",   "formed",    "hardened", "exchanged", "broken",
                                      "encounter", "collision", "escape",   "approach",  NULL};

enum hb_status hb_events_add(struct hb_events *events, const struct hb_event *event)
{
  if (!events || !(events->kinds >> event->kind & 1)) return HB_OK;
  HB_TRY(HB_GROW(events->count, &events->capacity, &events->at));
  events->at[events->count++] = *event;
  return HB_OK;
}

struct hb_event hb_event_of(enum hb_event_kind kind, double t, uint64_t id1, uint64_t id2,
                            const struct hb_orbit *orbit)
{
  return (struct hb_event){
      .kind = kind, .t = t, .n = 2, .id = {id1, id2}, .a = orbit->a, .e = orbit->e, .E = orbit->E, .r = NAN};
}

/* ---- pairs ---- */

/* The tightest first; ties in the order of the particles. */
static int by_energy(const void *a, const void *b)
{
  const struct hb_binary *p = a, *q = b;
  if (p->orbit.E != q->orbit.E) return p->orbit.E > q->orbit.E ? 1 : -1;
  return p->i != q->i ? (p->i > q->i) - (p->i < q->i) : (p->j > q->j) - (p->j < q->j);
}

static int is_bound(const struct hb_particles *p, double eps2, const uint32_t *nearest, size_t i,
                    struct hb_binary *pair)
{
  uint32_t j = nearest[i];
  if (j == UINT32_MAX || (j < i && nearest[j] == i)) return 0; /* a mutual pair is named once */
  *pair = (struct hb_binary){hb_orbit_of_pair(p->m, p->x, p->v, eps2, i, j), (uint32_t)i, j};
  return pair->orbit.E < 0;
}

static enum hb_status bound_pairs(const struct hb_particles *p, double eps2, const uint32_t *nearest,
                                  struct hb_binary **pairs, size_t *count)
{
  struct hb_binary pair;
  *count = 0;
  for (size_t i = 0; i < p->n; i++) *count += (size_t)is_bound(p, eps2, nearest, i, &pair);
  HB_TRY(HB_ALLOC(*count, pairs));
  for (size_t i = 0, k = 0; i < p->n; i++)
    if (is_bound(p, eps2, nearest, i, &pair)) (*pairs)[k++] = pair;
  if (*count) qsort(*pairs, *count, sizeof **pairs, by_energy);
  return HB_OK;
}

/* Keeps only the first pair of each particle. */
static enum hb_status keep_tightest(size_t n, struct hb_binary *pairs, size_t *count)
{
  HB_OWN uint8_t *taken = NULL;
  HB_TRY(HB_ALLOC(n, &taken));
  size_t kept = 0;
  for (size_t k = 0; k < *count; k++) {
    struct hb_binary pair = pairs[k];
    if (taken[pair.i] || taken[pair.j]) continue;
    taken[pair.i] = taken[pair.j] = 1;
    pairs[kept++] = pair;
  }
  *count = kept;
  return HB_OK;
}

/* sum m (v - V)^2 / 2 or -e_pot / 2, each without what the pairs have within, per star. */
static double mean_energy(const struct hb_particles *p, double e_pot, const struct hb_binary *pairs,
                          size_t count)
{
  double X[3], V[3], sum = 0;
  hb_center_of_mass(p, X, V);
  for (size_t i = 0; i < p->n; i++) {
    const double *v = p->v + 3 * i;
    double vx = v[0] - V[0], vy = v[1] - V[1], vz = v[2] - V[2];
    sum += p->m[i] * (vx * vx + vy * vy + vz * vz) / 2;
  }
  for (size_t k = 0; k < count; k++) {
    sum -= pairs[k].orbit.e_kin;
    e_pot -= pairs[k].orbit.E - pairs[k].orbit.e_kin;
  }
  return fmax(fmax(sum, 0), -e_pot / 2) / (double)(p->n - count);
}

enum hb_status hb_binaries_list(const struct hb_particles *particles, double eps2, const uint32_t *nearest,
                                double e_pot, struct hb_binary **pairs, size_t *hard, double *hard_above)
{
  size_t count;
  *pairs = NULL;
  HB_TRY(bound_pairs(particles, eps2, nearest, pairs, &count));
  HB_TRY(keep_tightest(particles->n, *pairs, &count));
  *hard_above = mean_energy(particles, e_pot, *pairs, count);
  *hard = 0;
  while (*hard < count && -(*pairs)[*hard].orbit.E > *hard_above) (*hard)++;
  return HB_OK;
}

/* ---- pairs of pairs ---- */

static size_t stars_of(const struct hb_hierarchy *h, uint32_t part)
{
  return part < h->n ? 1 : h->at[part - h->n].stars;
}

/* System i becomes the center of mass of i and k; k is left without mass of its own, as nobody. */
static enum hb_status join_systems(struct hb_hierarchy *h, const struct hb_binary *pair)
{
  struct hb_particles *p = h->systems;
  size_t i = pair->i, k = pair->j;
  HB_TRY(HB_GROW(h->count, &h->capacity, &h->at));
  uint32_t a = h->part[i], b = h->part[k];
  h->at[h->count] = (struct hb_hierarchy_orbit){.part = {a, b},
                                                .m = {p->m[i], p->m[k]},
                                                .stars = stars_of(h, a) + stars_of(h, b),
                                                .orbit = pair->orbit,
                                                .period = 2 * PI * pair->orbit.a *
                                                          sqrt(pair->orbit.a / (p->m[i] + p->m[k]))};
  for (int s = 0; s < 2; s++)
    if (h->at[h->count].part[s] >= h->n) h->at[h->at[h->count].part[s] - h->n].is_inner = 1;
  double m = p->m[i] + p->m[k];
  for (size_t d = 0; d < 3; d++) {
    p->x[3 * i + d] += p->m[k] / m * (p->x[3 * k + d] - p->x[3 * i + d]);
    p->v[3 * i + d] += p->m[k] / m * (p->v[3 * k + d] - p->v[3 * i + d]);
  }
  p->m[i] = m;
  h->part[i] = (uint32_t)(h->n + h->count++);
  h->part[k] = UINT32_MAX;
  return HB_OK;
}

static void close_up(struct hb_hierarchy *h)
{
  struct hb_particles *p = h->systems;
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (h->part[i] == UINT32_MAX) continue;
    p->m[n] = p->m[i];
    p->id[n] = p->id[i];
    memmove(p->x + 3 * n, p->x + 3 * i, 3 * sizeof *p->x);
    memmove(p->v + 3 * n, p->v + 3 * i, 3 * sizeof *p->v);
    h->part[n++] = h->part[i];
  }
  p->n = n;
}

/* One level; *hard is how many have joined. */
static enum hb_status look_for_level(struct hb_hierarchy *h, double eps2, uint32_t *nearest, size_t *hard)
{
  struct hb_particles *p = h->systems;
  HB_OWN struct hb_binary *pairs = NULL;
  double hard_above;
  HB_TRY(hb_kdtree_nearest_of_all(p->n, p->x, nearest));
  HB_TRY(hb_binaries_list(p, eps2, nearest, NAN, &pairs, hard, &hard_above));
  for (size_t k = 0; k < *hard; k++) HB_TRY(join_systems(h, pairs + k));
  close_up(h);
  return HB_OK;
}

enum hb_status hb_hierarchy_find(const struct hb_particles *particles, double eps2,
                                 struct hb_hierarchy *hierarchy)
{
  struct hb_hierarchy *h = hierarchy;
  HB_OWN uint32_t *nearest = NULL;
  size_t hard = 1;
  *h = (struct hb_hierarchy){.n = particles->n};
  HB_TRY(hb_particles_copy(particles, &h->systems));
  HB_TRY(HB_ALLOC(h->n, &h->part));
  int any = hb_particles_massive(particles) > 0;
  for (uint32_t i = 0; i < h->n; i++) h->part[i] = any && !(particles->m[i] > 0) ? UINT32_MAX : i;
  close_up(h);
  HB_TRY(HB_ALLOC(h->n, &nearest));
  while (hard > 0) HB_TRY(look_for_level(h, eps2, nearest, &hard));
  return HB_OK;
}

void hb_hierarchy_clear(struct hb_hierarchy *h)
{
  hb_particles_destroy(h->systems);
  HB_FREE(h->at, h->part);
  *h = (struct hb_hierarchy){0};
}

enum hb_status hb_hierarchy_name(const struct hb_hierarchy *h, const struct hb_particles *particles,
                                 uint32_t part, struct hb_text *name)
{
  if (part < h->n) return hb_text_append(name, "%" PRIu64, particles->id[part]);
  const uint32_t *of = h->at[part - h->n].part;
  HB_TRY(hb_text_append(name, "("));
  HB_TRY(hb_hierarchy_name(h, particles, of[0], name));
  HB_TRY(hb_text_append(name, " "));
  HB_TRY(hb_hierarchy_name(h, particles, of[1], name));
  return hb_text_append(name, ")");
}
