#include "console/target.h"

#include "base/file.h"
#include "base/mem.h"
#include "console/terminal.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *hb_target_format(size_t k)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  return k < count ? formats[k].name : NULL;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Where the extension starts, with its dot; the end of path when it has none. */
static const char *extension_of(const char *path)
{
  const char *dot = strrchr(base_name(path), '.');
  return dot ? dot : path + strlen(path);
}

static int is_in_list(const char *word, const char *list)
{
  size_t length = strlen(word);
  while (*list) {
    size_t next = strcspn(list, " ");
    if (next == length && strncasecmp(list, word, length) == 0) return 1;
    list += next + (list[next] == ' ');
  }
  return 0;
}

static enum hb_status check_extension(const char *path)
{
  const char *extension = extension_of(path);
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  for (size_t k = 0; k < count; k++)
    if (*extension && is_in_list(extension + 1, formats[k].extensions)) return HB_OK;
  char known[256] = "";
  for (size_t k = 0; k < count; k++) {
    if (strlen(known) + strlen(formats[k].extensions) + 2 > sizeof known) break;
    if (k) strcat(known, " ");
    strcat(known, formats[k].extensions);
  }
  return hb_fail(HB_ERR_USAGE, "cannot tell the format of '%s' by its extension (known: %s); say --format",
                 path, known);
}

static enum hb_status check_folder(const char *path)
{
  struct hb_text folder = {0};
  size_t length = (size_t)(base_name(path) - path);
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

enum hb_status hb_target_check(const char *path, const char *format)
{
  if (strcmp(path, "-") == 0) {
    if (!format || strcmp(format, "text") == 0) return HB_OK;
    return hb_fail(HB_ERR_USAGE, "cannot write format %s to standard output (expected text)", format);
  }
  HB_TRY(hb_file_check(path));
  if (!format) HB_TRY(check_extension(path));
  return check_folder(path);
}

enum hb_status hb_target_write(const char *path, const char *format, const struct hb_particles *particles)
{
  enum hb_status status = hb_snapshot_write(path, format, particles);
  if (status == HB_ERR_IO && strcmp(path, "-") == 0) hb_terminal_look_for_reader();
  return status;
}

enum hb_status hb_target_series(const char *path, unsigned long number, struct hb_text *name)
{
  const char *extension = extension_of(path);
  return hb_text_append(name, "%.*s_%04lu%s", (int)(extension - path), path, number, extension);
}
