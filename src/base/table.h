/* Tables: the columns say once what a row holds, where, and how it is named and printed. Text, lines of JSON and
 * comma-separated values are written from them. */
#ifndef HB_TABLE_H
#define HB_TABLE_H

#include "base/status.h"
#include "base/json.h"

#include <stddef.h>

/* The type of a column's member of the row. */
enum hb_table_kind {
  HB_TABLE_REAL,  /* double                               */
  HB_TABLE_COUNT, /* uint64_t                             */
  HB_TABLE_SIZE,  /* size_t                               */
  HB_TABLE_INT,   /* int                                  */
  HB_TABLE_TRUTH, /* int: true, false; 1, 0 in CSV        */
  HB_TABLE_TEXT,  /* const char *; NULL: not in JSON      */
  HB_TABLE_CHARS  /* char [], the text itself             */
};

struct hb_table_column {
  const char *name; /* in JSON and CSV; NULL: in the text only */
  enum hb_table_kind kind;
  size_t offset; /* in the row */
  const char
      *format; /* in the text: printf's for a double, unsigned long long, int or string; NULL: omitted */
  const char *heading; /* of the text, as wide as the format; a '#' comes first in the line. NULL: the name */
  double scale;        /* doubles are multiplied by this; 0: 1 */
  const char *missing; /* the text for a NaN; NULL: nan */
};

/* That of a member of a row's part, `now.` for one, under its own name. */
#define HB_TABLE_COLUMN(kind_of, row, within, member)                                                        \
  {                                                                                                          \
    .name = #member, .kind = HB_TABLE_##kind_of, .offset = offsetof(row, within member)                      \
  }

/* An array of columns as two arguments. */
#define HB_TABLE_COLUMNS(array) (array), sizeof(array) / sizeof *(array)

enum hb_table_form { HB_TABLE_TEXT_FORM, HB_TABLE_JSON_FORM, HB_TABLE_CSV_FORM };

/* A table being written. */
struct hb_table {
  const struct hb_table_column *columns;
  size_t count;
  enum hb_table_form form;
  FILE *out;
  size_t rows; /* so far; the first is preceded by a header, except in JSON */
};

/* Writes a line. Checking `out` for errors is left to the caller. */
void hb_table_put(struct hb_table *table, const void *row);

/* Adds the row's members to the open JSON object. */
void hb_table_members(const struct hb_table_column *columns, size_t count, const void *row,
                      struct hb_json *json);

/* The row as an object; several rows of `size` bytes as an array of objects. */
void hb_table_object(struct hb_json *json, const char *key, const struct hb_table_column *columns,
                     size_t count, const void *row);
void hb_table_array(struct hb_json *json, const char *key, const struct hb_table_column *columns,
                    size_t count, size_t rows, size_t size, const void *first);

#endif
