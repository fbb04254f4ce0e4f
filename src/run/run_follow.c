#include "run/run_follow.h"

#include "base/arith.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum hb_status refuse(const char *list)
{
  return hb_fail(HB_ERR_USAGE,
                 "option --follow: '%s' is no list of up to %d particles by their numbers, as 3,17", list,
                 (int)HB_RUN_FOLLOW_MOST);
}

static int has(const struct hb_run_follow *follow, uint64_t id)
{
  size_t k = 0;
  while (k < follow->count && follow->of[k].id != id) k++;
  return k < follow->count;
}

enum hb_status hb_run_follow_take(const char *list, struct hb_run_follow *follow)
{
  follow->count = 0;
  for (const char *word = list; word;) {
    char number[24];
    uint64_t id;
    size_t length = strcspn(word, ",");
    snprintf(number, sizeof number, "%.*s", (int)hb_min(length, sizeof number), word);
    if (length >= sizeof number || hb_text_count(number, &id) != HB_OK || follow->count == HB_RUN_FOLLOW_MOST)
      return refuse(list);
    if (!has(follow, id)) follow->of[follow->count++] = (struct hb_follow){.id = id};
    word = word[length] ? word + length + 1 : NULL;
  }
  return HB_OK;
}

enum hb_status hb_run_follow_check(const struct hb_run_follow *follow, struct hb_particles *particles)
{
  size_t n = hb_particles_n(particles);
  const uint64_t *id = hb_particles_id(particles);
  for (size_t k = 0; k < follow->count; k++) {
    size_t i = 0;
    while (i < n && id[i] != follow->of[k].id) i++;
    if (i == n)
      return hb_fail(HB_ERR_USAGE, "option --follow: none of the %zu particles has the number %" PRIu64, n,
                     follow->of[k].id);
  }
  return HB_OK;
}

/* ---- rows ---- */

struct row {
  struct hb_follow f;
  double a, j, a_near, a_far;
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"t", HB_TABLE_REAL, AT(f.t)},
    {"id", HB_TABLE_COUNT, AT(f.id)},
    {"members", HB_TABLE_COUNT, AT(f.members)},
    {"x", HB_TABLE_REAL, AT(f.x[0])},
    {"y", HB_TABLE_REAL, AT(f.x[1])},
    {"z", HB_TABLE_REAL, AT(f.x[2])},
    {"vx", HB_TABLE_REAL, AT(f.v[0])},
    {"vy", HB_TABLE_REAL, AT(f.v[1])},
    {"vz", HB_TABLE_REAL, AT(f.v[2])},
    {"a", HB_TABLE_REAL, AT(a)},
    {"j", HB_TABLE_REAL, AT(j)},
    {"step", HB_TABLE_REAL, AT(f.step)},
    {"nearest", HB_TABLE_REAL, AT(f.nearest)},
    {"nearest_id", HB_TABLE_COUNT, AT(f.nearest_id)},
    /* with neighbors */
    {"far_step", HB_TABLE_REAL, AT(f.far_step)},
    {"far_ends", HB_TABLE_INT, AT(f.far_ends)},
    {"listed", HB_TABLE_COUNT, AT(f.listed)},
    {"a_near", HB_TABLE_REAL, AT(a_near)},
    {"a_far", HB_TABLE_REAL, AT(a_far)},
};
#undef AT
enum { COLUMNS = sizeof columns / sizeof *columns, OF_PARTS = 5 };

static double norm(const double q[3]) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }

enum hb_status hb_run_follow_put(struct hb_run_follow *follow, struct hb_sim *sim)
{
  int has_parts = hb_sim_taken(sim)->neighbors > 0;
  for (size_t k = 0; follow->rows.file && k < follow->count; k++) {
    struct hb_follow *f = follow->of + k;
    int is_due;
    HB_TRY(hb_sim_follow(sim, f, &is_due));
    if (!is_due) continue;
    const struct row row = {*f, norm(f->a), norm(f->j), norm(f->near_a), norm(f->far_a)};
    HB_TRY(hb_run_rows_put(&follow->rows, columns, has_parts ? COLUMNS : COLUMNS - OF_PARTS, &row));
  }
  return HB_OK;
}
