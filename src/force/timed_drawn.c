/* Particles with times of their own in a texture, stored and predicted by draws; see resident_drawn.c. */
#include "base/mem.h"
#include "force/timed_way.h"
#include "force/timed_words.h"
#include "gl/gl_tally.h"

enum {
  MOST_ROW = 1024, /* particles in a row, where textures may be that wide */
  ROW = 1024,      /* texels in a row of what is copied into a buffer */
  PORTION = 16384, /* particles sent at once */
  ADDRESS = 4 * 5 + 3
};

struct drawn {
  int row, rows;
  struct hb_gl_texture state;
  struct hb_gl_texture records,
      places; /* one layer: what becomes the engine's, and the neighbor passes' sources */
  struct hb_gl_buffer block;
  struct hb_gl_pass store;
  uint32_t *staging; /* [4 * HB_TIMED_LAYERS * PORTION] */
  struct hb_gl_tally stored, predicted;
};

static enum hb_status drawn_create(struct hb_timed_device *d)
{
  static const struct hb_gl_program_source store = {.vertex = "hermite/timed_store.vert",
                                                    .fragment = "hermite/timed_store.frag"};
  struct drawn *s;
  HB_TRY(HB_ALLOC(1, &s));
  d->state = s;
  HB_TRY(HB_ALLOC(4 * HB_TIMED_LAYERS * hb_min(d->room, PORTION), &s->staging));
  HB_TRY(hb_gl_pass_create(d->context, &store, &s->store));
  for (s->row = MOST_ROW; HB_TIMED_LAYERS * s->row > d->context->caps.max_texture_size;) s->row /= 2;
  s->rows = (int)hb_div_ceil(d->room, (size_t)s->row);
  return hb_gl_texture_words(d->context, HB_TIMED_LAYERS * s->row, s->rows, 1, &s->state);
}

static void drawn_destroy(struct hb_timed_device *d)
{
  struct drawn *s = d->state;
  hb_gl_pass_destroy(&s->store);
  hb_gl_texture_destroy(&s->state);
  hb_gl_texture_destroy(&s->records);
  hb_gl_texture_destroy(&s->places);
  hb_gl_buffer_destroy(&s->block);
  hb_gl_tally_destroy(&s->stored);
  hb_gl_tally_destroy(&s->predicted);
  hb_mem_free(s->staging);
}

static enum hb_status drawn_put(struct hb_timed_device *d, size_t count, const uint32_t *address,
                                const struct hb_timed_body *bodies)
{
  struct drawn *s = d->state;
  size_t texels = HB_TIMED_LAYERS * count;
  for (size_t k = 0; k < count; k++) {
    uint32_t *word = s->staging + 4 * HB_TIMED_LAYERS * k;
    hb_timed_pack(d->precision, &bodies[address[k]], word);
    word[ADDRESS] = address[k];
  }
  if (16 * texels > s->block.bytes) {
    size_t most = 16 * HB_TIMED_LAYERS * hb_min(d->room, PORTION);
    hb_gl_buffer_fill(&s->block, HB_GL_BY_HOST, hb_min(32 * texels, most), NULL);
    hb_gl_buffer_texture(&s->block, HB_GL_RGBA32UI);
  }
  hb_gl_buffer_write(&s->block, 16 * texels, s->staging);
  const struct hb_gl_vertices points = {.target = &s->state.target, .count = texels, .are_points = 1};
  hb_gl_pass_texture(&s->store, "block", &s->block.texture);
  hb_gl_pass_int(&s->store, "row", s->row);
  hb_gl_pass_int(&s->store, "rows", s->rows);
  hb_gl_tally_expect(&s->stored, texels);
  hb_gl_pass_draw_vertices(&s->store, &points);
  hb_gl_tally_pause(&s->stored);
  return hb_gl_context_check(d->context, "storing particles");
}

/* Draws a fragment for each texel and copies them into the buffer. */
static enum hb_status drawn_run(struct hb_timed_device *d, struct hb_gl_pass *pass, size_t nj, size_t texels,
                                const struct hb_gl_buffer *buffer)
{
  struct drawn *s = d->state;
  struct hb_gl_texture *layer = pass == &d->predict ? &s->records : &s->places;
  int rows = (int)hb_div_ceil(texels, ROW);
  (void)nj;
  if (layer->height < rows) {
    hb_gl_texture_destroy(layer);
    HB_TRY(hb_gl_texture_words(d->context, ROW, rows, 1, layer));
  }
  if (pass == &d->predict) hb_gl_tally_reset(&s->predicted);
  hb_gl_pass_texture(pass, "state", &s->state);
  hb_gl_pass_int(pass, "row", s->row);
  hb_gl_tally_expect(&s->predicted, (uint64_t)ROW * (uint64_t)rows);
  hb_gl_pass_draw(pass, &layer->target, 0, 0, ROW, rows);
  hb_gl_tally_pause(&s->predicted);
  hb_gl_target_copy(&layer->target, 0, ROW, rows, buffer, 0);
  return HB_OK;
}

static enum hb_status drawn_check(struct hb_timed_device *d)
{
  struct drawn *s = d->state;
  HB_TRY(hb_gl_tally_check(&s->stored, d->context));
  return hb_gl_tally_check(&s->predicted, d->context);
}

const struct hb_timed_way hb_timed_drawn = {
    .predict = {.fragment = "hermite/timed_predict.frag"},
    .near = {.fragment = "hermite/timed_near.frag"},
    .create = drawn_create,
    .destroy = drawn_destroy,
    .portion = PORTION,
    .put = drawn_put,
    .run = drawn_run,
    .check = drawn_check,
};
