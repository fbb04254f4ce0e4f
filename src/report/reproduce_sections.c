/* The list of sections, and what they share. */
#include "report/reproduce_sections.h"

#include "perf/paper.h"

#include <math.h>
#include <string.h>

const struct hb_section hb_sections[] = {
    {"table1", "Table 1: the machines", HB_JOB_DEVICE, hb_section_table1},
    {"table2", "Table 2: seconds of the runs", HB_JOB_RUN, hb_section_table2},
    {"fig1", "Fig. 1: time against N", HB_JOB_RUN, hb_section_fig1},
    {"fig2", "Fig. 2: energy error against the accuracy parameter", HB_JOB_NU, hb_section_fig2},
    {"energy", "Section 6: energy errors, measured twice", HB_JOB_RUN, hb_section_energy},
    {"steps", "Section 5: block steps with rounded forces", HB_JOB_NU | HB_JOB_RUN, hb_section_steps},
    {"rounding", "Eqs 14 and 17: three roundings of the time step", HB_JOB_ROUNDING, hb_section_rounding},
    {"table3", "Table 3: the constants of the model", HB_JOB_MODEL, hb_section_table3},
    {"fig3", "Fig. 3: model against measurement", HB_JOB_MODEL, hb_section_fig3},
    {"fig4", "Fig. 4: speed-up over the host", HB_JOB_RUN, hb_section_fig4},
    {"fig5", "Fig. 5: what the paper predicted", HB_JOB_RUN, hb_section_fig5},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags", HB_JOB_SUMS | HB_JOB_FORCE, hb_section_hi07},
    {"nhp07", "[NHP07] Figs 31-6 and 31-8: rates", HB_JOB_FORCE | HB_JOB_THREADS, hb_section_nhp07},
    {"differs", "What differs", HB_JOB_RUN | HB_JOB_NU | HB_JOB_ROUNDING, hb_section_differs},
    {NULL, NULL, 0, NULL},
};

/* ---- curves ------------------------------------------------------------------------------------------ */

void hb_section_curve(struct hb_reproduction *r, struct hb_report *report, struct hb_report_figure *figure,
                      const char *curve, const char *style, const char *filter, const char *x, const char *y,
                      double scale)
{
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));)
    hb_report_point(report, figure, curve, style, hb_record_number(record, x),
                    scale * fabs(hb_record_number(record, y)));
  hb_report_has_curve(report, figure, curve);
}

void hb_section_paper_curve(struct hb_report *report, struct hb_report_figure *figure, const char *curve,
                            const char *style, const char *machine)
{
  char name[HB_PAPER_CELL];
  for (size_t column = 1; hb_paper_cell("table2", 0, column, name); column++)
    for (size_t row = 1; strcmp(name, machine) == 0 && hb_paper_number("table2", row, 0) > 0; row++)
      hb_report_point(report, figure, curve, style, hb_paper_number("table2", row, 0),
                      4 * hb_paper_number("table2", row, column));
  hb_report_has_curve(report, figure, curve);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

double hb_section_wall(const struct hb_reproduction *r, enum hb_source_name source, size_t n)
{
  return hb_reproduce_number(r, "wall_s", "kind=run source=%s mode=all/host/host n=%zu",
                             r->sources[source].name, n);
}

size_t hb_section_common_n(const struct hb_reproduction *r, enum hb_source_name a, enum hb_source_name b)
{
  size_t common = 0;
  for (size_t n = r->n_least; n <= r->n_most; n *= 2)
    if (hb_section_wall(r, a, n) > 0 && hb_section_wall(r, b, n) > 0) common = n;
  return common;
}

double hb_section_nu_error(const struct hb_reproduction *r, const char *source, size_t n, double nu,
                           const char *energy)
{
  double first = hb_reproduce_number(r, energy, "kind=nu source=%s n=%zu nu=%.10g t=0", source, n, nu);
  double last = hb_reproduce_number(r, energy, "kind=nu source=%s n=%zu nu=%.10g t=0.25", source, n, nu);
  return fabs((last - first) / first);
}

/* ---- words ------------------------------------------------------------------------------------------- */

void hb_section_left_out(struct hb_reproduction *r, struct hb_report *report, unsigned kinds)
{
  unsigned count = 0;
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    if (!(job->kind & kinds) || !job->is_left_out) continue;
    hb_report_put(report, "%s%s (%s&thinsp;s)",
                  count++ ? ", "
                          : "<p class=\"caption\">Curves and columns end where the next job would have taken "
                            "longer than the limit "
                            "of this reproduction, by its estimate: ",
                  job->subject, hb_report_number(job->estimate_s, 2));
  }
  if (count)
    hb_report_put(report, "; the limit is %s&thinsp;s a job, see <code>--longest</code>.</p>\n",
                  hb_report_number(r->longest_s, 3));
}
