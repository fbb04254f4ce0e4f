/* The commit that this program was built from, "unknown" outside a checkout. */
#ifndef HB_COMMIT_H
#define HB_COMMIT_H

extern const char hb_commit[];

#endif
