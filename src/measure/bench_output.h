/* What a benchmark shows: a table or JSON lines on standard output. */
#ifndef HB_BENCH_OUTPUT_H
#define HB_BENCH_OUTPUT_H

#include <holmberg/holmberg.h>

/* One configuration and what was measured of it. */
struct hb_bench_output_row {
  const struct hb_bench_params *params; /* interaction named */
  const struct hb_bench_result *result;
  double ceiling; /* multiply-adds of the device, operations a second; NaN: of no meaning here */
};

/* bench force: header, rows, and behind the table how its numbers are counted. */
void hb_bench_output_force_header(const struct hb_bench_params *params);
void hb_bench_output_force_row(const struct hb_bench_output_row *row);
void hb_bench_output_force_footer(void);
void hb_bench_output_force_json(const struct hb_bench_output_row *row);

/* bench draws. */
void hb_bench_output_draws_header(void);
void hb_bench_output_draws_row(const struct hb_bench_output_row *row);
void hb_bench_output_draws_json(const struct hb_bench_output_row *row);

/* bench ceiling. */
void hb_bench_output_ceiling(const char *program, double flops);
void hb_bench_output_ceiling_json(const char *program, double flops);

#endif
