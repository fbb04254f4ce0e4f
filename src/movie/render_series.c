#include "base/arith.h"
#include "base/mem.h"
#include "base/text.h"
#include "movie/render.h"

#include <math.h>
#include <string.h>

static void clear(struct hb_render_moment *moment)
{
  hb_particles_destroy(moment->particles);
  hb_mem_free(moment->value);
  *moment = (struct hb_render_moment){0};
}

void hb_render_series_close(struct hb_render_series *series)
{
  for (int k = 0; k < 2; k++) clear(&series->moments[k]);
  clear(&series->between);
}

/* ---- values for colors --------------------------------------------------------------------------------- */

/* The value at the start of a simulation of these particles. */
static enum hb_status quantity_of(const struct hb_render *render, const struct hb_particles *particles,
                                  double *value)
{
  struct hb_sim_params params = {.force = render->force};
  struct hb_sim *sim;
  double noted;
  HB_TRY(hb_particles_eps(particles, &noted));
  if (!render->has_eps && !isnan(noted)) params.force.eps = noted;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_sim_create(particles, &params, &sim));
  enum hb_status status = hb_coloring_of_sim(render->color, sim, hb_particles_n(particles), value);
  hb_sim_destroy(sim);
  return status;
}

static enum hb_status find_values(const struct hb_render *render, struct hb_render_moment *moment)
{
  size_t n = hb_particles_n(moment->particles);
  if (render->color == HB_COLORING_SPEED) return HB_OK;
  HB_TRY(HB_ALLOC(n, &moment->value));
  if (render->color != HB_COLORING_GROUP) return quantity_of(render, moment->particles, moment->value);
  hb_coloring_groups(hb_view_particles_lit(moment->particles), render->groups, moment->value);
  return HB_OK;
}

/* ---- moments ----------------------------------------------------------------------------------------- */

static enum hb_status load(const struct hb_render *render, size_t file, struct hb_render_moment *moment)
{
  clear(moment);
  HB_TRY(hb_snapshot_read(render->files[file], NULL, &moment->particles));
  return find_values(render, moment);
}

/* Whether file `later` holds the same particles as file `earlier`, at a later time. */
static enum hb_status check_pair(const struct hb_render *render, size_t earlier, struct hb_particles *a,
                                 size_t later, struct hb_particles *b)
{
  const char *before = render->files[earlier], *name = render->files[later];
  size_t n = hb_particles_n(a);
  if (hb_particles_n(b) != n)
    return hb_fail(HB_ERR_INPUT, "%s holds %zu particle%s, expected %zu as in %s", name, hb_particles_n(b),
                   hb_text_s(hb_particles_n(b)), n, before);
  if (!(hb_particles_time(b) > hb_particles_time(a)))
    return hb_fail(HB_ERR_INPUT, "%s is at t = %g, expected later than %g, the time of %s", name,
                   hb_particles_time(b), hb_particles_time(a), before);
  if (memcmp(hb_particles_id(a), hb_particles_id(b), n * sizeof(uint64_t)) != 0)
    return hb_fail(HB_ERR_INPUT, "%s has other particles than %s, or in another order", name, before);
  return HB_OK;
}

/* Makes file number `file`, not before s->at, the first of the two. */
static enum hb_status go_to(struct hb_render_series *s, size_t file)
{
  struct hb_render_moment next = {0};
  if (s->moments[0].particles && s->at == file) return HB_OK;
  enum hb_status status = HB_OK;
  if (s->moments[1].particles && s->at + 1 == file) {
    next = s->moments[1];
    s->moments[1] = (struct hb_render_moment){0};
  } else {
    status = load(s->render, file, &next);
  }
  if (status == HB_OK && s->moments[0].particles)
    status = check_pair(s->render, s->at, s->moments[0].particles, file, next.particles);
  clear(&s->moments[0]);
  clear(&s->moments[1]);
  s->moments[0] = next;
  s->at = file;
  return status;
}

static void blend(const struct hb_render_series *s, double u)
{
  struct hb_particles *a = s->moments[0].particles, *b = s->moments[1].particles, *p = s->between.particles;
  double t0 = hb_particles_time(a), dt = hb_particles_time(b) - t0, w = 1 - u;
  const double *x0 = hb_particles_x(a), *x1 = hb_particles_x(b);
  const double *v0 = hb_particles_v(a), *v1 = hb_particles_v(b);
  double *x = hb_particles_x(p), *v = hb_particles_v(p);
  hb_particles_set_time(p, t0 + u * dt);
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) {
    x[k] = hb_cubic(x0[k], v0[k], x1[k], v1[k], dt, u);
    v[k] = w * v0[k] + u * v1[k];
  }
  for (size_t k = 0; s->between.value && k < hb_particles_n(p); k++)
    s->between.value[k] = hb_coloring_scene(s->render->color) == HB_SCENE_COLOR_GROUP
                              ? s->moments[0].value[k]
                              : w * s->moments[0].value[k] + u * s->moments[1].value[k];
}

static enum hb_status at_between(struct hb_render_series *s, double u)
{
  if (!s->moments[1].particles) {
    HB_TRY(load(s->render, s->at + 1, &s->moments[1]));
    HB_TRY(check_pair(s->render, s->at, s->moments[0].particles, s->at + 1, s->moments[1].particles));
  }
  clear(&s->between);
  HB_TRY(hb_particles_copy(s->moments[0].particles, &s->between.particles));
  if (s->moments[0].value) HB_TRY(HB_ALLOC(hb_particles_n(s->between.particles), &s->between.value));
  blend(s, u);
  return HB_OK;
}

enum hb_status hb_render_series_at(struct hb_render_series *s, double place,
                                   const struct hb_render_moment **moment)
{
  size_t file = (size_t)place, last = s->render->file_count - 1;
  double u = place - (double)file;
  if (file >= last) file = last, u = 0;
  HB_TRY(go_to(s, file));
  *moment = &s->moments[0];
  if (u < 1e-9) return HB_OK;
  HB_TRY(at_between(s, u));
  *moment = &s->between;
  return HB_OK;
}
