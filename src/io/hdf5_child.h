/* HDF5 snapshots, which holmberg-child reads, since the HDF5 library crashes on damaged ones: how it is started, and what it
 * answers. */
#ifndef HB_HDF5_CHILD_H
#define HB_HDF5_CHILD_H

#include "io/snapshot_format.h"

#include <string.h>

/* Loads the library: before the first take, and before anything is written (snapshot_format.h). Errors: HB_ERR_IO. */
enum hb_status hb_snapshot_hdf5_load(void);

/* From an open file, in any of the layouts; path is for messages. */
enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles);

/* The child's first word, before it reads. Errors: HB_ERR_IO. */
enum hb_status hb_snapshot_hdf5_greet(int fd);

/* holmberg-child's answer: the particles' sections and the choice, or "status" and "sentence" of a failure. */
enum hb_status hb_snapshot_hdf5_pack(const struct hb_particles *particles,
                                     const struct hb_snapshot_choice *choice, struct hb_sections *sections);
/* The read of all formats that are HDF5. */
enum hb_status hb_snapshot_hdf5_read(const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles);

/* HDF5's signature in front: hb_snapshot_ops.recognize of its formats. */
static inline int hb_snapshot_is_hdf5(const char *head, size_t count, uint64_t total)
{
  (void)total;
  return count >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* The most particles that a file of this size can plausibly hold. */
static inline size_t hb_snapshot_hdf5_most(uint64_t bytes) { return (1 << 20) + bytes; }

#endif
