/* How particles are stored on the device, and sent there. */
#include "pairs/pairs_program.h"

static int rows_2d(const struct hb_pairs *p) { return (int)(p->j.bytes / 16 >> p->shift); }

int hb_pairs_fit_texture_2d(const struct hb_pairs *p)
{
  return rows_2d(p) <= p->params.context->caps.max_texture_size;
}

static enum hb_status check_texture_2d(const struct hb_pairs *p)
{
  if (hb_pairs_fit_texture_2d(p)) return HB_OK;
  return hb_fail(HB_ERR_GL, "%zu particles need a texture of %d x %d texels, the limit of %s is %d", p->nj,
                 1 << p->shift, rows_2d(p), p->params.context->caps.renderer,
                 p->params.context->caps.max_texture_size);
}

enum hb_status hb_pairs_texture_2d(struct hb_pairs *p)
{
  if (p->is_2d_filled) return HB_OK;
  HB_TRY(check_texture_2d(p));
  if (p->j_2d.height != rows_2d(p)) {
    const struct hb_gl_texture_params params = {
        .format = p->params.precision == HB_PRECISION_DOUBLE ? HB_GL_RGBA32UI : HB_GL_RGBA32F,
        .width = 1 << p->shift,
        .height = rows_2d(p)};
    hb_gl_texture_destroy(&p->j_2d);
    HB_TRY(hb_gl_texture_create(p->params.context, &params, &p->j_2d));
  }
  hb_gl_texture_copy(&p->j_2d, &p->j);
  HB_TRY(hb_gl_context_check(p->params.context, "copying particles into a texture"));
  p->is_2d_filled = 1;
  return HB_OK;
}

enum hb_status hb_pairs_reserve_j(struct hb_pairs *p, size_t nj)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_gl_context_use(context));
  size_t texels = nj * (size_t)p->texels;
  if (texels > (size_t)context->caps.max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "%zu particles need a buffer texture of %zu texels, the limit of %s is %d", nj,
                   texels, context->caps.renderer, context->caps.max_texture_buffer_size);
  p->shift = 10; /* rows of 1024 texels for programs that read a two-dimensional texture */
  size_t bytes = ((texels + 1023) & ~(size_t)1023) * 16;
  if (p->params.tuning.j_source_plus_1 == HB_J_BLOCK + 1)
    bytes += 65536; /* the last block must not extend beyond it */
  p->nj = nj;
  if (bytes == p->j.bytes) return HB_OK;
  hb_gl_buffer_fill(&p->j, HB_GL_BY_HOST, bytes, NULL);
  hb_gl_buffer_texture(&p->j, p->params.precision == HB_PRECISION_DOUBLE ? HB_GL_RGBA32UI : HB_GL_RGBA32F);
  return HB_OK;
}

enum hb_status hb_pairs_filled_j(struct hb_pairs *p)
{
  p->is_2d_filled = 0;
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(check_texture_2d(p));
  return hb_gl_context_check(p->params.context, "sending particles");
}

enum hb_status hb_pairs_set_j(struct hb_pairs *p, size_t nj, const struct hb_column *columns)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_pairs_reserve_j(p, nj));
  void *room = hb_gl_buffer_map(context, &p->j, nj * (size_t)p->texels * 16);
  if (!room) {
    HB_TRY(hb_gl_context_check(context, "mapping the particles' buffer"));
    return hb_fail(HB_ERR_DEVICE, "%s cannot map the particles' buffer", context->caps.renderer);
  }
  hb_pairs_pack(p, context->caps.software, nj, columns, room);
  hb_gl_buffer_unmap(&p->j);
  return hb_pairs_filled_j(p);
}
