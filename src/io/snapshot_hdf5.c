/* Snapshots in the Gadget HDF5 layout, which yt, pynbody and glnemo2 read: attributes of /Header, one group
 * /PartType0 .. /PartType5 per kind of particle. Ours are all of type 1; all types are read, as plain particles
 * in the order of their types. Notes are string attributes of /Holmberg.
 *
 * The file is made and taken apart in memory: the disk is left to base/file.h, and a broken file cannot be told
 * from a broken disk by the HDF5 library. No time stamps, so the same particles give the same bytes. */
#include "io/snapshot.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { TYPES = 6, OUR_TYPE = 1 };

/* The library wants a name for files in memory, and one that no file on disk has or can have. */
static const char name_in_memory[] = "/dev/null/snapshot";

/* The library's own error printing is switched off while a snapshot is open, and put back. */
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

/* File access in memory: closing the file closes all that is open in it. */
static hid_t access_in_memory(void)
{
  enum { GROWTH = 1 << 20 };
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, GROWTH, 0);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
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
  return hb_fail(HB_ERR_INTERNAL, "the HDF5 library cannot make %s", what);
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

/* Where attributes are indexed by the order of their making, notes keep their order, and may be longer than 64 KiB:
 * that takes the younger kind of group, which HDF5 1.8 brought. */
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

static enum hb_status put_notes(hid_t file, const struct hb_particles *p)
{
  hid_t group = make_group(file, "Holmberg", H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (group < 0) return cannot_make("/Holmberg");
  for (size_t k = 0; k < p->note_count; k++) HB_TRY(put_text(group, p->notes[k].key, p->notes[k].value));
  return hb_particles_note(p, "version") ? HB_OK : put_text(group, "version", hb_version());
}

static enum hb_status put_data(hid_t group, const char *name, hid_t stored, hid_t native, int columns,
                               size_t n, const void *values)
{
  hsize_t shape[2] = {n, (hsize_t)columns};
  hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, shape, NULL);
  hid_t properties = without_times(H5P_DATASET_CREATE);
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

/* The bytes that the file would have on disk. */
static enum hb_status take_image(hid_t file, char **bytes, size_t *count)
{
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return cannot_make("the file");
  ssize_t size = H5Fget_file_image(file, NULL, 0);
  if (size <= 0) return cannot_make("the file");
  HB_TRY(HB_ALLOC((size_t)size, bytes));
  *count = (size_t)size;
  return H5Fget_file_image(file, *bytes, *count) == size ? HB_OK : cannot_make("the file");
}

static enum hb_status hdf5_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  *bytes = NULL;
  *count = 0;
  struct quiet quiet = quiet_begin();
  hid_t access = access_in_memory(), creation = without_times(H5P_FILE_CREATE);
  hid_t file = H5Fcreate(name_in_memory, H5F_ACC_TRUNC, creation, access);
  enum hb_status status = file < 0 ? cannot_make("a file") : put_header(file, p);
  if (status == HB_OK) status = put_particles(file, p);
  if (status == HB_OK) status = put_notes(file, p);
  if (status == HB_OK) status = take_image(file, bytes, count);
  if (file >= 0) H5Fclose(file);
  H5Pclose(creation);
  H5Pclose(access);
  quiet_end(quiet);
  if (status != HB_OK) {
    hb_mem_free(*bytes);
    *bytes = NULL;
  }
  return status;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* What is read, and how many particles of each type it says to hold. */
struct source {
  const char *path;
  hid_t file;
  uint64_t counts[TYPES];
  double masses[TYPES]; /* of a whole type; 0: each particle has its own */
};

/* count numbers of an attribute of /Header. */
static enum hb_status get_header(const struct source *s, const char *name, hid_t native, hssize_t count,
                                 void *values)
{
  hid_t attribute = H5Aopen_by_name(s->file, "Header", name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return hb_fail(HB_ERR_INPUT, "%s: /Header has no attribute %s", s->path, name);
  hid_t space = H5Aget_space(attribute);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  int failed = points == count && H5Aread(attribute, native, values) < 0;
  H5Sclose(space);
  H5Aclose(attribute);
  if (points != count)
    return hb_fail(HB_ERR_INPUT, "%s: attribute %s of /Header has %lld values, expected %lld", s->path, name,
                   (long long)points, (long long)count);
  return failed ? hb_fail(HB_ERR_INPUT, "%s: attribute %s of /Header is not numeric", s->path, name) : HB_OK;
}

static enum hb_status has_header(const struct source *s, const char *name, int *has)
{
  htri_t found = H5Aexists_by_name(s->file, "Header", name, H5P_DEFAULT);
  *has = found > 0;
  return found < 0 ? hb_fail(HB_ERR_INPUT, "%s: /Header cannot be read", s->path) : HB_OK;
}

static enum hb_status get_headers(struct source *s, double *t, size_t *n)
{
  if (H5Lexists(s->file, "Header", H5P_DEFAULT) <= 0)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group /Header, expected the Gadget layout", s->path);
  HB_TRY(get_header(s, "NumPart_ThisFile", H5T_NATIVE_UINT64, TYPES, s->counts));
  int has_time, has_masses, has_files, files = 1;
  HB_TRY(has_header(s, "Time", &has_time));
  HB_TRY(has_header(s, "MassTable", &has_masses));
  HB_TRY(has_header(s, "NumFilesPerSnapshot", &has_files));
  if (has_time) HB_TRY(get_header(s, "Time", H5T_NATIVE_DOUBLE, 1, t));
  if (has_masses) HB_TRY(get_header(s, "MassTable", H5T_NATIVE_DOUBLE, TYPES, s->masses));
  if (has_files) HB_TRY(get_header(s, "NumFilesPerSnapshot", H5T_NATIVE_INT, 1, &files));
  if (files > 1)
    return hb_fail(HB_ERR_INPUT, "%s: one of %d files of a snapshot, expected a single file", s->path, files);
  *n = 0;
  for (int type = 0; type < TYPES; type++) {
    if (s->counts[type] > UINT32_MAX)
      return hb_fail(HB_ERR_INPUT, "%s: NumPart_ThisFile says %llu, expected below 2^32", s->path,
                     (unsigned long long)s->counts[type]);
    *n += s->counts[type];
  }
  return *n ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: there are no particles, NumPart_ThisFile is all 0", s->path);
}

/* The shape of a data set as "1024 x 3", and whether it is count rows of this many columns. */
static int shape_fits(hid_t data, size_t count, int columns, char *shown, size_t size)
{
  hsize_t shape[H5S_MAX_RANK] = {0};
  hid_t space = H5Dget_space(data);
  int rank = H5Sget_simple_extent_dims(space, shape, NULL);
  H5Sclose(space);
  snprintf(shown, size, "%s", rank > 0 ? "" : "no rows");
  for (int k = 0; k < rank; k++) {
    size_t used = strlen(shown);
    snprintf(shown + used, size - used, "%s%llu", k ? " x " : "", (unsigned long long)shape[k]);
  }
  int one_column = columns == 1 && (rank == 1 || (rank == 2 && shape[1] == 1));
  return (one_column || (rank == 2 && shape[1] == (hsize_t)columns)) && shape[0] == count;
}

/* Opens /PartTypeK/name and checks shape and kind; the caller closes it. */
static enum hb_status open_data(const struct source *s, int type, const char *name, int columns, hid_t *data)
{
  char path[64], shape[128];
  snprintf(path, sizeof path, "/PartType%d", type);
  if (H5Lexists(s->file, path, H5P_DEFAULT) <= 0)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group %s, though /Header counts %llu particles of it",
                   s->path, path, (unsigned long long)s->counts[type]);
  snprintf(path, sizeof path, "/PartType%d/%s", type, name);
  *data = H5Dopen2(s->file, path, H5P_DEFAULT);
  if (*data < 0) return hb_fail(HB_ERR_INPUT, "%s: there is no data set %s", s->path, path);
  hid_t stored = H5Dget_type(*data);
  H5T_class_t class = H5Tget_class(stored);
  H5Tclose(stored);
  if ((class == H5T_FLOAT || class == H5T_INTEGER) &&
      shape_fits(*data, s->counts[type], columns, shape, sizeof shape))
    return HB_OK;
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    hb_fail(HB_ERR_INPUT, "%s: data set %s is not numeric", s->path, path);
  else
    hb_fail(HB_ERR_INPUT, "%s: data set %s has shape %s, expected %llu%s", s->path, path, shape,
            (unsigned long long)s->counts[type], columns == 3 ? " x 3" : "");
  H5Dclose(*data);
  return HB_ERR_INPUT;
}

static enum hb_status get_data(const struct source *s, int type, const char *name, int columns, hid_t native,
                               void *values)
{
  hid_t data;
  HB_TRY(open_data(s, type, name, columns, &data));
  int failed = H5Dread(data, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  H5Dclose(data);
  if (!failed) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: data set /PartType%d/%s cannot be read, the file is damaged", s->path,
                 type, name);
}

static int has_data(const struct source *s, int type, const char *name)
{
  char path[64];
  snprintf(path, sizeof path, "/PartType%d/%s", type, name);
  return H5Lexists(s->file, path, H5P_DEFAULT) > 0;
}

/* The particles of one type, from number first on. Identities are optional and are numbers if missing. */
static enum hb_status get_type(const struct source *s, int type, size_t first, struct hb_particles *p)
{
  HB_TRY(get_data(s, type, "Coordinates", 3, H5T_NATIVE_DOUBLE, p->x + 3 * first));
  HB_TRY(get_data(s, type, "Velocities", 3, H5T_NATIVE_DOUBLE, p->v + 3 * first));
  if (has_data(s, type, "ParticleIDs"))
    HB_TRY(get_data(s, type, "ParticleIDs", 1, H5T_NATIVE_UINT64, p->id + first));
  if (s->masses[type] == 0) return get_data(s, type, "Masses", 1, H5T_NATIVE_DOUBLE, p->m + first);
  for (size_t i = first; i < first + s->counts[type]; i++) p->m[i] = s->masses[type];
  return HB_OK;
}

/* Before memory is taken for them, the positions must really be there: a damaged header may count anything. */
static enum hb_status check_counts(const struct source *s)
{
  for (int type = 0; type < TYPES; type++) {
    if (s->counts[type] == 0) continue;
    hid_t data;
    HB_TRY(open_data(s, type, "Coordinates", 3, &data));
    H5Dclose(data);
  }
  return HB_OK;
}

static enum hb_status get_string(hid_t attribute, struct hb_text *text)
{
  hid_t stored = H5Aget_type(attribute);
  size_t size = H5Tget_size(stored);
  enum hb_status status = HB_OK;
  char *value = NULL;
  if (H5Tget_class(stored) != H5T_STRING || size == 0) {
    H5Tclose(stored);
    return HB_OK;
  }
  if (H5Tis_variable_str(stored) > 0) {
    if (H5Aread(attribute, stored, &value) >= 0 && value) status = hb_text_append(text, "%s", value);
    H5free_memory(value);
  } else {
    status = HB_ALLOC(size + 1, &value);
    if (status == HB_OK && H5Aread(attribute, stored, value) >= 0) status = hb_text_append(text, "%s", value);
    hb_mem_free(value);
  }
  H5Tclose(stored);
  return status;
}

/* For H5Aiterate2: one attribute of /Holmberg becomes a note. Stops at no memory. */
static herr_t get_note(hid_t group, const char *name, const H5A_info_t *info, void *particles)
{
  (void)info;
  hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  if (attribute < 0) return 0;
  struct hb_text text = {0};
  enum hb_status status = get_string(attribute, &text);
  if (status == HB_OK && text.text) status = hb_particles_set_note(particles, name, text.text);
  hb_mem_free(text.text);
  H5Aclose(attribute);
  return status == HB_ERR_INTERNAL; /* a name that is no key is another program's: left out */
}

/* In the order of their making where the file has kept it, as ours do. */
static enum hb_status get_notes(const struct source *s, struct hb_particles *p)
{
  if (H5Lexists(s->file, "Holmberg", H5P_DEFAULT) <= 0) return HB_OK;
  hid_t group = H5Gopen2(s->file, "Holmberg", H5P_DEFAULT);
  herr_t stopped = H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, get_note, p);
  if (stopped < 0) stopped = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, get_note, p);
  if (group >= 0) H5Gclose(group);
  if (stopped < 0)
    return hb_fail(HB_ERR_INPUT, "%s: group /Holmberg cannot be read, the file is damaged", s->path);
  return stopped > 0 ? HB_ERR_INTERNAL : HB_OK;
}

static enum hb_status get_all(struct source *s, struct hb_particles **particles)
{
  double t = 0;
  size_t n = 0;
  HB_TRY(get_headers(s, &t, &n));
  HB_TRY(check_counts(s));
  HB_TRY(hb_particles_create(n, particles));
  struct hb_particles *p = *particles;
  p->t = t;
  for (size_t type = 0, first = 0; type < TYPES; first += s->counts[type++])
    if (s->counts[type]) HB_TRY(get_type(s, (int)type, first, p));
  return get_notes(s, p);
}

/* The signature stands at byte 0, or at 512, 1024, ... behind another program's header. */
static int is_hdf5(const char *bytes, size_t count)
{
  for (size_t at = 0; at + 8 <= count; at = at ? 2 * at : 512)
    if (memcmp(bytes + at, "\x89HDF\r\n\x1a\n", 8) == 0) return 1;
  return 0;
}

static enum hb_status read_image(const char *path, char *bytes, size_t count, struct hb_particles **particles)
{
  if (count == 0) return hb_fail(HB_ERR_INPUT, "%s: the file is empty", path);
  if (!is_hdf5(bytes, count)) return hb_fail(HB_ERR_INPUT, "%s: not an HDF5 file", path);
  struct quiet quiet = quiet_begin();
  hid_t access = access_in_memory();
  H5Pset_file_image(access, bytes, count);
  struct source source = {.path = path, .file = H5Fopen(name_in_memory, H5F_ACC_RDONLY, access)};
  enum hb_status status = source.file < 0
                              ? hb_fail(HB_ERR_INPUT, "%s: the HDF5 file is damaged or cut off", path)
                              : get_all(&source, particles);
  if (source.file >= 0) H5Fclose(source.file);
  H5Pclose(access);
  quiet_end(quiet);
  return status;
}

static enum hb_status hdf5_read(const char *path, struct hb_particles **particles)
{
  *particles = NULL;
  char *bytes;
  size_t count;
  HB_TRY(hb_file_read(path, &bytes, &count));
  enum hb_status status = read_image(path, bytes, count, particles);
  hb_mem_free(bytes);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
  }
  return status;
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5",
             .summary = "HDF5 in the Gadget layout, for yt, pynbody, glnemo2",
             .extensions = "h5 hdf5"},
    .read = hdf5_read,
    .write = hdf5_write,
};
