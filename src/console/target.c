#include "console/target.h"

#include "base/file.h"
#include "base/mem.h"
#include "console/terminal.h"
#include "io/snapshot_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *hb_target_format(size_t k)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  return k < count ? formats[k].name : NULL;
}

const char *hb_target_scheme(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k < count ? schemes[k].name : NULL;
}

/* Adds the words that are not yet in the list, as far as there is room. */
static void add_new(const char *words, size_t size, char *list)
{
  char word[32];
  for (int taken = 0; sscanf(words, "%31s%n", word, &taken) == 1; words += taken)
    if (!hb_text_is_listed(word, list) && strlen(list) + strlen(word) + 2 <= size)
      strcat(strcat(list, *list ? " " : ""), word);
}

static enum hb_status check_extension(const char *path)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  for (size_t k = 0; k < count; k++)
    if (hb_text_has_extension(path, formats[k].extensions)) return HB_OK;
  char known[256] = "";
  for (size_t k = 0; k < count; k++) add_new(formats[k].extensions, sizeof known, known);
  return hb_fail(HB_ERR_USAGE, "cannot tell the format of '%s' from its extension (known: %s); use --format",
                 path, known);
}

static enum hb_status check_folder(const char *path)
{
  struct hb_text folder = {0};
  size_t length = (size_t)(hb_text_base_name(path) - path);
  enum hb_status status = length ? hb_text_append_bytes(&folder, path, length) : hb_text_append(&folder, ".");
  if (status != HB_OK) return status;
  struct stat info;
  if (stat(folder.text, &info) != 0 || access(folder.text, W_OK | X_OK) != 0)
    status = hb_fail(HB_ERR_IO, "cannot write %s: folder %s: %s", path, folder.text, strerror(errno));
  else if (!S_ISDIR(info.st_mode))
    status = hb_fail(HB_ERR_IO, "cannot write %s: %s is not a folder", path, folder.text);
  hb_mem_free(folder.text);
  return status;
}

/* Whether a snapshot can be written there as far as the names go: a known format or extension, and one that standard output
 * takes if path is "-"; and whether a file of data beside it may be replaced. Errors: HB_ERR_USAGE, HB_ERR_IO. */
static enum hb_status snapshot_check_target(const char *path, const char *format)
{
  struct hb_text beside = {0};
  HB_TRY(hb_snapshot_beside(path, format, &beside));
  enum hb_status status = beside.text ? hb_file_check(beside.text) : HB_OK;
  hb_mem_free(beside.text);
  return status;
}

enum hb_status hb_target_check(const char *path, const char *format)
{
  int is_snapshot = !format || *format, is_stream = strcmp(path, "-") == 0;
  if (is_stream && !is_snapshot) return hb_fail(HB_ERR_USAGE, "'-' is not a file that can be replaced");
  if (is_stream) return snapshot_check_target(path, format);
  HB_TRY(hb_file_check(path));
  if (!format) HB_TRY(check_extension(path));
  if (is_snapshot) HB_TRY(snapshot_check_target(path, format));
  return check_folder(path);
}

static int is_same_file(const char *a, const char *b)
{
  struct stat of_a, of_b;
  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

enum hb_status hb_target_spare(const char *path, const char *format, const char *other)
{
  struct hb_text beside = {0};
  HB_TRY(hb_snapshot_beside(path, format, &beside));
  int hits_beside = beside.text && is_same_file(beside.text, other);
  hb_mem_free(beside.text);
  if (!hits_beside && !is_same_file(path, other)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "writing %s would replace %s, which is read; give the output another name",
                 path, other);
}

enum hb_status hb_target_write(const char *path, const char *format, const struct hb_particles *particles)
{
  enum hb_status status = hb_snapshot_write(path, format, particles);
  if (status == HB_ERR_IO && strcmp(path, "-") == 0) hb_terminal_check_reader();
  return status;
}

enum hb_status hb_target_beside(const char *path, const char *extension, struct hb_text *name)
{
  return hb_text_append(name, "%.*s.%s", (int)(hb_text_extension(path) - path), path, extension);
}

/* ---- models ---- */

const char *hb_models_name(size_t k)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  return k < count ? models[k].name : NULL;
}

const struct hb_words hb_models_words = {.at = hb_models_name, .what = "model"};

const struct hb_ic_model *hb_models_find(const char *name)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++)
    if (strcmp(models[k].name, name) == 0) return &models[k];
  return NULL;
}

enum hb_status hb_models_check(const char *word)
{
  if (hb_models_find(word) || strpbrk(word, "./") || strcmp(word, "-") == 0 || access(word, F_OK) == 0)
    return HB_OK;
  return hb_words_unknown(hb_models_words, word);
}
