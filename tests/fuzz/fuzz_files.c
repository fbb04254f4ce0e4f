/* Files that are read without the command line: snapshots as text, the way of a camera, tunings. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "io/snapshot.h"
#include "pairs/tuning_cache.h"
#include "render/keyframes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- snapshots ---- */

static int same(const struct hb_particles *a, const struct hb_particles *b)
{
  size_t bytes = a->n * sizeof(double);
  int equal = a->n == b->n && a->t == b->t && memcmp(a->m, b->m, bytes) == 0 &&
              memcmp(a->x, b->x, 3 * bytes) == 0 && memcmp(a->v, b->v, 3 * bytes) == 0;
  for (size_t k = 0; k < a->note_count && equal; k++) {
    const char *note = hb_particles_note(b, a->notes[k].key);
    equal = note && strcmp(note, a->notes[k].value) == 0;
  }
  return equal;
}

/* What is written is read back unchanged. */
enum hb_status fuzz_text(const uint8_t *bytes, size_t count)
{
  struct hb_particles *first, *again;
  char *text;
  size_t length;
  HB_TRY(hb_snapshot_read(fuzz_file("in.txt", bytes, count), NULL, &first));
  HB_TRY(hb_snapshot_text.write(first, &text, &length));
  fuzz_demand(hb_snapshot_text_parse("out.txt", text, length, &again) == HB_OK,
              "what was written cannot be read");
  fuzz_demand(same(first, again), "what was written is read as something else");
  hb_mem_free(text);
  hb_particles_destroy(first);
  hb_particles_destroy(again);
  return HB_OK;
}

/* ---- camera ---- */

enum hb_status fuzz_camera(const uint8_t *bytes, size_t count)
{
  struct hb_keyframes way;
  HB_TRY(hb_keyframes_read(fuzz_file("in.way", bytes, count), &way));
  for (double share = 0; share <= 1; share += 0.125) {
    struct hb_camera camera;
    double picture[2], depth;
    hb_camera_reset(&camera);
    hb_keyframes_camera(&way, share, &camera);
    hb_camera_project(&camera, (const double[3]){1, 2, 3}, picture, &depth);
  }
  hb_keyframes_clear(&way);
  return HB_OK;
}

/* ---- tunings ---- */

/* The bytes as words, and as a cache after its first line; what is put into that is found there. */
enum hb_status fuzz_tuning(const uint8_t *bytes, size_t count)
{
  static struct hb_gl_context context = {.caps = {.renderer = "renderer", .version = "version"}};
  static const char first_line[] = "# holmberg tunings 2\n";
  const struct hb_tuning_key key = {&context, "bag", "single", "gravity_jerk", 2048};
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
  if (!hb_tuning_cache_get(&key, &found) && status == HB_OK) {
    fuzz_demand(hb_tuning_cache_put(&key, &tuning) == HB_OK, "a tuning cannot be kept");
    fuzz_demand(hb_tuning_cache_get(&key, &found), "a tuning that was kept is not found");
    fuzz_demand(memcmp(&tuning, &found, sizeof found) == 0, "a tuning that was kept has changed");
  }
  hb_mem_free(text);
  remove("holmberg/tunings");
  remove("holmberg"); /* the test's folder holds files only */
  return status;
}
