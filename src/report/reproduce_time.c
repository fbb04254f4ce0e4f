/* How long the runs of [PZ07] take: its Tables 1 and 2, Figs 1 and 4. */
#include "perf/paper.h"
#include "report/model_2007.h"
#include "report/reproduce_section.h"

#include <math.h>

/* The columns of this machine in Table 2, in the order of 2007: the host first. */
static const enum hb_source_name columns[] = {HB_SOURCE_HOST, HB_SOURCE_SIMD, HB_SOURCE_CG2007, HB_SOURCE_BAG,
                                              HB_SOURCE_TILE};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- Table 1 ----------------------------------------------------------------------------------------- */

static double printed(const char *key, const char *machine)
{
  return hb_paper_value("pz07_table1", key, machine);
}

/* A row of the paper, and the corresponding numbers here. */
static void table1_row(struct hb_report_table *t, const char *key, const char *name, double device,
                       double host)
{
  hb_report_table_word(t, name);
  for (int m = 0; m < HB_2007_MACHINES; m++) hb_report_table_number(t, printed(key, hb_2007_machines[m]), 5);
  hb_report_table_row(t, "33", device, host);
}

void hb_section_table1(const struct hb_reproduction *r, struct hb_report *report)
{
  double fused = fmax(hb_reproduce_number(r, "gflops", "kind=ceiling program=compute"),
                      hb_reproduce_number(r, "gflops", "kind=ceiling program=fragment"));
  double send_us = hb_reproduce_number(r, "send_us", "kind=draws"),
         n = hb_reproduce_number(r, "n", "kind=draws");
  double bytes = hb_paper_value("pz07_model", "bytes_send,GPU", "value");
  double host_pipes = hb_reproduce_number(r, "processors", "kind=host");
  double host_clock = hb_reproduce_number(r, "clock_mhz", "kind=host");
  double memory = hb_reproduce_number(r, "memory_bytes", "kind=host") / 1024 /
                  hb_paper_value("pz07_model", "bytes_stored,GPU", "value");
  hb_section_set(report, "has_rates", fused > 0 && send_us > 0);
  struct hb_report_table t = hb_report_table(
      report, "table1", "parameter|GRAPE-6Af|8800GTX|FX1400|Xeon|this machine, OpenGL|this machine, host");
  table1_row(&t, "n_pipe", "processor pipelines", NAN, host_pipes);
  table1_row(&t, "f_cycle", "clock, MHz", NAN, host_clock);
  hb_report_table_word(&t, "pipelines times clock, GHz");
  for (int m = 0; m < HB_2007_MACHINES; m++)
    hb_report_table_number(
        &t, 1e-3 * printed("n_pipe", hb_2007_machines[m]) * printed("f_cycle", hb_2007_machines[m]), 4);
  hb_report_table_row(&t, "44", 0.5 * fused, 1e-3 * host_pipes * host_clock);
  table1_row(&t, "1/t_bus", "host to device, GB/s", 1e-3 * bytes * n / send_us, NAN);
  table1_row(&t, "memory", "memory, 1024 particles of 84 bytes", NAN, memory);
  hb_report_table_end(&t);
}

/* ---- Table 2 ----------------------------------------------------------------------------------------- */

void hb_section_table2(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = hb_report_table(report, "table2",
                                             "N|GRAPE-6Af [s]|8800GTX [s]|FX1400 [s]|Xeon [s]|host [s]|"
                                             "host-simd [s]|cg2007 [s]|bag [s]|tile [s]");
  for (size_t n = r->n_least; n <= 524288; n *= 2) {
    hb_report_table_number(&t, (double)n, 7);
    for (int m = 0; m < HB_2007_MACHINES; m++)
      hb_report_table_number(&t, hb_2007_wall(n, hb_2007_machines[m]), 4);
    for (int c = 0; c < COLUMNS; c++) hb_report_table_number(&t, hb_section_wall(r, columns[c], n), 3);
    hb_report_table_row(&t, "");
  }
  hb_report_table_end(&t);
  hb_section_set(report, "has_tile", r->sources[HB_SOURCE_TILE].is_there);
  hb_values_list(report->values, "empty_columns", "source");
  for (int c = 0; c < COLUMNS; c++) {
    const struct hb_source *source = &r->sources[columns[c]];
    int may_be_empty = columns[c] == HB_SOURCE_TILE && !source->is_there;
    if (!(hb_section_wall(r, columns[c], r->n_least) > 0) && !may_be_empty)
      hb_values_word(hb_values_row(report->values, "empty_columns"), "source", source->name);
  }
  hb_section_left_out(r, report, HB_JOB_RUN);
}

/* ---- Figs 1 and 4 ------------------------------------------------------------------------------------ */

void hb_section_fig1(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure f =
      hb_report_figure(report, NULL, "fig1", "n", "seconds", "seconds for one N-body time unit");
  for (int c = 0; c < COLUMNS; c++)
    if (r->sources[columns[c]].is_there) hb_section_run_curve(r, &f, &r->sources[columns[c]], "wall_s", 4);
  for (int m = 0; m < HB_2007_MACHINES; m++) {
    const char *machine = hb_2007_machines[m];
    hb_section_paper_curve(&f, hb_phrase("%s, 2007", machine), machine, machine);
  }
  hb_report_figure_end(&f);
}

void hb_section_fig4(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure f =
      hb_report_figure(report, NULL, "fig4", "n", "speed_up", "times as fast as the host");
  for (int c = 1; c < COLUMNS; c++) {
    const struct hb_source *source = &r->sources[columns[c]];
    const char *curve = hb_phrase("%s / host", source->name);
    for (size_t n = r->n_least; n <= r->n_most; n *= 2)
      hb_report_point(&f, curve, source->name, (double)n,
                      hb_section_wall(r, HB_SOURCE_HOST, n) / hb_section_wall(r, columns[c], n));
    if (source->is_there) hb_report_expect(&f, curve);
  }
  for (int m = 0; m < 3; m++) {
    const char *machine = hb_2007_machines[m], *curve = hb_phrase("%s / Xeon, 2007", machine);
    for (size_t n = 256; n <= 65536; n *= 2)
      hb_report_point(&f, curve, machine, (double)n, hb_2007_wall(n, "Xeon") / hb_2007_wall(n, machine));
    hb_report_expect(&f, curve);
  }
  hb_report_figure_end(&f);
}
