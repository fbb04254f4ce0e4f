/* An output that only grows: a file of rows, or standard output if that is a file. At a checkpoint it is synced to disk and
 * its length recorded; a resumed run truncates it to that length, so that it contains each row once. */
#ifndef HB_APPENDED_H
#define HB_APPENDED_H

#include "base/status.h"

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

#endif
