/* Programs that read particles, one for each way in which they may lie, and the uniforms of shaders/view/places.glsl. */
#ifndef HB_PLACES_H
#define HB_PLACES_H

#include "render/view_particles.h"

enum { HB_PLACES_LAYOUTS = 4 }; /* records, doubles, streams in textures, streams in rectangles */

/* One of programs[HB_PLACES_LAYOUTS], built when it is first needed, with its particles bound and in use. */
enum hb_status hb_places_use(unsigned programs[HB_PLACES_LAYOUTS], const char *vertex, const char *fragment,
                             const struct hb_view_particles *particles, unsigned *program);
void hb_places_destroy(struct hb_gl_context *context, unsigned programs[HB_PLACES_LAYOUTS]);

#endif
