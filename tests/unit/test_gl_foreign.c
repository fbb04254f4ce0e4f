/* A program with OpenGL of its own: its context is current again after each of our functions, whatever system it is of,
 * and keeps its state. HB_CONTEXT says what ours is. */
#include "support/support.h"

#include <holmberg/device.h>

#include <GLFW/glfw3.h>
#include <dlfcn.h>

enum { N = 100, COLOR_CLEAR_VALUE = 0x0C22 };

typedef void clear_color_fn(float r, float g, float b, float a);
typedef void get_floats_fn(unsigned name, float *values);

/* A context of the caller's: made current, found again by its own system, and asked for its state. */
struct foreign {
  const char *name;
  void (*open)(struct foreign *foreign);
  void (*make_current)(struct foreign *foreign);
  void *(*current)(void); /* what its system says */
  void (*close)(struct foreign *foreign);
  void *context, *display;
  clear_color_fn *clear_color;
  get_floats_fn *get_floats;
};

/* ---- EGL without a surface, as OpenGL ES: its API is not ours ---- */

static struct {
  void *(*display)(unsigned platform, void *native, const long *attributes);
  unsigned (*initialize)(void *display, int *major, int *minor);
  unsigned (*bind)(unsigned api);
  unsigned (*api)(void);
  void *(*create)(void *display, void *config, void *share, const int *attributes);
  unsigned (*make_current)(void *display, void *draw, void *read, void *context);
  void *(*current)(void);
  unsigned (*destroy)(void *display, void *context);
  void *(*get_proc)(const char *name);
} egl;

static void egl_make_current(struct foreign *f)
{
  egl.bind(0x30A0); /* EGL_OPENGL_ES_API */
  assert_true(egl.make_current(f->display, NULL, NULL, f->context));
}

static void egl_open(struct foreign *f)
{
  void *library = dlopen("libEGL.so.1", RTLD_NOW);
  assert_non_null(library);
  *(void **)&egl.display = dlsym(library, "eglGetPlatformDisplay");
  *(void **)&egl.initialize = dlsym(library, "eglInitialize");
  *(void **)&egl.bind = dlsym(library, "eglBindAPI");
  *(void **)&egl.api = dlsym(library, "eglQueryAPI");
  *(void **)&egl.create = dlsym(library, "eglCreateContext");
  *(void **)&egl.make_current = dlsym(library, "eglMakeCurrent");
  *(void **)&egl.current = dlsym(library, "eglGetCurrentContext");
  *(void **)&egl.destroy = dlsym(library, "eglDestroyContext");
  *(void **)&egl.get_proc = dlsym(library, "eglGetProcAddress");
  f->display = egl.display(0x31DD, NULL, NULL); /* EGL_PLATFORM_SURFACELESS_MESA */
  assert_true(egl.initialize(f->display, NULL, NULL));
  egl.bind(0x30A0);
  const int version_2[] = {0x3098, 2, 0x3038};
  f->context = egl.create(f->display, NULL, NULL, version_2);
  assert_non_null(f->context);
  egl_make_current(f);
  *(void **)&f->clear_color = egl.get_proc("glClearColor");
  *(void **)&f->get_floats = egl.get_proc("glGetFloatv");
}

static void *egl_current(void) { return egl.current(); }

static void egl_close(struct foreign *f)
{
  egl.make_current(f->display, NULL, NULL, NULL);
  egl.destroy(f->display, f->context);
}

/* ---- OSMesa ---- */

static struct {
  void *(*create)(const int *attributes, void *share);
  unsigned char (*make_current)(void *context, void *memory, unsigned type, int width, int height);
  void *(*current)(void);
  void (*destroy)(void *context);
  void *(*get_proc)(const char *name);
} osmesa;
static unsigned char memory[4 * 8 * 4];

static void osmesa_make_current(struct foreign *f)
{
  assert_true(osmesa.make_current(f->context, memory, 0x1401, 8, 4));
}

static void osmesa_open(struct foreign *f)
{
  void *library = dlopen("libOSMesa.so.8", RTLD_NOW);
  assert_non_null(library);
  *(void **)&osmesa.create = dlsym(library, "OSMesaCreateContextAttribs");
  *(void **)&osmesa.make_current = dlsym(library, "OSMesaMakeCurrent");
  *(void **)&osmesa.current = dlsym(library, "OSMesaGetCurrentContext");
  *(void **)&osmesa.destroy = dlsym(library, "OSMesaDestroyContext");
  *(void **)&osmesa.get_proc = dlsym(library, "OSMesaGetProcAddress");
  const int attributes[] = {0x22, 0x1908, 0}; /* OSMESA_FORMAT, OSMESA_RGBA */
  f->context = osmesa.create(attributes, NULL);
  assert_non_null(f->context);
  osmesa_make_current(f);
  *(void **)&f->clear_color = osmesa.get_proc("glClearColor");
  *(void **)&f->get_floats = osmesa.get_proc("glGetFloatv");
}

static void *osmesa_current(void) { return osmesa.current(); }

static void osmesa_close(struct foreign *f)
{
  osmesa.make_current(NULL, NULL, 0, 0, 0);
  osmesa.destroy(f->context);
}

/* ---- GLX, by GLFW ---- */

static void *(*glx_current)(void);

static void glx_make_current(struct foreign *f) { glfwMakeContextCurrent(f->display); }

static void glx_open(struct foreign *f)
{
  assert_true(glfwInit());
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  f->display = glfwCreateWindow(8, 8, "foreign", NULL, NULL);
  assert_non_null(f->display);
  glx_make_current(f);
  void *library = dlopen("libGLX.so.0", RTLD_NOW);
  assert_non_null(library);
  *(void **)&glx_current = dlsym(library, "glXGetCurrentContext");
  f->context = glx_current();
  f->clear_color = (clear_color_fn *)glfwGetProcAddress("glClearColor");
  f->get_floats = (get_floats_fn *)glfwGetProcAddress("glGetFloatv");
}

static void *glx_ask(void) { return glx_current(); }

static void glx_close(struct foreign *f)
{
  glfwMakeContextCurrent(NULL);
  glfwDestroyWindow(f->display);
}

/* ---- the cases ---- */

/* It is current, by its own system, and its state is what we left. */
static void check(const struct foreign *f, const float color[4], const char *after)
{
  float got[4] = {0};
  if (f->current == egl_current) assert_int_equal(egl.api(), 0x30A0);
  if (f->current() != f->context) fail_msg("%s is not current after %s", f->name, after);
  f->get_floats(COLOR_CLEAR_VALUE, got);
  assert_memory_equal(got, color, sizeof got);
}

/* Forces in all their calls, with another state of the caller's before each. */
static void forces(struct foreign *f, const struct hb_particles *given, const double *right)
{
  struct hb_particles *p = (struct hb_particles *)given;
  const struct hb_force_params params = {
      .scheme = "bag", .precision = "ds", .eps = 0.01, .flags = HB_FORCE_NO_TUNE};
  uint32_t index[N];
  double a[3 * N], j[3 * N], phi[N];
  for (uint32_t i = 0; i < N; i++) index[i] = i;
  for (int turn = 0; turn < 2; turn++) {
    float color[4] = {0.25f, 0.5f, 0.75f, (float)turn};
    struct hb_force *force;
    f->clear_color(color[0], color[1], color[2], color[3]);
    ASSERT_OK(hb_force_open(&params, &force));
    check(f, color, "hb_force_open");
    ASSERT_OK(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
    check(f, color, "hb_force_set_j");
    f->clear_color(color[0] = 1, color[1], color[2], color[3]);
    ASSERT_OK(hb_force_begin(force, N, index, a, j, phi));
    check(f, color, "hb_force_begin");
    f->clear_color(color[0], color[1] = 1, color[2], color[3]);
    ASSERT_OK(hb_force_finish(force));
    check(f, color, "hb_force_finish");
    for (int k = 0; k < 3 * N; k++) assert_float_equal(a[k], right[k], 1e-4);
    hb_force_close(force);
    check(f, color, "hb_force_close");
  }
}

static void simulation(struct foreign *f, const struct hb_particles *p)
{
  const struct hb_sim_params params = {.force = {.scheme = "bag", .eps = 0.01, .flags = HB_FORCE_NO_TUNE}};
  const float color[4] = {0.5f, 0, 0, 1};
  struct hb_sim *sim;
  f->clear_color(color[0], color[1], color[2], color[3]);
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  check(f, color, "hb_sim_create");
  ASSERT_OK(hb_sim_step(sim));
  check(f, color, "hb_sim_step");
  ASSERT_OK(hb_device_use(sim));
  assert_true(f->current() != f->context);
  hb_device_release();
  assert_null(f->current());
  ASSERT_OK(hb_sim_step(sim));
  assert_true(f->current() != f->context); /* nothing was current: nothing to restore */
  hb_device_release();
  f->make_current(f);
  hb_sim_destroy(sim);
  check(f, color, "hb_sim_destroy");
}

static void foreign_context_is_restored(void **state)
{
  struct foreign *f = *state;
  const struct hb_force_params host = {.scheme = "host", .eps = 0.01};
  struct hb_particles *p;
  struct hb_force *force;
  uint32_t index[N];
  double right[3 * N], j[3 * N], phi[N];
  for (uint32_t i = 0; i < N; i++) index[i] = i;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 1}, &p));
  ASSERT_OK(hb_force_open(&host, &force));
  ASSERT_OK(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
  ASSERT_OK(hb_force_eval(force, N, index, right, j, phi));
  hb_force_close(force);
  f->open(f);
  forces(f, p, right);
  simulation(f, p);
  f->close(f);
  hb_particles_destroy(p);
}

int main(void)
{
  static struct foreign systems[] = {
      {"EGL", egl_open, egl_make_current, egl_current, egl_close, NULL, NULL, NULL, NULL},
      {"OSMesa", osmesa_open, osmesa_make_current, osmesa_current, osmesa_close, NULL, NULL, NULL, NULL},
      {"GLX", glx_open, glx_make_current, glx_ask, glx_close, NULL, NULL, NULL, NULL},
  };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(foreign_context_is_restored, &systems[0]),
      cmocka_unit_test_prestate(foreign_context_is_restored, &systems[1]),
      cmocka_unit_test_prestate(foreign_context_is_restored, &systems[2]),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
