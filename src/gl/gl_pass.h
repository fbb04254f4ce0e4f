/* A program with its inputs, drawn or dispatched by one call:
 *
 *   static struct hb_gl_pass fold;
 *   HB_TRY(hb_gl_pass_create(context, &(struct hb_gl_program_source){.fragment = "pairs/matrix_sum.frag"}, &fold));
 *   hb_gl_pass_texture(&fold, "before", &totals);      // stays set until it is set again
 *   hb_gl_pass_int(&fold, "rows", 17);                 // so do uniforms
 *   hb_gl_pass_draw(&fold, &sums.target, 0, 0, width, height);
 *
 * Inputs go by their names in the shader, which have to be string literals: each name is looked up in the program once. One
 * that this program does not use is ignored; one that is not in its source at all is an internal error of the next
 * hb_gl_context_check, and so is one too many. Passes, uploads, readbacks and draws of a tracer (gl_trace.h) may be mixed
 * freely: a draw binds again what may have changed. Code that calls OpenGL itself must call hb_gl_context_use before the next
 * draw. With HB_SHADER_DIR a program follows its files, and its inputs are set in the new one.
 *
 * A texture or buffer that was destroyed has to be replaced before the next draw. Vertices have no attributes: vertex shaders
 * fetch what they need from textures by gl_VertexID. */
#ifndef HB_GL_PASS_H
#define HB_GL_PASS_H

#include "gl/gl_shader.h"
#include "gl/gl_texture.h"

/* A driver may drop a draw without an error. Where the result carries no mark of its own, the device counts the fragments
 * drawn (occlusion queries), and the count is compared with the expected one. Queries of OpenGL ES do not count
 * (caps.has_counts): nothing is checked there, and whoever draws leaves marks. */
enum { HB_GL_TALLY_QUERIES = 4 };

/* Starts as zeros. */
struct hb_gl_tally {
  unsigned query[HB_GL_TALLY_QUERIES];
  uint64_t started, read;   /* queries; the counts of those from read to started are still to be asked for */
  uint64_t counting;        /* fragments expected of the query that is running; 0: none is */
  uint64_t expected, drawn; /* fragments of the queries that have ended, and of those read */
};

/* Deletes its queries: the context must be current. */
void hb_gl_tally_destroy(struct hb_gl_tally *tally);

/* Forgets what was counted. */
void hb_gl_tally_reset(struct hb_gl_tally *tally);

/* Before a draw: counts its fragments, and expects that many. All draws count until the tally pauses, so other passes must
 * come after a pause; hb_gl_pass_draw of a pass with a tally does the first, and before a tracer draws the second. */
void hb_gl_tally_expect(struct hb_gl_tally *tally, uint64_t fragments);
void hb_gl_tally_pause(struct hb_gl_tally *tally);

/* Pauses and waits for the draws. HB_ERR_DEVICE where fragments are missing, and again until the tally is reset. */
enum hb_status hb_gl_tally_check(struct hb_gl_tally *tally, const struct hb_gl_context *context);

enum {
  HB_GL_PASS_UNIFORMS = 20,
  HB_GL_PASS_TEXTURES = 8,
  HB_GL_PASS_STORAGES = 8,
  HB_GL_PASS_BUFFERS_BIT = 1 << HB_GL_PASS_TEXTURES
};

enum hb_gl_uniform_kind {
  HB_GL_INT,
  HB_GL_INT2,
  HB_GL_INT4,
  HB_GL_UINT,
  HB_GL_FLOAT,
  HB_GL_FLOAT2,
  HB_GL_FLOAT4,
  HB_GL_UINT4,
};

struct hb_gl_uniform {
  const char *name;
  int location; /* -1: the program does not have it */
  enum hb_gl_uniform_kind kind;
  int count; /* elements; of an array of the caller's: */
  const void *array;
  union {
    int i[4];
    unsigned u[4];
    float f[4];
  } value;
};

/* Fills in what the draws since the last call have read and written (gl_trace.h), all but context, draws, shader and input.
 * NULL: the pass is not traced. */
struct hb_gl_trace_pass;
typedef void (*hb_gl_pass_describe)(void *owner, struct hb_gl_trace_pass *trace);

/* Starts as zeros, and stays where it is from hb_gl_pass_create to hb_gl_pass_destroy. */
struct hb_gl_pass {
  struct hb_gl_context *context;
  struct hb_gl_program_source source; /* without its defines; its names are these: */
  char files[4][64];
  unsigned program; /* 0: not built */
  int uniform_count, texture_count;
  int has_new; /* inputs still to be bound: textures by bit, then buffers */
  struct hb_gl_uniform uniform[HB_GL_PASS_UNIFORMS];
  struct { /* number k is read through texture unit k */
    const char *name;
    int location;
    enum hb_gl_shape shape;
    unsigned id;
  } texture[HB_GL_PASS_TEXTURES];
  unsigned storage[HB_GL_PASS_STORAGES]; /* buffers by their binding in the shader */
  int has_storage;
  int viewport[4]; /* as long as the pass is the context's bound one */
  struct {
    const char *name;
    unsigned buffer;
    size_t offset, bytes;
  } block;

  /* to be set after hb_gl_pass_create */
  struct hb_gl_tally *tally; /* counts the fragments of hb_gl_pass_draw; NULL: they are not counted */
  hb_gl_pass_describe describe;
  void *owner;   /* as its argument */
  int continues; /* 1: not told to the tracer yet, the next draw goes on with the same step */
  int draws;     /* since the tracer was last told */
};

/* Compiles and links; source->vertex NULL without a compute stage: fullscreen.vert, a triangle over the whole viewport.
 * Errors: HB_ERR_GL with file, line and what the driver said. */
enum hb_status hb_gl_pass_create(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                 struct hb_gl_pass *pass);
void hb_gl_pass_destroy(struct hb_gl_pass *pass); /* the context must be current; zeros are ignored */

/* Bytes of the program as the driver would store it (GL 4.1); 0: it does not say. */
int hb_gl_pass_length(const struct hb_gl_pass *pass);

/* With HB_SHADER_DIR a shader that is saved during a run takes effect at once. What does not compile is reported, also where
 * a pass could not be created, and the last program that did stays in use. This checks the files and rebuilds what has
 * changed: once a frame, say. 1 when a program was replaced. *message, nullable: what is wrong, with file and line, until it
 * is corrected; "" when nothing is. */
int hb_gl_reload(struct hb_gl_context *context, const char **message);

/* ---- inputs ---- */

void hb_gl_pass_set(struct hb_gl_pass *pass, const char *name, enum hb_gl_uniform_kind kind, int count,
                    const void *data); /* count > 1: an array of the caller's that outlives the pass */
#define hb_gl_pass_int(pass, name, x)     hb_gl_pass_set(pass, name, HB_GL_INT, 1, (const int[]){x})
#define hb_gl_pass_int2(pass, name, x, y) hb_gl_pass_set(pass, name, HB_GL_INT2, 1, (const int[]){x, y})
#define hb_gl_pass_int4(pass, name, ...)  hb_gl_pass_set(pass, name, HB_GL_INT4, 1, (const int[]){__VA_ARGS__})
#define hb_gl_pass_uint(pass, name, x)    hb_gl_pass_set(pass, name, HB_GL_UINT, 1, (const unsigned[]){x})
#define hb_gl_pass_float(pass, name, x)   hb_gl_pass_floats(pass, name, HB_GL_FLOAT, (const double[4]){x})
#define hb_gl_pass_float2(pass, name, x, y)                                                                  \
  hb_gl_pass_floats(pass, name, HB_GL_FLOAT2, (const double[4]){x, y})
#define hb_gl_pass_float4(pass, name, ...)                                                                   \
  hb_gl_pass_floats(pass, name, HB_GL_FLOAT4, (const double[4]){__VA_ARGS__})
void hb_gl_pass_floats(struct hb_gl_pass *pass, const char *name, enum hb_gl_uniform_kind kind,
                       const double x[4]);

/* A sampler: of the texture, only its OpenGL name and its shape count. */
void hb_gl_pass_texture(struct hb_gl_pass *pass, const char *name, const struct hb_gl_texture *texture);

/* A storage buffer, by its binding in the shader (GL 4.3); a part of a buffer as the uniform block. */
void hb_gl_pass_storage(struct hb_gl_pass *pass, int binding, const struct hb_gl_buffer *buffer);
void hb_gl_pass_block(struct hb_gl_pass *pass, const char *name, const struct hb_gl_buffer *buffer,
                      size_t offset, size_t bytes);

/* ---- drawing ---- */

/* The rectangle of the target with lower corner x y: its contents are replaced. */
void hb_gl_pass_draw(struct hb_gl_pass *pass, const struct hb_gl_target *target, int x, int y, int width,
                     int height);

/* The draw of hb_gl_pass_draw once more, with inputs that may have changed; no other pass and no transfer may have come in
 * between. What it reads may be its own target, a fragment its own texel only (caps.has_texture_barrier): nothing but the
 * pipeline separates a draw from the one before. */
void hb_gl_pass_draw_again(struct hb_gl_pass *pass);

enum hb_gl_blend { HB_GL_REPLACE, HB_GL_ADD, HB_GL_OVER /* by the new alpha */ };

/* The same for vertices first .. first + count - 1 as triangles, or points of one pixel. */
struct hb_gl_vertices {
  const struct hb_gl_target *target;
  int x, y, width, height; /* width 0: all of the target */
  size_t first, count;
  int are_points;
  enum hb_gl_blend blend;
};
void hb_gl_pass_draw_vertices(struct hb_gl_pass *pass, const struct hb_gl_vertices *vertices);

/* Workgroups of a compute program. What they write can be read by whatever comes next. */
void hb_gl_pass_dispatch(struct hb_gl_pass *pass, size_t x, size_t y);

/* The driver starts working on all commands so far. */
void hb_gl_flush(void);

/* How long the device takes for some commands: wall-clock time between two waits for the device. Timer queries of
 * GL 3.3 would not need the waits, but Mesa 22.3's llvmpipe answers 1779 s for 2 ms of work to GL_TIME_ELAPSED. */
/* Waits until the device is idle and starts the clock. */
double hb_gl_timer_start(void);

/* Waits until the device is idle: seconds since `start`. */
double hb_gl_timer_stop(double start);

#endif
