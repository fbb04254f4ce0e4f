/* holmberg analyse: core, mass classes, profiles, and what is bound, of a snapshot. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/cmd_info_file.h"
#include "console/terminal.h"
#include "measure/analysis.h"
#include "plot/gnuplot.h"

struct settings {
  struct hb_info_file_settings file;
  const char *classes, *plot;
  uint64_t shells;
  int json;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"classes", 0, HB_OPTS_TEXT, FIELD(classes), "M,...",
     .help = "masses between classes, ascending, in the units of --units (default: the mean mass)"},
    {"shells", 0, HB_OPTS_COUNT, FIELD(shells), "K", "20", .most = HB_ANALYSIS_SHELLS,
     .help = "shells of the profile, each with as many stars; fewer where that would be fewer than 10"},
    {"plot", 0, HB_OPTS_TEXT, FIELD(plot), "FIGURE",
     .help = "also draw the density profile: .png, .svg or .pdf"},
    {0}};

static enum hb_status read_limits(const struct settings *s, double unit, size_t *count,
                                  double limits[HB_ANALYSIS_CLASSES])
{
  struct hb_text text = {0};
  const char *words[HB_ANALYSIS_CLASSES + 1];
  *count = 0;
  if (!s->classes) return HB_OK;
  HB_TRY(hb_text_append(&text, "%s", s->classes));
  int found = hb_text_words(text.text, ",", HB_ANALYSIS_CLASSES + 1, words);
  enum hb_status status = HB_OK;
  for (int k = 0; k < found && k < HB_ANALYSIS_CLASSES && status == HB_OK; k++) {
    status = hb_text_number(words[k], limits + k);
    limits[k] /= unit;
    if (status == HB_OK && !(limits[k] > (k ? limits[k - 1] : 0))) found = -1;
  }
  if (status == HB_OK && (found < 1 || found >= HB_ANALYSIS_CLASSES))
    status = hb_fail(HB_ERR_USAGE, "option --classes: '%s', expected up to %d ascending masses > 0",
                     s->classes, HB_ANALYSIS_CLASSES - 1);
  *count = found > 0 ? (size_t)found : 0;
  hb_mem_free(text.text);
  return status;
}

static enum hb_status print_json(const struct hb_info_file *info, const struct hb_analysis *a)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_info_file_members(info, &json);
  HB_TRY(hb_analysis_members(a, info->particles, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

static enum hb_status print_text(const struct hb_info_file *info, const struct hb_analysis *a)
{
  hb_info_file_print(info);
  return hb_analysis_print(a, info->particles, stdout);
}

static enum hb_status show(const struct settings *s, struct hb_info_file *info, struct hb_analysis *a)
{
  HB_TRY(hb_info_file_convert(&s->file, info));
  if (info->units) hb_analysis_to(&info->unit, a);
  HB_TRY((s->json ? print_json : print_text)(info, a));
  if (s->plot)
    HB_TRY(hb_analysis_plot(a, info->contents.energies.r_half, hb_text_base_name(info->file),
                            info->units != NULL, s->plot));
  return hb_terminal_flush();
}

static enum hb_status analyse(const struct hb_opts *opts, struct hb_info_file *info, struct hb_analysis *a)
{
  const struct settings *s = opts->settings;
  double limits[HB_ANALYSIS_CLASSES], unit = 1;
  size_t count;
  if (s->plot) HB_TRY(hb_gnuplot_check(s->plot));
  HB_TRY(hb_info_file_read(opts, &s->file, info));
  struct hb_units units;
  if (s->file.units == HB_ASTRO_ASTRO) {
    HB_TRY(hb_astro_find(info->particles, &units));
    unit = units.mass;
  }
  HB_TRY(read_limits(s, unit, &count, limits));
  HB_TRY(hb_analysis_of(info->particles, &info->contents, count, limits, s->shells, a));
  return show(s, info, a);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct hb_info_file info = {.particles = NULL};
  struct hb_analysis *a;
  HB_TRY(HB_ALLOC(1, &a));
  enum hb_status status = analyse(opts, &info, a);
  hb_analysis_clear(a);
  hb_particles_destroy(info.particles);
  hb_mem_free(a);
  return status;
}

const struct hb_opts_command hb_cmd_analyse = {
    .name = "analyse",
    .summary = "Show the core, mass classes, profiles, binaries and hierarchies of a snapshot.",
    .operand = "SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = options},
               {.options = hb_info_file_options, .at = offsetof(struct settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg analyse end.h5 --plot profile.png\n"
               "  holmberg analyse cluster.h5 --units astro --classes 0.5,2 --json\n",
    .work = work,
};
