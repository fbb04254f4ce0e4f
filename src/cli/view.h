/* `holmberg view`, from its options to the last picture. cmd_view.c has the options, view_source.c what is shown: a
 * simulation that runs or snapshots that are played, view_loop.c shares the time between steps and pictures,
 * view_picture.c draws one, view_input.c acts on keys and mouse, view_keep.c keeps pictures, view_script.c plays a person. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "cli/run.h"
#include "view/hud.h"
#include "view/ui.h"
#include "view/window.h"

enum {
  VIEW_N,
  VIEW_SEED,
  VIEW_SIZE,
  VIEW_SCALE,
  VIEW_PAUSED,
  VIEW_INSPECT,
  VIEW_COLOR_BY,
  VIEW_TRAILS,
  VIEW_RATE,
  VIEW_SCRIPT,
  VIEW_COUNT
};

/* What can be changed while it runs; each change begins a new simulation at the state of that moment. */
struct hb_view_knobs {
  double eps, eta, damping;
};

/* What is shown: a simulation, or a series of snapshots one after the other. */
struct hb_view_source {
  const char *const *files; /* the series, or the one file that the simulation begins with */
  size_t file_count;        /* 0: a model; > 1: a series                                   */
  size_t shown;             /* of the series                                               */
  double play_at;           /* number of the snapshot, with the share of the time to the next one */
  size_t model;             /* number in hb_ic_models */
  char title[128];

  struct hb_run run;                           /* its options only, with the notes of what is shown */
  const struct hb_opts_value *given;           /* of the command line, as the rows of `holmberg run` */
  struct hb_opts_value given_values[RUN_COUNT];
  struct hb_view_knobs knobs;

  struct hb_particles *particles; /* of the beginning, or the snapshot shown */
  struct hb_sim *sim;             /* NULL: a series                           */
  double t, t_step;
  uint64_t n;
  unsigned generation; /* another one after each change that is no step */

  uint64_t block_steps, particle_steps, pairs; /* of all simulations of this source so far, the present one not counted */
  double block; /* particles in the last step */
  int e_known;
  double e_begin, e_error;
  double diagnose_s, step_s; /* wall time */
};

struct hb_view {
  const struct hb_opts *opts;
  struct hb_window window;
  struct hb_view_source source;
  struct hb_hud_history history;

  int paused, stop_drawing, done;
  int show_hud, show_help, show_sliders, show_trails, full_screen;
  struct hb_scene_style style;
  int color_by;

  struct hb_ui_slider sliders[4]; /* softening, nu, damping, point size */
  struct hb_ui_slider time_bar;

  struct hb_view_particles stars;
  struct hb_trails trails;
  unsigned drawn_generation; /* of the source, as it was last drawn */
  double drawn_t;

  uint64_t pictures;
  double draw_s;                      /* the last one took */
  double frames_per_s, pairs_per_s;   /* over the last second or so */
  double measured_at, measured_pairs; /* begin of that second */
  uint64_t measured_pictures;

  char message[256];
  double message_until;
  char error[512];

  struct hb_view_script *script;     /* NULL: a person is there */
  struct hb_view_recording *recording; /* NULL: none          */
};

enum { VIEW_SLIDER_EPS, VIEW_SLIDER_ETA, VIEW_SLIDER_DAMPING, VIEW_SLIDER_POINT, VIEW_SLIDERS };

#endif
