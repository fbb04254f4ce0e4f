/* For the program holmberg, whose commands bench, model, info, reproduce and run --follow it is: benchmarks of forces and
 * runs, properties of the machine, the time model of [PZ07], and a particle step by step. Neither installed nor in libholmberg. Conventions as in
 * holmberg.h. */
#ifndef HOLMBERG_MEASURE_H
#define HOLMBERG_MEASURE_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measuring --------------------------------------------------------------------------------------- */

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

/* ---- the machine ------------------------------------------------------------------------------------- */

/* How a * b + c is rounded: after each operation, once after both, or not the same way everywhere. */
enum hb_fusion { HB_FUSION_SEPARATE, HB_FUSION_FUSED, HB_FUSION_OTHER, HB_FUSION_ABSENT /* no fma() */ };

/* How the driver's shader compiler treats exact arithmetic: the number of cases that differ from the host's bits, and the
 * largest errors in units in the last place. */
struct hb_selftest_info {
  int cases;                             /* of each kind; 0: the test could not be run           */
  int two_sum_wrong, two_product_wrong;  /* a sum or product and its rounding error, plain GLSL  */
  int two_sum_precise_wrong;             /* `precise`, as in precisions compensated and ds: 0    */
  int carry_precise_wrong;               /* their other kind of sum: 0                           */
  enum hb_fusion multiply_add, fma;      /* of a * b + c and of fma(a, b, c)                     */
  int dot_differs;                       /* dot() against its products added from left to right  */
  double sqrt_ulp, rsqrt_ulp;            /* sqrt(x), inversesqrt(x)                              */
  double one_over_sqrt_ulp, inverse_ulp; /* 1 / sqrt(x), 1 / x                                   */
  double rsqrt_mean;                     /* mean relative error of 1 / r; compensated and ds correct for it */
  int denormals_lost;                    /* not the same after reading and writing               */
  int denormal_products_lost;            /* products too small to be normal that became 0        */
  int special_wrong, wrap_wrong;         /* NaN, infinities, zeros; unsigned numbers beyond 2^32 */
  int has_double;                        /* 0: absent, or emulated; the two below are not valid  */
  int double_wrong;                      /* a double sum, its rounding error, or a product: 0    */
  double double_ulp;                     /* sqrt, inversesqrt and 1 / x in double                */
  double roots_ulp;                      /* largest error of 1 / r; GLSL allows 2, 8 are refused  */
  int double_emulated;                   /* 1: they take so long that they cannot be hardware's  */
};

/* A way to get OpenGL, tried on this machine. */
struct hb_context_info {
  const char *name; /* egl, osmesa, glfw, gles */
  int usable;       /* 1: opened; 0: reason says why not */
  char reason[256];
  char vendor[128], renderer[192], version[128];
  int major, minor, software; /* software: a renderer without a GPU */
  int max_texture_size, max_color_attachments, max_draw_buffers, max_texture_buffer_size;
  struct hb_selftest_info selftest;
  int is_es; /* OpenGL ES */
};

/* A device that EGL offers; --device accepts index and path. */
struct hb_device_info {
  int index;
  char path[64]; /* /dev/dri/..., "" if none */
  char address
      [64]; /* which of several equal ones: "PCI 0000:1b:00.0", "UUID ...", "" if the driver does not say */
  char renderer[192];
  int software;
};

enum { HB_CONTEXTS_MOST = 4 };

/* Opens and closes each kind of context once: tenths of a second. */
enum hb_status hb_info_contexts(struct hb_context_info contexts[HB_CONTEXTS_MOST], size_t *count);

/* ---- the time model ---------------------------------------------------------------------------------- */

/* The run time of a cluster by [PZ07] section 5: the cost of a block step (eqs 10 to 13 and 15), its number of particles
 * (eq. 14), and the number of block steps in a time unit (eq. 17). For the four machines of the paper with its constants,
 * for this one with measured constants. Seconds. */

/* c N^p */
struct hb_power_law {
  double c, p;
};

/* A block step with n_block of N particles takes
 *   t_start + t_predict N + t_correct n_block + t_send n_send + t_receive n_receive + t_source N + t_pair N n_block.
 * t_start and t_source are not in the paper, which has no fixed costs: of a draw, a transfer, a pass over a source. */
struct hb_machine {
  char name[96];
  double n_pipe;               /* Table 1; 0: not known                                              */
  double f_cycle;              /* Hz, Table 1                                                        */
  double memory;               /* particles, Table 1; 0: the host's                                  */
  double eta_fe;               /* cycles a pair, section 5.3                                         */
  double t_start;              /* a block step                                                       */
  double t_predict;            /* a particle of N, eq. 11                                            */
  double t_correct;            /* a particle of the block, eq. 12                                    */
  double t_send;               /* a particle sent, eq. 13: eta_send t_send of Table 3; 0: none is    */
  double t_receive;            /* a particle received, eq. 13: eta_rec t_rec of Table 3              */
  double t_source;             /* a particle of N in the force                                       */
  double t_pair;               /* eq. 15: eta_fe t_cycle / n_pipe of Table 3                         */
  int sends_all;               /* 1: n_send = N; 0: n_block (section 5.2)                            */
  int receives_all;            /* the same for n_receive: eq. 13 as printed has n_send in its place  */
  struct hb_power_law n_block; /* eq. 14 */
  struct hb_power_law n_steps; /* block steps of a time unit, eq. 17 */
};

struct hb_model_time {
  double n_block, n_steps;
  double t_host, t_comm, t_force; /* of a block step, the terms of eq. 10; t_force with t_source */
  double t_sum;                   /* with several ranks, to add up their forces; else 0          */
  double t_step;                  /* eq. 10, with t_start and t_sum                              */
  double t_unit;                  /* of an N-body time unit of a Plummer sphere, eq. 16          */
};

/* Of n particles, with the blocks of the machine's two laws. */
void hb_model_predict(const struct hb_machine *machine, double n, struct hb_model_time *time);

/* ---- several ranks ---- */

/* A message between two ranks, of so many bytes, takes t_message + t_byte bytes. */
struct hb_network {
  int ranks; /* that it was measured with */
  double t_message, t_byte;
};

/* The same with the sources shared out among equal ranks, each on such a machine, of which each adds up the forces of the
 * block with all others in log2(ranks) messages, rounded up. */
void hb_model_predict_ranks(const struct hb_machine *machine, const struct hb_network *network, int ranks,
                            double n, struct hb_model_time *time);

/* Table 3's t_host: prediction and correction a particle of N, at the N where eqs 11 and 12 give its 3.82e-7 s. */
#define HB_MODEL_T_HOST_N 65536.0
double hb_model_t_host(const struct hb_machine *machine);

/* ---- a particle, step by step ------------------------------------------------------------------------ */

/* A particle at the end of a step, or, of a group's member, the node that stands for the group: its center of mass and its steps. */
struct hb_follow {
  uint64_t id;
  size_t slot; /* where it was looked for last; 0 at first */
  double t;
  double x[3], v[3], a[3], j[3];
  double step;         /* the one that begins here */
  uint64_t members;    /* stars of the node */
  double nearest;      /* distance of the nearest other node; INFINITY: there is none */
  uint64_t nearest_id; /* of a group, its lowest member's */
  /* Only with neighbor lists: */
  int far_ends;               /* 1: the far step ended here, too, and the list is new */
  double far_step;            /* at least `step`, and where far_ends the one that begins here */
  uint64_t listed;            /* length of the list */
  double near_a[3], far_a[3]; /* a in its two parts */
};

/* Particle follow->id after the last hb_sim_step, or at the start, where all steps begin: *is_due 1 where its step has ended there, 0 where not, or where no particle has that
 * number any more; then the rest is not set. Errors: HB_ERR_USAGE (the integrator has no such steps); those of reading back. */
enum hb_status hb_sim_follow(struct hb_sim *sim, struct hb_follow *follow, int *is_due);

#ifdef __cplusplus
}
#endif
#endif
