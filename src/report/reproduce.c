/* The sections of the report. What the papers and their model say becomes records like the output of jobs; data/report/report.json
 * says which records figures, tables and claims are looked up in, the templates beside it have the sentences. */
#include "report/reproduce.h"

#include "base/draft.h"
#include "base/json_read.h"
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

static double wall_2007(const struct hb_reproduction *r, const char *machine, size_t n)
{
  return hb_reproduce_number(r, machine, "kind=table2 n=%zu", n);
}

static double run_number(const struct hb_reproduction *r, enum hb_source_name source, size_t n,
                         const char *key)
{
  return hb_reproduce_number(r, key, "kind=run source=%s mode=all/host/host n=%zu", r->sources[source].name,
                             n);
}

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

/* Where the text has numbers that no run reached; and the block steps that the printed seconds imply, over eq. 17. */
static void note_beyond(struct hb_reproduction *r)
{
  static const double far[] = {262144, 1e6, 9e6};
  for (size_t k = 0; k < COUNT(far); k++)
    hb_reproduce_note(r, "kind=far n=%.0f 8800GTX=%.17g Xeon=%.17g GRAPE-6Af=%.17g", far[k],
                      model_of(1, far[k]).t_unit, model_of(3, far[k]).t_unit, model_of(0, far[k]).t_unit);
  for (size_t n = 256; n <= 65536; n *= 2) {
    double over[MACHINES];
    for (int m = 0; m < MACHINES; m++)
      over[m] = 4 * wall_2007(r, machines[m], n) / model_of(m, (double)n).t_unit;
    hb_reproduce_note(r, "kind=implied n=%zu GRAPE-6Af=%.17g 8800GTX=%.17g FX1400=%.17g Xeon=%.17g", n,
                      over[0], over[1], over[2], over[3]);
  }
  for (size_t n = r->n_least; n <= r->n_most; n *= 2)
    for (int k = 0; k < HB_SOURCES; k++)
      hb_reproduce_note(r, "kind=implied n=%zu of=%s here=%.17g", n, r->sources[k].name,
                        4 * run_number(r, (enum hb_source_name)k, n, "block_steps") /
                            model_of(0, (double)n).n_steps);
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

/* Table 2 here. A shorter interval counts as the whole of it by its seconds a block step and the steps of the source with the
 * same arithmetic that ran the whole. */
static double column_wall(const struct hb_reproduction *r, enum hb_source_name source, size_t n,
                          double *steps, double *t_end)
{
  enum hb_source_name like = source == HB_SOURCE_HOST ? HB_SOURCE_DOUBLE : HB_SOURCE_TILE;
  const char *part = hb_phrase("kind=short source=%s n=%zu", r->sources[source].name, n);
  *steps = run_number(r, source, n, "block_steps"), *t_end = NAN;
  if (isfinite(*steps)) return run_number(r, source, n, "wall_s");
  *steps = run_number(r, like, n, "block_steps");
  *t_end = hb_reproduce_number(r, "t_end", "%s", part);
  return *steps * hb_reproduce_number(r, "wall_s", "%s", part) /
         hb_reproduce_number(r, "block_steps", "%s", part);
}

/* With the number of block steps beside it, and that of eq. 17 beside the printed seconds. */
static void note_columns(struct hb_reproduction *r)
{
  for (size_t n = r->n_least; n <= r->n_most; n *= 2)
    for (int k = HB_SOURCE_HOST; k <= HB_SOURCE_TILE; k++) {
      double steps, t_end, wall = column_wall(r, (enum hb_source_name)k, n, &steps, &t_end);
      if (isfinite(wall))
        hb_reproduce_note(r, "kind=column source=%s n=%zu wall_s=%.17g steps=%.17g step_ms=%.17g t_end=%.17g",
                          r->sources[k].name, n, wall, steps, 1e3 * wall / steps, t_end);
    }
  for (size_t n = 256; n <= 524288; n *= 2) {
    double steps = 0.25 * model_of(CARD, (double)n).n_steps,
           here = hb_reproduce_number(r, "step_ms", "kind=column source=cg2007 n=%zu", n);
    double then = 1e3 * wall_2007(r, "8800GTX", n) / steps;
    hb_reproduce_note(r, "kind=step n=%zu steps=%.17g ms=%.17g times=%.17g n_block=%.17g", n, steps, then,
                      then / here, model_of(CARD, (double)n).n_block);
  }
}

static double column(const struct hb_reproduction *r, const char *name, size_t n)
{
  return hb_reproduce_number(r, "wall_s", "kind=column source=%s n=%zu", name, n);
}

/* The N, between two of the table, from which on a source is faster than the host: by straight lines in logarithms. */
static void note_crossing(struct hb_reproduction *r, const char *name,
                          double (*wall)(const struct hb_reproduction *, const char *, size_t),
                          const char *host)
{
  double before = NAN, at = NAN;
  for (size_t n = r->n_least; n <= r->n_most; n *= 2) {
    double now = log(wall(r, name, n) / wall(r, host, n));
    if (before > 0 && now <= 0) at = (double)n / 2 * exp2(before / (before - now));
    before = now;
  }
  hb_reproduce_note(r, "kind=crossing of=%s n=%.17g", name, at);
}

/* Fig. 4. */
static void note_speeds(struct hb_reproduction *r)
{
  for (int k = HB_SOURCE_SIMD; k <= HB_SOURCE_TILE; k++) {
    for (size_t n = r->n_least; n <= r->n_most; n *= 2)
      hb_reproduce_note(r, "kind=speed of=%s n=%zu speed_up=%.17g", r->sources[k].name, n,
                        column(r, "host", n) / column(r, r->sources[k].name, n));
    note_crossing(r, r->sources[k].name, column, "host");
  }
  for (int m = 0; m < MACHINES; m++) {
    for (size_t n = 256; n <= 65536; n *= 2)
      hb_reproduce_note(r, "kind=speed of=%s n=%zu speed_up=%.17g", machines[m], n,
                        wall_2007(r, "Xeon", n) / wall_2007(r, machines[m], n));
    note_crossing(r, machines[m], wall_2007, "Xeon");
  }
}

/* ---- energies against nu ---- */

enum { STEPS = HB_NU_HALVINGS + 1 };

static double nu_of(int k) { return ldexp(0.1, -k); }

/* The relative change of "e_total" or "e_gpu" from nu = 0.1 down: the geometric mean of the seeds, and the band from the least to
 * the most, as a line around it, for SOURCE or SOURCE-own. what: "", or "-short". NaN: not run. */
static void note_errors(struct hb_reproduction *r, const char *source, const char *energy, size_t n,
                        const char *what)
{
  const char *own = strcmp(energy, "e_gpu") == 0 ? "-own" : "";
  double low[STEPS], high[STEPS];
  for (int k = 0; k < STEPS; k++) {
    double sum = 0, count = 0;
    low[k] = INFINITY, high[k] = 0;
    for (int seed = 1; seed <= hb_reproduce_nu_seeds(r); seed++) {
      const char *job = hb_phrase("kind=nu%s source=%s n=%zu nu=%g seed=%d", what, source, n, nu_of(k), seed);
      double first = hb_reproduce_number(r, energy, "%s t=0", job);
      double error = fabs(hb_reproduce_number(r, energy, "%s done=true", job) / first - 1);
      if (!(error > 0)) continue;
      sum += log(error), count++;
      low[k] = fmin(low[k], error), high[k] = fmax(high[k], error);
    }
    if (count > 1 && count < hb_reproduce_nu_seeds(r))
      low[k] = high[k] = sum = NAN; /* no point of fewer seeds */
    hb_reproduce_note(r, "kind=energy%s source=%s%s n=%zu nu=%g de_rel=%.17g low=%.17g high=%.17g seeds=%.0f",
                      what, source, own, n, nu_of(k), exp(sum / count), low[k], high[k], count);
  }
  for (int k = 0; k < 2 * STEPS; k++) {
    int j = k < STEPS ? k : 2 * STEPS - 1 - k;
    if (low[j] < high[j])
      hb_reproduce_note(r, "kind=band%s source=%s%s n=%zu nu=%g de_rel=%.17g", what, source, own, n, nu_of(j),
                        k < STEPS ? low[j] : high[j]);
  }
}

static void note_energies(struct hb_reproduction *r)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < 2 * HB_NU_SIZES; k++)
    for (int s = 0; s < HB_SOURCES; s++) {
      const char *name = r->sources[s].name, *what = k < HB_NU_SIZES ? "" : "-short";
      note_errors(r, name, "e_total", n[k % HB_NU_SIZES], what);
      if (s == HB_SOURCE_CG2007 || s == HB_SOURCE_TILE || s == HB_SOURCE_GRAPE6)
        note_errors(r, name, "e_gpu", n[k % HB_NU_SIZES], what);
    }
}

/* ---- means over records ---- */

struct spread {
  double mean, low, high, n_high, count;
};

/* Of |field| over the records that match; n_high: the N of the highest. */
static struct spread spread_of(const struct hb_reproduction *r, const char *key, const char *filter)
{
  struct spread spread = {.low = INFINITY};
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));) {
    double value = fabs(hb_record_number(record, key));
    if (!isfinite(value)) continue;
    spread.mean += value, spread.count++;
    spread.low = fmin(spread.low, value);
    if (value > spread.high) spread.high = value, spread.n_high = hb_record_number(record, "n");
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
  for (const struct hb_record *line = NULL; (line = hb_reproduce_next(r, line, "kind=transfer"));) {
    double n = hb_record_number(line, "n"), bytes = hb_paper_value("pz07_model", "bytes_send,GPU", "value");
    const char *order = hb_phrase("%s", hb_record_text(line, "order"));
    double us = hb_record_number(line, "send_us");
    size_t place = (size_t)(line - r->records);
    hb_reproduce_note(r, "kind=sent order=%s n=%.0f gb_per_s=%.17g", order, n, 1e-3 * bytes * n / us);
    line = &r->records[place]; /* they may have moved */
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
  note_beyond(r);
  note_equations(r);
  note_columns(r);
  note_speeds(r);
  note_energies(r);
  note_stats(r);
  note_rates(r);
}

/* ---- claims: the numbers that the sentences of data/report name, and choose by ----------------------------- */

static void set(struct hb_report *report, const char *name, double number)
{
  hb_values_number(report->values, name, number);
}

/* A number, or one that was set before. */
static double operand(const struct hb_report *report, const char *word)
{
  char *end;
  double number = strtod(word, &end);
  return end != word && !*end ? number
                              : cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(report->values, word));
}

/* "n={kernel_n}" with that number. */
static const char *with_operand(const struct hb_report *report, const char *filter)
{
  char name[64] = "";
  const char *open = strchr(filter, '{');
  if (!open || sscanf(open, "{%63[^}]}", name) != 1) return filter;
  return hb_phrase("%.*s%.10g%s", (int)(open - filter), filter, operand(report, name), strchr(open, '}') + 1);
}

/* [filter, field]: of a record; [how, filter, field]: least, mean, most, count of the records, or the n of the most;
 * [a, "/", b] with + - * / or l, the logarithm of a to the base b; [table, row, column] of data. */
static double evaluate(const struct hb_reproduction *r, const struct hb_report *report, const cJSON *number)
{
  static const char *const hows[] = {"least", "mean", "most", "count", "n of most"};
  const char *a = hb_report_part(number, HB_REPORT_KEY), *b = hb_report_part(number, HB_REPORT_LABEL),
             *c = hb_report_part(number, HB_REPORT_STYLE);
  if (!*c) return hb_reproduce_number(r, b, "%s", with_operand(report, a));
  double x = operand(report, a), y = operand(report, c);
  switch (b[1] == 0 ? *b : 0) {
  case '+':
    return x + y;
  case '-':
    return x - y;
  case '*':
    return x * y;
  case '/':
    return x / y;
  case 'l':
    return log(x) / log(y);
  }
  for (size_t k = 0; k < COUNT(hows); k++) {
    if (strcmp(a, hows[k]) != 0) continue;
    struct spread spread = spread_of(r, c, with_operand(report, b));
    double all[] = {spread.low, spread.mean, spread.high, spread.count, spread.n_high};
    return spread.count > 0 || k == 3 ? all[k] : NAN;
  }
  return hb_paper_value(a, b, c);
}

static void set_numbers(const struct hb_reproduction *r, struct hb_report *report)
{
  const cJSON *number;
  set(report, "is_full", r->is_full);
  set(report, "longest", r->longest_s);
  set(report, "seeds", HB_ROUNDING_SEEDS);
  set(report, "nu_seeds", hb_reproduce_nu_seeds(r));
  cJSON_ArrayForEach (number, hb_report_of(report, "numbers")) {
    set(report, number->string, evaluate(r, report, number));
  }
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

static void claim_table2(const struct hb_reproduction *r, struct hb_report *report)
{
  set(report, "has_tile", r->sources[HB_SOURCE_TILE].is_there);
  hb_values_list(report->values, "shortened", "source n t_begin t_end");
  for (int k = HB_SOURCE_HOST; k <= HB_SOURCE_TILE; k++) {
    const struct hb_record *line = NULL;
    while ((line = hb_reproduce_next(r, line, hb_phrase("kind=column source=%s", r->sources[k].name)))) {
      double t_end = hb_record_number(line, "t_end");
      if (!(t_end > 0)) continue;
      cJSON *row = hb_values_row(report->values, "shortened");
      hb_values_word(row, "source", r->sources[k].name);
      hb_values_word(row, "n", hb_record_text(line, "n"));
      hb_values_number(row, "t_begin", t_end / 2);
      hb_values_number(row, "t_end", t_end);
    }
  }
}

static void claim_fig2(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  hb_values_list(report->values, "sizes", "");
  for (int k = 0; k < HB_NU_SIZES; k++)
    hb_values_number(hb_values_row(report->values, "sizes"), "n", (double)n[k]);
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

/* ---- the table of claims: data/paper/claims.json ---- */

static const char *member_text(const cJSON *object, const char *name)
{
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

/* What the jobs of a section took here, or would take. NaN: no section. */
static double seconds_of(const struct hb_reproduction *r, const char *section)
{
  double sum = NAN;
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (strcmp(hb_sections[k].name, section) != 0) continue;
    sum = 0;
    for (size_t j = 0; j < r->job_count; j++)
      if ((r->jobs[j].kind & hb_sections[k].kinds) && !r->jobs[j].is_left_out)
        sum += r->jobs[j].is_done ? r->jobs[j].wall_s : r->jobs[j].estimate_s;
  }
  return sum;
}

/* One that ends with a blank is followed by a number. */
static int is_verdict(const cJSON *claim, const char *verdict)
{
  const char *is = member_text(claim, "verdict");
  size_t length = strlen(verdict);
  return verdict[length - 1] == ' ' ? strncmp(is, verdict, length) == 0 : strcmp(is, verdict) == 0;
}

/* What a row finds is a template, so that no number is typed again. seconds: of the jobs of its section, here. */
static void fill_claims(const struct hb_reproduction *r, struct hb_report *report)
{
  static const char *const parts[] = {"at", "claim", "command", "section", "verdict", "why"},
                           *const verdicts[] = {"confirmed", "confirmed within ", "not confirmed",
                                                "cannot be known"},
                           *const names[] = {"claims_confirmed", "claims_within", "claims_not",
                                             "claims_unknown"};
  double counts[COUNT(verdicts)] = {0};
  const struct hb_template_file *file = hb_template_files;
  cJSON *claims = NULL;
  const cJSON *claim;
  while (file->name && strcmp(file->name, "data/paper/claims.json") != 0) file++;
  hb_draft_note(&report->html, hb_json_read(file->text, &claims));
  hb_values_list(report->values, "claims", "at claim command section verdict why found seconds");
  cJSON_ArrayForEach (claim, claims) {
    struct hb_draft found = {0};
    cJSON *row = hb_values_row(report->values, "claims");
    for (size_t k = 0; k < COUNT(parts); k++) hb_values_markup(row, parts[k], member_text(claim, parts[k]));
    hb_template_put_text("claims.json", member_text(claim, "find"), report->values, &found);
    hb_draft_note(&report->html, found.status);
    hb_values_markup(row, "found", found.text.text ? found.text.text : "");
    for (size_t k = 0; k < COUNT(verdicts); k++) counts[k] += is_verdict(claim, verdicts[k]);
    hb_values_number(row, "seconds", seconds_of(r, member_text(claim, "section")));
    hb_draft_clear(&found);
  }
  for (size_t k = 0; k < COUNT(names); k++) set(report, names[k], counts[k]);
  cJSON_Delete(claims);
}

/* ---- the sections ---------------------------------------------------------------------------------------- */

const struct hb_section hb_sections[] = {
    {"table2", "Table 2: seconds of the runs", HB_JOB_RUN, claim_table2},
    {"fig1", "Fig. 1: time against N", HB_JOB_RUN, NULL},
    {"fig4", "Fig. 4: speed-up over the host", HB_JOB_RUN, NULL},
    {"table1", "Table 1: the machines", HB_JOB_DEVICE, NULL},
    {"table3", "Table 3: the constants of the model", HB_JOB_MODEL, claim_fits},
    {"fig3", "Fig. 3: model against measurement", HB_JOB_MODEL, claim_fits},
    {"fig5", "Fig. 5: what the paper predicted", HB_JOB_RUN, NULL},
    {"fig2", "Fig. 2: energy error against the accuracy parameter", HB_JOB_NU, claim_fig2},
    {"energy", "Section 6: energy errors, measured twice", HB_JOB_RUN, NULL},
    {"steps", "Section 5: block steps with rounded forces", HB_JOB_NU | HB_JOB_RUN, NULL},
    {"rounding", "Eqs 14 and 17: three roundings of the time step", HB_JOB_ROUNDING, NULL},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags", HB_JOB_SUMS | HB_JOB_FORCE, NULL},
    {"nhp07", "[NHP07] Figs 31-5 to 31-8: rates", HB_JOB_FORCE | HB_JOB_THREADS, NULL},
    {"differs", "What differs", HB_JOB_RUN | HB_JOB_NU | HB_JOB_ROUNDING, NULL},
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

static void fill_head(unsigned chosen, struct hb_report *report)
{
  char date[64];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  hb_values_word(report->values, "date", date);
  hb_values_word(report->values, "version", hb_library_version());
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
  set_numbers(r, report);
  fill_machine(r, report->values);
  fill_jobs(r, report->values);
  fill_claims(r, report);
  fill_head(chosen, report);
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
  enum hb_status status = hb_report_save(&report, "report.html", &lacks);
  if (status == HB_OK) hb_report_put(&report, "repeat.html");
  if (status == HB_OK) status = hb_report_save(&report, "repeat.html", NULL);
  hb_report_clear(&report);
  HB_TRY(status);
  printf("wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data; the commands are in "
         "%s/repeat.html\n",
         r->out, report.tables, report.figures, r->out, r->out);
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
