/* The model of the run time, [PZ07] section 5: Table 3, Figs 3 and 5. */
#include "perf/paper.h"
#include "report/model_2007.h"
#include "report/reproduce_section.h"

#include <math.h>

static const char time_label[] = "seconds for one N-body time unit";

/* The fits of this machine: a source, and a mode of working. */
static const struct fit {
  enum hb_source_name source;
  const char *mode, *label, *style;
} fits[] = {{HB_SOURCE_HOST, "all/host/host", "host", "host"},
            {HB_SOURCE_CG2007, "all/host/host", "cg2007", "cg2007"},
            {HB_SOURCE_BAG, "all/host/host", "bag", "bag"},
            {HB_SOURCE_TILE, "all/host/host", "tile", "tile"},
            {HB_SOURCE_DS, "block/gpu/host", "ds, blocks sent", "ds"},
            {HB_SOURCE_DS, "block/gpu/gpu", "ds, stepped on device", "grape6"}};
enum { FITS = sizeof fits / sizeof *fits };

static const char *filter_of(const struct hb_reproduction *r, const struct fit *fit, const char *record)
{
  return hb_phrase("kind=model source=%s mode=%s record=%s", r->sources[fit->source].name, fit->mode, record);
}

static const struct hb_record *fit_of(const struct hb_reproduction *r, const struct fit *fit)
{
  return hb_reproduce_next(r, NULL, filter_of(r, fit, "fit"));
}

/* ---- Table 3 ----------------------------------------------------------------------------------------- */

static const struct constant {
  const char *field, *paper; /* names in the fit's record and in pz07_table3; NULL: not in the paper */
  double unit;
} constants[] = {{"t_host", "t_host", 1e-9},       {"t_pair", "t_pair", 1e-9}, {"t_send", "t_send", 1e-9},
                 {"t_receive", "t_receive", 1e-9}, {"t_source", NULL, 1e-9},   {"t_start", NULL, 1e-6}};
enum { CONSTANTS = sizeof constants / sizeof *constants };

/* A constant that the fit sets to 0 has no number in the table. */
static void fit_row(struct hb_report_table *t, const char *label, const struct hb_record *fit)
{
  hb_report_table_word(t, label);
  for (int k = 0; k < CONSTANTS; k++) {
    double value = hb_record_number(fit, constants[k].field);
    double error = hb_record_number(fit, hb_phrase("%s_error", constants[k].field));
    hb_report_table_measure(t, value == 0 ? NAN : value / constants[k].unit, error / constants[k].unit);
  }
  hb_report_table_row(t, "");
}

void hb_section_table3(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = hb_report_table(report, "table3",
                                             "machine|~t_host [ns]|~t_pair [ns]|~t_send [ns]|"
                                             "~t_receive [ns]|~t_source [ns]|~t_start [&micro;s]");
  for (int m = 0; m < HB_2007_MACHINES; m++) {
    hb_report_table_word(&t, hb_2007_machines[m]);
    for (int k = 0; k < CONSTANTS; k++) {
      const char *key = constants[k].paper;
      double value = key ? hb_paper_value("pz07_table3", key, hb_2007_machines[m]) : NAN;
      hb_report_table_measure(&t, value / constants[k].unit, NAN);
    }
    hb_report_table_row(&t, "");
  }
  hb_values_list(report->values, "unfitted", "label mode");
  for (int f = 0; f < FITS; f++) {
    const struct hb_record *fit = fit_of(r, &fits[f]);
    if (fit) fit_row(&t, fits[f].label, fit);
    if (fit || !r->sources[fits[f].source].is_there) continue;
    cJSON *row = hb_values_row(report->values, "unfitted");
    hb_values_word(row, "label", fits[f].label);
    hb_values_word(row, "mode", fits[f].mode);
  }
  hb_report_table_end(&t);
}

/* ---- Fig. 3 ------------------------------------------------------------------------------------------ */

static void fig3_2007(struct hb_report *report)
{
  static const char *const colors[] = {"first", "second", "third", "fourth"};
  struct hb_report_figure f = hb_report_figure(report, NULL, "fig3-2007", "n", "seconds", time_label);
  for (int m = 0; m < HB_2007_MACHINES; m++) {
    const char *machine = hb_2007_machines[m], *curve = hb_phrase("%s, model", machine);
    const char *style = hb_phrase("%s/line", colors[m]);
    for (size_t n = 256; n <= (m == 1 ? 524288 : 65536); n *= 2)
      hb_report_point(&f, curve, style, (double)n, hb_2007_time(machine, (double)n, HB_2007_AS_IS));
    hb_section_paper_curve(&f, hb_phrase("%s, Table 2", machine), hb_phrase("%s/marks", colors[m]), machine);
  }
  hb_report_figure_end(&f);
}

void hb_section_fig3(const struct hb_reproduction *r, struct hb_report *report)
{
  fig3_2007(report);
  struct hb_report_figure f = hb_report_figure(report, NULL, "fig3-here", "n", "seconds", time_label);
  hb_values_list(report->values, "unseen", "percent label");
  for (int k = 0; k < FITS; k++) {
    double unseen = hb_record_number(fit_of(r, &fits[k]), "unseen_deviation");
    if (isfinite(unseen)) {
      cJSON *row = hb_values_row(report->values, "unseen");
      hb_values_number(row, "percent", 100 * unseen);
      hb_values_word(row, "label", fits[k].label);
    }
    if (!r->sources[fits[k].source].is_there) continue;
    const char *filter = filter_of(r, &fits[k], "size");
    hb_section_curve(r, &f, hb_phrase("%s, model", fits[k].label), hb_phrase("%s/line", fits[k].style),
                     filter, "predicted_s", 1);
    hb_section_curve(r, &f, hb_phrase("%s, measured", fits[k].label), hb_phrase("%s/marks", fits[k].style),
                     filter, "measured_s", 1);
  }
  hb_report_figure_end(&f);
}

/* ---- Fig. 5 ------------------------------------------------------------------------------------------ */

void hb_section_fig5(const struct hb_reproduction *r, struct hb_report *report)
{
  static const struct {
    const char *mode, *curve, *style;
  } modes[] = {{"all/host/host", "here: all sent", "first"},
               {"block/gpu/host", "here: blocks sent", "second"},
               {"block/gpu/gpu", "here: stepped on the device", "third"}};
  struct hb_report_figure f = hb_report_figure(report, NULL, "fig5", "n", "seconds", time_label);
  for (int k = 0; k < 3; k++)
    hb_section_curve(r, &f, modes[k].curve, modes[k].style,
                     hb_phrase("kind=run source=ds mode=%s", modes[k].mode), "wall_s", 4);
  hb_section_paper_curve(&f, "Xeon, measured", "Xeon", "Xeon");
  hb_section_paper_curve(&f, "8800GTX, measured", "8800GTX", "8800GTX");
  double eta = hb_paper_value("pz07_model", "eta_fe,GPU", "value");
  for (double n = 256; n <= 524288; n *= 2) {
    struct hb_model_time s = hb_2007_model("8800GTX", n);
    double on_card = hb_2007_time("8800GTX", n, HB_2007_ON_CARD);
    hb_report_point(&f, "8800GTX, blocks sent", "model", n, hb_2007_time("8800GTX", n, HB_2007_BLOCKS));
    hb_report_point(&f, "8800GTX, stepped on card", "model-dashed", n, on_card);
    hb_report_point(&f, "the same, one cycle a pair", "model-dotted", n,
                    on_card - hb_2007_n_steps(n) * s.t_force * (1 - 1 / eta));
  }
  hb_report_figure_end(&f);
}
