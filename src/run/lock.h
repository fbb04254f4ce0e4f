/* One writer per output: only the holder of a path's lock writes there. It is a file path.lock beside it, locked by flock, so
 * that it ends with its process however that ends, and removed when released. */
#ifndef HB_LOCK_H
#define HB_LOCK_H

#include "base/status.h"

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

#endif
