/* Checked reading of HDF5 files that others made. It runs only in holmberg-child, whose memory and time are limited and
 * whose crashes do no harm. Links to other files are refused. All errors are HB_ERR_INPUT with the file's name. */
#ifndef HB_HDF5_SOURCE_H
#define HB_HDF5_SOURCE_H

#include "base/text.h"
#include "core/particles.h"

#include <hdf5.h>

struct hb_hdf5_source {
  const char *path; /* for messages */
  uint64_t bytes;   /* of the file  */
  hid_t file;
};

enum hb_status hb_hdf5_damaged(const struct hb_hdf5_source *source, const char *what);

/* Whether this object exists in this file; its group must exist. */
enum hb_status hb_hdf5_find(const struct hb_hdf5_source *source, const char *name, int *found);

/* An attribute of an object: count numbers; a string, appended to text. */
enum hb_status hb_hdf5_get_numbers(const struct hb_hdf5_source *source, const char *object, const char *name,
                                   hssize_t count, double *values);
enum hb_status hb_hdf5_get_text(const struct hb_hdf5_source *source, const char *object, const char *name,
                                struct hb_text *text);

enum hb_hdf5_need { HB_HDF5_OPTIONAL, HB_HDF5_NEEDED };

/* Reads a data set of count rows into values, which are unchanged without an optional one; if they are NULL it is only
 * checked. Its group must exist. */
enum hb_status hb_hdf5_get_data(const struct hb_hdf5_source *source, const char *path, enum hb_hdf5_need need,
                                hid_t native, size_t count, int columns, void *values);

/* The strings of /Holmberg, if there are any. */
enum hb_status hb_hdf5_get_notes(const struct hb_hdf5_source *source, struct hb_particles *particles);

#endif
