#include "measure/contents.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/table.h"
#include "console/target.h"
#include "console/terminal.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "core/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what it holds ----------------------------------------------------------------------------------- */

/* What follows `word` ("field=") among the words of the note options; NULL: it is not there. */
static const char *option_value(const struct hb_particles *p, const char *word)
{
  for (const char *c = hb_particles_note(p, "options"); c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, strlen(word)) == 0) return c + strlen(word);
  }
  return NULL;
}

/* The forces from outside in the run that wrote it, as words; NULL: none, or none that can be read.
 * The parts of a field are words like point:m=1, but for omega=1: other options have no colon before their '='. */
static const char *find_field(const struct hb_particles *particles, size_t size, char *words)
{
  const char *start = option_value(particles, "field="), *end = start;
  struct hb_field *field = NULL;
  while (end && *end && (strcspn(end, ":") < strcspn(end, "= ") || strncmp(end, "omega=", 6) == 0)) {
    end += strcspn(end, " ");
    end += strspn(end, " ");
  }
  size_t span = (size_t)(end - start);
  if (!start || span == 0 || span >= size) return NULL;
  memcpy(words, start, span);
  words[span] = 0;
  int is_good = hb_field_create(words, &field) == HB_OK;
  hb_field_destroy(field);
  return is_good ? words : NULL;
}

/* Of a snapshot, or of the stars in it, which it leaves at rest at the origin. */
static enum hb_status get_energies(struct hb_particles *p, double eps2, const struct hb_field *field,
                                   int exact, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5, *work;
  struct hb_binary *pairs;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  *d = (struct hb_diagnostics){.t = p->t, .exact_energy = exact, .e_pot = NAN, .e_gpu = NAN, .e_jacobi = NAN};
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, work, &d->r_half);
  if (exact) {
    hb_gravity_potential_once(p->n, p->m, p->x, eps2, work);
    d->e_pot = hb_potential_energy(p, work);
  }
  d->e_total = d->e_kin + d->e_pot;
  if (field) hb_energy_add_field(p, field, d);
  enum hb_status status = hb_energy_find_binaries(p, eps2, d->e_pot, &pairs, &d->binaries);
  if (status == HB_OK) hb_energy_split(p, pairs, 0, field, work, d);
  HB_FREE(pairs, work);
  if (d->e_pot == 0) d->virial_ratio = NAN;
  return status;
}

static enum hb_status add_energies(const struct hb_particles *p, const char *words, int exact,
                                   struct hb_contents *c)
{
  struct hb_particles *stars;
  struct hb_field *field = NULL;
  HB_TRY(hb_particles_copy_massive(p, &stars));
  enum hb_status status = stars ? HB_OK : hb_particles_copy(p, &stars);
  if (status == HB_OK && words) status = hb_field_create(words, &field);
  if (status == HB_OK) status = get_energies(stars, c->eps * c->eps, field, exact, &c->energies);
  hb_field_destroy(field);
  hb_particles_destroy(stars);
  c->has_field = words != NULL;
  return status;
}

enum hb_status hb_contents_of(const struct hb_particles *p, double eps, const char *field,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents)
{
  struct hb_contents c = {.n = p->n, .t = p->t, .eps = eps, .m = hb_sum(p->n, p->m)};
  hb_hash_text(hb_particles_hash(p), c.state_hash);
  c.m_least = c.m_most = p->m[0];
  for (size_t i = 1; i < p->n; i++) {
    c.m_least = fmin(c.m_least, p->m[i]);
    c.m_most = fmax(c.m_most, p->m[i]);
  }
  size_t massive = hb_particles_massive(p);
  HB_TRY(add_energies(p, field, hb_energy_is_exact(exact_energy, massive ? massive : p->n), &c));
  HB_TRY(hb_structure_of(p, eps * eps, &c.structure));
  *contents = c;
  return HB_OK;
}

/* ---- the file ----------------------------------------------------------------------------------------- */

#define FIELD(member) HB_SETTING_FIELD(struct hb_contents_settings, member)
/* They make sense with a file only. */
const struct hb_setting hb_contents_options[] = {
    {"time", 0, HB_SETTING_NUMBER, FIELD(time), "T",
     .help = "FILE: the snapshot of this time, of a file that holds many (default: the last)",
     .of = HB_DIMENSION_TIME},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, FIELD(eps), "EPS",
     .help = "FILE: softening of the potential (default: the snapshot's own, else 1/256, as in run)",
     .of = HB_DIMENSION_LENGTH},
    {"field", 0, HB_SETTING_TEXT, FIELD(field), "WORDS",
     .help = "FILE: forces from outside, as in run (default: those of the run that wrote it)",
     .of = HB_SETTING_FIELD_WORDS},
    {"exact-energy", 0, HB_SETTING_CHOICE, FIELD(exact_energy), "WHEN", "auto",
     .words.array = hb_exact_energy_names,
     .help = "FILE: sum the potential energy, N^2 work: auto (up to N = 32768), yes, no"},
    {"units", 0, HB_SETTING_CHOICE, FIELD(units), "UNITS", "nbody", .words.array = hb_astro_names,
     .help = "FILE: nbody, or, if it has units, astro: Myr, pc, km/s, solar masses"},
    {"input-format", 0, HB_SETTING_WORD, FIELD(input_format), "F", .words.at = hb_target_format,
     .help = "FILE: its format (default: by extension and content)"},
    {0}};
#undef FIELD

enum hb_status hb_contents_convert(const struct hb_contents_settings *s, struct hb_contents_file *row)
{
  struct hb_contents *c = &row->contents;
  if (s->units != HB_ASTRO_ASTRO) return HB_OK;
  HB_TRY(hb_astro_find(row->particles, &row->unit));
  const struct hb_units units = row->unit;
  row->units = hb_astro_names[HB_ASTRO_ASTRO];
  row->found.t_first *= units.time;
  row->found.t_last *= units.time;
  c->t *= units.time;
  c->eps *= units.length;
  c->m *= units.mass;
  c->m_least *= units.mass;
  c->m_most *= units.mass;
  hb_astro_diagnostics(&units, &c->energies);
  hb_astro_structure(&units, &c->structure);
  return HB_OK;
}

enum hb_status hb_contents_read(const struct hb_opts *opts, const struct hb_contents_settings *s,
                                struct hb_contents_file *row)
{
  *row = (struct hb_contents_file){.file = opts->operands[0]};
  HB_TRY(hb_astro_convert_by_file(opts, row->file, s->input_format, s->units == HB_ASTRO_ASTRO));
  HB_TRY(hb_snapshot_read_at(row->file, s->input_format, hb_opts_typed(opts, &s->time) ? s->time : NAN,
                             &row->particles, &row->found));
  double eps = s->eps;
  if (!hb_opts_typed(opts, &s->eps))
    (void)hb_particles_eps(row->particles, &eps); /* a bad note stands in the list of notes */
  if (isnan(eps)) eps = 1.0 / 256;
  row->field = s->field ? s->field : find_field(row->particles, sizeof row->words, row->words);
  return hb_contents_of(row->particles, eps, row->field, s->exact_energy, &row->contents);
}

/* ---- as JSON, with the names of a run's diagnostics ------------------------------------------------------ */

#define AT(place) .offset = offsetof(struct hb_contents_file, place)
#define REAL(name, place)                                                                                    \
  {                                                                                                          \
    name, HB_TABLE_REAL, AT(contents.place)                                                                  \
  }
#define VECTOR(name, place) REAL(name "_x", place[0]), REAL(name "_y", place[1]), REAL(name "_z", place[2])

static const struct hb_table_column file_columns[] = {
    {"file", HB_TABLE_TEXT, AT(file)},
    {"format", HB_TABLE_TEXT, AT(found.format)},
    {"snapshots", HB_TABLE_SIZE, AT(found.count)},
    {"t_first", HB_TABLE_REAL, AT(found.t_first)},
    {"t_last", HB_TABLE_REAL, AT(found.t_last)},
    {"units", HB_TABLE_TEXT, AT(units)},
    {"n", HB_TABLE_SIZE, AT(contents.n)},
    REAL("t", t),
    REAL("m", m),
    REAL("m_least", m_least),
    REAL("m_most", m_most),
    REAL("eps", eps),
    {"exact_energy", HB_TABLE_TRUTH, AT(contents.energies.exact_energy)},
    REAL("e_total", energies.e_total),
    REAL("e_kin", energies.e_kin),
    REAL("e_pot", energies.e_pot),
    REAL("e_cluster", energies.e_cluster),
    REAL("e_orbit", energies.e_orbit),
    REAL("e_scale", energies.e_scale),
    REAL("virial_ratio", energies.virial_ratio),
    VECTOR("momentum", structure.momentum),
    VECTOR("angular_momentum", structure.angular_momentum),
    VECTOR("mass_centre", structure.x_mass),
    VECTOR("mass_centre_v", structure.v_mass),
    VECTOR("density_centre", structure.x_density),
    REAL("r_core", structure.r_core),
    REAL("r_half", energies.r_half),
    {"state_hash", HB_TABLE_CHARS, AT(contents.state_hash)},
};
static const struct hb_table_column binaries_columns[] = {
    {"binaries", HB_TABLE_SIZE, AT(contents.energies.binaries.count)},
    REAL("e_binaries", energies.binaries.energy),
    REAL("a_hardest", energies.binaries.a_hardest),
};
#undef VECTOR
#undef REAL
#undef AT

void hb_contents_radii(const double r_lagrange[HB_LAGRANGE_COUNT], struct hb_json *json)
{
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++) {
    char name[16];
    snprintf(name, sizeof name, "r_%ld", lround(100 * hb_lagrange_fractions()[k]));
    hb_json_number(json, name, r_lagrange[k]);
  }
}

void hb_contents_print_radii(const double r_lagrange[HB_LAGRANGE_COUNT])
{
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    printf("%s %ld%% %.4g", k ? "," : "", lround(100 * hb_lagrange_fractions()[k]), r_lagrange[k]);
}

void hb_contents_members(const struct hb_contents_file *row, struct hb_json *json)
{
  hb_table_members(HB_TABLE_COLUMNS(file_columns), row, json);
  hb_contents_radii(row->contents.structure.r_lagrange, json);
  hb_table_members(HB_TABLE_COLUMNS(binaries_columns), row, json);
}

/* ---- as text ------------------------------------------------------------------------------------------- */

static void print_vector(const char *name, const double x[3])
{
  if (isnan(x[0]))
    printf("%-18s unknown\n", name);
  else
    printf("%-18s %.6g %.6g %.6g\n", name, x[0], x[1], x[2]);
}

static void print_energies(const struct hb_contents *c)
{
  const struct hb_diagnostics *d = &c->energies;
  printf("%-18s %.9g", "kinetic energy", d->e_kin);
  if (d->e_bulk > 0) printf(", and %.6g of the center of mass", d->e_bulk);
  if (!d->exact_energy) {
    puts("\npotential energy   not summed; --exact-energy yes sums it");
    return;
  }
  printf("\n%-18s %.9g, with eps = %.9g\n", "potential energy", d->e_pot, c->eps);
  printf("%-18s %.9g\n", "total energy", d->e_total);
  const char *as = d->binaries.count > 0 ? ", with binaries as points" : "";
  if (d->binaries.count > 0 || c->has_field) printf("%-18s %.9g%s\n", "  of the cluster", d->e_cluster, as);
  if (d->binaries.count > 0) printf("%-18s %.9g\n", "  of binaries", d->binaries.energy);
  if (c->has_field) printf("%-18s %.9g, the center of mass in the field\n", "  of the orbit", d->e_orbit);
  if (!isnan(d->virial_ratio)) printf("%-18s %.6g\n", "virial ratio", d->virial_ratio);
}

static void print_radii(const struct hb_contents *c)
{
  const struct hb_structure *s = &c->structure;
  const struct hb_binaries *b = &c->energies.binaries;
  printf("%-18s %.6g about the center of mass\n", "half-mass radius", c->energies.r_half);
  printf("%-18s", "Lagrangian radii");
  hb_contents_print_radii(s->r_lagrange);
  puts(isnan(s->r_core) ? ", about the center of mass" : ", about the density center");
  if (!isnan(s->r_core)) printf("%-18s %.6g\n", "core radius", s->r_core);
  printf("%-18s %zu", "hard binaries", b->count);
  if (b->count) printf(", of energy %.6g, the tightest with a = %.6g", b->energy, b->a_hardest);
  putchar('\n');
}

void hb_contents_print(const struct hb_contents_file *row)
{
  const struct hb_contents *c = &row->contents;
  const struct hb_snapshot_contents *f = &row->found;
  hb_terminal_say("%-18s %s", "file", row->file);
  printf("%-18s %s\n", "format", f->format);
  if (f->count > 1)
    printf("%-18s %zu, from t = %.9g to %.9g\n", "snapshots", f->count, f->t_first, f->t_last);
  if (row->units)
    printf("%-18s Myr, pc, km/s, solar masses; energies in solar masses (km/s)^2\n", "in units of");
  printf("%-18s %.9g\n%-18s %zu\n%-18s %.9g", "time", c->t, "particles", c->n, "mass", c->m);
  printf(c->m_least == c->m_most ? ", of a particle %.6g\n" : ", of a particle %.6g to %.6g\n", c->m_least,
         c->m_most);
  print_vector("center of mass", c->structure.x_mass);
  print_vector("its velocity", c->structure.v_mass);
  print_vector("angular momentum", c->structure.angular_momentum);
  print_vector("density center", c->structure.x_density);
  print_energies(c);
  print_radii(c);
}
