/* The one way to get a context on Windows. */
#include "gl/gl_context.h"

const struct hb_gl_backend *const hb_gl_backends[] = {&hb_gl_glfw, NULL};
