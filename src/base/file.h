/* Files that are there whole or not at all. */
#ifndef HB_FILE_H
#define HB_FILE_H

#include "base/status.h"

#include <sys/types.h>

/* The system calls behind, replaceable so that tests can fail the n-th one. NULL restores the real ones. */
struct hb_file_calls {
  int (*open)(const char *path, int flags, mode_t mode);
  ssize_t (*write)(int fd, const void *bytes, size_t count);
  int (*fsync)(int fd);
  int (*close)(int fd);
  int (*rename)(const char *from, const char *to);
};

void hb_file_set_calls(const struct hb_file_calls *calls);

/* Whether path can be a file that is replaced: a regular one, or nothing yet. A symbolic link is refused: it would be
 * lost to a rename, and followed to where someone else may have pointed it. Errors: HB_ERR_IO. */
enum hb_status hb_file_check(const char *path);

/* Replaces path by count bytes: a new file under an unpredictable name in the same folder, write, fsync, close,
 * rename, fsync of the folder. Mode and group are those of the old file. On failure the old file is untouched and the
 * temporary one removed. Errors: HB_ERR_IO, those of hb_file_check among them. */
enum hb_status hb_file_replace(const char *path, const void *bytes, size_t count);

/* The same piece by piece: begin, put as often as needed, end. end takes the status of what was put and gives it back when
 * it is a failure; previous, nullable: where the old file goes instead of being lost, a rename before the last one, so
 * that at every instant one of the two names holds a whole file. */
struct hb_file {
  int fd;
  const char *path; /* the caller's */
  char temporary[4096];
};

enum hb_status hb_file_begin(const char *path, struct hb_file *file);
enum hb_status hb_file_put(struct hb_file *file, const void *bytes, size_t count);
enum hb_status hb_file_end(struct hb_file *file, enum hb_status status, const char *previous);

/* Removes the temporary files that killed processes of this user have left of path, or of its series (end_0001.h5 for
 * end.h5); not those that are being written. */
void hb_file_sweep(const char *path);

/* The whole of a stream of unknown length (path "-": standard input) into *bytes, NUL-terminated, to be
 * given back with hb_mem_free. Errors: HB_ERR_IO with the path and the system's reason. */
enum hb_status hb_file_read(const char *path, char **bytes, size_t *count);

/* Writes all bytes to an open descriptor, through short writes and signals. */
enum hb_status hb_file_write(int fd, const char *name, const void *bytes, size_t count);

#endif
