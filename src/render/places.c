#include "render/places.h"

#include "gl/gl.h"
#include "gl/gl_reload.h"
#include "render/view_program.h"

static int which(const struct hb_device_particles *at)
{
  return at->layout == HB_DEVICE_RECORDS ? 0 : at->layout == HB_DEVICE_DOUBLES ? 1 : at->rectangle ? 3 : 2;
}

static void bind(const struct hb_view_particles *p)
{
  const struct hb_device_particles *at = &p->at;
  if (at->layout == HB_DEVICE_STREAMS) {
    GLenum target = at->rectangle ? GL_TEXTURE_RECTANGLE : GL_TEXTURE_2D;
    for (int k = 0; k < 3; k++)
      hb_view_bind((enum hb_view_unit)(HB_VIEW_UNIT_PARTICLES + k), target, at->texture[k]);
  } else {
    hb_view_bind(HB_VIEW_UNIT_PARTICLES, GL_TEXTURE_BUFFER, at->texture[0]);
  }
  hb_view_bind(HB_VIEW_UNIT_ORDER, GL_TEXTURE_BUFFER, p->order);
  hb_view_bind(HB_VIEW_UNIT_VALUES, GL_TEXTURE_BUFFER, p->values);
}

static enum hb_status build(struct hb_gl_context *context, int k, const char *vertex, const char *fragment,
                            unsigned *program)
{
  static const char *const defines[HB_PLACES_LAYOUTS] = {"#define LAYOUT 1\n", "#define LAYOUT 2\n",
                                                         "#define LAYOUT 3\n",
                                                         "#define LAYOUT 3\n#define RECTANGLE\n"};
  return hb_view_program_build(context, vertex, fragment, defines[k], program);
}

enum hb_status hb_places_use(unsigned programs[HB_PLACES_LAYOUTS], const char *vertex, const char *fragment,
                             const struct hb_view_particles *p, unsigned *program)
{
  const struct hb_device_particles *at = &p->at;
  unsigned *own = &programs[which(at)];
  if (!*own) HB_TRY(build(p->context, which(at), vertex, fragment, own));
  glUseProgram(*own);
  hb_view_set_int(*own, "texels", at->texels);
  hb_view_set_int(*own, "width", at->width);
  hb_view_set_int(*own, "has_order", at->order != NULL);
  hb_view_set(*own, "drift", at->drift[0], at->drift[1], at->drift[2], 0);
  bind(p);
  *program = *own;
  return HB_OK;
}

void hb_places_destroy(struct hb_gl_context *context, unsigned programs[HB_PLACES_LAYOUTS])
{
  for (int k = 0; k < HB_PLACES_LAYOUTS; k++) hb_gl_reload_delete(context, &programs[k]);
}
