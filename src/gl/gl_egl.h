/* The devices EGL offers; what `holmberg info` lists and --device chooses from. */
#ifndef HB_GL_EGL_H
#define HB_GL_EGL_H

#include "base/status.h"

/* A device that EGL offers; --device accepts index and path. */
struct hb_device_info {
  int index;
  char path[64];    /* /dev/dri/..., "" if none */
  char address[64]; /* which of several equal ones: "PCI 0000:1b:00.0", "UUID ...", "" if it is not known */
  char renderer[192];
  int software;
};

/* Fills at most max entries: index, path, software. Opens nothing; the renderer's name stays empty.
 * *count = 0 where EGL or its device extension is missing. */
void hb_gl_egl_devices(size_t max, struct hb_device_info *devices, size_t *count);

/* What context is current in this thread, anybody's: by EGL, GLX or OSMesa. A program that calls the library may draw with
 * OpenGL of its own. */
struct hb_gl_current {
  void *context; /* NULL: none */
  void *display;
  void *draw, *read; /* surfaces of EGL, drawables of GLX; of OSMesa draw is the memory */
  unsigned egl_api, type;
  int width, height;
  /* Of one without context: releases what is current, as it must be before one of another system can be. */
  void (*restore)(const struct hb_gl_current *current);
};

/* A context that is known is not described. */
struct hb_gl_current hb_gl_current_ask(const void *known);

#endif
