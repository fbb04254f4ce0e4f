/* holmberg reproduce: the tables and figures of 2007, repeated on this machine, as a report. */
#include "cli/cmd.h"
#include "report/reproduce.h"

#include <string.h>

struct settings {
  struct hb_reproduction reproduction;
  struct hb_list only;
  int quick;
};

static const char *section_name(size_t k) { return hb_sections[k].name; }

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"out", 'o', HB_SETTING_TEXT, FIELD(reproduction.out), "DIR", "reproduction",
     .help = "folder of the report; jobs that an earlier, interrupted reproduction finished there are not "
             "repeated"},
    {"quick", 0, HB_SETTING_FLAG, FIELD(quick),
     .help = "smaller N and fewer points: minutes on two cores without a GPU (the default)"},
    {"full", 0, HB_SETTING_FLAG, FIELD(reproduction.is_full),
     .help = "the N of the papers, as far as jobs stay within --longest: hours"},
    {"only", 0, HB_SETTING_WORDS, FIELD(only), "LIST", .words = {.at = section_name, .what = "section"},
     .help = "only these sections, see below"},
    {"longest", 0, HB_SETTING_DURATION, FIELD(reproduction.longest_s), "TIME",
     .help = "estimated time that a single job may take, which limits N and nu (default 4s, "
             "with --full 1h)"},
    {"n-most", 0, HB_SETTING_COUNT, FIELD(reproduction.n_most), "N", "1048576", .least = 64,
     .help = "largest number of particles; below 1024, the smallest is a quarter of it"},
    {"jobs-only", 0, HB_SETTING_FLAG, FIELD(reproduction.jobs_only),
     .help =
         "only run the jobs, for a machine without gnuplot: the same command without this option, even on "
         "another machine, writes the report from the folder"},
    {"plan", 0, HB_SETTING_FLAG, FIELD(reproduction.plans_only),
     .help = "only print the commands of the jobs that are missing, and how long each will take here"},
    {0}};

/* Bits 1 << k for hb_sections[k]; all if none is named. */
static unsigned choose(const struct hb_list *only)
{
  const struct hb_words sections = {.at = section_name};
  unsigned chosen = only->count ? 0 : ~0u;
  for (size_t k = 0; k < only->count; k++) chosen |= 1u << hb_words_find(sections, only->words[k]);
  return chosen;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  const char *device = s->reproduction.place.device;
  if (s->quick && s->reproduction.is_full)
    return hb_fail(HB_ERR_USAGE, "options --quick and --full exclude each other");
  if (device && strpbrk(device, " \t\n\"\\")) /* it becomes a word of command lines */
    return hb_fail(HB_ERR_USAGE, "option --device: '%s' has blanks or quotes", device);
  s->reproduction.chosen = choose(&s->only);
  return hb_reproduce(&s->reproduction);
}

static void list_sections(const struct hb_help *help)
{
  help->heading("sections", help->out);
  for (size_t k = 0; hb_sections[k].name; k++)
    help->entry(hb_sections[k].name, hb_sections[k].title, help->out);
}

const struct hb_opts_command hb_cmd_reproduce = {
    .name = "reproduce",
    .summary = "Repeat the tables and figures of 2007 on this machine: a report with the printed numbers.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, reproduction.place)}},
    .settings_size = sizeof(struct settings),
    .more_help = list_sections,
    .example = "  holmberg reproduce --out report\n"
               "  holmberg reproduce --only table2,fig2 --longest 30s\n",
    .work = work,
};
