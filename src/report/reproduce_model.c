/* The model of the run time, [PZ07] section 5: Table 3, Figs 3 and 5. */
#include "perf/paper.h"
#include "report/reproduce_2007.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const machines[] = {"GRAPE-6Af", "8800GTX", "FX1400", "Xeon"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* What was fitted here: a source, and what travels at a block step. */
static const struct fit {
  enum hb_source_name source;
  const char *mode, *label;
} fits[] = {{HB_SOURCE_HOST, "all/host/host", "host"},
            {HB_SOURCE_CG2007, "all/host/host", "cg2007"},
            {HB_SOURCE_BAG, "all/host/host", "bag"},
            {HB_SOURCE_TILE, "all/host/host", "tile"},
            {HB_SOURCE_DS, "block/gpu/host", "ds, blocks sent"},
            {HB_SOURCE_DS, "block/gpu/gpu", "ds, stepped on device"}};
enum { FITS = sizeof fits / sizeof *fits };

static const struct hb_record *fit_of(const struct hb_reproduction *r, const struct fit *fit)
{
  char filter[128];
  snprintf(filter, sizeof filter, "kind=model source=%s mode=%s record=fit", r->sources[fit->source].name,
           fit->mode);
  return hb_reproduce_next(r, NULL, filter);
}

/* ---- Table 3 ----------------------------------------------------------------------------------------- */

static const struct constant {
  const char *field, *paper; /* in the fit's record, in pz07_table3; NULL: the paper has none */
  double unit;
} constants[] = {{"t_host", "t_host", 1e-9},       {"t_pair", "t_pair", 1e-9}, {"t_send", "t_send", 1e-9},
                 {"t_receive", "t_receive", 1e-9}, {"t_source", NULL, 1e-9},   {"t_start", NULL, 1e-6}};
enum { CONSTANTS = sizeof constants / sizeof *constants };

/* A constant that is not needed is 0 in the fit: the table has no number there. */
static void fit_row(struct hb_report_table *t, const char *label, const struct hb_record *fit)
{
  char error[64];
  hb_report_table_word(t, label);
  for (int k = 0; k < CONSTANTS; k++) {
    double value = hb_record_number(fit, constants[k].field);
    snprintf(error, sizeof error, "%s_error", constants[k].field);
    hb_report_table_measure(t, value == 0 ? NAN : value / constants[k].unit,
                            hb_record_number(fit, error) / constants[k].unit);
  }
  hb_report_table_row_end(t);
}

void hb_section_table3(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = {.report = report, .name = "table3"};
  hb_report_table_head(
      &t,
      "machine|~t_host [ns]|~t_pair [ns]|~t_send [ns]|~t_receive [ns]|~t_source [ns]|~t_start [&micro;s]");
  for (int m = 0; m < MACHINES; m++) {
    hb_report_table_word(&t, machines[m]);
    for (int k = 0; k < CONSTANTS; k++)
      hb_report_table_measure(&t,
                              constants[k].paper
                                  ? hb_paper_value("pz07_table3", constants[k].paper, machines[m]) /
                                        constants[k].unit
                                  : NAN,
                              NAN);
    hb_report_table_row_end(&t);
  }
  for (int f = 0; f < FITS; f++)
    if (fit_of(r, &fits[f])) fit_row(&t, fits[f].label, fit_of(r, &fits[f]));
  hb_report_table_end(&t, "Table 3",
                      "The constants of the model. First the four machines as [PZ07] Table 3 prints them, "
                      "then this machine, fitted to "
                      "runs whose phases were timed (<code>holmberg model fit</code>), with standard errors "
                      "where there were enough "
                      "runs to tell. t_host: a particle predicted and corrected, at N = 65536, where the "
                      "constants of the text give "
                      "the printed 382&thinsp;ns; t_pair: the force between two; t_send and t_receive: a "
                      "particle to the device and "
                      "back. Two that the paper's model does not have: t_source, for each source in the "
                      "forces of a block (a pass "
                      "of cg2007), and t_start, for each block step. A constant smaller than its error is "
                      "one that these runs are "
                      "too short to tell from zero; the fit lets none be negative, and those that it sets to "
                      "zero are left out.");
  for (int f = 0; f < FITS; f++)
    if (!fit_of(r, &fits[f]) && r->sources[fits[f].source].is_there)
      hb_report_lack(report, "The constants of %s, %s were not fitted.", fits[f].label, fits[f].mode);
}

/* ---- Fig. 3 ------------------------------------------------------------------------------------------ */

static void say_fits(struct hb_reproduction *r, struct hb_report *report)
{
  hb_report_put(report, "<p>Fitted on every other of its N, the model of this machine errs at the N that it "
                        "has not seen by at most ");
  unsigned count = 0;
  for (int f = 0; f < FITS; f++) {
    double unseen = hb_record_number(fit_of(r, &fits[f]), "unseen_deviation");
    if (isfinite(unseen))
      hb_report_put(report, "%s%s&thinsp;%% (%s)", count++ ? ", " : "", hb_report_number(100 * unseen, 2),
                    fits[f].label);
  }
  hb_report_put(report, ".</p>\n");
  if (!count) hb_report_lack(report, "No model was fitted on this machine.");
}

static void own_part(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure figure = {.name = "fig3-here",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "seconds for one N-body time unit",
                                    .x_column = "n",
                                    .y_column = "seconds"};
  static const char *const styles[FITS] = {"host", "cg2007", "bag", "tile", "ds", "grape6"};
  char name[96], style[32], filter[128];
  for (int f = 0; f < FITS; f++) {
    if (!r->sources[fits[f].source].is_there) continue;
    snprintf(filter, sizeof filter, "kind=model source=%s mode=%s record=size",
             r->sources[fits[f].source].name, fits[f].mode);
    snprintf(name, sizeof name, "%s, model", fits[f].label);
    snprintf(style, sizeof style, "%s/line", styles[f]);
    hb_section_curve(r, report, &figure, name, style, filter, "n", "predicted_s", 1);
    snprintf(name, sizeof name, "%s, measured", fits[f].label);
    snprintf(style, sizeof style, "%s/marks", styles[f]);
    hb_section_curve(r, report, &figure, name, style, filter, "n", "measured_s", 1);
  }
  hb_report_figure_end(report, &figure, "Fig. 3, this machine",
                       "The same for this machine, with the constants of its own Table 3.");
}

void hb_section_fig3(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure figure = {.name = "fig3-2007",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "seconds for one N-body time unit",
                                    .x_column = "n",
                                    .y_column = "seconds"};
  static const char *const colours[] = {"first", "second", "third", "fourth"};
  char name[64], style[32];
  for (int m = 0; m < MACHINES; m++) {
    snprintf(name, sizeof name, "%s, model", machines[m]);
    snprintf(style, sizeof style, "%s/line", colours[m]);
    for (size_t n = 256; n <= (m == 1 ? 524288 : 65536); n *= 2)
      hb_report_point(report, &figure, name, style, (double)n, hb_2007_time(machines[m], (double)n));
    snprintf(name, sizeof name, "%s, Table 2", machines[m]);
    snprintf(style, sizeof style, "%s/marks", colours[m]);
    hb_section_paper_curve(report, &figure, name, style, machines[m]);
  }
  hb_report_figure_end(
      report, &figure, "Fig. 3",
      "The model of [PZ07] section 5 (eqs 10 to 17 with the constants of the text and of Table 3; lines) "
      "against its Table 2 times four (marks).");
  own_part(r, report);
  say_fits(r, report);
}

/* ---- Fig. 5 ------------------------------------------------------------------------------------------ */

void hb_section_fig5(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure figure = {.name = "fig5",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "seconds for one N-body time unit",
                                    .x_column = "n",
                                    .y_column = "seconds"};
  static const struct {
    const char *mode, *curve, *style;
  } modes[] = {{"all/host/host", "here: all sent", "first"},
               {"block/gpu/host", "here: blocks sent", "second"},
               {"block/gpu/gpu", "here: stepped on the device", "third"}};
  char filter[96];
  for (int k = 0; k < 3; k++) {
    snprintf(filter, sizeof filter, "kind=run source=ds mode=%s", modes[k].mode);
    hb_section_curve(r, report, &figure, modes[k].curve, modes[k].style, filter, "n", "wall_s", 4);
  }
  hb_section_paper_curve(report, &figure, "Xeon, measured", "Xeon", "Xeon");
  hb_section_paper_curve(report, &figure, "8800GTX, measured", "8800GTX", "8800GTX");
  for (double n = 256; n <= 524288; n *= 2) {
    struct hb_2007_step s = hb_2007_step("8800GTX", n);
    double eta = hb_paper_value("pz07_model", "eta_fe,GPU", "value");
    hb_report_point(report, &figure, "8800GTX, blocks sent", "model", n, hb_2007_time_blocks(n));
    hb_report_point(report, &figure, "8800GTX, stepped on card", "model-dashed", n, hb_2007_time_on_card(n));
    hb_report_point(report, &figure, "the same, one cycle a pair", "model-dotted", n,
                    hb_2007_time_on_card(n) - hb_2007_n_steps(n) * s.force_s * (1 - 1 / eta));
  }
  hb_report_figure_end(
      report, &figure, "Fig. 5",
      "What [PZ07] Fig. 5 predicted for the 8800GTX by its model, and the same three ways to work measured "
      "on "
      "this machine. Thin with marks: the Xeon and the 8800GTX of Table 2. Thick: only the particles of a "
      "block travel. Dashed: they are also predicted and corrected on the card. Dotted: and a pair takes one "
      "cycle (&eta;<sub>fe</sub> = 1). Colours: double-single forces here, all particles sent; blocks sent "
      "and "
      "predicted on the device; corrected there, too.");
}
