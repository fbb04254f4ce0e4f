/* What the files devices*.c share: several devices that work at the same blocks, each in a thread of its own. */
#ifndef HB_DEVICES_H
#define HB_DEVICES_H

#include "base/worker.h"
#include "force/devices_plan.h"
#include "force/part.h"

/* The sources that a device has: none, a part of those that were set, all of them, or all that are kept, predicted. */
enum hb_devices_sources { HB_DEVICES_NONE, HB_DEVICES_PART, HB_DEVICES_ALL, HB_DEVICES_PREDICTED };

struct hb_devices_member {
  struct hb_devices *devices;
  int k;
  char name[64];
  struct hb_worker *worker; /* NULL for the first one, which is in the thread of the caller */
  struct hb_part part;      /* the scheme that walks, opened on this device */
  void *records;            /* of particles that it keeps */
  enum hb_devices_sources has;
  size_t first, count; /* its sinks in this call; of its part of the sources: all */
  size_t done;         /* sources of its part, or sinks, that it has finished in this call */
  struct hb_part_sums
      sums; /* [room] over its part of the sources: of the others, to be added to the first one's */
  size_t room;
  double rate; /* pairs a second, as measured */
  enum hb_status (*work)(struct hb_devices_member *member);
  struct hb_force_news news; /* of particles that it has corrected, for the others; count 0: none */
};

struct hb_devices {
  const struct hb_force_ops *ops; /* the scheme that walks */
  struct hb_force_params params;  /* strings of the handle's, but for the tuning */
  struct hb_devices_plan plan;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  double (*clock)(void);
  int is_prepared; /* hb_devices_prepare */
  int count;
  struct hb_devices_member member[HB_SHARES_MOST];
  struct hb_gl_context *opened; /* for the first device, while it is being opened */

  struct hb_reproducible_units units; /* in precision reproducible */
  struct hb_force_sources j;          /* the caller's, or in own[7 * room]; n 0: those that are kept */
  double *own;
  size_t room;

  enum hb_devices_way way;
  struct hb_force_job job; /* the one under way */
  struct hb_part_points points;

  struct { /* particles that stay on the devices */
    size_t n;
    double dt[HB_FORCE_LEVELS];            /* of the prediction that they are to have */
    const struct hb_force_particles *sent; /* on their way, these: NULL: all */
    const uint32_t *which;
    const struct hb_force_step *how; /* of the correction under way */
    const double *ahead;
    double *step;
    struct hb_phases *last;
    int is_corrected;   /* by the devices */
    int tells;          /* whether a device can tell the others what it has; -1: not asked yet */
    int is_torn;        /* after a failure: not all of them have the last block */
    uint32_t *behind;   /* [behind_count] particles that only the first device has as they are now */
    uint8_t *is_behind; /* [n] */
    size_t behind_count;
    struct hb_force_news late; /* of these, for the others; count 0: they have them */
  } kept;

  char device[2048], tuning[256];
};

/* ---- devices_team.c ---- */

/* Every device does it, the first one in the thread of the caller; the first failure counts, with the device's name. */
enum hb_status hb_devices_each(struct hb_devices *d,
                               enum hb_status (*work)(struct hb_devices_member *member));

/* The same in two halves: the others begin; and end, when the first one has done its own with this status. */
void hb_devices_start(struct hb_devices *d, enum hb_status (*work)(struct hb_devices_member *member));
enum hb_status hb_devices_join(struct hb_devices *d, enum hb_status first);

/* ---- devices_call.c: a job of which `way` and the fields below it are set ---- */

/* Which sinks a device has. */
void hb_devices_divide(struct hb_devices *d);

/* The devices get the sources that they lack, and begin; then results are complete. After a failure to begin nobody is
 * working any more. */
enum hb_status hb_devices_begin(struct hb_devices *d);
enum hb_status hb_devices_finish(struct hb_devices *d);

/* What a device does at the beginning; for the measurement of its rate. */
enum hb_status hb_devices_send(struct hb_devices_member *m);

/* ---- devices_exchange.c ---- */

/* Whether particles can go from one device to the others at all; else the host sends them to each. */
int hb_devices_can_tell(struct hb_devices *d);
enum hb_status hb_devices_tell_nothing(struct hb_devices_member *m); /* fails where it cannot, and says why */

/* The first device tells what it has corrected alone; the others catch up, each by itself, before they predict. */
enum hb_status hb_devices_tell_late(struct hb_devices *d);
enum hb_status hb_devices_catch_up(struct hb_devices_member *m);

/* A device takes over what the others have told. All exchange their sinks of this call. */
enum hb_status hb_devices_learn(struct hb_devices_member *m);
enum hb_status hb_devices_exchange(struct hb_devices *d);

/* ---- devices_measure.c ---- */

/* With the first sources, by number of the particles: the tuning of the first device is that of all, and shares are
 * fixed, measured if sources are set. */
enum hb_status hb_devices_prepare(struct hb_devices *d, size_t n);

/* Bounds of the plan, once: of sources that are sent, d->j; of particles that are kept. */
enum hb_status hb_devices_fix_alone(struct hb_devices *d);
enum hb_status hb_devices_fix_kept_alone(struct hb_devices *d);

/* ---- devices_kept.c ---- */

enum hb_status hb_devices_records(void *state, size_t n, void **records);
extern const struct hb_force_resident_ops hb_devices_resident;

#endif
