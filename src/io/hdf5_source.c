#include "io/hdf5_source.h"

#include "base/mem.h"
#include "io/hdf5_image.h"
#include "io/snapshot.h"

#include <stdio.h>
#include <string.h>

enum hb_status hb_hdf5_damaged(const struct hb_hdf5_source *s, const char *what)
{
  return hb_fail(HB_ERR_INPUT, "%s: %s cannot be read, the file is damaged", s->path, what);
}

enum hb_status hb_hdf5_find(const struct hb_hdf5_source *s, const char *name, int *found)
{
  H5L_info_t link;
  htri_t exists = H5Lexists(s->file, name, H5P_DEFAULT);
  *found = exists > 0;
  if (exists < 0 || (*found && H5Lget_info(s->file, name, &link, H5P_DEFAULT) < 0))
    return hb_hdf5_damaged(s, name);
  if (!*found || link.type == H5L_TYPE_HARD || link.type == H5L_TYPE_SOFT) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: %s is a link to another file, which is not followed", s->path, name);
}

/* Closes the type. */
static int is_number(hid_t type)
{
  H5T_class_t class = H5Tget_class(type);
  H5Tclose(type);
  return class == H5T_FLOAT || class == H5T_INTEGER;
}

/* ---- attributes --------------------------------------------------------------------------------------- */

enum hb_status hb_hdf5_get_numbers(const struct hb_hdf5_source *s, const char *object, const char *name,
                                   hssize_t count, double *values)
{
  hid_t attribute = H5Aopen_by_name(s->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return hb_fail(HB_ERR_INPUT, "%s: %s has no attribute %s", s->path, object, name);
  hid_t space = H5Aget_space(attribute);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  int numeric = is_number(H5Aget_type(attribute));
  int failed = points == count && numeric && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) < 0;
  H5Sclose(space);
  H5Aclose(attribute);
  if (points != count)
    return hb_fail(HB_ERR_INPUT, "%s: attribute %s of %s has %lld values, expected %lld", s->path, name,
                   object, (long long)points, (long long)count);
  if (!numeric) return hb_fail(HB_ERR_INPUT, "%s: attribute %s of %s is not numeric", s->path, name, object);
  return failed ? hb_hdf5_damaged(s, name) : HB_OK;
}

static enum hb_status get_text(const struct hb_hdf5_source *s, hid_t attribute, hid_t type,
                               const char *object, struct hb_text *text)
{
  size_t size = H5Tget_size(type);
  char *value = NULL;
  if (H5Tis_variable_str(type) > 0) {
    if (H5Aread(attribute, type, &value) < 0) return hb_hdf5_damaged(s, object);
    enum hb_status status = hb_text_append(text, "%s", value ? value : "");
    H5free_memory(value);
    return status;
  }
  if (size > s->bytes) return hb_hdf5_damaged(s, object);
  HB_TRY(HB_ALLOC(size + 1, &value));
  enum hb_status status =
      H5Aread(attribute, type, value) < 0 ? hb_hdf5_damaged(s, object) : hb_text_append(text, "%s", value);
  hb_mem_free(value);
  return status;
}

enum hb_status hb_hdf5_get_text(const struct hb_hdf5_source *s, const char *object, const char *name,
                                struct hb_text *text)
{
  hid_t attribute = H5Aopen_by_name(s->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return hb_fail(HB_ERR_INPUT, "%s: %s has no attribute %s", s->path, object, name);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  int is_one = H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
  enum hb_status status =
      is_one ? get_text(s, attribute, type, object, text)
             : hb_fail(HB_ERR_INPUT, "%s: attribute %s of %s is not a string", s->path, name, object);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return status;
}

/* ---- data sets ---------------------------------------------------------------------------------------- */

/* The values must be in this file, and compressed only by filters that the library has. */
static enum hb_status check_storage(const struct hb_hdf5_source *s, hid_t data, const char *path)
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

static enum hb_status check_data(const struct hb_hdf5_source *s, hid_t data, const char *path, size_t count,
                                 int columns)
{
  char shape[128];
  if (H5Iget_type(data) != H5I_DATASET)
    return hb_fail(HB_ERR_INPUT, "%s: %s is not a data set", s->path, path);
  if (!is_number(H5Dget_type(data)))
    return hb_fail(HB_ERR_INPUT, "%s: data set %s is not numeric", s->path, path);
  HB_TRY(check_storage(s, data, path));
  if (!shape_fits(data, count, columns, shape, sizeof shape))
    return hb_fail(HB_ERR_INPUT, "%s: data set %s has shape %s, expected %llu%s", s->path, path, shape,
                   (unsigned long long)count, columns == 3 ? " x 3" : "");
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

static enum hb_status read_data(const struct hb_hdf5_source *s, hid_t data, const char *path, hid_t native,
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
  return failed < 0 ? hb_hdf5_damaged(s, path) : HB_OK;
}

enum hb_status hb_hdf5_get_data(const struct hb_hdf5_source *s, const char *path, enum hb_hdf5_need need,
                                hid_t native, size_t count, int columns, void *values)
{
  int found;
  HB_TRY(hb_hdf5_find(s, path, &found));
  if (!found && need == HB_HDF5_OPTIONAL) return HB_OK;
  if (!found) return hb_fail(HB_ERR_INPUT, "%s: there is no data set %s", s->path, path);
  hid_t data = H5Oopen(s->file, path, H5P_DEFAULT);
  if (data < 0) return hb_fail(HB_ERR_INPUT, "%s: %s leads to nothing in this file", s->path, path);
  enum hb_status status = check_data(s, data, path, count, columns);
  if (status == HB_OK && values) status = read_data(s, data, path, native, values);
  H5Oclose(data);
  return status;
}

/* ---- notes -------------------------------------------------------------------------------------------- */

/* Attributes that are not strings belong to another program. */
static enum hb_status get_note(const struct hb_hdf5_source *s, hid_t attribute, const char *name,
                               struct hb_particles *p)
{
  struct hb_text text = {0};
  enum hb_status status = HB_OK;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) == H5T_STRING)
    status = points == 1 ? get_text(s, attribute, type, "/Holmberg", &text)
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
  const struct hb_hdf5_source *source;
  struct hb_particles *particles;
  enum hb_status status;
};

/* For H5Aiterate2, which it stops unless the status is HB_OK. */
static herr_t take_note(hid_t group, const char *name, const H5A_info_t *info, void *data)
{
  struct notes *notes = data;
  (void)info;
  hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  notes->status = attribute < 0 ? hb_hdf5_damaged(notes->source, "/Holmberg")
                                : get_note(notes->source, attribute, name, notes->particles);
  if (attribute >= 0) H5Aclose(attribute);
  return notes->status != HB_OK;
}

static enum hb_status check_sum(const struct hb_hdf5_source *s, hid_t group, const struct hb_particles *p)
{
  uint32_t sum = 0;
  htri_t found = H5Aexists(group, HB_HDF5_NOTES_SUM);
  if (found == 0) return HB_OK;
  hid_t attribute = H5Aopen(group, HB_HDF5_NOTES_SUM, H5P_DEFAULT);
  hid_t space = H5Aget_space(attribute);
  int failed = H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, H5T_NATIVE_UINT32, &sum) < 0;
  H5Sclose(space);
  H5Aclose(attribute);
  return failed || sum != hb_hdf5_notes_sum(p) ? hb_hdf5_damaged(s, "/Holmberg") : HB_OK;
}

/* In creation order, if the file has it, as ours do. */
enum hb_status hb_hdf5_get_notes(const struct hb_hdf5_source *s, struct hb_particles *p)
{
  struct notes notes = {.source = s, .particles = p};
  int found;
  HB_TRY(hb_hdf5_find(s, "/Holmberg", &found));
  if (!found) return HB_OK;
  hid_t group = H5Gopen2(s->file, "/Holmberg", H5P_DEFAULT);
  herr_t stopped = H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) stopped = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, take_note, &notes);
  if (stopped < 0) notes.status = hb_hdf5_damaged(s, "/Holmberg");
  if (notes.status == HB_OK) notes.status = check_sum(s, group, p);
  if (group >= 0) H5Gclose(group);
  return notes.status;
}
