/* Snapshots in the Gadget HDF5 layout, which yt, pynbody and glnemo2 read: attributes of /Header, one group
 * /PartType0 .. /PartType5 per type of particle. Ours are all of type 1. Notes are string attributes of /Holmberg. It is
 * read by snapshot_hdf5_read.c. */
#include "core/units.h"
#include "io/hdf5_image.h"
#include "io/snapshot.h"

#include <math.h>

#include <string.h>

enum { TYPES = 6, OUR_TYPE = 1 };

/* ---- writing ----------------------------------------------------------------------------------------- */

static enum hb_status put_int(hid_t object, const char *name, int value)
{
  return hb_hdf5_put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, 0, &value);
}

/* A power of two that twice the largest coordinate fits into: yt takes space to repeat itself after it, so that it finds the
 * particles on all sides of the origin. */
static double box_size(const struct hb_particles *p)
{
  double most = 0;
  int power;
  for (size_t k = 0; k < 3 * p->n; k++) most = fmax(most, fabs(p->x[k]));
  frexp(2 * most, &power);
  return most > 0 ? ldexp(1, power) : 1;
}

/* pynbody looks for units in the header, whoever wrote it; without Time_GYR it computes a time from the redshift. yt looks
 * there in files of Arepo, which it knows by the attribute VORONOI of a group Config; in all others it takes lengths for kpc. */
static enum hb_status put_units(hid_t file, hid_t header, double t, const struct hb_units *units)
{
  HB_TRY(hb_hdf5_put_double(header, "UnitLength_in_cm", units->length * hb_units_pc * 100));
  HB_TRY(
      hb_hdf5_put_double(header, "UnitMass_in_g", units->mass * hb_units_gm_sun / hb_units_gravity * 1000));
  HB_TRY(hb_hdf5_put_double(header, "UnitVelocity_in_cm_per_s", hb_units_velocity(units) * 1e5));
  HB_TRY(hb_hdf5_put_double(header, "Time_GYR", t * units->time / 1000));
  hid_t config = hb_hdf5_make_group(file, "Config", 0);
  return config < 0 ? hb_hdf5_cannot_make("/Config")
                    : hb_hdf5_put_text(config, "VORONOI", "for yt: units in /Header");
}

static enum hb_status put_header(hid_t file, const struct hb_particles *p)
{
  struct hb_units units;
  int are_known;
  if (hb_units_get(p, &units, &are_known) != HB_OK) are_known = 0; /* someone else's note of that name */
  hid_t header = hb_hdf5_make_group(file, "Header", 0);
  if (header < 0) return hb_hdf5_cannot_make("/Header");
  uint32_t counts[TYPES] = {0}, high_words[TYPES] = {0};
  counts[OUR_TYPE] = (uint32_t)p->n;
  double masses[TYPES] = {0};
  HB_TRY(hb_hdf5_put_attribute(header, "NumPart_ThisFile", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES, counts));
  HB_TRY(hb_hdf5_put_attribute(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES, counts));
  HB_TRY(hb_hdf5_put_attribute(header, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT32, TYPES,
                               high_words));
  HB_TRY(hb_hdf5_put_attribute(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, TYPES, masses));
  HB_TRY(hb_hdf5_put_double(header, "Time", p->t));
  HB_TRY(hb_hdf5_put_double(header, "Redshift", 0));
  HB_TRY(hb_hdf5_put_double(header, "BoxSize", are_known ? box_size(p) : 0));
  HB_TRY(hb_hdf5_put_double(header, "Omega0", 0));
  HB_TRY(hb_hdf5_put_double(header, "OmegaLambda", 0));
  if (are_known) HB_TRY(put_units(file, header, p->t, &units));
  HB_TRY(hb_hdf5_put_double(header, "HubbleParam", 1));
  HB_TRY(put_int(header, "NumFilesPerSnapshot", 1));
  static const char *const flags[] = {"Flag_Sfr",    "Flag_Cooling",  "Flag_StellarAge",
                                      "Flag_Metals", "Flag_Feedback", "Flag_IC_Info"};
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) HB_TRY(put_int(header, flags[k], 0));
  return put_int(header, "Flag_DoublePrecision", 1);
}

static enum hb_status put_particles(hid_t file, const struct hb_particles *p)
{
  hid_t group = hb_hdf5_make_group(file, "PartType1", 0);
  if (group < 0) return hb_hdf5_cannot_make("/PartType1");
  HB_TRY(hb_hdf5_put_data(group, "Coordinates", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, p->n, p->x));
  HB_TRY(hb_hdf5_put_data(group, "Velocities", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, p->n, p->v));
  HB_TRY(hb_hdf5_put_data(group, "ParticleIDs", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, p->n, p->id));
  const double *radius = hb_particles_radii(p);
  if (radius) HB_TRY(hb_hdf5_put_data(group, "Radius", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, p->n, radius));
  return hb_hdf5_put_data(group, "Masses", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, p->n, p->m);
}

static enum hb_status fill(hid_t file, const struct hb_particles *p)
{
  HB_TRY(put_header(file, p));
  return put_particles(file, p);
}

static enum hb_status hdf5_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  return hb_hdf5_write(p, fill, bytes, count);
}

/* The signature; files with another program's header in front are known by their extension. */
static int hdf5_recognize(const char *head, size_t count, uint64_t total)
{
  (void)total;
  return count >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5",
             .summary = "HDF5 in the Gadget layout, for yt, pynbody, glnemo2",
             .extensions = "h5 hdf5"},
    .recognize = hdf5_recognize,
    .read = hb_snapshot_hdf5_read,
    .write = hdf5_write,
    .has_radii = 1,
};
