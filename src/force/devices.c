/* Several devices that share out each block, around a scheme of the all-pairs engine. Each has a context of its own in a
 * thread of its own, the first one in the caller's. A block of few sinks goes to the first alone. Otherwise each device
 * has a part of the sources, for which all sinks are points, and its sums are added to the others', in their order; or,
 * where the sinks are many or the particles stay on the devices, all sources and a part of the sinks. */
#include "force/devices.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "gl/gl_devices.h"

#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

static enum hb_status close_member(struct hb_devices_member *m)
{
  struct hb_devices *d = m->devices;
  if (m->part.state) d->ops->close(m->part.state);
  hb_part_free(&m->part);
  return HB_OK;
}

static void devices_close(void *state)
{
  struct hb_devices *d = state;
  if (!d) return;
  (void)hb_devices_join(d, HB_OK);
  (void)hb_devices_each(d, close_member);
  for (int k = 0; k < d->count; k++) {
    hb_worker_destroy(d->member[k].worker);
    hb_part_sums_free(&d->member[k].sums);
  }
  hb_part_points_free(&d->points);
  hb_mem_free(d->own);
  hb_mem_free(d->kept.behind);
  hb_mem_free(d->kept.is_behind);
  hb_mem_free(d);
}

static enum hb_status open_member(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  struct hb_force_params params = d->params;
  params.device = m->name;
  params.tuning = *d->plan.others ? d->plan.others : NULL;
  if (m->k > 0) params.flags |= HB_FORCE_NO_TUNE; /* it gets the tuning of the first */
  m->part.ops = d->ops;
  return d->ops->open(&params, m->k == 0 ? d->opened : NULL, &m->part.state);
}

static enum hb_status devices_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                   void **state)
{
  struct hb_gl_devices list;
  struct hb_devices *d;
  HB_TRY(HB_ALLOC(1, &d));
  *state = d;
  d->ops = hb_force_find(params->scheme);
  d->params = *params;
  d->clock = hb_clock_now;
  d->kept.tells = -1;
  d->measures = !(params->flags & HB_FORCE_NO_TUNE);
  d->opened = gl;
  HB_TRY(hb_devices_plan_parse(params->tuning, &d->plan));
  HB_TRY(hb_gl_devices_named(params->device, &list));
  if (d->plan.shares.count &&
      d->plan.shares.count != list.count) { /* resumed on other devices: all is measured anew */
    d->plan.shares.count = 0;
    d->plan.alone_below = d->plan.kept_alone_below = 0;
  }
  int threads = hb_parallel_threads() / list.count;
  for (int k = 0; k < list.count; k++) {
    struct hb_devices_member *m = &d->member[k];
    m->devices = d;
    m->k = k;
    memcpy(m->name, list.name[k], sizeof m->name);
    if (k > 0) HB_TRY(hb_worker_create(threads, &m->worker));
    d->count = k + 1;
  }
  return hb_devices_each(d, open_member);
}

static void devices_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  hb_force_find(params->scheme)->memory(params, need);
}

/* ---- forces ---- */

static void devices_set_eps(void *state, double eps)
{
  struct hb_devices *d = state;
  d->params.eps = eps;
  for (int k = 0; k < d->count; k++) d->ops->set_eps(d->member[k].part.state, eps);
}

static enum hb_status copy_sources(struct hb_devices *d)
{
  struct hb_force_sources *s = &d->j;
  size_t nj = s->n;
  if (nj > d->room) {
    hb_mem_free(d->own);
    d->own = NULL;
    d->room = 0;
    HB_TRY(HB_ALLOC(7 * nj, &d->own));
    d->room = nj;
  }
  double *x = d->own + nj, *v = d->own + 4 * nj;
  hb_parallel_copy(d->own, s->m, nj * sizeof *s->m);
  hb_parallel_copy(x, s->x, 3 * nj * sizeof *s->x);
  hb_parallel_copy(v, s->v, 3 * nj * sizeof *s->v);
  *s = (struct hb_force_sources){nj, d->own, x, v};
  return HB_OK;
}

/* From now on: nobody has them. */
static enum hb_status expect_sources(struct hb_devices *d, const struct hb_force_job *job)
{
  d->j = job->sources;
  if (job->words.units) d->units = *job->words.units;
  if (job->sinks.n == 0) HB_TRY(copy_sources(d));
  d->job = (struct hb_force_job){.sources = d->j, .words.units = job->words.units ? &d->units : NULL};
  for (int k = 0; k < d->count; k++) d->member[k].has = HB_DEVICES_NONE;
  return hb_devices_prepare(d, d->j.n);
}

/* Which way this job goes; the bound is measured when it is first asked for. */
static enum hb_status choose_way(struct hb_devices *d, size_t ni)
{
  if (d->j.n == 0) {
    HB_TRY(hb_devices_fix_kept_alone(d));
    d->way = ni < d->plan.kept_alone_below ? HB_DEVICES_ALONE : HB_DEVICES_BY_SINKS;
    return HB_OK;
  }
  if (ni < d->j.n) HB_TRY(hb_devices_fix_alone(d));
  d->way = hb_devices_plan_way(&d->plan, ni, d->j.n);
  return HB_OK;
}

static enum hb_status devices_begin(void *state, const struct hb_force_job *job)
{
  struct hb_devices *d = state;
  if (job->sources.m) HB_TRY(expect_sources(d, job));
  if (job->sinks.n == 0) return HB_OK;
  HB_TRY(choose_way(d, job->sinks.n));
  d->job = *job;
  d->job.sources = d->j;
  if (job->words.totals) d->job.words.units = &d->units;
  return hb_devices_begin(d);
}

static enum hb_status devices_finish(void *state, const struct hb_force_job *job)
{
  (void)job; /* d->job */
  return hb_devices_finish(state);
}

/* ---- for records ---- */

static const struct hb_gl_context *devices_gl(const void *state)
{
  const struct hb_devices *d = state;
  const struct hb_devices_member *first = &d->member[0];
  return first->part.state ? d->ops->gl(first->part.state) : NULL;
}

/* Each, and where it is, since equal cards have the same name. */
static const char *devices_device(const void *state)
{
  struct hb_devices *d = (struct hb_devices *)state; /* the text is made on demand */
  size_t used = 0;
  *d->device = 0;
  for (int k = 0; k < d->count && used < sizeof d->device; k++) {
    const struct hb_gl_context *gl = d->ops->gl(d->member[k].part.state);
    used +=
        (size_t)snprintf(d->device + used, sizeof d->device - used, "%s%s%s%s%s", k ? " and " : "",
                         gl->caps.renderer, *gl->address ? " (" : "", gl->address, *gl->address ? ")" : "");
  }
  return d->device;
}

static const char *devices_tuning(const void *state)
{
  struct hb_devices *d = (struct hb_devices *)state;
  struct hb_devices_plan plan = d->plan;
  const struct hb_devices_member *first = &d->member[0];
  if (first->part.state) snprintf(plan.others, sizeof plan.others, "%s", d->ops->tuning(first->part.state));
  hb_devices_plan_print(&plan, sizeof d->tuning, d->tuning);
  return d->tuning;
}

const struct hb_force_ops hb_force_devices = {
    .info = {.name = "devices"},
    .open = devices_open,
    .close = devices_close,
    .memory = devices_memory,
    .set_eps = devices_set_eps,
    .begin = devices_begin,
    .finish = devices_finish,
    .has_points = 1,
    .resident = &hb_devices_resident,
    .records = hb_devices_records,
    .gl = devices_gl,
    .device = devices_device,
    .tuning = devices_tuning,
};
