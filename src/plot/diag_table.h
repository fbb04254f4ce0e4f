/* The table that --diag wrote, read back: numbers by name. */
#ifndef HB_DIAG_TABLE_H
#define HB_DIAG_TABLE_H

#include "base/status.h"

enum { HB_DIAG_TABLE_NAME = 40 };

struct hb_diag_table {
  size_t rows, columns;
  char (*names)[HB_DIAG_TABLE_NAME]; /* [columns]                                                        */
  double *values;                    /* [rows * columns] NaN for null, for words and where a row has none */
  size_t room;                       /* rows that there is room for                                       */
  char scheme[HB_DIAG_TABLE_NAME], precision[HB_DIAG_TABLE_NAME]; /* words of the last row; "" without */
};

/* .csv with a header, or .jsonl, an object a line, whose first has all names. A last line that is not ended belongs to a
 * row that is still being written, and is left out. Errors: HB_ERR_USAGE (extension), HB_ERR_IO, HB_ERR_INPUT with file,
 * line and reason; hb_diag_table_clear takes what is there. */
enum hb_status hb_diag_table_read(const char *path, struct hb_diag_table *table);
void hb_diag_table_clear(struct hb_diag_table *table);

/* The number of a column, -1 if there is none; NaN for such a column's values. */
int hb_diag_table_find(const struct hb_diag_table *table, const char *name);
double hb_diag_table_at(const struct hb_diag_table *table, size_t row, int column);

#endif
