/* OSMesa's calls by EGL without a surface, the same renderer: Mesa has no OSMesa of its own since 25.1. tests/run.sh makes a
 * libOSMesa.so.8 of it where there is none, so that what tests ask of OSMesa is asked there, too. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROFILE = 0x33, CORE = 0x34, MAJOR = 0x36, MINOR = 0x37, TYPE = 0x23, BYTES = 0x1401 };

struct context {
  EGLContext egl;
  void *pixels;
  unsigned type;
  int width, height;
  struct context *next;
};
static struct context *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct context *OSMesaCreateContextAttribs(const int *attributes, struct context *share);
void OSMesaDestroyContext(struct context *context);
unsigned char OSMesaMakeCurrent(struct context *context, void *pixels, unsigned type, int width, int height);
struct context *OSMesaGetCurrentContext(void);
unsigned char OSMesaGetColorBuffer(struct context *c, int *width, int *height, int *format, void **pixels);
void OSMesaGetIntegerv(int name, int *value);
void (*OSMesaGetProcAddress(const char *name))(void);

static EGLDisplay display(void)
{
  EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  return eglInitialize(d, NULL, NULL) && eglBindAPI(EGL_OPENGL_API) ? d : EGL_NO_DISPLAY;
}

struct context *OSMesaCreateContextAttribs(const int *attributes, struct context *share)
{
  EGLint wanted[16];
  int count = 0;
  for (; attributes[0]; attributes += 2) {
    EGLint word = attributes[0] == MAJOR     ? EGL_CONTEXT_MAJOR_VERSION
                  : attributes[0] == MINOR   ? EGL_CONTEXT_MINOR_VERSION
                  : attributes[0] == PROFILE ? EGL_CONTEXT_OPENGL_PROFILE_MASK
                                             : 0;
    if (!word || count > 12) continue;
    wanted[count++] = word;
    wanted[count++] = attributes[1] == CORE ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT : attributes[1];
  }
  wanted[count] = EGL_NONE;
  struct context *c = calloc(1, sizeof *c);
  const int said = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO); /* OSMesa says nothing about drivers that fail */
  if (c) c->egl = eglCreateContext(display(), NULL, share ? share->egl : EGL_NO_CONTEXT, wanted);
  dup2(said, STDERR_FILENO);
  close(said), close(nowhere);
  if (!c || c->egl == EGL_NO_CONTEXT) return free(c), NULL;
  pthread_mutex_lock(&lock);
  c->next = all, all = c;
  pthread_mutex_unlock(&lock);
  return c;
}

void OSMesaDestroyContext(struct context *context)
{
  struct context **at = &all;
  pthread_mutex_lock(&lock);
  while (*at != context) at = &(*at)->next;
  *at = context->next;
  pthread_mutex_unlock(&lock);
  eglDestroyContext(display(), context->egl);
  free(context);
}

unsigned char OSMesaMakeCurrent(struct context *context, void *pixels, unsigned type, int width, int height)
{
  if (context && (!pixels || width < 1 || height < 1)) return 0;
  if (!eglMakeCurrent(display(), NULL, NULL, context ? context->egl : EGL_NO_CONTEXT)) return 0;
  if (context)
    context->pixels = pixels, context->type = type, context->width = width, context->height = height;
  return 1;
}

/* By what EGL says: its own calls make contexts current, too. */
struct context *OSMesaGetCurrentContext(void)
{
  EGLContext now = eglGetCurrentContext();
  pthread_mutex_lock(&lock);
  struct context *c = all;
  while (c && c->egl != now) c = c->next;
  pthread_mutex_unlock(&lock);
  return c;
}

unsigned char OSMesaGetColorBuffer(struct context *c, int *width, int *height, int *format, void **pixels)
{
  *width = c->width, *height = c->height, *format = BYTES, *pixels = c->pixels;
  return 1;
}

void OSMesaGetIntegerv(int name, int *value)
{
  struct context *c = OSMesaGetCurrentContext();
  *value = c && name == TYPE ? (int)c->type : 0;
}

void (*OSMesaGetProcAddress(const char *name))(void) { return eglGetProcAddress(name); }
