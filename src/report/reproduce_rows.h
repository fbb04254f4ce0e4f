/* The outputs of jobs as records, found by their fields. */
#ifndef HB_REPRODUCE_ROWS_H
#define HB_REPRODUCE_ROWS_H

#include "report/reproduction.h"

struct hb_field {
  const char *key, *value;
};

enum { HB_FIELDS_MOST = 64 };

/* A line of a job's output; its fields are the job's labels, then those of the line. */
struct hb_record {
  char *text; /* that the fields point into */
  struct hb_field fields[HB_FIELDS_MOST];
  size_t count;
};

/* Adds "a=1 b=2" as fields of the record, cutting up the text. */
void hb_record_label(char *labels, struct hb_record *record);

/* The labels followed by the members of a JSON object, in text of the record's own; free it with hb_mem_free, also after a
 * failure. Errors: HB_ERR_INPUT. */
enum hb_status hb_record_take(const char *labels, const char *line, struct hb_record *record);

/* Adds the lines of a file, without the first if it has a header, with these labels before their fields. Errors:
 * HB_ERR_INPUT, HB_ERR_IO. */
enum hb_status hb_reproduce_read_lines(struct hb_reproduction *r, const char *path, const char *labels,
                                       int has_header);

/* The first record after `after` (NULL: of all) whose fields have these values, "kind=run n=1024"; NULL: none. */
const struct hb_record *hb_reproduce_next(const struct hb_reproduction *r, const struct hb_record *after,
                                          const char *filter);

/* A field; "" and NaN if missing. "a/b" is the quotient of two fields. */
const char *hb_record_text(const struct hb_record *record, const char *key);
double hb_record_number(const struct hb_record *record, const char *key);

/* The number in the last such record; NaN: none. */
double hb_reproduce_number(const struct hb_reproduction *r, const char *key, const char *filter, ...)
    __attribute__((format(printf, 3, 4)));

void hb_reproduce_clear(struct hb_reproduction *r);

#endif
