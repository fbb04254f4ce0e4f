/* Programs beside ours: pipes, how they end, and that they do not inherit what this process does to its signals. */
#include "base/process.h"
#include "support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct hb_process_end run(const char *script)
{
  const char *words[] = {"sh", "-c", script, NULL};
  struct hb_process process;
  ASSERT_OK(hb_process_start(words, 0, &process));
  return hb_process_end(&process);
}

static void ends_are_told_apart(void **state)
{
  (void)state;
  assert_int_equal(run("exit 7").code, 7);
  struct hb_process_end crash = run("kill -SEGV $$"), interrupted = run("kill -INT $$");
  assert_int_equal(crash.code, -1);
  assert_int_equal(crash.signal, SIGSEGV);
  assert_true(hb_process_crashed(crash));
  assert_int_equal(interrupted.signal, SIGINT);
  assert_false(hb_process_crashed(interrupted));
}

static void pipes_carry_both_ways(void **state)
{
  (void)state;
  const char *words[] = {"tr", "a-z", "A-Z", NULL};
  struct hb_process process;
  char answer[8] = "";
  ASSERT_OK(hb_process_start(words, HB_PROCESS_TO | HB_PROCESS_FROM, &process));
  assert_int_equal(write(process.to, "jerk", 4), 4);
  close(process.to);
  process.to = -1;
  assert_int_equal(read(process.from, answer, sizeof answer), 4);
  assert_string_equal(answer, "JERK");
  assert_int_equal(hb_process_end(&process).code, 0);
}

static void reads_an_open_file(void **state)
{
  (void)state;
  const char *words[] = {"tr", "a-z", "A-Z", NULL}, *path = support_path("file");
  struct hb_process process;
  char answer[8] = "";
  support_write(path, "snap", 4);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ASSERT_OK(hb_process_start_on(words, HB_PROCESS_FROM, file, &process));
  assert_int_equal(read(process.from, answer, sizeof answer), 4);
  assert_string_equal(answer, "SNAP");
  assert_int_equal(hb_process_end(&process).code, 0);
  assert_int_equal(close(file), 0);
}

static void what_is_said_is_told_from_what_is_written(void **state)
{
  (void)state;
  const char *words[] = {"sh", "-c", "echo row; echo note >&2", NULL};
  struct hb_process process;
  char row[8] = "", note[8] = "";
  ASSERT_OK(hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_SAID, &process));
  assert_int_equal(read(process.said, note, sizeof note), 5);
  assert_int_equal(read(process.from, row, sizeof row), 4);
  assert_string_equal(note, "note\n");
  assert_string_equal(row, "row\n");
  assert_int_equal(hb_process_end(&process).code, 0);
  assert_int_equal(process.said, -1);
}

static void signals_are_the_programs_own(void **state)
{
  (void)state;
  sigset_t all, old;
  sigfillset(&all);
  signal(SIGTERM, SIG_IGN);
  sigprocmask(SIG_BLOCK, &all, &old);
  struct hb_process_end end = run("kill -TERM $$");
  sigprocmask(SIG_SETMASK, &old, NULL);
  signal(SIGTERM, SIG_DFL);
  assert_int_equal(end.signal, SIGTERM);
}

static void a_missing_program_is_named(void **state)
{
  (void)state;
  const char *words[] = {"holmberg-no-such-program", NULL};
  struct hb_process process;
  assert_int_equal(hb_process_start(words, HB_PROCESS_FROM, &process), HB_ERR_USAGE);
  assert_non_null(strstr(hb_error(), "holmberg-no-such-program"));
}

static void our_own_child_is_found(void **state)
{
  (void)state;
  char path[PATH_MAX];
  ASSERT_OK(hb_process_child(path));
  const char *words[] = {path, "no-such-task", NULL};
  struct hb_process process;
  ASSERT_OK(hb_process_start(words, HB_PROCESS_SILENT, &process));
  assert_int_equal(hb_process_end(&process).code, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_are_told_apart),
      cmocka_unit_test(pipes_carry_both_ways),
      cmocka_unit_test(reads_an_open_file),
      cmocka_unit_test(what_is_said_is_told_from_what_is_written),
      cmocka_unit_test(signals_are_the_programs_own),
      cmocka_unit_test(a_missing_program_is_named),
      cmocka_unit_test(our_own_child_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
