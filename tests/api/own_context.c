/* A program that draws with an OpenGL context of its own: it stays current, whatever the library draws in between. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <holmberg/holmberg.h>
#include <stdio.h>
#include <string.h>

typedef void clear_color_fn(float red, float green, float blue, float alpha);
typedef void clear_fn(unsigned mask);
typedef void read_fn(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels);
enum { COLOR = 0x4000, RGBA = 0x1908, UNSIGNED_BYTE = 0x1401 };

/* A surface of one pixel. */
static EGLContext make_current(EGLDisplay *display, EGLSurface *surface)
{
  static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                  EGL_NONE};
  static const EGLint one_pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
  EGLConfig config;
  EGLint count = 0;
  *display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  if (!eglInitialize(*display, NULL, NULL) || !eglChooseConfig(*display, wanted, &config, 1, &count) ||
      !count)
    return EGL_NO_CONTEXT;
  eglBindAPI(EGL_OPENGL_API);
  *surface = eglCreatePbufferSurface(*display, config, one_pixel);
  EGLContext context = eglCreateContext(*display, config, EGL_NO_CONTEXT, NULL);
  return eglMakeCurrent(*display, *surface, *surface, context) ? context : EGL_NO_CONTEXT;
}

int main(int count, char **words)
{
  struct hb_sim_params params = {
      .force = {.scheme = "bag", .context = count > 1 ? words[1] : NULL, .eps = 0.01}};
  struct hb_particles *cluster;
  struct hb_sim *sim;
  unsigned char pixel[4] = {0};
  EGLDisplay display;
  EGLSurface surface;
  EGLContext context = make_current(&display, &surface);
  if (context == EGL_NO_CONTEXT) return fputs("no context of our own\n", stderr), 1;
  clear_color_fn *clear_color = (clear_color_fn *)eglGetProcAddress("glClearColor");
  clear_fn *clear = (clear_fn *)eglGetProcAddress("glClear");
  read_fn *read = (read_fn *)eglGetProcAddress("glReadPixels");

  clear_color(1, 0, 1, 1);
  if (hb_ic_make("plummer", &(struct hb_ic_params){.n = 64}, &cluster) != HB_OK ||
      hb_sim_take(cluster, &params, &sim) != HB_OK || hb_sim_integrate(sim, 1.0 / 32) != HB_OK)
    return fprintf(stderr, "%s\n", hb_error()), 1;
  clear(COLOR); /* in the color set before */
  printf("forces on %s\n", hb_force_device(hb_sim_force(sim)));
  hb_sim_destroy(sim);
  read(0, 0, 1, 1, RGBA, UNSIGNED_BYTE, pixel);

  int kept = eglGetCurrentContext() == context && eglGetCurrentSurface(EGL_DRAW) == surface &&
             memcmp(pixel, (unsigned char[]){255, 0, 255, 255}, 4) == 0;
  puts(kept ? "our context as before" : "our context has changed");
  eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglTerminate(display);
  return !kept;
}
