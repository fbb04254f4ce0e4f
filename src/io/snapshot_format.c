#include "io/snapshot_format.h"

#include "base/mem.h"
#include "core/particles.h"

#include <math.h>

int hb_snapshot_offer(struct hb_snapshot_choice *c, double t)
{
  int is_better = c->count == 0 || isnan(c->t) || fabs(t - c->t) <= fabs(c->t_chosen - c->t);
  c->t_first = c->count ? fmin(c->t_first, t) : t;
  c->t_last = c->count ? fmax(c->t_last, t) : t;
  if (is_better) c->t_chosen = t;
  c->count++;
  return is_better;
}

const char *const hb_snapshot_columns[HB_SNAPSHOT_MOST_COLUMNS] = {"m",  "x",  "y",  "z",
                                                                   "vx", "vy", "vz", "radius"};

double *hb_snapshot_value(const struct hb_particles *p, size_t i, size_t column)
{
  if (column == 0) return p->m + i;
  if (column == HB_SNAPSHOT_COLUMNS) return p->radius + i;
  return column < 4 ? p->x + 3 * i + column - 1 : p->v + 3 * i + column - 4;
}

enum hb_status hb_snapshot_take_row(const struct hb_lines *c, const char *at, size_t before, size_t count,
                                    const char *expected, struct hb_particles *p, size_t i)
{
  for (size_t k = 0; k < count; k++) {
    hb_lines_skip_blanks(c, &at);
    if (at == c->end)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: a row of %zu number%s, expected %zu: %s", c->name, c->line,
                     k + before, hb_text_s(k + before), count + before, expected);
    const char *begin = at;
    if (!hb_lines_number(c, &at, hb_snapshot_value(p, i, k)))
      return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' for %s, expected a finite number", c->name, c->line,
                     hb_lines_shown(c, begin), begin, hb_snapshot_columns[k]);
  }
  hb_lines_skip_blanks(c, &at);
  if (at == c->end || (!before && *at == '#')) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s' after %zu numbers, expected %zu: %s", c->name, c->line,
                 hb_lines_shown(c, at), at, count + before, count + before, expected);
}

enum hb_status hb_snapshot_settle_ids(struct hb_particles *p, int *are_kept)
{
  HB_OWN uint32_t *order = NULL;
  size_t twice = 0;
  HB_TRY(HB_ALLOC(p->n, &order));
  if (*are_kept) HB_TRY(hb_identity_sort(p->n, p->id, order, &twice));
  *are_kept &= twice == p->n;
  for (size_t i = 0; i < p->n && !*are_kept; i++) p->id[i] = i;
  return HB_OK;
}

enum hb_status hb_snapshot_rename(const char *path, const char *extension, struct hb_text *name)
{
  return hb_text_append(name, "%.*s.%s", (int)(hb_text_extension(path) - path), path, extension);
}
