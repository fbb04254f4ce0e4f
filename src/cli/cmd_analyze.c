/* holmberg analyze: core, mass classes, profiles, and what is bound, of a snapshot. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/cmd_info_file.h"
#include "console/terminal.h"
#include "measure/analysis.h"
#include "measure/jacobi.h"
#include "plot/plot.h"

struct settings {
  struct hb_info_file_settings file;
  const char *plot;
  double classes[HB_ANALYSIS_CLASSES - 1];
  uint64_t shells;
  double tide;
  int json;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"classes", 0, HB_OPTS_NUMBERS, FIELD(classes), "M,...", .least = 1,
     .help = "up to 7 masses between classes, ascending, in the units of --units (default: the mean mass)",
     .of = HB_DIMENSION_MASS},
    {"shells", 0, HB_OPTS_COUNT, FIELD(shells), "K", "20", .most = HB_ANALYSIS_SHELLS,
     .help = "shells of the profile, each with as many stars; fewer where that would be fewer than 10"},
    {"tide", 0, HB_OPTS_POSITIVE, FIELD(tide), "X",
     .help =
         "only the stars within the Jacobi radius, where r^3 = G M(r) / X; X = 4 W^2 - K^2 of a circular "
         "orbit of angular speed W and epicyclic frequency K, in the units of --units (default: all stars)"},
    {"plot", 0, HB_OPTS_TEXT, FIELD(plot), "FIGURE",
     .help = "also draw the density profile: .png, .svg or .pdf"},
    {0}};

/* How many there are. */
static enum hb_status check_classes(const struct hb_opts *opts, const struct settings *s, size_t *count)
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
  struct hb_info_file info;
  struct hb_analysis analysis;
  double r_jacobi;
};

static enum hb_status print_json(const struct found *f)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_info_file_members(&f->info, &json);
  if (f->r_jacobi > 0) hb_json_number(&json, "r_jacobi", f->r_jacobi);
  HB_TRY(hb_analysis_members(&f->analysis, f->info.particles, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

static enum hb_status print_text(const struct found *f)
{
  hb_info_file_print(&f->info);
  if (f->r_jacobi > 0)
    printf("%-18s %.6g, and only what is within it is shown\n", "Jacobi radius", f->r_jacobi);
  return hb_analysis_print(&f->analysis, f->info.particles, stdout);
}

static enum hb_status show(const struct settings *s, struct found *f)
{
  struct hb_info_file *info = &f->info;
  HB_TRY(hb_info_file_convert(&s->file, info));
  if (info->units) {
    hb_analysis_to(&info->unit, &f->analysis);
    f->r_jacobi *= info->unit.length;
  }
  HB_TRY((s->json ? print_json : print_text)(f));
  if (s->plot)
    HB_TRY(hb_analysis_plot(&f->analysis, info->contents.energies.r_half, hb_text_base_name(info->file),
                            info->units != NULL, s->plot));
  return hb_terminal_flush();
}

/* Leaves only what is within the Jacobi radius. */
static enum hb_status cut(const struct settings *s, double tide, struct found *f)
{
  struct hb_particles *inside;
  HB_TRY(hb_jacobi_inside(f->info.particles, tide, &f->r_jacobi, &inside));
  hb_particles_destroy(f->info.particles);
  f->info.particles = inside;
  return hb_contents_of(inside, f->info.contents.eps, f->info.field, s->file.exact_energy, &f->info.contents);
}

static enum hb_status analyze(const struct hb_opts *opts, struct found *f)
{
  const struct settings *s = opts->settings;
  struct hb_units units = {1, 1, 1};
  size_t count;
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  HB_TRY(check_classes(opts, s, &count));
  HB_TRY(hb_info_file_read(opts, &s->file, &f->info));
  if (s->file.units == HB_ASTRO_ASTRO) HB_TRY(hb_astro_find(f->info.particles, &units));
  if (s->tide > 0) HB_TRY(cut(s, s->tide * units.time * units.time, f));
  HB_TRY(hb_analysis_of(f->info.particles, &f->info.contents, count, s->classes, s->shells, &f->analysis));
  return show(s, f);
}

static enum hb_status work(const struct hb_opts *opts)
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
    .groups = {{.options = options},
               {.options = hb_info_file_options, .at = offsetof(struct settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg analyze end.h5 --plot profile.png\n"
               "  holmberg analyze cluster.h5 --units astro --classes 0.5,2 --json\n"
               "  holmberg analyze end.h5 --units astro --tide 0.0014 # at 8.5 kpc, where V = 220 km/s\n",
    .work = work,
};
