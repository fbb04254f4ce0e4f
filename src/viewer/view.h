/* `holmberg view`, from its options to the last picture. cmd_view.c has the options, view_source.c what is shown,
 * view_loop.c shares the time between steps and pictures, view_picture.c draws one, view_input.c acts on keys and mouse,
 * view_inspect.c shows textures, view_keep.c keeps pictures, view_script.c plays a person and tells what the viewer is like. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "render/coloring.h"
#include "viewer/view_source.h"
#include "viewer/hud.h"
#include "inspect/inspector.h"
#include "viewer/ui.h"
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
  int show_hud, show_help, show_sliders, show_trails, full_screen;
  enum hb_coloring color;
  uint64_t groups;
  struct hb_scene_style style;
  struct hb_ui_slider sliders[VIEW_SLIDERS], time_bar;

  struct hb_inspector *inspector; /* NULL: closed                           */
  int plays_passes;
  struct hb_inspector_texel texel; /* under the mouse; particle -1: there is none */

  struct hb_view_particles stars;
  struct hb_trails trails;
  double *values; /* [values_room] of what is coloured by */
  size_t values_room;
  unsigned placed_generation; /* of the source, when stars were placed last */
  double placed_t;
  int on_device;         /* 1: stars lie in the simulation's textures; 0: they were sent */
  int ranged;            /* 1: style.range is that of the colour and the source */
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

/* ---- view_input.c ---- */

/* Everything that waits in the window's queue. */
enum hb_status hb_view_input(struct hb_view *view);

/* The sliders' numbers are those of what is shown. */
void hb_view_input_set_sliders(struct hb_view *view);

/* The camera so that all but a few outliers are in the picture. */
enum hb_status hb_view_input_centre(struct hb_view *view);

/* A sentence over the picture for a few seconds, or until a script does something else. */
void hb_view_say(struct hb_view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- view_loop.c ---- */

/* Steps, or plays, for so many seconds, one step at least; nothing when it is paused. */
enum hb_status hb_view_loop_advance(struct hb_view *view, double seconds);

/* One step or snapshot forward. */
enum hb_status hb_view_loop_step(struct hb_view *view);

/* Until somebody quits. */
enum hb_status hb_view_loop(struct hb_view *view);

/* The same for so many seconds. */
enum hb_status hb_view_loop_for(struct hb_view *view, double seconds);

/* ---- view_picture.c ---- */

/* Draws and shows a picture, and keeps it where a movie is recorded. */
enum hb_status hb_view_picture(struct hb_view *view);

/* The same picture as rgb[3 * width * height]. */
enum hb_status hb_view_picture_pixels(struct hb_view *view, uint8_t *rgb);
void hb_view_picture_close(struct hb_view *view);

/* The word for a point's style. */
const char *hb_view_point_name(enum hb_scene_point point);

/* ---- view_inspect.c ---- */

enum hb_status hb_view_inspect(struct hb_view *view); /* opens or closes the inspector */
void hb_view_inspect_step(struct hb_view *view, int by);
void hb_view_inspect_play(struct hb_view *view);
void hb_view_inspect_point(struct hb_view *view, double x, double y); /* the mouse is there */

/* Walks once more where another pass is asked for and no step is going to show it: before stars are placed. */
enum hb_status hb_view_inspect_walk(struct hb_view *view);

/* The right part of the window, and the particle's mark among the stars. */
enum hb_status hb_view_inspect_draw(struct hb_view *view, unsigned framebuffer);

/* ---- view_keep.c ---- */

/* Writes what is seen; path NULL: the first holmberg_0001.png, ... that is not there. Says where. */
enum hb_status hb_view_keep(struct hb_view *view, const char *path);

/* Begins a movie, or ends it. */
enum hb_status hb_view_keep_movie(struct hb_view *view);
enum hb_status hb_view_keep_frame(struct hb_view *view);
enum hb_status hb_view_keep_close(struct hb_view *view);

/* ---- view_script.c ---- */

/* Plays the lines of a file, see `holmberg view --help`, and quits. Errors: HB_ERR_INPUT (names the line), HB_ERR_IO. */
enum hb_status hb_view_script(struct hb_view *view, const char *path);
void hb_view_script_help(FILE *out);

#endif
