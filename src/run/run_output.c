#include "run/run_output.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/table.h"
#include "console/astro.h"
#include "console/terminal.h"

#include <math.h>
#include <string.h>

void hb_run_output_begin(struct hb_run_output *output, const struct hb_diagnostics *now, int has_field)
{
  output->e_begin = now->e_total;
  output->e_scale = now->e_scale;
  double all = fmax(fabs(now->e_kin + now->e_pot), now->e_kin);
  output->parts = has_field ? 2 : fabs(now->e_scale - all) > 0.1 * all;
}

double hb_run_output_energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return output->e_begin == 0 ? NAN : (now->e_total + now->e_lost - output->e_begin) / fabs(output->e_begin);
}

double hb_run_output_cluster_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  double change = now->e_total + now->e_lost - output->e_begin;
  return change == 0 ? 0 : change / output->e_scale;
}

/* A row of the table; the last one of --json also says where it was computed, and to which state. */
struct row {
  struct hb_diagnostics now;
  struct hb_sim_counts counts;
  double de_cluster, de_rel, wall_s, eps;
  int done;
  const char *scheme, *precision, *context, *device;
  const char *first_step; /* NULL: leapfrog */
  const char *units;      /* NULL: N-body */
  char state_hash[HB_HASH_TEXT];
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"t", HB_TABLE_REAL, AT(now.t), "%11.9g", "#t"},
    {"e_total", HB_TABLE_REAL, AT(now.e_total), "%#13.10g", "E"},
    {"e_gpu", HB_TABLE_REAL, AT(now.e_gpu), "%#13.10g", "E_gpu"},
    {"e_kin", HB_TABLE_REAL, AT(now.e_kin)},
    {"e_pot", HB_TABLE_REAL, AT(now.e_pot)},
    {"e_cluster", HB_TABLE_REAL, AT(now.e_cluster), "%#13.10g", "E_cluster"},
    {"e_binaries", HB_TABLE_REAL, AT(now.binaries.energy), "%#13.10g", "E_binaries"},
    {"e_orbit", HB_TABLE_REAL, AT(now.e_orbit), "%#13.10g", "E_orbit"},
    {"e_scale", HB_TABLE_REAL, AT(now.e_scale)},
    {"de_cluster", HB_TABLE_REAL, AT(de_cluster), "%8.1e", "dE/E"},
    {"de_rel", HB_TABLE_REAL, AT(de_rel), "%8.1e", "of all"},
    {"virial_ratio", HB_TABLE_REAL, AT(now.virial_ratio), "%7.4f", "virial"},
    {"r_half", HB_TABLE_REAL, AT(now.r_half), "%7.4f"},
    {"block_steps", HB_TABLE_COUNT, AT(counts.block_steps), "%11llu", "block steps"},
    {"particle_steps", HB_TABLE_COUNT, AT(counts.particle_steps), "%14llu", "particle steps"},
    {"pairs", HB_TABLE_COUNT, AT(counts.pairs), "%14llu"},
    {"wall_s", HB_TABLE_REAL, AT(wall_s), "%8.2f", "wall s"},
    {"units", HB_TABLE_TEXT, AT(units)},
    {"exact_energy", HB_TABLE_TRUTH, AT(now.exact_energy)},
    {"eps", HB_TABLE_REAL, AT(eps)},
    {"dt_least", HB_TABLE_REAL, AT(counts.dt_least)},
    {"done", HB_TABLE_TRUTH, AT(done)},
    {"scheme", HB_TABLE_TEXT, AT(scheme)},
    {"precision", HB_TABLE_TEXT, AT(precision)},
    {"context", HB_TABLE_TEXT, AT(context)},
    {"device", HB_TABLE_TEXT, AT(device)},
    {"first_step", HB_TABLE_TEXT, AT(first_step)},
    {"state_hash", HB_TABLE_CHARS, AT(state_hash)},
};
#undef AT
enum { COLUMNS = sizeof columns / sizeof *columns, COLUMNS_OF_THE_LAST = 8 };

/* The columns of parts that the text leaves out have no format. */
static void choose_columns(const struct hb_run_output *output, struct hb_table_column chosen[COLUMNS])
{
  static const struct {
    size_t offset;
    int parts; /* it is for */
  } of_parts[] = {{offsetof(struct row, now.e_cluster), 1},
                  {offsetof(struct row, now.binaries.energy), 1},
                  {offsetof(struct row, now.e_orbit), 2},
                  {offsetof(struct row, de_rel), 1}};
  memcpy(chosen, columns, sizeof columns);
  for (size_t c = 0; c < COLUMNS; c++)
    for (size_t k = 0; k < sizeof of_parts / sizeof *of_parts; k++)
      if (chosen[c].offset == of_parts[k].offset && output->parts < of_parts[k].parts)
        chosen[c].format = NULL;
}

/* Of the state at t, as a file of it has it. */
static enum hb_status hash_state(const struct hb_sim *sim, double t, char text[HB_HASH_TEXT])
{
  struct hb_particles *state;
  HB_TRY(hb_sim_state(sim, t, &state));
  hb_hash_text(hb_particles_hash(state), text);
  hb_particles_destroy(state);
  return HB_OK;
}

/* What the reader of a table has to know before its first row. */
static void print_head(const struct hb_run_output *output, const struct row *row)
{
  if (output->eps_is_default)
    printf("# eps = %.9g, the default: the snapshot does not say its softening, and neither does --eps\n",
           row->eps);
  if (!row->now.exact_energy)
    printf("# no exact energies: E, dE/E and virial use the potentials of %s, %s\n", row->scheme,
           row->precision);
  if (row->units) puts("# t in Myr, E in solar masses (km/s)^2, r_half in pc");
}

enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, int is_last)
{
  const struct hb_force *force = hb_sim_force(sim);
  const struct hb_sim_params *taken = hb_sim_taken(sim);
  struct row row = {.now = *now,
                    .de_cluster = hb_run_output_cluster_error(output, now),
                    .de_rel = hb_run_output_energy_error(output, now),
                    .wall_s = hb_clock_now() - output->wall_begin,
                    .eps = taken->force.eps,
                    .done = 1,
                    .first_step = hb_integrator_named(taken->integrator)->has_dt
                                      ? NULL
                                      : hb_first_step_names[taken->first_step],
                    .scheme = hb_force_scheme(force)->name,
                    .precision = hb_force_precision(force),
                    .context = hb_force_context(force),
                    .device = hb_force_device(force)};
  struct hb_table_column chosen[COLUMNS];
  struct hb_table table = {chosen, COLUMNS, HB_TABLE_JSON_FORM, stdout, (size_t)output->rows};
  choose_columns(output, chosen);
  if (!is_last) table.count -= COLUMNS_OF_THE_LAST;
  if (is_last && output->form != HB_RUN_OUTPUT_NONE) HB_TRY(hash_state(sim, now->t, row.state_hash));
  hb_sim_counts(sim, &row.counts);
  if (output->units.mass > 0) {
    row.units = hb_astro_names[HB_ASTRO_ASTRO];
    row.eps *= output->units.length;
    row.counts.dt_least *= output->units.time;
    hb_astro_diagnostics(&output->units, &row.now);
  }
  hb_terminal_clear_progress();
  if (output->form == HB_RUN_OUTPUT_TABLE) {
    table.form = HB_TABLE_TEXT_FORM;
    if (output->rows == 0) print_head(output, &row);
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
