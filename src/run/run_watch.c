/* Each note is printed once per run, even if that is resumed. */
#include "run/run_watch.h"

#include "base/clock.h"
#include "console/astro.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of the cluster's own |E| or its kinetic energy at the start, whichever is larger (e_scale). A run beyond the first bound is lost; one that ends
 * beyond the second is complete, but fails unless the user accepts that; the note comes at a hundredth of the first. */
static const double lost = 1e-2, doubtful = 1e-3, noted = 1e-4;

/* Bits of run->noted, which checkpoints record. */
enum { NOTED_COLLAPSE = 1, NOTED_CUT = 2, NOTED_ENERGY = 4, NOTED_MASSLESS = 8 };

/* Whether it is the first time. */
static int is_first_note(struct hb_run *run, unsigned what)
{
  int is_first = !(run->noted & what);
  run->noted |= what;
  return is_first;
}

/* ---- steps ---- */

/* The remedies that this run does not use already. */
static void name_remedies(const struct hb_run *run, char remedies[128])
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *precisions = hb_force_scheme(force)->precisions, *now = hb_force_precision(force);
  int bits = hb_force_position_bits(now), used = 0;
  char word[16];
  for (int read; sscanf(precisions, "%15s%n", word, &read) == 1; precisions += read)
    if (hb_force_position_bits(word) > bits)
      used += snprintf(remedies + used, 128 - (size_t)used, "%s%s", used ? " or " : "--precision ", word);
  snprintf(remedies + used, 128 - (size_t)used, "%s%sa larger --eta", used ? ", " : "",
           bits == hb_force_position_bits("double") ? ""
           : run->settings->sim.force.interaction   ? "or " /* the host knows gravity alone */
                                                    : "--scheme host or ");
}

static void note_collapse(const struct hb_run *run, const struct hb_step_trouble *trouble)
{
  char line[512], remedies[128];
  name_remedies(run, remedies);
  snprintf(line, sizeof line,
           "the time steps collapse: %.0f %% of them follow the rounding errors of the forces (%.6g block "
           "steps per unit of time at t = %.4g, %.6g are usual); use %s",
           100 * trouble->noisy, trouble->n_steps, run->t, trouble->n_steps_usual, remedies);
  hb_terminal_note(line);
}

static void note_cut(const struct hb_cut_steps *cut)
{
  char line[512], t[32];
  double wanted = fmax(cut->wanted, 0); /* NaN: of an infinite jerk */
  hb_text_shortest(cut->t, t);
  snprintf(line, sizeof line,
           "particle %" PRIu64 " at t = %s needs a step of %.3g, but --dt-min is 2^%d: from here on energies "
           "and orbits may be wrong; use a smaller --dt-min or a larger --eps",
           cut->particle, t, wanted, ilogb(cut->dt_min));
  hb_terminal_note(line);
}

static void note_massless(const struct hb_energy_made *made)
{
  char line[256], t[32];
  hb_text_shortest(made->t, t);
  snprintf(line, sizeof line,
           "the energy of test particle %" PRIu64
           " is off by %.2g at t = %s: its orbit is wrong from here on; a "
           "smaller --eta may help",
           made->particle, made->error, t);
  hb_terminal_note(line);
}

void hb_run_watch_steps(struct hb_run *run)
{
  struct hb_step_trouble trouble;
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  if (counts.cut.count && is_first_note(run, NOTED_CUT)) note_cut(&counts.cut);
  if (counts.massless.error > noted && is_first_note(run, NOTED_MASSLESS)) note_massless(&counts.massless);
  if (run->noted & NOTED_COLLAPSE || !hb_sim_step_trouble(run->sim, &trouble)) return;
  if (is_first_note(run, NOTED_COLLAPSE)) note_collapse(run, &trouble);
}

/* ---- energy ---- */

/* A given step is the user's choice, and damping removes energy. */
static int has_bound(const struct hb_run *run) { return !hb_run_has_dt(run->settings); }

static int is_damped(const struct hb_run *run)
{
  double damping = run->settings->sim.damping;
  return damping > 0 && damping < 1;
}

/* Whose error it is, where that is not all of E. */
static const char *whose(const struct hb_run *run, char text[64])
{
  const struct hb_run_output *output = &run->output;
  double unit = output->units.mass > 0 ? hb_astro_energy(&output->units) : 1;
  *text = 0;
  if (output->parts) snprintf(text, 64, " (the cluster's, over its own energy %.4g)", unit * output->e_scale);
  return text;
}

static void note_energy(struct hb_run *run, const char *t)
{
  char line[256], own[64];
  int end_says_it = run->t == run->t_end && run->energy_error > doubtful && has_bound(run);
  if (end_says_it || is_damped(run) || !(run->energy_error > (has_bound(run) ? noted : lost)) ||
      !is_first_note(run, NOTED_ENERGY))
    return;
  int length = snprintf(line, sizeof line, "the energy error is %.2g%s at t = %s", run->energy_error,
                        whose(run, own), t);
  if (has_bound(run))
    snprintf(line + length, sizeof line - (size_t)length, "; the run stops at %g, see --max-energy-error",
             lost);
  hb_terminal_note(line);
}

int hb_run_energy_is_lost(const struct hb_run *run)
{
  double bound = run->settings->max_energy_error, most = bound > 0 ? bound : has_bound(run) ? lost : INFINITY;
  return !isinf(most) && !(run->energy_error <= most); /* NaN exceeds any */
}

enum hb_status hb_run_judge_energy(struct hb_run *run)
{
  const char *bound = hb_opts_typed(&run->asked.opts, &run->settings->max_energy_error);
  char t[32], own[64];
  hb_text_shortest(run->t, t);
  if (!hb_run_energy_is_lost(run)) {
    if (!bound) note_energy(run, t);
    return HB_OK;
  }
  if (bound)
    return hb_fail(HB_ERR_NUMERIC, "energy error %.3g%s at t = %s exceeds --max-energy-error %s",
                   run->energy_error, whose(run, own), t, bound);
  return hb_fail(HB_ERR_NUMERIC,
                 "energy error %.3g%s at t = %s exceeds %g; a smaller --eta or a larger --eps may help, "
                 "--max-energy-error sets another bound or none",
                 run->energy_error, whose(run, own), t, lost);
}

enum hb_status hb_run_judge_end(const struct hb_run *run)
{
  char own[64];
  if (run->settings->max_energy_error > 0 || !has_bound(run) || run->energy_error <= doubtful) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "the run is complete, but its energy error of %.3g%s exceeds %g; a smaller --eta or a larger "
      "--eps may help, --max-energy-error %g accepts it",
      run->energy_error, whose(run, own), doubtful, lost);
}

/* ---- how long it takes ---- */

/* No step is longer than dt_max, leapfrog's are all dt; the first step may show that the run takes longer. */
void hb_run_announce(const struct hb_run *run)
{
  const struct hb_sim_params *sim = &run->settings->sim;
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  double n = (double)counts.n, left = run->t_end - run->t, first = hb_sim_next_time(run->sim) - run->t;
  double least = hb_terminal_least_seconds(left / (sim->dt > 0 ? sim->dt : sim->dt_max), n * n);
  double as_now = hb_terminal_least_seconds(left / first, n);
  hb_terminal_announce(as_now > 10 * least ? "about" : "at least", fmax(least, as_now), "");
}

void hb_run_watch_pace(struct hb_run *run)
{
  static const double ENOUGH_S = 10; /* for a pace */
  struct hb_run_pace *pace = &run->pace;
  if (pace->is_announced || run->output.has_bar || run->settings->quiet) return;
  double now = hb_clock_now();
  if (pace->began == 0) *pace = (struct hb_run_pace){.began = now, .t_begin = run->t};
  if (now - pace->began < ENOUGH_S) return;
  pace->is_announced = 1;
  double done = (run->t - pace->t_begin) / (run->t_end - pace->t_begin);
  hb_terminal_announce("about", (now - pace->began) / done, "");
}
