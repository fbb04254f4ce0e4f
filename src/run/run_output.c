#include "run/run_output.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/table.h"
#include "console/astro.h"
#include "console/terminal.h"

#include <math.h>

double hb_run_output_energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return output->e_begin == 0 ? NAN : (now->e_total + now->e_lost - output->e_begin) / fabs(output->e_begin);
}

/* A row of the table; the last one of --json also says where it was computed, and to which state. */
struct row {
  struct hb_diagnostics now;
  struct hb_sim_counts counts;
  double de_rel, wall_s;
  int done;
  const char *scheme, *precision, *context, *device;
  const char *units; /* NULL: N-body */
  char state_hash[HB_HASH_TEXT];
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"t", HB_TABLE_REAL, AT(now.t), "%11.9g", "#t"},
    {"e_total", HB_TABLE_REAL, AT(now.e_total), "%#13.10g", "E"},
    {"e_gpu", HB_TABLE_REAL, AT(now.e_gpu), "%#13.10g", "E_gpu"},
    {"e_kin", HB_TABLE_REAL, AT(now.e_kin)},
    {"e_pot", HB_TABLE_REAL, AT(now.e_pot)},
    {"de_rel", HB_TABLE_REAL, AT(de_rel), "%8.1e", "dE/E"},
    {"virial_ratio", HB_TABLE_REAL, AT(now.virial_ratio), "%7.4f", "virial"},
    {"r_half", HB_TABLE_REAL, AT(now.r_half), "%7.4f"},
    {"block_steps", HB_TABLE_COUNT, AT(counts.block_steps), "%11llu", "block steps"},
    {"particle_steps", HB_TABLE_COUNT, AT(counts.particle_steps), "%14llu", "particle steps"},
    {"pairs", HB_TABLE_COUNT, AT(counts.pairs), "%14llu"},
    {"wall_s", HB_TABLE_REAL, AT(wall_s), "%8.2f", "wall s"},
    {"units", HB_TABLE_TEXT, AT(units)},
    {"exact_energy", HB_TABLE_TRUTH, AT(now.exact_energy)},
    {"dt_least", HB_TABLE_REAL, AT(counts.dt_least)},
    {"done", HB_TABLE_TRUTH, AT(done)},
    {"scheme", HB_TABLE_TEXT, AT(scheme)},
    {"precision", HB_TABLE_TEXT, AT(precision)},
    {"context", HB_TABLE_TEXT, AT(context)},
    {"device", HB_TABLE_TEXT, AT(device)},
    {"state_hash", HB_TABLE_CHARS, AT(state_hash)},
};
#undef AT
enum { COLUMNS_OF_THE_LAST = 7 };

/* Of the state at t, as a file of it has it. */
static enum hb_status hash_state(const struct hb_sim *sim, double t, char text[HB_HASH_TEXT])
{
  struct hb_particles *state;
  HB_TRY(hb_sim_state(sim, t, &state));
  hb_hash_text(hb_particles_hash(state), text);
  hb_particles_destroy(state);
  return HB_OK;
}

enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, int is_last)
{
  const struct hb_force *force = hb_sim_force(sim);
  struct row row = {.now = *now,
                    .de_rel = hb_run_output_energy_error(output, now),
                    .wall_s = hb_clock_now() - output->wall_begin,
                    .done = 1,
                    .scheme = hb_force_scheme(force)->name,
                    .precision = hb_force_precision(force),
                    .context = hb_force_context(force),
                    .device = hb_force_device(force)};
  struct hb_table table = {HB_TABLE_COLUMNS(columns), HB_TABLE_JSON_FORM, stdout, (size_t)output->rows};
  if (!is_last) table.count -= COLUMNS_OF_THE_LAST;
  if (is_last && output->form != HB_RUN_OUTPUT_NONE) HB_TRY(hash_state(sim, now->t, row.state_hash));
  hb_sim_counts(sim, &row.counts);
  if (output->units.mass > 0) {
    row.units = hb_astro_names[HB_ASTRO_ASTRO];
    row.counts.dt_least *= output->units.time;
    hb_astro_diagnostics(&output->units, &row.now);
  }
  hb_terminal_clear_progress();
  if (output->form == HB_RUN_OUTPUT_TABLE) {
    table.form = HB_TABLE_TEXT_FORM;
    if (output->rows == 0 && !now->exact_energy)
      printf("# no exact energies: E, dE/E and virial use the potentials of %s, %s\n", row.scheme,
             row.precision);
    if (output->rows == 0 && row.units) puts("# t in Myr, E in solar masses (km/s)^2, r_half in pc");
  }
  if (output->form != HB_RUN_OUTPUT_NONE) hb_table_put(&table, &row);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && hb_force_is_reproducible(row.precision))
    printf("# state_hash %s\n", row.state_hash);
  output->rows++;
  return hb_terminal_flush(); /* so that a reader of the pipe sees each row at once */
}

void hb_run_output_progress(const struct hb_run_output *output, double t)
{
  if (!output->has_bar) return;
  hb_terminal_progress((t - output->t_begin) / (output->t_end - output->t_begin),
                       hb_clock_now() - output->wall_begin);
}
