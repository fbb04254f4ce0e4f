/* JSON, one record a line, read by cJSON. */
#ifndef HB_JSON_READ_H
#define HB_JSON_READ_H

#include "base/status.h"

#include <cJSON.h>

/* A line that people may have edited. *object has at least one member and is freed with cJSON_Delete; NULL after a failure.
 * Errors: HB_ERR_INPUT. */
enum hb_status hb_json_read(const char *line, cJSON **object);

/* A value as we write it, strings without quotes; text is space for a number. */
const char *hb_json_text_of(const cJSON *item, char text[64]);

#endif
