/* Where there is no HDF5 library: its files are known, and refused. */
#include "io/hdf5_child.h"

enum hb_status hb_snapshot_hdf5_load(void)
{
  return hb_fail(
      HB_ERR_USAGE,
      "this build has no HDF5; `holmberg convert` of one that has it makes a table of text (.txt)");
}

enum hb_status hb_snapshot_hdf5_read(const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles)
{
  (void)path, (void)choice, (void)particles;
  return hb_snapshot_hdf5_load();
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5", .summary = "not in this build", .extensions = "h5 hdf5"},
    .recognize = hb_snapshot_is_hdf5,
    .read = hb_snapshot_hdf5_read};
const struct hb_snapshot_ops hb_snapshot_amuse = {
    .info = {.name = "amuse", .summary = "not in this build", .extensions = "amuse"},
    .read = hb_snapshot_hdf5_read};
