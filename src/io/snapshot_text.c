/* Text tables: a line `m x y z vx vy vz` per particle, '#' starts a comment. A comment `m x y z vx vy vz radius` before the
 * first particle announces an eighth column. Comment lines of the form
 * `# key: value` are the header: n and t are the number of particles and the time, every other key is a note, and
 * a repeated key adds a line to its note. Numbers are written with 17 digits, which reproduce the double exactly.
 * Identities are not stored: they are the row numbers, from 0. Our files start with `# crc32: ` and the checksum of all
 * lines below it, without carriage returns and empty lines; where that does not match, a warning is all. */
#include "io/snapshot_format.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const char *const columns[] = {"m x y z vx vy vz", "m x y z vx vy vz radius"};

static size_t columns_of(const struct hb_particles *p)
{
  return p->radius ? HB_SNAPSHOT_MOST_COLUMNS : HB_SNAPSHOT_COLUMNS;
}

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

/* But those that this header says itself. */
static enum hb_status put_note(void *text, const char *line, size_t length)
{
  static const char *const own[] = {"# n:", "# t:", "# crc32:"};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (strncmp(line, own[k], strlen(own[k])) == 0) return HB_OK;
  HB_TRY(hb_text_append_bytes(text, line, length));
  return hb_text_append_bytes(text, "\n", 1);
}

static enum hb_status text_write(const struct hb_particles *p, struct hb_text *text)
{
  size_t count = hb_particles_radii(p) ? HB_SNAPSHOT_MOST_COLUMNS : HB_SNAPSHOT_COLUMNS;
  HB_TRY(hb_text_append(text, "%s%*s\n", sum_mark, SUM_DIGITS, "")); /* filled in at the end */
  HB_TRY(hb_text_append(text, "# n: %zu\n# t: %.17g\n", p->n, p->t));
  HB_TRY(hb_lines_put_notes(p, "", put_note, text));
  HB_TRY(hb_text_append(text, "# %s\n", columns[count - HB_SNAPSHOT_COLUMNS]));
  for (size_t i = 0; i < p->n; i++) {
    char row[HB_SNAPSHOT_MOST_COLUMNS * 32]; /* a double takes at most 24 characters and a blank */
    size_t length = 0;
    for (size_t k = 0; k < count; k++)
      length += (size_t)snprintf(row + length, sizeof row - length, k ? " %.17g" : "%.17g",
                                 *hb_snapshot_value(p, i, k));
    row[length++] = '\n';
    HB_TRY(hb_text_append_bytes(text, row, length));
  }
  char sum[SUM_DIGITS + 1];
  struct hb_lines c = hb_lines_at_start("", text->text, text->length);
  hb_lines_next(&c);
  write_sum(c, sum);
  memcpy(text->text + SUM_MARK, sum, SUM_DIGITS);
  return HB_OK;
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
  if (length >= HB_LINES_KEY) return HB_OK; /* prose, not a key */
  if (length == 5 && memcmp(key, "crc32", length) == 0)
    return hb_fail(HB_ERR_INPUT, "%s:%zu: the checksum is not in the first line, written '%s...': remove it",
                   c->name, c->line, sum_mark);
  if (memchr(value, 0, (size_t)(c->end - value)))
    return hb_fail(HB_ERR_INPUT, "%s:%zu: a NUL byte in the note '%.*s', expected text", c->name, c->line,
                   (int)length, key);
  return hb_lines_take_note(p, c->name, c->begin, (size_t)(c->end - c->begin));
}

static enum hb_status read_all(struct hb_lines c, struct hb_particles *p)
{
  for (size_t i = 0; hb_lines_next(&c);) {
    if (!is_row(&c)) {
      if (c.begin < c.end) HB_TRY(read_header(&c, p));
      continue;
    }
    HB_TRY(hb_snapshot_take_row(&c, c.begin, 0, columns_of(p), columns[p->radius != NULL], p, i));
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
  if (has_sum) start = c;
  for (c = start; hb_lines_next(&c);) {
    if (n == 0 && c.begin < c.end) has_radius |= names_radius(&c);
    n += (size_t)is_row(&c);
  }
  if (n == 0)
    return hb_fail(HB_ERR_INPUT, "%s: %s, expected a row `%s` per particle", name,
                   count == 0 ? "the file is empty" : "there are no particles", columns[0]);
  HB_TRY(hb_particles_create(n, particles));
  if (has_radius) HB_TRY(hb_particles_reserve_radius(*particles));
  HB_TRY(read_all(start, *particles));
  if (has_sum) return compare_sum(&start, bytes[count - 1] != '\n');
  if (bytes[count - 1] != '\n')
    hb_log_warn("%s: the last line has no line break; part of it may be missing", name);
  return HB_OK;
}

const struct hb_snapshot_ops hb_snapshot_text = {
    .info = {.name = "text",
             .summary = "a line `m x y z vx vy vz` per particle, '#' comments",
             .extensions = "txt dat tab"},
    .parse = text_parse,
    .write = text_write,
    .facts = HB_SNAPSHOT_RADII,
};
