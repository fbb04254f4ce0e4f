/* The members of struct hb_sim, for the files that implement hb_sim_*. */
#ifndef HB_SIM_H
#define HB_SIM_H

#include "core/binaries.h"
#include "core/field.h"
#include "core/frame.h"
#include "core/sections.h"
#include "step/integrator.h"

enum hb_sim_lent { HB_SIM_LENT_PARAMS, HB_SIM_LENT_EVENTS, HB_SIM_LENT_BOUND, HB_SIM_LENT };

struct hb_sim {
  struct hb_force *force;
  const struct hb_integrator_ops *integrator;
  void *state; /* the integrator's, in coordinates of this frame */
  struct hb_frame frame;
  struct hb_field *field; /* forces from outside; NULL: none */
  double eps2;
  int exact_energy;                /* see hb_sim_params */
  uint64_t blocks[HB_BLOCK_SIZES]; /* see hb_sim_block_sizes */
  uint64_t full_blocks[HB_BLOCK_SIZES];
  double n_steps_usual; /* block steps per unit of time that a Plummer sphere would take */
  double t_judged;      /* when the steps were last judged, and the counts then */
  struct hb_sim_counts judged;
  struct hb_phases before;     /* of the runs that this one continues */
  struct hb_sim_params params; /* complete; of its strings only integrator and force.device, the copy below */
  char *device;
  struct hb_events events; /* of the last step */
  struct hb_binary_watch binaries;
  struct hb_bound *bound; /* of the last call of hb_sim_bound */
  struct hb_between between;
  char *lent[HB_SIM_LENT]; /* to programs of another release, see abi/sized.c */
};

/* A simulation with an integrator, but without forces and state. params are complete. Errors: HB_ERR_USAGE (integrator),
 * HB_ERR_INTERNAL. */
enum hb_status hb_sim_open(const struct hb_sim_params *params, struct hb_sim **sim);

/* Opens the force, and the field if there is one. Errors: as hb_force_open; HB_ERR_USAGE (the field; what cannot be combined
 * with one). */
enum hb_status hb_sim_open_force(struct hb_sim *sim, const struct hb_sim_params *params);

/* hb_sim_step_trouble judges the steps from now on. The state must exist. */
void hb_sim_judge_from_here(struct hb_sim *sim);

/* Whether integrator and diagnostics can do with what the interaction gives. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_interaction(const struct hb_sim *sim, const struct hb_sim_params *params);

/* Whether a simulation can have these collisions and escapers. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_bodies(const struct hb_sim_params *params);

/* Whether it can have these neighbors, whatever its particles. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_neighbors(const struct hb_sim_params *params);

/* What eta_far = 0 means with neighbors. */
double hb_sim_eta_far(const struct hb_sim_params *params);

/* The source's forces on all particles, into the view's a, j, phi. Their cost is not counted in the phases. */
enum hb_status hb_sim_forces(struct hb_state_view *view, struct hb_force *force);

/* ---- sections of a checkpoint: nothing without such a thing. Errors of get: HB_ERR_INPUT; of put: HB_ERR_INTERNAL ---- */

/* What is watched. */
enum hb_status hb_sim_put_watch(const struct hb_sim *sim, struct hb_sections *sections);
enum hb_status hb_sim_get_watch(const struct hb_sections *sections, struct hb_sim *sim);

/* Another interaction's name or file, parameters, and a hash of its code; the first two into force, as pointers into the
 * sections; and whether the code is that of the checkpoint, which older ones do not say. */
enum hb_status hb_sim_put_interaction(const struct hb_sim *sim, struct hb_sections *sections);
enum hb_status hb_sim_get_interaction(const struct hb_sections *sections, struct hb_force_params *force);
enum hb_status hb_sim_same_interaction(const struct hb_sections *sections, const struct hb_force *force);

/* Sections of older checkpoints become those of today, in older.c. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_sim_read_older(struct hb_sections *sections);

#endif
