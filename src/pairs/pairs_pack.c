/* Particles on their way to the device: columns of doubles become records of four numbers, one particle after the
 * other. The whole of N is sent for each block step, so this is a good part of a small block's time. */
#include "pairs/pairs.h"

#include "base/bits.h"
#include "base/split.h"

#include <string.h>

enum { BLOCK = 256 }; /* particles whose records are packed one after the other while they are in the cache */

static double element(const struct hb_column *column, size_t j) { return column->data[column->stride * j]; }

/* A record of a vector and a number, as positions with masses come: three loads side by side, which the compiler
 * turns into vector instructions. */
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
  out += stride * from;
  if (is_vector(c)) {
    pack_vectors(c[0].data + 3 * from, c[3].data + c[3].stride * from, c[3].stride, to - from, stride, out);
    return;
  }
  for (size_t j = from; j < to; j++, out += stride)
    for (int k = 0; k < 4; k++) out[k] = (float)element(&c[k], j);
}

static void pack_floats(const struct hb_column *columns, int records, size_t n, size_t stride, float *out)
{
  for (size_t from = 0; from < n; from += BLOCK)
    for (int r = 0; r < records; r++)
      pack_record(columns + 4 * r, from, from + BLOCK < n ? from + BLOCK : n, stride, out + 4 * r);
}

/* or what float could not hold of the position, */
static void pack_low_parts(const struct hb_column *columns, size_t n, size_t stride, float *out)
{
  for (size_t j = 0; j < n; j++, out += stride) {
    for (int c = 0; c < 3; c++) out[c] = hb_split_low(element(&columns[c], j));
    out[3] = 0;
  }
}

/* or doubles as words: the high ones of a record, then the low ones. */
static void pack_doubles(const struct hb_column *columns, int width, size_t n, size_t stride, uint32_t *out)
{
  for (size_t j = 0; j < n; j++, out += stride)
    for (int c = 0; c < width; c++) {
      uint32_t *high = out + 8 * (c / 4) + c % 4;
      hb_bits_of_double(element(&columns[c], j), high, high + 4);
    }
}

void hb_pairs_pack(const struct hb_pairs *p, size_t n, const struct hb_column *given, void *out)
{
  static const double zero = 0;
  int records = p->params.interaction->records;
  struct hb_column columns[4 * HB_RECORDS_MAX]; /* without the NULLs that stand for zeros */
  for (int c = 0; c < 4 * records; c++) columns[c] = given[c].data ? given[c] : (struct hb_column){&zero, 0};
  size_t stride = 4 * (size_t)p->texels;
  if (p->params.precision == HB_PRECISION_DOUBLE) {
    pack_doubles(columns, 4 * records, n, stride, out);
    return;
  }
  pack_floats(columns, records, n, stride, out);
  if (p->params.precision == HB_PRECISION_DS)
    pack_low_parts(columns, n, stride, (float *)out + 4 * (size_t)records);
}
