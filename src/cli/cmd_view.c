/* holmberg view: a window on a running simulation, or on snapshots. */
#include "cli/cmd.h"
#include "console/list.h"
#include "console/models.h"
#include "viewer/view_input.h"
#include "viewer/view_inspect.h"
#include "viewer/view_keep.h"
#include "viewer/view_loop.h"
#include "viewer/view_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  VIEW_N,
  VIEW_SEED,
  VIEW_SIZE,
  VIEW_SCALE,
  VIEW_PAUSED,
  VIEW_INSPECT,
  VIEW_COLOR_BY,
  VIEW_GROUPS,
  VIEW_TRAILS,
  VIEW_RATE,
  VIEW_SCRIPT,
  VIEW_COUNT
};

static const struct hb_opts_option options[VIEW_COUNT] = {
    [VIEW_N] = {"n", 'n', HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "N", NULL, NULL,
                "particles of a model (default: the model's own number)"},
    [VIEW_SEED] = {"seed", 0, HB_OPTS_WHOLE, HB_OPTS_SHAPES_RESULT, "S", "0", NULL, "seed of a model"},
    [VIEW_SIZE] = {"size", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "WxH", "1280x720", NULL,
                   "of the window, as the window system counts"},
    [VIEW_SCALE] = {"scale", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "X", NULL, NULL,
                    "size of the text, 2 for large screens (default: as the screen wants it)"},
    [VIEW_PAUSED] = {"paused", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL, "do not run yet"},
    [VIEW_INSPECT] = {"inspect", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                      "begin with the texture inspector, key i"},
    [VIEW_COLOR_BY] = {"color-by", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "WHAT", "speed", hb_coloring_name,
                       "speed, acc, energy, step (time step), age (of the step), group"},
    [VIEW_GROUPS] = {"groups", 0, HB_OPTS_COUNT, HB_OPTS_SHOWS_RESULT, "K", "2", NULL,
                     "group: as many equal parts of the particles, one after the other"},
    [VIEW_TRAILS] = {"trails", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                     "draw the ways that the particles came"},
    [VIEW_RATE] = {"rate", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "R", "10", NULL,
                   "snapshots of a series a second"},
    [VIEW_SCRIPT] = {"script", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                     "let the lines of FILE be the person, see below; - is standard input"},
};

/* Of `holmberg run`: what makes the simulation. */
static const int borrowed_rows[] = {
    RUN_INTEGRATOR,  RUN_STEPS,     RUN_DT,          RUN_DAMPING,      RUN_ETA,     RUN_EPS,
    RUN_DT_MAX,      RUN_DT_MIN,    RUN_ROUNDING,    RUN_TRANSFER,     RUN_PREDICT, RUN_CORRECT,
    RUN_SCHEME,      RUN_PRECISION, RUN_TUNING,      RUN_MATRIX_LIMIT, RUN_NO_TUNE, RUN_MAX_DRAW_MS,
    RUN_CG2007_RECT, RUN_GL_DEBUG,  RUN_INPUT_FORMAT};

enum { BORROWED = sizeof borrowed_rows / sizeof *borrowed_rows };

#define ROW(k) &hb_run_options[k]
static const struct hb_opts_option *const borrowed[BORROWED] = {
    ROW(RUN_INTEGRATOR),   ROW(RUN_STEPS),   ROW(RUN_DT),          ROW(RUN_DAMPING),     ROW(RUN_ETA),
    ROW(RUN_EPS),          ROW(RUN_DT_MAX),  ROW(RUN_DT_MIN),      ROW(RUN_ROUNDING),    ROW(RUN_TRANSFER),
    ROW(RUN_PREDICT),      ROW(RUN_CORRECT), ROW(RUN_SCHEME),      ROW(RUN_PRECISION),   ROW(RUN_TUNING),
    ROW(RUN_MATRIX_LIMIT), ROW(RUN_NO_TUNE), ROW(RUN_MAX_DRAW_MS), ROW(RUN_CG2007_RECT), ROW(RUN_GL_DEBUG),
    ROW(RUN_INPUT_FORMAT)};

/* The values of the borrowed options in their places, and for the rest of a run's what it would take by default. */
static void take_values(const struct hb_opts *opts, struct hb_opts_value given[RUN_COUNT])
{
  memset(given, 0, RUN_COUNT * sizeof *given);
  given[RUN_EXACT_ENERGY].text = hb_run_exact_energy(HB_EXACT_ENERGY_AUTO);
  for (size_t k = 0; k < BORROWED; k++) given[borrowed_rows[k]] = opts->values[VIEW_COUNT + k];
}

static enum hb_status open_view(const struct hb_opts *opts, struct hb_view *view)
{
  const struct hb_opts_value *values = opts->values;
  struct hb_window_params window = {.title = "Holmberg", .scale = values[VIEW_SCALE].number};
  HB_TRY(hb_list_pixels(values[VIEW_SIZE].text, 64, 16384, &window.width, &window.height));
  take_values(opts, view->source.given);
  window.debug = view->source.given[RUN_GL_DEBUG].given;
  HB_TRY(hb_run_check_integrator(view->source.given));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(hb_models_check(opts->operands[k]));
  HB_TRY(hb_window_open(&window, &view->window));
  HB_TRY(hb_view_particles_open(view->window.context, &view->stars));
  HB_TRY(hb_view_source_open(opts->operands, opts->operand_count, values[VIEW_N].count,
                             values[VIEW_SEED].count, &view->source));
  while (strcmp(hb_coloring_name(view->color), values[VIEW_COLOR_BY].text) != 0) view->color++;
  if (!view->source.sim && view->color != HB_COLORING_SPEED && view->color != HB_COLORING_GROUP)
    return hb_fail(HB_ERR_USAGE,
                   "option --color-by: snapshots that are played have no %s (expected speed or group)",
                   hb_coloring_name(view->color));
  view->paused = values[VIEW_PAUSED].given;
  view->show_trails = values[VIEW_TRAILS].given;
  view->groups = values[VIEW_GROUPS].count;
  view->rate = values[VIEW_RATE].number;
  view->show_hud = view->show_sliders = 1;
  view->speed.pairs_per_s = view->speed.pictures_per_s = NAN;
  view->style.point_size = 1.5;
  view->style.exposure = 0.7;
  view->style.adapt = 0.2; /* a close encounter does not make the picture blink */
  hb_view_input_set_sliders(view);
  hb_camera_look(&view->window.camera, 0.5, 0.6, 0);
  if (values[VIEW_INSPECT].given) HB_TRY(hb_view_inspect(view));
  hb_view_say(view, "h: keys and mouse");
  return hb_view_input_centre(view);
}

static enum hb_status look(const struct hb_opts *opts)
{
  struct hb_view view = {.error = ""};
  enum hb_status status = open_view(opts, &view);
  const char *script = opts->values[VIEW_SCRIPT].text;
  if (status == HB_OK) status = script ? hb_view_script(&view, script) : hb_view_loop(&view, INFINITY);
  enum hb_status kept = hb_view_keep_close(&view);
  hb_inspector_close(view.inspector);
  hb_view_source_close(&view.source);
  hb_view_picture_close(&view);
  hb_window_close(&view.window);
  return status == HB_OK ? kept : status;
}

static void list_keys(FILE *out)
{
  fputs("\nkeys and mouse:\n", out);
  for (const struct hb_keys_row *row = hb_view_input_keys; row->name || row->key; row++)
    if (row->name) hb_opts_help_entry(row->name, row->help, "", "", out);
  hb_view_script_help(out);
}

const struct hb_opts_command hb_cmd_view = {
    .name = "view",
    .summary = "Watch a simulation of a model, or from a snapshot; or play a series of snapshots.",
    .operand = "[MODEL | FILE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .options = options,
    .option_count = VIEW_COUNT,
    .borrowed = borrowed,
    .borrowed_count = BORROWED,
    .more_help = list_keys,
    .example = "  holmberg view\n"
               "  holmberg view plummer -n 16384 --scheme tile --color-by acc\n"
               "  holmberg view demo1 --integrator leapfrog --trails\n"
               "  holmberg view end_*.h5\n",
    .work = look,
};
