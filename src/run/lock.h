/* One writer for each output: only the holder of a path's lock writes there. It is a file path.lock beside it, locked by
 * flock, so that it ends with its process however that ends, and removed when it is given back. */
#ifndef HB_LOCK_H
#define HB_LOCK_H

#include "base/status.h"

/* Start from {0}. */
struct hb_lock {
  char *name; /* of the lock file; NULL: not held */
  int fd;
};

/* Where the file system has no flock there is no lock: name stays NULL, with HB_OK. Errors: HB_ERR_IO (another process holds
 * it; the file cannot be made, or is another's). */
enum hb_status hb_lock_take(const char *path, struct hb_lock *lock);

/* Also takes a lock that is not held. */
void hb_lock_give(struct hb_lock *lock);

#endif
