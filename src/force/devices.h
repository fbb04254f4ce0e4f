/* Several devices that work at the same blocks, each in a thread of its own: what devices.c and its tests share. */
#ifndef HB_DEVICES_H
#define HB_DEVICES_H

#include "base/parallel.h"
#include "force/split.h"
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
    struct hb_force_correction correction; /* under way */
    int is_corrected;                      /* by the devices */
    int tells;          /* whether a device can tell the others what it has; -1: not asked yet */
    int is_torn;        /* after a failure: not all of them have the last block */
    uint32_t *behind;   /* [behind_count] particles that only the first device has as they are now */
    uint8_t *is_behind; /* [n] */
    size_t behind_count;
    struct hb_force_news late; /* of these, for the others; count 0: they have them */
  } kept;

  char device[2048], tuning[256];
};

/* The first device tells what it has corrected alone; the others catch up, each by itself, before they predict. */
enum hb_status hb_devices_tell_late(struct hb_devices *d);
enum hb_status hb_devices_catch_up(struct hb_devices_member *m);

/* The bound of the plan for sources that are sent, once. */
enum hb_status hb_devices_fix_alone(struct hb_devices *d);

#endif
