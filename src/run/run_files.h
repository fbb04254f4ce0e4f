/* The files that a run writes row by row, and its locks. */
#ifndef HB_RUN_FILES_H
#define HB_RUN_FILES_H

#include "base/table.h"

/* ---- outputs that only grow: a file of rows, or standard output if that is a file. At a checkpoint they are synced to disk and
 * their length recorded; a resumed run truncates them to that length, so that they contain each row once. */

/* Start with only the path set; the rest is the last mark. */
struct hb_appended {
  const char *path;         /* the caller's; "-" is standard output               */
  unsigned long long inode; /* 0: no mark, as when the output is not a regular file */
  unsigned long long device, length;
  unsigned long checksum; /* CRC-32 of the file up to length                     */
};

/* Whether it is a regular file, which can be marked and cut. */
int hb_appended_is_file(const struct hb_appended *output);

/* Whether it is the same file as at the mark; and whether it is unchanged since. */
int hb_appended_is_marked(const struct hb_appended *output);
int hb_appended_is_unchanged(const struct hb_appended *output);

/* Flush any buffers first. Standard output that cannot be read gets no mark. Errors: HB_ERR_IO, leaving no mark. */
enum hb_status hb_appended_mark(struct hb_appended *output);

/* Truncates it to the mark. Standard output is left alone unless it is the marked file and begins with the same bytes.
 * Errors: HB_ERR_INPUT (a file that is shorter or begins with other bytes), HB_ERR_IO. */
enum hb_status hb_appended_cut(const struct hb_appended *output);

/* ---- one writer per output: only the holder of a path's lock writes there. It is a file path.lock beside it, locked by flock,
 * so that it ends with its process however that ends, and removed when released. */

/* Start from {0}. */
struct hb_lock {
  char *name; /* of the lock file; NULL: not held */
  int fd;
};

/* On a file system without flock there is no lock: name stays NULL, with HB_OK. Errors: HB_ERR_IO (another process holds it;
 * the file cannot be created, or is not a lock file). */
enum hb_status hb_lock_take(const char *path, struct hb_lock *lock);

/* A lock that is not held is fine. */
void hb_lock_release(struct hb_lock *lock);

/* ---- rows, as comma separated values or JSON lines with the same names */

struct hb_run_rows {
  const char *path; /* the caller's        */
  FILE *file;       /* NULL: not asked for */
  int csv;
  size_t rows; /* so far: in CSV a header precedes the first */
};

/* Checks before the work that such a file of `what` can be written. Errors: HB_ERR_USAGE (extension is not csv or jsonl),
 * HB_ERR_IO. */
enum hb_status hb_run_rows_check(const char *path, const char *what);

/* A new one, or to append to the rows of a resumed run. hb_run_rows_close accepts one that was never opened. Errors:
 * HB_ERR_IO. */
enum hb_status hb_run_rows_open(const char *path, int append, struct hb_run_rows *rows);
void hb_run_rows_close(struct hb_run_rows *rows);

/* One row, flushed at once. Errors: HB_ERR_IO. */
enum hb_status hb_run_rows_put(struct hb_run_rows *rows, const struct hb_table_column *columns, size_t count,
                               const void *row);

#endif
