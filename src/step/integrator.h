/* The interface of an integrator: each is one const struct of this type; the registry is in integrator.c. */
#ifndef HB_INTEGRATOR_H
#define HB_INTEGRATOR_H

#include "base/status.h"
#include "chain/chain.h"
#include "core/particles.h"
#include "force/force.h"
#include "step/change.h"

#include <holmberg/device.h>

#include <math.h>

struct hb_events;
struct hb_state_view;

/* What not every integrator can do: groups, collisions and escapers; forces that depend on velocities; forces without
 * jerks. */
enum { HB_OFFERS_COMPANIONS = 1, HB_OFFERS_VELOCITIES = 2, HB_OFFERS_NO_JERKS = 4, HB_OFFERS_DT = 8 };

/* How many particles a step has advanced; and of these, with neighbor lists, those whose far forces were due. */
struct hb_step_size {
  uint64_t particles, far;
};

/* A particle at the end of a step, or, of a group's member, the node that stands for the group: its center of mass and its steps. */
struct hb_follow {
  uint64_t id;
  size_t slot; /* where it was looked for last; 0 at first */
  double t;
  double x[3], v[3], a[3], j[3];
  double step;         /* the one that begins here */
  uint64_t members;    /* stars of the node */
  double nearest;      /* distance of the nearest other node; INFINITY: there is none */
  uint64_t nearest_id; /* of a group, its lowest member's */
  /* Only with neighbor lists: */
  int far_ends;               /* 1: the far step ended here, too, and the list is new */
  double far_step;            /* at least `step`, and where far_ends the one that begins here */
  uint64_t listed;            /* length of the list */
  double near_a[3], far_a[3]; /* a in its two parts */
};

/* The criterion that sets the length of a step. */
enum hb_step_criterion {
  HB_STEP_UNKNOWN, /* it began before this process */
  HB_STEP_EQ9,     /* eq. 9 of [PZ07] */
  HB_STEP_NOISE,   /* eq. 9, with jerks that rounding errors spoil */
  HB_STEP_NEW,     /* eq. 2: the particle has joined others or left them */
  HB_STEP_GROWS,   /* it is as long as a step may grow at once */
  HB_STEP_MASS,    /* the particle is heavier than the mean */
  HB_STEP_GROUP,   /* it is a group, whose members have to be followed */
  HB_STEP_FAR,     /* the step of the forces of distant particles */
  HB_STEP_CRITERIA
};

/* The reasons why a run is slow. Numbers of particles are their identities. */
struct hb_slow {
  size_t members; /* of the group that took most evaluations since the last call; 0: there was none */
  uint64_t member[HB_CHAIN_MOST], evaluations;
  double period;      /* of its closest pair, or the time in which that pair passes */
  double revolutions; /* how many of these are in a step of the group's center */
  uint64_t particle;  /* one with the shortest step; of a group its node */
  double step;
  const char *criterion, *because; /* what set the step: a word, and in a sentence, " (eq. 9)" or "" */
  int is_dt_min;                   /* 1: the step is dt_min */
  double nearest; /* distance of the nearest other particle or group; INFINITY: there is none */
  uint64_t nearest_id;
};

/* `state` is the integrator's own; zero fields of params have become their defaults. */
struct hb_integrator_ops {
  struct hb_integrator_info info;
  unsigned offers; /* HB_OFFERS_... */

  /* Takes over the particles, even if it fails, and evaluates the first forces; force remains the caller's and must outlive
   * the state. Errors: HB_ERR_USAGE (params), HB_ERR_NUMERIC (forces), those of force, HB_ERR_INTERNAL. */
  enum hb_status (*create)(struct hb_particles *initial, const struct hb_sim_params *params,
                           struct hb_force *force, void **state);
  void (*destroy)(void *state); /* accepts NULL */

  /* All that is needed to continue bit for bit. Saved arrays remain the integrator's and are valid until its next step;
   * resume evaluates no forces. Errors: HB_ERR_INPUT (a section is missing or makes no sense). */
  enum hb_status (*save)(const void *state, struct hb_sections *sections);
  enum hb_status (*resume)(const struct hb_sections *sections, const struct hb_sim_params *params,
                           struct hb_force *force, void **state);

  /* Times after the last step and after the next one; INFINITY if that cannot be counted. */
  double (*time)(const void *state);
  double (*next_time)(const void *state);

  /* One step. On failure the state is unchanged. Errors: HB_ERR_NUMERIC (a force is NaN or Inf, with particle and time; a
   * step is lost in the digits of the time), those of force, HB_ERR_STOPPED (given up on request, see base/interrupt.h: the step may be
   * done again, with the same result; or, after a grace that the caller has set, the state is of no use, and step and save say so). */
  enum hb_status (*step)(void *state, struct hb_step_size *size);

  /* The first time from t on that can become that of the last step, although nobody has stepped to it, if the next step is later; and that
   * it does. NULL: only steps end at times at which there can be changes. */
  double (*boundary)(const void *state, double t);
  void (*wait)(void *state, double t);

  /* The particles, by their numbers: masses, identities, radii; x v are its own affair. */
  const struct hb_particles *(*bodies)(const void *state);

  /* Changes them now; what cannot be done was refused. Errors: as step; the state is of no use then. */
  enum hb_status (*change)(void *state, const struct hb_state_change *by);

  /* The particles at time t, last step <= t <= next step, predicted by [PZ07] eqs 3 and 4 from their own times. Errors:
   * HB_ERR_USAGE (t), HB_ERR_INTERNAL. */
  enum hb_status (*particles)(const void *state, double t, struct hb_particles **particles);

  /* The same in arrays that are unused until the next step, see below. NULL: there are none. */
  enum hb_status (*view)(void *state, double t, struct hb_state_view *view);

  /* value[n] of HB_QUANTITY_ACC, _STEP or _AGE. Errors: those of reading back. */
  enum hb_status (*quantity)(void *state, enum hb_quantity quantity, double *value);

  /* See hb_sim_follow. NULL: all have one step. */
  enum hb_status (*follow)(void *state, struct hb_follow *follow, int *is_due);

  /* Reports why the run is slow; NULL: not known. */
  void (*slow)(void *state, struct hb_slow *slow);

  /* Where the next steps tell what happens in them; NULL: this integrator sees nothing of it. */
  void (*report)(void *state, struct hb_events *events);

  void (*counts)(const void *state, struct hb_sim_counts *counts);

  /* Seconds spent predicting and correcting; force counts its own. */
  void (*phases)(const void *state, struct hb_phases *phases);
};

extern const struct hb_integrator_ops hb_integrator_hermite4, hb_integrator_leapfrog;

/* NULL: the first. Errors: HB_ERR_USAGE, listing the known ones. */
enum hb_status hb_integrator_find(const char *name, const struct hb_integrator_ops **ops);

/* The name of the first that offers it. */
const char *hb_integrator_offering(unsigned what);

/* ---- a view of the particles ---- */

/* The particles of a simulation at one time, with arrays to evaluate forces on all of them. An integrator whose arrays are
 * unused between its steps lends them, so that a view takes no memory. */
struct hb_state_view {
  struct hb_particles at; /* n t m x v id, no notes; x and v may be changed       */
  double *a, *j, *phi;    /* [3 * n] [3 * n] [n] scratch                          */
  uint32_t *index;        /* [n] 0 .. n - 1                                       */
  double
      e_rounded; /* what the potential energy of `at` lacks, since x has lost digits of separations in groups */
  struct hb_particles *own; /* the particles of `at`; NULL if all arrays are the integrator's */
};

/* ---- checking the forces that an integrator gets ---- */

/* What the forces were evaluated for: all n particles at x[3 * n], time t, in this step (0: the first forces). */
struct hb_forces_at {
  size_t n;
  const double *x;
  double t;
  uint64_t step;
  const struct hb_force *force; /* that computed them */
};

/* Whether all of a[3 * ni], j[3 * ni] and phi[ni] are finite. */
static inline int hb_forces_are_finite(size_t ni, const double *a, const double *j, const double *phi)
{
  for (size_t b = 0; b < ni; b++)
    for (size_t c = 0; c < 3; c++)
      if (!isfinite(a[3 * b + c]) || !isfinite(j[3 * b + c]) || !isfinite(phi[b])) return 0;
  return 1;
}

/* HB_ERR_NUMERIC naming the first of the particles index[ni] whose a[3 * ni], j[3 * ni] or phi[ni] is NaN or Inf, and its
 * nearest neighbor. */
enum hb_status hb_forces_check(const struct hb_forces_at *at, size_t ni, const uint32_t *index,
                               const double *a, const double *j, const double *phi);

/* A possible reason for a bad force on particle i, to end a sentence: its nearest neighbor, at the same position or how
 * far away, and whether that is too near for the precision. */
enum { HB_FORCES_REASON = 224 };
void hb_forces_reason(const struct hb_forces_at *at, uint32_t i, char reason[HB_FORCES_REASON]);

/* A state as if it were saved and resumed. Errors: as of these. */
enum hb_status hb_integrator_copy(const struct hb_integrator_ops *ops, const void *state,
                                  const struct hb_sim_params *params, struct hb_force *force, void **copy);

#endif
