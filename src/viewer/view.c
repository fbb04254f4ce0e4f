/* The viewer keeps time: at each picture its clock has gone on by the seconds since the last one, and the block steps that are
 * due by then are done. Pictures come at most sixty times a second and take no more than half of the time. In between, keys
 * and mouse bring other models and forces, and another look at them. */
#include "base/clock.h"
#include "base/draft.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/astro.h"
#include "console/commands.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "core/particles.h"
#include "core/resample.h"
#include "gl/gl_pass.h"
#include "gl/gl_window.h"
#include "inspect/inspector.h"
#include "movie/film.h"
#include "perf/machine_model.h"
#include "perf/paper.h"
#include "render/coloring.h"
#include "render/history.h"
#include "render/paint.h"
#include "run/run_settings.h"
#include "sim/sim_settings.h"

#include <holmberg/diagnostics.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As given. */
struct view_settings {
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

struct view;

/* What a key does: a row of one table for the program, the help over the picture, and --help. */
struct keys_row {
  int key;          /* a character or enum hb_gl_key; 0: only for the help, or the end of the table */
  const char *name; /* as written in the help: "space"; NULL: the row before has the help           */
  enum hb_status (*act)(struct view *view, int by);
  int by; /* which way */
  const char *help;
};

enum { HUD_HISTORY = 256 };

#define HUD_TITLE 0xffffffff
#define HUD_NAME  0x8fa3bbff
#define HUD_VALUE 0xe8eef6ff
#define HUD_CURVE 0x6fb7ffff
#define HUD_NOTE  0xffd27aff
#define HUD_ERROR 0xff8a80ff

/* ---- messages ---- */

/* Start from {0}. */
struct hud_note {
  char text[256];
  double until; /* a time            */
  int stays;    /* 1: for good, of a script, for which time does not matter */
};

/* ---- the energy error ---- */

/* Errors so far: when it is full, every other one is dropped and new ones are added half as often. Start from {0}. */
struct hud_history {
  int count;
  unsigned skip, seen; /* one of 2^skip is stored */
  double t[HUD_HISTORY], error[HUD_HISTORY];
};

/* Of one or several histories: from their first time to their last one, and decades of their errors that are not exactly zero. Start from
 * {0}. */
struct hud_axes {
  int count; /* of errors */
  double t[2], decade[2];
};

/* ---- numbers ---- */

enum { HUD_ROWS = 12, HUD_COLUMNS = 40 /* at most */ };

/* Start from {title, state, name_columns}. */
struct hud_numbers {
  const char *title;
  const char *state; /* beside the title: "paused", "3 of 12", ... */
  int row_count;
  int name_columns; /* before the values */
  int large; /* so many rows, and the title, are in letters of twice the size where the window is large */
  struct {
    const char *name;
    char text[64];
    int has_scale; /* 1: followed by the color scale and `end` */
    char end[16];
  } rows[HUD_ROWS];
  enum hb_colormap map;
};

/* ---- sliders ---- */

enum hud_law {
  HUD_LINEAR,     /* least ... most                                             */
  HUD_LOGARITHMIC /* equal distances are equal factors                          */
};

/* Draws a number; events between pictures change it. */
struct hud_slider {
  const char *name;
  double least, most;
  enum hud_law law;
  int with_zero;      /* LOGARITHMIC: the left end is 0    */
  const char *format; /* of its number; NULL: text is given */
  int absent;         /* 1: neither drawn nor moved        */

  double *value; /* the caller's */
  char text[32];
  int held;            /* by the mouse */
  double x, y, length; /* of its track in the picture; pixels, y at its center */
  double reach;        /* pixels above and below that belong to it */
};

enum hud_answer {
  HUD_NOT_MINE,
  HUD_TAKEN, /* the event was for the slider             */
  HUD_MOVED, /* and has changed its value                */
  HUD_LET_GO /* the mouse button was released            */
};

/* ---- the mouse ---- */

enum steer_drag { STEER_FREE, STEER_ROTATES, STEER_PANS };

/* Start from {0} and hb_camera_reset. */
struct steer {
  struct hb_camera camera;
  enum steer_drag drag;
  enum hb_gl_button button; /* held down */
  double x, y;              /* where the mouse is, pixels from the upper left corner */
  double pressed_at;        /* the clock at the last press, for double clicks */
  double pressed_x, pressed_y;
};

/* ---- the state: parts ---- */

/* What can be changed while it runs; `run` has the same of what is shown. */
struct view_knobs {
  double eps, eta, damping;
};

struct view_source {
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
  double e_t;                  /* when that was so           */
  struct hud_history history;
  int branched; /* 1: it began at a moment that was kept, of a run whose energy there was off by ... */
  double cut;   /* relative to e_scale; NaN: not known                                               */
};

/* A race: the same particles from the same state by two to four schemes side by side, in one context. They take turns, so that
 * each has had as much of the machine's time; the machines of 2007 run along as [PZ07] prints their seconds. Start from {0}. */
enum { RACERS = 4 };

struct race {
  int count;
  struct racer {
    struct view_source of;
    struct hb_view_particles stars;
  } racer[RACERS];
  double t;        /* where it began    */
  double range[2]; /* of the colors: speeds */
  int pictures;
};

/* The window: a scene of stars, beside it the inspector, and a page painted over both. */
struct view_window {
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
struct view_stars {
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
struct view_detail {
  uint64_t pictures;
  double draw_s;   /* duration of the last one */
  int tried;       /* pictures since the detail was set  */
  double best_s;   /* of them, the shortest time         */
  double again_at; /* when more may be tried             */
};

/* A screenshot is a film of one frame. */
struct view_film {
  struct hb_film film;
  char path[4096];
  int width, height; /* of the window; those of a movie are even */
  char comment[256];
  struct hb_png_text text[2];
};

/* The textures behind the forces. */
struct view_inspect {
  struct hb_inspector *inspector;  /* NULL: closed */
  struct hb_inspector_texel texel; /* under the mouse; particle -1: none */
};

/* What the user has chosen to see. */
struct view_looks {
  int stop_drawing, full_screen;
  int hud, bars, trails, help; /* 1: numbers, sliders, paths, keys */
  int plain;                   /* 1: no glow */
  int plays_passes;
  enum hb_coloring color;
  struct hb_scene_style style;
};

enum {
  VIEW_EPS,
  VIEW_ETA,
  VIEW_DAMPING,
  VIEW_SPEED,
  VIEW_N,
  VIEW_POINT,
  VIEW_TIME, /* a bar at the bottom of the window: through a series, or what was kept of a run */
  VIEW_SLIDERS
};

/* Time: block steps of a simulation until its clock is due, snapshots of a series at their rate. */
struct view_clock {
  double speed; /* time units a second */
  double t;     /* the simulated time that is due */
  int late;     /* 1: steps are still missing */
  int paused;
  int waits;                         /* 1: paused until a broken shader is fixed */
  double cycle_s;                    /* another model after so long; 0: never    */
  double shown_s;                    /* how long this one has been running       */
  int is_kept;                       /* 1: in view_run                        */
  int unasked;                       /* 1: a question has waited for that; a script's frames answer it */
  char asks[96];                     /* paused until the user agrees; "": does not ask */
  double due, drawn_at, advanced_at; /* times of the next picture, the last picture, the last steps */
  int touched;                       /* 1: after an event, a new picture is wanted soon */
  struct view_measured {             /* over about the last half second */
    double since, t, step_s;
    uint64_t pairs, pictures;
    unsigned generation;
    int was_late;
    double pairs_per_s, pictures_per_s, speed; /* speed: share of that asked for; NAN: all of it */
  } measured;
};

struct view {
  const struct view_settings *asked;
  const struct keys_row *keys; /* for the help */
  struct view_source source;
  struct steer steer;
  struct view_window window;
  struct view_stars stars;
  struct view_detail detail;
  struct view_film *film; /* a movie; NULL: none */
  struct view_inspect inspect;
  struct race race; /* count 0: none; else it runs and is shown, and the source waits */
  struct view_looks looks;
  struct view_clock clock;
  struct hud_slider sliders[VIEW_SLIDERS];
  struct view_knobs knobs; /* where the sliders stand */
  double n_wanted, moment;
  struct hud_note note;
  int done;
};

static inline int is_series(const struct view_source *source) { return source->file_count > 1; }

static enum hb_status center(struct view *view, int by);
static enum hb_status inspect(struct view *view, int by);
static enum hb_status view_show(struct view *view);

/* ---- messages ---------------------------------------------------------------------------------------- */

static const double note_s = 4;

/* Shows a message for a few seconds, or until the next one. */
__attribute__((format(printf, 2, 3))) static void hud_say(struct hud_note *note, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(note->text, sizeof note->text, format, values);
  va_end(values);
  note->until = note->stays ? INFINITY : hb_clock_now() + note_s;
}

static const char *hud_said(const struct hud_note *note)
{
  return hb_clock_now() < note->until ? note->text : "";
}

/* ---- the energy error -------------------------------------------------------------------------------- */

static void hud_history_add(struct hud_history *h, double t, double error)
{
  if (h->seen++ % (1u << h->skip) != 0 || isnan(error)) return;
  if (h->count == HUD_HISTORY) {
    for (int k = 0; k < HUD_HISTORY / 2; k++) {
      h->t[k] = h->t[2 * k];
      h->error[k] = h->error[2 * k];
    }
    h->count = HUD_HISTORY / 2;
    h->skip++;
  }
  h->t[h->count] = t;
  h->error[h->count++] = error;
}

/* The last error at or before a time; 0 before all, and `now` after them. */
static double hud_history_at(const struct hud_history *h, double t, double now)
{
  double error = h->count && t < h->t[0] ? 0 : now;
  if (!h->count || t >= h->t[h->count - 1]) return now;
  for (int k = 0; k < h->count && h->t[k] <= t; k++) error = h->error[k];
  return error;
}

static void hud_axes_fit(struct hud_axes *a, const struct hud_history *h)
{
  for (int k = 0; k < h->count; k++) {
    double decade = log10(fabs(h->error[k]));
    a->t[0] = a->count || k ? fmin(a->t[0], h->t[k]) : h->t[k];
    a->t[1] = a->count || k ? fmax(a->t[1], h->t[k]) : h->t[k];
    if (h->error[k] == 0) continue;
    a->decade[0] = a->count ? fmin(a->decade[0], floor(decade)) : floor(decade);
    a->decade[1] = fmax(a->count ? a->decade[1] : -INFINITY, fmax(ceil(decade), a->decade[0] + 1));
    a->count++;
  }
}

/* Of a time and, from below, of an error. */
static double place_in(const double range[2], double at)
{
  return range[1] > range[0] ? (at - range[0]) / (range[1] - range[0]) : 1;
}

static void draw_curve(struct hb_paint *paint, const struct hud_history *h, const struct hud_axes *axes,
                       const double box[4])
{
  double scale = paint->scale, x0 = 0, y0 = 0;
  int drawn = 0;
  for (int k = 0; k < h->count; k++) {
    if (h->error[k] == 0) continue;
    double x = box[0] + box[2] * place_in(axes->t, h->t[k]);
    double y = box[1] + box[3] * (1 - place_in(axes->decade, log10(fabs(h->error[k]))));
    if (drawn++) hb_paint_line(paint, x0, y0, x, y, 1.5 * scale, HUD_CURVE);
    x0 = x;
    y0 = y;
  }
  if (drawn) hb_paint_box(paint, x0 - 2 * scale, y0 - 2 * scale, 4 * scale, 4 * scale, HUD_TITLE);
}

static void draw_decades(struct hb_paint *paint, const struct hud_axes *axes, const double panel[4],
                         const double box[4])
{
  double step = ceil((axes->decade[1] - axes->decade[0]) / fmax(1, panel[3] - 4));
  double scale = paint->scale, height = hb_paint_line_height(paint);
  for (double decade = axes->decade[0]; decade <= axes->decade[1]; decade += step) {
    double at = box[1] + box[3] * (1 - place_in(axes->decade, decade));
    hb_paint_text(paint, panel[0], at - height / 2 + scale, HUD_NAME, hb_phrase("1e%+03.0f", decade));
    hb_paint_box(paint, box[0], at, box[2], scale, 0xffffff20);
  }
}

/* As a line over a logarithmic axis, on a panel: x y of its upper left letter, columns, lines. A time before the last is marked. */
static void hud_history_paint(struct hb_paint *paint, const struct hud_history *h,
                              const struct hud_axes *axes, double marked, const double panel[4])
{
  enum { LABEL = 6 };
  double column = hb_paint_column(paint), height = hb_paint_line_height(paint), x = panel[0], y = panel[1];
  const double box[4] = {x + LABEL * column, y + 1.5 * height, (panel[2] - LABEL - 1) * column,
                         (panel[3] - 3.25) * height};
  hb_paint_panel(paint, x, y, (int)panel[2], (int)panel[3]);
  hb_paint_text(paint, x, y, HUD_NAME, "|dE/E|");
  if (!axes->count) {
    hb_paint_text(paint, box[0], box[1] + box[3] / 2, HUD_NAME, "no error yet");
    return;
  }
  draw_decades(paint, axes, panel, box);
  draw_curve(paint, h, axes, box);
  if (marked < axes->t[1])
    hb_paint_box(paint, box[0] + box[2] * fmax(0, place_in(axes->t, marked)), box[1], paint->scale, box[3],
                 HUD_NOTE);
  const char *last = hb_phrase("t = %.4g", axes->t[1]);
  hb_paint_text(paint, box[0], y + (panel[3] - 1) * height, HUD_NAME, hb_phrase("%.4g", axes->t[0]));
  hb_paint_text(paint, box[0] + box[2] - (double)strlen(last) * column, y + (panel[3] - 1) * height, HUD_NAME,
                last);
}

/* ---- what is shown: a simulation or a series ------------------------------------------------------- */

/* Above this many particles energies come from the source's own potentials: summing them in double on the host would
 * visibly stall the picture. */
enum { EXACT_ENERGY_MOST = 2048 };

/* A simulation of these particles, which stay the caller's. */
static enum hb_status simulate(const struct view_source *s, const struct hb_particles *particles,
                               struct hb_sim **sim)
{
  struct hb_sim_params params;
  HB_OWN struct hb_text tuning = {0};
  HB_TRY(hb_run_params(s->run, &tuning, &params));
  params.force.context = "glfw"; /* the window's */
  params.force.device = NULL;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  params.dt_min = s->asked.sim.dt_min; /* 0: by eps, as the next two */
  params.encounters = s->asked.sim.encounters;
  params.first_step = s->asked.sim.first_step;
  params.neighbors = s->asked.sim.neighbors;
  params.exact_energy = hb_particles_n((struct hb_particles *)particles) <= EXACT_ENERGY_MOST
                            ? HB_EXACT_ENERGY_AUTO
                            : HB_EXACT_ENERGY_NO;
  return hb_sim_create(particles, &params, sim);
}

/* The same by another scheme, in the precision that was asked for, where it has that. */
static enum hb_status simulate_by(struct view_source *s, const char *scheme,
                                  const struct hb_particles *particles, struct hb_sim **sim)
{
  struct hb_force_params *force = &s->run->sim.force, old = *force;
  const char *precisions = hb_force_scheme_find(scheme)->precisions;
  force->scheme = scheme;
  if (force->precision && !hb_text_is_listed(force->precision, precisions)) force->precision = NULL;
  enum hb_status status = simulate(s, particles, sim);
  *force = old;
  return status;
}

/* Steps of another simulation, of the same with something changed, or of one from a moment that was kept. */
enum from { GOES_ON, ANEW, BRANCHES };

/* Steps since the model or file that is shown began, whatever was changed since; pairs since the program started. */
static void view_source_counts(const struct view_source *s, struct hb_sim_counts *counts)
{
  struct hb_sim_counts now = {0};
  if (s->sim) hb_sim_counts(s->sim, &now);
  *counts = s->before;
  counts->n = s->n;
  counts->block_steps += now.block_steps;
  counts->particle_steps += now.particle_steps;
  counts->pairs += now.pairs;
  counts->near.full_blocks += now.near.full_blocks;
}

enum { PAST_BYTES = 1 << 27, PAST_STATES = 1 << 13 };

static int view_source_has_energy(const struct view_source *s)
{
  return s->sim && s->run->sim.correct != HB_PLACE_GPU;
}

/* Measures the energy error, unless positions would have to be read back from the device. */
static enum hb_status view_source_diagnose(struct view_source *s)
{
  if (!view_source_has_energy(s)) return HB_OK;
  struct hb_diagnostics now;
  double started = hb_clock_now();
  HB_TRY(hb_sim_diagnose(s->sim, s->t, &now));
  if (s->energies++ == 0) s->begin = now;
  s->e_error = (now.e_total - s->begin.e_total) / s->begin.e_scale;
  s->e_t = s->t;
  s->diagnose_s += hb_clock_now() - started;
  return HB_OK;
}

/* The same for the curve. */
static enum hb_status view_source_measure(struct view_source *s)
{
  HB_TRY(view_source_diagnose(s));
  if (view_source_has_energy(s)) hud_history_add(&s->history, s->t, s->e_error);
  return HB_OK;
}

/* Whether that would take no more than this share of the time of the steps. */
static int is_due(const struct view_source *s, double share)
{
  return view_source_has_energy(s) && (s->energies == 0 || s->diagnose_s <= share * s->step_s);
}

/* Keeps the state of now; from a device that corrects it is read back. */
static enum hb_status keep(struct view_source *s)
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  double started = hb_clock_now();
  HB_TRY(hb_sim_state(s->sim, s->t, &state));
  size_t n = hb_particles_n(state);
  if (n != s->past.n) HB_TRY(hb_history_open(n, PAST_BYTES, PAST_STATES, &s->past));
  HB_TRY(hb_history_add(&s->past, s->t, hb_particles_x(state), hb_particles_v(state)));
  s->keep_s += hb_clock_now() - started;
  return HB_OK;
}

static int looks_back(const struct view_source *s) { return s->sim && s->at < s->t; }

/* Looks at a time from the first that was kept to that of the next step, predicted where that needs no readback from the device. */
static void view_source_look_at(struct view_source *s, double t)
{
  double first = s->past.count ? s->past.t[0] : s->t;
  s->at = fmin(fmax(t, first), view_source_has_energy(s) ? hb_sim_next_time(s->sim) : s->t);
}

static enum hb_status state_at(const struct view_source *s, double t, struct hb_particles **state)
{
  if (s->sim)
    HB_TRY(hb_sim_state(s->sim, fmax(t, s->t), state));
  else
    HB_TRY(hb_particles_copy(s->particles, state));
  if (t == hb_particles_time(*state) || hb_particles_n(*state) != s->past.n) return HB_OK; /* some merged */
  hb_history_at(&s->past, t, hb_particles_x(*state), hb_particles_v(*state));
  hb_particles_set_time(*state, t);
  return HB_OK;
}

/* The particles at the time that is looked at, on the host. */
static enum hb_status view_source_state(const struct view_source *s, struct hb_particles **state)
{
  return state_at(s, s->at, state);
}

/* Shows this simulation from now on and destroys the old one. Steps are counted anew, too; pairs go on, rates are made of
 * them. */
static void begin_showing(struct view_source *s, struct hb_sim *sim, const struct hb_particles *particles,
                          enum from from)
{
  struct hb_sim_counts counts;
  view_source_counts(s, &counts);
  hb_sim_destroy(s->sim);
  if (from != GOES_ON) counts = (struct hb_sim_counts){.pairs = counts.pairs};
  if (from == ANEW) s->past.count = 0;
  hb_particles_destroy(s->next);
  s->next = NULL;
  s->before = counts;
  s->sim = sim;
  s->t = s->at = hb_particles_time(particles);
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  s->block = 0;
  s->energies = 0;
  s->e_error = 0;
  s->branched = from == BRANCHES;
  s->history = (struct hud_history){0};
  s->generation++;
}

/* Models that come with a step dt for all, which is what they were made for, are shown by it unless something else was
 * asked for: block steps follow close pairs that nobody sees. */
static int has_shared_step(struct view_source *s, const struct hb_particles *particles)
{
  const struct hb_sim_params *sim = &s->run->sim;
  return hb_particles_note(particles, "dt") && s->file_count == 0 &&
         !hb_opts_typed(s->opts, &sim->integrator) && !hb_opts_typed(s->opts, &sim->eta) &&
         !hb_opts_typed(s->opts, &sim->dt_max) && !hb_opts_typed(s->opts, &sim->neighbors);
}

/* Such a step hides the digits of a double: where nothing was asked for and the processor computes in double, floats on its
 * vector units are more than twice as fast. */
static enum hb_status hurry(struct view_source *s, const struct hb_particles *particles, struct hb_sim **sim)
{
  const char *asked = s->run->sim.force.scheme;
  if ((asked && strcmp(asked, "auto") != 0) || s->run->sim.force.precision) return HB_OK;
  if (!hb_force_scheme(hb_sim_force(*sim))->is_exact) return HB_OK;
  hb_sim_destroy(*sim);
  *sim = NULL;
  s->run->sim.force.scheme = "host-simd";
  return simulate(s, particles, sim);
}

/* Applies options and notes of the particles, which it takes over, and starts a simulation of them; on failure nothing
 * changes. */
static enum hb_status take_particles(struct view_source *s, struct hb_particles *particles)
{
  const struct hb_run_settings old = *s->run;
  *s->run = s->asked;
  int shared = has_shared_step(s, particles);
  if (shared) s->run->sim.integrator = "leapfrog";
  enum hb_status status = hb_run_take_notes(s->opts, s->run, NULL, particles);
  if (s->run->sim.damping <= 0) s->run->sim.damping = 1;
  double started = hb_clock_now();
  struct hb_sim *sim = NULL;
  if (status == HB_OK) status = simulate(s, particles, &sim);
  if (status == HB_OK && shared) status = hurry(s, particles, &sim);
  if (status != HB_OK) {
    *s->run = old;
    hb_particles_destroy(particles);
    return status;
  }
  begin_showing(s, sim, particles, ANEW);
  s->begin_s = hb_clock_now() - started;
  hb_particles_destroy(s->particles);
  s->particles = particles;
  return HB_OK;
}

/* Goes on from the state of now, or if that is looked at, from one that was; others may stand for its particles: n of them, or 0.
 * is_other: by another law than before. */
static enum hb_status go_on(struct view_source *s, int is_other, size_t n)
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL, *others = NULL;
  struct hb_sim *sim;
  enum from from = looks_back(s) ? BRANCHES : GOES_ON;
  double e = s->energies && !n && !is_other
                 ? s->begin.e_total + s->begin.e_scale * hud_history_at(&s->history, s->at, s->e_error)
                 : NAN;
  HB_TRY(state_at(s, fmin(s->at, s->t), &state));
  if (n) HB_TRY(hb_resample(state, n, s->seed, &others));
  const struct hb_particles *shown = n ? others : state;
  HB_TRY(simulate(s, shown, &sim));
  begin_showing(s, sim, shown, from);
  if (n) s->branched = 0;
  if (from != BRANCHES) return HB_OK;
  HB_TRY(keep(s)); /* what was later is forgotten */
  if (!isnan(e)) HB_TRY(view_source_diagnose(s));
  s->cut = (s->begin.e_total - e) /
           s->begin.e_scale; /* the cubic's energy is not quite that of the run which is left */
  return HB_OK;
}

static enum hb_status take_scheme(struct view_source *s, const char *scheme, const char *precision)
{
  struct hb_force_params *force[] = {&s->run->sim.force, &s->asked.sim.force};
  const char *old_scheme = force[0]->scheme, *old_precision = force[0]->precision;
  for (int k = 0; k < 2; k++) force[k]->scheme = scheme, force[k]->precision = precision;
  enum hb_status status = go_on(s, 0, 0);
  for (int k = 0; k < 2 && status != HB_OK; k++)
    force[k]->scheme = old_scheme, force[k]->precision = old_precision;
  return status;
}

/* Goes on with another scheme and precision (NULL: the scheme's first), names as in hb_force_params. */
static enum hb_status view_source_use(struct view_source *s, const char *scheme, const char *precision)
{
  HB_TRY(take_scheme(s, scheme, precision));
  s->lends = NULL; /* the user's choice stays */
  return HB_OK;
}

/* ---- forces for the inspector ------------------------------------------------------------------------ */

enum { CG2007_MOST = 256 }; /* a draw for each other particle */

static int view_source_has_textures(const struct view_source *s)
{
  return s->sim && hb_force_scheme(hb_sim_force(s->sim))->needs_gl;
}

/* Few particles by the kernel of 2007, whose textures are explained most easily, and many by bag. */
static enum hb_status lend_textures(struct view_source *s)
{
  if (!s->wants_textures || view_source_has_textures(s)) return HB_OK;
  const struct hb_force_params before = s->run->sim.force;
  const char *host = hb_force_scheme(hb_sim_force(s->sim))->name;
  enum hb_status status = HB_ERR_USAGE;
  if (s->n <= CG2007_MOST) status = take_scheme(s, "cg2007", NULL);
  if (status == HB_ERR_USAGE) status = take_scheme(s, "bag", NULL); /* cg2007 knows gravity only */
  HB_TRY(status);
  s->lends = host;
  s->lent_scheme = before.scheme;
  s->lent_precision = before.precision;
  return HB_OK;
}

static enum hb_status return_textures(struct view_source *s)
{
  if (!s->lends) return HB_OK;
  s->lends = NULL;
  return take_scheme(s, s->lent_scheme, s->lent_precision);
}

/* ---- models ------------------------------------------------------------------------------------------ */

static enum hb_status begin_model(struct view_source *s, size_t model)
{
  size_t count;
  const struct hb_ic_model *m = &hb_ic_models(&count)[model];
  struct hb_particles *particles;
  const struct hb_ic_params params = {.n = m->n_min == m->n_max ? 0 : s->n_asked, .seed = s->seed};
  HB_TRY(hb_ic_make(m->name, &params, &particles));
  HB_TRY(take_particles(s, particles));
  s->model = model;
  s->file_count = 0;
  s->speed = m->speed;
  snprintf(s->title, sizeof s->title, "%s", m->name);
  return HB_OK;
}

/* Goes on with n particles for those of now (core/resample.h); r begins the model anew with as many. */
static enum hb_status view_source_resize(struct view_source *s, size_t n)
{
  size_t count;
  const struct hb_ic_params params = {.n = n, .seed = s->seed};
  HB_OWN_PARTICLES struct hb_particles *fresh = NULL;
  HB_TRY(return_textures(s));
  const double started = hb_clock_now();
  HB_TRY(hb_ic_make(hb_ic_models(&count)[s->model].name, &params, &fresh));
  HB_TRY(go_on(s, 0, n));
  s->begin_s = hb_clock_now() - started;
  s->n_asked = n;
  struct hb_particles *before = s->particles;
  s->particles = fresh;
  fresh = before;
  return lend_textures(s);
}

/* ---- files ------------------------------------------------------------------------------------------- */

static enum hb_status read_file(const struct view_source *s, size_t number, struct hb_particles **particles)
{
  return hb_snapshot_read(s->files[number], s->run->input_format, particles);
}

static enum hb_status show_file(struct view_source *s, size_t number)
{
  struct hb_particles *particles = number == s->shown + 1 ? s->next : NULL;
  if (!particles) HB_TRY(read_file(s, number, &particles));
  if (particles != s->next) hb_particles_destroy(s->next);
  hb_particles_destroy(s->particles);
  s->next = NULL;
  s->past.count = 0;
  s->particles = particles;
  s->shown = number;
  double t = hb_particles_time(particles);
  if (s->n != hb_particles_n(particles) || t < s->t) s->generation++;
  s->t = s->at = t;
  s->n = hb_particles_n(particles);
  s->lit = hb_view_particles_lit(particles);
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[number]));
  return HB_OK;
}

static int are_same(struct hb_particles *a, struct hb_particles *b)
{
  size_t n = hb_particles_n(a);
  return n == hb_particles_n(b) && hb_particles_time(a) < hb_particles_time(b) &&
         !memcmp(hb_particles_id(a), hb_particles_id(b), n * sizeof(uint64_t));
}

/* Keeps the snapshot that is shown and the next one, if that is later and of the same particles. */
static enum hb_status keep_pair(struct view_source *s)
{
  struct hb_particles *const pair[] = {s->particles, s->next};
  if (!are_same(s->particles, s->next)) return HB_OK;
  if (s->past.n != s->n) HB_TRY(hb_history_open(s->n, PAST_BYTES, PAST_STATES, &s->past));
  for (int k = 0; k < 2; k++)
    HB_TRY(hb_history_add(&s->past, hb_particles_time(pair[k]), hb_particles_x(pair[k]),
                          hb_particles_v(pair[k])));
  return HB_OK;
}

/* A snapshot of the series, or with a fraction, what is between it and the next one. */
static enum hb_status view_source_show(struct view_source *s, double place)
{
  size_t number = (size_t)place;
  double part = place - (double)number, before = s->at;
  if (!s->particles || number != s->shown) HB_TRY(show_file(s, number));
  if (part > 0 && !s->next && number + 1 < s->file_count) {
    HB_TRY(read_file(s, number + 1, &s->next));
    HB_TRY(keep_pair(s));
  }
  s->play_at = place;
  s->at = s->past.count ? s->t + part * (s->past.t[1] - s->t) : s->t;
  if (s->at < before) s->generation++;
  return HB_OK;
}

/* A file does not say how fast to watch it: two thirds of the time in which its inner half would collapse each second, as
 * a number with one digit. */
static enum hb_status find_speed(struct hb_particles *p, double *speed)
{
  double center[3], radius, mass = 0;
  size_t n = hb_particles_n(p);
  HB_TRY(hb_camera_extent(n, hb_particles_x(p), 0.5, center, &radius));
  for (size_t i = 0; i < n; i++) mass += hb_particles_m(p)[i] / 2;
  double t = sqrt(radius * radius * radius / mass) / 1.5;
  double decade = pow(10, floor(log10(t)));
  *speed = isfinite(t) && t > 0 ? decade * floor(t / decade) : 1;
  return HB_OK;
}

static enum hb_status take_state(struct view_source *s, struct hb_particles *particles)
{
  enum hb_status status = find_speed(particles, &s->speed);
  if (status == HB_OK) return take_particles(s, particles);
  hb_particles_destroy(particles);
  return status;
}

/* A simulation from the moment of the series that is shown. */
static enum hb_status leave_series(struct view_source *s)
{
  struct hb_particles *state;
  HB_TRY(view_source_state(s, &state));
  HB_TRY(take_state(s, state));
  s->files += s->shown;
  s->file_count = s->branched = 1;
  s->cut = NAN;
  return HB_OK;
}

/* One block step, or the next snapshot. */
static enum hb_status view_source_step(struct view_source *s)
{
  struct hb_sim_counts before, after;
  if (is_series(s)) return view_source_show(s, (double)((s->shown + 1) % s->file_count));
  double started = hb_clock_now(), t = hb_sim_next_time(s->sim);
  hb_sim_counts(s->sim, &before);
  HB_TRY(hb_sim_step(s->sim));
  hb_sim_counts(s->sim, &after);
  s->block = after.particle_steps - before.particle_steps;
  s->t = s->at = t;
  s->step_s += hb_clock_now() - started;
  return HB_OK;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Shows what the operands name; n_asked, seed and run (a part of opts->settings) are set. Call view_source_close even after a
 * failure. Errors: HB_ERR_USAGE, HB_ERR_INPUT, those of hb_sim_take. */
static enum hb_status view_source_open(const struct hb_opts *opts, struct view_source *s)
{
  const char *const *operands = opts->operands;
  size_t count = opts->operand_count;
  s->opts = opts;
  s->asked = *s->run;
  int model = count <= 1 ? hb_words_find(hb_models_words, count ? operands[0] : "plummer") : -1;
  if (model >= 0) return begin_model(s, (size_t)model);
  if (s->n_asked)
    return hb_fail(HB_ERR_USAGE, "option -n applies to a model, not to the file '%s'", operands[0]);
  s->files = operands;
  s->file_count = count;
  if (count > 1) return view_source_show(s, 0);
  struct hb_particles *particles;
  snprintf(s->title, sizeof s->title, "%s", hb_text_base_name(s->files[0]));
  HB_TRY(read_file(s, 0, &particles));
  return take_state(s, particles);
}

static void view_source_close(struct view_source *s)
{
  hb_sim_destroy(s->sim);
  hb_particles_destroy(s->particles);
  hb_particles_destroy(s->next);
  hb_history_close(&s->past);
  s->sim = NULL;
  s->particles = s->next = NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

enum { LARGE_FROM = 480 }; /* pixels of height */

/* How many times as large letters can be that are to be read from the back of a room. */
static int hud_large(const struct hb_paint *paint)
{
  return paint->height >= LARGE_FROM * paint->scale ? 2 : 1;
}

__attribute__((format(printf, 3, 4))) static void hud_row(struct hud_numbers *n, const char *name,
                                                          const char *format, ...)
{
  va_list values;
  if (n->row_count == HUD_ROWS) return;
  va_start(values, format);
  n->rows[n->row_count].name = name;
  vsnprintf(n->rows[n->row_count++].text, sizeof n->rows->text, format, values);
  va_end(values);
}

/* None: NaN. */
static void hud_pairs(struct hud_numbers *n, double a_second)
{
  int giga = a_second >= 1e9;
  if (!isnan(a_second)) hud_row(n, "pairs", "%.4g %s", (giga ? 1e-9 : 1e-6) * a_second, giga ? "G/s" : "M/s");
}

static void hud_scale(struct hud_numbers *n, enum hb_colormap map, const double range[2])
{
  int k = n->row_count;
  if (k == HUD_ROWS) return;
  n->map = map;
  hud_row(n, "", "%.3g", range[0]);
  n->rows[k].has_scale = 1;
  snprintf(n->rows[k].end, sizeof n->rows->end, "%.3g", range[1]);
}

/* A text that is too long is cut off. */
static void draw_text(struct hb_paint *paint, double x, double y, int columns, uint32_t color,
                      const char *text)
{
  char cut[HUD_COLUMNS + 1];
  if (columns > HUD_COLUMNS) columns = HUD_COLUMNS;
  if (columns < 4) return;
  snprintf(cut, sizeof cut, "%.*s", columns, text);
  if (strlen(text) > (size_t)columns) memcpy(cut + columns - 3, "...", 3);
  hb_paint_text(paint, x, y, color, cut);
}

/* The smallest number stands before the colors, the largest after them. */
static void draw_scale(struct hb_paint *paint, double x, double y, int columns, const struct hud_numbers *n,
                       int row)
{
  enum { STEPS = 32 };
  int left = (int)strlen(n->rows[row].text) + 1, right = (int)strlen(n->rows[row].end) + 1;
  double scale = paint->scale, height = hb_paint_line_height(paint) - 9 * scale;
  double column = hb_paint_column(paint);
  columns -= left + right;
  if (columns <= 0) return;
  double width = columns * column / STEPS;
  x += left * column;
  for (int k = 0; k < STEPS; k++) {
    float rgb[3];
    uint32_t color = 0;
    hb_colormap_rgb(n->map, (k + 0.5) / STEPS, rgb);
    for (int c = 0; c < 3; c++) color = color << 8 | (uint32_t)(255 * hb_colormap_encode(rgb[c]) + 0.5);
    hb_paint_box(paint, x + k * width, y + 4 * scale, width, height, color << 8 | 0xff);
  }
  hb_paint_text(paint, x + (columns + 1) * column, y, HUD_VALUE, n->rows[row].end);
}

static void draw_rows(struct hb_paint *paint, const struct hud_numbers *n, int first, int end, int width,
                      double x, double y)
{
  double value_x = x + n->name_columns * hb_paint_column(paint);
  int columns = width - n->name_columns;
  for (int k = first; k < end; k++, y += hb_paint_line_height(paint)) {
    if (n->rows[k].has_scale) draw_scale(paint, value_x, y, columns, n, k);
    draw_text(paint, x, y, n->name_columns, HUD_NAME, n->rows[k].name);
    draw_text(paint, value_x, y, columns, HUD_VALUE, n->rows[k].text);
  }
}

/* On a panel of so many columns: x y of its upper left letter. Pixels of its height. */
static double hud_numbers_paint(struct hb_paint *paint, const struct hud_numbers *n, double x, double y,
                                int all_columns)
{
  int scale = paint->scale, size = hud_large(paint);
  int large = size > 1 ? n->large : 0, columns = all_columns / size, state = (int)strlen(n->state);
  int lines = size * (large + 1) + n->row_count - large;
  double line = hb_paint_line_height(paint);
  hb_paint_panel(paint, x, y, all_columns, lines);
  draw_rows(paint, n, large, n->row_count, all_columns, x, y + size * (large + 1) * line);
  paint->scale = size * scale;
  draw_text(paint, x, y, columns - state - 1, HUD_TITLE, n->title);
  draw_text(paint, x + (columns - state) * hb_paint_column(paint), y, state, HUD_NOTE, n->state);
  draw_rows(paint, n, 0, large, columns, x, y + hb_paint_line_height(paint));
  paint->scale = scale;
  return lines * line;
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

static const double zero_place = 0.04; /* a logarithmic slider with_zero is 0 below half of this */

/* The position of the knob, 0 to 1, and the value at a position. */
static double hud_slider_place(const struct hud_slider *s)
{
  double from = s->with_zero ? zero_place : 0, place;
  if (s->law == HUD_LINEAR)
    place = (*s->value - s->least) / (s->most - s->least);
  else if (s->with_zero && *s->value <= 0)
    return 0;
  else
    place = from + (1 - from) * log(*s->value / s->least) / log(s->most / s->least);
  return place < from ? from : place > 1 ? 1 : place;
}

static double hud_slider_value(const struct hud_slider *s, double place)
{
  place = place < 0 ? 0 : place > 1 ? 1 : place;
  if (s->law == HUD_LINEAR) return s->least + place * (s->most - s->least);
  double from = s->with_zero ? zero_place : 0;
  if (s->with_zero && place < from / 2) return 0;
  if (place < from) place = from;
  return s->least * pow(s->most / s->least, (place - from) / (1 - from));
}

static enum hud_answer move_slider(struct hud_slider *s, double x)
{
  double before = *s->value;
  *s->value = hud_slider_value(s, (x - s->x) / s->length);
  return *s->value == before ? HUD_TAKEN : HUD_MOVED;
}

static enum hud_answer hud_slider_event(struct hud_slider *s, const struct hb_gl_event *e)
{
  if (s->absent || s->length <= 0) return HUD_NOT_MINE;
  if (e->kind == HB_GL_EVENT_MOVE && s->held) return move_slider(s, e->x);
  if (e->kind == HB_GL_EVENT_RELEASE && s->held && e->button == HB_GL_BUTTON_LEFT) {
    s->held = 0;
    return HUD_LET_GO;
  }
  if (e->kind != HB_GL_EVENT_PRESS || e->button != HB_GL_BUTTON_LEFT) return HUD_NOT_MINE;
  if (e->x < s->x - s->reach || e->x > s->x + s->length + s->reach || fabs(e->y - s->y) > s->reach)
    return HUD_NOT_MINE;
  s->held = 1;
  return move_slider(s, e->x);
}

/* ---- the mouse moves the camera ------------------------------------------------------------------------ */

static const double double_click_s = 0.4, double_click_pixels = 6;
static const double wheel_notch = 1.15; /* five notches double the picture */

static int is_near(const struct steer *s, const struct hb_gl_event *e)
{
  return hypot(e->x - s->pressed_x, e->y - s->pressed_y) < double_click_pixels;
}

static int press(struct steer *s, const struct hb_gl_event *e, double now, int width, int height)
{
  if (s->drag != STEER_FREE) return 0; /* a second button changes nothing */
  int doubled = e->button == HB_GL_BUTTON_LEFT && s->pressed_at > 0 && now - s->pressed_at < double_click_s &&
                is_near(s, e);
  s->x = s->pressed_x = e->x;
  s->y = s->pressed_y = e->y;
  s->pressed_at = doubled ? 0 : now; /* a third click starts over */
  s->button = e->button;
  s->drag = e->button == HB_GL_BUTTON_LEFT && !e->shift ? STEER_ROTATES : STEER_PANS;
  if (doubled) hb_camera_pan(&s->camera, (width / 2.0 - e->x) / height, (e->y - height / 2.0) / height);
  return doubled;
}

static int move(struct steer *s, const struct hb_gl_event *e, int height)
{
  double dx = (e->x - s->x) / height, dy = (s->y - e->y) / height;
  s->x = e->x;
  s->y = e->y;
  if (s->drag == STEER_FREE || (dx == 0 && dy == 0)) return 0;
  if (!is_near(s, e)) s->pressed_at = 0; /* a drag is no click */
  if (s->drag == STEER_ROTATES)
    hb_camera_drag(&s->camera, dx, dy);
  else
    hb_camera_pan(&s->camera, dx, dy);
  return 1;
}

/* Handles an event at time `now` (seconds) in a picture of width x height pixels: a drag rotates, with shift or any
 * button but the left one it pans, the wheel zooms, and the point under a double click comes to the center. Returns 1
 * if the camera moved. */
static int steer_event(struct steer *s, const struct hb_gl_event *e, double now, int width, int height)
{
  switch (e->kind) {
  case HB_GL_EVENT_PRESS:
    return press(s, e, now, width, height);
  case HB_GL_EVENT_RELEASE:
    if (e->button == s->button) s->drag = STEER_FREE;
    return 0;
  case HB_GL_EVENT_MOVE:
    return height > 0 ? move(s, e, height) : 0;
  case HB_GL_EVENT_WHEEL:
    hb_camera_zoom(&s->camera, pow(wheel_notch, e->y));
    return e->y != 0;
  default:
    return 0;
  }
}

/* ---- who races --------------------------------------------------------------------------------------- */

/* Splits "bag,host" into names, whose letters are in `list`. Errors: HB_ERR_USAGE (not two to four different schemes). */
static enum hb_status race_names(const char *asked, char list[256], const char *names[RACERS], int *count)
{
  const char *words[RACERS + 1];
  snprintf(list, 256, "%s", asked);
  *count = hb_text_words(list, ",", RACERS + 1, words);
  for (int k = 0; k < *count; k++) {
    if (!hb_force_scheme_find(words[k]))
      return hb_fail(HB_ERR_USAGE, "option --race: unknown scheme '%s' (see --scheme)", words[k]);
    for (int other = 0; other < k; other++)
      if (strcmp(words[other], words[k]) == 0)
        return hb_fail(HB_ERR_USAGE, "option --race: %s is there twice", words[k]);
  }
  if (*count < 2 || *count > RACERS)
    return hb_fail(HB_ERR_USAGE, "option --race: %s (expected two to four schemes, such as cg2007,host)",
                   *count < 2 ? "one scheme" : "more than four schemes");
  memcpy(names, words, RACERS * sizeof *names);
  return HB_OK;
}

static void race_close(struct race *race)
{
  for (int k = 0; k < race->count; k++) {
    if (race->racer[k].stars.context) hb_view_particles_close(&race->racer[k].stars);
    view_source_close(&race->racer[k].of);
  }
  *race = (struct race){0};
}

static const double diagnose_share = 0.05; /* time for energies, relative to that of steps */

/* Measures energies: with a share INFINITY all, else of those for whom that takes no more than this share of their steps. */
static enum hb_status race_diagnose(struct race *race, double share)
{
  for (int k = 0; k < race->count; k++)
    if (is_due(&race->racer[k].of, share)) HB_TRY(view_source_measure(&race->racer[k].of));
  return HB_OK;
}

/* Energies where they are due, then turns for about that many seconds, always of who has had least. */
static enum hb_status race_run(struct race *race, double seconds)
{
  HB_TRY(race_diagnose(race, diagnose_share));
  double end = hb_clock_now() + seconds;
  do {
    struct view_source *next = &race->racer[0].of;
    for (int k = 1; k < race->count; k++)
      if (race->racer[k].of.step_s < next->step_s) next = &race->racer[k].of;
    HB_TRY(view_source_step(next));
  } while (hb_clock_now() < end);
  return HB_OK;
}

/* The time that each has had, as a mean. */
static double mean_seconds(const struct race *race)
{
  double sum = 0;
  for (int k = 0; k < race->count; k++) sum += race->racer[k].of.step_s;
  return sum / fmax(1, race->count);
}

/* ---- stars ------------------------------------------------------------------------------------------- */

static int columns_of(const struct race *race) { return race->count < RACERS ? race->count : 2; }

static int track_size(int scale, double height) { return height >= 600 * scale ? 2 : 1; }

/* Pixels at the bottom that belong to all: a sentence, and beside each scheme a machine of 2007. */
static double race_foot(int scale, double height)
{
  return ((1 + HB_MACHINES * track_size(scale, height)) * (HB_FONT_HEIGHT + 2) + 24) * scale;
}

/* What each has of a picture. */
static void race_size(const struct race *race, int scale, int width, int height, int size[2])
{
  int columns = columns_of(race), rows = (race->count + columns - 1) / columns;
  size[0] = (int)fmax(1, width / columns);
  size[1] = (int)fmax(1, (height - race_foot(scale, height)) / rows);
}

static enum hb_status fit_speeds(const struct view_source *s, double range[2])
{
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  HB_TRY(view_source_state(s, &state));
  return hb_coloring_fit(hb_view_particles_lit(state), hb_particles_v(state), NULL, range);
}

/* Now and then, by the first one's, so that a color means the same speed in all. */
static enum hb_status fit_colors(struct race *race)
{
  enum { PICTURES = 32 };
  const struct view_source *s = &race->racer[0].of;
  if (race->pictures++ % PICTURES || (!view_source_has_energy(s) && race->pictures > 1)) return HB_OK;
  return fit_speeds(s, race->range);
}

/* Draws stars onto a target of the paint's size, a pixel of the font being `scale` pixels, one of the scene `coarse`. */
static enum hb_status race_draw(struct race *race, struct hb_scene *scene, const struct hb_camera *camera,
                                const struct hb_scene_style *style, int scale, int coarse,
                                const struct hb_gl_target *target)
{
  struct hb_scene_style own = *style;
  int size[2], columns = columns_of(race);
  race_size(race, scale, target->width, target->height, size);
  HB_TRY(fit_colors(race));
  memcpy(own.range, race->range, sizeof own.range);
  own.color = HB_SCENE_COLOR_SPEED;
  HB_TRY(hb_scene_resize(scene, (size[0] + coarse - 1) / coarse, (size[1] + coarse - 1) / coarse, 1));
  for (int k = 0; k < race->count; k++) {
    struct racer *r = &race->racer[k];
    HB_TRY(hb_view_particles_follow(&r->stars, r->of.sim, r->of.t));
    if (r->stars.lent) r->stars.lit = r->of.lit;
    HB_TRY(hb_scene_begin(scene, camera));
    HB_TRY(hb_scene_stars(scene, &r->stars, &own));
    HB_TRY(hb_scene_enlarge(scene, &own, target, k % columns * size[0],
                            target->height - (k / columns + 1) * size[1], size[0], size[1]));
  }
  return HB_OK;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static void add_racer_numbers(const struct view_source *s, struct hud_numbers *n)
{
  struct hb_sim_counts counts;
  view_source_counts(s, &counts);
  hud_row(n, "t", "%.5f", s->t);
  hud_row(n, "dE/E", s->energies > 1 ? "%+.1e" : "-", s->e_error);
  n->large = n->row_count;
  if (s->energies > 1) hud_row(n, "at", "t = %.5f", s->e_t);
  hud_row(n, "steps", "%" PRIu64, counts.block_steps);
  hud_pairs(n, (double)counts.pairs / s->step_s);
}

static void paint_racer(const struct view_source *s, const struct hud_axes *axes, struct hb_paint *paint,
                        const double pane[4])
{
  enum { NAMES = 6, COLUMNS = 16, CURVE = 24, CURVE_LINES = 7 };
  const struct hb_force *force = hb_sim_force(s->sim);
  double margin = 12 * paint->scale, line = hb_paint_line_height(paint), column = hb_paint_column(paint);
  double x = pane[0] + margin, y = pane[1] + margin;
  int most = (int)((pane[2] - 2 * margin) / column);
  const char *title = hb_phrase("%s, %s", hb_force_scheme(force)->name, hb_force_precision(force));
  struct hud_numbers numbers = {.title = title, .state = "", .name_columns = NAMES};
  int columns = (int)fmin(most, hud_large(paint) * fmax(COLUMNS, (double)strlen(title)));
  if (columns < 8) return;
  add_racer_numbers(s, &numbers);
  double height = hud_numbers_paint(paint, &numbers, x, y, columns);
  int beside = most >= columns + 3 + CURVE;
  if (most < CURVE || (!beside && pane[3] < height + CURVE_LINES * line + 4 * margin)) return;
  const double panel[4] = {beside ? pane[0] + pane[2] - margin - CURVE * column : x,
                           beside ? y : pane[1] + pane[3] - CURVE_LINES * line - margin, CURVE, CURVE_LINES};
  hud_history_paint(paint, &s->history, axes, INFINITY, panel);
}

/* A name, how far it has come of the farthest, and the time. */
static void paint_track(struct hb_paint *paint, double x, double y, double width, uint32_t color,
                        const char *name, double share, double t)
{
  enum { NAME = 16, TEXT = 10 };
  double column = hb_paint_column(paint), scale = paint->scale, length = width - (NAME + TEXT) * column;
  const char *text = hb_phrase("%.4g", t);
  hb_paint_text(paint, x, y, color, hb_phrase("%.*s", (int)fmin(NAME, fmax(0, width / column - TEXT)), name));
  if (length > column)
    hb_paint_box(paint, x + NAME * column, y + 4 * scale, fmax(scale, share * length),
                 hb_paint_line_height(paint) - 9 * scale, color);
  hb_paint_text(paint, x + width - (double)strlen(text) * column, y, color, text);
}

static void paint_tracks(const struct race *race, struct hb_paint *paint)
{
  int scale = paint->scale, are_printed = 1, is_printed;
  double margin = 12 * scale, foot = race_foot(scale, paint->height), top = paint->height - foot,
         y = top + margin;
  double width = (paint->width - 3 * margin) / 2, seconds = mean_seconds(race), ghost[HB_MACHINES];
  double most = 1e-12;
  for (int k = 0; k < HB_MACHINES; k++) {
    ghost[k] = seconds / hb_paper_seconds(k, race->racer[0].of.n, &is_printed);
    are_printed &= is_printed;
    most = fmax(most, ghost[k]);
  }
  for (int k = 0; k < race->count; k++) most = fmax(most, race->racer[k].of.t - race->t);
  hb_paint_box(paint, 0, top, paint->width, foot, 0x05060aff);
  const char *text = hb_phrase("each has had %.4g s, in turns; 2007 in as many, of a Plummer sphere: %s",
                               seconds, are_printed ? "printed" : "by its model");
  hb_paint_text(paint, margin, y, HUD_NOTE, text);
  y += hb_paint_line_height(paint);
  paint->scale = scale * track_size(scale, paint->height);
  for (int k = 0; k < HB_MACHINES; k++, y += hb_paint_line_height(paint)) {
    if (k < race->count) {
      const struct view_source *s = &race->racer[k].of;
      paint_track(paint, margin, y, width, HUD_CURVE, hb_force_scheme(hb_sim_force(s->sim))->name,
                  (s->t - race->t) / most, s->t);
    }
    paint_track(paint, 2 * margin + width, y, width, HUD_NAME, hb_phrase("%.20s, 2007", hb_machines[k].name),
                ghost[k] / most, race->t + ghost[k]);
  }
  paint->scale = scale;
}

static void race_paint(const struct race *race, struct hb_paint *paint)
{
  struct hud_axes axes = {0};
  int size[2], columns = columns_of(race), scale = paint->scale;
  race_size(race, scale, paint->width, paint->height, size);
  for (int k = 0; k < race->count; k++) hud_axes_fit(&axes, &race->racer[k].of.history);
  for (int k = 0; k < race->count; k++) {
    const struct hud_history *errors = &race->racer[k].of.history;
    axes.t[0] = race->t; /* errors are compared, and each has a time of its own */
    axes.t[1] = errors->count ? errors->t[errors->count - 1] : race->t;
    const double pane[4] = {k % columns * size[0], k / columns * size[1], size[0], size[1]};
    paint_racer(&race->racer[k].of, &axes, paint, pane);
    if (k % columns) hb_paint_box(paint, pane[0], pane[1], scale, pane[3], HUD_NAME);
    if (k >= columns) hb_paint_box(paint, pane[0], pane[1], pane[2], scale, HUD_NAME);
  }
  paint_tracks(race, paint);
}

/* ---- numbers, sliders and help over the picture --------------------------------------------------------- */

/* In the lower right corner, beside the sliders, wrapped to fit. */
static void draw_note(struct hb_paint *paint, int beside, uint32_t color, const char *text, double *bottom)
{
  double margin = 12 * paint->scale, column = hb_paint_column(paint),
         line_height = hb_paint_line_height(paint);
  int columns = (int)((paint->width - 3 * margin) / column) - beside - 2;
  if (!text || !*text) return;
  if (columns < 16) columns = 16;
  int widest, count = hb_paint_lines(text, columns, &widest);
  double x = paint->width - margin - widest * column, y = *bottom - count * line_height;
  hb_paint_panel(paint, x, y, widest, count);
  hb_paint_wrapped(paint, x, y, color, text, columns);
  *bottom = y - margin - 4 * paint->scale;
}

enum { SLIDER_NAME = 11, SLIDER_TEXT = 10 };

static void draw_slider(struct hud_slider *s, struct hb_paint *paint, double x, double y, int columns)
{
  s->length = 0;
  if (columns < SLIDER_NAME + SLIDER_TEXT) return;
  double column = hb_paint_column(paint), line = hb_paint_line_height(paint), scale = paint->scale;
  double names = *s->name ? SLIDER_NAME * column : 0;
  if (s->format) snprintf(s->text, sizeof s->text, s->format, *s->value);
  s->x = x + names;
  s->y = y + line / 2 - scale;
  s->length = columns * column - names - SLIDER_TEXT * column;
  s->reach = line / 2;
  double knob = s->x + hud_slider_place(s) * s->length;
  hb_paint_text(paint, x, y, 0xb8c4d4ff, s->name);
  hb_paint_box(paint, s->x, s->y - scale, s->length, 2 * scale, 0xffffff30);
  hb_paint_box(paint, s->x, s->y - scale, knob - s->x, 2 * scale, HUD_CURVE);
  hb_paint_box(paint, knob - 3 * scale, s->y - 5 * scale, 6 * scale, 10 * scale,
               s->held ? HUD_TITLE : 0xd5e6ffff);
  hb_paint_text(paint, x + columns * column - (double)strlen(s->text) * column, y, HUD_VALUE, s->text);
}

static void paint_sliders(struct hb_paint *paint, struct hud_slider *sliders, int count, int columns,
                          double foot)
{
  int shown = 0;
  double margin = 12 * paint->scale, line = hb_paint_line_height(paint);
  for (int k = 0; k < count; k++) shown += !sliders[k].absent;
  double y = paint->height - margin - shown * line - foot;
  hb_paint_panel(paint, margin, y, columns, shown);
  for (int k = 0; k < count; k++) {
    if (sliders[k].absent) continue;
    draw_slider(&sliders[k], paint, margin, y, columns);
    y += line;
  }
}

/* ---- help -------------------------------------------------------------------------------------------- */

enum { KEY_COLUMNS = 9, HELP_COLUMNS = 80, HELP_LEAST = 34 };

/* Lists beside each other of so many columns and lines. */
struct help {
  int across, columns, lines;
};

/* The keys that have room, painted with their upper left letter at `at` (NULL: measured only). Returns the first that has none. */
static const struct keys_row *put_keys(const struct keys_row *row, const struct help *h,
                                       struct hb_paint *paint, const double at[2])
{
  const double column = hb_paint_column(paint), height = hb_paint_line_height(paint);
  for (int list = 0, line = 0; row->name || row->key; row++) {
    if (!row->name) continue;
    int key = (int)strlen(row->name) + 2 > KEY_COLUMNS ? (int)strlen(row->name) + 2 : KEY_COLUMNS;
    int more = hb_paint_lines(row->help, h->columns - key, NULL);
    if (line + more > h->lines) list++, line = 0;
    if (list == h->across || more > h->lines) return row;
    if (at) {
      double x = at[0] + list * (h->columns + 2) * column, y = at[1] + line * height;
      hb_paint_text(paint, x, y, HUD_CURVE, row->name);
      hb_paint_wrapped(paint, x + key * column, y, HUD_VALUE, row->help, h->columns - key);
    }
    line += more;
  }
  return row;
}

static int has_room(const struct keys_row *rows, const struct help *h, struct hb_paint *paint)
{
  const struct keys_row *rest = h->columns < HELP_LEAST ? rows : put_keys(rows, h, paint, NULL);
  return !rest->name && !rest->key;
}

/* The largest type and the fewest lists with room for all keys. 0: there is no room, this holds most. */
static int fit_help(const struct keys_row *rows, struct hb_paint *paint, struct help *h)
{
  for (;; paint->scale--) {
    int columns = (int)(paint->width / hb_paint_column(paint)) - 3, half = (columns - 2) / 2;
    int lines = (int)(paint->height / hb_paint_line_height(paint)) - 2;
    for (int across = 1; across <= 2; across++) {
      if (across == 2 && half < HELP_LEAST) break;
      *h = (struct help){across, across == 2 ? half : columns, lines};
      if (h->columns > HELP_COLUMNS) h->columns = HELP_COLUMNS;
      if (!has_room(rows, h, paint)) continue;
      while (has_room(rows, h, paint)) h->lines--;
      return ++h->lines, 1;
    }
    if (paint->scale == 1) return 0;
  }
}

static void paint_help(struct hb_paint *paint, const struct keys_row *rows)
{
  const int scale = paint->scale;
  struct help h;
  const char *rest = fit_help(rows, paint, &h) ? "" : "The rest: a larger window, or holmberg view --help";
  const double height = hb_paint_line_height(paint);
  int columns = h.across * (h.columns + 2) - 2, foot = hb_paint_lines(rest, columns, NULL);
  if (foot) h.lines = h.lines > foot ? h.lines - foot : 0;
  double at[] = {floor((paint->width - columns * hb_paint_column(paint)) / 2),
                 floor(fmax(0, paint->height - (1 + h.lines + foot) * height) / 2)};
  for (int k = 0; k < 2; k++)
    hb_paint_panel(paint, at[0], at[1], columns, 1 + h.lines + foot); /* twice as dark */
  hb_paint_text(paint, at[0], at[1], HUD_TITLE, "Keys and mouse");
  at[1] += height;
  if (h.columns >= HELP_LEAST) put_keys(rows, &h, paint, at);
  hb_paint_wrapped(paint, at[0], at[1] + h.lines * height, HUD_NOTE, rest, columns);
  paint->scale = scale;
}

/* ---- over the picture -------------------------------------------------------------------------------- */

/* What was kept are positions and velocities. */
static enum hb_coloring color_now(const struct view *view)
{
  enum hb_coloring color = view->looks.color;
  return looks_back(&view->source) && color != HB_COLORING_GROUP && color != HB_COLORING_MASS
             ? HB_COLORING_SPEED
             : color;
}

static void add_color(const struct view *view, struct hud_numbers *n)
{
  enum hb_coloring color = color_now(view);
  double range[2];
  hud_row(n, "color", "%s", hb_coloring_label(color, view->stars.range, range));
  int is_group = hb_coloring_scene(color) == HB_SCENE_COLOR_GROUP;
  if (!is_group && !isnan(range[0])) hud_scale(n, view->looks.style.map, range);
}

static void add_numbers(const struct view *view, struct hud_numbers *n)
{
  const struct view_source *s = &view->source;
  const struct view_clock *clock = &view->clock;
  struct hb_sim_counts counts;
  int series = is_series(s), back = looks_back(s);
  double error = hud_history_at(&s->history, s->at, s->e_error);
  view_source_counts(s, &counts);
  n->state = series ? hb_phrase("%zu of %zu%s", s->shown + 1, s->file_count, clock->paused ? ", paused" : "")
             : back ? clock->paused ? "past" : "replay"
             : clock->paused ? "paused"
                             : "";
  hud_row(n, "N", "%" PRIu64, s->n);
  hud_row(n, "t", "%.4f", s->at);
  if (s->energies == 1) hud_row(n, "dE/E", "-"); /* with which later ones are compared */
  if (s->energies > 1 && !isnan(error)) hud_row(n, "dE/E", "%+.2e", error);
  n->large = n->row_count;
  if (!series && !back) {
    hud_row(n, "speed", "%.3g time units a second", clock->speed);
    hud_row(n, "block", "%" PRIu64, s->block);
    if (counts.near.full_blocks)
      hud_row(n, "steps", "%" PRIu64 ", %" PRIu64 " full", counts.block_steps, counts.near.full_blocks);
    else
      hud_row(n, "steps", "%" PRIu64, counts.block_steps);
    if (!view->film) hud_pairs(n, clock->measured.pairs_per_s);
  }
  if (s->sim && !back) {
    const struct hb_force *force = hb_sim_force(s->sim);
    hud_row(n, "forces", "%s, %s, %s", hb_force_scheme(force)->name, hb_force_precision(force),
            s->run->sim.integrator);
    hud_row(n, "device", "%s", hb_force_scheme(force)->needs_gl ? hb_force_device(force) : "the processor");
  }
  add_color(view, n);
  if (!isnan(clock->measured.pictures_per_s) && !view->film)
    hud_row(n, "pictures", "%.0f /s, %.1f ms each", clock->measured.pictures_per_s,
            1e3 * view->detail.draw_s);
}

/* The most urgent one. */
static const char *find_message(const struct view *view)
{
  double speed = view->clock.measured.speed;
  const char *said = hud_said(&view->note);
  if (*said || view->race.count) return said;
  if (*view->clock.asks) return view->clock.asks;
  if (view->inspect.inspector && *view->inspect.texel.text) return view->inspect.texel.text;
  if (looks_back(&view->source)) return "the past: space replays it, u begins a new run here, end returns";
  if (isnan(speed) || view->film) return NULL;
  return hb_phrase("as fast as this machine: %.2g of the speed asked for", speed);
}

/* The bar goes through the snapshots of a series, or through what was kept of a run, and a little further than the last state: the
 * present. */
static void set_bar(struct view *view)
{
  const struct view_source *s = &view->source;
  struct hud_slider *bar = &view->sliders[VIEW_TIME];
  int series = is_series(s);
  bar->absent = !series && s->past.count < 2;
  if (bar->absent) return;
  bar->least = series ? 0 : s->past.t[0];
  bar->most = series ? (double)s->file_count - 1 : s->t;
  if (!bar->held) view->moment = series ? fmin(s->play_at, bar->most) : fmin(s->at, s->t);
  if (series)
    snprintf(bar->text, sizeof bar->text, "%zu/%zu", s->shown + 1, s->file_count);
  else
    snprintf(bar->text, sizeof bar->text, "%.4f", s->at);
}

/* Paints numbers, messages, the curve of the energy error, sliders and help onto the page. */
static void view_hud_paint(struct view *view)
{
  const struct view_source *s = &view->source;
  const struct view_looks *looks = &view->looks;
  struct hb_paint *paint = view->window.paint;
  struct hud_slider *bar = &view->sliders[VIEW_TIME];
  struct hud_numbers numbers = {.title = s->title, .name_columns = 9};
  set_bar(view);
  double margin = 12 * paint->scale;
  int columns = (int)fmin(HUD_COLUMNS, (view->window.scene_width - 2 * margin) / hb_paint_column(paint));
  int has_bar = looks->hud || looks->bars;
  double foot = has_bar ? 1.5 * hb_paint_line_height(paint) : 0, bottom = paint->height - foot - margin;
  draw_note(paint, columns, HUD_ERROR, view->window.error, &bottom);
  draw_note(paint, columns, HUD_NOTE, find_message(view), &bottom);
  if (looks->hud && !looks->help) {
    add_numbers(view, &numbers);
    hud_numbers_paint(paint, &numbers, margin, margin, columns);
  }
  if (looks->hud && !view->inspect.inspector && view_source_has_energy(s)) {
    enum { COLUMNS = 34, LINES = 8 };
    const double panel[4] = {paint->width - margin - COLUMNS * hb_paint_column(paint), margin, COLUMNS,
                             LINES};
    struct hud_axes axes = {0};
    hud_axes_fit(&axes, &s->history);
    hud_history_paint(paint, &s->history, &axes, s->at, panel);
  }
  if (looks->bars) paint_sliders(paint, view->sliders, VIEW_TIME, columns, foot);
  if (has_bar && !bar->absent)
    paint_sliders(paint, bar, 1, (int)((paint->width - 2 * margin) / hb_paint_column(paint)), 0);
  if (looks->help) paint_help(paint, view->keys);
}

/* ---- the window -------------------------------------------------------------------------------------- */

static enum hb_status fit_scene(struct view *view, int coarse)
{
  static const double share_of_stars = 0.4; /* beside the inspector */
  struct view_window *w = &view->window;
  w->scene_width = (int)((view->inspect.inspector ? share_of_stars : 1) * w->width);
  if (w->scene_width < 1) w->scene_width = 1;
  w->coarse = coarse;
  return hb_scene_resize(w->scene, (w->scene_width + coarse - 1) / coarse, (w->height + coarse - 1) / coarse,
                         1);
}

/* Adopts the current size of the framebuffer. A minimized window may have no pixels. */
static enum hb_status view_picture_resized(struct view *view)
{
  struct view_window *w = &view->window;
  int width, height;
  hb_gl_windows.size(w->gl, &width, &height);
  double scale = view->asked->scale > 0 ? view->asked->scale : hb_gl_windows.scale(w->gl);
  w->text_scale = scale < 1.5 ? 1 : (int)(scale + 0.5);
  if (width < 1 || height < 1 || (width == w->width && height == w->height)) return HB_OK;
  HB_TRY(hb_gl_context_use(w->context));
  hb_gl_texture_destroy(&w->hidden);
  w->width = width;
  w->height = height;
  return fit_scene(view, w->coarse);
}

static enum hb_status view_picture_open(struct view *view)
{
  struct view_window *w = &view->window;
  const struct hb_gl_window_params gl = {.title = "Holmberg",
                                         .width = view->asked->width,
                                         .height = view->asked->height,
                                         .debug =
                                             (view->asked->run.sim.force.flags & HB_FORCE_GL_DEBUG) != 0};
  *w = (struct view_window){.coarse = 1, .error = ""};
  HB_TRY(hb_gl_windows.open(&gl, &w->gl));
  w->context = hb_gl_windows.context(w->gl);
  HB_TRY(hb_scene_open(w->context, hb_scene_quick_format(w->context), &w->scene));
  HB_TRY(hb_paint_open(w->context, &w->paint));
  hb_gl_windows.poll(w->gl, 0);
  HB_TRY(view_picture_resized(view));
  return hb_view_particles_open(w->context, &view->stars.at);
}

static void view_picture_close(struct view *view)
{
  struct view_window *w = &view->window;
  if (view->stars.trails.context) hb_trails_close(&view->stars.trails);
  if (view->stars.at.context) hb_view_particles_close(&view->stars.at);
  hb_mem_free(view->stars.values);
  if (w->context && hb_gl_context_use(w->context) == HB_OK) hb_gl_texture_destroy(&w->hidden);
  hb_paint_close(w->paint);
  hb_scene_close(w->scene);
  hb_gl_windows.close(w->gl);
}

/* ---- detail ------------------------------------------------------------------------------------------ */

/* Thirty pictures a second, half of whose time belongs to the steps. */
static const double draw_most_s = 0.5 / 30, draw_spare_s = 0.2 / 30;
static const double again_s = 10; /* until details that took too long are tried once more */

enum { COARSEST = 3, PICTURES = 8 };

/* 1: all, as for a screenshot or a movie. */
static enum hb_status set_detail(struct view *view, int coarse)
{
  view->detail.tried = 0;
  view->detail.best_s = INFINITY;
  return fit_scene(view, coarse);
}

/* After a picture on the screen: fewer details if it took too long, more if there was time to spare. The best of a few pictures is
 * not disturbed by other programs. */
static enum hb_status view_picture_adapt(struct view *view)
{
  struct view_detail *d = &view->detail;
  double now = hb_clock_now();
  int coarse = view->window.coarse;
  d->best_s = d->tried++ ? fmin(d->best_s, d->draw_s) : d->draw_s;
  int enough = d->best_s > 4 * draw_most_s ? 2 : PICTURES;
  if (view->film || d->tried < enough) return HB_OK;
  if (d->best_s > draw_most_s && coarse < COARSEST) {
    d->again_at = now + again_s;
    return set_detail(view, coarse + 1);
  }
  if (d->best_s < draw_spare_s && coarse > 1 && now > d->again_at) return set_detail(view, coarse - 1);
  d->tried = 0;
  return HB_OK;
}

/* ---- colors ------------------------------------------------------------------------------------------ */

/* The range of colors is updated now and then, but not if speeds would have to be read back from the device. */
static int range_is_due(struct view *view)
{
  enum { PICTURES_OLD = 32 };
  if (!view->stars.ranged) return 1;
  if (view->stars.range_is_old++ < PICTURES_OLD) return 0;
  return color_now(view) != HB_COLORING_SPEED || !view->source.sim || view_source_has_energy(&view->source);
}

static int is_elsewhere(const struct view *view)
{
  return view->stars.generation != view->source.generation || view->stars.t != view->source.at;
}

/* The values to color by. */
static enum hb_status find_values(struct view *view)
{
  struct view_source *s = &view->source;
  enum hb_coloring color = color_now(view);
  if (color == HB_COLORING_SPEED) return HB_OK; /* these are computed on the device */
  HB_TRY(HB_RENEW(s->n, &view->stars.capacity, HB_ARRAY(1, &view->stars.values)));
  if (color != HB_COLORING_GROUP) return hb_coloring_of_sim(color, s->sim, s->n, view->stars.values);
  hb_coloring_groups(s->lit, view->asked->groups, view->stars.values);
  return HB_OK;
}

/* Sends the values, and moves the range halfway to theirs. */
static enum hb_status send_values(struct view *view, int range_due)
{
  struct view_stars *stars = &view->stars;
  double range[2];
  if (color_now(view) != HB_COLORING_SPEED)
    HB_TRY(hb_view_particles_values(&stars->at, view->source.n, stars->values));
  if (!range_due) return HB_OK;
  HB_TRY(color_now(view) == HB_COLORING_SPEED
             ? fit_speeds(&view->source, range)
             : hb_coloring_fit(view->source.lit, NULL, stars->values, range));
  for (int k = 0; k < 2; k++) stars->range[k] = stars->ranged ? (stars->range[k] + range[k]) / 2 : range[k];
  stars->ranged = 1;
  stars->range_is_old = 0;
  return HB_OK;
}

/* ---- stars ------------------------------------------------------------------------------------------- */

enum { FEW = 16 };

static enum hb_status load_stars(struct view *view)
{
  struct view_source *s = &view->source;
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  if (s->sim && !looks_back(s)) return hb_view_particles_follow(&view->stars.at, s->sim, s->at);
  HB_TRY(view_source_state(s, &state));
  return hb_view_particles_load(&view->stars.at, state, NULL);
}

static enum hb_status place_at(void *of, double t)
{
  struct view *view = of;
  view->source.at = t;
  return load_stars(view);
}

/* Brings the stars to where the source is now. */
static enum hb_status place_stars(struct view *view)
{
  struct view_source *s = &view->source;
  struct view_stars *stars = &view->stars;
  const struct hb_trails_past past = {s->past.count ? s->past.t[0] : s->t, place_at, view};
  int moved = is_elsewhere(view), others = stars->generation != s->generation, back = looks_back(s);
  int recalls = (back || stars->from_past) && !others;
  /* as long as what was on the screen in the last seconds, of few bodies in more of them, whose paths can be told apart */
  double length = (s->n <= FEW ? 6 : 1) * view->clock.speed;
  if (!moved && !stars->at.lent) return HB_OK;
  if (others) hb_trails_clear(&stars->trails);
  if (others || !s->sim) hb_gl_windows.set_title(view->window.gl, hb_phrase("%s - Holmberg", s->title));
  HB_TRY(load_stars(view));
  if (stars->at.lent) stars->at.lit = s->lit;
  stars->generation = s->generation;
  stars->t = s->at;
  stars->from_past = back;
  if (!moved || !view->looks.trails) return HB_OK;
  return hb_trails_follow(&stars->trails, &stars->at, length, recalls ? &past : NULL);
}

/* Values are found before stars are placed: computing energies changes the textures of the simulation's forces. */
static enum hb_status place_and_color(struct view *view)
{
  enum hb_coloring color = color_now(view);
  if (view->stars.generation != view->source.generation || view->stars.color != color) view->stars.ranged = 0;
  view->stars.color = color;
  int range_due = range_is_due(view), by_value = color != HB_COLORING_SPEED;
  int fresh = range_due || (by_value && is_elsewhere(view));
  if (fresh) HB_TRY(find_values(view));
  HB_TRY(place_stars(view));
  if (!fresh && by_value && !view->stars.at.has_values) { /* sent again, after a diagnosis */
    HB_TRY(find_values(view));
    fresh = 1;
  }
  return fresh ? send_values(view, range_due) : HB_OK;
}

static struct hb_scene_style style_of(const struct view *view)
{
  static const double least_star =
      600; /* point size of a sigma of 0.6 pixels, below which a star would be dim, times height */
  const struct view_window *w = &view->window;
  struct hb_scene_style style = view->looks.style;
  style.color = hb_coloring_scene(color_now(view));
  style.glow = view->looks.plain ? -1 : 0;
  memcpy(style.range, view->stars.range, sizeof style.range);
  style.point_size = fmax(style.point_size, least_star * w->coarse / w->height);
  return style;
}

static enum hb_status draw_stars(struct view *view, const struct hb_gl_target *target)
{
  struct view_window *w = &view->window;
  struct view_stars *stars = &view->stars;
  const struct hb_scene_style style = style_of(view);
  HB_TRY(hb_scene_begin(w->scene, &view->steer.camera));
  if (view->looks.trails && stars->trails.count > 1)
    HB_TRY(hb_scene_trails(w->scene, &stars->trails, &stars->at, INFINITY, &style));
  HB_TRY(hb_scene_stars(w->scene, &stars->at, &style));
  return hb_scene_enlarge(w->scene, &style, target, 0, 0, w->scene_width, w->height);
}

/* ---- the inspector: the textures behind the forces, and the same particle marked in both --------------- */

/* Finds the texel under the mouse. */
static void view_picture_point(struct view *view, double x, double y)
{
  struct view_inspect *i = &view->inspect;
  struct hb_inspector_texel texel;
  if (!i->inspector || !hb_inspector_hit(i->inspector, (int)x, (int)y, &texel)) return;
  i->texel = texel;
  hb_inspector_mark(i->inspector, texel.particle);
}

/* Repeats the walk if another pass was requested and no step is going to show it; before stars are placed. */
static enum hb_status walk_again(struct view *view)
{
  struct hb_inspector *i = view->inspect.inspector;
  if (!i || !hb_inspector_waits(i) || !view_source_has_textures(&view->source)) return HB_OK;
  return view_source_diagnose(&view->source);
}

/* A frame around the particle that the texel under the mouse belongs to. */
static enum hb_status mark_star(struct view *view)
{
  struct view_window *w = &view->window;
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  int64_t particle = view->inspect.texel.particle;
  double at[2], depth, reach = 8 * w->text_scale, width = 1.5 * w->text_scale;
  if (particle < 0 || (uint64_t)particle >= view->source.n) return HB_OK;
  HB_TRY(view_source_state(&view->source, &state));
  int seen = hb_camera_project(&view->steer.camera, hb_particles_x(state) + 3 * particle, at, &depth);
  double x = (w->scene_width + at[0] * w->height) / 2, y = (1 - at[1]) * w->height / 2;
  if (!seen || x > w->scene_width) return HB_OK;
  for (int k = -1; k <= 1; k += 2) {
    hb_paint_line(w->paint, x - reach, y + k * reach, x + reach, y + k * reach, width, 0xffd27aff);
    hb_paint_line(w->paint, x + k * reach, y - reach, x + k * reach, y + reach, width, 0xffd27aff);
  }
  hb_paint_text(w->paint, x + 1.5 * reach, y - reach, 0xffd27aff, hb_phrase("%lld", (long long)particle));
  return HB_OK;
}

static enum hb_status draw_inspector(struct view *view, const struct hb_gl_target *target)
{
  struct view_window *w = &view->window;
  if (!view->inspect.inspector) return HB_OK;
  HB_TRY(hb_inspector_draw(view->inspect.inspector, w->context, w->paint, target, w->scene_width, 0,
                           w->width - w->scene_width, w->height));
  return mark_star(view);
}

/* ---- a race ---- */

static enum hb_status draw_race(struct view *view, const struct hb_gl_target *target)
{
  struct view_window *w = &view->window;
  const struct hb_scene_style style = style_of(view);
  HB_TRY(race_draw(&view->race, w->scene, &view->steer.camera, &style, w->text_scale, w->coarse, target));
  hb_paint_begin(w->paint, w->width, w->height, w->text_scale);
  race_paint(&view->race, w->paint);
  double bottom = w->height - race_foot(w->text_scale, w->height) - 12 * w->text_scale;
  draw_note(w->paint, 0, HUD_ERROR, w->error, &bottom);
  draw_note(w->paint, 0, HUD_NOTE, find_message(view), &bottom);
  if (view->looks.help) paint_help(w->paint, view->keys);
  return hb_paint_end(w->paint, target);
}

/* ---- the picture -------------------------------------------------------------------------------------- */

/* Draws into a target of the window's size. */
static enum hb_status draw_picture(struct view *view, const struct hb_gl_target *target)
{
  struct view_window *w = &view->window;
  if (view->race.count) return draw_race(view, target);
  HB_TRY(walk_again(view));
  HB_TRY(place_and_color(view));
  HB_TRY(draw_stars(view, target));
  hb_paint_begin(w->paint, w->width, w->height, w->text_scale);
  HB_TRY(draw_inspector(view, target));
  view_hud_paint(view);
  return hb_paint_end(w->paint, target);
}

/* ---- screenshots and movies -------------------------------------------------------------------------- */

/* The first of holmberg_0001.png, ... that does not exist, so that nothing is overwritten. */
static enum hb_status find_free_name(const char *extension, char path[4096])
{
  for (int k = 1; k < 10000; k++) {
    snprintf(path, 4096, "holmberg_%04d.%s", k, extension);
    if (access(path, F_OK) != 0) return HB_OK;
  }
  return hb_fail(HB_ERR_IO, "holmberg_0001.%s to holmberg_9999.%s all exist", extension, extension);
}

static void describe(const struct view *view, struct view_film *f)
{
  const struct view_source *s = &view->source;
  const struct hb_force *force = s->sim ? hb_sim_force(s->sim) : NULL;
  const char *how = s->sim
                        ? hb_phrase(", eps = %g, %s, %s, %s", s->run->sim.force.eps, s->run->sim.integrator,
                                    hb_force_scheme(force)->name, hb_force_precision(force))
                        : "";
  snprintf(f->comment, sizeof f->comment, "%s: N = %llu, t = %.10g%s", s->title, (unsigned long long)s->n,
           s->at, how);
  f->text[0] = (struct hb_png_text){"Software", "Holmberg " HB_VERSION};
  f->text[1] = (struct hb_png_text){"Comment", f->comment};
}

/* A screenshot, or a movie, whose size is even: the last column or row is left out. path NULL: a free name. */
static enum hb_status open_film(struct view *view, const char *path, int single, struct view_film *f)
{
  HB_TRY(set_detail(view, 1));
  if (path) snprintf(f->path, sizeof f->path, "%s", path);
  if (!path) HB_TRY(find_free_name(single ? "png" : "mp4", f->path));
  f->width = view->window.width;
  f->height = view->window.height;
  describe(view, f);
  const struct hb_film_params params = {.path = f->path,
                                        .width = single ? f->width : f->width & ~1,
                                        .height = single ? f->height : f->height & ~1,
                                        .frames_per_s = view->asked->fps,
                                        .single = single,
                                        .text = f->text,
                                        .text_count = 2};
  return hb_film_open(&params, &f->film);
}

static enum hb_status add_frame(struct view *view, struct view_film *f)
{
  struct view_window *w = &view->window;
  const struct hb_film_params *film = &f->film.params;
  const struct hb_gl_texture_params params = {
      .what = "a picture", .format = HB_GL_RGBA8, .width = w->width, .height = w->height, .drawn = 1};
  HB_TRY(hb_gl_context_use(w->context));
  if (!w->hidden.id) HB_TRY(hb_gl_texture_create(w->context, &params, &w->hidden));
  HB_TRY(draw_picture(view, &w->hidden.target));
  HB_TRY(hb_tone_map_read(w->context, &w->hidden.target, film->width, film->height, f->film.rgb));
  return hb_film_add(&f->film, NULL, 0);
}

static enum hb_status view_picture_save(struct view *view, const char *path)
{
  struct view_film f = {0};
  HB_TRY(open_film(view, path, 1, &f));
  HB_TRY(hb_film_close(&f.film, add_frame(view, &f)));
  hud_say(&view->note, "wrote %s: %d x %d", f.path, f.width, f.height);
  return HB_OK;
}

/* What is shown, with the softening that it has. */
static enum hb_status save_snapshot(struct view *view, int by)
{
  char path[4096];
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  const struct view_source *s = &view->source;
  (void)by;
  HB_TRY(find_free_name("h5", path));
  HB_TRY(view_source_state(s, &state));
  if (s->sim) HB_TRY(hb_particles_print_note(state, "eps", "%.17g", s->run->sim.force.eps));
  HB_TRY(hb_snapshot_write(path, NULL, state));
  hud_say(&view->note, "wrote %s: t = %.10g", path, s->at);
  return HB_OK;
}

/* Starts a movie; path NULL: under a free name. Ends it, with a message. Errors: those of hb_film_open, hb_film_close. */
static enum hb_status view_picture_record(struct view *view, const char *path)
{
  HB_OWN struct view_film *f = NULL;
  HB_TRY(HB_ALLOC(1, &f));
  HB_TRY(open_film(view, path, 0, f));
  view->clock.late = 0;
  return HB_GIVE(f, &view->film);
}

static enum hb_status view_picture_recorded(struct view *view, enum hb_status status)
{
  struct view_film *f = view->film;
  view->film = NULL;
  status = hb_film_close(&f->film, status);
  if (status == HB_OK && f->film.lacks_ffmpeg)
    hud_say(&view->note, "ffmpeg is not installed: wrote %lu picture%s, %.*s_0001.png, ...", f->film.frames,
            hb_text_s(f->film.frames), (int)strcspn(f->path, "."), f->path);
  else if (status == HB_OK)
    hud_say(&view->note, "wrote %s: %lu picture%s", f->path, f->film.frames, hb_text_s(f->film.frames));
  hb_mem_free(f);
  return status;
}

/* A change of size ends the movie. */
static enum hb_status film_picture(struct view *view)
{
  struct view_film *f = view->film;
  if (!f) return HB_OK;
  int same_size = f->width == view->window.width && f->height == view->window.height;
  enum hb_status status = same_size ? add_frame(view, f) : HB_OK;
  return same_size && status == HB_OK ? HB_OK : view_picture_recorded(view, status);
}

/* ---- showing ----------------------------------------------------------------------------------------- */

static const double keep_share = 0.05; /* time for states that are kept, relative to that of steps */

/* Keeps what is shown, unless that would take more than a share of the time of the steps. */
static enum hb_status remember(struct view *view)
{
  struct view_source *s = &view->source;
  int by_clock = view->clock.is_kept && !view->film;
  if (view->race.count || !s->sim || looks_back(s) || (s->past.count && s->past.t[s->past.count - 1] == s->t))
    return HB_OK;
  return by_clock && s->keep_s > keep_share * s->step_s ? HB_OK : keep(s);
}

/* ---- time ------------------------------------------------------------------------------------------- */

enum { FILMED = 8 }; /* pictures of a movie from one energy to the next */

/* A failure stops the simulation, not the viewer; a broken shader only pauses it until it is fixed. */
static enum hb_status halt(struct view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  view->clock.paused = 1;
  hud_say(&view->note, "%s", hb_error());
  if (status == HB_ERR_GL) hb_gl_reload(view->window.context, &view->window.error);
  view->clock.waits = status == HB_ERR_GL && *view->window.error;
  if (view->clock.waits) view->note.until = 0;
  return HB_OK;
}

static enum hb_status view_step(struct view *view)
{
  struct view_source *s = &view->source;
  enum hb_status status = HB_OK;
  for (int k = 0; k < view->race.count && status == HB_OK; k++)
    status = view_source_step(&view->race.racer[k].of);
  if (view->race.count) return halt(view, status);
  if (s->sim && !s->past.count) status = keep(s); /* the beginning */
  return halt(view, status == HB_OK ? view_source_step(s) : status);
}

/* Energies of a race, or of what is shown. */
static enum hb_status view_diagnose(struct view *view)
{
  return view->race.count ? race_diagnose(&view->race, INFINITY) : view_source_measure(&view->source);
}

static enum hb_status view_show(struct view *view)
{
  struct view_window *w = &view->window;
  const struct hb_gl_target screen = {.width = w->width, .height = w->height};
  hb_gl_reload(w->context, &w->error);
  if (view->clock.waits && !*w->error) view->clock.waits = view->clock.paused = 0;
  HB_TRY(remember(view));
  double start = hb_clock_now();
  HB_TRY(draw_picture(view, &screen));
  hb_gl_windows.swap(w->gl);
  HB_TRY(hb_gl_context_check(w->context, "drawing"));
  view->detail.draw_s = hb_clock_now() - start;
  view->detail.pictures++;
  return film_picture(view);
}

static enum hb_status diagnose(struct view *view)
{
  struct view_source *s = &view->source;
  int is_now = view->film ? view->detail.pictures % FILMED == 0 /* not by how fast this machine is */
                          : is_due(s, diagnose_share);
  return is_now ? view_source_measure(s) : HB_OK;
}

/* The clock goes on by this many seconds, and as many steps are done as are due by it, for about budget_s of real time; nothing
 * while paused. What cannot be done in time is given up, except in a movie: then clock.late stays 1. */
static enum hb_status step_for(struct view *view, double seconds, double budget_s)
{
  struct view_source *s = &view->source;
  struct view_clock *c = &view->clock;
  double end = hb_clock_now() + budget_s;
  int was_late = c->late;
  c->late = 0;
  if (c->paused) return HB_OK;
  if (view->race.count) /* by the clock of a movie, each gets as much time as that has gone on */
    return halt(view,
                race_run(&view->race, view->film || isinf(budget_s) ? view->race.count * seconds : budget_s));
  if (is_series(s))
    return halt(view, view_source_show(s, fmod(s->play_at + seconds * s->rate, (double)s->file_count)));
  if (looks_back(s)) { /* up to the present, where the steps go on */
    c->t = fmin(s->at + seconds * c->speed, s->t);
    return view_source_look_at(s, c->t), HB_OK;
  }
  HB_TRY(halt(view,
              diagnose(view))); /* before the steps, since it overwrites the drawn particles on the device */
  int is_elsewhere = c->t < s->t || c->t > hb_sim_next_time(s->sim); /* another model, or a single step */
  if (is_elsewhere && !was_late) c->t = s->at;
  c->t += seconds * c->speed;
  c->shown_s += seconds;
  while (!c->paused && hb_sim_next_time(s->sim) <= c->t && !c->late) {
    HB_TRY(view_step(view));
    c->late = hb_clock_now() >= end;
  }
  c->late = c->late && hb_sim_next_time(s->sim) <= c->t;
  c->measured.was_late |= c->late;
  if (c->late && !view->film) c->t = s->t;
  if (hb_sim_next_time(s->sim) - s->t >
      c->speed / view->asked->fps) /* steps that are longer than a picture are looked at in between */
    view_source_look_at(s, fmax(c->t, s->t));
  return HB_OK;
}

/* Updates pairs and pictures per second and the speed that is reached, now and then. */
static void measure_rates(struct view *view, double now)
{
  static const double measured_s = 0.5;
  struct view_measured *m = &view->clock.measured;
  const struct view_source *s = &view->source;
  double seconds = now - m->since;
  struct hb_sim_counts counts;
  if (seconds < measured_s) return;
  view_source_counts(s, &counts);
  double step_s = s->step_s - m->step_s, speed = (s->at - m->t) / seconds / view->clock.speed;
  int is_known = m->was_late && m->generation == s->generation && speed >= 0;
  *m = (struct view_measured){.pairs_per_s = step_s > 0 ? (double)(counts.pairs - m->pairs) / step_s : NAN,
                              .pictures_per_s = (double)(view->detail.pictures - m->pictures) / seconds,
                              .speed = is_known && speed < 0.95 ? speed : NAN,
                              .since = now,
                              .t = s->at,
                              .generation = s->generation,
                              .step_s = s->step_s,
                              .pairs = counts.pairs,
                              .pictures = view->detail.pictures};
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

/* The model that is shown, if it can have another number of particles; else NULL. */
static const struct hb_ic_model *model_with_n(const struct view_source *s)
{
  size_t count;
  const struct hb_ic_model *model = &hb_ic_models(&count)[s->model];
  return s->file_count == 0 && model->n_min < model->n_max ? model : NULL;
}

/* Of a setting, as its row has it. */
static struct hud_slider slider(const char *name, const char *setting, double *value, int absent)
{
  const struct hb_setting *row = hb_setting_find(hb_sim_settings, setting);
  return (struct hud_slider){.name = name,
                             .least = row->low,
                             .most = row->high,
                             .law = row->high > 10 * row->low ? HUD_LOGARITHMIC : HUD_LINEAR,
                             .with_zero = row->kind == HB_SETTING_NOT_NEGATIVE,
                             .format = "%.3g",
                             .absent = absent,
                             .value = value};
}

static struct view_knobs knobs_of(const struct view_source *s)
{
  const struct hb_sim_params *sim = &s->run->sim;
  return (struct view_knobs){sim->force.eps, sim->eta, sim->damping};
}

static void set_sliders(struct view *view)
{
  const struct view_source *s = &view->source;
  int series = is_series(s), has_dt = hb_run_has_dt(s->run);
  const struct hud_slider sliders[VIEW_SLIDERS] = {
      [VIEW_EPS] = slider("softening", "eps", &view->knobs.eps, series),
      [VIEW_ETA] = slider("nu", "eta", &view->knobs.eta, series || has_dt),
      [VIEW_DAMPING] = slider("damping", "damping", &view->knobs.damping, series || !has_dt),
      [VIEW_SPEED] = {"speed", s->speed / 100, s->speed * 100, HUD_LOGARITHMIC, 0, "%.3g", .absent = series,
                      .value = &view->clock.speed},
      [VIEW_N] = {"N", 16, 65536, HUD_LOGARITHMIC, 0, "%.0f", .absent = !model_with_n(s),
                  .value = &view->n_wanted},
      [VIEW_POINT] = {"point size", 0.2, 12, HUD_LOGARITHMIC, 0, "%.3g", .absent = 0,
                      .value = &view->looks.style.point_size},
      [VIEW_TIME] = {"", 0, 1, HUD_LINEAR, 0, NULL, .absent = 1, .value = &view->moment},
  };
  memcpy(view->sliders, sliders, sizeof sliders);
  view->knobs = knobs_of(s);
  view->n_wanted = (double)s->n;
}

/* ---- what is shown ----------------------------------------------------------------------------------- */

/* Moves the camera so that all but a few outliers are in the picture. */
static enum hb_status center(struct view *view, int by)
{
  static const double visible = 0.8; /* fraction of the particles in a centered picture */
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  struct hb_camera *camera = &view->steer.camera;
  double radius;
  (void)by;
  HB_TRY(view_source_state(&view->source, &state));
  HB_TRY(hb_camera_extent(hb_view_particles_lit(state), hb_particles_x(state), visible, camera->center,
                          &radius));
  int size[2] = {view->window.scene_width, view->window.height};
  if (view->race.count)
    race_size(&view->race, view->window.text_scale, view->window.width, view->window.height, size);
  hb_camera_fit(camera, 1.2 * radius, (double)size[0] / size[1]);
  return HB_OK;
}

/* A few bodies are large, bright and leave trails; thousands are points. */
static void set_style(struct view *view)
{
  double n = (double)view->source.lit;
  view->looks.style.point_size = fmin(fmax(1.5 * sqrt(1000 / n), 1.5), 8);
  view->looks.style.exposure = n < 500 ? 0.9 : 0.7;
  if (n <= FEW) view->looks.trails = 1;
}

/* Where a step takes longer than a glance, the user decides; once the viewer keeps time: a script's frames and a movie take as
 * long as they take. Half of the beginning may have been shaders that were compiled, hence a second look at the forces. */
static enum hb_status ask(struct view *view)
{
  static const double long_step_s = 0.2; /* longer ones are asked about */
  struct view_source *s = &view->source;
  struct view_clock *c = &view->clock;
  c->asks[0] = 0;
  c->unasked = !c->is_kept;
  if (c->unasked || !s->sim || s->begin_s < long_step_s || view->film || view->inspect.inspector)
    return HB_OK;
  double before = hb_clock_now();
  HB_TRY(view_source_diagnose(s));
  double step_s = view_source_has_energy(s) ? hb_clock_now() - before : s->begin_s;
  if (step_s < long_step_s) return HB_OK;
  c->paused = 1;
  snprintf(c->asks, sizeof c->asks, "a step of all %llu particles takes %.2g s here: space starts it%s",
           (unsigned long long)s->n, step_s, model_with_n(s) ? ", b halves N" : "");
  return HB_OK;
}

static void say_who_computes(struct view *view)
{
  const struct view_source *s = &view->source;
  if (s->lends)
    hud_say(&view->note, "%s has no textures: %s computes until i closes them", s->lends,
            hb_force_scheme(hb_sim_force(s->sim))->name);
}

/* Takes size of the points and sliders for what is shown, and asks. */
static enum hb_status adopt(struct view *view)
{
  say_who_computes(view);
  view->clock.measured.speed = NAN;
  set_style(view);
  set_sliders(view);
  return ask(view);
}

/* The same of another model or file, also its speed, and centers it. */
static enum hb_status adopt_other(struct view *view)
{
  view->clock.speed = view->asked->speed > 0 ? view->asked->speed : view->source.speed;
  view->clock.shown_s = 0;
  HB_TRY(adopt(view));
  return center(view, 0);
}

static enum hb_status take_model(struct view *view, size_t model)
{
  HB_TRY(return_textures(&view->source));
  HB_TRY(begin_model(&view->source, model));
  HB_TRY(lend_textures(&view->source));
  return adopt_other(view);
}

#define MODEL_1 "plummer"
#define MODEL_2 "holmberg1941"
#define MODEL_3 "coldsphere"

static enum hb_status show_model(struct view *view, int by)
{
  static const char *const models[] = {MODEL_1, MODEL_2, MODEL_3};
  return take_model(view, (size_t)hb_words_find(hb_models_words, models[by - 1]));
}

static enum hb_status next_model(struct view *view, int by)
{
  size_t count;
  hb_ic_models(&count);
  return take_model(view, (view->source.model + count + (size_t)by) % count);
}

/* On failure, what was shown stays. */
static enum hb_status start_again(struct view *view, int by)
{
  struct view_source *s = &view->source;
  struct hb_sim *sim;
  (void)by;
  if (is_series(s)) return view_source_show(s, 0);
  HB_TRY(simulate(s, s->particles, &sim));
  begin_showing(s, sim, s->particles, ANEW);
  return HB_OK;
}

/* Another model once this one has been on show for cycle_s, if that is > 0: the next one that needs no patience. */
static enum hb_status cycle_models(struct view *view)
{
  struct view_clock *c = &view->clock;
  size_t count;
  hb_ic_models(&count);
  if (c->cycle_s <= 0 || c->shown_s < c->cycle_s) return HB_OK;
  view->source.n_asked = 0;
  for (size_t k = 0; k < count; k++) {
    HB_TRY(next_model(view, 1));
    if (!c->asks[0]) return HB_OK;
    c->paused = 0;
  }
  return HB_OK;
}

/* ---- the same model with other forces, or another number of particles -------------------------------- */

/* Shows who computes the forces now, and what began. */
static enum hb_status say_forces(struct view *view)
{
  struct view_source *s = &view->source;
  const struct hb_force *force = hb_sim_force(s->sim);
  const char *begins = s->branched ? hb_phrase("a new run from t = %.6g: ", s->t) : "";
  const char *cut = s->branched && !isnan(s->cut) ? hb_phrase("; its energy begins %+.1e off", s->cut) : "";
  s->branched = 0;
  hud_say(&view->note, "%sforces by %s, %s%s", begins, hb_force_scheme(force)->name,
          hb_force_precision(force), cut);
  return HB_OK;
}

static enum hb_status check_forces(const struct view *view)
{
  return view->source.sim ? HB_OK : hb_fail(HB_ERR_USAGE, "a series of snapshots has no forces");
}

/* The next one that can be had here: some need a newer OpenGL, or know gravity only. */
static enum hb_status next_scheme(struct view *view, int by)
{
  struct view_source *s = &view->source;
  size_t count, now = 0;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  HB_TRY(check_forces(view));
  while (strcmp(schemes[now].name, hb_force_scheme(hb_sim_force(s->sim))->name) != 0) now++;
  enum hb_status status = HB_OK;
  for (size_t k = 1; k < count; k++) {
    const struct hb_force_scheme *next = &schemes[(now + k * (size_t)by) % count];
    if (view->inspect.inspector && !next->needs_gl) continue; /* it would have nothing to show */
    status = view_source_use(s, next->name, NULL);
    if (status == HB_OK) return say_forces(view);
    if (status == HB_ERR_DEVICE) break;
  }
  return status;
}

static enum hb_status next_precision(struct view *view, int by)
{
  HB_TRY(check_forces(view));
  const struct hb_force *force = hb_sim_force(view->source.sim);
  const struct hb_force_scheme *scheme = hb_force_scheme(force);
  size_t count = 0, now = 0;
  while (hb_precision_names[count]) count++;
  while (strcmp(hb_precision_names[now], hb_force_precision(force)) != 0) now++;
  for (size_t k = 1; k < count; k++) {
    const char *precision = hb_precision_names[(now + k * (size_t)by) % count];
    if (!hb_text_is_listed(precision, scheme->precisions)) continue;
    HB_TRY(view_source_use(&view->source, scheme->name, precision));
    return say_forces(view);
  }
  return hb_fail(HB_ERR_USAGE, "scheme %s has no other precision", scheme->name);
}

/* Twice as many, half as many; 0: as many as the slider says. */
static enum hb_status change_n(struct view *view, int by)
{
  struct view_source *s = &view->source;
  const struct hb_ic_model *model = model_with_n(s);
  if (!model)
    return hb_fail(HB_ERR_USAGE, "%s has %llu particles and no other number", s->title,
                   (unsigned long long)s->n);
  double wanted = by ? (by > 0 ? 2 : 0.5) * (double)s->n : floor(view->n_wanted + 0.5);
  HB_TRY(view_source_resize(s, (size_t)fmin(fmax(wanted, (double)model->n_min), (double)model->n_max)));
  return adopt(view);
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static enum hb_status pause_or_resume(struct view *view, int by)
{
  (void)by;
  view->clock.paused = !view->clock.paused;
  view->clock.asks[0] = 0;
  return HB_OK;
}

/* To a moment of what was kept or, with a fraction, to a snapshot of a series. */
static enum hb_status go_to(struct view *view, double moment)
{
  struct view_source *s = &view->source;
  view->clock.paused = 1;
  if (!s->sim) return view_source_show(s, moment);
  view_source_look_at(s, fmin(moment, s->t));
  return HB_OK;
}

/* To the state kept before or after what is shown. */
static enum hb_status go_by_states(struct view *view, int by)
{
  struct view_source *s = &view->source;
  const struct hb_history *h = &s->past;
  size_t at = h->count ? hb_history_before(h, s->at) : 0, last = h->count - 1;
  if (!h->count || (by < 0 && s->at <= h->t[0]))
    return hb_fail(HB_ERR_USAGE, "nothing earlier was kept: r starts again");
  if (by < 0 && at > 0 && h->t[at] == s->at) at--;
  return go_to(view, by < 0 ? h->t[at] : at < last ? h->t[at + 1] : s->t);
}

static enum hb_status step_once(struct view *view, int by)
{
  struct view_source *s = &view->source;
  double last = (double)s->file_count - 1, place = ceil(s->play_at) - 1;
  view->clock.paused = 1;
  if (s->sim && (by < 0 || looks_back(s))) return go_by_states(view, by);
  return by > 0 ? view_step(view) : view_source_show(s, place < 0 ? last : place);
}

/* To the first or last moment. */
static enum hb_status go_to_end(struct view *view, int by)
{
  const struct view_source *s = &view->source;
  if (!s->sim) return go_to(view, by < 0 ? 0 : (double)s->file_count - 1);
  return go_to(view, by < 0 ? -INFINITY : INFINITY);
}

/* A new run from the moment that is shown. */
static enum hb_status begin_here(struct view *view, int by)
{
  struct view_source *s = &view->source;
  int series = !s->sim;
  (void)by;
  if (!series && !looks_back(s))
    return hb_fail(HB_ERR_USAGE, "the run is here: left or the bar goes back to where a new one can begin");
  HB_TRY(series ? leave_series(s) : go_on(s, 0, 0));
  HB_TRY(series ? adopt_other(view) : adopt(view));
  return say_forces(view);
}

/* Twice as fast, or half, by two presses. */
static enum hb_status change_speed(struct view *view, int by)
{
  int series = is_series(&view->source);
  double *speed = series ? &view->source.rate : &view->clock.speed;
  *speed *= sqrt(by > 0 ? 2 : 0.5);
  hud_say(&view->note, series ? "%.3g snapshots a second" : "%.3g time units a second", *speed);
  return HB_OK;
}

static enum hb_status cycle_or_stay(struct view *view, int by)
{
  enum { CYCLE_S = 20 };
  struct view_clock *c = &view->clock;
  (void)by;
  c->cycle_s = c->cycle_s > 0 ? 0 : CYCLE_S;
  c->shown_s = 0;
  hud_say(&view->note, c->cycle_s > 0 ? "a new model every %.3g s: k stops it" : "the model stays",
          c->cycle_s);
  return HB_OK;
}

/* A series has no forces, so it is colored by what is drawn. */
static enum hb_status next_color(struct view *view, int by)
{
  enum hb_coloring *color = &view->looks.color;
  do *color = (*color + (unsigned)by) % HB_COLORING_COUNT;
  while (!view->source.sim && *color != HB_COLORING_SPEED && *color != HB_COLORING_GROUP);
  return HB_OK;
}

static enum hb_status next_point(struct view *view, int by)
{
  view->looks.style.point = (view->looks.style.point + (unsigned)by) % HB_SCENE_POINT_COUNT;
  return HB_OK;
}

static enum hb_status be_plain(struct view *view, int by)
{
  (void)by;
  view->looks.plain = !view->looks.plain;
  return set_detail(view, 1);
}

/* `by`: where it is in struct view. */
static enum hb_status toggle(struct view *view, int by)
{
  int *truth = (int *)((char *)view + by);
  *truth = !*truth;
  return HB_OK;
}

/* Opens or closes the inspector. Where the processor computes the forces, OpenGL does meanwhile, also of other models. */
static enum hb_status inspect(struct view *view, int by)
{
  struct view_inspect *i = &view->inspect;
  struct view_source *s = &view->source;
  int opens = !i->inspector;
  (void)by;
  view->looks.plays_passes = 0;
  i->texel = (struct hb_inspector_texel){.particle = -1};
  if (opens && !s->sim)
    return hb_fail(HB_ERR_USAGE, "there are no textures to inspect: snapshots have no forces");
  hb_inspector_close(i->inspector);
  i->inspector = NULL;
  s->wants_textures = opens;
  enum hb_status status = opens ? lend_textures(s) : return_textures(s);
  if (status == HB_OK && opens) status = hb_inspector_open(&i->inspector);
  if (status != HB_OK) s->wants_textures = 0;
  HB_TRY(status);
  HB_TRY(fit_scene(view, view->window.coarse));
  say_who_computes(view);
  return HB_OK;
}

static enum hb_status next_pass(struct view *view, int by)
{
  if (view->inspect.inspector) hb_inspector_step(view->inspect.inspector, by);
  return HB_OK;
}

static enum hb_status play_passes(struct view *view, int by)
{
  (void)by;
  if (!view->inspect.inspector) return HB_OK;
  view->looks.plays_passes = !view->looks.plays_passes;
  hb_inspector_play(view->inspect.inspector, view->looks.plays_passes);
  return HB_OK;
}

/* The last picture shows the message. */
static enum hb_status stop_drawing(struct view *view, int by)
{
  (void)by;
  view->looks.stop_drawing = !view->looks.stop_drawing;
  if (!view->looks.stop_drawing) return HB_OK;
  hud_say(&view->note, "not drawing: d resumes it");
  return view_show(view);
}

static enum hb_status save_screenshot(struct view *view, int by)
{
  (void)by;
  return view_picture_save(view, NULL);
}

static enum hb_status film_or_end(struct view *view, int by)
{
  (void)by;
  if (view->film) return view_picture_recorded(view, HB_OK);
  HB_TRY(view_picture_record(view, NULL));
  hud_say(&view->note, "recording %s: v ends it", view->film->path);
  return HB_OK;
}

static enum hb_status view_record(struct view *view, const char *path)
{
  if (view->film) HB_TRY(view_picture_recorded(view, HB_OK));
  view->note.until = 0;
  return view_picture_record(view, path);
}

static enum hb_status fill_screen(struct view *view, int by)
{
  (void)by;
  view->looks.full_screen = !view->looks.full_screen;
  hb_gl_windows.fill_screen(view->window.gl, view->looks.full_screen);
  return HB_OK;
}

/* Those that can be had here, unless they were named. */
static enum hb_status take_racers(struct view *view, const struct hb_particles *state)
{
  const char *asked = view->asked->race, *names[RACERS];
  char list[256];
  int count;
  HB_TRY(race_names(asked ? asked : "cg2007,bag,tile,host", list, names, &count));
  for (int k = 0; k < count; k++) {
    struct racer *r = &view->race.racer[view->race.count];
    struct hb_sim *sim;
    *r = (struct racer){.of = {.run = view->source.run}};
    enum hb_status status = simulate_by(&view->source, names[k], state, &sim);
    if (status == HB_OK) begin_showing(&r->of, sim, state, ANEW), view->race.count++;
    if (status == HB_OK) status = hb_view_particles_open(view->window.context, &r->stars);
    if (status != HB_OK && (asked || (status != HB_ERR_GL && status != HB_ERR_USAGE))) return status;
  }
  return view->race.count < 2 ? HB_ERR_GL : HB_OK;
}

/* From the moment that is shown. */
static enum hb_status begin_race(struct view *view)
{
  struct view_source *s = &view->source;
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  HB_TRY(check_forces(view));
  if (view->inspect.inspector) HB_TRY(inspect(view, 0));
  HB_TRY(state_at(s, fmin(s->at, s->t), &state));
  enum hb_status status = take_racers(view, state);
  if (status != HB_OK) race_close(&view->race);
  view->race.t = hb_particles_time(state);
  HB_TRY(status);
  return center(view, 0);
}

/* What was shown before goes on. */
static enum hb_status race_or_end(struct view *view, int by)
{
  if (!view->race.count) return begin_race(view);
  race_close(&view->race);
  HB_TRY(fit_scene(view, view->window.coarse));
  return center(view, by);
}

#define IN_VIEW(member) offsetof(struct view, member)

static const struct keys_row keys[] = {
    {' ', "space", pause_or_resume, 0, "pause, resume"},
    {'+', "+", change_speed, 1, "faster; two presses double the speed"},
    {'=', NULL, change_speed, 1, NULL},
    {'-', "-", change_speed, -1, "slower"},
    {HB_GL_KEY_RIGHT, "right", step_once, 1, "one block step; the next snapshot or kept state"},
    {HB_GL_KEY_LEFT, "left", step_once, -1, "back by a snapshot or kept state; the bar goes to any moment"},
    {HB_GL_KEY_HOME, "home", go_to_end, -1, "the first moment that is kept"},
    {HB_GL_KEY_END, "end", go_to_end, 1, "the present"},
    {'u', "u", begin_here, 0, "a new run from the moment that is shown; m, x and sliders begin it, too"},
    {'r', "r", start_again, 0, "start again from the beginning"},
    {'c', "c", center, 0, "center on the middle of the particles, all of them in the picture"},
    {'1', "1", show_model, 1, "model " MODEL_1},
    {'2', "2", show_model, 2, "model " MODEL_2},
    {'3', "3", show_model, 3, "model " MODEL_3},
    {'[', "[", next_model, -1, "the previous model in the list of 'holmberg ic'"},
    {']', "]", next_model, 1, "the next model in that list"},
    {'k', "k", cycle_or_stay, 0, "another model every 20 seconds, or stop"},
    {'n', "n", change_n, 1, "twice as many particles, of the same structure"},
    {'b', "b", change_n, -1, "half as many"},
    {'m', "m", next_scheme, 1, "the next scheme of forces, from here on"},
    {'x', "x", next_precision, 1, "its next precision, from here on"},
    {'p', "p", next_point, 1, "points as stars, discs or dots"},
    {'e', "e", be_plain, 0, "plain pictures, without glow, and back"},
    {'o', "o", next_color, 1, "what the color shows"},
    {'l', "l", toggle, IN_VIEW(looks.trails), "trails of light on and off"},
    {'g', "g", toggle, IN_VIEW(looks.bars), "sliders on and off"},
    {'t', "t", toggle, IN_VIEW(looks.hud), "numbers on and off"},
    {'h', "h", toggle, IN_VIEW(looks.help), "show these keys"},
    {'z', "z", race_or_end, 0, "a race of schemes from here, or back: see --race"},
    {'i', "i", inspect, 0, "inspector: textures behind the forces; the mouse reads a texel"},
    {'.', ".", next_pass, 1, "inspector: the next pass"},
    {',', ",", next_pass, -1, "inspector: the previous pass"},
    {'a', "a", play_passes, 0, "inspector: one pass further at each walk, or stop"},
    {'d', "d", stop_drawing, 0, "stop drawing, keep computing"},
    {'s', "s", save_screenshot, 0, "screenshot: a PNG in this folder"},
    {'w', "w", save_snapshot, 0, "write a snapshot of what is shown"},
    {'v', "v", film_or_end, 0, "record a movie, or end it"},
    {'f', "f", fill_screen, 0, "full screen and back"},
    {'q', "q, Esc", toggle, IN_VIEW(done), "quit"},
    {HB_GL_KEY_ESCAPE, NULL, toggle, IN_VIEW(done), NULL},
    {0, "drag", NULL, 0, "rotate"},
    {0, "shift or right drag", NULL, 0, "move sideways"},
    {0, "wheel", NULL, 0, "zoom"},
    {0, "double click", NULL, 0, "center on what is there"},
    {0, NULL, NULL, 0, NULL},
};

/* ---- events ------------------------------------------------------------------------------------------ */

/* An action of the user that fails only shows a message; a failing device ends the program. */
static enum hb_status forgive(struct view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  hud_say(&view->note, "%s", hb_error());
  return HB_OK;
}

static const char in_race[] = {' ', 'c', 'd', 'e', 'f', 'h', 'p', 'q', 's', 'v', 'z', HB_GL_KEY_ESCAPE, 0};

/* Other keys are ignored. */
static enum hb_status press_key(struct view *view, int key)
{
  if (view->race.count && !strchr(in_race, key < 128 ? key : '!'))
    return hb_fail(HB_ERR_USAGE, "not in a race: z ends it");
  for (const struct keys_row *row = keys; row->key; row++)
    if (row->key == key) return row->act(view, row->by);
  return HB_OK;
}

static enum hb_status turn_knobs(struct view *view)
{
  struct view_source *s = &view->source;
  struct hb_sim_params *sim = &s->run->sim, before = *sim;
  const struct view_knobs *knobs = &view->knobs, now = knobs_of(s);
  if (memcmp(knobs, &now, sizeof now) == 0) return HB_OK;
  sim->force.eps = knobs->eps;
  sim->eta = knobs->eta;
  sim->damping = knobs->damping;
  enum hb_status status = go_on(s, knobs->eps != now.eps, 0);
  if (status != HB_OK) *sim = before;
  return status == HB_OK && s->branched ? say_forces(view) : status;
}

/* *taken = 1 when the event was for a slider. */
static enum hb_status move_sliders(struct view *view, const struct hb_gl_event *event, int *taken)
{
  for (int k = view->looks.bars ? 0 : VIEW_TIME; k < VIEW_SLIDERS; k++) {
    enum hud_answer answer = hud_slider_event(&view->sliders[k], event);
    *taken |= answer != HUD_NOT_MINE;
    if (k == VIEW_TIME && answer == HUD_MOVED) return forgive(view, go_to(view, view->moment));
    if (k != VIEW_TIME && answer == HUD_LET_GO)
      return forgive(view, k == VIEW_N ? change_n(view, 0) : turn_knobs(view));
  }
  return HB_OK;
}

static enum hb_status handle_event(struct view *view, const struct hb_gl_event *event)
{
  struct view_window *w = &view->window;
  struct steer *steer = &view->steer;
  int taken = 0;
  view->clock.touched = 1;
  if (event->kind == HB_GL_EVENT_CLOSE) view->done = 1;
  if (event->kind == HB_GL_EVENT_RESIZE) return view_picture_resized(view);
  if (event->kind == HB_GL_EVENT_KEY) return forgive(view, press_key(view, event->key));
  if (view->race.count)
    steer->pressed_at = 0; /* a double click would be one in the middle of all */
  else
    HB_TRY(move_sliders(view, event, &taken));
  int beside = event->x >= w->scene_width && steer->drag == STEER_FREE;
  if (event->kind == HB_GL_EVENT_MOVE && beside) view_picture_point(view, event->x, event->y);
  if (taken || (event->kind == HB_GL_EVENT_PRESS && beside)) return HB_OK;
  steer_event(steer, event, hb_clock_now(), w->scene_width, w->height);
  return HB_OK;
}

static enum hb_status view_input(struct view *view)
{
  if (hb_signals_stop()) view->done = 1; /* recorded from the first movie on */
  for (;;) {
    struct hb_gl_event event = hb_gl_windows.next(view->window.gl);
    if (event.kind == HB_GL_EVENT_NONE || view->done) return HB_OK;
    HB_TRY(handle_event(view, &event));
  }
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

static const double picture_s = 1.0 / 60;

/* In a movie a picture is a picture's time, however long it takes. After a long wait, as while the window is moved, the clock
 * does not jump. */
static double seconds_since(const struct view *view, double now)
{
  static const double longest_s = 0.25;
  if (view->film) return view->clock.late ? 0 : 1.0 / view->asked->fps;
  return fmin(now - view->clock.advanced_at, longest_s);
}

/* Waits for events until a picture is due, does the steps that are due by then, and draws it. */
static enum hb_status turn(struct view *view)
{
  static const double idle_s = 0.1; /* between pictures while nothing moves */
  struct view_clock *c = &view->clock;
  double now = hb_clock_now();
  int rests = c->paused || is_series(&view->source);
  hb_gl_windows.poll(view->window.gl, c->due > now ? c->due - now : 0);
  c->touched = 0;
  HB_TRY(view_input(view));
  if (view->done) return HB_OK;
  if (rests && c->touched) c->due = fmin(c->due, c->drawn_at + picture_s);
  now = hb_clock_now();
  if (now < c->due) return HB_OK;
  if (!view->race.count) HB_TRY(cycle_models(view));
  HB_TRY(step_for(view, seconds_since(view, now), fmax(picture_s, view->detail.draw_s)));
  c->advanced_at = now;
  if (view->film && c->late) return HB_OK;
  c->drawn_at = hb_clock_now();
  if (!view->looks.stop_drawing) HB_TRY(view_show(view));
  if (!view->looks.stop_drawing) HB_TRY(view_picture_adapt(view));
  c->due = now + (c->paused ? idle_s : picture_s);
  measure_rates(view, hb_clock_now());
  return HB_OK;
}

static enum hb_status view_run(struct view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  enum hb_status status = HB_OK;
  view->clock.due = view->clock.advanced_at = hb_clock_now();
  view->clock.is_kept = 1;
  if (view->clock.unasked) status = ask(view);
  while (status == HB_OK && !view->done && hb_clock_now() < end) status = turn(view);
  view->clock.is_kept = 0;
  return status;
}

static enum hb_status view_play(struct view *view, double seconds)
{
  double pictures = floor(seconds * view->asked->fps + 0.5);
  for (double k = 0; k < pictures && !view->done; k++) {
    hb_gl_windows.poll(view->window.gl, 0);
    HB_TRY(view_input(view));
    HB_TRY(cycle_models(view));
    HB_TRY(step_for(view, 1.0 / view->asked->fps, INFINITY));
    HB_TRY(view_show(view));
  }
  return HB_OK;
}

/* ---- opening and closing ----------------------------------------------------------------------------- */

static enum hb_status begin_view(const struct hb_opts *opts, struct view *view)
{
  const struct view_settings *asked = view->asked;
  HB_TRY(view_picture_open(view));
  HB_TRY(view_source_open(opts, &view->source));
  if (!view->source.sim && asked->color != HB_COLORING_SPEED && asked->color != HB_COLORING_GROUP)
    return hb_fail(
        HB_ERR_USAGE,
        "option --color-by: a series of snapshots cannot be colored by %s (expected speed or group)",
        hb_coloring_name(asked->color));
  hb_camera_look(&view->steer.camera, 0.5, 0.6, 0);
  HB_TRY(set_detail(view, 1));
  if (asked->inspect) HB_TRY(inspect(view, 0));
  HB_TRY(adopt_other(view));
  if (asked->race) HB_TRY(begin_race(view));
  hud_say(&view->note, "h: help, space: pause, i: textures");
  return HB_OK;
}

static enum hb_status view_open(const struct hb_opts *opts, struct view **view)
{
  struct view_settings *asked = opts->settings;
  struct view *v;
  *view = NULL;
  HB_TRY(HB_ALLOC(1, &v));
  *v = (struct view){
      .asked = asked,
      .keys = keys,
      .source = {.run = &asked->run, .n_asked = asked->n, .seed = asked->seed, .rate = asked->rate},
      .clock = {.paused = asked->paused,
                .cycle_s = asked->cycle_s,
                .measured = {.pairs_per_s = NAN, .pictures_per_s = NAN, .speed = NAN}},
      .looks = {.hud = 1,
                .bars = 1,
                .trails = asked->trails,
                .plain = asked->plain,
                .color = asked->color,
                .style = {.adapt = 0.2}}}; /* a close encounter does not make the picture blink */
  hb_camera_reset(&v->steer.camera);
  *view = v;
  return begin_view(opts, v);
}

static enum hb_status end_movie(struct view *view)
{
  const char *by = hb_signals_stop(), *context = hb_phrase("stopped by %s", by ? by : "");
  if (!view->film) return by ? hb_fail(HB_ERR_STOPPED, "%s", context) : HB_OK;
  enum hb_status status = view_picture_recorded(view, HB_OK);
  if (!by || (status != HB_OK && status != HB_ERR_USAGE)) return status;
  return status == HB_OK ? hb_fail(HB_ERR_STOPPED, "%s: %s", context, view->note.text)
                         : hb_fail_in(HB_ERR_STOPPED, context);
}

static enum hb_status view_close(struct view *view, enum hb_status status)
{
  if (!view) return status;
  enum hb_status ended = end_movie(view);
  hb_inspector_close(view->inspect.inspector);
  race_close(&view->race);
  view_source_close(&view->source);
  view_picture_close(view);
  hb_mem_free(view);
  return status == HB_OK ? ended : status;
}

/* ---- a script in place of the user, for tests and demonstrations, with the same events that keyboard and mouse would
 * cause. No clock is used unless a line says so, so two runs of a script do the same. ---- */

enum { WORDS = 7 }; /* one more than any line has, to detect too many */

struct line {
  struct view *view;
  int by; /* of its row below */
  int count;
  const char *words[WORDS]; /* the first is the command */
  double numbers[WORDS];
};

/* ---- input ------------------------------------------------------------------------------------------ */

static void push(const struct line *line, enum hb_gl_event_kind kind, struct hb_gl_event event)
{
  event.kind = kind;
  hb_gl_windows.push(line->view->window.gl, &event);
}

/* Handles all pending events and shows the result; no time passes. */
static enum hb_status settle(struct view *view)
{
  hb_gl_windows.poll(view->window.gl, 0);
  HB_TRY(view_input(view));
  return view->looks.stop_drawing || view->done ? HB_OK : view_show(view);
}

/* The key with this name, such as "space" or "q"; 0 if there is none. */
static int find_key(const struct keys_row *row, const char *name)
{
  if (strcmp(name, "escape") == 0) return HB_GL_KEY_ESCAPE;
  for (; row->key; row++)
    if (row->name && strcmp(row->name, name) == 0) return row->key;
  return name[0] && !name[1] ? (unsigned char)name[0] : 0;
}

static enum hb_status do_key(const struct line *line)
{
  int key = find_key(keys, line->words[1]);
  if (!key) return hb_fail(HB_ERR_INPUT, "unknown key '%s'", line->words[1]);
  push(line, HB_GL_EVENT_KEY, (struct hb_gl_event){.key = key});
  return settle(line->view);
}

/* An event of the kind `by`, with the first number as x and the last one as y. */
static enum hb_status do_event(const struct line *line)
{
  push(line, (enum hb_gl_event_kind)line->by,
       (struct hb_gl_event){.x = line->numbers[1], .y = line->numbers[line->count - 1]});
  return settle(line->view);
}

static enum hb_status do_click(const struct line *line)
{
  const struct hb_gl_event at = {.x = line->numbers[1], .y = line->numbers[2]};
  for (int k = 0; k < line->by; k++) {
    push(line, HB_GL_EVENT_PRESS, at);
    push(line, HB_GL_EVENT_RELEASE, at);
  }
  return settle(line->view);
}

static enum hb_status do_drag(const struct line *line)
{
  const char *how = line->count > 5 ? line->words[5] : "left";
  struct hb_gl_event at = {.x = line->numbers[1], .y = line->numbers[2]};
  at.shift = strcmp(how, "shift") == 0;
  if (strcmp(how, "right") == 0) at.button = HB_GL_BUTTON_RIGHT;
  if (!at.shift && at.button == HB_GL_BUTTON_LEFT && strcmp(how, "left") != 0)
    return hb_fail(HB_ERR_INPUT, "unknown way to drag '%s' (expected left, right or shift)", how);
  push(line, HB_GL_EVENT_MOVE, at);
  push(line, HB_GL_EVENT_PRESS, at);
  at.x = line->numbers[3];
  at.y = line->numbers[4];
  push(line, HB_GL_EVENT_MOVE, at);
  push(line, HB_GL_EVENT_RELEASE, at);
  return settle(line->view);
}

static enum hb_status take_size(const struct line *line, int *width, int *height)
{
  enum { MOST = 32768 };
  for (int k = 1; k <= 2; k++)
    if (!(line->numbers[k] >= 1 && line->numbers[k] <= MOST))
      return hb_fail(HB_ERR_INPUT, "'%s' is out of range (expected 1 to %d pixels)", line->words[k], MOST);
  *width = (int)line->numbers[1];
  *height = (int)line->numbers[2];
  return HB_OK;
}

/* by = 1: asks for this size. The window system may take its time. */
static enum hb_status do_size(const struct line *line)
{
  struct view *view = line->view;
  int width = 0, height = 0;
  HB_TRY(take_size(line, &width, &height));
  if (line->by) hb_gl_windows.resize(view->window.gl, width, height);
  double end = hb_clock_now() + 60;
  while (view->window.width != width || view->window.height != height) {
    if (hb_clock_now() > end)
      return hb_fail(HB_ERR_GL, "the window is %d x %d pixels, not %d x %d", view->window.width,
                     view->window.height, width, height);
    hb_gl_windows.poll(view->window.gl, 0.01);
    HB_TRY(view_input(view));
  }
  return settle(view);
}

/* ---- time -------------------------------------------------------------------------------------------- */

static enum hb_status do_frames(const struct line *line)
{
  line->view->clock.unasked = 0; /* the script has decided */
  for (double k = 0; k < line->numbers[1] && !line->view->done; k++) {
    if (!line->view->clock.paused) HB_TRY(view_step(line->view));
    HB_TRY(settle(line->view));
  }
  return HB_OK;
}

static enum hb_status do_energy(const struct line *line)
{
  HB_TRY(view_diagnose(line->view));
  return settle(line->view);
}

/* by = 1: by the clock of a movie. */
static enum hb_status do_run(const struct line *line)
{
  return line->by ? view_play(line->view, line->numbers[1]) : view_run(line->view, line->numbers[1]);
}

/* ---- output ----------------------------------------------------------------------------------------- */

/* by = 1: a movie from here. */
static enum hb_status do_save(const struct line *line)
{
  return line->by ? view_record(line->view, line->words[1]) : view_picture_save(line->view, line->words[1]);
}

static void write_source(const struct view *view, struct hb_json *json)
{
  const struct view_source *s = &view->source;
  struct hb_sim_counts counts;
  view_source_counts(s, &counts);
  hb_json_text(json, "title", s->title);
  hb_json_count(json, "n", s->n);
  hb_json_number(json, "t", s->t);
  hb_json_count(json, "block", s->block);
  hb_json_count(json, "block_steps", counts.block_steps);
  if (counts.near.full_blocks) hb_json_count(json, "full_blocks", counts.near.full_blocks);
  hb_json_count(json, "pairs", counts.pairs);
  if (s->energies > 0) {
    hb_json_number(json, "de_cluster", s->e_error);
    hb_json_number(json, "de_rel", s->e_error * s->begin.e_scale / fabs(s->begin.e_total));
  }
  if (is_series(s)) {
    hb_json_count(json, "snapshot", s->shown + 1);
    hb_json_count(json, "snapshots", s->file_count);
    return;
  }
  hb_json_number(json, "at", s->at);
  hb_json_number(json, "speed", view->clock.speed);
  hb_json_number(json, "speed_reached", view->clock.measured.speed);
  hb_json_text(json, "scheme", hb_force_scheme(hb_sim_force(s->sim))->name);
  hb_json_text(json, "precision", hb_force_precision(hb_sim_force(s->sim)));
  hb_json_text(json, "integrator", s->run->sim.integrator);
  hb_json_number(json, "eps", s->run->sim.force.eps);
  hb_json_number(json, "eta", s->run->sim.eta);
  hb_json_number(json, "damping", s->run->sim.damping);
}

static void write_race(const struct race *race, struct hb_json *json)
{
  hb_json_open_array(json, "race");
  for (int k = 0; k < race->count; k++) {
    const struct view_source *s = &race->racer[k].of;
    struct hb_sim_counts counts;
    view_source_counts(s, &counts);
    hb_json_open_object(json, NULL);
    hb_json_text(json, "scheme", hb_force_scheme(hb_sim_force(s->sim))->name);
    hb_json_number(json, "t", s->t);
    hb_json_count(json, "block_steps", counts.block_steps);
    hb_json_count(json, "pairs", counts.pairs);
    hb_json_number(json, "seconds", s->step_s);
    hb_json_number(json, "de_cluster", s->e_error);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static void write_camera(const struct hb_camera *camera, struct hb_json *json)
{
  hb_json_open_object(json, "camera");
  hb_json_open_array(json, "centre");
  for (int k = 0; k < 3; k++) hb_json_number(json, NULL, camera->center[k]);
  hb_json_close_array(json);
  hb_json_open_array(json, "sight");
  for (int k = 0; k < 3; k++) hb_json_number(json, NULL, camera->axis[2][k]);
  hb_json_close_array(json);
  hb_json_number(json, "distance", camera->distance);
  hb_json_close_object(json);
}

static void write_sliders(const struct view *view, struct hb_json *json)
{
  hb_json_open_array(json, "sliders");
  for (int k = view->looks.bars ? 0 : VIEW_TIME; k < VIEW_SLIDERS; k++) {
    const struct hud_slider *slider = &view->sliders[k];
    if (slider->absent) continue;
    hb_json_open_object(json, NULL);
    hb_json_text(json, "name", *slider->name ? slider->name : "time");
    hb_json_number(json, "x", slider->x);
    hb_json_number(json, "y", slider->y);
    hb_json_number(json, "length", slider->length);
    hb_json_number(json, "value", *slider->value);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static enum hb_status do_state(const struct line *line)
{
  static const char *const points[HB_SCENE_POINT_COUNT] = {"star", "disc", "dot"};
  const struct view *view = line->view;
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_truth(&json, "paused", view->clock.paused);
  write_source(view, &json);
  write_camera(&view->steer.camera, &json);
  if (view->race.count) write_race(&view->race, &json);
  hb_json_text(&json, "point", points[view->looks.style.point]);
  hb_json_number(&json, "point_size", view->looks.style.point_size);
  hb_json_text(&json, "color", hb_coloring_name(view->looks.color));
  hb_json_truth(&json, "trails", view->looks.trails);
  hb_json_truth(&json, "hud", view->looks.hud);
  hb_json_truth(&json, "help", view->looks.help);
  hb_json_truth(&json, "inspects", view->inspect.inspector != NULL);
  if (view->inspect.inspector) {
    hb_json_text(&json, "pass", hb_inspector_title(view->inspect.inspector));
    hb_json_text(&json, "texel", view->inspect.texel.text);
  }
  hb_json_count(&json, "coarse", (uint64_t)view->window.coarse);
  hb_json_truth(&json, "glow", !view->looks.plain);
  hb_json_number(&json, "pictures_per_s", view->clock.measured.pictures_per_s);
  hb_json_truth(&json, "drawing", !view->looks.stop_drawing);
  hb_json_truth(&json, "full_screen", view->looks.full_screen);
  hb_json_truth(&json, "recording", view->film != NULL);
  write_sliders(view, &json);
  hb_json_count(&json, "width", (uint64_t)view->window.width);
  hb_json_count(&json, "height", (uint64_t)view->window.height);
  hb_json_count(&json, "text_scale", (uint64_t)view->window.text_scale);
  hb_json_truth(&json, "on_device", view->stars.at.lent);
  hb_json_count(&json, "pictures", view->detail.pictures);
  hb_json_count(&json, "readback_bytes", hb_gl_readback_bytes());
  hb_json_text(&json, "message", hud_said(&view->note));
  hb_json_text(&json, "asks", view->clock.asks);
  hb_json_text(&json, "error", view->window.error);
  hb_json_close_object(&json);
  putchar('\n');
  return hb_terminal_flush();
}

static enum hb_status do_quit(const struct line *line) { return line->view->done = 1, HB_OK; }

/* ---- lines ------------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *arguments, *help;
  int least, most, numbers; /* words after the name, and how many of them are numbers */
  enum hb_status (*work)(const struct line *line);
  int by;
} commands[] = {
    {"key", "NAME", "press a key of the list above: key space", 1, 1, 0, do_key, 0},
    {"move", "X Y", "move the mouse; pixels from the upper left corner", 2, 2, 2, do_event, HB_GL_EVENT_MOVE},
    {"click", "X Y", "click the left button", 2, 2, 2, do_click, 1},
    {"double", "X Y", "double click", 2, 2, 2, do_click, 2},
    {"drag", "X Y X Y [HOW]", "drag from one point to another: left, right or shift", 4, 5, 4, do_drag, 0},
    {"wheel", "N", "turn the wheel by N notches", 1, 1, 1, do_event, HB_GL_EVENT_WHEEL},
    {"resize", "W H", "resize the window", 2, 2, 2, do_size, 1},
    {"await", "W H", "wait until the window has this size, as after key f", 2, 2, 2, do_size, 0},
    {"frames", "N", "show N pictures, each after a block step unless paused", 1, 1, 1, do_frames, 0},
    {"energy", "", "measure the energy error", 0, 0, 0, do_energy, 0},
    {"run", "S", "run for S seconds of real time, as for a user", 1, 1, 1, do_run, 0},
    {"play", "S", "show the pictures of S seconds of a movie, however long they take", 1, 1, 1, do_run, 1},
    {"record", "FILE", "record a movie from here; key v ends it", 1, 1, 0, do_save, 1},
    {"screenshot", "FILE", "write a PNG of what is shown", 1, 1, 0, do_save, 0},
    {"state", "", "print a line of JSON with the state of the viewer", 0, 0, 0, do_state, 0},
    {"close", "", "close the window, as its button does", 0, 0, 0, do_event, HB_GL_EVENT_CLOSE},
    {"quit", "", "quit, as does the end of the file", 0, 0, 0, do_quit, 0},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void view_help(const struct hb_help *help)
{
  help->heading("keys and mouse", help->out);
  for (const struct keys_row *row = keys; row->name || row->key; row++)
    if (row->name) help->entry(row->name, row->help, help->out);
  help->heading("lines of a --script, # starts a comment", help->out);
  for (size_t k = 0; k < COMMANDS; k++) {
    const char *blank = *commands[k].arguments ? " " : "";
    help->entry(hb_phrase("%s%s%s", commands[k].name, blank, commands[k].arguments), commands[k].help,
                help->out);
  }
}

static const char *command_name(size_t k) { return k < COMMANDS ? commands[k].name : NULL; }

static enum hb_status do_line(struct line *line)
{
  const struct hb_words names = {.at = command_name, .what = "command"};
  int k = hb_words_find(names, line->words[0]);
  if (k < 0) return hb_words_unknown(names, line->words[0]);
  int given = line->count - 1;
  if (given < commands[k].least || given > commands[k].most)
    return hb_fail(HB_ERR_INPUT, "'%s' takes '%s'", commands[k].name, commands[k].arguments);
  for (int w = 1; w <= commands[k].numbers; w++) HB_TRY(hb_text_number(line->words[w], &line->numbers[w]));
  int reports = commands[k].work == do_state || commands[k].work == do_save;
  if (!reports) line->view->note.until = 0;
  line->by = commands[k].by;
  return commands[k].work(line);
}

static enum hb_status do_words(struct view *view, char *text)
{
  struct line line = {.view = view};
  text[strcspn(text, "#\n")] = 0;
  line.count = hb_text_words(text, " \t\r", WORDS, line.words);
  return line.count ? do_line(&line) : HB_OK;
}

/* Line by line, since they may be written while the viewer runs. */
static enum hb_status do_file(struct view *view, const char *path, FILE *file)
{
  enum hb_status status = settle(view);
  char *text = NULL, place[4200];
  size_t capacity = 0;
  for (int number = 1; status == HB_OK && !view->done && getline(&text, &capacity, file) > 0; number++) {
    status = do_words(view, text);
    snprintf(place, sizeof place, "%s: line %d", path, number);
    if (status != HB_OK) hb_fail_in(status, place);
  }
  free(text);
  if (status == HB_OK && ferror(file)) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  return status == HB_ERR_USAGE ? HB_ERR_INPUT : status;
}

static enum hb_status play_script(struct view *view, const char *path)
{
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (!file) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  view->note.stays = 1;
  view->note.until = 0;
  enum hb_status status = do_file(view, path, file);
  if (file != stdin) fclose(file);
  return status;
}

/* ---- the command ---- */

#define FIELD(member) HB_SETTING_FIELD(struct view_settings, member)
static const struct hb_setting options[] = {
    {"n", 'n', HB_SETTING_COUNT, FIELD(n), "N",
     .help = "number of particles of a model (default: the model's own)"},
    {"seed", 0, HB_SETTING_WHOLE, FIELD(seed), "S", "0", .help = "seed of a model"},
    {"size", 0, HB_SETTING_PIXELS, FIELD(width), "WxH", "1280x720", .least = 64, .most = 16384,
     .help = "size of the window, in the units of the window system"},
    {"scale", 0, HB_SETTING_POSITIVE, FIELD(scale), "X",
     .help = "scale of the text, 2 for high-resolution screens (default: as set for the screen)"},
    {"paused", 0, HB_SETTING_FLAG, FIELD(paused), .help = "start paused"},
    {"inspect", 0, HB_SETTING_FLAG, FIELD(inspect), .help = "open the texture inspector at the start, key i"},
    {"color-by", 0, HB_SETTING_CHOICE, FIELD(color), "WHAT", "speed", .words.at = hb_coloring_name,
     .help = "speed, acc, energy, step (time step), age (of the step), mass, group, or bound (binaries and "
             "triples)"},
    {"groups", 0, HB_SETTING_COUNT, FIELD(groups), "K", "2",
     .help = "number of groups for --color-by group: equal parts of the particles, in their order"},
    {"plain", 0, HB_SETTING_FLAG, FIELD(plain), .help = "no glow around bright places, key e: faster"},
    {"race", 0, HB_SETTING_TEXT, FIELD(race), "SCHEMES",
     .help = "two to four schemes side by side from the same state, such as cg2007,bag,host, and the printed "
             "seconds of "
             "2007; key z"},
    {"trails", 0, HB_SETTING_FLAG, FIELD(trails), .help = "draw the paths of the particles"},
    {"rate", 0, HB_SETTING_POSITIVE, FIELD(rate), "R", "10", .help = "snapshots of a series per second"},
    {"speed", 0, HB_SETTING_POSITIVE, FIELD(speed), "V",
     .help = "time units a second at which a simulation is shown (default: the model's own; of a file, by "
             "its dynamics)",
     .of = HB_DIMENSION_TIME},
    {"record", 0, HB_SETTING_TEXT, FIELD(record), "FILE",
     .help = "record a movie and quit: .mp4, .mkv, .webm, .gif or .apng by ffmpeg, or .png for a file per "
             "picture; the clock of the movie counts, however long it takes"},
    {"seconds", 0, HB_SETTING_POSITIVE, FIELD(seconds), "S", "10", .help = "length of --record"},
    {"fps", 0, HB_SETTING_COUNT, FIELD(fps), "F", "30", .most = 1000, .help = "pictures a second of a movie"},
    {"cycle", 0, HB_SETTING_DURATION, FIELD(cycle_s), "TIME",
     .help = "another model after this time, such as 20s; those that would be slow here are left out"},
    {"script", 0, HB_SETTING_TEXT, FIELD(script), "FILE",
     .help = "play the lines of FILE as if typed by a user, see below; - is standard input"},
    {0}};

/* By the units of a file; a model has none. */
static enum hb_status convert(const struct hb_opts *opts, const char *format)
{
  struct hb_opts own = *opts;
  const char *file = opts->operand_count > 0 ? opts->operands[0] : NULL;
  if (!file || hb_words_find(hb_models_words, file) >= 0)
    return hb_opts_convert(&own, NULL, &(struct hb_units){0}, 0);
  return hb_astro_convert_by_file(opts, file, format, 0);
}

static enum hb_status check(const struct hb_opts *opts, const struct view_settings *s)
{
  char list[256];
  const char *names[RACERS];
  int count;
  HB_TRY(hb_run_check_integrator(opts, &s->run));
  if (s->race) HB_TRY(race_names(s->race, list, names, &count));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(hb_models_check(opts->operands[k]));
  return convert(opts, s->run.input_format);
}

static enum hb_status play(const struct view_settings *s, struct view *view)
{
  if (s->record) HB_TRY(view_record(view, s->record));
  if (s->script) return play_script(view, s->script);
  return s->record ? view_play(view, s->seconds) : view_run(view, INFINITY);
}

static enum hb_status look(const struct hb_opts *opts)
{
  const struct view_settings *s = opts->settings;
  struct view *view = NULL;
  HB_TRY(check(opts, s));
  enum hb_status status = view_open(opts, &view);
  if (status == HB_OK) status = play(s, view);
  return view_close(view, status);
}

enum { RUN = offsetof(struct view_settings, run), SIM = offsetof(struct view_settings, run.sim) };

const struct hb_opts_command hb_cmd_view = {
    .name = "view",
    .summary = "Watch a running simulation of a model or a snapshot, or play a series of snapshots.",
    .operand = "[MODEL | FILE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .groups = {{.options = options},
               {.options = hb_sim_settings_integrator, .at = SIM},
               {.options = hb_sim_settings_accuracy, .at = SIM},
               {.options = hb_sim_settings_block, .at = SIM},
               {.options = hb_sim_settings_force, .at = SIM},
               {.options = hb_sim_settings_tuning, .at = SIM},
               {.options = hb_run_limit_options, .at = RUN},
               {.options = hb_sim_settings_draws, .at = SIM},
               {.options = hb_run_input_options, .at = RUN}},
    .settings_size = sizeof(struct view_settings),
    .more_help = view_help,
    .example = "  holmberg view\n"
               "  holmberg view plummer -n 16384 --scheme tile --color-by acc\n"
               "  holmberg view demo1 --integrator leapfrog --trails\n"
               "  holmberg view end_*.h5\n",
    .work = look,
};
