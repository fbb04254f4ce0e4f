#include "run/run_rows.h"

#include "base/clock.h"
#include "base/hash.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- energies and their errors ---- */

void hb_run_output_begin(struct hb_run_output *output, const struct hb_diagnostics *now, int has_field)
{
  output->e_begin = now->e_total;
  output->e_scale = now->e_scale;
  double all = fmax(fabs(now->e_kin + now->e_pot), now->e_kin);
  output->parts = has_field ? 2 : fabs(now->e_scale - all) > 0.1 * all;
}

/* What the integrator has made. */
static double change_of(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return now->e_total + now->e_lost - now->e_changed - output->e_begin;
}

static double energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return output->e_begin == 0 ? NAN : change_of(output, now) / fabs(output->e_begin);
}

double hb_run_output_cluster_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  double change = change_of(output, now);
  return change == 0 ? 0 : change / output->e_scale;
}

/* ---- what rows are made of ---- */

struct row {
  struct hb_diagnostics now;
  struct hb_sim_counts counts;
  double de_cluster, de_rel, wall_s, eps;
  int done;
  const char *scheme, *precision, *context, *device;
  const char *first_step; /* NULL: the integrator has none */
  const char *units;      /* NULL: N-body */
  int neighbors;          /* 0: none */
  double list_mean;
  struct hb_phases phases;
  struct hb_run_star_counts stars;
  char state_hash[HB_HASH_TEXT];
  /* of --diag */
  double e_kin_inertial, e_total_inertial, virial_ratio_inertial;
  struct hb_structure structure;
  uint64_t blocks[HB_BLOCK_SIZES], full_blocks[HB_BLOCK_SIZES];
};

/* All but hash and structure, in the units of the rows. */
static void fill_row(const struct hb_run_output *output, const struct hb_sim *sim,
                     const struct hb_diagnostics *now, struct row *row)
{
  const struct hb_force *force = hb_sim_force(sim);
  const struct hb_sim_params *taken = hb_sim_taken(sim);
  const struct hb_units *units = &output->units;
  *row = (struct row){.now = *now,
                      .de_cluster = hb_run_output_cluster_error(output, now),
                      .de_rel = energy_error(output, now),
                      .wall_s = hb_clock_now() - output->wall_begin,
                      .eps = taken->force.eps,
                      .neighbors = taken->neighbors,
                      .done = 1,
                      .first_step = hb_integrator_named(taken->integrator)->has_dt
                                        ? NULL
                                        : hb_first_step_names[taken->first_step],
                      .scheme = hb_force_scheme(force)->name,
                      .precision = hb_force_precision(force),
                      .context = hb_force_context(force),
                      .device = hb_force_device(force)};
  hb_sim_counts(sim, &row->counts);
  if (output->stars) row->stars = hb_run_stars_count(output->stars, now->t);
  hb_sim_phases(sim, &row->phases);
  hb_sim_block_sizes(sim, row->blocks);
  hb_sim_full_block_sizes(sim, row->full_blocks);
  const struct hb_near_counts *near = &row->counts.near;
  row->list_mean = near->far_steps ? (double)near->listed / (double)near->far_steps : 0;
  if (units->mass > 0) {
    row->units = hb_astro_names[HB_ASTRO_ASTRO];
    row->eps *= units->length;
    row->counts.dt_least *= units->time;
    hb_astro_diagnostics(units, &row->now);
  }
  double e_kin = row->now.e_kin + row->now.e_bulk, e_pot = row->now.e_pot;
  row->e_kin_inertial = e_kin;
  row->e_total_inertial = e_kin + e_pot + row->now.e_field;
  row->virial_ratio_inertial = e_pot != 0 ? e_kin / fabs(e_pot) : 0;
}

#define AT(place) .offset = offsetof(struct row, place)

/* ---- the table, or lines of JSON; the last of these also says where it was computed, and to which state ---- */

/* only with neighbors; --diag has force_s anyway */
static const struct hb_table_column near[] = {
    {"full_blocks", HB_TABLE_COUNT, AT(counts.near.full_blocks)},
    {"far_steps", HB_TABLE_COUNT, AT(counts.near.far_steps)},
    {"near_pairs", HB_TABLE_COUNT, AT(counts.near.near_pairs)},
    {"full_pairs", HB_TABLE_COUNT, AT(counts.near.full_pairs)},
    {"list_mean", HB_TABLE_REAL, AT(list_mean)},
    {"list_longest", HB_TABLE_COUNT, AT(counts.near.longest)},
    {"list_changes", HB_TABLE_COUNT, AT(counts.near.changes)},
    {"far_by_reach", HB_TABLE_COUNT, AT(counts.near.by_reach)},
    {"far_by_noise", HB_TABLE_COUNT, AT(counts.near.by_noise)},
    {"near_s", HB_TABLE_REAL, AT(phases.near_s)},
    {"lists_s", HB_TABLE_REAL, AT(phases.lists_s)},
    {"groups_s", HB_TABLE_REAL, AT(phases.groups_s)},
    {"force_s", HB_TABLE_REAL, AT(phases.force_s)},
};
enum { NEAR = sizeof near / sizeof *near, NEAR_DIAG = NEAR - 1 };

/* only where stars age, in the last row */
static const struct hb_table_column stars[] = {
    {"supernovae", HB_TABLE_COUNT, AT(stars.supernovae)},
    {"white_dwarfs", HB_TABLE_COUNT, AT(stars.white_dwarfs)},
    {"neutron_stars", HB_TABLE_COUNT, AT(stars.neutron_stars)},
    {"black_holes", HB_TABLE_COUNT, AT(stars.black_holes)},
    {"mass_lost", HB_TABLE_REAL, AT(stars.mass_lost)},
    {"e_changed", HB_TABLE_REAL, AT(now.e_changed)},
};
enum { STARS = sizeof stars / sizeof *stars };

static const struct hb_table_column shown[] = {
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
    {"sent_bytes", HB_TABLE_COUNT, AT(counts.sent_bytes)},
    {"first_step", HB_TABLE_TEXT, AT(first_step)},
    {"neighbors", HB_TABLE_INT, AT(neighbors)},
    {"state_hash", HB_TABLE_CHARS, AT(state_hash)},
};
enum { SHOWN = sizeof shown / sizeof *shown, SHOWN_LAST = 10, SHOWN_ALWAYS = SHOWN - SHOWN_LAST };

/* How many there are. The columns of parts that the text leaves out have no format. */
static size_t choose_columns(const struct hb_run_output *output, int has_neighbors, int is_last,
                             struct hb_table_column chosen[SHOWN + NEAR + STARS])
{
  size_t count = SHOWN_ALWAYS;
  static const struct {
    size_t offset;
    int parts; /* it is for */
  } of_parts[] = {{offsetof(struct row, now.e_cluster), 1},
                  {offsetof(struct row, now.binaries.energy), 1},
                  {offsetof(struct row, now.e_orbit), 2},
                  {offsetof(struct row, de_rel), 1}};
  memcpy(chosen, shown, SHOWN_ALWAYS * sizeof *shown);
  for (size_t c = 0; c < SHOWN_ALWAYS; c++)
    for (size_t k = 0; k < sizeof of_parts / sizeof *of_parts; k++)
      if (chosen[c].offset == of_parts[k].offset && output->parts < of_parts[k].parts)
        chosen[c].format = NULL;
  if (has_neighbors) memcpy(chosen + count, near, sizeof near), count += NEAR;
  if (is_last && output->stars) memcpy(chosen + count, stars, sizeof stars), count += STARS;
  if (is_last) memcpy(chosen + count, shown + SHOWN_ALWAYS, SHOWN_LAST * sizeof *shown), count += SHOWN_LAST;
  return count;
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

static void print_stars(const struct hb_run_star_counts *c)
{
  printf("# stars: %" PRIu64 " supernovae, %.6g solar masses lost; %" PRIu64 " white dwarfs, %" PRIu64
         " neutron stars, %" PRIu64 " black holes\n",
         c->supernovae, c->mass_lost, c->white_dwarfs, c->neutron_stars, c->black_holes);
}

/* What neighbors have saved: how many block steps and particle steps were full. */
static void print_near(const struct row *row)
{
  const struct hb_sim_counts *c = &row->counts;
  printf("# %d neighbors (%.1f in the mean, %" PRIu64 " at most): %" PRIu64 " of %" PRIu64
         " block steps and %.3g %% of %" PRIu64 " particle steps were full\n",
         row->neighbors, row->list_mean, c->near.longest, c->near.full_blocks, c->block_steps,
         c->particle_steps ? 100 * (double)c->near.far_steps / (double)c->particle_steps : 0,
         c->particle_steps);
}

enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, int is_last)
{
  struct row row;
  struct hb_table_column chosen[SHOWN + NEAR + STARS];
  struct hb_table table = {chosen, 0, HB_TABLE_JSON_FORM, stdout, (size_t)output->rows};
  fill_row(output, sim, now, &row);
  table.count = choose_columns(output, row.neighbors > 0, is_last, chosen);
  if (is_last && output->form != HB_RUN_OUTPUT_NONE) HB_TRY(hash_state(sim, now->t, row.state_hash));
  hb_terminal_clear_progress();
  if (output->form == HB_RUN_OUTPUT_TABLE) {
    table.form = HB_TABLE_TEXT_FORM;
    if (output->rows == 0) print_head(output, &row);
  }
  if (output->form != HB_RUN_OUTPUT_NONE) hb_table_put(&table, &row);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && row.neighbors > 0) print_near(&row);
  if (is_last && output->form == HB_RUN_OUTPUT_TABLE && output->stars) print_stars(&row.stars);
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

/* ---- the file of --diag ---- */

#define VECTOR(name, place)                                                                                  \
  {name "_x", HB_TABLE_REAL, AT(place[0])}, {name "_y", HB_TABLE_REAL, AT(place[1])},                        \
  {                                                                                                          \
    name "_z", HB_TABLE_REAL, AT(place[2])                                                                   \
  }

static const struct hb_table_column energies[] = {
    {"t", HB_TABLE_REAL, AT(now.t)},
    {"n", HB_TABLE_COUNT, AT(counts.n)},
    {"scheme", HB_TABLE_TEXT, AT(scheme)},
    {"precision", HB_TABLE_TEXT, AT(precision)},
    {"exact_energy", HB_TABLE_TRUTH, AT(now.exact_energy)},
    {"e_total", HB_TABLE_REAL, AT(now.e_total)},
    {"e_gpu", HB_TABLE_REAL, AT(now.e_gpu)},
    {"e_kin", HB_TABLE_REAL, AT(now.e_kin)},
    {"e_pot", HB_TABLE_REAL, AT(now.e_pot)},
    {"e_cluster", HB_TABLE_REAL, AT(now.e_cluster)},
    {"e_orbit", HB_TABLE_REAL, AT(now.e_orbit)},
    {"e_scale", HB_TABLE_REAL, AT(now.e_scale)},
    {"de_cluster", HB_TABLE_REAL, AT(de_cluster)},
    {"de_rel", HB_TABLE_REAL, AT(de_rel)},
    {"virial_ratio", HB_TABLE_REAL, AT(now.virial_ratio)},
    {"e_kin_inertial", HB_TABLE_REAL, AT(e_kin_inertial)},
    {"e_total_inertial", HB_TABLE_REAL, AT(e_total_inertial)},
    {"virial_ratio_inertial", HB_TABLE_REAL, AT(virial_ratio_inertial)},
    VECTOR("momentum", structure.momentum),
    VECTOR("angular_momentum", structure.angular_momentum),
    VECTOR("mass_centre", structure.x_mass),
    VECTOR("mass_centre_v", structure.v_mass),
    VECTOR("density_centre", structure.x_density),
    {"r_core", HB_TABLE_REAL, AT(structure.r_core)},
    {"r_half", HB_TABLE_REAL, AT(now.r_half)},
};
/* only in other units than N-body */
static const struct hb_table_column units_column = {"units", HB_TABLE_TEXT, AT(units)};
/* only with forces from outside */
static const struct hb_table_column field[] = {
    {"e_field", HB_TABLE_REAL, AT(now.e_field)},
    {"e_jacobi", HB_TABLE_REAL, AT(now.e_jacobi)},
};
/* only where bodies merge or escape */
static const struct hb_table_column bodies[] = {
    {"e_lost", HB_TABLE_REAL, AT(now.e_lost)},
    {"merged", HB_TABLE_COUNT, AT(counts.merged)},
    {"escaped", HB_TABLE_COUNT, AT(counts.escaped)},
};
/* here come the Lagrangian radii */
static const struct hb_table_column work[] = {
    {"binaries", HB_TABLE_SIZE, AT(now.binaries.count)},
    {"e_binaries", HB_TABLE_REAL, AT(now.binaries.energy)},
    {"a_hardest", HB_TABLE_REAL, AT(now.binaries.a_hardest)},
    {"block_steps", HB_TABLE_COUNT, AT(counts.block_steps)},
    {"particle_steps", HB_TABLE_COUNT, AT(counts.particle_steps)},
    {"pairs", HB_TABLE_COUNT, AT(counts.pairs)},
    {"dt_least", HB_TABLE_REAL, AT(counts.dt_least)},
    {"predict_s", HB_TABLE_REAL, AT(phases.predict_s)},
    {"send_s", HB_TABLE_REAL, AT(phases.send_s)},
    {"force_s", HB_TABLE_REAL, AT(phases.force_s)},
    {"receive_s", HB_TABLE_REAL, AT(phases.receive_s)},
    {"correct_s", HB_TABLE_REAL, AT(phases.correct_s)},
    {"wall_s", HB_TABLE_REAL, AT(wall_s)},
};
/* and here what neighbors have done, and the block sizes */

#undef VECTOR

enum {
  ENERGIES = sizeof energies / sizeof *energies,
  WORK = sizeof work / sizeof *work,
  FIELD = sizeof field / sizeof *field,
  BODIES = sizeof bodies / sizeof *bodies,
  NAMED = HB_LAGRANGE_COUNT + 2 * HB_BLOCK_SIZES,
  MOST = ENERGIES + 1 + FIELD + BODIES + NAMED + WORK + NEAR,
};

struct columns {
  struct hb_table_column at[MOST];
  size_t count, named;
  char names[NAMED][24];
};

static void add(struct columns *c, const struct hb_table_column *columns, size_t count)
{
  memcpy(c->at + c->count, columns, count * sizeof *columns);
  c->count += count;
}

static void add_named(struct columns *c, enum hb_table_kind kind, size_t offset, const char *stem,
                      unsigned long long number)
{
  char *name = c->names[c->named++];
  snprintf(name, sizeof *c->names, "%s_%llu", stem, number);
  add(c, &(struct hb_table_column){.name = name, .kind = kind, .offset = offset}, 1);
}

/* Histograms of block steps, from 1 to the largest power of two up to n. */
static void add_blocks(struct columns *c, size_t n, size_t offset, const char *stem)
{
  for (size_t k = 0; k < HB_BLOCK_SIZES && n >> k; k++)
    add_named(c, HB_TABLE_COUNT, offset + k * sizeof(uint64_t), stem, 1ULL << k);
}

static void make_columns(const struct hb_run_diag *diag, const struct row *row, struct columns *c)
{
  c->count = c->named = 0;
  add(c, energies, ENERGIES);
  if (row->units) add(c, &units_column, 1);
  if (diag->has_field) add(c, field, FIELD);
  if (diag->has_bodies) add(c, bodies, BODIES);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    add_named(c, HB_TABLE_REAL, offsetof(struct row, structure.r_lagrange) + k * sizeof(double), "r",
              (unsigned long long)lround(100 * hb_lagrange_fractions()[k]));
  add(c, work, WORK);
  if (row->neighbors > 0) add(c, near, NEAR_DIAG);
  add_blocks(c, diag->n, offsetof(struct row, blocks), "blocks");
  if (row->neighbors > 0) add_blocks(c, diag->n, offsetof(struct row, full_blocks), "full_blocks");
}

enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim,
                               const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  struct row row;
  struct hb_structure structure;
  struct columns columns;
  HB_TRY(hb_sim_structure(sim, now->t, &structure));
  fill_row(output, sim, now, &row);
  row.structure = structure;
  if (output->units.mass > 0) hb_astro_structure(&output->units, &row.structure);
  make_columns(diag, &row, &columns);
  return hb_run_rows_put(&diag->rows, columns.at, columns.count, &row);
}

#undef AT

/* ---- the file of --events ---- */

struct event_row {
  double t;
  const char *event, *units;
  char members[HB_EVENT_MOST * 21 + 1]; /* identities with blanks between them */
  double a, e, E;
};

#define AT(place) .offset = offsetof(struct event_row, place)
static const struct hb_table_column event_columns[] = {
    {"t", HB_TABLE_REAL, AT(t)},
    {"event", HB_TABLE_TEXT, AT(event)},
    {"members", HB_TABLE_CHARS, AT(members)},
    {"a", HB_TABLE_REAL, AT(a)},
    {"e", HB_TABLE_REAL, AT(e)},
    {"E", HB_TABLE_REAL, AT(E)},
    {"units", HB_TABLE_TEXT, AT(units)}, /* last: left out in N-body units */
};
#undef AT

static enum hb_status put_event(struct hb_run_rows *rows, const struct hb_units *units, struct event_row *row)
{
  size_t count = sizeof event_columns / sizeof *event_columns;
  if (units->mass > 0) {
    row->units = hb_astro_names[HB_ASTRO_ASTRO];
    row->t *= units->time;
    row->a *= units->length;
    row->E *= hb_astro_energy(units);
  } else
    count--;
  return hb_run_rows_put(rows, event_columns, count, row);
}

void hb_run_events_note(const struct hb_run_settings *s, const char *option)
{
  char line[128];
  int has_dt = hb_run_has_dt(s);
  const char *how = has_dt                           ? "integrator "
                    : s->sim.force.eps != 0          ? "--eps above 0"
                    : s->sim.correct == HB_PLACE_GPU ? "--correct gpu"
                                                     : NULL;
  if (!how) return;
  snprintf(line, sizeof line, "%s: with %s%s, encounters of unbound stars are not looked for, binaries are",
           option, how, has_dt ? s->sim.integrator : "");
  hb_terminal_note(line);
}

enum hb_status hb_run_events_begin(struct hb_run_rows *rows, struct hb_sim *sim, const struct hb_units *units)
{
  struct event_row row = {.t = hb_sim_time(sim), .event = "begin", .a = NAN, .e = NAN, .E = NAN};
  int is_new = rows->rows == 0;
  if (rows->file && is_new) HB_TRY(put_event(rows, units, &row));
  unsigned all = (1U << HB_EVENT_KINDS) - 1, again = all & ~(1U << HB_EVENT_INITIAL);
  HB_TRY(hb_sim_watch(sim, is_new ? all : again));
  return hb_run_events_put(rows, sim, units);
}

enum hb_status hb_run_events_put(struct hb_run_rows *rows, const struct hb_sim *sim,
                                 const struct hb_units *units)
{
  size_t count;
  const struct hb_event *events = hb_sim_events(sim, &count);
  for (size_t k = 0; rows->file && k < count; k++) {
    const struct hb_event *e = events + k;
    struct event_row row = {.t = e->t, .event = hb_event_names[e->kind], .a = e->a, .e = e->e, .E = e->E};
    char *place = row.members;
    for (size_t m = 0; m < e->n; m++) place += sprintf(place, "%s%" PRIu64, m ? " " : "", e->id[m]);
    HB_TRY(put_event(rows, units, &row));
  }
  return HB_OK;
}
