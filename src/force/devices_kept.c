/* Particles that stay on several devices: each has all of them, predicts all, and walks, and on request corrects, a part of
 * the block's sinks. What one has corrected the others get by way of the host. Blocks of few sinks are the first device's
 * alone: the others get these particles when they are next needed. */
#include "force/devices.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static const struct hb_force_resident_ops *ops_of(const struct hb_devices_member *m)
{
  return m->devices->ops->resident;
}

/* ---- sending ---- */

static enum hb_status reserve(struct hb_devices *d, size_t n)
{
  if (n == d->kept.n) return HB_OK;
  hb_mem_free(d->kept.behind);
  hb_mem_free(d->kept.is_behind);
  d->kept.behind = NULL;
  d->kept.is_behind = NULL;
  d->kept.n = d->kept.behind_count = 0;
  HB_TRY(HB_ALLOC(n, &d->kept.behind));
  HB_TRY(HB_ALLOC(n, &d->kept.is_behind));
  d->kept.n = n;
  return HB_OK;
}

static enum hb_status keep_member(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  m->has = HB_DEVICES_NONE;
  HB_TRY(d->ops->records(m->part.state, d->kept.sent->n, &m->records));
  return ops_of(m)->keep(m->records, d->kept.sent, d->job.sinks.n, d->kept.which);
}

/* In some block. */
static int others_take_part(const struct hb_devices *d) { return d->plan.kept_alone_below != SIZE_MAX; }

static void mark_behind(struct hb_devices *d, size_t ni, const uint32_t *index)
{
  if (!others_take_part(d)) return;
  for (size_t k = 0; k < ni; k++) {
    if (d->kept.is_behind[index[k]]) continue;
    d->kept.is_behind[index[k]] = 1;
    d->kept.behind[d->kept.behind_count++] = index[k];
  }
}

/* All of them go to every device that takes part; of those that the host has corrected, few go to the first, which will tell
 * the others, as it does of those that it has corrected itself. */
static enum hb_status devices_keep(void *state, const struct hb_force_particles *p, size_t ni,
                                   const uint32_t *index)
{
  struct hb_devices *d = state;
  d->j = (struct hb_force_sources){0};
  HB_TRY(hb_devices_prepare(d, 0));
  HB_TRY(reserve(d, p->n));
  d->job = (struct hb_force_job){.sinks.n = ni};
  d->kept.sent = p;
  d->kept.which = index;
  int are_few = index && ni < d->plan.kept_alone_below;
  if (others_take_part(d) && !(are_few && hb_devices_can_tell(d))) return hb_devices_each(d, keep_member);
  mark_behind(d, ni, index);
  return keep_member(&d->member[0]);
}

/* The first one begins; the others, if the block turns out to be for all of them. */
static enum hb_status devices_predict(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_devices *d = state;
  d->j = (struct hb_force_sources){0};
  memcpy(d->kept.dt, dt, sizeof d->kept.dt);
  for (int k = 0; k < d->count; k++) d->member[k].has = HB_DEVICES_NONE;
  d->member[0].count = d->kept.n;
  return hb_devices_send(&d->member[0]);
}

static enum hb_status check_member(struct hb_devices_member *m)
{
  if (m->count == 0 || m->has != HB_DEVICES_PREDICTED) return HB_OK;
  return ops_of(m)->check(m->records, m->count, m->devices->job.to.a + 3 * m->first);
}

/* Of the forces that came last. */
static enum hb_status devices_check(void *state, size_t ni, const double *a)
{
  struct hb_devices *d = state;
  (void)ni, (void)a; /* those of the call */
  return d->way == HB_DEVICES_ALONE ? check_member(&d->member[0]) : hb_devices_each(d, check_member);
}

/* ---- correction ---- */

static enum hb_status correct_member(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  struct hb_phases own = {0}, *last = m->k == 0 ? d->kept.last : &own;
  m->news.count = 0;
  HB_TRY(hb_devices_catch_up(m));
  if (m->count == 0) return HB_OK;
  HB_TRY(hb_devices_send(m));
  return ops_of(m)->correct(m->records, m->count, d->job.sinks.index + m->first, d->kept.how, NULL,
                            d->kept.step + m->first, last, &m->news);
}

/* And begins with the next prediction, while the host finds the next block. */
static enum hb_status learn(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  HB_TRY(hb_devices_learn(m));
  return d->kept.ahead ? ops_of(m)->predict_ahead(m->records, d->kept.ahead) : HB_OK;
}

/* After a failure: those that have corrected their part are again what they were before. */
static enum hb_status undo(struct hb_devices_member *m)
{
  if (m->news.count) ops_of(m)->undo(m->records, m->count, m->devices->job.sinks.index + m->first);
  return HB_OK;
}

static enum hb_status correct_together(struct hb_devices *d)
{
  char sentence[1024];
  HB_TRY(hb_devices_tell_late(d));
  hb_devices_divide(d);
  enum hb_status status = hb_devices_each(d, correct_member);
  if (status == HB_OK) {
    d->kept.is_torn = 1;
    HB_TRY(hb_devices_each(d, learn));
    d->kept.is_torn = 0;
    return HB_OK;
  }
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  (void)hb_devices_each(d, undo);
  return hb_fail(status, "%s", sentence);
}

static enum hb_status check_whole(const struct hb_devices *d)
{
  if (!d->kept.is_torn) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "a block was corrected, but did not reach all devices");
}

static enum hb_status devices_correct(void *state, size_t ni, const uint32_t *index,
                                      const struct hb_force_step *how, const double *ahead, double *step,
                                      struct hb_phases *last, struct hb_force_news *news)
{
  struct hb_devices *d = state;
  (void)news; /* they are told among themselves */
  struct hb_devices_member *first = &d->member[0];
  HB_TRY(check_whole(d));
  if (others_take_part(d) && !hb_devices_can_tell(d))
    HB_TRY(hb_devices_each(d, hb_devices_tell_nothing)); /* says why */
  d->kept.is_corrected = 1;
  HB_TRY(hb_devices_fix_kept_alone(d));
  d->way = ni < d->plan.kept_alone_below ? HB_DEVICES_ALONE : HB_DEVICES_BY_SINKS;
  d->job = (struct hb_force_job){.sinks = {.n = ni, .index = index}};
  d->kept.how = how;
  d->kept.ahead = ahead;
  d->kept.step = step;
  d->kept.last = last;
  if (d->way != HB_DEVICES_ALONE) return correct_together(d);
  first->count = ni;
  HB_TRY(hb_devices_send(first));
  mark_behind(d, ni, index);
  return ops_of(first)->correct(first->records, ni, index, how, ahead, step, last, NULL);
}

/* By writing into memory that a device shares with the host: any thread may. */
static enum hb_status devices_settle(void *state, size_t ni, const uint32_t *index, const uint8_t *level)
{
  struct hb_devices *d = state;
  for (int k = 0; k < (others_take_part(d) ? d->count : 1); k++)
    HB_TRY(d->ops->resident->settle(d->member[k].records, ni, index, level));
  return HB_OK;
}

static enum hb_status devices_fetch(void *state, struct hb_force_particles *p)
{
  struct hb_devices *d = state;
  HB_TRY(check_whole(d));
  return d->ops->resident->fetch(d->member[0].records, p);
}

enum hb_status hb_devices_records(void *state, size_t n, void **records)
{
  (void)n; /* each device has its own */
  *records = state;
  return HB_OK;
}

const struct hb_force_resident_ops hb_devices_resident = {
    .keep = devices_keep,
    .predict = devices_predict,
    .check = devices_check,
    .correct = devices_correct,
    .settle = devices_settle,
    .fetch = devices_fetch,
};
