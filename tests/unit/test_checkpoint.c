/* io/checkpoint: what was written comes back, and nothing else is ever taken for it. */
#include "support/faults.h"
#include "support/support.h"

#include "base/mem.h"
#include "io/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Three small sections, made anew each time. */
static struct hb_sections sample(double first)
{
  struct hb_sections s = {0};
  const double doubles[] = {first, -0.0, NAN, 0x1p-1074};
  const uint64_t words[] = {1, UINT64_MAX};
  ASSERT_OK(hb_sections_put_copy(&s, "doubles", HB_SECTION_DOUBLES, 4, doubles));
  ASSERT_OK(hb_sections_put_copy(&s, "words", HB_SECTION_WORDS, 2, words));
  ASSERT_OK(hb_sections_put_copy(&s, "empty", HB_SECTION_WORDS, 0, NULL));
  ASSERT_OK(hb_sections_put_copy(&s, "bytes", HB_SECTION_BYTES, 5, "hello"));
  return s;
}

static void write_sample(const char *path, const char *previous, double first)
{
  struct hb_sections s = sample(first);
  ASSERT_OK(hb_checkpoint_write(path, previous, &s));
  hb_sections_clear(&s);
}

/* Whether path holds the sample that begins with first. */
static int holds(const char *path, double first)
{
  struct hb_sections wanted = sample(first), found = {0};
  int same = hb_checkpoint_read(path, &found) == HB_OK && found.count == wanted.count;
  for (size_t k = 0; same && k < wanted.count; k++) {
    const struct hb_section *a = &wanted.at[k], *b = &found.at[k];
    size_t bytes = a->count * hb_section_width(a->type);
    same = strcmp(a->name, b->name) == 0 && a->type == b->type && a->count == b->count &&
           memcmp(a->data, b->data, bytes) == 0;
  }
  hb_sections_clear(&wanted);
  hb_sections_clear(&found);
  return same;
}

static void checksum_is_the_known_one(void **state)
{
  (void)state;
  expect_equal(crc32_z(0, (const Bytef *)"123456789", 9), 0xcbf43926);
  unsigned char bytes[300];
  for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)(k * k);
  uLong whole = crc32_z(0, bytes, sizeof bytes);
  for (size_t cut = 0; cut <= sizeof bytes; cut++) /* in any two pieces, at any alignment */
    expect_equal(crc32_z(crc32_z(0, bytes, cut), bytes + cut, sizeof bytes - cut), whole);
}

static void comes_back(void **state)
{
  (void)state;
  const char *path = support_path("sample");
  write_sample(path, NULL, 0.1);
  assert_true(holds(path, 0.1));
  assert_false(holds(path, 0.2));
}

/* Many chunks, the last of them not full. */
static void large_arrays(void **state)
{
  (void)state;
  enum { N = 100003 };
  double *x;
  ASSERT_OK(HB_ALLOC(N, &x));
  for (int k = 0; k < N; k++) x[k] = sin(k);
  struct hb_sections s = {0}, found = {0};
  ASSERT_OK(hb_sections_put(&s, "x", HB_SECTION_DOUBLES, N, x));
  ASSERT_OK(hb_sections_put(&s, "bytes", HB_SECTION_BYTES, 8 * N - 5, x));
  const char *path = support_path("large");
  ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
  ASSERT_OK(hb_checkpoint_read(path, &found));
  const void *data;
  ASSERT_OK(hb_sections_get(&found, "x", HB_SECTION_DOUBLES, N, &data));
  assert_memory_equal(data, x, N * sizeof *x);
  ASSERT_OK(hb_sections_get(&found, "bytes", HB_SECTION_BYTES, 8 * N - 5, &data));
  assert_memory_equal(data, x, 8 * N - 5);
  hb_sections_clear(&found);
  hb_sections_clear(&s);
  hb_mem_free(x);
}

/* Version 1 as it will have to be read for ever, made by another program with zlib: one section "t", the double 1.5, and one "b", the bytes "hi". */
static const unsigned char golden[] = {
    0x89, 'H',  'B',  'C',  'K', '\r', '\n', 0x1a,                      /* magic           */
    1,    0,    0,    0,    4,   3,    2,    1,                         /* version, order  */
    122,  0,    0,    0,    0,   0,    0,    0,    2,    0,    0,    0, /* length, sections */
    0x29, 0x61, 0x01, 0x9a,                                             /* checksum        */
    't',  0,    0,    0,    0,   0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,    0,    0,    2,    0,   0,    0,    0xe1, 0x99, 0x21, 0x0f, 1, 0, 0, 0, 0, 0, 0, 0, /* doubles, checksum, 1 */
    'b',  0,    0,    0,    0,   0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,    0,    0,    0,    0,   0,    0,    0xac, 0x2a, 0x93, 0xd8, 2, 0, 0, 0, 0, 0, 0, 0, /* bytes, checksum, 2  */
    0,    0,    0,    0,    0,   0,    0xf8, 0x3f, 'h',  'i'};

static void golden_bytes(void **state)
{
  (void)state;
  const char *path = support_path("golden");
  struct hb_sections s = {0}, found = {0};
  const double t = 1.5;
  ASSERT_OK(hb_sections_put(&s, "t", HB_SECTION_DOUBLES, 1, &t));
  ASSERT_OK(hb_sections_put(&s, "b", HB_SECTION_BYTES, 2, "hi"));
  ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
  hb_sections_clear(&s);
  size_t count;
  char *bytes = support_read(path, &count);
  assert_int_equal(count, sizeof golden);
  assert_memory_equal(bytes, golden, sizeof golden);
  free(bytes);
  support_write(path, golden, sizeof golden);
  ASSERT_OK(hb_checkpoint_read(path, &found));
  assert_int_equal(found.count, 2);
  hb_sections_clear(&found);
}

/* Tries to read what bytes would be as a file. */
static enum hb_status reads(const void *bytes, size_t count)
{
  const char *path = support_path("changed");
  support_write(path, bytes, count);
  struct hb_sections s = {0};
  enum hb_status status = hb_checkpoint_read(path, &s);
  if (status != HB_OK) assert_true(s.count == 0 && s.at == NULL && strstr(hb_error(), path));
  hb_sections_clear(&s);
  return status;
}

static void every_bit_counts(void **state)
{
  (void)state;
  const char *path = support_path("sample");
  write_sample(path, NULL, 0.1);
  size_t count;
  char *bytes = support_read(path, &count);
  assert_int_equal(reads(bytes, count), HB_OK);
  for (size_t k = 0; k < 8 * count; k++) {
    bytes[k / 8] ^= (char)(1 << k % 8);
    assert_int_equal(reads(bytes, count), HB_ERR_INPUT);
    bytes[k / 8] ^= (char)(1 << k % 8);
  }
  for (size_t k = 0; k < count; k++) { /* a whole byte, too */
    bytes[k] ^= (char)0xff;
    assert_int_equal(reads(bytes, count), HB_ERR_INPUT);
    bytes[k] ^= (char)0xff;
  }
  for (size_t length = 0; length < count; length++) assert_int_equal(reads(bytes, length), HB_ERR_INPUT);
  char longer[1024] = {0};
  memcpy(longer, bytes, count);
  assert_int_equal(reads(longer, count + 1), HB_ERR_INPUT);
  free(bytes);
}

/* Each damage is called by its name. */
static void sentences(void **state)
{
  (void)state;
  unsigned char bytes[sizeof golden];
  const struct {
    size_t at;
    unsigned char value[4];
    const char *says;
  } changes[] = {{0, {'#', ' ', 'm', ' '}, "is not a checkpoint of holmberg"},
                 {8, {2, 0, 0, 0}, "is a checkpoint of version 2, expected 1"},
                 {12, {1, 2, 3, 4}, "wrong byte order, expected little-endian"},
                 {16, {99, 0, 0, 0}, "it has 122 bytes, expected 99"},
                 {24, {255, 255, 255, 255}, "its head makes no sense"},
                 {72, {'c', 0, 0, 0}, "its table of sections has the checksum"},
                 {112, {1, 0, 0, 0}, "section 't' has the checksum"}};
  for (size_t k = 0; k < COUNT_OF(changes); k++) {
    memcpy(bytes, golden, sizeof golden);
    memcpy(bytes + changes[k].at, changes[k].value, 4);
    ASSERT_FAILS(reads(bytes, sizeof bytes), HB_ERR_INPUT, changes[k].says);
  }
  ASSERT_FAILS(reads("", 0), HB_ERR_INPUT, "is not a checkpoint");
  ASSERT_FAILS(reads("0.5 1 0 0\n", 10), HB_ERR_INPUT, "is not a checkpoint");
  ASSERT_FAILS(reads(golden, 20), HB_ERR_INPUT, "it has 20 bytes, expected at least 32");
  struct hb_sections s = {0};
  ASSERT_FAILS(hb_checkpoint_read(support_path("absent"), &s), HB_ERR_IO, "No such file");
  ASSERT_FAILS(hb_checkpoint_read("/", &s), HB_ERR_IO, "Is a directory");
}

/* A table that a forger has given the right checksum asks for no more memory than the file is long. */
static void forged_tables(void **state)
{
  (void)state;
  unsigned char bytes[sizeof golden];
  const struct {
    size_t at;
    unsigned char value;
  } changes[] = {{71, 1}, {55, 'x'}, {32, 0}, {56, 3}, {64, 2}, {71, 0x20}, {72, 't'}, {96, 1}};
  for (size_t k = 0; k < COUNT_OF(changes); k++) {
    memcpy(bytes, golden, sizeof golden);
    bytes[changes[k].at] = changes[k].value;
    uint32_t crc = (uint32_t)crc32_z(crc32_z(0, bytes, 28), bytes + 32, 80);
    for (int b = 0; b < 4; b++) bytes[28 + b] = (unsigned char)(crc >> 8 * b);
    ASSERT_FAILS(reads(bytes, sizeof bytes), HB_ERR_INPUT, "its table of sections makes no sense");
  }
}

/* What a pipe with `count` bytes in it gives. */
static enum hb_status receives(const void *bytes, size_t count, uint64_t most)
{
  int ends[2];
  struct hb_sections found = {0};
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], bytes, count), count);
  close(ends[1]);
  enum hb_status status = hb_checkpoint_receive(ends[0], "pipe", most, &found);
  close(ends[0]);
  assert_int_equal(found.count, status == HB_OK ? 4 : 0);
  hb_sections_clear(&found);
  return status;
}

/* Through a pipe the same, whose length nobody knows before. */
static void through_a_pipe(void **state)
{
  (void)state;
  char bytes[1024];
  int ends[2];
  struct hb_sections s = sample(0.1);
  assert_int_equal(pipe(ends), 0);
  ASSERT_OK(hb_checkpoint_send(ends[1], "pipe", &s));
  hb_sections_clear(&s);
  ssize_t count = read(ends[0], bytes, sizeof bytes - 1);
  assert_in_range(count, 200, sizeof bytes - 2);
  ASSERT_OK(receives(bytes, (size_t)count, (uint64_t)count));
  ASSERT_FAILS(receives(bytes, (size_t)count, (uint64_t)count - 1), HB_ERR_INPUT, "bytes, expected");
  ASSERT_FAILS(receives(bytes, (size_t)count + 1, 10000), HB_ERR_INPUT, "pipe has bytes after its end");
  for (ssize_t cut = 0; cut < count; cut++)
    ASSERT_FAILS(receives(bytes, (size_t)cut, 10000), HB_ERR_INPUT, "pipe ");
  close(ends[0]);
  close(ends[1]);
}

/* The n-th call of every kind fails, n = 1, 2, ... until none is left to fail: afterwards one of the two names holds the
 * old state or the new one, whole. */
static void never_without_a_generation(void **state)
{
  (void)state;
  static const int reasons[] = {ENOSPC, EIO, EDQUOT, EROFS};
  const char *path = support_path("kept"), *previous = support_path("kept~");
  int fired = 0;
  for (enum faults_kind kind = FAULTS_OPEN; kind < FAULTS_KINDS; kind++)
    for (int n = 1;; n++) {
      unlink(previous);
      write_sample(path, NULL, 1);
      write_sample(path, previous, 2);
      assert_true(holds(path, 2) && holds(previous, 1));
      struct hb_sections s = sample(3);
      faults_start(kind, n, reasons[n % (int)COUNT_OF(reasons)]);
      enum hb_status status = hb_checkpoint_write(path, previous, &s);
      int struck = faults_stop();
      hb_sections_clear(&s);
      assert_true(holds(path, 2) || holds(path, 3) || (!support_exists(path) && holds(previous, 2)));
      if (support_exists(previous)) assert_true(holds(previous, 1) || holds(previous, 2));
      if (!struck) {
        assert_int_equal(status, HB_OK);
        break;
      }
      fired++;
      int closing_the_folder = kind == FAULTS_CLOSE && n == 2;
      assert_int_equal(status, closing_the_folder ? HB_OK : HB_ERR_IO);
    }
  /* open, fsync, close of file and folder; head and four arrays, one of them empty; two renames */
  assert_int_equal(fired, 2 + 2 + 2 + 4 + 2);
}

static void no_memory(void **state)
{
  (void)state;
  const char *path = support_path("memory");
  struct hb_sections s = sample(1);
  enum hb_status status = HB_ERR_INTERNAL;
  int failures = 0;
  for (unsigned long n = 1; status != HB_OK; n++) {
    struct hb_sections found = {0};
    hb_mem_watch.fail_at = n;
    status = hb_checkpoint_write(path, NULL, &s);
    if (status == HB_OK) status = hb_checkpoint_read(path, &found);
    hb_mem_watch.fail_at = 0;
    assert_true(status == HB_OK || (status == HB_ERR_INTERNAL && found.count == 0));
    failures += status != HB_OK;
    hb_sections_clear(&found);
  }
  expect_at_least(failures, 6);
  hb_sections_clear(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checksum_is_the_known_one),
      cmocka_unit_test(comes_back),
      cmocka_unit_test(large_arrays),
      cmocka_unit_test(golden_bytes),
      cmocka_unit_test(every_bit_counts),
      cmocka_unit_test(sentences),
      cmocka_unit_test(forged_tables),
      cmocka_unit_test(through_a_pipe),
      cmocka_unit_test(never_without_a_generation),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
