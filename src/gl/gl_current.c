#include "gl/gl_current.h"

#include <dlfcn.h>
#include <stddef.h>

/* A library is asked only if the program has loaded it; from then on it stays. */
static void *loaded(const char *const names[], const char *function)
{
  for (int k = 0; names[k]; k++) {
    void *library = dlopen(names[k], RTLD_LAZY | RTLD_NOLOAD);
    if (library) return dlsym(library, function);
  }
  return NULL;
}

static const char *const egl_names[] = {"libEGL.so.1", NULL};
static const char *const glx_names[] = {"libGLX.so.0", "libGL.so.1", NULL};
static const char *const osmesa_names[] = {"libOSMesa.so.8", "libOSMesa.so.6", NULL};

/* A function of one of them by its name and type. A pointer to an object is a pointer to a function here (POSIX). */
#define FUNCTION(names, name, result, ...)                                                                   \
  static result (*name)(__VA_ARGS__);                                                                        \
  if (!name) *(void **)&name = loaded(names, #name)

/* ---- EGL ---- */

enum { EGL_DRAWN = 0x3059, EGL_READ_FROM = 0x305A }; /* EGL_DRAW, EGL_READ */

static int egl_ask(struct hb_gl_current *c)
{
  FUNCTION(egl_names, eglGetCurrentContext, void *, void);
  if (!eglGetCurrentContext || !(c->context = eglGetCurrentContext())) return 0;
  FUNCTION(egl_names, eglGetCurrentDisplay, void *, void);
  FUNCTION(egl_names, eglGetCurrentSurface, void *, int);
  FUNCTION(egl_names, eglQueryAPI, unsigned, void);
  c->display = eglGetCurrentDisplay();
  c->draw = eglGetCurrentSurface(EGL_DRAWN);
  c->read = eglGetCurrentSurface(EGL_READ_FROM);
  c->egl_api = eglQueryAPI();
  return 1;
}

static void egl_release(const struct hb_gl_current *c)
{
  FUNCTION(egl_names, eglMakeCurrent, unsigned, void *, void *, void *, void *);
  eglMakeCurrent(c->display, NULL, NULL, NULL);
}

static void egl_restore(const struct hb_gl_current *c)
{
  FUNCTION(egl_names, eglBindAPI, unsigned, unsigned);
  FUNCTION(egl_names, eglMakeCurrent, unsigned, void *, void *, void *, void *);
  eglBindAPI(c->egl_api);
  eglMakeCurrent(c->display, c->draw, c->read, c->context);
}

/* ---- GLX: drawables are numbers, which fit a pointer ---- */

static int glx_ask(struct hb_gl_current *c)
{
  FUNCTION(glx_names, glXGetCurrentContext, void *, void);
  if (!glXGetCurrentContext || !(c->context = glXGetCurrentContext())) return 0;
  FUNCTION(glx_names, glXGetCurrentDisplay, void *, void);
  FUNCTION(glx_names, glXGetCurrentDrawable, void *, void);
  FUNCTION(glx_names, glXGetCurrentReadDrawable, void *, void);
  c->display = glXGetCurrentDisplay();
  c->draw = glXGetCurrentDrawable();
  c->read = glXGetCurrentReadDrawable();
  return 1;
}

static void glx_release(const struct hb_gl_current *c)
{
  FUNCTION(glx_names, glXMakeContextCurrent, int, void *, void *, void *, void *);
  glXMakeContextCurrent(c->display, NULL, NULL, NULL);
}

static void glx_restore(const struct hb_gl_current *c)
{
  FUNCTION(glx_names, glXMakeContextCurrent, int, void *, void *, void *, void *);
  glXMakeContextCurrent(c->display, c->draw, c->read, c->context);
}

/* ---- OSMesa ---- */

enum { OSMESA_HAS_TYPE = 0x23 }; /* OSMESA_TYPE */

static int osmesa_ask(struct hb_gl_current *c)
{
  FUNCTION(osmesa_names, OSMesaGetCurrentContext, void *, void);
  if (!OSMesaGetCurrentContext || !(c->context = OSMesaGetCurrentContext())) return 0;
  FUNCTION(osmesa_names, OSMesaGetColorBuffer, unsigned char, void *, int *, int *, int *, void **);
  FUNCTION(osmesa_names, OSMesaGetIntegerv, void, int, int *);
  int format, type = 0;
  OSMesaGetColorBuffer(c->context, &c->width, &c->height, &format, &c->draw);
  OSMesaGetIntegerv(OSMESA_HAS_TYPE, &type);
  c->type = (unsigned)type;
  return 1;
}

static void osmesa_release(const struct hb_gl_current *c)
{
  (void)c;
  FUNCTION(osmesa_names, OSMesaMakeCurrent, unsigned char, void *, void *, unsigned, int, int);
  OSMesaMakeCurrent(NULL, NULL, 0, 0, 0);
}

static void osmesa_restore(const struct hb_gl_current *c)
{
  FUNCTION(osmesa_names, OSMesaMakeCurrent, unsigned char, void *, void *, unsigned, int, int);
  OSMesaMakeCurrent(c->context, c->draw, c->type, c->width, c->height);
}

/* ---- all of them ---- */

static const struct window_system {
  int (*ask)(struct hb_gl_current *current); /* 0: no context of it is current */
  void (*release)(const struct hb_gl_current *current);
  void (*restore)(const struct hb_gl_current *current);
} systems[] = {{egl_ask, egl_release, egl_restore},
               {glx_ask, glx_release, glx_restore},
               {osmesa_ask, osmesa_release, osmesa_restore}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

struct hb_gl_current hb_gl_current_ask(void)
{
  struct hb_gl_current now = {0};
  for (int k = 0; k < SYSTEMS && !now.system; k++)
    if (systems[k].ask(&now)) now.system = k + 1;
  return now;
}

void hb_gl_current_release(const struct hb_gl_current *current)
{
  if (current->system) systems[current->system - 1].release(current);
}

void hb_gl_current_restore(const struct hb_gl_current *current)
{
  if (current->system) systems[current->system - 1].restore(current);
}
