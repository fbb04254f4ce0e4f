/* The formats of other programs: what is written comes back bit for bit as far as the format keeps it, the right one is
 * chosen, and cut or changed files are refused, or read without harm. Files that these programs wrote, made by hand,
 * are in tests/cli/formats.bats. */
#include "support/snapshot_case.h"
#include "support/support.h"

#include "base/log.h"
#include "core/particles.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a format keeps. */
static const struct format {
  const char *name, *file;
  int keeps_double, keeps_ids, keeps_notes;
  int refuses_large_ids;
} formats[] = {
    {"hdf5", "a.h5", 1, 1, 1, 0},        {"text", "a.txt", 1, 0, 1, 0},
    {"nemo", "a.nemo", 1, 1, 1, 1},      {"phigrape", "a.phigrape", 1, 1, 0, 1},
    {"tipsy", "a.std", 0, 0, 0, 0},      {"tipsy-native", "a.tipsy", 0, 0, 0, 0},
    {"tipsy-cuda", "a.bin", 0, 1, 0, 1}, {"dyn", "a.dyn", 1, 1, 1, 1},
    {"amuse", "a.amuse", 1, 1, 1, 0},    {"xdmf", "a.xmf", 1, 1, 1, 0},
};

static struct hb_particles *sample(size_t n, int floats)
{
  static const double awkward[] = {0.1, -0.0, 1.0 / 3, 1e-300, 1 - 0x1p-53, -1e22, 0x1p-1074, -1e300};
  static const double single[] = {0.5, -0.0, 0x1.fffffep127, 0x1p-149, -3, 0x1.000002p0, 7};
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(n, &p));
  for (size_t i = 0; i < n; i++) {
    p->m[i] = floats ? ldexp(1, -(int)(i % 20)) : 1.0 / (double)(i + 3);
    p->id[i] = 7 + (i * 7919) % 1000003; /* in no order, none twice */
  }
  for (size_t k = 0; k < 3 * n; k++) {
    p->x[k] = floats ? single[k % COUNT_OF(single)] : awkward[k % COUNT_OF(awkward)];
    p->v[k] = floats ? -single[(k + 3) % COUNT_OF(single)] : -awkward[(k + 5) % COUNT_OF(awkward)];
  }
  p->t = 0.1 + 0.2;
  ASSERT_OK(hb_particles_add_history(p, "holmberg ic plummer -n 9"));
  ASSERT_OK(hb_particles_add_history(p, "holmberg run: with a colon"));
  ASSERT_OK(hb_particles_set_note(p, "eps", "0.01"));
  return p;
}

static void assert_kept(const struct format *f, const struct hb_particles *p, const struct hb_particles *back)
{
  snapshot_assert_same(p, back);
  for (size_t i = 0; i < p->n; i++) assert_int_equal(back->id[i], f->keeps_ids ? p->id[i] : i);
  for (size_t k = 0; k < p->note_count && f->keeps_notes; k++)
    assert_string_equal(hb_particles_note(back, p->notes[k].key), p->notes[k].value);
}

static void round_trips(void **state)
{
  (void)state;
  static const size_t numbers[] = {1, 2, 1000};
  size_t count;
  assert_string_equal(hb_snapshot_formats(&count)[0].name, "hdf5");
  assert_int_equal(count, COUNT_OF(formats));
  for (size_t k = 0; k < COUNT_OF(formats); k++) {
    const struct format *f = &formats[k];
    assert_string_equal(hb_snapshot_formats(&count)[k].name, f->name);
    const char *path = support_path(f->file);
    for (size_t l = 0; l < COUNT_OF(numbers); l++) {
      struct hb_particles *p = sample(numbers[l], !f->keeps_double), *back;
      ASSERT_OK(hb_snapshot_write(path, f->name, p));
      ASSERT_OK(hb_snapshot_read(path, f->name, &back)); /* as the user says, and as it is found */
      assert_kept(f, p, back);
      hb_particles_destroy(back);
      ASSERT_OK(hb_snapshot_read(path, NULL, &back));
      assert_kept(f, p, back);
      hb_particles_destroy(back);
      hb_particles_destroy(p);
    }
  }
}

/* ---- what a format cannot hold ------------------------------------------------------------------------- */

static void refuses_large_identities(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(formats); k++) {
    struct hb_particles *p = sample(3, 1);
    p->id[1] = UINT64_C(1) << 31;
    const char *path = support_path(formats[k].file);
    if (formats[k].refuses_large_ids)
      ASSERT_FAILS(hb_snapshot_write(path, NULL, p), HB_ERR_INPUT, "particle 1 has identity 2147483648, but");
    else
      ASSERT_OK(hb_snapshot_write(path, NULL, p));
    hb_particles_destroy(p);
  }
}

static char warning[512];
static int warnings;

static void keep_warning(const char *line)
{
  snprintf(warning, sizeof warning, "%s", line);
  warnings++;
}

/* Beyond float: refused. Digits lost: said once. */
static void knows_what_floats_hold(void **state)
{
  (void)state;
  struct hb_particles *p = sample(3, 1);
  const char *path = support_path("float.tipsy");
  hb_log_set_sink(HB_LOG_WARNINGS, keep_warning);
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  assert_int_equal(warnings, 0);
  p->x[4] = 1e39;
  ASSERT_FAILS(hb_snapshot_write(path, NULL, p), HB_ERR_INPUT,
               "particle 1 has y = 1e+39, which the floats of format tipsy cannot hold: write hdf5");
  p->x[4] = FLT_MAX;
  p->v[8] = -(double)FLT_MAX * (1 + 0x1p-24); /* rounds to infinity */
  ASSERT_FAILS(hb_snapshot_write(path, NULL, p), HB_ERR_INPUT, "particle 2 has vz = -3.40282");
  p->v[8] = 0;
  p->m[0] = 1e-60;
  ASSERT_FAILS(hb_snapshot_write(path, NULL, p), HB_ERR_INPUT, "particle 0 has mass = 1e-60, ");
  assert_int_equal(warnings, 0);
  p->m[0] = 0.1;
  p->x[0] = 1e-60; /* a length of zero is near enough */
  for (int k = 0; k < 3; k++) ASSERT_OK(hb_snapshot_write(path, NULL, p));
  assert_int_equal(warnings, 1);
  assert_string_equal(
      warning,
      "format tipsy holds floats: 2 of 21 numbers lose digits beyond the 7th; hdf5 and nemo keep all");
  hb_log_set_sink(HB_LOG_WARNINGS, NULL);
  hb_particles_destroy(p);
}

/* ---- choice -------------------------------------------------------------------------------------------- */

static void chooses_by_content(void **state)
{
  (void)state;
  static const struct {
    const char *written, *file, *found;
  } cases[] = {
      {"text", "c.dat", "text"},
      {"nemo", "c.dat", "nemo"},
      {"phigrape", "c.dat", "phigrape"},
      {"hdf5", "c.h5", "hdf5"},
      {"amuse", "c.h5", "amuse"},
      {"hdf5", "c.amuse", "hdf5"},
      {"tipsy", "c.tipsy", "tipsy"},
      {"tipsy-native", "c.std", "tipsy-native"},
      {"tipsy-cuda", "c.std", "tipsy-cuda"},
      {"tipsy", "c.bin", "tipsy"},
      {"nemo", "c", "nemo"},
      {"dyn", "c.x", "dyn"},
      {"amuse", "c.y", "amuse"},
      {"tipsy", "c.z", "tipsy"},
      {"phigrape", "c.init", "phigrape"},
  };
  struct hb_particles *p = sample(5, 1), *back;
  struct hb_snapshot_contents found;
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    const char *path = support_path(cases[k].file);
    ASSERT_OK(hb_snapshot_write(path, cases[k].written, p));
    ASSERT_OK(hb_snapshot_read_at(path, NULL, NAN, &back, &found));
    assert_string_equal(found.format, cases[k].found);
    assert_int_equal(found.count, 1);
    expect_equal(found.t_first, p->t);
    expect_equal(found.t_last, p->t);
    snapshot_assert_same(p, back);
    hb_particles_destroy(back);
  }
  /* potentials in place of identities: row numbers */
  const char *path = support_path("c.bin");
  ASSERT_OK(hb_snapshot_write(path, "tipsy-native", p));
  ASSERT_OK(hb_snapshot_read(path, NULL, &back));
  for (size_t i = 0; i < p->n; i++) assert_int_equal(back->id[i], i);
  hb_particles_destroy(back);
  hb_particles_destroy(p);
}

/* Files one after another are a file of many snapshots. */
static const char *movie(const char *file, size_t *one)
{
  const char *path = support_path(file);
  char *all = NULL;
  size_t length = 0;
  for (int k = 0; k < 3; k++) {
    struct hb_particles *p = sample(4, 1);
    p->t = 0.25 * (k + 1);
    p->x[0] = k;
    ASSERT_OK(hb_snapshot_write(path, NULL, p));
    char *bytes = support_read(path, one);
    all = realloc(all, length + *one);
    memcpy(all + length, bytes, *one);
    length += *one;
    free(bytes);
    hb_particles_destroy(p);
  }
  support_write(path, all, length);
  free(all);
  return path;
}

static void chooses_by_time(void **state)
{
  (void)state;
  static const char *const files[] = {"movie.nemo", "movie.dyn"};
  for (size_t k = 0; k < COUNT_OF(files); k++) {
    size_t one;
    const char *path = movie(files[k], &one);
    struct hb_particles *back;
    struct hb_snapshot_contents found;
    ASSERT_OK(hb_snapshot_read_at(path, NULL, NAN, &back, &found));
    assert_int_equal(found.count, 3);
    expect_equal(found.t_first, 0.25);
    expect_equal(found.t_last, 0.75);
    expect_equal(back->t, 0.75);
    expect_equal(back->x[0], 2);
    hb_particles_destroy(back);
    for (int i = 0; i < 3; i++) {
      ASSERT_OK(hb_snapshot_read_at(path, NULL, 0.25 * (i + 1) + 5e-7, &back, &found));
      expect_equal(back->t, 0.25 * (i + 1));
      expect_equal(back->x[0], i);
      hb_particles_destroy(back);
    }
    ASSERT_FAILS(hb_snapshot_read_at(path, NULL, 0.3, &back, &found), HB_ERR_INPUT,
                 "no snapshot of t = 0.3; the nearest of 3 from t = 0.25 to 0.75 is of t = 0.25");
    assert_null(back);
  }
  struct hb_particles *p = sample(2, 1), *back;
  ASSERT_OK(hb_snapshot_write(support_path("one.txt"), NULL, p));
  ASSERT_FAILS(hb_snapshot_read_at(support_path("one.txt"), NULL, 7, &back, NULL), HB_ERR_INPUT,
               "one.txt: its only snapshot is of t = 0.3, not of 7");
  hb_particles_destroy(p);
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

static const char *const of_memory[] = {"a.nemo", "a.phigrape", "a.std", "a.bin", "a.dyn"};
static const char *const of_hdf5[] = {"a.amuse", "a.xmf"};

/* Refused by one sentence with the file's name, or read. */
static int reads(const char *path, const char *name, struct hb_particles **back)
{
  warnings = 0;
  enum hb_status status = hb_snapshot_read(path, NULL, back);
  if (status == HB_OK) return 1;
  assert_int_equal(status, HB_ERR_INPUT);
  assert_non_null(strstr(hb_error(), name));
  assert_null(strchr(hb_error(), '\n'));
  assert_null(*back);
  return 0;
}

/* Cut off anywhere: refused; unless nothing but the end of the last line is missing, or a warning says that it is. */
static void survives_truncation(void **state)
{
  (void)state;
  hb_log_set_sink(HB_LOG_WARNINGS, keep_warning);
  for (size_t k = 0; k < COUNT_OF(of_memory); k++) {
    struct hb_particles *p = sample(3, 1), *back;
    const char *path = support_path(of_memory[k]);
    ASSERT_OK(hb_snapshot_write(path, NULL, p));
    size_t count, read = 0;
    char *bytes = support_read(path, &count);
    for (size_t length = 0; length < count; length++) {
      support_write(path, bytes, length);
      if (!reads(path, of_memory[k], &back)) continue;
      if (length + 1 < count) assert_int_equal(warnings, 1);
      if (warnings == 0) snapshot_assert_same(p, back);
      hb_particles_destroy(back);
      read++;
    }
    expect_below(read, 24); /* within the last number of text */
    free(bytes);
    hb_particles_destroy(p);
  }
  hb_log_set_sink(HB_LOG_WARNINGS, NULL);
}

/* Any bit of any byte changed: refused or read, by valgrind and the sanitizers without harm. */
static void survives_changes(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(of_memory); k++) {
    struct hb_particles *p = sample(3, 1), *back;
    const char *path = support_path(of_memory[k]);
    ASSERT_OK(hb_snapshot_write(path, NULL, p));
    size_t count, refused = 0;
    char *bytes = support_read(path, &count);
    for (size_t i = 0; i < count; i++) {
      char old = bytes[i];
      bytes[i] = (char)(old ^ 1 << i % 8);
      support_write(path, bytes, count);
      bytes[i] = old;
      int is_read = reads(path, of_memory[k], &back);
      if (is_read) hb_particles_destroy(back);
      refused += !is_read;
    }
    expect_above(refused, 10);
    free(bytes);
    hb_particles_destroy(p);
  }
}

/* The same for HDF5, whose checksums find all: refused, or the same. */
static void notices_damage_in_hdf5(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(of_hdf5); k++) {
    struct hb_particles *p = sample(20, 1), *back;
    const char *path = support_path(of_hdf5[k]), *data = k ? support_path("a.h5") : path;
    ASSERT_OK(hb_snapshot_write(path, NULL, p));
    size_t count, refused = 0;
    char *bytes = support_read(data, &count);
    for (size_t i = 0; i < 60; i++) {
      size_t at = i * (count / 60);
      bytes[at] = (char)(bytes[at] ^ 1 << i % 8);
      support_write(data, bytes, i % 2 ? count : at);
      bytes[at] = (char)(bytes[at] ^ 1 << i % 8);
      int is_read = reads(path, k ? "a.h5" : "a.amuse", &back);
      if (is_read) snapshot_assert_same(p, back);
      if (is_read) hb_particles_destroy(back);
      refused += !is_read;
    }
    expect_at_least(refused, 30);
    free(bytes);
    hb_particles_destroy(p);
  }
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(formats); k++) {
    struct hb_particles *p = sample(3, 1);
    snapshot_survives_lack_of_memory(p, support_path(formats[k].file));
    hb_particles_destroy(p);
  }
}

/* ---- XDMF ------------------------------------------------------------------------------------------------ */

static void describes_the_file_beside(void **state)
{
  (void)state;
  struct hb_particles *p = sample(2, 1);
  const char *path = support_path("a&b.xmf");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  char *text = support_read(path, NULL);
  assert_non_null(strstr(text, ">a&amp;b.h5:/PartType1/Coordinates</DataItem>"));
  assert_non_null(strstr(text, "<Time Value=\"0.30000000000000004\"/>"));
  free(text);
  assert_true(support_exists(support_path("a&b.h5")));
  ASSERT_FAILS(hb_snapshot_write(support_path("a:b.xmf"), NULL, p), HB_ERR_USAGE, "it has a colon");
  assert_false(support_exists(support_path("a:b.h5")));
  ASSERT_FAILS(hb_snapshot_write(support_path("b.h5"), "xdmf", p), HB_ERR_USAGE, "keeps its data in ");
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),
      cmocka_unit_test(refuses_large_identities),
      cmocka_unit_test(knows_what_floats_hold),
      cmocka_unit_test(chooses_by_content),
      cmocka_unit_test(chooses_by_time),
      cmocka_unit_test(survives_truncation),
      cmocka_unit_test(survives_changes),
      cmocka_unit_test(notices_damage_in_hdf5),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(describes_the_file_beside),
  };
  return cmocka_run_group_tests_name("snapshot_formats", tests, NULL, NULL);
}
