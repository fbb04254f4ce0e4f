/* Columns of numbers in memory, and the compiler's own vectors, in which a record of four is loaded, converted and stored as a
 * whole. */
#ifndef HB_PAIRS_COLUMN_H
#define HB_PAIRS_COLUMN_H

#include <stddef.h>
#include <stdint.h>

/* A column of numbers: element j is data[stride * j]; NULL stands for zeros. */
struct hb_column {
  const double *data;
  size_t stride;
};

typedef double HB_DOUBLES __attribute__((vector_size(32)));
typedef float HB_FLOATS __attribute__((vector_size(16)));

/* A record's four numbers, each of which moves on by its own stride. */
struct hb_column_record {
  const double *at[4];
  size_t stride[4];
};

static inline struct hb_column_record hb_column_record(const struct hb_column c[4], size_t j)
{
  struct hb_column_record r;
  for (int k = 0; k < 4; k++) {
    r.at[k] = c[k].data + c[k].stride * j;
    r.stride[k] = c[k].stride;
  }
  return r;
}

static inline void hb_column_next(struct hb_column_record *r, HB_DOUBLES *x)
{
  *x = (HB_DOUBLES){*r->at[0], *r->at[1], *r->at[2], *r->at[3]};
  for (int k = 0; k < 4; k++) r->at[k] += r->stride[k];
}

#endif
