/* Forces from sources on sinks. */
#include "force/force_handle.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/ranks.h"

#include <math.h>
#include <string.h>

static enum hb_status reserve_stamps(struct hb_force *force, size_t nj)
{
  if (nj <= force->stamp_room) return HB_OK;
  hb_mem_free(force->stamp);
  force->stamp_room = 0;
  HB_TRY(HB_ALLOC(nj, &force->stamp));
  force->stamp_room = nj;
  force->call = 0;
  return HB_OK;
}

static enum hb_status expect_sources(struct hb_force *force, size_t nj)
{
  if (nj == 0 || nj > UINT32_MAX)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to 2^32 - 1", nj);
  force->nj = 0;
  return reserve_stamps(force, nj);
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

/* To the source, or in precision reproducible by way of totals. */
static enum hb_status begin_job(struct hb_force *force, const struct hb_force_job *job)
{
  return force->rescale ? hb_rescale_begin(force->rescale, force->ops, force->state, job)
                        : force->ops->begin(force->state, job);
}

static enum hb_status finish_job(struct hb_force *force, const struct hb_force_job *job)
{
  if (force->rescale) return hb_rescale_finish(force->rescale, force->ops, force->state, job);
  return force->ops->finish ? force->ops->finish(force->state, job) : HB_OK;
}

static enum hb_status find_units(struct hb_force *force, const struct hb_force_sources *s)
{
  return force->rescale ? hb_rescale_find_units(force->rescale, force->params.eps, s->n, s->m, s->x, s->v)
                        : HB_OK;
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
  const struct hb_force_job job = {.sources = {nj, m, x, v}};
  HB_TRY(hb_force_check_range(force, nj, m, x, v));
  HB_TRY(expect_sources(force, nj));
  HB_TRY(find_units(force, &job.sources));
  HB_TRY(begin_job(force, &job));
  memcpy(force->origin, origin, sizeof origin);
  force->nj = nj;
  return HB_OK;
}

/* As a scheduler gives them: then none is named twice. */
static int are_ascending(size_t nj, size_t ni, const uint32_t *index)
{
  int wrong = 0;
  for (size_t k = 1; k < ni; k++) wrong |= index[k] <= index[k - 1];
  return !wrong && (ni == 0 || index[ni - 1] < nj);
}

static enum hb_status check_sinks(struct hb_force *force, size_t ni, const uint32_t *index)
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

static int are_finite(const struct hb_force_results *f, size_t k)
{
  for (size_t d = 3 * k; d < 3 * k + 3; d++)
    if (!isfinite(f->a[d]) || !isfinite(f->j[d])) return 0;
  return isfinite(f->phi[k]);
}

/* For callers who would go on with forces that float does not hold, since a source was too near. Errors: HB_ERR_NUMERIC. */
static enum hb_status check_finite(const struct hb_force *force, const struct hb_force_job *job)
{
  const struct hb_force_sinks *i = &job->sinks;
  size_t k = 0;
  if (!hb_force_rounds(force)) return HB_OK;
  while (k < i->n && are_finite(&job->to, k)) k++;
  if (k == i->n) return HB_OK;
  return hb_fail(HB_ERR_NUMERIC,
                 "the force %s %zu is beyond the range of float: %s is too close for precision %s "
                 "(eps above 0, or scheme host, keeps it finite)",
                 i->x ? "at point" : "on particle", i->x ? k : (size_t)i->index[k],
                 i->x ? "a source" : "another", hb_force_precision(force));
}

/* Sinks of the sources that are set. */
static enum hb_status begin(struct hb_force *force, struct hb_force_job *job)
{
  struct hb_force_sinks *i = &job->sinks;
  if (force->nj == 0) return hb_fail(HB_ERR_USAGE, "forces requested before the sources were set");
  HB_TRY(hb_force_check_idle(force));
  if (i->n == 0) return HB_OK;
  double reach = hb_force_rounds(force) ? force->scheme->reach : 0;
  HB_TRY(i->x ? hb_points_prepare(&force->points, (const double(*)[3])force->origin, reach, force->nj, i)
              : check_sinks(force, i->n, i->index));
  HB_TRY(begin_job(force, job));
  force->under_way = *job;
  force->is_under_way = 1;
  return HB_OK;
}

static enum hb_status check_points(const struct hb_force *force)
{
  if (force->nj == 0 || force->ops->has_points) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on other points",
                 force->scheme->info.name);
}

/* Before the caller turns to other work: a driver may wait for more commands before it starts any. */
static enum hb_status set_off(struct hb_force *force)
{
  struct hb_gl_context *gl = hb_force_gl(force);
  enum hb_status status = gl ? hb_gl_context_flush(gl) : HB_OK;
  if (status != HB_OK) force->is_under_way = 0; /* there is nothing to finish */
  return status;
}

static enum hb_status begin_and_set_off(struct hb_force *force, const struct hb_force_job *job)
{
  HB_GL_VISIT;
  struct hb_force_job own = *job;
  force->is_trusted = 0;
  HB_TRY(begin(force, &own));
  return set_off(force);
}

enum hb_status hb_force_begin_any(struct hb_force *force, const struct hb_force_job *job)
{
  HB_TRY(check_points(force));
  HB_TRY(begin_and_set_off(force, job));
  force->is_trusted = 1;
  return HB_OK;
}

enum hb_status hb_force_finish(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force->is_under_way) return HB_OK;
  force->is_under_way = 0;
  HB_TRY(finish_job(force, &force->under_way));
  return force->is_trusted ? HB_OK : check_finite(force, &force->under_way);
}

enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi)
{
  return begin_and_set_off(force,
                           &(struct hb_force_job){.sinks = {.n = ni, .index = index}, .to = {a, j, phi}});
}

enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_points(force));
  return begin_and_set_off(force, &(struct hb_force_job){.sinks = {ni, own, x, v}, .to = {a, j, phi}});
}

static enum hb_status begin_and_finish(struct hb_force *force, struct hb_force_job *job)
{
  HB_GL_VISIT;
  force->is_trusted = 0;
  HB_TRY(begin(force, job));
  return hb_force_finish(force);
}

enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  return begin_and_finish(force,
                          &(struct hb_force_job){.sinks = {.n = ni, .index = index}, .to = {a, j, phi}});
}

enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_points(force));
  return begin_and_finish(force, &(struct hb_force_job){.sinks = {ni, own, x, v}, .to = {a, j, phi}});
}

/* ---- sources that others send ---- */

enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs)
{
  *pairs = NULL;
  HB_TRY(hb_force_check_idle(force));
  HB_TRY(expect_sources(force, nj));
  return force->ops->engine && !force->rescale ? force->ops->engine(force->state, nj, pairs) : HB_OK;
}

void hb_force_filled(struct hb_force *force, size_t nj, const double origin[2][3])
{
  memcpy(force->origin, origin, sizeof force->origin);
  force->nj = nj;
}

/* ---- as integrators call them: sources and forces in one, timed, repeated where the device fails ---- */

/* Adds the time since *lap, of which the source has spent some in sending and receiving. */
static void count_phases(struct hb_force *force, const struct hb_phases *spent, double lap)
{
  struct hb_phases *phases = &force->phases;
  phases->send_s += spent->send_s;
  phases->receive_s += spent->receive_s;
  phases->force_s += hb_clock_now() - lap - spent->send_s - spent->receive_s;
}

enum hb_status hb_force_find_massive(struct hb_force *force, size_t n, const double *m)
{
  return hb_massive_find(&force->massive, n, m);
}

const uint32_t *hb_force_massive(const struct hb_force *force, size_t n, size_t *count)
{
  const struct hb_massive *s = &force->massive;
  int is_used = s->count && s->n == n && force->ops->has_points;
  *count = is_used ? s->count : n;
  return is_used ? s->slot : NULL;
}

static enum hb_status once(struct hb_force *force, struct hb_force_job job)
{
  HB_GL_VISIT;
  struct hb_phases spent = {0};
  const struct hb_force_sources all = job.sources;
  double start = hb_clock_now();
  size_t count;
  const uint32_t *massive = hb_force_massive(force, all.n, &count); /* the caller has predicted no others */
  HB_TRY(hb_force_check_idle(force));
  HB_TRY(expect_sources(force, all.n));
  force->nj = all.n; /* for the check of the sinks only */
  enum hb_status status = check_sinks(force, job.sinks.n, job.sinks.index);
  force->nj = 0;
  if (status != HB_OK || job.sinks.n == 0) return status;
  /* an escaping particle may get out of the range of r^-5, but not of r^2 */
  if (force->scheme->reach < HB_FORCE_FLOAT_REACH &&
      hb_force_check_range(force, all.n, all.m, all.x, all.v) != HB_OK)
    return HB_ERR_NUMERIC;
  HB_TRY(find_units(force, &all)); /* sinks are in them, too */
  if (massive) HB_TRY(hb_massive_job(&force->massive, &job));
  spent.send_s = hb_clock_now() - start;
  job.spent = &spent;
  HB_TRY(begin_job(force, &job));
  HB_TRY(finish_job(force, &job));
  count_phases(force, &spent, start);
  return HB_OK;
}

void hb_force_needs(const struct hb_force *force, size_t nj, size_t ni, size_t *from, size_t *to)
{
  *from = 0;
  *to = nj;
  /* the units of precision reproducible are found from all sources */
  if (force->ops->needs && !force->rescale) force->ops->needs(force->state, nj, ni, from, to);
}

struct hb_phases *hb_force_phases(struct hb_force *force) { return &force->phases; }

enum hb_status hb_force_of(struct hb_force *force, const struct hb_force_job *job)
{
  enum hb_status status = once(force, *job);
  if (status != HB_ERR_DEVICE) return status;
  hb_log("%s; trying once more with shorter draws", hb_error());
  HB_TRY(hb_force_open_again(force));
  return once(force, *job);
}

void hb_force_set_field(struct hb_force *force, const struct hb_field *field) { force->field = field; }
const struct hb_field *hb_force_field(const struct hb_force *force) { return force->field; }

/* ---- particles that stay on the device ---- */

enum hb_status hb_force_keep(struct hb_force *force, const struct hb_force_particles *p, size_t ni,
                             const uint32_t *index)
{
  const struct hb_force_resident_ops *resident = force->ops->resident;
  if (!resident)
    return hb_fail(HB_ERR_USAGE, "%s %s keeps no particles on a device (expected %s)",
                   hb_ranks_count() > 1 ? "with several ranks, scheme" : "scheme", force->scheme->info.name,
                   hb_ranks_count() > 1 ? "predict host, or one process with device 0,1" : "bag or tile");
  if (force->rescale)
    return hb_fail(HB_ERR_USAGE,
                   "precision %s predicts and corrects on the host: a device would not keep its bits",
                   hb_force_precision(force));
  double lap = hb_clock_now();
  HB_TRY(reserve_stamps(force, p->n));
  force->nj = force->kept = p->n;
  if (index) HB_TRY(check_sinks(force, ni, index));
  HB_TRY(resident->keep(force->state, p, ni, index));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

static enum hb_status check_kept(const struct hb_force *force)
{
  return force->kept ? HB_OK : hb_fail(HB_ERR_USAGE, "no particles are stored on the device yet");
}

enum hb_status hb_force_predict(struct hb_force *force, const double dt[HB_FORCE_LEVELS])
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->predict(force->state, dt));
  force->nj = force->kept;
  force->phases.predict_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_on_kept(struct hb_force *force, const struct hb_force_job *job)
{
  struct hb_phases spent = {0};
  struct hb_force_job own = *job;
  HB_TRY(check_kept(force));
  double start = hb_clock_now();
  own.spent = &spent;
  HB_TRY(begin(force, &own));
  force->is_trusted = 1;
  HB_TRY(hb_force_finish(force));
  HB_TRY(force->ops->resident->check(force->state, job->sinks.n, job->to.a));
  count_phases(force, &spent, start);
  return HB_OK;
}

enum hb_status hb_force_correct(struct hb_force *force, size_t ni, const uint32_t *index,
                                const struct hb_force_step *how, const double *ahead, double *step)
{
  HB_TRY(check_kept(force));
  HB_TRY(check_sinks(force, ni, index));
  double lap = hb_clock_now();
  struct hb_phases last = {0};
  HB_TRY(force->ops->resident->correct(force->state, ni, index, how, ahead, step, &last, NULL));
  force->phases.correct_s += last.correct_s;
  force->phases.receive_s += last.receive_s;
  force->phases.force_s += hb_clock_lap(&lap) - last.correct_s - last.receive_s;
  return HB_OK;
}

enum hb_status hb_force_settle(struct hb_force *force, size_t ni, const uint32_t *index, const uint8_t *level)
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->settle(force->state, ni, index, level));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_fetch(struct hb_force *force, struct hb_force_particles *p)
{
  HB_TRY(check_kept(force));
  return force->ops->resident->fetch(force->state, p);
}
