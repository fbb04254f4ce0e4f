/* The cost of drawing a simulation, off screen, while it runs. The same block steps are done twice from the same start:
 * first for the given time with as many pictures per second as a screen shows, then without pictures. */
#ifndef HB_FRAMES_COST_H
#define HB_FRAMES_COST_H

#include "base/status.h"

#include <holmberg/holmberg.h>

struct hb_frames_job {
  struct hb_force_params force; /* of a Plummer sphere; the scheme on OpenGL */
  int width, height;            /* pixels */
  double rate, seconds;         /* pictures per second; duration of the steps with pictures */
};

struct hb_frames_cost {
  char precision[16];
  size_t n, steps, warm_up; /* block steps that are timed, and those before them */
  double step_s, with_s;    /* a block step without and with pictures */
  double frame_s;           /* a picture alone */
  size_t frames;
};

/* Errors: as hb_sim_create and hb_sim_step; HB_ERR_USAGE (the scheme has no particles on a device). */
enum hb_status hb_frames_cost(const struct hb_frames_job *job, size_t n, struct hb_frames_cost *cost);

#endif
