/* Particles with times of their own in a storage buffer, stored and predicted by compute shaders. */
#include "base/mem.h"
#include "base/parallel.h"
#include "force/kept.h"
#include "force/timed_way.h"
#include "force/timed_words.h"

enum { PACKED = 256 /* particles that a thread of the host packs at a time */ };

static enum hb_status stored_create(struct hb_timed_device *d)
{
  struct hb_kept *kept;
  HB_TRY(HB_ALLOC(1, &kept));
  d->state = kept;
  return hb_kept_create(d->context, d->room, HB_TIMED_LAYERS, kept);
}

static void stored_destroy(struct hb_timed_device *d) { hb_kept_destroy(d->state); }

struct packing {
  enum hb_precision precision;
  size_t count;
  const uint32_t *address;
  const struct hb_timed_body *bodies;
  uint32_t *out;
};

static void pack_piece(void *context, size_t piece)
{
  const struct packing *p = context;
  for (size_t k = piece * PACKED, end = hb_parallel_end(p->count, PACKED, k); k < end; k++)
    hb_timed_pack(p->precision, &p->bodies[p->address[k]], p->out + 4 * HB_TIMED_LAYERS * k);
}

static enum hb_status stored_put(struct hb_timed_device *d, size_t count, const uint32_t *address,
                                 const struct hb_timed_body *bodies)
{
  uint32_t *word, *number;
  HB_TRY(hb_kept_reserve(d->state, count, &word, &number));
  struct packing packing = {d->precision, count, address, bodies, word};
  int threads = count > PACKED ? hb_parallel_threads() : 1;
  hb_parallel_for(threads, hb_div_ceil(count, PACKED), pack_piece, &packing);
  for (size_t k = 0; k < count; k++) number[k] = address[k];
  hb_kept_store(d->state, count);
  return hb_gl_context_check(d->context, "storing particles");
}

static enum hb_status stored_run(struct hb_timed_device *d, struct hb_gl_pass *pass, size_t nj, size_t texels,
                                 const struct hb_gl_buffer *buffer)
{
  (void)texels;
  hb_gl_pass_storage(pass, HB_KEPT_BINDINGS, buffer);
  hb_kept_dispatch(d->state, pass, nj);
  return HB_OK;
}

static enum hb_status stored_check(struct hb_timed_device *d) { return hb_kept_check(d->state); }

const struct hb_timed_way hb_timed_stored = {
    .predict = {.compute = "hermite/timed_predict.comp"},
    .near = {.compute = "hermite/timed_near.comp"},
    .create = stored_create,
    .destroy = stored_destroy,
    .portion = HB_KEPT_PORTION,
    .put = stored_put,
    .run = stored_run,
    .check = stored_check,
};
