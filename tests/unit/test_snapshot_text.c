/* io/snapshot_text and the choice of formats: what is written comes back bit for bit, and what cannot be read
 * gets one sentence with file, line and word. */
#include "support/snapshot_case.h"
#include "support/support.h"

#include "base/file.h"
#include "base/log.h"
#include "core/particles.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Numbers that short decimals would not bring back. */
static struct hb_particles *awkward(void)
{
  static const double values[] = {
      0.1,    -0.0,        1.0 / 3,     DBL_MAX, DBL_MIN, 0x1p-1074,           -DBL_MAX,
      1e-300, 1 - 0x1p-53, 1 + 0x1p-52, -1e22,   5e-324,  0x1.fffffffffffffp-3};
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(9, &p));
  for (size_t i = 0; i < p->n; i++) p->m[i] = i % 2 ? 1.0 / (double)(i + 2) : DBL_MIN / (double)(i + 1);
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] = values[k % COUNT_OF(values)];
    p->v[k] = -values[(5 * k + 1) % COUNT_OF(values)];
  }
  p->t = 0.1 + 0.2;
  return p;
}

static void round_trip(void **state)
{
  (void)state;
  struct hb_particles *p = awkward(), *back;
  ASSERT_OK(hb_particles_add_history(p, "holmberg ic plummer -n 9"));
  ASSERT_OK(hb_particles_add_history(p, "holmberg run: with a colon"));
  ASSERT_OK(hb_particles_set_note(p, "device",
                                  "lamp # 37, \xC3\xA9"
                                  "teinte"));
  ASSERT_OK(hb_particles_set_note(p, "empty", ""));
  ASSERT_OK(hb_particles_set_note(p, "lines", "one\n\nthree"));
  const char *path = support_path("round.txt");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  ASSERT_OK(hb_snapshot_read(path, NULL, &back));
  snapshot_assert_same(p, back);
  assert_int_equal(back->note_count, p->note_count + 1); /* the version */
  assert_string_equal(hb_particles_note(back, "version"), hb_library_version());
  for (size_t k = 0; k < p->note_count; k++) {
    assert_string_equal(back->notes[k].key, p->notes[k].key);
    assert_string_equal(back->notes[k].value, p->notes[k].value);
  }
  for (size_t i = 0; i < back->n; i++) assert_int_equal(back->id[i], i);
  hb_particles_destroy(back);
  hb_particles_destroy(p);
}

static void looks_like_this(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(1, &p));
  p->t = 0.5;
  p->m[0] = 1;
  p->x[1] = 0.1;
  p->v[2] = -2;
  ASSERT_OK(hb_particles_add_history(p, "first"));
  ASSERT_OK(hb_particles_add_history(p, "second"));
  const char *path = support_path("look.txt");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  char *text = support_read(path, NULL);
  static const char lines[] =
      "# n: 1\n# t: 0.5\n# history: first\n# history: second\n# version: " HB_VERSION "\n# m x y z vx vy vz\n"
      "1 0 0.10000000000000001 0 0 0 -2\n";
  char first[32];
  snprintf(first, sizeof first, "# crc32: %08lx\n", crc32_z(0, (const Bytef *)lines, strlen(lines)));
  assert_memory_equal(text, first, strlen(first));
  assert_string_equal(text + strlen(first), lines);
  free(text);
  hb_particles_destroy(p);
}

/* ---- reading what others write -------------------------------------------------------------------------- */

static enum hb_status read_bytes(const char *bytes, size_t count, struct hb_particles **p)
{
  const char *path = support_path("given.txt");
  support_write(path, bytes, count);
  return hb_snapshot_read(path, NULL, p);
}

static void accepts_other_habits(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "1 2 3 4 5 6 7\n8 9 10 11 12 13 14\n",
      "1 2 3 4 5 6 7\r\n8 9 10 11 12 13 14\r\n",
      "\xEF\xBB\xBF# a comment\n1 2 3 4 5 6 7\n\n8 9 10 11 12 13 14",
      "\t1\t2 3  4 5 6 7   \n  # half time\n8. 9.0 1e1 +11 12 1.3e+1 14 # the last one\n",
      "# n: 2\n# see http://example.org, key: none, 10: 20\n#\n#:\n1 2 3 4 5 6 7\n8 9 10 11 12 13 14\n",
  };
  for (size_t k = 0; k < COUNT_OF(texts); k++) {
    struct hb_particles *p;
    ASSERT_OK(read_bytes(texts[k], strlen(texts[k]), &p));
    assert_int_equal(p->n, 2);
    expect_equal(p->m[0], 1);
    expect_equal(p->m[1], 8);
    expect_equal(p->x[0], 2);
    expect_equal(p->x[5], 11);
    expect_equal(p->v[5], 14);
    expect_equal(p->t, 0);
    hb_particles_destroy(p);
  }
}

static void refuses_bad_content(void **state)
{
  (void)state;
  static const struct {
    const char *text, *sentence;
  } cases[] = {
      {"", "given.txt: the file is empty"},
      {"\n\n", "given.txt: there are no particles"},
      {"# n: 0\n# m x y z vx vy vz\n",
       "given.txt: there are no particles, expected a row `m x y z vx vy vz`"},
      {"1 2 3 4 5 6 7\n1 2 3 4 5 6\n", "given.txt:2: a row of 6 numbers, expected 7: m x y z vx vy vz"},
      {"# c\r\n\r\n1 2\r\n", "given.txt:3: a row of 2 numbers, expected 7"},
      {"1 2 3 4 5 6 7 8.5\n", "given.txt:1: '8.5' after 7 numbers, expected 7: m x y z vx vy vz"},
      {"1 2 3 4 lamp 6 7\n", "given.txt:1: 'lamp' for vx, expected a finite number"},
      {"1 2 3 4.5.6 5 6 7\n", "given.txt:1: '4.5.6' for z"},
      {"1,2,3,4,5,6,7\n", "given.txt:1: '1,2,3,4,5,6,7' for m"},
      {"1 nan 3 4 5 6 7\n", "given.txt:1: 'nan' for x"},
      {"1 2 3 4 5 6 -inf\n", "given.txt:1: '-inf' for vz"},
      {"1 2 3 4 5 6 1e999\n", "given.txt:1: '1e999' for vz"},
      {"1 2 3 4 5 6 7\n-1 2 3 4 5 6 7\n", "given.txt: particle 1 has mass -1, expected finite and >= 0"},
      {"# n: 3\n1 2 3 4 5 6 7\n",
       "given.txt:1: the header says n = '3', but the file has 1 row of particles"},
      {"# t: -1e300\n1 2 3 4 5 6 7\n", "given.txt: the time is -1e+300, expected between"},
      {"# t: 1e17\n1 2 3 4 5 6 7\n", "given.txt: the time is 1e+17, expected between"},
      {"# t: nan\n1 2 3 4 5 6 7\n", "given.txt:1: 'nan' for the time t"},
      {"# crc32: 01234567\n1 2 3 4 5 6 7", "given.txt: the last line has no line break, and the checksum is "
                                           "'01234567' instead of ed347e92: the file was cut"},
      {"\n# crc32: 01234567\n1 2 3 4 5 6 7\n", "given.txt:2: the checksum is not in the first line, "},
      {"# t: noon\n1 2 3 4 5 6 7\n", "given.txt:1: 'noon' for the time t"},
      {"# t:\n1 2 3 4 5 6 7\n", "given.txt:1: '' for the time t"},
      {"\x89HDF\r\n\x1a\n 1 2 3", "given.txt:1: '"},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct hb_particles *p = (struct hb_particles *)&p;
    ASSERT_FAILS(read_bytes(cases[k].text, strlen(cases[k].text), &p), HB_ERR_INPUT, cases[k].sentence);
    assert_null(p);
    assert_null(strchr(hb_error(), '\n'));
  }
  struct hb_particles *p;
  ASSERT_FAILS(read_bytes("1 2 3\0 4 5 6 7 \n", 16, &p), HB_ERR_INPUT, "given.txt:1: '3' for y");
}

static int says_the_same(const char *bytes, size_t count, const struct hb_particles *p)
{
  struct hb_particles *back;
  enum hb_status status = read_bytes(bytes, count, &back);
  if (status == HB_OK) {
    snapshot_assert_same(p, back);
    hb_particles_destroy(back);
  } else {
    assert_int_equal(status, HB_ERR_INPUT);
    assert_non_null(strstr(hb_error(), "given.txt"));
  }
  return status == HB_OK;
}

/* Cut off anywhere, what we wrote is refused; only the end of the last line is no loss. */
static void survives_truncation(void **state)
{
  (void)state;
  struct hb_particles *p = awkward();
  const char *path = support_path("whole.txt");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  size_t count;
  char *bytes = support_read(path, &count);
  for (size_t length = 0; length < count; length++)
    assert_int_equal(says_the_same(bytes, length, p), length + 1 == count);
  free(bytes);
  hb_particles_destroy(p);
}

static int warnings;

static void count_edited(const char *line)
{
  warnings += strstr(line, "given.txt was changed since it was written: its checksum is '") != NULL;
}

/* Any byte changed: refused, told, or all the same. */
static void notices_changes(void **state)
{
  (void)state;
  warnings = 0;
  hb_log_set_sink(HB_LOG_WARNINGS, count_edited);
  struct hb_particles *p = awkward();
  const char *path = support_path("whole.txt");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  size_t count, refused = 0;
  char *bytes = support_read(path, &count);
  for (size_t k = 0; k < count; k++) {
    char old = bytes[k];
    bytes[k] = (char)(old ^ 1 << k % 8);
    struct hb_particles *back = NULL;
    int told = warnings;
    if (read_bytes(bytes, count, &back) != HB_OK || warnings > told)
      refused++;
    else
      snapshot_assert_same(p, back);
    hb_particles_destroy(back);
    bytes[k] = old;
  }
  print_message("# %zu of %zu changed bytes noticed, %d of them told only\n", refused, count, warnings);
  expect_above(refused, count - 20);
  expect_above(warnings, 100);
  hb_log_set_sink(HB_LOG_WARNINGS, NULL);
  /* in another system's line ends it is the same file */
  char *wide = malloc(2 * count), *end = wide;
  for (size_t k = 0; k < count; k++) {
    if (bytes[k] == '\n') *end++ = '\r';
    *end++ = bytes[k];
  }
  assert_true(says_the_same(wide, (size_t)(end - wide), p));
  free(wide);
  free(bytes);
  hb_particles_destroy(p);
}

static void count_warnings(const char *line)
{
  warnings++;
  assert_non_null(strstr(line, "given.txt: the last line has no line break"));
}

/* Without a checksum a file that was cut within its last number is a table like any other: a warning says so. */
static void tells_a_last_line_without_end(void **state)
{
  (void)state;
  static const char whole[] = "1 2 3 4 5 6 7.25\n";
  struct hb_particles *p;
  warnings = 0;
  hb_log_set_sink(HB_LOG_WARNINGS, count_warnings);
  for (size_t cut = 0; cut < 2; cut++) {
    ASSERT_OK(read_bytes(whole, strlen(whole) - cut, &p));
    hb_particles_destroy(p);
    assert_int_equal(warnings, cut);
  }
  hb_log_set_sink(HB_LOG_WARNINGS, NULL);
}

/* ---- files and formats ---------------------------------------------------------------------------------- */

static void refuses_bad_files(void **state)
{
  (void)state;
  struct hb_particles *p = (struct hb_particles *)&p;
  ASSERT_FAILS(hb_snapshot_read(support_path("absent.txt"), NULL, &p), HB_ERR_IO,
               "No such file or directory");
  assert_null(p);
  const char *folder = support_path("folder.txt");
  assert_int_equal(mkdir(folder, 0777), 0);
  ASSERT_FAILS(hb_snapshot_read(folder, NULL, &p), HB_ERR_IO, "Is a directory");
  struct hb_particles *one = awkward();
  ASSERT_FAILS(hb_snapshot_write(folder, NULL, one), HB_ERR_IO, "not a regular file");
  ASSERT_FAILS(hb_snapshot_write(support_path("no/such.txt"), NULL, one), HB_ERR_IO, "No such file");
  ASSERT_FAILS(hb_snapshot_write("/dev/full", "text", one), HB_ERR_IO, "/dev/full");
  hb_particles_destroy(one);
}

static void chooses_formats(void **state)
{
  (void)state;
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  expect_at_least(count, 2);
  assert_string_equal(formats[0].name, "hdf5");
  assert_string_equal(formats[1].name, "text");
  struct hb_particles *p = awkward(), *back;
  static const char known[] = "expected hdf5 (.h5 .hdf5), text (.txt .dat .tab), nemo (.nemo ";
  static const struct {
    const char *path, *format, *sentence;
  } bad[] = {{"a.fits", NULL, known},
             {"a", NULL, known},
             {"a.h5/b", NULL, known},
             {"a.txt", "tipsi", known},
             {"-", "hdf5", "standard input and output take format text, nemo, phigrape, tipsy, "}};
  assert_int_equal(mkdir(support_path("a.h5"), 0777), 0);
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    const char *path = strcmp(bad[k].path, "-") == 0 ? "-" : support_path(bad[k].path);
    if (*path != '-') support_write(path, "1 2 3 4 5 6 7\n", 14);
    ASSERT_FAILS(hb_snapshot_read(path, bad[k].format, &back), HB_ERR_USAGE, bad[k].sentence);
    assert_null(back);
    ASSERT_FAILS(hb_snapshot_write(path, bad[k].format, p), HB_ERR_USAGE, bad[k].sentence);
  }
  /* a file that is missing and a folder are told as such, whatever they are called */
  ASSERT_FAILS(hb_snapshot_read(support_path("absent"), NULL, &back), HB_ERR_IO, "absent: No such file");
  ASSERT_FAILS(hb_snapshot_read(support_path(""), NULL, &back), HB_ERR_IO, "Is a directory");
  assert_null(back);
  /* a format that is named wins over the extension, and case does not matter */
  const char *path = support_path("table.H5");
  ASSERT_OK(hb_snapshot_write(path, "Text", p));
  ASSERT_OK(hb_snapshot_read(path, "text", &back));
  snapshot_assert_same(p, back);
  hb_particles_destroy(back);
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &back), HB_ERR_INPUT, "table.H5: not an HDF5 file");
  path = support_path("UPPER.TXT");
  ASSERT_OK(hb_snapshot_write(path, NULL, p));
  ASSERT_OK(hb_snapshot_read(path, NULL, &back));
  hb_particles_destroy(back);
  hb_particles_destroy(p);
}

/* "-" is standard output and input: both are redirected to a file for the while. */
static void standard_streams(void **state)
{
  (void)state;
  struct hb_particles *p = awkward(), *back;
  const char *path = support_path("stream");
  int out = dup(STDOUT_FILENO), in = dup(STDIN_FILENO);
  fflush(stdout);
  int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
  dup2(fd, STDOUT_FILENO);
  enum hb_status wrote = hb_snapshot_write("-", NULL, p);
  dup2(out, STDOUT_FILENO);
  close(fd);
  ASSERT_OK(wrote);
  fd = open(path, O_RDONLY);
  dup2(fd, STDIN_FILENO);
  ASSERT_OK(hb_snapshot_read("-", NULL, &back));
  snapshot_assert_same(p, back);
  hb_particles_destroy(back);
  ASSERT_FAILS(hb_snapshot_read("-", "text", &back), HB_ERR_INPUT, "standard input: the file is empty");
  dup2(in, STDIN_FILENO);
  close(fd);
  close(out);
  close(in);
  hb_particles_destroy(p);
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  struct hb_particles *p = awkward();
  ASSERT_OK(hb_particles_add_history(p, "one\ntwo"));
  snapshot_survives_lack_of_memory(p, support_path("memory.txt"));
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(looks_like_this),
      cmocka_unit_test(accepts_other_habits),
      cmocka_unit_test(refuses_bad_content),
      cmocka_unit_test(survives_truncation),
      cmocka_unit_test(notices_changes),
      cmocka_unit_test(tells_a_last_line_without_end),
      cmocka_unit_test(refuses_bad_files),
      cmocka_unit_test(chooses_formats),
      cmocka_unit_test(standard_streams),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests_name("snapshot_text", tests, NULL, NULL);
}
