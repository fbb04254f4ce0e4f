/* Reading for io/snapshot_hdf5.c. It runs only in holmberg-child, whose memory and time are limited and whose crashes do no
 * harm: single files in the Gadget layout, with all types of particles in the order of the types. Links to other files are
 * refused. */
#include "io/snapshot.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPES = 6 };

/* The file, and how many particles of each type its header claims. */
struct source {
  const char *path;
  uint64_t bytes;
  hid_t file;
  uint64_t counts[TYPES];
  double masses[TYPES]; /* of all particles of a type; 0: each has its own */
};

static enum hb_status damaged(const struct source *s, const char *what)
{
  return hb_fail(HB_ERR_INPUT, "%s: %s cannot be read, the file is damaged", s->path, what);
}

/* Whether this object exists in this file; its group must exist. */
static enum hb_status find(const struct source *s, const char *name, int *found)
{
  H5L_info_t link;
  htri_t exists = H5Lexists(s->file, name, H5P_DEFAULT);
  *found = exists > 0;
  if (exists < 0 || (*found && H5Lget_info(s->file, name, &link, H5P_DEFAULT) < 0)) return damaged(s, name);
  if (!*found || link.type == H5L_TYPE_HARD || link.type == H5L_TYPE_SOFT) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: %s is a link to another file, which is not followed", s->path, name);
}

static int is_number(hid_t type)
{
  H5T_class_t class = H5Tget_class(type);
  H5Tclose(type);
  return class == H5T_FLOAT || class == H5T_INTEGER;
}

/* ---- /Header ------------------------------------------------------------------------------------------ */

static enum hb_status get_header(const struct source *s, const char *name, hssize_t count, double *values)
{
  hid_t attribute = H5Aopen_by_name(s->file, "/Header", name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return hb_fail(HB_ERR_INPUT, "%s: /Header has no attribute %s", s->path, name);
  hid_t space = H5Aget_space(attribute);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  int numeric = is_number(H5Aget_type(attribute));
  int failed = points == count && numeric && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) < 0;
  H5Sclose(space);
  H5Aclose(attribute);
  if (points != count)
    return hb_fail(HB_ERR_INPUT, "%s: attribute %s of /Header has %lld values, expected %lld", s->path, name,
                   (long long)points, (long long)count);
  if (!numeric) return hb_fail(HB_ERR_INPUT, "%s: attribute %s of /Header is not numeric", s->path, name);
  return failed ? damaged(s, name) : HB_OK;
}

/* The same for an optional one; without it the values are unchanged. */
static enum hb_status get_optional(const struct source *s, const char *name, hssize_t count, double *values)
{
  htri_t found = H5Aexists_by_name(s->file, "/Header", name, H5P_DEFAULT);
  if (found < 0) return damaged(s, "/Header");
  return found ? get_header(s, name, count, values) : HB_OK;
}

/* The counts of a damaged header can be anything; hb_snapshot_hdf5_most limits them by the size of the file. */
static enum hb_status get_counts(struct source *s, size_t *n)
{
  double counts[TYPES];
  HB_TRY(get_header(s, "NumPart_ThisFile", TYPES, counts));
  *n = 0;
  for (int type = 0; type < TYPES; type++) {
    if (!(counts[type] >= 0 && counts[type] <= UINT32_MAX && counts[type] == floor(counts[type])))
      return hb_fail(HB_ERR_INPUT, "%s: NumPart_ThisFile says %.17g, expected a whole number below 2^32",
                     s->path, counts[type]);
    s->counts[type] = (uint64_t)counts[type];
    *n += s->counts[type];
  }
  if (*n == 0) return hb_fail(HB_ERR_INPUT, "%s: there are no particles, NumPart_ThisFile is all 0", s->path);
  if (*n > hb_snapshot_hdf5_most(s->bytes) || *n > UINT32_MAX)
    return hb_fail(HB_ERR_INPUT,
                   "%s: NumPart_ThisFile says %zu particles, more than a file of %llu bytes holds", s->path,
                   *n, (unsigned long long)s->bytes);
  return HB_OK;
}

static enum hb_status get_headers(struct source *s, double *t, size_t *n)
{
  int found;
  double files = 1;
  HB_TRY(find(s, "/Header", &found));
  if (!found)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group /Header, expected the Gadget layout", s->path);
  HB_TRY(get_counts(s, n));
  HB_TRY(get_optional(s, "Time", 1, t));
  HB_TRY(get_optional(s, "MassTable", TYPES, s->masses));
  HB_TRY(get_optional(s, "NumFilesPerSnapshot", 1, &files));
  if (files <= 1) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: one of %g files of a snapshot, expected a single file", s->path, files);
}

/* ---- data sets ---------------------------------------------------------------------------------------- */

/* The values must be in this file, and compressed only by filters that the library has. */
static enum hb_status check_storage(const struct source *s, hid_t data, const char *path)
{
  hid_t list = H5Dget_create_plist(data);
  int elsewhere = H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0;
  H5Z_filter_t unknown = 0;
  for (int k = 0; k < H5Pget_nfilters(list); k++) {
    unsigned flags, config;
    size_t count = 0;
    H5Z_filter_t filter = H5Pget_filter2(list, (unsigned)k, &flags, &count, NULL, 0, NULL, &config);
    if (H5Zfilter_avail(filter) <= 0) unknown = filter;
  }
  H5Pclose(list);
  if (elsewhere)
    return hb_fail(HB_ERR_INPUT, "%s: the values of data set %s are in other files, which are not read",
                   s->path, path);
  if (unknown)
    return hb_fail(HB_ERR_INPUT, "%s: data set %s is compressed by filter %d, which the HDF5 library lacks",
                   s->path, path, (int)unknown);
  return HB_OK;
}

/* Formats the shape of a data set, "1024 x 3"; returns whether it has count rows of this many columns. */
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

static enum hb_status check_data(const struct source *s, int type, hid_t data, const char *path, int columns)
{
  char shape[128];
  if (H5Iget_type(data) != H5I_DATASET)
    return hb_fail(HB_ERR_INPUT, "%s: %s is not a data set", s->path, path);
  if (!is_number(H5Dget_type(data)))
    return hb_fail(HB_ERR_INPUT, "%s: data set %s is not numeric", s->path, path);
  HB_TRY(check_storage(s, data, path));
  if (!shape_fits(data, s->counts[type], columns, shape, sizeof shape))
    return hb_fail(HB_ERR_INPUT, "%s: data set %s has shape %s, expected %llu%s", s->path, path, shape,
                   (unsigned long long)s->counts[type], columns == 3 ? " x 3" : "");
  if (H5Dget_storage_size(data) > 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: the values of data set %s were never written", s->path, path);
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

static enum hb_status read_data(const struct source *s, hid_t data, const char *path, hid_t native,
                                void *values)
{
  int clipped = 0;
  hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_type_conv_cb(transfer, refuse_clipping, &clipped);
  herr_t failed = H5Dread(data, native, H5S_ALL, H5S_ALL, transfer, values);
  H5Pclose(transfer);
  if (clipped)
    return hb_fail(HB_ERR_INPUT, "%s: data set %s has a value that is not a whole number from 0 to 2^64 - 1",
                   s->path, path);
  return failed < 0 ? damaged(s, path) : HB_OK;
}

enum need { OPTIONAL, NEEDED };

/* Reads /PartTypeK/name into values; if they are NULL it is only checked. */
static enum hb_status get_data(const struct source *s, int type, const char *name, enum need need,
                               hid_t native, int columns, void *values)
{
  char path[64];
  int found;
  snprintf(path, sizeof path, "/PartType%d", type);
  HB_TRY(find(s, path, &found));
  if (!found)
    return hb_fail(HB_ERR_INPUT, "%s: there is no group %s, though /Header counts %llu particles of it",
                   s->path, path, (unsigned long long)s->counts[type]);
  snprintf(path, sizeof path, "/PartType%d/%s", type, name);
  HB_TRY(find(s, path, &found));
  if (!found && need == OPTIONAL) return HB_OK;
  if (!found) return hb_fail(HB_ERR_INPUT, "%s: there is no data set %s", s->path, path);
  hid_t data = H5Oopen(s->file, path, H5P_DEFAULT);
  if (data < 0) return hb_fail(HB_ERR_INPUT, "%s: %s leads to nothing in this file", s->path, path);
  enum hb_status status = check_data(s, type, data, path, columns);
  if (status == HB_OK && values) status = read_data(s, data, path, native, values);
  H5Oclose(data);
  return status;
}

/* The particles of one type, as number first and following. Without identities these are the numbers. */
static enum hb_status get_type(const struct source *s, int type, size_t first, struct hb_particles *p)
{
  HB_TRY(get_data(s, type, "Coordinates", NEEDED, H5T_NATIVE_DOUBLE, 3, p->x + 3 * first));
  HB_TRY(get_data(s, type, "Velocities", NEEDED, H5T_NATIVE_DOUBLE, 3, p->v + 3 * first));
  HB_TRY(get_data(s, type, "ParticleIDs", OPTIONAL, H5T_NATIVE_UINT64, 1, p->id + first));
  if (s->masses[type] == 0) return get_data(s, type, "Masses", NEEDED, H5T_NATIVE_DOUBLE, 1, p->m + first);
  for (size_t i = first; i < first + s->counts[type]; i++) p->m[i] = s->masses[type];
  return HB_OK;
}

/* ---- notes -------------------------------------------------------------------------------------------- */

static enum hb_status get_text(const struct source *s, hid_t attribute, hid_t type, struct hb_text *text)
{
  size_t size = H5Tget_size(type);
  char *value = NULL;
  if (H5Tis_variable_str(type) > 0) {
    if (H5Aread(attribute, type, &value) < 0) return damaged(s, "/Holmberg");
    enum hb_status status = value ? hb_text_append(text, "%s", value) : HB_OK;
    H5free_memory(value);
    return status;
  }
  if (size > s->bytes) return damaged(s, "/Holmberg");
  HB_TRY(HB_ALLOC(size + 1, &value));
  enum hb_status status =
      H5Aread(attribute, type, value) < 0 ? damaged(s, "/Holmberg") : hb_text_append(text, "%s", value);
  hb_mem_free(value);
  return status;
}

/* Attributes that are not strings belong to another program. */
static enum hb_status get_note(const struct source *s, hid_t attribute, const char *name,
                               struct hb_particles *p)
{
  struct hb_text text = {0};
  enum hb_status status = HB_OK;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) == H5T_STRING)
    status = points == 1 ? get_text(s, attribute, type, &text)
                         : hb_fail(HB_ERR_INPUT, "%s: attribute %s of /Holmberg has %lld strings, expected 1",
                                   s->path, name, (long long)points);
  H5Sclose(space);
  H5Tclose(type);
  if (status == HB_OK && text.text) {
    status = hb_particles_set_note(p, name, text.text);
    if (status == HB_ERR_USAGE) status = HB_OK; /* so do names that are not valid keys */
  }
  hb_mem_free(text.text);
  return status;
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
  hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  notes->status = attribute < 0 ? damaged(notes->source, "/Holmberg")
                                : get_note(notes->source, attribute, name, notes->particles);
  if (attribute >= 0) H5Aclose(attribute);
  return notes->status != HB_OK;
}

static enum hb_status check_sum(const struct source *s, hid_t group, const struct hb_particles *p)
{
  uint32_t sum = 0;
  htri_t found = H5Aexists(group, HB_SNAPSHOT_HDF5_SUM);
  if (found == 0) return HB_OK;
  hid_t attribute = H5Aopen(group, HB_SNAPSHOT_HDF5_SUM, H5P_DEFAULT);
  hid_t space = H5Aget_space(attribute);
  int failed = H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, H5T_NATIVE_UINT32, &sum) < 0;
  H5Sclose(space);
  H5Aclose(attribute);
  return failed || sum != hb_snapshot_hdf5_notes_sum(p) ? damaged(s, "/Holmberg") : HB_OK;
}

/* In creation order, if the file has it, as ours do. */
static enum hb_status get_notes(const struct source *s, struct hb_particles *p)
{
  struct notes notes = {.source = s, .particles = p};
  int found;
  HB_TRY(find(s, "/Holmberg", &found));
  if (!found) return HB_OK;
  hid_t group = H5Gopen2(s->file, "/Holmberg", H5P_DEFAULT);
  herr_t stopped = H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) stopped = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) notes.status = damaged(s, "/Holmberg");
  if (notes.status == HB_OK) notes.status = check_sum(s, group, p);
  if (group >= 0) H5Gclose(group);
  return notes.status;
}

/* ---- the file ----------------------------------------------------------------------------------------- */

static enum hb_status get_all(struct source *s, struct hb_particles **particles)
{
  double t = 0;
  size_t n = 0;
  HB_TRY(get_headers(s, &t, &n));
  for (int type = 0; type < TYPES; type++) /* before allocating memory for them */
    if (s->counts[type]) HB_TRY(get_data(s, type, "Coordinates", NEEDED, H5T_NATIVE_DOUBLE, 3, NULL));
  HB_TRY(hb_particles_create(n, particles));
  struct hb_particles *p = *particles;
  p->t = t;
  for (size_t type = 0, first = 0; type < TYPES; first += s->counts[type++])
    if (s->counts[type]) HB_TRY(get_type(s, (int)type, first, p));
  return get_notes(s, p);
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

enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_particles **particles)
{
  struct stat info;
  char name[32];
  *particles = NULL;
  if (fstat(fd, &info) != 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  struct source s = {.path = path, .bytes = (uint64_t)info.st_size};
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
                                     : get_all(&s, particles);
  if (s.file >= 0) H5Fclose(s.file);
  H5Pclose(access);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
  }
  return status;
}
