/* The two other papers of 2007: sums in bags ([HI07] Tables 2 and 3), and rates of accelerations ([NHP07] Figs 31-6, 31-8). */
#include "perf/paper.h"
#include "report/reproduce_section.h"

#include <math.h>

static const char *const walks[] = {"bag", "tile"};

/* ---- [HI07] ------------------------------------------------------------------------------------------ */

static double sums_error(const struct hb_reproduction *r, const char *source, size_t n)
{
  return hb_reproduce_number(r, "acc_max", "kind=sums source=%s n=%zu", source, n);
}

static double printed(const char *table, size_t n, const char *column)
{
  return hb_paper_value(table, hb_phrase("%zu", n), column);
}

static void sums_table(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = hb_report_table(
      report, "hi07-table2", "N|direct [HI07]|Chamomile [HI07]|cg2007 [here]|compensated [here]");
  unsigned rows = 0, better = 0;
  for (size_t n = r->n_least; n <= 131072; n *= 2) {
    double direct = sums_error(r, "cg2007", n), bags = sums_error(r, "compensated", n);
    double direct_2007 = printed("hi07_table2", n, "direct");
    if (!isfinite(direct) && !isfinite(bags) && !isfinite(direct_2007)) continue;
    hb_report_table_row(&t, "72222", (double)n, direct_2007, printed("hi07_table2", n, "chamomile"), direct,
                        bags);
    if (!isfinite(direct) || !isfinite(bags)) continue;
    rows++;
    better += bags < direct;
  }
  hb_report_table_end(&t);
  hb_section_set(report, "sums_compared", rows);
  hb_section_set(report, "sums_better", better);
}

void hb_section_hi07(const struct hb_reproduction *r, struct hb_report *report)
{
  sums_table(r, report);
  struct hb_report_table t =
      hb_report_table(report, "hi07-table3",
                      "N|CUNBODY-1 [s]|CUNBODY-1 [GFLOP/s]|bag [s]|bag [GFLOP/s]|tile [s]|tile [GFLOP/s]");
  unsigned rates = 0;
  for (size_t n = 2048 < r->n_most ? 2048 : r->n_least; n <= 131072; n *= 2) {
    double ms[2];
    for (int k = 0; k < 2; k++) {
      ms[k] = hb_reproduce_number(r, "ms_median", "kind=force source=%s n=%zu", walks[k], n);
      rates += ms[k] > 0;
    }
    double operations = 38e-6 * (double)n * (double)n;
    hb_report_table_row(&t, "7333333", (double)n, printed("hi07_table3", n, "t_s"),
                        printed("hi07_table3", n, "gflops"), 1e-3 * ms[0], operations / ms[0], 1e-3 * ms[1],
                        operations / ms[1]);
  }
  hb_report_table_end(&t);
  hb_section_set(report, "has_force_rates", rates);
  hb_section_left_out(r, report, HB_JOB_SUMS | HB_JOB_FORCE);
}

/* ---- [NHP07] ----------------------------------------------------------------------------------------- */

static void set_best_rate(const struct hb_reproduction *r, struct hb_report *report)
{
  double best = 0, at = NAN;
  const char *by = "";
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, "kind=force"));) {
    double rate = hb_record_number(record, "pairs_per_s");
    if (rate > best) best = rate, at = hb_record_number(record, "n"), by = hb_record_text(record, "source");
  }
  hb_section_set(report, "best_rate", best);
  hb_section_set(report, "best_n", at);
  hb_values_word(report->values, "best_source", by);
  hb_section_set(report, "best_over_printed", best / hb_paper_value("nhp07_rates", "pairs_per_s", "value"));
  hb_section_set(report, "best_gflops", 20e-9 * best);
}

static double thread_rate(const struct hb_reproduction *r, int threads, size_t n)
{
  return hb_reproduce_number(r, "pairs_per_s", "kind=threads threads=%d n=%zu", threads, n);
}

void hb_section_nhp07(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const styles[HB_THREAD_COUNTS] = {"first", "second", "third", "fourth"};
  struct hb_report_figure rates =
      hb_report_figure(report, NULL, "nhp07-fig6", "n", "pairs_per_s", "pairs a second");
  struct hb_report_figure threads =
      hb_report_figure(report, NULL, "nhp07-fig8", "n", "pairs_per_s", "pairs a second");
  for (int k = 0; k < 2; k++)
    if (r->sources[k ? HB_SOURCE_TILE : HB_SOURCE_BAG].is_there)
      hb_section_curve(r, &rates, walks[k], walks[k], hb_phrase("kind=force source=%s", walks[k]),
                       "pairs_per_s", 1);
  hb_report_point(&rates, "8800GTX, [NHP07]", "8800GTX", hb_paper_value("nhp07_rates", "pairs_per_s", "n"),
                  hb_paper_value("nhp07_rates", "pairs_per_s", "value"));
  hb_report_expect(&rates, "8800GTX, [NHP07]");
  hb_report_figure_end(&rates);
  set_best_rate(r, report);
  for (int k = 0; k < HB_THREAD_COUNTS; k++)
    hb_section_curve(r, &threads, hb_phrase("%d thread%s a body", 1 << k, k ? "s" : ""), styles[k],
                     hb_phrase("kind=threads threads=%d", 1 << k), "pairs_per_s", 1);
  hb_report_figure_end(&threads);
  double printed_gain = hb_paper_value("nhp07_rates", "gain of two threads a body,1024", "value");
  size_t n = r->n_most < 1024 ? r->n_most : 1024;
  double gain = 100 * (thread_rate(r, 2, n) / thread_rate(r, 1, n) - 1);
  hb_section_set(report, "threads_n", (double)n);
  hb_section_set(report, "threads_gain", gain);
  hb_section_set(report, "has_threads_gain", isfinite(gain));
  hb_section_set(report, "threads_needed", gain > 0.5 * printed_gain);
}
