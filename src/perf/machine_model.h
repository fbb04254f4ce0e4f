/* The run time of the four machines of [PZ07] by its section 5: modelled, never measured here, and to be called so wherever
 * it is shown. Of the quoted constants it takes those that the paper's own curves take: eta_pred and eta_corr of the
 * text, times of a pair and of a transfer from Table 3. */
#ifndef HB_MACHINE_MODEL_H
#define HB_MACHINE_MODEL_H

#include <stddef.h>

struct hb_machine {
  const char *name;
  double n_pipe;    /* Table 1                                                     */
  double f_cycle;   /* Hz, Table 1                                                 */
  double memory;    /* particles, Table 1; 0: the host's                           */
  double t_pair;    /* s, eta_fe t_cycle / n_pipe, Table 3                         */
  double t_send;    /* s a particle, eta_send t_send, Table 3; 0: nothing travels  */
  double t_receive; /* s a particle, eta_rec t_rec, Table 3                        */
  double eta_fe;    /* cycles a pair, section 5.3                                  */
  int sends_all;    /* 1: n_send = N, as the GPUs; 0: n_block (section 5.2)        */
};

/* GRAPE-6Af, 8800GTX, FX1400, Xeon: in the order of the tables. */
enum { HB_MACHINES = 4 };
extern const struct hb_machine hb_machines[HB_MACHINES];

/* By its name; NULL: none. */
const struct hb_machine *hb_machine_find(const char *name);

/* Seconds of one block step with n_block of n particles. The host predicts and corrects on every machine. */
double hb_machine_t_pred(double n);                 /* eq. 11 */
double hb_machine_t_corr(double n_block);           /* eq. 12 */
double hb_machine_t_host(double n, double n_block); /* eq. 10, its first term */
double hb_machine_t_comm(const struct hb_machine *machine, double n, double n_block);  /* eq. 13 */
double hb_machine_t_force(const struct hb_machine *machine, double n, double n_block); /* eq. 15 */
double hb_machine_t_step(const struct hb_machine *machine, double n, double n_block);  /* eq. 10 */

/* Seconds of one N-body time unit of a Plummer sphere at nu = 0.01: eq. 16 with the blocks of eqs 14 and 17. */
double hb_machine_time(const struct hb_machine *machine, double n);

#endif
