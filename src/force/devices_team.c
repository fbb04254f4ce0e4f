/* Threads of several devices. */
#include "force/devices.h"

#include <stdio.h>

static enum hb_status run(struct hb_devices_member *m)
{
  enum hb_status status = m->work(m);
  return status == HB_OK || m->devices->count == 1 ? status
                                                   : hb_fail(status, "device %s: %s", m->name, hb_error());
}

static enum hb_status run_in_thread(void *member) { return run(member); }

void hb_devices_start(struct hb_devices *d, enum hb_status (*work)(struct hb_devices_member *member))
{
  for (int k = 0; k < d->count; k++) {
    struct hb_devices_member *m = &d->member[k];
    m->work = work;
    if (m->worker) hb_worker_start(m->worker, run_in_thread, m);
  }
}

/* All of them are waited for. */
enum hb_status hb_devices_join(struct hb_devices *d, enum hb_status first)
{
  char sentence[1024];
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  enum hb_status status = first;
  for (int k = 0; k < d->count; k++) {
    struct hb_devices_member *m = &d->member[k];
    enum hb_status its = m->worker ? hb_worker_wait(m->worker) : HB_OK;
    if (status != HB_OK || its == HB_OK) continue;
    status = its;
    snprintf(sentence, sizeof sentence, "%s", hb_error());
  }
  return status == HB_OK ? HB_OK : hb_fail(status, "%s", sentence);
}

enum hb_status hb_devices_each(struct hb_devices *d, enum hb_status (*work)(struct hb_devices_member *member))
{
  hb_devices_start(d, work);
  return hb_devices_join(d, run(&d->member[0]));
}
