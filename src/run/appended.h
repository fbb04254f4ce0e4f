/* An output that only grows: standard output where that is a file, a file of rows. At a checkpoint it is brought to the
 * disk and measured; a resumed run cuts it back to that length, so that each row stands in it once. */
#ifndef HB_APPENDED_H
#define HB_APPENDED_H

#include "base/status.h"

/* Start with the path alone; the rest is the last mark. */
struct hb_appended {
  const char *path;         /* the caller's; "-" is standard output               */
  unsigned long long inode; /* 0: no mark, as where the output is no regular file */
  unsigned long long device, length;
  unsigned long checksum; /* CRC-32 of the file up to length                     */
};

/* Whether it is a regular file, so that it can be marked and cut. */
int hb_appended_is_file(const struct hb_appended *output);

/* Whether it is the very file of the mark, and whether nothing has been changed in it since. */
int hb_appended_is_marked(const struct hb_appended *output);
int hb_appended_is_unchanged(const struct hb_appended *output);

/* Flushing buffers of its own is the caller's, before. Standard output that cannot be read gets no mark. Errors:
 * HB_ERR_IO; then there is no mark. */
enum hb_status hb_appended_mark(struct hb_appended *output);

/* Back to the mark. Standard output is left alone unless it is the marked file, up to there. Errors: HB_ERR_INPUT (a file
 * that is shorter or begins with other bytes), HB_ERR_IO. */
enum hb_status hb_appended_cut(const struct hb_appended *output);

#endif
