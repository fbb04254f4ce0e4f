/* holmberg render: the settings (from cmd_render.c), the frames (render_frames.c) and the snapshots (render_series.c). */
#ifndef HB_RENDER_H
#define HB_RENDER_H

#include "render/coloring.h"
#include "console/opts.h"
#include "render/keyframes.h"
#include "render/scene.h"

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

/* ---- a series of snapshots ---- */

/* Particles at a time between two snapshots, and what they are colored by. */
struct hb_render_moment {
  struct hb_particles *particles;
  double *value; /* [n]; NULL when colored by speed */
};

/* The two snapshots around the last requested time. */
struct hb_render_series {
  const struct hb_render *render;
  size_t at; /* moments[0] is file number `at`, moments[1] the next one if it was needed */
  struct hb_render_moment moments[2], between;
};

/* The particles at `place`, from 0 to file_count - 1; between two snapshots on the cubic through both positions and
 * velocities. *moment belongs to the series. Errors: those of reading; HB_ERR_INPUT if the snapshots do not belong
 * together. */
enum hb_status hb_render_series_at(struct hb_render_series *series, double place,
                                   const struct hb_render_moment **moment);
void hb_render_series_close(struct hb_render_series *series);

#endif
