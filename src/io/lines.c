#include "io/lines.h"

#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hb_lines hb_lines_at_start(const char *name, const char *bytes, size_t count)
{
  struct hb_lines c = {.name = name, .next = bytes, .limit = bytes + count};
  if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) c.next += 3; /* byte order mark */
  return c;
}

int hb_lines_next(struct hb_lines *c)
{
  if (c->next == c->limit) return 0;
  const char *stop = memchr(c->next, '\n', (size_t)(c->limit - c->next));
  c->begin = c->next;
  c->end = stop ? stop : c->limit;
  c->next = stop ? stop + 1 : c->limit;
  c->line++;
  while (c->end > c->begin && c->end[-1] == '\r') c->end--;
  hb_lines_skip_blanks(c, &c->begin);
  return 1;
}

/* ---- words ------------------------------------------------------------------------------------------- */

void hb_lines_skip_blanks(const struct hb_lines *c, const char **at)
{
  while (*at < c->end && hb_lines_is_blank(**at)) (*at)++;
}

int hb_lines_shown(const struct hb_lines *c, const char *at)
{
  int length = 0;
  while (at + length < c->end && !hb_lines_is_blank(at[length]) && length < 40) length++;
  return length;
}

/* strtod, which does not know the D of Fortran. */
static double read_double(const struct hb_lines *c, const char *at, const char **stop)
{
  char copy[64], *end;
  double number = strtod(at, &end);
  *stop = end;
  if (end == at || end >= c->end || (*end != 'D' && *end != 'd')) return number;
  size_t mantissa = (size_t)(end - at), length = (size_t)hb_lines_shown(c, at);
  if (length <= mantissa) return number;
  memcpy(copy, at, length);
  copy[length] = 0;
  copy[mantissa] = 'e';
  number = strtod(copy, &end);
  *stop = at + (end - copy);
  return number;
}

int hb_lines_number(const struct hb_lines *c, const char **at, double *number)
{
  const char *stop;
  *number = read_double(c, *at, &stop);
  if (stop == *at || stop > c->end || (stop < c->end && !hb_lines_is_blank(*stop)) || !isfinite(*number))
    return 0;
  *at = stop;
  return 1;
}

int hb_lines_whole(const struct hb_lines *c, const char **at, uint64_t *number)
{
  const char *begin = *at + (*at < c->end && **at == '+');
  size_t digits = strspn(begin, "0123456789");
  const char *stop = begin + digits;
  errno = 0;
  *number = strtoull(begin, NULL, 10);
  if (digits == 0 || stop > c->end || (stop < c->end && !hb_lines_is_blank(*stop)) || errno) return 0;
  *at = stop;
  return 1;
}

/* ---- notes ------------------------------------------------------------------------------------------- */

int hb_lines_note(const struct hb_lines *c, const char **key, size_t *length, const char **value)
{
  const char *k = c->begin + 1;
  hb_lines_skip_blanks(c, &k);
  const char *colon = memchr(k, ':', (size_t)(c->end - k));
  if (!colon || colon == k) return 0;
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (strspn(k, letters) != (size_t)(colon - k)) return 0;
  if (colon + 1 < c->end && !hb_lines_is_blank(colon[1])) return 0;
  *key = k;
  *length = (size_t)(colon - k);
  *value = colon + 1 < c->end ? colon + 2 : c->end;
  return 1;
}

enum hb_status hb_lines_add_note(struct hb_particles *p, const char *file, const char *key, const char *line,
                                 size_t length)
{
  enum { MOST = 1024 }; /* each is looked for among all */
  if (p->note_count == MOST && !hb_particles_note(p, key))
    return hb_fail(HB_ERR_INPUT, "%s: the header has more than %d notes", file, MOST);
  return hb_particles_extend_note(p, key, line, length);
}

static enum hb_status put_note(const struct hb_note *note, const char *plain, struct hb_text *text,
                               enum hb_status (*put)(void *, const char *, size_t), void *context)
{
  for (const char *line = note->value;;) {
    size_t length = strcspn(line, "\n");
    text->length = 0;
    if (strcmp(note->key, plain) != 0) HB_TRY(hb_text_append(text, "# %s: ", note->key));
    HB_TRY(hb_text_append_bytes(text, line, length));
    HB_TRY(put(context, text->text, text->length));
    if (!line[length]) return HB_OK;
    line += length + 1;
  }
}

enum hb_status hb_lines_put_notes(const struct hb_particles *p, const char *plain,
                                  enum hb_status (*put)(void *context, const char *line, size_t length),
                                  void *context)
{
  HB_OWN struct hb_text text = {0};
  char key[] = "version", version[32];
  snprintf(version, sizeof version, "%s", hb_library_version());
  const struct hb_note own = {.key = key, .value = version};
  for (size_t k = 0; k < p->note_count; k++) HB_TRY(put_note(&p->notes[k], plain, &text, put, context));
  return hb_particles_note(p, key) ? HB_OK : put_note(&own, plain, &text, put, context);
}

enum hb_status hb_lines_take_note(struct hb_particles *p, const char *file, const char *line, size_t length)
{
  const struct hb_lines c = {.begin = line, .end = line + strnlen(line, length)};
  const char *key, *value;
  size_t key_length;
  char name[HB_LINES_KEY];
  if (c.begin == c.end || *c.begin != '#' || !hb_lines_note(&c, &key, &key_length, &value) ||
      key_length >= sizeof name)
    return hb_lines_add_note(p, file, HB_LINES_HISTORY, c.begin, (size_t)(c.end - c.begin));
  memcpy(name, key, key_length);
  name[key_length] = 0;
  return hb_lines_add_note(p, file, name, value, (size_t)(c.end - value));
}
