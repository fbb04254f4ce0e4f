/* The members of struct hb_sim, for the files that implement hb_sim_*. */
#ifndef HB_SIM_H
#define HB_SIM_H

#include "core/binaries.h"
#include "core/field.h"
#include "core/frame.h"
#include "gl/gl_context.h"
#include "step/integrator.h"

#include <holmberg/device.h>

/* As HB_OWN. */
#define HB_OWN_SIM __attribute__((cleanup(hb_sim_destroy_own)))
static inline void hb_sim_destroy_own(struct hb_sim **sim) { hb_sim_destroy(*sim); }

/* The context of the textures of hb_sim_on_device; NULL if there are none. */
struct hb_gl_context *hb_sim_device_context(const struct hb_sim *sim);

enum hb_sim_lent {
  HB_SIM_LENT_PARAMS,
  HB_SIM_LENT_EVENTS,
  HB_SIM_LENT_BOUND,
  HB_SIM_LENT_STARS,
  HB_SIM_LENT
};

/* A binary that was hard once, and whose stars have been bound at every look since. */
struct hb_watched_binary {
  uint64_t id[2];
  double E;       /* when it was last told */
  uint32_t at[2]; /* where the particles were among those with mass: looked at first */
};

struct hb_binary_watch {
  struct hb_watched_binary *known; /* [count] of [capacity], by age */
  size_t count, capacity;
};

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
  struct hb_phases before; /* of the runs that this one continues */
  struct hb_sim_params
      params; /* complete; of its strings only integrator, evolution and force.device, the copy below */
  char *device;
  struct hb_events events; /* of the last step */
  struct hb_binary_watch binaries;
  struct hb_bound *bound;     /* of the last call of hb_sim_bound */
  struct hb_sim_stars *stars; /* NULL: they do not age */
  struct hb_between between;
  char *lent[HB_SIM_LENT]; /* to programs of another release, see abi/sized.c */
};

/* Reports why the run is slow, since the last call. Returns 0 if the integrator does not know. */
int hb_sim_slow(struct hb_sim *sim, struct hb_slow *slow);

/* Particle follow->id after the last hb_sim_step, or at the start, where all steps begin: *is_due 1 where its step has ended there, 0
 * where not, or where no particle has that number any more; then the rest is not set. Errors: HB_ERR_USAGE (the integrator has no such steps); those of reading back. */
enum hb_status hb_sim_follow(struct hb_sim *sim, struct hb_follow *follow, int *is_due);

#endif
