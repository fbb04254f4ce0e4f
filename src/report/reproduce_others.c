/* The two other papers of 2007: sums in bags ([HI07] Tables 2 and 3), and rates of accelerations ([NHP07] Figs 31-6, 31-8). */
#include "perf/paper.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>

/* ---- [HI07] ------------------------------------------------------------------------------------------ */

static double sums_error(const struct hb_reproduction *r, const char *source, size_t n)
{
  return hb_reproduce_number(r, "acc_max", "kind=sums source=%s n=%zu", source, n);
}

static double row_of(const char *table, size_t n, const char *column)
{
  char key[32];
  snprintf(key, sizeof key, "%zu", n);
  return hb_paper_value(table, key, column);
}

static void sums_table(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = {.report = report, .name = "hi07-table2"};
  unsigned rows = 0, better = 0;
  hb_report_table_head(&t, "N|direct [HI07]|Chamomile [HI07]|cg2007 [here]|compensated [here]");
  for (size_t n = r->n_least; n <= 131072; n *= 2) {
    double direct = sums_error(r, "cg2007", n), bags = sums_error(r, "compensated", n);
    if (!isfinite(direct) && !isfinite(bags) && !isfinite(row_of("hi07_table2", n, "direct"))) continue;
    hb_report_table_number(&t, (double)n, 7);
    hb_report_table_number(&t, row_of("hi07_table2", n, "direct"), 2);
    hb_report_table_number(&t, row_of("hi07_table2", n, "chamomile"), 2);
    hb_report_table_number(&t, direct, 2);
    hb_report_table_number(&t, bags, 2);
    hb_report_table_row_end(&t);
    if (!isfinite(direct) || !isfinite(bags)) continue;
    rows++;
    better += bags < direct;
  }
  hb_report_table_end(&t, "[HI07] Table 2",
                      "Largest relative error of the acceleration in a Plummer sphere whose positions are "
                      "floats, against double "
                      "precision. All sources added to one float (<i>direct</i>; here the kernel of 2007, "
                      "which does that), and in "
                      "bags whose sums are added with more digits (<i>Chamomile</i>; here the compensated "
                      "sums of the faster of bag "
                      "and tile). Here over up to 256 particles spread evenly, there over all.");
  if (rows == 0)
    hb_report_lack(report, "There is no N at which both kinds of sums were measured.");
  else
    hb_report_put(report,
                  "<p>Bags are the more exact sum at %u of the %u N at which both were measured here.</p>\n",
                  better, rows);
}

static void force_table(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = {.report = report, .name = "hi07-table3"};
  unsigned rows = 0;
  hb_report_table_head(&t,
                       "N|CUNBODY-1 [s]|CUNBODY-1 [GFLOP/s]|bag [s]|bag [GFLOP/s]|tile [s]|tile [GFLOP/s]");
  for (size_t n = 2048 < r->n_most ? 2048 : r->n_least; n <= 131072; n *= 2) {
    hb_report_table_number(&t, (double)n, 7);
    hb_report_table_number(&t, row_of("hi07_table3", n, "t_s"), 3);
    hb_report_table_number(&t, row_of("hi07_table3", n, "gflops"), 3);
    static const char *const sources[] = {"bag", "tile"};
    for (int k = 0; k < 2; k++) {
      double ms = hb_reproduce_number(r, "ms_median", "kind=force source=%s n=%zu", sources[k], n);
      hb_report_table_number(&t, 1e-3 * ms, 3);
      hb_report_table_number(&t, 38e-6 * (double)n * (double)n / ms, 3);
      rows += ms > 0;
    }
    hb_report_table_row_end(&t);
  }
  hb_report_table_end(&t, "[HI07] Table 3",
                      "Seconds for the accelerations of N particles by N sources, and rates by its eq. 4, 38 "
                      "N<sup>2</sup> operations: "
                      "CUNBODY-1 on a GeForce 8800GTX as printed, and this machine, float pairs.");
  if (!rows) hb_report_lack(report, "No rate of accelerations was measured.");
}

void hb_section_hi07(struct hb_reproduction *r, struct hb_report *report)
{
  sums_table(r, report);
  force_table(r, report);
  hb_section_left_out(r, report, HB_JOB_SUMS | HB_JOB_FORCE);
}

/* ---- [NHP07] ----------------------------------------------------------------------------------------- */

static void say_rates(struct hb_reproduction *r, struct hb_report *report)
{
  double best = 0, at = 0;
  const char *by = "";
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, "kind=force"));) {
    double rate = hb_record_number(record, "pairs_per_s");
    if (rate > best) best = rate, at = hb_record_number(record, "n"), by = hb_record_text(record, "source");
  }
  double printed = hb_paper_value("nhp07_rates", "pairs_per_s", "value");
  hb_report_put(report,
                "<p>The best rate here is %s pairs a second (%s, N = %s), %s times the %s of [NHP07] at N = "
                "16384; at the 20 "
                "operations a pair that they count, %s GFLOP/s.</p>\n",
                hb_report_number(best, 3), by, hb_report_number(at, 7), hb_report_number(best / printed, 2),
                hb_report_number(printed, 2), hb_report_number(20e-9 * best, 3));
}

static double thread_rate(const struct hb_reproduction *r, int threads, size_t n)
{
  return hb_reproduce_number(r, "pairs_per_s", "kind=threads threads=%d n=%zu", threads, n);
}

static void say_threads(struct hb_reproduction *r, struct hb_report *report)
{
  double printed = hb_paper_value("nhp07_rates", "gain of two threads a body,1024", "value");
  size_t n = r->n_most < 1024 ? r->n_most : 1024;
  double gain = 100 * (thread_rate(r, 2, n) / thread_rate(r, 1, n) - 1);
  if (!isfinite(gain)) {
    hb_report_lack(report, "The rates of one and two threads a body at N = %zu are missing.", n);
    return;
  }
  hb_report_put(report,
                "<p>Two threads a body change the rate at N = %zu by %s&thinsp;%% here; [NHP07] gained "
                "%s&thinsp;%% at N = 1024. %s</p>\n",
                n, hb_report_number(gain, 2), hb_report_number(printed, 2),
                gain > 0.5 * printed ? "As in 2007, one thread a body leaves the device short of work there."
                                     : "This device is not short of threads there, as the 8800GTX was.");
}

void hb_section_nhp07(struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const styles[HB_THREAD_COUNTS] = {"first", "second", "third", "fourth"};
  struct hb_report_figure rates = {.name = "nhp07-fig6",
                                   .x_label = "number of particles N",
                                   .x_base = 2,
                                   .y_label = "pairs a second",
                                   .x_column = "n",
                                   .y_column = "pairs_per_s"};
  struct hb_report_figure threads = {.name = "nhp07-fig8",
                                     .x_label = "number of particles N",
                                     .x_base = 2,
                                     .y_label = "pairs a second",
                                     .x_column = "n",
                                     .y_column = "pairs_per_s"};
  char name[64], filter[96];
  static const char *const sources[] = {"bag", "tile"};
  for (int k = 0; k < 2; k++) {
    snprintf(filter, sizeof filter, "kind=force source=%s", sources[k]);
    if (r->sources[k ? HB_SOURCE_TILE : HB_SOURCE_BAG].is_there)
      hb_section_curve(r, report, &rates, sources[k], sources[k], filter, "n", "pairs_per_s", 1);
  }
  double printed = hb_paper_value("nhp07_rates", "pairs_per_s", "value");
  hb_report_point(report, &rates, "8800GTX, [NHP07]", "8800GTX",
                  hb_paper_value("nhp07_rates", "pairs_per_s", "n"), printed);
  hb_report_has_curve(report, &rates, "8800GTX, [NHP07]");
  hb_report_figure_end(
      report, &rates, "[NHP07] Fig. 31-6",
      "Rate of accelerations against N, float pairs; open mark: the one rate that the text quotes, the "
      "curve itself is not known.");
  say_rates(r, report);
  for (int k = 0; k < HB_THREAD_COUNTS; k++) {
    snprintf(name, sizeof name, "%d thread%s a body", hb_thread_counts[k], k ? "s" : "");
    snprintf(filter, sizeof filter, "kind=threads threads=%d", hb_thread_counts[k]);
    hb_section_curve(r, report, &threads, name, styles[k], filter, "n", "pairs_per_s", 1);
  }
  hb_report_figure_end(report, &threads, "[NHP07] Fig. 31-8",
                       "The same when several threads share the sources of a body.");
  say_threads(r, report);
}
