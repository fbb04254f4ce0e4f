/* The fourth order Hermite scheme with individual block steps (Makino & Aarseth 1992), [PZ07] section 2. */
#ifndef HB_HERMITE4_H
#define HB_HERMITE4_H

#include "core/particles.h"
#include "step/blocks.h"
#include "step/forces.h"
#include "step/integrator.h"

struct hb_hermite4_params {
  double eta;            /* accuracy, nu of [PZ07] eqs 2 and 9                     */
  double dt_max, dt_min; /* powers of two; dt_min is the unit of time, see blocks.h */
  enum hb_rounding rounding;
  enum hb_steps steps;
  enum hb_transfer transfer;
  enum hb_place predict, correct;
};

/* Everything a restart needs is particles, a, j, t0, now and the levels; the rest is scratch. Memory per
 * particle: 64 for the particles, 48 for a j, 48 predicted, 56 new forces, 10 for the schedule: 226
 * bytes, and with the host's columns (56) and force.c's stamps (4) 286. Diagnostics take none of their own, see
 * look.h; what is predicted gets its room at the first step only, when a caller's particles may be gone. */
struct hb_hermite4 {
  size_t n;
  struct hb_hermite4_params params;
  struct hb_force *force; /* the caller's */
  double t0;              /* time of tick 0 */
  double mass;            /* of all particles */
  double noise;           /* of accelerations, relative: see hb_timestep_rely_on_jerks; 0: eq. 9 alone */
  struct hb_particles *particles; /* m, and x v of each particle at its own time t_i */
  double *a, *j;                  /* [3 * n] each, at t_i */
  double *xp, *vp;                /* [3 * n] each: all particles predicted to the time of the block */
  uint32_t *block;                /* [n] the particles due */
  double *a1, *j1, *phi1; /* [3 * n] [3 * n] [n] new forces, in the order of block; phi1 then new steps */
  uint8_t *level1;        /* [n] new levels, in the order of block */
  struct hb_blocks *blocks;
  uint64_t block_steps, particle_steps;
  uint64_t noisy_steps;    /* particle steps that noise has set, see timestep.h */
  struct hb_cut_steps cut; /* since the integrator was made or taken up again */
  struct hb_phases phases; /* predict and correct */
  int stale;               /* correct = gpu: x v a j are on the device only, see hb_hermite4_sync */
};

/* Copies the particles; their time is t0. Evaluates the first forces and steps. force stays the caller's and
 * must outlive the integrator. Errors: HB_ERR_USAGE (params), HB_ERR_NUMERIC (forces), those of force,
 * HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_create(const struct hb_particles *initial, const struct hb_hermite4_params *params,
                                  struct hb_force *force, struct hb_hermite4 **hermite4);

/* The same with particles that belong to the integrator from here on, also after a failure. */
enum hb_status hb_hermite4_take(struct hb_particles *initial, const struct hb_hermite4_params *params,
                                struct hb_force *force, struct hb_hermite4 **hermite4);

/* Takes them likewise, but leaves forces and steps to the caller: nothing is scheduled. */
enum hb_status hb_hermite4_prepare(struct hb_particles *initial, const struct hb_hermite4_params *params,
                                   struct hb_force *force, struct hb_hermite4 **hermite4);

/* What hb_integrator_ops asks for; state is a struct hb_hermite4. */
void hb_hermite4_destroy(void *state);

/* Time of the last block and of the next one; INFINITY if it cannot be counted. */
double hb_hermite4_time(const void *state);
double hb_hermite4_next_time(const void *state);

/* One block step. On failure the state is that before it. Errors: HB_ERR_NUMERIC (a force that is NaN or Inf;
 * names particle and time), those of the source of forces. */
enum hb_status hb_hermite4_step(void *state);

/* The particles at time t, last block <= t <= next block, predicted ([PZ07] eqs 3, 4) from their own times.
 * Errors: HB_ERR_USAGE (t), HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_state(const void *state, double t, struct hb_particles **particles);

/* The same in xp vp, with a1 j1 phi1 and block as room for forces: all of them scratch that the next step fills. */
struct hb_state_view;
enum hb_status hb_hermite4_look(void *state, double t, struct hb_state_view *look);

/* As hb_integrator_ops.save and .resume, see hermite4_save.c. */
enum hb_status hb_hermite4_save(const void *state, struct hb_sections *sections);
enum hb_status hb_hermite4_resume(const struct hb_sections *sections, const struct hb_hermite4_params *params,
                                  struct hb_force *force, struct hb_hermite4 **hermite4);

/* ---- hermite4_device.c: particles that stay on the device ---- */

/* Sends the particles index[ni]; NULL: all. */
enum hb_status hb_hermite4_keep(struct hb_hermite4 *hermite4, size_t ni, const uint32_t *index);

/* predict = gpu: new forces of the block, a1 j1 phi1, at tick T. A device that fails is opened anew once. */
enum hb_status hb_hermite4_device_forces(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* correct = gpu: the block at tick T corrected on the device, waiting there to be settled, and its wanted levels. */
enum hb_status hb_hermite4_device_correct(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* x v a j back from the device, where they are newer there. */
enum hb_status hb_hermite4_sync(struct hb_hermite4 *hermite4);

/* Seconds of one tick times ticks: exact, since dt_min is a power of two (up to 2^53 ticks). */
static inline double hb_hermite4_span(const struct hb_hermite4 *hermite4, uint64_t ticks)
{
  return (double)ticks * hermite4->params.dt_min;
}

#endif
