/* What tests of the integrators share. */
#ifndef STEP_CASE_H
#define STEP_CASE_H

#include "step/hermite4.h"
#include "step/leapfrog.h"

/* sum m phi / 2 in double, all pairs. */
double step_potential_energy(const struct hb_particles *particles, double eps2);

/* Integrators of a copy of the particles, without a simulation around them; hermite4 has damping 1 where params have 0. */
enum hb_status step_hermite4(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, struct hb_hermite4 **hermite4);
enum hb_status step_leapfrog(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, struct hb_leapfrog **leapfrog);

/* What users of hermite4 call. */
static inline void step_hermite4_destroy(struct hb_hermite4 *h) { hb_integrator_hermite4.destroy(h); }
static inline double step_hermite4_time(const struct hb_hermite4 *h)
{
  return hb_integrator_hermite4.time(h);
}
static inline double step_hermite4_next_time(const struct hb_hermite4 *h)
{
  return hb_integrator_hermite4.next_time(h);
}
static inline enum hb_status step_hermite4_step(struct hb_hermite4 *h)
{
  return hb_integrator_hermite4.step(h, &(struct hb_step_size){0});
}
static inline enum hb_status step_hermite4_state(const struct hb_hermite4 *h, double t,
                                                 struct hb_particles **particles)
{
  return hb_integrator_hermite4.particles(h, t, particles);
}

/* m[n] x[3 * n] v[3 * n] at t = 0; two bodies with a = 1 and a total mass of 1, from apocenter on the x axis; exact forces. */
struct hb_particles *step_particles(size_t n, const double *m, const double *x, const double *v);
struct hb_particles *step_binary(double e);
struct hb_force *step_host(double eps);

/* hermite4 without softening, which takes the particles; and its end, with that of its force. */
struct hb_hermite4 *step_start(struct hb_particles *particles, double eta, double dt_max, double dt_min);
void step_finish(struct hb_hermite4 *hermite4);

/* HB_ERR_INTERNAL naming the first broken invariant of the schedule. t[n], nullable, are the times of the particles in
 * ticks as the caller has kept them. */
enum hb_status step_blocks_check(const struct hb_blocks *blocks, const uint64_t *t);

#endif
