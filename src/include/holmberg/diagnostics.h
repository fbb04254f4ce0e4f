/* Diagnostics of a simulation: its energies, its structure, and whether its steps can be trusted. Conventions as in
 * holmberg.h. */
#ifndef HOLMBERG_DIAGNOSTICS_H
#define HOLMBERG_DIAGNOSTICS_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Energies in the frame of the center of mass: in exact host double, or by the potentials of the source of forces; with
 * another interaction than gravity always by the latter, since only the interaction knows its own potential.
 * e_kin + e_bulk and e_total + e_bulk are those in the inertial frame of the given velocities. */
struct hb_diagnostics {
  double t;
  int exact_energy; /* 1: e_total, e_pot and virial_ratio are in exact host double; 0: by the source's potentials */
  double e_total;      /* e_kin + e_pot                                                   */
  double e_kin, e_pot; /* e_pot with the softening of the run                             */
  double e_bulk;       /* M V^2 / 2, the kinetic energy of the center of mass              */
  double e_gpu;        /* total energy with the potentials of the source of forces itself */
  double virial_ratio; /* e_kin / |e_pot|: 0.5 in equilibrium                             */
  double r_half;       /* radius about the center of mass that encloses half of the mass  */
};

/* Pairs whose binding energy exceeds the mean kinetic energy of the stars. They are found by gravity: with another
 * interaction there are none, and the rest is NaN. */
struct hb_binaries {
  size_t count;
  double energy;     /* sum of their energies, <= 0                  */
  double a_hardest;  /* semi-major axis of the tightest; NaN: none   */
  double hard_above; /* the mean kinetic energy                      */
};

enum { HB_LAGRANGE_COUNT = 8 };
const double *hb_lagrange_fractions(void); /* [HB_LAGRANGE_COUNT] 0.01 0.02 0.05 0.1 0.2 0.5 0.75 0.9 */

/* The shape of the system; definitions and sources in src/core/structure.h and binaries.h. */
struct hb_structure {
  double t;
  double momentum[3], angular_momentum[3]; /* about the origin                                              */
  double x_mass[3], v_mass[3];             /* center of mass                                                */
  double x_density[3], r_core;             /* density center, core radius; NaN with fewer than 7 particles  */
  double r_lagrange[HB_LAGRANGE_COUNT];    /* about the density center, or the center of mass without one   */
  struct hb_binaries binaries;
};

/* At a time as for hb_sim_state. Errors: as hb_sim_state and hb_force_eval. */
enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics);
enum hb_status hb_sim_structure(struct hb_sim *sim, double t, struct hb_structure *structure);

/* The rounding errors of float forces enter eqs 5, 6 and 9 of [PZ07]; at small eta they determine the steps, which collapse:
 * ever more of them for no gain. Such noisy steps can be told from others (step/timestep.h), fewer than one in thirty of which
 * look the same; where dt_max or another particle of shared steps sets the length, noise does no harm and is not counted. */
struct hb_step_trouble {
  double noisy;         /* fraction of the particle steps that are noisy                               */
  double n_steps;       /* block steps per unit of time                                                */
  double n_steps_usual; /* what a Plummer sphere of this N and eta takes, by [PZ07] eq. 17; 1 / dt_max */
  uint64_t at_dt_min;
};

/* 1 if the steps since the last judgment have collapsed: a quarter of them is noisy, or (except with forces in double) a
 * sixteenth is and there are far more than in a Plummer sphere, or some at dt_min. 0 if not, or while there are too few to
 * judge, so that it is cheap to call after each step. *trouble: what was found, or zero. */
int hb_sim_step_trouble(struct hb_sim *sim, struct hb_step_trouble *trouble);

#ifdef __cplusplus
}
#endif
#endif
