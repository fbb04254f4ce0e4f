/* holmberg info: what this program and this machine can do, or what is in a file; and holmberg analyze: core, mass classes,
 * profiles, and what is bound, of a snapshot. */
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/analysis.h"
#include "measure/facts.h"
#include "plot/plot.h"

#include <holmberg/measure.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what is in a file ------------------------------------------------------------------------------- */

struct file_settings {
  const char *input_format, *field;
  double eps, time;
  enum hb_exact_energy exact_energy;
  enum hb_astro_units units;
};

/* A snapshot, and what is in it. */
struct file {
  const char *file;
  const char *units;              /* of contents; NULL: N-body    */
  struct hb_units unit;           /* the same; mass 0: N-body      */
  struct hb_particles *particles; /* in N-body units              */
  struct hb_snapshot_contents found;
  const char *field;             /* forces from outside; NULL: none */
  char words[HB_CONTENTS_FIELD]; /* the same, from its notes        */
  struct hb_contents contents;
};

#define FIELD(member) HB_SETTING_FIELD(struct file_settings, member)
/* They make sense with a file only. */
static const struct hb_setting file_options[] = {
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

/* ---- a file as JSON, with the names of a run's diagnostics --------------------------------------------- */

#define AT(place) .offset = offsetof(struct file, place)
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

static long percent(size_t k) { return lround(100 * hb_lagrange_fractions()[k]); }

static void file_members(const struct file *row, struct hb_json *json)
{
  hb_table_members(HB_TABLE_COLUMNS(file_columns), row, json);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++) {
    char name[16];
    snprintf(name, sizeof name, "r_%ld", percent(k));
    hb_json_number(json, name, row->contents.structure.r_lagrange[k]);
  }
  hb_table_members(HB_TABLE_COLUMNS(binaries_columns), row, json);
}

static void file_json(const struct file *row)
{
  const struct hb_particles *p = row->particles;
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  file_members(row, &json);
  hb_json_open_object(&json, "notes");
  for (size_t k = 0; hb_particles_note_key(p, k); k++)
    hb_json_text(&json, hb_particles_note_key(p, k), hb_particles_note(p, hb_particles_note_key(p, k)));
  hb_json_close_object(&json);
  hb_json_close_object(&json);
  putchar('\n');
}

/* ---- a file as text ------------------------------------------------------------------------------------ */

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
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    printf("%s %ld%% %.4g", k ? "," : "", percent(k), s->r_lagrange[k]);
  puts(isnan(s->r_core) ? ", about the center of mass" : ", about the density center");
  if (!isnan(s->r_core)) printf("%-18s %.6g\n", "core radius", s->r_core);
  printf("%-18s %zu", "hard binaries", b->count);
  if (b->count) printf(", of energy %.6g, the tightest with a = %.6g", b->energy, b->a_hardest);
  putchar('\n');
}

/* Its lines below one another. A file may contain escape sequences: they spare the terminal. */
static void print_note(const char *key, const char *line)
{
  for (int k = 0; line; k++) {
    size_t length = strcspn(line, "\n");
    printf("%-18s ", k ? "" : key);
    hb_terminal_put(stdout, line, length);
    putchar('\n');
    line = line[length] ? line + length + 1 : NULL;
  }
}

static void print_file(const struct file *row)
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

static void file_text(const struct file *row)
{
  const struct hb_particles *p = row->particles;
  print_file(row);
  printf("%-18s %s\n", "state hash", row->contents.state_hash);
  for (size_t k = 0; hb_particles_note_key(p, k); k++)
    print_note(hb_particles_note_key(p, k), hb_particles_note(p, hb_particles_note_key(p, k)));
}

static enum hb_status convert_file(const struct file_settings *s, struct file *row)
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

static enum hb_status read_file(const struct hb_opts *opts, const struct file_settings *s, struct file *row)
{
  *row = (struct file){.file = opts->operands[0]};
  HB_TRY(hb_astro_convert_by_file(opts, row->file, s->input_format, s->units == HB_ASTRO_ASTRO));
  HB_TRY(hb_snapshot_read_at(row->file, s->input_format, hb_opts_typed(opts, &s->time) ? s->time : NAN,
                             &row->particles, &row->found));
  double eps = s->eps;
  if (!hb_opts_typed(opts, &s->eps))
    (void)hb_particles_eps(row->particles, &eps); /* a bad note stands in the list of notes */
  if (isnan(eps)) eps = 1.0 / 256;
  row->field = s->field ? s->field : hb_contents_field(row->particles, row->words);
  return hb_contents_of(row->particles, eps, row->field, s->exact_energy, &row->contents);
}

static enum hb_status info_file(const struct hb_opts *opts, const struct file_settings *s, int json)
{
  struct file row;
  enum hb_status status = read_file(opts, s, &row);
  if (status == HB_OK) status = convert_file(s, &row);
  if (status == HB_OK) (json ? file_json : file_text)(&row);
  hb_particles_destroy(row.particles);
  return status == HB_OK ? hb_terminal_flush() : status;
}

/* ---- the machine ------------------------------------------------------------------------------------- */

struct info_settings {
  uint64_t n;
  struct file_settings file;
  int json;
};

static const struct hb_setting info_options[] = {
    {"n", 'n', HB_SETTING_COUNT, HB_SETTING_FIELD(struct info_settings, n), "N",
     .help = "without FILE: also show the memory that a run of N particles needs, by scheme and precision"},
    {0}};

/* ---- the memory that a run of N particles needs ---- */

struct memory_row {
  const char *scheme, *precision;
  struct hb_force_need need; /* bytes */
};

#define AT(place) .offset = offsetof(struct memory_row, place)
static const struct hb_table_column memory_columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "  %-20s"},
    {"precision", HB_TABLE_TEXT, AT(precision), "%-11s"},
    {"device_source", HB_TABLE_REAL, AT(need.device_source), "%8.0f", "B each"},
    {"device_sink", HB_TABLE_REAL, AT(need.device_sink), "%8.0f", "B a sink"},
    {"device_fixed", HB_TABLE_REAL, AT(need.device_fixed)},
    {NULL, HB_TABLE_REAL, AT(need.device_fixed), "%8.1f", "MB fixed", 1e-6},
    {"device_kept", HB_TABLE_REAL, AT(need.device_kept), "%7.0f", "B kept"},
    {"device", HB_TABLE_REAL, AT(need.device)},
    {NULL, HB_TABLE_REAL, AT(need.device), "%10.1f", "MB", 1e-6},
    {"host_particle", HB_TABLE_REAL, AT(need.host_particle), "%8.0f", "B each"},
    {"host_fixed", HB_TABLE_REAL, AT(need.host_fixed)},
    {NULL, HB_TABLE_REAL, AT(need.host_fixed), "%8.1f", "MB fixed", 1e-6},
    {"host", HB_TABLE_REAL, AT(need.host)},
    {NULL, HB_TABLE_REAL, AT(need.host), "%10.1f", "MB", 1e-6},
    {"host_rank", HB_TABLE_REAL, AT(need.host_rank), "%8.0f", "B a rank"},
};
#undef AT

/* json NULL: as text. */
static enum hb_status put_memory(const struct hb_force_params *params, uint64_t n, struct memory_row *row,
                                 struct hb_table *table, struct hb_json *json)
{
  HB_TRY(hb_force_memory(params, n, &row->need));
  if (!json) {
    hb_table_put(table, row);
    return HB_OK;
  }
  hb_json_open_object(json, NULL);
  hb_table_members(HB_TABLE_COLUMNS(memory_columns), row, json);
  hb_json_close_object(json);
  return HB_OK;
}

static enum hb_status put_scheme(const struct hb_force_scheme *scheme, uint64_t n, struct hb_table *table,
                                 struct hb_json *json)
{
  char precision[16];
  for (const char *word = scheme->precisions; *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    snprintf(precision, sizeof precision, "%.*s", (int)length, word);
    word += length;
    struct hb_force_params params = {.scheme = scheme->name, .precision = precision};
    struct memory_row row = {.scheme = scheme->name, .precision = precision};
    HB_TRY(put_memory(&params, n, &row, table, json));
    params.flags = HB_FORCE_CG2007_RECT;
    row.scheme = "cg2007 --cg2007-rect";
    if (scheme->has_rect) HB_TRY(put_memory(&params, n, &row, table, json));
  }
  return HB_OK;
}

static enum hb_status put_schemes(uint64_t n, struct hb_json *json)
{
  struct hb_table table = {HB_TABLE_COLUMNS(memory_columns), HB_TABLE_TEXT_FORM, stdout, 0};
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++) HB_TRY(put_scheme(&schemes[k], n, &table, json));
  return HB_OK;
}

static enum hb_status print_memory(uint64_t n)
{
  printf("\nmemory for %" PRIu64 " particle%s:\n"
         "  %-20s %-11s %45s %28s\n",
         n, hb_text_s(n), "", "", "device", "host");
  HB_TRY(put_schemes(n, NULL));
  puts(
      "  The device keeps its results for the sinks of the largest block; the start of a run evaluates all\n"
      "  particles, and so does the column MB. Particles that stay there (--transfer block) take as much\n"
      "  more as \"B kept\" says. A software renderer's device memory is the host's. What the host needs is\n"
      "  for steps and diagnostics; a snapshot takes 64 bytes a particle more while it is written, --diag\n"
      "  41, groups (--eps 0) 117, and 64 neighbors 1300. Each of several ranks (mpirun) has all particles,\n"
      "  and takes as much more for each as \"B a rank\" says.");
  return HB_OK;
}

static enum hb_status memory_members(uint64_t n, struct hb_json *json)
{
  hb_json_open_array(json, "memory");
  HB_TRY(put_schemes(n, json));
  hb_json_close_array(json);
  return HB_OK;
}

enum { DEVICES_MOST = 32 };

struct machine {
  struct hb_context_info contexts[HB_CONTEXTS_MOST];
  struct hb_device_info devices[DEVICES_MOST];
  size_t context_count, device_count;
};

/* The context whose limits matter: a GPU before software, in the library's order. NULL: none opens. */
static const struct hb_context_info *preferred(const struct machine *machine)
{
  const struct hb_context_info *found = NULL;
  for (size_t k = 0; k < machine->context_count; k++) {
    const struct hb_context_info *context = &machine->contexts[k];
    if (context->usable && (!found || (found->software && !context->software))) found = context;
  }
  return found;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

#define AT(place) .offset = offsetof(struct hb_device_info, place)
static const struct hb_table_column device_columns[] = {
    {"index", HB_TABLE_INT, AT(index)},         {"path", HB_TABLE_CHARS, AT(path)},
    {"address", HB_TABLE_CHARS, AT(address)},   {"renderer", HB_TABLE_CHARS, AT(renderer)},
    {"software", HB_TABLE_TRUTH, AT(software)},
};
#undef AT

#define AT(place) .offset = offsetof(struct hb_force_scheme, place)
static const struct hb_table_column scheme_columns[] = {
    {"name", HB_TABLE_TEXT, AT(name)},          {"summary", HB_TABLE_TEXT, AT(summary)},
    {"source", HB_TABLE_TEXT, AT(source)},      {"precisions", HB_TABLE_TEXT, AT(precisions)},
    {"needs_gl", HB_TABLE_TRUTH, AT(needs_gl)}, {"flops_per_pair", HB_TABLE_INT, AT(flops_per_pair)},
};
#undef AT

/* An array of `rows` objects of `size` bytes. */
static void json_array(struct hb_json *json, const char *name, const struct hb_table_column *columns,
                       size_t count, const void *rows, size_t size, size_t row_count)
{
  hb_json_open_array(json, name);
  for (size_t k = 0; k < row_count; k++) {
    hb_json_open_object(json, NULL);
    hb_table_members(columns, count, (const char *)rows + k * size, json);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static void json_contexts(struct hb_json *json, const struct machine *machine)
{
  hb_json_open_array(json, "contexts");
  for (size_t k = 0; k < machine->context_count; k++) {
    hb_json_open_object(json, NULL);
    hb_facts_context(&machine->contexts[k], json);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

/* n 0: without the memory that n particles need. */
static enum hb_status print_json(const struct machine *machine, uint64_t n)
{
  const struct hb_context_info *context = preferred(machine);
  size_t scheme_count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&scheme_count);
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "version", hb_library_version());
  json_contexts(&json, machine);
  json_array(&json, "devices", HB_TABLE_COLUMNS(device_columns), machine->devices, sizeof *machine->devices,
             machine->device_count);
  hb_facts_limits(context, &json);
  hb_facts_selftest(context, &json);
  json_array(&json, "schemes", HB_TABLE_COLUMNS(scheme_columns), schemes, sizeof *schemes, scheme_count);
  if (n) HB_TRY(memory_members(n, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_contexts(const struct machine *machine)
{
  puts("\ncontexts:");
  for (size_t k = 0; k < machine->context_count; k++) {
    const struct hb_context_info *context = &machine->contexts[k];
    if (!context->usable)
      printf("  %-8s not usable: %s\n", context->name, context->reason);
    else
      printf("  %-8s OpenGL %s%d.%d, %s%s\n", context->name, context->is_es ? "ES " : "", context->major,
             context->minor, context->renderer, context->software ? " (software)" : "");
  }
}

static void print_devices(const struct machine *machine)
{
  puts("\ndevices (for --device):");
  if (machine->device_count == 0) puts("  none");
  for (size_t k = 0; k < machine->device_count; k++) {
    const struct hb_device_info *device = &machine->devices[k];
    printf("  %-8d %s%s%s%s%s%s\n", device->index, device->path, *device->path ? "  " : "", device->address,
           *device->address ? "  " : "", device->renderer, device->software ? " (software)" : "");
  }
  puts("  software a renderer on the processor\n"
       "  0,1      several that share the work of scheme bag, tile or matrix2004; one may be named twice\n"
       "  all      every GPU of this list");
}

static void print_limits(const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  if (!context) return;
  printf("\nlimits (%s):\n", context->name);
  printf("  texture size             %d\n", context->max_texture_size);
  printf("  color attachments        %d\n", context->max_color_attachments);
  printf("  draw buffers             %d\n", context->max_draw_buffers);
  printf("  texture buffer size      %d\n", context->max_texture_buffer_size);
}

static void print_selftest(const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  if (!context) return;
  const struct hb_selftest_info *t = &context->selftest;
  printf("\nself-test (%s, %d cases against the host, bit by bit):\n", context->name, t->cases);
  if (t->cases == 0) {
    puts("  could not run");
    return;
  }
  printf("  sum and its error        %d wrong; with `precise` %d, carried %d\n", t->two_sum_wrong,
         t->two_sum_precise_wrong, t->carry_precise_wrong);
  printf("  product and its error    %d wrong\n", t->two_product_wrong);
  printf("  rounding of a * b + c    %s; fma %s; dot() differs in %d\n",
         hb_facts_fusion_names[t->multiply_add], hb_facts_fusion_names[t->fma], t->dot_differs);
  printf("  largest error            sqrt %.2f ulp, inversesqrt %.2f, 1 / sqrt %.2f, 1 / x %.2f\n",
         t->sqrt_ulp, t->rsqrt_ulp, t->one_over_sqrt_ulp, t->inverse_ulp);
  printf("  errors of 1 / r          mean %.1e, at most %.2f ulp\n", t->rsqrt_mean, t->roots_ulp);
  printf("  denormal numbers         %d lost, as products %d\n", t->denormals_lost,
         t->denormal_products_lost);
  printf("  NaN, infinity, zero      %d wrong; unsigned wrap %d\n", t->special_wrong, t->wrap_wrong);
  if (t->has_double)
    printf("  double                   %d wrong; roots and quotients %.2f ulp\n", t->double_wrong,
           t->double_ulp);
  else
    printf("  double                   %s\n", t->double_emulated ? "emulated, and so not offered" : "absent");
}

static void print_schemes(void)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  puts("\nschemes:");
  printf("  %-8s %s\n", "auto", hb_force_auto_summary());
  for (size_t k = 0; k < count; k++)
    printf("  %-8s %s (%s)\n           %s, %d flops per pair%s\n", schemes[k].name, schemes[k].summary,
           schemes[k].source, schemes[k].precisions, schemes[k].flops_per_pair,
           schemes[k].needs_gl ? ", needs OpenGL" : "");
}

static enum hb_status info_machine(const struct info_settings *s)
{
  struct machine machine;
  memset(&machine, 0, sizeof machine);
  HB_TRY(hb_info_contexts(machine.contexts, &machine.context_count));
  HB_TRY(hb_info_devices(DEVICES_MOST, machine.devices, &machine.device_count));
  if (machine.device_count > DEVICES_MOST) machine.device_count = DEVICES_MOST;
  if (s->json) return print_json(&machine, s->n);
  printf("holmberg %s\n", hb_library_version());
  print_contexts(&machine);
  print_devices(&machine);
  print_limits(&machine);
  print_selftest(&machine);
  print_schemes();
  return s->n ? print_memory(s->n) : HB_OK;
}

/* With a file only those of the file make sense, without one only the others. */
static enum hb_status check_options(const struct hb_opts *opts)
{
  const struct info_settings *s = opts->settings;
  if (opts->operand_count > 0)
    return hb_opts_typed(opts, &s->n) ? hb_fail(HB_ERR_USAGE, "option --n is about a machine, not a file")
                                      : HB_OK;
  for (size_t k = 0; file_options[k].name; k++) {
    const struct hb_setting *option = &file_options[k];
    if (hb_opts_typed(opts, (const char *)&s->file + option->at))
      return hb_fail(HB_ERR_USAGE, "option --%s is about a file, but none is given", option->name);
  }
  return HB_OK;
}

static enum hb_status info(const struct hb_opts *opts)
{
  const struct info_settings *s = opts->settings;
  HB_TRY(check_options(opts));
  return opts->operand_count > 0 ? info_file(opts, &s->file, s->json) : info_machine(s);
}

const struct hb_opts_command hb_cmd_info = {
    .name = "info",
    .summary =
        "Show the contexts, devices, limits, arithmetic and schemes of this machine; or what is in a file.",
    .operand = "[FILE]",
    .operand_max = 1,
    .groups = {{.options = info_options},
               {.options = file_options, .at = offsetof(struct info_settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct info_settings, json)}},
    .settings_size = sizeof(struct info_settings),
    .example = "  holmberg info\n"
               "  holmberg info --n 9000000\n"
               "  holmberg info --json\n"
               "  holmberg info end.h5\n",
    .work = info,
};

/* ---- analyze ------------------------------------------------------------------------------------------ */

struct analyze_settings {
  struct file_settings file;
  const char *plot;
  double classes[HB_ANALYSIS_CLASSES - 1];
  uint64_t shells;
  double tide;
  int json;
};

#define FIELD(member) HB_SETTING_FIELD(struct analyze_settings, member)
static const struct hb_setting analyze_options[] = {
    {"classes", 0, HB_SETTING_NUMBERS, FIELD(classes), "M,...", .least = 1,
     .help = "up to 7 masses between classes, ascending, in the units of --units (default: the mean mass)",
     .of = HB_DIMENSION_MASS},
    {"shells", 0, HB_SETTING_COUNT, FIELD(shells), "K", "20", .most = HB_ANALYSIS_SHELLS,
     .help = "shells of the profile, each with as many stars; fewer where that would be fewer than 10"},
    {"tide", 0, HB_SETTING_POSITIVE, FIELD(tide), "X",
     .help =
         "only the stars within the Jacobi radius, where r^3 = G M(r) / X; X = 4 W^2 - K^2 of a circular "
         "orbit of angular speed W and epicyclic frequency K, in the units of --units (default: all stars)"},
    {"plot", 0, HB_SETTING_TEXT, FIELD(plot), "FIGURE",
     .help = "also draw the density profile: .png, .svg or .pdf"},
    {0}};
#undef FIELD

/* How many there are. */
static enum hb_status check_classes(const struct hb_opts *opts, const struct analyze_settings *s,
                                    size_t *count)
{
  enum { MOST = sizeof s->classes / sizeof *s->classes };
  const char *typed = hb_opts_typed(opts, s->classes);
  *count = typed != NULL;
  for (const char *at = typed; at && *at; at++) *count += *at == ',';
  for (size_t k = 0; k < *count; k++)
    if (!(s->classes[k] > (k ? s->classes[k - 1] : 0)))
      return hb_fail(HB_ERR_USAGE, "option --classes: '%s', expected up to %d ascending masses > 0", typed,
                     MOST);
  return HB_OK;
}

/* What analyze shows; r_jacobi: 0 without --tide. */
struct found {
  struct file info;
  struct hb_analysis analysis;
  double r_jacobi;
};

static enum hb_status analyze_json(const struct found *f)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  file_members(&f->info, &json);
  if (f->r_jacobi > 0) hb_json_number(&json, "r_jacobi", f->r_jacobi);
  HB_TRY(hb_analysis_members(&f->analysis, f->info.particles, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

static enum hb_status analyze_text(const struct found *f)
{
  print_file(&f->info);
  if (f->r_jacobi > 0)
    printf("%-18s %.6g, and only what is within it is shown\n", "Jacobi radius", f->r_jacobi);
  return hb_analysis_print(&f->analysis, f->info.particles, stdout);
}

static enum hb_status analyze_show(const struct analyze_settings *s, struct found *f)
{
  struct file *info = &f->info;
  HB_TRY(convert_file(&s->file, info));
  if (info->units) {
    hb_analysis_to(&info->unit, &f->analysis);
    f->r_jacobi *= info->unit.length;
  }
  HB_TRY((s->json ? analyze_json : analyze_text)(f));
  if (s->plot)
    HB_TRY(hb_analysis_plot(&f->analysis, info->contents.energies.r_half, hb_text_base_name(info->file),
                            info->units != NULL, s->plot));
  return hb_terminal_flush();
}

/* Leaves only what is within the Jacobi radius. */
static enum hb_status cut_tide(const struct analyze_settings *s, double tide, struct found *f)
{
  struct hb_particles *inside;
  HB_TRY(hb_jacobi_inside(f->info.particles, tide, &f->r_jacobi, &inside));
  hb_particles_destroy(f->info.particles);
  f->info.particles = inside;
  return hb_contents_of(inside, f->info.contents.eps, f->info.field, s->file.exact_energy, &f->info.contents);
}

static enum hb_status analyze(const struct hb_opts *opts, struct found *f)
{
  const struct analyze_settings *s = opts->settings;
  struct hb_units units = {1, 1, 1};
  size_t count;
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  HB_TRY(check_classes(opts, s, &count));
  HB_TRY(read_file(opts, &s->file, &f->info));
  if (s->file.units == HB_ASTRO_ASTRO) HB_TRY(hb_astro_find(f->info.particles, &units));
  if (s->tide > 0) HB_TRY(cut_tide(s, s->tide * units.time * units.time, f));
  HB_TRY(hb_analysis_of(f->info.particles, &f->info.contents, count, s->classes, s->shells, &f->analysis));
  return analyze_show(s, f);
}

static enum hb_status analyze_work(const struct hb_opts *opts)
{
  struct found *f;
  HB_TRY(HB_ALLOC(1, &f));
  enum hb_status status = analyze(opts, f);
  hb_analysis_clear(&f->analysis);
  hb_particles_destroy(f->info.particles);
  hb_mem_free(f);
  return status;
}

const struct hb_opts_command hb_cmd_analyze = {
    .name = "analyze",
    .also = "analyse",
    .summary = "Show the core, mass classes, profiles, binaries and hierarchies of a snapshot.",
    .operand = "SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = analyze_options},
               {.options = file_options, .at = offsetof(struct analyze_settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct analyze_settings, json)}},
    .settings_size = sizeof(struct analyze_settings),
    .example = "  holmberg analyze end.h5 --plot profile.png\n"
               "  holmberg analyze cluster.h5 --units astro --classes 0.5,2 --json\n"
               "  holmberg analyze end.h5 --units astro --tide 0.0014 # at 8.5 kpc, where V = 220 km/s\n",
    .work = analyze_work,
};
