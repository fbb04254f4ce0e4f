/* holmberg tune: finds the fastest way to walk on this device and keeps it for later runs. */
#include "cli/cmd.h"
#include "base/json.h"
#include "console/terminal.h"

#include <holmberg/measure.h>

struct settings {
  struct hb_force_params force;
  double seconds;
  int json;
  size_t rows; /* shown */
};

static const struct hb_opts_option options[] = {{"seconds", 0, HB_OPTS_POSITIVE,
                                                 HB_OPTS_FIELD(struct settings, seconds), "S", "50",
                                                 .most = 3600, .help = "about how long it may take"},
                                                {0}};

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

static void found(const struct hb_tune_result *result, void *context)
{
  struct settings *s = context;
  if (s->rows++ == 0 && !s->json)
    printf("#%-9s %-11s %8s %9s  %s\n", "scheme", "precision", "n", "Gpairs/s", "tuning");
  if (s->json)
    print_json(result);
  else
    printf("%-10s %-11s %8zu %9.4g  %s\n", result->scheme, result->precision, result->n,
           1e-9 * result->pairs_per_s, result->tuning);
  fflush(stdout);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  HB_TRY(hb_tune(&s->force, s->seconds, found, s));
  if (!s->json) printf("kept in %s\n", hb_tune_path());
  return hb_terminal_flush();
}

const struct hb_opts_command hb_cmd_tune = {
    .name = "tune",
    .summary = "Find the fastest way to walk the pairs on this device, and keep it for later runs.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg tune\n",
    .work = work,
};
