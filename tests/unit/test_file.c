/* base/file: a file is replaced whole or not at all, whichever system call fails. */
#include "support/faults.h"
#include "support/support.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int restore(void **state)
{
  (void)state;
  faults_stop();
  return 0;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void assert_content(const char *path, const char *expected)
{
  char *bytes = support_read(path, NULL);
  assert_non_null(bytes);
  assert_string_equal(bytes, expected);
  free(bytes);
}

static void writes_and_replaces(void **state)
{
  (void)state;
  const char *path = support_path("new");
  size_t files = support_file_count();
  ASSERT_OK(hb_file_replace(path, "first", 5));
  assert_content(path, "first");
  ASSERT_OK(hb_file_replace(path, "2", 1));
  assert_content(path, "2");
  ASSERT_OK(hb_file_replace(path, "", 0));
  assert_content(path, "");
  assert_int_equal(support_file_count(), files + 1);
}

/* The n-th call of every kind fails, n = 1, 2, ... until none is left to fail. Up to the rename the old file must
 * stay; once it is renamed (later calls belong to the folder) the new one is whole. */
static void keeps_the_old_file(void **state)
{
  (void)state;
  static const int reasons[] = {ENOSPC, EIO, EDQUOT, EROFS};
  static const char old_bytes[] = "old and precious", new_bytes[] = "new and longer than the old one";
  const char *path = support_path("kept");
  int before_rename = 0;
  for (enum faults_kind kind = FAULTS_OPEN; kind < FAULTS_KINDS; kind++)
    for (int n = 1;; n++) {
      support_write(path, old_bytes, strlen(old_bytes));
      size_t files = support_file_count();
      int reason = reasons[n % (int)COUNT_OF(reasons)];
      faults_start(kind, n, reason)->short_writes = 1;
      enum hb_status status = hb_file_replace(path, new_bytes, strlen(new_bytes));
      int fired = faults_stop();
      assert_int_equal(support_file_count(), files); /* the temporary file is gone */
      if (!fired) {
        assert_int_equal(status, HB_OK);
        assert_content(path, new_bytes);
        break;
      }
      int on_folder = n == 2 && kind != FAULTS_WRITE && kind != FAULTS_RENAME;
      assert_content(path, on_folder ? new_bytes : old_bytes);
      if (on_folder) continue;
      ASSERT_FAILS(status, HB_ERR_IO, strerror(reason));
      assert_non_null(strstr(hb_error(), path));
      before_rename++;
    }
  /* 31 bytes, 3 at a time, are 11 writes; open, fsync, close and rename are one each */
  assert_int_equal(before_rename, 11 + 4);
}

static void survives_short_writes_and_signals(void **state)
{
  (void)state;
  const char *path = support_path("signals");
  struct faults *faults = faults_start(FAULTS_KINDS, 0, 0);
  faults->short_writes = 1;
  faults->interruptions = 5;
  ASSERT_OK(hb_file_replace(path, "0123456789", 10));
  assert_int_equal(faults->interruptions, 0);
  assert_content(path, "0123456789");
}

static void folder_without_sync_is_fine(void **state)
{
  (void)state;
  const char *path = support_path("nosync");
  faults_start(FAULTS_FSYNC, 2, EINVAL);
  ASSERT_OK(hb_file_replace(path, "x", 1));
  assert_true(faults_stop());
}

/* begin, put, end: the old file takes another name, and at no failure are both names without a whole file. */
static void keeps_two_generations(void **state)
{
  (void)state;
  const char *path = support_path("pair"), *previous = support_path("pair~");
  for (int n = 0;; n++) {
    support_write(path, "2", 1);
    support_write(previous, "1", 1);
    faults_start(FAULTS_RENAME, n, EIO);
    struct hb_file file;
    size_t files = support_file_count();
    ASSERT_OK(hb_file_begin(path, &file));
    enum hb_status status = hb_file_write(file.fd, file.path, "3", 1);
    status = hb_file_end(&file, status, previous);
    if (!faults_stop()) {
      ASSERT_OK(status);
      assert_content(path, "3");
      assert_content(previous, "2");
      if (n > 0) break;
      continue;
    }
    assert_int_equal(status, HB_ERR_IO);
    assert_content(n == 1 ? path : previous, "2");
    assert_int_equal(support_file_count(), n == 1 ? files : files - 1); /* the temporary one is gone */
  }
  struct hb_file file;
  ASSERT_OK(hb_file_begin(path, &file)); /* a failure of the caller's is given back */
  assert_int_equal(hb_file_end(&file, HB_ERR_INTERNAL, previous), HB_ERR_INTERNAL);
  assert_content(path, "3");
}

static void refuses_what_is_no_file(void **state)
{
  (void)state;
  const char *folder = support_path("folder");
  assert_int_equal(mkdir(folder, 0777), 0);
  ASSERT_FAILS(hb_file_replace(folder, "x", 1), HB_ERR_IO, "not a regular file");
  ASSERT_FAILS(hb_file_replace("/dev/null", "x", 1), HB_ERR_IO, "not a regular file");
  ASSERT_FAILS(hb_file_replace(support_path("missing/x"), "x", 1), HB_ERR_IO, "No such file or directory");
  ASSERT_FAILS(hb_file_replace("/proc/x", "x", 1), HB_ERR_IO, "cannot write /proc/x");
  char name[5000];
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = 0;
  ASSERT_FAILS(hb_file_replace(name, "x", 1), HB_ERR_IO, "cannot write aaa"); /* the rest is cut off */
}

/* A link is neither lost nor followed, whether something is at its end or not. */
static void refuses_symbolic_links(void **state)
{
  (void)state;
  const char *target = support_path("target"), *link = support_path("link");
  support_write(target, "precious", 8);
  for (int dangles = 0; dangles < 2; dangles++) {
    assert_int_equal(symlink(dangles ? support_path("nowhere") : target, link), 0);
    ASSERT_FAILS(hb_file_replace(link, "x", 1), HB_ERR_IO, "it is a symbolic link");
    assert_int_equal(unlink(link), 0);
  }
  assert_content(target, "precious");
  assert_false(support_exists(support_path("nowhere")));
}

/* Nobody knows the temporary name before; it is made by O_EXCL and O_NOFOLLOW, and another one taken where it is there. */
static void temporary_names(void **state)
{
  (void)state;
  const char *path = support_path("secret");
  struct hb_file a, b;
  ASSERT_OK(hb_file_begin(path, &a));
  ASSERT_OK(hb_file_begin(path, &b));
  assert_string_not_equal(a.temporary, b.temporary);
  assert_int_equal(strncmp(a.temporary, path, strlen(path)), 0);
  assert_int_equal(strlen(a.temporary), strlen(path) + strlen(".0123456789abcdef.tmp"));
  assert_int_equal(hb_file_end(&a, HB_ERR_INTERNAL, NULL), HB_ERR_INTERNAL);
  assert_int_equal(hb_file_end(&b, HB_ERR_INTERNAL, NULL), HB_ERR_INTERNAL);
  struct faults *faults = faults_start(FAULTS_OPEN, 1, EEXIST);
  ASSERT_OK(hb_file_replace(path, "x", 1));
  assert_int_equal(faults->flags & (O_EXCL | O_CREAT | O_NOFOLLOW), O_EXCL | O_CREAT | O_NOFOLLOW);
  assert_true(faults_stop());
}

static void keeps_the_mode(void **state)
{
  (void)state;
  static const mode_t modes[] = {0600, 0644, 0664, 0400, 0755};
  const char *path = support_path("mode");
  struct stat info;
  mode_t mask = umask(022);
  for (size_t k = 0; k < COUNT_OF(modes); k++) {
    support_write(path, "old", 3);
    assert_int_equal(chmod(path, modes[k]), 0);
    ASSERT_OK(hb_file_replace(path, "new", 3));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, modes[k]);
    assert_int_equal(unlink(path), 0);
  }
  ASSERT_OK(hb_file_replace(path, "new", 3)); /* where nothing was, as the user has it */
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0644);
  umask(mask);
}

/* What a killed writer has left goes, of a file and of its series; nothing that only looks like it. */
static void sweeps(void **state)
{
  (void)state;
  static const char *const gone[] = {"end.h5.0123456789abcdef.tmp", "end_0001.h5.00000000ffffffff.tmp",
                                     "end_123456.h5.0123456789abcdef.tmp"};
  static const char *const kept[] = {"end.h5",
                                     "end.h5.tmp",
                                     "end.h5.0123456789abcde.tmp",
                                     "end.h5.0123456789abcdef",
                                     "end2.h5.0123456789abcdef.tmp",
                                     "end.txt.0123456789abcdef.tmp",
                                     "end_x.h5.0123456789abcdef.tmp",
                                     "end.h5.0123456789abcdeX.tmp",
                                     "end.h5.0123456789abcdef.tmp2"};
  const char link[] = "end.h5.aaaaaaaaaaaaaaaa.tmp", folder[] = "end.h5.bbbbbbbbbbbbbbbb.tmp";
  for (size_t k = 0; k < COUNT_OF(gone); k++) support_write(support_path(gone[k]), "x", 1);
  for (size_t k = 0; k < COUNT_OF(kept); k++) support_write(support_path(kept[k]), "x", 1);
  assert_int_equal(symlink(support_path("end.h5"), support_path(link)), 0);
  assert_int_equal(mkdir(support_path(folder), 0777), 0);
  struct hb_file written; /* of one that lives */
  ASSERT_OK(hb_file_begin(support_path("end_2.h5"), &written));
  size_t files = support_file_count();
  hb_file_sweep(support_path("end.h5"));
  for (size_t k = 0; k < COUNT_OF(gone); k++) assert_false(support_exists(support_path(gone[k])));
  for (size_t k = 0; k < COUNT_OF(kept); k++) assert_true(support_exists(support_path(kept[k])));
  assert_int_equal(support_file_count(), files - COUNT_OF(gone));
  ASSERT_OK(hb_file_end(&written, HB_OK, NULL));
  hb_file_sweep(support_path("nowhere/end.h5"));
  assert_int_equal(unlink(support_path(link)), 0);
  assert_int_equal(rmdir(support_path(folder)), 0);
}

static void full_device(void **state)
{
  (void)state;
  int fd = open("/dev/full", O_WRONLY);
  expect_at_least(fd, 0);
  enum hb_status status = hb_file_write(fd, "standard output", "x", 1);
  close(fd);
  ASSERT_FAILS(status, HB_ERR_IO, "cannot write standard output: No space left on device");
}

static void reads_back(void **state)
{
  (void)state;
  enum { SIZE = 300000 }; /* several chunks and one that is not full */
  char *large, *bytes;
  ASSERT_OK(HB_ALLOC(SIZE, &large));
  for (size_t k = 0; k < SIZE; k++) large[k] = (char)(k * 31);
  const char *path = support_path("large");
  support_write(path, large, SIZE);
  size_t count;
  ASSERT_OK(hb_file_read(path, &bytes, &count));
  assert_int_equal(count, SIZE);
  assert_memory_equal(bytes, large, SIZE);
  assert_int_equal(bytes[count], 0);
  hb_mem_free(bytes);
  hb_mem_free(large);

  support_write(path, "", 0);
  ASSERT_OK(hb_file_read(path, &bytes, &count));
  assert_int_equal(count, 0);
  assert_string_equal(bytes, "");
  hb_mem_free(bytes);
  ASSERT_FAILS(hb_file_read(support_path("absent"), &bytes, &count), HB_ERR_IO, "No such file or directory");
  assert_null(bytes);
  ASSERT_FAILS(hb_file_read("/", &bytes, &count), HB_ERR_IO, "Is a directory");
  assert_null(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(writes_and_replaces, restore, restore),
      cmocka_unit_test_setup_teardown(keeps_the_old_file, restore, restore),
      cmocka_unit_test_setup_teardown(survives_short_writes_and_signals, restore, restore),
      cmocka_unit_test_setup_teardown(folder_without_sync_is_fine, restore, restore),
      cmocka_unit_test_setup_teardown(keeps_two_generations, restore, restore),
      cmocka_unit_test_setup_teardown(refuses_what_is_no_file, restore, restore),
      cmocka_unit_test(refuses_symbolic_links),
      cmocka_unit_test_setup_teardown(temporary_names, restore, restore),
      cmocka_unit_test(keeps_the_mode),
      cmocka_unit_test(sweeps),
      cmocka_unit_test(full_device),
      cmocka_unit_test(reads_back),
  };
  return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
