/* How well energy is kept: [PZ07] Fig. 2 and section 6. */
#include "perf/paper.h"
#include "report/reproduce_section.h"

#include <math.h>
#include <stdio.h>

/* ---- Fig. 2 ------------------------------------------------------------------------------------------ */

/* Errors of one source at one n by one of the two energies. */
static void nu_curve(const struct hb_reproduction *r, struct hb_report_figure *figure, const char *curve,
                     const char *style, const char *source, size_t n, const char *energy)
{
  for (int k = 0; k <= HB_NU_HALVINGS; k++) {
    double nu = ldexp(0.1, -k);
    hb_report_point(figure, curve, style, nu, hb_section_nu_error(r, source, n, nu, energy));
  }
  hb_report_expect(figure, curve);
}

/* The largest nu from which down cg2007 errs more than three times as much as grape6: there, and in the geometric mean over
 * all smaller nu, because an error may pass through zero. 0: they do not part. */
static double parting(const struct hb_reproduction *r, size_t n, const char *energy)
{
  double nu_part = 0, sum = 0, count = 0;
  for (int k = HB_NU_HALVINGS; k >= 0; k--) {
    double nu = ldexp(0.1, -k);
    double ratio =
        hb_section_nu_error(r, "cg2007", n, nu, energy) / hb_section_nu_error(r, "grape6", n, nu, "e_total");
    if (!isfinite(ratio) || !(ratio > 0)) continue;
    sum += log(ratio);
    count++;
    if (ratio > 3 && sum / count > log(3)) nu_part = nu;
  }
  return nu_part;
}

/* The geometric mean of the errors below nu = 0.01. */
static double floor_of(const struct hb_reproduction *r, const char *source, size_t n, const char *energy)
{
  double sum = 0, count = 0;
  for (int k = 0; k <= HB_NU_HALVINGS; k++) {
    double nu = ldexp(0.1, -k), error = hb_section_nu_error(r, source, n, nu, energy);
    if (!(nu < 0.01) || !isfinite(error) || !(error > 0)) continue;
    sum += log(error);
    count++;
  }
  return exp(sum / count);
}

/* The smallest nu that a source was run with; 0: none. */
static double smallest_nu(const struct hb_reproduction *r, const char *source, size_t n)
{
  for (int k = HB_NU_HALVINGS; k >= 0; k--)
    if (isfinite(hb_section_nu_error(r, source, n, ldexp(0.1, -k), "e_total"))) return ldexp(0.1, -k);
  return 0;
}

static const char nu_label[] = "|ΔE / E| over 0.25 time units";

/* All sources at one n, and where the curves of Fig. 2 part. */
static void nu_size(const struct hb_reproduction *r, struct hb_report *report, size_t n)
{
  struct hb_values *row = hb_values_row(&report->values, "sizes");
  char name[64];
  snprintf(name, sizeof name, "fig2-sources-%zu", n);
  struct hb_report_figure all = hb_report_figure(report, row, name, "nu", "de_rel", nu_label);
  for (int s = 0; s < HB_ENERGY_SOURCES; s++) {
    const char *source = r->sources[hb_energy_sources[s]].name;
    nu_curve(r, &all, source, source, source, n, "e_total");
  }
  nu_curve(r, &all, "cg2007, own", "cg2007-own", "cg2007", n, "e_gpu");
  hb_report_figure_end(&all);
  double nu = smallest_nu(r, "grape6", n);
  hb_values_number(row, "n", (double)n);
  hb_values_number(row, "own_part", parting(r, n, "e_gpu"));
  hb_values_number(row, "double_part", parting(r, n, "e_total"));
  hb_values_number(row, "own_floor", floor_of(r, "cg2007", n, "e_gpu"));
  hb_values_number(row, "double_floor", floor_of(r, "cg2007", n, "e_total"));
  hb_values_number(row, "grape6_last", hb_section_nu_error(r, "grape6", n, nu, "e_total"));
  hb_values_number(row, "grape6_nu", nu);
}

void hb_section_fig2(const struct hb_reproduction *r, struct hb_report *report)
{
  static const struct {
    const char *source, *energy, *word, *style;
  } curves[] = {{"cg2007", "e_gpu", "own", "cg2007"},
                {"cg2007", "e_total", "double", "compensated"},
                {"grape6", "e_total", "double", "grape6"}};
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  struct hb_report_figure printed = hb_report_figure(report, NULL, "fig2", "nu", "de_rel", nu_label);
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (int c = 0; c < 3; c++)
      nu_curve(r, &printed, hb_phrase("%s, %s, N = %zu", curves[c].source, curves[c].word, n[k]),
               hb_phrase("%s%s", curves[c].style, k ? "/small" : ""), curves[c].source, n[k],
               curves[c].energy);
  hb_report_figure_end(&printed);
  hb_values_list(&report->values, "sizes", "");
  for (int k = 0; k < HB_NU_SIZES; k++) nu_size(r, report, n[k]);
  hb_section_left_out(r, report, HB_JOB_NU);
}

/* ---- section 6 --------------------------------------------------------------------------------------- */

static struct hb_plot_band paper_band(const char *machine, const char *label, const char *color)
{
  const char *key = hb_phrase("de_rel,%s", machine);
  double mean = hb_paper_value("pz07_accuracy", key, "value"),
         scatter = hb_paper_value("pz07_accuracy", key, "scatter");
  return (struct hb_plot_band){fmax(mean - scatter, 0.3 * mean), mean + scatter, label, color};
}

void hb_section_energy(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure f =
      hb_report_figure(report, NULL, "energy", "n", "de_rel", "|ΔE / E| from t = 0.25 to 0.5");
  f.plot.bands[0] = paper_band("8800GTX", "8800GTX, 2007", "#d55e00");
  f.plot.bands[1] = paper_band("FX1400", "FX1400, 2007", "#999999");
  f.plot.bands[2] = paper_band("GRAPE-6Af", "GRAPE and host, 2007", "#aa4499");
  struct hb_report_table t =
      hb_report_table(report, "energies", "source of forces|what|mean error|largest error");
  double grape = hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), above = 0;
  for (int k = 0; k < HB_ENERGY_SOURCES; k++) {
    const struct hb_source *source = &r->sources[hb_energy_sources[k]];
    const char *filter = hb_phrase("kind=run source=%s mode=all/host/host", source->name);
    struct hb_section_stat error = hb_section_stat(r, "de_rel", filter);
    hb_section_curve(r, &f, source->name, source->name, filter, "de_rel", 1);
    hb_report_table_row(&t, "ww22", source->name, source->what, error.mean, error.high);
    above += error.high > grape;
  }
  hb_section_curve(r, &f, "cg2007, own", "cg2007-own", "kind=run source=cg2007", "de_rel_gpu", 1);
  hb_report_figure_end(&f);
  hb_report_table_end(&t);
  hb_section_set(report, "sources_above", above);
}
