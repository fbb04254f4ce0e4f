/* holmberg tune: finds the fastest way to sum pairs on this device, for every all-pairs scheme and precision, and saves it for later
 * runs. */
#include "base/table.h"
#include "console/commands.h"
#include "console/terminal.h"
#include "pairs/tuning.h"

struct settings {
  struct hb_force_params force;
  double seconds;
  int json;
};

static const struct hb_setting options[] = {{"seconds", 0, HB_SETTING_POSITIVE,
                                             HB_SETTING_FIELD(struct settings, seconds), "S", "50",
                                             .most = 3600, .help = "approximate time to take, in seconds"},
                                            {0}};

/* One tuning that was found. */
struct row {
  const char *scheme, *precision, *tuning;
  size_t n;
  double pairs_per_s;
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_TEXT, AT(precision), "%-11s"},
    {"n", HB_TABLE_SIZE, AT(n), "%8llu"},
    {"pairs_per_s", HB_TABLE_REAL, AT(pairs_per_s)},
    {NULL, HB_TABLE_REAL, AT(pairs_per_s), "%9.4g", "Gpairs/s", 1e-9},
    {"tuning", HB_TABLE_TEXT, AT(tuning), " %s"},
};
#undef AT

static const size_t sizes[] = {2048, 16384, 131072};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct tune {
  struct hb_gl_context *context;
  double seconds; /* for each search */
  struct hb_table table;
};

/* What the device does not support is skipped. */
static enum hb_status tune_one(struct tune *t, const char *scheme, enum hb_precision precision, size_t n)
{
  const struct hb_pairs_params params = {.context = t->context,
                                         .interaction = HB_INTERACTION_GRAVITY,
                                         .scheme = scheme,
                                         .precision = precision,
                                         .parameter = {1e-4}};
  struct hb_pairs_tuning tuning;
  char words[256];
  struct row row = {scheme, hb_precision_names[precision], words, n, 0};
  enum hb_status status = hb_tuning_renew(&params, n, t->seconds, &tuning, &row.pairs_per_s);
  if (status != HB_OK) return status == HB_ERR_GL ? HB_OK : status;
  hb_tuning_print(&tuning, sizeof words, words);
  hb_table_put(&t->table, &row);
  fflush(stdout);
  return HB_OK;
}

static enum hb_status tune_all(struct tune *t)
{
  for (size_t s = 0; s < hb_pairs_scheme_count; s++)
    for (int precision = 0; hb_pairs_schemes[s]->has_tuning && precision < HB_PRECISION_COUNT; precision++)
      for (int k = 0; k < SIZES; k++)
        HB_TRY(tune_one(t, hb_pairs_schemes[s]->name, (enum hb_precision)precision, sizes[k]));
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  const struct hb_gl_context_params gl = {s->force.context, s->force.device, 0};
  enum hb_table_form form = s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM;
  struct tune t = {.table = {HB_TABLE_COLUMNS(columns), form, stdout, 0}};
  int searches = 0;
  for (size_t k = 0; k < hb_pairs_scheme_count; k++)
    searches += hb_pairs_schemes[k]->has_tuning * HB_PRECISION_COUNT * SIZES;
  t.seconds = s->seconds / searches;
  HB_TRY(hb_gl_context_open(&gl, &t.context));
  enum hb_status status = tune_all(&t);
  hb_gl_context_close(t.context);
  HB_TRY(status);
  if (form == HB_TABLE_TEXT_FORM) hb_terminal_say("saved in %s", hb_tuning_cache_path());
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
