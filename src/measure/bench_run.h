/* The output of `bench run`: a table, or lines of JSON. */
#ifndef HB_BENCH_RUN_H
#define HB_BENCH_RUN_H

#include "base/table.h"

#include <holmberg/measure.h>

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

#endif
