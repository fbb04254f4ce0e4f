/* holmberg render: pictures and movies of snapshots. */
#ifndef HB_RENDER_H
#define HB_RENDER_H

#include "render/coloring.h"
#include "console/opts.h"
#include "render/camera.h"
#include "render/scene.h"

/* The settings, from cmd_render.c. */
struct hb_render {
  const char *const *files; /* [file_count] snapshots, ascending in time */
  size_t file_count, frames;
  const char *output;
  char *command; /* for the text chunks of the pictures */
  int width, height, samples, frames_per_s;

  enum hb_coloring color; /* not AGE */
  size_t groups;
  int has_range;
  struct hb_scene_style style; /* unless has_range, its range comes from the first frame */
  double trails;               /* length in time; 0: none */

  int orbits;
  double turns;                  /* of an orbit */
  struct hb_keyframes keyframes; /* count 0: none */
  int has_center;
  double center[3], azimuth, elevation, roll, field_of_view, zoom;

  struct hb_force_params force; /* for colors that need forces; its context and device also for drawing */
  int has_eps;                  /* 0: a note of the snapshot overrides force.eps */
  int quiet;
};

/* Draws and writes all frames. */
enum hb_status hb_render_frames(const struct hb_render *render);

#endif
