#include "force/hermite_program.h"
#include "force/kept.h"
#include "force/timed_way.h"
#include "force/timed_words.h"

#include "base/mem.h"
#include "pairs/selftest.h"

/* ---- create and destroy ---- */

int hb_timed_device_suits(const struct hb_pairs *pairs, size_t n)
{
  const struct hb_gl_caps *caps = &pairs->params.context->caps;
  return pairs->params.interaction->records == 2 &&
         (caps->has_counts || hb_kept_suits(caps, n, HB_TIMED_LAYERS)) &&
         hb_selftest_exact(pairs->params.context, "predicting on the device") == HB_OK;
}

static enum hb_status build(struct hb_timed_device *d, const struct hb_gl_program_source *files,
                            struct hb_gl_pass *pass)
{
  struct hb_gl_program_source source = *files;
  source.unrolled[0] = (struct hb_gl_loop){"TEXELS", d->texels};
  return hb_hermite_program(d->context, d->precision, d->fma_is_fused, &source, pass);
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
  d->fma_is_fused = pairs->fma_is_fused;
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
  hb_timed_time(d->precision, t, d->now);
  hb_timed_vector(d->precision, at[0], origin);
  hb_timed_vector(d->precision, at[1], origin + 8);
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
