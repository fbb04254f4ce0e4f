#include "base/json_read.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum hb_status hb_json_read(const char *line, cJSON **object)
{
  const char *end;
  *object = NULL;
  if (line[strspn(line, " \t\r")] != '{') return hb_fail(HB_ERR_INPUT, "expected an object");
  *object = cJSON_ParseWithOpts(line, &end, 1);
  if (*object && (*object)->child) return HB_OK;
  cJSON_Delete(*object);
  *object = NULL;
  return hb_fail(HB_ERR_INPUT, "expected \"name\": value");
}

const char *hb_json_text_of(const cJSON *item, char text[64])
{
  if (cJSON_IsString(item)) return item->valuestring;
  if (cJSON_IsNull(item)) return "null";
  if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "true" : "false";
  if (!cJSON_IsNumber(item)) return cJSON_IsArray(item) ? "[...]" : "{...}";
  snprintf(text, 64, "%.17g", item->valuedouble);
  return text;
}
