/* What the files of HDF5 snapshots share. Ours have the Gadget layout, which yt, pynbody and glnemo2 read: attributes of
 * /Header, one group /PartType0 .. /PartType5 per type of particle, ours all of type 1. AMUSE's, version 2.0: the group data
 * has a subgroup, 0000000001 and so on, for each set that was saved, with the keys of its particles and a data set for each
 * of their attributes. Notes are string attributes of /Holmberg. */
#ifndef HB_SNAPSHOT_HDF5_H
#define HB_SNAPSHOT_HDF5_H

#include "io/hdf5_child.h"

#include <hdf5.h>

enum { HB_GADGET_TYPES = 6 };

#define HB_AMUSE_INFO "/AMUSE_INF"
#define HB_AMUSE_DATA "/data"

/* N-body units as AMUSE writes them; it evaluates these words. */
#define HB_AMUSE_UNIT(of) "system.get('generic').base('" of "')"
#define HB_AMUSE_SPEED    "(" HB_AMUSE_UNIT("length") " * (" HB_AMUSE_UNIT("time") "**-1))"

/* Its attributes of particles in the order in which they are written: hb_snapshot_value's column. */
enum hb_amuse_unit { HB_AMUSE_MASS, HB_AMUSE_LENGTH, HB_AMUSE_VELOCITY, HB_AMUSE_TIME };
static const struct {
  const char *name;
  size_t column;
  enum hb_amuse_unit unit;
} hb_amuse_columns[HB_SNAPSHOT_COLUMNS] = {{"mass", 0, HB_AMUSE_MASS},   {"x", 1, HB_AMUSE_LENGTH},
                                           {"vx", 4, HB_AMUSE_VELOCITY}, {"y", 2, HB_AMUSE_LENGTH},
                                           {"vy", 5, HB_AMUSE_VELOCITY}, {"z", 3, HB_AMUSE_LENGTH},
                                           {"vz", 6, HB_AMUSE_VELOCITY}};

/* The attribute of /Holmberg for the notes' checksum, written if one is long; and that checksum. */
#define HB_HDF5_NOTES_SUM "notes.crc32"
uint32_t hb_snapshot_hdf5_notes_sum(const struct hb_particles *particles);

#endif
