/* The output of benchmarks: tables and lines of JSON, and a figure beside the paper's Table 2. */
#ifndef HB_BENCH_TABLE_H
#define HB_BENCH_TABLE_H

#include "base/table.h"
#include "plot/plot.h"

#include <holmberg/measure.h>

/* ---- bench force, bench draws ---- */

/* One configuration and what was measured of it. */
struct hb_bench_row {
  struct hb_bench_params params; /* interaction named */
  struct hb_bench_result result;
  double ceiling;               /* multiply-adds of the device, operations a second; NaN: does not apply */
  double gpairs, gflops, share; /* 1e9 a second; gflops of the ceiling */
};

struct hb_bench_row hb_bench_row(const struct hb_bench_params *params, const struct hb_bench_result *result,
                                 double ceiling);

/* Tables of such rows on standard output; errors: with those of params->check. */
struct hb_table hb_bench_force_table(const struct hb_bench_params *params, enum hb_table_form form);
struct hb_table hb_bench_draws_table(enum hb_table_form form);

/* Below the table of bench force: how its numbers are counted. */
void hb_bench_force_footer(void);

/* ---- bench run ---- */

/* One job and what was measured of it. */
struct hb_bench_run_row {
  const char *record;                /* kind of line where there are several; NULL: not written */
  const char *mode, *rounding;       /* "block/gpu/host" "down" */
  struct hb_bench_run_params params; /* every default filled in */
  struct hb_bench_run_result result;
  double gpairs, de_rel, de_rel_gpu; /* 1e9 a second; (E - E0) / |E0| */
  int phases;                        /* timed separately */
  const char *scaling;
};

struct hb_bench_run_row hb_bench_run_row(const struct hb_bench_run_params *params,
                                         const struct hb_bench_run_result *result, const char *mode,
                                         const char *rounding);
struct hb_table hb_bench_run_table(enum hb_table_form form, FILE *out);

/* Wall seconds against n: a color for each scheme and precision, dashes and marks by mode. */
enum hb_status hb_bench_run_plot(struct hb_plot *plot, const struct hb_bench_run_row *row);

/* The columns of Table 2 for about the numbers of particles in the figure. */
enum hb_status hb_bench_run_plot_paper(struct hb_plot *plot);

#endif
