#include "support/support.h"

#include "base/mem.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void support_assert_status(enum hb_status got, enum hb_status expected, const char *sentence,
                           const char *call, const char *file, int line)
{
  if (got != expected) {
    print_error("%s gave %d, expected %d; sentence: %s\n", call, got, expected, hb_error());
    _fail(file, line);
  }
  if (sentence && !strstr(hb_error(), sentence)) {
    print_error("%s said: %s\n  expected to contain: %s\n", call, hb_error(), sentence);
    _fail(file, line);
  }
}

void support_unexpected(double value, double bound, const char *expected, const char *file, int line)
{
  print_error("%.17g and %.17g, expected %s\n", value, bound, expected);
  _fail(file, line);
}

void support_near(double value, double right, double relative, const char *expected, const char *file,
                  int line)
{
  if (!(fabs(value - right) <= relative * fabs(right)))
    support_unexpected(value, right, expected, file, line);
}

static char folder[256];

static DIR *open_folder(void)
{
  DIR *dir = opendir(folder);
  if (!dir) fail_msg("cannot open %s", folder);
  return dir;
}

static void remove_folder(void)
{
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) remove(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}

static const char *temp_folder(void)
{
  if (folder[0]) return folder;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/holmberg-test-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) fail_msg("cannot make %s", folder);
  atexit(remove_folder);
  return folder;
}

const char *support_path(const char *name)
{
  static char paths[8][512];
  static unsigned turn;
  char *path = paths[turn++ % COUNT_OF(paths)];
  snprintf(path, sizeof *paths, "%s/%s", temp_folder(), name);
  return path;
}

size_t support_file_count(void)
{
  size_t count = 0;
  temp_folder();
  DIR *dir = open_folder();
  for (struct dirent *entry; (entry = readdir(dir));)
    count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
  closedir(dir);
  return count;
}

int support_is_long(void) { return getenv("LONG") != NULL; }

void support_write(const char *path, const void *bytes, size_t count)
{
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) fail_msg("cannot write %s", path);
}

char *support_read(const char *path, size_t *count)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(size + 1);
  if (!bytes || fread(bytes, 1, size, file) != size) fail_msg("cannot read %s", path);
  fclose(file);
  bytes[size] = 0;
  if (count) *count = size;
  return bytes;
}

int support_exists(const char *path) { return access(path, F_OK) == 0; }

void support_survives_lack_of_memory(support_work *work, void *data, unsigned long least)
{
  enum { MANY = 1000 };
  unsigned long nth = 1;
  for (; nth < MANY; nth++) {
    hb_mem_watch.fail_at = nth;
    enum hb_status status = work(data);
    hb_mem_watch.fail_at = 0;
    if (status == HB_OK) break;
    assert_int_equal(status, HB_ERR_INTERNAL);
  }
  assert_in_range(nth, least, MANY - 1);
}

uint64_t support_fnv(uint64_t hash, const void *bytes, size_t count)
{
  for (const unsigned char *b = bytes; count--; b++) hash = (hash ^ *b) * UINT64_C(0x100000001b3);
  return hash;
}

double support_rms(size_t n, size_t width, const double *value, const double *reference)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double d2 = 0, r2 = 0;
    for (size_t k = width * i; k < width * (i + 1); k++) {
      d2 += (value[k] - reference[k]) * (value[k] - reference[k]);
      r2 += reference[k] * reference[k];
    }
    sum += d2 / r2;
  }
  return sqrt(sum / (double)n);
}
