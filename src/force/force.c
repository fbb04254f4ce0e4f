/* Forces from sources on sinks. */
#include "force/force_handle.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum hb_status hb_force_reserve_stamps(struct hb_force *force, size_t nj)
{
  if (nj <= force->stamp_room) return HB_OK;
  hb_mem_free(force->stamp);
  force->stamp_room = 0;
  HB_TRY(HB_ALLOC(nj, &force->stamp));
  force->stamp_room = nj;
  force->call = 0;
  return HB_OK;
}

enum hb_status hb_force_expect_sources(struct hb_force *force, size_t nj)
{
  if (nj == 0 || nj > UINT32_MAX)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to 2^32 - 1", nj);
  force->nj = 0;
  return hb_force_reserve_stamps(force, nj);
}

struct hb_gl_context *hb_force_on_device(const struct hb_force *force, struct hb_device_particles *particles)
{
  *particles = (struct hb_device_particles){0};
  return force->ops->on_device && force->state ? force->ops->on_device(force->state, particles) : NULL;
}

/* double needs no frame, and keeps its bits without one. */
int hb_force_rounds(const struct hb_force *force) { return !hb_force_facts(force)->is_double; }

enum hb_status hb_force_check_range(const struct hb_force *force, size_t n, const double *m, const double *x,
                                    const double *v)
{
  int bounded = hb_force_rounds(force) && force->scheme->reach > 0;
  return bounded ? hb_force_range(force->scheme, n, m, x, v) : HB_OK;
}

enum hb_status hb_force_set_sources(struct hb_force *force, size_t nj, const double *m, const double *x,
                                    const double *v)
{
  HB_TRY(hb_force_expect_sources(force, nj));
  if (force->rescale) HB_TRY(hb_rescale_find_units(force->rescale, force->params.eps, nj, m, x, v));
  return hb_force_set_some(force, nj, m, x, v);
}

enum hb_status hb_force_set_some(struct hb_force *force, size_t nj, const double *m, const double *x,
                                 const double *v)
{
  if (force->rescale)
    HB_TRY(hb_rescale_set_j(force->rescale, force->ops->reproducible, force->state, nj, m, x, v));
  else
    HB_TRY(force->ops->set_j(force->state, nj, m, x, v));
  memset(force->origin, 0, sizeof force->origin);
  force->nj = nj;
  return HB_OK;
}

enum hb_status hb_force_set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                              const double *v)
{
  HB_GL_VISIT;
  double origin[2][3] = {{0}};
  HB_TRY(hb_force_check_idle(force));
  if (nj > 0 && (!m || !x || !v))
    return hb_fail(HB_ERR_USAGE, "no %s of the sources", !m ? "masses" : !x ? "positions" : "velocities");
  HB_TRY(hb_force_finite(nj, m, x, v)); /* before a frame is made of them */
  if (hb_force_rounds(force)) {
    hb_frame_origin(nj, m, x, HB_FRAME_COARSE, origin[0]);
    hb_frame_origin(nj, m, v, HB_FRAME_COARSE, origin[1]);
    HB_TRY(hb_frame_enter(origin, nj, &x, &v, &force->sources));
  }
  HB_TRY(hb_force_check_range(force, nj, m, x, v));
  HB_TRY(hb_force_set_sources(force, nj, m, x, v));
  memcpy(force->origin, origin, sizeof origin);
  return HB_OK;
}

/* As a scheduler gives them: then none is named twice. */
static int are_ascending(size_t nj, size_t ni, const uint32_t *index)
{
  int wrong = 0;
  for (size_t k = 1; k < ni; k++) wrong |= index[k] <= index[k - 1];
  return !wrong && (ni == 0 || index[ni - 1] < nj);
}

enum hb_status hb_force_check_sinks(struct hb_force *force, size_t ni, const uint32_t *index)
{
  if (are_ascending(force->nj, ni, index)) return HB_OK;
  if (++force->call == 0) { /* the counter wrapped: clear all stamps */
    memset(force->stamp, 0, force->stamp_room * sizeof *force->stamp);
    force->call = 1;
  }
  for (size_t k = 0; k < ni; k++) {
    if (index[k] >= force->nj)
      return hb_fail(HB_ERR_USAGE, "sink %zu is particle %u, expected below %zu", k, index[k], force->nj);
    if (force->stamp[index[k]] == force->call)
      return hb_fail(HB_ERR_USAGE, "sink %zu names particle %u again", k, index[k]);
    force->stamp[index[k]] = force->call;
  }
  return HB_OK;
}

static enum hb_status check_ready(const struct hb_force *force)
{
  if (force->nj == 0) return hb_fail(HB_ERR_USAGE, "forces requested before the sources were set");
  return hb_force_check_idle(force);
}

static int are_finite(const struct hb_force_call *c, size_t k)
{
  for (size_t d = 3 * k; d < 3 * k + 3; d++)
    if (!isfinite(c->a[d]) || !isfinite(c->j[d])) return 0;
  return isfinite(c->phi[k]);
}

/* For callers who would go on with forces that float does not hold, since a source was too near. Errors: HB_ERR_NUMERIC. */
static enum hb_status check_finite(const struct hb_force *force)
{
  const struct hb_force_call *c = &force->under_way;
  size_t k = 0;
  if (!hb_force_rounds(force)) return HB_OK;
  while (k < c->ni && are_finite(c, k)) k++;
  if (k == c->ni) return HB_OK;
  return hb_fail(HB_ERR_NUMERIC,
                 "the force %s %zu is beyond the range of float: %s is too close for precision %s "
                 "(eps above 0, or scheme host, keeps it finite)",
                 c->index ? "on particle" : "at point", c->index ? (size_t)c->index[k] : k,
                 c->index ? "another" : "a source", hb_force_precision(force));
}

static enum hb_status begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                            double *phi)
{
  HB_TRY(check_ready(force));
  if (ni == 0) return HB_OK;
  HB_TRY(hb_force_check_sinks(force, ni, index));
  if (force->rescale)
    HB_TRY(hb_rescale_begin(force->rescale, ni, index, a, j, phi));
  else
    HB_TRY(force->ops->begin(force->state, ni, index, a, j, phi));
  force->is_under_way = 1;
  return HB_OK;
}

/* Before the caller turns to other work: a driver may wait for more commands before it starts any. */
static enum hb_status set_off(struct hb_force *force)
{
  struct hb_gl_context *gl = hb_force_gl(force);
  enum hb_status status = gl ? hb_gl_context_flush(gl) : HB_OK;
  if (status != HB_OK) force->is_under_way = 0; /* there is nothing to finish */
  return status;
}

enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin(force, ni, index, a, j, phi));
  force->under_way = (struct hb_force_call){.ni = ni, .index = index, .a = a, .j = j, .phi = phi};
  return set_off(force);
}

static enum hb_status finish(struct hb_force *force)
{
  if (!force->is_under_way) return HB_OK;
  force->is_under_way = 0;
  if (force->rescale) return hb_rescale_finish(force->rescale);
  return force->ops->finish ? force->ops->finish(force->state) : HB_OK;
}

enum hb_status hb_force_finish(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force->is_under_way) return HB_OK;
  HB_TRY(finish(force));
  return check_finite(force);
}

enum hb_status hb_force_eval_any(struct hb_force *force, size_t ni, const uint32_t *index, double *a,
                                 double *j, double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin(force, ni, index, a, j, phi));
  return finish(force);
}

enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  HB_TRY(hb_force_eval_any(force, ni, index, a, j, phi));
  force->under_way = (struct hb_force_call){.ni = ni, .index = index, .a = a, .j = j, .phi = phi};
  return check_finite(force);
}

static enum hb_status begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                               const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_ready(force));
  if (!force->ops->begin_at)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on other points",
                   force->scheme->info.name);
  if (ni == 0) return HB_OK;
  double reach = hb_force_rounds(force) ? force->scheme->reach : 0;
  HB_TRY(hb_points_prepare(&force->points, force->origin, reach, force->nj, ni, &x, &v, &own));
  if (force->rescale)
    HB_TRY(hb_rescale_begin_at(force->rescale, ni, x, v, own, a, j, phi));
  else
    HB_TRY(force->ops->begin_at(force->state, ni, x, v, own, a, j, phi));
  force->is_under_way = 1;
  return HB_OK;
}

enum hb_status hb_force_begin_at_any(struct hb_force *force, size_t ni, const double *x, const double *v,
                                     const uint32_t *own, double *a, double *j, double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin_at(force, ni, x, v, own, a, j, phi));
  force->under_way = (struct hb_force_call){0};
  return set_off(force);
}

enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(hb_force_begin_at_any(force, ni, x, v, own, a, j, phi));
  force->under_way = (struct hb_force_call){.ni = ni, .a = a, .j = j, .phi = phi};
  return HB_OK;
}

enum hb_status hb_force_at_any(struct hb_force *force, size_t ni, const double *x, const double *v,
                               const uint32_t *own, double *a, double *j, double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin_at(force, ni, x, v, own, a, j, phi));
  return finish(force);
}

enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(hb_force_at_any(force, ni, x, v, own, a, j, phi));
  force->under_way = (struct hb_force_call){.ni = ni, .a = a, .j = j, .phi = phi};
  return check_finite(force);
}

/* ---- sources that others send ---- */

enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs)
{
  *pairs = NULL;
  HB_TRY(hb_force_check_idle(force));
  HB_TRY(hb_force_expect_sources(force, nj));
  return force->ops->engine && !force->rescale ? force->ops->engine(force->state, nj, pairs) : HB_OK;
}

void hb_force_filled(struct hb_force *force, size_t nj, const double origin[2][3])
{
  memcpy(force->origin, origin, sizeof force->origin);
  force->nj = nj;
}
