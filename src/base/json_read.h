/* JSON, as far as this program writes it: an object on a line, with words, numbers, true, false, null. */
#ifndef HB_JSON_READ_H
#define HB_JSON_READ_H

#include "base/status.h"

/* Name and value lie in the line. */
struct hb_json_pair {
  const char *name, *value; /* strings without their quotes, escapes as they stand */
  size_t name_length, length;
};

int hb_json_pair_is(const struct hb_json_pair *pair, const char *name);

/* Calls visit for each pair in its order. Errors: HB_ERR_INPUT (no such object), or of visit. */
enum hb_status hb_json_read(const char *line,
                            enum hb_status (*visit)(void *context, const struct hb_json_pair *pair),
                            void *context);

#endif
