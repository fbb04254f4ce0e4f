/* What the sections of a report share. */
#include "report/reproduce_section.h"

#include "perf/paper.h"

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

double hb_section_nu_error(const struct hb_reproduction *r, const char *source, size_t n, double nu,
                           const char *energy)
{
  double first = hb_reproduce_number(r, energy, "kind=nu source=%s n=%zu nu=%.10g t=0", source, n, nu);
  double last = hb_reproduce_number(r, energy, "kind=nu source=%s n=%zu nu=%.10g t=0.25", source, n, nu);
  return fabs((last - first) / first);
}

struct hb_section_rounding hb_section_rounding_of(const struct hb_reproduction *r, const char *rounding)
{
  struct hb_section_rounding fit = {.blocks_low = INFINITY, .error_low = INFINITY};
  double count = 0;
  const char *filter = hb_phrase("kind=rounding rounding=%s record=size", rounding);
  for (const struct hb_record *size = NULL; (size = hb_reproduce_next(r, size, filter)); count++) {
    double blocks = hb_record_number(size, "n_block_over_eq14"), error = hb_record_number(size, "de_rel");
    fit.steps_ratio += hb_record_number(size, "n_steps_over_eq17");
    fit.error += error;
    fit.blocks_low = fmin(fit.blocks_low, blocks);
    fit.blocks_high = fmax(fit.blocks_high, blocks);
    fit.error_low = fmin(fit.error_low, error);
    fit.error_high = fmax(fit.error_high, error);
  }
  fit.steps_ratio /= count;
  fit.error /= count;
  const struct hb_record *law =
      hb_reproduce_next(r, NULL, hb_phrase("kind=rounding rounding=%s record=fit", rounding));
  fit.steps_p = hb_record_number(law, "n_steps_exponent");
  fit.steps_p_error = hb_record_number(law, "n_steps_exponent_error");
  fit.blocks_p = hb_record_number(law, "n_block_exponent");
  fit.blocks_p_error = hb_record_number(law, "n_block_exponent_error");
  return fit;
}

/* The kernel of 2007 measured twice, over its runs at nu = 0.01: mean |dE/E| by its own potentials and in double. Returns
 * how many runs there are. */
static double set_thermometer(const struct hb_reproduction *r, struct hb_report *report)
{
  double own = 0, exact = 0, runs = 0;
  for (const struct hb_record *record = NULL;
       (record = hb_reproduce_next(r, record, "kind=run source=cg2007"));) {
    double own_here = fabs(hb_record_number(record, "de_rel_gpu"));
    double exact_here = fabs(hb_record_number(record, "de_rel"));
    if (!isfinite(own_here) || !isfinite(exact_here)) continue;
    own += own_here, exact += exact_here, runs++;
  }
  double printed = hb_paper_value("pz07_accuracy", "de_rel,8800GTX", "value");
  double grape = hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value");
  own /= runs, exact /= runs;
  hb_section_set(report, "cg2007_runs", runs);
  hb_section_set(report, "own_error", own);
  hb_section_set(report, "exact_error", exact);
  hb_section_set(report, "rounding_error", fmax(own - exact, 0));
  hb_section_set(report, "rounding_percent", 100 * (1 - exact / own));
  hb_section_set(report, "printed_over_own", printed / own);
  hb_section_set(report, "printed_off_own", fmax(printed / own, own / printed));
  hb_section_set(report, "printed_over_grape", printed / grape);
  hb_section_set(report, "printed_unexplained", printed / (grape + fmax(own - exact, 0)));
  return runs;
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
    struct hb_section_rounding fit = hb_section_rounding_of(r, hb_rounding_names[w]);
    hb_section_set(report, hb_phrase("%s_steps", hb_rounding_names[w]), fit.steps_ratio);
    hb_section_set(report, hb_phrase("%s_error", hb_rounding_names[w]), fit.error);
    hb_section_set(report, hb_phrase("%s_steps_p", hb_rounding_names[w]), fit.steps_p);
    hb_section_set(report, hb_phrase("%s_blocks_p", hb_rounding_names[w]), fit.blocks_p);
  }
  double runs = set_thermometer(r, report), rounded = hb_section_rounding_of(r, "down").steps_ratio;
  hb_section_set(report, "has_findings", runs > 0 || rounded > 0);
  hb_section_set(report, "has_comparison", runs > 0 && rounded > 0);
  hb_section_set(report, "is_full", r->is_full);
  hb_section_set(report, "longest", r->longest_s);
}

void hb_section_left_out(const struct hb_reproduction *r, struct hb_report *report, unsigned kinds)
{
  hb_values_list(&report->values, "left_out", "subject seconds");
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    if (!(job->kind & kinds) || !job->is_left_out) continue;
    struct hb_values *row = hb_values_row(&report->values, "left_out");
    hb_values_markup(row, "subject", job->subject);
    hb_values_number(row, "seconds", job->estimate_s);
  }
}
