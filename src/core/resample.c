#include "core/resample.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/kdtree.h"
#include "core/particles.h"

#include <math.h>
#include <stdlib.h>

enum { NEIGHBORS = 8 };

/* Particles of one component, stars or not: first ... first + count - 1 of each. */
struct part {
  const struct hb_particles *from;
  size_t from_first, from_count;
  struct hb_particles *to;
  size_t to_first, to_count;
  uint32_t (*neighbor)[NEIGHBORS]; /* of each old particle; NULL: none are needed */
  size_t neighbors;                /* as many */
  struct hb_rng rng;
};

static size_t draw(struct part *p, size_t count) { return (size_t)(hb_rng_uniform(&p->rng) * (double)count); }

static enum hb_status find_neighbors(struct part *p)
{
  struct hb_kdtree *tree;
  double r2[NEIGHBORS];
  if (p->to_count <= p->from_count) return HB_OK;
  if (p->from_count < 2)
    return hb_fail(HB_ERR_USAGE, "a single particle has no neighbors, and cannot become more");
  HB_TRY(HB_ALLOC(p->from_count, &p->neighbor));
  HB_TRY(hb_kdtree_create(p->from_count, p->from->x + 3 * p->from_first, &tree));
  for (size_t place = 0; place < p->from_count; place++)
    p->neighbors = hb_kdtree_nearest(tree, place, NEIGHBORS, p->neighbor[tree->index[place]], r2);
  hb_kdtree_destroy(tree);
  return HB_OK;
}

/* Particle k of the new ones like a of the old: its neighbors' mean velocity, and the difference of two of them, so that the
 * variance of the mean and that of the difference add up to theirs. */
static void put_between(struct part *p, size_t a, size_t k)
{
  const double *x = p->from->x + 3 * p->from_first, *v = p->from->v + 3 * p->from_first;
  const uint32_t *near = p->neighbor[a];
  double count = (double)p->neighbors, share = hb_rng_uniform(&p->rng);
  size_t b = near[draw(p, p->neighbors)], c = near[draw(p, p->neighbors)];
  while (p->neighbors > 1 && c == b) c = near[draw(p, p->neighbors)];
  for (size_t axis = 0; axis < 3; axis++) {
    double mean = 0;
    for (size_t j = 0; j < p->neighbors; j++) mean += v[3 * near[j] + axis] / count;
    p->to->x[3 * k + axis] = x[3 * a + axis] + share * (x[3 * b + axis] - x[3 * a + axis]);
    p->to->v[3 * k + axis] = mean + sqrt((1 - 1 / count) / 2) * (v[3 * b + axis] - v[3 * c + axis]);
  }
}

/* New particle k stands for the old ones from k count / n to (k + 1) count / n: for one of them, or a part of one. */
static void fill(struct part *p)
{
  double before = 0, after = 0;
  for (size_t k = 0, last = SIZE_MAX; k < p->to_count; k++) {
    size_t a = (uint64_t)k * p->from_count / p->to_count,
           end = (uint64_t)(k + 1) * p->from_count / p->to_count;
    if (end > a) a += draw(p, end - a);
    size_t i = p->from_first + a, o = p->to_first + k;
    p->to->m[o] = p->from->m[i];
    for (size_t axis = 0; axis < 3; axis++) {
      p->to->x[3 * o + axis] = p->from->x[3 * i + axis];
      p->to->v[3 * o + axis] = p->from->v[3 * i + axis];
    }
    if (a == last) put_between(p, a, o);
    last = a;
    after += p->to->m[o];
  }
  for (size_t k = 0; k < p->from_count; k++) before += p->from->m[p->from_first + k];
  for (size_t k = 0; k < p->to_count && after > 0; k++) p->to->m[p->to_first + k] *= before / after;
}

static enum hb_status take_part(struct part *p)
{
  if (p->to_count == 0) return HB_OK;
  enum hb_status status = find_neighbors(p);
  if (status == HB_OK) fill(p);
  hb_mem_free(p->neighbor);
  return status;
}

/* Sums of m x (or m v) over the mass. */
static void center(const struct hb_particles *p, const double *x, double mean[3])
{
  double mass = 0;
  for (int axis = 0; axis < 3; axis++) mean[axis] = 0;
  for (size_t i = 0; i < p->n; i++) {
    mass += p->m[i];
    for (size_t axis = 0; axis < 3; axis++) mean[axis] += p->m[i] * x[3 * i + axis];
  }
  for (int axis = 0; axis < 3; axis++) mean[axis] = mass > 0 ? mean[axis] / mass : 0;
}

static void move(const struct hb_particles *from, const double *was, const struct hb_particles *to, double *x)
{
  double before[3], after[3];
  center(from, was, before);
  center(to, x, after);
  for (size_t k = 0; k < 3 * to->n; k++) x[k] += before[k % 3] - after[k % 3];
}

enum hb_status hb_resample(struct hb_particles *from, size_t n, uint64_t seed,
                           struct hb_particles **particles)
{
  const char *note = hb_particles_note(from, "dark");
  size_t dark = note ? strtoull(note, NULL, 10) : 0, stars = dark < from->n ? from->n - dark : from->n;
  size_t to_stars = (size_t)((double)n * (double)stars / (double)from->n + 0.5);
  *particles = NULL;
  if (n < 3 || from->n < 3)
    return hb_fail(HB_ERR_USAGE, "%zu particle%s cannot become %zu, expected 3 or more of both", from->n,
                   hb_text_s(from->n), n);
  HB_OWN_PARTICLES struct hb_particles *to = NULL;
  HB_TRY(hb_particles_create(n, &to));
  struct part part[2] = {
      {.from = from, .from_count = stars, .to = to, .to_count = to_stars, .rng = hb_rng_seeded(seed)},
      {.from = from,
       .from_first = stars,
       .from_count = from->n - stars,
       .to = to,
       .to_first = to_stars,
       .to_count = n - to_stars,
       .rng = hb_rng_seeded(~seed)}};
  to->t = from->t;
  for (size_t k = 0; k < from->note_count; k++)
    HB_TRY(hb_particles_set_note(to, from->notes[k].key, from->notes[k].value));
  if (n > to_stars) HB_TRY(hb_particles_print_note(to, "dark", "%zu", n - to_stars));
  for (int k = 0; k < 2; k++) HB_TRY(take_part(&part[k]));
  move(from, from->x, to, to->x);
  move(from, from->v, to, to->v);
  return HB_GIVE(to, particles);
}
