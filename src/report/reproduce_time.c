/* How long the runs of [PZ07] take: its Tables 1 and 2, Figs 1 and 4. */
#include "perf/paper.h"
#include "report/reproduce_2007.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>

static const char *const machines[] = {"GRAPE-6Af", "8800GTX", "FX1400", "Xeon"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* The columns of this machine in Table 2, in the order of the issue of 2007: the host first. */
static const enum hb_source_name columns[] = {HB_SOURCE_HOST, HB_SOURCE_SIMD, HB_SOURCE_CG2007, HB_SOURCE_BAG,
                                              HB_SOURCE_TILE};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- Table 1 ----------------------------------------------------------------------------------------- */

/* A row of the paper, and what stands for it here. */
static void table1_row(struct hb_report_table *t, const char *key, const char *name, double device,
                       double host)
{
  hb_report_table_word(t, name);
  for (int m = 0; m < MACHINES; m++)
    hb_report_table_number(t, hb_paper_value("pz07_table1", key, machines[m]), 5);
  hb_report_table_number(t, device, 3);
  hb_report_table_number(t, host, 3);
  hb_report_table_row_end(t);
}

void hb_section_table1(struct hb_reproduction *r, struct hb_report *report)
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
  if (!(fused > 0 && send_us > 0))
    hb_report_lack(report, "The rate of multiply-adds or of transfers of this machine is missing.");
  struct hb_report_table t = {.report = report, .name = "table1"};
  hb_report_table_head(&t, "parameter|GRAPE-6Af|8800GTX|FX1400|Xeon|this machine, OpenGL|this machine, host");
  table1_row(&t, "n_pipe", "processor pipelines", NAN, host_pipes);
  table1_row(&t, "f_cycle", "clock, MHz", NAN, host_clock);
  hb_report_table_word(&t, "pipelines times clock, GHz");
  for (int m = 0; m < MACHINES; m++)
    hb_report_table_number(&t,
                           1e-3 * hb_paper_value("pz07_table1", "n_pipe", machines[m]) *
                               hb_paper_value("pz07_table1", "f_cycle", machines[m]),
                           4);
  hb_report_table_number(&t, 0.5 * fused, 4);
  hb_report_table_number(&t, 1e-3 * host_pipes * host_clock, 4);
  hb_report_table_row_end(&t);
  table1_row(&t, "1/t_bus", "host to device, GB/s", 1e-3 * bytes * n / send_us, NAN);
  table1_row(&t, "memory", "memory, 1024 particles of 84 bytes", NAN, memory);
  hb_report_table_end(
      &t, "Table 1",
      "The hardware: the four machines as [PZ07] Table 1 has them, this machine beside. OpenGL tells neither "
      "pipelines nor clock of a device; in the row of their product stands the measured rate of "
      "multiply-adds, 10<sup>9</sup> a second. Its transfer rate is that of the 56 bytes a particle that "
      "section 5.2 sends, conversion to float included.");
}

/* ---- Table 2 ----------------------------------------------------------------------------------------- */

static double paper_wall(size_t n, const char *machine)
{
  char key[32];
  snprintf(key, sizeof key, "%zu", n);
  return hb_paper_value("table2", key, machine);
}

void hb_section_table2(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = {.report = report, .name = "table2"};
  hb_report_table_head(
      &t,
      "N|GRAPE-6Af [s]|8800GTX [s]|FX1400 [s]|Xeon [s]|host [s]|host-simd [s]|cg2007 [s]|bag [s]|tile [s]");
  size_t last = 524288;
  for (size_t n = r->n_least; n <= last; n *= 2) {
    hb_report_table_number(&t, (double)n, 7);
    for (int m = 0; m < MACHINES; m++) hb_report_table_number(&t, paper_wall(n, machines[m]), 4);
    for (int c = 0; c < COLUMNS; c++) hb_report_table_number(&t, hb_section_wall(r, columns[c], n), 3);
    hb_report_table_row_end(&t);
  }
  hb_report_table_end(
      &t, "Table 2",
      "Wall-clock seconds of a quarter N-body time unit (t = 0.25 to 0.5) of a Plummer sphere of N equal "
      "masses, softening 1/256, &nu; = 0.01: the four machines of 2007 as printed, then this machine. "
      "<i>host</i>: double precision on the processor; <i>host-simd</i>: single precision on its vector "
      "units; "
      "<i>cg2007</i>: the fragment program of 2007; <i>bag</i>: fragment programs after [HI07]; "
      "<i>tile</i>: compute programs after [NHP07]. All as in 2007: the host predicts and corrects, all "
      "particles are sent at each block step.");
  for (int c = 0; c < COLUMNS; c++) {
    const struct hb_source *source = &r->sources[columns[c]];
    if (hb_section_wall(r, columns[c], r->n_least) > 0) continue;
    if (!source->is_there && columns[c] == HB_SOURCE_TILE)
      hb_report_put(report, "<p>There is no <i>tile</i> on this machine.</p>\n");
    else
      hb_report_lack(report, "The column of %s is empty.", source->name);
  }
  hb_section_left_out(r, report, HB_JOB_RUN);
}

/* ---- Figs 1 and 4 ------------------------------------------------------------------------------------ */

/* This machine's curves: seconds of a time unit. */
static void own_curve(struct hb_reproduction *r, struct hb_report *report, struct hb_report_figure *figure,
                      enum hb_source_name source)
{
  char filter[96];
  const char *name = r->sources[source].name;
  snprintf(filter, sizeof filter, "kind=run source=%s mode=all/host/host", name);
  if (r->sources[source].is_there) hb_section_curve(r, report, figure, name, name, filter, "n", "wall_s", 4);
}

void hb_section_fig1(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure figure = {.name = "fig1",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "seconds for one N-body time unit",
                                    .x_column = "n",
                                    .y_column = "seconds"};
  char name[64];
  for (int c = 0; c < COLUMNS; c++) own_curve(r, report, &figure, columns[c]);
  for (int m = 0; m < MACHINES; m++) {
    snprintf(name, sizeof name, "%s, 2007", machines[m]);
    hb_section_paper_curve(report, &figure, name, machines[m], machines[m]);
  }
  hb_report_figure_end(
      report, &figure, "Fig. 1",
      "Time for one N-body time unit, four times the seconds of Table 2, as in [PZ07] Fig. 1. Grey: the "
      "machines of 2007, with the marks of the paper. Colours: this machine.");
}

static void speed_up(struct hb_report *report, struct hb_report_figure *figure, const char *curve,
                     const char *style, double n, double slow, double fast)
{
  hb_report_point(report, figure, curve, style, n, slow / fast);
}

void hb_section_fig4(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure figure = {.name = "fig4",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "times as fast as the host",
                                    .x_column = "n",
                                    .y_column = "speed_up"};
  char name[64];
  for (int c = 1; c < COLUMNS; c++) {
    const struct hb_source *source = &r->sources[columns[c]];
    snprintf(name, sizeof name, "%s / host", source->name);
    for (size_t n = r->n_least; n <= r->n_most; n *= 2)
      speed_up(report, &figure, name, source->name, (double)n, hb_section_wall(r, HB_SOURCE_HOST, n),
               hb_section_wall(r, columns[c], n));
    if (source->is_there) hb_report_has_curve(report, &figure, name);
  }
  for (int m = 0; m < 3; m++) {
    snprintf(name, sizeof name, "%s / Xeon, 2007", machines[m]);
    for (size_t n = 256; n <= 65536; n *= 2)
      speed_up(report, &figure, name, machines[m], (double)n, paper_wall(n, "Xeon"),
               paper_wall(n, machines[m]));
    hb_report_has_curve(report, &figure, name);
  }
  hb_report_figure_end(
      report, &figure, "Fig. 4",
      "Speed-up over the host workstation, as in [PZ07] Fig. 4, from Table 2. The host of 2007 was one "
      "thread of "
      "a Xeon at 3.4 GHz; the host here is <i>host</i>, in double precision on all its processors.");
}
