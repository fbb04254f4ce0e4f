/* Writes AMUSE's HDF5 files, which its read_set_from_file(..., "amuse") opens, in N-body units; snapshot_amuse_read.c reads
 * them. The layout is that of amuse.io.store_v2. */
#include "io/snapshot_amuse.h"

#include "base/mem.h"
#include "io/hdf5_image.h"

#include <string.h>

/* What Python's pickle, protocol 0, makes of the class amuse.datamodel.particles.Particles. */
static const char pickled_class[] = "camuse.datamodel.particles\nParticles\np0\n.";

static enum hb_status put_class(hid_t group)
{
  hid_t type = H5Tcreate(H5T_OPAQUE, strlen(pickled_class));
  H5Tset_tag(type, "");
  enum hb_status status =
      hb_hdf5_put_attribute(group, "class_of_the_particles", type, type, 0, pickled_class);
  H5Tclose(type);
  return status;
}

/* An attribute of the particles. */
static enum hb_status put_column(hid_t group, const char *name, const char *unit, size_t n,
                                 const double *values)
{
  HB_TRY(hb_hdf5_put_data(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, n, values));
  hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
  if (data < 0) return hb_hdf5_cannot_make(name);
  enum hb_status status = hb_hdf5_put_text(data, "units", unit);
  H5Dclose(data);
  return status;
}

/* Positions and velocities are an attribute for each coordinate. */
static enum hb_status put_columns(hid_t group, const struct hb_particles *p, double *column)
{
  static const char *const x_names[] = {"x", "y", "z"}, *const v_names[] = {"vx", "vy", "vz"};
  HB_TRY(put_column(group, "mass", HB_AMUSE_UNIT("mass"), p->n, p->m));
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < p->n; i++) column[i] = p->x[3 * i + k];
    HB_TRY(put_column(group, x_names[k], HB_AMUSE_UNIT("length"), p->n, column));
    for (size_t i = 0; i < p->n; i++) column[i] = p->v[3 * i + k];
    HB_TRY(put_column(group, v_names[k], HB_AMUSE_SPEED, p->n, column));
  }
  return HB_OK;
}

static enum hb_status put_set(hid_t group, const struct hb_particles *p)
{
  const int64_t n = (int64_t)p->n;
  double *column;
  HB_TRY(hb_hdf5_put_text(group, "type", "particles"));
  HB_TRY(hb_hdf5_put_attribute(group, "number_of_particles", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &n));
  HB_TRY(put_class(group));
  HB_TRY(hb_hdf5_put_double(group, "timestamp", p->t));
  HB_TRY(hb_hdf5_put_text(group, "timestamp_unit", HB_AMUSE_UNIT("time")));
  HB_TRY(hb_hdf5_put_data(group, "keys", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, p->n, p->id));
  hid_t attributes = hb_hdf5_make_group(group, "attributes", 0);
  if (attributes < 0) return hb_hdf5_cannot_make("the attributes");
  HB_TRY(HB_ALLOC(p->n, &column));
  enum hb_status status = put_columns(attributes, p, column);
  hb_mem_free(column);
  return status;
}

static enum hb_status fill(hid_t file, const struct hb_particles *p)
{
  hid_t info = hb_hdf5_make_group(file, HB_AMUSE_INFO, 0);
  if (info < 0) return hb_hdf5_cannot_make(HB_AMUSE_INFO);
  HB_TRY(hb_hdf5_put_text(info, "version", "2.0"));
  hid_t data = hb_hdf5_make_group(file, HB_AMUSE_DATA, 0);
  hid_t group = data < 0 ? data : hb_hdf5_make_group(data, "0000000001", 0);
  return group < 0 ? hb_hdf5_cannot_make(HB_AMUSE_DATA) : put_set(group, p);
}

static enum hb_status amuse_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  return hb_hdf5_write(p, fill, bytes, count);
}

const struct hb_snapshot_ops hb_snapshot_amuse = {
    .info = {.name = "amuse",
             .summary = "HDF5 as AMUSE stores it, in N-body units",
             .extensions = "amuse h5 hdf5"},
    .read = hb_snapshot_hdf5_read,
    .write = amuse_write,
};
