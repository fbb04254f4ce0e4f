/* The structured binary files of NEMO: items one after another, each with a type, a tag and dimensions; items of type '('
 * begin a set, which ends at ')'. Numbers have the byte order of the machine that wrote them, seen at the magic number in
 * front of each item. Layout as in NEMO's man pages filestruct(3) and snapshot(5). */
#ifndef HB_SNAPSHOT_NEMO_H
#define HB_SNAPSHOT_NEMO_H

#include "io/snapshot.h"

enum {
  HB_NEMO_SINGLE = 0x0992, /* in front of a single value, or a set */
  HB_NEMO_ARRAY = 0x0B92,  /* in front of an array                 */
  HB_NEMO_DIMENSIONS = 8,  /* most of an item                      */
  HB_NEMO_CARTESIAN = 1 << 16 | 3 << 8 | 2
};

struct hb_nemo_item {
  char type;
  char tag[65];
  int swap;
  size_t at;         /* offset of the item in the file */
  size_t dimensions; /* 0: a single value */
  int32_t shape[HB_NEMO_DIMENSIONS];
  size_t count; /* elements */
  const char *data;
};

enum hb_status hb_snapshot_nemo_parse(const char *name, const char *bytes, size_t count,
                                      struct hb_snapshot_choice *choice, struct hb_particles **particles);

#endif
