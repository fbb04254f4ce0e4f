#include "gl/gl_format.h"

#include "gl/gl.h"

static const struct hb_gl_layout layouts[] = {
    [HB_GL_R8] = {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
    [HB_GL_R8UI] = {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1},
    [HB_GL_R32I] = {GL_R32I, GL_RED_INTEGER, GL_INT, 4},
    [HB_GL_R32UI] = {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    [HB_GL_R32F] = {GL_R32F, GL_RED, GL_FLOAT, 4},
    [HB_GL_RGB32F] = {GL_RGB32F, GL_RGB, GL_FLOAT, 12},
    [HB_GL_RGBA8] = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    [HB_GL_RGBA16] = {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8},
    [HB_GL_RGBA16F] = {GL_RGBA16F, GL_RGBA, GL_FLOAT, 16},
    [HB_GL_RGBA32F] = {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    [HB_GL_RGBA32UI] = {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
};

const struct hb_gl_layout *hb_gl_layout(enum hb_gl_format format) { return &layouts[format]; }
