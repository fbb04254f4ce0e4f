/* One OpenGL context without a visible window, and what it can do. */
#ifndef HB_GL_CONTEXT_H
#define HB_GL_CONTEXT_H

#include "gl/gl_backend.h"

struct hb_gl_context_params {
  const char *context; /* egl, osmesa, glfw, gles, auto; NULL: environment HB_CONTEXT, else auto */
  const char *device;  /* INDEX, /dev/dri/..., software; NULL: environment HB_DEVICE, else best first */
  int debug;           /* 1: driver messages of errors become HB_ERR_DEVICE in hb_gl_context_check */
};

/* Where there are no buffer textures, shaders read a texture of rows of HB_GL_ROW texels, a copy of the buffer; either one by
 * bufferFetch(array, k), and declare a samplerBuffer: the prologue of a shader says what these are. */
enum { HB_GL_ROW_BITS = 10, HB_GL_ROW = 1 << HB_GL_ROW_BITS };

/* Read once at opening. Sizes in texels, counts in pieces. Tests lower them by the environment:
 * HB_LIMITS="max_texture_size=4096 has_compute=0". */
struct hb_gl_caps {
  char vendor[128], renderer[192], version[128];
  char api[24]; /* "OpenGL 4.5", "OpenGL ES 3.0" */
  int major, minor;
  int is_es;       /* OpenGL ES: a dialect of GLSL with a version of its own; no doubles, no rectangles */
  int software;    /* renders on the processor */
  int has_precise; /* GLSL `precise` and fma: GL 4.0 or ARB_gpu_shader5; ES 3.2 or EXT_gpu_shader5 */
  int has_double;  /* GLSL double: GL 4.0 or ARB_gpu_shader_fp64 */
  int has_compute; /* compute shaders with what GL 4.3 promises them: GL 4.3, most of ES 3.1 */
  int has_storage; /* storage buffers for fragments, too: GL 4.3, most of ES 3.1 */
  int has_reset;   /* a lost context can be detected */
  int has_draws;   /* 0: a test says that draws do nothing, see hb_gl_context_dropped */
  int has_texture_barrier; /* a draw may read its own target: GL 4.5 or ARB_texture_barrier */
  int has_lasting_maps;    /* buffers that stay mapped: GL 4.4, or 4.3 with ARB_buffer_storage */
  int has_buffer_textures; /* GL 3.1, ES 3.2; where they lack, gl_texture.h */
  int registers; /* a thread, that compilers make good use of: 255 NVIDIA's own, 128 others', 64 those of ES */
  int has_counts; /* queries that count fragments: not in ES */
  int max_texture_size, max_rectangle_size, max_color_attachments, max_draw_buffers, max_texture_buffer_size;
  int max_uniform_block_size; /* bytes */
  int max_storage_block_size; /* bytes; 0: no storage buffers */
};

struct hb_gl_context {
  const struct hb_gl_backend *backend;
  void *handle; /* the back end's own */
  struct hb_gl_caps caps;
  char address[64];      /* which of several equal devices, "PCI 0000:1b:00.0"; "": unknown */
  unsigned vertex_array; /* empty: the full-screen triangle has no attributes */
  char message[256];     /* last error message of the driver, when debugging */
  char mistake[160];     /* our own, see gl_pass.c; reported by hb_gl_context_check */
  int users;             /* the last one to close it destroys it */
  const void
      *thread; /* where it is current, by the address of something that each thread has; NULL: nowhere */
  const struct hb_gl_pass
      *bound;       /* whose program and inputs are bound in OpenGL; NULL: unknown, see gl_pass.c */
  unsigned program; /* that is current in OpenGL; 0: unknown */
  double given;     /* seconds of work since the device last was waited for, as whoever gives it believes */
  uint64_t sent;    /* bytes of particles so far */
  unsigned built;   /* programs so far: whoever times draws leaves out those that waited for a compiler */
  struct hb_gl_reload *reloads;                          /* programs that follow their files, see gl_pass.c */
  void (*forget_reloads)(struct hb_gl_context *context); /* at closing; NULL: there are none */
};

/* Opens a context of GL 3.3 core, of ES 3.0, or newer, and makes it current. auto: the first real GPU of any back end, then
 * the first software renderer. Errors: HB_ERR_GL (what each back end said), HB_ERR_USAGE (unknown name). */
enum hb_status hb_gl_context_open(const struct hb_gl_context_params *params, struct hb_gl_context **context);

/* The same as hb_gl_context_open, but only a real GPU. */
enum hb_status hb_gl_context_open_gpu(const struct hb_gl_context_params *params,
                                      struct hb_gl_context **context);
void hb_gl_context_close(struct hb_gl_context *context);

/* One more user, who must close it, too. */
struct hb_gl_context *hb_gl_context_share(struct hb_gl_context *context);

/* For callers that open no context: HB_ERR_USAGE where the context is unknown or params->device does not exist. */
enum hb_status hb_gl_context_check_params(const struct hb_gl_context_params *params);

/* From now on opening "glfw" shares this context; NULL: no longer. For gl_window.h. */
void hb_gl_context_show(struct hb_gl_context *context);

/* What a context (NULL: none) is on: no real GPU, one, or one with compute shaders. */
enum hb_gl_gpu { HB_GL_NO_GPU, HB_GL_GPU, HB_GL_GPU_COMPUTE };
enum hb_gl_gpu hb_gl_context_gpu(const struct hb_gl_context *context);

/* Several objects of a kind, pass, texture, buffer and the like, by their pointers; the context must be current. */
#define HB_GL_DESTROY(kind, ...)                                                                             \
  do {                                                                                                       \
    struct hb_gl_##kind *const hb_all[] = {__VA_ARGS__};                                                     \
    for (size_t hb_k = 0; hb_k < sizeof hb_all / sizeof *hb_all; hb_k++)                                     \
      hb_gl_##kind##_destroy(hb_all[hb_k]);                                                                  \
  } while (0)

/* Makes it current. Several contexts may be open, one is current, in one thread. */
enum hb_status hb_gl_context_use(struct hb_gl_context *context);

/* What the one that is current can do. */
const struct hb_gl_caps *hb_gl_context_caps(void);

/* A public function that may work with OpenGL begins with HB_GL_VISIT: a context of the caller's that is current then is
 * current again when the function returns. Where none is, ours may stay: releasing it after each call would take longer
 * than the draws of a small block. */
#define HB_GL_VISIT                                                                                          \
  __attribute__((cleanup(hb_gl_visit_end), unused)) int hb_gl_visit_here = hb_gl_visit_begin()
int hb_gl_visit_begin(void);
void hb_gl_visit_end(int *visit);

/* Lets the device start on what it was given. */
enum hb_status hb_gl_context_flush(struct hb_gl_context *context);

/* Between the draws of a long walk, after so much work of the device since the last call, in pairs: where one thread does
 * everything, as in a page, others get their turn, who may use the same context. Errors: HB_ERR_STOPPED. */
enum hb_status hb_gl_context_breathe(const struct hb_gl_context *context, double work);

/* The same as hb_gl_context_use after releasing the caller's: for functions that leave ours current on purpose. */
enum hb_status hb_gl_context_take(struct hb_gl_context *context);

/* HB_ERR_DEVICE with `doing` and the GL error or driver message since the last check; HB_ERR_INTERNAL for an input that no
 * shader has. */
enum hb_status hb_gl_context_check(struct hb_gl_context *context, const char *doing);

/* The same, and checks whether the context was lost, which takes longer. */
enum hb_status hb_gl_context_check_lost(struct hb_gl_context *context, const char *doing);

/* The device dropped a draw: HB_ERR_DEVICE with its name and what is missing. HB_OK with HB_LIMITS="has_draws=0": a driver
 * without its card draws nothing, but compiles every program. */
enum hb_status hb_gl_context_dropped(const struct hb_gl_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Several devices, as a user names them: "0,1", "software,software", "all". */
enum { HB_GL_DEVICES_MOST = 16 };

struct hb_gl_devices {
  int count; /* 0: one device is named, or none */
  char name[HB_GL_DEVICES_MOST][64];
};

/* What device, or where it is NULL the environment, names: names separated by commas, or all GPUs of EGL. `software` comes after
 * the others, wherever it was named: the first device does alone what is not worth sharing. Opens nothing.
 * Errors: HB_ERR_USAGE (an empty name, too many, no GPU). */
enum hb_status hb_gl_devices_named(const char *device, struct hb_gl_devices *devices);

#endif
