/* The number of block steps: with rounded forces ([PZ07] section 5 saw more on the FX1400), and by how time steps are rounded
 * to powers of two, which the paper does not say. */
#include "perf/paper.h"
#include "report/model_2007.h"
#include "report/reproduce_section.h"

#include <holmberg/holmberg.h>

#include <math.h>

/* ---- with rounded forces ----------------------------------------------------------------------------- */

static const enum hb_source_name sources[] = {HB_SOURCE_HOST, HB_SOURCE_GRAPE6, HB_SOURCE_DS,
                                              HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};
enum { SOURCES = sizeof sources / sizeof *sources };

/* Block steps per time unit if all are the shortest that plan_nu allows: quick, and full. */
static int is_shortest(double steps) { return steps == 16384 || steps == 262144; }

static double nu_steps(const struct hb_reproduction *r, const char *source, size_t n, double nu)
{
  return 4 *
         hb_reproduce_number(r, "block_steps", "kind=nu source=%s n=%zu nu=%.10g done=true", source, n, nu);
}

/* Adds the largest nu at which a source takes a tenth more block steps than the host, and their ratio at its smallest
 * nu. */
static void add_growth(const struct hb_reproduction *r, struct hb_report *report, const char *source,
                       size_t n)
{
  double first = 0, last = NAN, at = NAN, steps = NAN;
  for (int k = 0; k <= HB_NU_HALVINGS; k++) {
    double nu = ldexp(0.1, -k), now = nu_steps(r, source, n, nu), ratio = now / nu_steps(r, "host", n, nu);
    if (!isfinite(ratio)) continue;
    steps = now;
    if (ratio > 1.1 && first == 0) first = nu;
    last = ratio, at = nu;
  }
  if (!isfinite(last)) return;
  cJSON *row = hb_values_row(report->values, "growths");
  hb_values_word(row, "source", source);
  hb_values_number(row, "n", (double)n);
  hb_values_number(row, "nu_first", first);
  hb_values_number(row, "ratio_last", last);
  hb_values_number(row, "nu_last", at);
  hb_values_number(row, "is_shortest", is_shortest(steps));
}

void hb_section_steps(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char label[] = "block steps of one time unit";
  struct hb_report_figure by_nu = hb_report_figure(report, NULL, "steps-nu", "nu", "block_steps", label);
  struct hb_report_figure by_n = hb_report_figure(report, NULL, "steps-n", "n", "block_steps", label);
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  hb_values_list(report->values, "growths", "source n nu_first ratio_last nu_last is_shortest");
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (int s = 0; s < SOURCES; s++) {
      const char *source = r->sources[sources[s]].name, *curve = hb_phrase("%s, N = %zu", source, n[k]);
      const char *style = hb_phrase("%s%s", source, k ? "" : "/small");
      for (int h = 0; h <= HB_NU_HALVINGS; h++)
        hb_report_point(&by_nu, curve, style, ldexp(0.1, -h), nu_steps(r, source, n[k], ldexp(0.1, -h)));
      hb_report_expect(&by_nu, curve);
      if (s > 0) add_growth(r, report, source, n[k]);
    }
  for (int s = 0; s < SOURCES; s++) hb_section_run_curve(r, &by_n, &r->sources[sources[s]], "block_steps", 4);
  for (size_t m = r->n_least; hb_section_wall(r, HB_SOURCE_HOST, m) > 0; m *= 2)
    hb_report_point(&by_n, "eq. 17", "model", (double)m, hb_2007_n_steps((double)m));
  hb_report_figure_end(&by_nu);
  hb_report_figure_end(&by_n);
}

/* ---- three roundings --------------------------------------------------------------------------------- */

static void rounding_table(const struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_table t = hb_report_table(
      report, "rounding",
      "rounded|~exponent of n_steps|n_steps [over eq. 17]|~exponent of n_block|n_block [over eq. 14, least]|"
      "n_block [most]|energy error [mean]|energy error [least]|energy error [most]");
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    const struct hb_record *law = hb_reproduce_next(r, NULL, hb_section_rounding_filter(w, "fit"));
    const char *sizes = hb_section_rounding_filter(w, "size");
    struct hb_section_stat blocks = hb_section_stat(r, "n_block_over_eq14", sizes);
    struct hb_section_stat error = hb_section_stat(r, "de_rel", sizes);
    hb_report_table_row(
        &t, "wm3m23222", hb_rounding_names[w], hb_record_number(law, "n_steps_exponent"),
        hb_record_number(law, "n_steps_exponent_error"), hb_section_stat(r, "n_steps_over_eq17", sizes).mean,
        hb_record_number(law, "n_block_exponent"), hb_record_number(law, "n_block_exponent_error"),
        blocks.low, blocks.high, error.mean, error.low, error.high);
  }
  hb_report_table_row(&t, "wm3m22222", "[PZ07]",
                      hb_paper_value("pz07_model", "n_steps exponent,all", "value"), NAN, 1.,
                      hb_paper_value("pz07_model", "n_block exponent,all", "value"), NAN, 1., 1.,
                      hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), NAN, NAN);
  hb_report_table_end(&t);
}

/* The rounding whose number is nearest to the printed one, by ratio. */
static int nearest(const double numbers[HB_ROUNDINGS], double printed)
{
  int best = 0;
  for (int w = 1; w < HB_ROUNDINGS; w++)
    if (fabs(log(numbers[w] / printed)) < fabs(log(numbers[best] / printed))) best = w;
  return best;
}

static void set_nearest(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const words[HB_ROUNDINGS] = {"down", "to the nearest power of two", "up"};
  double steps[HB_ROUNDINGS], errors[HB_ROUNDINGS];
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    steps[w] = hb_section_stat(r, "n_steps_over_eq17", hb_section_rounding_filter(w, "size")).mean;
    errors[w] = hb_section_stat(r, "de_rel", hb_section_rounding_filter(w, "size")).mean;
  }
  int by_steps = nearest(steps, 1);
  int by_error = nearest(errors, hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"));
  hb_section_set(report, "roundings_agree", by_steps == by_error);
  hb_values_word(report->values, "rounding_by_steps", words[by_steps]);
  hb_values_word(report->values, "rounding_by_error", words[by_error]);
  hb_section_set(report, "seeds", HB_ROUNDING_SEEDS);
}

void hb_section_rounding(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const styles[HB_ROUNDINGS] = {"first", "second", "third"};
  static const char *const names[HB_ROUNDINGS] = {"rounded down", "rounded to the nearest", "rounded up"};
  struct hb_report_figure steps =
      hb_report_figure(report, NULL, "rounding-steps", "n", "n_steps", "block steps of one time unit");
  struct hb_report_figure blocks =
      hb_report_figure(report, NULL, "rounding-blocks", "n", "n_block", "particles in a block");
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    const char *filter = hb_section_rounding_filter(w, "size");
    hb_section_curve(r, &steps, names[w], styles[w], filter, "n_steps", 1);
    hb_section_curve(r, &blocks, names[w], styles[w], filter, "n_block", 1);
  }
  for (const struct hb_record *size = NULL;
       (size = hb_reproduce_next(r, size, "kind=rounding rounding=down record=size"));) {
    double n = hb_record_number(size, "n");
    hb_report_point(&steps, "eq. 17", "model", n, hb_2007_n_steps(n));
    hb_report_point(&blocks, "eq. 14", "model", n, hb_2007_n_block(n));
  }
  hb_report_figure_end(&steps);
  hb_report_figure_end(&blocks);
  rounding_table(r, report);
  set_nearest(r, report);
}
