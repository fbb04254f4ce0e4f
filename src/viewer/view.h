/* The state of `holmberg view`. From below to above: view_source.c is what is shown, view_inspect.c the inspector beside it,
 * view_picture.c draws, view_keep.c shows and keeps pictures, view_steps.c lets time go by, view_input.c acts on keys and
 * mouse, view_loop.c shares the time between steps and pictures, view_script.c plays a person. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "inspect/inspector.h"
#include "render/coloring.h"
#include "viewer/hud.h"
#include "viewer/ui.h"
#include "viewer/view_source.h"
#include "viewer/window.h"

enum { VIEW_SLIDER_EPS, VIEW_SLIDER_ETA, VIEW_SLIDER_DAMPING, VIEW_SLIDER_POINT, VIEW_SLIDERS };

struct hb_view {
  struct hb_window window;
  struct hb_view_source source;
  struct hb_hud_history history;
  double rate;    /* snapshots a second of a series                         */
  double play_at; /* which of them, with the share of the time to the next one */

  int paused, stop_drawing, done;
  int waits; /* 1: paused because a shader is broken, until it is mended */
  int show_hud, show_sliders, show_trails, full_screen;
  const struct hb_keys_row *help; /* NULL: not shown */
  enum hb_coloring color;
  uint64_t groups;
  struct hb_scene_style style;
  struct hb_ui_slider sliders[VIEW_SLIDERS], time_bar;

  struct hb_inspector *inspector; /* NULL: closed                           */
  int plays_passes;
  struct hb_inspector_texel texel; /* under the mouse; particle -1: there is none */

  struct hb_view_particles stars;
  struct hb_trails trails;
  double *values; /* [values_capacity] of what is colored by */
  size_t values_capacity;
  unsigned placed_generation; /* of the source, when stars were placed last */
  double placed_t;
  int on_device;         /* 1: stars lie in the simulation's textures; 0: they were sent */
  int ranged;            /* 1: style.range is that of the color and the source */
  unsigned range_is_old; /* pictures since then                                 */

  uint64_t pictures;
  double draw_s;                     /* the last picture took                        */
  double due, drawn_at, advanced_at; /* on the clock: the next picture, the last one, the last steps */
  int touched;                       /* 1: an event came, so that a new picture is wanted soon        */
  struct {                           /* over the last second or so */
    double since, step_s;
    uint64_t pairs, pictures;
    double pairs_per_s, pictures_per_s;
  } speed;

  char message[256];
  double message_until;                /* on the clock */
  int scripted;                        /* 1: nobody looks at a clock */
  const char *error;                   /* a shader that does not compile; "" */
  struct hb_view_recording *recording; /* NULL: none */
};

/* A sentence over the picture for a few seconds, or until a script does something else. */
void hb_view_say(struct hb_view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
