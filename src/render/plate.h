/* A texture that light falls on, and the framebuffer to draw there. */
#ifndef HB_PLATE_H
#define HB_PLATE_H

#include "gl/gl_context.h"

struct hb_plate {
  unsigned texture, framebuffer;
  int width, height;
};

/* What light can be added up in, best first. */
struct hb_plate_format {
  const char *name;
  unsigned internal; /* GL_RGBA32F, ... */
  double unit;       /* what a single star's brightness is there */
};

/* Formats end with one whose name is NULL. */
extern const struct hb_plate_format hb_plate_formats[];

/* internal: GL_RGBA8 for a finished picture, or a format's. Errors: HB_ERR_GL with limit and need, HB_ERR_DEVICE. */
enum hb_status hb_plate_create(struct hb_gl_context *context, unsigned internal, int width, int height,
                               struct hb_plate *plate);
void hb_plate_destroy(struct hb_plate *plate);

/* From now on everything is drawn there. */
void hb_plate_use(const struct hb_plate *plate);
void hb_plate_clear(const struct hb_plate *plate);

/* Light falls on light between these two; the simulation's passes replace what was there. */
void hb_plate_add_up(void);
void hb_plate_replace(void);

#endif
