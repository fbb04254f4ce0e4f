#include "cli/json_read.h"

#include <string.h>

static char *blanks(char *s) { return s + strspn(s, " \t\r\n"); }

/* The end of a string that starts behind the quote at s, escapes resolved in place; NULL: it has none. Escapes by number are
 * of control characters only, here a blank. */
static char *read_string(char *s, const char **text)
{
  char *to = ++s;
  *text = to;
  for (; *s && *s != '"'; s++) {
    if (*s != '\\') {
      *to++ = *s;
    } else if (*++s == 'u') {
      for (int k = 0; k < 4 && s[1]; k++) s++;
      *to++ = ' ';
    } else if (*s) {
      *to++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
    } else {
      return NULL;
    }
  }
  if (!*s) return NULL;
  *to = 0;
  return s + 1;
}

/* The end of a list or object at s. */
static char *skip_nested(char *s)
{
  int depth = 0;
  for (; *s; s++) {
    if (*s == '"')
      for (s++; *s && *s != '"'; s++) s += s[0] == '\\' && s[1];
    else if (*s == '{' || *s == '[')
      depth++;
    else if ((*s == '}' || *s == ']') && --depth == 0)
      return s + 1;
    if (!*s) return NULL;
  }
  return NULL;
}

static char *read_value(char *s, const char **value)
{
  if (*s == '"') return read_string(s, value);
  *value = s;
  if (*s == '{' || *s == '[') return skip_nested(s);
  size_t length = strcspn(s, ",} \t\r\n");
  return length ? s + length : NULL;
}

enum hb_status hb_json_take_apart(char *line, size_t most, struct hb_json_field *fields, size_t *count)
{
  char *s = blanks(line);
  *count = 0;
  if (*s != '{') return hb_fail(HB_ERR_INPUT, "expected an object of JSON");
  s = blanks(s + 1);
  if (*s == '}') return HB_OK;
  for (;;) {
    if (*count == most) return hb_fail(HB_ERR_INPUT, "an object of JSON has more than %zu fields", most);
    struct hb_json_field *field = &fields[*count];
    if (*s != '"' || !(s = read_string(s, &field->key)) || *(s = blanks(s)) != ':')
      return hb_fail(HB_ERR_INPUT, "expected \"name\": value in an object of JSON");
    s = read_value(blanks(s + 1), &field->value);
    if (!s) return hb_fail(HB_ERR_INPUT, "a value in an object of JSON has no end");
    char *end = blanks(s);
    char what = *end;
    *s = 0;
    ++*count;
    if (what == '}') return HB_OK;
    if (what != ',') return hb_fail(HB_ERR_INPUT, "expected , or } in an object of JSON");
    s = blanks(end + 1);
  }
}
