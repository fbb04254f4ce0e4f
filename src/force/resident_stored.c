/* Particles in a storage buffer, predicted and corrected by compute shaders. What host and device tell each other lies in
 * memory that both see: levels and particles on their way, steps and the word that no dispatch was dropped. So a block step
 * is three dispatches (prediction, walk, correction) and one wait. */
#include "base/bits.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "force/resident_way.h"
#include "gl/gl_mapped.h"
#include "gl/gl_timer.h"

enum {
  WORKGROUP = 64,      /* as in count.glsl */
  MOST_GROUPS = 65535, /* of a dispatch (OpenGL 4.3, table 23.68); predict.comp loops where that is too few */
  PORTION = 1 << 17,   /* particles sent at once: 16 MB, 2^14 workgroups */
  PACKED = 256,        /* particles that a thread of the host packs at a time */
  COMPLETE = 0,        /* the words of an answer, see count.glsl */
  STEPS = 4
};
enum { STATE, LEVELS, COUNT, ANSWERS, OTHERS }; /* bindings of the storage buffers in all programs; then: */
enum { RECORDS = OTHERS, ARRIVED = OTHERS, NUMBERS, TOTALS = OTHERS, SINKS, BEFORE };

struct stored {
  struct hb_gl_pass store, predict, correct;
  struct hb_gl_buffer state;   /* [layer][particle] */
  struct hb_gl_buffer before;  /* [sink][layer] the block before it was corrected */
  struct hb_gl_buffer count;   /* workgroups that stored or predicted */
  struct hb_gl_mapped levels;  /* [particle] a byte */
  struct hb_gl_mapped sent;    /* [k][layer] particles on their way, */
  struct hb_gl_mapped numbers; /* [k] and which they are */
  struct hb_gl_mapped answers; /* COMPLETE, then a step for each sink */
  uint32_t expected;           /* what the count is to become */
  int is_busy;                 /* the device may still be reading levels, particles or numbers */
};

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_resident *r, const char *compute, struct hb_gl_pass *pass)
{
  HB_TRY(hb_resident_build(r, &(const struct hb_gl_program_source){.compute = compute}, pass));
  hb_gl_pass_int(pass, "particle_count", (int)r->n);
  return HB_OK;
}

static enum hb_status stored_create(struct hb_resident *r)
{
  static const uint32_t zeros[4];
  struct stored *s;
  HB_TRY(HB_ALLOC(1, &s));
  r->state = s;
  HB_TRY(build(r, "hermite/store.comp", &s->store));
  HB_TRY(build(r, "hermite/predict.comp", &s->predict));
  HB_TRY(build(r, "hermite/correct.comp", &s->correct));
  hb_gl_buffer_fill(&s->state, HB_GL_BY_DEVICE, 16 * HB_RESIDENT_LAYERS * r->n, NULL);
  hb_gl_buffer_fill(&s->count, HB_GL_BY_DEVICE, sizeof zeros, zeros);
  HB_TRY(hb_gl_mapped_reserve(r->context, (r->n + 3) & ~(size_t)3, &s->levels));
  HB_TRY(hb_gl_mapped_reserve(r->context, 4096, &s->answers));
  ((uint32_t *)s->answers.memory)[COMPLETE] = 0;
  return hb_gl_context_check(r->context, "reserving memory for particles");
}

static void stored_destroy(struct hb_resident *r)
{
  struct stored *s = r->state;
  hb_gl_pass_destroy(&s->store);
  hb_gl_pass_destroy(&s->predict);
  hb_gl_pass_destroy(&s->correct);
  hb_gl_buffer_destroy(&s->state);
  hb_gl_buffer_destroy(&s->before);
  hb_gl_buffer_destroy(&s->count);
  hb_gl_mapped_destroy(&s->levels);
  hb_gl_mapped_destroy(&s->sent);
  hb_gl_mapped_destroy(&s->numbers);
  hb_gl_mapped_destroy(&s->answers);
}

/* ---- dispatches that are counted ---- */

static void dispatch(struct stored *s, struct hb_gl_pass *pass, size_t threads)
{
  size_t groups = hb_min(hb_div_ceil(threads, WORKGROUP), MOST_GROUPS);
  s->expected += (uint32_t)groups;
  s->is_busy = 1;
  hb_gl_pass_uint(pass, "expected", s->expected);
  hb_gl_pass_storage(pass, STATE, &s->state);
  hb_gl_pass_storage(pass, COUNT, &s->count);
  hb_gl_pass_storage(pass, ANSWERS, &s->answers.buffer);
  hb_gl_pass_dispatch(pass, groups, 1);
}

static void finish(struct stored *s)
{
  if (s->is_busy) hb_gl_mapped_finish();
  s->is_busy = 0;
}

static int is_complete(const struct stored *s)
{
  return ((const volatile uint32_t *)s->answers.memory)[COMPLETE] == s->expected;
}

/* After results of the last dispatch have come, so that none is waited for, unless one is missing. */
static enum hb_status stored_check(struct hb_resident *r)
{
  struct stored *s = r->state;
  if (!is_complete(s)) finish(s);
  s->is_busy = 0;
  if (is_complete(s)) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: not all particles were stored and predicted",
                 r->context->caps.renderer);
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

static void store(struct stored *s, const struct hb_gl_buffer *particles, size_t count)
{
  hb_gl_pass_int(&s->store, "count", (int)count);
  hb_gl_pass_storage(&s->store, ARRIVED, particles);
  hb_gl_pass_storage(&s->store, NUMBERS, &s->numbers.buffer);
  dispatch(s, &s->store, HB_RESIDENT_LAYERS * count);
}

/* Memory for that many on their way. */
static enum hb_status reserve_sent(struct hb_resident *r, size_t count)
{
  struct stored *s = r->state;
  size_t room = hb_min(2 * count, hb_min(r->n, PORTION));
  finish(s);
  if (count * sizeof(uint32_t) > s->numbers.buffer.bytes)
    HB_TRY(hb_gl_mapped_reserve(r->context, room * sizeof(uint32_t), &s->numbers));
  if (16 * HB_RESIDENT_LAYERS * count > s->sent.buffer.bytes)
    HB_TRY(hb_gl_mapped_reserve(r->context, 16 * HB_RESIDENT_LAYERS * room, &s->sent));
  return HB_OK;
}

static enum hb_status stored_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                 const uint32_t *index)
{
  struct stored *s = r->state;
  for (size_t first = 0; first < ni; first += PORTION) {
    size_t count = hb_min(ni - first, PORTION);
    HB_TRY(reserve_sent(r, count));
    uint32_t *number = s->numbers.memory;
    uint8_t *level = s->levels.memory;
    for (size_t k = 0; k < count; k++) {
      number[k] = index ? index[first + k] : (uint32_t)(first + k);
      level[number[k]] = p->level[number[k]];
    }
    struct packing packing = {r, p, number, count, s->sent.memory};
    hb_parallel_for(count > PACKED ? hb_parallel_threads() : 1, hb_div_ceil(count, PACKED), pack_piece,
                    &packing);
    store(s, &s->sent.buffer, count);
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

static enum hb_status stored_read(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                                  uint32_t *low)
{
  struct stored *s = r->state;
  size_t layer = 2 * (size_t)q;
  if (first == 0 && q == 0) HB_TRY(stored_check(r));
  hb_gl_buffer_read(&s->state, 16 * (layer * r->n + first), 16 * count, high);
  hb_gl_buffer_read(&s->state, 16 * ((layer + 1) * r->n + first), 16 * count, low);
  return HB_OK;
}

/* ---- prediction and correction ---- */

static enum hb_status stored_predict(struct hb_resident *r)
{
  struct stored *s = r->state;
  hb_resident_set_since(r, &s->predict);
  hb_gl_pass_storage(&s->predict, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(&s->predict, RECORDS, &r->pairs->j);
  dispatch(s, &s->predict, r->n);
  return HB_OK;
}

/* The arguments of correct_portion. */
struct correction {
  struct hb_resident *r;
  const struct hb_force_step *how;
  struct hb_phases *last; /* NULL: do not wait */
};

static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  const struct correction *c = context;
  struct stored *s = c->r->state;
  struct hb_gl_pass *pass = &s->correct;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  hb_resident_set_since(c->r, pass);
  hb_resident_set_totals(&t, c->how, first, count, pass);
  hb_gl_pass_storage(pass, STATE, &s->state);
  hb_gl_pass_storage(pass, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(pass, ANSWERS, &s->answers.buffer);
  hb_gl_pass_storage(pass, TOTALS, &(const struct hb_gl_buffer){.id = t.buffer});
  hb_gl_pass_storage(pass, SINKS, &pairs->i);
  hb_gl_pass_storage(pass, BEFORE, &s->before);
  hb_gl_pass_dispatch(pass, hb_div_ceil(count, WORKGROUP), 1);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return HB_OK;
}

/* No step has come yet: each is marked so. */
static enum hb_status expect_steps(struct hb_resident *r, size_t ni, uint32_t waiting)
{
  struct stored *s = r->state;
  size_t bytes = (STEPS + ni) * sizeof(uint32_t);
  if (bytes > s->answers.buffer.bytes) {
    finish(s);
    HB_TRY(stored_check(r));
    HB_TRY(hb_gl_mapped_reserve(r->context, (STEPS + hb_min(2 * ni, r->n)) * sizeof(uint32_t), &s->answers));
    ((uint32_t *)s->answers.memory)[COMPLETE] = s->expected;
  }
  if (16 * HB_RESIDENT_LAYERS * ni > s->before.bytes)
    hb_gl_buffer_fill(&s->before, HB_GL_BY_DEVICE, 16 * HB_RESIDENT_LAYERS * hb_min(2 * ni, r->n), NULL);
  uint32_t *step = (uint32_t *)s->answers.memory + STEPS;
  for (size_t k = 0; k < ni; k++) step[k] = waiting;
  return HB_OK;
}

/* The steps of the whole block, as soon as they are there. */
static enum hb_status read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, uint32_t waiting,
                                 double *step)
{
  struct stored *s = r->state;
  const volatile uint32_t *word = (const uint32_t *)s->answers.memory + STEPS;
  hb_gl_mapped_await(r->context, word, ni, waiting);
  for (size_t k = 0; k < ni; k++) HB_TRY(hb_resident_step(r, word[k], k, index[k], &step[k]));
  return HB_OK;
}

/* After a failure: the sinks that were corrected are again what they were before. */
static void undo(struct hb_resident *r, size_t ni, const uint32_t *index, uint32_t waiting)
{
  struct stored *s = r->state;
  const uint32_t *word = (const uint32_t *)s->answers.memory + STEPS;
  s->is_busy = 1;
  finish(s);
  if (hb_gl_mapped_reserve(r->context, ni * sizeof(uint32_t), &s->numbers) != HB_OK) return;
  int32_t *number = s->numbers.memory;
  for (size_t k = 0; k < ni; k++) number[k] = word[k] == waiting ? -1 : (int32_t)index[k];
  store(s, &s->before, ni);
}

static enum hb_status stored_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                     const struct hb_force_step *how, double *step, struct hb_phases *last)
{
  const uint32_t waiting = hb_bits_of_float(-3);
  struct correction correction = {r, how, last};
  HB_TRY(expect_steps(r, ni, waiting));
  enum hb_status status = hb_pairs_walk_taking(r->pairs, ni, index, correct_portion, &correction);
  double lap = hb_clock_now();
  if (status == HB_OK) status = read_steps(r, ni, index, waiting, step);
  if (last) last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status == HB_OK || status == HB_ERR_NUMERIC) { /* of what was never predicted, anything may have come */
    enum hb_status predicted = stored_check(r);
    if (predicted != HB_OK) status = predicted;
  }
  if (status != HB_OK) undo(r, ni, index, waiting);
  return status;
}

const struct hb_resident_way hb_resident_stored = {stored_create,  stored_destroy, stored_put,
                                                   stored_predict, stored_check,   stored_correct,
                                                   stored_settle,  stored_read};
