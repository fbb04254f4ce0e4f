/* OSMesa: Mesa's software renderer without any window system. Mesa dropped it in 25.1, hence dlopen.
 * Its header does not compile after GLEW's: the few names needed are here. */
#include "gl/gl_backend.h"

#include "base/mem.h"
#include "gl/gl_probe.h"

#include <dlfcn.h>
#include <string.h>

enum {
  OSMESA_RGBA = 0x1908,
  OSMESA_FORMAT = 0x22,
  OSMESA_PROFILE = 0x33,
  OSMESA_CORE_PROFILE = 0x34,
  OSMESA_MAJOR = 0x36,
  OSMESA_MINOR = 0x37,
  UNSIGNED_BYTE = 0x1401,
  SIDE = 16 /* of the color buffer OSMesa insists on; everything is drawn elsewhere */
};

struct osmesa {
  void *context;
  unsigned char pixels[SIDE * SIDE * 4];
};

static struct {
  void *library;
  void *(*create)(const int *attributes, void *share);
  unsigned char (*make_current)(void *context, void *buffer, unsigned type, int width, int height);
  void (*destroy)(void *context);
  hb_gl_function (*get_proc)(const char *name);
} osmesa;

static enum hb_status load(void)
{
  if (osmesa.library) return HB_OK;
  static const char *const names[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so", "libOSMesa.dylib"};
  void *library = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
    library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  if (!library) return hb_fail(HB_ERR_GL, "libOSMesa is not installed (Mesa before 25.1 has it)");
  *(void **)&osmesa.create = dlsym(library, "OSMesaCreateContextAttribs");
  *(void **)&osmesa.make_current = dlsym(library, "OSMesaMakeCurrent");
  *(void **)&osmesa.destroy = dlsym(library, "OSMesaDestroyContext");
  *(void **)&osmesa.get_proc = dlsym(library, "OSMesaGetProcAddress");
  if (!osmesa.create || !osmesa.make_current || !osmesa.destroy || !osmesa.get_proc) {
    dlclose(library);
    return hb_fail(HB_ERR_GL, "libOSMesa is too old: OSMesaCreateContextAttribs is missing");
  }
  osmesa.library = library; /* never closed: the driver has threads of its own */
  return HB_OK;
}

static enum hb_status make_current(void *handle)
{
  struct osmesa *o = handle;
  if (!osmesa.make_current(o->context, o->pixels, UNSIGNED_BYTE, SIDE, SIDE))
    return hb_fail(HB_ERR_GL, "OSMesaMakeCurrent failed");
  return HB_OK;
}

static void release(void *handle)
{
  (void)handle;
  osmesa.make_current(NULL, NULL, UNSIGNED_BYTE, 0, 0);
}

static enum hb_status osmesa_open(const char *device, int hardware, int debug, void **handle)
{
  (void)debug;
  if (device && strcmp(device, "software") != 0)
    return hb_fail(HB_ERR_USAGE, "osmesa has no device '%s' (expected software)", device);
  if (hardware) return hb_fail(HB_ERR_GL, "osmesa is not a GPU");
  HB_TRY(load());
  HB_TRY(hb_gl_probe("osmesa", device));
  struct osmesa *o;
  HB_TRY(HB_ALLOC(1, &o));
  *handle = o;
  const int versions[][2] = {{4, 5}, {4, 3}, {4, 0}, {3, 3}};
  for (size_t k = 0; k < sizeof versions / sizeof *versions && !o->context; k++) {
    const int attributes[] = {OSMESA_FORMAT,       OSMESA_RGBA,    OSMESA_PROFILE,
                              OSMESA_CORE_PROFILE, OSMESA_MAJOR,   versions[k][0],
                              OSMESA_MINOR,        versions[k][1], 0};
    o->context = osmesa.create(attributes, NULL);
  }
  if (!o->context) return hb_fail(HB_ERR_GL, "OSMesa offers no OpenGL 3.3 core context");
  return make_current(o);
}

static void osmesa_close(void *handle)
{
  struct osmesa *o = handle;
  if (o->context) {
    release(o);
    osmesa.destroy(o->context);
  }
  hb_mem_free(o);
}

static hb_gl_function get_proc(const char *name) { return osmesa.get_proc(name); }

const struct hb_gl_backend hb_gl_osmesa = {
    .name = "osmesa",
    .open = osmesa_open,
    .close = osmesa_close,
    .make_current = make_current,
    .release = release,
    .get_proc = get_proc,
};
