/* The ways to get a context of OpenGL. */
#ifndef HB_GL_BACKEND_H
#define HB_GL_BACKEND_H

#include "base/status.h"

typedef void (*hb_gl_function)(void);

/* May return non-NULL for functions that do not exist (all loaders do): version and extensions say what may be called, never a
 * pointer. */
typedef hb_gl_function (*hb_gl_get_proc)(const char *name);

/* A way to get a context: one const struct per file gl_*.c. */
struct hb_gl_backend {
  const char *name;

  /* Opens and makes current. hardware: 1 accepts real GPUs only, 0 anything, real GPUs first.
   * Errors: HB_ERR_GL (names what was tried), HB_ERR_USAGE (a device that this back end cannot open). */
  enum hb_status (*open)(const char *device, int hardware, int debug, void **handle);
  void (*close)(void *handle); /* leaves no context current */
  enum hb_status (*make_current)(void *handle);
  void (*release)(void *handle); /* of the current context: afterwards none is current */
  void (*get_address)(void *handle, size_t room, char *address); /* NULL: unknown */
  hb_gl_get_proc get_proc;                /* valid while a context of this back end is open */
  enum hb_status (*breathe)(double work); /* hb_gl_context_breathe; NULL: nothing to do */
};

extern const struct hb_gl_backend hb_gl_osmesa, hb_gl_glfw;

/* The back ends in the order in which auto tries them, ended by NULL: a list of the platform. */
extern const struct hb_gl_backend *const hb_gl_backends[];

#endif
