/* The run time of a cluster by [PZ07] section 5: what a block step costs (eqs 10 to 13 and 15), how many particles one has
 * (eq. 14), how many a time unit takes (eq. 17). For the four machines of the paper with its constants, for this one
 * with constants that are measured here. Conventions as in holmberg.h; seconds. */
#ifndef HOLMBERG_MODEL_H
#define HOLMBERG_MODEL_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c N^p */
struct hb_power_law {
  double c, p;
};

/* A block step with n_block of N particles takes
 *   t_start + t_predict N + t_correct n_block + t_send n_send + t_receive n_receive + t_source N + t_pair N n_block.
 * t_start and t_source are not the paper's, which has no cost of beginning: of a draw, a transfer, a pass over a source. */
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

/* GRAPE-6Af, 8800GTX, FX1400, Xeon, in the order of the tables: modelled, never measured here. */
const struct hb_machine *hb_model_machines(size_t *count);

struct hb_model_time {
  double n_block, n_steps;
  double t_host, t_comm, t_force; /* of a block step, the terms of eq. 10; t_force with t_source */
  double t_step;                  /* eq. 10, with t_start                                        */
  double t_unit;                  /* of an N-body time unit of a Plummer sphere, eq. 16          */
};

/* Of n particles, with the blocks of the machine's two laws. */
void hb_model_predict(const struct hb_machine *machine, double n, struct hb_model_time *time);

/* Table 3's t_host: prediction and correction a particle of N, at the N where eqs 11 and 12 give its 3.82e-7 s. */
#define HB_MODEL_T_HOST_N 65536.0
double hb_model_t_host(const struct hb_machine *machine);

/* ---- this machine ------------------------------------------------------------------------------------ */

/* One size that was measured: means over its seeds, the seconds the median. */
struct hb_model_size {
  size_t n;
  double n_steps, n_block;
  double de_rel, de_rel_most; /* mean and largest |dE/E| from t_begin to t_end                         */
  double measured_s;          /* of a time unit                                                        */
  double predicted_s;         /* by the fit of all sizes                                               */
  double unseen_s;            /* by a fit of every other size, of which this one is not; NaN: it is one */
};

struct hb_model_fit_params {
  struct hb_bench_run_params run; /* n and seed are of no account; phases are told apart        */
  const size_t *n;                /* [n_count] ascending                                        */
  size_t n_count;                 /* at least 3                                                 */
  int seeds;                      /* of each size the spheres of seeds 1 to this; 0: 3          */
  /* Called behind each run, nullable; what it returns ends the fit when it is a failure. */
  enum hb_status (*measured)(const struct hb_bench_run_params *job, const struct hb_bench_run_result *result,
                             void *context);
  void *context;
};

struct hb_model_fit {
  struct hb_machine machine;   /* its name: scheme, precision, device           */
  struct hb_machine error;     /* standard errors, field by field; NaN: too few runs to tell */
  double t_host, t_host_error; /* as hb_model_t_host          */
  double n_block_deviation;    /* largest of |n_block / eq. 14 - 1|             */
  double unseen_deviation;     /* largest of |unseen_s / measured_s - 1|        */
  double de_rel;               /* mean |dE/E| of all runs                       */
};

/* Runs the job of hb_bench_run for each size and seed, and fits. sizes[n_count]. Errors: as hb_bench_run; HB_ERR_USAGE (sizes,
 * seeds), HB_ERR_NUMERIC (a run without block steps between t_begin and t_end). */
enum hb_status hb_model_fit(const struct hb_model_fit_params *params, struct hb_model_size *sizes,
                            struct hb_model_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
