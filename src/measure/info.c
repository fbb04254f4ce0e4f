/* holmberg info: what this program and this machine can do, or what is in a file. */
#include "base/table.h"
#include "base/text.h"
#include "console/commands.h"
#include "console/terminal.h"
#include "gl/gl_egl.h"
#include "measure/contents.h"
#include "measure/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- a file ------------------------------------------------------------------------------------------ */

static void file_json(const struct hb_contents_file *row)
{
  const struct hb_particles *p = row->particles;
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_contents_members(row, &json);
  hb_json_open_object(&json, "notes");
  for (size_t k = 0; hb_particles_note_key(p, k); k++)
    hb_json_text(&json, hb_particles_note_key(p, k), hb_particles_note(p, hb_particles_note_key(p, k)));
  hb_json_close_object(&json);
  hb_json_close_object(&json);
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

static void file_text(const struct hb_contents_file *row)
{
  const struct hb_particles *p = row->particles;
  hb_contents_print(row);
  printf("%-18s %s\n", "state hash", row->contents.state_hash);
  for (size_t k = 0; hb_particles_note_key(p, k); k++)
    print_note(hb_particles_note_key(p, k), hb_particles_note(p, hb_particles_note_key(p, k)));
}

static enum hb_status info_file(const struct hb_opts *opts, const struct hb_contents_settings *s, int json)
{
  struct hb_contents_file row;
  enum hb_status status = hb_contents_read(opts, s, &row);
  if (status == HB_OK) status = hb_contents_convert(s, &row);
  if (status == HB_OK) (json ? file_json : file_text)(&row);
  hb_particles_destroy(row.particles);
  return status == HB_OK ? hb_terminal_flush() : status;
}

/* ---- contexts and devices of this machine -------------------------------------------------------------- */

static void find_devices(size_t max, struct hb_device_info *devices, size_t *count)
{
  hb_gl_egl_devices(max, devices, count);
  for (size_t k = 0; k < *count; k++) {
    char index[16];
    snprintf(index, sizeof index, "%d", devices[k].index);
    struct hb_gl_context *context;
    const struct hb_gl_context_params params = {.context = "egl", .device = index};
    if (hb_gl_context_open(&params, &context) != HB_OK) continue; /* listed, but cannot be opened */
    snprintf(devices[k].renderer, sizeof devices[k].renderer, "%s", context->caps.renderer);
    hb_gl_context_close(context);
  }
}

/* ---- the machine ------------------------------------------------------------------------------------- */

struct info_settings {
  uint64_t n;
  struct hb_contents_settings file;
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
  if (json)
    hb_table_object(json, NULL, HB_TABLE_COLUMNS(memory_columns), row);
  else
    hb_table_put(table, row);
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
      "  41, groups (--eps 0) 142, and 64 neighbors 1300. Each of several ranks (mpirun) has all particles,\n"
      "  and takes as much more for each as \"B a rank\" says.");
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
    if (context->usable && (!found || (found->caps.software && !context->caps.software))) found = context;
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

/* n 0: without the memory that n particles need. */
static enum hb_status print_json(const struct machine *machine, uint64_t n)
{
  const struct hb_context_info *context = preferred(machine);
  size_t scheme_count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&scheme_count);
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "version", hb_library_version());
  hb_table_array(&json, "contexts", hb_facts_context, HB_FACTS_CONTEXT, machine->context_count,
                 sizeof *machine->contexts, machine->contexts);
  hb_table_array(&json, "devices", HB_TABLE_COLUMNS(device_columns), machine->device_count,
                 sizeof *machine->devices, machine->devices);
  hb_facts_limits(context, &json);
  hb_facts_selftest(context, &json);
  hb_table_array(&json, "schemes", HB_TABLE_COLUMNS(scheme_columns), scheme_count, sizeof *schemes, schemes);
  if (n) hb_json_open_array(&json, "memory");
  if (n) HB_TRY(put_schemes(n, &json));
  if (n) hb_json_close_array(&json);
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
      printf("  %-8s OpenGL %s%d.%d, %s%s\n", context->name, context->caps.is_es ? "ES " : "",
             context->caps.major, context->caps.minor, context->caps.renderer,
             context->caps.software ? " (software)" : "");
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
  printf("  texture size             %d\n", context->caps.max_texture_size);
  printf("  color attachments        %d\n", context->caps.max_color_attachments);
  printf("  draw buffers             %d\n", context->caps.max_draw_buffers);
  printf("  texture buffer size      %d\n", context->caps.max_texture_buffer_size);
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
  find_devices(DEVICES_MOST, machine.devices, &machine.device_count);
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
  for (size_t k = 0; hb_contents_options[k].name; k++) {
    const struct hb_setting *option = &hb_contents_options[k];
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
               {.options = hb_contents_options, .at = offsetof(struct info_settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct info_settings, json)}},
    .settings_size = sizeof(struct info_settings),
    .example = "  holmberg info\n"
               "  holmberg info --n 9000000\n"
               "  holmberg info --json\n"
               "  holmberg info end.h5\n",
    .work = info,
};
