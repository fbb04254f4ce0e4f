#include "io/snapshot.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct hb_snapshot_ops *const formats[] = {&hb_snapshot_hdf5, &hb_snapshot_text};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static struct hb_snapshot_format infos[FORMAT_COUNT];
static pthread_once_t infos_filled = PTHREAD_ONCE_INIT;

static void fill_infos(void)
{
  for (size_t k = 0; k < FORMAT_COUNT; k++) infos[k] = formats[k]->info;
}

const struct hb_snapshot_format *hb_snapshot_formats(size_t *count)
{
  pthread_once(&infos_filled, fill_infos);
  *count = FORMAT_COUNT;
  return infos;
}

static int is_standard_stream(const char *path) { return strcmp(path, "-") == 0; }

/* "hdf5 (.h5 .hdf5), text (.txt)", for messages. */
static enum hb_status list_formats(struct hb_text *list)
{
  for (size_t k = 0; k < FORMAT_COUNT; k++) {
    HB_TRY(hb_text_append(list, "%s%s (", k ? ", " : "", formats[k]->info.name));
    for (const char *c = formats[k]->info.extensions; *c;) {
      size_t span = strcspn(c, " ");
      HB_TRY(hb_text_append(list, "%s.%.*s", c == formats[k]->info.extensions ? "" : " ", (int)span, c));
      c += span + strspn(c + span, " ");
    }
    HB_TRY(hb_text_append(list, ")"));
  }
  return HB_OK;
}

static enum hb_status no_format(const char *path, const char *format)
{
  struct hb_text list = {0};
  enum hb_status status = list_formats(&list);
  if (status == HB_OK && format)
    status = hb_fail(HB_ERR_USAGE, "unknown format '%s', expected %s", format, list.text);
  else if (status == HB_OK)
    status =
        hb_fail(HB_ERR_USAGE, "cannot tell the format of %s by its extension, expected %s", path, list.text);
  hb_mem_free(list.text);
  return status;
}

static enum hb_status choose(const char *path, const char *format, const struct hb_snapshot_ops **chosen)
{
  if (!format && is_standard_stream(path)) format = hb_snapshot_text.info.name;
  for (size_t k = 0; k < FORMAT_COUNT; k++) {
    const struct hb_snapshot_format *info = &formats[k]->info;
    if (format ? strcasecmp(format, info->name) != 0 : !hb_text_has_extension(path, info->extensions))
      continue;
    if (is_standard_stream(path) && formats[k] != &hb_snapshot_text)
      return hb_fail(HB_ERR_USAGE, "standard input and output take format text, not %s", info->name);
    *chosen = formats[k];
    return HB_OK;
  }
  return no_format(path, format);
}

/* Checked before the extension; by stat, since a pipe must not be opened twice. */
static enum hb_status check_readable(const char *path)
{
  struct stat info;
  if (is_standard_stream(path)) return HB_OK;
  int reason = stat(path, &info) != 0 || access(path, R_OK) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  return reason ? hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(reason)) : HB_OK;
}

enum hb_status hb_snapshot_read(const char *path, const char *format, struct hb_particles **particles)
{
  HB_TEXT_IN_C;
  *particles = NULL;
  HB_TRY(check_readable(path));
  const struct hb_snapshot_ops *ops;
  HB_TRY(choose(path, format, &ops));
  struct hb_particles *read;
  HB_TRY(ops->read(path, &read));
  enum hb_status status = hb_particles_check(read);
  if (status != HB_OK) {
    hb_particles_destroy(read);
    return hb_fail_in(status, is_standard_stream(path) ? "standard input" : path);
  }
  *particles = read;
  return HB_OK;
}

enum hb_status hb_snapshot_write(const char *path, const char *format, const struct hb_particles *particles)
{
  HB_TEXT_IN_C;
  const struct hb_snapshot_ops *ops;
  HB_TRY(choose(path, format, &ops));
  char *bytes;
  size_t count;
  HB_TRY(ops->write(particles, &bytes, &count));
  enum hb_status status = is_standard_stream(path)
                              ? hb_file_write(STDOUT_FILENO, "standard output", bytes, count)
                              : hb_file_replace(path, bytes, count);
  hb_mem_free(bytes);
  return status;
}
