/* How many block steps a run takes: with rounded forces ([PZ07] section 5 saw more on the FX1400), and by the way a time step
 * becomes a power of two, which the paper does not tell. */
#include "perf/paper.h"
#include "report/reproduce_2007.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- with rounded forces ----------------------------------------------------------------------------- */

static const enum hb_source_name sources[] = {HB_SOURCE_HOST, HB_SOURCE_GRAPE6, HB_SOURCE_DS,
                                              HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};
enum { SOURCES = sizeof sources / sizeof *sources, HALVINGS = 8 };

/* Block steps of a time unit when all are the shortest that plan_nu allows: quick, and full. */
static int is_shortest(double steps) { return steps == 16384 || steps == 262144; }

static double nu_steps(const struct hb_reproduction *r, const char *source, size_t n, double nu)
{
  return 4 *
         hb_reproduce_number(r, "block_steps", "kind=nu source=%s n=%zu nu=%.10g done=true", source, n, nu);
}

/* The largest nu at which a source takes a tenth more block steps than the host, and how many times as many at the
 * smallest nu that it was run with. */
static void say_growth(struct hb_reproduction *r, struct hb_report *report, const char *source, size_t n)
{
  double first = 0, last = NAN, at = NAN, steps = NAN;
  for (int k = 0; k <= HALVINGS; k++) {
    double nu = ldexp(0.1, -k), now = nu_steps(r, source, n, nu), ratio = now / nu_steps(r, "host", n, nu);
    if (!isfinite(ratio)) continue;
    steps = now;
    if (ratio > 1.1 && first == 0) first = nu;
    last = ratio, at = nu;
  }
  if (!isfinite(last)) return;
  hb_report_put(report, "<li>%s, N = %zu: ", source, n);
  if (first > 0)
    hb_report_put(report, "more than 1.1 times the host's from &nu; = %s down, %s times at &nu; = %s",
                  hb_report_number(first, 3), hb_report_number(last, 2), hb_report_number(at, 3));
  else
    hb_report_put(report, "as the host's down to &nu; = %s (%s times)", hb_report_number(at, 3),
                  hb_report_number(last, 3));
  hb_report_put(report, "%s</li>\n", is_shortest(steps) ? ", each the shortest that was allowed" : "");
}

void hb_section_steps(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_report_figure by_nu = {.name = "steps-nu",
                                   .x_label = "accuracy parameter ν",
                                   .x_base = 10,
                                   .y_label = "block steps of one time unit",
                                   .x_column = "nu",
                                   .y_column = "block_steps"};
  struct hb_report_figure by_n = {.name = "steps-n",
                                  .x_label = "number of particles N",
                                  .x_base = 2,
                                  .y_label = "block steps of one time unit",
                                  .x_column = "n",
                                  .y_column = "block_steps"};
  size_t n[HB_NU_SIZES];
  char name[96], style[64], filter[96];
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (int s = 0; s < SOURCES; s++) {
      const char *source = r->sources[sources[s]].name;
      snprintf(name, sizeof name, "%s, N = %zu", source, n[k]);
      snprintf(style, sizeof style, "%s%s", source, k ? "" : "/small");
      for (int h = 0; h <= HALVINGS; h++)
        hb_report_point(report, &by_nu, name, style, ldexp(0.1, -h),
                        nu_steps(r, source, n[k], ldexp(0.1, -h)));
      hb_report_has_curve(report, &by_nu, name);
    }
  for (int s = 0; s < SOURCES; s++) {
    const char *source = r->sources[sources[s]].name;
    snprintf(filter, sizeof filter, "kind=run source=%s mode=all/host/host", source);
    hb_section_curve(r, report, &by_n, source, source, filter, "n", "block_steps", 4);
  }
  for (size_t m = r->n_least; hb_section_wall(r, HB_SOURCE_HOST, m) > 0; m *= 2)
    hb_report_point(report, &by_n, "eq. 17", "model", (double)m, hb_2007_n_steps((double)m));
  hb_report_put(report, "<p>[PZ07] section 5 blames part of the FX1400's slowness on &ldquo;the increase in "
                        "the number of block time "
                        "steps&rdquo;. The cause is in eq. 9, which divides by differences of accelerations: "
                        "when a step is so short "
                        "that the difference is rounding, the next step comes out shorter still.</p>\n");
  hb_report_figure_end(
      report, &by_nu, "Block steps against &nu;",
      "Of the runs of Fig. 2. An exact force needs &nu;<sup>&minus;1/2</sup>; the plateau on the left is the "
      "smallest step that was allowed.");
  hb_report_figure_end(report, &by_n, "Block steps against N",
                       "Of the runs of Table 2, at &nu; = 0.01; line: eq. 17.");
  hb_report_put(report, "<ul>\n");
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (int s = 1; s < SOURCES; s++) say_growth(r, report, r->sources[sources[s]].name, n[k]);
  hb_report_put(report, "</ul>\n");
}

/* ---- three roundings --------------------------------------------------------------------------------- */

void hb_section_read_roundings(const struct hb_reproduction *r, struct hb_section_rounding fits[HB_ROUNDINGS])
{
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    struct hb_section_rounding fit = {.blocks_low = INFINITY, .error_low = INFINITY};
    char filter[96];
    double count = 0;
    snprintf(filter, sizeof filter, "kind=rounding rounding=%s record=size", hb_rounding_names[w]);
    for (const struct hb_record *size = NULL; (size = hb_reproduce_next(r, size, filter)); count++) {
      double blocks = hb_record_number(size, "n_block_over_eq14"), error = hb_record_number(size, "de_rel");
      fit.steps_ratio += hb_record_number(size, "n_steps_over_eq17");
      fit.blocks_low = fmin(fit.blocks_low, blocks);
      fit.blocks_high = fmax(fit.blocks_high, blocks);
      fit.error += error;
      fit.error_low = fmin(fit.error_low, error);
      fit.error_high = fmax(fit.error_high, error);
    }
    fit.steps_ratio /= count;
    fit.error /= count;
    snprintf(filter, sizeof filter, "kind=rounding rounding=%s record=fit", hb_rounding_names[w]);
    const struct hb_record *law = hb_reproduce_next(r, NULL, filter);
    fit.steps_p = hb_record_number(law, "n_steps_exponent");
    fit.steps_p_error = hb_record_number(law, "n_steps_exponent_error");
    fit.blocks_p = hb_record_number(law, "n_block_exponent");
    fit.blocks_p_error = hb_record_number(law, "n_block_exponent_error");
    fits[w] = fit;
  }
}

int hb_section_has_roundings(const struct hb_section_rounding fits[HB_ROUNDINGS])
{
  return fits[0].steps_ratio > 0;
}

/* The rounding whose number is nearest to the printed one, as a factor. */
static int nearest(const double numbers[HB_ROUNDINGS], double printed)
{
  int best = 0;
  for (int w = 1; w < HB_ROUNDINGS; w++)
    if (fabs(log(numbers[w] / printed)) < fabs(log(numbers[best] / printed))) best = w;
  return best;
}

static void rounding_table(struct hb_report *report, const struct hb_section_rounding fits[HB_ROUNDINGS])
{
  struct hb_report_table t = {.report = report, .name = "rounding"};
  hb_report_table_head(
      &t,
      "rounded|~exponent of n_steps|n_steps [over eq. 17]|~exponent of n_block|n_block [over eq. 14, least]|"
      "n_block [most]|energy error [mean]|energy error [least]|energy error [most]");
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    const struct hb_section_rounding *f = &fits[w];
    hb_report_table_word(&t, hb_rounding_names[w]);
    hb_report_table_measure(&t, f->steps_p, f->steps_p_error);
    hb_report_table_number(&t, f->steps_ratio, 3);
    hb_report_table_measure(&t, f->blocks_p, f->blocks_p_error);
    hb_report_table_number(&t, f->blocks_low, 2);
    hb_report_table_number(&t, f->blocks_high, 3);
    hb_report_table_number(&t, f->error, 2);
    hb_report_table_number(&t, f->error_low, 2);
    hb_report_table_number(&t, f->error_high, 2);
    hb_report_table_row_end(&t);
  }
  hb_report_table_word(&t, "[PZ07]");
  hb_report_table_measure(&t, hb_paper_value("pz07_model", "n_steps exponent,all", "value"), NAN);
  hb_report_table_number(&t, 1, 3);
  hb_report_table_measure(&t, hb_paper_value("pz07_model", "n_block exponent,all", "value"), NAN);
  hb_report_table_number(&t, 1, 2);
  hb_report_table_number(&t, 1, 2);
  hb_report_table_number(&t, hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), 2);
  hb_report_table_number(&t, NAN, 2);
  hb_report_table_number(&t, NAN, 2);
  hb_report_table_row_end(&t);
  char caption[512];
  snprintf(caption, sizeof caption,
           "Fits of c N<sup>p</sup> to the means of %d spheres, forces by host-simd with double-single "
           "positions, t = 0.25 to "
           "0.5. Least and most: of the means over the spheres of an N. Last line: eqs 17 and 14, and the "
           "mean error of the GRAPE "
           "and the host in section 6.",
           HB_ROUNDING_SEEDS);
  hb_report_table_end(&t, "Three roundings", caption);
}

static void say_evidence(struct hb_report *report, const struct hb_section_rounding fits[HB_ROUNDINGS])
{
  static const char *const words[HB_ROUNDINGS] = {"down", "to the nearest power of two", "up"};
  if (!hb_section_has_roundings(fits)) {
    hb_report_lack(report, "There are no runs to tell the roundings apart.");
    return;
  }
  hb_report_put(report,
                "<p><b>Which one was it?</b> Rounded down, as the usual block scheme does, the code takes %s "
                "times the block "
                "steps of eq. 17 and errs by %s on average, where the paper has %s for its GRAPE and host; "
                "rounded to the "
                "nearest, %s times and %s; rounded up, %s times and %s. ",
                hb_report_number(fits[0].steps_ratio, 2), hb_report_number(fits[0].error, 2),
                hb_report_number(hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), 2),
                hb_report_number(fits[1].steps_ratio, 2), hb_report_number(fits[1].error, 2),
                hb_report_number(fits[2].steps_ratio, 2), hb_report_number(fits[2].error, 2));
  const double steps[] = {fits[0].steps_ratio, fits[1].steps_ratio, fits[2].steps_ratio};
  const double errors[] = {fits[0].error, fits[1].error, fits[2].error};
  int by_steps = nearest(steps, 1);
  int by_error = nearest(errors, hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"));
  if (by_steps == by_error)
    hb_report_put(
        report,
        "The block steps and the energy error are both nearest to the paper's with steps rounded <b>%s</b>. ",
        words[by_steps]);
  else
    hb_report_put(
        report,
        "The two disagree: the block steps are nearest to the paper's with steps rounded <b>%s</b>, the "
        "energy error with steps rounded <b>%s</b>, if it says anything: the paper does not tell whose "
        "potentials its energies are from. ",
        words[by_steps], words[by_error]);
  hb_report_put(report,
                "The size of a block, by eq. 14, tells nothing: it is nearly the same with all three.</p>\n");
}

void hb_section_rounding(struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const styles[HB_ROUNDINGS] = {"first", "second", "third"};
  struct hb_section_rounding fits[HB_ROUNDINGS];
  struct hb_report_figure steps = {.name = "rounding-steps",
                                   .x_label = "number of particles N",
                                   .x_base = 2,
                                   .y_label = "block steps of one time unit",
                                   .x_column = "n",
                                   .y_column = "n_steps"};
  struct hb_report_figure blocks = {.name = "rounding-blocks",
                                    .x_label = "number of particles N",
                                    .x_base = 2,
                                    .y_label = "particles in a block",
                                    .x_column = "n",
                                    .y_column = "n_block"};
  char name[64], filter[96];
  for (int w = 0; w < HB_ROUNDINGS; w++) {
    snprintf(name, sizeof name, "rounded %s%s", w == 1 ? "to the " : "", hb_rounding_names[w]);
    snprintf(filter, sizeof filter, "kind=rounding rounding=%s record=size", hb_rounding_names[w]);
    hb_section_curve(r, report, &steps, name, styles[w], filter, "n", "n_steps", 1);
    hb_section_curve(r, report, &blocks, name, styles[w], filter, "n", "n_block", 1);
  }
  for (const struct hb_record *size = NULL;
       (size = hb_reproduce_next(r, size, "kind=rounding rounding=down record=size"));) {
    double n = hb_record_number(size, "n");
    hb_report_point(report, &steps, "eq. 17", "model", n, hb_2007_n_steps(n));
    hb_report_point(report, &blocks, "eq. 14", "model", n, hb_2007_n_block(n));
  }
  hb_report_put(report, "<p>Time steps are &ldquo;constrained to be powers of 2&rdquo;; how the paper does "
                        "not say. A step of eq. 9 can "
                        "become the power of two below it, the nearest, or the one above.</p>\n");
  hb_report_figure_end(report, &steps, "Block steps by rounding",
                       "Means of the seeds; line: eq. 17, 247 N<sup>0.35</sup>.");
  hb_report_figure_end(report, &blocks, "Sizes of blocks by rounding",
                       "Means of the seeds; line: eq. 14, 0.20 N<sup>0.81</sup>.");
  hb_section_read_roundings(r, fits);
  rounding_table(report, fits);
  say_evidence(report, fits);
}
