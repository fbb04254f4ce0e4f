/* The outputs of a run: a file of rows is cut back to where a checkpoint has seen it, and to nowhere else; one run has the lock. */
#include "support/support.h"

#include "run/run.c"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void append(const char *path, const char *rows)
{
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  expect_at_least(fd, 0);
  expect_equal(write(fd, rows, strlen(rows)), (ssize_t)strlen(rows));
  close(fd);
}

static void assert_content(const char *path, const char *expected)
{
  char *bytes = support_read(path, NULL);
  assert_non_null(bytes);
  assert_string_equal(bytes, expected);
  free(bytes);
}

static void back_to_the_mark(void **state)
{
  (void)state;
  struct hb_appended rows = {.path = support_path("rows")};
  append(rows.path, "one\n");
  ASSERT_OK(appended_mark(&rows));
  append(rows.path, "two\n");
  ASSERT_OK(appended_cut(&rows));
  assert_content(rows.path, "one\n");
  append(rows.path, "two\nthree\n");
  ASSERT_OK(appended_mark(&rows)); /* goes on from the mark before */
  assert_int_equal(rows.length, 14);
  struct hb_appended anew = {.path = rows.path};
  ASSERT_OK(appended_mark(&anew)); /* and gives what one over all gives */
  expect_equal(anew.checksum, rows.checksum);
  expect_equal(anew.length, rows.length);
  expect_equal(anew.inode, rows.inode);
  append(rows.path, "four");
  ASSERT_OK(appended_cut(&anew));
  assert_content(rows.path, "one\ntwo\nthree\n");
}

/* A copy elsewhere will do for a file that has a name; one that is shorter or another will not, and stays. */
static void another_file(void **state)
{
  (void)state;
  struct hb_appended rows = {.path = support_path("original")};
  append(rows.path, "one\ntwo\n");
  ASSERT_OK(appended_mark(&rows));
  rows.path = support_path("copy");
  support_write(rows.path, "one\ntwo\nthree\n", 14);
  ASSERT_OK(appended_cut(&rows));
  assert_content(rows.path, "one\ntwo\n");
  support_write(rows.path, "one\n", 4);
  ASSERT_FAILS(appended_cut(&rows), HB_ERR_INPUT, "has 4 bytes, the checkpoint expects at least 8");
  support_write(rows.path, "one\nTwo\nthree\n", 14);
  ASSERT_FAILS(appended_cut(&rows), HB_ERR_INPUT, "does not begin with the 8 bytes");
  assert_content(rows.path, "one\nTwo\nthree\n");
  unlink(rows.path);
  ASSERT_FAILS(appended_cut(&rows), HB_ERR_IO, "No such file");
  ASSERT_FAILS(appended_mark(&rows), HB_ERR_IO, "No such file");
}

static void what_is_no_file_has_no_mark(void **state)
{
  (void)state;
  struct hb_appended null = {.path = "/dev/null", .inode = 3, .length = 7};
  ASSERT_OK(appended_mark(&null));
  expect_equal(null.inode, 0);
  expect_equal(null.length, 0);
  ASSERT_OK(appended_cut(&null));
}

/* Standard output, for a while a file: opened for writing only, with and without O_APPEND. */
static void standard_output(void **state)
{
  (void)state;
  const char *path = support_path("stdout");
  for (int appends = 0; appends < 2; appends++) {
    struct hb_appended rows = {.path = "-"};
    support_write(path, "before\n", 7);
    int kept = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | (appends ? O_APPEND : 0));
    expect_at_least(kept, 0);
    expect_at_least(fd, 0);
    expect_equal(lseek(fd, 0, SEEK_END), 7);
    dup2(fd, STDOUT_FILENO);
    enum hb_status status[2];
    ssize_t written = write(STDOUT_FILENO, "one\n", 4);
    status[0] = appended_mark(&rows);
    written += write(STDOUT_FILENO, "two\n", 4);
    status[1] = appended_cut(&rows);
    written += write(STDOUT_FILENO, "2\n", 2);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(fd);
    expect_equal(status[0], HB_OK);
    expect_equal(status[1], HB_OK);
    expect_equal(written, 10);
    assert_int_equal(rows.length, 11);
    assert_content(path, "before\none\n2\n");
    ASSERT_OK(appended_cut(&rows)); /* by now another file is there */
    assert_content(path, "before\none\n2\n");
  }
}

/* One process has it, another does not get it; it goes with its holder. A file that is no lock is left alone. */
static void locks(void **state)
{
  (void)state;
  struct hb_lock one = {0}, two = {0};
  const char *path = support_path("shared"), *name = support_path("shared.lock");
  ASSERT_OK(lock_take(path, &one));
  assert_true(support_exists(name));
  ASSERT_FAILS(lock_take(path, &two), HB_ERR_IO, "another run is writing it");
  assert_null(two.name);
  lock_release(&two);
  lock_release(&one);
  assert_false(support_exists(name));
  support_write(name, "", 0); /* of a killed one */
  ASSERT_OK(lock_take(path, &two));
  lock_release(&two);
  support_write(name, "precious", 8);
  ASSERT_FAILS(lock_take(path, &two), HB_ERR_IO, "exists and is not a lock file");
  assert_content(name, "precious");
  assert_int_equal(unlink(name), 0);
  assert_int_equal(mkfifo(name, 0666), 0);
  ASSERT_FAILS(lock_take(path, &two), HB_ERR_IO, "exists and is not a lock file");
  assert_int_equal(unlink(name), 0);
  assert_int_equal(symlink(path, name), 0);
  ASSERT_FAILS(lock_take(path, &two), HB_ERR_IO, "its lock");
  assert_false(support_exists(path));
  unlink(name);
  ASSERT_FAILS(lock_take(support_path("missing/x"), &two), HB_ERR_IO, "No such file");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(back_to_the_mark),
      cmocka_unit_test(another_file),
      cmocka_unit_test(what_is_no_file_has_no_mark),
      cmocka_unit_test(standard_output),
      cmocka_unit_test(locks),
  };
  return cmocka_run_group_tests_name("appended", tests, NULL, NULL);
}
