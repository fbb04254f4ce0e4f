/* Several devices, as a user names them: "0,1", "software,software", "all". */
#ifndef HB_GL_DEVICES_H
#define HB_GL_DEVICES_H

#include "base/status.h"

enum { HB_GL_DEVICES_MOST = 16 };

struct hb_gl_devices {
  int count; /* 0: one device is named, or none */
  char name[HB_GL_DEVICES_MOST][64];
};

/* What device, or where it is NULL the environment, names: names separated by commas, or all GPUs of EGL. `software` comes after
 * the others, wherever it was named: the first device does alone what is not worth sharing. Opens nothing.
 * Errors: HB_ERR_USAGE (an empty name, too many, no GPU). */
enum hb_status hb_gl_devices_named(const char *device, struct hb_gl_devices *devices);

#endif
