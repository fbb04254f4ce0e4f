/* A file of rows that a run appends to, as comma separated values or JSON lines with the same names. */
#ifndef HB_RUN_ROWS_H
#define HB_RUN_ROWS_H

#include "base/table.h"

struct hb_run_rows {
  const char *path; /* the caller's        */
  FILE *file;       /* NULL: not asked for */
  int csv;
  size_t rows; /* so far: in CSV a header precedes the first */
};

/* Checks before the work that such a file of `what` can be written. Errors: HB_ERR_USAGE (extension is not csv or jsonl),
 * HB_ERR_IO. */
enum hb_status hb_run_rows_check(const char *path, const char *what);

/* A new one, or to append to the rows of a resumed run. hb_run_rows_close accepts one that was never opened. Errors:
 * HB_ERR_IO. */
enum hb_status hb_run_rows_open(const char *path, int append, struct hb_run_rows *rows);
void hb_run_rows_close(struct hb_run_rows *rows);

/* One row, flushed at once. Errors: HB_ERR_IO. */
enum hb_status hb_run_rows_put(struct hb_run_rows *rows, const struct hb_table_column *columns, size_t count,
                               const void *row);

#endif
