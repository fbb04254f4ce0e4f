/* What the integrator takes, from the command line or from the notes that a snapshot carries. */
#include "run/run.h"

#include "base/log.h"

#include <string.h>

static int is_leapfrog(const struct hb_opts_value *values)
{
  return strcmp(values[RUN_INTEGRATOR].text, "leapfrog") == 0;
}

enum hb_status hb_run_check_integrator(const struct hb_opts_value *values)
{
  static const int of_hermite4[] = {RUN_ETA, RUN_DT_MAX, RUN_DT_MIN, RUN_ROUNDING};
  static const int of_leapfrog[] = {RUN_DT, RUN_DAMPING};
  for (size_t k = 0; is_leapfrog(values) && k < sizeof of_hermite4 / sizeof *of_hermite4; k++)
    if (values[of_hermite4[k]].given)
      return hb_fail(HB_ERR_USAGE, "option --%s: integrator leapfrog has one constant step, see --dt",
                     hb_run_options[of_hermite4[k]].name);
  for (size_t k = 0; !is_leapfrog(values) && k < sizeof of_leapfrog / sizeof *of_leapfrog; k++)
    if (values[of_leapfrog[k]].given)
      return hb_fail(HB_ERR_USAGE, "option --%s needs --integrator leapfrog, not %s",
                     hb_run_options[of_leapfrog[k]].name, values[RUN_INTEGRATOR].text);
  if (is_leapfrog(values) && values[RUN_STEPS].given &&
      strcmp(values[RUN_STEPS].text, hb_run_steps(HB_STEPS_BLOCK)) == 0)
    return hb_fail(HB_ERR_USAGE, "option --steps: the particles of integrator leapfrog share their step");
  if (values[RUN_DAMPING].given && values[RUN_DAMPING].number > 1)
    return hb_fail(HB_ERR_USAGE, "option --damping: '%s' is out of range (expected a number > 0, at most 1)",
                   values[RUN_DAMPING].text);
  return HB_OK;
}

/* The note of the option's name for its value, or the value for the note. */
static enum hb_status settle(struct hb_run *run, struct hb_particles *particles, int option)
{
  const char *name = hb_run_options[option].name, *note = hb_particles_note(particles, name);
  struct hb_opts_value *value = &run->opts.values[option];
  if (!note) return HB_OK;
  if (value->given) {
    char number[32];
    hb_opts_shortest(value->number, number);
    return hb_particles_set_note(particles, name, number);
  }
  double number;
  if (hb_text_number(note, &number) != HB_OK || number < 0 || (number == 0 && option != RUN_EPS))
    return hb_fail(HB_ERR_INPUT, "the snapshot notes %s = '%s', which is out of range; --%s goes before it",
                   name, note, name);
  value->number = number;
  value->text = "of the snapshot";
  hb_log("%s = %g, as the snapshot notes", name, number);
  return HB_OK;
}

/* The default depends on eps; a resumed run keeps what it began with. */
static void choose_dt_min(struct hb_run *run)
{
  struct hb_opts_value *dt_min = &run->opts.values[RUN_DT_MIN];
  struct hb_sim_counts counts = {0};
  if (dt_min->given) return;
  if (run->sim) hb_sim_counts(run->sim, &counts);
  double kept = counts.cut.dt_min;
  dt_min->number = kept > 0 ? kept : hb_sim_default_dt_min(run->values[RUN_EPS].number);
  dt_min->text = "by eps";
}

enum hb_status hb_run_take_notes(struct hb_run *run, struct hb_particles *particles)
{
  HB_TRY(settle(run, particles, RUN_EPS));
  choose_dt_min(run);
  if (!is_leapfrog(run->values)) return HB_OK;
  HB_TRY(settle(run, particles, RUN_DT));
  HB_TRY(settle(run, particles, RUN_DAMPING));
  if (run->values[RUN_DT].text) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "integrator leapfrog needs --dt DT, since the snapshot notes no dt");
}
