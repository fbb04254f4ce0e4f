/* What it costs to draw a simulation while it runs, out of sight. The same block steps are taken twice from the same start:
 * with as many pictures a second as a screen shows, for the time that was asked for, and then without. */
#ifndef HB_FRAMES_COST_H
#define HB_FRAMES_COST_H

#include "base/status.h"

#include <holmberg/holmberg.h>

struct hb_frames_job {
  struct hb_force_params force; /* of a Plummer sphere; the scheme on OpenGL */
  int width, height;            /* pixels */
  double rate, seconds;         /* pictures a second; of steps with them, and then as many without */
};

struct hb_frames_cost {
  char precision[16];
  size_t n, steps, warm_up; /* block steps that are timed, and before those */
  double step_s, with_s;    /* a block step without and with pictures */
  double frame_s;           /* a picture alone */
  size_t frames;
};

/* Errors: as hb_sim_create and hb_sim_step; HB_ERR_USAGE (a scheme that keeps no particles on a device). */
enum hb_status hb_frames_cost(const struct hb_frames_job *job, size_t n, struct hb_frames_cost *cost);

#endif
