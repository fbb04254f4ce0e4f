/* Tables of numbers with named columns, as people and programs write them: words between blanks, tabs or commas, a row a
 * line, '#' before a comment. The names are the words of the last comment before the first row that has as many words as
 * the row, or of the first line that is not a comment, as in CSV. */
#ifndef HB_TABLE_READ_H
#define HB_TABLE_READ_H

#include "base/status.h"

enum { HB_NUMBERS_COLUMNS = 64, HB_NUMBERS_NAME = 32 };

struct hb_numbers {
  size_t rows, columns;
  char names[HB_NUMBERS_COLUMNS][HB_NUMBERS_NAME];
  double *data; /* [rows * columns], row after row */
};

/* path "-": standard input. Errors: HB_ERR_INPUT (no names, a row of another length, what is not a finite number; with file
 * and line), HB_ERR_IO. */
enum hb_status hb_numbers_read(const char *path, struct hb_numbers *numbers);
void hb_numbers_free(struct hb_numbers *numbers);

/* The column of that name; NULL: none. Its elements are numbers->columns apart. */
const double *hb_numbers_find(const struct hb_numbers *numbers, const char *name);

#endif
