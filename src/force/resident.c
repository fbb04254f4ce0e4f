/* Particles that stay on the device: programs and words of either way, the way of storage buffers, sending and fetching. */
#include "force/resident.h"
#include "force/resident_way.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "force/kept.h"
#include "gl/gl_pass.h"
#include "pairs/selftest.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass)
{
  return hb_kept_program(r->context, r->pairs->params.precision, r->pairs->fma_is_fused, files, pass);
}

static void split(const struct hb_resident *r, double value, uint32_t *high, uint32_t *low)
{
  hb_precision_split(r->pairs->params.precision, value, high, low);
}

static void pack_field(struct hb_resident *r, const struct hb_field *field)
{
  enum hb_field_form form[HB_FIELD_PARTS];
  double number[HB_FIELD_PARTS][HB_FIELD_NUMBERS];
  r->part_count = hb_field_parts(field, form, number);
  for (int k = 0; k < r->part_count; k++) {
    uint32_t *word = r->parts + 16 * k;
    for (int c = 0; c < 3; c++) {
      split(r, number[k][c], &word[2 * c], &word[2 * c + 1]);
      split(r, number[k][3 + c], &word[8 + c], &word[12 + c]);
    }
    word[6] = form[k];
  }
  split(r, hb_field_turn(field), &r->double_turn[0], &r->double_turn[1]);
}

enum hb_status hb_resident_build_correct(struct hb_resident *r, const struct hb_gl_program_source *files,
                                         const struct hb_field *field, struct hb_gl_pass *pass)
{
  struct hb_gl_program_source source = *files;
  if (pass->program) return HB_OK;
  if (field) {
    source.defines = "#define FIELD\n";
    pack_field(r, field);
  }
  return hb_resident_build(r, &source, pass);
}

/* ---- words ---- */

void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  enum hb_precision precision = r->pairs->params.precision;
  for (size_t c = 0; c < 3; c++) hb_precision_split(precision, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) hb_precision_split(precision, p->m[i], &high[3], &low[3]);
}

/* since of a prediction. */
static void set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  enum hb_precision precision = r->pairs->params.precision;
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    hb_precision_split(precision, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    hb_precision_split(precision, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

/* ---- inputs and results ---- */

void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

void hb_resident_set_totals(const struct hb_resident *r, const struct hb_pairs_totals *t,
                            const struct hb_force_step *how, size_t first, size_t count,
                            struct hb_gl_pass *pass)
{
  hb_gl_pass_int(pass, "segments", t->segments);
  hb_gl_pass_int(pass, "groups", t->groups);
  hb_gl_pass_int(pass, "each", t->each);
  hb_gl_pass_int4(pass, "place", t->width, t->band, t->texels, t->layer);
  hb_gl_pass_int(pass, "first", (int)first);
  hb_gl_pass_int(pass, "sink_count", (int)(first + count));
  hb_gl_pass_uint(pass, "walked", t->walked);
  hb_gl_pass_float(pass, "eta", how->eta);
  hb_gl_pass_float(pass, "noise", how->noise);
  hb_gl_pass_float(pass, "mass", how->mass);
  if (!how->field) return;
  hb_gl_pass_int(pass, "part_count", r->part_count);
  hb_gl_pass_set(pass, "parts", HB_GL_UINT4, 4 * r->part_count, r->parts);
  hb_gl_pass_set(pass, "double_turn", HB_GL_UINT4, 1, r->double_turn);
}

enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle)
{
  if (asked <= -2 || !r->context->caps.has_draws)
    return hb_gl_context_dropped(r->context, "sink %zu has not summed all sources", sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}

/* ---- in storage buffers ---- */

/* Particles in a storage buffer, predicted and corrected by compute shaders. Levels and steps lie in memory that host and
 * device share, so a block step is three dispatches (prediction, walk, correction) and one wait. */

enum { PACKED = 256 /* particles that a thread of the host packs at a time */ };
/* So many pairs take the device longer than two submissions take the host. */
static const double LONG_WALK = 1e9;

enum { LEVELS = HB_KEPT_BINDINGS, RECORDS, TOTALS = RECORDS, SINKS, BEFORE, STEPS };

struct stored {
  struct hb_kept kept;
  struct hb_gl_pass predict, correct;
  struct hb_gl_mapped levels; /* [particle] a byte */
  struct hb_gl_mapped steps;  /* [sink] what eq. 9 asks for, or MISSING, or what hb_resident_step refuses */
  struct hb_gl_buffer before; /* [sink][layer] the block before it was corrected */
};

static uint32_t missing(void) { return hb_bits_of_float(-3); }

static enum hb_status stored_create(struct hb_resident *r)
{
  struct stored *s;
  HB_TRY(HB_ALLOC(1, &s));
  r->state = s;
  HB_TRY(hb_kept_create(r->context, r->n, HB_RESIDENT_LAYERS, &s->kept));
  const struct hb_gl_program_source predict = {.compute = "hermite/predict.comp"};
  HB_TRY(hb_resident_build(r, &predict, &s->predict));
  return hb_gl_mapped_reserve(r->context, (r->n + 3) & ~(size_t)3, &s->levels);
}

static void stored_destroy(struct hb_resident *r)
{
  struct stored *s = r->state;
  hb_kept_destroy(&s->kept);
  hb_gl_pass_destroy(&s->predict);
  hb_gl_pass_destroy(&s->correct);
  hb_gl_mapped_destroy(&s->levels);
  hb_gl_mapped_destroy(&s->steps);
  hb_gl_buffer_destroy(&s->before);
}

/* ---- storing ---- */

struct packing {
  const struct hb_resident *r;
  const struct hb_force_particles *p;
  const uint32_t *number;
  size_t count;
  uint32_t *out;
};

static void pack_piece(void *context, size_t piece)
{
  const struct packing *c = context;
  for (size_t k = piece * PACKED, end = hb_parallel_end(c->count, PACKED, k); k < end; k++) {
    uint32_t *word = c->out + 4 * HB_RESIDENT_LAYERS * k;
    for (int q = 0; q < 4; q++) hb_resident_pack(c->r, c->p, c->number[k], q, word + 8 * q, word + 8 * q + 4);
  }
}

static enum hb_status stored_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                 const uint32_t *index)
{
  struct stored *s = r->state;
  for (size_t first = 0; first < ni; first += HB_KEPT_PORTION) {
    size_t count = hb_min(ni - first, HB_KEPT_PORTION);
    uint32_t *word, *number;
    uint8_t *level = s->levels.memory;
    HB_TRY(hb_kept_reserve(&s->kept, count, &word, &number));
    for (size_t k = 0; k < count; k++) {
      number[k] = index ? index[first + k] : (uint32_t)(first + k);
      level[number[k]] = p->level[number[k]];
    }
    struct packing packing = {r, p, number, count, word};
    int threads = count > PACKED ? hb_parallel_threads() : 1;
    hb_parallel_for(threads, hb_div_ceil(count, PACKED), pack_piece, &packing);
    hb_kept_store(&s->kept, count);
  }
  return hb_gl_context_check(r->context, "storing particles");
}

static enum hb_status stored_settle(struct hb_resident *r, size_t ni, const uint32_t *index,
                                    const uint8_t *level)
{
  struct stored *s = r->state;
  uint8_t *levels = s->levels.memory;
  for (size_t k = 0; k < ni; k++) levels[index[k]] = level[k];
  return HB_OK;
}

static enum hb_status stored_check(struct hb_resident *r)
{
  struct stored *s = r->state;
  return hb_kept_check(&s->kept);
}

static enum hb_status stored_read(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                                  uint32_t *low)
{
  struct stored *s = r->state;
  HB_TRY(stored_check(r));
  hb_kept_read(&s->kept, 2 * (size_t)q, first, count, high);
  hb_kept_read(&s->kept, 2 * (size_t)q + 1, first, count, low);
  return HB_OK;
}

/* ---- prediction and correction ---- */

/* The device begins, while the host goes on. */
static void predict_into(struct hb_resident *r, const struct hb_gl_buffer *records)
{
  struct stored *s = r->state;
  hb_resident_set_since(r, &s->predict);
  hb_gl_pass_storage(&s->predict, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(&s->predict, RECORDS, records);
  hb_kept_dispatch_ahead(&s->kept, &s->predict, r->n);
  hb_gl_flush();
}

static enum hb_status stored_use_ahead(struct hb_resident *r)
{
  struct stored *s = r->state;
  hb_kept_use_ahead(&s->kept);
  return hb_pairs_use_next(r->pairs);
}

static enum hb_status stored_predict(struct hb_resident *r)
{
  struct stored *s = r->state;
  predict_into(r, &r->pairs->j);
  hb_kept_use_ahead(&s->kept);
  return HB_OK;
}

static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  struct hb_resident *r = context;
  const struct hb_force_correction *c = r->correction;
  struct stored *s = r->state;
  struct hb_gl_pass *pass = &s->correct;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  if ((double)count * (double)r->n >= LONG_WALK) hb_gl_flush(); /* the device begins with the walk */
  double start = c->last ? hb_gl_timer_start() : 0;
  hb_resident_set_since(r, pass);
  hb_resident_set_totals(r, &t, c->how, first, count, pass);
  hb_gl_pass_storage(pass, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(pass, TOTALS, &(const struct hb_gl_buffer){.id = t.buffer});
  hb_gl_pass_storage(pass, SINKS, &pairs->i);
  hb_gl_pass_storage(pass, BEFORE, &s->before);
  hb_gl_pass_storage(pass, STEPS, &s->steps.buffer);
  hb_kept_dispatch_uncounted(&s->kept, pass, count);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return HB_OK;
}

/* Marks the steps as missing: those of dispatches that are dropped still are afterwards. */
static enum hb_status expect_steps(struct hb_resident *r, size_t ni)
{
  struct stored *s = r->state;
  size_t room = hb_min(2 * ni, r->n), bytes = 16 * HB_RESIDENT_LAYERS;
  if (bytes * ni > s->before.bytes) hb_gl_buffer_fill(&s->before, HB_GL_BY_DEVICE, bytes * room, NULL);
  if (ni * sizeof(uint32_t) > s->steps.buffer.bytes)
    HB_TRY(hb_gl_mapped_reserve(r->context, room * sizeof(uint32_t), &s->steps));
  uint32_t *step = s->steps.memory;
  for (size_t k = 0; k < ni; k++) step[k] = missing();
  return HB_OK;
}

/* The steps of the whole block, as soon as they are there. */
static enum hb_status read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, double *step)
{
  struct stored *s = r->state;
  const uint32_t *word = s->steps.memory;
  if (hb_gl_mapped_await(r->context, word, ni, missing())) hb_kept_finished(&s->kept);
  for (size_t k = 0; k < ni; k++) HB_TRY(hb_resident_step(r, word[k], k, index[k], &step[k]));
  return HB_OK;
}

/* After a failure: the sinks that were corrected are again what they were before. */
static void undo(struct hb_resident *r, size_t ni, const uint32_t *index)
{
  struct stored *s = r->state;
  const uint32_t *step = s->steps.memory;
  uint32_t *number;
  hb_gl_mapped_finish();
  if (hb_kept_reserve(&s->kept, ni, NULL, &number) != HB_OK) return;
  for (size_t k = 0; k < ni; k++) number[k] = step[k] == missing() ? UINT32_MAX : index[k];
  hb_kept_store_from(&s->kept, ni, &s->before);
}

/* Predicts for the next block, while the host waits for the steps of this one. The particles of the block are at their new
 * times, which are those of their old levels and of their new ones: so they are predicted right, whether the host has put
 * down the new levels in the meantime or not. If it finds the next block to be at another time, all is predicted anew. The
 * sources of this block stay where whoever draws them looks. */
static enum hb_status begin_next(struct hb_resident *r, const double ahead[HB_FORCE_LEVELS])
{
  hb_gl_flush();
  HB_TRY(hb_pairs_reserve_next(r->pairs));
  set_times(r, ahead);
  predict_into(r, &r->pairs->j_next);
  r->is_ahead = 1;
  memcpy(r->ahead, ahead, sizeof r->ahead);
  return HB_OK;
}

static enum hb_status collected(struct hb_resident *r, size_t ni, const uint32_t *index,
                                struct hb_force_news *news)
{
  struct stored *s = r->state;
  *news = (struct hb_force_news){.count = ni, .index = index, .token = s->kept.token};
  return hb_kept_collected(&s->kept, ni, &news->words);
}

static enum hb_status stored_correct(struct hb_resident *r, const struct hb_force_correction *c)
{
  struct stored *s = r->state;
  size_t ni = c->ni;
  const uint32_t *index = c->index;
  const struct hb_pairs_job job = {.ni = ni, .index = index, .take = correct_portion, .context = r};
  const struct hb_gl_program_source files = {.compute = "hermite/correct.comp"};
  r->correction = c;
  HB_TRY(hb_resident_build_correct(r, &files, c->how->field, &s->correct));
  HB_TRY(expect_steps(r, ni));
  enum hb_status status = hb_pairs_walk(r->pairs, &job);
  if (status == HB_OK && c->news) status = hb_kept_collect(&s->kept, ni, index);
  if (status == HB_OK && c->ahead) status = begin_next(r, c->ahead);
  double lap = hb_clock_now();
  if (status == HB_OK) status = read_steps(r, ni, index, c->step);
  if (c->last) c->last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status == HB_OK || status == HB_ERR_NUMERIC) { /* of what was never predicted, anything may have come */
    enum hb_status predicted = stored_check(r);
    if (predicted != HB_OK) status = predicted;
  }
  if (status == HB_OK && c->news) status = collected(r, ni, index, c->news);
  if (status == HB_ERR_DEVICE) (void)hb_gl_context_check_lost(r->context, "correcting particles"); /* why */
  if (status != HB_OK) {
    r->is_ahead = 0;
    undo(r, ni, index);
  }
  return status;
}

/* ---- several devices ---- */

static enum hb_status stored_take(struct hb_resident *r, size_t ni, const uint32_t *index,
                                  struct hb_force_news *news)
{
  struct stored *s = r->state;
  HB_TRY(hb_kept_collect(&s->kept, ni, index));
  return collected(r, ni, index, news);
}

enum { EACH = 4 * HB_RESIDENT_LAYERS, COPIED = 256 /* particles at a time */ };

struct copying {
  const struct hb_force_news *news;
  size_t first, count;
  uint32_t *word;
  atomic_int is_incomplete;
};

static void copy_piece(void *context, size_t piece)
{
  struct copying *c = context;
  size_t k = piece * COPIED, end = hb_parallel_end(c->count, COPIED, k);
  const uint32_t *from = c->news->words + EACH * c->first;
  memcpy(c->word + EACH * k, from + EACH * k, EACH * (end - k) * sizeof *from);
  for (; k < end; k++)
    if (from[EACH * (k + 1) - 1] != c->news->index[c->first + k] + c->news->token) c->is_incomplete = 1;
}

static enum hb_status stored_give(struct hb_resident *r, const struct hb_force_news *news)
{
  struct stored *s = r->state;
  for (size_t first = 0; first < news->count; first += HB_KEPT_PORTION) {
    struct copying c = {.news = news, .first = first, .count = hb_min(news->count - first, HB_KEPT_PORTION)};
    uint32_t *number;
    HB_TRY(hb_kept_reserve(&s->kept, c.count, &c.word, &number));
    memcpy(number, news->index + first, c.count * sizeof *number);
    hb_parallel_for(c.count > 4 * COPIED ? hb_parallel_threads() : 1, hb_div_ceil(c.count, COPIED),
                    copy_piece, &c);
    if (c.is_incomplete)
      return hb_fail(HB_ERR_DEVICE,
                     "another device dropped a draw: particles that it corrected have not come");
    hb_kept_store(&s->kept, c.count);
  }
  return hb_gl_context_check(r->context, "storing particles of another device");
}

const struct hb_resident_way hb_resident_stored = {.create = stored_create,
                                                   .destroy = stored_destroy,
                                                   .put = stored_put,
                                                   .predict = stored_predict,
                                                   .use_ahead = stored_use_ahead,
                                                   .check = stored_check,
                                                   .correct = stored_correct,
                                                   .settle = stored_settle,
                                                   .take = stored_take,
                                                   .give = stored_give,
                                                   .predict_ahead = begin_next,
                                                   .undo = undo,
                                                   .read = stored_read};

/* ---- in either way ---- */

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_selftest_exact(r->context, "predicting on the device"));
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  return r->way->create(r);
}

enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, unsigned flags,
                                  struct hb_resident **resident)
{
  *resident = NULL;
  struct hb_resident *r;
  HB_TRY(HB_ALLOC(1, &r));
  r->pairs = pairs;
  r->context = pairs->params.context;
  r->n = n;
  r->waits = (flags & HB_FORCE_PHASES) != 0;
  r->way = hb_kept_suits(&r->context->caps, n, HB_RESIDENT_LAYERS) ? &hb_resident_stored : &hb_resident_drawn;
  enum hb_status status = create(r);
  if (status != HB_OK) {
    hb_resident_destroy(r);
    return status;
  }
  *resident = r;
  return HB_OK;
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (r->state && hb_gl_context_use(r->context) == HB_OK) r->way->destroy(r);
  hb_mem_free(r->state);
  hb_mem_free(r);
}

/* The particles, the block as it was before (stored) or as it was sent and corrected (drawn), and the sources that are
 * predicted ahead (stored) or on their way to the engine (drawn); a level and a word for each sink. */
static double resident_memory(const struct hb_interaction *interaction, enum hb_precision precision)
{
  return 16.0 * (2 * HB_RESIDENT_LAYERS + hb_pairs_texels(interaction, precision)) + sizeof(uint8_t) +
         sizeof(uint32_t);
}

/* ---- sending and fetching ---- */

static enum hb_status resident_keep(void *state, const struct hb_force_particles *p, size_t ni,
                                    const uint32_t *index)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  HB_TRY(r->way->put(r, p, ni, index));
  if (r->waits) hb_gl_timer_start();
  return HB_OK;
}

static enum hb_status resident_fetch(void *state, struct hb_force_particles *p)
{
  struct hb_resident *r = state;
  enum { ROW = 1024 }; /* particles a row of a texture */
  double *vectors[4] = {p->x, p->v, p->a, p->j};
  size_t piece;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_pairs_stage(r->pairs, (size_t)ROW * 8, hb_div_ceil(r->n, ROW) * ROW * 8, &piece));
  size_t portion = piece / 8 / ROW * ROW;
  uint32_t *high = r->pairs->staging, *low = high + 4 * portion;
  for (size_t first = 0; first < r->n; first += portion) {
    size_t count = r->n - first < portion ? r->n - first : portion;
    for (int q = 0; q < 4; q++) {
      double *vector = vectors[q] + 3 * first;
      HB_TRY(r->way->read(r, q, first, count, high, low));
      for (size_t k = 0; k < 3 * count; k++)
        vector[k] = hb_precision_join(r->pairs->params.precision, high[4 * (k / 3) + k % 3],
                                      low[4 * (k / 3) + k % 3]);
    }
  }
  return hb_gl_context_check_lost(r->context, "reading particles");
}

/* ---- prediction and correction ---- */

static enum hb_status resident_predict(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  int is_there = r->is_ahead && memcmp(dt, r->ahead, sizeof r->ahead) == 0;
  r->is_ahead = 0;
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  if (is_there) return r->way->use_ahead(r);
  set_times(r, dt);
  HB_TRY(r->way->predict(r));
  HB_TRY(hb_pairs_filled_j(r->pairs));
  if (r->waits) hb_gl_timer_start();
  return HB_OK;
}

static enum hb_status resident_check(void *state, size_t ni, const double *a)
{
  struct hb_resident *r = state;
  HB_TRY(r->way->check(r));
  for (size_t k = 0; r->way->doubt && k < 3 * ni; k++)
    if (!isfinite(a[k])) return r->way->doubt(r);
  return HB_OK;
}

static enum hb_status resident_correct(void *state, const struct hb_force_correction *c)
{
  struct hb_resident *r = state;
  struct hb_force_correction own = *c;
  if (r->waits)
    own.ahead = NULL;
  else
    own.last = NULL;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->correct(r, &own);
}

static enum hb_status resident_settle(void *state, size_t ni, const uint32_t *index, const uint8_t *level)
{
  struct hb_resident *r = state;
  return r->way->settle(r, ni, index, level);
}

/* ---- several devices ---- */

static enum hb_status resident_take(void *state, size_t ni, const uint32_t *index, struct hb_force_news *news)
{
  struct hb_resident *r = state;
  if (!r->way->take)
    return hb_fail(HB_ERR_GL,
                   "several devices that correct particles need compute shaders and OpenGL 4.4, %s has %s",
                   r->context->caps.renderer, r->context->caps.api);
  *news = (struct hb_force_news){0};
  if (ni == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->take(r, ni, index, news);
}

static enum hb_status resident_give(void *state, const struct hb_force_news *news)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  return r->way->give(r, news);
}

static enum hb_status resident_predict_ahead(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_resident *r = state;
  if (r->waits) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->predict_ahead(r, dt);
}

static void resident_undo(void *state, size_t ni, const uint32_t *index)
{
  struct hb_resident *r = state;
  if (hb_gl_context_use(r->context) == HB_OK) r->way->undo(r, ni, index);
}

const struct hb_force_resident_ops hb_resident_ops = {
    .keep = resident_keep,
    .predict = resident_predict,
    .check = resident_check,
    .correct = resident_correct,
    .settle = resident_settle,
    .fetch = resident_fetch,
    .memory = resident_memory,
    .take = resident_take,
    .give = resident_give,
    .predict_ahead = resident_predict_ahead,
    .undo = resident_undo,
};
