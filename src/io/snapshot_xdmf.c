/* XDMF: a description in XML of the HDF5 file beside it, for ParaView. Writing end.xmf writes end.h5, too; reading it reads
 * end.h5, whatever it says. */
#include "io/hdf5_child.h"

#include "base/file.h"
#include "base/mem.h"

#include <string.h>

/* As the value of an attribute, or as text. */
static enum hb_status put_escaped(struct hb_text *text, const char *words)
{
  for (; *words; words++) {
    const char *entity = *words == '&' ? "&amp;" : *words == '<' ? "&lt;" : *words == '>' ? "&gt;" : NULL;
    HB_TRY(entity ? hb_text_append(text, "%s", entity) : hb_text_append_bytes(text, words, 1));
  }
  return HB_OK;
}

/* A data set of the HDF5 file. */
static enum hb_status put_data(struct hb_text *text, const struct hb_particles *p, const char *file,
                               const char *name, int columns, const char *type)
{
  HB_TRY(hb_text_append(text,
                        "        <DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"8\" Dimensions=\"%zu",
                        type, p->n));
  if (columns > 1) HB_TRY(hb_text_append(text, " %d", columns));
  HB_TRY(hb_text_append(text, "\">"));
  HB_TRY(put_escaped(text, file));
  return hb_text_append(text, ":/PartType1/%s</DataItem>\n", name);
}

static enum hb_status put_attribute(struct hb_text *text, const struct hb_particles *p, const char *file,
                                    const char *name, int columns, const char *type)
{
  HB_TRY(hb_text_append(text, "      <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">\n", name,
                        columns > 1 ? "Vector" : "Scalar"));
  HB_TRY(put_data(text, p, file, name, columns, type));
  return hb_text_append(text, "      </Attribute>\n");
}

/* A cell for each point: XDMF 2 needs no more than their number, XDMF 3 a list of them, which identities that are the
 * numbers of the rows can pass for. */
static enum hb_status put_topology(struct hb_text *text, const struct hb_particles *p, const char *file)
{
  size_t i = 0;
  while (i < p->n && p->id[i] == i) i++;
  HB_TRY(hb_text_append(text, "      <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\"", p->n));
  if (i < p->n) return hb_text_append(text, "/>\n");
  HB_TRY(hb_text_append(text, " NodesPerElement=\"1\">\n"));
  HB_TRY(put_data(text, p, file, "ParticleIDs", 1, "UInt"));
  return hb_text_append(text, "      </Topology>\n");
}

static enum hb_status put_all(struct hb_text *text, const struct hb_particles *p, const char *file)
{
  HB_TRY(hb_text_append(text,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<Xdmf Version=\"3.0\">\n"
                        "  <Domain>\n"
                        "    <Grid Name=\"particles\" GridType=\"Uniform\">\n"
                        "      <Time Value=\"%.17g\"/>\n",
                        p->t));
  HB_TRY(put_topology(text, p, file));
  HB_TRY(hb_text_append(text, "      <Geometry GeometryType=\"XYZ\">\n"));
  HB_TRY(put_data(text, p, file, "Coordinates", 3, "Float"));
  HB_TRY(hb_text_append(text, "      </Geometry>\n"));
  HB_TRY(put_attribute(text, p, file, "Velocities", 3, "Float"));
  HB_TRY(put_attribute(text, p, file, "Masses", 1, "Float"));
  HB_TRY(put_attribute(text, p, file, "ParticleIDs", 1, "UInt"));
  return hb_text_append(text, "    </Grid>\n  </Domain>\n</Xdmf>\n");
}

/* Names are XML, which has no other control characters, and XDMF takes what is behind the colon for a data set. */
static enum hb_status check_name(const char *file)
{
  for (const char *c = file; *c; c++)
    if (*c == ':' || (unsigned char)*c < ' ')
      return hb_fail(HB_ERR_USAGE, "format %s cannot name the file '%s': it has a %s",
                     hb_snapshot_xdmf.info.name, file, *c == ':' ? "colon" : "control character");
  return HB_OK;
}

static enum hb_status xdmf_save(const char *path, const struct hb_particles *p)
{
  HB_OWN struct hb_text data = {0}, bytes = {0}, text = {0};
  HB_TRY(hb_snapshot_rename(path, hb_snapshot_xdmf.beside, &data));
  const char *file = hb_text_base_name(data.text);
  if (strcmp(data.text, path) == 0)
    return hb_fail(HB_ERR_USAGE, "format %s keeps its data in %s, so the description needs another name",
                   hb_snapshot_xdmf.info.name, data.text);
  HB_TRY(check_name(file));
  HB_TRY(put_all(&text, p, file));
  HB_TRY(hb_file_check(path));
  HB_TRY(hb_snapshot_hdf5.write(p, &bytes));
  HB_TRY(hb_file_replace(data.text, bytes.text, bytes.length));
  return hb_file_replace(path, text.text, text.length);
}

static enum hb_status xdmf_read(const char *path, struct hb_snapshot_choice *choice,
                                struct hb_particles **particles)
{
  HB_OWN struct hb_text data = {0};
  HB_TRY(hb_snapshot_rename(path, hb_snapshot_xdmf.beside, &data));
  return hb_snapshot_hdf5_read(data.text, choice, particles);
}

const struct hb_snapshot_ops hb_snapshot_xdmf = {
    .info = {.name = "xdmf",
             .summary = "XDMF for ParaView: a description, beside the same as HDF5",
             .extensions = "xmf xdmf"},
    .read = xdmf_read,
    .save = xdmf_save,
    .load = hb_snapshot_hdf5_load,
    .facts = HB_SNAPSHOT_RADII,
    .beside = "h5",
};
