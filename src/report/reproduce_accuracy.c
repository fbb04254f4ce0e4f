/* How well energy is kept, and how many steps that takes: [PZ07] Fig. 2, section 6, and eqs 14 and 17. */
#include "perf/paper.h"
#include "report/reproduce_2007.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Fig. 2 ------------------------------------------------------------------------------------------ */

static const enum hb_source_name nu_sources[] = {HB_SOURCE_HOST, HB_SOURCE_GRAPE6,      HB_SOURCE_DOUBLE,
                                                 HB_SOURCE_DS,   HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};
enum { NU_SOURCES = sizeof nu_sources / sizeof *nu_sources, HALVINGS = 8 };

/* Errors of one source at one n by one of the two energies. */
static void nu_curve(struct hb_reproduction *r, struct hb_report *report, struct hb_report_figure *figure,
                     const char *curve, const char *style, const char *source, size_t n, const char *energy)
{
  for (int k = 0; k <= HALVINGS; k++) {
    double nu = ldexp(0.1, -k);
    hb_report_point(report, figure, curve, style, nu, hb_section_nu_error(r, source, n, nu, energy));
  }
  hb_report_has_curve(report, figure, curve);
}

/* The largest nu from which down cg2007 errs more than three times as much as grape6: there, and in the geometric mean over
 * all smaller nu, because an error may pass through zero. 0: they do not part. */
static double parting(const struct hb_reproduction *r, size_t n, const char *energy)
{
  double nu_part = 0, sum = 0, count = 0;
  for (int k = HALVINGS; k >= 0; k--) {
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
  for (int k = 0; k <= HALVINGS; k++) {
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
  for (int k = HALVINGS; k >= 0; k--)
    if (isfinite(hb_section_nu_error(r, source, n, ldexp(0.1, -k), "e_total"))) return ldexp(0.1, -k);
  return 0;
}

static void say_parting(struct hb_reproduction *r, struct hb_report *report, size_t n)
{
  double own = parting(r, n, "e_gpu"), exact = parting(r, n, "e_total");
  hb_report_put(report, "<p>N = %zu. By its own potentials the kernel of 2007 ", n);
  if (own > 0)
    hb_report_put(report,
                  "parts from GRAPE-6's arithmetic at &nu; = %s: from there down it errs more than three "
                  "times as much. ",
                  hb_report_number(own, 3));
  else
    hb_report_put(report, "does not part from GRAPE-6's arithmetic in the range that was measured. ");
  hb_report_put(report, "The paper has the parting at &nu; &asymp; %s. ",
                hb_report_number(
                    hb_paper_value("pz07_accuracy", "nu of equal errors,8800GTX and GRAPE-6Af", "value"), 2));
  if (exact > 0)
    hb_report_put(report, "With energies in double, the curves part at &nu; = %s. ",
                  hb_report_number(exact, 3));
  else
    hb_report_put(report, "With energies in double, they do not part in the range that was measured. ");
  double nu = smallest_nu(r, "grape6", n);
  hb_report_put(report,
                "Below &nu; = 0.01 cg2007 errs by %s by its own potentials (the printed Fig. 2: about %s) "
                "and by %s in double, "
                "geometric means; grape6 ends with %s in double at &nu; = %s (printed: about %s).</p>\n",
                hb_report_number(floor_of(r, "cg2007", n, "e_gpu"), 2),
                hb_report_number(hb_paper_value("pz07_accuracy", "floor,8800GTX", "value"), 1),
                hb_report_number(floor_of(r, "cg2007", n, "e_total"), 2),
                hb_report_number(hb_section_nu_error(r, "grape6", n, nu, "e_total"), 2),
                hb_report_number(nu, 3),
                hb_report_number(hb_paper_value("pz07_accuracy", "floor,GRAPE-6Af", "value"), 1));
}

static struct hb_report_figure nu_figure(const char *name)
{
  return (struct hb_report_figure){.name = name,
                                   .x_label = "accuracy parameter ν",
                                   .x_base = 10,
                                   .y_label = "|ΔE / E| over 0.25 time units",
                                   .x_column = "nu",
                                   .y_column = "de_rel"};
}

void hb_section_fig2(struct hb_reproduction *r, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  char name[96], style[64], title[64], caption[512];
  hb_reproduce_nu_sizes(r, n);
  struct hb_report_figure printed = nu_figure("fig2");
  for (int k = 0; k < HB_NU_SIZES; k++) {
    const char *small = k ? "/small" : "";
    snprintf(name, sizeof name, "cg2007, own, N = %zu", n[k]);
    snprintf(style, sizeof style, "cg2007%s", small);
    nu_curve(r, report, &printed, name, style, "cg2007", n[k], "e_gpu");
    snprintf(name, sizeof name, "cg2007, double, N = %zu", n[k]);
    snprintf(style, sizeof style, "compensated%s", small);
    nu_curve(r, report, &printed, name, style, "cg2007", n[k], "e_total");
    snprintf(name, sizeof name, "grape6, double, N = %zu", n[k]);
    snprintf(style, sizeof style, "grape6%s", small);
    nu_curve(r, report, &printed, name, style, "grape6", n[k], "e_total");
  }
  snprintf(caption, sizeof caption,
           "Relative error of the energy after a quarter time unit against the accuracy parameter, as in "
           "[PZ07] Fig. 2%s. "
           "<i>own</i>: by the float potentials of the kernel itself, as a code of 2007 would read them; "
           "<i>double</i>: the "
           "same runs, energies summed in double precision.",
           r->is_full ? "" : " but for smaller N than its 1k and 16k, which <code>--full</code> takes");
  hb_report_figure_end(report, &printed, "Fig. 2", caption);
  for (int k = 0; k < HB_NU_SIZES; k++) {
    snprintf(title, sizeof title, "fig2-sources-%zu", n[k]);
    struct hb_report_figure all = nu_figure(title);
    for (int s = 0; s < NU_SOURCES; s++) {
      const struct hb_source *source = &r->sources[nu_sources[s]];
      nu_curve(r, report, &all, source->name, source->name, source->name, n[k], "e_total");
    }
    nu_curve(r, report, &all, "cg2007, own", "cg2007-own", "cg2007", n[k], "e_gpu");
    snprintf(name, sizeof name, "Fig. 2, all sources of forces, N = %zu", n[k]);
    hb_report_figure_end(
        report, &all, name,
        "The same by every source of forces, energies in double; dotted with open marks: cg2007 by its own "
        "potentials.");
  }
  hb_report_put(
      report,
      "<p>No step is shorter than %s here%s, because differences of rounded forces, divided by "
      "dt<sup>2</sup> "
      "and dt<sup>3</sup> in eqs 5 and 6, shorten the steps without end where &nu; is small; see section "
      "<a href=\"#steps\">Block steps</a>.</p>\n",
      r->is_full ? "2<sup>&minus;18</sup>" : "2<sup>&minus;14</sup>",
      r->is_full ? " (grape6: 2<sup>&minus;14</sup>)" : "");
  for (int k = 0; k < HB_NU_SIZES; k++) say_parting(r, report, n[k]);
  hb_section_left_out(r, report, HB_JOB_NU);
}

/* ---- section 6 --------------------------------------------------------------------------------------- */

struct hb_section_thermometer hb_section_read_thermometer(const struct hb_reproduction *r)
{
  struct hb_section_thermometer t = {0, 0, 0};
  for (const struct hb_record *record = NULL;
       (record = hb_reproduce_next(r, record, "kind=run source=cg2007"));) {
    double own = fabs(hb_record_number(record, "de_rel_gpu")),
           exact = fabs(hb_record_number(record, "de_rel"));
    if (!isfinite(own) || !isfinite(exact)) continue;
    t.own += own, t.exact += exact, t.runs++;
  }
  t.own /= (double)t.runs;
  t.exact /= (double)t.runs;
  return t;
}

static struct hb_report_band paper_band(const char *machine, const char *label, const char *colour)
{
  char key[64];
  snprintf(key, sizeof key, "de_rel,%s", machine);
  double mean = hb_paper_value("pz07_accuracy", key, "value"),
         scatter = hb_paper_value("pz07_accuracy", key, "scatter");
  return (struct hb_report_band){fmax(mean - scatter, 0.3 * mean), mean + scatter, label, colour};
}

static double mean_error(const struct hb_reproduction *r, const char *source, double *largest)
{
  char filter[96];
  double sum = 0, count = 0;
  *largest = 0;
  snprintf(filter, sizeof filter, "kind=run source=%s mode=all/host/host", source);
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));) {
    double error = fabs(hb_record_number(record, "de_rel"));
    sum += error, count++;
    *largest = fmax(*largest, error);
  }
  return sum / count;
}

static void say_thermometer(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_section_thermometer t = hb_section_read_thermometer(r);
  double printed = hb_paper_value("pz07_accuracy", "de_rel,8800GTX", "value");
  double grape = hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value");
  if (!(t.runs > 0)) {
    hb_report_lack(report, "There is no run by the kernel of 2007 whose energy was measured twice.");
    return;
  }
  double share = 100 * (1 - t.exact / t.own);
  if (share > 0)
    hb_report_put(
        report,
        "<p><b>The thermometer.</b> Over its %zu runs here the kernel of 2007 errs by %s on average when its "
        "own "
        "float potentials measure the energy, and by %s when the same particles are measured in double: "
        "%s&thinsp;%% of the error that its user would have seen is rounding of the potentials, not of "
        "the trajectories. ",
        t.runs, hb_report_number(t.own, 2), hb_report_number(t.exact, 2),
        hb_report_number(share, share > 99 ? 3 : 2));
  else
    hb_report_put(
        report,
        "<p><b>The thermometer.</b> Over its %zu runs here the kernel of 2007 errs by %s on average by its "
        "own float "
        "potentials and by %s in double: the rounding of the potentials is not what the error is made of. ",
        t.runs, hb_report_number(t.own, 2), hb_report_number(t.exact, 2));
  if (t.own < printed / 2)
    hb_report_put(
        report,
        "The printed mean for the 8800GTX, %s, is %s times as large as what this kernel shows here by its "
        "own "
        "potentials, and %s times as large as the printed mean of the GRAPE and the host. So the thermometer "
        "alone, "
        "with floats rounded as OpenGL rounds them here, does not make the error of 2007: %s of it is the "
        "potentials, and %s is what the GRAPE and the host show, too, which depends on how steps are rounded "
        "(<a "
        "href=\"#rounding\">below</a>). What is left, a factor of %s, is in neither: these runs cannot tell "
        "whether "
        "it was the arithmetic of that card, or of its driver.</p>\n",
        hb_report_number(printed, 2), hb_report_number(printed / t.own, 2),
        hb_report_number(printed / grape, 2), hb_report_number(fmax(t.own - t.exact, 0), 2),
        hb_report_number(grape, 2), hb_report_number(printed / (grape + fmax(t.own - t.exact, 0)), 2));
  else
    hb_report_put(report, "The printed mean for the 8800GTX is %s, within a factor of %s of it.</p>\n",
                  hb_report_number(printed, 2), hb_report_number(fmax(printed / t.own, t.own / printed), 2));
}

void hb_section_energy(struct hb_reproduction *r, struct hb_report *report)
{
  static const enum hb_source_name curves[] = {HB_SOURCE_HOST, HB_SOURCE_GRAPE6,      HB_SOURCE_DOUBLE,
                                               HB_SOURCE_DS,   HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};
  struct hb_report_figure figure = {.name = "energy",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "|ΔE / E| from t = 0.25 to 0.5",
                                    .x_column = "n",
                                    .y_column = "de_rel",
                                    .bands = {paper_band("8800GTX", "8800GTX, 2007", "#d55e00"),
                                              paper_band("FX1400", "FX1400, 2007", "#999999"),
                                              paper_band("GRAPE-6Af", "GRAPE and host, 2007", "#aa4499")}};
  struct hb_report_table t = {.report = report, .name = "energies"};
  double grape = hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), largest;
  unsigned above = 0;
  hb_report_table_head(&t, "source of forces|what|mean error|largest error");
  char filter[96];
  for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
    const struct hb_source *source = &r->sources[curves[k]];
    snprintf(filter, sizeof filter, "kind=run source=%s mode=all/host/host", source->name);
    hb_section_curve(r, report, &figure, source->name, source->name, filter, "n", "de_rel", 1);
    hb_report_table_word(&t, source->name);
    hb_report_table_word(&t, source->what);
    hb_report_table_number(&t, mean_error(r, source->name, &largest), 2);
    hb_report_table_number(&t, largest, 2);
    hb_report_table_row_end(&t);
    above += largest > grape;
  }
  hb_section_curve(r, report, &figure, "cg2007, own", "cg2007-own", "kind=run source=cg2007", "n",
                   "de_rel_gpu", 1);
  hb_report_figure_end(
      report, &figure, "Energy errors at &nu; = 0.01",
      "Over the last quarter of the runs of Table 2, energies in double; dotted with open marks: cg2007 by "
      "its own "
      "float potentials. Bands: the means over N = 256 to 64k that [PZ07] section 6 quotes, with their "
      "scatter. "
      "One sphere for each N (seed 1): points scatter by an order of magnitude from sphere to sphere.");
  hb_report_table_end(&t, "Energy errors",
                      "Means and largest errors over the N of the figure, energies in double.");
  if (above)
    hb_report_put(report,
                  "<p>%u of these sources have an error above the %s that the paper quotes for the GRAPE and "
                  "the host.</p>\n",
                  above, hb_report_number(grape, 2));
  else
    hb_report_put(report,
                  "<p>Every source of forces stays below the %s that the paper quotes for the GRAPE and the "
                  "host, at every "
                  "N.</p>\n",
                  hb_report_number(grape, 2));
  say_thermometer(r, report);
}
