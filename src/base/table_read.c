#include "base/table_read.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char separators[] = " \t,\r";

struct reader {
  const char *path; /* for messages */
  int line;
  struct hb_numbers *numbers;
  size_t capacity;
  const char *heads; /* the last lines that may hold names: a comment, */
  const char *plain; /* or what is not one */
};

/* The next word of a line, and its length; 0: there are no more. */
static size_t next_word(const char **at)
{
  *at += strspn(*at, separators);
  return strcspn(*at, " \t,\r\n#");
}

static size_t count_words(const char *line)
{
  size_t count = 0, length;
  if (!line) return 0;
  for (line += strspn(line, "# \t"); (length = next_word(&line)); line += length) count++;
  return count;
}

/* The names in a line of as many words as there are columns. */
static enum hb_status take_names(struct reader *r, const char *line)
{
  struct hb_numbers *n = r->numbers;
  size_t length;
  line += strspn(line, "# \t");
  for (size_t c = 0; (length = next_word(&line)); line += length, c++) {
    if (length >= HB_NUMBERS_NAME)
      return hb_fail(HB_ERR_INPUT, "%s: the name '%.*s...' of a column is too long", r->path, 20, line);
    memcpy(n->names[c], line, length);
    n->names[c][length] = 0;
    for (size_t k = 0; k < c; k++)
      if (strcmp(n->names[k], n->names[c]) == 0)
        return hb_fail(HB_ERR_INPUT, "%s: two columns are named '%s'", r->path, n->names[c]);
  }
  return HB_OK;
}

/* Before the first row. */
static enum hb_status find_names(struct reader *r, size_t columns)
{
  if (columns > HB_NUMBERS_COLUMNS)
    return hb_fail(HB_ERR_INPUT, "%s:%d: %zu columns, expected at most %d", r->path, r->line, columns,
                   HB_NUMBERS_COLUMNS);
  r->numbers->columns = columns;
  if (count_words(r->plain) == columns) return take_names(r, r->plain);
  if (count_words(r->heads) == columns) return take_names(r, r->heads);
  return hb_fail(
      HB_ERR_INPUT,
      "%s:%d: no line before the first row names its %zu column%s (expected a comment like '# x y z m')",
      r->path, r->line, columns, hb_text_s(columns));
}

static enum hb_status add_row(struct reader *r, const char *line)
{
  struct hb_numbers *n = r->numbers;
  size_t words = count_words(line), length;
  if (n->rows == 0) HB_TRY(find_names(r, words));
  if (words != n->columns)
    return hb_fail(HB_ERR_INPUT, "%s:%d: a row of %zu number%s, expected %zu", r->path, r->line, words,
                   hb_text_s(words), n->columns);
  if ((n->rows + 1) * words > r->capacity) {
    size_t wanted = 2 * (n->rows + 512) * words;
    HB_TRY(HB_RESIZE(wanted, &n->data));
    r->capacity = wanted;
  }
  double *out = n->data + n->rows * words;
  for (size_t c = 0; (length = next_word(&line)); line += length, c++) {
    char *end;
    out[c] = strtod(line, &end);
    if (end != line + length || !isfinite(out[c]))
      return hb_fail(HB_ERR_INPUT, "%s:%d: '%.*s' for %s, expected a finite number", r->path, r->line,
                     length < 40 ? (int)length : 40, line, n->names[c]);
  }
  n->rows++;
  return HB_OK;
}

/* Whether the first word could be a number; names are not, nor is an empty line. */
static int is_row(const char *line)
{
  size_t length = next_word(&line);
  char *end;
  return length && (strtod(line, &end), end != line) && end <= line + length;
}

static enum hb_status read_lines(struct reader *r, const char *text)
{
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    r->line++;
    const char *begin = line + strspn(line, " \t");
    if (*begin == '#' && r->numbers->rows == 0) r->heads = begin;
    if (*begin == '#' || count_words(begin) == 0) continue;
    if (r->numbers->rows == 0 && !r->plain && !is_row(begin))
      r->plain = begin;
    else
      HB_TRY(add_row(r, begin));
  }
  if (r->numbers->rows > 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: no row of numbers", r->path);
}

enum hb_status hb_numbers_read(const char *path, struct hb_numbers *numbers)
{
  char *text;
  size_t count;
  HB_TEXT_IN_C;
  *numbers = (struct hb_numbers){0};
  HB_TRY(hb_file_read(path, &text, &count));
  struct reader r = {.path = strcmp(path, "-") == 0 ? "standard input" : path, .numbers = numbers};
  enum hb_status status = strlen(text) == count
                              ? read_lines(&r, text)
                              : hb_fail(HB_ERR_INPUT, "%s is not a text: it has a NUL byte", r.path);
  hb_mem_free(text);
  if (status != HB_OK) hb_numbers_free(numbers);
  return status;
}

void hb_numbers_free(struct hb_numbers *numbers)
{
  hb_mem_free(numbers->data);
  numbers->data = NULL;
}

const double *hb_numbers_find(const struct hb_numbers *numbers, const char *name)
{
  for (size_t c = 0; c < numbers->columns; c++)
    if (strcmp(numbers->names[c], name) == 0) return numbers->data + c;
  return NULL;
}
