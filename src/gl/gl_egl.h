/* The devices EGL offers; what `holmberg info` lists and --device chooses from. */
#ifndef HB_GL_EGL_H
#define HB_GL_EGL_H

#include "base/status.h"

#include <holmberg/measure.h>

/* Fills at most max entries: index, path, software. Opens nothing; the renderer's name stays empty.
 * *count = 0 where EGL or its device extension is missing. */
void hb_gl_egl_devices(size_t max, struct hb_device_info *devices, size_t *count);

#endif
