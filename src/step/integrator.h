/* An integrator, seen from inside: one const struct per integrator, one file per integrator, one registry (integrator.c). */
#ifndef HB_INTEGRATOR_H
#define HB_INTEGRATOR_H

#include "base/status.h"
#include "core/sections.h"

#include <holmberg/device.h>

struct hb_state_view;

/* What an integrator implements. Zero fields of params have become their defaults. `state` is its own. */
struct hb_integrator_ops {
  struct hb_integrator_info info;

  /* Takes the particles over, also when it fails, and evaluates the first forces; force stays the caller's and must
   * outlive the state.
   * Errors: HB_ERR_USAGE (params), HB_ERR_NUMERIC (forces), those of force, HB_ERR_INTERNAL. */
  enum hb_status (*create)(struct hb_particles *initial, const struct hb_sim_params *params,
                           struct hb_force *force, void **state);
  void (*destroy)(void *state); /* accepts NULL */

  /* Everything that goes on from here, bit for bit; save's arrays stay the integrator's until its next step.
   * resume evaluates no forces. Errors: HB_ERR_INPUT (a section that is missing or makes no sense). */
  enum hb_status (*save)(const void *state, struct hb_sections *sections);
  enum hb_status (*resume)(const struct hb_sections *sections, const struct hb_sim_params *params,
                           struct hb_force *force, void **state);

  /* Time of the last step and of the next one; INFINITY if it cannot be counted. */
  double (*time)(const void *state);
  double (*next_time)(const void *state);

  /* One step. On failure the state is that before it. Errors: HB_ERR_NUMERIC (a force that is NaN or Inf; names
   * particle and time), those of force. */
  enum hb_status (*step)(void *state);

  /* The particles at time t, last step <= t <= next step. Errors: HB_ERR_USAGE (t), HB_ERR_INTERNAL. */
  enum hb_status (*particles)(const void *state, double t, struct hb_particles **particles);

  /* The same in arrays that lie idle until the next step, see look.h. NULL: there are none. */
  enum hb_status (*look)(void *state, double t, struct hb_state_view *look);

  /* value[n] of HB_QUANTITY_ACC, _STEP or _AGE, which follow from what it keeps. Errors: those of fetching it. */
  enum hb_status (*quantity)(void *state, enum hb_quantity quantity, double *value);

  void (*counts)(const void *state, struct hb_sim_counts *counts);

  /* Seconds spent in predicting and correcting; what the force took, force itself knows. */
  void (*phases)(const void *state, struct hb_phases *phases);
};

extern const struct hb_integrator_ops hb_integrator_hermite4, hb_integrator_leapfrog;

/* NULL: the first. Errors: HB_ERR_USAGE naming those there are. */
enum hb_status hb_integrator_find(const char *name, const struct hb_integrator_ops **ops);

#endif
