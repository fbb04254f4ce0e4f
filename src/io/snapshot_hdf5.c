/* Snapshots in the Gadget HDF5 layout, which yt, pynbody and glnemo2 read: attributes of /Header, one group
 * /PartType0 .. /PartType5 per type of particle. Ours are all of type 1. Notes are string attributes of /Holmberg.
 *
 * A file is built in memory; base/file.h writes it to disk. There are no time stamps: the same particles give the same
 * bytes. Files are read by holmberg-child, with snapshot_hdf5_read.c, since the HDF5 library crashes on damaged ones. */
#include "io/snapshot.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "io/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { TYPES = 6, OUR_TYPE = 1 };

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

/* ---- writing ----------------------------------------------------------------------------------------- */

static enum hb_status cannot_make(const char *what)
{
  return hb_fail(HB_ERR_INTERNAL, "the HDF5 library cannot create %s", what);
}

/* An attribute of count values, a scalar if count is 0. */
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
 * kind of group, since HDF5 1.8. */
static hid_t make_group(hid_t file, const char *name, unsigned attribute_order)
{
  hid_t properties = without_times(H5P_GROUP_CREATE);
  H5Pset_attr_creation_order(properties, attribute_order);
  hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  return group;
}

static enum hb_status put_header(hid_t file, const struct hb_particles *p)
{
  hid_t header = make_group(file, "Header", 0);
  if (header < 0) return cannot_make("/Header");
  uint32_t counts[TYPES] = {0}, high_words[TYPES] = {0};
  counts[OUR_TYPE] = (uint32_t)p->n;
  double masses[TYPES] = {0};
  HB_TRY(put_attribute(header, "NumPart_ThisFile", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES, counts));
  HB_TRY(put_attribute(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES, counts));
  HB_TRY(
      put_attribute(header, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES, high_words));
  HB_TRY(put_attribute(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, TYPES, masses));
  HB_TRY(put_double(header, "Time", p->t));
  static const char *const zeros[] = {"Redshift", "BoxSize", "Omega0", "OmegaLambda"};
  for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++) HB_TRY(put_double(header, zeros[k], 0));
  HB_TRY(put_double(header, "HubbleParam", 1));
  HB_TRY(put_int(header, "NumFilesPerSnapshot", 1));
  static const char *const flags[] = {"Flag_Sfr",    "Flag_Cooling",  "Flag_StellarAge",
                                      "Flag_Metals", "Flag_Feedback", "Flag_IC_Info"};
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) HB_TRY(put_int(header, flags[k], 0));
  return put_int(header, "Flag_DoublePrecision", 1);
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
  if (any_long) HB_TRY(put_attribute(group, HB_SNAPSHOT_HDF5_SUM, H5T_STD_U32LE, H5T_NATIVE_UINT32, 0, &sum));
  return hb_particles_note(p, "version") ? HB_OK : put_text(group, "version", hb_version());
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

static enum hb_status put_data(hid_t group, const char *name, hid_t stored, hid_t native, int columns,
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
  return failed ? cannot_make(name) : HB_OK;
}

static enum hb_status put_particles(hid_t file, const struct hb_particles *p)
{
  hid_t group = make_group(file, "PartType1", 0);
  if (group < 0) return cannot_make("/PartType1");
  HB_TRY(put_data(group, "Coordinates", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, p->n, p->x));
  HB_TRY(put_data(group, "Velocities", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, p->n, p->v));
  HB_TRY(put_data(group, "ParticleIDs", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, p->n, p->id));
  return put_data(group, "Masses", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, p->n, p->m);
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

static enum hb_status make_file(const struct hb_particles *p, char **bytes, size_t *count)
{
  struct image image = {0};
  struct quiet quiet = quiet_begin();
  hid_t access = access_in_memory(&image, p->n), creation = without_times(H5P_FILE_CREATE);
  hid_t file = H5Fcreate(name_in_memory, H5F_ACC_TRUNC, creation, access);
  enum hb_status status = file < 0 ? cannot_make("a file") : put_header(file, p);
  if (status == HB_OK) status = put_particles(file, p);
  if (status == HB_OK) status = put_notes(file, p);
  if (file >= 0 && H5Fclose(file) < 0 && status == HB_OK) status = cannot_make("the file");
  if (status == HB_OK) status = get_length(&image, count);
  H5Pclose(creation);
  H5Pclose(access);
  quiet_end(quiet);
  if (status != HB_OK) hb_mem_free(image.bytes);
  *bytes = status == HB_OK ? image.bytes : NULL;
  return status;
}

/* The library is built for one thread at a time. */
static enum hb_status hdf5_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  enum hb_status status = make_file(p, bytes, count);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

size_t hb_snapshot_hdf5_most(uint64_t bytes) { return (1 << 20) + bytes; }

enum hb_status hb_snapshot_hdf5_unpack(const char *path, const struct hb_sections *sections,
                                       struct hb_particles **particles)
{
  *particles = NULL;
  const struct hb_section *sentence = hb_sections_find(sections, "sentence");
  if (!sentence) {
    enum hb_status status = hb_particles_get(sections, particles);
    return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
  }
  const void *number;
  HB_TRY(hb_sections_get(sections, "status", HB_SECTION_WORDS, 1, &number));
  uint64_t status = *(const uint64_t *)number;
  if (status == HB_OK || status > HB_ERR_STOPPED) status = HB_ERR_INTERNAL;
  return hb_fail((enum hb_status)status, "%.*s", (int)sentence->count, (const char *)sentence->data);
}

/* Why the child ended without an answer. */
static enum hb_status no_answer(const char *path, const char *child, struct hb_process_end end)
{
  enum { USAGE = 2, NOT_RUN = 127 };
  if (hb_process_crashed(end))
    return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library crashed (signal %d) on it, the file is damaged", path,
                   end.signal);
  if (end.signal == SIGXCPU)
    return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library did not finish reading it, the file is damaged", path);
  if (end.signal)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s was ended by signal %d", path, child, end.signal);
  if (end.code == USAGE || end.code == NOT_RUN)
    return hb_fail(HB_ERR_IO, "cannot read %s: %s is of another version", path, child);
  return hb_fail(HB_ERR_INPUT, "%s: the HDF5 library gave up on it, the file is damaged", path);
}

/* The open file is the child's standard input, so that it cannot be replaced under the same name in between. */
static enum hb_status let_read(int file, const char *path, uint64_t bytes, struct hb_sections *sections)
{
  char child[PATH_MAX];
  const char *words[] = {child, "snapshot", path, NULL};
  struct hb_process process;
  enum hb_status status = hb_process_child(child);
  if (status == HB_OK)
    status = hb_process_start_on(words, HB_PROCESS_FROM | HB_PROCESS_SILENT, file, &process);
  if (status != HB_OK) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, hb_error());
  uint64_t most = 64 * hb_snapshot_hdf5_most(bytes) + 2 * bytes;
  status = hb_checkpoint_receive(process.from, path, most, sections);
  struct hb_process_end end = hb_process_end(&process);
  return status == HB_ERR_INPUT ? no_answer(path, child, end) : status;
}

static enum hb_status hdf5_read(const char *path, struct hb_particles **particles)
{
  struct stat info;
  struct hb_sections sections = {0};
  *particles = NULL;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a fifo would wait for its other end */
  if (file < 0 || fstat(file, &info) != 0) {
    int reason = errno;
    if (file >= 0) close(file);
    return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(reason));
  }
  enum hb_status status =
      S_ISREG(info.st_mode)
          ? let_read(file, path, (uint64_t)info.st_size, &sections)
          : hb_fail(HB_ERR_IO, "cannot read %s: HDF5 is read from regular files only", path);
  close(file);
  if (status == HB_OK) status = hb_snapshot_hdf5_unpack(path, &sections, particles);
  hb_sections_clear(&sections);
  return status;
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5",
             .summary = "HDF5 in the Gadget layout, for yt, pynbody, glnemo2",
             .extensions = "h5 hdf5"},
    .read = hdf5_read,
    .write = hdf5_write,
};
