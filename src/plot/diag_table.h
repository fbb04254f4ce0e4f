/* The table that --diag wrote, read back: numbers by name. */
#ifndef HB_DIAG_TABLE_H
#define HB_DIAG_TABLE_H

#include "base/status.h"

enum { HB_DIAG_TABLE_NAME = 40 };

struct hb_diag_table {
  size_t rows, columns;
  char (*names)[HB_DIAG_TABLE_NAME]; /* [columns]                                              */
  double *values;                    /* [rows * columns]; NaN for null, words and missing values */
  size_t capacity;                   /* of values                                              */
  char scheme[HB_DIAG_TABLE_NAME], precision[HB_DIAG_TABLE_NAME]; /* of the last row; "": none */
  char units[HB_DIAG_TABLE_NAME];                                 /* of the last row; "": N-body */
};

/* Reads .csv with a header, or .jsonl, one object per line, the first of which has all names. An unterminated last line is
 * a row still being written, and is left out. Errors: HB_ERR_USAGE (extension), HB_ERR_IO, HB_ERR_INPUT with file, line and
 * reason; call hb_diag_table_clear in any case. */
enum hb_status hb_diag_table_read(const char *path, struct hb_diag_table *table);
void hb_diag_table_clear(struct hb_diag_table *table);

/* The index of a column, -1: none. The value in a row; NaN for column -1. */
int hb_diag_table_find(const struct hb_diag_table *table, const char *name);
double hb_diag_table_at(const struct hb_diag_table *table, size_t row, int column);

#endif
