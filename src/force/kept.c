#include "force/kept.h"

#include "base/arith.h"

#include <stdio.h>
#include <string.h>

enum {
  WORKGROUP = 64,      /* threads, in all programs of shaders/hermite */
  MOST_GROUPS = 65535, /* of a dispatch (OpenGL 4.3, table 23.68); programs loop where that is too few */
};
enum { STATE, COUNT, TOLD, ARRIVED = HB_KEPT_BINDINGS, NUMBERS };
enum { COLLECTED = HB_KEPT_BINDINGS, LEAVING };

enum hb_status hb_kept_program(struct hb_gl_context *context, enum hb_precision precision, int fma_is_fused,
                               const struct hb_gl_program_source *files, struct hb_gl_pass *pass)
{
  char defines[96];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s%s%s", (int)precision,
           fma_is_fused ? "#define FMA_IS_FUSED\n" : "",
           context->caps.has_counts ? "" : "#define UNCOUNTED\n", files->defines ? files->defines : "");
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  return hb_gl_pass_create(context, &source, pass);
}

int hb_kept_suits(const struct hb_gl_caps *caps, size_t n, size_t layers)
{
  return caps->has_compute && caps->has_lasting_maps &&
         16 * layers * n <= (size_t)caps->max_storage_block_size;
}

enum hb_status hb_kept_create(struct hb_gl_context *context, size_t n, size_t layers, struct hb_kept *k)
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

void hb_kept_destroy(struct hb_kept *k)
{
  hb_gl_pass_destroy(&k->store);
  hb_gl_pass_destroy(&k->collect);
  hb_gl_readback_destroy(&k->leaving[0]);
  hb_gl_readback_destroy(&k->leaving[1]);
  hb_gl_mapped_destroy(&k->wanted);
  hb_gl_buffer_destroy(&k->state);
  hb_gl_buffer_destroy(&k->count);
  hb_gl_mapped_destroy(&k->told);
  hb_gl_mapped_destroy(&k->sent);
  hb_gl_mapped_destroy(&k->numbers);
  *k = (struct hb_kept){0};
}

/* ---- dispatches ---- */

static size_t groups_of(size_t threads) { return hb_min(hb_div_ceil(threads, WORKGROUP), MOST_GROUPS); }

void hb_kept_dispatch_uncounted(struct hb_kept *k, struct hb_gl_pass *pass, size_t threads)
{
  k->is_busy = 1;
  hb_gl_pass_int(pass, "particle_count", (int)k->n);
  hb_gl_pass_storage(pass, STATE, &k->state);
  hb_gl_pass_dispatch(pass, groups_of(threads), 1);
}

void hb_kept_dispatch_ahead(struct hb_kept *k, struct hb_gl_pass *pass, size_t threads)
{
  k->expected += (uint32_t)groups_of(threads);
  hb_gl_pass_uint(pass, "expected", k->expected);
  hb_gl_pass_storage(pass, COUNT, &k->count);
  hb_gl_pass_storage(pass, TOLD, &k->told.buffer);
  hb_kept_dispatch_uncounted(k, pass, threads);
}

void hb_kept_use_ahead(struct hb_kept *k) { k->due = k->expected; }

void hb_kept_dispatch(struct hb_kept *k, struct hb_gl_pass *pass, size_t threads)
{
  hb_kept_dispatch_ahead(k, pass, threads);
  hb_kept_use_ahead(k);
}

void hb_kept_finished(struct hb_kept *k) { k->is_busy = k->is_storing = k->is_collecting = 0; }

static void finish(struct hb_kept *k)
{
  if (k->is_busy) hb_gl_mapped_finish();
  hb_kept_finished(k);
}

/* Whether all is done that is due, and perhaps more. */
static int is_complete(const struct hb_kept *k)
{
  uint32_t complete = *(volatile const uint32_t *)k->told.memory;
  return (int32_t)(complete - k->due) >= 0;
}

enum hb_status hb_kept_check(struct hb_kept *k)
{
  if (!is_complete(k)) finish(k);
  k->is_busy = k->is_busy && k->due != k->expected;
  k->is_storing = k->is_storing && !is_complete(k);
  if (is_complete(k)) return HB_OK;
  return hb_gl_context_dropped(k->context, "not all particles were stored and predicted");
}

/* ---- storing ---- */

enum hb_status hb_kept_reserve(struct hb_kept *k, size_t count, uint32_t **words, uint32_t **numbers)
{
  size_t bytes = 16 * k->layers, room = hb_min(2 * count, hb_min(k->n, HB_KEPT_PORTION));
  if (k->is_storing) finish(k);
  if (count * sizeof **numbers > k->numbers.buffer.bytes)
    HB_TRY(hb_gl_mapped_reserve(k->context, hb_max(room, count) * sizeof **numbers, &k->numbers));
  *numbers = k->numbers.memory;
  if (!words) return HB_OK;
  if (count * bytes > k->sent.buffer.bytes) HB_TRY(hb_gl_mapped_reserve(k->context, room * bytes, &k->sent));
  *words = k->sent.memory;
  return HB_OK;
}

void hb_kept_store_from(struct hb_kept *k, size_t count, const struct hb_gl_buffer *particles)
{
  hb_gl_pass_int(&k->store, "arrived_count", (int)count);
  hb_gl_pass_int(&k->store, "layers", (int)k->layers);
  hb_gl_pass_storage(&k->store, ARRIVED, particles);
  hb_gl_pass_storage(&k->store, NUMBERS, &k->numbers.buffer);
  hb_kept_dispatch(k, &k->store, k->layers * count);
  k->is_storing = 1;
}

void hb_kept_store(struct hb_kept *k, size_t count)
{
  k->context->sent += count * (16 * k->layers + sizeof(uint32_t));
  hb_kept_store_from(k, count, &k->sent.buffer);
}

void hb_kept_read(const struct hb_kept *k, size_t layer, size_t first, size_t count, uint32_t *words)
{
  hb_gl_buffer_read(&k->state, 16 * (layer * k->n + first), 16 * count, words);
}

/* ---- collecting ---- */

static struct hb_gl_readback *turn_of(struct hb_kept *k) { return &k->leaving[k->token & 1]; }

enum hb_status hb_kept_collect(struct hb_kept *k, size_t count, const uint32_t *number)
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
  hb_kept_dispatch_uncounted(k, &k->collect, k->layers * count);
  k->is_collecting = 1;
  return hb_gl_context_check(k->context, "collecting particles");
}

enum hb_status hb_kept_collected(struct hb_kept *k, size_t count, const uint32_t **words)
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
