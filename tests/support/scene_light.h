/* The light of a scene before it is toned, for tests that include render/scene.c, of whose inside it is. */
#ifndef SCENE_LIGHT_H
#define SCENE_LIGHT_H

#include "support/support.h"

#include "render/scene.c"

/* light[4 * samples^2 * width * height], bottom row first; red, green, blue and their brightness. */
static void read_light(struct hb_scene *s, float *light_of)
{
  int width = s->light.width, height = s->light.height;
  ASSERT_OK(hb_gl_context_use(s->context));
  hb_gl_target_read(&s->light.target, 0, 0, 0, width, height, HB_GL_FLOATS, light_of);
  for (int k = 0; k < 4 * width * height; k++) light_of[k] /= (float)s->format->unit;
  ASSERT_OK(hb_gl_context_check_lost(s->context, "reading light"));
}

#endif
