/* Snapshot formats, one per file; the registry is in snapshot.c. */
#ifndef HB_SNAPSHOT_H
#define HB_SNAPSHOT_H

#include "core/particles.h"

struct hb_snapshot_ops {
  struct hb_snapshot_format info;
  /* The registry checks the values afterwards. Messages start with the file's name. */
  enum hb_status (*read)(const char *path, struct hb_particles **particles);
  /* The complete file in memory, *bytes freed with hb_mem_free. */
  enum hb_status (*write)(const struct hb_particles *particles, char **bytes, size_t *count);
};

extern const struct hb_snapshot_ops hb_snapshot_hdf5, hb_snapshot_text;

/* bytes[count], followed by a NUL; name is for messages. */
enum hb_status hb_snapshot_text_parse(const char *name, const char *bytes, size_t count,
                                      struct hb_particles **particles);

/* Reads HDF5 from an open file, in holmberg-child; path is for messages. */
enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_particles **particles);

/* holmberg-child's answer: the particles' sections, or "status" and "sentence" of a failure. */
enum hb_status hb_snapshot_hdf5_unpack(const char *path, const struct hb_sections *sections,
                                       struct hb_particles **particles);

/* The most particles that a file of this size can plausibly hold. */
size_t hb_snapshot_hdf5_most(uint64_t bytes);

/* The attribute of /Holmberg for the checksum of the notes, written if one is long; and that checksum. */
#define HB_SNAPSHOT_HDF5_SUM "notes.crc32"
uint32_t hb_snapshot_hdf5_notes_sum(const struct hb_particles *particles);

#endif
