/* The texture inspector: the textures that a running kernel reads and writes, as images in false colors.
 *
 *   hb_inspector_open       from now on walks are watched
 *   (the simulation walks)  one pass of each walk is copied, on the device: the one that step and play ask for
 *   hb_inspector_draw       the copy as images: what was read above, what was written below
 *   hb_inspector_hit        the texel under the mouse, its particle and its numbers: reads one texel back
 *
 * A walk is as many passes as its scheme takes: N - 1 in cg2007, pairs and log2 N levels in matrix2004, one a bag. Nothing
 * is read back but the scales of the arrays, 32 bytes each, and the texel under the mouse. One inspector at a time. */
#ifndef HB_INSPECTOR_H
#define HB_INSPECTOR_H

#include "render/paint.h"

struct hb_inspector;

/* Errors: HB_ERR_INTERNAL (no memory). Opens nothing on a device: that is done in the context of the first pass. */
enum hb_status hb_inspector_open(struct hb_inspector **inspector);

/* Nobody is told of passes any more. While the context that was watched still lives. NULL is passed over. */
void hb_inspector_close(struct hb_inspector *inspector);

/* The context is about to be closed, and another one may follow (another model, another scheme): gives back what was made
 * in it and forgets the copy. */
void hb_inspector_forget(struct hb_inspector *inspector);

/* Another pass: `by` passes on or back, held within the walk. What is shown stays that of the last walk until there is
 * another one: waits says so, and a simulation that pauses may then walk again without a step (hb_sim_diagnose). */
void hb_inspector_step(struct hb_inspector *inspector, int by);
int hb_inspector_waits(const struct hb_inspector *inspector);

/* plays = 1: each walk shows the pass behind the one of the last walk, and after the end the first. */
void hb_inspector_play(struct hb_inspector *inspector, int plays);

/* What is shown: "cg2007, pass 12 of 36: each feels the particle 12 places on"; "" while no walk was watched.
 * Valid until the next call. */
const char *hb_inspector_title(struct hb_inspector *inspector);

/* Draws into a rectangle of the target whose page `paint` is, in its pixels from the upper left corner: a dark background
 * and the images at once, names and scales onto the page, which the caller ends. Errors: HB_ERR_GL, HB_ERR_DEVICE, also
 * those of the last copy. */
enum hb_status hb_inspector_draw(struct hb_inspector *inspector, struct hb_gl_context *context,
                                 struct hb_paint *paint, const struct hb_gl_target *target, int x, int y,
                                 int width, int height);

/* What lies under a pixel of the last draw, counted as there. */
struct hb_inspector_texel {
  const char *array;    /* "posTexture"                                             */
  const char *quantity; /* "position"                                               */
  int column, row;      /* of the records                                           */
  int64_t particle;     /* -1: a texel that is not used                             */
  int64_t source;       /* matrix2004: whose pull on the particle, else -1          */
  int count;            /* numbers                                                  */
  float value[3];
  char text[192]; /* "particle 17, position 0.12 0.3 0 (posTexture, column 1, row 2)" */
};

/* 1 if there is a texel, else 0; what cannot be read counts as none. */
int hb_inspector_hit(struct hb_inspector *inspector, int x, int y, struct hb_inspector_texel *texel);

/* Frames this particle's texels in all images, and all that it feels where rows are sources; -1: none. The window marks the
 * same one in the 3-D view. */
void hb_inspector_mark(struct hb_inspector *inspector, int64_t particle);

#endif
