/* How fast and how exact a source of forces is, and the ceiling of a device. */
#ifndef HB_BENCH_H
#define HB_BENCH_H

#include "base/status.h"

#include <holmberg/holmberg.h>

struct hb_bench_params {
  struct hb_force_params force; /* scheme must be named                                                  */
  const char *interaction;      /* NULL: gravity_jerk                                                    */
  size_t n, ni;                 /* sources, and sinks among them (0: all): a Plummer sphere              */
  int repeat;                   /* samples; 0: 7                                                         */
  int check;                    /* 1: errors against double precision for up to 256 sinks (gravity only) */
  int float_positions;          /* 1: positions and velocities are rounded to float first                */
  uint64_t seed;
  int block; /* 1: block_ms is wanted, too */
};

/* Times of one evaluation. For the all-pairs schemes they cover the walk alone, from the first draw until the device is
 * idle (send and receive are separate); for the others the complete call. */
struct hb_bench_result {
  char precision[16], context[16], device[192], tuning[256];
  size_t ni;
  int flops_per_pair;
  double ms_median, ms_min, ms_max;
  double send_ms, draw_ms,
      receive_ms;      /* medians of one upload, one walk, one readback, the device idle between */
  double cycle_ms;     /* median of all three without idling, as in a block step                 */
  double cycle_min_ms; /* and the minimum, for machines that are shared                        */
  double pairs_per_s;  /* ni (n - 1) / median */
  double acc_rms, acc_max, jerk_rms, jerk_max, pot_rms,
      pot_max;      /* relative to each sink's own; NaN: not checked */
  double acc_floor; /* rms error of acc by rounding the positions to float alone */
  double
      block_ms; /* median of a block step of particles that stay on the device: block sent, all predicted, forces back */
  double compile_ms; /* of the first walk, and opening for it, beyond another walk: mostly the compiler's */
  int draws;         /* of a walk; 0: not known */
};

/* Errors: as hb_force_open; HB_ERR_USAGE. */
enum hb_status hb_bench_force(const struct hb_bench_params *params, struct hb_bench_result *result);

/* acc_rms alone, of these particles, whose positions are rounded to float afterwards, for up to 256 sinks. */
enum hb_status hb_bench_error(const struct hb_force_params *force, struct hb_particles *particles,
                              double *acc_rms);

/* Floating point operations per second that the device reaches with multiply-adds, two operations each, in a fragment
 * (compute = 0) or compute program: the ceiling for rates. */
enum hb_status hb_bench_ceiling(const struct hb_force_params *params, int compute, double *flops);

#endif
