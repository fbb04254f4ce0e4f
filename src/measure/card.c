#include "measure/card.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/table.h"
#include "gl/gl_shader.h"
#include "measure/bench.h"
#include "measure/facts.h"
#include "pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of another FORMAT cannot be compared: it rises with each change of what is measured. Errors are of N particles everywhere, and
 * so are those of precision reproducible the same bits. Rates are of as many as take WALK_S, a draw of 64 of BLOCK_N. */
enum { FORMAT = 1, N = 1024, N_MOST = 131072, BLOCK = 64, BLOCK_N = 16384, REPEAT = 3 };
static const double WALK_S = 0.03, DRAWS_S[] = {0.25, 1}, LONG_S = 20;

#if defined(__EMSCRIPTEN__)
static const char SYSTEM[] = "page";
#elif defined(_WIN32)
static const char SYSTEM[] = "Windows";
#elif defined(__linux__)
static const char SYSTEM[] = "Linux";
#elif defined(__APPLE__)
static const char SYSTEM[] = "macOS";
#else
static const char SYSTEM[] = "other";
#endif

struct card {
  struct hb_force_params place;
  void (*doing)(const char *what, void *context);
  void *context;
  struct hb_json json;
  double rate; /* the highest so far of `fastest`, in precision single */
  double rate_reproducible;
  const char *fastest;
  double begun;
};

/* ---- rates and errors ---- */

struct card_row {
  const char *scheme, *precision;
  size_t n;
  double ms, pairs_per_s;
  struct hb_bench_result result;
};

#define AT(place) .offset = offsetof(struct card_row, place)
static const struct hb_table_column error_columns[] = {
    {"compile_ms", HB_TABLE_REAL, AT(result.compile_ms)}, {"acc_rms", HB_TABLE_REAL, AT(result.acc_rms)},
    {"acc_max", HB_TABLE_REAL, AT(result.acc_max)},       {"jerk_rms", HB_TABLE_REAL, AT(result.jerk_rms)},
    {"pot_rms", HB_TABLE_REAL, AT(result.pot_rms)},       {"acc_floor", HB_TABLE_REAL, AT(result.acc_floor)},
};
static const struct hb_table_column rate_columns[] = {
    {"n", HB_TABLE_SIZE, AT(n)},
    {"ms", HB_TABLE_REAL, AT(ms)},
    {"pairs_per_s", HB_TABLE_REAL, AT(pairs_per_s)},
    {"walk_ms", HB_TABLE_REAL, AT(result.ms_median)},
    {"cycle_ms", HB_TABLE_REAL, AT(result.cycle_ms)},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
};
static const struct hb_table_column block_columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme)},
    {"precision", HB_TABLE_TEXT, AT(precision)},
    {"n", HB_TABLE_SIZE, AT(n)},
    {"ni", HB_TABLE_SIZE, AT(result.ni)},
    {"send_ms", HB_TABLE_REAL, AT(result.send_ms)},
    {"draw_ms", HB_TABLE_REAL, AT(result.draw_ms)},
    {"receive_ms", HB_TABLE_REAL, AT(result.receive_ms)},
    {"cycle_ms", HB_TABLE_REAL, AT(result.cycle_ms)},
};
static const struct hb_table_column draw_columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme)},
    {"n", HB_TABLE_SIZE, AT(n)},
    {"ms", HB_TABLE_REAL, AT(ms)},
    {"draws", HB_TABLE_INT, AT(result.draws)},
};
#undef AT

/* ni 0: all of them. Zink of Mesa 22.3 says too early that a walk is done. The time until its results are read counts then. */
static enum hb_status measure(const struct card *c, size_t ni, int check, int repeat, struct card_row *row)
{
  struct hb_bench_params params = {
      .force = c->place, .n = row->n, .ni = ni, .repeat = repeat, .check = check, .seed = 1};
  params.force.scheme = row->scheme;
  params.force.precision = row->precision;
  params.force.eps = 0x1p-8;
  HB_TRY(hb_bench_force(&params, &row->result));
  const struct hb_bench_result *r = &row->result;
  row->ms = r->ms_median < r->cycle_ms / 2 ? r->cycle_ms : r->ms_median;
  row->pairs_per_s = (double)r->ni * (double)(row->n - 1) / (1e-3 * row->ms);
  return HB_OK;
}

/* What does not work here is a part of the row, but whoever stops it gets none. */
static enum hb_status refuse(struct card *c, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_STOPPED) return status;
  hb_json_text(&c->json, status == HB_ERR_DEVICE ? "failed" : "refused", hb_error());
  return HB_OK;
}

/* A power of two, of which a walk takes WALK_S or less; n at least. */
static size_t n_for(double pairs_per_s, size_t n)
{
  while (n < N_MOST && 4.0 * (double)n * (double)n <= WALK_S * pairs_per_s) n *= 2;
  return n;
}

static void remember(struct card *c, const struct card_row *row)
{
  if (strcmp(row->precision, "single") == 0 && row->pairs_per_s > c->rate) {
    c->rate = row->pairs_per_s;
    c->fastest = row->scheme;
  }
  if (strcmp(row->precision, "reproducible") == 0) c->rate_reproducible = row->pairs_per_s;
}

static enum hb_status put_measured(struct card *c, struct card_row *row)
{
  HB_TRY(measure(c, 0, 1, 1, row));
  hb_table_members(HB_TABLE_COLUMNS(error_columns), row, &c->json);
  /* A short walk tells less of its pairs than of what comes before and after it. */
  for (size_t n; (n = n_for(row->pairs_per_s, row->n)) > row->n;) {
    row->n = n;
    HB_TRY(measure(c, 0, 0, REPEAT, row));
  }
  hb_table_members(HB_TABLE_COLUMNS(rate_columns), row, &c->json);
  remember(c, row);
  return HB_OK;
}

static enum hb_status put_forces(struct card *c, const char *scheme, const char *precision)
{
  char what[64];
  struct card_row row = {.scheme = scheme, .precision = precision, .n = N};
  snprintf(what, sizeof what, "%s in %s", scheme, precision);
  c->doing(what, c->context);
  hb_json_open_object(&c->json, NULL);
  hb_json_text(&c->json, "scheme", scheme);
  hb_json_text(&c->json, "precision", precision);
  enum hb_status status = refuse(c, put_measured(c, &row));
  hb_json_close_object(&c->json);
  return status;
}

static enum hb_status put_rates(struct card *c)
{
  static const char *const schemes[] = {"bag", "tile"};
  hb_json_open_array(&c->json, "forces");
  for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
    for (int k = 0; k < HB_PRECISION_GRAPE6; k++) HB_TRY(put_forces(c, schemes[s], hb_precision_names[k]));
  /* last: an H100 that had slept ran it at two thirds */
  HB_TRY(put_forces(c, "cg2007", "single"));
  hb_json_close_array(&c->json);
  return HB_OK;
}

/* A block step's forces, as a run asks for them. */
static enum hb_status put_block(struct card *c)
{
  struct card_row row = {.scheme = c->fastest, .precision = "ds", .n = BLOCK_N};
  c->doing("a block of 64", c->context);
  hb_json_open_object(&c->json, "block");
  enum hb_status status = measure(c, BLOCK, 0, REPEAT, &row);
  if (status == HB_OK) hb_table_members(HB_TABLE_COLUMNS(block_columns), &row, &c->json);
  status = refuse(c, status);
  hb_json_close_object(&c->json);
  return status;
}

/* ---- draws ---- */

/* Longer and longer ones, whose totals count what they have summed; a driver that drops one says how long is too long. The first walks
 * learn the speed, and the longest draw may take as long as all of them. */
static enum hb_status draw_for(struct card *c, double seconds, struct card_row *row)
{
  const double limit = c->place.max_draw_s;
  row->n = hb_min((size_t)sqrt(seconds * c->rate), (size_t)1 << 20);
  c->place.max_draw_s = 2 * seconds;
  enum hb_status status = measure(c, 0, 0, 1, row);
  c->place.max_draw_s = limit;
  return status;
}

static enum hb_status put_draws(struct card *c)
{
  c->doing("long draws", c->context);
  hb_json_open_array(&c->json, "draws");
  for (size_t k = 0; k < sizeof DRAWS_S / sizeof *DRAWS_S; k++) {
    struct card_row row = {.scheme = c->fastest, .precision = "single"};
    hb_json_open_object(&c->json, NULL);
    enum hb_status status = draw_for(c, DRAWS_S[k], &row);
    if (status == HB_OK) hb_table_members(HB_TABLE_COLUMNS(draw_columns), &row, &c->json);
    HB_TRY(refuse(c, status));
    hb_json_close_object(&c->json);
    if (status != HB_OK) break;
  }
  hb_json_close_array(&c->json);
  return HB_OK;
}

/* ---- end states: rows of tests/states/known.txt ---- */

static const struct state {
  const char *name;
  size_t n;
  struct hb_sim_params sim;
  double t_end, pairs;
} states[] = {
    {"plummer -n 64 --seed 1 : --t-end 0.25", 64, {.neighbors = HB_NEIGHBORS_AUTO}, 0.25, 1e6},
    {"plummer -n 1024 --seed 1 : --t-end 0.25 --eta 0.01 --neighbors 0",
     1024,
     {.eta = 0.01, .neighbors = HB_NEIGHBORS_NONE},
     0.25,
     2e8},
};

static enum hb_status hash_end(const struct card *c, const struct state *state, const char *scheme,
                               char text[HB_HASH_TEXT])
{
  const struct hb_ic_params ic = {.n = state->n, .seed = 1};
  struct hb_sim_params params = state->sim;
  struct hb_particles *start, *end = NULL;
  struct hb_sim *sim = NULL;
  params.force = c->place;
  params.force.scheme = scheme;
  params.force.precision = "reproducible";
  params.force.eps = 0x1p-8;
  params.force.flags |= HB_FORCE_NO_TUNE;
  HB_TRY(hb_ic_make("plummer", &ic, &start));
  HB_TRY(hb_sim_take(start, &params, &sim));
  enum hb_status status = hb_sim_integrate(sim, state->t_end);
  if (status == HB_OK) status = hb_sim_state(sim, state->t_end, &end);
  if (status == HB_OK) hb_hash_text(hb_particles_hash(end), text);
  hb_particles_destroy(end);
  hb_sim_destroy(sim);
  return status;
}

static enum hb_status put_state(struct card *c, const struct state *state, const char *scheme)
{
  char hash[HB_HASH_TEXT];
  hb_json_open_object(&c->json, NULL);
  hb_json_text(&c->json, "scheme", scheme);
  hb_json_text(&c->json, "state", state->name);
  enum hb_status status = hash_end(c, state, scheme, hash);
  if (status == HB_OK) hb_json_text(&c->json, "hash", hash);
  status = refuse(c, status);
  hb_json_close_object(&c->json);
  return status;
}

/* By the fastest scheme; those that would take too long are left out. */
static enum hb_status put_states(struct card *c)
{
  c->doing("end states", c->context);
  hb_json_open_array(&c->json, "states");
  for (size_t k = 0; k < sizeof states / sizeof *states; k++)
    if (k == 0 || states[k].pairs < LONG_S * c->rate_reproducible)
      HB_TRY(put_state(c, &states[k], c->fastest));
  hb_json_close_array(&c->json);
  return HB_OK;
}

/* ---- the row ---- */

static enum hb_status put_device(struct card *c)
{
  struct hb_context_info info = {0};
  struct hb_gl_context *context;
  const struct hb_gl_context_params gl = {c->place.context, c->place.device, 0};
  c->doing("the device", c->context);
  HB_TRY(hb_gl_context_open(&gl, &context));
  hb_facts_of(context, &info);
  hb_gl_context_close(context);
  if (info.selftest.cases == 0)
    return hb_fail(HB_ERR_GL, "the self-test does not run on %s", info.caps.renderer);
  hb_table_members(hb_facts_context, HB_FACTS_CONTEXT, &info, &c->json);
  hb_facts_limits(&info, &c->json);
  hb_facts_selftest(&info, &c->json);
  return HB_OK;
}

static void put_ceiling(struct card *c, const char *name, int compute)
{
  double flops = NAN;
  if (hb_bench_ceiling(&c->place, compute, &flops) != HB_OK) flops = NAN;
  hb_json_number(&c->json, name, flops);
}

static enum hb_status put_all(struct card *c)
{
  hb_json_count(&c->json, "card", FORMAT);
  hb_json_text(&c->json, "holmberg", hb_library_version());
  hb_json_text(&c->json, "system", SYSTEM);
  HB_TRY(put_device(c));
  put_ceiling(c, "ceiling_drawn", 0);
  put_ceiling(c, "ceiling_computed", 1);
  HB_TRY(put_rates(c));
  if (!c->fastest) return hb_fail(HB_ERR_GL, "no scheme works here: %s", hb_error());
  HB_TRY(put_block(c));
  HB_TRY(put_states(c));
  HB_TRY(put_draws(c));
  hb_json_number(&c->json, "seconds", hb_clock_now() - c->begun);
  return HB_OK;
}

/* The sum is over all bytes before its own comma: of a row that was cut or edited by mistake it is another. */
static enum hb_status finish(const char *row, size_t length, FILE *out)
{
  uint64_t hash = HB_HASH_EMPTY;
  char text[HB_HASH_TEXT];
  for (size_t k = 0; k < length; k++) hash = hb_hash_byte(hash, (uint8_t)row[k]);
  hb_hash_text(hash, text);
  return fprintf(out, "%s, \"sum\": \"%s\"}\n", row, text) > 0
             ? HB_OK
             : hb_fail(HB_ERR_IO, "the row cannot be written");
}

enum hb_status hb_card_make(const struct hb_force_params *place,
                            void (*doing)(const char *what, void *context), void *context, FILE *out)
{
  char *row = NULL;
  size_t length = 0;
  if (hb_gl_shaders_differ(NULL))
    return hb_fail(HB_ERR_USAGE, "a card is of the built-in shaders, and these are others");
  FILE *memory = open_memstream(&row, &length);
  if (!memory) return hb_fail(HB_ERR_INTERNAL, "out of memory");
  struct card c = {
      .place = *place, .doing = doing, .context = context, .json = {memory, 0}, .begun = hb_clock_now()};
  hb_json_open_object(&c.json, NULL);
  enum hb_status status = put_all(&c);
  if (fclose(memory) != 0) status = hb_fail(HB_ERR_INTERNAL, "out of memory");
  if (status == HB_OK) status = finish(row, length, out);
  free(row); /* not of hb_mem */
  return status;
}
