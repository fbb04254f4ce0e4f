/* The device's side of force/timed.h: particles with times of their own beside the all-pairs engine. */
#ifndef HB_TIMED_DEVICE_H
#define HB_TIMED_DEVICE_H

#include "force/near_device.h"
#include "pairs/pairs.h"

/* A particle as it is stored: derivatives over their factorials, so that Horner's form needs no division. */
struct hb_timed_body {
  double t, m, x[3], v[3], a2[3], j6[3], s24[3];
};

struct hb_timed_device;

/* Room for n particles, for the sources of engines with the context and precision of `pairs`. Errors: HB_ERR_GL (limits). */
enum hb_status hb_timed_device_create(const struct hb_pairs *pairs, size_t n,
                                      struct hb_timed_device **device);
void hb_timed_device_destroy(struct hb_timed_device *device);

/* Whether the engine predicts n particles on its device: the kernels are those of positions and velocities, its arithmetic is
 * exact where it must be, and a dropped draw would be noticed. */
int hb_timed_device_suits(const struct hb_pairs *pairs, size_t n);
size_t hb_timed_device_room(const struct hb_timed_device *device);

/* Stores bodies[address[k]] at address[k], for each k < count; none twice. */
enum hb_status hb_timed_device_put(struct hb_timed_device *device, size_t count, const uint32_t *address,
                                   const struct hb_timed_body *bodies);

/* Predicts the first nj to time t, in the frame with that origin: the sources of the engine. */
enum hb_status hb_timed_device_predict(struct hb_timed_device *device, struct hb_pairs *pairs, size_t nj,
                                       double t, const double origin[2][3]);

/* The same as sources of the neighbor passes in near->frame, the scale of which must be within this range. */
#define HB_TIMED_SCALE 0x1p90
enum hb_status hb_timed_device_near(struct hb_timed_device *device, size_t nj, double t,
                                    struct hb_near_device *near);

/* HB_ERR_DEVICE where a draw of these was lost; to be called after what depends on them was read. */
enum hb_status hb_timed_device_check(struct hb_timed_device *device);

#endif
