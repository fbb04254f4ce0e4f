/* holmberg run: integrates a snapshot. */
#include "cli/cmd.h"
#include "run/run.h"
#include "run/run_settings.h"
#include "sim/sim_settings.h"

static const struct hb_setting quiet[] = {
    {"quiet", 0, HB_SETTING_FLAG, HB_SETTING_FIELD(struct hb_run_settings, quiet),
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME, .help = "no table and no progress bar"},
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
    .groups = {{.options = hb_run_result_options},
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
               {.options = hb_run_rows_options},
               {.options = hb_sim_settings_energy, .at = SIM},
               {.options = hb_run_files_options},
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
