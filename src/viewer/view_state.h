/* The state of `holmberg view`: parts, each written by the file that is named with it; the others look. From the bottom up:
 * steer.c moves the camera; view.c has what is shown, draws, paints over and saves pictures, keeps
 * time and acts on keys and mouse; view_script.c plays the user. */
#ifndef HB_VIEW_STATE_H
#define HB_VIEW_STATE_H

#include "inspect/inspector.h"
#include "movie/render.h"
#include "render/history.h"
#include "run/run_settings.h"
#include "viewer/hud.h"
#include "viewer/race.h"
#include "viewer/steer.h"
#include "viewer/view_settings.h"

/* What can be changed while it runs. */
struct hb_view_knobs {
  double eps, eta, damping;
};

struct hb_view_source {
  /* as requested */
  const char *const *files; /* the series, or the one file that the simulation starts from           */
  size_t file_count;        /* 0: a model; > 1: a series                                              */
  size_t model;             /* number in hb_ic_models                                                */
  size_t n_asked;           /* particles of a model; 0: the model's default                          */
  uint64_t seed;
  double rate;                  /* of a series: snapshots a second */
  const struct hb_opts *opts;   /* that run belongs to             */
  struct hb_run_settings *run;  /* as given, then with the snapshot's notes */
  struct hb_run_settings asked; /* the same as given                        */

  /* what is shown */
  char title[128];
  struct hb_view_knobs knobs;
  struct hb_particles *particles; /* at the start, or of the snapshot shown                               */
  struct hb_particles *next;      /* of a series, the snapshot after it; NULL: not read                   */
  struct hb_sim *sim;             /* NULL: a series                                                       */
  size_t shown;                   /* number in the series                                                 */
  double play_at;                 /* the same with a fraction towards the next                            */
  struct hb_history past;         /* states that were kept; of a series, the two beside what is shown     */
  double keep_s;                  /* wall time for that                                                   */
  double t;                       /* now                                                                  */
  double at;           /* the time that is looked at: t, one before it, or one until the next step */
  double begin_s;      /* wall time that it took to begin: shaders, and all forces once        */
  double speed;        /* time units a second at which this is watched best                    */
  uint64_t n, block;   /* particles, and those of them in the last step                        */
  uint64_t lit;        /* so many shine, see hb_view_particles_lit                             */
  unsigned generation; /* changes whenever particles change other than by steps                */

  /* forces for the inspector */
  int wants_textures;
  const char *lends; /* while OpenGL computes for it, the scheme on the processor that is to come back */
  const char *lent_scheme, *lent_precision; /* as given */

  struct hb_sim_counts before; /* of simulations that this one goes on from; pairs of all        */
  double step_s, diagnose_s;   /* wall time since the program started                             */

  /* energy, since the simulation began */
  int energies;                /* number of measurements */
  struct hb_diagnostics begin; /* the first of them          */
  double e_error;              /* over the cluster's own: e_scale; NaN: it has none */
  struct hb_hud_history history;
  int branched; /* 1: it began at a moment that was kept, of a run whose energy there was off by ... */
  double cut;   /* relative to e_scale; NaN: not known                                               */
};

/* The window: a scene of stars, beside it the inspector, and a page painted over both. */
struct hb_view_window {
  struct hb_gl_window *gl;
  struct hb_gl_context *context; /* of gl */
  struct hb_scene *scene;
  struct hb_paint *paint;
  int width, height;           /* of the framebuffer */
  int scene_width;             /* of its left part, which the stars have */
  int coarse;                  /* the scene has a pixel for coarse x coarse of the window */
  int text_scale;              /* pixels per pixel of the font */
  struct hb_gl_texture hidden; /* off screen, for saved pictures; created when needed */
  const char *error;           /* a shader that does not compile; "" */
};

/* What is drawn of the source. */
struct hb_view_stars {
  struct hb_view_particles at;
  struct hb_trails trails;
  double *values; /* [capacity] for the colors */
  size_t capacity;
  unsigned generation; /* of the source, when the stars were last placed */
  double t;
  int from_past;   /* 1: of what was kept */
  double range[2]; /* of the colors */
  enum hb_coloring color;
  int ranged;            /* 1: it belongs to this color and source */
  unsigned range_is_old; /* pictures since then */
};

/* Pictures so far, and as fine as this machine draws them often enough. */
struct hb_view_detail {
  uint64_t pictures;
  double draw_s;   /* duration of the last one */
  int tried;       /* pictures since the detail was set  */
  double best_s;   /* of them, the shortest time         */
  double again_at; /* when more may be tried             */
};

/* A screenshot is a film of one frame. */
struct hb_view_film {
  struct hb_film film;
  char path[4096];
  int width, height; /* of the window; those of a movie are even */
  char comment[256];
  struct hb_png_text text[2];
};

/* The textures behind the forces. */
struct hb_view_inspect {
  struct hb_inspector *inspector;  /* NULL: closed */
  struct hb_inspector_texel texel; /* under the mouse; particle -1: none */
};

/* What the user has chosen to see. view.c. */
struct hb_view_looks {
  int stop_drawing, full_screen;
  int hud, bars, trails, help; /* 1: numbers, sliders, paths, keys */
  int plain;                   /* 1: no glow */
  int plays_passes;
  enum hb_coloring color;
  struct hb_scene_style style;
};

enum {
  HB_VIEW_EPS,
  HB_VIEW_ETA,
  HB_VIEW_DAMPING,
  HB_VIEW_SPEED,
  HB_VIEW_N,
  HB_VIEW_POINT,
  HB_VIEW_TIME, /* a bar at the bottom of the window: through a series, or what was kept of a run */
  HB_VIEW_SLIDERS
};

/* Time: block steps of a simulation until its clock is due, snapshots of a series at their rate. view.c. */
struct hb_view_clock {
  double speed; /* time units a second */
  double t;     /* the simulated time that is due */
  int late;     /* 1: steps are still missing */
  int paused;
  int waits;                         /* 1: paused until a broken shader is fixed */
  double cycle_s;                    /* another model after so long; 0: never    */
  double shown_s;                    /* how long this one has been running       */
  int is_kept;                       /* 1: in hb_view_run                        */
  int unasked;                       /* 1: a question has waited for that; a script's frames answer it */
  char asks[96];                     /* paused until the user agrees; "": does not ask */
  double due, drawn_at, advanced_at; /* times of the next picture, the last picture, the last steps */
  int touched;                       /* 1: after an event, a new picture is wanted soon */
  struct hb_view_measured {          /* over about the last half second */
    double since, t, step_s;
    uint64_t pairs, pictures;
    unsigned generation;
    int was_late;
    double pairs_per_s, pictures_per_s, speed; /* speed: share of that asked for; NAN: all of it */
  } measured;
};

struct hb_view {
  const struct hb_view_settings *asked;
  const struct hb_keys_row *keys; /* hb_view_keys, for the help */
  struct hb_view_source source;
  struct hb_steer steer;
  struct hb_view_window window;
  struct hb_view_stars stars;
  struct hb_view_detail detail;
  struct hb_view_film *film; /* a movie; NULL: none */
  struct hb_view_inspect inspect;
  struct hb_race race; /* count 0: none; else it runs and is shown, and the source waits */
  struct hb_view_looks looks;
  struct hb_view_clock clock;
  struct hb_hud_slider sliders[HB_VIEW_SLIDERS];
  struct hb_view_knobs knobs; /* where the sliders stand */
  double n_wanted, moment;
  struct hb_hud_note note;
  int done;
};

#endif
