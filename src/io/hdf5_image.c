#include "io/hdf5_image.h"

#include "base/mem.h"

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

/* ---- pieces ------------------------------------------------------------------------------------------ */

enum hb_status hb_hdf5_cannot_make(const char *what)
{
  return hb_fail(HB_ERR_INTERNAL, "the HDF5 library cannot create %s", what);
}

enum hb_status hb_hdf5_put_attribute(hid_t object, const char *name, hid_t stored, hid_t native,
                                     hsize_t count, const void *values)
{
  hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  int failed = attribute < 0 || H5Awrite(attribute, native, values) < 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return failed ? hb_hdf5_cannot_make(name) : HB_OK;
}

enum hb_status hb_hdf5_put_double(hid_t object, const char *name, double value)
{
  return hb_hdf5_put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value);
}

enum hb_status hb_hdf5_put_text(hid_t object, const char *name, const char *text)
{
  hid_t type = string_type(strlen(text) + 1);
  enum hb_status status = hb_hdf5_put_attribute(object, name, type, type, 0, text);
  H5Tclose(type);
  return status;
}

hid_t hb_hdf5_make_group(hid_t file, const char *name, unsigned attribute_order)
{
  hid_t properties = without_times(H5P_GROUP_CREATE);
  H5Pset_attr_creation_order(properties, attribute_order);
  hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  return group;
}

uint32_t hb_hdf5_notes_sum(const struct hb_particles *p)
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
  hid_t group = hb_hdf5_make_group(file, "Holmberg", H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (group < 0) return hb_hdf5_cannot_make("/Holmberg");
  for (size_t k = 0; k < p->note_count; k++) {
    HB_TRY(hb_hdf5_put_text(group, p->notes[k].key, p->notes[k].value));
    any_long |= strlen(p->notes[k].value) >= LONG;
  }
  uint32_t sum = hb_hdf5_notes_sum(p);
  if (any_long)
    HB_TRY(hb_hdf5_put_attribute(group, HB_HDF5_NOTES_SUM, H5T_STD_U32LE, H5T_NATIVE_UINT32, 0, &sum));
  return hb_particles_note(p, "version") ? HB_OK : hb_hdf5_put_text(group, "version", hb_library_version());
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

enum hb_status hb_hdf5_put_data(hid_t group, const char *name, hid_t stored, hid_t native, int columns,
                                size_t n, const void *values)
{
  hsize_t shape[2] = {n, (hsize_t)columns};
  int rank = columns > 1 ? 2 : 1;
  hid_t space = H5Screate_simple(rank, shape, NULL);
  hid_t properties = with_checksums(rank, shape);
  hid_t data = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  int failed = data < 0 || H5Dwrite(data, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  if (data >= 0) H5Dclose(data);
  H5Pclose(properties);
  H5Sclose(space);
  return failed ? hb_hdf5_cannot_make(name) : HB_OK;
}

/* The length of the file on disk, from its superblock. */
static enum hb_status get_length(const struct image *image, size_t *count)
{
  enum { AT = 28, SUPERBLOCK = 48 };
  *count = 0;
  for (int k = 0; k < 8 && image->size >= SUPERBLOCK; k++)
    *count |= (size_t)(unsigned char)image->bytes[AT + k] << 8 * k;
  return *count > SUPERBLOCK && *count <= image->size ? HB_OK : hb_hdf5_cannot_make("the file");
}

static enum hb_status make_file(const struct hb_particles *p,
                                enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                                char **bytes, size_t *count)
{
  struct image image = {0};
  struct quiet quiet = quiet_begin();
  hid_t access = access_in_memory(&image, p->n), creation = without_times(H5P_FILE_CREATE);
  hid_t file = H5Fcreate(name_in_memory, H5F_ACC_TRUNC, creation, access);
  enum hb_status status = file < 0 ? hb_hdf5_cannot_make("a file") : fill(file, p);
  if (status == HB_OK) status = put_notes(file, p);
  if (file >= 0 && H5Fclose(file) < 0 && status == HB_OK) status = hb_hdf5_cannot_make("the file");
  if (status == HB_OK) status = get_length(&image, count);
  H5Pclose(creation);
  H5Pclose(access);
  quiet_end(quiet);
  if (status != HB_OK) hb_mem_free(image.bytes);
  *bytes = status == HB_OK ? image.bytes : NULL;
  return status;
}

/* The library is built for one thread at a time. */
enum hb_status hb_hdf5_write(const struct hb_particles *particles,
                             enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                             char **bytes, size_t *count)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  enum hb_status status = make_file(particles, fill, bytes, count);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}
