#include "run/run_settings.h"

#include "base/log.h"
#include "console/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------- */

static const char *integrator_name(size_t k)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  return k < count ? integrators[k].name : NULL;
}

static const char *scheme_name(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k == 0 ? "auto" : k <= count ? schemes[k - 1].name : NULL;
}

static const char *const neighbors_words[] = {"auto", "0", NULL};

#define SIM(member)   HB_OPTS_FIELD(struct hb_sim_params, member)
#define FORCE(member) HB_OPTS_FIELD(struct hb_force_params, member)
#define RUN(member)   HB_OPTS_FIELD(struct hb_run_settings, member)

const struct hb_opts_option hb_run_accuracy_options[] = {
    {"eta", 0, HB_OPTS_POSITIVE, SIM(eta), "NU", "0.01", .use = HB_OPTS_FOUND_STEP,
     .help = "accuracy parameter of the time step, nu in the paper"},
    {"eps", 0, HB_OPTS_NOT_NEGATIVE, SIM(force.eps), "EPS", "1/256",
     .help = "Plummer softening length, may be 0; an eps in a snapshot's header, as ic and run write it, "
             "replaces the default",
     .of = HB_DIMENSION_LENGTH},
    {0}};

const struct hb_opts_option hb_run_block_options[] = {
    {"dt-max", 0, HB_OPTS_POWER, SIM(dt_max), "DT", "1/8", .use = HB_OPTS_FOUND_STEP,
     .help = "largest time step, a power of two", .of = HB_DIMENSION_TIME},
    {"dt-min", 0, HB_OPTS_POWER, SIM(dt_min), "DT", .use = HB_OPTS_FOUND_STEP,
     .help = "smallest time step, a power of two (default: 2^-26, with eps 0 2^-40)",
     .of = HB_DIMENSION_TIME},
    {"first-step", 0, HB_OPTS_CHOICE, SIM(first_step), "EQ", "auto", .words.array = hb_first_step_names,
     .use = HB_OPTS_FOUND_STEP,
     .help =
         "the first step of hermite4: eq2, as the paper; eq9, the shorter of that and eq. 9 after a trial; "
         "auto: eq9 where eps is 0 or masses differ"},
    {"step-rounding", 0, HB_OPTS_CHOICE, SIM(rounding), "WAY", "down", .words.array = hb_rounding_names,
     .use = HB_OPTS_FOUND_STEP,
     .help = "how steps are rounded to powers of two: down, nearest (in the logarithm), up"},
    {0}};

const struct hb_opts_option hb_run_integrator_options[] = {
    {"transfer", 0, HB_OPTS_CHOICE, SIM(transfer), "WHAT", "all", .words.array = hb_transfer_names,
     .help =
         "what is sent to the device at each block step: all particles, or block, which needs --predict gpu"},
    {"predict", 0, HB_OPTS_CHOICE, SIM(predict), "WHERE", "host", .words.array = hb_place_names,
     .help = "where particles are predicted: host, or gpu (schemes bag and tile)"},
    {"correct", 0, HB_OPTS_CHOICE, SIM(correct), "WHERE", "host", .words.array = hb_place_names,
     .help = "where the block is corrected: host, or gpu, which needs --transfer block"},
    {"encounters", 0, HB_OPTS_CHOICE, SIM(encounters), "HOW", "auto", .words.array = hb_encounters_names,
     .help =
         "hermite4: how binaries and stars that meet are integrated: groups, together by a regularized "
         "method, with heavy stars in shorter steps and up to eight bodies alone as one group (needs block "
         "steps, --eps 0 and --correct host); none, by short steps; auto: groups where that is possible, but "
         "not with shaders of your own"},
    {"neighbors", 0, HB_OPTS_AUTO_COUNT, SIM(neighbors), "N", "auto", .least = HB_NEIGHBORS_LEAST,
     .most = HB_NEIGHBORS_MOST, .words.array = neighbors_words,
     .help =
         "hermite4: how many neighbors a particle has, whose forces are summed at each of its steps, those "
         "of all others at longer ones (Ahmad & Cohen 1973); 0: none, as in 2007; auto: 64 for gravity, "
         "from 1000 particles on, with block steps and all on the host"},
    {"eta-far", 0, HB_OPTS_POSITIVE, SIM(eta_far), "NU",
     .help = "with neighbors: the accuracy parameter of the steps of far forces (default: 0.75 eta)"},
    {"field", 0, HB_OPTS_TEXT, SIM(field), "WORDS",
     .help = "forces from outside: a sum of point:m=M, plummer:m=M,a=A, disc:m=M,a=A,b=B (Miyamoto & "
             "Nagai), log:v=V,r=R,q=Q, each with x=X,y=Y,z=Z where its middle is not the origin; frame:w=W: "
             "in coordinates that turn; hill:w=W,k=K,n=N: in such coordinates, and with a galaxy's tide "
             "(Hill's approximation); omega=W: the pattern speed of the Jacobi energy in --diag, where "
             "coordinates do not turn",
     .of = HB_OPTS_FIELD_WORDS},
    {"integrator", 0, HB_OPTS_WORD, SIM(integrator), "NAME", "hermite4", .words.at = integrator_name,
     .help = "how particles are moved, see below"},
    {"steps", 0, HB_OPTS_CHOICE, SIM(steps), "KIND", .words.array = hb_steps_names,
     .help = "hermite4: block, individual time steps (the default), or shared, the smallest of them for all"},
    {"dt", 0, HB_OPTS_POSITIVE, SIM(dt), "DT", .use = HB_OPTS_GIVEN_STEP,
     .help = "leapfrog: time step of all particles (default: from FILE's header; required without one)",
     .of = HB_DIMENSION_TIME},
    {"damping", 0, HB_OPTS_POSITIVE, SIM(damping), "D", .most = 1, .use = HB_OPTS_GIVEN_STEP,
     .help = "leapfrog: factor on the velocities at each step (default: from FILE's header, else 1)"},
    {0}};

const struct hb_opts_option hb_run_force_options[] = {
    {"scheme", 0, HB_OPTS_WORD, FORCE(scheme), "NAME", "auto", .words.at = scheme_name,
     .help = "how forces are computed, see below"},
    {"precision", 0, HB_OPTS_TEXT, FORCE(precision), "NAME",
     .help = "arithmetic of the forces, see below (default: the scheme's first)"},
    {"interaction", 0, HB_OPTS_TEXT, FORCE(interaction), "NAME",
     .help =
         "what particles do to each other, in place of gravity: a file like my.glsl that gives ax ay az phi "
         "and, for hermite4, jx jy jz; schemes bag, tile, matrix2004, see 'holmberg pairs --help'"},
    {"parameter", 0, HB_OPTS_TEXT, FORCE(parameters), "K=V,...",
     .help = "parameters of the interaction (default: the values in its file; eps2 is --eps squared)"},
    {0}};

const struct hb_opts_option hb_run_walk_options[] = {
    {"tuning", 0, HB_OPTS_TEXT, RUN(sim.force.tuning), "WORDS",
     .help =
         "how an all-pairs scheme sums, like \"i_each=4 unroll=8\", and which blocks hybrid leaves to the "
         "host, like \"host_below=128\" (default: as measured)"},
    {"matrix-limit", 0, HB_OPTS_COUNT, RUN(matrix_limit), "L",
     .help = "matrix2004: at most L x L pairs at a time, 2048 in 2004 (default: as many as fit)"},
    {"no-tune", 0, HB_OPTS_FLAG, RUN(sim.force.flags), .bit = HB_FORCE_NO_TUNE,
     .help = "use safe defaults instead of measured tuning"},
    {"max-draw-ms", 0, HB_OPTS_POSITIVE, RUN(sim.force.max_draw_s), "MS", "50", .unit = 1e-3,
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "longest draw of an all-pairs scheme; changes no result"},
    {"cg2007-rect", 0, HB_OPTS_FLAG, RUN(sim.force.flags), .bit = HB_FORCE_CG2007_RECT,
     .help = "cg2007: rectangle textures and RGB32F targets, as in 2007"},
    {"gl-debug", 0, HB_OPTS_FLAG, RUN(sim.force.flags), .bit = HB_FORCE_GL_DEBUG,
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME, .help = "treat the driver's debug messages as faults"},
    {0}};

const struct hb_opts_option hb_run_result_options[] = {
    {"output", 'o', HB_OPTS_TEXT, RUN(output), "FILE", .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "write the final state; - is standard output, without the table (default: none)"},
    {"t-end", 0, HB_OPTS_NUMBER, RUN(t_end), "T", "1", .use = HB_OPTS_ON_RESUME,
     .help = "end time; all particles are corrected at multiples of dt-max, in between they are predicted",
     .of = HB_DIMENSION_TIME},
    {0}};

const struct hb_opts_option hb_run_watch_options[] = {
    {"diag", 0, HB_OPTS_TEXT, RUN(diag), "FILE", .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "write all diagnostics, one row per row of the table, as .csv or .jsonl; see 'holmberg plot'"},
    {"events", 0, HB_OPTS_TEXT, RUN(events), "FILE", .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "write what happens, with time, members and their orbit, as .csv or .jsonl: hard binaries that "
             "form, harden, exchange a star and break (as found at multiples of 2 dt-max), collisions, "
             "escapers, and with eps 0 the encounters of unbound stars"},
    {"diag-every", 0, HB_OPTS_POSITIVE, RUN(diag_every), "DT", .use = HB_OPTS_SHOWS,
     .help = "a row of the table at every multiple of DT (default: dt-max)", .of = HB_DIMENSION_TIME},
    {"units", 0, HB_OPTS_CHOICE, RUN(units), "UNITS", "nbody", .words.array = hb_astro_names,
     .use = HB_OPTS_SHOWS,
     .help =
         "units of rows, of what --diag writes, and of times and lengths given here: nbody, or astro (Myr, "
         "pc, km/s, solar masses) if FILE has units; dt-max and dt-min become the next power of two "
         "below"},
    {"exact-energy", 0, HB_OPTS_CHOICE, RUN(sim.exact_energy), "WHEN", "auto",
     .words.array = hb_exact_energy_names, .use = HB_OPTS_SHOWS,
     .help = "sum energies in double besides those of the scheme, N^2 work per row: auto (up to "
             "N = 32768), yes, no"},
    {"snap-every", 0, HB_OPTS_POSITIVE, RUN(snap_every), "DT", .use = HB_OPTS_SHOWS,
     .help = "write a snapshot at every multiple of DT: end_0001.h5, ... for -o end.h5 (default: none)",
     .of = HB_DIMENSION_TIME},
    {"max-energy-error", 0, HB_OPTS_BOUND, RUN(max_energy_error), "X",
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help =
         "stop with exit code 7 when |dE/E| exceeds X, where dE is over |E| of the cluster at the start, or "
         "its kinetic energy if larger, with binaries as points and without the field; none: no bound "
         "(default: none for leapfrog; for hermite4 1e-2, and 1e-3 at the end)"},
    {"checkpoint", 0, HB_OPTS_TEXT, RUN(checkpoint), "FILE", .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "write checkpoints to FILE, keeping the previous one as FILE~ (default: none; with "
             "--resume, that file)"},
    {"checkpoint-every", 0, HB_OPTS_DURATION, RUN(checkpoint_every_s), "TIME", "10min",
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "wall time between checkpoints, like 30s, 10min or 2h"},
    {"resume", 0, HB_OPTS_TEXT, RUN(resume), "FILE", .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "continue from a checkpoint, with the options of its run; no others are needed"},
    {"max-hours", 0, HB_OPTS_POSITIVE, RUN(max_s), "H", .unit = 3600,
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "write a checkpoint and stop with exit code 75 after H hours (default: no limit)"},
    {"format", 0, HB_OPTS_WORD, RUN(format), "F", .words.at = hb_target_format,
     .use = HB_OPTS_SHOWS | HB_OPTS_ON_RESUME,
     .help = "format of the snapshots written (default: by extension)"},
    {0}};

const struct hb_opts_option hb_run_bodies_options[] = {
    {"collisions", 0, HB_OPTS_CHOICE, RUN(sim.collisions), "HOW", "none", .words.array = hb_collisions_names,
     .help =
         "hermite4: what to do when bodies touch, by FILE's radii (see 'holmberg ic --radius'): none does "
         "not look for them; stop ends the run; merge makes one body, which keeps mass, momentum and volume; "
         "the lost energy is counted in dE/E"},
    {"escapers", 0, HB_OPTS_CHOICE, RUN(sim.escapers), "HOW", "none", .words.array = hb_escapers_names,
     .help = "hermite4: what to do with unbound particles far out, at multiples of dt-max: none; list, as "
             "events; remove, with their energy counted in dE/E"},
    {"escape-radius", 0, HB_OPTS_POSITIVE, RUN(sim.escape_radius), "R",
     .help = "how far out that is, from the density center, such as twice the tidal radius (default: 20 "
             "half-mass radii)",
     .of = HB_DIMENSION_LENGTH},
    {"stop-at", 0, HB_OPTS_CHOICE, RUN(sim.stop_at), "EVENT", "none", .words.array = hb_stop_at_names,
     .help = "end the run at the first collision, pair (a binary that forms, or with eps 0 two stars that "
             "meet) or "
             "escape"},
    {0}};

const struct hb_opts_option hb_run_input_options[] = {
    {"input-format", 0, HB_OPTS_WORD, RUN(input_format), "F", .words.at = hb_target_format,
     .use = HB_OPTS_SHOWS, .help = "format of FILE (default: by extension)"},
    {0}};

/* ---- checks ------------------------------------------------------------------------------------------ */

int hb_run_has_dt(const struct hb_run_settings *s) { return hb_integrator_named(s->sim.integrator)->has_dt; }

static const char *integrator_with_dt(void)
{
  size_t count, k = 0;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  while (k < count - 1 && !integrators[k].has_dt) k++;
  return integrators[k].name;
}

enum hb_status hb_run_check_integrator(const struct hb_opts *opts, const struct hb_run_settings *s)
{
  int has_dt = hb_run_has_dt(s);
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    if (!opts->typed[k] || !(option->use & (has_dt ? HB_OPTS_FOUND_STEP : HB_OPTS_GIVEN_STEP))) continue;
    if (has_dt)
      return hb_fail(HB_ERR_USAGE, "option --%s: integrator %s has one constant step, see --dt", option->name,
                     s->sim.integrator);
    return hb_fail(HB_ERR_USAGE, "option --%s needs --integrator %s, not %s", option->name,
                   integrator_with_dt(), s->sim.integrator);
  }
  if (has_dt && hb_opts_typed(opts, &s->sim.steps) && s->sim.steps == HB_STEPS_BLOCK)
    return hb_fail(HB_ERR_USAGE, "option --steps: the particles of integrator %s share their step",
                   s->sim.integrator);
  return HB_OK;
}

enum hb_status hb_run_check_output(const struct hb_run_settings *s)
{
  if (!s->output && s->snap_every > 0)
    return hb_fail(HB_ERR_USAGE, "option --snap-every needs -o FILE to name its snapshots");
  if (s->diag && s->events && strcmp(s->diag, s->events) == 0)
    return hb_fail(HB_ERR_USAGE, "options --diag and --events both name %s", s->diag);
  if (!s->output) return HB_OK;
  int to_stdout = strcmp(s->output, "-") == 0;
  if (to_stdout && s->snap_every > 0)
    return hb_fail(HB_ERR_USAGE, "option --snap-every cannot write a series to standard output");
  if (to_stdout && s->json)
    return hb_fail(HB_ERR_USAGE, "options --json and -o - cannot share standard output");
  return hb_target_check(s->output, s->format);
}

/* ---- notes of a snapshot ----------------------------------------------------------------------------- */

/* Reads the value from the note of that name, or, where it was typed, writes it there. */
static enum hb_status settle(struct hb_particles *particles, const char *name, const char *typed,
                             double *value)
{
  const char *note = hb_particles_note(particles, name);
  double number;
  char text[32];
  if (!note) return HB_OK;
  if (typed) {
    hb_text_shortest(*value, text);
    return hb_particles_set_note(particles, name, text);
  }
  if (hb_text_number(note, &number) != HB_OK || number <= 0)
    return hb_fail(HB_ERR_INPUT, "the snapshot gives %s = '%s', which is out of range; --%s overrides it",
                   name, note, name);
  *value = number;
  hb_log("%s = %g, from the snapshot", name, number);
  return HB_OK;
}

/* eps: what was typed, or that of the snapshot, or the default. */
static enum hb_status settle_eps(const char *typed, double *eps, struct hb_particles *particles)
{
  double noted;
  char text[32], sentence[256];
  if (!typed) {
    if (hb_particles_eps(particles, &noted) != HB_OK) {
      snprintf(sentence, sizeof sentence, "%s", hb_error());
      return hb_fail(HB_ERR_INPUT, "%s; --eps overrides it", sentence);
    }
    if (!isnan(noted)) *eps = noted, hb_log("eps = %g, from the snapshot", noted);
  }
  hb_text_shortest(*eps, text);
  return hb_particles_set_note(particles, "eps", text);
}

enum hb_status hb_run_take_notes(const struct hb_opts *opts, struct hb_run_settings *s,
                                 const struct hb_sim *began, struct hb_particles *particles)
{
  struct hb_sim_params *sim = &s->sim;
  const struct hb_sim_params *taken = began ? hb_sim_taken(began) : NULL;
  if (taken)
    sim->force.eps = taken->force.eps;
  else
    HB_TRY(settle_eps(hb_opts_typed(opts, &sim->force.eps), &sim->force.eps, particles));
  if (!hb_opts_typed(opts, &sim->dt_min))
    sim->dt_min = taken ? taken->dt_min : hb_sim_default_dt_min(sim->force.eps);
  if (sim->encounters == HB_ENCOUNTERS_AUTO) sim->encounters = hb_sim_default_encounters(sim);
  if (sim->first_step == HB_FIRST_STEP_AUTO)
    sim->first_step = taken ? taken->first_step : hb_sim_default_first_step(sim, particles);
  if (sim->neighbors == HB_NEIGHBORS_AUTO && taken)
    sim->neighbors = taken->neighbors > 0 ? taken->neighbors : HB_NEIGHBORS_NONE;
  if (sim->neighbors == HB_NEIGHBORS_AUTO) sim->neighbors = hb_sim_default_neighbors(sim, particles);
  if (!hb_run_has_dt(s)) return HB_OK;
  HB_TRY(settle(particles, "dt", hb_opts_typed(opts, &sim->dt), &sim->dt));
  HB_TRY(settle(particles, "damping", hb_opts_typed(opts, &sim->damping), &sim->damping));
  if (sim->dt > 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "integrator %s needs --dt DT, since the snapshot gives no dt",
                 sim->integrator);
}

/* --tuning and --matrix-limit as one list of words; empty if neither was given. */
static enum hb_status join_tuning(const struct hb_run_settings *s, struct hb_text *words)
{
  if (s->sim.force.tuning) HB_TRY(hb_text_append(words, "%s ", s->sim.force.tuning));
  if (s->matrix_limit == 0) return HB_OK;
  return hb_text_append(words, "limit=%llu", (unsigned long long)s->matrix_limit);
}

enum hb_status hb_run_params(const struct hb_run_settings *s, struct hb_text *tuning,
                             struct hb_sim_params *params)
{
  HB_TRY(join_tuning(s, tuning));
  *params = s->sim;
  params->force.tuning = tuning->text;
  if (!params->force.device) params->force.device = getenv("HB_DEVICE"); /* checkpoints record it */
  if (s->diag) params->force.flags |= HB_FORCE_PHASES;
  return HB_OK;
}
