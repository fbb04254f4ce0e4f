/* What the sections of a report share. */
#include "report/reproduce_section.h"

#include "perf/paper.h"

#include <holmberg/holmberg.h>

#include <math.h>
#include <string.h>

/* ---- curves ------------------------------------------------------------------------------------------ */

void hb_section_curve(const struct hb_reproduction *r, struct hb_report_figure *figure, const char *curve,
                      const char *style, const char *filter, const char *y, double scale)
{
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));)
    hb_report_point(figure, curve, style, hb_record_number(record, "n"),
                    scale * fabs(hb_record_number(record, y)));
  hb_report_expect(figure, curve);
}

void hb_section_run_curve(const struct hb_reproduction *r, struct hb_report_figure *figure,
                          const struct hb_source *source, const char *y, double scale)
{
  hb_section_curve(r, figure, source->name, source->name,
                   hb_phrase("kind=run source=%s mode=all/host/host", source->name), y, scale);
}

void hb_section_paper_curve(struct hb_report_figure *figure, const char *curve, const char *style,
                            const char *machine)
{
  char name[HB_PAPER_CELL];
  for (size_t column = 1; hb_paper_cell("table2", 0, column, name); column++)
    for (size_t row = 1; strcmp(name, machine) == 0 && hb_paper_number("table2", row, 0) > 0; row++)
      hb_report_point(figure, curve, style, hb_paper_number("table2", row, 0),
                      4 * hb_paper_number("table2", row, column));
  hb_report_expect(figure, curve);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

double hb_section_wall(const struct hb_reproduction *r, enum hb_source_name source, size_t n)
{
  return hb_reproduce_number(r, "wall_s", "kind=run source=%s mode=all/host/host n=%zu",
                             r->sources[source].name, n);
}

struct hb_section_stat hb_section_stat(const struct hb_reproduction *r, const char *key, const char *filter)
{
  struct hb_section_stat stat = {.low = INFINITY};
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));) {
    double value = fabs(hb_record_number(record, key));
    if (!isfinite(value)) continue;
    stat.mean += value, stat.count++;
    stat.low = fmin(stat.low, value);
    stat.high = fmax(stat.high, value);
  }
  stat.mean /= stat.count;
  return stat;
}

const char *hb_section_rounding_filter(int rounding, const char *record)
{
  return hb_phrase("kind=rounding rounding=%s record=%s", hb_rounding_names[rounding], record);
}

/* |dE/E| of the kernel of 2007 over its runs at nu = 0.01, measured twice: by its own potentials and in double. */
static void set_thermometer(const struct hb_reproduction *r, struct hb_report *report)
{
  double own = hb_section_stat(r, "de_rel_gpu", "kind=run source=cg2007").mean;
  struct hb_section_stat in_double = hb_section_stat(r, "de_rel", "kind=run source=cg2007");
  double exact = in_double.mean;
  double printed = hb_paper_value("pz07_accuracy", "de_rel,8800GTX", "value");
  double grape = hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value");
  hb_section_set(report, "cg2007_runs", in_double.count);
  hb_section_set(report, "own_error", own);
  hb_section_set(report, "exact_error", exact);
  hb_section_set(report, "rounding_error", fmax(own - exact, 0));
  hb_section_set(report, "rounding_percent", 100 * (1 - exact / own));
  hb_section_set(report, "printed_over_own", printed / own);
  hb_section_set(report, "printed_off_own", fmax(printed / own, own / printed));
  hb_section_set(report, "printed_over_grape", printed / grape);
  hb_section_set(report, "printed_unexplained", printed / (grape + fmax(own - exact, 0)));
}

void hb_section_shared(const struct hb_reproduction *r, struct hb_report *report)
{
  static const struct {
    const char *name, *table, *row, *column;
  } printed[] = {{"printed_error_8800gtx", "pz07_accuracy", "de_rel,8800GTX", "value"},
                 {"printed_error_grape", "pz07_accuracy", "de_rel,GRAPE-6Af", "value"},
                 {"printed_nu_part", "pz07_accuracy", "nu of equal errors,8800GTX and GRAPE-6Af", "value"},
                 {"printed_floor_8800gtx", "pz07_accuracy", "floor,8800GTX", "value"},
                 {"printed_floor_grape", "pz07_accuracy", "floor,GRAPE-6Af", "value"},
                 {"printed_rate", "nhp07_rates", "pairs_per_s", "value"},
                 {"printed_gain", "nhp07_rates", "gain of two threads a body,1024", "value"}};
  for (size_t k = 0; k < sizeof printed / sizeof *printed; k++)
    hb_section_set(report, printed[k].name,
                   hb_paper_value(printed[k].table, printed[k].row, printed[k].column));
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    const char *name = hb_rounding_names[w], *sizes = hb_section_rounding_filter(w, "size");
    const struct hb_record *law = hb_reproduce_next(r, NULL, hb_section_rounding_filter(w, "fit"));
    hb_section_set(report, hb_phrase("%s_steps", name), hb_section_stat(r, "n_steps_over_eq17", sizes).mean);
    hb_section_set(report, hb_phrase("%s_error", name), hb_section_stat(r, "de_rel", sizes).mean);
    hb_section_set(report, hb_phrase("%s_steps_p", name), hb_record_number(law, "n_steps_exponent"));
    hb_section_set(report, hb_phrase("%s_blocks_p", name), hb_record_number(law, "n_block_exponent"));
  }
  set_thermometer(r, report);
  double runs = hb_section_stat(r, "de_rel", "kind=run source=cg2007").count;
  double rounded = hb_section_stat(r, "de_rel", hb_section_rounding_filter(0, "size")).count;
  hb_section_set(report, "has_findings", runs + rounded);
  hb_section_set(report, "has_comparison", runs * rounded);
  hb_section_set(report, "is_full", r->is_full);
  hb_section_set(report, "longest", r->longest_s);
}

void hb_section_left_out(const struct hb_reproduction *r, struct hb_report *report, unsigned kinds)
{
  hb_values_list(report->values, "left_out", "source mode n nu seconds");
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    struct hb_record labels = {0};
    char text[sizeof job->labels];
    if (!(job->kind & kinds) || !job->is_left_out) continue;
    hb_record_label(strcpy(text, job->labels), &labels);
    cJSON *row = hb_values_row(report->values, "left_out");
    const char *mode = hb_record_text(&labels, "mode");
    hb_values_word(row, "source", hb_record_text(&labels, "source"));
    hb_values_word(row, "mode", strcmp(mode, "all/host/host") == 0 ? "" : mode); /* as in 2007 */
    hb_values_word(row, "n", hb_record_text(&labels, "n"));
    hb_values_word(row, "nu", hb_record_text(&labels, "nu"));
    hb_values_number(row, "seconds", job->estimate_s);
  }
}
