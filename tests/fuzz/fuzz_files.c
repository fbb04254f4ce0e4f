/* Files that are read without the command line: the way of a camera, tunings. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "pairs/tuning.c"
#include "movie/render.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- camera ---- */

enum hb_status fuzz_camera(const uint8_t *bytes, size_t count)
{
  struct keyframes way;
  HB_TRY(keyframes_read(fuzz_file("in.way", bytes, count), &way));
  for (double share = 0; share <= 1; share += 0.125) {
    struct hb_camera camera;
    double picture[2], depth;
    hb_camera_reset(&camera);
    keyframes_camera(&way, share, &camera);
    hb_camera_project(&camera, (const double[3]){1, 2, 3}, picture, &depth);
  }
  keyframes_clear(&way);
  return HB_OK;
}

/* ---- tunings ---- */

/* The bytes as words, and as a cache after its first line; what is put into that is found there. */
enum hb_status fuzz_tuning(const uint8_t *bytes, size_t count)
{
  static struct hb_gl_context context = {.caps = {.renderer = "renderer", .version = "version"}};
  const struct tuning_key key = {&context, "bag", "single", "gravity_jerk", 2048};
  struct hb_pairs_tuning tuning = {0}, found = {0};
  char *text;
  HB_TRY(HB_ALLOC(sizeof first_line + count, &text));
  memcpy(text, first_line, sizeof first_line - 1);
  if (count) memcpy(text + sizeof first_line - 1, bytes, count);
  mkdir("holmberg", 0777);
  char folder[4096];
  fuzz_demand(realpath(".", folder) != NULL, "there is no current folder");
  setenv("XDG_CACHE_HOME", folder, 1);
  fuzz_file("holmberg/tunings", text, sizeof first_line - 1 + count);
  enum hb_status status = hb_tuning_parse(text + sizeof first_line - 1, &tuning);
  if (!cache_get(&key, &found) && status == HB_OK) {
    fuzz_demand(cache_put(&key, &tuning) == HB_OK, "a tuning cannot be kept");
    fuzz_demand(cache_get(&key, &found), "a tuning that was kept is not found");
    fuzz_demand(memcmp(&tuning, &found, sizeof found) == 0, "a tuning that was kept has changed");
  }
  hb_mem_free(text);
  remove("holmberg/tunings");
  remove("holmberg"); /* the test's folder holds files only */
  return status;
}
