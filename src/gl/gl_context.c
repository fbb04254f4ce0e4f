#include "gl/gl_context.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl.h"
#include "gl/gl_egl.h"

#include <holmberg/device.h>

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- functions ---- */

/* The header of GLEW is used, its library is not: glewInit() knows contexts of GLX only, and its pointers are the process's,
 * so that two threads with contexts of two kinds, or the host program, would call each other's.
 *
 * For every function glX since GL 1.2, GLEW has a macro glX for a pointer __glewX; gl.h lets it name the field of a table of
 * this thread. hb_gl_api_load fills the functions listed there from the get_proc of the current context's back end:
 * OSMesaGetProcAddress, eglGetProcAddress, glfwGetProcAddress. The functions of GL 1.0 and 1.1 are not pointers in GLEW but
 * symbols of libGL: gl.h redirects them to a table of the same names, filled in the same way. Contexts of one back end share
 * pointers; hb_gl_context_use loads them again for another back end.
 *
 * A context of OpenGL ES 3 fills the same pointers: eglGetProcAddress returns them by the same names, with the same types.
 * What ES lacks is a field of struct hb_gl_caps, since a pointer does not tell, or is made here from what it has. */

_Thread_local struct hb_gl_core_11 hb_gl_core_11;
_Thread_local struct hb_gl_since_12 hb_gl_since_12;

static void GLAPIENTRY read_mapped(GLenum target, GLintptr offset, GLsizeiptr bytes, void *data)
{
  const void *mapped = glMapBufferRange(target, offset, bytes, GL_MAP_READ_BIT);
  if (!mapped) return; /* glGetError says so */
  memcpy(data, mapped, (size_t)bytes);
  glUnmapBuffer(target);
}

static int is_es(void)
{
  const char *version = (const char *)glGetString(GL_VERSION);
  return version && strncmp(version, "OpenGL ES", 9) == 0;
}

static enum hb_status load_functions(hb_gl_get_proc get_proc)
{
  const char *missing = NULL;
#define LOAD_11(result, name, arguments)                                                                     \
  hb_gl_core_11.name = (result(GLAPIENTRY *) arguments)get_proc("gl" #name);                                 \
  if (!hb_gl_core_11.name) missing = "gl" #name;
  HB_GL_CORE_11(LOAD_11)
#define LOAD(type, name) hb_gl_since_12.__glew##name = (PFNGL##type##PROC)get_proc("gl" #name);
#define LOAD_33(type, name)                                                                                  \
  LOAD(type, name)                                                                                           \
  if (!hb_gl_since_12.__glew##name) missing = "gl" #name;
  HB_GL_33(LOAD_33)
  HB_GL_LATER(LOAD)
  if (missing)
    return hb_fail(HB_ERR_GL, "the OpenGL library has no %s, expected OpenGL 3.3 or ES 3.0", missing);
  if (is_es()) glGetBufferSubData = read_mapped;
  return HB_OK;
}

/* ---- what a context can do: read once, from its version, its extensions and its limits ---- */

static int is_software_renderer(const char *renderer)
{
  static const char *const names[] = {"llvmpipe",    "softpipe", "swrast",
                                      "SwiftShader", "lavapipe", "Software Rasterizer"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strstr(renderer, names[k])) return 1;
  return 0;
}

static GLint limit(GLenum name)
{
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

static int has_extension(const char *name)
{
  GLint count = limit(GL_NUM_EXTENSIONS);
  for (GLint k = 0; k < count; k++)
    if (strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)k), name) == 0) return 1;
  return 0;
}

static void copy_string(GLenum name, size_t room, char *text)
{
  const GLubyte *string = glGetString(name);
  snprintf(text, room, "%s", string ? (const char *)string : "unknown");
}

static int version_of(const struct hb_gl_caps *caps) { return 10 * caps->major + caps->minor; }

static void read_desktop_caps(int version, struct hb_gl_caps *caps)
{
  caps->has_precise = version >= 40 || has_extension("GL_ARB_gpu_shader5");
  caps->has_double = version >= 40 || has_extension("GL_ARB_gpu_shader_fp64");
  caps->has_compute = caps->has_storage = version >= 43;
  caps->has_reset = version >= 45 || has_extension("GL_KHR_robustness");
  caps->has_texture_barrier = version >= 45 || has_extension("GL_ARB_texture_barrier");
  caps->has_lasting_maps = version >= 44 || (version >= 43 && has_extension("GL_ARB_buffer_storage"));
  caps->has_buffer_textures = caps->has_counts = 1;
  caps->max_rectangle_size = limit(GL_MAX_RECTANGLE_TEXTURE_SIZE);
  caps->max_texture_buffer_size = limit(GL_MAX_TEXTURE_BUFFER_SIZE);
}

/* What GL 4.3 promises, and shaders/pairs takes for granted: ES 3.1 promises half of the threads and of their memory, and
 * storage buffers to compute shaders alone. */
static void read_es_compute(struct hb_gl_caps *caps)
{
  enum { STORAGES = 4, IN_FRAGMENTS = 2, THREADS = 256, SHARED = 32768 };
  caps->has_compute = limit(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS) >= STORAGES &&
                      limit(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS) >= THREADS &&
                      limit(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE) >= SHARED;
  caps->has_storage = caps->has_compute && limit(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS) >= IN_FRAGMENTS;
}

static void read_es_caps(int version, struct hb_gl_caps *caps)
{
  if (version >= 31) read_es_compute(caps);
  caps->has_precise = version >= 32 || (version >= 31 && has_extension("GL_EXT_gpu_shader5"));
  caps->has_reset = version >= 32;
  caps->has_buffer_textures = version >= 32;
  if (caps->has_buffer_textures) caps->max_texture_buffer_size = limit(GL_MAX_TEXTURE_BUFFER_SIZE);
}

/* HB_LIMITS: what a test takes away. */
static const struct {
  const char *name;
  size_t at;
} limits[] = {
#define LIMIT(name) {#name, offsetof(struct hb_gl_caps, name)},
    LIMIT(has_precise) LIMIT(has_double) LIMIT(has_compute) LIMIT(has_storage) LIMIT(has_reset)
        LIMIT(has_draws) LIMIT(has_texture_barrier) LIMIT(has_lasting_maps) LIMIT(has_buffer_textures)
            LIMIT(has_counts) LIMIT(software) LIMIT(registers) LIMIT(max_texture_size) LIMIT(max_draw_buffers)
                LIMIT(max_texture_buffer_size) LIMIT(max_uniform_block_size) LIMIT(max_storage_block_size)
#undef LIMIT
};
enum { LIMITS = sizeof limits / sizeof *limits };

static enum hb_status impose_limit(const char *word, struct hb_gl_caps *caps)
{
  size_t length = strcspn(word, "= "), k = 0;
  while (k < LIMITS && (strlen(limits[k].name) != length || strncmp(limits[k].name, word, length) != 0)) k++;
  char *end = NULL;
  long value = word[length] == '=' ? strtol(word + length + 1, &end, 10) : -1;
  if (k == LIMITS || value < 0 || value > INT_MAX || (*end && *end != ' '))
    return hb_fail(HB_ERR_USAGE, "HB_LIMITS has '%.*s' (expected words such as max_texture_size=4096)",
                   (int)strcspn(word, " "), word);
  int *cap = (int *)(void *)((char *)caps + limits[k].at);
  if (value < *cap) *cap = (int)value;
  return HB_OK;
}

static enum hb_status impose_limits(struct hb_gl_caps *caps)
{
  const char *words = getenv("HB_LIMITS");
  for (words = words ? words : ""; *(words += strspn(words, " ")); words += strcspn(words, " "))
    HB_TRY(impose_limit(words, caps));
  return HB_OK;
}

static enum hb_status read_caps(struct hb_gl_caps *caps)
{
  copy_string(GL_VENDOR, sizeof caps->vendor, caps->vendor);
  copy_string(GL_RENDERER, sizeof caps->renderer, caps->renderer);
  copy_string(GL_VERSION, sizeof caps->version, caps->version);
  caps->major = limit(GL_MAJOR_VERSION);
  caps->minor = limit(GL_MINOR_VERSION);
  caps->software = is_software_renderer(caps->renderer);
  caps->is_es = is_es();
  snprintf(caps->api, sizeof caps->api, "OpenGL %s%d.%d", caps->is_es ? "ES " : "", caps->major, caps->minor);
  caps->max_texture_size = limit(GL_MAX_TEXTURE_SIZE);
  caps->max_color_attachments = limit(GL_MAX_COLOR_ATTACHMENTS);
  caps->max_draw_buffers = limit(GL_MAX_DRAW_BUFFERS);
  caps->max_uniform_block_size = limit(GL_MAX_UNIFORM_BLOCK_SIZE);
  if (caps->is_es)
    read_es_caps(version_of(caps), caps);
  else
    read_desktop_caps(version_of(caps), caps);
  if (caps->has_compute) caps->max_storage_block_size = limit(GL_MAX_SHADER_STORAGE_BLOCK_SIZE);
  /* softpipe fetches what was in a buffer before it was written, and other texels from 32768 on (Mesa 22.3 to 26). */
  if (strstr(caps->renderer, "softpipe")) caps->has_buffer_textures = 0;
  caps->has_draws = 1;
  caps->registers = strstr(caps->vendor, "NVIDIA") ? 255 : caps->is_es ? 64 : 128;
  HB_TRY(impose_limits(caps));
  if (!caps->has_buffer_textures) caps->max_texture_buffer_size = HB_GL_ROW * caps->max_texture_size;
  return HB_OK;
}

/* HB_ERR_GL where it is too old for this program. */
static enum hb_status check_caps(const struct hb_gl_caps *caps)
{
  if (version_of(caps) < (caps->is_es ? 30 : 33))
    return hb_fail(HB_ERR_GL, "%s offers %s, expected OpenGL 3.3, OpenGL ES 3.0, or newer", caps->renderer,
                   caps->api);
  if (caps->is_es && version_of(caps) < 32 && !has_extension("GL_EXT_color_buffer_float"))
    return hb_fail(HB_ERR_GL, "%s cannot draw into textures of floats (it lacks EXT_color_buffer_float)",
                   caps->renderer);
  return HB_OK;
}

/* Whether the functions of GL_KHR_debug are there: before ES 3.2 they have other names. */
static int has_debug(const struct hb_gl_caps *caps)
{
  return caps->is_es ? version_of(caps) >= 32 : version_of(caps) >= 43 || has_extension("GL_KHR_debug");
}

/* ---- contexts ---- */

static _Thread_local struct hb_gl_context *current;
static _Thread_local const void *ours;                   /* the same, as the system calls it */
static _Thread_local const struct hb_gl_backend *loaded; /* whose functions we have; NULL: none */
static _Thread_local struct hb_gl_context *shown;        /* that of the visible window; NULL: there is none */

/* Contexts are opened and closed by one thread at a time: back ends count what all of them share. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* ---- which is current ---- */

static _Thread_local struct visit {
  int depth;    /* public functions call each other */
  int is_aside; /* the caller's context has been looked for */
  struct hb_gl_current callers;
} visit;

static void is_current(struct hb_gl_context *c)
{
  current = c;
  c->thread = &visit;
  ours = hb_gl_current_ask(NULL).context;
}

static void none_is_current(void)
{
  if (current) current->thread = NULL;
  current = NULL;
}

void hb_device_release(void)
{
  if (current) current->backend->release(current->handle);
  none_is_current();
}

/* Whether it is current in another thread, which alone can use it then. */
static int is_elsewhere(const struct hb_gl_context *c) { return c->thread && c->thread != &visit; }

int hb_gl_visit_begin(void) { return ++visit.depth; }

/* Before OpenGL is first used in a visit: what is current and not ours is released. */
static void step_aside(void)
{
  if (visit.depth == 0 || visit.is_aside) return;
  const struct hb_gl_current now = hb_gl_current_ask(current ? ours : NULL);
  const struct hb_gl_current none = {.display = now.display, .egl_api = now.egl_api};
  visit.is_aside = 1;
  if (current && now.context == ours) return;
  none_is_current(); /* the caller has released it */
  if (now.context) now.restore(&none);
  visit.callers = now;
}

void hb_gl_visit_end(int *begun)
{
  (void)begun;
  if (--visit.depth > 0 || !visit.is_aside) return;
  if (visit.callers.context) {
    hb_device_release();
    visit.callers.restore(&visit.callers);
  }
  visit.is_aside = 0;
  visit.callers = (struct hb_gl_current){0};
}

static void GLAPIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                  const GLchar *text, const void *context)
{
  (void)source, (void)id, (void)length;
  struct hb_gl_context *c = (struct hb_gl_context *)context;
  if (type == GL_DEBUG_TYPE_ERROR || severity == GL_DEBUG_SEVERITY_HIGH)
    snprintf(c->message, sizeof c->message, "%s", text);
}

/* What every context needs once it is current: pointers, capabilities, state that never changes. */
static enum hb_status prepare(struct hb_gl_context *c, int debug)
{
  HB_TRY(load_functions(c->backend->get_proc));
  loaded = c->backend;
  is_current(c);
  HB_TRY(read_caps(&c->caps));
  HB_TRY(check_caps(&c->caps));
  if (debug && has_debug(&c->caps)) {
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_message, c);
  }
  glGenVertexArrays(1, &c->vertex_array);
  glBindVertexArray(c->vertex_array);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  return hb_gl_context_check(c, "preparing the context");
}

void hb_gl_context_show(struct hb_gl_context *context) { shown = context; }

static enum hb_status open_shown(int hardware, struct hb_gl_context **context)
{
  if (hardware && shown->caps.software)
    return hb_fail(HB_ERR_GL, "the window is on %s, which is not a GPU", shown->caps.renderer);
  HB_TRY(hb_gl_context_use(shown));
  shown->users++;
  *context = shown;
  return HB_OK;
}

/* While nobody else opens or closes one. */
static void destroy(struct hb_gl_context *c)
{
  if (c->forget_reloads) c->forget_reloads(c);
  if (c->vertex_array && hb_gl_context_use(c) == HB_OK) glDeleteVertexArrays(1, &c->vertex_array);
  if (current == c) none_is_current();
  loaded = NULL; /* with its last context a library may go, too */
  if (c->handle) c->backend->close(c->handle);
  hb_mem_free(c);
}

static enum hb_status open_one(const struct hb_gl_backend *backend, const char *device, int hardware,
                               int debug, struct hb_gl_context **context)
{
  if (shown && backend == shown->backend) return open_shown(hardware, context);
  struct hb_gl_context *c;
  HB_TRY(HB_ALLOC(1, &c));
  c->backend = backend;
  c->users = 1;
  step_aside();
  hb_device_release(); /* GLX and EGL refuse while the other is current */
  enum hb_status status = backend->open(device, hardware, debug, &c->handle);
  if (status == HB_OK && backend->get_address) backend->get_address(c->handle, sizeof c->address, c->address);
  if (status == HB_OK) status = prepare(c, debug);
  if (status == HB_OK && hardware && c->caps.software)
    status = hb_fail(HB_ERR_GL, "%s is not a GPU", c->caps.renderer);
  if (status == HB_OK && device && strcmp(device, "software") == 0 && !c->caps.software)
    status = hb_fail(HB_ERR_GL, "%s has no software renderer, it opened %s", backend->name, c->caps.renderer);
  if (status != HB_OK) {
    destroy(c);
    return status;
  }
  *context = c;
  return HB_OK;
}

static const char *chosen(const char *option, const char *variable)
{
  if (option) return option;
  const char *value = getenv(variable);
  return value && *value ? value : NULL;
}

static enum hb_status open_auto(const char *device, int hardware, int debug, struct hb_gl_context **context)
{
  HB_OWN struct hb_text reasons = {0};
  for (int k = 0; hb_gl_backends[k]; k++) {
    const struct hb_gl_backend *backend = hb_gl_backends[k];
    if (open_one(backend, device, hardware, debug, context) == HB_OK) return HB_OK;
    if (hb_text_append(&reasons, "%s%s: %s", k ? "; " : "", backend->name, hb_error()) != HB_OK) break;
  }
  return hb_fail(HB_ERR_GL, "no OpenGL context (%s)", reasons.text ? reasons.text : hb_error());
}

/* The device that params.device or the environment names; NULL: auto. */
static const char *device_named(const char *device)
{
  const char *name = chosen(device, "HB_DEVICE");
  return name && strcmp(name, "auto") == 0 ? NULL : name;
}

/* backend NULL and device NULL: auto. */
static enum hb_status choose(const struct hb_gl_context_params *params, const struct hb_gl_backend **backend,
                             const char **device)
{
  const char *name = chosen(params->context, "HB_CONTEXT");
  *device = device_named(params->device);
  *backend = NULL;
  if (!name || strcmp(name, "auto") == 0) return HB_OK;
  for (int k = 0; hb_gl_backends[k] && !*backend; k++)
    if (strcmp(name, hb_gl_backends[k]->name) == 0) *backend = hb_gl_backends[k];
  if (*backend) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "unknown context '%s' (expected egl, glfw, gles, osmesa or auto)", name);
}

enum hb_status hb_gl_context_check_params(const struct hb_gl_context_params *params)
{
  const struct hb_gl_backend *backend;
  struct hb_device_info devices[32];
  const char *device;
  size_t count;
  HB_TRY(choose(params, &backend, &device));
  if (!params->device || !device || strcmp(device, "software") == 0) return HB_OK;
  hb_gl_egl_devices(sizeof devices / sizeof *devices, devices, &count);
  char *end;
  unsigned long index = strtoul(device, &end, 10);
  if (*end ? access(device, F_OK) == 0 : index < count) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "no device '%s' among %zu (expected INDEX, /dev/dri/... or software)", device,
                 count);
}

/* hardware: only a real GPU is accepted. */
static enum hb_status open_chosen(const struct hb_gl_context_params *params, int hardware,
                                  struct hb_gl_context **context)
{
  const struct hb_gl_backend *backend;
  const char *device;
  *context = NULL;
  HB_TRY(choose(params, &backend, &device));
  if (backend) return open_one(backend, device, hardware, params->debug, context);
  if (hardware) return open_auto(device, 1, params->debug, context);
  if (!device && open_auto(NULL, 1, params->debug, context) == HB_OK) return HB_OK;
  return open_auto(device, 0, params->debug, context);
}

static enum hb_status open_and_log(const struct hb_gl_context_params *params, int hardware,
                                   struct hb_gl_context **context)
{
  pthread_mutex_lock(&opening);
  enum hb_status status = open_chosen(params, hardware, context);
  pthread_mutex_unlock(&opening);
  HB_TRY(status);
  const struct hb_gl_context *c = *context;
  hb_log("%s through %s on %s%s%s", c->caps.api, c->backend->name, c->caps.renderer, *c->address ? ", " : "",
         c->address);
  return HB_OK;
}

enum hb_status hb_gl_context_open(const struct hb_gl_context_params *params, struct hb_gl_context **context)
{
  return open_and_log(params, 0, context);
}

enum hb_status hb_gl_context_open_gpu(const struct hb_gl_context_params *params,
                                      struct hb_gl_context **context)
{
  return open_and_log(params, 1, context);
}

enum hb_gl_gpu hb_gl_context_gpu(const struct hb_gl_context *context)
{
  if (!context || context->caps.software) return HB_GL_NO_GPU;
  return context->caps.has_compute ? HB_GL_GPU_COMPUTE : HB_GL_GPU;
}

struct hb_gl_context *hb_gl_context_share(struct hb_gl_context *context)
{
  context->users++;
  return context;
}

void hb_gl_context_close(struct hb_gl_context *c)
{
  if (!c || --c->users > 0) return;
  if (is_elsewhere(c)) return; /* lost: only that thread could close it */
  pthread_mutex_lock(&opening);
  destroy(c);
  pthread_mutex_unlock(&opening);
}

enum hb_status hb_gl_context_use(struct hb_gl_context *c)
{
  c->bound = NULL;
  c->program = 0;
  step_aside();
  if (current == c) return HB_OK;
  if (is_elsewhere(c))
    return hb_fail(HB_ERR_USAGE,
                   "forces on OpenGL were called by another thread than the one that opened them");
  hb_device_release();
  HB_TRY(c->backend->make_current(c->handle));
  is_current(c);
  if (loaded == c->backend) return HB_OK;
  HB_TRY(load_functions(c->backend->get_proc));
  loaded = c->backend;
  return HB_OK;
}

enum hb_status hb_gl_context_breathe(const struct hb_gl_context *context, double work)
{
  return context->backend->breathe ? context->backend->breathe(work) : HB_OK;
}

enum hb_status hb_gl_context_flush(struct hb_gl_context *context)
{
  HB_TRY(hb_gl_context_use(context));
  glFlush();
  return HB_OK;
}

enum hb_status hb_gl_context_take(struct hb_gl_context *context)
{
  const struct visit before = visit;
  visit = (struct visit){.depth = 1}; /* which does not end: the caller's does not come back */
  enum hb_status status = hb_gl_context_use(context);
  visit = before;
  return status;
}

const struct hb_gl_caps *hb_gl_context_caps(void) { return &current->caps; }

static const char *error_name(GLenum error)
{
  static const struct {
    GLenum error;
    const char *name;
  } names[] = {{GL_INVALID_ENUM, "GL_INVALID_ENUM"},
               {GL_INVALID_VALUE, "GL_INVALID_VALUE"},
               {GL_INVALID_OPERATION, "GL_INVALID_OPERATION"},
               {GL_INVALID_FRAMEBUFFER_OPERATION, "GL_INVALID_FRAMEBUFFER_OPERATION"},
               {GL_OUT_OF_MEMORY, "GL_OUT_OF_MEMORY"},
               {GL_CONTEXT_LOST, "GL_CONTEXT_LOST"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (names[k].error == error) return names[k].name;
  return "unknown GL error";
}

enum hb_status hb_gl_context_check(struct hb_gl_context *c, const char *doing)
{
  if (c->mistake[0]) {
    hb_fail(HB_ERR_INTERNAL, "%s: %s", doing, c->mistake);
    c->mistake[0] = 0;
    return HB_ERR_INTERNAL;
  }
  GLenum error = glGetError();
  if (error != GL_NO_ERROR) {
    for (int k = 0; k < 8 && glGetError() != GL_NO_ERROR; k++) {
    } /* one flag per kind; a broken driver may never clear it */
    const char *said = c->message[0] ? c->message : "no message";
    hb_fail(HB_ERR_DEVICE, "%s: %s on %s (%s)", doing, error_name(error), c->caps.renderer, said);
    c->message[0] = 0;
    return HB_ERR_DEVICE;
  }
  if (c->message[0]) {
    hb_fail(HB_ERR_DEVICE, "%s: %s reports %s", doing, c->caps.renderer, c->message);
    c->message[0] = 0;
    return HB_ERR_DEVICE;
  }
  return HB_OK;
}

enum hb_status hb_gl_context_check_lost(struct hb_gl_context *c, const char *doing)
{
  HB_TRY(hb_gl_context_check(c, doing));
  if (c->caps.has_reset && c->caps.has_draws) {
    GLenum reset = glGetGraphicsResetStatus();
    /* some drivers return garbage: only the three documented answers count */
    if (reset == GL_GUILTY_CONTEXT_RESET || reset == GL_INNOCENT_CONTEXT_RESET ||
        reset == GL_UNKNOWN_CONTEXT_RESET)
      return hb_fail(HB_ERR_DEVICE, "%s: the context on %s was lost", doing, c->caps.renderer);
  }
  return HB_OK;
}

enum hb_status hb_gl_context_dropped(const struct hb_gl_context *c, const char *format, ...)
{
  char what[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return c->caps.has_draws ? hb_fail(HB_ERR_DEVICE, "%s dropped a draw: %s", c->caps.renderer, what) : HB_OK;
}

/* ---- several devices, as a user names them ---- */

static enum hb_status name_all(struct hb_gl_devices *devices)
{
  struct hb_device_info infos[32];
  size_t count;
  hb_gl_egl_devices(sizeof infos / sizeof *infos, infos, &count);
  for (size_t k = 0; k < count && devices->count < HB_GL_DEVICES_MOST; k++)
    if (!infos[k].software)
      snprintf(devices->name[devices->count++], sizeof *devices->name, "%d", infos[k].index);
  if (devices->count > 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "device all: no GPU among the devices of EGL, of which there are %zu", count);
}

static int is_software(const char *name) { return strcmp(name, "software") == 0; }

static void put_software_last(struct hb_gl_devices *devices)
{
  int others = 0;
  for (int k = 0; k < devices->count; k++)
    if (!is_software(devices->name[k]))
      memcpy(devices->name[others++], devices->name[k], sizeof *devices->name);
  while (others < devices->count) strcpy(devices->name[others++], "software");
}

enum hb_status hb_gl_devices_named(const char *device, struct hb_gl_devices *devices)
{
  const char *word = device_named(device);
  *devices = (struct hb_gl_devices){0};
  if (word && strcmp(word, "all") == 0) return name_all(devices);
  if (!word || !strchr(word, ',')) return HB_OK;
  for (const char *comma; word; word = comma ? comma + 1 : NULL) {
    comma = strchr(word, ',');
    size_t length = comma ? (size_t)(comma - word) : strlen(word);
    if (devices->count == HB_GL_DEVICES_MOST)
      return hb_fail(HB_ERR_USAGE, "more than %d devices are named", HB_GL_DEVICES_MOST);
    if (length == 0 || length >= sizeof *devices->name)
      return hb_fail(HB_ERR_USAGE, "device %d of the list has a name of %zu characters, expected 1 to %zu",
                     devices->count, length, sizeof *devices->name - 1);
    snprintf(devices->name[devices->count++], sizeof *devices->name, "%.*s", (int)length, word);
  }
  put_software_last(devices);
  return HB_OK;
}
