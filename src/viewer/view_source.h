/* What the viewer shows: a simulation, or a series of snapshots. */
#ifndef HB_VIEW_SOURCE_H
#define HB_VIEW_SOURCE_H

#include "run/run_settings.h"
#include "viewer/hud.h"

#include <holmberg/diagnostics.h>

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
  struct hb_sim *sim;             /* NULL: a series                                                       */
  size_t shown;                   /* number in the series                                                 */
  double play_at;                 /* the same with a fraction towards the next                            */
  double t;                       /* now                                                                  */
  double at;                      /* the time that is looked at: t, or between t and the next step        */
  double begin_s;                 /* wall time that it took to begin: shaders, and all forces once        */
  double speed;                   /* time units a second at which this is watched best                    */
  uint64_t n, block;              /* particles, and those of them in the last step                        */
  uint64_t lit;                   /* so many shine, see hb_view_particles_lit                             */
  unsigned generation;            /* changes whenever particles change other than by steps                */

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
};

/* Shows what the operands name; n_asked, seed and run (a part of opts->settings) are set. Call hb_view_source_close even after a
 * failure. Errors: HB_ERR_USAGE, HB_ERR_INPUT, those of hb_sim_take. */
enum hb_status hb_view_source_open(const struct hb_opts *opts, struct hb_view_source *source);
void hb_view_source_close(struct hb_view_source *source);

int hb_view_source_is_series(const struct hb_view_source *source);

/* On failure, each of these leaves what was shown. */
enum hb_status hb_view_source_reset(struct hb_view_source *source);
enum hb_status hb_view_source_take_model(struct hb_view_source *source, size_t model);
enum hb_status hb_view_source_turn(struct hb_view_source *source, const struct hb_view_knobs *knobs);

/* Goes on with n particles for those of now (core/resample.h); r begins the model anew with as many. */
enum hb_status hb_view_source_resize(struct hb_view_source *source, size_t n);

/* Goes on with another scheme and precision (NULL: the scheme's first), names as in hb_force_params. */
enum hb_status hb_view_source_use(struct hb_view_source *source, const char *scheme, const char *precision);

/* wants = 1: where the processor computes the forces, OpenGL does from here on, also of other models; 0: as before. */
enum hb_status hb_view_source_want_textures(struct hb_view_source *source, int wants);
int hb_view_source_has_textures(const struct hb_view_source *source);

/* A snapshot of the series. */
enum hb_status hb_view_source_show(struct hb_view_source *source, size_t number);

/* Plays the series for so many seconds, over and over. */
enum hb_status hb_view_source_play(struct hb_view_source *source, double seconds);

/* One block step, or the next snapshot. */
enum hb_status hb_view_source_step(struct hb_view_source *source);

/* Measures the energy error, unless positions would have to be read back from the device. */
enum hb_status hb_view_source_diagnose(struct hb_view_source *source);
int hb_view_source_has_energy(const struct hb_view_source *source);

/* Steps since the model or file that is shown began, whatever was changed since; pairs since the program started. */
void hb_view_source_counts(const struct hb_view_source *source, struct hb_sim_counts *counts);

/* Looks at a time from t to that of the next step, predicted, where that needs no readback from the device. */
void hb_view_source_look_at(struct hb_view_source *source, double t);

/* The particles at that time, on the host. */
enum hb_status hb_view_source_state(const struct hb_view_source *source, struct hb_particles **state);

#endif
