/* holmberg diff: how much two snapshots differ. */
#include "base/table.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/difference.h"

#include <math.h>
#include <string.h>

struct settings {
  const char *input_format;
  double tolerance, time;
  int json;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"tolerance", 0, HB_OPTS_NOT_NEGATIVE, FIELD(tolerance), "X", "0",
     .help =
         "exit code 1 if the times, a mass, a position or a velocity differ by more than X, or if a particle "
         "is in one file only"},
    {"time", 0, HB_OPTS_NUMBER, FIELD(time), "T",
     .help = "the snapshots of this time, of files that hold many (default: the last)",
     .of = HB_DIMENSION_TIME},
    {"input-format", 0, HB_OPTS_WORD, FIELD(input_format), "F", .words.at = hb_target_format,
     .help = "format of both (default: by extension and content)"},
    {0}};

struct row {
  const char *a, *b;
  const char *units;
  double tolerance, t_a, t_b;
  int same;
  struct hb_difference d;
};

#define AT(place) .offset = offsetof(struct row, place)
#define OF(name, place)                                                                                      \
  {name "_max", HB_TABLE_REAL, AT(place.largest)}, {name "_rms", HB_TABLE_REAL, AT(place.rms)},              \
  {                                                                                                          \
    name "_max_id", HB_TABLE_COUNT, AT(place.id)                                                             \
  }
static const struct hb_table_column columns[] = {
    {"a", HB_TABLE_TEXT, AT(a)},
    {"b", HB_TABLE_TEXT, AT(b)},
    {"units", HB_TABLE_TEXT, AT(units)},
    {"matched", HB_TABLE_SIZE, AT(d.matched)},
    {"only_a", HB_TABLE_SIZE, AT(d.only_a)},
    {"only_b", HB_TABLE_SIZE, AT(d.only_b)},
    {"t_a", HB_TABLE_REAL, AT(t_a)},
    {"t_b", HB_TABLE_REAL, AT(t_b)},
    {"dt", HB_TABLE_REAL, AT(d.dt)},
    OF("m", d.m),
    OF("x", d.x),
    OF("v", d.v),
    {"tolerance", HB_TABLE_REAL, AT(tolerance)},
    {"same", HB_TABLE_TRUTH, AT(same)},
    {"same_bits", HB_TABLE_TRUTH, AT(d.same_bits)},
};
#undef OF
#undef AT

static void print_of(const char *name, const struct hb_difference_of *of)
{
  printf("%-10s %12.4g %12.4g", name, of->largest, of->rms);
  if (of->largest > 0) printf("   %llu", (unsigned long long)of->id);
  putchar('\n');
}

static const char *const unit_words[] = {"same", "converted", "only_a", "only_b"};

static void print_only(size_t count, const char *path)
{
  if (count == 0) return;
  printf(", %zu only in ", count);
  hb_terminal_put(stdout, path, strlen(path));
}

static void print_text(const struct row *row)
{
  const struct hb_difference *d = &row->d;
  if (row->units == unit_words[HB_UNITS_CONVERTED]) hb_terminal_say("%s in the units of %s", row->b, row->a);
  printf("%zu particle%s matched by identity", d->matched, hb_text_s(d->matched));
  print_only(d->only_a, row->a);
  print_only(d->only_b, row->b);
  printf("\nt = %.9g and %.9g, which differ by %.4g\n", row->t_a, row->t_b, d->dt);
  printf("\n%-10s %12s %12s   %s\n", "", "largest", "rms", "largest of particle");
  print_of("mass", &d->m);
  print_of("position", &d->x);
  print_of("velocity", &d->v);
  if (d->same_bits) puts("\nthe same bits");
}

static double largest(const struct hb_difference *d)
{
  return fmax(fmax(fabs(d->dt), d->m.largest), fmax(d->x.largest, d->v.largest));
}

static enum hb_status judge(const struct row *row)
{
  const struct hb_difference *d = &row->d;
  if (row->same) return HB_OK;
  if (row->units == unit_words[HB_UNITS_ONLY_A] || row->units == unit_words[HB_UNITS_ONLY_B])
    return hb_fail(HB_ERR_INTERNAL, "only %s has units",
                   row->units == unit_words[HB_UNITS_ONLY_A] ? row->a : row->b);
  if (d->only_a || d->only_b)
    return hb_fail(HB_ERR_INTERNAL, "%s and %s do not have the same particles", row->a, row->b);
  return hb_fail(HB_ERR_INTERNAL, "%s and %s differ by %.4g, more than %g", row->a, row->b, largest(d),
                 row->tolerance);
}

static enum hb_status compare(const struct hb_opts *opts, struct hb_particles *a, struct hb_particles *b)
{
  const struct settings *s = opts->settings;
  struct row row = {.a = opts->operands[0],
                    .b = opts->operands[1],
                    .tolerance = s->tolerance,
                    .t_a = hb_particles_time(a),
                    .t_b = hb_particles_time(b)};
  enum hb_units_match how;
  HB_TRY(hb_difference_units(a, b, &how));
  HB_TRY(hb_difference_find(a, b, &row.d));
  row.units = unit_words[how];
  if (how != HB_UNITS_SAME) row.d.same_bits = 0;
  row.same = how <= HB_UNITS_CONVERTED && !row.d.only_a && !row.d.only_b && largest(&row.d) <= s->tolerance;
  struct hb_table table = {HB_TABLE_COLUMNS(columns), HB_TABLE_JSON_FORM, stdout, 0};
  if (s->json)
    hb_table_put(&table, &row);
  else
    print_text(&row);
  HB_TRY(hb_terminal_flush());
  return judge(&row);
}

static enum hb_status diff(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  struct hb_particles *a, *b;
  HB_TRY(hb_astro_convert_by_file(opts, opts->operands[0], s->input_format, 0));
  double t = hb_opts_typed(opts, &s->time) ? s->time : NAN;
  HB_TRY(hb_snapshot_read_at(opts->operands[0], s->input_format, t, &a, NULL));
  enum hb_status status = hb_snapshot_read_at(opts->operands[1], s->input_format, t, &b, NULL);
  if (status == HB_OK) status = compare(opts, a, b);
  hb_particles_destroy(a);
  hb_particles_destroy(b);
  return status;
}

const struct hb_opts_command hb_cmd_diff = {
    .name = "diff",
    .summary = "Compare two snapshots, particle by particle; exit code 1 if they differ.",
    .operand = "A B",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = options}, {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg diff first.h5 second.h5\n"
               "  holmberg diff first.h5 second.nemo --tolerance 1e-9 --json\n",
    .work = diff,
};
