/* How well energy is conserved: [PZ07] Fig. 2 and section 6. */
#include "perf/paper.h"
#include "report/reproduce_section.h"

#include <math.h>
#include <stdio.h>

/* ---- Fig. 2 ------------------------------------------------------------------------------------------ */

enum { STEPS = HB_NU_HALVINGS + 1 };

static double nu_of(int k) { return ldexp(0.1, -k); }

/* The relative change of "e_total" or "e_gpu" with a source at n, from nu = 0.1 down; NaN: not run. */
static void read_errors(const struct hb_reproduction *r, const char *source, size_t n, const char *energy,
                        double errors[STEPS])
{
  for (int k = 0; k < STEPS; k++) {
    const char *job = hb_phrase("kind=nu source=%s n=%zu nu=%.10g", source, n, nu_of(k));
    double first = hb_reproduce_number(r, energy, "%s t=0", job);
    double last = hb_reproduce_number(r, energy, "%s t=0.25", job);
    errors[k] = fabs((last - first) / first);
  }
}

static void nu_curve(struct hb_report_figure *figure, const char *curve, const char *style,
                     const double errors[STEPS])
{
  for (int k = 0; k < STEPS; k++) hb_report_point(figure, curve, style, nu_of(k), errors[k]);
  hb_report_expect(figure, curve);
}

/* The largest nu below which one error is more than three times the other, both there and in the geometric mean over all
 * smaller nu, because an error may pass through zero. 0: the curves do not part. */
static double parting(const double errors[STEPS], const double others[STEPS])
{
  double nu_part = 0, sum = 0, count = 0;
  for (int k = STEPS - 1; k >= 0; k--) {
    double ratio = errors[k] / others[k];
    if (!isfinite(ratio) || !(ratio > 0)) continue;
    sum += log(ratio);
    count++;
    if (ratio > 3 && sum / count > log(3)) nu_part = nu_of(k);
  }
  return nu_part;
}

/* The geometric mean of the errors below nu = 0.01. */
static double floor_of(const double errors[STEPS])
{
  double sum = 0, count = 0;
  for (int k = 0; k < STEPS; k++) {
    if (!(nu_of(k) < 0.01) || !isfinite(errors[k]) || !(errors[k] > 0)) continue;
    sum += log(errors[k]);
    count++;
  }
  return exp(sum / count);
}

static const char nu_label[] = "|ΔE / E| over 0.25 time units";

/* All sources at one n; the curves of Fig. 2 at this n, and where they part. */
static void nu_size(const struct hb_reproduction *r, struct hb_report *report, size_t n,
                    struct hb_report_figure *printed, const char *variant)
{
  cJSON *row = hb_values_row(report->values, "sizes");
  char name[64];
  double own[STEPS], exact[STEPS], grape6[STEPS], errors[STEPS];
  read_errors(r, "cg2007", n, "e_gpu", own);
  read_errors(r, "cg2007", n, "e_total", exact);
  read_errors(r, "grape6", n, "e_total", grape6);
  nu_curve(printed, hb_phrase("cg2007, own, N = %zu", n), hb_phrase("cg2007%s", variant), own);
  nu_curve(printed, hb_phrase("cg2007, double, N = %zu", n), hb_phrase("compensated%s", variant), exact);
  nu_curve(printed, hb_phrase("grape6, double, N = %zu", n), hb_phrase("grape6%s", variant), grape6);
  snprintf(name, sizeof name, "fig2-sources-%zu", n);
  struct hb_report_figure all = hb_report_figure(report, row, name, "nu", "de_rel", nu_label);
  for (int s = 0; s < HB_ENERGY_SOURCES; s++) {
    const char *source = r->sources[hb_energy_sources[s]].name;
    read_errors(r, source, n, "e_total", errors);
    nu_curve(&all, source, source, errors);
  }
  nu_curve(&all, "cg2007, own", "cg2007-own", own);
  hb_report_figure_end(&all);
  int last = STEPS - 1; /* the smallest nu of grape6 */
  while (last > 0 && !isfinite(grape6[last])) last--;
  hb_values_number(row, "n", (double)n);
  hb_values_number(row, "own_part", parting(own, grape6));
  hb_values_number(row, "double_part", parting(exact, grape6));
  hb_values_number(row, "own_floor", floor_of(own));
  hb_values_number(row, "double_floor", floor_of(exact));
  hb_values_number(row, "grape6_last", grape6[last]);
  hb_values_number(row, "grape6_nu", nu_of(last));
}

void hb_section_fig2(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  struct hb_report_figure printed = hb_report_figure(report, NULL, "fig2", "nu", "de_rel", nu_label);
  hb_values_list(report->values, "sizes", "");
  for (int k = 0; k < HB_NU_SIZES; k++) nu_size(r, report, n[k], &printed, k ? "/small" : "");
  hb_report_figure_end(&printed);
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
    struct hb_section_stat error =
        hb_section_stat(r, "de_rel", hb_phrase("kind=run source=%s mode=all/host/host", source->name));
    hb_section_run_curve(r, &f, source, "de_rel", 1);
    hb_report_table_row(&t, "ww22", source->name, source->what, error.mean, error.high);
    above += error.high > grape;
  }
  hb_section_curve(r, &f, "cg2007, own", "cg2007-own", "kind=run source=cg2007", "de_rel_gpu", 1);
  hb_report_figure_end(&f);
  hb_report_table_end(&t);
  hb_section_set(report, "sources_above", above);
}
