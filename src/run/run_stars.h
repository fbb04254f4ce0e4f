/* Stars that age in a run, by the fit of core/star.h or a table of --evolution. What a star is depends on its identity, its mass at birth
 * and the time, never on what came before: so a resumed run goes on as if it had not stopped. */
#ifndef HB_RUN_STARS_H
#define HB_RUN_STARS_H

#include "io/evolution.h"
#include "run/run_settings.h"

struct hb_run_star {
  uint64_t id;
  double zams, birth; /* solar masses, Myr */
};

struct hb_run_stars {
  size_t n; /* 0: they do not age */
  struct hb_run_star *at;
  struct hb_evolution_row *rows; /* [n_rows]: in place of the fit */
  size_t n_rows;
  struct hb_units units;
  double every; /* changes fall on its multiples, N-body */
  double kick;  /* km/s */
  uint64_t seed;
};

struct hb_run_star_counts {
  uint64_t supernovae, white_dwarfs, neutron_stars, black_holes;
  double mass_lost; /* solar masses, by the fit or table */
};

/* Errors: HB_ERR_USAGE. */
enum hb_status hb_run_stars_check(const struct hb_opts *opts, const struct hb_run_settings *settings);

/* The table of --evolution, if there is one. Errors: HB_ERR_IO, HB_ERR_INPUT. */
enum hb_status hb_run_stars_read(const struct hb_run_settings *settings, struct hb_run_stars *stars);

/* Takes masses at birth from the note `stars`, or, where there is none, makes it of the masses. A new run's particles get their radii.
 * Nothing without --stars and --evolution. Errors: HB_ERR_USAGE (no units), HB_ERR_INPUT (masses, note). */
enum hb_status hb_run_stars_open(const struct hb_run_settings *settings, int is_new,
                                 struct hb_particles *particles, struct hb_run_stars *stars);
void hb_run_stars_close(struct hb_run_stars *stars);

/* After a block step: at a multiple of `every`, stars become what they are by then. */
enum hb_status hb_run_stars_age(const struct hb_run_stars *stars, struct hb_sim *sim);

/* What has become of all that were there, by the time t. */
struct hb_run_star_counts hb_run_stars_count(const struct hb_run_stars *stars, double t);

#endif
