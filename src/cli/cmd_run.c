/* holmberg run: integrates a snapshot. */
#include "cli/cmd.h"
#include "run/run.h"
#include "console/target.h"

const char *hb_run_rounding(size_t k)
{
  static const char *const words[] = {[HB_ROUND_DOWN] = "down",
                                      [HB_ROUND_NEAREST] = "nearest",
                                      [HB_ROUND_UP] = "up",
                                      [HB_ROUND_UP + 1] = NULL};
  return words[k];
}

const char *hb_run_exact_energy(size_t k)
{
  static const char *const words[] = {[HB_EXACT_ENERGY_AUTO] = "auto",
                                      [HB_EXACT_ENERGY_YES] = "yes",
                                      [HB_EXACT_ENERGY_NO] = "no",
                                      [HB_EXACT_ENERGY_NO + 1] = NULL};
  return words[k];
}

const char *hb_run_steps(size_t k)
{
  static const char *const words[] = {
      [HB_STEPS_BLOCK] = "block", [HB_STEPS_SHARED] = "shared", [HB_STEPS_SHARED + 1] = NULL};
  return words[k];
}

static const char *integrator_choice(size_t k)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  return k < count ? integrators[k].name : NULL;
}

static const char *scheme_choice(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k == 0 ? "auto" : k <= count ? schemes[k - 1].name : NULL;
}

static const char *context_choice(size_t k)
{
  static const char *const words[] = {"auto", "egl", "osmesa", "glfw", NULL};
  return words[k];
}

static const char *transfer_choice(size_t k)
{
  static const char *const words[] = {[HB_TRANSFER_ALL] = "all", [HB_TRANSFER_BLOCK] = "block", NULL};
  return words[k];
}

static const char *place_choice(size_t k)
{
  static const char *const words[] = {[HB_PLACE_HOST] = "host", [HB_PLACE_GPU] = "gpu", NULL};
  return words[k];
}

const struct hb_opts_option hb_run_options[RUN_COUNT] = {
    [RUN_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                    "write the final state; - is standard output, without the table (default: not written)"},
    [RUN_T_END] =
        {"t-end", 0, HB_OPTS_NUMBER, HB_OPTS_SHAPES_RESULT, "T", "1", NULL,
         "time to end at; at multiples of dt-max every particle is corrected, in between predicted"},
    [RUN_ETA] = {"eta", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "NU", "0.01", NULL,
                 "accuracy of the time step, nu of the paper"},
    [RUN_EPS] =
        {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "1/256", NULL,
         "Plummer softening, 0 is allowed; a note eps of FILE, as ic demo1 writes, goes before the default"},
    [RUN_DT_MAX] = {"dt-max", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", "1/8", NULL,
                    "largest time step, a power of two"},
    [RUN_DT_MIN] = {"dt-min", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", NULL, NULL,
                    "smallest time step, a power of two (default: 2^-26, with eps 0 2^-40)"},
    [RUN_ROUNDING] = {"step-rounding", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WAY", "down",
                      hb_run_rounding,
                      "how a step becomes a power of two: down, nearest (in its logarithm), up"},
    [RUN_INTEGRATOR] = {"integrator", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", "hermite4",
                        integrator_choice, "how particles move, see below"},
    [RUN_STEPS] = {"steps", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "KIND", NULL, hb_run_steps,
                   "hermite4: block, each particle its own step (the default), or shared, all the smallest"},
    [RUN_DT] = {"dt", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "DT", NULL, NULL,
                "leapfrog: time step of all particles (default: as FILE notes it, else it must be given)"},
    [RUN_DAMPING] =
        {"damping", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
         "leapfrog: velocities are multiplied by it each step (default: as FILE notes it, else 1)"},
    [RUN_TRANSFER] =
        {"transfer", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WHAT", "all", transfer_choice,
         "what travels to the device at each block step: all particles, or block, which needs --predict gpu"},
    [RUN_PREDICT] = {"predict", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WHERE", "host", place_choice,
                     "where all particles are predicted: host or gpu (bag, tile)"},
    [RUN_CORRECT] = {"correct", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WHERE", "host", place_choice,
                     "where the block is corrected: host, or gpu, which needs --transfer block"},
    [RUN_SCHEME] = {"scheme", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", "auto", scheme_choice,
                    "source of the forces, see below"},
    [RUN_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "NAME", NULL, NULL,
                       "arithmetic of the forces, see below (default: the scheme's first)"},
    [RUN_CONTEXT] = {"context", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", NULL, context_choice,
                     "way to OpenGL: auto, egl, osmesa, glfw (default: HB_CONTEXT, else auto)"},
    [RUN_DEVICE] =
        {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "DEVICE", NULL, NULL,
         "INDEX, /dev/dri/... or software, see 'holmberg info' (default: HB_DEVICE, else the first)"},
    [RUN_TUNING] =
        {"tuning", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WORDS", NULL, NULL,
         "how an all-pairs scheme walks, like \"i_each=4 unroll=8\", and what hybrid leaves to the host, "
         "like \"host_below=128\" (default: as measured)"},
    [RUN_MATRIX_LIMIT] = {"matrix-limit", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "L", NULL, NULL,
                          "matrix2004: at most L x L pairs at a time, 2048 in 2004 (default: as it fits)"},
    [RUN_NO_TUNE] = {"no-tune", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "safe defaults in place of what was or would be measured on this device"},
    [RUN_MAX_DRAW_MS] = {"max-draw-ms", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "MS", "50", NULL,
                         "no draw of an all-pairs scheme takes longer; changes no result"},
    [RUN_CG2007_RECT] = {"cg2007-rect", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                         "cg2007 with rectangle textures and RGB32F targets, as in 2007"},
    [RUN_GL_DEBUG] = {"gl-debug", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                      "take the driver's debug messages as faults"},
    [RUN_DIAG] =
        {"diag", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
         "every diagnostic there is, a row for each of the table's, as .csv or .jsonl; see 'holmberg plot'"},
    [RUN_DIAG_EVERY] = {"diag-every", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "DT", NULL, NULL,
                        "a row of diagnostics at every multiple of DT (default: dt-max)"},
    [RUN_EXACT_ENERGY] =
        {"exact-energy", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "WHEN", "auto", hb_run_exact_energy,
         "potentials of the table in double beside those of the scheme, N^2 work a row: auto (up to "
         "N = 32768), yes, no"},
    [RUN_SNAP_EVERY] = {"snap-every", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "DT", NULL, NULL,
                        "a snapshot at every multiple of DT: end_0001.h5, ... for -o end.h5 (default: none)"},
    [RUN_MAX_ENERGY_ERROR] =
        {"max-energy-error", 0, HB_OPTS_BOUND, HB_OPTS_SHOWS_RESULT, "X", NULL, NULL,
         "stop with exit code 7 when |dE/E| exceeds X; none: no bound (default: leapfrog none, hermite4 1e-2 "
         "of the larger of |E| and the kinetic energy at the start, and at the end 1e-3)"},
    [RUN_CHECKPOINT] = {"checkpoint", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                        "keep in FILE what the run goes on from, in FILE~ the one before (default: nothing; "
                        "with --resume: where that is)"},
    [RUN_CHECKPOINT_EVERY] = {"checkpoint-every", 0, HB_OPTS_DURATION, HB_OPTS_SHOWS_RESULT, "TIME", "10min",
                              NULL, "wall time between checkpoints, like 30s, 10min or 2h"},
    [RUN_RESUME] = {"resume", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                    "go on from a checkpoint, with the options of its run; no other is needed"},
    [RUN_MAX_HOURS] = {"max-hours", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "H", NULL, NULL,
                       "after H hours write a checkpoint and stop with exit code 75 (default: no limit)"},
    [RUN_FORMAT] = {"format", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "F", NULL, hb_target_format,
                    "format of what is written (default: by the extension)"},
    [RUN_INPUT_FORMAT] = {"input-format", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "F", NULL,
                          hb_target_format, "format of FILE (default: by the extension)"},
    [RUN_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                  "one line of JSON for each row"},
    [RUN_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                   "no table and no progress bar"},
};

static enum hb_status run_file(const struct hb_opts *opts)
{
  struct hb_run run;
  enum hb_status status = hb_run_open(opts, &run);
  if (status == HB_OK) status = hb_run_integrate(&run);
  hb_run_close(&run);
  return status;
}

static void list_integrators(FILE *out)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  fputs("\nintegrators:\n", out);
  for (size_t k = 0; k < count; k++)
    hb_opts_help_entry(integrators[k].name, integrators[k].summary, integrators[k].source, "", out);
}

static void list_schemes(FILE *out)
{
  list_integrators(out);
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  fputs("\nschemes:\n", out);
  hb_opts_help_entry("auto", hb_force_auto_summary(), "", "", out);
  for (size_t k = 0; k < count; k++) {
    char behind[128];
    snprintf(behind, sizeof behind, "; precision: %s", schemes[k].precisions);
    hb_opts_help_entry(schemes[k].name, schemes[k].summary, schemes[k].source, behind, out);
  }
}

const struct hb_opts_command hb_cmd_run = {
    .name = "run",
    .summary = "Integrate a snapshot and print its diagnostics.",
    .operand = "FILE",
    .operand_min = 0, /* run_open.c asks for it where there is no --resume */
    .operand_max = 1,
    .options = hb_run_options,
    .option_count = RUN_COUNT,
    .more_help = list_schemes,
    .example = "  holmberg run cluster.h5 --t-end 0.5 --eps 1/256 --snap-every 0.25 -o end.h5\n"
               "  holmberg run cluster.h5 --scheme cg2007 --context osmesa --json\n"
               "  holmberg run demo1.h5 --integrator leapfrog --t-end 1.6\n"
               "  holmberg run cluster.h5 --t-end 100 --checkpoint run.ckpt -o end.h5 >>rows.txt\n"
               "  holmberg run --resume run.ckpt >>rows.txt\n",
    .work = run_file,
};
