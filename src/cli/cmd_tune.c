/* holmberg tune: finds the fastest way to walk on this device and keeps it for later runs. */
#include "cli/cmd.h"
#include "base/table.h"
#include "console/terminal.h"

enum { TUNE_SECONDS, TUNE_CONTEXT, TUNE_DEVICE, TUNE_JSON, TUNE_COUNT };

static const struct hb_opts_option options[TUNE_COUNT] = {
    [TUNE_SECONDS] = {"seconds", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "S", "50", NULL,
                      "about how long it may take"},
    [TUNE_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "C", NULL, NULL,
                      "egl, osmesa, glfw or auto"},
    [TUNE_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "D", NULL, NULL,
                     "INDEX, /dev/dri/... or software"},
    [TUNE_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                   "print a line of JSON each"},
};

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
  const struct hb_force_params params = {.context = opts->values[TUNE_CONTEXT].text,
                                         .device = opts->values[TUNE_DEVICE].text};
  enum hb_table_form form = opts->values[TUNE_JSON].given ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM;
  struct hb_table table = {HB_TABLE_COLUMNS(columns), form, stdout, 0};
  HB_TRY(hb_opts_check_most(opts, TUNE_SECONDS, 3600));
  HB_TRY(hb_tune(&params, opts->values[TUNE_SECONDS].number, found, &table));
  if (form == HB_TABLE_TEXT_FORM) printf("kept in %s\n", hb_tune_path());
  return hb_terminal_flush();
}

const struct hb_opts_command hb_cmd_tune = {
    .name = "tune",
    .summary = "Find the fastest way to walk the pairs on this device, and keep it for later runs.",
    .options = options,
    .option_count = TUNE_COUNT,
    .example = "  holmberg tune\n",
    .work = work,
};
