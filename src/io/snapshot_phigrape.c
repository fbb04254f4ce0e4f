/* Text as phiGRAPE and its relatives exchange it: a number of the step, N and the time, a line each, then a row `index m x y
 * z vx vy vz` per particle. banana's files begin with the time and N instead. Written with 17 digits, which reproduce the
 * double exactly; phiGRAPE's own 7 lose the state. The index becomes the identity, whether it counts from 0, as phiGRAPE's,
 * or from 1, as ph4's. */
#include "io/snapshot_format.h"

#include "base/log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char row_words[] = "index m x y z vx vy vz";
enum { HEADER = 3 };

/* ---- writing ----------------------------------------------------------------------------------------- */

static enum hb_status phigrape_write(const struct hb_particles *p, struct hb_text *text)
{
  HB_TRY(hb_text_append(text, "%10d\n%10zu\n%24.16E\n", 0, p->n, p->t));
  for (size_t i = 0; i < p->n; i++) {
    char row[256];
    size_t length = (size_t)snprintf(row, sizeof row, "%10llu", (unsigned long long)p->id[i]);
    for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++)
      length += (size_t)snprintf(row + length, sizeof row - length, " %24.16E", *hb_snapshot_value(p, i, k));
    row[length++] = '\n';
    HB_TRY(hb_text_append_bytes(text, row, length));
  }
  return HB_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The only number of its line; 0 if it is not that. */
static int read_alone(const struct hb_lines *c, double *number)
{
  const char *at = c->begin;
  if (at == c->end || !hb_lines_number(c, &at, number)) return 0;
  hb_lines_skip_blanks(c, &at);
  return at == c->end;
}

/* How many lines the header has: as many as begin with a line of a single number. */
static int read_header(struct hb_lines *c, double header[HEADER], size_t lines[HEADER])
{
  int count = 0;
  struct hb_lines next = *c;
  while (count < HEADER && hb_lines_next(&next) && read_alone(&next, &header[count])) {
    lines[count++] = next.line;
    *c = next;
  }
  return count;
}

static enum hb_status read_row(const struct hb_lines *c, struct hb_particles *p, size_t i)
{
  const char *at = c->begin;
  if (!hb_lines_whole(c, &at, &p->id[i]))
    return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for the index, expected a whole number", c->name, c->line,
                   hb_lines_shown(c, at), at);
  return hb_snapshot_take_row(c, at, 1, HB_SNAPSHOT_COLUMNS, row_words, p, i);
}

/* Empty lines may follow the last row, but nothing else. */
static enum hb_status read_rows(struct hb_lines c, struct hb_particles *p)
{
  size_t i = 0;
  while (hb_lines_next(&c)) {
    if (c.begin == c.end) continue;
    if (i == p->n)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: a row after the %zu of the header", c.name, c.line, p->n);
    HB_TRY(read_row(&c, p, i++));
  }
  if (i == p->n) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: the file ends after %zu row%s, expected the %zu of its header",
                 c.name, c.line, i, hb_text_s(i), p->n);
}

static int is_count(double n) { return n >= 1 && n < 0x1p32 && n == floor(n); }

/* A third line of one word is meant as the time. */
static enum hb_status check_time(struct hb_lines c)
{
  if (!hb_lines_next(&c) || c.begin == c.end || memchr(c.begin, ' ', (size_t)(c.end - c.begin)) ||
      memchr(c.begin, '\t', (size_t)(c.end - c.begin)))
    return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for the time, expected a finite number", c.name, c.line,
                 hb_lines_shown(&c, c.begin), c.begin);
}

/* A row takes at least 16 bytes, with blanks and line break; the last may lack that. */
static enum hb_status check_n(const struct hb_lines *c, double n, size_t line)
{
  enum { SHORTEST = 16 };
  if (!is_count(n))
    return hb_fail(HB_ERR_INPUT, "%s:%zu: %.17g for the number of particles, expected a whole number > 0",
                   c->name, line, n);
  size_t most = ((size_t)(c->limit - c->next) + 1) / SHORTEST;
  if (n <= (double)most) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "%s:%zu: the header says %.0f particles, more than the %zu bytes below it hold", c->name,
                 line, n, (size_t)(c->limit - c->next));
}

static enum hb_status phigrape_parse(const char *name, const char *bytes, size_t count,
                                     struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  double header[HEADER];
  size_t lines[HEADER];
  struct hb_lines c = hb_lines_at_start(name, bytes, count);
  int are_kept = 1;
  (void)choice; /* there is one */
  int found = read_header(&c, header, lines);
  if (found < 2)
    return hb_fail(
        HB_ERR_INPUT,
        "%s:%d: %s, expected the lines of phiGRAPE's header: a step, N, the time, or banana's: the "
        "time, N",
        name, found + 1, count == 0 ? "the file is empty" : "not a line of a single number");
  if (found < HEADER) HB_TRY(check_time(c));
  HB_TRY(check_n(&c, header[1], lines[1]));
  HB_TRY(hb_particles_create((size_t)header[1], particles));
  (*particles)->t = found == HEADER ? header[2] : header[0];
  HB_TRY(read_rows(c, *particles));
  HB_TRY(hb_snapshot_settle_ids(*particles, &are_kept));
  if (bytes[count - 1] != '\n')
    hb_log_warn("%s: the last line has no line break; part of it may be missing", name);
  return HB_OK;
}

/* Two lines of a single number, the second a whole one > 0, and after them no comment: our tables of text begin with rows
 * of seven or with '#'. */
static int phigrape_recognize(const char *head, size_t count, uint64_t total)
{
  char text[HB_SNAPSHOT_HEAD + 1];
  double header[HEADER];
  size_t lines[HEADER];
  (void)total;
  memcpy(text, head, count);
  text[count] = 0;
  struct hb_lines c = hb_lines_at_start("", text, count);
  return read_header(&c, header, lines) >= 2 && is_count(header[1]);
}

const struct hb_snapshot_ops hb_snapshot_phigrape = {
    .info = {.name = "phigrape",
             .summary = "text of phiGRAPE, ph4 and banana: a header, rows `index m x y z vx vy vz`",
             .extensions = "phigrape inp in init dat"},
    .recognize = phigrape_recognize,
    .parse = phigrape_parse,
    .write = phigrape_write,
    .facts = HB_SNAPSHOT_NO_NOTES | HB_SNAPSHOT_INT_IDS,
};
