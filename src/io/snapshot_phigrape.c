/* Text as phiGRAPE and its relatives exchange it: a number of the step, N and the time, a line each, then a row `index m x y
 * z vx vy vz` per particle. banana's files begin with the time and N instead. Written with 17 digits, which reproduce the
 * double exactly; phiGRAPE's own 7 lose the state. The index becomes the identity, whether it counts from 0, as phiGRAPE's,
 * or from 1, as ph4's. */
#include "io/snapshot.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char row_words[] = "index m x y z vx vy vz";
static const char *const words[] = {"m", "x", "y", "z", "vx", "vy", "vz"};
enum { WORDS = sizeof words / sizeof *words, HEADER = 3 };

/* ---- writing ----------------------------------------------------------------------------------------- */

static enum hb_status write_all(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(hb_text_append(text, "%10d\n%10zu\n%24.16E\n", 0, p->n, p->t));
  for (size_t i = 0; i < p->n; i++) {
    char row[256];
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    int length = snprintf(row, sizeof row, "%10llu %24.16E %24.16E %24.16E %24.16E %24.16E %24.16E %24.16E\n",
                          (unsigned long long)p->id[i], p->m[i], x[0], x[1], x[2], v[0], v[1], v[2]);
    HB_TRY(hb_text_append_bytes(text, row, (size_t)length));
  }
  return HB_OK;
}

static enum hb_status phigrape_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  struct hb_text text = {0};
  *bytes = NULL;
  *count = 0;
  HB_TRY(hb_snapshot_check_ids(p, hb_snapshot_phigrape.info.name));
  enum hb_status status = write_all(&text, p);
  if (status != HB_OK) {
    hb_mem_free(text.text);
    return status;
  }
  *bytes = text.text;
  *count = text.length;
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

static enum hb_status read_row(const struct hb_lines *c, uint64_t *id, double row[WORDS])
{
  const char *at = c->begin;
  if (!hb_lines_whole(c, &at, id))
    return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for the index, expected a whole number", c->name, c->line,
                   hb_lines_shown(c, at), at);
  for (int k = 0; k < WORDS; k++) {
    hb_lines_skip_blanks(c, &at);
    if (at == c->end)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: a row of %d number%s, expected %d: %s", c->name, c->line, k + 1,
                     hb_text_s((uint64_t)k + 1), WORDS + 1, row_words);
    const char *begin = at;
    if (!hb_lines_number(c, &at, &row[k]))
      return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for %s, expected a finite number", c->name, c->line,
                     hb_lines_shown(c, begin), begin, words[k]);
  }
  hb_lines_skip_blanks(c, &at);
  if (at == c->end) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' after %d numbers, expected %d: %s", c->name, c->line,
                 hb_lines_shown(c, at), at, WORDS + 1, WORDS + 1, row_words);
}

/* Empty lines may follow the last row, but nothing else. */
static enum hb_status read_rows(struct hb_lines c, struct hb_particles *p, uint64_t *ids)
{
  size_t i = 0;
  while (hb_lines_next(&c)) {
    double row[WORDS];
    if (c.begin == c.end) continue;
    if (i == p->n)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: a row after the %zu of the header", c.name, c.line, p->n);
    HB_TRY(read_row(&c, &ids[i], row));
    p->m[i] = row[0];
    memcpy(p->x + 3 * i, row + 1, 3 * sizeof *row);
    memcpy(p->v + 3 * i, row + 4, 3 * sizeof *row);
    i++;
  }
  if (i == p->n) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: the file ends after %zu row%s, expected the %zu of its header",
                 c.name, c.line, i, hb_text_s(i), p->n);
}

static int is_count(double n) { return n >= 1 && n < 0x1p32 && n == floor(n); }

static enum hb_status read_particles(const struct hb_lines *c, struct hb_particles *p)
{
  uint64_t *ids;
  int taken;
  HB_TRY(HB_ALLOC(p->n, &ids));
  enum hb_status status = read_rows(*c, p, ids);
  if (status == HB_OK) status = hb_snapshot_take_ids(p, ids, &taken);
  hb_mem_free(ids);
  return status;
}

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
  *particles = NULL;
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
  enum hb_status status = read_particles(&c, *particles);
  if (status == HB_OK && bytes[count - 1] != '\n')
    hb_log_warn("%s: the last line has no line break; part of it may be missing", name);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
  }
  return status;
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
    .has_no_notes = 1,
};
