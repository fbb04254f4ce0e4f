/* Packing particles for the device: columns of doubles become records of four numbers, one particle after the other. All N
 * are sent for each block step, so this is a good part of a small block's time. */
#include "pairs/pairs.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/parallel.h"
#include "base/stream.h"

#include <string.h>

enum {
  BLOCK = 256,  /* particles that are packed together, in the cache */
  PIECE = 1024, /* particles a thread packs at a time */
  ALONE = 8192, /* with fewer, waking other threads takes longer */
  TEXELS = 2 * HB_RECORDS_MAX
};

typedef uint32_t WORDS __attribute__((vector_size(16)));
typedef uint32_t WORDS_OF_DOUBLES __attribute__((vector_size(32)));

/* One record of the particles from .. to, to `out` and every `stride` bytes after that: floats, */
HB_CLONES static void pack_floats(const struct hb_column c[4], size_t from, size_t to, size_t stride,
                                  char *out)
{
  struct hb_column_record r = hb_column_record(c, from);
  for (size_t j = from; j < to; j++, out += stride) {
    HB_DOUBLES x;
    hb_column_next(&r, &x);
    const HB_FLOATS f = __builtin_convertvector(x, HB_FLOATS);
    memcpy(out, &f, sizeof f);
  }
}

/* or floats and, `low` bytes further on, what they could not hold of a position; */
HB_CLONES static void pack_positions(const struct hb_column c[4], size_t from, size_t to, size_t stride,
                                     size_t low, char *out)
{
  struct hb_column_record r = hb_column_record(c, from);
  for (size_t j = from; j < to; j++, out += stride) {
    HB_DOUBLES x;
    hb_column_next(&r, &x);
    const HB_FLOATS f = __builtin_convertvector(x, HB_FLOATS);
    HB_FLOATS rest = __builtin_convertvector(x - __builtin_convertvector(f, HB_DOUBLES), HB_FLOATS);
    rest[3] = 0;
    memcpy(out, &f, sizeof f);
    memcpy(out + low, &rest, sizeof rest);
  }
}

/* or doubles as words (of a little-endian machine): the high ones, then the low ones. */
HB_CLONES static void pack_doubles(const struct hb_column c[4], size_t from, size_t to, size_t stride,
                                   char *out)
{
  struct hb_column_record r = hb_column_record(c, from);
  for (size_t j = from; j < to; j++, out += stride) {
    HB_DOUBLES x;
    hb_column_next(&r, &x);
    const WORDS_OF_DOUBLES w = (WORDS_OF_DOUBLES)x;
    const WORDS high = {w[1], w[3], w[5], w[7]}, low = {w[0], w[2], w[4], w[6]};
    memcpy(out, &high, sizeof high);
    memcpy(out + sizeof high, &low, sizeof low);
  }
}

struct packing {
  const struct hb_pairs *pairs;
  int straight; /* into `out`; else by a copy, as a GPU's memory may be mapped so that only whole lines are fast */
  struct hb_column columns[4 * HB_RECORDS_MAX];
  size_t from, to; /* particles; the first of them goes to */
  char *out;
};

static void pack_block(const struct packing *p, size_t from, size_t to, char *out)
{
  size_t records = (size_t)p->pairs->params.interaction->records, stride = 16 * (size_t)p->pairs->texels;
  const struct hb_precision_facts *precision = &hb_precisions[p->pairs->params.precision];
  for (size_t r = 0; r < records; r++) {
    const struct hb_column *c = p->columns + 4 * r;
    if (precision->is_fixed)
      hb_fixed_pack(c, p->pairs->rounding + 4 * r, from, to, stride, r ? 0 : 16 * records, out + 16 * r);
    else if (precision->is_double)
      pack_doubles(c, from, to, stride, out + 32 * r);
    else if (precision->low_texels && r == 0)
      pack_positions(c, from, to, stride, 16 * records, out);
    else
      pack_floats(c, from, to, stride, out + 16 * r);
  }
}

static void pack_piece(void *context, size_t piece)
{
  const struct packing *p = context;
  _Alignas(64) char block[BLOCK * 16 * TEXELS];
  size_t bytes = 16 * (size_t)p->pairs->texels;
  size_t begin = p->from + piece * PIECE, end = hb_parallel_end(p->to, PIECE, begin);
  for (size_t from = begin, to; from < end; from = to) {
    to = hb_parallel_end(end, BLOCK, from);
    char *there = p->out + bytes * (from - p->from);
    if (p->straight) {
      pack_block(p, from, to, there);
    } else {
      pack_block(p, from, to, block);
      hb_stream_copy(there, block, bytes * (to - from));
    }
  }
  hb_stream_end();
}

void hb_pairs_pack(const struct hb_pairs *pairs, int straight, size_t from, size_t to,
                   const struct hb_column *given, void *out)
{
  static const double zero = 0;
  struct packing p = {.pairs = pairs, .straight = straight, .from = from, .to = to, .out = out};
  for (int c = 0; c < 4 * pairs->params.interaction->records; c++) /* NULLs stand for zeros */
    p.columns[c] = given[c].data ? given[c] : (struct hb_column){&zero, 0};
  size_t n = to - from;
  hb_parallel_for(n < ALONE ? 1 : hb_parallel_threads(), hb_div_ceil(n, PIECE), pack_piece, &p);
}
