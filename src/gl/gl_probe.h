/* Some drivers crash the program that opens a context with them: a child tries first. */
#ifndef HB_GL_PROBE_H
#define HB_GL_PROBE_H

#include "base/status.h"

/* To be called before a driver's code runs. Opens the context in holmberg-child and draws with it there, once per process
 * for each kind of context and device (NULL: best first); does nothing where there is no holmberg-child. An ordinary
 * failure there is not reported: it will happen here again. Errors: HB_ERR_GL: the driver crashed, ended the child, or
 * hung. */
enum hb_status hb_gl_probe(const char *context, const char *device);

enum { HB_GL_PROBE_S = 60 }; /* a driver that takes longer counts as hung: SIGALRM ends the child */

/* From now on hb_gl_probe does nothing: this process is the child. */
void hb_gl_probe_never(void);

#endif
