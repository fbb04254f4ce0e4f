/* Forces as integrators call them: sources and forces in one, timed, repeated where the device fails; and on particles that
 * stay on the device. */
#include "force/force_handle.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/ranks.h"

/* Adds the time since *lap, in the phases that the source reports. */
static void count_phases(struct hb_force *force, double *lap)
{
  struct hb_phases *phases = &force->phases, last = {0};
  if (force->ops->phases) force->ops->phases(force->state, &last);
  phases->send_s += last.send_s;
  phases->receive_s += last.receive_s;
  phases->force_s += hb_clock_lap(lap) - last.send_s - last.receive_s;
}

static enum hb_status in_one(struct hb_force *force, size_t nj, const double *m, const double *x,
                             const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  struct hb_phases *phases = &force->phases, last;
  HB_TRY(hb_force_expect_sources(force, nj));
  force->nj = nj; /* for the check of the sinks only */
  enum hb_status status = hb_force_check_sinks(force, ni, index);
  force->nj = 0;
  if (status != HB_OK || ni == 0) return status;
  HB_TRY(force->ops->of(force->state, nj, m, x, v, ni, index, a, j, phi));
  force->ops->phases(force->state, &last);
  phases->send_s += last.send_s;
  phases->force_s += last.force_s;
  phases->receive_s += last.receive_s;
  return HB_OK;
}

enum hb_status hb_force_find_massive(struct hb_force *force, size_t n, const double *m)
{
  return hb_massive_find(&force->massive, n, m);
}

static int has_points(const struct hb_force *force)
{
  const struct hb_reproducible_ops *reproducible = force->rescale ? force->ops->reproducible : NULL;
  return reproducible ? reproducible->begin_at != NULL : force->ops->begin_at != NULL;
}

const uint32_t *hb_force_massive(const struct hb_force *force, size_t n, size_t *count)
{
  const struct hb_massive *s = &force->massive;
  int is_used = s->count && s->n == n && has_points(force);
  *count = is_used ? s->count : n;
  return is_used ? s->slot : NULL;
}

static enum hb_status from_massive(struct hb_force *force, const double *m, const double *x, const double *v,
                                   size_t ni, const uint32_t *index, double *a, double *j, double *phi)
{
  struct hb_massive *s = &force->massive;
  double lap = hb_clock_now();
  hb_massive_gather(s, m, x, v);
  HB_TRY(hb_massive_sinks(s, x, v, ni, index));
  HB_TRY(hb_force_expect_sources(force, s->count));
  if (force->rescale) /* sinks are in its units, too */
    HB_TRY(hb_rescale_find_units(force->rescale, force->params.eps, s->n, m, x, v));
  HB_TRY(hb_force_set_some(force, s->count, s->m, s->x, s->v));
  force->phases.send_s += hb_clock_lap(&lap);
  HB_TRY(hb_force_at_any(force, ni, s->xi, s->vi, s->own, a, j, phi));
  count_phases(force, &lap);
  return HB_OK;
}

/* Sources and forces by the source's one call, or its two. */
static enum hb_status once_by_hand(struct hb_force *force, size_t nj, const double *m, const double *x,
                                   const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                                   double *phi)
{
  size_t count; /* the caller has predicted no others */
  if (hb_force_massive(force, nj, &count)) return from_massive(force, m, x, v, ni, index, a, j, phi);
  if (force->ops->of && !force->rescale) return in_one(force, nj, m, x, v, ni, index, a, j, phi);
  double lap = hb_clock_now();
  /* an escaping particle may get out of the range of r^-5, but not of r^2 */
  if (force->scheme->reach < HB_FORCE_FLOAT_REACH && hb_force_check_range(force, nj, m, x, v) != HB_OK)
    return HB_ERR_NUMERIC;
  HB_TRY(hb_force_set_sources(force, nj, m, x, v));
  force->phases.send_s += hb_clock_lap(&lap);
  HB_TRY(hb_force_eval_any(force, ni, index, a, j, phi));
  count_phases(force, &lap);
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

static enum hb_status once(struct hb_force *force, const struct hb_force_job *b)
{
  return once_by_hand(force, b->sources.n, b->sources.m, b->sources.x, b->sources.v, b->sinks.n,
                      b->sinks.index, b->to.a, b->to.j, b->to.phi);
}

enum hb_status hb_force_of(struct hb_force *force, const struct hb_force_job *job)
{
  enum hb_status status = once(force, job);
  if (status != HB_ERR_DEVICE) return status;
  hb_log("%s; trying once more with shorter draws", hb_error());
  HB_TRY(hb_force_open_again(force));
  return once(force, job);
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
  HB_TRY(hb_force_reserve_stamps(force, p->n));
  force->nj = force->kept = p->n;
  if (index) HB_TRY(hb_force_check_sinks(force, ni, index));
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
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(hb_force_eval_any(force, job->sinks.n, job->sinks.index, job->to.a, job->to.j, job->to.phi));
  HB_TRY(force->ops->resident->check(force->state, job->sinks.n, job->to.a));
  count_phases(force, &lap);
  return HB_OK;
}

enum hb_status hb_force_correct(struct hb_force *force, size_t ni, const uint32_t *index,
                                const struct hb_force_step *how, const double *ahead, double *step)
{
  HB_TRY(check_kept(force));
  HB_TRY(hb_force_check_sinks(force, ni, index));
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
