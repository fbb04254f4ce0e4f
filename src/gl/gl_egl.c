/* EGL without a window: the device platform (a real GPU on a machine without a display), then Mesa's
 * surfaceless platform. libEGL is opened with dlopen, so that the program starts where it is missing. */
#include "gl/gl_egl.h"

#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_backend.h"
#include "gl/gl_probe.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 32 };

struct egl {
  const struct api *api;
  EGLDisplay display;
  EGLDeviceEXT device; /* NULL: that of the surfaceless platform */
  EGLContext context;
};

/* The entry points in use, each by its own type. */
#define EGL_FUNCTIONS(X)                                                                                     \
  X(EGLBoolean, BindAPI, (EGLenum api))                                                                      \
  X(EGLBoolean, ChooseConfig,                                                                                \
    (EGLDisplay display, const EGLint *attributes, EGLConfig *configs, EGLint size, EGLint *count))          \
  X(EGLContext, CreateContext,                                                                               \
    (EGLDisplay display, EGLConfig config, EGLContext share, const EGLint *attributes))                      \
  X(EGLBoolean, DestroyContext, (EGLDisplay display, EGLContext context))                                    \
  X(EGLint, GetError, (void))                                                                                \
  X(hb_gl_function, GetProcAddress, (const char *name))                                                      \
  X(EGLBoolean, Initialize, (EGLDisplay display, EGLint * major, EGLint * minor))                            \
  X(EGLBoolean, MakeCurrent, (EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context))     \
  X(const char *, QueryString, (EGLDisplay display, EGLint name))

static struct {
  void *library;
#define FIELD(result, name, arguments) result(*name) arguments;
  EGL_FUNCTIONS(FIELD)
  PFNEGLGETPLATFORMDISPLAYEXTPROC GetPlatformDisplay;
  PFNEGLQUERYDEVICESEXTPROC QueryDevices; /* NULL without EGL_EXT_device_base */
  PFNEGLQUERYDEVICESTRINGEXTPROC QueryDeviceString;
  PFNEGLQUERYDEVICEATTRIBEXTPROC QueryDeviceAttribute;
  PFNEGLQUERYDEVICEBINARYEXTPROC QueryDeviceBinary;
} egl;

static int has_word(const char *list, const char *word) { return list && hb_text_is_listed(word, list); }

static enum hb_status load_library(void)
{
  if (egl.library) return HB_OK;
  void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return hb_fail(HB_ERR_GL, "libEGL.so.1 is not installed");
  int complete = 1;
#define LOAD(result, name, arguments)                                                                        \
  *(void **)&egl.name = dlsym(library, "egl" #name);                                                         \
  complete = complete && egl.name;
  EGL_FUNCTIONS(LOAD)
  if (!complete) {
    dlclose(library);
    return hb_fail(HB_ERR_GL, "libEGL.so.1 is incomplete");
  }
  const char *client = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  egl.GetPlatformDisplay = (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl.GetProcAddress("eglGetPlatformDisplayEXT");
  if (has_word(client, "EGL_EXT_device_base") || has_word(client, "EGL_EXT_device_enumeration")) {
    egl.QueryDevices = (PFNEGLQUERYDEVICESEXTPROC)egl.GetProcAddress("eglQueryDevicesEXT");
    egl.QueryDeviceString = (PFNEGLQUERYDEVICESTRINGEXTPROC)egl.GetProcAddress("eglQueryDeviceStringEXT");
    egl.QueryDeviceAttribute = (PFNEGLQUERYDEVICEATTRIBEXTPROC)egl.GetProcAddress("eglQueryDeviceAttribEXT");
    egl.QueryDeviceBinary = (PFNEGLQUERYDEVICEBINARYEXTPROC)egl.GetProcAddress("eglQueryDeviceBinaryEXT");
  }
  if (!client || !egl.GetPlatformDisplay) return hb_fail(HB_ERR_GL, "EGL has no platform displays");
  egl.library = library; /* never closed: drivers do not survive it */
  return HB_OK;
}

static enum hb_status load(void)
{
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&loading);
  enum hb_status status = load_library();
  pthread_mutex_unlock(&loading);
  return status;
}

/* ---- devices ---- */

static size_t query_devices(EGLDeviceEXT devices[MAX_DEVICES])
{
  EGLint count = 0;
  if (!egl.QueryDevices || !egl.QueryDevices(MAX_DEVICES, devices, &count)) return 0;
  return (size_t)count;
}

static int device_is_software(EGLDeviceEXT device)
{
  return has_word(egl.QueryDeviceString(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

static const char *device_path(EGLDeviceEXT device, EGLint which, const char *extension)
{
  if (!has_word(egl.QueryDeviceString(device, EGL_EXTENSIONS), extension)) return NULL;
  return egl.QueryDeviceString(device, which);
}

static const char *card_path(EGLDeviceEXT device)
{
  return device_path(device, EGL_DRM_DEVICE_FILE_EXT, "EGL_EXT_device_drm");
}

static const char *render_path(EGLDeviceEXT device)
{
  return device_path(device, EGL_DRM_RENDER_NODE_FILE_EXT, "EGL_EXT_device_drm_render_node");
}

/* The place on the bus, by the system's folder for the device file. */
static int find_pci(EGLDeviceEXT device, size_t room, char *address)
{
  const char *path = card_path(device);
  char link[128], target[256];
  if (!path) path = render_path(device);
  if (!path) return 0;
  snprintf(link, sizeof link, "/sys/class/drm/%s/device", hb_text_base_name(path));
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length <= 0) return 0;
  target[length] = 0;
  snprintf(address, room, "PCI %.40s", hb_text_base_name(target));
  return 1;
}

/* What no other device has. */
static int find_uuid(EGLDeviceEXT device, size_t room, char *address)
{
  enum { UUID_BYTES = 16 };
  unsigned char uuid[UUID_BYTES] = {0};
  EGLint size = 0;
  if (!egl.QueryDeviceBinary ||
      !has_word(egl.QueryDeviceString(device, EGL_EXTENSIONS), "EGL_EXT_device_persistent_id") ||
      !egl.QueryDeviceBinary(device, EGL_DEVICE_UUID_EXT, UUID_BYTES, uuid, &size) || size != UUID_BYTES)
    return 0;
  size_t used = (size_t)snprintf(address, room, "UUID ");
  for (int k = 0; k < UUID_BYTES && used < room; k++)
    used += (size_t)snprintf(address + used, room - used, "%02x", uuid[k]);
  return 1;
}

static int find_cuda(EGLDeviceEXT device, size_t room, char *address)
{
  EGLAttrib number;
  if (!egl.QueryDeviceAttribute ||
      !has_word(egl.QueryDeviceString(device, EGL_EXTENSIONS), "EGL_NV_device_cuda") ||
      !egl.QueryDeviceAttribute(device, EGL_CUDA_DEVICE_NV, &number))
    return 0;
  snprintf(address, room, "CUDA %ld", (long)number);
  return 1;
}

static void find_address(EGLDeviceEXT device, size_t room, char *address)
{
  *address = 0;
  if (find_pci(device, room, address) || find_uuid(device, room, address)) return;
  find_cuda(device, room, address);
}

void hb_gl_egl_devices(size_t max, struct hb_device_info *infos, size_t *count)
{
  *count = 0;
  if (load() != HB_OK) return;
  EGLDeviceEXT devices[MAX_DEVICES];
  size_t found = query_devices(devices);
  for (size_t k = 0; k < found && k < max; k++) {
    const char *path = render_path(devices[k]);
    if (!path) path = card_path(devices[k]);
    infos[k] = (struct hb_device_info){.index = (int)k, .software = device_is_software(devices[k])};
    snprintf(infos[k].path, sizeof infos[k].path, "%s", path ? path : "");
    find_address(devices[k], sizeof infos[k].address, infos[k].address);
  }
  *count = found < max ? found : max;
}

/* ---- contexts ---- */

/* What EGL opens: desktop OpenGL, or OpenGL ES, which all phones and small boards have. */
struct api {
  const char *name, *wanted;
  EGLenum bound;
  EGLint config_bit, profile; /* profile 0: it has none */
  EGLint versions[5][2];      /* newest first, ended by zeros */
};

static const struct api desktop = {.name = "egl",
                                   .wanted = "OpenGL 3.3 core",
                                   .bound = EGL_OPENGL_API,
                                   .config_bit = EGL_OPENGL_BIT,
                                   .profile = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   .versions = {{4, 5}, {4, 3}, {4, 0}, {3, 3}}};
static const struct api es = {.name = "gles",
                              .wanted = "OpenGL ES 3.0",
                              .bound = EGL_OPENGL_ES_API,
                              .config_bit = EGL_OPENGL_ES3_BIT,
                              .versions = {{3, 2}, {3, 1}, {3, 0}}};

/* The last attributes are unknown to some drivers (EGL 1.4 has none of the three): robust access and reports of a lost
 * context are left out first, then debugging. */
static EGLContext create_version(const struct egl *e, EGLConfig config, int debug, const EGLint version[2])
{
  for (int without = 0; without <= 2; without++) {
    EGLint attributes[16] = {EGL_CONTEXT_MAJOR_VERSION, version[0], EGL_CONTEXT_MINOR_VERSION, version[1]};
    int count = 4;
    const EGLint more[][2] = {{EGL_CONTEXT_OPENGL_DEBUG, debug ? EGL_TRUE : EGL_FALSE},
                              {EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE},
                              {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET}};
    static const int kept[] = {3, 1, 0};
    if (e->api->profile) {
      attributes[count++] = EGL_CONTEXT_OPENGL_PROFILE_MASK;
      attributes[count++] = e->api->profile;
    }
    for (int k = 0; k < kept[without]; k++) {
      attributes[count++] = more[k][0];
      attributes[count++] = more[k][1];
    }
    attributes[count] = EGL_NONE;
    EGLContext context = egl.CreateContext(e->display, config, EGL_NO_CONTEXT, attributes);
    if (context != EGL_NO_CONTEXT) return context;
  }
  return EGL_NO_CONTEXT;
}

static EGLContext create_context(const struct egl *e, EGLConfig config, int debug)
{
  EGLContext context = EGL_NO_CONTEXT;
  for (int k = 0; e->api->versions[k][0] && context == EGL_NO_CONTEXT; k++)
    context = create_version(e, config, debug, e->api->versions[k]);
  return context;
}

static enum hb_status make_current(void *handle)
{
  struct egl *e = handle;
  /* the bound API is per thread and EGL's default is OpenGL ES */
  if (!egl.BindAPI(e->api->bound) || !egl.MakeCurrent(e->display, EGL_NO_SURFACE, EGL_NO_SURFACE, e->context))
    return hb_fail(HB_ERR_GL, "eglMakeCurrent failed with error 0x%x", (unsigned)egl.GetError());
  return HB_OK;
}

static void release(void *handle)
{
  struct egl *e = handle;
  egl.MakeCurrent(e->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

static void egl_close(void *handle)
{
  struct egl *e = handle;
  if (e->context != EGL_NO_CONTEXT) {
    release(e);
    egl.DestroyContext(e->display, e->context);
  }
  hb_mem_free(e);
}

/* A display is never terminated: EGL returns the same one for each request for a platform, without counting, and to end
 * it would end all contexts in the process. */
static enum hb_status try_display(struct egl *e, EGLenum platform, void *native, int debug)
{
  e->display = egl.GetPlatformDisplay(platform, native, NULL);
  if (e->display == EGL_NO_DISPLAY || !egl.Initialize(e->display, NULL, NULL)) {
    e->display = EGL_NO_DISPLAY;
    return hb_fail(HB_ERR_GL, "eglInitialize failed with error 0x%x", (unsigned)egl.GetError());
  }
  const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, e->api->config_bit, EGL_NONE};
  EGLConfig config = NULL; /* a context without surfaces may do without one */
  EGLint count = 0;
  egl.ChooseConfig(e->display, wanted, &config, 1, &count);
  if (!egl.BindAPI(e->api->bound)) return hb_fail(HB_ERR_GL, "EGL has no %s", e->api->wanted);
  e->context = create_context(e, config, debug);
  if (e->context != EGL_NO_CONTEXT) return make_current(e);
  return hb_fail(HB_ERR_GL, "no %s context (eglCreateContext: 0x%x)", e->api->wanted,
                 (unsigned)egl.GetError());
}

static enum hb_status try_device(struct egl *e, EGLDeviceEXT device, int debug)
{
  e->device = device;
  return try_display(e, EGL_PLATFORM_DEVICE_EXT, device, debug);
}

/* --device INDEX, /dev/dri/... or software. */
static enum hb_status open_named(struct egl *e, const char *name, int debug)
{
  HB_TRY(hb_gl_probe(e->api->name, name));
  EGLDeviceEXT devices[MAX_DEVICES];
  size_t count = query_devices(devices);
  char *end;
  long index = strtol(name, &end, 10);
  for (size_t k = 0; k < count; k++) {
    const char *card = card_path(devices[k]), *render = render_path(devices[k]);
    int match = strcmp(name, "software") == 0 ? device_is_software(devices[k])
                : *end == 0                   ? index == (long)k
                            : (card && strcmp(card, name) == 0) || (render && strcmp(render, name) == 0);
    if (match) return try_device(e, devices[k], debug);
  }
  if (strcmp(name, "software") == 0) {
    const struct hb_gl_software before = hb_gl_software_begin();
    enum hb_status status = try_display(e, EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, debug);
    hb_gl_software_end(&before);
    return status;
  }
  return hb_fail(HB_ERR_GL, "EGL has no device '%s' among its %zu (expected INDEX, /dev/dri/... or software)",
                 name, count);
}

static enum hb_status open_best(struct egl *e, int hardware, int debug)
{
  EGLDeviceEXT devices[MAX_DEVICES];
  size_t count = query_devices(devices), first = 0;
  while (first < count && device_is_software(devices[first])) first++;
  if (first < count || !hardware) HB_TRY(hb_gl_probe(e->api->name, NULL));
  for (size_t k = first; k < count; k++)
    if (!device_is_software(devices[k]) && try_device(e, devices[k], debug) == HB_OK) return HB_OK;
  e->device = NULL;
  if (hardware) return hb_fail(HB_ERR_GL, "no GPU among the devices of EGL, of which there are %zu", count);
  if (try_display(e, EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, debug) == HB_OK) return HB_OK;
  for (size_t k = 0; k < count; k++)
    if (device_is_software(devices[k]) && try_device(e, devices[k], debug) == HB_OK) return HB_OK;
  return hb_fail(HB_ERR_GL, "neither the %zu devices of EGL nor its surfaceless platform: %s", count,
                 hb_error());
}

static enum hb_status open_api(const struct api *api, const char *device, int hardware, int debug,
                               void **handle)
{
  HB_TRY(load());
  struct egl *e;
  HB_TRY(HB_ALLOC(1, &e));
  e->api = api;
  *handle = e;
  return device ? open_named(e, device, debug) : open_best(e, hardware, debug);
}

static enum hb_status egl_open(const char *device, int hardware, int debug, void **handle)
{
  return open_api(&desktop, device, hardware, debug, handle);
}

static enum hb_status gles_open(const char *device, int hardware, int debug, void **handle)
{
  return open_api(&es, device, hardware, debug, handle);
}

static void get_address(void *handle, size_t room, char *address)
{
  const struct egl *e = handle;
  if (e->device) find_address(e->device, room, address);
}

static hb_gl_function get_proc(const char *name) { return egl.GetProcAddress(name); }

static const struct hb_gl_backend egl_backend = {
    .name = "egl",
    .open = egl_open,
    .close = egl_close,
    .make_current = make_current,
    .release = release,
    .get_address = get_address,
    .get_proc = get_proc,
};

static const struct hb_gl_backend gles_backend = {
    .name = "gles",
    .open = gles_open,
    .close = egl_close,
    .make_current = make_current,
    .release = release,
    .get_address = get_address,
    .get_proc = get_proc,
};

/* The ways to get a context on a desktop. */
const struct hb_gl_backend *const hb_gl_backends[] = {&egl_backend, &hb_gl_osmesa, &hb_gl_glfw, &gles_backend,
                                                      NULL};

/* ---- what context is current, anybody's: by EGL, GLX or OSMesa ---- */

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
#define ENTRY(names, name, result, ...)                                                                      \
  static result (*name)(__VA_ARGS__);                                                                        \
  if (!name) *(void **)&name = loaded(names, #name)

/* ---- EGL ---- */

enum { EGL_DRAWN = 0x3059, EGL_READ_FROM = 0x305A }; /* EGL_DRAW, EGL_READ */

static void egl_describe(struct hb_gl_current *c)
{
  ENTRY(egl_names, eglGetCurrentDisplay, void *, void);
  ENTRY(egl_names, eglGetCurrentSurface, void *, int);
  ENTRY(egl_names, eglQueryAPI, unsigned, void);
  c->display = eglGetCurrentDisplay();
  c->draw = eglGetCurrentSurface(EGL_DRAWN);
  c->read = eglGetCurrentSurface(EGL_READ_FROM);
  c->egl_api = eglQueryAPI();
}

static void egl_restore(const struct hb_gl_current *c)
{
  ENTRY(egl_names, eglBindAPI, unsigned, unsigned);
  ENTRY(egl_names, eglMakeCurrent, unsigned, void *, void *, void *, void *);
  eglBindAPI(c->egl_api);
  eglMakeCurrent(c->display, c->draw, c->read, c->context);
}

/* ---- GLX: drawables are numbers, which fit a pointer ---- */

static void glx_describe(struct hb_gl_current *c)
{
  ENTRY(glx_names, glXGetCurrentDisplay, void *, void);
  ENTRY(glx_names, glXGetCurrentDrawable, void *, void);
  ENTRY(glx_names, glXGetCurrentReadDrawable, void *, void);
  c->display = glXGetCurrentDisplay();
  c->draw = glXGetCurrentDrawable();
  c->read = glXGetCurrentReadDrawable();
}

static void glx_restore(const struct hb_gl_current *c)
{
  ENTRY(glx_names, glXMakeContextCurrent, int, void *, void *, void *, void *);
  glXMakeContextCurrent(c->display, c->draw, c->read, c->context);
}

/* ---- OSMesa ---- */

enum { OSMESA_HAS_TYPE = 0x23 }; /* OSMESA_TYPE */

static void osmesa_describe(struct hb_gl_current *c)
{
  ENTRY(osmesa_names, OSMesaGetColorBuffer, unsigned char, void *, int *, int *, int *, void **);
  ENTRY(osmesa_names, OSMesaGetIntegerv, void, int, int *);
  int format, type = 0;
  OSMesaGetColorBuffer(c->context, &c->width, &c->height, &format, &c->draw);
  OSMesaGetIntegerv(OSMESA_HAS_TYPE, &type);
  c->type = (unsigned)type;
}

static void osmesa_restore(const struct hb_gl_current *c)
{
  ENTRY(osmesa_names, OSMesaMakeCurrent, unsigned char, void *, void *, unsigned, int, int);
  OSMesaMakeCurrent(c->context, c->draw, c->type, c->width, c->height);
}

/* ---- all of them ---- */

static const struct window_system {
  const char *const *names, *ask;                  /* the function that returns its current context */
  void (*describe)(struct hb_gl_current *current); /* how to come back to that */
  void (*restore)(const struct hb_gl_current *current);
} systems[] = {{egl_names, "eglGetCurrentContext", egl_describe, egl_restore},
               {glx_names, "glXGetCurrentContext", glx_describe, glx_restore},
               {osmesa_names, "OSMesaGetCurrentContext", osmesa_describe, osmesa_restore}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

struct hb_gl_current hb_gl_current_ask(const void *known)
{
  static void *(*ask[SYSTEMS])(void);
  struct hb_gl_current now = {0};
  for (int k = 0; k < SYSTEMS && !now.context; k++) {
    if (!ask[k]) *(void **)&ask[k] = loaded(systems[k].names, systems[k].ask);
    now.context = ask[k] ? ask[k]() : NULL;
    if (!now.context) continue;
    now.restore = systems[k].restore;
    if (now.context != known) systems[k].describe(&now);
  }
  return now;
}
