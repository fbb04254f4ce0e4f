/* The sections of the report. What the papers and their model say becomes records like the output of jobs; data/report/report.json
 * says which records figures, tables and claims are looked up in, the templates beside it have the sentences. */
#include "report/reproduce.h"

#include "base/draft.h"
#include "console/signals.h"
#include "perf/paper.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the papers and their model as records ------------------------------------------------------------- */

/* kind=table2 n=256 8800GTX=2.708 ...: the numbers of each row, beside its name if that is one word. */
static void note_paper(struct hb_reproduction *r, const char *table)
{
  char head[HB_PAPER_CELL], cell[HB_PAPER_CELL];
  for (size_t row = 1; hb_paper_cell(table, row, 0, cell); row++) {
    struct hb_draft text = {0};
    if (strchr(cell, ' ')) continue;
    hb_draft_put(&text, "kind=%s", table);
    for (size_t column = 0; hb_paper_cell(table, 0, column, head); column++)
      if (hb_paper_cell(table, row, column, cell) &&
          (column == 0 || isfinite(hb_paper_number(table, row, column))))
        hb_draft_put(&text, " %s=%s", head, cell);
    hb_reproduce_note(r, "%s", text.text.text ? text.text.text : "");
    hb_draft_clear(&text);
  }
}

/* A machine of 2007, by its place in the tables. */
enum { CARD = 1, MACHINES = 4 };
static const char *const machines[MACHINES] = {"GRAPE-6Af", "8800GTX", "FX1400", "Xeon"};

static struct hb_model_time model_of(int machine, double n)
{
  size_t count;
  struct hb_model_time time;
  hb_model_predict(&hb_model_machines(&count)[machine], n, &time);
  return time;
}

/* Seconds per time unit on the 8800GTX as in Fig. 5: only blocks are sent; particles are also predicted and corrected on the
 * card. */
static double card_time(double n, int is_stepped)
{
  size_t count;
  struct hb_machine as = hb_model_machines(&count)[CARD];
  struct hb_model_time time;
  as.sends_all = as.receives_all = 0;
  if (is_stepped) as.t_predict = as.t_correct = 0;
  hb_model_predict(&as, n, &time);
  return time.t_unit;
}

static void note_model(struct hb_reproduction *r)
{
  double eta = hb_paper_value("pz07_model", "eta_fe,GPU", "value");
  for (double n = 256; n <= 524288; n *= 2) {
    double unit[MACHINES], on_card = card_time(n, 1);
    struct hb_model_time card = model_of(CARD, n);
    for (int m = 0; m < MACHINES; m++) unit[m] = m == CARD || n <= 65536 ? model_of(m, n).t_unit : NAN;
    hb_reproduce_note(
        r,
        "kind=law n=%.0f GRAPE-6Af=%.17g 8800GTX=%.17g FX1400=%.17g Xeon=%.17g blocks=%.17g card=%.17g "
        "cycle=%.17g comm=%.17g comm_percent=%.17g",
        n, unit[0], unit[1], unit[2], unit[3], card_time(n, 0), on_card,
        on_card - card.n_steps * card.t_force * (1 - 1 / eta), card.t_comm / n,
        100 * card.t_comm / card.t_step);
  }
}

/* Eqs 14 and 17 where there are measurements to compare with. */
static void note_equations(struct hb_reproduction *r)
{
  for (size_t n = r->n_least; n <= r->n_most; n *= 2) {
    struct hb_model_time eqs = model_of(0, (double)n);
    if (hb_reproduce_wall(r, HB_SOURCE_HOST, n) > 0)
      hb_reproduce_note(r, "kind=eqs at=run n=%zu n_steps=%.17g", n, eqs.n_steps);
    if (hb_reproduce_number(r, "n_steps", "kind=rounding rounding=down record=size n=%zu", n) > 0)
      hb_reproduce_note(r, "kind=eqs at=rounding n=%zu n_steps=%.17g n_block=%.17g", n, eqs.n_steps,
                        eqs.n_block);
  }
}

static double wall_2007(const struct hb_reproduction *r, const char *machine, size_t n)
{
  return hb_reproduce_number(r, machine, "kind=table2 n=%zu", n);
}

/* Fig. 4. */
static void note_speeds(struct hb_reproduction *r)
{
  for (size_t n = r->n_least; n <= r->n_most; n *= 2)
    for (int k = HB_SOURCE_SIMD; k <= HB_SOURCE_TILE; k++)
      hb_reproduce_note(r, "kind=speed of=%s n=%zu speed_up=%.17g", r->sources[k].name, n,
                        hb_reproduce_wall(r, HB_SOURCE_HOST, n) /
                            hb_reproduce_wall(r, (enum hb_source_name)k, n));
  for (size_t n = 256; n <= 65536; n *= 2)
    for (int m = 0; m < MACHINES; m++)
      hb_reproduce_note(r, "kind=speed of=%s n=%zu speed_up=%.17g", machines[m], n,
                        wall_2007(r, "Xeon", n) / wall_2007(r, machines[m], n));
}

static double slope(const struct hb_reproduction *r, const char *machine, size_t n)
{
  return log2(wall_2007(r, machine, 2 * n) / wall_2007(r, machine, n));
}

static double model_slope(size_t n)
{
  return log2(model_of(CARD, 2. * (double)n).t_unit / model_of(CARD, (double)n).t_unit);
}

/* The exponent of a machine's time between N and 2 N in Table 2, and in the model. */
static void note_slopes(struct hb_reproduction *r)
{
  for (size_t n = 4096; n <= 262144; n *= 2)
    hb_reproduce_note(
        r, "kind=slope n=%zu to=%zu 8800GTX=%.17g model=%.17g GRAPE-6Af=%.17g Xeon=%.17g particle_s=%.17g", n,
        2 * n, slope(r, "8800GTX", n), model_slope(n), slope(r, "GRAPE-6Af", n), slope(r, "Xeon", n),
        4 * wall_2007(r, "8800GTX", n) / (model_of(0, (double)n).n_steps * (double)n));
}

/* ---- energies against nu ---- */

enum { STEPS = HB_NU_HALVINGS + 1 };

static double nu_of(int k) { return ldexp(0.1, -k); }

/* The relative change of "e_total" or "e_gpu" from nu = 0.1 down; NaN: not run. */
static void note_errors(struct hb_reproduction *r, const char *source, const char *energy, const char *as,
                        size_t n)
{
  for (int k = 0; k < STEPS; k++) {
    const char *job = hb_phrase("kind=nu source=%s n=%zu nu=%.10g", source, n, nu_of(k));
    double first = hb_reproduce_number(r, energy, "%s t=0", job);
    double last = hb_reproduce_number(r, energy, "%s t=0.25", job);
    hb_reproduce_note(r, "kind=energy source=%s n=%zu nu=%.17g de_rel=%.17g", as, n, nu_of(k),
                      fabs((last - first) / first));
  }
}

static void note_energies(struct hb_reproduction *r)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < HB_NU_SIZES; k++) {
    for (int s = 0; s < HB_SOURCES; s++)
      note_errors(r, r->sources[s].name, "e_total", r->sources[s].name, n[k]);
    note_errors(r, "cg2007", "e_gpu", "own", n[k]);
  }
}

/* ---- means over records ---- */

struct spread {
  double mean, low, high, count;
};

/* Of |field| over the records that match. */
static struct spread spread_of(const struct hb_reproduction *r, const char *key, const char *filter)
{
  struct spread spread = {.low = INFINITY};
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));) {
    double value = fabs(hb_record_number(record, key));
    if (!isfinite(value)) continue;
    spread.mean += value, spread.count++;
    spread.low = fmin(spread.low, value);
    spread.high = fmax(spread.high, value);
  }
  spread.mean /= spread.count;
  return spread;
}

static void note_stats(struct hb_reproduction *r)
{
  for (int k = 0; k < HB_ROUNDINGS; k++) {
    const char *which = hb_phrase("kind=rounding rounding=%s", hb_rounding_names[k]),
               *sizes = hb_phrase("%s record=size", which);
    const struct hb_record *law = hb_reproduce_next(r, NULL, hb_phrase("%s record=fit", which));
    struct spread blocks = spread_of(r, "n_block_over_eq14", sizes), error = spread_of(r, "de_rel", sizes);
    double numbers[] = {
        hb_record_number(law, "n_steps_exponent"), hb_record_number(law, "n_steps_exponent_error"),
        hb_record_number(law, "n_block_exponent"), hb_record_number(law, "n_block_exponent_error")};
    hb_reproduce_note(
        r,
        "kind=rounded by=%s steps_p=%.17g steps_p_error=%.17g blocks_p=%.17g blocks_p_error=%.17g "
        "steps=%.17g blocks_low=%.17g blocks_high=%.17g error=%.17g error_low=%.17g error_high=%.17g",
        hb_rounding_names[k], numbers[0], numbers[1], numbers[2], numbers[3],
        spread_of(r, "n_steps_over_eq17", sizes).mean, blocks.low, blocks.high, error.mean, error.low,
        error.high);
  }
  hb_reproduce_note(
      r, "kind=rounded by=[PZ07] steps_p=%.17g steps=1 blocks_p=%.17g blocks_low=1 blocks_high=1 error=%.17g",
      hb_paper_value("pz07_model", "n_steps exponent,all", "value"),
      hb_paper_value("pz07_model", "n_block exponent,all", "value"),
      hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"));
  for (int k = 0; k < HB_SOURCES; k++) {
    const char *name = r->sources[k].name;
    struct spread error = spread_of(r, "de_rel", hb_phrase("kind=run source=%s mode=all/host/host", name));
    hb_reproduce_note(r, "kind=conserved source=%s mean=%.17g high=%.17g", name, error.mean, error.high);
  }
}

/* ---- the machine ---- */

static double host_number(const struct hb_reproduction *r, const char *key)
{
  return hb_reproduce_number(r, key, "kind=host");
}

static double product_2007(const char *machine)
{
  return 1e-3 * hb_paper_value("pz07_table1", "n_pipe", machine) *
         hb_paper_value("pz07_table1", "f_cycle", machine);
}

/* Table 1, and beside it this machine. */
static void note_machines(struct hb_reproduction *r)
{
  double pipes = host_number(r, "processors"), clock = host_number(r, "clock_mhz");
  double fused = fmax(hb_reproduce_number(r, "gflops", "kind=ceiling program=compute"),
                      hb_reproduce_number(r, "gflops", "kind=ceiling program=fragment"));
  double sent = hb_reproduce_number(r, "n", "kind=draws") / hb_reproduce_number(r, "send_us", "kind=draws");
  hb_reproduce_note(
      r, "kind=pz07_table1 parameter=product GRAPE-6Af=%.17g 8800GTX=%.17g FX1400=%.17g Xeon=%.17g",
      product_2007("GRAPE-6Af"), product_2007("8800GTX"), product_2007("FX1400"), product_2007("Xeon"));
  hb_reproduce_note(r, "kind=here parameter=n_pipe host=%.17g", pipes);
  hb_reproduce_note(r, "kind=here parameter=f_cycle host=%.17g", clock);
  hb_reproduce_note(r, "kind=here parameter=product device=%.17g host=%.17g", 0.5 * fused,
                    1e-3 * pipes * clock);
  hb_reproduce_note(r, "kind=here parameter=1/t_bus device=%.17g",
                    1e-3 * hb_paper_value("pz07_model", "bytes_send,GPU", "value") * sent);
  hb_reproduce_note(r, "kind=here parameter=memory host=%.17g",
                    host_number(r, "memory_bytes") / 1024 /
                        hb_paper_value("pz07_model", "bytes_stored,GPU", "value"));
  for (int m = 0; m < MACHINES; m++) {
    const char *name = machines[m];
    hb_reproduce_note(
        r, "kind=constants of=%s t_host=%.17g t_pair=%.17g t_send=%.17g t_receive=%.17g", name,
        hb_paper_value("pz07_table3", "t_host", name), hb_paper_value("pz07_table3", "t_pair", name),
        hb_paper_value("pz07_table3", "t_send", name), hb_paper_value("pz07_table3", "t_receive", name));
  }
}

/* Rates by eq. 4 of [HI07], and the one of [NHP07] that its text quotes. */
static void note_rates(struct hb_reproduction *r)
{
  for (int k = HB_SOURCE_BAG; k <= HB_SOURCE_TILE; k++)
    for (size_t n = r->n_least; n <= r->n_most; n *= 2) {
      const char *name = r->sources[k].name;
      double ms = hb_reproduce_number(r, "ms_median", "kind=force source=%s n=%zu", name, n);
      hb_reproduce_note(r, "kind=flops source=%s n=%zu gflops=%.17g", name, n,
                        38e-6 * (double)n * (double)n / ms);
    }
  hb_reproduce_note(r, "kind=nhp07 n=%.17g pairs_per_s=%.17g",
                    hb_paper_value("nhp07_rates", "pairs_per_s", "n"),
                    hb_paper_value("nhp07_rates", "pairs_per_s", "value"));
}

static void note_all(struct hb_reproduction *r)
{
  static const char *const papers[] = {"table2", "pz07_table1", "hi07_table2", "hi07_table3"};
  for (size_t k = 0; k < COUNT(papers); k++) note_paper(r, papers[k]);
  note_machines(r);
  note_model(r);
  note_equations(r);
  note_speeds(r);
  note_slopes(r);
  note_energies(r);
  note_stats(r);
  note_rates(r);
}

/* ---- claims: the numbers that the sentences of data/report name, and choose by ----------------------------- */

static void set(struct hb_report *report, const char *name, double number)
{
  hb_values_number(report->values, name, number);
}

/* One that was set before. */
static double printed_number(const struct hb_report *report, const char *name)
{
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(report->values, name));
}

/* |dE/E| of the kernel of 2007 over its runs at nu = 0.01, measured twice: by its own potentials and in double. */
static void set_thermometer(const struct hb_reproduction *r, struct hb_report *report)
{
  double own = spread_of(r, "de_rel_gpu", "kind=run source=cg2007").mean;
  struct spread in_double = spread_of(r, "de_rel", "kind=run source=cg2007");
  double rounded_count = spread_of(r, "de_rel", "kind=rounding rounding=down record=size").count;
  double exact = in_double.mean, of_2007 = printed_number(report, "printed_error_8800gtx");
  double grape = printed_number(report, "printed_error_grape");
  set(report, "cg2007_runs", in_double.count);
  set(report, "own_error", own);
  set(report, "exact_error", exact);
  set(report, "rounding_error", fmax(own - exact, 0));
  set(report, "rounding_percent", 100 * (1 - exact / own));
  set(report, "printed_over_own", of_2007 / own);
  set(report, "printed_off_own", fmax(of_2007 / own, own / of_2007));
  set(report, "printed_over_grape", of_2007 / grape);
  set(report, "printed_unexplained", of_2007 / (grape + fmax(own - exact, 0)));
  set(report, "has_findings", in_double.count + rounded_count);
  set(report, "has_comparison", in_double.count * rounded_count);
}

/* What several sections name. */
static void set_shared(const struct hb_reproduction *r, struct hb_report *report)
{
  const cJSON *claim;
  cJSON_ArrayForEach (claim, hb_report_of(report, "printed")) {
    set(report, claim->string,
        hb_paper_value(hb_report_part(claim, HB_REPORT_KEY), hb_report_part(claim, HB_REPORT_LABEL),
                       "value"));
  }
  cJSON_ArrayForEach (claim, hb_report_of(report, "claims")) {
    set(report, claim->string,
        hb_reproduce_number(r, hb_report_part(claim, HB_REPORT_LABEL), "%s",
                            hb_report_part(claim, HB_REPORT_KEY)));
  }
  set_thermometer(r, report);
  set(report, "is_full", r->is_full);
  set(report, "longest", r->longest_s);
}

/* The jobs of a section that would have taken too long. */
static void list_left_out(const struct hb_reproduction *r, unsigned kinds, struct hb_report *report)
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

static void claim_table1(const struct hb_reproduction *r, struct hb_report *report)
{
  set(report, "has_rates",
      hb_reproduce_number(r, "device", "kind=here parameter=product") > 0 &&
          hb_reproduce_number(r, "send_us", "kind=draws") > 0);
}

static void claim_table2(const struct hb_reproduction *r, struct hb_report *report)
{
  set(report, "has_tile", r->sources[HB_SOURCE_TILE].is_there);
  hb_values_list(report->values, "empty_columns", "source");
  for (int k = HB_SOURCE_HOST; k <= HB_SOURCE_TILE; k++) {
    int may_be_empty = k == HB_SOURCE_TILE && !r->sources[k].is_there;
    if (!(hb_reproduce_wall(r, (enum hb_source_name)k, r->n_least) > 0) && !may_be_empty)
      hb_values_word(hb_values_row(report->values, "empty_columns"), "source", r->sources[k].name);
  }
}

static void claim_energy(const struct hb_reproduction *r, struct hb_report *report)
{
  double above = 0;
  const cJSON *word;
  cJSON_ArrayForEach (word, hb_report_words(report, "conserving")) {
    above += hb_reproduce_number(r, "high", "kind=conserved source=%s", hb_report_part(word, HB_REPORT_KEY)) >
             printed_number(report, "printed_error_grape");
  }
  set(report, "sources_above", above);
}

/* ---- where the curves of Fig. 2 part ---- */

static void read_errors(const struct hb_reproduction *r, const char *source, size_t n, double errors[STEPS])
{
  for (int k = 0; k < STEPS; k++)
    errors[k] = hb_reproduce_number(r, "de_rel", "kind=energy source=%s n=%zu nu=%.17g", source, n, nu_of(k));
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

static void set_size(const struct hb_reproduction *r, size_t n, cJSON *row)
{
  double own[STEPS], exact[STEPS], grape6[STEPS];
  read_errors(r, "own", n, own);
  read_errors(r, "cg2007", n, exact);
  read_errors(r, "grape6", n, grape6);
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

static void claim_fig2(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  hb_values_list(report->values, "sizes", "");
  for (int k = 0; k < HB_NU_SIZES; k++) set_size(r, n[k], hb_values_row(report->values, "sizes"));
}

/* ---- block steps with rounded forces ---- */

/* Block steps per time unit if all are the shortest that plan_nu allows: quick, and full. */
static int is_shortest(double steps) { return steps == 16384 || steps == 262144; }

static double nu_steps(const struct hb_reproduction *r, const char *source, size_t n, double nu)
{
  return 4 *
         hb_reproduce_number(r, "block_steps", "kind=nu source=%s n=%zu nu=%.10g done=true", source, n, nu);
}

/* Adds the largest nu at which a source takes a tenth more block steps than the host, and their ratio at its smallest
 * nu. */
static void add_growth(const struct hb_reproduction *r, const char *source, size_t n,
                       struct hb_report *report)
{
  double first = 0, last = NAN, at = NAN, steps = NAN;
  for (int k = 0; k < STEPS; k++) {
    double now = nu_steps(r, source, n, nu_of(k)), ratio = now / nu_steps(r, "host", n, nu_of(k));
    if (!isfinite(ratio)) continue;
    steps = now;
    if (ratio > 1.1 && first == 0) first = nu_of(k);
    last = ratio, at = nu_of(k);
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

static void claim_steps(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  hb_values_list(report->values, "growths", "source n nu_first ratio_last nu_last is_shortest");
  const cJSON *word;
  for (int k = 0; k < HB_NU_SIZES; k++) {
    cJSON_ArrayForEach (word, hb_report_words(report, "rounded_forces")) {
      if (strcmp(hb_report_part(word, HB_REPORT_KEY), "host") != 0)
        add_growth(r, hb_report_part(word, HB_REPORT_KEY), n[k], report);
    }
  }
}

/* The rounding whose number is nearest to the printed one, by ratio. */
static size_t nearest(const struct hb_reproduction *r, const char *field)
{
  double least = INFINITY, here, there = hb_reproduce_number(r, field, "kind=rounded by=[PZ07]");
  size_t best = 0;
  for (size_t k = 0; k < HB_ROUNDINGS; k++) {
    here = hb_reproduce_number(r, field, "kind=rounded by=%s", hb_rounding_names[k]);
    if (fabs(log(here / there)) < least) least = fabs(log(here / there)), best = k;
  }
  return best;
}

static void claim_rounding(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const words[] = {"down", "to the nearest power of two", "up"};
  size_t by_steps = nearest(r, "steps"), by_error = nearest(r, "error");
  set(report, "roundings_agree", by_steps == by_error);
  hb_values_word(report->values, "rounding_by_steps", words[by_steps]);
  hb_values_word(report->values, "rounding_by_error", words[by_error]);
  set(report, "seeds", HB_ROUNDING_SEEDS);
}

/* ---- the fits ---- */

static void claim_fits(const struct hb_reproduction *r, struct hb_report *report)
{
  hb_values_list(report->values, "unfitted", "label mode");
  hb_values_list(report->values, "unseen", "percent label");
  const cJSON *word;
  cJSON_ArrayForEach (word, hb_report_words(report, "fits")) {
    const char *fit = hb_report_part(word, HB_REPORT_KEY), *label = hb_report_part(word, HB_REPORT_LABEL);
    const struct hb_record *record = hb_reproduce_next(r, NULL, hb_phrase("kind=model %s record=fit", fit));
    double unseen = hb_record_number(record, "unseen_deviation");
    if (isfinite(unseen)) {
      cJSON *row = hb_values_row(report->values, "unseen");
      hb_values_number(row, "percent", 100 * unseen);
      hb_values_word(row, "label", label);
    }
    if (record || !hb_reproduce_has(r, fit)) continue;
    cJSON *row = hb_values_row(report->values, "unfitted");
    hb_values_word(row, "label", label);
    hb_values_word(row, "mode", strstr(fit, "mode=") ? strstr(fit, "mode=") + strlen("mode=") : "");
  }
}

/* ---- the other papers ---- */

static void claim_hi07(const struct hb_reproduction *r, struct hb_report *report)
{
  unsigned rows = 0, better = 0;
  for (size_t n = r->n_least; n <= 131072; n *= 2) {
    double direct = hb_reproduce_number(r, "acc_max", "kind=sums source=cg2007 n=%zu", n);
    double bags = hb_reproduce_number(r, "acc_max", "kind=sums source=compensated n=%zu", n);
    if (!isfinite(direct) || !isfinite(bags)) continue;
    rows++;
    better += bags < direct;
  }
  set(report, "sums_compared", rows);
  set(report, "sums_better", better);
  set(report, "has_force_rates", spread_of(r, "ms_median", "kind=force").count);
}

static double thread_rate(const struct hb_reproduction *r, int of_a_body, size_t n)
{
  return hb_reproduce_number(r, "pairs_per_s", "kind=threads threads=%d n=%zu", of_a_body, n);
}

static void claim_nhp07(const struct hb_reproduction *r, struct hb_report *report)
{
  double best = 0, at = NAN;
  const char *by = "";
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, "kind=force"));) {
    double rate = hb_record_number(record, "pairs_per_s");
    if (rate > best) best = rate, at = hb_record_number(record, "n"), by = hb_record_text(record, "source");
  }
  size_t n = r->n_most < 1024 ? r->n_most : 1024;
  double gain = 100 * (thread_rate(r, 2, n) / thread_rate(r, 1, n) - 1);
  set(report, "best_rate", best);
  set(report, "best_n", at);
  hb_values_word(report->values, "best_source", by);
  set(report, "best_over_printed", best / printed_number(report, "printed_rate"));
  set(report, "best_gflops", 20e-9 * best);
  set(report, "threads_n", (double)n);
  set(report, "threads_gain", gain);
  set(report, "has_threads_gain", isfinite(gain));
  set(report, "threads_needed", gain > 0.5 * printed_number(report, "printed_gain"));
}

/* ---- what differs between 2007 and this machine, and why ---- */

/* Microseconds per pass of cg2007 in a run: a block step has n - 1 passes. */
static double pass_us(const struct hb_reproduction *r, size_t n)
{
  double steps = hb_reproduce_number(r, "block_steps", "kind=run source=cg2007 n=%zu", n);
  return 1e6 * hb_reproduce_wall(r, HB_SOURCE_CG2007, n) / (steps * (double)(n - 1));
}

/* The kernel of 2007, then and now. */
static void claim_kernel(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t small = r->n_least, n = 0; /* the largest n with which this machine and the 8800GTX ran the kernel */
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (hb_reproduce_wall(r, HB_SOURCE_CG2007, m) > 0 && wall_2007(r, "8800GTX", m) > 0) n = m;
  double here = hb_reproduce_wall(r, HB_SOURCE_CG2007, n), then = wall_2007(r, "8800GTX", n);
  double walk = hb_reproduce_wall(r, HB_SOURCE_BAG, n);
  struct hb_model_time s = model_of(CARD, (double)n);
  double send_s =
      1e-6 * hb_reproduce_number(r, "send_us", "kind=draws") / hb_reproduce_number(r, "n", "kind=draws");
  set(report, "kernel_n", (double)n);
  set(report, "kernel_here", here);
  set(report, "kernel_2007", then);
  set(report, "kernel_times", fmax(then / here, here / then));
  set(report, "kernel_is_faster", then > here);
  set(report, "kernel_comm_percent", 100 * s.t_comm / s.t_step);
  set(report, "kernel_comm", s.t_comm / (double)n);
  set(report, "kernel_force_percent", 100 * s.t_force / s.t_step);
  set(report, "send_here", send_s);
  set(report, "send_times", hb_paper_value("pz07_table3", "t_send", "8800GTX") / send_s);
  set(report, "pass_us", pass_us(r, n));
  set(report, "pass_n_small", (double)small);
  set(report, "pass_us_small", small < n ? pass_us(r, small) : NAN);
  set(report, "pass_n_over_small", (double)(n / small));
  set(report, "pass_growth", pass_us(r, n) / pass_us(r, small));
  set(report, "kernel_passes", (double)n - 1);
  set(report, "bag_here", walk);
  set(report, "bag_times", here / walk);
}

/* The end of Table 2. */
static void claim_large_n(const struct hb_reproduction *r, struct hb_report *report)
{
  double lowest = INFINITY;
  for (size_t n = 32768; n <= 262144; n *= 2) lowest = fmin(lowest, slope(r, "8800GTX", n));
  set(report, "grows_slower", lowest < model_slope(32768) - 0.1);
}

static double mode_number(const struct hb_reproduction *r, const char *mode, size_t n, const char *key)
{
  return hb_reproduce_number(r, key, "kind=run source=ds mode=%s n=%zu", mode, n);
}

/* Fig. 5. */
static void claim_modes(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n = 0;
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (mode_number(r, "block/gpu/gpu", m, "wall_s") > 0 && mode_number(r, "all/host/host", m, "wall_s") > 0)
      n = m;
  double all = mode_number(r, "all/host/host", n, "wall_s"), as_is = model_of(CARD, (double)n).t_unit;
  double gain = all / mode_number(r, "block/gpu/gpu", n, "wall_s"),
         predicted = as_is / card_time((double)n, 1);
  double e_host = fabs(mode_number(r, "all/host/host", n, "de_rel")),
         e_device = fabs(mode_number(r, "block/gpu/gpu", n, "de_rel"));
  set(report, "modes_n", (double)n);
  set(report, "block_predicted", as_is / card_time((double)n, 0));
  set(report, "device_predicted", predicted);
  set(report, "block_gain", all / mode_number(r, "block/gpu/host", n, "wall_s"));
  set(report, "device_gain", gain);
  set(report, "device_is_less", gain < 0.5 * predicted);
  set(report, "device_error", e_device);
  set(report, "host_error", e_host);
  set(report, "device_keeps_energy", e_device < 2 * e_host);
}

static void claim_differs(const struct hb_reproduction *r, struct hb_report *report)
{
  claim_kernel(r, report);
  claim_large_n(r, report);
  claim_modes(r, report);
}

/* ---- the sections ---------------------------------------------------------------------------------------- */

const struct hb_section hb_sections[] = {
    {"table1", "Table 1: the machines", HB_JOB_DEVICE, claim_table1},
    {"table2", "Table 2: seconds of the runs", HB_JOB_RUN, claim_table2},
    {"fig1", "Fig. 1: time against N", HB_JOB_RUN, NULL},
    {"fig2", "Fig. 2: energy error against the accuracy parameter", HB_JOB_NU, claim_fig2},
    {"energy", "Section 6: energy errors, measured twice", HB_JOB_RUN, claim_energy},
    {"steps", "Section 5: block steps with rounded forces", HB_JOB_NU | HB_JOB_RUN, claim_steps},
    {"rounding", "Eqs 14 and 17: three roundings of the time step", HB_JOB_ROUNDING, claim_rounding},
    {"table3", "Table 3: the constants of the model", HB_JOB_MODEL, claim_fits},
    {"fig3", "Fig. 3: model against measurement", HB_JOB_MODEL, claim_fits},
    {"fig4", "Fig. 4: speed-up over the host", HB_JOB_RUN, NULL},
    {"fig5", "Fig. 5: what the paper predicted", HB_JOB_RUN, NULL},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags", HB_JOB_SUMS | HB_JOB_FORCE, claim_hi07},
    {"nhp07", "[NHP07] Figs 31-6 and 31-8: rates", HB_JOB_FORCE | HB_JOB_THREADS, claim_nhp07},
    {"differs", "What differs", HB_JOB_RUN | HB_JOB_NU | HB_JOB_ROUNDING, claim_differs},
    {NULL, NULL, 0, NULL},
};

static void put_section(const struct hb_reproduction *r, const struct hb_section *section,
                        struct hb_report *report)
{
  hb_values_word(report->values, "section", section->name);
  hb_values_word(report->values, "title", section->title);
  if (section->claim) section->claim(r, report);
  list_left_out(r, section->kinds, report);
  hb_report_draw(report, r, section->name);
  hb_report_put(report, "section.html");
  hb_report_put(report, hb_phrase("%s.html", section->name));
}

/* ---- before and after the sections ------------------------------------------------------------------- */

static void fill_machine(const struct hb_reproduction *r, cJSON *values)
{
  const struct hb_record *probe = hb_reproduce_next(r, NULL, "kind=probe source=cg2007");
  hb_values_word(values, "device", hb_record_text(probe, "device"));
  hb_values_word(values, "context", hb_record_text(probe, "context"));
  hb_values_list(values, "machine", "name value");
  for (const struct hb_record *line = NULL; (line = hb_reproduce_next(r, line, "kind=machine"));) {
    cJSON *row = hb_values_row(values, "machine");
    hb_values_word(row, "name", hb_record_text(line, "name"));
    hb_values_word(row, "value", hb_record_text(line, "value"));
  }
  hb_values_list(values, "not_here", "source why");
  for (int k = 0; k < HB_SOURCES; k++) {
    if (r->sources[k].is_there) continue;
    cJSON *row = hb_values_row(values, "not_here");
    hb_values_word(row, "source", r->sources[k].name);
    hb_values_word(row, "why", r->sources[k].why_not);
  }
}

static void fill_jobs(const struct hb_reproduction *r, cJSON *values)
{
  double spent = 0;
  hb_values_list(values, "jobs", "command name seconds failure");
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    if (job->is_left_out) continue;
    cJSON *row = hb_values_row(values, "jobs");
    hb_values_word(row, "command", job->command);
    hb_values_word(row, "name", job->name);
    hb_values_word(row, "seconds", hb_phrase("%.1f", job->wall_s));
    hb_values_word(row, "failure", job->is_done ? "" : job->failure);
    spent += job->wall_s;
  }
  hb_values_word(values, "spent", hb_phrase("%.0f", spent));
}

static void fill_head(const struct hb_reproduction *r, unsigned chosen, struct hb_report *report)
{
  char date[64];
  time_t now = time(NULL);
  size_t n = 0; /* the largest run with both the host and the kernel of 2007 */
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  hb_values_word(report->values, "date", date);
  hb_values_word(report->values, "version", hb_library_version());
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (hb_reproduce_wall(r, HB_SOURCE_CG2007, m) > 0 && hb_reproduce_wall(r, HB_SOURCE_HOST, m) > 0) n = m;
  set(report, "found_n", (double)n);
  set(report, "found_cg2007", hb_reproduce_wall(r, HB_SOURCE_CG2007, n));
  set(report, "found_host", hb_reproduce_wall(r, HB_SOURCE_HOST, n));
  hb_values_list(report->values, "sections", "section title");
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(chosen >> k & 1)) continue;
    cJSON *row = hb_values_row(report->values, "sections");
    hb_values_word(row, "section", hb_sections[k].name);
    hb_values_word(row, "title", hb_sections[k].title);
  }
}

/* ---- the page ---------------------------------------------------------------------------------------- */

void hb_reproduce_fill(struct hb_reproduction *r, unsigned chosen, struct hb_report *report)
{
  note_all(r);
  hb_draft_note(&report->html, r->planned);
  set_shared(r, report);
  fill_machine(r, report->values);
  fill_jobs(r, report->values);
  fill_head(r, chosen, report);
  hb_report_put(report, "head.html");
  for (size_t k = 0; hb_sections[k].name; k++)
    if (chosen >> k & 1) put_section(r, &hb_sections[k], report);
  hb_report_put(report, "foot.html");
}

static enum hb_status write_report(struct hb_reproduction *r, unsigned chosen)
{
  struct hb_report report;
  unsigned lacks;
  HB_TRY(hb_report_begin(&report));
  hb_reproduce_fill(r, chosen, &report);
  HB_TRY(hb_report_save(&report, "report.html", &lacks));
  printf("wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data\n", r->out,
         report.tables, report.figures, r->out);
  if (lacks)
    return hb_fail(HB_ERR_INTERNAL, "%s/report.html is incomplete: see its %u sentence%s in red", r->out,
                   lacks, lacks == 1 ? "" : "s");
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* From here on paths are relative to the folder; those of shaders and templates must not be. */
static void keep_folder(const char *variable)
{
  const char *folder = getenv(variable);
  char *absolute = folder ? realpath(folder, NULL) : NULL;
  if (absolute) setenv(variable, absolute, 1);
  free(absolute);
}

static enum hb_status enter(const char *out)
{
  static const char *const folders[] = {"jobs", "data", "figures"};
  keep_folder("HB_SHADER_DIR");
  keep_folder("HB_REPORT_DIR");
  if (mkdir(out, 0777) != 0 && errno != EEXIST)
    return hb_fail(HB_ERR_IO, "cannot make folder %s: %s", out, strerror(errno));
  if (chdir(out) != 0) return hb_fail(HB_ERR_IO, "cannot enter folder %s: %s", out, strerror(errno));
  for (size_t k = 0; k < 3; k++)
    if (mkdir(folders[k], 0777) != 0 && errno != EEXIST)
      return hb_fail(HB_ERR_IO, "cannot make folder %s/%s: %s", out, folders[k], strerror(errno));
  return HB_OK;
}

enum hb_status hb_reproduce(struct hb_reproduction *r, unsigned chosen, int jobs_only)
{
  if (r->longest_s == 0) r->longest_s = r->is_full ? 3600 : 4;
  r->n_least = 256;
  while (r->n_least * 4 > r->n_most) r->n_least /= 2;
  for (size_t k = 0; hb_sections[k].name; k++)
    if (chosen >> k & 1) r->kinds |= hb_sections[k].kinds;
  HB_TRY(enter(r->out));
  if (!jobs_only) HB_TRY(hb_plot_check("report.svg"));
  hb_signals_watch();
  enum hb_status status = hb_reproduce_run(r);
  if (status == HB_OK && !jobs_only) status = write_report(r, chosen);
  hb_reproduce_clear(r);
  return status;
}
