/* A measured run that goes on in another process: a checkpoint, and what the clock had shown. */
#ifndef HB_BENCH_SAVED_H
#define HB_BENCH_SAVED_H

#include <holmberg/measure.h>

/* Where a measured run is. Before t_begin, r is all zeros. */
struct hb_bench_place {
  int is_timed;                 /* whether t_begin was reached */
  struct hb_bench_run_result r; /* wall_s so far, the energies at t_begin, counts and phases up to t_begin */
};

/* Goes on with the job that p->checkpoint holds: its simulation and place. *sim = NULL if there is no such file.
 * Errors: as hb_checkpoint_open and hb_sim_resume; HB_ERR_USAGE (it is another job's). */
enum hb_status hb_bench_saved_resume(const struct hb_bench_run_params *p, struct hb_bench_place *place,
                                     struct hb_sim **sim);

/* Errors: as hb_sim_save. */
enum hb_status hb_bench_saved_write(const struct hb_bench_run_params *p, const struct hb_bench_place *place,
                                    const struct hb_sim *sim);

/* Removes the file, if there is one: the job is done. */
void hb_bench_saved_remove(const struct hb_bench_run_params *p);

#endif
