/* holmberg run: integrates a snapshot. */
#include "cli/cmd.h"
#include "console/target.h"
#include "run/run.h"
#include "run/run_settings.h"
#include "sim/sim_settings.h"

#define RUN(member) HB_SETTING_FIELD(struct hb_run_settings, member)

static const struct hb_setting result_options[] = {
    {"output", 'o', HB_SETTING_TEXT, RUN(output), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write the final state; - is standard output, without the table (default: none)"},
    {"t-end", 0, HB_SETTING_NUMBER, RUN(t_end), "T", "1", .use = HB_SETTING_ON_RESUME,
     .help = "end time; all particles are corrected at multiples of dt-max, in between they are predicted",
     .of = HB_DIMENSION_TIME},
    {0}};

static const struct hb_setting rows_options[] = {
    {"diag", 0, HB_SETTING_TEXT, RUN(diag), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write all diagnostics, one row per row of the table, as .csv or .jsonl; see 'holmberg plot'"},
    {"events", 0, HB_SETTING_TEXT, RUN(events), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write what happens, with time, members and their orbit, as .csv or .jsonl: hard binaries that "
             "form, harden, exchange a star and break (as found at multiples of 2 dt-max), collisions, "
             "escapers, and with eps 0 the encounters of unbound stars"},
    {"follow", 0, HB_SETTING_TEXT, RUN(follow), "ID[,ID...]", .use = HB_SETTING_SHOWS | HB_SETTING_FOUND_STEP,
     .help = "write each step of these particles, in N-body units: where it ended, the pull there, how long "
             "the next one is, and with neighbors the far step and both parts of the pull; a binary or "
             "group has one row, that of its center of mass"},
    {"follow-out", 0, HB_SETTING_TEXT, RUN(follow_out), "FILE",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "where @follow writes, .csv or .jsonl (default: follow.csv); see 'holmberg plot'"},
    {"diag-every", 0, HB_SETTING_POSITIVE, RUN(diag_every), "DT", .use = HB_SETTING_SHOWS,
     .help = "a row of the table at every multiple of DT (default: dt-max)", .of = HB_DIMENSION_TIME},
    {"units", 0, HB_SETTING_CHOICE, RUN(units), "UNITS", "nbody", .words.array = hb_astro_names,
     .use = HB_SETTING_SHOWS,
     .help =
         "units of rows, of what --diag writes, and of times and lengths given here: nbody, or astro (Myr, "
         "pc, km/s, solar masses) if FILE has units; dt-max and dt-min become the next power of two "
         "below"},
    {0}};

static const struct hb_setting files_options[] = {
    {"snap-every", 0, HB_SETTING_POSITIVE, RUN(snap_every), "DT", .use = HB_SETTING_SHOWS,
     .help = "write a snapshot at every multiple of DT: end_0001.h5, ... for -o end.h5 (default: none)",
     .of = HB_DIMENSION_TIME},
    {"max-energy-error", 0, HB_SETTING_BOUND, RUN(max_energy_error), "X",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help =
         "stop with exit code 7 when |dE/E| exceeds X, where dE is over |E| of the cluster at the start, or "
         "its kinetic energy if larger, with binaries as points and without the field; none: no bound "
         "(default: none for leapfrog; for hermite4 1e-2, and 1e-3 at the end)"},
    {"checkpoint", 0, HB_SETTING_TEXT, RUN(checkpoint), "FILE",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write checkpoints to FILE, keeping the previous one as FILE~ (default: none; with "
             "--resume, that file)"},
    {"checkpoint-every", 0, HB_SETTING_DURATION, RUN(checkpoint_every_s), "TIME", "10min",
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "wall time between checkpoints, like 30s, 10min or 2h"},
    {"resume", 0, HB_SETTING_TEXT, RUN(resume), "FILE", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "continue from a checkpoint, with the options of its run; no others are needed"},
    {"max-hours", 0, HB_SETTING_POSITIVE, RUN(max_s), "H", .unit = 3600,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "write a checkpoint and stop with exit code 75 after H hours (default: no limit)"},
    {"watch", 0, HB_SETTING_WHOLE, RUN(watch), "[PORT]", .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .most = 65535,
     .help = "serve the page of `make web` and the run's state to browsers of this machine, under an address "
             "that is "
             "printed; from elsewhere: ssh -L PORT:127.0.0.1:PORT (default of PORT: any that is free)"},
    {"format", 0, HB_SETTING_WORD, RUN(format), "F", .words.at = hb_target_format,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "format of the snapshots written (default: by extension)"},
    {0}};

static const struct hb_setting quiet[] = {{"quiet", 0, HB_SETTING_FLAG, RUN(quiet),
                                           .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
                                           .help = "no table and no progress bar"},
                                          {0}};

static void list_schemes(const struct hb_help *help)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  help->heading("integrators", help->out);
  for (size_t k = 0; k < count; k++)
    hb_help_entry(help, integrators[k].name, "%s (%s)", integrators[k].summary, integrators[k].source);
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  help->heading("schemes", help->out);
  help->entry("auto", hb_force_auto_summary(), help->out);
  for (size_t k = 0; k < count; k++)
    hb_help_entry(help, schemes[k].name, "%s (%s); precision: %s", schemes[k].summary, schemes[k].source,
                  schemes[k].precisions);
}

enum { SIM = offsetof(struct hb_run_settings, sim), FORCE = offsetof(struct hb_run_settings, sim.force) };

const struct hb_opts_command hb_cmd_run = {
    .name = "run",
    .summary = "Integrate a snapshot and print its diagnostics.",
    .operand = "FILE",
    .operand_min = 0, /* run.c asks for it without --resume */
    .operand_max = 1,
    .groups = {{.options = result_options},
               {.options = hb_sim_settings_accuracy, .at = SIM},
               {.options = hb_sim_settings_block, .at = SIM},
               {.options = hb_sim_settings_integrator, .at = SIM},
               {.options = hb_sim_settings_bodies, .at = SIM},
               {.options = hb_sim_settings_stars, .at = SIM},
               {.options = hb_sim_settings_force, .at = SIM},
               {.options = hb_opts_place, .at = FORCE},
               {.options = hb_sim_settings_tuning, .at = SIM},
               {.options = hb_run_limit_options},
               {.options = hb_sim_settings_draws, .at = SIM},
               {.options = rows_options},
               {.options = hb_sim_settings_energy, .at = SIM},
               {.options = files_options},
               {.options = hb_run_input_options},
               {.options = hb_opts_json, .at = offsetof(struct hb_run_settings, json)},
               {.options = quiet}},
    .settings_size = sizeof(struct hb_run_settings),
    .more_help = list_schemes,
    .by_ranks = 1,
    .example = "  holmberg run cluster.h5 --t-end 0.5 --eps 1/256 --snap-every 0.25 -o end.h5\n"
               "  holmberg run cluster.h5 --scheme cg2007 --context osmesa --json\n"
               "  holmberg run demo1.h5 --integrator leapfrog --t-end 1.6\n"
               "  holmberg run cluster.h5 --t-end 100 --checkpoint run.ckpt -o end.h5 >>rows.txt\n"
               "  holmberg run --resume run.ckpt >>rows.txt\n",
    .work = hb_run_file,
};
