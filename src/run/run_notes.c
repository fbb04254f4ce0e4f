#include "run/run_notes.h"
#include "run/run_stop.h"

#include "base/mem.h"
#include "base/ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum hb_status note_record(const struct hb_run *run, struct hb_particles *particles)
{
  struct hb_text record = {0};
  enum hb_status status = hb_opts_record(&run->asked.opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(particles, "options", record.text);
  hb_mem_free(record.text);
  return status;
}

enum hb_status hb_run_note_options(const struct hb_run *run, struct hb_particles *initial)
{
  HB_TRY(hb_opts_add_history(&run->asked.opts, initial));
  return note_record(run, initial);
}

enum hb_status hb_run_apply_notes(struct hb_run *run, struct hb_particles *particles)
{
  run->diag.has_field = run->settings->sim.field != NULL;
  run->diag.has_bodies = hb_run_stop_has_bodies(run->settings);
  if (run->settings->units == HB_ASTRO_ASTRO) {
    HB_TRY(hb_astro_find(particles, &run->output.units));
    run->diag.units = run->output.units;
  }
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

enum hb_status hb_run_note_resumed(struct hb_run *run, struct hb_particles *state)
{
  struct hb_text line = {0};
  HB_TRY(hb_run_apply_notes(run, state));
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
enum hb_status hb_run_note_all(struct hb_run *run, struct hb_particles *state)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  HB_TRY(hb_particles_set_note(state, "scheme", hb_force_scheme(force)->name));
  HB_TRY(hb_particles_set_note(state, "precision", hb_force_precision(force)));
  const char *tuning = hb_force_tuning(force);
  if (*tuning || hb_particles_note(state, "tuning")) HB_TRY(hb_particles_set_note(state, "tuning", tuning));
  HB_TRY(hb_particles_set_note(state, "context", hb_force_context(force)));
  HB_TRY(note_memory(force, state));
  if (run->resumed.record.text) HB_TRY(hb_run_note_resumed(run, state));
  const char *device = run->resumed.device.text;
  return hb_particles_set_note(state, "device", device ? device : hb_force_device(force));
}
