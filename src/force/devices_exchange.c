/* Particles that one device has corrected reach the others by way of the host, in the words in which all store them. */
#include "force/devices.h"

static const struct hb_force_resident_ops *ops_of(const struct hb_devices_member *m)
{
  return m->devices->ops->resident;
}

enum hb_status hb_devices_tell_nothing(struct hb_devices_member *m)
{
  return ops_of(m)->take(m->records, 0, NULL, &m->news);
}

int hb_devices_can_tell(struct hb_devices *d)
{
  if (d->kept.tells < 0) d->kept.tells = hb_devices_each(d, hb_devices_tell_nothing) == HB_OK;
  return d->kept.tells;
}

enum hb_status hb_devices_tell_late(struct hb_devices *d)
{
  struct hb_devices_member *first = &d->member[0];
  d->kept.late.count = 0;
  if (d->kept.behind_count == 0) return HB_OK;
  HB_TRY(ops_of(first)->take(first->records, d->kept.behind_count, d->kept.behind, &d->kept.late));
  for (size_t k = 0; k < d->kept.behind_count; k++) d->kept.is_behind[d->kept.behind[k]] = 0;
  d->kept.behind_count = 0;
  return HB_OK;
}

enum hb_status hb_devices_catch_up(struct hb_devices_member *m)
{
  const struct hb_force_news *late = &m->devices->kept.late;
  return m->k > 0 && late->count > 0 ? ops_of(m)->give(m->records, late) : HB_OK;
}

enum hb_status hb_devices_learn(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  for (int k = 0; k < d->count; k++) {
    const struct hb_force_news *news = &d->member[k].news;
    if (k != m->k && news->count > 0) HB_TRY(ops_of(m)->give(m->records, news));
  }
  return HB_OK;
}

static enum hb_status take_own(struct hb_devices_member *m)
{
  return ops_of(m)->take(m->records, m->count, m->devices->job.sinks.index + m->first, &m->news);
}

enum hb_status hb_devices_exchange(struct hb_devices *d)
{
  HB_TRY(hb_devices_each(d, take_own));
  return hb_devices_each(d, hb_devices_learn);
}
