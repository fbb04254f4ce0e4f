#include "run/run_diag.h"

#include "base/table.h"
#include "console/astro.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
  uint64_t n;
  const char *scheme, *precision, *units;
  struct hb_diagnostics now;
  double de_cluster, de_rel, wall_s;
  double e_kin_inertial, e_total_inertial, virial_ratio_inertial;
  struct hb_structure structure;
  struct hb_sim_counts counts;
  struct hb_phases phases;
  uint64_t blocks[HB_BLOCK_SIZES];
};

#define AT(place) .offset = offsetof(struct row, place)
#define VECTOR(name, place)                                                                                  \
  {name "_x", HB_TABLE_REAL, AT(place[0])}, {name "_y", HB_TABLE_REAL, AT(place[1])},                        \
  {                                                                                                          \
    name "_z", HB_TABLE_REAL, AT(place[2])                                                                   \
  }

static const struct hb_table_column energies[] = {
    {"t", HB_TABLE_REAL, AT(now.t)},
    {"n", HB_TABLE_COUNT, AT(n)},
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
static const struct hb_table_column units = {"units", HB_TABLE_TEXT, AT(units)};
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
/* and here the block sizes, from 1 to the largest power of two up to n */

#undef VECTOR

enum {
  ENERGIES = sizeof energies / sizeof *energies,
  WORK = sizeof work / sizeof *work,
  FIELD = sizeof field / sizeof *field,
  BODIES = sizeof bodies / sizeof *bodies,
  NAMED = HB_LAGRANGE_COUNT + HB_BLOCK_SIZES,
  MOST = ENERGIES + 1 + FIELD + BODIES + NAMED + WORK,
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

static void make_columns(const struct hb_run_diag *diag, struct columns *c)
{
  size_t n = diag->n;
  c->count = c->named = 0;
  add(c, energies, ENERGIES);
  if (diag->units.mass > 0) add(c, &units, 1);
  if (diag->has_field) add(c, field, FIELD);
  if (diag->has_bodies) add(c, bodies, BODIES);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    add_named(c, HB_TABLE_REAL, offsetof(struct row, structure.r_lagrange) + k * sizeof(double), "r",
              (unsigned long long)lround(100 * hb_lagrange_fractions()[k]));
  add(c, work, WORK);
  for (size_t k = 0; k < HB_BLOCK_SIZES && n >> k; k++)
    add_named(c, HB_TABLE_COUNT, offsetof(struct row, blocks) + k * sizeof(uint64_t), "blocks", 1ULL << k);
}

enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim,
                               const struct hb_run_output *output, const struct hb_diagnostics *now,
                               double wall_s)
{
  const struct hb_force *force = hb_sim_force(sim);
  struct row row = {.scheme = hb_force_scheme(force)->name,
                    .precision = hb_force_precision(force),
                    .now = *now,
                    .de_cluster = hb_run_output_cluster_error(output, now),
                    .de_rel = hb_run_output_energy_error(output, now),
                    .units = hb_astro_names[HB_ASTRO_ASTRO],
                    .wall_s = wall_s};
  HB_TRY(hb_sim_structure(sim, now->t, &row.structure));
  if (diag->units.mass > 0) {
    hb_astro_diagnostics(&diag->units, &row.now);
    hb_astro_structure(&diag->units, &row.structure);
  }
  double e_kin = row.now.e_kin + row.now.e_bulk, e_pot = row.now.e_pot;
  row.e_kin_inertial = e_kin;
  row.e_total_inertial = e_kin + e_pot + row.now.e_field;
  row.virial_ratio_inertial = e_pot != 0 ? e_kin / fabs(e_pot) : 0;
  hb_sim_counts(sim, &row.counts);
  if (diag->units.mass > 0) row.counts.dt_least *= diag->units.time;
  row.n = row.counts.n;
  hb_sim_phases(sim, &row.phases);
  hb_sim_block_sizes(sim, row.blocks);
  struct columns columns;
  make_columns(diag, &columns);
  return hb_run_rows_put(&diag->rows, columns.at, columns.count, &row);
}
