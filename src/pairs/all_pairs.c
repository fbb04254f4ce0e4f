/* hb_all_pairs_*: an interaction, an engine and a context of its own in one handle. */
#include "pairs/pairs.h"
#include "pairs/tuning.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4 * HB_RECORDS_MAX };

struct hb_all_pairs {
  const struct hb_interaction *interaction;
  struct hb_gl_context_params place; /* its words are the two below */
  char context_name[32], device_name[256];
  struct hb_gl_context *context;
  struct hb_pairs *pairs;
  size_t nj;
  double *sources; /* a column of nj after the other: for a device that failed, once more */
  struct hb_column columns[COLUMNS];
  uint32_t *index, *none; /* [numbered] 0, 1, 2, ... and HB_NO_SOURCE */
  size_t numbered;
};

/* ---- open and close ---------------------------------------------------------------------------------- */

static const char *scheme_for(const struct hb_gl_caps *caps, const char *wanted)
{
  return wanted ? wanted : (caps->has_compute && !caps->software ? hb_pairs_tile : hb_pairs_bag).name;
}

static enum hb_status choose_precision(const char *wanted, enum hb_precision *precision)
{
  *precision = wanted ? hb_precision_find(wanted) : HB_PRECISION_SINGLE;
  if (*precision < HB_PRECISION_COUNT) return HB_OK;
  return hb_fail(HB_ERR_USAGE,
                 "unknown precision '%s' of the all-pairs engine (expected one of: %s, %s, %s, %s)", wanted,
                 hb_precision_names[0], hb_precision_names[1], hb_precision_names[2], hb_precision_names[3]);
}

/* Copies an optional word of the caller's. */
static const char *keep(const char *word, size_t room, char *copy)
{
  if (!word) return NULL;
  snprintf(copy, room, "%s", word);
  return copy;
}

static enum hb_status open_engine(const struct hb_all_pairs_params *params, struct hb_all_pairs *a)
{
  a->place = (struct hb_gl_context_params){keep(params->context, sizeof a->context_name, a->context_name),
                                           keep(params->device, sizeof a->device_name, a->device_name),
                                           (params->flags & HB_FORCE_GL_DEBUG) != 0};
  struct hb_pairs_params pairs = {.interaction = a->interaction, .max_draw_s = params->max_draw_s};
  HB_TRY(choose_precision(params->precision, &pairs.precision));
  HB_TRY(hb_interaction_set(a->interaction, NAN, params->parameters, pairs.parameter));
  HB_TRY(hb_tuning_parse(params->tuning, &pairs.tuning));
  HB_TRY(hb_gl_context_open(&a->place, &a->context));
  pairs.context = a->context;
  pairs.scheme = scheme_for(&a->context->caps, params->scheme);
  return hb_pairs_create(&pairs, &a->pairs);
}

enum hb_status hb_all_pairs_open(const struct hb_interaction *interaction,
                                 const struct hb_all_pairs_params *params, struct hb_all_pairs **pairs)
{
  HB_GL_VISIT;
  static const struct hb_all_pairs_params usual = {0};
  struct hb_all_pairs *a;
  *pairs = NULL;
  HB_TRY(HB_ALLOC(1, &a));
  a->interaction = interaction;
  enum hb_status status = open_engine(params ? params : &usual, a);
  return HB_MADE(status, a, hb_all_pairs_close, pairs);
}

void hb_all_pairs_close(struct hb_all_pairs *a)
{
  HB_GL_VISIT;
  if (!a) return;
  hb_pairs_destroy(a->pairs);
  hb_gl_context_close(a->context);
  HB_FREE(a->sources, a->index, a->none, a);
}

const char *hb_all_pairs_scheme(const struct hb_all_pairs *a) { return a->pairs->scheme->name; }
const char *hb_all_pairs_precision(const struct hb_all_pairs *a)
{
  return hb_precision_names[a->pairs->params.precision];
}
const char *hb_all_pairs_context(const struct hb_all_pairs *a) { return a->context->backend->name; }
const char *hb_all_pairs_device(const struct hb_all_pairs *a) { return a->context->caps.renderer; }

enum hb_status hb_all_pairs_set_parameter(struct hb_all_pairs *a, const char *name, double value)
{
  int c = hb_interaction_record(&a->interaction->of_parameter, name);
  if (c < 0) return hb_fail(HB_ERR_USAGE, "interaction %s has no parameter '%s'", a->interaction->name, name);
  if (!isfinite(value))
    return hb_fail(HB_ERR_USAGE, "parameter %s is %g, expected a finite number", name, value);
  a->pairs->params.parameter[c] = value;
  return HB_OK;
}

/* ---- numbers by name --------------------------------------------------------------------------------- */

/* Columns for the names of a record; every name once. */
static enum hb_status take_inputs(const struct hb_all_pairs *a, const struct hb_record_names *names,
                                  const char *whose, size_t count, const struct hb_input inputs[],
                                  struct hb_column columns[COLUMNS])
{
  memset(columns, 0, COLUMNS * sizeof *columns);
  for (size_t k = 0; k < count; k++) {
    int c = hb_interaction_record(names, inputs[k].name);
    if (c < 0 || columns[c].data)
      return hb_fail(HB_ERR_USAGE, "'%s' is %s a %s of interaction %s", inputs[k].name,
                     c < 0 ? "not a number of" : "given twice for", whose, a->interaction->name);
    if (!inputs[k].data) return hb_fail(HB_ERR_USAGE, "no data for '%s' of a %s", inputs[k].name, whose);
    columns[c] = (struct hb_column){inputs[k].data, inputs[k].stride};
  }
  for (int c = 0; c < COLUMNS; c++)
    if (*names->at[c] && !columns[c].data)
      return hb_fail(HB_ERR_USAGE, "interaction %s needs '%s' of a %s", a->interaction->name, names->at[c],
                     whose);
  return HB_OK;
}

static enum hb_status take_outputs(const struct hb_all_pairs *a, size_t count,
                                   const struct hb_output outputs[], struct hb_result results[COLUMNS])
{
  memset(results, 0, COLUMNS * sizeof *results);
  for (size_t k = 0; k < count; k++) {
    int c = hb_interaction_record(&a->interaction->of_force, outputs[k].name);
    if (c < 0)
      return hb_fail(HB_ERR_USAGE, "'%s' is not a result of interaction %s", outputs[k].name,
                     a->interaction->name);
    results[c] = (struct hb_result){outputs[k].data, outputs[k].stride};
  }
  return HB_OK;
}

/* ---- a device that failed --------------------------------------------------------------------------- */

/* As hb_force_open_again: a new context and smaller draws, and the same sources. Where there is none, the old one stays. */
static enum hb_status open_again(struct hb_all_pairs *a)
{
  struct hb_pairs_params params = a->pairs->params;
  struct hb_gl_context *context;
  struct hb_pairs *pairs = NULL;
  hb_log("%s; trying once more with shorter draws", hb_error());
  HB_TRY(hb_gl_context_open(&a->place, &context));
  params.context = context;
  params.scheme = a->pairs->scheme->name; /* the caller's word may be gone */
  params.max_draw_s /= 4;
  enum hb_status status = hb_pairs_create(&params, &pairs);
  if (status == HB_OK) status = hb_pairs_set_j(pairs, a->nj, a->columns);
  struct hb_pairs *last_pairs = a->pairs;
  struct hb_gl_context *last_context = a->context;
  if (status == HB_OK) {
    a->pairs = pairs;
    a->context = context;
  }
  hb_pairs_destroy(status == HB_OK ? last_pairs : pairs);
  hb_gl_context_close(status == HB_OK ? last_context : context);
  return status;
}

/* ---- sources and sinks ------------------------------------------------------------------------------- */

static enum hb_status check_count(size_t n, const char *what)
{
  if (n <= INT32_MAX) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%zu %s, expected below 2^31", n, what);
}

struct copying {
  const struct hb_column *from, *to;
};

enum { PIECE = 4096 /* sources that a thread copies at a time */ };

static void copy_piece(void *context, size_t first, size_t end)
{
  const struct copying *copying = context;
  for (int c = 0; c < COLUMNS; c++) {
    const struct hb_column *from = &copying->from[c];
    if (!from->data) continue;
    double *to = (double *)copying->to[c].data;
    for (size_t k = first; k < end; k++) to[k] = from->data[from->stride * k];
  }
}

static enum hb_status keep_sources(struct hb_all_pairs *a, size_t nj, const struct hb_column columns[COLUMNS])
{
  size_t count = 0;
  for (int c = 0; c < COLUMNS; c++) count += columns[c].data != NULL;
  hb_mem_free(a->sources);
  a->sources = NULL;
  HB_TRY(HB_ALLOC(count * nj, &a->sources));
  double *at = a->sources;
  for (int c = 0; c < COLUMNS; c++) {
    a->columns[c] = (struct hb_column){columns[c].data ? at : NULL, 1};
    if (columns[c].data) at += nj;
  }
  hb_parallel_pieces(nj, PIECE, PIECE, copy_piece, &(struct copying){columns, a->columns});
  return HB_OK;
}

enum hb_status hb_all_pairs_set_sources(struct hb_all_pairs *a, size_t nj, size_t count,
                                        const struct hb_input inputs[])
{
  HB_GL_VISIT;
  struct hb_column columns[COLUMNS];
  if (nj == 0) return hb_fail(HB_ERR_USAGE, "no sources, expected at least one");
  HB_TRY(check_count(nj, "sources"));
  HB_TRY(take_inputs(a, &a->interaction->of_source, "source", count, inputs, columns));
  a->nj = 0;
  HB_TRY(keep_sources(a, nj, columns));
  a->nj = nj;
  enum hb_status status = hb_pairs_set_j(a->pairs, nj, a->columns);
  if (status == HB_ERR_DEVICE) status = open_again(a);
  if (status != HB_OK) a->nj = 0;
  return status;
}

/* For calls without numbers of their own: all sources, or sinks that are none. */
static enum hb_status number_sinks(struct hb_all_pairs *a, size_t n)
{
  if (n <= a->numbered) return HB_OK;
  HB_TRY(HB_RENEW(n, &a->numbered, HB_ARRAY(1, &a->index), HB_ARRAY(1, &a->none)));
  for (size_t k = 0; k < n; k++) a->index[k] = (uint32_t)k, a->none[k] = HB_NO_SOURCE;
  return HB_OK;
}

static enum hb_status check_sinks(const struct hb_all_pairs *a, size_t ni, const uint32_t *index)
{
  if (!a->nj) return hb_fail(HB_ERR_USAGE, "results requested before the sources were set");
  if (!index && ni > a->nj)
    return hb_fail(HB_ERR_USAGE, "%zu sinks of %zu source%s", ni, a->nj, hb_text_s(a->nj));
  for (size_t k = 0; index && k < ni; k++)
    if (index[k] >= a->nj)
      return hb_fail(HB_ERR_USAGE, "sink %zu is source %u, expected below %zu", k, index[k], a->nj);
  return HB_OK;
}

static enum hb_status once(const struct hb_all_pairs *a, const struct hb_pairs_job *job)
{
  HB_TRY(hb_pairs_walk(a->pairs, job));
  return hb_pairs_read(a->pairs);
}

static enum hb_status eval(struct hb_all_pairs *a, const struct hb_pairs_job *job)
{
  enum hb_status status = once(a, job);
  if (status != HB_ERR_DEVICE) return status;
  HB_TRY(open_again(a));
  return once(a, job);
}

enum hb_status hb_all_pairs_eval(struct hb_all_pairs *a, size_t ni, const uint32_t *index, size_t count,
                                 const struct hb_output outputs[])
{
  HB_GL_VISIT;
  struct hb_result results[COLUMNS];
  HB_TRY(check_sinks(a, ni, index));
  HB_TRY(take_outputs(a, count, outputs, results));
  if (ni == 0) return HB_OK;
  if (!index) HB_TRY(number_sinks(a, ni));
  return eval(a,
              &(const struct hb_pairs_job){.ni = ni, .index = index ? index : a->index, .results = results});
}

static enum hb_status check_own(const struct hb_all_pairs *a, size_t ni, const uint32_t *own)
{
  if (!a->nj) return hb_fail(HB_ERR_USAGE, "results requested before the sources were set");
  HB_TRY(check_count(ni, "sinks"));
  for (size_t k = 0; own && k < ni; k++)
    if (own[k] >= a->nj && own[k] != HB_NO_SOURCE)
      return hb_fail(HB_ERR_USAGE, "sink %zu leaves out source %u, expected below %zu", k, own[k], a->nj);
  return HB_OK;
}

enum hb_status hb_all_pairs_eval_at(struct hb_all_pairs *a, size_t ni, size_t input_count,
                                    const struct hb_input inputs[], const uint32_t *own, size_t output_count,
                                    const struct hb_output outputs[])
{
  HB_GL_VISIT;
  struct hb_column columns[COLUMNS];
  struct hb_result results[COLUMNS];
  HB_TRY(check_own(a, ni, own));
  HB_TRY(take_inputs(a, &a->interaction->of_sink, "sink", input_count, inputs, columns));
  HB_TRY(take_outputs(a, output_count, outputs, results));
  if (ni == 0) return HB_OK;
  if (!own) HB_TRY(number_sinks(a, ni));
  return eval(a, &(const struct hb_pairs_job){
                     .ni = ni, .index = own ? own : a->none, .points = columns, .results = results});
}
