/* The ways to get a context on a desktop. */
#include "gl/gl_context.h"

const struct hb_gl_backend *const hb_gl_backends[] = {&hb_gl_egl, &hb_gl_osmesa, &hb_gl_glfw, &hb_gl_gles,
                                                      NULL};
