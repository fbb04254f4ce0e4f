/* Packing particles for the device: columns of doubles become records of four numbers, one particle after the other. All N
 * are sent for each block step, so this is a good part of a small block's time. */
#include "pairs/pairs.h"

#include "base/bits.h"
#include "base/arith.h"
#include "base/parallel.h"

#include <string.h>

enum {
  BLOCK = 256,   /* particles that are packed together, in the cache */
  PIECE = 4096,  /* particles a thread packs at a time */
  ALONE = 16384, /* with fewer, waking other threads takes longer */
  TEXELS = 4 * HB_RECORDS_MAX
};

static double element(const struct hb_column *column, size_t j) { return column->data[column->stride * j]; }

/* A record of a vector and a number, such as position and mass: three adjacent loads, which the compiler turns into vector
 * instructions. */
static void pack_vectors(const double *restrict x, const double *restrict w, size_t w_stride, size_t n,
                         size_t stride, float *restrict out)
{
  for (size_t j = 0; j < n; j++, x += 3, w += w_stride, out += stride) {
    out[0] = (float)x[0];
    out[1] = (float)x[1];
    out[2] = (float)x[2];
    out[3] = (float)w[0];
  }
}

static int is_vector(const struct hb_column c[4])
{
  return c[0].stride == 3 && c[1].stride == 3 && c[2].stride == 3 && c[1].data == c[0].data + 1 &&
         c[2].data == c[0].data + 2;
}

/* One record of the particles from .. to: floats, */
static void pack_record(const struct hb_column c[4], size_t from, size_t to, size_t stride, float *out)
{
  if (is_vector(c)) {
    pack_vectors(c[0].data + 3 * from, c[3].data + c[3].stride * from, c[3].stride, to - from, stride, out);
    return;
  }
  for (size_t j = from; j < to; j++, out += stride)
    for (int k = 0; k < 4; k++) out[k] = (float)element(&c[k], j);
}

static void pack_floats(const struct hb_column *columns, int records, size_t from, size_t to, size_t stride,
                        float *out)
{
  for (int r = 0; r < records; r++) pack_record(columns + 4 * r, from, to, stride, out + 4 * r);
}

/* or what float could not hold of the position. The float is read from where it was packed: gcc 12's vectorizer at -O3
 * replaces (double)(float)x by x where three components are adjacent, which gives zeros. */
static void pack_low_parts(const struct hb_column *columns, size_t from, size_t to, size_t stride,
                           const float *packed, float *out)
{
  for (size_t j = from; j < to; j++, out += stride, packed += stride) {
    for (int c = 0; c < 3; c++) out[c] = (float)(element(&columns[c], j) - (double)packed[c]);
    out[3] = 0;
  }
}

/* or doubles as words: the high ones of a record, then the low ones. */
static void pack_doubles(const struct hb_column *columns, int width, size_t from, size_t to, size_t stride,
                         uint32_t *out)
{
  for (size_t j = from; j < to; j++, out += stride)
    for (int c = 0; c < width; c++) {
      uint32_t *high = out + 8 * (c / 4) + c % 4;
      hb_bits_of_double(element(&columns[c], j), high, high + 4);
    }
}

struct packing {
  const struct hb_pairs *pairs;
  int straight; /* into `out`; else by a copy, as a GPU's memory may be mapped so that only whole lines are fast */
  struct hb_column columns[4 * HB_RECORDS_MAX];
  size_t n;
  char *out;
};

static void pack_block(const struct packing *p, size_t from, size_t to, void *out)
{
  int records = p->pairs->params.interaction->records;
  const struct hb_precision_facts *precision = &hb_precisions[p->pairs->params.precision];
  size_t stride = 4 * (size_t)p->pairs->texels;
  if (precision->is_double) {
    pack_doubles(p->columns, 4 * records, from, to, stride, out);
    return;
  }
  pack_floats(p->columns, records, from, to, stride, out);
  if (precision->low_texels)
    pack_low_parts(p->columns, from, to, stride, out, (float *)out + 4 * (size_t)records);
}

static void pack_piece(void *context, size_t piece)
{
  const struct packing *p = context;
  float block[BLOCK * 4 * TEXELS];
  size_t bytes = 16 * (size_t)p->pairs->texels;
  for (size_t from = piece * PIECE, end = hb_parallel_end(p->n, PIECE, from), to; from < end; from = to) {
    to = hb_parallel_end(end, BLOCK, from);
    char *there = p->out + bytes * from;
    if (p->straight) {
      pack_block(p, from, to, there);
    } else {
      pack_block(p, from, to, block);
      memcpy(there, block, bytes * (to - from));
    }
  }
}

void hb_pairs_pack(const struct hb_pairs *pairs, int straight, size_t n, const struct hb_column *given,
                   void *out)
{
  static const double zero = 0;
  struct packing p = {.pairs = pairs, .straight = straight, .n = n, .out = out};
  for (int c = 0; c < 4 * pairs->params.interaction->records; c++) /* NULLs stand for zeros */
    p.columns[c] = given[c].data ? given[c] : (struct hb_column){&zero, 0};
  hb_parallel_for(n < ALONE ? 1 : hb_parallel_threads(), hb_div_ceil(n, PIECE), pack_piece, &p);
}
