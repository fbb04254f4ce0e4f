/* base/file: a file is replaced whole or not at all, whichever system call fails. */
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

/* ---- faulty system calls ------------------------------------------------------------------------------- */

enum kind { OPEN, WRITE, FSYNC, CLOSE, RENAME, KINDS };

static struct {
  enum kind kind;    /* the calls of this kind are counted, */
  int countdown;     /* and the one that brings this to 0 fails */
  int reason, fired; /* with this errno */
  int short_writes;  /* each write takes 3 bytes at most */
  int interruptions; /* so many writes are interrupted first */
} fault;

static int strikes(enum kind kind)
{
  if (kind != fault.kind || --fault.countdown != 0) return 0;
  fault.fired = 1;
  errno = fault.reason;
  return 1;
}

static int faulty_open(const char *path, int flags, mode_t mode)
{
  return strikes(OPEN) ? -1 : open(path, flags, mode);
}

static ssize_t faulty_write(int fd, const void *bytes, size_t count)
{
  if (fault.interruptions > 0) {
    fault.interruptions--;
    errno = EINTR;
    return -1;
  }
  if (strikes(WRITE)) return -1;
  return write(fd, bytes, fault.short_writes && count > 3 ? 3 : count);
}

static int faulty_fsync(int fd) { return strikes(FSYNC) ? -1 : fsync(fd); }

static int faulty_close(int fd)
{
  int failed = strikes(CLOSE), reason = errno;
  close(fd);
  errno = reason;
  return failed ? -1 : 0;
}

static int faulty_rename(const char *from, const char *to) { return strikes(RENAME) ? -1 : rename(from, to); }

static const struct hb_file_calls faulty_calls = {faulty_open, faulty_write, faulty_fsync, faulty_close,
                                                  faulty_rename};

static int restore(void **state)
{
  (void)state;
  hb_file_set_calls(NULL);
  memset(&fault, 0, sizeof fault);
  fault.kind = KINDS;
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
  for (enum kind kind = OPEN; kind < KINDS; kind++)
    for (int n = 1;; n++) {
      support_write(path, old_bytes, strlen(old_bytes));
      size_t files = support_file_count();
      restore(NULL);
      fault.kind = kind;
      fault.countdown = n;
      fault.reason = reasons[n % (int)COUNT_OF(reasons)];
      fault.short_writes = 1;
      hb_file_set_calls(&faulty_calls);
      enum hb_status status = hb_file_replace(path, new_bytes, strlen(new_bytes));
      hb_file_set_calls(NULL);
      assert_int_equal(support_file_count(), files); /* the temporary file is gone */
      if (!fault.fired) {
        assert_int_equal(status, HB_OK);
        assert_content(path, new_bytes);
        break;
      }
      int on_folder = n == 2 && kind != WRITE && kind != RENAME;
      assert_content(path, on_folder ? new_bytes : old_bytes);
      if (on_folder) continue;
      ASSERT_FAILS(status, HB_ERR_IO, strerror(fault.reason));
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
  fault.short_writes = 1;
  fault.interruptions = 5;
  hb_file_set_calls(&faulty_calls);
  ASSERT_OK(hb_file_replace(path, "0123456789", 10));
  assert_int_equal(fault.interruptions, 0);
  assert_content(path, "0123456789");
}

static void folder_without_sync_is_fine(void **state)
{
  (void)state;
  const char *path = support_path("nosync");
  fault.kind = FSYNC;
  fault.countdown = 2;
  fault.reason = EINVAL;
  hb_file_set_calls(&faulty_calls);
  ASSERT_OK(hb_file_replace(path, "x", 1));
  assert_true(fault.fired);
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

static void full_device(void **state)
{
  (void)state;
  int fd = open("/dev/full", O_WRONLY);
  assert_true(fd >= 0);
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
      cmocka_unit_test_setup_teardown(refuses_what_is_no_file, restore, restore),
      cmocka_unit_test(full_device),
      cmocka_unit_test(reads_back),
  };
  return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
