/* JSON, one record a line, written directly; base/json_read.h reads it. */
#ifndef HB_JSON_H
#define HB_JSON_H

#include "base/status.h"

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

#endif
