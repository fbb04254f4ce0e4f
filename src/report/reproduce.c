/* The sections of the report: what the papers and their model say becomes records like the output of jobs; tables, figures
 * and claims are looked up in all of them; the sentences are those of data/report. */
#include "report/reproduce.h"

#include "base/draft.h"
#include "console/signals.h"
#include "perf/paper.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what tables and figures have a row or curve for --------------------------------------------------- */

/* key is part of a filter. */
struct word {
  const char *key, *label, *style;
};
struct words {
  const struct word *at;
  size_t count;
};
#define WORD(name)                                                                                           \
  {                                                                                                          \
    name, name, name                                                                                         \
  }
#define WORDS(...)                                                                                           \
  {                                                                                                          \
    (const struct word[]){__VA_ARGS__}, COUNT(((const struct word[]){__VA_ARGS__}))                          \
  }

/* The columns of this machine in Table 2, in the order of 2007: the host first. */
static const struct words ran =
    WORDS(WORD("host"), WORD("host-simd"), WORD("cg2007"), WORD("bag"), WORD("tile"));
static const struct words devices = WORDS(WORD("host-simd"), WORD("cg2007"), WORD("bag"), WORD("tile"));
static const struct words walks = WORDS(WORD("bag"), WORD("tile"));
static const struct words conserving =
    WORDS(WORD("host"), WORD("grape6"), WORD("double"), WORD("ds"), WORD("compensated"), WORD("cg2007"));
static const struct words rounded_forces =
    WORDS(WORD("host"), WORD("grape6"), WORD("ds"), WORD("compensated"), WORD("cg2007"));
static const struct words machines = WORDS(WORD("GRAPE-6Af"), WORD("8800GTX"), WORD("FX1400"), WORD("Xeon"));
static const struct words attached = WORDS(WORD("GRAPE-6Af"), WORD("8800GTX"), WORD("FX1400"));
static const struct words roundings =
    WORDS({"down", "rounded down", "first"}, {"nearest", "rounded to the nearest", "second"},
          {"up", "rounded up", "third"});
static const struct words threads =
    WORDS({"1", "1 thread a body", "first"}, {"2", "2 threads a body", "second"},
          {"4", "4 threads a body", "third"}, {"8", "8 threads a body", "fourth"});
static const struct words modes =
    WORDS({"all/host/host", "here: all sent", "first"}, {"block/gpu/host", "here: blocks sent", "second"},
          {"block/gpu/gpu", "here: stepped on the device", "third"});
/* The fits of this machine: a source, and a mode of working. */
static const struct words fits =
    WORDS({"source=host mode=all/host/host", "host", "host"},
          {"source=cg2007 mode=all/host/host", "cg2007", "cg2007"},
          {"source=bag mode=all/host/host", "bag", "bag"}, {"source=tile mode=all/host/host", "tile", "tile"},
          {"source=ds mode=block/gpu/host", "ds, blocks sent", "ds"},
          {"source=ds mode=block/gpu/gpu", "ds, stepped on device", "grape6"});
static const struct words one = WORDS({"", "", ""});

/* Whether this machine can compute what a word stands for; words that are no source are always there. */
static int is_there(const struct hb_reproduction *r, const char *key)
{
  if (strncmp(key, "source=", 7) == 0) key += 7;
  for (int k = 0; k < HB_SOURCES; k++)
    if (strncmp(r->sources[k].name, key, strcspn(key, " ")) == 0 &&
        r->sources[k].name[strcspn(key, " ")] == 0)
      return r->sources[k].is_there;
  return 1;
}

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
        "cycle=%.17g",
        n, unit[0], unit[1], unit[2], unit[3], card_time(n, 0), on_card,
        on_card - card.n_steps * card.t_force * (1 - 1 / eta));
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
    for (size_t m = 0; m < attached.count; m++)
      hb_reproduce_note(r, "kind=speed of=%s n=%zu speed_up=%.17g", attached.at[m].key, n,
                        wall_2007(r, "Xeon", n) / wall_2007(r, attached.at[m].key, n));
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
    for (size_t s = 0; s < conserving.count; s++)
      note_errors(r, conserving.at[s].key, "e_total", conserving.at[s].key, n[k]);
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
  for (size_t k = 0; k < roundings.count; k++) {
    const char *which = hb_phrase("kind=rounding rounding=%s", roundings.at[k].key),
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
        roundings.at[k].key, numbers[0], numbers[1], numbers[2], numbers[3],
        spread_of(r, "n_steps_over_eq17", sizes).mean, blocks.low, blocks.high, error.mean, error.low,
        error.high);
  }
  hb_reproduce_note(
      r, "kind=rounded by=[PZ07] steps_p=%.17g steps=1 blocks_p=%.17g blocks_low=1 blocks_high=1 error=%.17g",
      hb_paper_value("pz07_model", "n_steps exponent,all", "value"),
      hb_paper_value("pz07_model", "n_block exponent,all", "value"),
      hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"));
  for (size_t k = 0; k < conserving.count; k++) {
    const char *name = conserving.at[k].key;
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
  for (size_t m = 0; m < machines.count; m++) {
    const char *name = machines.at[m].key;
    hb_reproduce_note(
        r, "kind=constants of=%s t_host=%.17g t_pair=%.17g t_send=%.17g t_receive=%.17g", name,
        hb_paper_value("pz07_table3", "t_host", name), hb_paper_value("pz07_table3", "t_pair", name),
        hb_paper_value("pz07_table3", "t_send", name), hb_paper_value("pz07_table3", "t_receive", name));
  }
}

/* Rates by eq. 4 of [HI07], and the one of [NHP07] that its text quotes. */
static void note_rates(struct hb_reproduction *r)
{
  for (size_t k = 0; k < walks.count; k++)
    for (size_t n = r->n_least; n <= r->n_most; n *= 2) {
      const char *name = walks.at[k].key;
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

/* ---- figures --------------------------------------------------------------------------------------------- */

static const char seconds_label[] = "seconds for one N-body time unit",
                  nu_label[] = "|ΔE / E| over 0.25 time units",
                  steps_label[] = "block steps of one time unit";

/* by_size: curves are of two N, and say so, those of one are thin; or a figure of each N is in its row of "sizes". */
static const struct figure {
  const char *section, *name, *x, *y, *label;
  enum { ONCE, LARGE_THIN, SMALL_THIN, EACH_SIZE } by_size;
} figures[] = {
    {"fig1", "fig1", "n", "seconds", seconds_label, ONCE},
    {"fig2", "fig2", "nu", "de_rel", nu_label, LARGE_THIN},
    {"fig2", "fig2-sources", "nu", "de_rel", nu_label, EACH_SIZE},
    {"energy", "energy", "n", "de_rel", "|ΔE / E| from t = 0.25 to 0.5", ONCE},
    {"steps", "steps-nu", "nu", "block_steps", steps_label, SMALL_THIN},
    {"steps", "steps-n", "n", "block_steps", steps_label, ONCE},
    {"rounding", "rounding-steps", "n", "n_steps", steps_label, ONCE},
    {"rounding", "rounding-blocks", "n", "n_block", "particles in a block", ONCE},
    {"fig3", "fig3-2007", "n", "seconds", seconds_label, ONCE},
    {"fig3", "fig3-here", "n", "seconds", seconds_label, ONCE},
    {"fig4", "fig4", "n", "speed_up", "times as fast as the host", ONCE},
    {"fig5", "fig5", "n", "seconds", seconds_label, ONCE},
    {"nhp07", "nhp07-fig6", "n", "pairs_per_s", "pairs a second", ONCE},
    {"nhp07", "nhp07-fig8", "n", "pairs_per_s", "pairs a second", ONCE},
};

/* The points (x of the figure, scale * |y|) of all records that match, for each word: its label, style and key stand for $;
 * # is the word's number as a style. */
static const struct curve {
  const char *figure;
  const struct words *each;
  const char *name, *style, *filter, *y;
  double scale;
} curves[] = {
    {"fig1", &ran, "$", "$", "kind=run source=$ mode=all/host/host", "wall_s", 4},
    {"fig1", &machines, "$, 2007", "$", "kind=table2", "$", 4},
    {"fig2", &one, "cg2007, own", "cg2007", "kind=energy source=own", "de_rel", 1},
    {"fig2", &one, "cg2007, double", "compensated", "kind=energy source=cg2007", "de_rel", 1},
    {"fig2", &one, "grape6, double", "grape6", "kind=energy source=grape6", "de_rel", 1},
    {"fig2-sources", &conserving, "$", "$", "kind=energy source=$", "de_rel", 1},
    {"fig2-sources", &one, "cg2007, own", "cg2007-own", "kind=energy source=own", "de_rel", 1},
    {"energy", &conserving, "$", "$", "kind=run source=$ mode=all/host/host", "de_rel", 1},
    {"energy", &one, "cg2007, own", "cg2007-own", "kind=run source=cg2007", "de_rel_gpu", 1},
    {"steps-nu", &rounded_forces, "$", "$", "kind=nu source=$ done=true", "block_steps", 4},
    {"steps-n", &rounded_forces, "$", "$", "kind=run source=$ mode=all/host/host", "block_steps", 4},
    {"steps-n", &one, "eq. 17", "model", "kind=eqs at=run", "n_steps", 1},
    {"rounding-steps", &roundings, "$", "$", "kind=rounding rounding=$ record=size", "n_steps", 1},
    {"rounding-steps", &one, "eq. 17", "model", "kind=eqs at=rounding", "n_steps", 1},
    {"rounding-blocks", &roundings, "$", "$", "kind=rounding rounding=$ record=size", "n_block", 1},
    {"rounding-blocks", &one, "eq. 14", "model", "kind=eqs at=rounding", "n_block", 1},
    {"fig3-2007", &machines, "$, model", "#/line", "kind=law", "$", 1},
    {"fig3-2007", &machines, "$, Table 2", "#/marks", "kind=table2", "$", 4},
    {"fig3-here", &fits, "$, model", "$/line", "kind=model $ record=size", "predicted_s", 1},
    {"fig3-here", &fits, "$, measured", "$/marks", "kind=model $ record=size", "measured_s", 1},
    {"fig4", &devices, "$ / host", "$", "kind=speed of=$", "speed_up", 1},
    {"fig4", &attached, "$ / Xeon, 2007", "$", "kind=speed of=$", "speed_up", 1},
    {"fig5", &modes, "$", "$", "kind=run source=ds mode=$", "wall_s", 4},
    {"fig5", &one, "Xeon, measured", "Xeon", "kind=table2", "Xeon", 4},
    {"fig5", &one, "8800GTX, measured", "8800GTX", "kind=table2", "8800GTX", 4},
    {"fig5", &one, "8800GTX, blocks sent", "model", "kind=law", "blocks", 1},
    {"fig5", &one, "8800GTX, stepped on card", "model-dashed", "kind=law", "card", 1},
    {"fig5", &one, "the same, one cycle a pair", "model-dotted", "kind=law", "cycle", 1},
    {"nhp07-fig6", &walks, "$", "$", "kind=force source=$", "pairs_per_s", 1},
    {"nhp07-fig6", &one, "8800GTX, [NHP07]", "8800GTX", "kind=nhp07", "pairs_per_s", 1},
    {"nhp07-fig8", &threads, "$", "$", "kind=threads threads=$", "pairs_per_s", 1},
};

/* The pattern with the word in place of $ and the number's style in place of #. */
static const char *fill(const char *pattern, const char *word, size_t k)
{
  static const char *const ordinals[] = {"first", "second", "third", "fourth"};
  const char *at = strpbrk(pattern, "$#");
  if (!at) return pattern;
  return hb_phrase("%.*s%s%s", (int)(at - pattern), pattern,
                   *at == '$' ? word : ordinals[k % COUNT(ordinals)], at + 1);
}

static void put_curve(const struct hb_reproduction *r, struct hb_report_figure *f, const struct curve *c,
                      size_t k, size_t n, const char *variant)
{
  const struct word *word = &c->each->at[k];
  const char *size = n && variant ? hb_phrase(", N = %zu", n) : "", *filter = fill(c->filter, word->key, k);
  const char *name = hb_phrase("%s%s", fill(c->name, word->label, k), size), *y = fill(c->y, word->key, k);
  const char *style = hb_phrase("%s%s", fill(c->style, word->style, k), variant ? variant : "");
  if (n) filter = hb_phrase("%s n=%zu", filter, n);
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));)
    hb_report_point(f, name, style, hb_record_number(record, f->x_column),
                    c->scale * fabs(hb_record_number(record, y)));
  hb_report_expect(f, name);
}

/* Of each word the curves that follow each other in the table. n: of which N; 0: any. variant: of the style where curves of
 * several N are in one figure; else NULL. */
static void put_curves(const struct hb_reproduction *r, struct hb_report_figure *f, const char *figure,
                       size_t n, const char *variant)
{
  const struct curve *end = curves + COUNT(curves), *next;
  for (const struct curve *c = curves; c < end; c = next) {
    for (next = c; next < end && next->each == c->each && strcmp(next->figure, c->figure) == 0;) next++;
    for (size_t k = 0; k < c->each->count && strcmp(c->figure, figure) == 0; k++)
      for (const struct curve *of = c; of < next; of++)
        if (is_there(r, of->each->at[k].key)) put_curve(r, f, of, k, n, variant);
  }
}

static struct hb_plot_band paper_band(const char *machine, const char *label, const char *color)
{
  const char *key = hb_phrase("de_rel,%s", machine);
  double mean = hb_paper_value("pz07_accuracy", key, "value"),
         scatter = hb_paper_value("pz07_accuracy", key, "scatter");
  return (struct hb_plot_band){fmax(mean - scatter, 0.3 * mean), mean + scatter, label, color};
}

static void put_bands(struct hb_plot *plot)
{
  plot->bands[0] = paper_band("8800GTX", "8800GTX, 2007", "#d55e00");
  plot->bands[1] = paper_band("FX1400", "FX1400, 2007", "#999999");
  plot->bands[2] = paper_band("GRAPE-6Af", "GRAPE and host, 2007", "#aa4499");
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

/* With a figure for each size in the last two rows of "sizes". */
static void put_figure(const struct hb_reproduction *r, const struct figure *figure, struct hb_report *report)
{
  size_t n[HB_NU_SIZES];
  int is_each = figure->by_size == EACH_SIZE, thin = figure->by_size == SMALL_THIN ? 0 : 1;
  hb_reproduce_nu_sizes(r, n);
  struct hb_report_figure f = {0};
  char name[64];
  for (int k = 0; k < (figure->by_size == ONCE ? 1 : HB_NU_SIZES); k++) {
    cJSON *row = is_each ? hb_values_row(report->values, "sizes") : NULL;
    if (is_each) set_size(r, n[k], row);
    if (is_each || k == 0) {
      snprintf(name, sizeof name, is_each ? "%s-%zu" : "%s", figure->name, n[k]);
      f = hb_report_figure(report, row, name, figure->x, figure->y, figure->label);
    }
    if (strcmp(figure->name, "energy") == 0) put_bands(&f.plot);
    put_curves(r, &f, figure->name, figure->by_size == ONCE ? 0 : n[k],
               figure->by_size == ONCE || is_each ? NULL
               : k == thin                        ? "/small"
                                                  : "");
    if (is_each) hb_report_figure_end(&f);
  }
  if (!is_each) hb_report_figure_end(&f);
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static const struct words parameters =
    WORDS({"n_pipe", "processor pipelines", ""}, {"f_cycle", "clock, MHz", ""},
          {"product", "pipelines times clock, GHz", ""}, {"1/t_bus", "host to device, GB/s", ""},
          {"memory", "memory, 1024 particles of 84 bytes", ""});
static const struct words rounded = WORDS(WORD("down"), WORD("nearest"), WORD("up"), WORD("[PZ07]"));
static const struct words constants =
    WORDS({"kind=constants of=GRAPE-6Af", "GRAPE-6Af", ""}, {"kind=constants of=8800GTX", "8800GTX", ""},
          {"kind=constants of=FX1400", "FX1400", ""}, {"kind=constants of=Xeon", "Xeon", ""},
          {"kind=model source=host mode=all/host/host record=fit", "host", ""},
          {"kind=model source=cg2007 mode=all/host/host record=fit", "cg2007", ""},
          {"kind=model source=bag mode=all/host/host record=fit", "bag", ""},
          {"kind=model source=tile mode=all/host/host record=fit", "tile", ""},
          {"kind=model source=ds mode=block/gpu/host record=fit", "ds, blocks sent", ""},
          {"kind=model source=ds mode=block/gpu/gpu record=fit", "ds, stepped on device", ""});

/* Rows: words, or the powers of two from N = first to last; from the smallest N of this reproduction, if that goes to less
 * than `here`. */
static const struct table {
  const char *section, *name;
  const struct words *rows;
  size_t first, last, here;
} tables[] = {
    {"table1", "table1", &parameters, 0, 0, 0},        {"table2", "table2", NULL, 0, 524288, SIZE_MAX},
    {"energy", "energies", &conserving, 0, 0, 0},      {"rounding", "rounding", &rounded, 0, 0, 0},
    {"table3", "table3", &constants, 0, 0, 0},         {"hi07", "hi07-table2", NULL, 2048, 131072, 4096},
    {"hi07", "hi07-table3", NULL, 2048, 131072, 2049}, {"differs", "slopes", NULL, 4096, 262144, 0},
};

/* The columns: a word of the row, or scale times a field of the record that matches, where % stands for the row's key and $ for
 * each word in turn. */
enum { LABEL = -1, KEY = -2, WHAT = -3, MEASURE = -4 /* with its error, field_error; 0: none */ };
static const struct column {
  const char *table;
  const struct words *each;
  const char *head;
  int digits;
  const char *filter, *field;
  double scale;
} columns[] = {
    {"table1", &one, "parameter", LABEL, "", "", 1},
    {"table1", &machines, "$", 5, "kind=pz07_table1 parameter=%", "$", 1},
    {"table1", &one, "this machine, OpenGL", 3, "kind=here parameter=%", "device", 1},
    {"table1", &one, "this machine, host", 3, "kind=here parameter=%", "host", 1},
    {"table2", &one, "N", KEY, "", "", 1},
    {"table2", &machines, "$ [s]", 4, "kind=table2 n=%", "$", 1},
    {"table2", &ran, "$ [s]", 3, "kind=run source=$ mode=all/host/host n=%", "wall_s", 1},
    {"energies", &one, "source of forces", LABEL, "", "", 1},
    {"energies", &one, "what", WHAT, "", "", 1},
    {"energies", &one, "mean error", 2, "kind=conserved source=%", "mean", 1},
    {"energies", &one, "largest error", 2, "kind=conserved source=%", "high", 1},
    {"rounding", &one, "rounded", LABEL, "", "", 1},
    {"rounding", &one, "~exponent of n_steps", MEASURE, "kind=rounded by=%", "steps_p", 1},
    {"rounding", &one, "n_steps [over eq. 17]", 3, "kind=rounded by=%", "steps", 1},
    {"rounding", &one, "~exponent of n_block", MEASURE, "kind=rounded by=%", "blocks_p", 1},
    {"rounding", &one, "n_block [over eq. 14, least]", 2, "kind=rounded by=%", "blocks_low", 1},
    {"rounding", &one, "n_block [most]", 3, "kind=rounded by=%", "blocks_high", 1},
    {"rounding", &one, "energy error [mean]", 2, "kind=rounded by=%", "error", 1},
    {"rounding", &one, "energy error [least]", 2, "kind=rounded by=%", "error_low", 1},
    {"rounding", &one, "energy error [most]", 2, "kind=rounded by=%", "error_high", 1},
    {"table3", &one, "machine", LABEL, "", "", 1},
    {"table3", &one, "~t_host [ns]", MEASURE, "%", "t_host", 1e9},
    {"table3", &one, "~t_pair [ns]", MEASURE, "%", "t_pair", 1e9},
    {"table3", &one, "~t_send [ns]", MEASURE, "%", "t_send", 1e9},
    {"table3", &one, "~t_receive [ns]", MEASURE, "%", "t_receive", 1e9},
    {"table3", &one, "~t_source [ns]", MEASURE, "%", "t_source", 1e9},
    {"table3", &one, "~t_start [&micro;s]", MEASURE, "%", "t_start", 1e6},
    {"hi07-table2", &one, "N", KEY, "", "", 1},
    {"hi07-table2", &one, "direct [HI07]", 2, "kind=hi07_table2 n=%", "direct", 1},
    {"hi07-table2", &one, "Chamomile [HI07]", 2, "kind=hi07_table2 n=%", "chamomile", 1},
    {"hi07-table2", &one, "cg2007 [here]", 2, "kind=sums source=cg2007 n=%", "acc_max", 1},
    {"hi07-table2", &one, "compensated [here]", 2, "kind=sums source=compensated n=%", "acc_max", 1},
    {"hi07-table3", &one, "N", KEY, "", "", 1},
    {"hi07-table3", &one, "CUNBODY-1 [s]", 3, "kind=hi07_table3 n=%", "t_s", 1},
    {"hi07-table3", &one, "CUNBODY-1 [GFLOP/s]", 3, "kind=hi07_table3 n=%", "gflops", 1},
    {"hi07-table3", &one, "bag [s]", 3, "kind=force source=bag n=%", "ms_median", 1e-3},
    {"hi07-table3", &one, "bag [GFLOP/s]", 3, "kind=flops source=bag n=%", "gflops", 1},
    {"hi07-table3", &one, "tile [s]", 3, "kind=force source=tile n=%", "ms_median", 1e-3},
    {"hi07-table3", &one, "tile [GFLOP/s]", 3, "kind=flops source=tile n=%", "gflops", 1},
    {"slopes", &one, "from N", KEY, "", "", 1},
    {"slopes", &one, "to N", 7, "kind=slope n=%", "to", 1},
    {"slopes", &one, "8800GTX, Table 2", 3, "kind=slope n=%", "8800GTX", 1},
    {"slopes", &one, "8800GTX, model", 3, "kind=slope n=%", "model", 1},
    {"slopes", &one, "GRAPE-6Af, Table 2", 3, "kind=slope n=%", "GRAPE-6Af", 1},
    {"slopes", &one, "Xeon, Table 2", 3, "kind=slope n=%", "Xeon", 1},
    {"slopes", &one, "seconds a particle and block step, 8800GTX", 3, "kind=slope n=%", "particle_s", 1},
};

static const char *what_is(const struct hb_reproduction *r, const char *source)
{
  int k = 0;
  while (strcmp(r->sources[k].name, source) != 0) k++;
  return r->sources[k].what;
}

static void put_cells(const struct hb_reproduction *r, const struct column *c, const struct word *of,
                      struct hb_report_table *t)
{
  for (size_t k = 0; k < c->each->count; k++) {
    const char *filter = fill(c->filter, c->each->at[k].key, k),
               *field = fill(c->field, c->each->at[k].key, k);
    const char *at = strchr(filter, '%');
    if (at) filter = hb_phrase("%.*s%s%s", (int)(at - filter), filter, of->key, at + 1);
    double value = c->scale * hb_reproduce_number(r, field, "%s", filter);
    double error = c->scale * hb_reproduce_number(r, hb_phrase("%s_error", field), "%s", filter);
    if (c->digits == LABEL || c->digits == WHAT)
      hb_report_table_word(t, c->digits == LABEL ? of->label : what_is(r, of->key));
    else if (c->digits == MEASURE)
      hb_report_table_measure(t, value == 0 ? NAN : value, error);
    else
      hb_report_table_number(t, c->digits == KEY ? strtod(of->key, NULL) : value,
                             c->digits == KEY ? 7 : c->digits);
  }
}

static void put_row(const struct hb_reproduction *r, const struct word *of, struct hb_report_table *t)
{
  for (const struct column *c = columns; c < columns + COUNT(columns); c++)
    if (strcmp(c->table, t->name) == 0) put_cells(r, c, of, t);
  hb_report_table_end_row(t);
}

static void put_table(const struct hb_reproduction *r, const struct table *table, struct hb_report *report)
{
  struct hb_draft head = {0};
  for (const struct column *c = columns; c < columns + COUNT(columns); c++)
    for (size_t k = 0; k < c->each->count && strcmp(c->table, table->name) == 0; k++)
      hb_draft_put(&head, "%s%s", head.text.length ? "|" : "", fill(c->head, c->each->at[k].label, k));
  struct hb_report_table t = hb_report_table(report, table->name, head.text.text ? head.text.text : "");
  hb_draft_note(&report->html, head.status);
  hb_draft_clear(&head);
  for (size_t k = 0; table->rows && k < table->rows->count; k++)
    if (table->rows != &constants || hb_reproduce_next(r, NULL, constants.at[k].key))
      put_row(r, &table->rows->at[k], &t);
  for (size_t n = r->n_most < table->here ? r->n_least : table->first; n && n <= table->last; n *= 2) {
    char key[32];
    snprintf(key, sizeof key, "%zu", n);
    put_row(r, &(struct word){key, key, ""}, &t);
  }
  hb_report_table_end(&t);
}

/* ---- claims: the numbers that the sentences of data/report name, and choose by ----------------------------- */

static void set(struct hb_report *report, const char *name, double number)
{
  hb_values_number(report->values, name, number);
}

/* Scale times the field of the last record that matches; or, without a filter, what a paper printed. */
static const struct claim {
  const char *name, *filter, *field;
  double scale;
} claims[] = {
    {"down_steps", "kind=rounded by=down", "steps", 1},
    {"down_error", "kind=rounded by=down", "error", 1},
    {"down_steps_p", "kind=rounded by=down", "steps_p", 1},
    {"down_blocks_p", "kind=rounded by=down", "blocks_p", 1},
    {"nearest_steps", "kind=rounded by=nearest", "steps", 1},
    {"nearest_error", "kind=rounded by=nearest", "error", 1},
    {"up_steps", "kind=rounded by=up", "steps", 1},
    {"up_error", "kind=rounded by=up", "error", 1},
    {"slope_8800gtx", "kind=slope n=32768", "8800GTX", 1},
    {"slope_model", "kind=slope n=32768", "model", 1},
    {"slope_grape", "kind=slope n=32768", "GRAPE-6Af", 1},
    {"slope_xeon", "kind=slope n=32768", "Xeon", 1},
    {"particle_16k", "kind=slope n=16384", "particle_s", 1},
    {"particle_128k", "kind=slope n=131072", "particle_s", 1},
};
static const struct printed {
  const char *name, *table, *row, *column;
} printed[] = {
    {"printed_error_8800gtx", "pz07_accuracy", "de_rel,8800GTX", "value"},
    {"printed_error_grape", "pz07_accuracy", "de_rel,GRAPE-6Af", "value"},
    {"printed_nu_part", "pz07_accuracy", "nu of equal errors,8800GTX and GRAPE-6Af", "value"},
    {"printed_floor_8800gtx", "pz07_accuracy", "floor,8800GTX", "value"},
    {"printed_floor_grape", "pz07_accuracy", "floor,GRAPE-6Af", "value"},
    {"printed_rate", "nhp07_rates", "pairs_per_s", "value"},
    {"printed_gain", "nhp07_rates", "gain of two threads a body,1024", "value"},
};

static double printed_number(const char *name)
{
  const struct printed *p = printed;
  while (strcmp(p->name, name) != 0) p++;
  return hb_paper_value(p->table, p->row, p->column);
}

/* |dE/E| of the kernel of 2007 over its runs at nu = 0.01, measured twice: by its own potentials and in double. */
static void set_thermometer(const struct hb_reproduction *r, struct hb_report *report)
{
  double own = spread_of(r, "de_rel_gpu", "kind=run source=cg2007").mean;
  struct spread in_double = spread_of(r, "de_rel", "kind=run source=cg2007");
  double rounded_count = spread_of(r, "de_rel", "kind=rounding rounding=down record=size").count;
  double exact = in_double.mean, of_2007 = printed_number("printed_error_8800gtx");
  double grape = printed_number("printed_error_grape");
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
  for (size_t k = 0; k < COUNT(printed); k++) set(report, printed[k].name, printed_number(printed[k].name));
  for (size_t k = 0; k < COUNT(claims); k++)
    set(report, claims[k].name,
        claims[k].scale * hb_reproduce_number(r, claims[k].field, "%s", claims[k].filter));
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
  for (size_t k = 0; k < conserving.count; k++)
    above += hb_reproduce_number(r, "high", "kind=conserved source=%s", conserving.at[k].key) >
             printed_number("printed_error_grape");
  set(report, "sources_above", above);
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
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (size_t s = 1; s < rounded_forces.count; s++) add_growth(r, rounded_forces.at[s].key, n[k], report);
}

/* The rounding whose number is nearest to the printed one, by ratio. */
static size_t nearest(const struct hb_reproduction *r, const char *field)
{
  double least = INFINITY, here, there = hb_reproduce_number(r, field, "kind=rounded by=[PZ07]");
  size_t best = 0;
  for (size_t k = 0; k < roundings.count; k++) {
    here = hb_reproduce_number(r, field, "kind=rounded by=%s", roundings.at[k].key);
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
  for (size_t k = 0; k < fits.count; k++) {
    const struct word *fit = &fits.at[k];
    const struct hb_record *record =
        hb_reproduce_next(r, NULL, hb_phrase("kind=model %s record=fit", fit->key));
    double unseen = hb_record_number(record, "unseen_deviation");
    if (isfinite(unseen)) {
      cJSON *row = hb_values_row(report->values, "unseen");
      hb_values_number(row, "percent", 100 * unseen);
      hb_values_word(row, "label", fit->label);
    }
    if (record || !is_there(r, fit->key)) continue;
    cJSON *row = hb_values_row(report->values, "unfitted");
    hb_values_word(row, "label", fit->label);
    hb_values_word(row, "mode", strstr(fit->key, "mode=") + strlen("mode="));
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
  set(report, "best_over_printed", best / printed_number("printed_rate"));
  set(report, "best_gflops", 20e-9 * best);
  set(report, "threads_n", (double)n);
  set(report, "threads_gain", gain);
  set(report, "has_threads_gain", isfinite(gain));
  set(report, "threads_needed", gain > 0.5 * printed_number("printed_gain"));
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
  struct hb_model_time s32 = model_of(CARD, 32768), s512 = model_of(CARD, 524288);
  set(report, "comm_percent_32k", 100 * s32.t_comm / s32.t_step);
  set(report, "comm_percent_512k", 100 * s512.t_comm / s512.t_step);
  set(report, "model_comm", s32.t_comm / 32768);
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
    {"fig2", "Fig. 2: energy error against the accuracy parameter", HB_JOB_NU, NULL},
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
  hb_values_list(report->values, "sizes", "");
  for (const struct figure *f = figures; f < figures + COUNT(figures); f++)
    if (strcmp(f->section, section->name) == 0) put_figure(r, f, report);
  for (const struct table *t = tables; t < tables + COUNT(tables); t++)
    if (strcmp(t->section, section->name) == 0) put_table(r, t, report);
  if (section->claim) section->claim(r, report);
  list_left_out(r, section->kinds, report);
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
  struct hb_report report = {.values = cJSON_CreateObject()};
  unsigned lacks;
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
