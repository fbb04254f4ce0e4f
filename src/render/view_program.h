/* Programs of shaders/view, with their samplers bound to fixed units. */
#ifndef HB_VIEW_PROGRAM_H
#define HB_VIEW_PROGRAM_H

#include "gl/gl_context.h"

/* Texture units, counted from HB_VIEW_UNIT_FIRST: the simulation's passes use those below. */
enum hb_view_unit {
  HB_VIEW_UNIT_PARTICLES,  /* also positions, and the source of a pass   */
  HB_VIEW_UNIT_VELOCITIES, /* also the glow, and the last white          */
  HB_VIEW_UNIT_MASSES,     /* also the white                             */
  HB_VIEW_UNIT_VALUES,
  HB_VIEW_UNIT_ORDER,
  HB_VIEW_UNIT_PALETTE,
  HB_VIEW_UNIT_RING,
  HB_VIEW_UNIT_FIRST = 8
};

/* name.vert (or fullscreen.vert where vertex is NULL) and name.frag under shaders/view, into *program, which follows its
 * files as gl_reload.h tells and is deleted by hb_gl_reload_delete. Errors: HB_ERR_GL. */
enum hb_status hb_view_program_build(struct hb_gl_context *context, const char *vertex, const char *fragment,
                                     const char *defines, unsigned *program);

void hb_view_bind(enum hb_view_unit unit, unsigned target, unsigned texture);

void hb_view_set_int(unsigned program, const char *name, int value);
void hb_view_set_float(unsigned program, const char *name, double value);
void hb_view_set(unsigned program, const char *name, double x, double y, double z, double w);

#endif
