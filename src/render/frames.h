/* Pictures of a running simulation that nobody sees: what drawing takes. */
#ifndef HB_FRAMES_H
#define HB_FRAMES_H

#include "render/scene.h"

struct hb_frames {
  struct hb_scene *scene;
  struct hb_view_particles stars;
  struct hb_camera camera;
  struct hb_scene_style style;
};

/* Start from {0}. Pictures of width x height pixels in the simulation's own context, of a sphere of this radius about
 * the origin. Errors: HB_ERR_GL. */
enum hb_status hb_frames_open(struct hb_gl_context *context, int width, int height, double radius,
                              struct hb_frames *frames);
void hb_frames_close(struct hb_frames *frames);

/* Draws and develops a picture of the particles where they lie, and does not wait for it. */
enum hb_status hb_frames_draw(struct hb_frames *frames, const struct hb_device_particles *at);

/* Seconds of a picture, from an idle device to an idle device: the median of as many as begin within most_s, one at least,
 * and `most` or 99 at most. */
enum hb_status hb_frames_time(struct hb_frames *frames, const struct hb_device_particles *at, int most,
                              double most_s, double *seconds);

#endif
