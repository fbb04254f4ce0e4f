#include "pairs/tuning_cache.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_shader.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line: key, tab, tuning. The first line identifies the file. */
static const char first_line[] = "# holmberg tunings 2\n";

size_t hb_tuning_class(size_t n) { return n < 6000 ? 2048 : n < 48000 ? 16384 : 131072; }

const char *hb_tuning_cache_path(void)
{
  static _Thread_local char path[1024];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache == '/')
    snprintf(path, sizeof path, "%s/holmberg/tunings", cache);
  else if (home && *home == '/')
    snprintf(path, sizeof path, "%s/.cache/holmberg/tunings", home);
  else
    path[0] = 0;
  return path;
}

static void print_key(const struct hb_tuning_key *key, size_t room, char *text)
{
  snprintf(text, room, "%s|%s|%s %s %s %s %zu", key->context->caps.renderer, key->context->caps.version,
           hb_library_version(), key->scheme, key->precision, key->interaction, key->n);
  for (char *c = text; *c; c++)
    if (*c == '\t' || *c == '\n') *c = ' ';
}

/* Once: it is read for each source of forces, and again to be replaced. */
static void warn_once(const char *begin, const char *end)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&told)) hb_log_warn("%s%s", begin, end);
}

/* The file's text; NULL where there is none, or it is not such a file. */
static char *read_cache(void)
{
  char *text;
  size_t count;
  const char *path = hb_tuning_cache_path();
  if (!*path || access(path, F_OK) != 0) return NULL;
  if (hb_file_read_regular(path, &text, &count) != HB_OK) {
    warn_once("tunings are not used: ", hb_error());
    return NULL;
  }
  if (strncmp(text, first_line, sizeof first_line - 1) == 0) return text;
  warn_once(path, " is no file of tunings, or damaged, and is dropped");
  hb_mem_free(text);
  return NULL;
}

/* Shaders from a folder may differ from those that a tuning was measured with. */
static int shaders_may_differ(void) { return hb_gl_shader_folder() != NULL; }

int hb_tuning_cache_get(const struct hb_tuning_key *key, struct hb_pairs_tuning *tuning)
{
  if (shaders_may_differ()) return 0;
  char wanted[768];
  print_key(key, sizeof wanted, wanted);
  char *text = read_cache(), *rest = NULL;
  int found = 0;
  for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    char *tab = strchr(line, '\t');
    if (!tab) continue;
    *tab = 0;
    if (strcmp(line, wanted) != 0) continue;
    struct hb_pairs_tuning t = {0};
    found = hb_tuning_parse(tab + 1, &t) == HB_OK;
    if (found)
      *tuning = t;
    else
      hb_log_warn("%s has a damaged tuning, which is dropped: %s", hb_tuning_cache_path(), hb_error());
  }
  hb_mem_free(text);
  return found;
}

/* Below a home that exists: not every user has one. */
static enum hb_status make_folders(const char *path)
{
  char folder[1024];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (!(cache && *cache == '/') && access(home, F_OK) != 0)
    return hb_fail(HB_ERR_IO, "the home folder %s does not exist", home);
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(folder, 0777); /* what fails here fails again, with a reason, when the file is written */
    *slash = '/';
  }
  return HB_OK;
}

/* The old lines except that of the key. */
static enum hb_status keep_others(char *old, const char *key, struct hb_text *text)
{
  char *rest = NULL;
  size_t length = strlen(key);
  for (char *line = old ? strtok_r(old, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
    if (*line != '#' && (strncmp(line, key, length) != 0 || line[length] != '\t'))
      HB_TRY(hb_text_append(text, "%s\n", line));
  return HB_OK;
}

/* tuning NULL: none. */
static enum hb_status replace(const struct hb_tuning_key *key, const struct hb_pairs_tuning *tuning)
{
  const char *path = hb_tuning_cache_path();
  if (shaders_may_differ()) return hb_fail(HB_ERR_USAGE, "it was measured with the shaders of HB_SHADER_DIR");
  if (!*path) return hb_fail(HB_ERR_IO, "no place for tunings: neither XDG_CACHE_HOME nor HOME is set");
  char name[768], words[256];
  print_key(key, sizeof name, name);
  if (tuning) hb_tuning_print(tuning, sizeof words, words);
  HB_TRY(make_folders(path));
  char *old = read_cache();
  struct hb_text text = {0};
  enum hb_status status = hb_text_append(&text, "%s", first_line);
  if (status == HB_OK) status = keep_others(old, name, &text);
  if (status == HB_OK && tuning) status = hb_text_append(&text, "%s\t%s\n", name, words);
  if (status == HB_OK) status = hb_file_replace(path, text.text, text.length);
  hb_mem_free(text.text);
  hb_mem_free(old);
  return status;
}

enum hb_status hb_tuning_cache_put(const struct hb_tuning_key *key, const struct hb_pairs_tuning *tuning)
{
  return replace(key, tuning);
}

void hb_tuning_cache_drop(const struct hb_tuning_key *key)
{
  if (replace(key, NULL) != HB_OK) hb_log("the tuning cannot be removed: %s", hb_error());
}
