#include "force/kept.h"
#include "force/timed_way.h"

#include "base/bits.h"
#include "base/mem.h"
#include "pairs/selftest.h"

#include <stdio.h>

/* ---- create and destroy ---- */

int hb_timed_device_suits(const struct hb_pairs *pairs)
{
  return pairs->params.interaction->records == 2 &&
         hb_selftest_exact(pairs->params.context, "predicting on the device") == HB_OK;
}

static enum hb_status build(struct hb_timed_device *d, const struct hb_gl_program_source *files,
                            struct hb_gl_pass *pass)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)d->precision);
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  source.unrolled[0] = (struct hb_gl_loop){"TEXELS", d->texels};
  return hb_gl_pass_create(d->context, &source, pass);
}

static enum hb_status create(struct hb_timed_device *d)
{
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(build(d, &d->way->predict, &d->predict));
  HB_TRY(build(d, &d->way->near, &d->near));
  return d->way->create(d);
}

enum hb_status hb_timed_device_create(const struct hb_pairs *pairs, size_t n, struct hb_timed_device **device)
{
  struct hb_timed_device *d;
  *device = NULL;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(pairs->params.context);
  d->precision = pairs->params.precision;
  d->texels = pairs->texels;
  d->room = n;
  d->way = hb_kept_suits(&d->context->caps, n, HB_TIMED_LAYERS) ? &hb_timed_stored : &hb_timed_drawn;
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
    hb_gl_pass_destroy(&d->predict);
    hb_gl_pass_destroy(&d->near);
    if (d->state) d->way->destroy(d);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d->state);
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

void hb_timed_pack(enum hb_precision precision, const struct hb_timed_body *p,
                   uint32_t word[4 * HB_TIMED_LAYERS])
{
  uint32_t time[3];
  split3(precision, p->x, word);
  split3(precision, p->v, word + 8);
  split3(precision, p->a2, word + 16);
  split3(precision, p->j6, word + 24);
  split3(precision, p->s24, word + 32);
  for (int k = 5; k < HB_TIMED_LAYERS; k++) word[4 * k + 3] = 0;
  split(precision, p->m, &word[3], &word[7]);
  split_time(precision, p->t, time);
  for (int k = 0; k < 3; k++) word[4 * (2 + k) + 3] = time[k];
}

/* ---- storing and predicting ---- */

enum hb_status hb_timed_device_put(struct hb_timed_device *d, size_t count, const uint32_t *address,
                                   const struct hb_timed_body *bodies)
{
  HB_TRY(hb_gl_context_use(d->context));
  for (size_t first = 0; first < count; first += d->way->portion)
    HB_TRY(d->way->put(d, hb_min(count - first, d->way->portion), address + first, bodies));
  return HB_OK;
}

/* origin: of d, because the pass keeps it. */
static enum hb_status run(struct hb_timed_device *d, struct hb_gl_pass *pass, size_t nj, double t,
                          const double at[2][3], uint32_t origin[16], size_t texels,
                          const struct hb_gl_buffer *buffer)
{
  split_time(d->precision, t, d->now);
  split3(d->precision, at[0], origin);
  split3(d->precision, at[1], origin + 8);
  hb_gl_pass_set(pass, "now", HB_GL_UINT4, 1, d->now);
  hb_gl_pass_set(pass, "origin", HB_GL_UINT4, 4, origin);
  hb_gl_pass_int(pass, "source_count", (int)nj);
  return d->way->run(d, pass, nj, texels, buffer);
}

enum hb_status hb_timed_device_predict(struct hb_timed_device *d, struct hb_pairs *pairs, size_t nj, double t,
                                       const double origin[2][3])
{
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(hb_pairs_reserve_j(pairs, nj));
  HB_TRY(run(d, &d->predict, nj, t, origin, d->origin, nj * (size_t)pairs->texels, &pairs->j));
  return hb_pairs_filled_j(pairs);
}

enum hb_status hb_timed_device_near(struct hb_timed_device *d, size_t nj, double t,
                                    struct hb_near_device *near)
{
  const double origin[2][3] = {{near->frame.origin[0], near->frame.origin[1], near->frame.origin[2]}};
  HB_TRY(hb_near_device_reserve(near, nj));
  hb_gl_pass_float(&d->near, "scale", near->frame.scale);
  HB_TRY(run(d, &d->near, nj, t, origin, d->near_origin, nj, &near->sources));
  return hb_gl_context_check(d->context, "predicting particles");
}

enum hb_status hb_timed_device_check(struct hb_timed_device *d)
{
  HB_TRY(hb_gl_context_use(d->context));
  return d->way->check(d);
}
