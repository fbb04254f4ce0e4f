/* The registry of the formats of snapshots; more in holmberg.h. */
#ifndef HB_SNAPSHOT_H
#define HB_SNAPSHOT_H

#include "base/text.h"

/* The name of the file that is written beside path, for XDMF; nothing is appended where there is none. Errors:
 * HB_ERR_USAGE, HB_ERR_INTERNAL. */
enum hb_status hb_snapshot_beside(const char *path, const char *format, struct hb_text *name);

#endif
