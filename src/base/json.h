/* JSON, one record a line: written directly, read by cJSON. */
#ifndef HB_JSON_H
#define HB_JSON_H

#include "base/status.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdio.h>

struct hb_json {
  FILE *out;
  int follows; /* the next item needs a comma before it */
};

/* key is NULL inside an array and for the outermost item. */
void hb_json_open_object(struct hb_json *json, const char *key);
void hb_json_close_object(struct hb_json *json);
void hb_json_open_array(struct hb_json *json, const char *key);
void hb_json_close_array(struct hb_json *json);

void hb_json_number(struct hb_json *json, const char *key, double number); /* NaN and Inf become null */
void hb_json_count(struct hb_json *json, const char *key, uint64_t count);
void hb_json_truth(struct hb_json *json, const char *key, int truth);

/* Bytes that are not valid UTF-8 become U+FFFD. */
void hb_json_text(struct hb_json *json, const char *key, const char *text);

/* A line that people may have edited. *object has at least one member and is freed with cJSON_Delete; NULL after a failure.
 * Errors: HB_ERR_INPUT. */
enum hb_status hb_json_read(const char *line, cJSON **object);

/* A value as we write it, strings without quotes; text is space for a number. */
const char *hb_json_text_of(const cJSON *item, char text[64]);

#endif
