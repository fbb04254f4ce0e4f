/* io/snapshot_hdf5*: the Gadget layout, bit for bit both ways, and one sentence for any file that does not follow it. */
#include "support/snapshot_case.h"
#include "support/support.h"

#include "base/mem.h"
#include "core/particles.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static struct hb_particles *sample(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(n, &p));
  for (size_t i = 0; i < n; i++) {
    p->m[i] = 1.0 / (double)(i + 3);
    p->id[i] = UINT64_MAX - 7 * i;
  }
  for (size_t k = 0; k < 3 * n; k++) {
    p->x[k] = 1.0 / (double)(k + 1);
    p->v[k] = k % 4 ? -1e-300 / (double)(k + 1) : -0.0;
  }
  p->t = 0.1 + 0.2;
  return p;
}

static void round_trip(void **state)
{
  (void)state;
  static const size_t numbers[] = {1, 2, 1000, 32769, 70001}; /* of one chunk of rows, and of several */
  for (size_t k = 0; k < COUNT_OF(numbers); k++) {
    struct hb_particles *p = sample(numbers[k]), *back;
    ASSERT_OK(hb_particles_add_history(p, "holmberg ic plummer"));
    ASSERT_OK(hb_particles_add_history(p, "holmberg run"));
    ASSERT_OK(hb_particles_set_note(p, "device",
                                    "lamp \xC3\xA9"
                                    "teinte"));
    ASSERT_OK(hb_particles_set_note(p, "empty", ""));
    const char *path = support_path("round.h5");
    ASSERT_OK(hb_snapshot_write(path, NULL, p));
    ASSERT_OK(hb_snapshot_read(path, NULL, &back));
    snapshot_assert_same(p, back);
    assert_memory_equal(p->id, back->id, p->n * sizeof *p->id);
    for (size_t note = 0; note < p->note_count; note++) {
      assert_string_equal(back->notes[note].key, p->notes[note].key);
      assert_string_equal(back->notes[note].value, p->notes[note].value);
    }
    assert_string_equal(hb_particles_note(back, "version"), hb_library_version());
    hb_particles_destroy(back);
    hb_particles_destroy(p);
  }
}

/* Attributes beyond 64 KiB need the newer file format. */
static void long_notes(void **state)
{
  (void)state;
  enum { LONG = 300000 };
  char *note = malloc(LONG + 1);
  memset(note, 'h', LONG);
  note[LONG] = 0;
  struct hb_particles *p = sample(2), *back;
  ASSERT_OK(hb_particles_add_history(p, note));
  const char *path = support_path("long.h5");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  ASSERT_OK(hb_snapshot_read(path, NULL, &back));
  assert_string_equal(hb_particles_note(back, "history"), note);
  hb_particles_destroy(back);
  hb_particles_destroy(p);
  /* one letter changed */
  size_t count;
  char *bytes = support_read(path, &count), *letter = memchr(bytes, 'h', count);
  while (memcmp(letter, "hhhh", 4) != 0)
    letter = memchr(letter + 1, 'h', (size_t)(bytes + count - letter - 1));
  letter[1000] = 'g';
  support_write(path, bytes, count);
  free(bytes);
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &back), HB_ERR_INPUT, "long.h5: /Holmberg cannot be read");
  free(note);
}

static void same_bytes_twice(void **state)
{
  (void)state;
  struct hb_particles *p = sample(100);
  ASSERT_OK(hb_particles_add_history(p, "holmberg ic"));
  const char *first_path = support_path("first.h5"), *second_path = support_path("second.h5");
  ASSERT_OK(hb_snapshot_write(first_path, NULL, p));
  nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000},
            NULL); /* a time stamp would differ by now */
  ASSERT_OK(hb_snapshot_write(second_path, NULL, p));
  size_t first_count, second_count;
  char *first = support_read(first_path, &first_count), *second = support_read(second_path, &second_count);
  assert_int_equal(first_count, second_count);
  assert_memory_equal(first, second, first_count);
  free(first);
  free(second);
  hb_particles_destroy(p);
}

/* ---- the layout, seen by the library alone --------------------------------------------------------------- */

static double header_value(hid_t file, const char *name, size_t k)
{
  double values[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
  hid_t attribute = H5Aopen_by_name(file, "Header", name, H5P_DEFAULT, H5P_DEFAULT);
  expect_at_least(attribute, 0);
  expect_at_least(H5Aread(attribute, H5T_NATIVE_DOUBLE, values), 0);
  H5Aclose(attribute);
  return values[k];
}

static void assert_data(hid_t file, const char *name, int rank, hsize_t rows, H5T_class_t class)
{
  hsize_t shape[H5S_MAX_RANK] = {0};
  hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
  expect_at_least(data, 0);
  hid_t space = H5Dget_space(data), type = H5Dget_type(data);
  assert_int_equal(H5Sget_simple_extent_dims(space, shape, NULL), rank);
  assert_int_equal(shape[0], rows);
  if (rank == 2) assert_int_equal(shape[1], 3);
  assert_int_equal(H5Tget_class(type), class);
  assert_int_equal(H5Tget_size(type), 8);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(data);
}

static void is_gadget(void **state)
{
  (void)state;
  struct hb_particles *p = sample(5);
  const char *path = support_path("gadget.h5");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  expect_at_least(file, 0);
  for (size_t k = 0; k < 6; k++) {
    expect_equal(header_value(file, "NumPart_ThisFile", k), k == 1 ? 5 : 0);
    expect_equal(header_value(file, "NumPart_Total", k), k == 1 ? 5 : 0);
    expect_equal(header_value(file, "NumPart_Total_HighWord", k), 0);
    expect_equal(header_value(file, "MassTable", k), 0);
  }
  expect_equal(header_value(file, "Time", 0), p->t);
  expect_equal(header_value(file, "NumFilesPerSnapshot", 0), 1);
  expect_equal(header_value(file, "HubbleParam", 0), 1);
  expect_equal(header_value(file, "Flag_DoublePrecision", 0), 1);
  static const char *const zeros[] = {"Redshift",      "BoxSize",      "Omega0",          "OmegaLambda",
                                      "Flag_Sfr",      "Flag_Cooling", "Flag_StellarAge", "Flag_Metals",
                                      "Flag_Feedback", "Flag_IC_Info"};
  for (size_t k = 0; k < COUNT_OF(zeros); k++) expect_equal(header_value(file, zeros[k], 0), 0);
  assert_data(file, "PartType1/Coordinates", 2, 5, H5T_FLOAT);
  assert_data(file, "PartType1/Velocities", 2, 5, H5T_FLOAT);
  assert_data(file, "PartType1/Masses", 1, 5, H5T_FLOAT);
  assert_data(file, "PartType1/ParticleIDs", 1, 5, H5T_INTEGER);
  H5Fclose(file);
  hb_particles_destroy(p);
}

/* ---- files of others ------------------------------------------------------------------------------------- */

/* A Gadget file made by hand, with a flaw if one is named. */
enum flaw {
  NO_FLAW,
  NO_HEADER,
  NO_COUNTS,
  SHORT_COUNTS,
  TEXT_COUNTS,
  ZERO_COUNTS,
  HUGE_COUNTS,
  MANY_FILES,
  NO_GROUP,
  NO_COORDINATES,
  NO_VELOCITIES,
  NO_MASSES,
  FLAT_COORDINATES,
  WIDE_VELOCITIES,
  SHORT_MASSES,
  TEXT_MASSES,
  NAN_POSITION,
  INFINITE_VELOCITY,
  NEGATIVE_MASS
};

static void put_attribute(hid_t group, const char *name, hid_t type, hsize_t count, const void *values)
{
  hid_t space = count > 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  expect_at_least(H5Awrite(attribute, type, values), 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void put_data(hid_t group, const char *name, hid_t stored, hsize_t rows, hsize_t columns,
                     const double *values)
{
  hsize_t shape[2] = {rows, columns};
  hid_t space = H5Screate_simple(columns ? 2 : 1, shape, NULL);
  hid_t data = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (stored != H5T_C_S1)
    expect_at_least(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  H5Dclose(data);
  H5Sclose(space);
}

/* Two gas particles with a mass table, in float; three stars with their own masses, in double, no identities. */
static void put_header(hid_t file, enum flaw flaw)
{
  if (flaw == NO_HEADER) return;
  hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int counts[6] = {2, 0, 0, 0, 3, 0}, files = flaw == MANY_FILES ? 8 : 1;
  double masses[6] = {0.25, 0, 0, 0, 0, 0}, t = 1.5;
  if (flaw == ZERO_COUNTS) counts[0] = counts[4] = 0;
  if (flaw == HUGE_COUNTS) counts[4] = 2000000000;
  if (flaw == TEXT_COUNTS)
    put_attribute(header, "NumPart_ThisFile", H5T_C_S1, 6, "233233");
  else if (flaw != NO_COUNTS)
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT, flaw == SHORT_COUNTS ? 5 : 6, counts);
  put_attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT, 1, &files);
  put_attribute(header, "MassTable", H5T_NATIVE_DOUBLE, 6, masses);
  put_attribute(header, "Time", H5T_NATIVE_DOUBLE, 1, &t);
  H5Gclose(header);
}

static const char *write_foreign(enum flaw flaw)
{
  const char *path = support_path("foreign.hdf5");
  double values[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bad[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  bad[2] = flaw == NAN_POSITION ? NAN : flaw == INFINITE_VELOCITY ? -INFINITY : -3;
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_header(file, flaw);
  hid_t gas = H5Gcreate2(file, "PartType0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  put_data(gas, "Coordinates", H5T_IEEE_F32BE, 2, 3, values);
  put_data(gas, "Velocities", H5T_IEEE_F32LE, 2, 3, values + 3);
  put_data(gas, "ParticleIDs", H5T_STD_U32LE, 2, 0, values + 7);
  H5Gclose(gas);
  if (flaw != NO_GROUP) {
    hid_t stars = H5Gcreate2(file, "PartType4", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (flaw != NO_COORDINATES)
      put_data(stars, "Coordinates", H5T_IEEE_F64LE, 3, flaw == FLAT_COORDINATES ? 2 : 3,
               flaw == NAN_POSITION ? bad : values);
    if (flaw != NO_VELOCITIES)
      put_data(stars, "Velocities", H5T_IEEE_F64LE, flaw == WIDE_VELOCITIES ? 1 : 3, 3,
               flaw == INFINITE_VELOCITY ? bad : values);
    if (flaw != NO_MASSES)
      put_data(stars, "Masses", flaw == TEXT_MASSES ? H5T_C_S1 : H5T_IEEE_F64LE, flaw == SHORT_MASSES ? 2 : 3,
               0, flaw == NEGATIVE_MASS ? bad : values);
    H5Gclose(stars);
  }
  H5Fclose(file);
  return path;
}

static void reads_all_types(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_snapshot_read(write_foreign(NO_FLAW), NULL, &p));
  assert_int_equal(p->n, 5);
  expect_equal(p->t, 1.5);
  static const double m[] = {0.25, 0.25, 1, 2, 3};
  static const uint64_t id[] = {8, 9, 2, 3, 4};
  for (size_t i = 0; i < 5; i++) {
    expect_equal(p->m[i], m[i]);
    assert_int_equal(p->id[i], id[i]);
  }
  expect_equal(p->x[0], 1);
  expect_equal(p->x[5], 6);
  expect_equal(p->v[0], 4);
  expect_equal(p->v[5], 9);
  expect_equal(p->x[6], 1);
  expect_equal(p->x[14], 9);
  expect_equal(p->v[6], 1);
  expect_equal(p->v[14], 9);
  assert_null(hb_particles_note(p, "version"));
  hb_particles_destroy(p);
}

static void refuses_bad_content(void **state)
{
  (void)state;
  static const struct {
    enum flaw flaw;
    const char *sentence;
  } cases[] = {
      {NO_HEADER, "foreign.hdf5: there is no group /Header"},
      {NO_COUNTS, "foreign.hdf5: /Header has no attribute NumPart_ThisFile"},
      {SHORT_COUNTS, "foreign.hdf5: attribute NumPart_ThisFile of /Header has 5 values, expected 6"},
      {TEXT_COUNTS, "foreign.hdf5: attribute NumPart_ThisFile of /Header is not numeric"},
      {ZERO_COUNTS, "foreign.hdf5: there are no particles"},
      {HUGE_COUNTS, "foreign.hdf5: NumPart_ThisFile says 2000000002 particles, more than a file of "},
      {MANY_FILES, "foreign.hdf5: one of 8 files of a snapshot"},
      {NO_GROUP, "foreign.hdf5: there is no group /PartType4, though /Header counts 3 particles of it"},
      {NO_COORDINATES, "foreign.hdf5: there is no data set /PartType4/Coordinates"},
      {NO_VELOCITIES, "foreign.hdf5: there is no data set /PartType4/Velocities"},
      {NO_MASSES, "foreign.hdf5: there is no data set /PartType4/Masses"},
      {FLAT_COORDINATES, "foreign.hdf5: data set /PartType4/Coordinates has shape 3 x 2, expected 3 x 3"},
      {WIDE_VELOCITIES, "foreign.hdf5: data set /PartType4/Velocities has shape 1 x 3, expected 3 x 3"},
      {SHORT_MASSES, "foreign.hdf5: data set /PartType4/Masses has shape 2, expected 3"},
      {TEXT_MASSES, "foreign.hdf5: data set /PartType4/Masses is not numeric"},
      {NAN_POSITION, "foreign.hdf5: particle 2 has z = nan, expected finite"},
      {INFINITE_VELOCITY, "foreign.hdf5: particle 2 has vz = -inf, expected finite"},
      {NEGATIVE_MASS, "foreign.hdf5: particle 4 has mass -3, expected finite and >= 0"},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct hb_particles *p = (struct hb_particles *)&p;
    ASSERT_FAILS(hb_snapshot_read(write_foreign(cases[k].flaw), NULL, &p), HB_ERR_INPUT, cases[k].sentence);
    assert_null(p);
  }
}

static void refuses_bad_files(void **state)
{
  (void)state;
  struct hb_particles *p, *one = sample(1);
  ASSERT_FAILS(hb_snapshot_read(support_path("absent.h5"), NULL, &p), HB_ERR_IO,
               "absent.h5: No such file or directory");
  const char *folder = support_path("folder.h5");
  assert_int_equal(mkdir(folder, 0777), 0);
  ASSERT_FAILS(hb_snapshot_read(folder, NULL, &p), HB_ERR_IO, "folder.h5: Is a directory");
  ASSERT_FAILS(hb_snapshot_write(folder, NULL, one), HB_ERR_IO,
               "folder.h5: it exists and is not a regular file");
  ASSERT_FAILS(hb_snapshot_write(support_path("no/such.h5"), NULL, one), HB_ERR_IO, "such.h5: No such file");
  const char *path = support_path("other.h5");
  support_write(path, "", 0);
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &p), HB_ERR_INPUT, "other.h5: the file is empty");
  support_write(path, "1 2 3 4 5 6 7\n", 14);
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &p), HB_ERR_INPUT, "other.h5: not an HDF5 file");
  assert_null(p);
  hb_particles_destroy(one);
}

/* Cut off anywhere, the file is refused: no crash, no particles, one sentence. */
static void survives_truncation(void **state)
{
  (void)state;
  struct hb_particles *p = sample(20), *back;
  const char *path = support_path("cut.h5");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  size_t count;
  char *bytes = support_read(path, &count);
  for (size_t length = 0; length < count; length += length < 100 || length > count - 20 ? 3 : 97) {
    support_write(path, bytes, length);
    ASSERT_FAILS(hb_snapshot_read(path, NULL, &back), HB_ERR_INPUT, "cut.h5: ");
    assert_null(back);
  }
  free(bytes);
  hb_particles_destroy(p);
}

/* Every 37th byte changed: refused, or all the same, notes included. */
static void notices_changes(void **state)
{
  (void)state;
  struct hb_particles *p = sample(20), *back;
  ASSERT_OK(hb_particles_add_history(p, "holmberg ic plummer"));
  const char *path = support_path("changed.h5");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  size_t count, refused = 0;
  char *bytes = support_read(path, &count);
  for (size_t k = 0; k < count; k += 37) {
    char old = bytes[k];
    bytes[k] = (char)(old ^ 1 << k % 8);
    support_write(path, bytes, count);
    bytes[k] = old;
    if (hb_snapshot_read(path, NULL, &back) != HB_OK) {
      refused++;
      assert_non_null(strstr(hb_error(), "changed.h5: "));
      continue;
    }
    snapshot_assert_same(p, back);
    assert_memory_equal(p->id, back->id, p->n * sizeof *p->id);
    assert_int_equal(back->note_count, 2);
    assert_string_equal(hb_particles_note(back, "history"), "holmberg ic plummer");
    assert_string_equal(hb_particles_note(back, "version"), hb_library_version());
    hb_particles_destroy(back);
  }
  expect_above(refused, count / 37 / 3);
  free(bytes);
  hb_particles_destroy(p);
}

static int open_descriptors(void)
{
  int count = 0;
  for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) != -1;
  return count;
}

/* The program around the library may collect its children itself, and has descriptors and signals of its own. */
static void is_a_good_guest(void **state)
{
  (void)state;
  struct hb_particles *p = sample(20000), *back;
  const char *path = support_path("guest.h5"), *bad = support_path("bad.h5");
  int before = open_descriptors();
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  support_write(bad, "1 2 3 4 5 6 7\n", 14);
  for (int ignored = 0; ignored < 2; ignored++) {
    signal(SIGCHLD, ignored ? SIG_IGN : SIG_DFL);
    ASSERT_OK(hb_snapshot_read(path, NULL, &back));
    snapshot_assert_same(p, back);
    hb_particles_destroy(back);
    ASSERT_FAILS(hb_snapshot_read(bad, NULL, &back), HB_ERR_INPUT, "bad.h5: not an HDF5 file");
    hb_mem_watch.fail_at = 6; /* while the child is writing */
    ASSERT_FAILS(hb_snapshot_read(path, NULL, &back), HB_ERR_INTERNAL, "cannot allocate");
    hb_mem_watch.fail_at = 0;
    setenv("HB_CHILD", "/bin/false", 1);
    ASSERT_FAILS(hb_snapshot_read(path, NULL, &back), HB_ERR_IO,
                 "guest.h5: /bin/false never answered, it is not this version's holmberg-child");
    unsetenv("HB_CHILD");
  }
  signal(SIGCHLD, SIG_DFL);
  assert_int_equal(open_descriptors(), before);
  hb_particles_destroy(p);
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  struct hb_particles *p = sample(3);
  ASSERT_OK(hb_particles_add_history(p, "one"));
  snapshot_survives_lack_of_memory(p, support_path("memory.h5"));
  hb_particles_destroy(p);
}

/* No file, group, data set or attribute stays open, whatever happened above. */
static void leaves_nothing_open(void **state)
{
  (void)state;
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(long_notes),
      cmocka_unit_test(same_bytes_twice),
      cmocka_unit_test(is_gadget),
      cmocka_unit_test(reads_all_types),
      cmocka_unit_test(refuses_bad_content),
      cmocka_unit_test(refuses_bad_files),
      cmocka_unit_test(survives_truncation),
      cmocka_unit_test(notices_changes),
      cmocka_unit_test(is_a_good_guest),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(leaves_nothing_open),
  };
  return cmocka_run_group_tests_name("snapshot_hdf5", tests, NULL, NULL);
}
