/* A line of JSON that holds one object, as every --json of this program prints it, taken apart into its fields. */
#ifndef HB_JSON_READ_H
#define HB_JSON_READ_H

#include "base/status.h"

/* A word without its quotes and escapes; of a list or an inner object the text as it stands. */
struct hb_json_field {
  const char *key, *value;
};

enum { HB_JSON_FIELDS = 64 };

/* Cuts line, which the fields then point into. Errors: HB_ERR_INPUT (no such object, more than most fields). */
enum hb_status hb_json_take_apart(char *line, size_t most, struct hb_json_field *fields, size_t *count);

#endif
