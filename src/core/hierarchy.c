#include "core/hierarchy.h"

#include "base/mem.h"
#include "core/kdtree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static size_t stars_of(const struct hb_hierarchy *h, uint32_t part)
{
  return part < h->n ? 1 : h->at[part - h->n].stars;
}

/* System i becomes the center of mass of i and k; k is left without mass of its own, as nobody. */
static enum hb_status join(struct hb_hierarchy *h, const struct hb_binary *pair)
{
  struct hb_particles *p = h->systems;
  size_t i = pair->i, k = pair->j;
  HB_TRY(HB_GROW(h->count, &h->capacity, &h->at));
  uint32_t a = h->part[i], b = h->part[k];
  h->at[h->count] = (struct hb_hierarchy_orbit){.part = {a, b},
                                                .m = {p->m[i], p->m[k]},
                                                .stars = stars_of(h, a) + stars_of(h, b),
                                                .orbit = pair->orbit,
                                                .period = hb_orbit_period(&pair->orbit, p->m[i] + p->m[k])};
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
static enum hb_status look(struct hb_hierarchy *h, double eps2, uint32_t *nearest, size_t *hard)
{
  struct hb_particles *p = h->systems;
  struct hb_binary *pairs = NULL;
  double hard_above;
  enum hb_status status = hb_kdtree_nearest_of_all(p->n, p->x, nearest);
  if (status == HB_OK) status = hb_binaries_list(p, eps2, nearest, NAN, &pairs, hard, &hard_above);
  for (size_t k = 0; status == HB_OK && k < *hard; k++) status = join(h, pairs + k);
  hb_mem_free(pairs);
  close_up(h);
  return status;
}

enum hb_status hb_hierarchy_find(const struct hb_particles *particles, double eps2,
                                 struct hb_hierarchy *hierarchy)
{
  struct hb_hierarchy *h = hierarchy;
  uint32_t *nearest = NULL;
  size_t hard = 1;
  *h = (struct hb_hierarchy){.n = particles->n};
  HB_TRY(hb_particles_copy(particles, &h->systems));
  HB_TRY(HB_ALLOC(h->n, &h->part));
  int any = hb_particles_massive(particles) > 0;
  for (uint32_t i = 0; i < h->n; i++) h->part[i] = any && !(particles->m[i] > 0) ? UINT32_MAX : i;
  close_up(h);
  enum hb_status status = HB_ALLOC(h->n, &nearest);
  while (status == HB_OK && hard > 0) status = look(h, eps2, nearest, &hard);
  hb_mem_free(nearest);
  return status;
}

void hb_hierarchy_clear(struct hb_hierarchy *h)
{
  hb_particles_destroy(h->systems);
  hb_mem_free(h->at);
  hb_mem_free(h->part);
  *h = (struct hb_hierarchy){0};
}

static void set_stars(const struct hb_hierarchy *h, uint32_t part, double count, double *stars)
{
  if (part < h->n) {
    stars[part] = count;
    return;
  }
  for (int s = 0; s < 2; s++) set_stars(h, h->at[part - h->n].part[s], count, stars);
}

void hb_hierarchy_stars(const struct hb_hierarchy *h, double *stars)
{
  for (size_t i = 0; i < h->n; i++) stars[i] = 1; /* also of test particles */
  for (size_t i = 0; i < h->systems->n; i++) set_stars(h, h->part[i], (double)stars_of(h, h->part[i]), stars);
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
