#include "force/timed_device.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "gl/gl_tally.h"
#include "pairs/selftest.h"

#include <stdio.h>

enum {
  TEXELS = 10,     /* of a particle, see shaders/hermite/timed.glsl */
  MOST_ROW = 1024, /* particles in a row, where textures may be that wide */
  ROW = 1024,      /* texels in a row of what is copied into a buffer */
  PORTION = 16384, /* particles sent at once */
  ADDRESS = 4 * 5 + 3
};

struct hb_timed_device {
  struct hb_gl_context *context; /* a share of it */
  enum hb_precision precision;
  size_t room;
  int row, rows;
  struct hb_gl_texture state;
  struct hb_gl_texture records,
      places; /* one layer: what becomes the engine's, and the neighbor passes' sources */
  struct hb_gl_buffer block;
  struct hb_gl_pass store, predict, near;
  uint32_t *staging; /* [4 * TEXELS * PORTION] */
  uint32_t now[4], origin[16], near_origin[16];
  struct hb_gl_tally stored, predicted;
};

/* ---- create and destroy ---- */

int hb_timed_device_suits(const struct hb_pairs *pairs)
{
  return pairs->params.interaction->records == 2 &&
         hb_selftest_exact(pairs->params.context, "predicting on the device") == HB_OK;
}

static enum hb_status build(struct hb_timed_device *d, const char *vertex, const char *fragment,
                            struct hb_gl_pass *pass)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)d->precision);
  const struct hb_gl_program_source source = {.vertex = vertex, .fragment = fragment, .defines = defines};
  return hb_gl_pass_create(d->context, &source, pass);
}

static enum hb_status create(struct hb_timed_device *d)
{
  HB_TRY(HB_ALLOC(4 * TEXELS * hb_min(d->room, PORTION), &d->staging));
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(build(d, "hermite/timed_store.vert", "hermite/timed_store.frag", &d->store));
  HB_TRY(build(d, NULL, "hermite/timed_predict.frag", &d->predict));
  HB_TRY(build(d, NULL, "hermite/timed_near.frag", &d->near));
  for (d->row = MOST_ROW; TEXELS * d->row > d->context->caps.max_texture_size;) d->row /= 2;
  d->rows = (int)hb_div_ceil(d->room, (size_t)d->row);
  return hb_gl_texture_words(d->context, TEXELS * d->row, d->rows, 1, &d->state);
}

enum hb_status hb_timed_device_create(const struct hb_pairs *pairs, size_t n, struct hb_timed_device **device)
{
  struct hb_timed_device *d;
  *device = NULL;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(pairs->params.context);
  d->precision = pairs->params.precision;
  d->room = n;
  enum hb_status status = create(d);
  if (status != HB_OK) {
    hb_timed_device_destroy(d);
    return status;
  }
  *device = d;
  return HB_OK;
}

void hb_timed_device_destroy(struct hb_timed_device *d)
{
  if (!d) return;
  if (hb_gl_context_use(d->context) == HB_OK) {
    struct hb_gl_pass *const passes[] = {&d->store, &d->predict, &d->near};
    struct hb_gl_texture *const textures[] = {&d->state, &d->records, &d->places};
    for (int k = 0; k < 3; k++) hb_gl_pass_destroy(passes[k]);
    for (int k = 0; k < 3; k++) hb_gl_texture_destroy(textures[k]);
    hb_gl_buffer_destroy(&d->block);
    hb_gl_tally_destroy(&d->stored);
    hb_gl_tally_destroy(&d->predicted);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d->staging);
  hb_mem_free(d);
}

size_t hb_timed_device_room(const struct hb_timed_device *d) { return d->room; }

/* ---- words ---- */

/* A double as two words of the device: its own, or the nearest float and the remainder. */
static void split(enum hb_precision precision, double x, uint32_t *high, uint32_t *low)
{
  if (precision == HB_PRECISION_DOUBLE) {
    hb_bits_of_double(x, high, low);
    return;
  }
  *high = hb_bits_of_float((float)x);
  *low = hb_bits_of_float(hb_split_low(x));
}

/* A vector as the xyz of two texels. */
static void split3(enum hb_precision precision, const double x[3], uint32_t *high)
{
  for (int c = 0; c < 3; c++) split(precision, x[c], high + c, high + 4 + c);
}

/* A time as three words: two and a zero, or floats that together are exactly it. */
static void split_time(enum hb_precision precision, double t, uint32_t word[3])
{
  volatile float first = (float)t; /* volatile: as in hb_split_low */
  volatile double rest = t - (double)first;
  word[2] = 0;
  split(precision, t, &word[0], &word[1]);
  if (precision != HB_PRECISION_DOUBLE) word[2] = hb_bits_of_float(hb_split_low(rest));
}

static void pack(enum hb_precision precision, uint32_t address, const struct hb_timed_body *p, uint32_t *word)
{
  uint32_t time[3];
  split3(precision, p->x, word);
  split3(precision, p->v, word + 8);
  split3(precision, p->a2, word + 16);
  split3(precision, p->j6, word + 24);
  split3(precision, p->s24, word + 32);
  for (int k = 6; k < TEXELS; k++) word[4 * k + 3] = 0;
  split(precision, p->m, &word[3], &word[7]);
  split_time(precision, p->t, time);
  for (int k = 0; k < 3; k++) word[4 * (2 + k) + 3] = time[k];
  word[ADDRESS] = address;
}

/* ---- storing ---- */

static enum hb_status put_portion(struct hb_timed_device *d, size_t count, const uint32_t *address,
                                  const struct hb_timed_body *bodies)
{
  size_t bytes = 16 * TEXELS * count;
  for (size_t k = 0; k < count; k++)
    pack(d->precision, address[k], &bodies[address[k]], d->staging + 4 * TEXELS * k);
  if (bytes > d->block.bytes) {
    hb_gl_buffer_fill(&d->block, HB_GL_BY_HOST, hb_min(2 * bytes, 16 * TEXELS * hb_min(d->room, PORTION)),
                      NULL);
    hb_gl_buffer_texture(&d->block, HB_GL_RGBA32UI);
  }
  hb_gl_buffer_write(&d->block, bytes, d->staging);
  const struct hb_gl_vertices points = {.target = &d->state.target, .count = TEXELS * count, .are_points = 1};
  hb_gl_pass_texture(&d->store, "block", &d->block.texture);
  hb_gl_pass_int(&d->store, "row", d->row);
  hb_gl_pass_int(&d->store, "rows", d->rows);
  hb_gl_tally_expect(&d->stored, TEXELS * count);
  hb_gl_pass_draw_vertices(&d->store, &points);
  hb_gl_tally_pause(&d->stored);
  return hb_gl_context_check(d->context, "storing particles");
}

enum hb_status hb_timed_device_put(struct hb_timed_device *d, size_t count, const uint32_t *address,
                                   const struct hb_timed_body *bodies)
{
  HB_TRY(hb_gl_context_use(d->context));
  for (size_t first = 0; first < count; first += PORTION)
    HB_TRY(put_portion(d, hb_min(count - first, PORTION), address + first, bodies));
  return HB_OK;
}

/* ---- predicting ---- */

static enum hb_status reserve(struct hb_timed_device *d, size_t texels, struct hb_gl_texture *layer)
{
  int rows = (int)hb_div_ceil(texels, ROW);
  if (layer->height >= rows) return HB_OK;
  hb_gl_texture_destroy(layer);
  return hb_gl_texture_words(d->context, ROW, rows, 1, layer);
}

static void set_origin(struct hb_timed_device *d, const double origin[2][3], uint32_t word[16])
{
  split3(d->precision, origin[0], word);
  split3(d->precision, origin[1], word + 8);
}

/* Draws a fragment for each texel and copies them into the buffer. */
static void draw(struct hb_timed_device *d, struct hb_gl_pass *pass, size_t nj, double t, size_t texels,
                 const struct hb_gl_texture *layer, const struct hb_gl_buffer *buffer)
{
  int rows = (int)hb_div_ceil(texels, ROW);
  split_time(d->precision, t, d->now);
  hb_gl_pass_set(pass, "now", HB_GL_UINT4, 1, d->now);
  hb_gl_pass_texture(pass, "state", &d->state);
  hb_gl_pass_int(pass, "row", d->row);
  hb_gl_pass_int(pass, "source_count", (int)nj);
  hb_gl_tally_expect(&d->predicted, (uint64_t)ROW * (uint64_t)rows);
  hb_gl_pass_draw(pass, &layer->target, 0, 0, ROW, rows);
  hb_gl_tally_pause(&d->predicted);
  hb_gl_target_copy(&layer->target, 0, ROW, rows, buffer, 0);
}

enum hb_status hb_timed_device_predict(struct hb_timed_device *d, struct hb_pairs *pairs, size_t nj, double t,
                                       const double origin[2][3])
{
  size_t texels = nj * (size_t)pairs->texels;
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(hb_pairs_reserve_j(pairs, nj));
  HB_TRY(reserve(d, texels, &d->records));
  set_origin(d, origin, d->origin);
  hb_gl_pass_set(&d->predict, "origin", HB_GL_UINT4, 4, d->origin);
  hb_gl_tally_reset(&d->predicted);
  draw(d, &d->predict, nj, t, texels, &d->records, &pairs->j);
  return hb_pairs_filled_j(pairs);
}

enum hb_status hb_timed_device_near(struct hb_timed_device *d, size_t nj, double t,
                                    struct hb_near_device *near)
{
  double origin[2][3] = {{near->frame.origin[0], near->frame.origin[1], near->frame.origin[2]}};
  HB_TRY(hb_near_device_reserve(near, nj));
  HB_TRY(reserve(d, nj, &d->places));
  set_origin(d, origin, d->near_origin);
  hb_gl_pass_set(&d->near, "origin", HB_GL_UINT4, 4, d->near_origin);
  hb_gl_pass_float(&d->near, "scale", near->frame.scale);
  draw(d, &d->near, nj, t, nj, &d->places, &near->sources);
  return hb_gl_context_check(d->context, "predicting particles");
}

enum hb_status hb_timed_device_check(struct hb_timed_device *d)
{
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(hb_gl_tally_check(&d->stored, d->context));
  return hb_gl_tally_check(&d->predicted, d->context);
}
