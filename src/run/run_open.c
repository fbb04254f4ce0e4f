/* A run from the options of the command line. */
#include "run/run.h"

#include "base/mem.h"
#include "base/ranks.h"
#include "console/terminal.h"
#include "run/run_checkpoint.h"
#include "run/run_notes.h"
#include "run/run_ranks.h"
#include "run/run_targets.h"
#include "run/run_watch.h"

static enum hb_status check_times(const struct hb_run *run)
{
  HB_TRY(hb_run_check_times(run));
  const double *dt = &run->settings->sim.dt;
  char begin[32], step[32];
  hb_text_shortest(run->t, begin);
  hb_text_shortest(*dt, step);
  const char *typed = hb_opts_typed(&run->asked.opts, dt);
  if (run->t_end > run->t && *dt > run->t_end - run->t)
    return hb_fail(HB_ERR_USAGE, "option --dt: a step of %s is longer than the run, from t = %s to %s",
                   typed ? typed : step, begin, hb_run_t_end(run));
  if (run->t_end >= run->t) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the snapshot's time %s", hb_run_t_end(run),
                 begin);
}

/* Points out options without effect; auto and hybrid use them to compare with the processor. */
static void note_context(const struct hb_run *run)
{
  const struct hb_force_params *force = &run->settings->sim.force;
  char note[128];
  const struct hb_force_scheme *named = hb_force_scheme_find(force->scheme);
  if ((!force->context && !force->device) || !named || !named->on_host) return;
  snprintf(note, sizeof note, "--context and --device have no effect: scheme %s runs on the processor",
           force->scheme);
  hb_terminal_note(note);
}

/* Bodies without radii never touch. */
static int lacks_radii(const struct hb_run *run)
{
  const struct hb_sim_params *p = &run->settings->sim;
  int collide = p->collisions != HB_COLLISIONS_NONE || p->stop_at == HB_STOP_AT_COLLISION;
  const double *radius = collide ? hb_particles_radius(run->initial) : NULL;
  size_t n = hb_particles_n(run->initial), i = 0;
  while (radius && i < n && radius[i] == 0) i++;
  return radius && i == n;
}

static size_t count_massless(struct hb_particles *p)
{
  const double *m = hb_particles_m(p);
  size_t count = 0;
  for (size_t i = 0; i < hb_particles_n(p); i++) count += m[i] == 0;
  return count;
}

/* Test particles are watched and cost nothing as sources, but for some ways to move them and to compute forces. */
static void note_massless(const struct hb_run *run, size_t massless)
{
  char note[192];
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  int is_leapfrog = hb_run_is_leapfrog(run->settings);
  if (massless > 0 && (is_leapfrog || run->settings->sim.correct == HB_PLACE_GPU)) {
    snprintf(note, sizeof note,
             "with %s the energies of particles without mass (%zu) are not watched: a wrong orbit of one is "
             "not told",
             is_leapfrog ? "--integrator leapfrog" : "--correct gpu", massless);
    hb_terminal_note(note);
  }
  if (massless == 0 || massless == counts.n || counts.sources < counts.n) return;
  int is_kept = run->settings->sim.predict == HB_PLACE_GPU;
  snprintf(note, sizeof note,
           "%s%s takes particles without mass (%zu) as sources, too: they cost as much as stars",
           is_kept ? "" : "scheme ",
           is_kept ? "--predict gpu" : hb_force_scheme(hb_sim_force(run->sim))->name, massless);
  hb_terminal_note(note);
}

/* What is asked for and cannot happen. */
static void note_events(const struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  if (s->events)
    hb_run_events_note(s, "--events");
  else if (s->sim.stop_at == HB_STOP_AT_PAIR)
    hb_run_events_note(s, "--stop-at pair");
  if (s->sim.escapers == HB_ESCAPERS_LIST && !s->events && !s->diag)
    hb_terminal_note("--escapers list: without --events or --diag nobody reads the list");
}

static enum hb_status open_sim(struct hb_run *run)
{
  struct hb_sim_params params;
  struct hb_text tuning = {0};
  HB_TRY(hb_run_params(run->settings, &tuning, &params));
  size_t massless = count_massless(run->initial);
  int no_radii =
      lacks_radii(run); /* noted after what is refused: a run that does not begin needs one sentence */
  enum hb_status status = hb_sim_take(run->initial, &params, &run->sim);
  run->initial = NULL;
  hb_mem_free(tuning.text);
  if (status != HB_OK) return status;
  if (no_radii)
    hb_terminal_note("no particle has a radius, so none can collide; see 'holmberg scale --radius'");
  note_context(run);
  note_massless(run, massless);
  note_events(run);
  return HB_OK;
}

/* Names the snapshot if it is to blame. */
static enum hb_status name_file(enum hb_status status, const struct hb_run *run)
{
  return status == HB_ERR_INPUT ? hb_fail_in(status, run->asked.opts.operands[0]) : status;
}

/* What the run writes to is there, and the snapshot read. */
static enum hb_status prepare_files(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(hb_run_check_output(s));
  HB_TRY(hb_run_check_integrator(&run->asked.opts, s));
  HB_TRY(hb_run_checkpoint_open(run));
  if (s->diag) HB_TRY(hb_run_rows_check(s->diag, "diagnostics"));
  if (s->events) HB_TRY(hb_run_rows_check(s->events, "events"));
  HB_TRY(hb_run_lock(run, RUN_LOCK_OUTPUT, s->output));
  HB_TRY(hb_run_lock(run, RUN_LOCK_DIAG, s->diag));
  HB_TRY(hb_run_lock(run, RUN_LOCK_EVENTS, s->events));
  if (hb_ranks_number() > 0) return HB_OK;
  return hb_snapshot_read(run->asked.opts.operands[0], s->input_format, &run->initial);
}

static enum hb_status open_run(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(hb_run_ranks_share_particles(prepare_files(run), &run->initial));
  HB_TRY(name_file(hb_run_apply_notes(run, run->initial), run));
  hb_run_set_up(run, hb_particles_time(run->initial));
  HB_TRY(name_file(check_times(run), run));
  HB_TRY(hb_run_note_options(run, run->initial));
  run->diag.n = hb_particles_n(run->initial);
  HB_TRY(open_sim(run));
  if (run->checkpoint.path.text) hb_run_remember_output(run);
  hb_run_announce(run);
  if (s->diag) HB_TRY(hb_run_rows_open(s->diag, 0, &run->diag.rows));
  if (s->events) HB_TRY(hb_run_rows_open(s->events, 0, &run->events));
  return s->events ? hb_run_events_begin(&run->events, run->sim, &run->output.units) : HB_OK;
}

enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run)
{
  hb_run_begin(opts, run);
  if (opts->operand_count == 0) return hb_fail(HB_ERR_USAGE, "'holmberg run' needs a FILE");
  return open_run(run);
}
