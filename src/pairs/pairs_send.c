/* Where the particles lie on the device, and how they get there. */
#include "pairs/pairs_program.h"

#include "gl/gl.h"

static int rows_2d(const struct hb_pairs *p) { return (int)(p->j_room / 16 >> p->shift); }

int hb_pairs_fit_texture_2d(const struct hb_pairs *p)
{
  return rows_2d(p) <= p->params.context->caps.max_texture_size;
}

static void make_texture_2d(struct hb_pairs *p, GLenum internal, GLenum format, GLenum type)
{
  glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, 1 << p->shift, rows_2d(p), 0, format, type, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
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
  if (p->is_texture_2d_filled) return HB_OK;
  HB_TRY(check_texture_2d(p));
  int words = p->params.precision == HB_PRECISION_DOUBLE;
  GLenum format = words ? GL_RGBA_INTEGER : GL_RGBA, type = words ? GL_UNSIGNED_INT : GL_FLOAT;
  if (!p->j_texture_2d) glGenTextures(1, &p->j_texture_2d);
  glActiveTexture(GL_TEXTURE0 + HB_UNIT_PARTICLE_TEXTURE);
  glBindTexture(GL_TEXTURE_2D, p->j_texture_2d);
  if (p->rows_2d != rows_2d(p)) make_texture_2d(p, words ? GL_RGBA32UI : GL_RGBA32F, format, type);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, p->j_buffer);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1 << p->shift, rows_2d(p), format, type, NULL);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  p->rows_2d = 0; /* until it is known that it could be made */
  HB_TRY(hb_gl_context_check(p->params.context, "copying particles into a texture"));
  p->rows_2d = rows_2d(p);
  p->is_texture_2d_filled = 1;
  return HB_OK;
}

enum hb_status hb_pairs_room_j(struct hb_pairs *p, size_t nj)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_gl_context_use(context));
  size_t texels = nj * (size_t)p->texels;
  if (texels > (size_t)context->caps.max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "%zu particles need a buffer texture of %zu texels, the limit of %s is %d", nj,
                   texels, context->caps.renderer, context->caps.max_texture_buffer_size);
  p->shift = 10; /* rows of 1024 texels for those who read a two-dimensional texture */
  size_t bytes = ((texels + 1023) & ~(size_t)1023) * 16;
  if (p->params.tuning.j_source_plus_1 == HB_J_BLOCK + 1)
    bytes += 65536; /* the last block may not stick out */
  glBindBuffer(GL_ARRAY_BUFFER, p->j_buffer);
  p->nj = nj;
  if (bytes == p->j_room) return HB_OK;
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
  glActiveTexture(GL_TEXTURE0 + HB_UNIT_PARTICLES);
  glBindTexture(GL_TEXTURE_BUFFER, p->j_texture);
  glTexBuffer(GL_TEXTURE_BUFFER, p->params.precision == HB_PRECISION_DOUBLE ? GL_RGBA32UI : GL_RGBA32F,
              p->j_buffer);
  p->j_room = bytes;
  return HB_OK;
}

enum hb_status hb_pairs_filled_j(struct hb_pairs *p)
{
  p->is_texture_2d_filled = 0;
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(check_texture_2d(p));
  return hb_gl_context_check(p->params.context, "sending particles");
}

enum hb_status hb_pairs_set_j(struct hb_pairs *p, size_t nj, const struct hb_column *columns)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_pairs_room_j(p, nj));
  void *room =
      glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(nj * (size_t)p->texels * 16),
                       GL_MAP_WRITE_BIT | (context->caps.software ? 0 : GL_MAP_INVALIDATE_BUFFER_BIT));
  if (!room) {
    HB_TRY(hb_gl_context_check(context, "mapping the particles' buffer"));
    return hb_fail(HB_ERR_DEVICE, "%s does not map the particles' buffer", context->caps.renderer);
  }
  hb_pairs_pack(p, context->caps.software, nj, columns, room);
  glUnmapBuffer(GL_ARRAY_BUFFER);
  return hb_pairs_filled_j(p);
}
