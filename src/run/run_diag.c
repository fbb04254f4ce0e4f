#include "run/run_diag.h"

#include "base/table.h"
#include "console/target.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the file ---------------------------------------------------------------------------------------- */

static int is_csv(const char *path) { return strcasecmp(hb_text_extension(path), ".csv") == 0; }

enum hb_status hb_run_diag_check(const char *path)
{
  if (!is_csv(path) && strcasecmp(hb_text_extension(path), ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot write diagnostics to '%s': its extension is not csv or jsonl", path);
  return hb_target_check(path, ""); /* the folder only, the format is known */
}

static enum hb_status cannot_write(const struct hb_run_diag *diag)
{
  return hb_fail(HB_ERR_IO, "cannot write %s: %s", diag->path, strerror(errno));
}

enum hb_status hb_run_diag_open(const char *path, size_t n, int append, struct hb_run_diag *diag)
{
  *diag = (struct hb_run_diag){.path = path, .csv = is_csv(path), .n = n};
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
  if (fd < 0) return cannot_write(diag);
  diag->file = fdopen(fd, "w");
  if (!diag->file) {
    close(fd);
    return cannot_write(diag);
  }
  diag->rows = lseek(fd, 0, SEEK_END) > 0;
  return HB_OK;
}

void hb_run_diag_close(struct hb_run_diag *diag)
{
  if (diag->file) fclose(diag->file); /* all rows are flushed */
  diag->file = NULL;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

struct row {
  uint64_t n;
  const char *scheme, *precision;
  struct hb_diagnostics now;
  double de_rel, wall_s;
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
/* here come the Lagrangian radii */
static const struct hb_table_column work[] = {
    {"binaries", HB_TABLE_SIZE, AT(structure.binaries.count)},
    {"e_binaries", HB_TABLE_REAL, AT(structure.binaries.energy)},
    {"a_hardest", HB_TABLE_REAL, AT(structure.binaries.a_hardest)},
    {"block_steps", HB_TABLE_COUNT, AT(counts.block_steps)},
    {"particle_steps", HB_TABLE_COUNT, AT(counts.particle_steps)},
    {"pairs", HB_TABLE_COUNT, AT(counts.pairs)},
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
  NAMED = HB_LAGRANGE_COUNT + HB_BLOCK_SIZES,
};

struct columns {
  struct hb_table_column at[ENERGIES + WORK + NAMED];
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

static void make_columns(size_t n, struct columns *c)
{
  c->count = c->named = 0;
  add(c, energies, ENERGIES);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++)
    add_named(c, HB_TABLE_REAL, offsetof(struct row, structure.r_lagrange) + k * sizeof(double), "r",
              (unsigned long long)lround(100 * hb_lagrange_fractions()[k]));
  add(c, work, WORK);
  for (size_t k = 0; k < HB_BLOCK_SIZES && n >> k; k++)
    add_named(c, HB_TABLE_COUNT, offsetof(struct row, blocks) + k * sizeof(uint64_t), "blocks", 1ULL << k);
}

enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim, const struct hb_diagnostics *now,
                               double de_rel, double wall_s)
{
  const struct hb_force *force = hb_sim_force(sim);
  double e_kin = now->e_kin + now->e_bulk;
  struct row row = {.n = diag->n,
                    .scheme = hb_force_scheme(force)->name,
                    .precision = hb_force_precision(force),
                    .now = *now,
                    .de_rel = de_rel,
                    .wall_s = wall_s,
                    .e_kin_inertial = e_kin,
                    .e_total_inertial = e_kin + now->e_pot,
                    .virial_ratio_inertial = now->e_pot != 0 ? e_kin / fabs(now->e_pot) : 0};
  HB_TRY(hb_sim_structure(sim, now->t, &row.structure));
  hb_sim_counts(sim, &row.counts);
  hb_sim_phases(sim, &row.phases);
  hb_sim_block_sizes(sim, row.blocks);
  struct columns columns;
  make_columns(diag->n, &columns);
  enum hb_table_form form = diag->csv ? HB_TABLE_CSV_FORM : HB_TABLE_JSON_FORM;
  hb_table_put(&(struct hb_table){columns.at, columns.count, form, diag->file, diag->rows}, &row);
  diag->rows++;
  return fflush(diag->file) == 0 && !ferror(diag->file) ? HB_OK : cannot_write(diag);
}
