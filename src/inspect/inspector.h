/* The texture inspector: the textures that a running kernel reads and writes, as images in false colors.
 *
 *   hb_inspector_open       from now on walks are traced
 *   (the simulation walks)  one pass of each walk, chosen by step and play, is copied on the device
 *   hb_inspector_draw       the copy as images: what was read above, what was written below
 *   hb_inspector_hit        the texel under the mouse, its particle and its numbers: reads one texel back
 *
 * A walk has as many passes as its scheme needs: N - 1 in cg2007, pairs and log2 N levels in matrix2004, one per bag.
 * Only the scales of the arrays, 32 bytes each, and the texel under the mouse are read back. One inspector at a time. */
#ifndef HB_INSPECTOR_H
#define HB_INSPECTOR_H

#include "render/paint.h"

struct hb_inspector;

/* Errors: HB_ERR_INTERNAL (no memory). Device objects are created later, in the context of the first pass. */
enum hb_status hb_inspector_open(struct hb_inspector **inspector);

/* Stops tracing; to be called before the traced context is closed. NULL is ignored. */
void hb_inspector_close(struct hb_inspector *inspector);

/* The context is about to be closed, and another one may follow (another model, another scheme): destroys what was
 * created in it, and the copy. */
void hb_inspector_forget(struct hb_inspector *inspector);

/* Selects another pass, `by` passes forward or back, within the walk. The last copy stays on show until the next walk:
 * until then waits returns 1, and a paused simulation may walk again without a step (hb_sim_diagnose). */
void hb_inspector_step(struct hb_inspector *inspector, int by);
int hb_inspector_waits(const struct hb_inspector *inspector);

/* plays = 1: each walk shows the pass after that of the previous walk, and after the last pass the first. */
void hb_inspector_play(struct hb_inspector *inspector, int plays);

/* What is shown: "cg2007, pass 12 of 36: each feels the particle 12 places on"; "; 2 of 37 are due in this step" where the
 * others are not written; "" before the first walk. Valid until the next call. */
const char *hb_inspector_title(struct hb_inspector *inspector);

/* The file of the shader that ran, and the value of its input that makes it this pass: "cg2007/acc_jerk_pot.frag
 * otherParticle = 12", or without a value. */
const char *hb_inspector_running(struct hb_inspector *inspector);

/* Draws into a rectangle of the target, in pixels from its upper left corner: a dark background and the images
 * directly, names and scales onto the page `paint`, which the caller ends. Errors: HB_ERR_GL, HB_ERR_DEVICE, and those
 * of the last copy. */
enum hb_status hb_inspector_draw(struct hb_inspector *inspector, struct hb_gl_context *context,
                                 struct hb_paint *paint, const struct hb_gl_target *target, int x, int y,
                                 int width, int height);

/* The texel under a pixel of the last draw. */
struct hb_inspector_texel {
  const char *array;    /* "posTexture"                                             */
  const char *quantity; /* "position"                                               */
  int column, row;      /* of the records                                           */
  int64_t particle;     /* -1: an unused texel                                      */
  int64_t source;       /* matrix2004: the source of the force, else -1             */
  int count;            /* numbers                                                  */
  float value[3];
  char text[192]; /* "particle 17, position 0.12 0.3 0 (posTexture, column 1, row 2)" */
};

/* Returns 1 if there is a texel that can be read, else 0. */
int hb_inspector_hit(struct hb_inspector *inspector, int x, int y, struct hb_inspector_texel *texel);

/* Frames this particle's texels in all images, and its column where rows are sources; -1: none. The window marks the
 * same particle in the 3-D view. */
void hb_inspector_mark(struct hb_inspector *inspector, int64_t particle);

/* ---- a walk on paper, for small runs, whose pictures can be read texel by texel ---- */

enum { HB_TRACE_MOST = 128 }; /* largest number of particles whose walk fits on a page */

/* Forces on the first n particles by this scheme in single precision, in few passes, none split to save time; of force eps,
 * context and device count. folder/SCHEME.svg is the contact sheet; passes: each array of each pass, too, as
 * folder/SCHEME_NN_read_NAME.svg or _write_; slides: passes as folder/SCHEME_slide_NN.svg, of many only the first three and
 * the last. */
struct hb_trace_job {
  const struct hb_force_params *force;
  const char *scheme;
  size_t n;
  struct hb_particles *particles;
  const char *folder;
  int passes, slides;
};

/* The cost of a walk; bytes are those that its fragments request and write. */
struct hb_trace_cost {
  uint64_t draws, pairs, texels_read, texels_written, bytes_read, bytes_written;
};

/* *count: files beside the sheet. Errors: as hb_force_open, HB_ERR_IO. */
enum hb_status hb_trace_write(const struct hb_trace_job *job, struct hb_trace_cost *cost, int *count);

#endif
