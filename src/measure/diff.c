/* holmberg diff: how much two snapshots differ. */
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "console/astro.h"
#include "console/commands.h"
#include "console/target.h"
#include "console/terminal.h"
#include "core/particles.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

/* Of masses, or of the lengths of the differences of vectors. */
struct difference_of {
  double largest, rms;
  uint64_t id; /* of the particle with the largest */
};

/* All zero where nothing is matched. */
struct difference {
  size_t matched, only_a, only_b; /* particles with the same identity, and the others */
  int same_bits;                  /* the same particles at the same time, bit for bit; -0 is not 0 */
  double dt;                      /* of b less that of a */
  struct difference_of m, x, v;
};

enum units_match { UNITS_SAME, UNITS_CONVERTED, UNITS_ONLY_A, UNITS_ONLY_B };

static void add(double difference, uint64_t id, struct difference_of *of)
{
  if (difference > of->largest) {
    of->largest = difference;
    of->id = id;
  }
  of->rms += difference * difference; /* a sum, until end() */
}

static void end(size_t n, struct difference_of *of) { of->rms = n ? sqrt(of->rms / (double)n) : 0; }

static double distance(const double *a, const double *b)
{
  return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

static enum hb_status sort(const struct hb_particles *p, const char *which, uint32_t **order)
{
  size_t twice;
  HB_TRY(HB_ALLOC(p->n, order));
  HB_TRY(hb_identity_sort(p->n, p->id, *order, &twice));
  if (twice == p->n) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "particles are matched by identity, but %llu occurs twice among those of the %s file",
                 (unsigned long long)p->id[(*order)[twice]], which);
}

static int same_bits(const double *a, const double *b, size_t count)
{
  return memcmp(a, b, count * sizeof *a) == 0;
}

/* Both in ascending order. */
static void match(const struct hb_particles *a, const uint32_t *in_a, const struct hb_particles *b,
                  const uint32_t *in_b, struct difference *d)
{
  size_t k = 0, l = 0;
  d->same_bits = a->n == b->n && same_bits(&a->t, &b->t, 1);
  while (k < a->n && l < b->n) {
    size_t i = in_a[k], j = in_b[l];
    if (a->id[i] != b->id[j]) {
      *(a->id[i] < b->id[j] ? &k : &l) += 1;
      continue;
    }
    add(fabs(b->m[j] - a->m[i]), a->id[i], &d->m);
    add(distance(a->x + 3 * i, b->x + 3 * j), a->id[i], &d->x);
    add(distance(a->v + 3 * i, b->v + 3 * j), a->id[i], &d->v);
    d->same_bits &= same_bits(a->m + i, b->m + j, 1) && same_bits(a->x + 3 * i, b->x + 3 * j, 3) &&
                    same_bits(a->v + 3 * i, b->v + 3 * j, 3);
    d->matched++, k++, l++;
  }
  d->same_bits &= d->matched == a->n;
  d->only_a = a->n - d->matched;
  d->only_b = b->n - d->matched;
}

/* Puts the numbers of b into the units of a, if both have units; *how says what was done. Errors: HB_ERR_INPUT. */
static enum hb_status match_units(const struct hb_particles *a, struct hb_particles *b, enum units_match *how)
{
  struct hb_units to, from;
  int a_has, b_has;
  HB_TRY(hb_units_get(a, &to, &a_has));
  HB_TRY(hb_units_get(b, &from, &b_has));
  *how = a_has == b_has ? UNITS_SAME : a_has ? UNITS_ONLY_A : UNITS_ONLY_B;
  if (!a_has || !b_has || (to.mass == from.mass && to.length == from.length)) return HB_OK;
  double mass = from.mass / to.mass, length = from.length / to.length;
  double velocity = hb_units_velocity(&from) / hb_units_velocity(&to);
  for (size_t i = 0; i < b->n; i++) b->m[i] *= mass;
  for (size_t k = 0; k < 3 * b->n; k++) b->x[k] *= length, b->v[k] *= velocity;
  b->t *= from.time / to.time;
  *how = UNITS_CONVERTED;
  return HB_OK;
}

/* Errors: HB_ERR_INPUT if an identity occurs twice in one of them; HB_ERR_INTERNAL. */
static enum hb_status find_difference(const struct hb_particles *a, const struct hb_particles *b,
                                      struct difference *difference)
{
  uint32_t *in_a = NULL, *in_b = NULL;
  struct difference d = {.dt = b->t - a->t};
  enum hb_status status = sort(a, "first", &in_a);
  if (status == HB_OK) status = sort(b, "second", &in_b);
  if (status == HB_OK) {
    match(a, in_a, b, in_b, &d);
    end(d.matched, &d.m);
    end(d.matched, &d.x);
    end(d.matched, &d.v);
    *difference = d;
  }
  HB_FREE(in_a, in_b);
  return status;
}

/* ---- the command ---- */

struct diff_settings {
  const char *input_format;
  double tolerance, time;
  int json;
};

#define FIELD(member) HB_SETTING_FIELD(struct diff_settings, member)
static const struct hb_setting diff_options[] = {
    {"tolerance", 0, HB_SETTING_NOT_NEGATIVE, FIELD(tolerance), "X", "0",
     .help =
         "exit code 1 if the times, a mass, a position or a velocity differ by more than X, or if a particle "
         "is in one file only"},
    {"time", 0, HB_SETTING_NUMBER, FIELD(time), "T",
     .help = "the snapshots of this time, of files that hold many (default: the last)",
     .of = HB_DIMENSION_TIME},
    {"input-format", 0, HB_SETTING_WORD, FIELD(input_format), "F", .words.at = hb_target_format,
     .help = "format of both (default: by extension and content)"},
    {0}};
#undef FIELD

struct diff_row {
  const char *a, *b;
  const char *units;
  double tolerance, t_a, t_b;
  int same;
  struct difference d;
};

#define AT(place) .offset = offsetof(struct diff_row, place)
#define OF(name, place)                                                                                      \
  {name "_max", HB_TABLE_REAL, AT(place.largest)}, {name "_rms", HB_TABLE_REAL, AT(place.rms)},              \
  {                                                                                                          \
    name "_max_id", HB_TABLE_COUNT, AT(place.id)                                                             \
  }
static const struct hb_table_column diff_columns[] = {
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

static void print_of(const char *name, const struct difference_of *of)
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

static void print_text(const struct diff_row *row)
{
  const struct difference *d = &row->d;
  if (row->units == unit_words[UNITS_CONVERTED]) hb_terminal_say("%s in the units of %s", row->b, row->a);
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

static double largest(const struct difference *d)
{
  return fmax(fmax(fabs(d->dt), d->m.largest), fmax(d->x.largest, d->v.largest));
}

static enum hb_status judge(const struct diff_row *row)
{
  const struct difference *d = &row->d;
  if (row->same) return HB_OK;
  if (row->units == unit_words[UNITS_ONLY_A] || row->units == unit_words[UNITS_ONLY_B])
    return hb_fail(HB_ERR_INTERNAL, "only %s has units",
                   row->units == unit_words[UNITS_ONLY_A] ? row->a : row->b);
  if (d->only_a || d->only_b)
    return hb_fail(HB_ERR_INTERNAL, "%s and %s do not have the same particles", row->a, row->b);
  return hb_fail(HB_ERR_INTERNAL, "%s and %s differ by %.4g, more than %g", row->a, row->b, largest(d),
                 row->tolerance);
}

static enum hb_status compare(const struct hb_opts *opts, struct hb_particles *a, struct hb_particles *b)
{
  const struct diff_settings *s = opts->settings;
  struct diff_row row = {.a = opts->operands[0],
                         .b = opts->operands[1],
                         .tolerance = s->tolerance,
                         .t_a = hb_particles_time(a),
                         .t_b = hb_particles_time(b)};
  enum units_match how;
  HB_TRY(match_units(a, b, &how));
  HB_TRY(find_difference(a, b, &row.d));
  row.units = unit_words[how];
  if (how != UNITS_SAME) row.d.same_bits = 0;
  row.same = how <= UNITS_CONVERTED && !row.d.only_a && !row.d.only_b && largest(&row.d) <= s->tolerance;
  struct hb_table table = {HB_TABLE_COLUMNS(diff_columns), HB_TABLE_JSON_FORM, stdout, 0};
  if (s->json)
    hb_table_put(&table, &row);
  else
    print_text(&row);
  HB_TRY(hb_terminal_flush());
  return judge(&row);
}

static enum hb_status diff(const struct hb_opts *opts)
{
  const struct diff_settings *s = opts->settings;
  HB_OWN_PARTICLES struct hb_particles *a = NULL, *b = NULL;
  HB_TRY(hb_astro_convert_by_file(opts, opts->operands[0], s->input_format, 0));
  double t = hb_opts_typed(opts, &s->time) ? s->time : NAN;
  HB_TRY(hb_snapshot_read_at(opts->operands[0], s->input_format, t, &a, NULL));
  HB_TRY(hb_snapshot_read_at(opts->operands[1], s->input_format, t, &b, NULL));
  return compare(opts, a, b);
}

const struct hb_opts_command hb_cmd_diff = {
    .name = "diff",
    .summary = "Compare two snapshots, particle by particle; exit code 1 if they differ.",
    .operand = "A B",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = diff_options},
               {.options = hb_opts_json, .at = offsetof(struct diff_settings, json)}},
    .settings_size = sizeof(struct diff_settings),
    .example = "  holmberg diff first.h5 second.h5\n"
               "  holmberg diff first.h5 second.nemo --tolerance 1e-9 --json\n",
    .work = diff,
};
