/* Snapshot formats, one per file: what a format tells the registry in snapshot.c. */
#ifndef HB_SNAPSHOT_H
#define HB_SNAPSHOT_H

#include "core/particles.h"

struct hb_snapshot_ops {
  struct hb_snapshot_format info;
  /* The registry checks the values afterwards. Sentences start with the file's name. */
  enum hb_status (*read)(const char *path, struct hb_particles **particles);
  /* The whole file into memory, *bytes to be given back with hb_mem_free. */
  enum hb_status (*write)(const struct hb_particles *particles, char **bytes, size_t *count);
};

extern const struct hb_snapshot_ops hb_snapshot_hdf5, hb_snapshot_text;

#endif
