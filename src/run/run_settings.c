#include "run/run_settings.h"

#include "base/log.h"
#include "console/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------- */

#define RUN(member) HB_SETTING_FIELD(struct hb_run_settings, member)

const struct hb_setting hb_run_limit_options[] = {
    {"matrix-limit", 0, HB_SETTING_COUNT, RUN(matrix_limit), "L",
     .help = "matrix2004: at most L x L pairs at a time, 2048 in 2004 (default: as many as fit)"},
    {0}};

const struct hb_setting hb_run_input_options[] = {{"input-format", 0, HB_SETTING_WORD, RUN(input_format), "F",
                                                   .words.at = hb_target_format, .use = HB_SETTING_SHOWS,
                                                   .help = "format of FILE (default: by extension)"},
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
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    if (!opts->typed[k] || !(option->use & (has_dt ? HB_SETTING_FOUND_STEP : HB_SETTING_GIVEN_STEP)))
      continue;
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

/* ---- notes of a snapshot ----------------------------------------------------------------------------- */

/* Reads the value from the note of that name, or, where it was typed, writes it there. */
static enum hb_status settle(struct hb_particles *particles, const char *name, const char *typed,
                             double *value)
{
  const char *note = hb_particles_note(particles, name);
  double number;
  if (!note) return HB_OK;
  if (typed) return hb_particles_set_note(particles, name, HB_SHORTEST(*value));
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
  double noted = NAN;
  if (!typed && hb_particles_eps(particles, &noted) != HB_OK)
    return hb_fail(HB_ERR_INPUT, "%s; --eps overrides it", hb_error());
  if (!isnan(noted)) *eps = noted, hb_log("eps = %g, from the snapshot", noted);
  return hb_particles_set_note(particles, "eps", HB_SHORTEST(*eps));
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
  if (sim->neighbors == HB_NEIGHBORS_AUTO && taken)
    sim->neighbors = taken->neighbors > 0 ? taken->neighbors : HB_NEIGHBORS_NONE;
  if (sim->neighbors == HB_NEIGHBORS_AUTO) sim->neighbors = hb_sim_default_neighbors(sim, particles);
  if (sim->first_step == HB_FIRST_STEP_AUTO)
    sim->first_step = taken ? taken->first_step : hb_sim_default_first_step(sim, particles);
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
