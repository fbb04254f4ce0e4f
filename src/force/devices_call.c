/* Forces by several devices. */
#include "force/devices.h"

void hb_devices_divide(struct hb_devices *d)
{
  for (int k = 0; k < d->count; k++) {
    struct hb_devices_member *m = &d->member[k];
    m->done = 0;
    size_t end = hb_shares_cut(&d->plan.shares, k + 1, d->ni, HB_SHARES_OF_SINKS);
    m->first = hb_shares_cut(&d->plan.shares, k, d->ni, HB_SHARES_OF_SINKS);
    m->count = end - m->first;
    if (d->way == HB_DEVICES_BY_SINKS) continue;
    m->first = 0;
    m->count = d->way == HB_DEVICES_ALONE && k > 0 ? 0 : d->ni;
  }
}

/* ---- sources ---- */

static enum hb_status send(struct hb_devices_member *m, enum hb_devices_sources wanted)
{
  const struct hb_devices *d = m->devices;
  int all = wanted == HB_DEVICES_ALL;
  size_t begin = all ? 0 : hb_shares_cut(&d->plan.shares, m->k, d->nj, HB_SHARES_OF_SOURCES);
  size_t end = all ? d->nj : hb_shares_cut(&d->plan.shares, m->k + 1, d->nj, HB_SHARES_OF_SOURCES);
  if (m->has == wanted) return HB_OK;
  m->has = HB_DEVICES_NONE;
  HB_TRY(hb_part_set_j(&m->part, begin, end, d->m, d->x, d->v));
  m->has = wanted;
  return HB_OK;
}

static enum hb_status predict(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  if (m->has == HB_DEVICES_PREDICTED) return HB_OK;
  HB_TRY(d->ops->resident->predict(m->part.state, d->kept.dt));
  m->has = HB_DEVICES_PREDICTED;
  m->part.begin = 0;
  m->part.end = d->kept.n;
  return HB_OK;
}

enum hb_status hb_devices_send(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  if (m->count == 0) return HB_OK;
  if (d->nj == 0) return predict(m);
  return send(m, d->way == HB_DEVICES_BY_SOURCES ? HB_DEVICES_PART : HB_DEVICES_ALL);
}

/* ---- sinks ---- */

/* What the first device sums over its part goes where the others' sums are added to it. */
static enum hb_status reserve_sums(struct hb_devices_member *m, size_t ni)
{
  if (ni <= m->room) return HB_OK;
  m->room = 0;
  hb_part_results_free(&m->sums);
  HB_TRY(hb_part_results_reserve(&m->part, ni, &m->sums));
  m->room = ni;
  return HB_OK;
}

static enum hb_status begin(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  size_t at = m->first;
  if (d->nj == 0 && d->way != HB_DEVICES_ALONE) HB_TRY(hb_devices_catch_up(m));
  HB_TRY(hb_devices_send(m));
  if (m->count == 0) return HB_OK;
  struct hb_part_results results = hb_part_results_from(&d->results, at);
  if (d->way == HB_DEVICES_BY_SOURCES && m->k > 0) {
    HB_TRY(reserve_sums(m, d->ni));
    results = m->sums;
    results.scale = d->results.scale;
  }
  return d->at_x ? hb_part_begin_at(&m->part, m->count, d->at_x + 3 * at, d->at_v + 3 * at, d->index + at,
                                    &results)
                 : hb_part_begin(&m->part, m->count, d->index + at, &results);
}

static enum hb_status finish(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  m->done = d->way == HB_DEVICES_BY_SOURCES ? m->part.end - m->part.begin : m->count;
  return m->count && m->part.begin < m->part.end ? hb_part_finish(&m->part) : HB_OK;
}

/* The walk of each device proves that it is complete (src/README.md), and this that all of them together are. */
static enum hb_status check_whole(const struct hb_devices *d)
{
  size_t done = 0, all = d->way == HB_DEVICES_BY_SOURCES ? d->nj : d->ni;
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
  if (d->way == HB_DEVICES_BY_SOURCES && !d->at_x) {
    HB_TRY(hb_part_sinks_fill(&d->sinks, d->ni, d->index, d->x, d->v));
    d->at_x = d->sinks.x, d->at_v = d->sinks.v;
  }
  if (d->nj == 0 && d->way != HB_DEVICES_ALONE) HB_TRY(hb_devices_tell_late(d));
  if (d->way != HB_DEVICES_ALONE) hb_devices_start(d, begin_and_finish);
  enum hb_status status = begin(&d->member[0]);
  return status == HB_OK ? HB_OK : hb_devices_join(d, status);
}

enum hb_status hb_devices_finish(struct hb_devices *d)
{
  HB_TRY(hb_devices_join(d, finish(&d->member[0])));
  HB_TRY(check_whole(d));
  if (d->way == HB_DEVICES_BY_SOURCES) /* in the order of the devices, whichever was first */
    for (int k = 1; k < d->count; k++) hb_part_add(d->ni, &d->member[k].sums, &d->results);
  return HB_OK;
}
