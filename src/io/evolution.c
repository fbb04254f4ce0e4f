#include "io/evolution.h"

#include "base/mem.h"
#include "io/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum hb_status read_bytes(const char *path, struct hb_text *text)
{
  char piece[4096];
  size_t count;
  FILE *file = fopen(path, "rb");
  if (!file) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  enum hb_status status = HB_OK;
  while (status == HB_OK && (count = fread(piece, 1, sizeof piece, file)) > 0)
    status = hb_text_append_bytes(text, piece, count);
  if (status == HB_OK && ferror(file))
    status = hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  fclose(file);
  return status;
}

static enum hb_status fail_at(const struct hb_lines *c, const char *at, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s', expected %s", c->name, c->line, hb_lines_shown(c, at), at,
                 expected);
}

static enum hb_status take_number(const struct hb_lines *c, const char **at, double least,
                                  const char *expected, double *number)
{
  hb_lines_skip_blanks(c, at);
  const char *word = *at;
  return hb_lines_number(c, at, number) && *number >= least ? HB_OK : fail_at(c, word, expected);
}

static enum hb_status take_row(const struct hb_lines *c, struct hb_evolution_row *row)
{
  const char *at = c->begin;
  HB_TRY(take_number(c, &at, -1e300, "a time in Myr", &row->t));
  hb_lines_skip_blanks(c, &at);
  const char *word = at;
  if (!hb_lines_whole(c, &at, &row->id)) return fail_at(c, word, "an identity");
  HB_TRY(take_number(c, &at, 0, "a mass in solar masses, at least 0", &row->m));
  HB_TRY(take_number(c, &at, 0, "a radius in solar radii, at least 0", &row->radius));
  HB_TRY(take_number(c, &at, 0, "a kick in km/s, at least 0", &row->kick));
  hb_lines_skip_blanks(c, &at);
  return at == c->end ? HB_OK : fail_at(c, at, "the end of the line: time id mass radius kick");
}

static int compare(const void *a, const void *b)
{
  const struct hb_evolution_row *left = a, *right = b;
  if (left->id != right->id) return left->id < right->id ? -1 : 1;
  return left->t < right->t ? -1 : left->t > right->t;
}

/* One time of one star has one row. */
static enum hb_status sort(const char *path, struct hb_evolution_row *rows, size_t n)
{
  if (n == 0)
    return hb_fail(HB_ERR_INPUT, "%s has no rows, expected lines of time id mass radius kick", path);
  qsort(rows, n, sizeof *rows, compare);
  for (size_t k = 1; k < n; k++)
    if (compare(rows + k - 1, rows + k) == 0)
      return hb_fail(HB_ERR_INPUT, "%s has two rows of star %" PRIu64 " at %.17g Myr, expected one", path,
                     rows[k].id, rows[k].t);
  return HB_OK;
}

static enum hb_status take_rows(struct hb_lines c, struct hb_evolution_row **rows, size_t *n)
{
  size_t room = 0;
  while (hb_lines_next(&c)) {
    if (c.begin == c.end || *c.begin == '#') continue;
    if (*n == room) HB_TRY(HB_RESIZE(room = 2 * room + 64, rows));
    HB_TRY(take_row(&c, *rows + *n));
    ++*n;
  }
  return HB_OK;
}

enum hb_status hb_evolution_read(const char *path, struct hb_evolution_row **rows, size_t *n)
{
  struct hb_text text = {0};
  *rows = NULL, *n = 0;
  enum hb_status status = read_bytes(path, &text);
  if (status == HB_OK)
    status = take_rows(hb_lines_at_start(path, text.text ? text.text : "", text.length), rows, n);
  if (status == HB_OK) status = sort(path, *rows, *n);
  hb_mem_free(text.text);
  if (status == HB_OK) return HB_OK;
  hb_mem_free(*rows);
  *rows = NULL, *n = 0;
  return status;
}
