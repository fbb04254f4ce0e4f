/* holmberg view: a window onto a running simulation of a model or a snapshot, or onto a series of snapshots. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "gl/gl_window.h"
#include "inspect/inspector.h"
#include "movie/film.h"
#include "render/coloring.h"
#include "render/history.h"
#include "render/paint.h"
#include "run/run_settings.h"

#include <holmberg/diagnostics.h>

/* As given, from cmd_view.c. */
struct hb_view_settings {
  struct hb_run_settings run;
  size_t n; /* particles of a model; 0: the model's default */
  uint64_t seed;
  int width, height; /* points */
  double scale;      /* size of text; 0: as the screen suggests */
  int paused, inspect, plain, trails;
  enum hb_coloring color;
  uint64_t groups;
  double rate;      /* snapshots per second of a series                           */
  double speed;     /* time units a second; 0: that of what is shown              */
  int fps;          /* of a movie: a picture is 1 / fps of a second on the clock  */
  double cycle_s;   /* another model after so long; 0: never                    */
  const char *race; /* schemes with commas; NULL: none */
  const char *script, *record;
  double seconds; /* of the record */
};

/* ---- keys, messages, sliders and a history of energy errors ---- */

struct hb_view;

/* What a key does: a row of one table (view.c) for the program, the help over the picture, and --help. */
struct hb_keys_row {
  int key;          /* a character or enum hb_gl_key; 0: only for the help, or the end of the table */
  const char *name; /* as written in the help: "space"; NULL: the row before has the help           */
  enum hb_status (*act)(struct hb_view *view, int by);
  int by; /* which way */
  const char *help;
};

enum { HB_HUD_HISTORY = 256 };

#define HB_HUD_TITLE 0xffffffff
#define HB_HUD_NAME  0x8fa3bbff
#define HB_HUD_VALUE 0xe8eef6ff
#define HB_HUD_CURVE 0x6fb7ffff
#define HB_HUD_NOTE  0xffd27aff
#define HB_HUD_ERROR 0xff8a80ff

/* ---- messages ---- */

/* Start from {0}. */
struct hb_hud_note {
  char text[256];
  double until; /* a time            */
  int stays;    /* 1: for good, of a script, for which time does not matter */
};

/* What is to be shown now, or "". */
const char *hb_hud_said(const struct hb_hud_note *note);

/* ---- the energy error ---- */

/* Errors so far: when it is full, every other one is dropped and new ones are added half as often. Start from {0}. */
struct hb_hud_history {
  int count;
  unsigned skip, seen; /* one of 2^skip is stored */
  double t[HB_HUD_HISTORY], error[HB_HUD_HISTORY];
};

/* Of one or several histories: from their first time to their last one, and decades of their errors that are not exactly zero. Start from
 * {0}. */
struct hb_hud_axes {
  int count; /* of errors */
  double t[2], decade[2];
};

/* ---- numbers ---- */

enum { HB_HUD_ROWS = 12, HB_HUD_COLUMNS = 40 /* at most */ };

/* Start from {title, name_columns}. */
struct hb_hud_numbers {
  const char *title;
  char state[64]; /* beside the title: "paused", "3 of 12", ... */
  int row_count;
  int name_columns; /* before the values */
  int large; /* so many rows, and the title, are in letters of twice the size where the window is large */
  struct {
    const char *name;
    char text[64];
    int has_scale; /* 1: followed by the color scale and `end` */
    char end[16];
  } rows[HB_HUD_ROWS];
  enum hb_colormap map;
};

/* ---- sliders ---- */

enum hb_hud_law {
  HB_HUD_LINEAR,     /* least ... most                                             */
  HB_HUD_LOGARITHMIC /* equal distances are equal factors                          */
};

/* Draws a number; events between pictures change it. */
struct hb_hud_slider {
  const char *name;
  double least, most;
  enum hb_hud_law law;
  int with_zero;      /* LOGARITHMIC: the left end is 0    */
  const char *format; /* of its number; NULL: text is given */
  int absent;         /* 1: neither drawn nor moved        */

  double *value; /* the caller's */
  char text[32];
  int held;            /* by the mouse */
  double x, y, length; /* of its track in the picture; pixels, y at its center */
  double reach;        /* pixels above and below that belong to it */
};

enum hb_hud_answer {
  HB_HUD_NOT_MINE,
  HB_HUD_TAKEN, /* the event was for the slider             */
  HB_HUD_MOVED, /* and has changed its value                */
  HB_HUD_LET_GO /* the mouse button was released            */
};

/* ---- the mouse ---- */

enum hb_steer_drag { HB_STEER_FREE, HB_STEER_ROTATES, HB_STEER_PANS };

/* Start from {0} and hb_camera_reset. */
struct hb_steer {
  struct hb_camera camera;
  enum hb_steer_drag drag;
  enum hb_gl_button button; /* held down */
  double x, y;              /* where the mouse is, pixels from the upper left corner */
  double pressed_at;        /* the clock at the last press, for double clicks */
  double pressed_x, pressed_y;
};

/* ---- a race: the same particles from the same state by two to four schemes side by side, in one context. They take turns, so
 * that each has had as much of the machine's time; the machines of 2007 run along as [PZ07] prints their seconds. ---- */

enum { HB_RACERS = 4 };

struct hb_racer {
  struct hb_sim *sim;
  struct hb_view_particles stars;
  struct hb_sim_counts counts; /* so far                                                       */
  struct hb_diagnostics begin; /* the first of `energies` measurements                         */
  struct hb_hud_history errors;
  int energies;
  double e_error, e_t;       /* of the last, over begin.e_scale; its time                    */
  double step_s, diagnose_s; /* wall time of its steps, and of its energies                  */
};

/* Start from {0}. */
struct hb_race {
  int count;
  struct hb_racer racer[HB_RACERS];
  size_t n, lit;
  double t;        /* where it began                  */
  int no_energies; /* 1: they would have to be read back from the device */
  double range[2]; /* of the colors: speeds           */
  int pictures;
};

/* Splits "bag,host" into names[HB_RACERS], in place. Errors: HB_ERR_USAGE (not two to four different schemes). */
enum hb_status hb_race_names(char *list, const char *names[HB_RACERS], int *count);

/* ---- the state: parts; view.c writes them, view_script.c looks ---- */

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

/* What the user has chosen to see. */
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

/* Time: block steps of a simulation until its clock is due, snapshots of a series at their rate. */
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

/* ---- calls ---- */

static inline int hb_view_source_is_series(const struct hb_view_source *source)
{
  return source->file_count > 1;
}

/* Steps since the model or file that is shown began, whatever was changed since; pairs since the program started. */
void hb_view_source_counts(const struct hb_view_source *source, struct hb_sim_counts *counts);

/* Writes a screenshot; path NULL: the first of holmberg_0001.png, ... that does not exist. Shows a message with the name. */
enum hb_status hb_view_picture_save(struct hb_view *view, const char *path);

/* Opens the window on what the operands name; opts->settings are a struct hb_view_settings. Errors: HB_ERR_GL (no window system, no
 * OpenGL 3.3), HB_ERR_USAGE, HB_ERR_INPUT, those of hb_sim_take. */
enum hb_status hb_view_open(const struct hb_opts *opts, struct hb_view **view);

/* Ends the movie, if there is one, and closes the window. status is that of viewing; if that is HB_OK, returned are the errors of
 * hb_film_close, and HB_ERR_STOPPED after a signal, with the movie whole. NULL is ignored. */
enum hb_status hb_view_close(struct hb_view *view, enum hb_status status);

/* Runs until the user quits, for at most this many seconds (INFINITY: no limit). */
enum hb_status hb_view_run(struct hb_view *view, double seconds);

/* The same by the clock of a movie: as many pictures as it has in these seconds, each as soon as its steps are done. */
enum hb_status hb_view_play(struct hb_view *view, double seconds);

/* Starts a movie in this file. */
enum hb_status hb_view_record(struct hb_view *view, const char *path);

/* ---- for view_script.c ---- */

/* All keys in the order of the help; ends with a row of zeros. */
extern const struct hb_keys_row hb_view_keys[];

/* Handles all events in the window's queue. */
enum hb_status hb_view_input(struct hb_view *view);

/* Draws and shows a picture, with the shaders as they are now: what has waited for one goes on. Adds it to the movie that is recorded. */
enum hb_status hb_view_show(struct hb_view *view);

/* Energies of a race, or of what is shown. */
enum hb_status hb_view_diagnose(struct hb_view *view);

/* One step, or snapshot, forward. A simulation that fails is paused, with a message. */
enum hb_status hb_view_step(struct hb_view *view);

/* ---- view_script.c ---- */

/* Executes the lines of a file, see `holmberg view --help`. Errors: HB_ERR_INPUT (with the line), HB_ERR_IO. */
enum hb_status hb_view_script(struct hb_view *view, const char *path);

/* For --help: keys, the mouse, and the lines of a script. */
void hb_view_help(const struct hb_help *help);

#endif
