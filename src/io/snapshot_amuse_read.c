/* Reading for io/snapshot_amuse.c, in holmberg-child. Quantities have to be in N-body units, or in none: AMUSE has converters
 * for others, which need to know a mass and a length. */
#include "io/snapshot_amuse.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 128 };

/* The set nearest to the time that is wanted. */
struct set {
  char path[PATH];
  double t;
  size_t n;
};

/* ---- units ------------------------------------------------------------------------------------------- */

/* Without blanks and brackets, in which versions of AMUSE differ. */
static void simplify(const char *words, size_t size, char *simple)
{
  size_t length = 0;
  for (; *words && length + 1 < size; words++)
    if (!strchr(" ()", *words)) simple[length++] = *words;
  simple[length] = 0;
}

static int is_unit(const char *given, const char *const *expected)
{
  char a[256], b[256];
  simplify(given, sizeof a, a);
  for (; *expected; expected++) {
    simplify(*expected, sizeof b, b);
    if (strcmp(a, b) == 0) return 1;
  }
  return 0;
}

static enum hb_status check_unit(const struct hb_hdf5_source *s, const char *path, const char *attribute,
                                 const char *const *expected)
{
  struct hb_text unit = {0};
  enum hb_status status = hb_hdf5_get_text(s, path, attribute, &unit);
  if (status == HB_OK && !is_unit(unit.text, expected))
    status = hb_fail(HB_ERR_INPUT, "%s: %s is in '%.80s', expected N-body units: %s", s->path, path,
                     unit.text, *expected);
  hb_mem_free(unit.text);
  return status;
}

static const char none[] = "none";
static const char *const mass_units[] = {HB_AMUSE_UNIT("mass"), none, NULL};
static const char *const length_units[] = {HB_AMUSE_UNIT("length"), none, NULL};
static const char *const time_units[] = {HB_AMUSE_UNIT("time"), none, NULL};
static const char *const speed_units[] = {HB_AMUSE_SPEED, HB_AMUSE_UNIT("length") "/" HB_AMUSE_UNIT("time"),
                                          HB_AMUSE_UNIT("time") "**-1 * " HB_AMUSE_UNIT("length"), none,
                                          NULL};

/* ---- sets -------------------------------------------------------------------------------------------- */

static enum hb_status check_type(const struct hb_hdf5_source *s, const char *path)
{
  struct hb_text type = {0};
  enum hb_status status = hb_hdf5_get_text(s, path, "type", &type);
  if (status == HB_OK && strcmp(type.text, "particles") != 0)
    status = hb_fail(HB_ERR_INPUT, "%s: %s is of type '%.40s', expected particles", s->path, path, type.text);
  hb_mem_free(type.text);
  return status;
}

static enum hb_status get_time(const struct hb_hdf5_source *s, const char *path, double *t)
{
  htri_t found = H5Aexists_by_name(s->file, path, "timestamp", H5P_DEFAULT);
  *t = 0;
  if (found < 0) return hb_hdf5_damaged(s, path);
  if (!found) return HB_OK;
  HB_TRY(check_unit(s, path, "timestamp_unit", time_units));
  HB_TRY(hb_hdf5_get_numbers(s, path, "timestamp", 1, t));
  return isfinite(*t)
             ? HB_OK
             : hb_fail(HB_ERR_INPUT, "%s: the timestamp of %s is %g, expected finite", s->path, path, *t);
}

/* Its number of particles, which a damaged file could make anything. */
static enum hb_status get_n(const struct hb_hdf5_source *s, const char *path, size_t *n)
{
  double count;
  HB_TRY(hb_hdf5_get_numbers(s, path, "number_of_particles", 1, &count));
  double most = fmin((double)hb_snapshot_hdf5_most(s->bytes), UINT32_MAX);
  if (count >= 1 && count <= most && count == floor(count)) {
    *n = (size_t)count;
    return HB_OK;
  }
  return hb_fail(HB_ERR_INPUT,
                 "%s: number_of_particles of %s is %.17g, expected a whole number from 1 to %.0f", s->path,
                 path, count, most);
}

/* The k-th set is named by k + 1 in ten digits. */
static enum hb_status look_at(const struct hb_hdf5_source *s, unsigned long k,
                              struct hb_snapshot_choice *choice, struct set *chosen, int *found)
{
  struct set set;
  snprintf(set.path, sizeof set.path, HB_AMUSE_DATA "/%010lu", k + 1);
  HB_TRY(hb_hdf5_find(s, set.path, found));
  if (!*found) return HB_OK;
  HB_TRY(check_type(s, set.path));
  HB_TRY(get_time(s, set.path, &set.t));
  HB_TRY(get_n(s, set.path, &set.n));
  if (hb_snapshot_offer(choice, set.t)) *chosen = set;
  return HB_OK;
}

/* ---- particles --------------------------------------------------------------------------------------- */

/* values[stride * i] */
static enum hb_status get_column(const struct hb_hdf5_source *s, const struct set *set, const char *name,
                                 const char *const *units, double *column, size_t stride, double *values)
{
  char path[2 * PATH];
  snprintf(path, sizeof path, "%s/attributes/%s", set->path, name);
  HB_TRY(hb_hdf5_get_data(s, path, HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, set->n, 1, column));
  HB_TRY(check_unit(s, path, "units", units));
  for (size_t i = 0; values && i < set->n; i++) values[stride * i] = column[i];
  return HB_OK;
}

static enum hb_status get_columns(const struct hb_hdf5_source *s, const struct set *set, double *column,
                                  struct hb_particles *p)
{
  static const char *const x_names[] = {"x", "y", "z"}, *const v_names[] = {"vx", "vy", "vz"};
  HB_TRY(get_column(s, set, "mass", mass_units, column, 1, p->m));
  for (size_t k = 0; k < 3; k++) {
    HB_TRY(get_column(s, set, x_names[k], length_units, column, 3, p->x + k));
    HB_TRY(get_column(s, set, v_names[k], speed_units, column, 3, p->v + k));
  }
  return HB_OK;
}

static enum hb_status get_set(const struct hb_hdf5_source *s, const struct set *set,
                              struct hb_particles **particles)
{
  char path[2 * PATH];
  double *column;
  int found;
  snprintf(path, sizeof path, "%s/attributes", set->path);
  HB_TRY(hb_hdf5_find(s, path, &found));
  if (!found) return hb_fail(HB_ERR_INPUT, "%s: there is no group %s", s->path, path);
  HB_TRY(get_column(s, set, "mass", mass_units, NULL, 0, NULL)); /* before allocating memory for them */
  HB_TRY(hb_particles_create(set->n, particles));
  (*particles)->t = set->t;
  snprintf(path, sizeof path, "%s/keys", set->path);
  HB_TRY(hb_hdf5_get_data(s, path, HB_HDF5_NEEDED, H5T_NATIVE_UINT64, set->n, 1, (*particles)->id));
  HB_TRY(HB_ALLOC(set->n, &column));
  enum hb_status status = get_columns(s, set, column, *particles);
  hb_mem_free(column);
  return status == HB_OK ? hb_hdf5_get_notes(s, *particles) : status;
}

enum hb_status hb_snapshot_amuse_take(const struct hb_hdf5_source *source, struct hb_snapshot_choice *choice,
                                      struct hb_particles **particles)
{
  struct set chosen = {.n = 0};
  int found;
  HB_TRY(hb_hdf5_find(source, HB_AMUSE_DATA, &found));
  for (unsigned long k = 0; found; k++) HB_TRY(look_at(source, k, choice, &chosen, &found));
  if (choice->count == 0)
    return hb_fail(HB_ERR_INPUT, "%s: there is no set of particles in " HB_AMUSE_DATA, source->path);
  return get_set(source, &chosen, particles);
}
