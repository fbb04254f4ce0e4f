/* How particles are stored on the device, and sent there. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/machine.h"
#include "base/parallel.h"

#include <string.h>

/* Copies past the caches, to memory that this processor does not read again: a device that copies from there need not ask
 * them. */
#ifdef __SSE2__
#include <emmintrin.h>

/* Complete 16 bytes where `to` is aligned to them, else as memcpy. */
static void stream_copy(void *to, const void *from, size_t bytes)
{
  if ((uintptr_t)to % 16 || bytes % 16) {
    memcpy(to, from, bytes);
    return;
  }
  for (size_t k = 0; k < bytes; k += 16)
    _mm_stream_si128((__m128i *)((char *)to + k), _mm_loadu_si128((const __m128i *)((const char *)from + k)));
}

/* Before anybody is told that what this thread has copied is there. */
static void stream_end(void) { _mm_sfence(); }
#else
static void stream_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static void stream_end(void) {}
#endif

/* ---- packing: columns of doubles become records of four numbers, one particle after the other. All N are sent for each block
 * step, so this is a good part of a small block's time ---- */

enum {
  BLOCK = 256,  /* particles that are packed together, in the cache */
  PIECE = 1024, /* particles a thread packs at a time */
  ALONE = 8192, /* with fewer, waking other threads takes longer */
  TEXELS = 2 * HB_RECORDS_MAX
};

typedef uint32_t WORDS __attribute__((vector_size(16)));
typedef uint32_t WORDS_OF_DOUBLES __attribute__((vector_size(32)));

/* A record's four numbers, by the compiler's own vectors; each number moves on by its own stride. */
typedef double DOUBLES __attribute__((vector_size(32)));
typedef float FLOATS __attribute__((vector_size(16)));

HB_CLONES void hb_pairs_pack(const struct hb_column c[4], const struct hb_fixed_column *how,
                             const struct hb_pairs_stretch *s, size_t low, char *out)
{
  const double *at[4];
  size_t stride[4];
  DOUBLES factor = {0}, round = {0};
  for (int k = 0; k < 4; k++) at[k] = c[k].data + c[k].stride * s->from, stride[k] = c[k].stride;
  for (int k = 0; how && k < 4; k++) factor[k] = how[k].factor, round[k] = how[k].round;
  for (size_t j = s->from; j < s->to; j++, out += s->stride) {
    DOUBLES x = {*at[0], *at[1], *at[2], *at[3]};
    for (int k = 0; k < 4; k++) at[k] += stride[k];
    if (how) x = (x * factor + round) - round;
    const FLOATS f = __builtin_convertvector(x, FLOATS);
    memcpy(out, &f, sizeof f);
    if (low == 0) continue;
    FLOATS rest = __builtin_convertvector(x - __builtin_convertvector(f, DOUBLES), FLOATS);
    rest[3] = 0;
    memcpy(out + low, &rest, sizeof rest);
  }
}

/* Doubles as words (of a little-endian machine): the high ones, then the low ones. */
HB_CLONES static void pack_doubles(const struct hb_column c[4], const struct hb_pairs_stretch *s, char *out)
{
  const double *at[4];
  size_t stride[4];
  for (int k = 0; k < 4; k++) at[k] = c[k].data + c[k].stride * s->from, stride[k] = c[k].stride;
  for (size_t j = s->from; j < s->to; j++, out += s->stride) {
    const WORDS_OF_DOUBLES w = (WORDS_OF_DOUBLES)(DOUBLES){*at[0], *at[1], *at[2], *at[3]};
    const WORDS high = {w[1], w[3], w[5], w[7]}, low = {w[0], w[2], w[4], w[6]};
    for (int k = 0; k < 4; k++) at[k] += stride[k];
    memcpy(out, &high, sizeof high);
    memcpy(out + sizeof high, &low, sizeof low);
  }
}

struct packing {
  const struct hb_pairs *pairs;
  int straight; /* into `out`; else by a copy, as a GPU's memory may be mapped so that only whole lines are fast */
  struct hb_column columns[4 * HB_RECORDS_MAX];
  char *out; /* where the first particle goes */
};

static void pack_block(const struct packing *p, size_t from, size_t to, char *out)
{
  size_t records = (size_t)p->pairs->params.interaction->records, low = 16 * records;
  const struct hb_pairs_stretch s = {from, to, 16 * (size_t)p->pairs->texels};
  const struct hb_precision_facts *precision = &hb_precisions[p->pairs->params.precision];
  for (size_t r = 0; r < records; r++) {
    const struct hb_column *c = p->columns + 4 * r;
    if (precision->is_double)
      pack_doubles(c, &s, out + 32 * r);
    else
      hb_pairs_pack(c, precision->is_fixed ? p->pairs->rounding + 4 * r : NULL, &s,
                    precision->low_texels && r == 0 ? low : 0, out + 16 * r);
  }
}

static void pack_piece(void *context, size_t from, size_t end)
{
  const struct packing *p = context;
  _Alignas(64) char block[BLOCK * 16 * TEXELS];
  size_t bytes = 16 * (size_t)p->pairs->texels;
  for (size_t to; from < end; from = to) {
    to = hb_parallel_end(end, BLOCK, from);
    char *there = p->out + bytes * from;
    if (p->straight) {
      pack_block(p, from, to, there);
    } else {
      pack_block(p, from, to, block);
      stream_copy(there, block, bytes * (to - from));
    }
  }
  if (!p->straight) stream_end();
}

/* 16 * texels bytes each. `out` is ordinary memory (straight: 1), or memory that is fast only when written in order, by complete
 * cache lines (0). */
static void pack(const struct hb_pairs *pairs, int straight, size_t from, size_t to,
                 const struct hb_column *given, void *out)
{
  static const double zero = 0;
  struct packing p = {.pairs = pairs, .straight = straight, .out = out};
  for (int c = 0; c < 4 * pairs->params.interaction->records; c++) { /* NULLs stand for zeros */
    const struct hb_column *g = given + c;
    p.columns[c] =
        g->data ? (struct hb_column){g->data + g->stride * from, g->stride} : (struct hb_column){&zero, 0};
  }
  hb_parallel_pieces(to - from, PIECE, ALONE, pack_piece, &p);
}

/* ---- memory on the device ---- */

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
  if (nj == p->nj) return HB_OK;
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

/* ---- sending ---- */

enum { LINES = 16 }; /* particles that fill complete cache lines in any precision */

/* Pieces of equal size: a small one at the end would take nearly as long as the others. */
static size_t piece_of(size_t n, size_t bytes)
{
  size_t most = HB_GL_UPLOAD_PIECE / bytes / LINES * LINES, pieces = hb_div_ceil(n, most);
  return hb_div_ceil(hb_div_ceil(n, pieces), LINES) * LINES;
}

enum { FEW = 16 << 10 /* bytes */ };

/* Straight into the buffer: where it is the driver that decides how it gets to the device. */
static enum hb_status send_whole(const struct hb_pairs *p, size_t n, const struct hb_column *columns,
                                 const struct hb_gl_buffer *buffer)
{
  struct hb_gl_context *context = p->params.context;
  void *room;
  HB_TRY(hb_gl_buffer_map(context, buffer, n * (size_t)p->texels * 16, &room));
  pack(p, context->caps.software, 0, n, columns, room);
  hb_gl_buffer_unmap(buffer);
  return HB_OK;
}

static enum hb_status send(struct hb_pairs *p, size_t n, const struct hb_column *columns,
                           const struct hb_gl_buffer *buffer)
{
  const size_t bytes = (size_t)p->texels * 16;
  p->params.context->sent += n * bytes;
  if (n * bytes <= FEW) { /* a copy among the driver's commands: no memory to map, and no fence to wait for */
    _Alignas(64) char room[FEW];
    pack(p, 1, 0, n, columns, room);
    hb_gl_buffer_write(buffer, n * bytes, room);
    return HB_OK;
  }
  if (!hb_gl_upload_is_there(p->params.context)) return send_whole(p, n, columns, buffer);
  const size_t piece = piece_of(n, bytes);
  for (size_t from = 0, to; from < n; from = to) {
    void *room;
    to = hb_parallel_end(n, piece, from);
    HB_TRY(hb_gl_upload_begin(p->params.context, &p->upload, &room));
    pack(p, 0, from, to, columns, room);
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
    columns[c] = p->job.points[c];
    if (columns[c].data) columns[c].data += columns[c].stride * p->before;
  }
  return send(p, p->ni, columns, &p->i_points);
}
