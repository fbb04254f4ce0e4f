/* holmberg tune: finds the fastest way to walk on this device and keeps it for later runs. */
#include "cli/cmd.h"
#include "base/json.h"
#include "console/terminal.h"

#include <holmberg/measure.h>

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

static void print_json(const struct hb_tune_result *result)
{
  struct hb_json json = {.out = stdout};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "scheme", result->scheme);
  hb_json_text(&json, "precision", result->precision);
  hb_json_count(&json, "n", result->n);
  hb_json_number(&json, "pairs_per_s", result->pairs_per_s);
  hb_json_text(&json, "tuning", result->tuning);
  hb_json_close_object(&json);
}

struct rows {
  int json;
  size_t count;
};

static void found(const struct hb_tune_result *result, void *context)
{
  struct rows *rows = context;
  if (rows->count++ == 0 && !rows->json)
    printf("#%-9s %-11s %8s %9s  %s\n", "scheme", "precision", "n", "Gpairs/s", "tuning");
  if (rows->json)
    print_json(result);
  else
    printf("%-10s %-11s %8zu %9.4g  %s\n", result->scheme, result->precision, result->n,
           1e-9 * result->pairs_per_s, result->tuning);
  fflush(stdout);
}

static enum hb_status work(const struct hb_opts *opts)
{
  const struct hb_force_params params = {.context = opts->values[TUNE_CONTEXT].text,
                                         .device = opts->values[TUNE_DEVICE].text};
  struct rows rows = {.json = opts->values[TUNE_JSON].given};
  HB_TRY(hb_opts_check_most(opts, TUNE_SECONDS, 3600));
  HB_TRY(hb_tune(&params, opts->values[TUNE_SECONDS].number, found, &rows));
  if (!rows.json) printf("kept in %s\n", hb_tune_path());
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
