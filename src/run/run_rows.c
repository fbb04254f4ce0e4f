#include "run/run_rows.h"

#include "console/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int is_csv(const char *path) { return strcasecmp(hb_text_extension(path), ".csv") == 0; }

enum hb_status hb_run_rows_check(const char *path, const char *what)
{
  if (!is_csv(path) && strcasecmp(hb_text_extension(path), ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot write %s to '%s': its extension is not csv or jsonl", what, path);
  return hb_target_check(path, ""); /* the folder only, the format is known */
}

static enum hb_status cannot_write(const struct hb_run_rows *rows)
{
  return hb_fail(HB_ERR_IO, "cannot write %s: %s", rows->path, strerror(errno));
}

enum hb_status hb_run_rows_open(const char *path, int append, struct hb_run_rows *rows)
{
  *rows = (struct hb_run_rows){.path = path, .csv = is_csv(path)};
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
  if (fd < 0) return cannot_write(rows);
  rows->file = fdopen(fd, "w");
  if (!rows->file) {
    close(fd);
    return cannot_write(rows);
  }
  rows->rows = lseek(fd, 0, SEEK_END) > 0;
  return HB_OK;
}

void hb_run_rows_close(struct hb_run_rows *rows)
{
  if (rows->file) fclose(rows->file); /* all rows are flushed */
  rows->file = NULL;
}

enum hb_status hb_run_rows_put(struct hb_run_rows *rows, const struct hb_table_column *columns, size_t count,
                               const void *row)
{
  enum hb_table_form form = rows->csv ? HB_TABLE_CSV_FORM : HB_TABLE_JSON_FORM;
  hb_table_put(&(struct hb_table){columns, count, form, rows->file, rows->rows}, row);
  rows->rows++;
  return fflush(rows->file) == 0 && !ferror(rows->file) ? HB_OK : cannot_write(rows);
}
