/* Numbers printed in the papers: the tables of data/paper, embedded at build time, so that an installed program has them. */
#ifndef HB_PAPER_H
#define HB_PAPER_H

#include <stddef.h>

struct hb_paper_file {
  const char *name; /* "table2.csv" */
  const char *text;
};

/* The last one has the name NULL. */
extern const struct hb_paper_file hb_paper_files[];

enum { HB_PAPER_CELL = 160 };

/* The text in a row and column, both from 0; row 0 has the names of the columns, comments do not count. Returns 0 if there
 * is no such cell. */
int hb_paper_cell(const char *table, size_t row, size_t column, char cell[HB_PAPER_CELL]);

/* The number there; NaN if the paper has none. */
double hb_paper_number(const char *table, size_t row, size_t column);

/* The number of the first row that starts with `key` ("de_rel,8800GTX"), in the column of that name; NaN: none. */
double hb_paper_value(const char *table, const char *key, const char *column);

/* Seconds of a time unit of n stars on a machine of hb_machines: as [PZ07] Table 2 prints them, which has a quarter of one, or where it has
 * none, by its eqs 10 to 17. */
double hb_paper_seconds(int machine, size_t n, int *is_printed);

#endif
