#include "base/json_read.h"

#include <string.h>

int hb_json_pair_is(const struct hb_json_pair *pair, const char *name)
{
  return strlen(name) == pair->name_length && strncmp(name, pair->name, pair->name_length) == 0;
}

static const char *blanks(const char *s) { return s + strspn(s, " \t\r"); }

/* A string in quotes at s: where it starts and how long it is. Gives what is behind it, NULL if it has no end. */
static const char *quoted(const char *s, const char **text, size_t *length)
{
  *text = ++s;
  while (*s && *s != '"') s += s[0] == '\\' && s[1] ? 2 : 1;
  *length = (size_t)(s - *text);
  return *s ? s + 1 : NULL;
}

/* "name": value at *at, which goes behind it. */
static enum hb_status read_pair(const char **at, struct hb_json_pair *pair)
{
  const char *s = *at;
  if (*s != '"' || !(s = quoted(s, &pair->name, &pair->name_length)) || *(s = blanks(s)) != ':')
    return hb_fail(HB_ERR_INPUT, "expected \"name\": value");
  s = blanks(s + 1);
  if (*s == '"') {
    s = quoted(s, &pair->value, &pair->length);
    if (!s) return hb_fail(HB_ERR_INPUT, "a string has no end");
  } else {
    pair->value = s;
    pair->length = strcspn(s, ",} \t\r");
    s += pair->length;
  }
  *at = blanks(s);
  return HB_OK;
}

enum hb_status hb_json_read(const char *line,
                            enum hb_status (*visit)(void *context, const struct hb_json_pair *pair),
                            void *context)
{
  const char *s = blanks(line);
  if (*s != '{') return hb_fail(HB_ERR_INPUT, "expected an object");
  s = blanks(s + 1);
  for (;; s = blanks(s + 1)) {
    struct hb_json_pair pair;
    HB_TRY(read_pair(&s, &pair));
    HB_TRY(visit(context, &pair));
    if (*s != ',') break;
  }
  return *s == '}' && !*blanks(s + 1) ? HB_OK
                                      : hb_fail(HB_ERR_INPUT, "expected , or } and the end of the line");
}
