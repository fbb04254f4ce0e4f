/* HDF5 files, built in memory; the registry writes them to disk. There are no time stamps: the same particles give the same
 * bytes. snapshot_hdf5_read.c reads them. */
#include "io/snapshot_hdf5.h"

#include "base/mem.h"
#include "core/units.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <zlib.h>

/* The library needs a name for a file in memory, which must not be that of a file on disk. */
static const char name_in_memory[] = "/dev/null/snapshot";

/* The library's own error printing is off while a snapshot is written. */
struct quiet {
  H5E_auto2_t print;
  void *data;
};

static struct quiet quiet_begin(void)
{
  struct quiet old = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &old.print, &old.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return old;
}

static void quiet_end(struct quiet old) { H5Eset_auto2(H5E_DEFAULT, old.print, old.data); }

/* The file in memory. */
struct image {
  char *bytes;
  size_t size;
};

static void *grow(void *old, size_t size, H5FD_file_image_op_t why, void *data)
{
  struct image *image = data;
  char *bytes = old;
  (void)why;
  if (HB_RESIZE(size, &bytes) != HB_OK) return NULL;
  *image = (struct image){bytes, size};
  return bytes;
}

/* The bytes outlive the file: only closing it completes them. */
static herr_t keep(void *bytes, H5FD_file_image_op_t why, void *data)
{
  (void)bytes, (void)why, (void)data;
  return 0;
}

static void *same_image(void *data) { return data; }

static herr_t no_image(void *data)
{
  (void)data;
  return 0;
}

/* Closing the file closes all objects in it. The format of HDF5 1.10 has checksums in all metadata. */
static hid_t access_in_memory(struct image *image, size_t n)
{
  H5FD_file_image_callbacks_t callbacks = {.image_realloc = grow,
                                           .image_free = keep,
                                           .udata_copy = same_image,
                                           .udata_free = no_image,
                                           .udata = image};
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
  hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  int failed = attribute < 0 || H5Awrite(attribute, native, values) < 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
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
  hid_t type = string_type(strlen(text) + 1);
  enum hb_status status = put_attribute(object, name, type, type, 0, text);
  H5Tclose(type);
  return status;
}

/* With attributes indexed by creation order, notes keep their order and may be longer than 64 KiB: this needs the newer
 * kind of group, since HDF5 1.8. Negative if that fails. Closing the file closes it. */
static hid_t make_group(hid_t file, const char *name, unsigned attribute_order)
{
  hid_t properties = without_times(H5P_GROUP_CREATE);
  H5Pset_attr_creation_order(properties, attribute_order);
  hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  return group;
}

uint32_t hb_snapshot_hdf5_notes_sum(const struct hb_particles *p)
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
  uint32_t sum = hb_snapshot_hdf5_notes_sum(p);
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
  hid_t space = H5Screate_simple(rank, shape, NULL);
  hid_t properties = with_checksums(rank, shape);
  hid_t data = H5Dcreate2(group, name, ids ? H5T_STD_U64LE : H5T_IEEE_F64LE, space, H5P_DEFAULT, properties,
                          H5P_DEFAULT);
  int failed = data < 0 || H5Dwrite(data, ids ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                    H5P_DEFAULT, ids ? (const void *)ids : values) < 0;
  if (data >= 0) H5Dclose(data);
  H5Pclose(properties);
  H5Sclose(space);
  return failed ? cannot_make(name) : HB_OK;
}

/* The length of the file on disk, from its superblock. */
static enum hb_status get_length(const struct image *image, size_t *count)
{
  enum { AT = 28, SUPERBLOCK = 48 };
  *count = 0;
  for (int k = 0; k < 8 && image->size >= SUPERBLOCK; k++)
    *count |= (size_t)(unsigned char)image->bytes[AT + k] << 8 * k;
  return *count > SUPERBLOCK && *count <= image->size ? HB_OK : cannot_make("the file");
}

static enum hb_status make_file(const struct hb_particles *p,
                                enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                                struct hb_text *bytes)
{
  struct image image = {0};
  size_t count = 0;
  struct quiet quiet = quiet_begin();
  hid_t access = access_in_memory(&image, p->n), creation = without_times(H5P_FILE_CREATE);
  hid_t file = H5Fcreate(name_in_memory, H5F_ACC_TRUNC, creation, access);
  enum hb_status status = file < 0 ? cannot_make("a file") : fill(file, p);
  if (status == HB_OK) status = put_notes(file, p);
  if (file >= 0 && H5Fclose(file) < 0 && status == HB_OK) status = cannot_make("the file");
  if (status == HB_OK) status = get_length(&image, &count);
  H5Pclose(creation);
  H5Pclose(access);
  quiet_end(quiet);
  if (status != HB_OK)
    hb_mem_free(image.bytes);
  else
    *bytes = (struct hb_text){image.bytes, count, image.size};
  return status;
}

/* The library is built for one thread at a time. */
static enum hb_status write_one(const struct hb_particles *particles,
                                enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                                struct hb_text *bytes)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  enum hb_status status = make_file(particles, fill, bytes);
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
    .facts = HB_SNAPSHOT_RADII,
};

/* ---- AMUSE, in N-body units: the layout of amuse.io.store_v2 ----------------------------------------- */

/* What Python's pickle, protocol 0, makes of the class amuse.datamodel.particles.Particles. */
static const char pickled_class[] = "camuse.datamodel.particles\nParticles\np0\n.";

static enum hb_status put_class(hid_t group)
{
  hid_t type = H5Tcreate(H5T_OPAQUE, strlen(pickled_class));
  H5Tset_tag(type, "");
  enum hb_status status = put_attribute(group, "class_of_the_particles", type, type, 0, pickled_class);
  H5Tclose(type);
  return status;
}

/* An attribute of the particles. */
static enum hb_status put_column(hid_t group, const char *name, const char *unit, size_t n,
                                 const double *values)
{
  HB_TRY(put_data(group, name, 1, n, values, NULL));
  hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
  if (data < 0) return cannot_make(name);
  enum hb_status status = put_text(data, "units", unit);
  H5Dclose(data);
  return status;
}

static enum hb_status put_columns(hid_t group, const struct hb_particles *p, double *column)
{
  static const char *const units[] = {HB_AMUSE_UNIT("mass"), HB_AMUSE_UNIT("length"), HB_AMUSE_SPEED};
  for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++) {
    for (size_t i = 0; i < p->n; i++) column[i] = *hb_snapshot_value(p, i, hb_amuse_columns[k].column);
    HB_TRY(put_column(group, hb_amuse_columns[k].name, units[hb_amuse_columns[k].unit], p->n, column));
  }
  return HB_OK;
}

static enum hb_status put_set(hid_t group, const struct hb_particles *p)
{
  const int64_t n = (int64_t)p->n;
  double *column;
  HB_TRY(put_text(group, "type", "particles"));
  HB_TRY(put_attribute(group, "number_of_particles", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &n));
  HB_TRY(put_class(group));
  HB_TRY(put_double(group, "timestamp", p->t));
  HB_TRY(put_text(group, "timestamp_unit", HB_AMUSE_UNIT("time")));
  HB_TRY(put_data(group, "keys", 1, p->n, NULL, p->id));
  hid_t attributes = make_group(group, "attributes", 0);
  if (attributes < 0) return cannot_make("the attributes");
  HB_TRY(HB_ALLOC(p->n, &column));
  enum hb_status status = put_columns(attributes, p, column);
  hb_mem_free(column);
  return status;
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
};
