/* HDF5 snapshots: what holmberg-child makes of files that are whole but odd, and what we make of its answer. Damaged files,
 * on which the library itself crashes, are those of tests/unit/test_snapshot_hdf5.c. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "io/checkpoint.h"
#include "io/hdf5_child.c"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the answer ---- */

enum hb_status fuzz_answer(const uint8_t *bytes, size_t count)
{
  struct hb_sections sections = {0};
  struct hb_particles *particles = NULL;
  uint8_t *answer;
  HB_TRY(HB_ALLOC(count + 1, &answer));
  if (count) memcpy(answer, bytes, count);
  fuzz_file("answer", answer, fuzz_mend(answer, count));
  hb_mem_free(answer);
  int fd = open("answer", O_RDONLY);
  enum hb_status status = hb_checkpoint_receive(fd, "answer", 1 << 20, &sections);
  struct hb_snapshot_choice choice = {.t = NAN};
  if (status == HB_OK) status = snapshot_unpack("answer", &sections, &choice, &particles);
  close(fd);
  hb_sections_clear(&sections);
  hb_particles_destroy(particles);
  int is_ours = status != HB_ERR_INTERNAL && *hb_error(); /* else it is what a broken child said */
  return status == HB_OK || is_ours ? status : hb_fail(HB_ERR_INPUT, "no answer");
}

/* ---- odd files ---- */

/* Each byte is a choice; 0 is the usual one, also after the last byte: no bytes make a usual snapshot. */
struct recipe {
  const uint8_t *next, *end;
  hid_t ids[512]; /* to be given back */
  size_t id_count;
};

enum { PARTICLES = 2, TYPES = 6 };
static const hsize_t MANY = 1 << 21; /* more rows than such a small file is believed to hold */
static const double numbers[3 * PARTICLES] = {0, 0.5, 1, -1, 2};

static unsigned choose(struct recipe *r, unsigned below) { return r->next < r->end ? *r->next++ % below : 0; }

static hid_t keep(struct recipe *r, hid_t id)
{
  if (id >= 0 && r->id_count < sizeof r->ids / sizeof *r->ids) r->ids[r->id_count++] = id;
  return id;
}

static hid_t string_type(struct recipe *r, size_t size)
{
  hid_t type = keep(r, H5Tcopy(H5T_C_S1));
  H5Tset_size(type, size);
  return type;
}

static hid_t choose_type(struct recipe *r, hid_t usual)
{
  const hsize_t three = 3;
  switch (choose(r, 14)) {
  case 1:
    return H5T_IEEE_F32BE;
  case 2:
    return H5T_STD_I8BE;
  case 3:
    return H5T_STD_U64BE;
  case 4:
    return string_type(r, 8);
  case 5:
    return string_type(r, H5T_VARIABLE);
  case 6: {
    hid_t type = keep(r, H5Tcreate(H5T_COMPOUND, 16));
    H5Tinsert(type, "x", 8, H5T_NATIVE_DOUBLE);
    return type;
  }
  case 7:
    return keep(r, H5Tvlen_create(H5T_NATIVE_DOUBLE));
  case 8:
    return keep(r, H5Tenum_create(H5T_NATIVE_INT));
  case 9:
    return keep(r, H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three));
  case 10:
    return keep(r, H5Tcreate(H5T_OPAQUE, 1 + choose(r, 255)));
  case 11:
    return H5T_STD_B16LE;
  case 12:
    return H5T_STD_REF_OBJ;
  case 13: {
    hid_t type = keep(r, H5Tcopy(H5T_NATIVE_DOUBLE));
    H5Tset_precision(type, 1 + choose(r, 64));
    return type;
  }
  default:
    return usual;
  }
}

/* rows 0: one value. */
static hid_t choose_space(struct recipe *r, hsize_t rows, hsize_t columns, int *rank, hsize_t *shape)
{
  *rank = rows == 0 ? 0 : columns > 1 ? 2 : 1;
  shape[0] = rows, shape[1] = columns, shape[2] = shape[3] = 1;
  switch (choose(r, 9)) {
  case 1:
    *rank = 0;
    break;
  case 2:
    return keep(r, H5Screate(H5S_NULL));
  case 3:
    *rank = 1;
    break;
  case 4:
    *rank = 2;
    break;
  case 5:
    *rank = 4;
    break;
  case 6:
    shape[0] = 0;
    break;
  case 7:
    shape[0] = MANY;
    break;
  case 8:
    shape[0] = choose(r, 256), shape[1] = 1 + choose(r, 4);
    break;
  default:
    break;
  }
  return keep(r, *rank ? H5Screate_simple(*rank, shape, NULL) : H5Screate(H5S_SCALAR));
}

static hid_t choose_storage(struct recipe *r, int rank, const hsize_t *shape, hid_t space)
{
  hid_t list = keep(r, H5Pcreate(H5P_DATASET_CREATE));
  unsigned kind = choose(r, 10);
  hsize_t chunk[4] = {1 + choose(r, 255), 1, 1, 1};
  if (shape[0] == MANY) chunk[0] = 1 << 16; /* whose index would be as long as they are many */
  if (kind == 1) H5Pset_layout(list, H5D_COMPACT);
  if (kind == 2) H5Pset_external(list, "answer", 0, H5F_UNLIMITED);
  if (kind == 3) H5Pset_virtual(list, space, "other.h5", "/data", space);
  if (kind > 3 && rank > 0 && shape[0] > 0) H5Pset_chunk(list, rank, chunk);
  if (kind == 5) H5Pset_deflate(list, 9);
  if (kind == 6) H5Pset_fletcher32(list);
  if (kind == 7) H5Pset_shuffle(list);
  if (kind == 8) H5Pset_scaleoffset(list, H5Z_SO_INT, 0);
  return list;
}

static const void *values_of(hid_t type)
{
  static const char *strings[64] = {"some", "thing"};
  return H5Tis_variable_str(type) > 0 ? (const void *)strings : numbers;
}

static int is_small(hid_t space, hid_t type)
{
  return H5Sget_simple_extent_npoints(space) * (hssize_t)H5Tget_size(type) <= (hssize_t)sizeof numbers;
}

/* As many as is_small() allows. */
static const uint32_t counts[2 * 3 * PARTICLES] = {0, PARTICLES};
_Static_assert(sizeof counts == sizeof numbers, "what is small is small for both");

static void put_attribute(struct recipe *r, hid_t object, const char *name, hid_t usual, hsize_t count)
{
  if (choose(r, 8) == 1) return; /* it is missing */
  int rank;
  hsize_t shape[4];
  hid_t type = choose_type(r, usual), space = choose_space(r, count, 1, &rank, shape);
  hid_t attribute = keep(r, H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  const void *values = type == H5T_NATIVE_UINT32 ? (const void *)counts : values_of(type);
  if (attribute >= 0 && is_small(space, type) && choose(r, 8) != 1) H5Awrite(attribute, type, values);
}

static void put_data_of(struct recipe *r, hid_t group, const char *name, hid_t usual, hsize_t columns)
{
  if (choose(r, 8) == 1) return;
  int rank;
  hsize_t shape[4];
  hid_t type = choose_type(r, usual), space = choose_space(r, PARTICLES, columns, &rank, shape);
  hid_t list = choose_storage(r, rank, shape, space);
  hid_t data = keep(r, H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
  if (data >= 0 && is_small(space, type) && choose(r, 8) != 1)
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values_of(type));
}

static void put_data(struct recipe *r, hid_t group, const char *name, hsize_t columns)
{
  put_data_of(r, group, name, H5T_NATIVE_DOUBLE, columns);
}

static hid_t put_group(struct recipe *r, hid_t file, const char *name)
{
  switch (choose(r, 8)) {
  case 1:
    return -1;
  case 2:
    H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case 3:
    H5Lcreate_soft(name, file, name, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case 4:
    H5Lcreate_external("in.h5", "/Header", file, name, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case 5:
    put_data(r, file, name, 3);
    break;
  case 6:
    H5Lcreate_hard(file, "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
    break;
  default:
    return keep(r, H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  return keep(r, H5Oopen(file, name, H5P_DEFAULT));
}

static hid_t create_file(struct recipe *r)
{
  hid_t access = keep(r, H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  if (choose(r, 2)) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return H5Fcreate("in.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
}

static void put_notes(struct recipe *r, hid_t file)
{
  hid_t notes = put_group(r, file, "Holmberg");
  for (unsigned k = choose(r, 8); k > 0; k--) {
    char name[] = "note_";
    name[4] = (char)choose(r, 256);
    put_attribute(r, notes, name, string_type(r, 1 + choose(r, 32)), 0);
  }
}

static void make_gadget(struct recipe *r, hid_t file)
{
  hid_t header = put_group(r, file, "Header");
  put_attribute(r, header, "NumPart_ThisFile", H5T_NATIVE_UINT32, TYPES);
  put_attribute(r, header, "Time", H5T_NATIVE_DOUBLE, 0);
  if (choose(r, 2)) put_attribute(r, header, "MassTable", H5T_NATIVE_DOUBLE, TYPES);
  if (choose(r, 2)) put_attribute(r, header, "NumFilesPerSnapshot", H5T_NATIVE_DOUBLE, 0);
  hid_t particles = put_group(r, file, "PartType1");
  put_data(r, particles, "Coordinates", 3);
  put_data(r, particles, "Velocities", 3);
  put_data(r, particles, "Masses", 1);
  if (choose(r, 2)) put_data(r, particles, "ParticleIDs", 1);
  put_notes(r, file);
}

/* ---- AMUSE's ---- */

/* Those words, most of the time. */
static void put_words(struct recipe *r, hid_t object, const char *name, const char *words)
{
  if (choose(r, 8) != 0) {
    put_attribute(r, object, name, string_type(r, 1 + choose(r, 32)), 0);
    return;
  }
  hid_t type = string_type(r, strlen(words)), space = keep(r, H5Screate(H5S_SCALAR));
  hid_t attribute = keep(r, H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (attribute >= 0) H5Awrite(attribute, type, words);
}

static void put_quantity(struct recipe *r, hid_t group, const char *name)
{
  put_data(r, group, name, 1);
  hid_t data = keep(r, H5Dopen2(group, name, H5P_DEFAULT));
  if (data >= 0) put_words(r, data, "units", "none");
}

static void make_amuse(struct recipe *r, hid_t file)
{
  static const char *const names[] = {"mass", "x", "y", "z", "vx", "vy", "vz"};
  put_words(r, put_group(r, file, "AMUSE_INF"), "version", "2.0");
  hid_t data = put_group(r, file, "data");
  for (unsigned k = 0, sets = 1 + choose(r, 3); k < sets; k++) {
    char name[16];
    snprintf(name, sizeof name, "%010u", k + 1);
    hid_t set = put_group(r, data, name), space = keep(r, H5Screate(H5S_SCALAR));
    const unsigned n = choose(r, 8) ? choose(r, 256) : PARTICLES;
    put_words(r, set, "type", "particles");
    if (choose(r, 2)) put_attribute(r, set, "timestamp", H5T_NATIVE_DOUBLE, 0);
    if (choose(r, 2)) put_words(r, set, "timestamp_unit", "none");
    hid_t count =
        keep(r, H5Acreate2(set, "number_of_particles", H5T_NATIVE_UINT, space, H5P_DEFAULT, H5P_DEFAULT));
    if (count >= 0) H5Awrite(count, H5T_NATIVE_UINT, &n);
    put_data_of(r, set, "keys", H5T_NATIVE_UINT64, 1); /* any bits are a key */
    hid_t attributes = put_group(r, set, "attributes");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) put_quantity(r, attributes, names[i]);
  }
  put_notes(r, file);
}

static enum hb_status take(const uint8_t *bytes, size_t count, void make(struct recipe *, hid_t))
{
  struct recipe recipe = {.next = bytes, .end = bytes + count};
  struct hb_snapshot_choice choice = {.t = NAN};
  struct hb_particles *particles;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = create_file(&recipe);
  make(&recipe, file);
  H5Fclose(file);
  while (recipe.id_count > 0) H5Idec_ref(recipe.ids[--recipe.id_count]);
  int fd = open("in.h5", O_RDONLY);
  fuzz_demand(fd >= 0, "the recipe made no file");
  fuzz_demand(hb_snapshot_hdf5_load() == HB_OK, "HDF5 is not loaded");
  enum hb_status status = hb_snapshot_hdf5_take(fd, "in.h5", &choice, &particles);
  close(fd);
  if (status == HB_OK) hb_particles_destroy(particles);
  return status;
}

enum hb_status fuzz_hdf5(const uint8_t *bytes, size_t count) { return take(bytes, count, make_gadget); }
enum hb_status fuzz_amuse(const uint8_t *bytes, size_t count) { return take(bytes, count, make_amuse); }
