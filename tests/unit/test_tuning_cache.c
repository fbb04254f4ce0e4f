/* The cache of tunings: what is put is found, by its own key only, and damage is passed over. */
#include "base/log.h"
#include "pairs/tuning.c"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hb_gl_context device = {.caps = {.renderer = "A GPU", .version = "4.5 driver 1"}};

static struct tuning_key key_for(const char *scheme, size_t n)
{
  return (struct tuning_key){&device, scheme, "single", "gravity_jerk", n};
}

static char folder[64];
static int warnings;
static void count_warnings(const char *line) { warnings += strstr(line, "damaged") != NULL; }

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/hb_cache_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  hb_log_set_sink(HB_LOG_WARNINGS, count_warnings);
  return setenv("XDG_CACHE_HOME", folder, 1);
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  hb_log_set_sink(HB_LOG_WARNINGS, NULL);
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void put(const char *scheme, size_t n, int i_each)
{
  const struct tuning_key key = key_for(scheme, n);
  const struct hb_pairs_tuning tuning = {.i_each = i_each, .unroll = 8};
  assert_int_equal(cache_put(&key, &tuning), HB_OK);
}

static int get(const char *scheme, size_t n)
{
  const struct tuning_key key = key_for(scheme, n);
  struct hb_pairs_tuning tuning = {0};
  return cache_get(&key, &tuning) ? tuning.i_each : -1;
}

static void overwrite(const char *text)
{
  FILE *file = fopen(hb_tuning_cache_path(), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void test_put_and_get(void **state)
{
  (void)state;
  assert_int_equal(get("bag", 2048), -1); /* neither file nor folder yet */
  put("bag", 2048, 2);
  put("bag", 16384, 4);
  put("tile", 2048, 1);
  assert_int_equal(get("bag", 2048), 2);
  assert_int_equal(get("bag", 16384), 4);
  assert_int_equal(get("tile", 2048), 1);
  assert_int_equal(get("tile", 16384), -1);
  put("bag", 2048, 3); /* replaces one line, keeps the others */
  assert_int_equal(get("bag", 2048), 3);
  assert_int_equal(get("bag", 16384), 4);
}

/* Another device, another driver: another tuning. */
static void test_key(void **state)
{
  (void)state;
  put("bag", 2048, 5);
  snprintf(device.caps.version, sizeof device.caps.version, "4.5 driver 2");
  assert_int_equal(get("bag", 2048), -1);
  snprintf(device.caps.version, sizeof device.caps.version, "4.5 driver 1");
  snprintf(device.caps.renderer, sizeof device.caps.renderer, "Another GPU");
  assert_int_equal(get("bag", 2048), -1);
  snprintf(device.caps.renderer, sizeof device.caps.renderer, "A GPU");
  assert_int_equal(get("bag", 2048), 5);
}

static void test_damage(void **state)
{
  (void)state;
  overwrite("something else\n");
  warnings = 0;
  assert_int_equal(get("bag", 2048), -1);
  assert_int_equal(warnings, 1);
  put("bag", 2048, 6); /* starts anew */
  assert_int_equal(get("bag", 2048), 6);

  char text[512];
  snprintf(
      text, sizeof text,
      "# holmberg tunings 2\nno tab here\nA GPU|4.5 driver 1|%s bag single gravity_jerk 2048\ti_each=x\n",
      hb_library_version());
  overwrite(text);
  warnings = 0;
  assert_int_equal(get("bag", 2048), -1);
  assert_int_equal(warnings, 1);
}

/* What is no regular file is not opened, so that a fifo keeps nobody waiting; nor is it replaced. */
static void test_no_file(void **state)
{
  (void)state;
  put("bag", 2048, 3);
  const char *path = hb_tuning_cache_path();
  const struct tuning_key key = key_for("bag", 2048);
  assert_int_equal(unlink(path), 0);
  for (int is_fifo = 0; is_fifo < 2; is_fifo++) {
    assert_int_equal(is_fifo ? mkfifo(path, 0666) : mkdir(path, 0777), 0);
    alarm(60); /* else a failure would take for ever */
    assert_int_equal(get("bag", 2048), -1);
    ASSERT_FAILS(cache_put(&key, &(struct hb_pairs_tuning){.i_each = 1}), HB_ERR_IO, "not a regular file");
    alarm(0);
    assert_int_equal(is_fifo ? unlink(path) : rmdir(path), 0);
  }
}

static void test_no_place(void **state)
{
  (void)state;
  unsetenv("XDG_CACHE_HOME");
  char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
  unsetenv("HOME");
  const struct tuning_key key = key_for("bag", 2048);
  const struct hb_pairs_tuning tuning = {.i_each = 1};
  assert_int_equal(cache_put(&key, &tuning), HB_ERR_IO);
  assert_int_equal(get("bag", 2048), -1);
  if (home) setenv("HOME", home, 1);
  free(home);
  setenv("XDG_CACHE_HOME", folder, 1);
}

static void test_classes(void **state)
{
  (void)state;
  assert_int_equal(size_class(1), 2048);
  assert_int_equal(size_class(1024), 2048);
  assert_int_equal(size_class(16384), 16384);
  assert_int_equal(size_class(1 << 20), 131072);
}

static void test_shaders_of_a_folder(void **state)
{
  (void)state;
  put("bag", 2048, 3);
  setenv("HB_SHADER_DIR", "/some/folder", 1);
  assert_int_equal(get("bag", 2048), -1);
  const struct tuning_key key = key_for("bag", 2048);
  ASSERT_FAILS(cache_put(&key, &(struct hb_pairs_tuning){.i_each = 1}), HB_ERR_USAGE, "HB_SHADER_DIR");
  unsetenv("HB_SHADER_DIR");
  assert_int_equal(get("bag", 2048), 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_put_and_get),
      cmocka_unit_test(test_key),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_no_file),
      cmocka_unit_test(test_no_place),
      cmocka_unit_test(test_classes),
      cmocka_unit_test(test_shaders_of_a_folder),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
