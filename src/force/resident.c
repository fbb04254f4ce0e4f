/* Particles that stay on the device: programs and words of either way, the way of storage buffers, sending and fetching; and
 * sources that each have a time of their own. */
#include "force/resident.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/frame.h"
#include "pairs/selftest.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { RESIDENT_LAYERS = 8 /* of four words, see shaders/hermite/particle.glsl */ };

/* As hb_resident_ops, with the context current. */
struct hb_resident_way {
  enum hb_status (*create)(struct hb_resident *r);
  void (*destroy)(struct hb_resident *r);
  enum hb_status (*put)(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                        const uint32_t *index);
  enum hb_status (*predict)(struct hb_resident *r); /* since has been set */
  enum hb_status (*check)(struct hb_resident *r);
  enum hb_status (*doubt)(
      struct hb_resident *r); /* a force is not finite; NULL: `check` finds all that is lost */
  enum hb_status (*correct)(struct hb_resident *r, const struct hb_force_correction *c);
  enum hb_status (*settle)(struct hb_resident *r, size_t ni, const uint32_t *index, const uint8_t *level);

  /* Layers 2 q and 2 q + 1 of particles first .. first + count - 1: x, v, a or k as high and low words, four a particle. */
  enum hb_status (*read)(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                         uint32_t *low);
};

/* ---- memory of the device and its copies on the host ---------------------------------------------------- */

struct kept {
  struct hb_gl_context *context;
  size_t n, layers;
  struct hb_gl_pass store;
  struct hb_gl_buffer state;        /* [layer][particle] */
  struct hb_gl_buffer count;        /* of workgroups that have ended */
  struct hb_gl_mapped told;         /* what the count was when it was last complete */
  struct hb_gl_mapped sent;         /* [k][layer] particles on their way, */
  struct hb_gl_mapped numbers;      /* [k] and which they are, or -1: none */
  struct hb_gl_pass collect;        /* made when it is first needed: */
  struct hb_gl_mapped wanted;       /* numbers of particles that the host wants, */
  struct hb_gl_readback leaving[2]; /* [k][layer] those on their way to it, in turn */
  uint32_t token;                   /* of this turn */
  uint32_t expected;                /* what the count is to become, */
  uint32_t due;   /* and what it must be by now: without dispatches whose results nobody has asked for yet */
  int is_busy;    /* the device may still be at work, */
  int is_storing; /* read what is on its way to it, */
  int is_collecting; /* or write what the host wants */
};

/* Room for up to KEPT_PORTION particles on their way, when none are: their layers, words[4 * layers * count], and
 * numbers[count]. Then they are stored, all but those with number -1; or they come from another buffer. */
enum { KEPT_PORTION = 1 << 17 };

/* For a program that includes kept.glsl, with so many threads: one that is counted, or not, because its results show
 * whether it was dropped. The inputs of kept.glsl are set, and bindings from KEPT_BINDINGS on are free. */
enum { KEPT_BINDINGS = 3 };

enum {
  WORKGROUP = 64,      /* threads, in all programs of shaders/hermite */
  MOST_GROUPS = 65535, /* of a dispatch (OpenGL 4.3, table 23.68); programs loop where that is too few */
};
enum { STATE, COUNT, TOLD, ARRIVED = KEPT_BINDINGS, NUMBERS };
enum { COLLECTED = KEPT_BINDINGS, LEAVING };

/* A program of shaders/hermite for particles in this precision; fma_is_fused: fma() rounds once (hb_pairs). The files' own defines are added.
 * Errors: as hb_gl_pass_create. */
static enum hb_status kept_program(struct hb_gl_context *context, enum hb_precision precision,
                                   int fma_is_fused, const struct hb_gl_program_source *files,
                                   struct hb_gl_pass *pass)
{
  char defines[96];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s%s%s", (int)precision,
           fma_is_fused ? "#define FMA_IS_FUSED\n" : "",
           context->caps.has_counts ? "" : "#define UNCOUNTED\n", files->defines ? files->defines : "");
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  return hb_gl_pass_create(context, &source, pass);
}

/* Whether the device can, and has a buffer for so many. */
static int kept_suits(const struct hb_gl_caps *caps, size_t n, size_t layers)
{
  return caps->has_compute && caps->has_lasting_maps &&
         16 * layers * n <= (size_t)caps->max_storage_block_size;
}

static enum hb_status kept_create(struct hb_gl_context *context, size_t n, size_t layers, struct kept *k)
{
  static const uint32_t zeros[4];
  k->context = context;
  k->n = n;
  k->layers = layers;
  HB_TRY(hb_gl_pass_create(context, &(const struct hb_gl_program_source){.compute = "hermite/store.comp"},
                           &k->store));
  hb_gl_buffer_fill(&k->state, HB_GL_BY_DEVICE, 16 * layers * n, NULL);
  hb_gl_buffer_fill(&k->count, HB_GL_BY_DEVICE, sizeof zeros, zeros);
  HB_TRY(hb_gl_mapped_reserve(context, sizeof zeros, &k->told));
  *(uint32_t *)k->told.memory = 0;
  return hb_gl_context_check(context, "reserving memory for particles");
}

/* *kept starts as zeros; after a failure it is destroyed, too. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
static void kept_destroy(struct kept *k)
{
  HB_GL_DESTROY(pass, &k->store, &k->collect);
  HB_GL_DESTROY(buffer, &k->state, &k->count);
  HB_GL_DESTROY(mapped, &k->wanted, &k->told, &k->sent, &k->numbers);
  HB_GL_DESTROY(readback, &k->leaving[0], &k->leaving[1]);
  *k = (struct kept){0};
}

/* ---- dispatches ---- */

static size_t groups_of(size_t threads) { return hb_min(hb_div_ceil(threads, WORKGROUP), MOST_GROUPS); }

static void kept_dispatch_uncounted(struct kept *k, struct hb_gl_pass *pass, size_t threads)
{
  k->is_busy = 1;
  hb_gl_pass_int(pass, "particle_count", (int)k->n);
  hb_gl_pass_storage(pass, STATE, &k->state);
  hb_gl_pass_dispatch(pass, groups_of(threads), 1);
}

/* The same for one that may turn out to be in vain; and its results will be used, if no other counted one was in between. */
static void kept_dispatch_ahead(struct kept *k, struct hb_gl_pass *pass, size_t threads)
{
  k->expected += (uint32_t)groups_of(threads);
  hb_gl_pass_uint(pass, "expected", k->expected);
  hb_gl_pass_storage(pass, COUNT, &k->count);
  hb_gl_pass_storage(pass, TOLD, &k->told.buffer);
  kept_dispatch_uncounted(k, pass, threads);
}

static void kept_use_ahead(struct kept *k) { k->due = k->expected; }

static void kept_dispatch(struct kept *k, struct hb_gl_pass *pass, size_t threads)
{
  kept_dispatch_ahead(k, pass, threads);
  kept_use_ahead(k);
}

/* The device is waited for, unless it has been: nothing is on its way. */
static void finish(struct kept *k, int is_done)
{
  if (k->is_busy && !is_done) hb_gl_mapped_finish();
  k->is_busy = k->is_storing = k->is_collecting = 0;
}

/* Whether all is done that is due, and perhaps more. */
static int is_complete(const struct kept *k)
{
  uint32_t complete = *(volatile const uint32_t *)k->told.memory;
  return (int32_t)(complete - k->due) >= 0;
}

/* After results of a later dispatch have come, so that there is nothing to wait for: HB_ERR_DEVICE unless all that were
 * counted have been done. */
static enum hb_status kept_check(struct kept *k)
{
  if (!is_complete(k)) finish(k, 0);
  k->is_busy = k->is_busy && k->due != k->expected;
  k->is_storing = k->is_storing && !is_complete(k);
  if (is_complete(k)) return HB_OK;
  return hb_gl_context_dropped(k->context, "not all particles were stored and predicted");
}

/* ---- storing ---- */

static enum hb_status kept_reserve(struct kept *k, size_t count, uint32_t **words, uint32_t **numbers)
{
  size_t bytes = 16 * k->layers, room = hb_min(2 * count, hb_min(k->n, KEPT_PORTION));
  if (k->is_storing) finish(k, 0);
  if (count * sizeof **numbers > k->numbers.buffer.bytes)
    HB_TRY(hb_gl_mapped_reserve(k->context, hb_max(room, count) * sizeof **numbers, &k->numbers));
  *numbers = k->numbers.memory;
  if (!words) return HB_OK;
  if (count * bytes > k->sent.buffer.bytes) HB_TRY(hb_gl_mapped_reserve(k->context, room * bytes, &k->sent));
  *words = k->sent.memory;
  return HB_OK;
}

static void kept_store_from(struct kept *k, size_t count, const struct hb_gl_buffer *particles)
{
  hb_gl_pass_int(&k->store, "arrived_count", (int)count);
  hb_gl_pass_int(&k->store, "layers", (int)k->layers);
  hb_gl_pass_storage(&k->store, ARRIVED, particles);
  hb_gl_pass_storage(&k->store, NUMBERS, &k->numbers.buffer);
  kept_dispatch(k, &k->store, k->layers * count);
  k->is_storing = 1;
}

/* Particles to be stored: pack writes the layers of the k-th, whose number that is; 0: it has not come. One thread packs up to
 * `alone`. */
struct kept_packing {
  const void *owner;
  int (*pack)(const void *owner, size_t k, uint32_t number, uint32_t *words);
  size_t alone;

  /* those that are sent together */
  size_t first, count, words;
  const uint32_t *number;
  uint32_t *out;
  atomic_int is_incomplete;
};

enum { PACKED = 256 /* particles that a thread of the host packs at a time */ };

static void pack_piece(void *context, size_t k, size_t end)
{
  struct kept_packing *p = context;
  for (; k < end; k++)
    if (!p->pack(p->owner, p->first + k, p->number[k], p->out + p->words * k)) p->is_incomplete = 1;
}

/* number NULL: 0, 1, ... */
static enum hb_status kept_put(struct kept *k, size_t count, const uint32_t *number, struct kept_packing p)
{
  p.words = 4 * k->layers;
  for (p.first = 0; p.first < count; p.first += p.count) {
    uint32_t *numbers;
    p.count = hb_min(count - p.first, KEPT_PORTION);
    HB_TRY(kept_reserve(k, p.count, &p.out, &numbers));
    for (size_t i = 0; i < p.count; i++) numbers[i] = number ? number[p.first + i] : (uint32_t)(p.first + i);
    p.number = numbers;
    hb_parallel_pieces(p.count, PACKED, p.alone, pack_piece, &p);
    if (p.is_incomplete)
      return hb_fail(HB_ERR_DEVICE,
                     "another device dropped a draw: particles that it corrected have not come");
    k->context->sent += p.count * (4 * p.words + sizeof(uint32_t));
    kept_store_from(k, p.count, &k->sent.buffer);
  }
  return hb_gl_context_check(k->context, "storing particles");
}

/* ---- collecting ---- */

static struct hb_gl_readback *turn_of(struct kept *k) { return &k->leaving[k->token & 1]; }

/* The host wants the particles number[count], as they are after what has been dispatched so far; and when the device has got
 * there, *words: 4 * layers each, of which the last is the number plus the token. Valid until it wants others twice. */
static enum hb_status kept_collect(struct kept *k, size_t count, const uint32_t *number)
{
  size_t bytes = 16 * k->layers * count, all = 16 * k->layers * k->n;
  if (!k->collect.program)
    HB_TRY(hb_gl_pass_create(
        k->context, &(const struct hb_gl_program_source){.compute = "hermite/collect.comp"}, &k->collect));
  k->token += 0x9e3779b1; /* odd, as in pairs_walk.c: neighbors are far apart, and every other one is even */
  struct hb_gl_readback *leaving = turn_of(k);
  if (leaving->buffer.bytes) hb_gl_readback_close(leaving); /* nobody reads what was there any more */
  HB_TRY(hb_gl_readback_reserve(k->context, hb_min(2 * bytes, all), leaving));
  HB_TRY(hb_gl_mapped_reserve(k->context, hb_min(2 * count, k->n) * sizeof *number, &k->wanted));
  memcpy(k->wanted.memory, number, count * sizeof *number);
  hb_gl_readback_expect(k->context, bytes, leaving);
  hb_gl_pass_int(&k->collect, "layers", (int)k->layers);
  hb_gl_pass_int(&k->collect, "leaving_count", (int)count);
  hb_gl_pass_uint(&k->collect, "token", k->token);
  hb_gl_pass_storage(&k->collect, COLLECTED, &k->wanted.buffer);
  hb_gl_pass_storage(&k->collect, LEAVING, &leaving->buffer);
  kept_dispatch_uncounted(k, &k->collect, k->layers * count);
  k->is_collecting = 1;
  return hb_gl_context_check(k->context, "collecting particles");
}

static enum hb_status kept_collected(struct kept *k, size_t count, const uint32_t **words)
{
  if (k->is_collecting)
    HB_TRY(hb_gl_readback_open(k->context, turn_of(k), 16 * k->layers * count, words));
  else
    *words = hb_gl_readback_there(turn_of(k), 16 * k->layers * count);
  k->is_collecting = 0;
  k->is_storing = 0; /* what was dispatched before is done, too */
  k->is_busy = k->is_busy && k->due != k->expected;
  return HB_OK;
}

/* ---- particles that stay on the device ------------------------------------------------------------------ */

/* A program of shaders/hermite in the precision of the particles. */
static enum hb_status resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                     struct hb_gl_pass *pass)
{
  return kept_program(r->context, r->pairs->params.precision, r->pairs->fma_is_fused, files, pass);
}

/* A double as two words of the device: its own, high and low, or those of the nearest float and the remainder; and back. */
static void precision_split(enum hb_precision precision, double x, uint32_t *high, uint32_t *low)
{
  if (hb_precisions[precision].is_double) {
    hb_bits_of_double(x, high, low);
    return;
  }
  *high = hb_bits_of_float((float)x);
  *low = hb_bits_of_float(hb_split_low(x));
}

static void pack_field(struct hb_resident *r, const struct hb_field *field)
{
  enum hb_field_form form[HB_FIELD_PARTS];
  double number[HB_FIELD_PARTS][HB_FIELD_NUMBERS];
  enum hb_precision precision = r->pairs->params.precision;
  r->part_count = hb_field_parts(field, form, number);
  for (int k = 0; k < r->part_count; k++) {
    uint32_t *word = r->parts + 16 * k;
    for (int c = 0; c < 3; c++) {
      precision_split(precision, number[k][c], &word[2 * c], &word[2 * c + 1]);
      precision_split(precision, number[k][3 + c], &word[8 + c], &word[12 + c]);
    }
    word[6] = form[k];
  }
  precision_split(precision, hb_field_turn(field), &r->double_turn[0], &r->double_turn[1]);
}

/* The program of correct.*, built when the first block tells whether there are forces from outside; field NULL: none. */
static enum hb_status resident_build_correct(struct hb_resident *r, const struct hb_gl_program_source *files,
                                             const struct hb_field *field, struct hb_gl_pass *pass)
{
  struct hb_gl_program_source source = *files;
  if (pass->program) return HB_OK;
  if (field) {
    source.defines = "#define FIELD\n";
    pack_field(r, field);
  }
  return resident_build(r, &source, pass);
}

/* ---- words ---- */

/* Layers 2 q and 2 q + 1 of particle i of p, their last words included. */
static void resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                          uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  enum hb_precision precision = r->pairs->params.precision;
  for (size_t c = 0; c < 3; c++) precision_split(precision, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) precision_split(precision, p->m[i], &high[3], &low[3]);
}

/* since of a prediction. */
static void set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  enum hb_precision precision = r->pairs->params.precision;
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    precision_split(precision, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    precision_split(precision, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

/* ---- inputs and results ---- */

/* Inputs of predict.* and correct.*; of correct.* for sinks first .. first + count - 1 of a block, with these totals. */
static void resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

static void resident_set_totals(const struct hb_resident *r, const struct hb_pairs_totals *t,
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

/* The step of a corrected sink from its word. Errors: HB_ERR_DEVICE (a draw was lost), HB_ERR_NUMERIC. */
static enum hb_status take_step(const struct hb_resident *r, uint32_t word, size_t sink, uint32_t particle,
                                double *step)
{
  float asked = hb_bits_to_float(word);
  *step = asked >= 1e38F ? INFINITY : asked;
  if (asked >= 0) return HB_OK;
  if (asked <= -2 || !r->context->caps.has_draws)
    return hb_gl_context_dropped(r->context, "sink %zu has not summed all sources", sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}

/* ---- in storage buffers ---- */

/* Particles in a storage buffer, predicted and corrected by compute shaders. Levels and steps lie in memory that host and
 * device share, so a block step is three dispatches (prediction, walk, correction) and one wait. */

/* So many pairs take the device longer than two submissions take the host. */
static const double LONG_WALK = 1e9;

enum { LEVELS = KEPT_BINDINGS, RECORDS, TOTALS = RECORDS, SINKS, BEFORE, STEPS };

struct stored {
  struct kept kept;
  struct hb_gl_pass predict, correct;
  struct hb_gl_mapped levels; /* [particle] a byte */
  struct hb_gl_mapped steps;  /* [sink] what eq. 9 asks for, or MISSING, or what take_step refuses */
  struct hb_gl_buffer before; /* [sink][layer] the block before it was corrected */
};

static uint32_t missing(void) { return hb_bits_of_float(-3); }

static enum hb_status stored_create(struct hb_resident *r)
{
  struct stored *s;
  HB_TRY(HB_ALLOC(1, &s));
  r->state = s;
  HB_TRY(kept_create(r->context, r->n, RESIDENT_LAYERS, &s->kept));
  const struct hb_gl_program_source predict = {.compute = "hermite/predict.comp"};
  HB_TRY(resident_build(r, &predict, &s->predict));
  return hb_gl_mapped_reserve(r->context, (r->n + 3) & ~(size_t)3, &s->levels);
}

static void stored_destroy(struct hb_resident *r)
{
  struct stored *s = r->state;
  kept_destroy(&s->kept);
  HB_GL_DESTROY(pass, &s->predict, &s->correct);
  HB_GL_DESTROY(mapped, &s->levels, &s->steps);
  hb_gl_buffer_destroy(&s->before);
}

/* ---- storing ---- */

/* Particles of the host, and where their levels go. */
struct arriving {
  const struct hb_resident *r;
  const struct hb_force_particles *p;
  uint8_t *level;
};

static int pack_arriving(const void *owner, size_t k, uint32_t number, uint32_t *words)
{
  (void)k;
  const struct arriving *a = owner;
  for (int q = 0; q < 4; q++) resident_pack(a->r, a->p, number, q, words + 8 * q, words + 8 * q + 4);
  a->level[number] = a->p->level[number];
  return 1;
}

static enum hb_status stored_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                 const uint32_t *index)
{
  struct stored *s = r->state;
  const struct arriving arriving = {r, p, s->levels.memory};
  return kept_put(&s->kept, ni, index, (struct kept_packing){&arriving, pack_arriving, .alone = PACKED});
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
  return kept_check(&s->kept);
}

static enum hb_status stored_read(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                                  uint32_t *low)
{
  const struct stored *s = r->state;
  size_t layer = 2 * (size_t)q * r->n, bytes = 16 * count;
  HB_TRY(stored_check(r));
  hb_gl_buffer_read(&s->kept.state, 16 * (layer + first), bytes, high);
  hb_gl_buffer_read(&s->kept.state, 16 * (layer + r->n + first), bytes, low);
  return HB_OK;
}

/* ---- prediction and correction ---- */

/* The device begins, while the host goes on. */
static void predict_into(struct hb_resident *r, const struct hb_gl_buffer *records)
{
  struct stored *s = r->state;
  resident_set_since(r, &s->predict);
  hb_gl_pass_storage(&s->predict, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(&s->predict, RECORDS, records);
  kept_dispatch_ahead(&s->kept, &s->predict, r->n);
  hb_gl_flush();
}

static enum hb_status stored_predict(struct hb_resident *r)
{
  struct stored *s = r->state;
  predict_into(r, &r->pairs->j);
  kept_use_ahead(&s->kept);
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
  resident_set_since(r, pass);
  resident_set_totals(r, &t, c->how, first, count, pass);
  hb_gl_pass_storage(pass, LEVELS, &s->levels.buffer);
  hb_gl_pass_storage(pass, TOTALS, &(const struct hb_gl_buffer){.id = t.buffer});
  hb_gl_pass_storage(pass, SINKS, &pairs->i.buffer);
  hb_gl_pass_storage(pass, BEFORE, &s->before);
  hb_gl_pass_storage(pass, STEPS, &s->steps.buffer);
  kept_dispatch_uncounted(&s->kept, pass, count);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return HB_OK;
}

/* Marks the steps as missing: those of dispatches that are dropped still are afterwards. */
static enum hb_status expect_steps(struct hb_resident *r, size_t ni)
{
  struct stored *s = r->state;
  size_t room = hb_min(2 * ni, r->n), bytes = 16 * RESIDENT_LAYERS;
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
  if (hb_gl_mapped_await(r->context, word, ni, missing())) finish(&s->kept, 1);
  for (size_t k = 0; k < ni; k++) HB_TRY(take_step(r, word[k], k, index[k], &step[k]));
  return HB_OK;
}

/* After a failure: the sinks that were corrected are again what they were before. */
static void undo(struct hb_resident *r, size_t ni, const uint32_t *index)
{
  struct stored *s = r->state;
  const uint32_t *step = s->steps.memory;
  uint32_t *number;
  hb_gl_mapped_finish();
  if (kept_reserve(&s->kept, ni, NULL, &number) != HB_OK) return;
  for (size_t k = 0; k < ni; k++) number[k] = step[k] == missing() ? UINT32_MAX : index[k];
  kept_store_from(&s->kept, ni, &s->before);
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
  return kept_collected(&s->kept, ni, &news->words);
}

static enum hb_status stored_correct(struct hb_resident *r, const struct hb_force_correction *c)
{
  struct stored *s = r->state;
  size_t ni = c->ni;
  const uint32_t *index = c->index;
  const struct hb_pairs_job job = {.ni = ni, .index = index, .take = correct_portion, .context = r};
  const struct hb_gl_program_source files = {.compute = "hermite/correct.comp"};
  r->correction = c;
  HB_TRY(resident_build_correct(r, &files, c->how->field, &s->correct));
  HB_TRY(expect_steps(r, ni));
  enum hb_status status = hb_pairs_walk(r->pairs, &job);
  if (status == HB_OK && c->news) status = kept_collect(&s->kept, ni, index);
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

static const struct hb_resident_way resident_stored = {.create = stored_create,
                                                       .destroy = stored_destroy,
                                                       .put = stored_put,
                                                       .predict = stored_predict,
                                                       .check = stored_check,
                                                       .correct = stored_correct,
                                                       .settle = stored_settle,
                                                       .read = stored_read};

/* ---- in either way ---- */

/* The particles, the block as it was before (stored) or as it was sent and corrected (drawn), and the sources that are
 * predicted ahead (stored) or on their way to the engine (drawn); a level and a word for each sink. */
static double resident_memory(const struct hb_interaction *interaction, enum hb_precision precision)
{
  return 16.0 * (2 * RESIDENT_LAYERS + hb_pairs_texels(interaction, precision)) + sizeof(uint8_t) +
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

static double precision_join(enum hb_precision precision, uint32_t high, uint32_t low)
{
  if (hb_precisions[precision].is_double) return hb_bits_to_double(high, low);
  return (double)hb_bits_to_float(high) + (double)hb_bits_to_float(low);
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
        vector[k] =
            precision_join(r->pairs->params.precision, high[4 * (k / 3) + k % 3], low[4 * (k / 3) + k % 3]);
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
  if (is_there) {
    kept_use_ahead(&((struct stored *)r->state)->kept);
    return hb_pairs_use_next(r->pairs);
  }
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

/* ---- several devices: in storage buffers alone ---- */

static enum hb_status resident_take(void *state, size_t ni, const uint32_t *index, struct hb_force_news *news)
{
  struct hb_resident *r = state;
  if (r->way != &resident_stored)
    return hb_fail(HB_ERR_GL,
                   "several devices that correct particles need compute shaders and OpenGL 4.4, %s has %s",
                   r->context->caps.renderer, r->context->caps.api);
  *news = (struct hb_force_news){0};
  if (ni == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(kept_collect(&((struct stored *)r->state)->kept, ni, index));
  return collected(r, ni, index, news);
}

static int pack_given(const void *owner, size_t k, uint32_t number, uint32_t *words)
{
  enum { EACH = 4 * RESIDENT_LAYERS };
  const struct hb_force_news *news = owner;
  memcpy(words, news->words + EACH * k, EACH * sizeof *words);
  return words[EACH - 1] == number + news->token;
}

static enum hb_status resident_give(void *state, const struct hb_force_news *news)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  return kept_put(&((struct stored *)r->state)->kept, news->count, news->index,
                  (struct kept_packing){news, pack_given, .alone = 4 * PACKED});
}

static enum hb_status resident_predict_ahead(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_resident *r = state;
  if (r->waits) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return begin_next(r, dt);
}

static void resident_undo(void *state, size_t ni, const uint32_t *index)
{
  struct hb_resident *r = state;
  if (hb_gl_context_use(r->context) == HB_OK) undo(r, ni, index);
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

/* ---- by draws, where there are no compute shaders ------------------------------------------------------- */

/* Particles in the layers of an array texture, predicted, corrected and stored by draws: what a GPU without compute shaders
 * can do. Occlusion queries count the fragments. Where queries do not count, targets are filled before with what no draw
 * writes, and particles bear the number of the draw that stored them (predict.frag). */

enum {
  ROW = 1024 /* particles a row, as in particle.glsl */,
  STEP_LAYER = 3 /* its w is the step of eq. 9 */
};
static const uint32_t NOTHING[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}; /* a record of NaN */

struct drawn {
  int rows;
  struct hb_gl_texture state, block; /* all particles; those of a block, as they were sent or corrected */
  struct hb_gl_texture
      records; /* one layer: the output of predict.frag, to be copied to the engine's buffer */
  struct hb_gl_pass predict, correct, scatter;
  struct hb_gl_buffer sinks, levels;
  struct hb_gl_texture totals;      /* over the buffer that a walk left */
  struct hb_gl_tally made;          /* by predict and correct, for this block */
  struct hb_gl_tally stored;        /* by scatter, since there is a state */
  uint32_t stamp;                   /* of the last particles to be stored, */
  uint32_t stamps[HB_FORCE_LEVELS]; /* and for each level */
};

static int rows_of(size_t count) { return (int)hb_div_ceil(count, ROW); }

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_resident *r, const char *vertex, const char *fragment,
                            struct hb_gl_pass *pass)
{
  return resident_build(r, &(const struct hb_gl_program_source){.vertex = vertex, .fragment = fragment},
                        pass);
}

static enum hb_status drawn_create(struct hb_resident *r)
{
  struct drawn *d;
  HB_TRY(HB_ALLOC(1, &d));
  r->state = d;
  d->rows = rows_of(r->n);
  HB_TRY(build(r, NULL, "hermite/predict.frag", &d->predict));
  HB_TRY(build(r, "hermite/scatter.vert", "hermite/scatter.frag", &d->scatter));
  HB_TRY(hb_gl_texture_words(r->context, ROW, d->rows, RESIDENT_LAYERS, &d->state));
  hb_gl_target_clear(&d->state.target);
  memset(d->stamps, 0xff, sizeof d->stamps); /* no particle is of a level that was not stored */
  return hb_gl_texture_words(r->context, ROW, rows_of(r->n * (size_t)r->pairs->texels), 1, &d->records);
}

static void drawn_destroy(struct hb_resident *r)
{
  struct drawn *d = r->state;
  HB_GL_DESTROY(pass, &d->predict, &d->correct, &d->scatter);
  HB_GL_DESTROY(texture, &d->state, &d->block, &d->records, &d->totals);
  HB_GL_DESTROY(buffer, &d->sinks, &d->levels);
  HB_GL_DESTROY(tally, &d->made, &d->stored);
}

/* ---- storing ---- */

static void send_list(struct hb_gl_buffer *list, enum hb_gl_format format, size_t bytes, const void *numbers)
{
  if (bytes > list->bytes) {
    hb_gl_buffer_fill(list, HB_GL_BY_HOST, bytes + 4096, NULL);
    hb_gl_buffer_texture(list, format);
  }
  hb_gl_buffer_write(list, bytes, numbers);
}

static void send_sinks(struct drawn *d, size_t ni, const uint32_t *index)
{
  send_list(&d->sinks, HB_GL_R32I, ni * sizeof *index, index);
}

static void send_levels(struct drawn *d, size_t ni, const uint8_t *level)
{
  for (size_t k = 0; k < ni; k++) d->stamps[level[k]] = d->stamp;
  send_list(&d->levels, HB_GL_R8UI, ni, level);
}

static enum hb_status reserve_block(struct hb_resident *r, size_t ni)
{
  struct drawn *d = r->state;
  if (d->block.height >= rows_of(ni)) return HB_OK;
  hb_gl_texture_destroy(&d->block);
  return hb_gl_texture_words(r->context, ROW, rows_of(ni), RESIDENT_LAYERS, &d->block);
}

/* Texels of a stack's first rows that hold `count` particles. */
static size_t texels_of(size_t count, int *width, int *height)
{
  *width = count < ROW ? (int)count : ROW;
  *height = rows_of(count);
  return (size_t)*width * (size_t)*height;
}

/* Particles, in whole rows, that the engine's staging area takes at once, of `count` with so many words each. */
static enum hb_status stage(struct hb_resident *r, size_t count, size_t words, size_t *portion)
{
  size_t row = ROW * words, piece;
  HB_TRY(hb_pairs_stage(r->pairs, row, (size_t)rows_of(count) * row, &piece));
  *portion = piece / row * ROW;
  return HB_OK;
}

static enum hb_status scatter(struct hb_resident *r, size_t ni)
{
  struct drawn *d = r->state;
  const struct hb_gl_vertices points = {.target = &d->state.target, .count = ni, .are_points = 1};
  hb_gl_pass_int(&d->scatter, "rows", d->rows);
  hb_gl_pass_uint(&d->scatter, "stamp", d->stamp);
  hb_gl_pass_texture(&d->scatter, "block", &d->block);
  hb_gl_pass_texture(&d->scatter, "sinks", &d->sinks.texture);
  hb_gl_pass_texture(&d->scatter, "levels", &d->levels.texture);
  hb_gl_tally_expect(&d->stored, ni);
  hb_gl_pass_draw_vertices(&d->scatter, &points);
  hb_gl_tally_pause(&d->stored);
  return hb_gl_context_check(r->context, "storing particles");
}

/* Particles at[0 .. ni) of p through the block's textures. */
static enum hb_status put_portion(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                  const uint32_t *at)
{
  struct drawn *d = r->state;
  uint32_t *staging = r->pairs->staging;
  int width, height;
  size_t texels = texels_of(ni, &width, &height);
  HB_TRY(reserve_block(r, ni));
  send_sinks(d, ni, at);
  for (int q = 0; q < 4; q++) {
    uint32_t *high = staging, *low = staging + 4 * texels;
    for (size_t k = 0; k < ni; k++) resident_pack(r, p, at[k], q, high + 4 * k, low + 4 * k);
    hb_gl_texture_write(&d->block, 2 * q, width, height, high);
    hb_gl_texture_write(&d->block, 2 * q + 1, width, height, low);
  }
  uint8_t *level = (uint8_t *)staging;
  for (size_t k = 0; k < ni; k++) level[k] = p->level[at[k]];
  send_levels(d, ni, level);
  return scatter(r, ni);
}

static enum hb_status drawn_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                const uint32_t *index)
{
  enum { WORDS = 9 }; /* two texels, and a number where there is no index */
  size_t portion;
  HB_TRY(stage(r, ni, WORDS, &portion));
  uint32_t *number = r->pairs->staging + (WORDS - 1) * portion;
  ((struct drawn *)r->state)->stamp++;
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    for (size_t k = 0; !index && k < count; k++) number[k] = (uint32_t)(first + k);
    HB_TRY(put_portion(r, p, count, index ? index + first : number));
  }
  return HB_OK;
}

/* The block and its numbers are still there. */
static enum hb_status drawn_settle(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const uint8_t *level)
{
  (void)index;
  struct drawn *d = r->state;
  HB_TRY(hb_gl_context_use(r->context));
  d->stamp++;
  send_levels(d, ni, level);
  return scatter(r, ni);
}

static int is_counted(const struct hb_resident *r) { return r->context->caps.has_counts; }

/* Whether particles have come from the draws that stored their levels: high and low words of v. */
static enum hb_status check_stamps(const struct hb_resident *r, size_t first, size_t count,
                                   const uint32_t *high, const uint32_t *low)
{
  const struct drawn *d = r->state;
  for (size_t k = 0; k < count; k++) {
    uint32_t level = high[4 * k + 3];
    if (level >= HB_FORCE_LEVELS || low[4 * k + 3] != d->stamps[level])
      return hb_gl_context_dropped(r->context, "particle %zu was not stored", first + k);
  }
  return HB_OK;
}

static enum hb_status drawn_read(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                                 uint32_t *low)
{
  struct drawn *d = r->state;
  int row = (int)(first / ROW), width, height;
  texels_of(count, &width, &height);
  HB_TRY(hb_gl_tally_check(&d->stored, r->context));
  hb_gl_target_read(&d->state.target, 2 * q, 0, row, width, height, HB_GL_WORDS, high);
  hb_gl_target_read(&d->state.target, 2 * q + 1, 0, row, width, height, HB_GL_WORDS, low);
  return q == 1 && !is_counted(r) ? check_stamps(r, first, count, high, low) : HB_OK;
}

/* ---- prediction and correction ---- */

static void set_state(struct hb_resident *r, struct hb_gl_pass *pass)
{
  struct drawn *d = r->state;
  resident_set_since(r, pass);
  hb_gl_pass_texture(pass, "state", &d->state);
}

static enum hb_status drawn_predict(struct hb_resident *r)
{
  struct drawn *d = r->state;
  int height = d->records.height;
  set_state(r, &d->predict);
  hb_gl_pass_int(&d->predict, "source_count", (int)r->n);
  if (!is_counted(r)) {
    hb_gl_pass_set(&d->predict, "stamps", HB_GL_UINT, HB_FORCE_LEVELS, d->stamps);
    hb_gl_target_fill(&d->records.target, NOTHING);
  }
  hb_gl_tally_reset(&d->made);
  hb_gl_tally_expect(&d->made, (uint64_t)ROW * (uint64_t)height);
  hb_gl_pass_draw(&d->predict, &d->records.target, 0, 0, ROW, height);
  hb_gl_tally_pause(&d->made);
  hb_gl_target_copy(&d->records.target, 0, ROW, height, &r->pairs->j, 0);
  return HB_OK;
}

static enum hb_status drawn_check(struct hb_resident *r)
{
  struct drawn *d = r->state;
  HB_TRY(hb_gl_tally_check(&d->stored, r->context));
  return hb_gl_tally_check(&d->made, r->context);
}

/* A force is not finite: is that because a record is missing? */
static enum hb_status drawn_doubt(struct hb_resident *r)
{
  struct drawn *d = r->state;
  size_t texels = r->n * (size_t)r->pairs->texels, portion;
  if (is_counted(r)) return HB_OK;
  HB_TRY(stage(r, texels, 4, &portion));
  for (size_t first = 0; first < texels; first += portion) {
    size_t count = hb_min(portion, texels - first);
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_target_read(&d->records.target, 0, 0, (int)(first / ROW), width, height, HB_GL_WORDS,
                      r->pairs->staging);
    for (size_t k = 0; k < count; k++)
      if (memcmp(r->pairs->staging + 4 * k, NOTHING, sizeof NOTHING) == 0)
        return hb_gl_context_dropped(r->context, "particle %zu was not stored or not predicted",
                                     (first + k) / (size_t)r->pairs->texels);
  }
  return HB_OK;
}

/* Corrects sinks first .. first + count - 1 of the block, from their totals on the device, into d->block. */
static enum hb_status draw_correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  struct hb_resident *r = context;
  const struct hb_force_correction *c = r->correction;
  struct drawn *d = r->state;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  struct hb_gl_pass *pass = &d->correct;
  hb_gl_texture_over(t.buffer, HB_GL_RGBA32UI, &d->totals);
  set_state(r, pass);
  resident_set_totals(r, &t, c->how, first, count, pass);
  hb_gl_pass_texture(pass, "sinks", &d->sinks.texture);
  hb_gl_pass_texture(pass, "totals", &d->totals);
  size_t row = first / ROW, width = first + count < ROW ? first + count : ROW;
  hb_gl_tally_expect(&d->made, count);
  hb_gl_pass_draw(pass, &d->block.target, 0, (int)row, (int)width, rows_of(first + count) - (int)row);
  hb_gl_tally_pause(&d->made);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return hb_gl_context_check(r->context, "correcting particles");
}

static enum hb_status draw_read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, double *step)
{
  struct drawn *d = r->state;
  size_t portion;
  HB_TRY(stage(r, ni, 4, &portion));
  const uint32_t *texel = r->pairs->staging;
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_target_read(&d->block.target, STEP_LAYER, 0, (int)(first / ROW), width, height, HB_GL_WORDS,
                      r->pairs->staging);
    for (size_t k = 0, i = first; k < count; k++, i++)
      HB_TRY(take_step(r, texel[4 * k + 3], i, index[i], &step[i]));
  }
  return hb_gl_context_check_lost(r->context, "reading time steps");
}

/* It has no news for other devices, and predicts nothing ahead. */
static enum hb_status drawn_correct(struct hb_resident *r, const struct hb_force_correction *c)
{
  static const uint32_t no_step[4] = {0, 0, 0, 0xc0000000}; /* -2, of a sink that is missing something */
  size_t ni = c->ni;
  const uint32_t *index = c->index;
  const struct hb_pairs_job job = {.ni = ni, .index = index, .take = draw_correct_portion, .context = r};
  const struct hb_gl_program_source files = {.fragment = "hermite/correct.frag"};
  r->correction = c;
  HB_TRY(resident_build_correct(r, &files, c->how->field, &((struct drawn *)r->state)->correct));
  HB_TRY(reserve_block(r, ni));
  if (!is_counted(r)) hb_gl_target_fill(&((struct drawn *)r->state)->block.target, no_step);
  send_sinks(r->state, ni, index);
  HB_TRY(hb_pairs_walk(r->pairs, &job));
  double lap = hb_clock_now();
  enum hb_status status = draw_read_steps(r, ni, index, c->step);
  if (c->last) c->last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status != HB_ERR_DEVICE) HB_TRY(drawn_check(r)); /* what was never written may have any value */
  if (status == HB_ERR_NUMERIC) HB_TRY(drawn_doubt(r));
  return status;
}

static const struct hb_resident_way resident_drawn = {.create = drawn_create,
                                                      .destroy = drawn_destroy,
                                                      .put = drawn_put,
                                                      .predict = drawn_predict,
                                                      .check = drawn_check,
                                                      .doubt = drawn_doubt,
                                                      .correct = drawn_correct,
                                                      .settle = drawn_settle,
                                                      .read = drawn_read};

/* ---- either ---- */

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
  r->way = kept_suits(&r->context->caps, n, RESIDENT_LAYERS) ? &resident_stored : &resident_drawn;
  enum hb_status status = create(r);
  return HB_MADE(status, r, hb_resident_destroy, resident);
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (r->state && hb_gl_context_use(r->context) == HB_OK) r->way->destroy(r);
  HB_FREE(r->state, r);
}

/* ---- sources that each have a time of their own ------------------------------------------------------- */

enum { PIECE = 1024 /* particles that a thread predicts at a time */, SAMPLE = 63 };
enum { LAYERS = 10 /* of a particle, see shaders/hermite/timed.glsl */ };

/* A particle as it is stored: derivatives over their factorials, so that Horner's form needs no division. */
struct body {
  double t, m, x[3], v[3], a2[3], j6[3], s24[3];
};

/* Particles beside the all-pairs engine, in a storage buffer, predicted by compute shaders. Without these the host predicts. */
struct device {
  struct hb_gl_context *context; /* a share of it */
  enum hb_precision precision;
  int texels; /* of a particle in the engine */
  struct hb_gl_pass predict, near;
  uint32_t now[4], origin[16], near_origin[16];
  struct kept kept;
};

struct hb_timed {
  struct hb_force *force;
  struct body *body; /* [n] */
  size_t n, room;
  uint32_t *waiting;   /* [waiting_count] addresses that the device lacks */
  uint8_t *is_waiting; /* [room] */
  size_t waiting_count;

  /* which of them are sources: where many have no mass, the others alone */
  int is_sorted; /* slot and place are those of these masses */
  int are_all;   /* each address is its own place */
  uint32_t *slot,
      *place; /* [sorted_room] addresses of those with mass, ascending; the inverse, HB_NO_SOURCE without */
  uint32_t *number; /* [sorted_room] of those that wait, the places */
  size_t slots, sorted_room;

  /* the last prediction */
  int is_predicted;
  size_t nj, sources; /* of addresses below nj */
  double t;

  struct device *device;  /* NULL: the host predicts */
  unsigned opening;       /* of the force, in which it and `near` were made */
  double origin[2][3];    /* of the frame on the device */
  size_t framed, renewed; /* particles it was found for, and those that have come since */

  /* predicted by the host */
  double *m, *x, *v; /* [places_room], 3 times, 3 times */
  size_t places_room;
  int has_places;

  struct hb_near *near; /* made with the first question */
};

/* ---- the device ---- */

static void destroy_device(struct device *d)
{
  if (!d) return;
  if (hb_gl_context_use(d->context) == HB_OK) {
    HB_GL_DESTROY(pass, &d->predict, &d->near);
    kept_destroy(&d->kept);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d);
}

/* Whether the engine's kernels are those of positions and velocities, its arithmetic is exact where it must be, and a dropped
 * dispatch would be noticed. */
static int suits(const struct hb_pairs *pairs, size_t n)
{
  struct hb_gl_context *context = pairs->params.context;
  return pairs->params.interaction->records == 2 && kept_suits(&context->caps, n, LAYERS) &&
         hb_selftest_exact(context, "predicting on the device") == HB_OK;
}

static enum hb_status build_timed(struct device *d, const struct hb_pairs *pairs, const char *compute,
                                  struct hb_gl_pass *pass)
{
  const struct hb_gl_program_source source = {
      .compute = compute, .defines = "#define TIMED\n", .unrolled = {{"TEXELS", d->texels}}};
  return kept_program(d->context, d->precision, pairs->fma_is_fused, &source, pass);
}

/* Room for n particles, for the sources of engines with the context and precision of `pairs`. Errors: HB_ERR_GL (limits). */
static enum hb_status create_device(const struct hb_pairs *pairs, size_t n, struct device **device)
{
  struct device *d;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(pairs->params.context);
  d->precision = pairs->params.precision;
  d->texels = pairs->texels;
  enum hb_status status = hb_gl_context_use(d->context);
  if (status == HB_OK) status = build_timed(d, pairs, "hermite/predict.comp", &d->predict);
  if (status == HB_OK) status = build_timed(d, pairs, "hermite/timed_near.comp", &d->near);
  if (status == HB_OK) status = kept_create(d->context, n, LAYERS, &d->kept);
  return HB_MADE(status, d, destroy_device, device);
}

/* A vector as the xyz of two layers: high words, then low ones. */
static void pack_vector(enum hb_precision precision, const double x[3], uint32_t word[8])
{
  for (int c = 0; c < 3; c++) precision_split(precision, x[c], word + c, word + 4 + c);
}

/* A time as three words: two and a zero, or floats that together are exactly it. */
static void pack_time(enum hb_precision precision, double t, uint32_t word[3])
{
  volatile float first = (float)t; /* volatile: as in hb_split_low */
  volatile double rest = t - (double)first;
  word[2] = 0;
  precision_split(precision, t, &word[0], &word[1]);
  if (precision != HB_PRECISION_DOUBLE) word[2] = hb_bits_of_float(hb_split_low(rest));
}

static int pack_timed(const void *owner, size_t k, uint32_t number, uint32_t *word)
{
  (void)k;
  const struct hb_timed *timed = owner;
  enum hb_precision precision = timed->device->precision;
  const struct body *p = &timed->body[timed->are_all ? number : timed->slot[number]];
  const double *const vectors[] = {p->x, p->v, p->a2, p->j6, p->s24};
  uint32_t time[3];
  for (int l = 0; l < 5; l++) pack_vector(precision, vectors[l], word + 8 * l);
  for (int l = 5; l < LAYERS; l++) word[4 * l + 3] = 0;
  precision_split(precision, p->m, &word[3], &word[7]);
  pack_time(precision, p->t, time);
  for (int l = 0; l < 3; l++) word[4 * (2 + l) + 3] = time[l];
  return 1;
}

/* Stores the bodies at their places. */
static enum hb_status store_on_device(struct hb_timed *p)
{
  struct device *d = p->device;
  size_t count = 0;
  for (size_t k = 0; k < p->waiting_count; k++) {
    uint32_t at = p->waiting[k], place = p->are_all ? at : p->place[at];
    if (place != HB_NO_SOURCE) p->number[count++] = place;
  }
  HB_TRY(hb_gl_context_use(d->context));
  return kept_put(&d->kept, count, p->number, (struct kept_packing){p, pack_timed, .alone = PACKED});
}

/* The first nj at time t, in the frame with that place and velocity, into the buffer. words: of d, because the pass keeps them. */
static void run(struct device *d, struct hb_gl_pass *pass, size_t nj, double t, const double origin[2][3],
                uint32_t words[16], const struct hb_gl_buffer *buffer)
{
  pack_time(d->precision, t, d->now);
  pack_vector(d->precision, origin[0], words);
  pack_vector(d->precision, origin[1], words + 8);
  hb_gl_pass_set(pass, "now", HB_GL_UINT4, 1, d->now);
  hb_gl_pass_set(pass, "origin", HB_GL_UINT4, 4, words);
  hb_gl_pass_int(pass, "source_count", (int)nj);
  hb_gl_pass_storage(pass, RECORDS, buffer);
  kept_dispatch(&d->kept, pass, nj);
}

/* As the sources of the engine; and of the neighbor passes, in near->frame, the scale of which must be within this range. */
static enum hb_status run_into_pairs(struct device *d, struct hb_pairs *pairs, size_t nj, double t,
                                     const double origin[2][3])
{
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(hb_pairs_reserve_j(pairs, nj));
  run(d, &d->predict, nj, t, origin, d->origin, &pairs->j);
  return hb_pairs_filled_j(pairs);
}

static const double SCALE = 0x1p90;

static enum hb_status run_into_near(struct device *d, size_t nj, double t, struct hb_near_device *near)
{
  const double origin[2][3] = {{near->frame.origin[0], near->frame.origin[1], near->frame.origin[2]}};
  HB_TRY(hb_near_device_reserve(near, nj));
  hb_gl_pass_float(&d->near, "scale", near->frame.scale);
  run(d, &d->near, nj, t, origin, d->near_origin, &near->sources);
  return hb_gl_context_check(d->context, "predicting particles");
}

/* HB_ERR_DEVICE where a dispatch of these was lost; after what depends on them was read. */
static enum hb_status check_device(struct device *d)
{
  HB_TRY(hb_gl_context_use(d->context));
  return kept_check(&d->kept);
}

enum hb_status hb_timed_create(struct hb_force *force, struct hb_timed **timed)
{
  struct hb_timed *p;
  *timed = NULL;
  HB_TRY(HB_ALLOC(1, &p));
  p->force = force;
  p->are_all = 1;
  *timed = p;
  return HB_OK;
}

/* What belongs to a device; it is made again, and everything sent again. */
static void drop_device(struct hb_timed *p)
{
  destroy_device(p->device);
  hb_near_destroy(p->near);
  p->device = NULL;
  p->near = NULL;
  p->is_predicted = 0;
}

void hb_timed_destroy(struct hb_timed *p)
{
  HB_GL_VISIT;
  if (!p) return;
  drop_device(p);
  HB_FREE(p->body, p->waiting, p->is_waiting, p->slot, p->place, p->number, p->m, p->x, p->v, p);
}

/* ---- particles as they arrive ---- */

static enum hb_status reserve(struct hb_timed *p, size_t n)
{
  if (n <= p->room) return HB_OK;
  size_t room = n + n / 2;
  HB_TRY(HB_RESIZE(room, &p->body));
  HB_TRY(HB_RESIZE(room, &p->waiting));
  HB_TRY(HB_RESIZE(room, &p->is_waiting));
  p->room = room;
  return HB_OK;
}

static void wait_for(struct hb_timed *p, size_t address)
{
  if (p->is_waiting[address]) return;
  p->is_waiting[address] = 1;
  p->waiting[p->waiting_count++] = (uint32_t)address;
}

static void store(struct body *body, const struct hb_timed_particle *q)
{
  body->t = q->t;
  body->m = q->m;
  for (int c = 0; c < 3; c++) {
    body->x[c] = q->x[c];
    body->v[c] = q->v[c];
    body->a2[c] = q->a[c] / 2;
    body->j6[c] = q->j[c] / 6;
    body->s24[c] = q->s[c] / 24;
  }
}

enum hb_status hb_timed_put(struct hb_timed *p, size_t count, const uint32_t *address,
                            const struct hb_timed_particle *particles)
{
  size_t n = p->n;
  for (size_t k = 0; k < count; k++) {
    size_t at = address ? address[k] : k;
    if (at > INT32_MAX) return hb_fail(HB_ERR_USAGE, "address %zu of a particle, expected below 2^31", at);
    if (at >= n) n = at + 1;
  }
  HB_TRY(reserve(p, n));
  for (size_t at = p->n; at < n; at++) wait_for(p, at); /* addresses in between are sent, too */
  p->is_sorted &= n == p->n;
  p->n = n;
  for (size_t k = 0; k < count; k++) {
    size_t at = address ? address[k] : k;
    p->is_sorted &= (p->body[at].m != 0) == (particles[k].m != 0);
    store(&p->body[at], &particles[k]);
    wait_for(p, at);
  }
  p->renewed += count;
  return HB_OK;
}

/* ---- prediction on the host ---- */

double hb_timed_place(const struct hb_timed *p, size_t address, double t, double x[3], double v[3])
{
  const struct body *b = &p->body[address];
  double dt = t - b->t;
  for (int c = 0; c < 3; c++) {
    x[c] = b->x[c] + dt * (b->v[c] + dt * (b->a2[c] + dt * (b->j6[c] + dt * b->s24[c])));
    if (v) v[c] = b->v[c] + dt * (2 * b->a2[c] + dt * (3 * b->j6[c] + dt * (4 * b->s24[c])));
  }
  return b->m;
}

struct predicting {
  struct hb_timed *p;
  const uint32_t *slot; /* of these addresses; NULL: of the first ones */
};

static void predict_piece(void *context, size_t k, size_t end)
{
  const struct predicting *some = context;
  struct hb_timed *p = some->p;
  for (; k < end; k++) {
    size_t at = some->slot ? some->slot[k] : k;
    p->m[k] = hb_timed_place(p, at, p->t, p->x + 3 * k, p->v + 3 * k);
  }
}

static enum hb_status predict_some(struct hb_timed *p, size_t count, const uint32_t *slot)
{
  struct predicting some = {p, slot};
  HB_TRY(HB_RENEW(count, &p->places_room, HB_ARRAY(1, &p->m), HB_ARRAY(3, &p->x), HB_ARRAY(3, &p->v)));
  hb_parallel_pieces(count, PIECE, 4 * PIECE, predict_piece, &some);
  return HB_OK;
}

/* m, x and v of the nj particles at time t. */
static enum hb_status predict_places(struct hb_timed *p)
{
  if (!p->has_places) HB_TRY(predict_some(p, p->nj, NULL));
  p->has_places = 1;
  return HB_OK;
}

/* ---- which of them are sources ---- */

static void find_slots(struct hb_timed *p)
{
  p->slots = 0;
  for (size_t at = 0; at < p->n; at++) {
    p->place[at] = p->body[at].m != 0 ? (uint32_t)p->slots : HB_NO_SOURCE;
    if (p->body[at].m != 0) p->slot[p->slots++] = (uint32_t)at;
  }
}

/* Places on the device are those of the sources: where these are others, all are sent. */
static enum hb_status sort_out(struct hb_timed *p)
{
  int are_new = !p->is_sorted, were_all = p->are_all;
  if (are_new) {
    HB_TRY(HB_RENEW(p->room, &p->sorted_room, HB_ARRAY(1, &p->slot), HB_ARRAY(1, &p->place),
                    HB_ARRAY(1, &p->number)));
    find_slots(p);
    p->is_sorted = 1;
  }
  p->sources = p->slots;
  while (p->sources > 0 && p->slot[p->sources - 1] >= p->nj) p->sources--;
  p->are_all = p->sources == 0 || p->force->rescale || !hb_massless_are_many(p->n, p->n - p->slots);
  if (p->are_all) p->sources = p->nj;
  for (size_t at = 0; at < p->n && (were_all != p->are_all || (are_new && !p->are_all)); at++)
    wait_for(p, at);
  return HB_OK;
}

/* ---- and on the device ---- */

/* The frame need not be the best one, only near: it is found again when there are more particles, and once in a while. */
static int needs_frame(const struct hb_timed *p) { return p->nj > 2 * p->framed || p->renewed > 16 * p->nj; }

static enum hb_status find_frame(struct hb_timed *p)
{
  memset(p->origin, 0, sizeof p->origin);
  p->framed = p->renewed = 0;
  HB_TRY(predict_places(p));
  hb_frame_origin(p->nj, p->m, p->x, HB_FRAME_COARSE, p->origin[0]);
  hb_frame_origin(p->nj, p->m, p->v, HB_FRAME_COARSE, p->origin[1]);
  hb_frame_subtract(p->origin[0], p->nj, p->x, p->x);
  hb_frame_subtract(p->origin[1], p->nj, p->v, p->v);
  p->has_places = 0;
  HB_TRY(hb_force_check_range(p->force, p->nj, p->m, p->x, p->v));
  p->framed = p->nj;
  return HB_OK;
}

/* A device with room for all, which in a new one are still to come. */
static enum hb_status reserve_device(struct hb_timed *p, const struct hb_pairs *pairs)
{
  if (p->device && p->device->kept.n >= p->n) return HB_OK;
  destroy_device(p->device);
  p->device = NULL;
  HB_TRY(create_device(pairs, p->room, &p->device));
  for (size_t at = 0; at < p->n; at++) wait_for(p, at);
  return HB_OK;
}

static void none_waits(struct hb_timed *p)
{
  for (size_t k = 0; k < p->waiting_count; k++) p->is_waiting[p->waiting[k]] = 0;
  p->waiting_count = 0;
}

/* Sources are set; sinks leave out addresses. */
static void tell_force(const struct hb_timed *p)
{
  p->force->nj = p->nj;
  p->force->place = p->are_all ? NULL : p->place;
  p->force->placed = p->sources;
}

static enum hb_status predict_on_device(struct hb_timed *p, struct hb_pairs *pairs)
{
  HB_TRY(reserve_device(p, pairs));
  if (hb_force_rounds(p->force) && needs_frame(p)) HB_TRY(find_frame(p));
  HB_TRY(store_on_device(p));
  HB_TRY(run_into_pairs(p->device, pairs, p->sources, p->t, (const double(*)[3])p->origin));
  memcpy(p->force->origin, p->origin, sizeof p->origin);
  return HB_OK;
}

static enum hb_status predict_on_host(struct hb_timed *p)
{
  HB_TRY(p->are_all ? predict_places(p) : predict_some(p, p->sources, p->slot));
  return hb_force_set_j(p->force, p->sources, p->m, p->x, p->v);
}

static void set_near_sources(struct hb_timed *p);

enum hb_status hb_timed_predict(struct hb_timed *p, size_t nj, double t)
{
  HB_GL_VISIT;
  struct hb_pairs *pairs;
  if (nj == 0 || nj > p->n)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to the %zu stored", nj, p->n);
  if (!isfinite(t)) return hb_fail(HB_ERR_USAGE, "the time to predict to is %g, expected finite", t);
  if (p->opening != hb_force_openings(p->force)) drop_device(p);
  p->opening = hb_force_openings(p->force);
  if (p->is_predicted && nj == p->nj && t == p->t && p->waiting_count == 0) return HB_OK;
  p->is_predicted = p->has_places = 0;
  p->nj = nj;
  p->t = t;
  HB_TRY(sort_out(p));
  HB_TRY(hb_force_engine(p->force, p->sources, &pairs));
  int on_device = pairs && suits(pairs, p->room);
  HB_TRY(on_device ? predict_on_device(p, pairs) : predict_on_host(p));
  tell_force(p);
  none_waits(p);
  p->is_predicted = 1;
  if (p->near) set_near_sources(p);
  return HB_OK;
}

enum hb_status hb_timed_check(struct hb_timed *p)
{
  HB_GL_VISIT;
  enum hb_status status = p->device ? check_device(p->device) : HB_OK;
  if (status != HB_OK) drop_device(p); /* what it stores is not known */
  return status;
}

/* ---- neighbors ---- */

static void place_some(void *owner, size_t from, size_t to, double *x)
{
  const struct hb_timed *p = owner;
  for (size_t k = from; k < to; k++, x += 3) hb_timed_place(p, k, p->t, x, NULL);
}

/* Where several threads will ask for most of the places, all are computed once. */
static const double *expect(void *owner, size_t count)
{
  struct hb_timed *p = owner;
  if (count < p->nj / 4 && !p->has_places) return NULL;
  return predict_places(p) == HB_OK ? p->x : NULL;
}

static enum hb_status fill(void *owner, struct hb_near_device *near)
{
  struct hb_timed *p = owner;
  double x[3 * SAMPLE];
  size_t count = hb_min(p->nj, SAMPLE), step = p->nj / count;
  for (size_t k = 0; k < count; k++) place_some(p, step * k, step * k + 1, x + 3 * k);
  hb_near_frame_find(count, x, &near->frame);
  if (p->device && p->are_all && near->frame.scale < SCALE && near->frame.scale > 1 / SCALE)
    return run_into_near(p->device, p->nj, p->t, near);
  HB_TRY(predict_places(p));
  return hb_near_device_send(near, p->nj, p->x);
}

static void set_near_sources(struct hb_timed *p)
{
  const struct hb_near_sources sources = {
      .nj = p->nj, .owner = p, .place = place_some, .fill = fill, .expect = expect};
  hb_near_set_sources(p->near, &sources);
}

static enum hb_status prepare_near(struct hb_timed *p)
{
  if (!p->is_predicted)
    return hb_fail(HB_ERR_USAGE, "neighbors requested before the particles were predicted");
  if (p->near) return HB_OK;
  HB_TRY(hb_near_create(hb_force_gl(p->force), &p->near));
  set_near_sources(p);
  return HB_OK;
}

/* Of a question: what a lost draw has left must not be the answer, nor stay. */
static enum hb_status end_question(struct hb_timed *p, enum hb_status status)
{
  if (status == HB_OK) return hb_timed_check(p);
  if (status == HB_ERR_DEVICE) drop_device(p);
  return status;
}

enum hb_status hb_timed_nearest(struct hb_timed *p, const struct hb_near_points *points, uint32_t *nearest,
                                double *r2)
{
  HB_GL_VISIT;
  HB_TRY(prepare_near(p));
  return end_question(p, hb_near_nearest(p->near, points, nearest, r2));
}

enum hb_status hb_timed_find(struct hb_timed *p, const struct hb_near_points *points, const double *h2,
                             size_t most, struct hb_near_lists *lists)
{
  HB_GL_VISIT;
  HB_TRY(prepare_near(p));
  return end_question(p, hb_near_find(p->near, points, h2, most, lists));
}
