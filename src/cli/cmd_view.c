/* holmberg view: a window onto a running simulation, or onto snapshots. */
#include "cli/cmd.h"
#include "console/models.h"
#include "viewer/view_change.h"
#include "viewer/view.h"
#include "viewer/view_input.h"
#include "viewer/view_inspect.h"
#include "viewer/view_keep.h"
#include "viewer/view_loop.h"
#include "viewer/view_picture.h"

#include <math.h>

/* The viewer itself has most of its options. */
struct settings {
  struct hb_view view;
  struct hb_window_params window;
  int inspect;
  const char *script, *record;
  double seconds; /* of the record */
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"n", 'n', HB_OPTS_COUNT, FIELD(view.source.n_asked), "N",
     .help = "number of particles of a model (default: the model's own)"},
    {"seed", 0, HB_OPTS_WHOLE, FIELD(view.source.seed), "S", "0", .help = "seed of a model"},
    {"size", 0, HB_OPTS_PIXELS, FIELD(window.width), "WxH", "1280x720", .least = 64, .most = 16384,
     .help = "size of the window, in the units of the window system"},
    {"scale", 0, HB_OPTS_POSITIVE, FIELD(window.scale), "X",
     .help = "scale of the text, 2 for high-resolution screens (default: as set for the screen)"},
    {"paused", 0, HB_OPTS_FLAG, FIELD(view.paused), .help = "start paused"},
    {"inspect", 0, HB_OPTS_FLAG, FIELD(inspect), .help = "open the texture inspector at the start, key i"},
    {"color-by", 0, HB_OPTS_CHOICE, FIELD(view.color), "WHAT", "speed", .words.at = hb_coloring_name,
     .help = "speed, acc, energy, step (time step), age (of the step), mass, group, or bound (binaries and "
             "triples)"},
    {"groups", 0, HB_OPTS_COUNT, FIELD(view.groups), "K", "2",
     .help = "number of groups for --color-by group: equal parts of the particles, in their order"},
    {"plain", 0, HB_OPTS_FLAG, FIELD(view.plain), .help = "no glow around bright places, key e: faster"},
    {"trails", 0, HB_OPTS_FLAG, FIELD(view.show_trails), .help = "draw the paths of the particles"},
    {"rate", 0, HB_OPTS_POSITIVE, FIELD(view.rate), "R", "10", .help = "snapshots of a series per second"},
    {"speed", 0, HB_OPTS_POSITIVE, FIELD(view.speed_asked), "V",
     .help = "time units a second at which a simulation is shown (default: the model's own; of a file, by "
             "its dynamics)",
     .of = HB_DIMENSION_TIME},
    {"record", 0, HB_OPTS_TEXT, FIELD(record), "FILE",
     .help = "record a movie and quit: .mp4, .mkv, .webm, .gif or .apng by ffmpeg, or .png for a file per "
             "picture; the clock of the movie counts, however long it takes"},
    {"seconds", 0, HB_OPTS_POSITIVE, FIELD(seconds), "S", "10", .help = "length of --record"},
    {"fps", 0, HB_OPTS_COUNT, FIELD(view.fps), "F", "30", .most = 1000,
     .help = "pictures a second of a movie"},
    {"cycle", 0, HB_OPTS_DURATION, FIELD(view.cycle_s), "TIME",
     .help = "another model after this time, such as 20s; those that would be slow here are left out"},
    {"script", 0, HB_OPTS_TEXT, FIELD(script), "FILE",
     .help = "play the lines of FILE as if typed by a user, see below; - is standard input"},
    {0}};

/* By the units of a file; a model has none. */
static enum hb_status convert(const struct hb_opts *opts, const char *format)
{
  struct hb_opts own = *opts;
  const char *file = opts->operand_count > 0 ? opts->operands[0] : NULL;
  if (!file || hb_words_find(hb_models_words, file) >= 0)
    return hb_opts_convert(&own, NULL, &(struct hb_units){0}, 0);
  return hb_astro_convert_by_file(opts, file, format, 0);
}

static enum hb_status open_view(const struct hb_opts *opts, struct settings *s)
{
  struct hb_view *view = &s->view;
  const struct hb_run_settings *run = &view->source.settings;
  view->error = "";
  s->window.title = "Holmberg";
  s->window.debug = (run->sim.force.flags & HB_FORCE_GL_DEBUG) != 0;
  HB_TRY(hb_run_check_integrator(opts, run));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(hb_models_check(opts->operands[k]));
  HB_TRY(convert(opts, run->input_format));
  HB_TRY(hb_window_open(&s->window, &view->window));
  HB_TRY(hb_view_particles_open(view->window.context, &view->stars));
  HB_TRY(hb_view_source_open(opts, &view->source));
  if (!view->source.sim && view->color != HB_COLORING_SPEED && view->color != HB_COLORING_GROUP)
    return hb_fail(
        HB_ERR_USAGE,
        "option --color-by: a series of snapshots cannot be colored by %s (expected speed or group)",
        hb_coloring_name(view->color));
  view->show_hud = view->show_sliders = 1;
  view->measured.pairs_per_s = view->measured.pictures_per_s = view->measured.speed = NAN;
  view->style.adapt = 0.2; /* a close encounter does not make the picture blink */
  hb_camera_look(&view->window.camera, 0.5, 0.6, 0);
  HB_TRY(hb_view_detail_full(view));
  if (s->inspect) HB_TRY(hb_view_inspect(view));
  hb_view_say(view, "h: help, space: pause, i: textures");
  return hb_view_change_adopt(view);
}

static enum hb_status play(struct settings *s)
{
  if (s->script) return hb_view_script(&s->view, s->script);
  return s->record ? hb_view_loop_play(&s->view, s->seconds) : hb_view_loop(&s->view, INFINITY);
}

static enum hb_status look(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct hb_view *view = &s->view;
  enum hb_status status = open_view(opts, s);
  if (status == HB_OK && s->record) status = hb_view_keep_record(view, s->record);
  if (status == HB_OK) status = play(s);
  enum hb_status kept = hb_view_keep_close(view);
  hb_inspector_close(view->inspector);
  hb_view_source_close(&view->source);
  hb_view_picture_close(view);
  hb_window_close(&view->window);
  return status == HB_OK ? kept : status;
}

static void list_keys(FILE *out)
{
  fputs("\nkeys and mouse:\n", out);
  for (const struct hb_keys_row *row = hb_view_input_keys; row->name || row->key; row++)
    if (row->name) hb_opts_help_entry(row->name, row->help, "", "", out);
  hb_view_script_help(out);
}

enum { RUN = offsetof(struct settings, view.source.settings) };

const struct hb_opts_command hb_cmd_view = {
    .name = "view",
    .summary = "Watch a running simulation of a model or a snapshot, or play a series of snapshots.",
    .operand = "[MODEL | FILE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .groups = {{.options = options},
               {.options = hb_run_integrator_options, .at = RUN + offsetof(struct hb_run_settings, sim)},
               {.options = hb_run_accuracy_options, .at = RUN + offsetof(struct hb_run_settings, sim)},
               {.options = hb_run_block_options, .at = RUN + offsetof(struct hb_run_settings, sim)},
               {.options = hb_run_force_options, .at = RUN + offsetof(struct hb_run_settings, sim.force)},
               {.options = hb_run_walk_options, .at = RUN},
               {.options = hb_run_input_options, .at = RUN}},
    .settings_size = sizeof(struct settings),
    .more_help = list_keys,
    .example = "  holmberg view\n"
               "  holmberg view plummer -n 16384 --scheme tile --color-by acc\n"
               "  holmberg view demo1 --integrator leapfrog --trails\n"
               "  holmberg view end_*.h5\n",
    .work = look,
};
