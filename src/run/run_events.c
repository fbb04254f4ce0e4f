#include "run/run_events.h"

#include "console/astro.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct row {
  double t;
  const char *event, *units;
  char members[HB_EVENT_MOST * 21 + 1]; /* identities with blanks between them */
  double a, e, E;
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"t", HB_TABLE_REAL, AT(t)},
    {"event", HB_TABLE_TEXT, AT(event)},
    {"members", HB_TABLE_CHARS, AT(members)},
    {"a", HB_TABLE_REAL, AT(a)},
    {"e", HB_TABLE_REAL, AT(e)},
    {"E", HB_TABLE_REAL, AT(E)},
    {"units", HB_TABLE_TEXT, AT(units)}, /* last: left out in N-body units */
};
#undef AT

static enum hb_status put(struct hb_run_rows *rows, const struct hb_units *units, struct row *row)
{
  size_t count = sizeof columns / sizeof *columns;
  if (units->mass > 0) {
    row->units = hb_astro_names[HB_ASTRO_ASTRO];
    row->t *= units->time;
    row->a *= units->length;
    row->E *= hb_astro_energy(units);
  } else
    count--;
  return hb_run_rows_put(rows, columns, count, row);
}

void hb_run_events_note(const struct hb_run_settings *s, const char *option)
{
  char line[128];
  const char *how = hb_run_is_leapfrog(s)            ? "integrator leapfrog"
                    : s->sim.force.eps != 0          ? "--eps above 0"
                    : s->sim.correct == HB_PLACE_GPU ? "--correct gpu"
                                                     : NULL;
  if (!how) return;
  snprintf(line, sizeof line, "%s: with %s, encounters of unbound stars are not looked for, binaries are",
           option, how);
  hb_terminal_note(line);
}

enum hb_status hb_run_events_begin(struct hb_run_rows *rows, struct hb_sim *sim, const struct hb_units *units)
{
  struct row row = {.t = hb_sim_time(sim), .event = "begin", .a = NAN, .e = NAN, .E = NAN};
  int is_new = rows->rows == 0;
  if (rows->file && is_new) HB_TRY(put(rows, units, &row));
  unsigned all = (1U << HB_EVENT_KINDS) - 1, again = all & ~(1U << HB_EVENT_INITIAL);
  HB_TRY(hb_sim_watch(sim, is_new ? all : again));
  return hb_run_events_put(rows, sim, units);
}

enum hb_status hb_run_events_put(struct hb_run_rows *rows, const struct hb_sim *sim,
                                 const struct hb_units *units)
{
  size_t count;
  const struct hb_event *events = hb_sim_events(sim, &count);
  for (size_t k = 0; rows->file && k < count; k++) {
    const struct hb_event *e = events + k;
    struct row row = {.t = e->t, .event = hb_event_names[e->kind], .a = e->a, .e = e->e, .E = e->E};
    char *place = row.members;
    for (size_t m = 0; m < e->n; m++) place += sprintf(place, "%s%" PRIu64, m ? " " : "", e->id[m]);
    HB_TRY(put(rows, units, &row));
  }
  return HB_OK;
}
