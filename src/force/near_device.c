#include "force/near_device.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>

enum {
  MOST_COLUMNS = 1024,      /* of the target: groups of points asked at once */
  MOST_TEXELS = 1 << 20,    /* of each of its layers: 64 MB in all */
  ENOUGH_FRAGMENTS = 32768, /* beyond them a longer loop is better than more results */
  PIECE = 4096              /* sources a thread packs at a time */
};

/* A draw of at most so many pairs: some milliseconds of a GPU, a tenth of a second of a processor. */
static const double PAIRS_A_DRAW = 0x1p28, PAIRS_A_DRAW_SOFTWARE = 0x1p24;

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_near_device *d, const char *fragment, struct hb_gl_pass *pass)
{
  const struct hb_gl_program_source source = {.fragment = fragment, .unrolled = {{"I_EACH", HB_NEAR_EACH}}};
  HB_TRY(hb_gl_pass_create(d->context, &source, pass));
  pass->tally = &d->tally;
  return HB_OK;
}

enum hb_status hb_near_device_create(struct hb_gl_context *context, struct hb_near_device **device)
{
  struct hb_near_device *d;
  *device = NULL;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(context);
  enum hb_status status = hb_gl_context_use(d->context);
  if (status == HB_OK) status = build(d, "near/nearest.frag", &d->nearest);
  if (status == HB_OK) status = build(d, "near/lists.frag", &d->lists);
  if (status != HB_OK) {
    hb_near_device_destroy(d);
    return status;
  }
  *device = d;
  return HB_OK;
}

void hb_near_device_destroy(struct hb_near_device *d)
{
  if (!d) return;
  if (hb_gl_context_use(d->context) == HB_OK) {
    hb_gl_pass_destroy(&d->nearest);
    hb_gl_pass_destroy(&d->lists);
    hb_gl_texture_destroy(&d->target);
    hb_gl_buffer_destroy(&d->sources);
    hb_gl_buffer_destroy(&d->points);
    hb_gl_readback_destroy(&d->readback);
    hb_gl_tally_destroy(&d->tally);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d);
}

/* ---- sources ---- */

enum hb_status hb_near_device_reserve(struct hb_near_device *d, size_t nj)
{
  const struct hb_gl_caps *caps = &d->context->caps;
  HB_TRY(hb_gl_context_use(d->context));
  if (nj > (size_t)caps->max_texture_buffer_size)
    return hb_fail(
        HB_ERR_GL,
        "neighbors among %zu sources need a buffer texture of as many texels, the limit of %s is %d", nj,
        caps->renderer, caps->max_texture_buffer_size);
  size_t bytes = hb_div_ceil(nj, 1024) * 1024 * 16; /* whole rows of a texture that is copied here */
  d->nj = nj;
  if (bytes == d->sources.bytes) return HB_OK;
  hb_gl_buffer_fill(&d->sources, HB_GL_BY_HOST, bytes, NULL);
  hb_gl_buffer_texture(&d->sources, HB_GL_RGBA32F);
  return hb_gl_context_check(d->context, "reserving memory for neighbors");
}

struct packing {
  const struct hb_near_frame *frame;
  size_t nj;
  const double *x;
  float *place;
};

static void pack_piece(void *context, size_t piece)
{
  const struct packing *p = context;
  size_t from = piece * PIECE, to = hb_parallel_end(p->nj, PIECE, from);
  for (size_t j = from; j < to; j++) hb_near_frame_place(p->frame, p->x + 3 * j, p->place + 4 * j);
}

enum hb_status hb_near_device_send(struct hb_near_device *d, size_t nj, const double *x)
{
  HB_TRY(hb_near_device_reserve(d, nj));
  hb_near_frame_find(nj, x, &d->frame);
  struct packing packing = {.frame = &d->frame, .nj = nj, .x = x};
  HB_TRY(HB_ALLOC(4 * nj, &packing.place));
  hb_parallel_for(nj > 4 * PIECE ? hb_parallel_threads() : 1, hb_div_ceil(nj, PIECE), pack_piece, &packing);
  hb_gl_buffer_write(&d->sources, 16 * nj, packing.place);
  hb_mem_free(packing.place);
  return hb_gl_context_check(d->context, "sending sources of neighbors");
}

/* ---- questions ---- */

static enum hb_status send_points(struct hb_near_device *d, size_t count, const double *x,
                                  const uint32_t *own, const double *h2)
{
  enum { WORDS = 8 };
  size_t all = hb_div_ceil(count, HB_NEAR_EACH) * HB_NEAR_EACH, bytes = all * WORDS * sizeof(uint32_t);
  uint32_t *words;
  HB_TRY(HB_ALLOC(all * WORDS, &words));
  for (size_t i = 0; i < count; i++) {
    float place[4];
    uint32_t *w = words + WORDS * i;
    hb_near_frame_place(&d->frame, x + 3 * i, place);
    for (int c = 0; c < 4; c++) w[c] = hb_bits_of_float(place[c]);
    w[4] = own ? own[i] : HB_NO_SOURCE;
    w[5] = hb_bits_of_float(h2 && h2[i] > 0 ? hb_near_frame_reach(&d->frame, sqrt(h2[i]), place[3]) : 0);
  }
  if (bytes > d->points.bytes) {
    hb_gl_buffer_fill(&d->points, HB_GL_BY_HOST, bytes + 4096, NULL);
    hb_gl_buffer_texture(&d->points, HB_GL_RGBA32UI);
  }
  hb_gl_buffer_write(&d->points, bytes, words);
  hb_mem_free(words);
  return HB_OK;
}

static size_t segments_of(const struct hb_near_device *d, size_t group)
{
  return hb_div_ceil(d->nj, group * HB_NEAR_BITS);
}

static size_t most_rows(const struct hb_near_device *d)
{
  return (size_t)hb_min_int(d->context->caps.max_texture_size, MOST_TEXELS);
}

size_t hb_near_device_portion(const struct hb_near_device *d, size_t left)
{
  return hb_min(left, hb_min((size_t)d->context->caps.max_texture_size, MOST_COLUMNS) * HB_NEAR_EACH);
}

/* Sources of a bit: as many as leave enough fragments, and as the target's size asks for. */
static size_t choose_group(const struct hb_near_device *d, size_t columns)
{
  size_t group = 1;
  while (group < 32 && segments_of(d, 2 * group) * columns >= ENOUGH_FRAGMENTS) group *= 2;
  while (segments_of(d, group) * columns > MOST_TEXELS || segments_of(d, group) > most_rows(d)) group *= 2;
  return group;
}

static enum hb_status reserve_target(struct hb_near_device *d, size_t columns, size_t segments)
{
  int width = (int)columns, height = (int)segments;
  if (d->target.width >= width && d->target.height >= height) return HB_OK;
  if (d->target.width > width && (size_t)d->target.width * segments <= MOST_TEXELS) width = d->target.width;
  if (d->target.height > height && (size_t)d->target.height * columns <= MOST_TEXELS)
    height = d->target.height;
  hb_gl_texture_destroy(&d->target);
  return hb_gl_texture_words(d->context, width, height, HB_NEAR_EACH, &d->target);
}

/* Where fragments cannot be counted, what a dropped draw leaves behind must propose every source of its segment. */
static void propose_all(struct hb_near_device *d, int nearest)
{
  static const uint32_t bits[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint32_t far = hb_bits_of_float(3e38F), none[4] = {HB_NO_SOURCE, far, far, 0};
  if (!d->context->caps.has_counts) hb_gl_target_fill(&d->target.target, nearest ? none : bits);
}

static void draw(struct hb_near_device *d, struct hb_gl_pass *pass, const struct hb_near_proposals *p)
{
  propose_all(d, pass == &d->nearest);
  double pairs_a_row = (double)(p->columns * HB_NEAR_EACH * p->group * HB_NEAR_BITS),
         most = d->context->caps.software ? PAIRS_A_DRAW_SOFTWARE : PAIRS_A_DRAW;
  size_t rows = pairs_a_row < most ? (size_t)(most / pairs_a_row) : 1;
  for (size_t from = 0; from < p->segments; from += rows) {
    size_t count = hb_min(rows, p->segments - from);
    hb_gl_pass_draw(pass, &d->target.target, 0, (int)from, (int)p->columns, (int)count);
    if (count < p->segments) hb_gl_flush();
  }
  hb_gl_tally_pause(&d->tally);
}

enum hb_status hb_near_device_ask(struct hb_near_device *d, size_t count, const double *x,
                                  const uint32_t *own, const double *h2, struct hb_near_proposals *p)
{
  struct hb_gl_pass *pass = h2 ? &d->lists : &d->nearest;
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(send_points(d, count, x, own, h2));
  p->columns = hb_div_ceil(count, HB_NEAR_EACH);
  p->group = choose_group(d, p->columns);
  p->segments = segments_of(d, p->group);
  HB_TRY(reserve_target(d, p->columns, p->segments));
  size_t layer = p->columns * p->segments * 16, layers = hb_min(count, HB_NEAR_EACH);
  HB_TRY(hb_gl_readback_reserve(d->context, layer * layers, &d->readback));
  hb_gl_pass_texture(pass, "sources", &d->sources.texture);
  hb_gl_pass_texture(pass, "points", &d->points.texture);
  hb_gl_pass_int(pass, "source_count", (int)d->nj);
  hb_gl_pass_int(pass, "segment_length", (int)(p->group * HB_NEAR_BITS));
  if (h2) hb_gl_pass_int(pass, "group", (int)p->group);
  hb_gl_tally_reset(&d->tally);
  draw(d, pass, p);
  for (size_t k = 0; k < layers; k++)
    hb_gl_target_copy(&d->target.target, (int)k, (int)p->columns, (int)p->segments, &d->readback.buffer,
                      k * layer);
  HB_TRY(hb_gl_context_check(d->context, "looking for neighbors"));
  HB_TRY(hb_gl_readback_open(d->context, &d->readback, layer * layers, &p->words));
  enum hb_status status = hb_gl_tally_check(&d->tally, d->context);
  if (status != HB_OK) hb_gl_readback_close(&d->readback);
  return status;
}

void hb_near_device_done(struct hb_near_device *d) { hb_gl_readback_close(&d->readback); }
