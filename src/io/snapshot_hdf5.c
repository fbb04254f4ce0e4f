/* HDF5 snapshots. Ours have the Gadget layout, which yt, pynbody and glnemo2 read: attributes of
 * /Header, one group /PartType0 .. /PartType5 per type of particle, ours all of type 1. AMUSE's, version 2.0: the group data
 * has a subgroup, 0000000001 and so on, for each set that was saved, with the keys of its particles and a data set for each
 * of their attributes. Notes are string attributes of /Holmberg. */
#include "io/hdf5_child.h"

#include "base/mem.h"
#include "core/units.h"

#include <dlfcn.h>
#include <errno.h>
#include <hdf5_calls.h> /* made by the Makefile: <hdf5.h>, whose calls go through the table below */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { HB_GADGET_TYPES = 6 };

#define HB_AMUSE_INFO "/AMUSE_INF"
#define HB_AMUSE_DATA "/data"

/* N-body units as AMUSE writes them; it evaluates these words. */
#define HB_AMUSE_UNIT(of) "system.get('generic').base('" of "')"
#define HB_AMUSE_SPEED    "(" HB_AMUSE_UNIT("length") " * (" HB_AMUSE_UNIT("time") "**-1))"

/* What it measures, in N-body units and in SI, and powers of mass, length and time. */
enum hb_amuse_unit { HB_AMUSE_MASS, HB_AMUSE_LENGTH, HB_AMUSE_VELOCITY, HB_AMUSE_TIME };
static const struct {
  const char *words, *in_si;
  int power[3];
} hb_amuse_units[] = {[HB_AMUSE_MASS] = {HB_AMUSE_UNIT("mass"), "a mass in kg", {1, 0, 0}},
                      [HB_AMUSE_LENGTH] = {HB_AMUSE_UNIT("length"), "a length in m", {0, 1, 0}},
                      [HB_AMUSE_VELOCITY] = {HB_AMUSE_SPEED, "a velocity in m/s", {0, 1, -1}},
                      [HB_AMUSE_TIME] = {HB_AMUSE_UNIT("time"), "a time in s", {0, 0, 1}}};

/* Its attributes of particles in the order in which they are written: hb_snapshot_value's column. */
static const struct {
  const char *name;
  size_t column;
  enum hb_amuse_unit unit;
} hb_amuse_columns[HB_SNAPSHOT_COLUMNS] = {{"mass", 0, HB_AMUSE_MASS},   {"x", 1, HB_AMUSE_LENGTH},
                                           {"vx", 4, HB_AMUSE_VELOCITY}, {"y", 2, HB_AMUSE_LENGTH},
                                           {"vy", 5, HB_AMUSE_VELOCITY}, {"z", 3, HB_AMUSE_LENGTH},
                                           {"vz", 6, HB_AMUSE_VELOCITY}};

/* The attribute of /Holmberg for the notes' checksum, written if one is long. */
#define HB_HDF5_NOTES_SUM "notes.crc32"

/* ---- the library: with all that it needs itself, a start would take three times as long ---- */

static const char *const called[] = {HB_HDF5_NAMES};
static void *hdf5[sizeof called / sizeof *called];
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* it is built for one thread */

enum hb_status hb_snapshot_hdf5_load(void)
{
  pthread_mutex_lock(&one_at_a_time);
  void *library = dlopen(HB_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  for (size_t k = 0; library && k < sizeof called / sizeof *called; k++)
    if (!(hdf5[k] = dlsym(library, called[k]))) library = NULL;
  pthread_mutex_unlock(&one_at_a_time);
  if (library) return HB_OK;
  return hb_fail(HB_ERR_IO,
                 "HDF5 cannot be loaded: %s; install it (Debian: libhdf5-dev, elsewhere: hdf5), and build "
                 "again if its version has changed",
                 dlerror());
}

/* Before a local identifier: closed with its scope. What stays open slows the library down where a series has thousands of sets. */
#define OWN_ID __attribute__((cleanup(close_own)))
static void close_own(const hid_t *id)
{
  if (*id >= 0) H5Idec_ref(*id);
}

/* ---- writing: a file in memory, which the registry writes to disk. There are no time stamps: the same particles give the same bytes ---- */

/* The library needs a name for a file in memory, which must not be that of a file on disk. */
static const char name_in_memory[] = "/dev/null/snapshot";

/* The file in memory, of the one that writes. */
static struct hb_text image;

static void *grow(void *old, size_t size, H5FD_file_image_op_t why, void *data)
{
  char *bytes = old;
  (void)why, (void)data;
  if (HB_RESIZE(size, &bytes) != HB_OK) return NULL;
  image.text = bytes;
  image.capacity = size;
  return bytes;
}

/* The bytes outlive the file: only closing it completes them. */
static herr_t keep(void *bytes, H5FD_file_image_op_t why, void *data)
{
  (void)bytes, (void)why, (void)data;
  return 0;
}

/* Closing the file closes all objects in it. The format of HDF5 1.10 has checksums in all metadata. */
static hid_t access_in_memory(size_t n)
{
  H5FD_file_image_callbacks_t callbacks = {.image_realloc = grow, .image_free = keep};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 64 * n + (1 << 20), 0); /* enough for all, in one allocation */
  H5Pset_file_image_callbacks(access, &callbacks);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

static hid_t without_times(hid_t class)
{
  hid_t properties = H5Pcreate(class);
  H5Pset_obj_track_times(properties, 0);
  return properties;
}

/* A fixed-length string of this many bytes; plain UTF-8. */
static hid_t string_type(size_t size)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static enum hb_status cannot_make(const char *what)
{
  return hb_fail(HB_ERR_INTERNAL, "the HDF5 library cannot create %s", what);
}

/* An attribute of count values, a scalar if count is 0; a double; an int; a string of fixed length. */
static enum hb_status put_attribute(hid_t object, const char *name, hid_t stored, hid_t native, hsize_t count,
                                    const void *values)
{
  OWN_ID hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  OWN_ID hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  int failed = attribute < 0 || H5Awrite(attribute, native, values) < 0;
  return failed ? cannot_make(name) : HB_OK;
}

static enum hb_status put_double(hid_t object, const char *name, double value)
{
  return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value);
}

static enum hb_status put_int(hid_t object, const char *name, int value)
{
  return put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, 0, &value);
}

static enum hb_status put_text(hid_t object, const char *name, const char *text)
{
  OWN_ID hid_t type = string_type(strlen(text) + 1);
  return put_attribute(object, name, type, type, 0, text);
}

/* With attributes indexed by creation order, notes keep their order and may be longer than 64 KiB: this needs the newer
 * kind of group, since HDF5 1.8. Negative if that fails. Closing the file closes it. */
static hid_t make_group(hid_t file, const char *name, unsigned attribute_order)
{
  OWN_ID hid_t properties = without_times(H5P_GROUP_CREATE);
  H5Pset_attr_creation_order(properties, attribute_order);
  return H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
}

static uint32_t notes_sum(const struct hb_particles *p)
{
  uLong crc = 0;
  for (size_t k = 0; k < p->note_count; k++) {
    const struct hb_note *note = &p->notes[k];
    if (strcmp(note->key, "version") == 0) continue; /* written even if there is none */
    crc = crc32_z(crc, (const Bytef *)note->key, strlen(note->key) + 1);
    crc = crc32_z(crc, (const Bytef *)note->value, strlen(note->value) + 1);
  }
  return (uint32_t)crc;
}

static enum hb_status put_notes(hid_t file, const struct hb_particles *p)
{
  enum { LONG = 4096 }; /* the library may store longer strings without a checksum */
  int any_long = 0;
  hid_t group = make_group(file, "Holmberg", H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (group < 0) return cannot_make("/Holmberg");
  for (size_t k = 0; k < p->note_count; k++) {
    HB_TRY(put_text(group, p->notes[k].key, p->notes[k].value));
    any_long |= strlen(p->notes[k].value) >= LONG;
  }
  uint32_t sum = notes_sum(p);
  if (any_long) HB_TRY(put_attribute(group, HB_HDF5_NOTES_SUM, H5T_STD_U32LE, H5T_NATIVE_UINT32, 0, &sum));
  return hb_particles_note(p, "version") ? HB_OK : put_text(group, "version", hb_library_version());
}

/* With a checksum for each chunk of rows. Chunks are as equal as possible, since the last one is stored in full. */
static hid_t with_checksums(int rank, const hsize_t *shape)
{
  enum { MOST_ROWS = 32768 }; /* of three doubles: below the library's cache of 1 MiB */
  hsize_t chunks = (shape[0] + MOST_ROWS - 1) / MOST_ROWS;
  hsize_t chunk[2] = {(shape[0] + chunks - 1) / chunks, shape[1]};
  hid_t properties = without_times(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, rank, chunk);
  H5Pset_fletcher32(properties);
  return properties;
}

/* A data set of n rows with checksums: of doubles, or of identities. */
static enum hb_status put_data(hid_t group, const char *name, int columns, size_t n, const double *values,
                               const uint64_t *ids)
{
  hsize_t shape[2] = {n, (hsize_t)columns};
  int rank = columns > 1 ? 2 : 1;
  OWN_ID hid_t space = H5Screate_simple(rank, shape, NULL);
  OWN_ID hid_t properties = with_checksums(rank, shape);
  OWN_ID hid_t data = H5Dcreate2(group, name, ids ? H5T_STD_U64LE : H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                 properties, H5P_DEFAULT);
  int failed = data < 0 || H5Dwrite(data, ids ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                    H5P_DEFAULT, ids ? (const void *)ids : values) < 0;
  return failed ? cannot_make(name) : HB_OK;
}

/* The length of the file on disk, from its superblock. */
static enum hb_status get_length(void)
{
  enum { AT = 28, SUPERBLOCK = 48 };
  image.length = 0;
  for (int k = 0; k < 8 && image.capacity >= SUPERBLOCK; k++)
    image.length |= (size_t)(unsigned char)image.text[AT + k] << 8 * k;
  return image.length > SUPERBLOCK && image.length <= image.capacity ? HB_OK : cannot_make("the file");
}

static enum hb_status make_file(const struct hb_particles *p,
                                enum hb_status (*fill)(hid_t file, const struct hb_particles *particles))
{
  OWN_ID hid_t access = access_in_memory(p->n), creation = without_times(H5P_FILE_CREATE);
  hid_t file = H5Fcreate(name_in_memory, H5F_ACC_TRUNC, creation, access);
  enum hb_status status = file < 0 ? cannot_make("a file") : fill(file, p);
  if (status == HB_OK) status = put_notes(file, p);
  if (file >= 0 && H5Fclose(file) < 0 && status == HB_OK) status = cannot_make("the file");
  return status == HB_OK ? get_length() : status;
}

/* The library's own error printing is off meanwhile. */
static enum hb_status write_one(const struct hb_particles *particles,
                                enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                                struct hb_text *bytes)
{
  H5E_auto2_t print = NULL;
  void *data = NULL;
  pthread_mutex_lock(&one_at_a_time);
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  enum hb_status status = make_file(particles, fill);
  H5Eset_auto2(H5E_DEFAULT, print, data);
  *bytes = image; /* the caller's, also what a failure leaves */
  image = (struct hb_text){0};
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

/* ---- Gadget ------------------------------------------------------------------------------------------ */

/* A power of two that twice the largest coordinate fits into: yt takes space to repeat itself after it, so that it finds the
 * particles on all sides of the origin. */
static double box_size(const struct hb_particles *p)
{
  double most = 0;
  int power;
  for (size_t k = 0; k < 3 * p->n; k++) most = fmax(most, fabs(p->x[k]));
  frexp(2 * most, &power);
  return most > 0 ? ldexp(1, power) : 1;
}

/* pynbody looks for units in the header, whoever wrote it; without Time_GYR it computes a time from the redshift. yt looks
 * there in files of Arepo, which it knows by the attribute VORONOI of a group Config; in all others it takes lengths for kpc. */
static enum hb_status put_units(hid_t file, hid_t header, double t, const struct hb_units *units)
{
  HB_TRY(put_double(header, "UnitLength_in_cm", units->length * hb_units_pc * 100));
  HB_TRY(put_double(header, "UnitMass_in_g", units->mass * hb_units_gm_sun / hb_units_gravity * 1000));
  HB_TRY(put_double(header, "UnitVelocity_in_cm_per_s", hb_units_velocity(units) * 1e5));
  HB_TRY(put_double(header, "Time_GYR", t * units->time / 1000));
  hid_t config = make_group(file, "Config", 0);
  return config < 0 ? cannot_make("/Config") : put_text(config, "VORONOI", "for yt: units in /Header");
}

static enum hb_status put_header(hid_t file, const struct hb_particles *p)
{
  struct hb_units units;
  int are_known;
  if (hb_units_get(p, &units, &are_known) != HB_OK) are_known = 0; /* someone else's note of that name */
  hid_t header = make_group(file, "Header", 0);
  if (header < 0) return cannot_make("/Header");
  uint32_t counts[HB_GADGET_TYPES] = {0}, high_words[HB_GADGET_TYPES] = {0};
  counts[1] = (uint32_t)p->n;
  double masses[HB_GADGET_TYPES] = {0};
  HB_TRY(
      put_attribute(header, "NumPart_ThisFile", H5T_STD_U32LE, H5T_NATIVE_UINT32, HB_GADGET_TYPES, counts));
  HB_TRY(put_attribute(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT32, HB_GADGET_TYPES, counts));
  HB_TRY(put_attribute(header, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT32, HB_GADGET_TYPES,
                       high_words));
  HB_TRY(put_attribute(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, HB_GADGET_TYPES, masses));
  HB_TRY(put_double(header, "Time", p->t));
  HB_TRY(put_double(header, "Redshift", 0));
  HB_TRY(put_double(header, "BoxSize", are_known ? box_size(p) : 0));
  HB_TRY(put_double(header, "Omega0", 0));
  HB_TRY(put_double(header, "OmegaLambda", 0));
  if (are_known) HB_TRY(put_units(file, header, p->t, &units));
  HB_TRY(put_double(header, "HubbleParam", 1));
  HB_TRY(put_int(header, "NumFilesPerSnapshot", 1));
  static const char *const flags[] = {"Flag_Sfr",    "Flag_Cooling",  "Flag_StellarAge",
                                      "Flag_Metals", "Flag_Feedback", "Flag_IC_Info"};
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) HB_TRY(put_int(header, flags[k], 0));
  return put_int(header, "Flag_DoublePrecision", 1);
}

static enum hb_status put_particles(hid_t file, const struct hb_particles *p)
{
  hid_t group = make_group(file, "PartType1", 0);
  if (group < 0) return cannot_make("/PartType1");
  HB_TRY(put_data(group, "Coordinates", 3, p->n, p->x, NULL));
  HB_TRY(put_data(group, "Velocities", 3, p->n, p->v, NULL));
  HB_TRY(put_data(group, "ParticleIDs", 1, p->n, NULL, p->id));
  const double *radius = hb_particles_radii(p);
  if (radius) HB_TRY(put_data(group, "Radius", 1, p->n, radius, NULL));
  return put_data(group, "Masses", 1, p->n, p->m, NULL);
}

static enum hb_status fill_gadget(hid_t file, const struct hb_particles *p)
{
  HB_TRY(put_header(file, p));
  return put_particles(file, p);
}

static enum hb_status hdf5_write(const struct hb_particles *p, struct hb_text *bytes)
{
  return write_one(p, fill_gadget, bytes);
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5",
             .summary = "HDF5 in the Gadget layout, for yt, pynbody, glnemo2",
             .extensions = "h5 hdf5"},
    .recognize =
        hb_snapshot_is_hdf5, /* files with another program's header in front are known by their extension */
    .read = hb_snapshot_hdf5_read,
    .write = hdf5_write,
    .load = hb_snapshot_hdf5_load,
    .facts = HB_SNAPSHOT_RADII,
};

/* ---- AMUSE, in N-body units: the layout of amuse.io.store_v2 ----------------------------------------- */

/* What Python's pickle, protocol 0, makes of the class amuse.datamodel.particles.Particles. */
static const char pickled_class[] = "camuse.datamodel.particles\nParticles\np0\n.";

static enum hb_status put_class(hid_t group)
{
  OWN_ID hid_t type = H5Tcreate(H5T_OPAQUE, strlen(pickled_class));
  H5Tset_tag(type, "");
  return put_attribute(group, "class_of_the_particles", type, type, 0, pickled_class);
}

/* An attribute of the particles. */
static enum hb_status put_column(hid_t group, const char *name, const char *unit, size_t n,
                                 const double *values)
{
  HB_TRY(put_data(group, name, 1, n, values, NULL));
  OWN_ID hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
  return data < 0 ? cannot_make(name) : put_text(data, "units", unit);
}

static enum hb_status put_columns(hid_t group, const struct hb_particles *p)
{
  HB_OWN double *column = NULL;
  HB_TRY(HB_ALLOC(p->n, &column));
  for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++) {
    for (size_t i = 0; i < p->n; i++) column[i] = *hb_snapshot_value(p, i, hb_amuse_columns[k].column);
    HB_TRY(put_column(group, hb_amuse_columns[k].name, hb_amuse_units[hb_amuse_columns[k].unit].words, p->n,
                      column));
  }
  return HB_OK;
}

static enum hb_status put_set(hid_t group, const struct hb_particles *p)
{
  const int64_t n = (int64_t)p->n;
  HB_TRY(put_text(group, "type", "particles"));
  HB_TRY(put_attribute(group, "number_of_particles", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &n));
  HB_TRY(put_class(group));
  HB_TRY(put_double(group, "timestamp", p->t));
  HB_TRY(put_text(group, "timestamp_unit", HB_AMUSE_UNIT("time")));
  HB_TRY(put_data(group, "keys", 1, p->n, NULL, p->id));
  hid_t attributes = make_group(group, "attributes", 0);
  return attributes < 0 ? cannot_make("the attributes") : put_columns(attributes, p);
}

static enum hb_status fill_amuse(hid_t file, const struct hb_particles *p)
{
  hid_t info = make_group(file, HB_AMUSE_INFO, 0);
  if (info < 0) return cannot_make(HB_AMUSE_INFO);
  HB_TRY(put_text(info, "version", "2.0"));
  hid_t data = make_group(file, HB_AMUSE_DATA, 0);
  hid_t group = data < 0 ? data : make_group(data, "0000000001", 0);
  return group < 0 ? cannot_make(HB_AMUSE_DATA) : put_set(group, p);
}

static enum hb_status amuse_write(const struct hb_particles *p, struct hb_text *bytes)
{
  return write_one(p, fill_amuse, bytes);
}

const struct hb_snapshot_ops hb_snapshot_amuse = {
    .info = {.name = "amuse",
             .summary = "HDF5 as AMUSE stores it, in N-body units",
             .extensions = "amuse h5 hdf5"},
    .read = hb_snapshot_hdf5_read,
    .write = amuse_write,
    .load = hb_snapshot_hdf5_load,
};

/* ---- reading: checked reading of HDF5 files that others made. It runs only in holmberg-child, whose memory and time are limited
 * and whose crashes do no harm. Links to other files are refused. Sentences are about the file, whose name is put in front of them. */

struct source {
  uint64_t bytes; /* of the file */
  hid_t file;
};

static enum hb_status damaged(const char *what)
{
  return hb_fail(HB_ERR_INPUT, "%s cannot be read, the file is damaged", what);
}

/* Whether this object exists in this file; its group must exist. */
static enum hb_status find(const struct source *s, const char *name, int *found)
{
  H5L_info_t link;
  htri_t exists = H5Lexists(s->file, name, H5P_DEFAULT);
  *found = exists > 0;
  if (exists < 0 || (*found && H5Lget_info(s->file, name, &link, H5P_DEFAULT) < 0)) return damaged(name);
  if (!*found || link.type == H5L_TYPE_HARD || link.type == H5L_TYPE_SOFT) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s is a link to another file, which is not followed", name);
}

/* These close what they are given. */
static H5T_class_t class_of(hid_t type)
{
  OWN_ID hid_t own = type;
  return H5Tget_class(own);
}

static int is_number(hid_t type)
{
  H5T_class_t class = class_of(type);
  return class == H5T_FLOAT || class == H5T_INTEGER;
}

static hssize_t points_of(hid_t space)
{
  OWN_ID hid_t own = space;
  return H5Sget_simple_extent_npoints(own);
}

/* ---- attributes --------------------------------------------------------------------------------------- */

static enum hb_status open_attribute(const struct source *s, const char *object, const char *name,
                                     hid_t *attribute, hssize_t *points)
{
  *attribute = H5Aopen_by_name(s->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (*attribute < 0) return hb_fail(HB_ERR_INPUT, "%s has no attribute %s", object, name);
  *points = points_of(H5Aget_space(*attribute));
  return HB_OK;
}

/* An attribute of an object: count numbers; a string, appended to text. */
static enum hb_status get_numbers(const struct source *s, const char *object, const char *name,
                                  hssize_t count, double *values)
{
  OWN_ID hid_t attribute = H5I_INVALID_HID;
  hssize_t points = 0;
  HB_TRY(open_attribute(s, object, name, &attribute, &points));
  if (points != count)
    return hb_fail(HB_ERR_INPUT, "attribute %s of %s has %lld values, expected %lld", name, object,
                   (long long)points, (long long)count);
  if (!is_number(H5Aget_type(attribute)))
    return hb_fail(HB_ERR_INPUT, "attribute %s of %s is not numeric", name, object);
  return H5Aread(attribute, H5T_NATIVE_DOUBLE, values) < 0 ? damaged(name) : HB_OK;
}

static enum hb_status get_text(const struct source *s, hid_t attribute, const char *object,
                               struct hb_text *text)
{
  OWN_ID hid_t type = H5Aget_type(attribute);
  size_t size = H5Tget_size(type);
  HB_OWN char *value = NULL;
  char *variable = NULL;
  if (H5Tis_variable_str(type) > 0) {
    if (H5Aread(attribute, type, &variable) < 0) return damaged(object);
    enum hb_status status = hb_text_append(text, "%s", variable ? variable : "");
    H5free_memory(variable);
    return status;
  }
  if (size > s->bytes) return damaged(object);
  HB_TRY(HB_ALLOC(size + 1, &value));
  return H5Aread(attribute, type, value) < 0 ? damaged(object) : hb_text_append(text, "%s", value);
}

static enum hb_status get_string(const struct source *s, const char *object, const char *name,
                                 struct hb_text *text)
{
  OWN_ID hid_t attribute = H5I_INVALID_HID;
  hssize_t points = 0;
  HB_TRY(open_attribute(s, object, name, &attribute, &points));
  if (class_of(H5Aget_type(attribute)) == H5T_STRING && points == 1)
    return get_text(s, attribute, object, text);
  return hb_fail(HB_ERR_INPUT, "attribute %s of %s is not a string", name, object);
}

/* ---- data sets ---------------------------------------------------------------------------------------- */

/* The values must be in this file, and compressed only by filters that the library has. */
static enum hb_status check_storage(hid_t data, const char *path)
{
  OWN_ID hid_t list = H5Dget_create_plist(data);
  if (H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0)
    return hb_fail(HB_ERR_INPUT, "the values of data set %s are in other files, which are not read", path);
  for (int k = H5Pget_nfilters(list); k-- > 0;) {
    unsigned flags, config;
    size_t count = 0;
    H5Z_filter_t filter = H5Pget_filter2(list, (unsigned)k, &flags, &count, NULL, 0, NULL, &config);
    if (H5Zfilter_avail(filter) <= 0)
      return hb_fail(HB_ERR_INPUT, "data set %s is compressed by filter %d, which the HDF5 library lacks",
                     path, (int)filter);
  }
  return HB_OK;
}

/* Formats the shape of a data set, "1024 x 3"; returns whether it has count rows of this many columns. */
static int shape_fits(hid_t data, size_t count, int columns, char *shown, size_t size)
{
  hsize_t shape[H5S_MAX_RANK] = {0};
  OWN_ID hid_t space = H5Dget_space(data);
  int rank = H5Sget_simple_extent_dims(space, shape, NULL);
  snprintf(shown, size, "%s", rank > 0 ? "" : "no rows");
  for (int k = 0; k < rank; k++) {
    size_t used = strlen(shown);
    snprintf(shown + used, size - used, "%s%llu", k ? " x " : "", (unsigned long long)shape[k]);
  }
  int one_column = columns == 1 && (rank == 1 || (rank == 2 && shape[1] == 1));
  return (one_column || (rank == 2 && shape[1] == (hsize_t)columns)) && shape[0] == count;
}

static enum hb_status check_data(hid_t data, const char *path, size_t count, int columns)
{
  char shape[128];
  if (H5Iget_type(data) != H5I_DATASET) return hb_fail(HB_ERR_INPUT, "%s is not a data set", path);
  if (!is_number(H5Dget_type(data))) return hb_fail(HB_ERR_INPUT, "data set %s is not numeric", path);
  HB_TRY(check_storage(data, path));
  if (!shape_fits(data, count, columns, shape, sizeof shape))
    return hb_fail(HB_ERR_INPUT, "data set %s has shape %s, expected %zu%s", path, shape, count,
                   columns == 3 ? " x 3" : "");
  if (H5Dget_storage_size(data) > 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "the values of data set %s were never written", path);
}

/* Called for a value out of range, which for an identity the library would clip. */
static H5T_conv_ret_t refuse_clipping(H5T_conv_except_t what, hid_t from, hid_t to, void *old, void *new,
                                      void *clipped)
{
  (void)what, (void)from, (void)old, (void)new;
  if (H5Tget_class(to) != H5T_INTEGER) return H5T_CONV_UNHANDLED;
  *(int *)clipped = 1;
  return H5T_CONV_ABORT;
}

static enum hb_status read_data(hid_t data, const char *path, hid_t native, void *values)
{
  int clipped = 0;
  OWN_ID hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_type_conv_cb(transfer, refuse_clipping, &clipped);
  herr_t failed = H5Dread(data, native, H5S_ALL, H5S_ALL, transfer, values);
  if (clipped)
    return hb_fail(HB_ERR_INPUT, "data set %s has a value that is not a whole number from 0 to 2^64 - 1",
                   path);
  return failed < 0 ? damaged(path) : HB_OK;
}

enum need { OPTIONAL, NEEDED };

/* Reads a data set of count rows into values, which are unchanged without an optional one; if they are NULL it is only
 * checked. Its group must exist. */
static enum hb_status get_data(const struct source *s, const char *path, enum need need, hid_t native,
                               size_t count, int columns, void *values)
{
  int found;
  HB_TRY(find(s, path, &found));
  if (!found && need == OPTIONAL) return HB_OK;
  if (!found) return hb_fail(HB_ERR_INPUT, "there is no data set %s", path);
  OWN_ID hid_t data = H5Oopen(s->file, path, H5P_DEFAULT);
  if (data < 0) return hb_fail(HB_ERR_INPUT, "%s leads to nothing in this file", path);
  HB_TRY(check_data(data, path, count, columns));
  return values ? read_data(data, path, native, values) : HB_OK;
}

/* ---- notes -------------------------------------------------------------------------------------------- */

/* Attributes that are not strings, or whose names are not valid keys, belong to another program. */
static enum hb_status get_note(const struct source *s, hid_t attribute, const char *name,
                               struct hb_particles *p)
{
  HB_OWN struct hb_text text = {0};
  if (class_of(H5Aget_type(attribute)) != H5T_STRING) return HB_OK;
  hssize_t points = points_of(H5Aget_space(attribute));
  if (points != 1)
    return hb_fail(HB_ERR_INPUT, "attribute %s of /Holmberg has %lld strings, expected 1", name,
                   (long long)points);
  HB_TRY(get_text(s, attribute, "/Holmberg", &text));
  enum hb_status status = hb_particles_set_note(p, name, text.text);
  return status == HB_ERR_USAGE ? HB_OK : status;
}

struct notes {
  const struct source *source;
  struct hb_particles *particles;
  enum hb_status status;
};

/* For H5Aiterate2, which it stops unless the status is HB_OK. */
static herr_t take_note(hid_t group, const char *name, const H5A_info_t *info, void *data)
{
  struct notes *notes = data;
  (void)info;
  OWN_ID hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  notes->status =
      attribute < 0 ? damaged("/Holmberg") : get_note(notes->source, attribute, name, notes->particles);
  return notes->status != HB_OK;
}

static enum hb_status check_sum(hid_t group, const struct hb_particles *p)
{
  uint32_t sum = 0;
  if (H5Aexists(group, HB_HDF5_NOTES_SUM) == 0) return HB_OK;
  OWN_ID hid_t attribute = H5Aopen(group, HB_HDF5_NOTES_SUM, H5P_DEFAULT);
  int failed = points_of(H5Aget_space(attribute)) != 1 || H5Aread(attribute, H5T_NATIVE_UINT32, &sum) < 0;
  return failed || sum != notes_sum(p) ? damaged("/Holmberg") : HB_OK;
}

/* The strings of /Holmberg, if there are any: in creation order, if the file has it, as ours do. */
static enum hb_status get_notes(const struct source *s, struct hb_particles *p)
{
  struct notes notes = {.source = s, .particles = p};
  int found;
  HB_TRY(find(s, "/Holmberg", &found));
  if (!found) return HB_OK;
  OWN_ID hid_t group = H5Gopen2(s->file, "/Holmberg", H5P_DEFAULT);
  herr_t stopped = H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) stopped = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) return damaged("/Holmberg");
  return notes.status == HB_OK ? check_sum(group, p) : notes.status;
}

/* ---- the Gadget layout: all types of particles in the order of the types ----------------------------- */

/* The file, and how many particles of each type its header claims. */
struct gadget {
  const struct source *source;
  uint64_t counts[HB_GADGET_TYPES];
  double masses[HB_GADGET_TYPES]; /* of all particles of a type; 0: each has its own */
};

/* An optional attribute; without it the values are unchanged. */
static enum hb_status get_optional(const struct source *s, const char *name, hssize_t count, double *values)
{
  htri_t found = H5Aexists_by_name(s->file, "/Header", name, H5P_DEFAULT);
  if (found < 0) return damaged("/Header");
  return found ? get_numbers(s, "/Header", name, count, values) : HB_OK;
}

/* The counts of a damaged header can be anything; hb_snapshot_hdf5_most limits them by the size of the file. */
static enum hb_status get_counts(struct gadget *g, size_t *n)
{
  double counts[HB_GADGET_TYPES];
  HB_TRY(get_numbers(g->source, "/Header", "NumPart_ThisFile", HB_GADGET_TYPES, counts));
  *n = 0;
  for (int type = 0; type < HB_GADGET_TYPES; type++) {
    if (!(counts[type] >= 0 && counts[type] <= UINT32_MAX && counts[type] == floor(counts[type])))
      return hb_fail(HB_ERR_INPUT, "NumPart_ThisFile says %.17g, expected a whole number below 2^32",
                     counts[type]);
    g->counts[type] = (uint64_t)counts[type];
    *n += g->counts[type];
  }
  if (*n == 0) return hb_fail(HB_ERR_INPUT, "there are no particles, NumPart_ThisFile is all 0");
  if (*n <= hb_snapshot_hdf5_most(g->source->bytes) && *n <= UINT32_MAX) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "NumPart_ThisFile says %zu particles, more than a file of %llu bytes holds",
                 *n, (unsigned long long)g->source->bytes);
}

static enum hb_status get_headers(struct gadget *g, double *t, size_t *n)
{
  int found;
  double files = 1;
  HB_TRY(find(g->source, "/Header", &found));
  if (!found) return hb_fail(HB_ERR_INPUT, "there is no group /Header, expected the Gadget layout");
  HB_TRY(get_counts(g, n));
  HB_TRY(get_optional(g->source, "Time", 1, t));
  HB_TRY(get_optional(g->source, "MassTable", HB_GADGET_TYPES, g->masses));
  HB_TRY(get_optional(g->source, "NumFilesPerSnapshot", 1, &files));
  if (files <= 1) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "one of %g files of a snapshot, expected a single file", files);
}

/* Reads /PartTypeK/name into values; if they are NULL it is only checked. */
static enum hb_status get_gadget_data(const struct gadget *g, int type, const char *name, enum need need,
                                      hid_t native, int columns, void *values)
{
  char path[64];
  int found;
  snprintf(path, sizeof path, "/PartType%d", type);
  HB_TRY(find(g->source, path, &found));
  if (!found)
    return hb_fail(HB_ERR_INPUT, "there is no group %s, though /Header counts %llu particles of it", path,
                   (unsigned long long)g->counts[type]);
  snprintf(path, sizeof path, "/PartType%d/%s", type, name);
  return get_data(g->source, path, need, native, g->counts[type], columns, values);
}

/* The particles of one type, as number first and following. Without identities these are the numbers. */
static enum hb_status get_type(const struct gadget *g, int type, size_t first, struct hb_particles *p)
{
  HB_TRY(get_gadget_data(g, type, "Coordinates", NEEDED, H5T_NATIVE_DOUBLE, 3, p->x + 3 * first));
  HB_TRY(get_gadget_data(g, type, "Velocities", NEEDED, H5T_NATIVE_DOUBLE, 3, p->v + 3 * first));
  HB_TRY(get_gadget_data(g, type, "ParticleIDs", OPTIONAL, H5T_NATIVE_UINT64, 1, p->id + first));
  int has_radius;
  char path[32];
  snprintf(path, sizeof path, "/PartType%d/Radius", type);
  HB_TRY(find(g->source, path, &has_radius));
  if (has_radius) HB_TRY(hb_particles_reserve_radius(p));
  if (has_radius) HB_TRY(get_gadget_data(g, type, "Radius", NEEDED, H5T_NATIVE_DOUBLE, 1, p->radius + first));
  if (g->masses[type] == 0)
    return get_gadget_data(g, type, "Masses", NEEDED, H5T_NATIVE_DOUBLE, 1, p->m + first);
  for (size_t i = first; i < first + g->counts[type]; i++) p->m[i] = g->masses[type];
  return HB_OK;
}

/* Mass, length and speed in solar masses, pc and km/s from the attributes of Gadget, Arepo and others; 0 where there are none. */
static enum hb_status find_units(const struct source *s, double units[3])
{
  static const char *const groups[] = {"/Header", "/Units", "/Parameters"};
  static const char *const names[] = {"UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    int all;
    HB_TRY(find(s, groups[g], &all));
    for (size_t k = 0; all && k < 3; k++)
      all = H5Aexists_by_name(s->file, groups[g], names[k], H5P_DEFAULT) > 0;
    if (!all) continue;
    for (size_t k = 0; k < 3; k++) HB_TRY(get_numbers(s, groups[g], names[k], 1, &units[k]));
    units[0] = units[0] / 1000 / (hb_units_gm_sun / hb_units_gravity);
    units[1] = units[1] / 100 / hb_units_pc;
    units[2] = units[2] / 1e5;
    return HB_OK;
  }
  return HB_OK;
}

/* Other programs' numbers have another G: masses are multiplied by it, lengths and velocities stay. Numbers of cosmological
 * runs, which contain the scale and Hubble's constant, stay as they are, without units. */
static enum hb_status take_units(const struct source *s, struct hb_particles *p)
{
  double found[3] = {0}, redshift = 0, hubble = 1;
  char line[128];
  if (hb_particles_note(p, "units")) return HB_OK; /* ours */
  HB_TRY(find_units(s, found));
  HB_TRY(get_optional(s, "Redshift", 1, &redshift));
  HB_TRY(get_optional(s, "HubbleParam", 1, &hubble));
  const double mass = found[0], length = found[1], speed = found[2];
  if (!(mass > 0 && length > 0 && speed > 0) || redshift != 0 || hubble != 1) return HB_OK;
  struct hb_units units = {.length = length, .time = length / speed * (hb_units_pc / hb_units_myr * 1e-3)};
  HB_TRY(hb_units_complete(&units));
  double G = mass / units.mass;
  for (size_t i = 0; i < p->n; i++) p->m[i] *= G;
  snprintf(line, sizeof line, "read from a file whose units make G = %.9g: masses multiplied by that", G);
  HB_TRY(hb_particles_add_history(p, line));
  return hb_units_set(p, &units);
}

static enum hb_status get_gadget(const struct source *source, struct hb_particles **particles)
{
  struct gadget gadget = {.source = source}, *g = &gadget;
  double t = 0;
  size_t n = 0;
  HB_TRY(get_headers(g, &t, &n));
  for (int type = 0; type < HB_GADGET_TYPES; type++) /* before allocating memory for them */
    if (g->counts[type]) HB_TRY(get_gadget_data(g, type, "Coordinates", NEEDED, H5T_NATIVE_DOUBLE, 3, NULL));
  HB_TRY(hb_particles_create(n, particles));
  struct hb_particles *p = *particles;
  p->t = t;
  for (size_t type = 0, first = 0; type < HB_GADGET_TYPES; first += g->counts[type++])
    if (g->counts[type]) HB_TRY(get_type(g, (int)type, first, p));
  HB_TRY(get_notes(source, p));
  return take_units(source, p);
}

/* ---- AMUSE's ----------------------------------------------------------------------------------------- */

/* Quantities are in N-body units ("generic"), in none, or in SI. The words of a unit are a product of numbers and base units with
 * whole powers: (3.15e13 * system.get('S.I.').base('time')), as AMUSE writes every unit of length, mass and time. */

enum { PATH = 128 };
enum system { NO_SYSTEM, GENERIC, SI };

struct unit {
  enum system system;
  double factor; /* to SI units */
  int power[3];  /* of mass, length, time */
};

/* The set nearest to the time that is wanted. */
struct set {
  char path[PATH];
  double t;
  size_t n;
};

/* What one is in SI units where the file is: kg, m, s, m/s, by enum hb_amuse_unit; system: NO_SYSTEM before anything was read. */
struct amuse {
  const struct source *source;
  enum system system;
  struct hb_units units;
  double si[4];
};

static const char *skip_blanks(const char *at) { return at + strspn(at, " "); }

/* Takes a sign, and the blanks after it. */
static int take_sign(const char **at, const char *sign)
{
  size_t length = strlen(sign);
  if (strncmp(*at, sign, length) != 0) return 0;
  *at = skip_blanks(*at + length);
  return 1;
}

static int take_base(const char **at, struct unit *u)
{
  static const char *const systems[] = {[GENERIC] = "generic", [SI] = "S.I."};
  static const char *const bases[] = {"mass", "length", "time"};
  char system[8], base[8];
  int end = 0, known = 0;
  if (sscanf(*at, "system.get('%7[^']').base('%7[^']')%n", system, base, &end) != 2 || !end) return 0;
  for (enum system k = GENERIC; k <= SI; k++)
    if (strcmp(system, systems[k]) == 0) u->system = k;
  for (size_t k = 0; k < 3; k++) known |= u->power[k] = strcmp(base, bases[k]) == 0;
  if (!u->system || !known) return 0;
  *at = skip_blanks(*at + end);
  return 1;
}

static int take_product(const char **at, struct unit *u, int depth);

static int take_factor(const char **at, struct unit *u, int depth)
{
  char *end;
  *u = (struct unit){.factor = 1};
  if (take_sign(at, "(")) {
    if (depth > 8 || !take_product(at, u, depth + 1) || !take_sign(at, ")")) return 0;
  } else if (!take_base(at, u)) {
    u->factor = strtod(*at, &end);
    if (end == *at) return 0;
    *at = skip_blanks(end);
  }
  if (!take_sign(at, "**")) return 1;
  long power = strtol(*at, &end, 10);
  if (end == *at || labs(power) > 8) return 0;
  *at = skip_blanks(end);
  double factor = 1;
  for (long k = 0; k < labs(power); k++) factor *= u->factor;
  u->factor = power < 0 ? 1 / factor : factor;
  for (size_t k = 0; k < 3; k++) u->power[k] *= (int)power;
  return 1;
}

static int take_product(const char **at, struct unit *u, int depth)
{
  struct unit next;
  if (!take_factor(at, u, depth)) return 0;
  while (**at == '*' || **at == '/') {
    int sign = **at == '/' ? -1 : 1;
    *at = skip_blanks(*at + 1);
    if (!take_factor(at, &next, depth)) return 0;
    if (u->system && next.system && u->system != next.system) return 0;
    u->system = u->system ? u->system : next.system;
    u->factor *= sign > 0 ? next.factor : 1 / next.factor;
    for (size_t k = 0; k < 3; k++) u->power[k] += sign * next.power[k];
  }
  return 1;
}

/* Whether these words are a unit of such a quantity, of the file's system; in none, factor is 1. */
static int is_unit_of(const char *words, enum hb_amuse_unit of, struct amuse *a, double *factor)
{
  struct unit u;
  *factor = 1;
  if (strcmp(words, "none") == 0) return a->system != SI;
  if (!take_product(&words, &u, 0) || *words ||
      memcmp(u.power, hb_amuse_units[of].power, sizeof u.power) != 0)
    return 0;
  if (!(u.factor > 0) || (u.system == GENERIC && u.factor != 1)) return 0;
  if (a->system && a->system != u.system) return 0;
  a->system = u.system;
  *factor = u.factor;
  return 1;
}

static enum hb_status get_unit(struct amuse *a, const char *path, const char *attribute,
                               enum hb_amuse_unit of, double *factor)
{
  HB_OWN struct hb_text unit = {0};
  HB_TRY(get_string(a->source, path, attribute, &unit));
  if (is_unit_of(unit.text, of, a, factor)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s is in '%.80s', expected %s%s%s", path, unit.text,
                 a->system == SI ? "" : hb_amuse_units[of].words, a->system ? "" : " or ",
                 a->system == GENERIC ? "" : hb_amuse_units[of].in_si);
}

static enum hb_status check_type(const struct source *s, const char *path)
{
  HB_OWN struct hb_text type = {0};
  HB_TRY(get_string(s, path, "type", &type));
  if (strcmp(type.text, "particles") == 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s is of type '%.40s', expected particles", path, type.text);
}

/* In the units of the file's data. */
static enum hb_status get_set_time(struct amuse *a, const char *path, double *t)
{
  const struct source *s = a->source;
  double factor;
  htri_t found = H5Aexists_by_name(s->file, path, "timestamp", H5P_DEFAULT);
  *t = 0;
  if (found < 0) return damaged(path);
  if (!found) return HB_OK;
  HB_TRY(get_unit(a, path, "timestamp_unit", HB_AMUSE_TIME, &factor));
  HB_TRY(get_numbers(s, path, "timestamp", 1, t));
  *t *= factor / a->si[HB_AMUSE_TIME];
  if (isfinite(*t)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "the timestamp of %s is %g, expected finite", path, *t);
}

/* Its number of particles, which a damaged file could make anything. */
static enum hb_status get_n(const struct source *s, const char *path, size_t *n)
{
  double count, most = fmin((double)hb_snapshot_hdf5_most(s->bytes), UINT32_MAX);
  HB_TRY(get_numbers(s, path, "number_of_particles", 1, &count));
  if (!(count >= 1 && count <= most && count == floor(count)))
    return hb_fail(HB_ERR_INPUT, "number_of_particles of %s is %.17g, expected a whole number from 1 to %.0f",
                   path, count, most);
  *n = (size_t)count;
  return HB_OK;
}

/* A column in the units of the file's data; NULL: it is only checked. */
static enum hb_status get_column(struct amuse *a, const struct set *set, const char *name,
                                 enum hb_amuse_unit of, double *column)
{
  char path[2 * PATH];
  double factor;
  snprintf(path, sizeof path, "%s/attributes/%s", set->path, name);
  HB_TRY(get_data(a->source, path, NEEDED, H5T_NATIVE_DOUBLE, set->n, 1, column));
  HB_TRY(get_unit(a, path, "units", of, &factor));
  for (size_t i = 0; column && i < set->n; i++) column[i] *= factor / a->si[of];
  return HB_OK;
}

/* N-body units for a file in SI: the mass of all, and 1 pc, or 1 AU where nothing is farther out than 0.1 pc. */
static enum hb_status choose_units(struct amuse *a, const struct set *set)
{
  double M = 0, far = 0;
  HB_OWN double *column = NULL;
  HB_TRY(get_column(a, set, "mass", HB_AMUSE_MASS, NULL)); /* before allocating memory for it */
  HB_TRY(HB_ALLOC(set->n, &column));
  HB_TRY(get_column(a, set, "mass", HB_AMUSE_MASS, column));
  if (a->system != SI) return HB_OK;
  for (size_t i = 0; i < set->n; i++) M += column[i];
  for (size_t k = 0; k < 3; k++) {
    HB_TRY(get_column(a, set, (const char *[]){"x", "y", "z"}[k], HB_AMUSE_LENGTH, column));
    for (size_t i = 0; i < set->n; i++) far = fmax(far, fabs(column[i]));
  }
  a->units.mass = M / (hb_units_gm_sun / hb_units_gravity);
  a->units.length = far < 0.1 * hb_units_pc ? hb_units_au / hb_units_pc : 1;
  if (!(a->units.mass > 0))
    return hb_fail(HB_ERR_INPUT,
                   "the masses of %s add up to %g kg, expected more than 0 for units in which G is 1",
                   set->path, M);
  HB_TRY(hb_units_complete(&a->units));
  a->si[HB_AMUSE_MASS] = M;
  a->si[HB_AMUSE_LENGTH] = a->units.length * hb_units_pc;
  a->si[HB_AMUSE_TIME] = a->units.time * hb_units_myr;
  a->si[HB_AMUSE_VELOCITY] = a->si[HB_AMUSE_LENGTH] / a->si[HB_AMUSE_TIME];
  return HB_OK;
}

/* The k-th set is named by k + 1 in ten digits. The first one's units are those of all. */
static enum hb_status look_at(struct amuse *a, unsigned long k, struct hb_snapshot_choice *choice,
                              struct set *chosen, int *found)
{
  struct set set;
  snprintf(set.path, sizeof set.path, HB_AMUSE_DATA "/%010lu", k + 1);
  HB_TRY(find(a->source, set.path, found));
  if (!*found) return HB_OK;
  HB_TRY(check_type(a->source, set.path));
  HB_TRY(get_n(a->source, set.path, &set.n));
  if (k == 0) HB_TRY(choose_units(a, &set));
  HB_TRY(get_set_time(a, set.path, &set.t));
  if (hb_snapshot_offer(choice, set.t)) *chosen = set;
  return HB_OK;
}

static enum hb_status get_columns(struct amuse *a, const struct set *set, struct hb_particles *p)
{
  char path[2 * PATH];
  int has_radius;
  HB_OWN double *column = NULL;
  HB_TRY(HB_ALLOC(set->n, &column));
  for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++) {
    HB_TRY(get_column(a, set, hb_amuse_columns[k].name, hb_amuse_columns[k].unit, column));
    for (size_t i = 0; i < set->n; i++) *hb_snapshot_value(p, i, hb_amuse_columns[k].column) = column[i];
  }
  snprintf(path, sizeof path, "%s/attributes/radius", set->path);
  HB_TRY(find(a->source, path, &has_radius));
  if (!has_radius) return HB_OK;
  HB_TRY(hb_particles_reserve_radius(p));
  return get_column(a, set, "radius", HB_AMUSE_LENGTH, p->radius);
}

static enum hb_status get_set(struct amuse *a, const struct set *set, struct hb_particles **particles)
{
  const struct source *s = a->source;
  char path[2 * PATH];
  int found;
  snprintf(path, sizeof path, "%s/attributes", set->path);
  HB_TRY(find(s, path, &found));
  if (!found) return hb_fail(HB_ERR_INPUT, "there is no group %s", path);
  HB_TRY(get_column(a, set, "mass", HB_AMUSE_MASS, NULL)); /* before allocating memory for them */
  HB_TRY(hb_particles_create(set->n, particles));
  (*particles)->t = set->t;
  snprintf(path, sizeof path, "%s/keys", set->path);
  HB_TRY(get_data(s, path, NEEDED, H5T_NATIVE_UINT64, set->n, 1, (*particles)->id));
  HB_TRY(get_columns(a, set, *particles));
  HB_TRY(get_notes(s, *particles));
  return a->system == SI ? hb_units_set(*particles, &a->units) : HB_OK;
}

static enum hb_status get_amuse(const struct source *source, struct hb_snapshot_choice *choice,
                                struct hb_particles **particles)
{
  struct amuse amuse = {.source = source, .si = {1, 1, 1, 1}};
  struct set chosen = {.n = 0};
  int found;
  HB_TRY(find(source, HB_AMUSE_DATA, &found));
  for (unsigned long k = 0; found; k++) HB_TRY(look_at(&amuse, k, choice, &chosen, &found));
  if (choice->count == 0) return hb_fail(HB_ERR_INPUT, "there is no set of particles in " HB_AMUSE_DATA);
  return get_set(&amuse, &chosen, particles);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

/* The signature is at byte 0, or after another program's header at 512, 1024, ... */
static int is_hdf5(int fd, uint64_t bytes)
{
  char signature[8];
  for (uint64_t at = 0; at + sizeof signature <= bytes; at = at ? 2 * at : 512)
    if (pread(fd, signature, sizeof signature, (off_t)at) == sizeof signature &&
        hb_snapshot_is_hdf5(signature, sizeof signature, bytes))
      return 1;
  return 0;
}

/* Ours, and where it is none of the others'. */
static enum hb_status get_any(const struct source *s, struct hb_snapshot_choice *choice,
                              struct hb_particles **particles)
{
  int is_gadget, is_amuse;
  HB_TRY(find(s, "/Header", &is_gadget));
  HB_TRY(find(s, HB_AMUSE_INFO, &is_amuse));
  snprintf(choice->format, sizeof choice->format, "%s",
           is_amuse && !is_gadget ? hb_snapshot_amuse.info.name : hb_snapshot_hdf5.info.name);
  if (is_amuse && !is_gadget) return get_amuse(s, choice, particles);
  HB_TRY(get_gadget(s, particles));
  hb_snapshot_offer(choice, (*particles)->t);
  return HB_OK;
}

static enum hb_status take(int fd, const struct stat *info, struct hb_snapshot_choice *choice,
                           struct hb_particles **particles)
{
  struct source s = {.bytes = (uint64_t)info->st_size};
  char name[32];
  if (s.bytes == 0) return hb_fail(HB_ERR_INPUT, "the file is empty");
  if (!is_hdf5(fd, s.bytes)) return hb_fail(HB_ERR_INPUT, "not an HDF5 file");
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0);         /* no filters from plugins, */
  H5Lunregister(H5L_TYPE_EXTERNAL); /* and no other files, not even through a soft link */
  OWN_ID hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  s.file = H5Fopen(name, H5F_ACC_RDONLY, access);
  if (s.file < 0) return hb_fail(HB_ERR_INPUT, "the HDF5 file is damaged or cut off");
  enum hb_status status = get_any(&s, choice, particles);
  H5Fclose(s.file);
  return status;
}

enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles)
{
  struct stat info;
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  *particles = NULL;
  if (fstat(fd, &info) != 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  enum hb_status status = take(fd, &info, choice, &p);
  if (status == HB_OK) return HB_GIVE(p, particles);
  return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
}
