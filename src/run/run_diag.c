#include "run/run_diag.h"

#include "base/json.h"
#include "console/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the file ---------------------------------------------------------------------------------------- */

static int has_extension(const char *path, const char *extension)
{
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot + 1, extension) == 0;
}

enum hb_status hb_run_diag_check(const char *path)
{
  if (!has_extension(path, "csv") && !has_extension(path, "jsonl"))
    return hb_fail(HB_ERR_USAGE, "cannot write diagnostics to '%s': its extension is none of csv, jsonl",
                   path);
  return hb_target_check(path, ""); /* the place only, the format is known */
}

static enum hb_status cannot_write(const struct hb_run_diag *diag)
{
  return hb_fail(HB_ERR_IO, "cannot write %s: %s", diag->path, strerror(errno));
}

static enum hb_status open_file(const char *path, int flags, size_t n, struct hb_run_diag *diag)
{
  *diag = (struct hb_run_diag){.path = path, .csv = has_extension(path, "csv"), .n = n};
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
  if (fd < 0) return cannot_write(diag);
  diag->file = fdopen(fd, "w");
  if (!diag->file) {
    close(fd);
    return cannot_write(diag);
  }
  diag->rows = lseek(fd, 0, SEEK_END) > 0;
  return HB_OK;
}

enum hb_status hb_run_diag_open(const char *path, size_t n, struct hb_run_diag *diag)
{
  return open_file(path, O_TRUNC, n, diag);
}

enum hb_status hb_run_diag_go_on(const char *path, size_t n, struct hb_run_diag *diag)
{
  return open_file(path, O_APPEND, n, diag);
}

void hb_run_diag_close(struct hb_run_diag *diag)
{
  if (diag->file) fclose(diag->file); /* all rows are out */
  diag->file = NULL;
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* A row under way. The same list of fields is gone through for the header and for each row of either form. */
struct row {
  struct hb_json json; /* its `out` also takes comma separated values */
  int csv, names_only;
};

/* Whether the field's value comes next; what stands before it is written. */
static int value_follows(struct row *row, const char *name)
{
  if (!row->csv) return 1;
  if (row->json.follows) fputc(',', row->json.out);
  row->json.follows = 1;
  if (row->names_only) fputs(name, row->json.out);
  return !row->names_only;
}

static void put_number(struct row *row, const char *name, double number)
{
  if (!value_follows(row, name)) return;
  if (!row->csv)
    hb_json_number(&row->json, name, number);
  else if (isnan(number)) /* whatever its sign */
    fputs("nan", row->json.out);
  else
    fprintf(row->json.out, "%.17g", number);
}

static void put_count(struct row *row, const char *name, uint64_t count)
{
  if (!value_follows(row, name)) return;
  if (row->csv)
    fprintf(row->json.out, "%" PRIu64, count);
  else
    hb_json_count(&row->json, name, count);
}

/* A word without commas or quotes. */
static void put_word(struct row *row, const char *name, const char *word)
{
  if (!value_follows(row, name)) return;
  if (row->csv)
    fputs(word, row->json.out);
  else
    hb_json_text(&row->json, name, word);
}

static void put_truth(struct row *row, const char *name, int truth)
{
  if (!value_follows(row, name)) return;
  if (row->csv)
    fputs(truth ? "1" : "0", row->json.out);
  else
    hb_json_truth(&row->json, name, truth);
}

static void put_vector(struct row *row, const char *stem, const double v[3])
{
  char name[32];
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "%s_%c", stem, "xyz"[k]);
    put_number(row, name, v[k]);
  }
}

/* ---- fields ------------------------------------------------------------------------------------------ */

struct facts {
  const struct hb_sim *sim;
  const struct hb_diagnostics *now;
  struct hb_structure structure;
  double de_rel, wall_s;
  size_t n;
};

static void put_energies(struct row *row, const struct facts *f)
{
  const struct hb_diagnostics *now = f->now;
  put_truth(row, "exact_energy", now->exact_energy);
  put_number(row, "e_total", now->e_total);
  put_number(row, "e_gpu", now->e_gpu);
  put_number(row, "e_kin", now->e_kin);
  put_number(row, "e_pot", now->e_pot);
  put_number(row, "de_rel", f->de_rel);
  put_number(row, "virial_ratio", now->virial_ratio);
  double e_kin = now->e_kin + now->e_bulk;
  put_number(row, "e_kin_inertial", e_kin);
  put_number(row, "e_total_inertial", e_kin + now->e_pot);
  put_number(row, "virial_ratio_inertial", now->e_pot != 0 ? e_kin / fabs(now->e_pot) : 0);
}

static void put_structure(struct row *row, const struct facts *f)
{
  const struct hb_structure *s = &f->structure;
  put_vector(row, "momentum", s->momentum);
  put_vector(row, "angular_momentum", s->angular_momentum);
  put_vector(row, "mass_centre", s->x_mass);
  put_vector(row, "mass_centre_v", s->v_mass);
  put_vector(row, "density_centre", s->x_density);
  put_number(row, "r_core", s->r_core);
  put_number(row, "r_half", f->now->r_half);
  for (int k = 0; k < HB_LAGRANGE_COUNT; k++) {
    char name[16];
    snprintf(name, sizeof name, "r_%.0f", 100 * hb_lagrange_fractions()[k]);
    put_number(row, name, s->r_lagrange[k]);
  }
  put_count(row, "binaries", s->binaries.count);
  put_number(row, "e_binaries", s->binaries.energy);
  put_number(row, "a_hardest", s->binaries.a_hardest);
}

/* The work so far; block sizes from 1 to the power of two that n reaches. */
static void put_work(struct row *row, const struct facts *f)
{
  struct hb_sim_counts counts;
  struct hb_phases phases;
  uint64_t blocks[HB_BLOCK_SIZES];
  hb_sim_counts(f->sim, &counts);
  hb_sim_phases(f->sim, &phases);
  hb_sim_block_sizes(f->sim, blocks);
  put_count(row, "block_steps", counts.block_steps);
  put_count(row, "particle_steps", counts.particle_steps);
  put_count(row, "pairs", counts.pairs);
  put_number(row, "predict_s", phases.predict_s);
  put_number(row, "send_s", phases.send_s);
  put_number(row, "force_s", phases.force_s);
  put_number(row, "receive_s", phases.receive_s);
  put_number(row, "correct_s", phases.correct_s);
  put_number(row, "wall_s", f->wall_s);
  for (int k = 0; k < HB_BLOCK_SIZES && f->n >> k; k++) {
    char name[32];
    snprintf(name, sizeof name, "blocks_%llu", 1ULL << k);
    put_count(row, name, blocks[k]);
  }
}

static void put_fields(struct row *row, const struct facts *f)
{
  const struct hb_force *force = hb_sim_force(f->sim);
  if (!row->csv) hb_json_open_object(&row->json, NULL);
  put_number(row, "t", f->now->t);
  put_count(row, "n", f->n);
  put_word(row, "scheme", hb_force_scheme(force)->name);
  put_word(row, "precision", hb_force_precision(force));
  put_energies(row, f);
  put_structure(row, f);
  put_work(row, f);
  if (!row->csv) hb_json_close_object(&row->json);
  fputc('\n', row->json.out);
}

enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim, const struct hb_diagnostics *now,
                               double de_rel, double wall_s)
{
  struct facts facts = {.sim = sim, .now = now, .de_rel = de_rel, .wall_s = wall_s, .n = diag->n};
  HB_TRY(hb_sim_structure(sim, now->t, &facts.structure));
  if (diag->csv && diag->rows == 0)
    put_fields(&(struct row){.json = {diag->file, 0}, .csv = 1, .names_only = 1}, &facts);
  put_fields(&(struct row){.json = {diag->file, 0}, .csv = diag->csv}, &facts);
  diag->rows++;
  return fflush(diag->file) == 0 && !ferror(diag->file) ? HB_OK : cannot_write(diag);
}
