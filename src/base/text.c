#include "base/text.h"

#include "base/elementary.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static locale_t in_c;
static void make_in_c(void) { in_c = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t hb_text_in_c_begin(void)
{
  static pthread_once_t made = PTHREAD_ONCE_INIT;
  pthread_once(&made, make_in_c);
  return uselocale(in_c);
}

void hb_text_in_c_end(const locale_t *callers) { uselocale(*callers); }

/* One plain decimal number, not hexadecimal, inf or nan; *end is where it stops. */
static int plain_number(const char *word, const char **end, double *number)
{
  const char *digits = word + (*word == '-' || *word == '+');
  if (!isdigit((unsigned char)*digits) && *digits != '.') return 0;
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return 0;
  char *stop;
  *number = strtod(word, &stop);
  *end = stop;
  return stop != word && isfinite(*number);
}

enum hb_status hb_text_number(const char *word, double *number)
{
  const char *end = word;
  double value = 0, right = 0;
  if (!plain_number(word, &end, &value)) goto bad;
  if (*end == '^' || *end == '/') {
    char sign = *end;
    if (!plain_number(end + 1, &end, &right)) goto bad;
    value = sign == '^' ? hb_elementary_power(value, right) : value / right;
  }
  if (*end || !isfinite(value)) goto bad;
  *number = value;
  return HB_OK;
bad:
  return hb_fail(HB_ERR_USAGE, "'%s' is not a number (expected like 0.01, 1e-3, 2^-8 or 1/256)", word);
}

const char *hb_text_shortest(double number, char text[32])
{
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  return text;
}

enum hb_status hb_text_count(const char *word, uint64_t *number)
{
  if (isdigit((unsigned char)*word) && word[strspn(word, "0123456789")] == 0) {
    errno = 0;
    uint64_t digits = strtoull(word, NULL, 10);
    if (errno == 0) return *number = digits, HB_OK;
  }
  double value;
  int is_whole = hb_text_number(word, &value) == HB_OK && value >= 0 && value == floor(value);
  if (is_whole && value < 0x1p63) {
    *number = (uint64_t)value;
    return HB_OK;
  }
  if (is_whole)
    return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected a whole number below 2^63)", word);
  return hb_fail(HB_ERR_USAGE, "'%s' is not a whole number >= 0 (expected like 1024, 2^10 or 1e6)", word);
}

static size_t smallest(size_t a, size_t b) { return a < b ? a : b; }

size_t hb_text_distance(const char *a, const char *b)
{
  enum { LONGEST = 63 }; /* words, not prose: longer ones count as unrelated */
  size_t rows = strlen(a), columns = strlen(b);
  if (rows > LONGEST || columns > LONGEST) return rows + columns;
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= rows; i++) d[i][0] = i;
  for (size_t j = 0; j <= columns; j++) d[0][j] = j;
  for (size_t i = 1; i <= rows; i++)
    for (size_t j = 1; j <= columns; j++) {
      size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = smallest(change, smallest(d[i - 1][j], d[i][j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smallest(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[rows][columns];
}

/* Space for count more bytes and a NUL. */
static enum hb_status reserve(struct hb_text *text, size_t count)
{
  if (text->length + count < text->capacity) return HB_OK;
  size_t capacity = 2 * (text->length + count) + 64;
  HB_TRY(HB_RESIZE(capacity, &text->text));
  text->capacity = capacity;
  return HB_OK;
}

enum hb_status hb_text_append_bytes(struct hb_text *text, const void *bytes, size_t count)
{
  HB_TRY(reserve(text, count));
  memcpy(text->text + text->length, bytes, count);
  text->length += count;
  text->text[text->length] = 0;
  return HB_OK;
}

enum hb_status hb_text_append(struct hb_text *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  enum hb_status status = hb_text_append_list(text, format, arguments);
  va_end(arguments);
  return status;
}

enum hb_status hb_text_append_list(struct hb_text *text, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  int count = vsnprintf(NULL, 0, format, arguments);
  enum hb_status status =
      count < 0 ? hb_fail(HB_ERR_INTERNAL, "cannot format text") : reserve(text, (size_t)count);
  if (status == HB_OK) {
    vsnprintf(text->text + text->length, (size_t)count + 1, format, again);
    text->length += (size_t)count;
  }
  va_end(again);
  return status;
}

static int is_listed(const char *word, const char *list, int compare(const char *, const char *, size_t))
{
  size_t length = strlen(word);
  for (const char *next = list; *next; next += strspn(next, " ")) {
    size_t span = strcspn(next, " ");
    if (span == length && compare(next, word, length) == 0) return 1;
    next += span;
  }
  return 0;
}

int hb_text_is_listed(const char *word, const char *list) { return is_listed(word, list, strncmp); }

int hb_text_has_extension(const char *path, const char *list)
{
  const char *extension = hb_text_extension(path);
  return *extension && is_listed(extension + 1, list, strncasecmp);
}

const char *hb_text_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *hb_text_extension(const char *path)
{
  const char *dot = strrchr(hb_text_base_name(path), '.');
  return dot ? dot : path + strlen(path);
}

int hb_text_words(char *line, const char *blanks, int most, const char **words)
{
  int count = 0;
  for (char *rest, *word = strtok_r(line, blanks, &rest); word && count < most;
       word = strtok_r(NULL, blanks, &rest))
    words[count++] = word;
  return count;
}

size_t hb_text_utf8_length(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
  if (length == 4 && (s[0] < 0xf0 || s[0] > 0xf4)) return 0;
  for (size_t k = 1; k < length; k++)
    if ((s[k] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

/* Of a sequence that is valid. */
static unsigned code_of(const unsigned char *s, size_t length)
{
  static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned code = s[0] & first[length];
  for (size_t k = 1; k < length; k++) code = code << 6 | (s[k] & 0x3fU);
  return code;
}

unsigned hb_text_command(const char *s)
{
  size_t length = hb_text_utf8_length(s);
  unsigned code = length ? code_of((const unsigned char *)s, length) : (unsigned char)*s;
  int is_control = (code < ' ' && code != '\t') || (code >= 0x7f && code <= 0x9f);
  int turns = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || turns ? code : 0;
}

/* ---- words ---- */

int hb_words_any(struct hb_words words) { return words.array || words.at; }

const char *hb_words_at(struct hb_words words, size_t k) { return words.at ? words.at(k) : words.array[k]; }

int hb_words_find(struct hb_words words, const char *word)
{
  if (words.also[0] && strcmp(words.also[0], word) == 0) word = words.also[1];
  for (int k = 0; hb_words_at(words, (size_t)k); k++)
    if (strcmp(hb_words_at(words, (size_t)k), word) == 0) return k;
  return -1;
}

void hb_guess(const char *word, const char *candidate, const char **best)
{
  size_t least = *best ? hb_text_distance(word, *best) : 2 + strlen(word) / 4;
  size_t distance = hb_text_distance(word, candidate);
  if (distance < least && distance < strlen(candidate)) *best = candidate;
}

const char *hb_words_join(struct hb_words words, char all[HB_WORDS_LENGTH])
{
  const char *word;
  *all = 0;
  for (size_t k = 0; (word = hb_words_at(words, k)) && strlen(all) + strlen(word) + 3 < HB_WORDS_LENGTH; k++)
    strcat(strcat(all, k ? ", " : ""), word);
  return all;
}

enum hb_status hb_words_unknown(struct hb_words words, const char *word)
{
  const char *what = words.what ? words.what : "value";
  char all[HB_WORDS_LENGTH];
  const char *best = NULL;
  for (size_t k = 0; hb_words_at(words, k); k++) hb_guess(word, hb_words_at(words, k), &best);
  if (best) return hb_fail(HB_ERR_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, best);
  return hb_fail(HB_ERR_USAGE, "unknown %s '%s' (expected one of %s)", what, word, hb_words_join(words, all));
}

/* ---- lists ---- */

enum hb_status hb_list_split(const char *text, const char *separators, struct hb_list *list)
{
  list->count = 0;
  if (strlen(text) >= sizeof list->text)
    return hb_fail(HB_ERR_USAGE, "the list '%.40s...' is too long", text);
  strcpy(list->text, text);
  char *rest = NULL;
  for (char *w = strtok_r(list->text, separators, &rest); w; w = strtok_r(NULL, separators, &rest)) {
    if (list->count == HB_LIST_WORDS)
      return hb_fail(HB_ERR_USAGE, "the list '%s' has more than %d words", text, HB_LIST_WORDS);
    list->words[list->count++] = w;
  }
  return list->count ? HB_OK : hb_fail(HB_ERR_USAGE, "the list '%s' is empty", text);
}

int hb_list_has(const struct hb_list *list, const char *word)
{
  for (size_t k = 0; k < list->count; k++)
    if (strcmp(list->words[k], word) == 0) return 1;
  return 0;
}
