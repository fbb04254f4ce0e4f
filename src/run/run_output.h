/* What a run prints: a table or JSON lines on standard output, a progress bar on standard error. */
#ifndef HB_RUN_OUTPUT_H
#define HB_RUN_OUTPUT_H

#include <holmberg/diagnostics.h>

enum hb_run_output_form { HB_RUN_OUTPUT_TABLE, HB_RUN_OUTPUT_JSON, HB_RUN_OUTPUT_NONE };

struct hb_run_output {
  enum hb_run_output_form form;
  int has_bar;
  double t_begin, t_end;
  double wall_begin;       /* wall_s counts from here, after the first evaluation of forces */
  double e_begin, e_scale; /* what e_total was, and what errors of it are compared with        */
  int parts; /* that the table shows, with both errors: 1 cluster and binaries, where e_scale is not that of all by more than
              * a tenth; 2 the orbit in a field, too; else 0 */
  int rows;
  struct hb_units units; /* of rows; mass 0: N-body */
  int eps_is_default;    /* neither the command line nor the snapshot says it: the head of the table does */
};

/* Errors are compared with these energies from now on. */
void hb_run_output_begin(struct hb_run_output *output, const struct hb_diagnostics *now, int has_field);

/* (E - E0) / |E0|, NaN if E0 is 0; and over the cluster's own energy, 0 if nothing has changed. */
double hb_run_output_energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now);
double hb_run_output_cluster_error(const struct hb_run_output *output, const struct hb_diagnostics *now);

/* Errors: HB_ERR_IO if standard output cannot be written; those of hb_sim_state. */
enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, int is_last);

void hb_run_output_progress(const struct hb_run_output *output, double t);

#endif
