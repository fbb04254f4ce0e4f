/* The function pointers of OpenGL, filled from the current context. */
#ifndef HB_GL_API_H
#define HB_GL_API_H

#include "base/status.h"

typedef void (*hb_gl_function)(void);
typedef hb_gl_function (*hb_gl_get_proc)(const char *name);

/* Fills every pointer the project uses. get_proc may return non-NULL for functions that do not exist (all
 * loaders do): version and extensions say what may be called, never a pointer.
 * Errors: HB_ERR_GL when a function of GL 3.3 and ES 3.0 is missing. */
enum hb_status hb_gl_api_load(hb_gl_get_proc get_proc);

/* Whether the current context is one of OpenGL ES. */
int hb_gl_api_is_es(void);

#endif
