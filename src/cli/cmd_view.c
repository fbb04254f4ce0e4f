/* holmberg view: a window onto a running simulation, or onto snapshots. */
#include "cli/cmd.h"
#include "console/target.h"
#include "sim/sim_settings.h"
#include "viewer/view.h"

#include <math.h>
#include <stdio.h>

#define FIELD(member) HB_SETTING_FIELD(struct hb_view_settings, member)
static const struct hb_setting options[] = {
    {"n", 'n', HB_SETTING_COUNT, FIELD(n), "N",
     .help = "number of particles of a model (default: the model's own)"},
    {"seed", 0, HB_SETTING_WHOLE, FIELD(seed), "S", "0", .help = "seed of a model"},
    {"size", 0, HB_SETTING_PIXELS, FIELD(width), "WxH", "1280x720", .least = 64, .most = 16384,
     .help = "size of the window, in the units of the window system"},
    {"scale", 0, HB_SETTING_POSITIVE, FIELD(scale), "X",
     .help = "scale of the text, 2 for high-resolution screens (default: as set for the screen)"},
    {"paused", 0, HB_SETTING_FLAG, FIELD(paused), .help = "start paused"},
    {"inspect", 0, HB_SETTING_FLAG, FIELD(inspect), .help = "open the texture inspector at the start, key i"},
    {"color-by", 0, HB_SETTING_CHOICE, FIELD(color), "WHAT", "speed", .words.at = hb_coloring_name,
     .help = "speed, acc, energy, step (time step), age (of the step), mass, group, or bound (binaries and "
             "triples)"},
    {"groups", 0, HB_SETTING_COUNT, FIELD(groups), "K", "2",
     .help = "number of groups for --color-by group: equal parts of the particles, in their order"},
    {"plain", 0, HB_SETTING_FLAG, FIELD(plain), .help = "no glow around bright places, key e: faster"},
    {"race", 0, HB_SETTING_TEXT, FIELD(race), "SCHEMES",
     .help = "two to four schemes side by side from the same state, such as cg2007,bag,host, and the printed "
             "seconds of "
             "2007; key z"},
    {"trails", 0, HB_SETTING_FLAG, FIELD(trails), .help = "draw the paths of the particles"},
    {"rate", 0, HB_SETTING_POSITIVE, FIELD(rate), "R", "10", .help = "snapshots of a series per second"},
    {"speed", 0, HB_SETTING_POSITIVE, FIELD(speed), "V",
     .help = "time units a second at which a simulation is shown (default: the model's own; of a file, by "
             "its dynamics)",
     .of = HB_DIMENSION_TIME},
    {"record", 0, HB_SETTING_TEXT, FIELD(record), "FILE",
     .help = "record a movie and quit: .mp4, .mkv, .webm, .gif or .apng by ffmpeg, or .png for a file per "
             "picture; the clock of the movie counts, however long it takes"},
    {"seconds", 0, HB_SETTING_POSITIVE, FIELD(seconds), "S", "10", .help = "length of --record"},
    {"fps", 0, HB_SETTING_COUNT, FIELD(fps), "F", "30", .most = 1000, .help = "pictures a second of a movie"},
    {"cycle", 0, HB_SETTING_DURATION, FIELD(cycle_s), "TIME",
     .help = "another model after this time, such as 20s; those that would be slow here are left out"},
    {"script", 0, HB_SETTING_TEXT, FIELD(script), "FILE",
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

static enum hb_status check_race(const char *schemes)
{
  char list[256];
  const char *names[HB_RACERS];
  int count;
  if (!schemes) return HB_OK;
  snprintf(list, sizeof list, "%s", schemes);
  return hb_race_names(list, names, &count);
}

static enum hb_status check(const struct hb_opts *opts, const struct hb_run_settings *run)
{
  HB_TRY(hb_run_check_integrator(opts, run));
  HB_TRY(check_race(((const struct hb_view_settings *)opts->settings)->race));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(hb_models_check(opts->operands[k]));
  return convert(opts, run->input_format);
}

static enum hb_status play(const struct hb_view_settings *s, struct hb_view *view)
{
  if (s->record) HB_TRY(hb_view_record(view, s->record));
  if (s->script) return hb_view_script(view, s->script);
  return s->record ? hb_view_play(view, s->seconds) : hb_view_run(view, INFINITY);
}

static enum hb_status look(const struct hb_opts *opts)
{
  const struct hb_view_settings *s = opts->settings;
  struct hb_view *view = NULL;
  HB_TRY(check(opts, &s->run));
  enum hb_status status = hb_view_open(opts, &view);
  if (status == HB_OK) status = play(s, view);
  return hb_view_close(view, status);
}

enum { RUN = offsetof(struct hb_view_settings, run), SIM = offsetof(struct hb_view_settings, run.sim) };

const struct hb_opts_command hb_cmd_view = {
    .name = "view",
    .summary = "Watch a running simulation of a model or a snapshot, or play a series of snapshots.",
    .operand = "[MODEL | FILE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .groups = {{.options = options},
               {.options = hb_sim_settings_integrator, .at = SIM},
               {.options = hb_sim_settings_accuracy, .at = SIM},
               {.options = hb_sim_settings_block, .at = SIM},
               {.options = hb_sim_settings_force, .at = SIM},
               {.options = hb_sim_settings_tuning, .at = SIM},
               {.options = hb_run_limit_options, .at = RUN},
               {.options = hb_sim_settings_draws, .at = SIM},
               {.options = hb_run_input_options, .at = RUN}},
    .settings_size = sizeof(struct hb_view_settings),
    .more_help = hb_view_help,
    .example = "  holmberg view\n"
               "  holmberg view plummer -n 16384 --scheme tile --color-by acc\n"
               "  holmberg view demo1 --integrator leapfrog --trails\n"
               "  holmberg view end_*.h5\n",
    .work = look,
};
