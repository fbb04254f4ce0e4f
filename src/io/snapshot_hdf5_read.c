/* Reading for io/snapshot_hdf5.c, in holmberg-child: single files in the Gadget layout, with all types of particles in the
 * order of the types; and which of the layouts a file has. */
#include "core/units.h"
#include "io/hdf5_source.h"
#include "io/snapshot.h"
#include "io/snapshot_amuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPES = 6 };

/* The file, and how many particles of each type its header claims. */
struct gadget {
  const struct hb_hdf5_source *source;
  uint64_t counts[TYPES];
  double masses[TYPES]; /* of all particles of a type; 0: each has its own */
};

/* ---- /Header ------------------------------------------------------------------------------------------ */

/* An optional attribute; without it the values are unchanged. */
static enum hb_status get_optional(const struct hb_hdf5_source *s, const char *name, hssize_t count,
                                   double *values)
{
  htri_t found = H5Aexists_by_name(s->file, "/Header", name, H5P_DEFAULT);
  if (found < 0) return hb_hdf5_damaged(s, "/Header");
  return found ? hb_hdf5_get_numbers(s, "/Header", name, count, values) : HB_OK;
}

/* The counts of a damaged header can be anything; hb_snapshot_hdf5_most limits them by the size of the file. */
static enum hb_status get_counts(struct gadget *g, size_t *n)
{
  double counts[TYPES];
  HB_TRY(hb_hdf5_get_numbers(g->source, "/Header", "NumPart_ThisFile", TYPES, counts));
  *n = 0;
  for (int type = 0; type < TYPES; type++) {
    if (!(counts[type] >= 0 && counts[type] <= UINT32_MAX && counts[type] == floor(counts[type])))
      return hb_fail(HB_ERR_INPUT, "%s: NumPart_ThisFile says %.17g, expected a whole number below 2^32",
                     g->source->path, counts[type]);
    g->counts[type] = (uint64_t)counts[type];
    *n += g->counts[type];
  }
  if (*n == 0)
    return hb_fail(HB_ERR_INPUT, "%s: there are no particles, NumPart_ThisFile is all 0", g->source->path);
  if (*n > hb_snapshot_hdf5_most(g->source->bytes) || *n > UINT32_MAX)
    return hb_fail(HB_ERR_INPUT,
                   "%s: NumPart_ThisFile says %zu particles, more than a file of %llu bytes holds",
                   g->source->path, *n, (unsigned long long)g->source->bytes);
  return HB_OK;
}

static enum hb_status get_headers(struct gadget *g, double *t, size_t *n)
{
  int found;
  double files = 1;
  HB_TRY(hb_hdf5_find(g->source, "/Header", &found));
  if (!found)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group /Header, expected the Gadget layout",
                   g->source->path);
  HB_TRY(get_counts(g, n));
  HB_TRY(get_optional(g->source, "Time", 1, t));
  HB_TRY(get_optional(g->source, "MassTable", TYPES, g->masses));
  HB_TRY(get_optional(g->source, "NumFilesPerSnapshot", 1, &files));
  if (files <= 1) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: one of %g files of a snapshot, expected a single file", g->source->path,
                 files);
}

/* ---- particles ---------------------------------------------------------------------------------------- */

/* Reads /PartTypeK/name into values; if they are NULL it is only checked. */
static enum hb_status get_data(const struct gadget *g, int type, const char *name, enum hb_hdf5_need need,
                               hid_t native, int columns, void *values)
{
  char path[64];
  int found;
  snprintf(path, sizeof path, "/PartType%d", type);
  HB_TRY(hb_hdf5_find(g->source, path, &found));
  if (!found)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group %s, though /Header counts %llu particles of it",
                   g->source->path, path, (unsigned long long)g->counts[type]);
  snprintf(path, sizeof path, "/PartType%d/%s", type, name);
  return hb_hdf5_get_data(g->source, path, need, native, g->counts[type], columns, values);
}

/* The particles of one type, as number first and following. Without identities these are the numbers. */
static enum hb_status get_type(const struct gadget *g, int type, size_t first, struct hb_particles *p)
{
  HB_TRY(get_data(g, type, "Coordinates", HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, 3, p->x + 3 * first));
  HB_TRY(get_data(g, type, "Velocities", HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, 3, p->v + 3 * first));
  HB_TRY(get_data(g, type, "ParticleIDs", HB_HDF5_OPTIONAL, H5T_NATIVE_UINT64, 1, p->id + first));
  int has_radius;
  char path[32];
  snprintf(path, sizeof path, "/PartType%d/Radius", type);
  HB_TRY(hb_hdf5_find(g->source, path, &has_radius));
  if (has_radius) HB_TRY(hb_particles_reserve_radius(p));
  if (has_radius)
    HB_TRY(get_data(g, type, "Radius", HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, 1, p->radius + first));
  if (g->masses[type] == 0)
    return get_data(g, type, "Masses", HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, 1, p->m + first);
  for (size_t i = first; i < first + g->counts[type]; i++) p->m[i] = g->masses[type];
  return HB_OK;
}

/* ---- units -------------------------------------------------------------------------------------------- */

/* Solar masses, pc and km/s from the attributes of Gadget, Arepo and others; 0 where there are none. */
static enum hb_status find_units(const struct hb_hdf5_source *s, double *mass, double *length, double *speed)
{
  static const char *const groups[] = {"/Header", "/Units", "/Parameters"};
  static const char *const names[] = {"UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"};
  double cgs[3] = {0};
  *mass = *length = *speed = 0;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    int found, all = 1;
    HB_TRY(hb_hdf5_find(s, groups[g], &found));
    for (size_t k = 0; found && k < 3; k++)
      all &= H5Aexists_by_name(s->file, groups[g], names[k], H5P_DEFAULT) > 0;
    if (!found || !all) continue;
    for (size_t k = 0; k < 3; k++) HB_TRY(hb_hdf5_get_numbers(s, groups[g], names[k], 1, &cgs[k]));
    *mass = cgs[0] / 1000 / (hb_units_gm_sun / hb_units_gravity);
    *length = cgs[1] / 100 / hb_units_pc;
    *speed = cgs[2] / 1e5;
    return HB_OK;
  }
  return HB_OK;
}

/* Other programs' numbers have another G: masses are multiplied by it, lengths and velocities stay. Numbers of cosmological
 * runs, which contain the scale and Hubble's constant, stay as they are, without units. */
static enum hb_status take_units(const struct hb_hdf5_source *s, struct hb_particles *p)
{
  struct hb_units units = {0};
  double mass, length, speed, redshift = 0, hubble = 1;
  char line[128];
  if (hb_particles_note(p, "units")) return HB_OK; /* ours */
  HB_TRY(find_units(s, &mass, &length, &speed));
  HB_TRY(get_optional(s, "Redshift", 1, &redshift));
  HB_TRY(get_optional(s, "HubbleParam", 1, &hubble));
  if (!(mass > 0 && length > 0 && speed > 0) || redshift != 0 || hubble != 1) return HB_OK;
  units.length = length;
  units.time = length / speed * (hb_units_pc / hb_units_myr * 1e-3);
  HB_TRY(hb_units_complete(&units));
  double G = mass / units.mass;
  for (size_t i = 0; i < p->n; i++) p->m[i] *= G;
  snprintf(line, sizeof line, "read from a file whose units make G = %.9g: masses multiplied by that", G);
  HB_TRY(hb_particles_add_history(p, line));
  return hb_units_set(p, &units);
}

/* ---- the file ----------------------------------------------------------------------------------------- */

static enum hb_status get_gadget(const struct hb_hdf5_source *source, struct hb_particles **particles)
{
  struct gadget gadget = {.source = source}, *g = &gadget;
  double t = 0;
  size_t n = 0;
  HB_TRY(get_headers(g, &t, &n));
  for (int type = 0; type < TYPES; type++) /* before allocating memory for them */
    if (g->counts[type]) HB_TRY(get_data(g, type, "Coordinates", HB_HDF5_NEEDED, H5T_NATIVE_DOUBLE, 3, NULL));
  HB_TRY(hb_particles_create(n, particles));
  struct hb_particles *p = *particles;
  p->t = t;
  for (size_t type = 0, first = 0; type < TYPES; first += g->counts[type++])
    if (g->counts[type]) HB_TRY(get_type(g, (int)type, first, p));
  HB_TRY(hb_hdf5_get_notes(source, p));
  return take_units(source, p);
}

/* The signature is at byte 0, or after another program's header at 512, 1024, ... */
static int is_hdf5(int fd, uint64_t bytes)
{
  char signature[8];
  for (uint64_t at = 0; at + sizeof signature <= bytes; at = at ? 2 * at : 512)
    if (pread(fd, signature, sizeof signature, (off_t)at) == sizeof signature &&
        memcmp(signature, "\x89HDF\r\n\x1a\n", sizeof signature) == 0)
      return 1;
  return 0;
}

/* Ours, and where it is none of the others'. */
static enum hb_status get_any(const struct hb_hdf5_source *s, struct hb_snapshot_choice *choice,
                              struct hb_particles **particles)
{
  int is_gadget, is_amuse;
  HB_TRY(hb_hdf5_find(s, "/Header", &is_gadget));
  HB_TRY(hb_hdf5_find(s, HB_AMUSE_INFO, &is_amuse));
  snprintf(choice->format, sizeof choice->format, "%s",
           is_amuse && !is_gadget ? hb_snapshot_amuse.info.name : hb_snapshot_hdf5.info.name);
  if (is_amuse && !is_gadget) return hb_snapshot_amuse_take(s, choice, particles);
  HB_TRY(get_gadget(s, particles));
  hb_snapshot_offer(choice, (*particles)->t);
  return HB_OK;
}

enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles)
{
  struct stat info;
  char name[32];
  *particles = NULL;
  if (fstat(fd, &info) != 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  struct hb_hdf5_source s = {.path = path, .bytes = (uint64_t)info.st_size};
  if (s.bytes == 0) return hb_fail(HB_ERR_INPUT, "%s: the file is empty", path);
  if (!is_hdf5(fd, s.bytes)) return hb_fail(HB_ERR_INPUT, "%s: not an HDF5 file", path);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0);         /* no filters from plugins, */
  H5Lunregister(H5L_TYPE_EXTERNAL); /* and no other files, not even through a soft link */
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  s.file = H5Fopen(name, H5F_ACC_RDONLY, access);
  enum hb_status status = s.file < 0 ? hb_fail(HB_ERR_INPUT, "%s: the HDF5 file is damaged or cut off", path)
                                     : get_any(&s, choice, particles);
  if (s.file >= 0) H5Fclose(s.file);
  H5Pclose(access);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
  }
  return status;
}
