/* AMUSE's HDF5 files, version 2.0: the group data has a subgroup, 0000000001 and so on, for each set that was saved, with
 * the keys of its particles and a data set for each of their attributes. */
#ifndef HB_SNAPSHOT_AMUSE_H
#define HB_SNAPSHOT_AMUSE_H

#include "io/hdf5_source.h"
#include "io/snapshot.h"

#define HB_AMUSE_INFO "/AMUSE_INF"
#define HB_AMUSE_DATA "/data"

/* N-body units as AMUSE writes them; it evaluates these words. */
#define HB_AMUSE_UNIT(of) "system.get('generic').base('" of "')"
#define HB_AMUSE_SPEED    "(" HB_AMUSE_UNIT("length") " * (" HB_AMUSE_UNIT("time") "**-1))"

/* Reads from an open file, in holmberg-child. */
enum hb_status hb_snapshot_amuse_take(const struct hb_hdf5_source *source, struct hb_snapshot_choice *choice,
                                      struct hb_particles **particles);

#endif
