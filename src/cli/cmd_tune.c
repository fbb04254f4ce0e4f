/* holmberg tune: finds the fastest way to sum pairs on this device and saves it for later runs. */
#include "base/table.h"
#include "cli/cmd.h"
#include "console/terminal.h"

#include <holmberg/measure.h>

struct settings {
  struct hb_force_params force;
  double seconds;
  int json;
};

static const struct hb_setting options[] = {{"seconds", 0, HB_SETTING_POSITIVE,
                                             HB_SETTING_FIELD(struct settings, seconds), "S", "50",
                                             .most = 3600, .help = "approximate time to take, in seconds"},
                                            {0}};

#define AT(place) .offset = offsetof(struct hb_tune_result, place)
static const struct hb_table_column columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_TEXT, AT(precision), "%-11s"},
    {"n", HB_TABLE_SIZE, AT(n), "%8llu"},
    {"pairs_per_s", HB_TABLE_REAL, AT(pairs_per_s)},
    {NULL, HB_TABLE_REAL, AT(pairs_per_s), "%9.4g", "Gpairs/s", 1e-9},
    {"tuning", HB_TABLE_TEXT, AT(tuning), " %s"},
};
#undef AT

static void found(const struct hb_tune_result *result, void *table)
{
  hb_table_put(table, result);
  fflush(stdout);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  enum hb_table_form form = s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM;
  struct hb_table table = {HB_TABLE_COLUMNS(columns), form, stdout, 0};
  HB_TRY(hb_tune(&s->force, s->seconds, found, &table));
  if (form == HB_TABLE_TEXT_FORM) hb_terminal_say("saved in %s", hb_tune_path());
  return hb_terminal_flush();
}

const struct hb_opts_command hb_cmd_tune = {
    .name = "tune",
    .summary = "Find the fastest way to sum the forces on this device, and save it for later runs.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg tune\n",
    .work = work,
};
