/* Text tables: a line `m x y z vx vy vz` per particle, '#' starts a comment. A comment `m x y z vx vy vz radius` before the
 * first particle announces an eighth column. Comment lines of the form
 * `# key: value` are the header: n and t are the number of particles and the time, every other key is a note, and
 * a repeated key adds a line to its note. Numbers are written with 17 digits, which reproduce the double exactly.
 * Identities are not stored: they are the row numbers, from 0. Our files start with `# crc32: ` and the checksum of all
 * lines below it, without carriage returns and empty lines; where that does not match, a warning is all. */
#include "io/snapshot.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COLUMNS = 7, MOST = 8 };

static const char *const columns[] = {"m x y z vx vy vz", "m x y z vx vy vz radius"};
static const char *const column_names[MOST] = {"m", "x", "y", "z", "vx", "vy", "vz", "radius"};

static const char sum_mark[] = "# crc32: ";
enum { SUM_MARK = sizeof sum_mark - 1, SUM_DIGITS = 8 };

/* The checksum of the following lines, as SUM_DIGITS hexadecimal digits. */
static void write_sum(struct hb_lines c, char sum[SUM_DIGITS + 1])
{
  uLong crc = 0;
  while (hb_lines_next(&c))
    if (c.begin < c.end) {
      crc = crc32_z(crc, (const Bytef *)c.begin, (size_t)(c.end - c.begin));
      crc = crc32_z(crc, (const Bytef *)"\n", 1);
    }
  snprintf(sum, SUM_DIGITS + 1, "%08lx", crc);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static enum hb_status write_note(struct hb_text *text, const struct hb_note *note)
{
  static const char *const own[] = {"n", "t", "crc32"}; /* the header's keys */
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (strcmp(note->key, own[k]) == 0) return HB_OK;
  for (const char *line = note->value;;) {
    size_t length = strcspn(line, "\n");
    HB_TRY(hb_text_append(text, "# %s: ", note->key));
    HB_TRY(hb_text_append_bytes(text, line, length));
    HB_TRY(hb_text_append_bytes(text, "\n", 1));
    if (!line[length]) return HB_OK;
    line += length + 1;
  }
}

static enum hb_status write_all(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(hb_text_append(text, "%s%*s\n", sum_mark, SUM_DIGITS, "")); /* filled in at the end */
  HB_TRY(hb_text_append(text, "# n: %zu\n# t: %.17g\n", p->n, p->t));
  for (size_t k = 0; k < p->note_count; k++) HB_TRY(write_note(text, &p->notes[k]));
  if (!hb_particles_note(p, "version")) HB_TRY(hb_text_append(text, "# version: %s\n", hb_library_version()));
  const double *radius = hb_particles_radii(p);
  HB_TRY(hb_text_append(text, "# %s\n", columns[radius != NULL]));
  for (size_t i = 0; i < p->n; i++) {
    char row[MOST * 32]; /* a double takes at most 24 characters and a blank */
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    int length = snprintf(row, sizeof row, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g", p->m[i], x[0], x[1],
                          x[2], v[0], v[1], v[2]);
    if (radius) length += snprintf(row + length, sizeof row - (size_t)length, " %.17g", radius[i]);
    row[length++] = '\n';
    HB_TRY(hb_text_append_bytes(text, row, (size_t)length));
  }
  char sum[SUM_DIGITS + 1];
  struct hb_lines c = hb_lines_at_start("", text->text, text->length);
  hb_lines_next(&c);
  write_sum(c, sum);
  memcpy(text->text + SUM_MARK, sum, SUM_DIGITS);
  return HB_OK;
}

static enum hb_status text_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  struct hb_text text = {0};
  enum hb_status status = write_all(&text, p);
  if (status != HB_OK) {
    hb_mem_free(text.text);
    text = (struct hb_text){0};
  }
  *bytes = text.text;
  *count = text.length;
  return status;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* Whether the comment names the columns, radius among them. */
static int names_radius(const struct hb_lines *c)
{
  const char *word = c->begin + 1;
  hb_lines_skip_blanks(c, &word);
  size_t length = strlen(columns[1]);
  return *c->begin == '#' && (size_t)(c->end - word) >= length && memcmp(word, columns[1], length) == 0;
}

static int is_row(const struct hb_lines *c) { return c->begin < c->end && *c->begin != '#'; }

/* A row of `count` numbers. */
static enum hb_status read_row(const struct hb_lines *c, int count, double row[MOST])
{
  const char *word = c->begin, *expected = columns[count - COLUMNS];
  for (int k = 0; k < count; k++) {
    hb_lines_skip_blanks(c, &word);
    if (word == c->end)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: a row of %d number%s, expected %d: %s", c->name, c->line, k,
                     hb_text_s((uint64_t)k), count, expected);
    const char *begin = word;
    if (!hb_lines_number(c, &word, &row[k]))
      return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for %s, expected a finite number", c->name, c->line,
                     hb_lines_shown(c, begin), begin, column_names[k]);
  }
  hb_lines_skip_blanks(c, &word);
  if (word == c->end || *word == '#') return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' after %d numbers, expected %d: %s", c->name, c->line,
                 hb_lines_shown(c, word), word, count, count, expected);
}

static enum hb_status read_n(const struct hb_lines *c, const char *value, const struct hb_particles *p)
{
  double n;
  const char *end = value;
  if (!hb_lines_number(c, &end, &n) || n != (double)p->n)
    return hb_fail(HB_ERR_INPUT,
                   "%s:%zu: the header says n = '%.*s', but the file has %zu row%s of particles", c->name,
                   c->line, hb_lines_shown(c, value), value, p->n, hb_text_s(p->n));
  return HB_OK;
}

static enum hb_status read_header(const struct hb_lines *c, struct hb_particles *p)
{
  const char *key, *value;
  size_t length;
  if (!hb_lines_note(c, &key, &length, &value)) return HB_OK;
  if (length == 1 && *key == 'n') return read_n(c, value, p);
  if (length == 1 && *key == 't') {
    if (hb_lines_number(c, &value, &p->t)) return HB_OK;
    return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for the time t, expected a finite number", c->name, c->line,
                   hb_lines_shown(c, value), value);
  }
  char name[64];
  if (length >= sizeof name) return HB_OK; /* prose, not a key */
  memcpy(name, key, length);
  name[length] = 0;
  if (strcmp(name, "crc32") == 0)
    return hb_fail(HB_ERR_INPUT, "%s:%zu: the checksum is not in the first line, written '%s...': remove it",
                   c->name, c->line, sum_mark);
  if (memchr(value, 0, (size_t)(c->end - value)))
    return hb_fail(HB_ERR_INPUT, "%s:%zu: a NUL byte in the note '%s', expected text", c->name, c->line,
                   name);
  return hb_lines_add_note(p, c->name, name, value, (size_t)(c->end - value));
}

static enum hb_status read_all(struct hb_lines c, struct hb_particles *p)
{
  for (size_t i = 0; hb_lines_next(&c);) {
    if (!is_row(&c)) {
      if (c.begin < c.end) HB_TRY(read_header(&c, p));
      continue;
    }
    double row[MOST];
    HB_TRY(read_row(&c, p->radius ? MOST : COLUMNS, row));
    if (p->radius) p->radius[i] = row[COLUMNS];
    p->m[i] = row[0];
    memcpy(p->x + 3 * i, row + 1, 3 * sizeof *row);
    memcpy(p->v + 3 * i, row + 4, 3 * sizeof *row);
    i++;
  }
  return HB_OK;
}

/* Whether the line starts with our checksum. */
static int is_sum(const struct hb_lines *c)
{
  return c->end - c->begin >= SUM_MARK && memcmp(c->begin, sum_mark, SUM_MARK) == 0;
}

/* A file with another checksum was edited: its numbers are numbers, and as many as its header says. */
static enum hb_status compare_sum(const struct hb_lines *c, int is_cut)
{
  char sum[SUM_DIGITS + 1];
  const char *given = c->begin + SUM_MARK;
  write_sum(*c, sum);
  if (c->end - given == SUM_DIGITS && memcmp(given, sum, SUM_DIGITS) == 0) return HB_OK;
  if (is_cut)
    return hb_fail(
        HB_ERR_INPUT,
        "%s: the last line has no line break, and the checksum is '%.*s' instead of %s: the file was cut",
        c->name, hb_lines_shown(c, given), given, sum);
  hb_log_warn("%s was changed since it was written: its checksum is '%.*s', that of its lines %s", c->name,
              hb_lines_shown(c, given), given, sum);
  return HB_OK;
}

static enum hb_status text_parse(const char *name, const char *bytes, size_t count,
                                 struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  (void)choice; /* there is one */
  struct hb_lines start = hb_lines_at_start(name, bytes, count), c = start;
  int has_sum = hb_lines_next(&c) && is_sum(&c);
  size_t n = 0;
  int has_radius = 0;
  *particles = NULL;
  if (has_sum) start = c;
  for (c = start; hb_lines_next(&c);) {
    if (n == 0 && c.begin < c.end) has_radius |= names_radius(&c);
    n += (size_t)is_row(&c);
  }
  if (n == 0)
    return hb_fail(HB_ERR_INPUT, "%s: %s, expected a row `%s` per particle", name,
                   count == 0 ? "the file is empty" : "there are no particles", columns[0]);
  HB_TRY(hb_particles_create(n, particles));
  enum hb_status status = has_radius ? hb_particles_reserve_radius(*particles) : HB_OK;
  if (status == HB_OK) status = read_all(start, *particles);
  if (status == HB_OK && has_sum) status = compare_sum(&start, bytes[count - 1] != '\n');
  if (status == HB_OK && !has_sum && bytes[count - 1] != '\n')
    hb_log_warn("%s: the last line has no line break; part of it may be missing", name);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
  }
  return status;
}

const struct hb_snapshot_ops hb_snapshot_text = {
    .info = {.name = "text",
             .summary = "a line `m x y z vx vy vz` per particle, '#' comments",
             .extensions = "txt dat tab"},
    .parse = text_parse,
    .write = text_write,
    .has_radii = 1,
};
