/* Forces by several devices. */
#include "force/devices.h"

void hb_devices_divide(struct hb_devices *d)
{
  for (int k = 0; k < d->count; k++) {
    struct hb_devices_member *m = &d->member[k];
    m->done = 0;
    size_t end = hb_shares_cut(&d->plan.shares, k + 1, d->job.sinks.n, HB_SHARES_OF_SINKS);
    m->first = hb_shares_cut(&d->plan.shares, k, d->job.sinks.n, HB_SHARES_OF_SINKS);
    m->count = end - m->first;
    if (d->way == HB_DEVICES_BY_SINKS) continue;
    m->first = 0;
    m->count = d->way == HB_DEVICES_ALONE && k > 0 ? 0 : d->job.sinks.n;
  }
}

/* ---- sources ---- */

static enum hb_status send(struct hb_devices_member *m, enum hb_devices_sources wanted)
{
  const struct hb_devices *d = m->devices;
  int all = wanted == HB_DEVICES_ALL;
  size_t begin = all ? 0 : hb_shares_cut(&d->plan.shares, m->k, d->j.n, HB_SHARES_OF_SOURCES);
  size_t end = all ? d->j.n : hb_shares_cut(&d->plan.shares, m->k + 1, d->j.n, HB_SHARES_OF_SOURCES);
  if (m->has == wanted) return HB_OK;
  struct hb_force_job own = d->job;
  own.sources = d->j;
  if (m->k > 0) own.spent = NULL; /* the first one's time counts */
  m->has = HB_DEVICES_NONE;
  HB_TRY(hb_part_send(&m->part, begin, end, &own));
  m->has = wanted;
  return HB_OK;
}

static enum hb_status predict(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  if (m->has == HB_DEVICES_PREDICTED) return HB_OK;
  HB_TRY(d->ops->resident->predict(m->records, d->kept.dt));
  m->has = HB_DEVICES_PREDICTED;
  m->part.begin = 0;
  m->part.end = d->kept.n;
  return HB_OK;
}

enum hb_status hb_devices_send(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  if (m->count == 0) return HB_OK;
  if (d->j.n == 0) return predict(m);
  return send(m, d->way == HB_DEVICES_BY_SOURCES ? HB_DEVICES_PART : HB_DEVICES_ALL);
}

/* ---- sinks ---- */

/* What the first device sums over its part goes where the others' sums are added to it. */
static enum hb_status reserve_sums(struct hb_devices_member *m, const struct hb_force_job *job)
{
  if (job->sinks.n <= m->room) return HB_OK;
  m->room = 0;
  hb_part_sums_free(&m->sums);
  HB_TRY(hb_part_sums_reserve(job, job->sinks.n, &m->sums));
  m->room = job->sinks.n;
  return HB_OK;
}

/* Its job. */
static struct hb_force_job job_of(const struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  struct hb_force_job own = hb_part_some(&d->job, m->first, m->count);
  if (m->k == 0) return own;
  own.spent = NULL; /* the first one's time counts */
  if (d->way != HB_DEVICES_BY_SOURCES) return own;
  own.to = m->sums.to;
  own.words.totals = m->sums.totals;
  return own;
}

static enum hb_status begin(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  if (d->j.n == 0 && d->way != HB_DEVICES_ALONE) HB_TRY(hb_devices_catch_up(m));
  HB_TRY(hb_devices_send(m));
  if (m->count == 0) return HB_OK;
  if (d->way == HB_DEVICES_BY_SOURCES && m->k > 0) HB_TRY(reserve_sums(m, &d->job));
  const struct hb_force_job own = job_of(m);
  return hb_part_begin(&m->part, &own);
}

static enum hb_status finish(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  const struct hb_force_job own = job_of(m);
  m->done = d->way == HB_DEVICES_BY_SOURCES ? m->part.end - m->part.begin : m->count;
  return m->count ? hb_part_finish(&m->part, &own) : HB_OK;
}

/* The walk of each device proves that it is complete (src/README.md), and this that all of them together are. */
static enum hb_status check_whole(const struct hb_devices *d)
{
  size_t done = 0, all = d->way == HB_DEVICES_BY_SOURCES ? d->j.n : d->job.sinks.n;
  for (int k = 0; k < d->count; k++) done += d->member[k].done;
  if (done == all) return HB_OK;
  return hb_fail(HB_ERR_INTERNAL, "%d devices together did %zu of %zu %s", d->count, done, all,
                 d->way == HB_DEVICES_BY_SOURCES ? "sources" : "sinks");
}

static enum hb_status begin_and_finish(struct hb_devices_member *m)
{
  HB_TRY(begin(m));
  return finish(m);
}

enum hb_status hb_devices_begin(struct hb_devices *d)
{
  hb_devices_divide(d);
  if (d->way == HB_DEVICES_BY_SOURCES && !d->job.sinks.x)
    HB_TRY(hb_part_points_fill(&d->points, &d->j, &d->job.sinks));
  if (d->j.n == 0 && d->way != HB_DEVICES_ALONE) HB_TRY(hb_devices_tell_late(d));
  if (d->way != HB_DEVICES_ALONE) hb_devices_start(d, begin_and_finish);
  enum hb_status status = begin(&d->member[0]);
  return status == HB_OK ? HB_OK : hb_devices_join(d, status);
}

enum hb_status hb_devices_finish(struct hb_devices *d)
{
  HB_TRY(hb_devices_join(d, finish(&d->member[0])));
  HB_TRY(check_whole(d));
  const struct hb_part_sums all = {d->job.to, d->job.words.totals};
  if (d->way == HB_DEVICES_BY_SOURCES) /* in the order of the devices, whichever was first */
    for (int k = 1; k < d->count; k++) hb_part_add(d->job.sinks.n, &d->member[k].sums, &all);
  return HB_OK;
}
