/* The members of struct hb_sim, for the files that implement hb_sim_*. */
#ifndef HB_SIM_H
#define HB_SIM_H

#include "core/binary_watch.h"
#include "core/events.h"
#include "core/field.h"
#include "core/frame.h"
#include "step/integrator.h"

enum hb_sim_lent { HB_SIM_LENT_PARAMS, HB_SIM_LENT_EVENTS, HB_SIM_LENT };

struct hb_sim {
  struct hb_force *force;
  const struct hb_integrator_ops *integrator;
  void *state; /* the integrator's, in coordinates of this frame */
  struct hb_frame frame;
  struct hb_field *field; /* forces from outside; NULL: none */
  double eps2;
  int exact_energy;                /* see hb_sim_params */
  uint64_t blocks[HB_BLOCK_SIZES]; /* see hb_sim_block_sizes */
  double n_steps_usual;            /* block steps per unit of time that a Plummer sphere would take */
  double t_judged;                 /* when the steps were last judged, and the counts then */
  struct hb_sim_counts judged;
  struct hb_phases before;     /* of the runs that this one continues */
  struct hb_sim_params params; /* complete; of its strings only integrator and force.device, the copy below */
  char *device;
  struct hb_events events; /* of the last step */
  struct hb_binary_watch binaries;
  char *lent[HB_SIM_LENT]; /* to programs of another release, see abi/sized.c */
};

/* A simulation with an integrator, but without forces and state. params are complete. Errors: HB_ERR_USAGE (integrator),
 * HB_ERR_INTERNAL. */
enum hb_status hb_sim_open(const struct hb_sim_params *params, struct hb_sim **sim);

/* Opens the force, and the field if there is one. Errors: as hb_force_open; HB_ERR_USAGE (the field; what cannot be combined
 * with one). */
enum hb_status hb_sim_open_force(struct hb_sim *sim, const struct hb_sim_params *params);

/* ---- sim_notes.c ---- */

/* A leapfrog's dt and damping, where params leave them 0, are those of the notes, if there are any; else the notes become those
 * of params. Errors: HB_ERR_USAGE (integrator), HB_ERR_INPUT (a note that is no such number). */
enum hb_status hb_sim_take_notes(struct hb_sim_params *params, struct hb_particles *initial);

/* ---- sim_watch.c ---- */

/* After a step that began at time t: looks for binaries if that is due. Errors: as hb_sim_state. */
enum hb_status hb_sim_look(struct hb_sim *sim, double t);

/* What is watched, as sections of a checkpoint; and back, nothing if they are missing. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_sim_put_watch(const struct hb_sim *sim, struct hb_sections *sections);
enum hb_status hb_sim_get_watch(const struct hb_sections *sections, struct hb_sim *sim);

/* ---- older.c ---- */

/* Sections of older checkpoints become those of today. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_sim_read_older(struct hb_sections *sections);

/* ---- sim_stop.c ---- */

/* Completes what params need for their stop_at, and refuses one that does not exist. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_complete_stop(struct hb_sim_params *params);

/* Watches what a new simulation stops at. Errors: as hb_sim_watch. */
enum hb_status hb_sim_watch_stop(struct hb_sim *sim);

/* hb_sim_step_trouble judges the steps from now on. The state must exist. */
void hb_sim_judge_from_here(struct hb_sim *sim);

#endif
