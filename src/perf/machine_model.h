/* The run time of a machine by [PZ07] section 5, term by term: the cost of a block step (eqs 10 to 13 and 15), its number of particles
 * (eq. 14), and the number of block steps in a time unit (eq. 17). Seconds. The paper's four
 * machines have the constants that its own curves use: eta_pred and eta_corr of the text, and the times of a pair and of a
 * transfer of Table 3. */
#ifndef HB_MACHINE_MODEL_H
#define HB_MACHINE_MODEL_H

#include <holmberg/holmberg.h>

#include <math.h>

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

/* GRAPE-6Af, 8800GTX, FX1400, Xeon, in the order of the tables: modeled, not measured here. */
enum { HB_MACHINES = 4 };
extern const struct hb_machine hb_machines[HB_MACHINES];

static inline double hb_power_law_at(const struct hb_power_law *law, double n)
{
  return law->c * pow(n, law->p);
}

/* Seconds of one N-body time unit of a Plummer sphere: eq. 16 with the machine's laws for blocks, eqs 14 and 17. */
double hb_machine_time(const struct hb_machine *machine, double n);

/* Block steps per unit of time of an equal-mass Plummer sphere in N-body units with a softening of 1/256: eq. 17, measured
 * at nu = 0.01; a step is proportional to nu^(1/2), eq. 9. */
double hb_model_n_steps(double n, double nu);

/* The ratio of our number of steps to that, by the rounding to powers of two: 1.6 down, 1.15 nearest, 0.8 up, each within a
 * quarter for N = 256 ... 16384 (data/measured/rounding.jsonl). The paper does not say how it rounded. */
double hb_model_rounded(enum hb_rounding rounding);

/* A message between two ranks, of so many bytes, takes t_message + t_byte bytes. */
struct hb_network {
  int ranks; /* that it was measured with */
  double t_message, t_byte;
};

/* Of n particles, with the blocks of the machine's two laws. With a network the sources are shared out among equal ranks, each on such
 * a machine, of which each adds up the forces of the block with all others in log2(ranks) messages, rounded up; NULL: one rank. */
void hb_model_predict(const struct hb_machine *machine, const struct hb_network *network, int ranks, double n,
                      struct hb_model_time *time);

#endif
