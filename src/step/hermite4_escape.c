/* Escapers: particles farther than a given radius from the density center that are not bound to the rest. NBODY6 takes those
 * beyond twice the tidal radius, which is ten half-mass radii of a cluster without a tide (Aarseth 2003). */
#include "step/hermite4_bodies.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/events.h"
#include "core/field.h"
#include "core/structure.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

static const double half_mass_radii = 20;

/* Where the system is, how it moves, and how far it reaches. */
struct place {
  double x[3], v[3], limit;
};

/* A node that is still there: a star, a group or a test particle. */
static int is_there(const struct hb_hermite4 *h, uint32_t i)
{
  return h->bodies->fate[i] != HB_BODY_IS_GONE && !(h->groups && h->groups->of[i] == HB_GROUPS_PARKED);
}

/* The nodes that have mass, at the time of the block. */
static enum hb_status gather(const struct hb_hermite4 *h, struct hb_particles **nodes)
{
  const double *m = hb_hermite4_masses(h);
  size_t count = 0, k = 0;
  for (uint32_t i = 0; i < h->n; i++) count += m[i] > 0 && is_there(h, i);
  HB_TRY(hb_particles_create(count, nodes));
  for (uint32_t i = 0; i < h->n; i++) {
    if (!(m[i] > 0 && is_there(h, i))) continue;
    (*nodes)->m[k] = m[i];
    memcpy((*nodes)->x + 3 * k, h->xp + 3 * (size_t)i, 3 * sizeof *m);
    memcpy((*nodes)->v + 3 * k++, h->vp + 3 * (size_t)i, 3 * sizeof *m);
  }
  return HB_OK;
}

static double distance(const double *x, const double y[3])
{
  double sum = 0;
  for (size_t d = 0; d < 3; d++) sum += (x[d] - y[d]) * (x[d] - y[d]);
  return sqrt(sum);
}

/* The velocity is that of the inner half. */
static enum hb_status find_place(const struct hb_particles *p, double radius, struct place *place)
{
  struct hb_surroundings around;
  double r_core, r_half, half = 0.5, *work, M = 0;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, place->x, place->v);
  enum hb_status status = hb_surroundings_find(p, &around);
  if (status == HB_OK) {
    double center[3];
    if (hb_density_center(p, around.rho, center, &r_core)) memcpy(place->x, center, sizeof center);
    hb_lagrangian_radii(p, place->x, 1, &half, work, &r_half);
    memset(place->v, 0, sizeof place->v);
    for (size_t i = 0; i < p->n; i++) {
      if (distance(p->x + 3 * i, place->x) > r_half) continue;
      M += p->m[i];
      for (size_t d = 0; d < 3; d++) place->v[d] += p->m[i] * p->v[3 * i + d];
    }
    for (size_t d = 0; d < 3; d++) place->v[d] /= M;
    place->limit = radius > 0 ? radius : half_mass_radii * r_half;
  }
  hb_surroundings_clear(&around);
  hb_mem_free(work);
  return status;
}

/* Of a node relative to the place, in coordinates at rest: those that turn add W z x r. */
static double speed_of(const struct hb_hermite4 *h, uint32_t i, const struct place *place)
{
  const double *x = h->xp + 3 * (size_t)i, *v = h->vp + 3 * (size_t)i;
  double W = h->field ? hb_field_turn(h->field) / 2 : 0;
  const double at_rest[] = {v[0] - W * (x[1] - place->x[1]), v[1] + W * (x[0] - place->x[0]), v[2]};
  return distance(at_rest, place->v);
}

/* ---- what goes with it ---- */

/* Of a node among those that are there: in the field of others, and with respect to their center of mass; with forces from
 * outside, in the given frame. */
static double energy_of(const struct hb_hermite4 *h, uint32_t i, double M, const double momentum[3])
{
  const double *m = hb_hermite4_masses(h), *x = h->xp + 3 * (size_t)i, *v = h->vp + 3 * (size_t)i;
  double sum = 0, v2 = 0, rest = M - m[i];
  for (uint32_t k = 0; k < h->n; k++) {
    double r = k == i || !(m[k] > 0) || !is_there(h, k) ? INFINITY : distance(h->xp + 3 * (size_t)k, x);
    sum -= m[k] / sqrt(r * r + h->bodies->eps * h->bodies->eps);
  }
  if (h->field)
    return m[i] * (sum + hb_field_potential(h->field, x) + (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2);
  for (size_t d = 0; d < 3; d++) {
    double w = v[d] - (momentum[d] - m[i] * v[d]) / rest;
    v2 += w * w;
  }
  return m[i] * (sum + rest / M * v2 / 2);
}

/* What the members of a group have more than a point at its center: their own energy, and that of their places in the field. Of
 * the tides of nodes that far away hardly anything is left. */
static double energy_of_members(const struct hb_hermite4 *h, const struct hb_group *g)
{
  const double *x = h->xp + 3 * (size_t)g->node;
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], sum = hb_chain_energy(&g->chain);
  hb_chain_places(&g->chain, r, w);
  for (size_t k = 0; k < g->chain.n && h->field; k++) {
    const double at[] = {x[0] + r[3 * k], x[1] + r[3 * k + 1], x[2] + r[3 * k + 2]};
    sum += g->chain.m[k] * (hb_field_potential(h->field, at) - hb_field_potential(h->field, x));
  }
  return sum;
}

/* Removes a node, and all its members. */
static void remove_node(struct hb_hermite4 *h, uint32_t i, const struct hb_event *event)
{
  struct hb_bodies *b = h->bodies;
  const struct hb_group *g = h->groups ? hb_groups_of(h->groups, i) : NULL;
  if (g) {
    b->e_lost += energy_of_members(h, g);
    for (size_t k = 0; k < g->chain.n; k++) b->fate[g->chain.member[k]] = HB_BODY_IS_GONE;
    hb_groups_remove(h->groups, i);
  }
  b->fate[i] = HB_BODY_IS_GONE;
  b->escaped += event->n;
}

/* Whether it, or the member that stands for its group, was told before. */
static int was_told(struct hb_hermite4 *h, uint32_t i)
{
  int told = h->bodies->listed[i];
  h->bodies->listed[i] = 1;
  return told;
}

/* All masses and momenta so far. */
struct rest {
  double M, momentum[3];
  size_t count;
};

static enum hb_status leave(struct hb_hermite4 *h, uint64_t T, uint32_t i, double e, struct rest *rest)
{
  double m = hb_hermite4_masses(h)[i];
  struct hb_event event = {
      .kind = HB_EVENT_ESCAPE, .t = h->t0 + hb_hermite4_span(h, T), .a = NAN, .e = NAN, .E = m * e};
  hb_hermite4_add_members(h, i, &event);
  if (h->params.escapers == HB_ESCAPERS_LIST) {
    if (was_told(h, i)) return HB_OK;
    h->bodies->escaped += event.n;
    return hb_events_add(h->events, &event);
  }
  enum { LEAST = 2 }; /* of a system */
  if (m > 0 && rest->count <= LEAST) return HB_OK;
  if (m > 0) h->bodies->e_lost += energy_of(h, i, rest->M, rest->momentum);
  rest->M -= m, rest->count -= m > 0;
  for (size_t d = 0; d < 3; d++) rest->momentum[d] -= m * h->vp[3 * (size_t)i + d];
  remove_node(h, i, &event);
  return hb_events_add(h->events, &event);
}

enum hb_status hb_bodies_escape(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_particles *nodes;
  struct place place;
  struct rest rest = {0};
  if (hb_particles_massive(h->particles) == 0) return HB_OK;
  HB_TRY(gather(h, &nodes));
  enum hb_status status = find_place(nodes, h->params.escape_radius, &place);
  for (size_t i = 0; i < nodes->n; i++, rest.count++) {
    rest.M += nodes->m[i];
    for (size_t d = 0; d < 3; d++) rest.momentum[d] += nodes->m[i] * nodes->v[3 * i + d];
  }
  hb_particles_destroy(nodes);
  for (size_t b = 0; b < ni && status == HB_OK; b++) {
    uint32_t i = h->block[b];
    if (!is_there(h, i) || !(distance(h->xp + 3 * (size_t)i, place.x) > place.limit)) continue;
    double speed = speed_of(h, i, &place), e = speed * speed / 2 + h->bodies->phi[b];
    if (e > 0) status = leave(h, T, i, e, &rest);
  }
  return status;
}
