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

/* Asking Mesa for its renderer on the processor: between the two, what opens a display gets that renderer: by
 * LIBGL_ALWAYS_SOFTWARE, which is in the environment of the whole program and is put back. */
struct hb_gl_software {
  int was_set;
  char value[32];
};

struct hb_gl_software hb_gl_software_begin(void);
void hb_gl_software_end(const struct hb_gl_software *before);

#endif
