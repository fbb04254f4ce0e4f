/* HDF5 files built in memory; base/file.h writes them to disk. There are no time stamps: the same particles give the same
 * bytes. */
#ifndef HB_HDF5_IMAGE_H
#define HB_HDF5_IMAGE_H

#include "core/particles.h"

#include <hdf5.h>

/* A file with what fill puts into it, and the notes. *bytes is freed with hb_mem_free. */
enum hb_status hb_hdf5_write(const struct hb_particles *particles,
                             enum hb_status (*fill)(hid_t file, const struct hb_particles *particles),
                             char **bytes, size_t *count);

/* An attribute of count values, a scalar if count is 0; a double; a string of fixed length. */
enum hb_status hb_hdf5_put_attribute(hid_t object, const char *name, hid_t stored, hid_t native,
                                     hsize_t count, const void *values);
enum hb_status hb_hdf5_put_double(hid_t object, const char *name, double value);
enum hb_status hb_hdf5_put_text(hid_t object, const char *name, const char *text);

/* With attributes indexed by creation order, notes keep their order and may be longer than 64 KiB: this needs the newer
 * kind of group, since HDF5 1.8. Negative if that fails. Closing the file closes it. */
hid_t hb_hdf5_make_group(hid_t parent, const char *name, unsigned attribute_order);

/* A data set of n rows with checksums. */
enum hb_status hb_hdf5_put_data(hid_t group, const char *name, hid_t stored, hid_t native, int columns,
                                size_t n, const void *values);

/* The notes are attributes of /Holmberg; the attribute for their checksum, written if one is long; and that checksum. */
#define HB_HDF5_NOTES_SUM "notes.crc32"
uint32_t hb_hdf5_notes_sum(const struct hb_particles *particles);

enum hb_status hb_hdf5_cannot_make(const char *what);

#endif
