/* The texture inspector: the textures that a running kernel reads and writes, as images in false colours.
 *
 *   hb_inspector_open     from now on walks are watched
 *   (the simulation walks)  one pass of each walk is copied, on the device: the one that step and play ask for
 *   hb_inspector_draw     the copy as images: what was read above, what was written below
 *   hb_inspector_hit      the texel under the mouse, its particle and its numbers: reads one texel back
 *
 * A walk is as many passes as its scheme takes: N - 1 in cg2007, pairs and log2 N levels in matrix2004, one a bag. Nothing
 * is read back but the smallest and largest number of each image, and the texel under the mouse. One at a time. */
#ifndef HB_INSPECTOR_H
#define HB_INSPECTOR_H

#include "gl/gl_context.h"

struct hb_inspector;

/* Errors: HB_ERR_INTERNAL (no memory). Opens nothing on a device: that is done in the context of the first pass. */
enum hb_status hb_inspector_open(struct hb_inspector **inspector);

/* Nobody is told of passes any more. To be called while the context that was watched, and that drew, still lives. */
void hb_inspector_close(struct hb_inspector *inspector);

/* Another pass: `by` passes on or back, held within the walk. The copy is of the walk before until another one is done;
 * hb_inspector_waits says so, and a simulation that pauses may walk again without stepping. */
void hb_inspector_step(struct hb_inspector *inspector, int by);
int hb_inspector_waits(const struct hb_inspector *inspector);

/* plays = 1: each walk shows the pass after the last walk's, around the end. */
void hb_inspector_play(struct hb_inspector *inspector, int plays);

/* Draws into the rectangle of a framebuffer, 0 that of a window; x, y is its lower left corner in pixels, y upwards. Leaves
 * program, framebuffer and viewport as they happen to be, blending and depth test off. scale: pixels of a font's pixel, 2
 * on a display of twice the resolution. Errors: HB_ERR_GL, HB_ERR_DEVICE, and those of the last copy. */
enum hb_status hb_inspector_draw(struct hb_inspector *inspector, struct hb_gl_context *context,
                                 unsigned framebuffer, int x, int y, int width, int height, int scale);

/* What lies under a pixel of the last draw (y upwards, in the framebuffer's pixels). */
struct hb_inspector_texel {
  const char *array;    /* "posTexture"                                   */
  const char *quantity; /* "position"                                     */
  int column, row;      /* of the texture, from its lower left corner     */
  int64_t particle;     /* -1: a texel that is not used                   */
  int64_t source;       /* matrix2004: whose pull on the particle, else -1 */
  int count;            /* numbers                                        */
  float value[4];
  char text[160]; /* "posTexture: particle 17, position = 0.12 0.3 0" */
};

/* 1 if there is a texel, else 0. Errors leave 0. */
int hb_inspector_hit(struct hb_inspector *inspector, int x, int y, struct hb_inspector_texel *texel);

/* Frames this particle's texels in all images; -1: none. The window marks the same one in the 3-D view. */
void hb_inspector_mark(struct hb_inspector *inspector, int64_t particle);

/* What is shown: "cg2007, pass 12 of 36: each feels the particle 12 places on"; "" while no walk was watched. */
const char *hb_inspector_title(const struct hb_inspector *inspector);

#endif
