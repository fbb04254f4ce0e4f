/* How particles are stored on the device, and sent there. */
#include "pairs/pairs_program.h"

#include "base/arith.h"
#include "base/parallel.h"
#include "gl/gl_pass.h"

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

static enum hb_status count_texels(const struct hb_pairs *p, size_t n, size_t *texels)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  *texels = n * (size_t)p->texels;
  if (*texels <= (size_t)caps->max_texture_buffer_size) return HB_OK;
  return hb_fail(HB_ERR_GL, "%zu particles need a buffer texture of %zu texels, the limit of %s is %d", n,
                 *texels, caps->renderer, caps->max_texture_buffer_size);
}

/* bytes > 0, and the format in which programs read it. */
static void make_room(const struct hb_pairs *p, size_t bytes, struct hb_gl_buffer *buffer)
{
  hb_gl_buffer_fill(buffer, hb_gl_upload_is_there(p->params.context) ? HB_GL_BY_DEVICE : HB_GL_BY_HOST, bytes,
                    NULL);
  hb_gl_buffer_texture(buffer, p->params.precision == HB_PRECISION_DOUBLE ? HB_GL_RGBA32UI : HB_GL_RGBA32F);
}

/* So much less is worth an allocation, which takes longer than to send them: sources may be all, and then a device's part. */
enum { LESS = 16 };

enum hb_status hb_pairs_reserve_j(struct hb_pairs *p, size_t nj)
{
  size_t texels;
  HB_TRY(hb_gl_context_use(p->params.context));
  HB_TRY(count_texels(p, nj, &texels));
  p->shift = 10; /* rows of 1024 texels for programs that read a two-dimensional texture */
  size_t bytes = ((texels + 1023) & ~(size_t)1023) * 16;
  if (p->params.tuning.j_source_plus_1 == HB_J_BLOCK + 1)
    bytes += 65536; /* the last block must not extend beyond it */
  p->nj = nj;
  if (bytes > p->j.bytes || bytes * LESS < p->j.bytes) make_room(p, bytes, &p->j);
  return HB_OK;
}

enum hb_status hb_pairs_filled_j(struct hb_pairs *p)
{
  p->is_2d_filled = 0;
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(check_texture_2d(p));
  return hb_gl_context_check(p->params.context, "sending particles");
}

enum hb_status hb_pairs_reserve_next(struct hb_pairs *p)
{
  if (p->j_next.bytes != p->j.bytes) make_room(p, p->j.bytes, &p->j_next);
  return hb_gl_context_check(p->params.context, "reserving memory for the next particles");
}

enum hb_status hb_pairs_use_next(struct hb_pairs *p)
{
  struct hb_gl_buffer last = p->j;
  p->j = p->j_next;
  p->j_next = last;
  return hb_pairs_filled_j(p);
}

enum { LINES = 16 }; /* particles that fill complete cache lines in any precision */

/* Pieces of equal size: a small one at the end would take nearly as long as the others. */
static size_t piece_of(size_t n, size_t bytes)
{
  size_t most = HB_GL_UPLOAD_PIECE / bytes / LINES * LINES, pieces = hb_div_ceil(n, most);
  return hb_div_ceil(hb_div_ceil(n, pieces), LINES) * LINES;
}

enum { FEW = 16 << 10 /* bytes */ };

/* By a copy among the driver's commands: there is no memory to map, and no fence to wait for before it is written again. */
static enum hb_status send_few(const struct hb_pairs *p, size_t n, const struct hb_column *columns,
                               const struct hb_gl_buffer *buffer)
{
  _Alignas(64) char room[FEW];
  hb_pairs_pack(p, 1, 0, n, columns, room);
  hb_gl_buffer_write(buffer, n * (size_t)p->texels * 16, room);
  return HB_OK;
}

/* Straight into the buffer: where it is the driver that decides how it gets to the device. */
static enum hb_status send_whole(const struct hb_pairs *p, size_t n, const struct hb_column *columns,
                                 const struct hb_gl_buffer *buffer)
{
  struct hb_gl_context *context = p->params.context;
  void *room = hb_gl_buffer_map(context, buffer, n * (size_t)p->texels * 16);
  if (!room) {
    HB_TRY(hb_gl_context_check(context, "mapping the particles' buffer"));
    return hb_fail(HB_ERR_DEVICE, "%s cannot map the particles' buffer", context->caps.renderer);
  }
  hb_pairs_pack(p, context->caps.software, 0, n, columns, room);
  hb_gl_buffer_unmap(buffer);
  return HB_OK;
}

static enum hb_status send(struct hb_pairs *p, size_t n, const struct hb_column *columns,
                           const struct hb_gl_buffer *buffer)
{
  const size_t bytes = (size_t)p->texels * 16, piece = piece_of(n, bytes);
  if (n * bytes <= FEW) return send_few(p, n, columns, buffer);
  if (!hb_gl_upload_is_there(p->params.context)) return send_whole(p, n, columns, buffer);
  for (size_t from = 0, to; from < n; from = to) {
    void *room;
    to = hb_parallel_end(n, piece, from);
    HB_TRY(hb_gl_upload_begin(p->params.context, &p->upload, &room));
    hb_pairs_pack(p, 0, from, to, columns, room);
    hb_gl_upload_end(&p->upload, buffer, bytes * from, bytes * (to - from));
    if (to < n) hb_gl_flush(); /* it travels while the next one is packed */
  }
  return HB_OK;
}

enum hb_status hb_pairs_set_j(struct hb_pairs *p, size_t nj, const struct hb_column *columns)
{
  HB_TRY(hb_pairs_reserve_j(p, nj));
  HB_TRY(send(p, nj, columns, &p->j));
  return hb_pairs_filled_j(p);
}

enum hb_status hb_pairs_send_points(struct hb_pairs *p)
{
  struct hb_column columns[4 * HB_RECORDS_MAX];
  size_t texels;
  HB_TRY(count_texels(p, p->ni, &texels));
  if (16 * texels > p->i_points.bytes) make_room(p, hb_pairs_capacity(16 * texels, SIZE_MAX), &p->i_points);
  for (int c = 0; c < 4 * p->params.interaction->records; c++) {
    columns[c] = p->points[c];
    if (columns[c].data) columns[c].data += columns[c].stride * p->before;
  }
  return send(p, p->ni, columns, &p->i_points);
}
