#include "base/table.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* One value of a row; kind says which member holds it. */
struct value {
  enum hb_table_kind kind;
  double real;
  uint64_t count;
  int number;
  const char *text;
};

static struct value value_of(const struct hb_table_column *column, const void *row)
{
  const char *at = (const char *)row + column->offset;
  struct value value = {.kind = column->kind};
  size_t size;
  switch (column->kind) {
  case HB_TABLE_REAL:
    memcpy(&value.real, at, sizeof value.real);
    if (column->scale != 0) value.real *= column->scale;
    break;
  case HB_TABLE_COUNT:
    memcpy(&value.count, at, sizeof value.count);
    break;
  case HB_TABLE_SIZE:
    memcpy(&size, at, sizeof size);
    value.count = size;
    value.kind = HB_TABLE_COUNT;
    break;
  case HB_TABLE_INT:
  case HB_TABLE_TRUTH:
    memcpy(&value.number, at, sizeof value.number);
    break;
  case HB_TABLE_TEXT:
    memcpy(&value.text, at, sizeof value.text);
    break;
  case HB_TABLE_CHARS:
    value.text = at;
    value.kind = HB_TABLE_TEXT;
    break;
  }
  return value;
}

/* ---- text ---- */

/* A word as wide as the column, whose format may have blanks, a bar or a percent sign around its number. */
static void put_word(const struct hb_table_column *column, const char *word, FILE *out)
{
  const char *format = column->format, *number = strchr(format, '%') + 1;
  const char *digits = number + strspn(number, "-#"), *after = digits + strcspn(digits, "dfegsu") + 1;
  int width = atoi(digits) + (*after == '%'), is_comment = *word == '#';
  fprintf(out, "%.*s%s", (int)(number - 1 - format), format, is_comment ? "#" : "");
  fprintf(out, "%*s", (*number == '-' ? -1 : 1) * (width - is_comment), word + is_comment);
}

/* It may come from a file: what a terminal would obey is a question mark. */
static void put_shown(const char *format, const char *text, FILE *out)
{
  char shown[1024];
  size_t k = 0;
  while (*text && k + 4 < sizeof shown) {
    size_t length = hb_text_utf8_length(text);
    int is_shown = hb_text_command(text) == 0;
    if (length == 0) length = 1;
    memcpy(shown + k, is_shown ? text : "?", is_shown ? length : 1);
    k += is_shown ? length : 1;
    text += length;
  }
  shown[k] = 0;
  fprintf(out, format, shown);
}

static void put_text(const struct hb_table_column *column, const void *row, FILE *out)
{
  const struct value value = value_of(column, row);
  if (value.kind == HB_TABLE_REAL && isnan(value.real) && column->missing)
    put_word(column, column->missing, out);
  else if (value.kind == HB_TABLE_REAL)
    fprintf(out, column->format, value.real);
  else if (value.kind == HB_TABLE_COUNT)
    fprintf(out, column->format, (unsigned long long)value.count);
  else if (value.kind == HB_TABLE_TEXT)
    put_shown(column->format, value.text, out);
  else
    fprintf(out, column->format, value.number);
}

/* row NULL: the header. */
static void put_text_line(const struct hb_table *table, const void *row)
{
  const char *blank = "";
  for (const struct hb_table_column *c = table->columns; c < table->columns + table->count; c++) {
    if (!c->format) continue;
    fputs(blank, table->out);
    blank = " ";
    row ? put_text(c, row, table->out) : put_word(c, c->heading ? c->heading : c->name, table->out);
  }
  fputc('\n', table->out);
}

/* ---- comma-separated values ---- */

static void put_csv(const struct value value, FILE *out)
{
  if (value.kind == HB_TABLE_REAL && isnan(value.real)) /* whatever its sign */
    fputs("nan", out);
  else if (value.kind == HB_TABLE_REAL)
    fprintf(out, "%.17g", value.real);
  else if (value.kind == HB_TABLE_COUNT)
    fprintf(out, "%" PRIu64, value.count);
  else if (value.kind == HB_TABLE_TEXT)
    fputs(value.text, out); /* a word without commas or quotes */
  else
    fprintf(out, "%d", value.number);
}

static void put_csv_line(const struct hb_table *table, const void *row)
{
  const char *comma = "";
  for (const struct hb_table_column *c = table->columns; c < table->columns + table->count; c++) {
    if (!c->name) continue;
    fputs(comma, table->out);
    comma = ",";
    row ? put_csv(value_of(c, row), table->out) : (void)fputs(c->name, table->out);
  }
  fputc('\n', table->out);
}

/* ---- JSON ---- */

void hb_table_members(const struct hb_table_column *columns, size_t count, const void *row,
                      struct hb_json *json)
{
  for (const struct hb_table_column *c = columns; c < columns + count; c++) {
    const struct value value = value_of(c, row);
    if (!c->name) continue;
    if (value.kind == HB_TABLE_REAL)
      hb_json_number(json, c->name, value.real);
    else if (value.kind == HB_TABLE_COUNT)
      hb_json_count(json, c->name, value.count);
    else if (value.kind == HB_TABLE_TRUTH)
      hb_json_truth(json, c->name, value.number);
    else if (value.kind == HB_TABLE_INT)
      hb_json_number(json, c->name, value.number);
    else if (value.text)
      hb_json_text(json, c->name, value.text);
  }
}

static void put_json_line(const struct hb_table *table, const void *row)
{
  struct hb_json json = {.out = table->out};
  hb_json_open_object(&json, NULL);
  hb_table_members(table->columns, table->count, row, &json);
  hb_json_close_object(&json);
  fputc('\n', table->out);
}

/* ---- all three ---- */

void hb_table_put(struct hb_table *table, const void *row)
{
  int is_first = table->rows++ == 0;
  if (table->form == HB_TABLE_JSON_FORM) {
    put_json_line(table, row);
    return;
  }
  void (*put)(const struct hb_table *, const void *) =
      table->form == HB_TABLE_CSV_FORM ? put_csv_line : put_text_line;
  if (is_first) put(table, NULL);
  put(table, row);
}

/* ---- reading ---- */

static const char separators[] = " \t,\r";

struct reader {
  const char *path; /* for messages */
  int line;
  struct hb_table_numbers *numbers;
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
  struct hb_table_numbers *n = r->numbers;
  size_t length;
  line += strspn(line, "# \t");
  for (size_t c = 0; (length = next_word(&line)); line += length, c++) {
    if (length >= HB_TABLE_NUMBERS_NAME)
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
  if (columns > HB_TABLE_NUMBERS_COLUMNS)
    return hb_fail(HB_ERR_INPUT, "%s:%d: %zu columns, expected at most %d", r->path, r->line, columns,
                   HB_TABLE_NUMBERS_COLUMNS);
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
  struct hb_table_numbers *n = r->numbers;
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

enum hb_status hb_table_numbers_read(const char *path, struct hb_table_numbers *numbers)
{
  char *text;
  size_t count;
  HB_TEXT_IN_C;
  *numbers = (struct hb_table_numbers){0};
  HB_TRY(hb_file_read(path, &text, &count));
  struct reader r = {.path = strcmp(path, "-") == 0 ? "standard input" : path, .numbers = numbers};
  enum hb_status status = strlen(text) == count
                              ? read_lines(&r, text)
                              : hb_fail(HB_ERR_INPUT, "%s is not a text: it has a NUL byte", r.path);
  hb_mem_free(text);
  if (status != HB_OK) hb_table_numbers_free(numbers);
  return status;
}

void hb_table_numbers_free(struct hb_table_numbers *numbers)
{
  hb_mem_free(numbers->data);
  numbers->data = NULL;
}

const double *hb_table_numbers_find(const struct hb_table_numbers *numbers, const char *name)
{
  for (size_t c = 0; c < numbers->columns; c++)
    if (strcmp(numbers->names[c], name) == 0) return numbers->data + c;
  return NULL;
}
