/* The leapfrog of [NHP07] 31.2 (Verlet 1967) as kick, drift, kick: all particles share one constant step, of any length.
 *
 *   v' = D (v + a dt / 2)    first kick, and the damping D
 *   x  = x + v' dt           drift
 *   v  = v' + a dt / 2       second kick, with the acceleration at the new place
 *
 * The program of the CUDA samples keeps v' alone (v' = D (v' + a dt), x = x + v' dt): damped where it is here, the
 * places are its, and with D = 1 the velocities here are those at the time of the places. */
#ifndef HB_LEAPFROG_H
#define HB_LEAPFROG_H

#include "core/particles.h"
#include "step/integrator.h"

struct hb_leapfrog_params {
  double dt;      /* > 0                                         */
  double damping; /* D, > 0 and <= 1: loses nothing at 1         */
};

/* Everything a restart needs is particles, a, j, t0 and the counters; the rest is scratch. The jerk, which sources of
 * forces give along, serves states between the steps only. */
struct hb_leapfrog {
  size_t n;
  struct hb_leapfrog_params params;
  struct hb_force *force;         /* the caller's */
  double t0;                      /* time of step 0; step k is at t0 + k dt */
  struct hb_particles *particles; /* m x v, all at the time of the last step */
  double *a, *j;                  /* [3 * n] each, at the same time */
  double *x1, *v1, *a1, *j1;      /* [3 * n] each: the next */
  double *phi1;                   /* [n] */
  uint32_t *index;                /* [n] 0 ... n - 1: all are sinks */
  uint64_t steps;
  struct hb_phases phases; /* predict and correct */
};

/* Copies the particles; their time is t0. Evaluates the first forces. force stays the caller's and must outlive the
 * integrator. Errors: HB_ERR_USAGE (params), HB_ERR_NUMERIC (forces), those of force, HB_ERR_INTERNAL. */
enum hb_status hb_leapfrog_create(const struct hb_particles *initial, const struct hb_leapfrog_params *params,
                                  struct hb_force *force, struct hb_leapfrog **leapfrog);
/* The same with particles that belong to the integrator from here on, also after a failure. */
enum hb_status hb_leapfrog_take(struct hb_particles *initial, const struct hb_leapfrog_params *params,
                                struct hb_force *force, struct hb_leapfrog **leapfrog);

/* What hb_integrator_ops asks for; state is a struct hb_leapfrog. */
void hb_leapfrog_destroy(void *state);

double hb_leapfrog_time(const void *state);
double hb_leapfrog_next_time(const void *state);

/* On failure the state is that before it. Errors: HB_ERR_NUMERIC (a force that is NaN or Inf; a step that is lost in
 * the digits of the time), those of the source of forces. */
enum hb_status hb_leapfrog_step(void *state);

/* The particles at time t, last step <= t <= next step, to 1e-9 of a step. At the last step they are what the scheme
 * has; behind it predicted from there by [PZ07] eqs 3 and 4, as if the damping acted at its very beginning.
 * Errors: HB_ERR_USAGE (t), HB_ERR_INTERNAL. */
enum hb_status hb_leapfrog_state(const void *state, double t, struct hb_particles **particles);

/* The particles' sections, "t0" (t0 dt damping), "steps", "a", "j", and back. Errors:
 * HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_leapfrog_save(const void *state, struct hb_sections *sections);
enum hb_status hb_leapfrog_resume(const struct hb_sections *sections, struct hb_force *force,
                                  struct hb_leapfrog **leapfrog);

#endif
