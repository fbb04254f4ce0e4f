/* A run of `holmberg run`: from the options of the command line, or from a checkpoint; its outputs; the main loop. */
#include "run/run.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "run/run_ranks.h"
#include "run/run_record.h"
#include "run/run_watch.h"

#include <holmberg/checkpoint.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With a copy of these options; nothing is opened. */
static void begin_run(const struct hb_opts *opts, struct hb_run *run)
{
  const struct hb_run_settings *settings = opts->settings;
  *run = (struct hb_run){.asked = {*opts, *settings}};
  run->settings = run->asked.opts.settings = &run->asked.settings;
  hb_run_ranks_follow(&run->asked.settings);
}

/* Also after a failure. */
static void close_run(struct hb_run *run)
{
  hb_run_rows_close(&run->diag.rows);
  hb_run_rows_close(&run->events);
  hb_run_rows_close(&run->follow.rows);
  hb_sim_destroy(run->sim);
  hb_particles_destroy(run->initial);
  hb_run_stars_close(&run->stars);
  for (size_t k = 0; k < RUN_LOCK_COUNT; k++) hb_lock_release(&run->locks[k]);
  hb_mem_free(run->checkpoint.path.text);
  hb_mem_free(run->resumed.record.text);
  hb_mem_free(run->resumed.device.text);
}

/* ---- times ------------------------------------------------------------------------------------------- */

/* What was typed for --t-end, or its default. */
static const char *typed_t_end(const struct hb_run *run)
{
  return hb_opts_text(&run->asked.opts, &run->settings->t_end);
}

/* Steps, rows and snapshots are counted from t = 0 in doubles, which skip numbers above 2^53. */
static enum hb_status check_count(const struct hb_run *run, const char *what, double every)
{
  static const double most = 0x1p53;
  char interval[32], t[32];
  hb_text_shortest(every, interval);
  hb_text_shortest(run->t, t);
  if (every > 0 && fabs(run->t) / every >= most)
    return hb_fail(HB_ERR_INPUT, "t = %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)", t,
                   what, interval);
  if (every > 0 && fabs(run->t_end) / every >= most)
    return hb_fail(HB_ERR_USAGE,
                   "option --t-end: %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)",
                   typed_t_end(run), what, interval);
  return HB_OK;
}

/* every 0: not given. */
static enum hb_status check_interval(const struct hb_run *run, const char *name, const double *every)
{
  double dt_min = run->settings->sim.dt_min;
  if (*every == 0 || *every >= dt_min) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --%s: %s is below the smallest step 2^%d", name,
                 hb_opts_typed(&run->asked.opts, every), ilogb(dt_min));
}

/* Intervals are not below dt-min, and few enough since t = 0 for a double to count them. */
static enum hb_status check_intervals(const struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(check_interval(run, "diag-every", &s->diag_every));
  HB_TRY(check_interval(run, "snap-every", &s->snap_every));
  HB_TRY(check_count(run, "steps of", s->sim.dt > 0 ? s->sim.dt : s->sim.dt_max));
  HB_TRY(check_count(run, "rows every", run->diag_every));
  return check_count(run, "snapshots every", run->snap_every);
}

/* ---- events that end a run before its time ------------------------------------------------------------- */

/* Whether its particles may merge or escape. */
static int has_bodies(const struct hb_run_settings *s)
{
  const struct hb_sim_params *p = &s->sim;
  return p->collisions != HB_COLLISIONS_NONE || p->escapers != HB_ESCAPERS_NONE ||
         p->stop_at == HB_STOP_AT_COLLISION || p->stop_at == HB_STOP_AT_ESCAPE;
}

static void say_stopped(const struct hb_run *run, const struct hb_event *event)
{
  char line[256], t[32];
  hb_text_shortest(run->t, t);
  int length = snprintf(line, sizeof line, "stopped at t = %s by an event, %s, of particle%s", t,
                        hb_event_names[event->kind], event->n > 1 ? "s" : "");
  for (size_t k = 0; k < event->n && length < (int)sizeof line - 24; k++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %" PRIu64, event->id[k]);
  hb_terminal_note(line);
}

/* After a step: makes its time the end of the run if the simulation stops there, and says so. */
static void check_stop(struct hb_run *run)
{
  const struct hb_event *event = hb_sim_stopped(run->sim);
  if (!event) return;
  say_stopped(run, event);
  run->t_end = run->t;
  run->is_stopped = 1;
}

/* ---- notes in the headers of snapshots --------------------------------------------------------------- */

static enum hb_status note_record(const struct hb_run *run, struct hb_particles *particles)
{
  struct hb_text record = {0};
  enum hb_status status = hb_opts_record(&run->asked.opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(particles, "options", record.text);
  hb_mem_free(record.text);
  return status;
}

/* The line of history and the record of options of the particles that the run begins with. */
static enum hb_status note_options(const struct hb_run *run, struct hb_particles *initial)
{
  HB_TRY(hb_opts_add_history(&run->asked.opts, initial));
  return note_record(run, initial);
}

/* Takes eps, dt and damping from the notes, see hb_run_take_notes. */
static enum hb_status apply_notes(struct hb_run *run, struct hb_particles *particles)
{
  run->diag.has_field = run->settings->sim.field != NULL;
  run->diag.has_bodies = has_bodies(run->settings);
  if (run->settings->units == HB_ASTRO_ASTRO) HB_TRY(hb_astro_find(particles, &run->output.units));
  if (!run->sim)
    HB_TRY(hb_astro_convert(&run->asked.opts, NULL, particles, run->settings->units == HB_ASTRO_ASTRO));
  double noted;
  run->output.eps_is_default = !run->sim && !hb_opts_typed(&run->asked.opts, &run->settings->sim.force.eps) &&
                               hb_particles_eps(particles, &noted) == HB_OK && isnan(noted);
  return hb_run_take_notes(&run->asked.opts, &run->asked.settings, run->sim, particles);
}

/* The last line of the history is the run's own: it is rewritten from the options. */
static enum hb_status make_history(const struct hb_run *run, struct hb_particles *state, struct hb_text *line)
{
  const char *old = hb_particles_note(state, "history");
  const char *last = old ? strrchr(old, '\n') : NULL;
  if (last) HB_TRY(hb_text_append_bytes(line, old, (size_t)(last - old) + 1));
  HB_TRY(hb_opts_line(&run->asked.opts, line));
  return hb_particles_set_note(state, "history", line->text);
}

/* History and options as if of a single run, even if --t-end was changed on resuming. */
static enum hb_status note_resumed(struct hb_run *run, struct hb_particles *state)
{
  struct hb_text line = {0};
  HB_TRY(apply_notes(run, state));
  enum hb_status status = make_history(run, state, &line);
  hb_mem_free(line.text);
  return status == HB_OK ? note_record(run, state) : status;
}

/* Every rank has all particles. A snapshot of several ranks that one goes on with keeps the note, with its own figure. */
static enum hb_status note_memory(const struct hb_force *force, struct hb_particles *state)
{
  const struct hb_force_params params = {.scheme = hb_force_scheme(force)->name,
                                         .precision = hb_force_precision(force)};
  struct hb_force_need need;
  char text[32];
  int several = hb_ranks_count() > 1;
  if (!several && !hb_particles_note(state, "bytes_per_rank")) return HB_OK;
  HB_TRY(hb_force_memory(&params, hb_particles_n(state), &need));
  double more = several ? need.host_rank * (double)hb_particles_n(state) : 0;
  snprintf(text, sizeof text, "%.0f", need.host + more);
  return hb_particles_set_note(state, "bytes_per_rank", text);
}

/* What the run computed with; nothing that differs between two runs of the same input. The snapshot's own notes are already
 * there. */
static enum hb_status note_all(struct hb_run *run, struct hb_particles *state)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  HB_TRY(hb_particles_set_note(state, "scheme", hb_force_scheme(force)->name));
  HB_TRY(hb_particles_set_note(state, "precision", hb_force_precision(force)));
  const char *tuning = hb_force_tuning(force);
  if (*tuning || hb_particles_note(state, "tuning")) HB_TRY(hb_particles_set_note(state, "tuning", tuning));
  HB_TRY(hb_particles_set_note(state, "context", hb_force_context(force)));
  HB_TRY(note_memory(force, state));
  if (run->resumed.record.text) HB_TRY(note_resumed(run, state));
  const char *device = run->resumed.device.text;
  return hb_particles_set_note(state, "device", device ? device : hb_force_device(force));
}

/* ---- files -------------------------------------------------------------------------------------------- */

/* What a run may write to: only one run writes to a file at a time, and a resumed run touches no file but its own. A
 * checkpoint may come from anywhere, so the names in it prove nothing. An existing file is accepted if
 *   the user names it now, with --resume;
 *   -o: it is the one that the user's -o found, unchanged (the checkpoint records device, inode and checksum);
 *   -o, series: it is a snapshot of the same masses (unless bodies merge or escape) by a run with these very options, left by a run that was killed after
 *   its last checkpoint, or by a finished one;
 *   --diag, --events, --follow-out: it is the file of the checkpoint's rows, by device and inode, and begins with them. */
static enum hb_status lock_output(struct hb_run *run, enum hb_run_lock which, const char *path)
{
  if (!path || strcmp(path, "-") == 0) return HB_OK;
  HB_TRY(hb_lock_take(path, &run->locks[which]));
  if (run->settings->resume) hb_file_sweep(path);
  return HB_OK;
}

static enum hb_status lock_outputs(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(lock_output(run, RUN_LOCK_OUTPUT, s->output));
  HB_TRY(lock_output(run, RUN_LOCK_DIAG, s->diag));
  HB_TRY(lock_output(run, RUN_LOCK_EVENTS, s->events));
  return lock_output(run, RUN_LOCK_FOLLOW, hb_run_follow_path(s));
}

static int is_there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

/* Marks the file at -o, which the user has named. */
static void remember_output(struct hb_run *run)
{
  const char *path = run->settings->output;
  run->found = (struct hb_appended){.path = path};
  if (path && strcmp(path, "-") != 0 && is_there(path))
    hb_appended_mark(&run->found); /* if this fails, the file will not be recognized */
}

/* ---- snapshots of a resumed run's own ---------------------------------------------------------------- */

static int same_note(const struct hb_particles *a, const struct hb_particles *b, const char *key)
{
  const char *of_a = hb_particles_note(a, key), *of_b = hb_particles_note(b, key);
  return of_a && of_b && strcmp(of_a, of_b) == 0;
}

/* Masses are the same throughout a run, unless bodies merge or escape. */
static int is_of_run(const struct hb_run *run, struct hb_particles *there, struct hb_particles *own)
{
  size_t n = hb_particles_n(own);
  int same_masses = run->diag.has_bodies || run->stars.n > 0 ||
                    (hb_particles_n(there) == n &&
                     memcmp(hb_particles_m(there), hb_particles_m(own), n * sizeof(double)) == 0);
  return same_masses && same_note(there, own, "history") && same_note(there, own, "options");
}

/* The notes of the checkpoint's run: its --t-end may differ. */
static enum hb_status note_as_then(struct hb_run *run, struct hb_particles *state)
{
  struct hb_run_asked now = run->asked;
  run->asked = run->resumed.then;
  enum hb_status status = note_resumed(run, state);
  run->asked = now;
  return status;
}

static enum hb_status look_for_own(struct hb_run *run, const char *path, int *is_own)
{
  struct hb_particles *own = NULL, *there = NULL;
  enum hb_status status = hb_sim_state(run->sim, run->t, &own);
  for (int then = 0; then < 2 && status == HB_OK && !*is_own; then++) {
    status = then ? note_as_then(run, own) : note_resumed(run, own);
    if (status != HB_OK || (!there && hb_snapshot_read(path, run->settings->format, &there) != HB_OK)) break;
    *is_own = is_of_run(run, there, own);
  }
  hb_particles_destroy(own);
  hb_particles_destroy(there);
  return status;
}

/* path is free or the run's own; a run that was not resumed may replace what its user names. */
static enum hb_status may_replace(struct hb_run *run, const char *path)
{
  const struct hb_run_resumed *resumed = &run->resumed;
  if (!resumed->record.text || resumed->names_output || strcmp(path, "-") == 0 || !is_there(path))
    return HB_OK;
  HB_TRY(hb_file_check(path));
  const struct hb_appended *found = &run->found;
  if (found->path && strcmp(found->path, path) == 0 && hb_appended_is_unchanged(found)) return HB_OK;
  int is_own = 0;
  HB_TRY(look_for_own(run, path, &is_own));
  if (is_own) return HB_OK;
  return hb_fail(HB_ERR_IO,
                 "cannot write %s: it exists and this run did not write it; give -o again to replace it",
                 path);
}

/* The snapshots that the run wrote after its checkpoint are numbered without a gap. */
static enum hb_status check_series(struct hb_run *run)
{
  enum hb_status status = HB_OK;
  for (unsigned long k = run->written + 1; status == HB_OK; k++) {
    struct hb_text name = {0};
    status = hb_target_series(run->settings->output, k, &name);
    int more = status == HB_OK && is_there(name.text);
    if (more) status = may_replace(run, name.text);
    hb_mem_free(name.text);
    if (!more) break;
  }
  return status;
}

/* What a resumed run will write, before it starts. */
static enum hb_status check_targets(struct hb_run *run)
{
  const char *path = run->settings->output;
  if (!path || run->resumed.names_output) return remember_output(run), HB_OK;
  HB_TRY(may_replace(run, path));
  remember_output(run); /* recognized by its notes, which --t-end changes */
  return run->snap_every > 0 ? check_series(run) : HB_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static enum hb_status append_to(const struct hb_appended *marked, struct hb_run_rows *rows)
{
  HB_TRY(hb_appended_cut(marked));
  return hb_run_rows_open(marked->path, 1, rows);
}

static enum hb_status resume_file(struct hb_run *run, enum hb_run_appended which, const char *option,
                                  struct hb_run_rows *rows)
{
  const struct hb_appended *marked = &run->appended[which];
  int is_named = run->resumed.names[which];
  if (!marked->path) return HB_OK;
  int is_marked = hb_appended_is_marked(marked), there = is_there(marked->path);
  if (is_marked) return append_to(marked, rows);
  if (!is_named && there)
    return hb_fail(HB_ERR_IO,
                   "cannot write %s: it is not the file that the run wrote; give %s again to continue it",
                   marked->path, option);
  if (!is_named)
    return hb_fail(HB_ERR_IO, "%s no longer exists; give %s again to start a new one", marked->path, option);
  int is_copy = there && marked->length > 0 && run->resumed.same[which];
  return is_copy ? append_to(marked, rows) : hb_run_rows_open(marked->path, 0, rows);
}

static enum hb_status resume_rows(struct hb_run *run)
{
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  run->diag.n = counts.n + counts.merged; /* as at the beginning, for the same columns */
  if (run->settings->sim.escapers == HB_ESCAPERS_REMOVE) run->diag.n += counts.escaped;
  HB_TRY(resume_file(run, RUN_DIAG_ROWS, "--diag", &run->diag.rows)); /* first, since it may fail */
  HB_TRY(resume_file(run, RUN_EVENTS_ROWS, "--events", &run->events));
  HB_TRY(resume_file(run, RUN_FOLLOW_ROWS, "--follow-out", &run->follow.rows));
  if (run->events.file && run->events.rows == 0) hb_run_events_note(run->settings, "--events");
  if (run->events.file) HB_TRY(hb_run_events_begin(&run->events, run->sim, &run->output.units));
  return hb_appended_cut(&run->appended[RUN_STDOUT]);
}

/* ---- options of checkpoints --------------------------------------------------------------------------- */

static enum hb_status check_options(const struct hb_run *run, const char *path)
{
  const struct hb_run_settings *s = run->settings;
  if (!path && hb_opts_typed(&run->asked.opts, &s->checkpoint_every_s))
    return hb_fail(HB_ERR_USAGE, "option --checkpoint-every needs --checkpoint FILE");
  if (!path && s->max_s > 0) return hb_fail(HB_ERR_USAGE, "option --max-hours needs --checkpoint FILE");
  if (!path) return HB_OK;
  if (strcmp(path, "-") == 0)
    return hb_fail(HB_ERR_USAGE, "option --checkpoint: '-' is not a file that can be replaced");
  const char *const others[][2] = {{"-o", s->output},
                                   {"--diag", s->diag},
                                   {"--events", s->events},
                                   {"--follow-out", hb_run_follow_path(s)}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (others[k][1] && strcmp(path, others[k][1]) == 0)
      return hb_fail(HB_ERR_USAGE, "options --checkpoint and %s both name %s", others[k][0], path);
  return hb_target_check(path, "text"); /* any format: the extension does not matter */
}

/* Otherwise a new run would overwrite at its start the hours of another one. */
static enum hb_status check_absent(const char *path)
{
  struct hb_text previous = {0};
  HB_TRY(hb_text_append(&previous, "%s~", path));
  const char *existing = access(path, F_OK) == 0            ? path
                         : access(previous.text, F_OK) == 0 ? previous.text
                                                            : NULL;
  enum hb_status status = HB_OK;
  if (existing)
    status = hb_fail(HB_ERR_USAGE,
                     "option --checkpoint: %s already exists; continue it with --resume %s, or remove it",
                     existing, path);
  hb_mem_free(previous.text);
  return status;
}

/* A resumed run that continues its own checkpoint has set the path. */
static enum hb_status open_checkpoints(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  const char *path = c->path.text ? c->path.text : run->settings->checkpoint;
  c->began = c->written = hb_clock_now();
  if (hb_ranks_number() > 0) return HB_OK;
  HB_TRY(check_options(run, path));
  if (!path || c->path.text) return HB_OK;
  HB_TRY(lock_output(run, RUN_LOCK_CHECKPOINT, path));
  HB_TRY(check_absent(path));
  return hb_text_append(&c->path, "%s", path);
}

/* ---- a new run --------------------------------------------------------------------------------------- */

static enum hb_status check_times(const struct hb_run *run)
{
  HB_TRY(check_intervals(run));
  const double *dt = &run->settings->sim.dt;
  char begin[32], step[32];
  hb_text_shortest(run->t, begin);
  hb_text_shortest(*dt, step);
  const char *typed = hb_opts_typed(&run->asked.opts, dt);
  if (run->t_end > run->t && *dt > run->t_end - run->t)
    return hb_fail(HB_ERR_USAGE, "option --dt: a step of %s is longer than the run, from t = %s to %s",
                   typed ? typed : step, begin, typed_t_end(run));
  if (run->t_end >= run->t) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the snapshot's time %s", typed_t_end(run),
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
  int has_dt = hb_run_has_dt(run->settings);
  if (massless > 0 && (has_dt || run->settings->sim.correct == HB_PLACE_GPU)) {
    snprintf(
        note, sizeof note,
        "with %s%s the energies of particles without mass (%zu) are not watched: a wrong orbit of one is "
        "not told",
        has_dt ? "--integrator " : "--correct gpu", has_dt ? run->settings->sim.integrator : "", massless);
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
  HB_TRY(hb_run_stars_check(&run->asked.opts, s));
  HB_TRY(open_checkpoints(run));
  HB_TRY(hb_run_follow_take(s->follow, &run->follow));
  if (s->diag) HB_TRY(hb_run_rows_check(s->diag, "diagnostics"));
  if (s->events) HB_TRY(hb_run_rows_check(s->events, "events"));
  if (s->follow) HB_TRY(hb_run_rows_check(hb_run_follow_path(s), "steps"));
  HB_TRY(lock_outputs(run));
  if (hb_ranks_number() > 0) return HB_OK;
  return hb_snapshot_read(run->asked.opts.operands[0], s->input_format, &run->initial);
}

/* Masses of birth, and what the last row says of them. */
static enum hb_status open_stars(struct hb_run *run, struct hb_particles *particles)
{
  HB_TRY(hb_run_stars_read(run->settings, &run->stars));
  enum hb_status status = hb_run_stars_open(run->settings, !run->sim, particles, &run->stars);
  if (!run->sim) status = name_file(status, run);
  HB_TRY(status);
  if (run->stars.n > 0) run->output.stars = &run->stars;
  return HB_OK;
}

static enum hb_status open_run(struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(hb_run_ranks_share_particles(prepare_files(run), &run->initial));
  HB_TRY(name_file(apply_notes(run, run->initial), run));
  hb_run_set_up(run, hb_particles_time(run->initial));
  HB_TRY(name_file(check_times(run), run));
  HB_TRY(open_stars(run, run->initial));
  HB_TRY(note_options(run, run->initial));
  run->diag.n = hb_particles_n(run->initial);
  HB_TRY(hb_run_follow_check(&run->follow, run->initial));
  HB_TRY(open_sim(run));
  if (run->checkpoint.path.text) remember_output(run);
  hb_run_announce(run);
  if (s->diag) HB_TRY(hb_run_rows_open(s->diag, 0, &run->diag.rows));
  if (s->events) HB_TRY(hb_run_rows_open(s->events, 0, &run->events));
  if (s->follow) HB_TRY(hb_run_rows_open(hb_run_follow_path(s), 0, &run->follow.rows));
  HB_TRY(hb_run_follow_put(&run->follow, run->sim));
  return s->events ? hb_run_events_begin(&run->events, run->sim, &run->output.units) : HB_OK;
}

static enum hb_status open_new(const struct hb_opts *opts, struct hb_run *run)
{
  begin_run(opts, run);
  if (opts->operand_count == 0) return hb_fail(HB_ERR_USAGE, "'holmberg run' needs a FILE");
  return open_run(run);
}

/* ---- a resumed run: the file, or its other generation ------------------------------------------------- */

/* The name that a run writes to, from that of either generation. */
static enum hb_status name_of_newest(const char *path, struct hb_text *name)
{
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '~') length--;
  return hb_text_append_bytes(name, path, length);
}

static enum hb_status name_of_other(const char *path, const char *newest, struct hb_text *name)
{
  return hb_text_append(name, "%s%s", newest, strcmp(path, newest) == 0 ? "~" : "");
}

/* Adds to the message of a failure that the other generation is intact, if it is. */
static enum hb_status offer_other(enum hb_status status, const char *which, const char *other)
{
  char sentence[1024];
  struct hb_checkpoint *checkpoint;
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  int is_intact = hb_checkpoint_open(other, &checkpoint) == HB_OK;
  hb_checkpoint_close(checkpoint);
  if (!is_intact) return hb_fail(status, "%s", sentence);
  return hb_fail(status, "%s; the %s checkpoint is intact: --resume %s", sentence, which, other);
}

/* Whether --checkpoint names another file than the run has written so far. */
static int goes_elsewhere(const struct hb_run_settings *given, const struct hb_run *run)
{
  const char *path = run->checkpoint.path.text;
  return path && given->checkpoint && strcmp(given->checkpoint, path) != 0;
}

/* Opens path and sets where the run writes checkpoints. A run that was killed between the two renames of a new checkpoint
 * has left only the older one; that is no damage, and it is used. */
static enum hb_status open_checkpoint(const struct hb_run_settings *given, struct hb_run *run,
                                      struct hb_checkpoint **checkpoint)
{
  const char *path = given->resume;
  struct hb_text *newest = &run->checkpoint.path, other = {0};
  HB_TRY(name_of_newest(path, newest));
  if (!goes_elsewhere(given, run)) HB_TRY(lock_output(run, RUN_LOCK_CHECKPOINT, newest->text));
  HB_TRY(name_of_other(path, newest->text, &other));
  int is_newest = strcmp(path, newest->text) == 0;
  int is_gone = is_newest && access(path, F_OK) != 0 && access(other.text, F_OK) == 0;
  enum hb_status status = hb_checkpoint_open(is_gone ? other.text : path, checkpoint);
  if (status == HB_ERR_INPUT && !is_gone)
    status = offer_other(status, is_newest ? "previous" : "newer", other.text);
  if (status == HB_OK && is_gone) {
    char note[512];
    snprintf(note, sizeof note, "%s does not exist; resuming from %s", path, other.text);
    hb_terminal_note(note);
  }
  /* the other one may be damaged: then the next checkpoint replaces it, and this one stays */
  run->checkpoint.flags = is_newest && !is_gone ? HB_SAVE_KEEP : 0;
  hb_mem_free(other.text);
  return status;
}

/* ---- a resumed run: options ---------------------------------------------------------------------------- */

/* Times given now, by the units of the run; those in the checkpoint are N-body. */
static enum hb_status convert_given(struct hb_opts *given, const struct hb_checkpoint *checkpoint,
                                    int is_astro)
{
  struct hb_units units = {0};
  int are_known;
  if (!hb_opts_has_units(given, is_astro)) return HB_OK;
  HB_TRY(hb_checkpoint_units(checkpoint, &units, &are_known));
  return hb_opts_convert(given, NULL, &units, is_astro);
}

/* Makes the run's options from those of the checkpoint and those given now. */
static enum hb_status merge_options(const struct hb_opts *now, const struct hb_checkpoint *checkpoint,
                                    struct hb_run *run)
{
  HB_TRY(hb_run_record_options(now->command, run));
  struct hb_opts *opts = &run->asked.opts, converted = *now, *given = &converted;
  HB_TRY(convert_given(given, checkpoint, run->settings->units == HB_ASTRO_ASTRO));
  run->resumed.then = run->asked;
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(given->command, k)); k++) {
    if (!given->typed[k]) continue;
    const char *then = opts->typed[k] ? opts->typed[k] : option->fallback;
    int differs = !hb_opts_same(given, opts, k);
    if (differs && !(option->use & HB_SETTING_SHOWS)) run->resumed.differs = 1;
    if (differs && !(option->use & HB_SETTING_ON_RESUME))
      return hb_fail(HB_ERR_USAGE, "option --%s: '%s' differs from the checkpoint's run (%s); leave it out",
                     option->name, given->typed[k], then ? then : "none");
    hb_opts_copy(opts, given, k);
  }
  return HB_OK;
}

static enum hb_status take_progress(struct hb_run *run)
{
  HB_TRY(hb_run_record_progress(run));
  return check_intervals(run);
}

/* ---- a resumed run: the simulation --------------------------------------------------------------------- */

/* Only the same arithmetic gives the same bits: notes whatever has changed. */
static enum hb_status compare_arithmetic(const struct hb_checkpoint_info *info, struct hb_run *run)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *const pairs[][2] = {{info->device, hb_force_device(force)},
                                  {info->context, hb_force_context(force)},
                                  {info->version, hb_library_version()}};
  int same_bits = hb_force_is_reproducible(hb_force_precision(force));
  char note[640], t[32];
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    if (strcmp(pairs[k][0], pairs[k][1]) == 0) continue;
    snprintf(note, sizeof note, "the checkpoint was written with %s, this is %s%s", pairs[k][0], pairs[k][1],
             same_bits ? "" : ": results may differ in the last bits");
    hb_terminal_note(note);
  }
  if (strcmp(info->device, hb_force_device(force)) == 0) return HB_OK;
  struct hb_text *device = &run->resumed.device;
  hb_text_shortest(run->t, t);
  if (!device->text) HB_TRY(hb_text_append(device, "%s", info->device));
  return hb_text_append(device, "; from t = %s on %s", t, hb_force_device(force));
}

/* Older checkpoints do not know what errors are compared with: from here on that is what it is now. The oldest have E0 in the
 * inertial frame. */
static enum hb_status take_energies(struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  struct hb_diagnostics now;
  if (!isnan(output->e_scale)) return HB_OK;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  double e_begin = output->e_begin - (run->resumed.is_oldest ? now.e_bulk : 0);
  hb_run_output_begin(output, &now, run->settings->sim.field != NULL);
  output->e_begin = e_begin;
  return HB_OK;
}

static enum hb_status resume_sim(const struct hb_run_settings *given, const struct hb_checkpoint *checkpoint,
                                 struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  const struct hb_force_params place = {.context = given->sim.force.context,
                                        .device = given->sim.force.device,
                                        .max_draw_s = s->sim.force.max_draw_s,
                                        .flags = (s->sim.force.flags & HB_FORCE_GL_DEBUG) |
                                                 (s->diag ? HB_FORCE_PHASES : 0U)};
  struct hb_checkpoint_info info;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_sim_resume(checkpoint, &place, &run->sim));
  HB_TRY(take_energies(run));
  return compare_arithmetic(&info, run);
}

/* An option that was not given now comes from the file, which then is to blame. */
static enum hb_status blame(enum hb_status status, const char *path, int is_given)
{
  if (status == HB_ERR_USAGE && !is_given) status = HB_ERR_INPUT;
  return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
}

/* The run and its simulation must be at the same time; leapfrog's step may be only in the snapshot's notes. */
static enum hb_status check_state(struct hb_run *run)
{
  struct hb_particles *state;
  enum hb_status status = hb_sim_state(run->sim, run->t, &state);
  if (status == HB_ERR_USAGE)
    return hb_fail(HB_ERR_INPUT, "its run is at t = %.17g, expected its state's time, %.17g to %.17g", run->t,
                   hb_sim_time(run->sim), hb_sim_next_time(run->sim));
  HB_TRY(status);
  status = apply_notes(run, state);
  if (status == HB_OK) status = open_stars(run, state);
  hb_particles_destroy(state);
  run->time_tolerance = 1e-9 * run->settings->sim.dt;
  if (status != HB_OK || run->t_end + run->time_tolerance >= run->t) return status;
  char t[32];
  hb_text_shortest(run->t, t);
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the checkpoint's time %s", typed_t_end(run), t);
}

/* Options and progress of the checkpoint, and what the run writes to. */
static enum hb_status prepare_resumed(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                                      struct hb_run *run)
{
  size_t bytes;
  struct hb_checkpoint_info info;
  const void *own = hb_checkpoint_own(checkpoint, &bytes);
  const struct hb_run_settings *given = opts->settings, *s = run->settings;
  int names_t_end = hb_opts_typed(opts, &given->t_end) != NULL;
  run->resumed.names_output = given->output != NULL;
  run->resumed.names[RUN_DIAG_ROWS] = given->diag != NULL;
  run->resumed.names[RUN_EVENTS_ROWS] = given->events != NULL;
  run->resumed.names[RUN_FOLLOW_ROWS] = given->follow_out != NULL;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_text_append_bytes(&run->resumed.record, own, bytes));
  HB_TRY(blame(merge_options(opts, checkpoint, run), info.path, 1));
  hb_run_ranks_follow(&run->asked.settings);
  HB_TRY(blame(hb_run_check_integrator(&run->asked.opts, s), info.path, 0));
  HB_TRY(blame(take_progress(run), info.path, names_t_end));
  HB_TRY(blame(hb_run_check_output(s), info.path, given->output || given->format));
  if (s->diag) HB_TRY(blame(hb_run_rows_check(s->diag, "diagnostics"), info.path, given->diag != NULL));
  if (s->events) HB_TRY(blame(hb_run_rows_check(s->events, "events"), info.path, given->events != NULL));
  HB_TRY(blame(hb_run_follow_take(s->follow, &run->follow), info.path, 0));
  if (s->follow)
    HB_TRY(blame(hb_run_rows_check(hb_run_follow_path(s), "steps"), info.path, given->follow_out != NULL));
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (goes_elsewhere(given, run)) {
    hb_mem_free(c->path.text);
    c->path = (struct hb_text){0};
    c->flags = 0;
  }
  HB_TRY(open_checkpoints(run));
  return lock_outputs(run);
}

static enum hb_status take_up_checkpoint(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                                         struct hb_run *run)
{
  struct hb_checkpoint_info info;
  const struct hb_run_settings *given = opts->settings;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_ranks_agree(prepare_resumed(opts, checkpoint, run)));
  HB_TRY(resume_sim(given, checkpoint, run));
  HB_TRY(blame(check_state(run), info.path, hb_opts_typed(opts, &given->t_end) != NULL));
  HB_TRY(check_targets(run));
  return blame(resume_rows(run), info.path, 1);
}

static enum hb_status resume_run(const struct hb_opts *opts, struct hb_run *run)
{
  begin_run(opts, run);
  if (opts->operand_count > 0)
    return hb_fail(HB_ERR_USAGE, "'holmberg run --resume' takes no FILE, but got '%s'", opts->operands[0]);
  struct hb_checkpoint *checkpoint = NULL;
  enum hb_status status = HB_OK;
  if (hb_ranks_number() == 0) status = open_checkpoint(opts->settings, run, &checkpoint);
  status = hb_run_ranks_share_checkpoint(status, &checkpoint);
  if (status == HB_OK) status = take_up_checkpoint(opts, checkpoint, run);
  hb_checkpoint_close(checkpoint); /* the simulation has its own copy of all */
  return status;
}

/* ---- output ------------------------------------------------------------------------------------------ */

static enum hb_status write_state(struct hb_run *run, double t, const char *path)
{
  struct hb_particles *state = NULL;
  HB_TRY(may_replace(run, path));
  enum hb_status status = hb_sim_state(run->sim, t, &state);
  if (status == HB_OK) status = note_all(run, state);
  if (status == HB_OK) status = hb_target_write(path, run->settings->format, state);
  hb_particles_destroy(state);
  return status;
}

static enum hb_status write_series(struct hb_run *run)
{
  struct hb_text name = {0};
  enum hb_status status = hb_target_series(run->settings->output, ++run->written, &name);
  if (status == HB_OK) status = write_state(run, run->t, name.text);
  hb_mem_free(name.text);
  return status;
}

/* Losing the reader of the table ends a run without another result; a run with -o continues for its file. But a resumable
 * run ends when its file of rows cannot grow: otherwise the row would be missing for good. */
static int needs_rows(const struct hb_run *run)
{
  const struct hb_appended *rows = &run->appended[RUN_STDOUT];
  if (!run->settings->output) return 1;
  return run->checkpoint.path.text && rows->path && hb_appended_is_file(rows);
}

static enum hb_status diagnose(struct hb_run *run)
{
  struct hb_diagnostics now;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  if (run->output.rows == 0) hb_run_output_begin(&run->output, &now, run->settings->sim.field != NULL);
  if (run->output.stars) /* a star that flies off has errors of its own energy */
    run->output.e_scale = fmax(run->output.e_scale, now.e_scale);
  if (run->diag.rows.file) HB_TRY(hb_run_diag_row(&run->diag, run->sim, &run->output, &now));
  run->energy_error = fabs(hb_run_output_cluster_error(&run->output, &now));
  int is_last = run->t == run->t_end && !hb_run_energy_is_lost(run);
  enum hb_status status = hb_run_output_row(&run->output, run->sim, &now, is_last);
  HB_TRY(hb_run_judge_energy(run));
  return needs_rows(run) ? status : HB_OK;
}

/* ---- the run ----------------------------------------------------------------------------------------- */

/* The time number * every, or t_end if that is within rounding errors or earlier. */
static double due_time(const struct hb_run *run, double number, double every)
{
  double t = number * every;
  return t > run->t_end - 1e-9 * every ? run->t_end : t;
}

static enum hb_status advance_to(struct hb_run *run, double t)
{
  while (hb_sim_next_time(run->sim) <= t + run->time_tolerance) {
    run->t = hb_sim_next_time(run->sim);
    HB_TRY(hb_sim_step(run->sim));
    HB_TRY(hb_run_events_put(&run->events, run->sim, &run->output.units));
    HB_TRY(hb_run_stars_age(&run->stars, run->sim));
    HB_TRY(hb_run_follow_put(&run->follow, run->sim));
    check_stop(run);
    if (run->is_stopped) return HB_OK;
    hb_run_watch_steps(run);
    hb_run_watch_pace(run);
    hb_run_output_progress(&run->output, run->t);
    HB_TRY(hb_run_record_poll(run));
  }
  run->t = t;
  return HB_OK;
}

/* The first row, and a first checkpoint: a file that cannot be written fails now, not after hours. */
static enum hb_status show_first(struct hb_run *run)
{
  run->output.wall_begin = hb_clock_now();
  hb_run_watch_steps(run);
  HB_TRY(diagnose(run));
  return hb_run_record_save(run);
}

static enum hb_status integrate(struct hb_run *run)
{
  int resumed = run->resumed.record.text != NULL;
  hb_signals_watch();
  if (!resumed) HB_TRY(show_first(run));
  if (run->resumed.differs) HB_TRY(hb_run_record_save(run)); /* so that later its snapshots are recognized */
  /* checkpoints are written between block steps, before the output due at t; also at t_end */
  for (int more = resumed || run->t < run->t_end; more; more = run->t < run->t_end) {
    double t_diag = due_time(run, run->diag_number, run->diag_every);
    double t_snap = run->snap_every > 0 ? due_time(run, run->snap_number, run->snap_every) : INFINITY;
    HB_TRY(advance_to(run, t_snap < t_diag ? t_snap : t_diag));
    if (run->t == run->t_end) HB_TRY(hb_run_record_save(run));
    if (run->t == t_diag || run->is_stopped) {
      run->diag_number += run->t == t_diag;
      HB_TRY(diagnose(run));
    }
    if (run->t == t_snap) {
      int on_time = run->snap_number * run->snap_every < run->t_end + 1e-9 * run->snap_every;
      run->snap_number++;
      if (on_time) HB_TRY(write_series(run));
    }
    if (run->t < run->t_end) HB_TRY(hb_run_record_poll(run)); /* a step may have many rows */
  }
  const char *path = run->settings->output;
  if (path) HB_TRY(write_state(run, run->t_end, path));
  return hb_run_judge_end(run);
}

enum hb_status hb_run_file(const struct hb_opts *opts)
{
  struct hb_run run;
  const struct hb_run_settings *settings = opts->settings;
  enum hb_status status = hb_ranks_agree(settings->resume ? resume_run(opts, &run) : open_new(opts, &run));
  if (status == HB_OK) status = integrate(&run);
  close_run(&run);
  return status;
}
