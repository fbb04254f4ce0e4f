/* The fourth order Hermite scheme with individual block steps (Makino & Aarseth 1992), [PZ07] section 2. */
#ifndef HB_HERMITE4_H
#define HB_HERMITE4_H

#include "core/events.h"
#include "core/field.h"
#include "core/particles.h"
#include "groups/groups.h"
#include "step/blocks.h"
#include "step/forces.h"
#include "step/integrator.h"

/* A restart needs particles, a, j, lost, t0, now and the levels; the rest is scratch. Bytes per particle: 64 for
 * the particles, 48 for a j, 24 lost, 48 predicted, 56 new forces, 10 for the schedule: 250, and with the host's columns
 * (56) and force.c's stamps (4) 310. Diagnostics need none of their own, see state_view.h; xp and vp are allocated at the first step, when the
 * caller may have freed its particles. */
struct hb_hermite4 {
  size_t n;
  struct hb_sim_params params;  /* without force and integrator */
  struct hb_force *force;       /* the caller's */
  const struct hb_field *field; /* of force, forces from outside; NULL: none */
  double t0;                    /* time of tick 0 */
  double mass;                  /* of all particles */
  double noise; /* of accelerations, relative: see hb_timestep_rely_on_jerks; 0: eq. 9 alone */
  struct hb_particles *particles; /* m, and x v of each at its own time t_i; with groups, of nodes */
  struct hb_groups *groups;       /* nullable, see hermite4_groups.c */
  struct hb_events *events;       /* nullable, the caller's */
  double *a, *j;                  /* [3 * n] each, at t_i */
  uint64_t *lost;                 /* [3 * n] what rounding took: bits of floats, low of x, high of v */
  double *xp, *vp;                /* [3 * n] each: all particles predicted to the time of the block */
  uint32_t *block;                /* [n] the particles due */
  double *a1, *j1, *phi1; /* [3 * n] [3 * n] [n] new forces, in the order of block; phi1 then new steps */
  uint8_t *level1;        /* [n] new levels, in the order of block */
  struct hb_blocks *blocks;
  uint64_t block_steps, particle_steps;
  uint64_t noisy_steps;               /* particle steps set by noise, see timestep.h */
  uint64_t dt_least;                  /* the shortest step so far, in ticks; UINT64_MAX: none */
  struct hb_cut_steps cut;            /* since the integrator was created or resumed */
  struct hb_phases phases;            /* predict and correct */
  struct hb_bodies *bodies;           /* nullable, see hermite4_bodies.h */
  struct hb_passages *passages;       /* nullable, see hermite4_passages.h */
  struct hb_massless_watch *massless; /* nullable, see hermite4_massless.h */
  int stale; /* correct = gpu: x v a j are on the device only, see hb_hermite4_sync */
};

/* Takes over the particles, also after a failure; their time becomes t0. No forces are evaluated, nothing is scheduled.
 * Errors: HB_ERR_USAGE (params), HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_prepare(struct hb_particles *initial, const struct hb_sim_params *params,
                                   struct hb_force *force, struct hb_hermite4 **hermite4);

/* These are described in struct hb_integrator_ops; state is a struct hb_hermite4. */
enum hb_status hb_hermite4_create(struct hb_particles *initial, const struct hb_sim_params *params,
                                  struct hb_force *force, void **state);
void hb_hermite4_destroy(void *state);
double hb_hermite4_time(const void *state);
double hb_hermite4_next_time(const void *state);
enum hb_status hb_hermite4_step(void *state);
enum hb_status hb_hermite4_state(const void *state, double t, struct hb_particles **particles);

/* The view's arrays are xp vp, a1 j1 phi1 and block, all of them scratch until the next step. */
enum hb_status hb_hermite4_view(void *state, double t, struct hb_state_view *view);

/* ---- hermite4_correct.c ---- */

/* Corrects the particles of the block, which feel a1 j1 phi1, and leaves their next steps in phi1 and levels in level1. */
void hb_hermite4_correct(struct hb_hermite4 *hermite4, size_t ni);

/* The next step of the b-th of them after a step dt, without correcting it. And the level of a step. */
double hb_hermite4_step_after(const struct hb_hermite4 *hermite4, size_t b, double dt);

/* The step of particle i, whose a and j are known: its first, with potential phi, and s = a'' of other particles at rest, see
 * hb_timestep_first. And that of one that begins anew among others. In a field, both are the shorter of two, as after a step. */
double hb_hermite4_step_first(const struct hb_hermite4 *hermite4, uint32_t i, double phi, const double s[3]);
double hb_hermite4_step_anew(const struct hb_hermite4 *hermite4, uint32_t i);

unsigned hb_hermite4_level(const struct hb_hermite4 *hermite4, double dt);

/* ---- hermite4_device.c: particles that stay on the device ---- */

/* Sends the particles index[ni]; NULL: all. */
enum hb_status hb_hermite4_keep(struct hb_hermite4 *hermite4, size_t ni, const uint32_t *index);

/* New forces of the block, a1 j1 phi1, at tick T: from xp vp, or predict = gpu those of the pairs from what the device has. A device that fails
 * is reopened once. */
enum hb_status hb_hermite4_forces(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* correct = gpu: corrects the block at tick T on the device, pending hb_force_settle, and finds its wanted levels. */
enum hb_status hb_hermite4_device_correct(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* Reads x v a j back from the device if they are newer there. */
enum hb_status hb_hermite4_sync(struct hb_hermite4 *hermite4);

/* ---- hermite4_groups.c: encounters = groups ---- */

/* Masses of what moves: of nodes, if there are groups. */
static inline const double *hb_hermite4_masses(const struct hb_hermite4 *hermite4)
{
  return hermite4->groups ? hermite4->groups->m : hermite4->particles->m;
}

/* Before the forces of a block: brings groups to tick T, where xp vp are. After them: corrects a1 j1 near groups. */
enum hb_status hb_hermite4_meet(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);
void hb_hermite4_correct_near(struct hb_hermite4 *hermite4, size_t ni);

/* What becomes of a step dt of a node: shorter for a heavy one, and no more than a group may take. */
double hb_hermite4_limited(const struct hb_hermite4 *hermite4, uint32_t node, double dt);

/* The same for the steps phi1, level1 of the block. */
void hb_hermite4_limit_steps(struct hb_hermite4 *hermite4, size_t ni);

/* After the block at tick T is scheduled: groups join and break, and what is new gets forces and steps. */
enum hb_status hb_hermite4_regroup(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* When groups have been read: where their slots are parked. */
void hb_hermite4_resume_parking(struct hb_hermite4 *hermite4);

/* Adds a node to those that the event is about: its members, or the star that it is. */
void hb_hermite4_add_members(const struct hb_hermite4 *hermite4, uint32_t node, struct hb_event *event);

/* Whether groups that were read fit the schedule and the particles. Errors: HB_ERR_INPUT. */
enum hb_status hb_hermite4_check_groups(const struct hb_hermite4 *hermite4);

/* Replaces nodes at a time t after the last block, x[3 * n] v[3 * n], by the members of groups. */
enum hb_status hb_hermite4_resolve(const struct hb_hermite4 *hermite4, double t, double *x, double *v,
                                   double *e_rounded);

/* ---- hermite4_bodies.c: collisions and escapers ---- */

/* What collisions and escapers of params need, if they ask for any. */
enum hb_status hb_bodies_open(struct hb_hermite4 *hermite4);
void hb_bodies_close(struct hb_hermite4 *hermite4);
struct hb_sections;
enum hb_status hb_bodies_put(const struct hb_hermite4 *hermite4, struct hb_sections *sections);
enum hb_status hb_bodies_get(const struct hb_sections *sections, struct hb_hermite4 *hermite4);

/* Between forces and corrector: which of the block may touch others, or escape. */
void hb_bodies_suspect(struct hb_hermite4 *hermite4, size_t ni);

/* After the block of *ni particles at tick T is scheduled: bodies merge and leave, and the rest is the block. */
enum hb_status hb_bodies_act(struct hb_hermite4 *hermite4, uint64_t T, size_t *ni);

/* The duration of this many ticks: exact up to 2^53, since dt_min is a power of two. */
static inline double hb_hermite4_span(const struct hb_hermite4 *hermite4, uint64_t ticks)
{
  return (double)ticks * hermite4->params.dt_min;
}

#endif
