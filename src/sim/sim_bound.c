/* hb_sim_bound: who orbits whom, and how the orbits lie in space. */
#include "sim/sim.h"

#include "base/mem.h"
#include "core/vector.h"
#include "force/force.h"
#include "gl/gl_context.h"

#include <math.h>
#include <string.h>

/* What a part is: where, how heavy, and known as whom. */
struct part {
  double m, x[3], v[3], heaviest;
  uint64_t id;
};

static struct part part_of(const struct hb_hierarchy *h, const struct hb_particles *p,
                           const struct part *pairs, uint32_t part)
{
  if (part >= h->n) return pairs[part - h->n];
  struct part star = {.m = p->m[part], .heaviest = p->m[part], .id = p->id[part]};
  memcpy(star.x, p->x + 3 * (size_t)part, sizeof star.x);
  memcpy(star.v, p->v + 3 * (size_t)part, sizeof star.v);
  return star;
}

static struct part pair_of(const struct part *p, const struct part *q)
{
  struct part pair = {.m = p->m + q->m, .heaviest = fmax(p->heaviest, q->heaviest)};
  pair.id = q->heaviest > p->heaviest ? q->id : p->id;
  for (int c = 0; c < 3; c++) {
    pair.x[c] = (p->m * p->x[c] + q->m * q->x[c]) / pair.m;
    pair.v[c] = (p->m * p->v[c] + q->m * q->v[c]) / pair.m;
  }
  return pair;
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* From `from` to `to`, both square to the axis, about that. */
static double turn(const double from[3], const double to[3], const double axis[3])
{
  double c[3], angle;
  cross(from, to, c);
  angle = atan2(hb_dot(c, axis) / hb_norm(axis), hb_dot(from, to));
  return angle < 0 ? angle + 2 * acos(-1) : angle;
}

/* An orbit in the plane x y has its node, and a circle its pericenter, where the axis x points, or the node. */
static void set_angles(double M, const double r[3], const double v[3], struct hb_bound *b)
{
  static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
  double L[3], e[3], node[3];
  cross(r, v, L);
  cross(v, L, e);
  for (int c = 0; c < 3; c++) e[c] = e[c] / M - r[c] / hb_norm(r);
  cross(z_axis, L, node);
  double across = hb_norm(node);
  if (!(across > 1e-12 * hb_norm(L))) memcpy(node, x_axis, sizeof node);
  if (!(hb_norm(e) > 1e-12)) memcpy(e, node, sizeof e);
  b->inclination = atan2(across, L[2]);
  b->node = turn(x_axis, node, z_axis);
  b->pericenter = turn(node, e, L);
  b->anomaly = turn(e, r, L);
}

static void set_row(const struct hb_hierarchy *h, const struct hb_particles *p, size_t k, struct part *pairs,
                    struct hb_bound *rows)
{
  const struct hb_hierarchy_orbit *o = h->at + k;
  struct hb_bound *b = rows + k;
  const struct part part[2] = {part_of(h, p, pairs, o->part[0]), part_of(h, p, pairs, o->part[1])};
  double r[3], v[3];
  pairs[k] = pair_of(part, part + 1);
  *b = (struct hb_bound){
      .stars = o->stars, .outer = -1, .a = o->orbit.a, .e = o->orbit.e, .E = o->orbit.E, .period = o->period};
  for (int s = 0; s < 2; s++) {
    b->id[s] = part[s].id;
    b->m[s] = part[s].m;
    b->part[s] = o->part[s] < h->n ? -1 : (int64_t)(o->part[s] - h->n);
    if (b->part[s] >= 0) rows[b->part[s]].outer = (int64_t)k;
  }
  memcpy(b->x, pairs[k].x, sizeof b->x);
  memcpy(b->v, pairs[k].v, sizeof b->v);
  for (int c = 0; c < 3; c++) r[c] = part[1].x[c] - part[0].x[c], v[c] = part[1].v[c] - part[0].v[c];
  set_angles(pairs[k].m, r, v, b);
}

static enum hb_status list(struct hb_sim *sim, const struct hb_particles *p, struct hb_hierarchy *h,
                           size_t *count)
{
  struct part *pairs;
  HB_TRY(hb_hierarchy_find(p, sim->eps2, h));
  HB_TRY(HB_ALLOC(h->count, &pairs));
  hb_mem_free(sim->bound);
  enum hb_status status = HB_ALLOC(h->count, &sim->bound);
  for (size_t k = 0; k < h->count && status == HB_OK; k++) set_row(h, p, k, pairs, sim->bound);
  *count = h->count;
  hb_mem_free(pairs);
  return status;
}

enum hb_status hb_sim_bound(struct hb_sim *sim, double t, size_t *count, const struct hb_bound **bound)
{
  HB_GL_VISIT;
  struct hb_state_view view;
  struct hb_hierarchy hierarchy = {.n = 0};
  *count = 0, *bound = NULL;
  if (!isfinite(t)) return hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", t);
  if (hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "who is bound is found by gravity, and this interaction is not gravity");
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, t, &view);
  if (status == HB_OK) hb_frame_leave(&sim->frame, &view.at);
  if (status == HB_OK) status = list(sim, &view.at, &hierarchy, count);
  hb_state_view_close(&view);
  hb_hierarchy_clear(&hierarchy);
  if (status == HB_OK) *bound = sim->bound;
  return status;
}
