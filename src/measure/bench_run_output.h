/* What `bench run` shows: a table or JSON lines on standard output, and a figure beside the paper's Table 2. */
#ifndef HB_BENCH_RUN_OUTPUT_H
#define HB_BENCH_RUN_OUTPUT_H

#include "plot/plot.h"

#include <holmberg/holmberg.h>

#include <stdio.h>

/* One job and what was measured of it. */
struct hb_bench_run_row {
  const struct hb_bench_run_params *params; /* nothing left to default */
  const struct hb_bench_run_result *result;
  const char *mode;     /* "block/gpu/host" */
  const char *rounding; /* "down"           */
};

void hb_bench_run_header(void);
void hb_bench_run_print(const struct hb_bench_run_row *row);

/* A line; record, nullable, says what kind of line it is where there are several. */
void hb_bench_run_json(const struct hb_bench_run_row *row, const char *record, FILE *out);

/* Wall seconds against n: a colour for each scheme and precision, dashes and marks by mode. */
enum hb_status hb_bench_run_plot(struct hb_plot *plot, const struct hb_bench_run_row *row);

/* The columns of Table 2 for about the numbers of particles that stand in the figure. */
enum hb_status hb_bench_run_plot_paper(struct hb_plot *plot);

#endif
