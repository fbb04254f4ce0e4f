/* The state of `holmberg view`. From the bottom up: view.c says messages, keeps time, and says how fine pictures are;
 * view_source.c is what is shown, view_inspect.c the inspector beside it, view_picture.c draws, view_keep.c shows and saves
 * pictures, view_change.c brings other models and forces, view_input.c acts on keys and mouse, view_loop.c divides time
 * between steps and pictures, view_script.c plays the user. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "inspect/inspector.h"
#include "render/coloring.h"
#include "viewer/hud.h"
#include "viewer/ui.h"
#include "viewer/view_source.h"
#include "viewer/window.h"

enum { HB_VIEW_CYCLE_S = 20 };
enum { HB_VIEW_FEW = 16 }; /* bodies whose paths can be told apart */
enum {
  VIEW_SLIDER_EPS,
  VIEW_SLIDER_ETA,
  VIEW_SLIDER_DAMPING,
  VIEW_SLIDER_SPEED,
  VIEW_SLIDER_N,
  VIEW_SLIDER_POINT,
  VIEW_SLIDERS
};

struct hb_view {
  struct hb_window window;
  struct hb_view_source source;
  struct hb_hud_history history;
  double rate;    /* snapshots per second of a series                       */
  double play_at; /* the current one, with a fraction towards the next      */

  double speed_asked; /* time units a second as given; 0: that of what is shown  */
  double speed;       /* as now                                                  */
  double clock;       /* the simulated time that is due                          */
  int late;           /* 1: steps are still missing                              */
  double cycle_s;     /* another model after so long; 0: never                   */
  double shown_s;     /* how long this one has been running                      */
  int keeps_time;     /* 1: in hb_view_loop                                      */
  int unasked;        /* 1: hb_view_change_ask has waited for that               */
  char asks[96];      /* paused until the user agrees; "": does not ask          */

  int paused, stop_drawing, done;
  int waits; /* 1: paused until a broken shader is fixed */
  int show_hud, show_sliders, show_trails, full_screen;
  const struct hb_keys_row *help; /* NULL: not shown */
  enum hb_coloring color;
  uint64_t groups;
  struct hb_scene_style style;
  struct hb_ui_slider sliders[VIEW_SLIDERS], time_bar;

  struct hb_inspector *inspector; /* NULL: closed                           */
  int plays_passes;
  struct hb_force_params before;   /* forces to go back to when the inspector closes, */
  int has_before;                  /* if there are any                                */
  struct hb_inspector_texel texel; /* under the mouse; particle -1: none */

  struct hb_view_particles stars;
  struct hb_trails trails;
  double *values; /* [values_capacity] for the colors */
  size_t values_capacity;
  unsigned placed_generation; /* of the source, when the stars were last placed */
  double placed_t;
  int on_device;         /* 1: stars are the simulation's own textures; 0: sent from the host */
  int ranged;            /* 1: style.range belongs to this color and source */
  unsigned range_is_old; /* pictures since then                                 */

  int plain;              /* 1: the user wants no glow                         */
  struct hb_view_detail { /* see view_detail.c                                 */
    int pictures;         /* since it was set                                  */
    double best_s;        /* of them, the shortest time                        */
    double again_at;      /* when more may be tried                            */
  } detail;
  uint64_t pictures;
  double draw_s;                     /* duration of the last picture                 */
  double due, drawn_at, advanced_at; /* times of the next picture, the last picture, the last steps */
  int touched;                       /* 1: after an event, a new picture is wanted soon */
  struct {                           /* over about the last half second */
    double since, t, step_s;
    uint64_t pairs, pictures;
    unsigned generation;
    int was_late;
    double pairs_per_s, pictures_per_s, speed; /* speed: share of that asked for; NAN: all of it */
  } measured;

  char message[256];
  double message_until;                /* a time */
  int scripted;                        /* 1: time does not matter */
  int fps;                             /* of a movie: a picture is 1 / fps of a second on the clock */
  const char *error;                   /* a shader that does not compile; "" */
  struct hb_view_recording *recording; /* NULL: none */
};

/* Shows a message over the picture for a few seconds, or until a script's next command. */
void hb_view_say(struct hb_view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- time: block steps of a simulation until its clock is due, snapshots of a series at their rate ---- */

/* One step, or snapshot, forward. A simulation that fails is paused, with a message. */
enum hb_status hb_view_steps_one(struct hb_view *view);

/* The clock goes on by this many seconds, and as many steps are done as are due by it, for about budget_s of real time; does
 * nothing while paused. What cannot be done in time is given up, except in a movie: then view->late stays 1. */
enum hb_status hb_view_steps_for(struct hb_view *view, double seconds, double budget_s);

/* Takes the speed that was asked for, or that of what is shown. */
void hb_view_steps_set_speed(struct hb_view *view);

/* Updates pairs and pictures per second and the speed that is reached, now and then. */
void hb_view_steps_measure(struct hb_view *view, double now);

/* ---- detail: as fine as this machine can draw pictures often enough ---- */

/* All details, as for a screenshot or a movie; without glow if the user wants plain pictures. */
enum hb_status hb_view_detail_full(struct hb_view *view);

/* After a picture on the screen: fewer details if it took too long, more if there was time to spare. */
enum hb_status hb_view_detail_adapt(struct hb_view *view);

#endif
