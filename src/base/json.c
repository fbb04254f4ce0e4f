#include "base/json.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void put_string(FILE *out, const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  fputc('"', out);
  while (*s) {
    size_t length = hb_text_utf8_length((const char *)s);
    unsigned command = hb_text_command((const char *)s);
    if (length == 0)
      fputs("\\ufffd", out);
    else if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if (*s == '\n')
      fputs("\\n", out);
    else if (*s == '\t')
      fputs("\\t", out);
    else if (command)
      fprintf(out, "\\u%04x", command);
    else
      fwrite(s, 1, length, out);
    s += length ? length : 1;
  }
  fputc('"', out);
}

static void begin_item(struct hb_json *json, const char *key)
{
  if (json->follows) fputs(", ", json->out);
  json->follows = 1;
  if (!key) return;
  put_string(json->out, key);
  fputs(": ", json->out);
}

static void open_bracket(struct hb_json *json, const char *key, char bracket)
{
  begin_item(json, key);
  fputc(bracket, json->out);
  json->follows = 0;
}

static void close_bracket(struct hb_json *json, char bracket)
{
  fputc(bracket, json->out);
  json->follows = 1;
}

void hb_json_open_object(struct hb_json *json, const char *key) { open_bracket(json, key, '{'); }
void hb_json_close_object(struct hb_json *json) { close_bracket(json, '}'); }
void hb_json_open_array(struct hb_json *json, const char *key) { open_bracket(json, key, '['); }
void hb_json_close_array(struct hb_json *json) { close_bracket(json, ']'); }

void hb_json_number(struct hb_json *json, const char *key, double number)
{
  begin_item(json, key);
  if (isfinite(number))
    fprintf(json->out, "%.17g", number);
  else
    fputs("null", json->out);
}

void hb_json_count(struct hb_json *json, const char *key, uint64_t count)
{
  begin_item(json, key);
  fprintf(json->out, "%" PRIu64, count);
}

void hb_json_truth(struct hb_json *json, const char *key, int truth)
{
  begin_item(json, key);
  fputs(truth ? "true" : "false", json->out);
}

void hb_json_text(struct hb_json *json, const char *key, const char *text)
{
  begin_item(json, key);
  put_string(json->out, text);
}
