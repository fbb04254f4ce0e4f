#include "ic/fractal.h"

#include "base/mem.h"
#include "base/elementary.h"

#include <math.h>

struct part {
  double x[3], v[3];
};

/* One generation; `half` is half of the edge of its cubes, and also how fast a part moves within its parent. */
struct generation {
  struct part *parts;
  size_t count;
  double half;
};

/* A part's center lies at random within `loose` half edges about the middle, so that no grid shows. */
static struct part part_of(const struct part *parent, int octant, double half, double loose,
                           struct hb_rng *rng)
{
  struct part child;
  double normals[3];
  hb_elementary_three_normals(rng, normals);
  for (int k = 0; k < 3; k++) {
    double side = octant >> k & 1 ? 1 : -1, noise = (2 * hb_rng_uniform(rng) - 1) * half * loose;
    child.x[k] = parent->x[k] + side * half + noise;
    child.v[k] = parent->v[k] + half * normals[k];
  }
  return child;
}

static enum hb_status divide(struct hb_rng *rng, double survives, const struct generation *parents,
                             struct generation *children)
{
  size_t capacity = 0;
  double loose = (1 - survives) / 4; /* parts that all survive fill their parent evenly */
  *children = (struct generation){.half = parents->half / 2};
  for (size_t i = 0; i < parents->count; i++)
    for (int octant = 0; octant < 8; octant++) {
      if (hb_rng_uniform(rng) >= survives) continue;
      HB_TRY(HB_GROW(children->count, &capacity, &children->parts));
      children->parts[children->count++] = part_of(&parents->parts[i], octant, children->half, loose, rng);
    }
  return HB_OK;
}

/* Keeps those that reach into the unit ball. */
static size_t round_off(struct generation *g)
{
  size_t kept = 0;
  double most = 1 + g->half * sqrt(3);
  for (size_t i = 0; i < g->count; i++) {
    const double *x = g->parts[i].x;
    if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < most * most) g->parts[kept++] = g->parts[i];
  }
  return kept;
}

/* Generations until one has twice n in the ball. The first has all of its eight parts, and a line that dies out begins anew. */
static enum hb_status grow(struct hb_rng *rng, double D, size_t n, struct generation *g)
{
  double survives = hb_elementary_power(2, D - 3);
  for (size_t inside = 0; inside < 2 * n;) {
    struct part origin = {{0}, {0}};
    struct generation first = {&origin, 1, 1}, next;
    int is_new = g->count == 0;
    enum hb_status status = divide(rng, is_new ? 1 : survives, is_new ? &first : g, &next);
    hb_mem_free(g->parts);
    *g = next;
    HB_TRY(status);
    if (g->count < 2 * n) continue;
    inside = round_off(g);
    g->count = inside;
  }
  return HB_OK;
}

/* Any place in any part that is in the ball: where all parts survive, stars are as independent of each other as raindrops. */
static void draw_star(struct hb_rng *rng, const struct generation *g, double x[3], double v[3])
{
  double normals[3], r2;
  const struct part *part;
  do {
    part = &g->parts[(size_t)(hb_rng_uniform(rng) * (double)g->count)];
    r2 = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = part->x[k] + g->half * (2 * hb_rng_uniform(rng) - 1);
      r2 += x[k] * x[k];
    }
  } while (r2 >= 1);
  hb_elementary_three_normals(rng, normals);
  for (int k = 0; k < 3; k++) v[k] = part->v[k] + g->half / 2 * normals[k];
}

enum hb_status hb_fractal_draw(struct hb_rng *rng, double D, size_t n, double *x, double *v)
{
  struct generation g = {0};
  enum hb_status status = grow(rng, D, n, &g);
  for (size_t i = 0; status == HB_OK && i < n; i++) draw_star(rng, &g, x + 3 * i, v + 3 * i);
  hb_mem_free(g.parts);
  return status;
}
