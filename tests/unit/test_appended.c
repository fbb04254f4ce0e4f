/* base/appended: a file of rows is cut back to where a checkpoint has seen it, and to nowhere else. */
#include "support/support.h"

#include "run/run.h"

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
  ASSERT_OK(hb_appended_mark(&rows));
  append(rows.path, "two\n");
  ASSERT_OK(hb_appended_cut(&rows));
  assert_content(rows.path, "one\n");
  append(rows.path, "two\nthree\n");
  ASSERT_OK(hb_appended_mark(&rows)); /* goes on from the mark before */
  assert_int_equal(rows.length, 14);
  struct hb_appended anew = {.path = rows.path};
  ASSERT_OK(hb_appended_mark(&anew)); /* and gives what one over all gives */
  expect_equal(anew.checksum, rows.checksum);
  expect_equal(anew.length, rows.length);
  expect_equal(anew.inode, rows.inode);
  append(rows.path, "four");
  ASSERT_OK(hb_appended_cut(&anew));
  assert_content(rows.path, "one\ntwo\nthree\n");
}

/* A copy elsewhere will do for a file that has a name; one that is shorter or another will not, and stays. */
static void another_file(void **state)
{
  (void)state;
  struct hb_appended rows = {.path = support_path("original")};
  append(rows.path, "one\ntwo\n");
  ASSERT_OK(hb_appended_mark(&rows));
  rows.path = support_path("copy");
  support_write(rows.path, "one\ntwo\nthree\n", 14);
  ASSERT_OK(hb_appended_cut(&rows));
  assert_content(rows.path, "one\ntwo\n");
  support_write(rows.path, "one\n", 4);
  ASSERT_FAILS(hb_appended_cut(&rows), HB_ERR_INPUT, "has 4 bytes, the checkpoint expects at least 8");
  support_write(rows.path, "one\nTwo\nthree\n", 14);
  ASSERT_FAILS(hb_appended_cut(&rows), HB_ERR_INPUT, "does not begin with the 8 bytes");
  assert_content(rows.path, "one\nTwo\nthree\n");
  unlink(rows.path);
  ASSERT_FAILS(hb_appended_cut(&rows), HB_ERR_IO, "No such file");
  ASSERT_FAILS(hb_appended_mark(&rows), HB_ERR_IO, "No such file");
}

static void what_is_no_file_has_no_mark(void **state)
{
  (void)state;
  struct hb_appended null = {.path = "/dev/null", .inode = 3, .length = 7};
  ASSERT_OK(hb_appended_mark(&null));
  expect_equal(null.inode, 0);
  expect_equal(null.length, 0);
  ASSERT_OK(hb_appended_cut(&null));
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
    status[0] = hb_appended_mark(&rows);
    written += write(STDOUT_FILENO, "two\n", 4);
    status[1] = hb_appended_cut(&rows);
    written += write(STDOUT_FILENO, "2\n", 2);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(fd);
    expect_equal(status[0], HB_OK);
    expect_equal(status[1], HB_OK);
    expect_equal(written, 10);
    assert_int_equal(rows.length, 11);
    assert_content(path, "before\none\n2\n");
    ASSERT_OK(hb_appended_cut(&rows)); /* by now another file is there */
    assert_content(path, "before\none\n2\n");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(back_to_the_mark),
      cmocka_unit_test(another_file),
      cmocka_unit_test(what_is_no_file_has_no_mark),
      cmocka_unit_test(standard_output),
  };
  return cmocka_run_group_tests_name("appended", tests, NULL, NULL);
}
