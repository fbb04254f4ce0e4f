/* Snapshot formats, one per file; the registry is in snapshot.c. */
#ifndef HB_SNAPSHOT_H
#define HB_SNAPSHOT_H

#include "io/snapshot_choice.h"

struct hb_snapshot_ops {
  struct hb_snapshot_format info;
  /* Whether a file of total bytes that starts with head[count], at most HB_SNAPSHOT_HEAD of them, is of this format; NULL:
   * that cannot be told. */
  int (*recognize)(const char *head, size_t count, uint64_t total);
  /* One of the two: by name, or from the bytes of the whole file, which a NUL follows. The registry checks the values
   * afterwards. Messages start with the file's name. */
  enum hb_status (*read)(const char *path, struct hb_snapshot_choice *choice,
                         struct hb_particles **particles);
  enum hb_status (*parse)(const char *name, const char *bytes, size_t count,
                          struct hb_snapshot_choice *choice, struct hb_particles **particles);
  /* The complete file in memory, *bytes freed with hb_mem_free. */
  enum hb_status (*write)(const struct hb_particles *particles, char **bytes, size_t *count);
  /* Instead of it, for a format of more than one file. */
  enum hb_status (*save)(const char *path, const struct hb_particles *particles);
  const char *beside; /* the extension of its other file; NULL: there is one file only */
  int has_no_notes;   /* 1: the header keeps nothing but the time */
  int has_radii;      /* 1: it keeps radii */
};

enum { HB_SNAPSHOT_HEAD = 512 };

extern const struct hb_snapshot_ops hb_snapshot_hdf5, hb_snapshot_text, hb_snapshot_nemo,
    hb_snapshot_phigrape, hb_snapshot_tipsy, hb_snapshot_tipsy_native, hb_snapshot_tipsy_cuda,
    hb_snapshot_dyn, hb_snapshot_amuse, hb_snapshot_xdmf;

/* Whether a snapshot can be written there as far as the names go: a known format or extension, and one that standard output
 * takes if path is "-"; and whether a file of data beside it may be replaced. Errors: HB_ERR_USAGE, HB_ERR_IO. */
enum hb_status hb_snapshot_check_target(const char *path, const char *format);

/* The name of the file that is written beside path, for XDMF; nothing is appended where there is none. Errors:
 * HB_ERR_USAGE, HB_ERR_INTERNAL. */
enum hb_status hb_snapshot_beside(const char *path, const char *format, struct hb_text *name);

/* ---- HDF5, which holmberg-child reads ---- */

/* From an open file, in any of the layouts; path is for messages. */
enum hb_status hb_snapshot_hdf5_take(int fd, const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles);

/* The child's first word, before it reads. Errors: HB_ERR_IO. */
enum hb_status hb_snapshot_hdf5_greet(int fd);

/* holmberg-child's answer: the particles' sections and the choice, or "status" and "sentence" of a failure. */
enum hb_status hb_snapshot_hdf5_pack(const struct hb_particles *particles,
                                     const struct hb_snapshot_choice *choice, struct hb_sections *sections);
enum hb_status hb_snapshot_hdf5_unpack(const char *path, const struct hb_sections *sections,
                                       struct hb_snapshot_choice *choice, struct hb_particles **particles);

/* The read of all formats that are HDF5. */
enum hb_status hb_snapshot_hdf5_read(const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles);

/* The most particles that a file of this size can plausibly hold. */
size_t hb_snapshot_hdf5_most(uint64_t bytes);

#endif
