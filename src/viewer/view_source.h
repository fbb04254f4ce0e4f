/* What the viewer shows: a simulation, or a series of snapshots one after the other. */
#ifndef HB_VIEW_SOURCE_H
#define HB_VIEW_SOURCE_H

#include "run/run_settings.h"

/* What can be changed while it runs. */
struct hb_view_knobs {
  double eps, eta, damping;
};

struct hb_view_source {
  /* what was asked for */
  const char *const *files; /* the series, or the one file that the simulation begins with           */
  size_t file_count;        /* 0: a model; > 1: a series                                              */
  size_t model;             /* number in hb_ic_models                                                */
  size_t n_asked;           /* particles of a model; 0: its own number                               */
  uint64_t seed;
  struct hb_run_settings settings; /* as given, then with the notes of what is shown */

  /* what is there */
  char title[128];
  const struct hb_opts *opts;   /* whose settings are those above */
  struct hb_run_settings asked; /* the same as given              */
  struct hb_view_knobs knobs;
  struct hb_particles *particles; /* at the start, or of the snapshot shown                               */
  struct hb_sim *sim;             /* NULL: a series                                                       */
  size_t shown;                   /* number in the series                                                 */
  double t, t_step;               /* now, and how far the last step went                                  */
  uint64_t n, block;              /* particles, and those of them in the last step                        */
  unsigned generation;            /* another one whenever particles change in another way than by steps    */

  /* since the program started */
  struct hb_sim_counts before; /* of the simulations that are gone */
  double step_s, diagnose_s;   /* wall time                        */

  /* energy, since the simulation began */
  int energies; /* measured so often */
  double e_begin, e_error;
};

/* Shows what the operands name; n_asked, seed and settings are part of opts->settings. hb_view_source_close takes what is
 * there, also after a failure. Errors: HB_ERR_USAGE, HB_ERR_INPUT, those of hb_sim_take. */
enum hb_status hb_view_source_open(const struct hb_opts *opts, struct hb_view_source *source);
void hb_view_source_close(struct hb_view_source *source);

int hb_view_source_is_series(const struct hb_view_source *source);
int hb_view_source_is_leapfrog(const struct hb_view_source *source);

/* Each of these leaves what was shown where it fails. */
enum hb_status hb_view_source_reset(struct hb_view_source *source);
enum hb_status hb_view_source_take_model(struct hb_view_source *source, size_t model);
enum hb_status hb_view_source_turn(struct hb_view_source *source, const struct hb_view_knobs *knobs);
enum hb_status hb_view_source_show(struct hb_view_source *source, size_t number);

/* One block step. */
enum hb_status hb_view_source_step(struct hb_view_source *source);

/* The energy error; nothing where positions would have to come from the device for it. */
enum hb_status hb_view_source_diagnose(struct hb_view_source *source);
int hb_view_source_has_energy(const struct hb_view_source *source);

/* Steps and pairs so far, those of earlier simulations counted. */
void hb_view_source_counts(const struct hb_view_source *source, struct hb_sim_counts *counts);

/* The particles as they are now, on the host. */
enum hb_status hb_view_source_state(const struct hb_view_source *source, struct hb_particles **state);

#endif
