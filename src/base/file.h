/* Files that are written completely or not at all. */
#ifndef HB_FILE_H
#define HB_FILE_H

#include "base/status.h"

#include <sys/types.h>

/* A local descriptor is closed with its scope; -1: none. */
#define HB_OWN_FD __attribute__((cleanup(hb_file_close_own)))
void hb_file_close_own(const int *fd);

/* The system calls used here, replaceable so that tests can make the n-th one fail. NULL restores the real ones. */
struct hb_file_calls {
  int (*open)(const char *path, int flags, mode_t mode);
  ssize_t (*write)(int fd, const void *bytes, size_t count);
  int (*fsync)(int fd);
  int (*close)(int fd);
  int (*rename)(const char *from, const char *to);
};

void hb_file_set_calls(const struct hb_file_calls *calls);

/* Whether hb_file_replace accepts path: a regular file, or none yet. A symbolic link is refused: a rename would destroy it,
 * and following it could write to where someone else has pointed it. Errors: HB_ERR_IO. */
enum hb_status hb_file_check(const char *path);

/* Replaces the contents of path by count bytes: a new file under an unpredictable name in the same folder, write, fsync,
 * close, rename, fsync of the folder. Mode and group are those of the old file. On failure the old file is untouched and
 * the temporary one removed. Errors: HB_ERR_IO, including those of hb_file_check. */
enum hb_status hb_file_replace(const char *path, const void *bytes, size_t count);

/* The same in pieces: begin, hb_file_write as often as needed, end. end gets the status of the writes and returns it if it is a
 * failure. previous, nullable: the old file is first renamed to this, so that at every instant one of the two names holds
 * a complete file. */
struct hb_file {
  int fd;
  const char *path; /* the caller's */
  char temporary[4096];
};

enum hb_status hb_file_begin(const char *path, struct hb_file *file);
enum hb_status hb_file_end(struct hb_file *file, enum hb_status status, const char *previous);

/* Removes temporary files that killed processes of this user have left beside path, or its series (end_0001.h5 for
 * end.h5), except those being written. */
void hb_file_sweep(const char *path);

/* Reads a file or pipe to its end (path "-": standard input) into *bytes, NUL-terminated, freed with hb_mem_free.
 * Errors: HB_ERR_IO with the path and the system's reason, or a device such as /dev/zero that has no end. */
enum hb_status hb_file_read(const char *path, char **bytes, size_t *count);

/* The same of a regular file: one that is read again later, or whose size is known before. Errors: as above. */
enum hb_status hb_file_read_regular(const char *path, char **bytes, size_t *count);

/* Writes all bytes to an open descriptor, despite short writes and signals. */
enum hb_status hb_file_write(int fd, const char *name, const void *bytes, size_t count);

#endif
