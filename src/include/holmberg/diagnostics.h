/* Diagnostics of a simulation: its energies, its structure, what happened in it, and whether its steps can be trusted.
 * Conventions as in holmberg.h. */
#ifndef HOLMBERG_DIAGNOSTICS_H
#define HOLMBERG_DIAGNOSTICS_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs whose binding energy exceeds the mean kinetic energy of the stars, or, in diagnostics, half of minus their mean potential
 * energy if that is larger: neighbors at rest are not binaries. They are found by gravity: with another interaction there are
 * none, the last two are NaN, and in a structure energy is, too. */
struct hb_binaries {
  size_t count;
  double energy;     /* sum of their energies, <= 0         */
  double a_hardest;  /* semi-major axis of the tightest; NaN: none   */
  double hard_above; /* the mean energy                     */
};

/* Energies in the frame of the center of mass: in exact host double, or by the potentials of the source of forces; with
 * another interaction than gravity always by the latter, since only the interaction knows its own potential.
 * e_kin + e_bulk and e_total + e_bulk are those in the inertial frame of the given velocities. */
struct hb_diagnostics {
  double t;
  int exact_energy; /* 1: e_total, e_pot and virial_ratio are in exact host double; 0: by the source's potentials */
  double e_total;      /* e_kin + e_pot                                                   */
  double e_kin, e_pot; /* e_pot with the softening of the run                             */
  double e_bulk;       /* M V^2 / 2, the kinetic energy of the center of mass              */
  double e_lost;       /* what left it with bodies that merged or escaped: e_total + e_lost is conserved */
  double e_gpu;        /* total energy with the potentials of the source of forces itself */
  double virial_ratio; /* e_kin / |e_pot| with binaries as points: 0.5 in equilibrium     */
  double r_half;       /* radius about the center of mass that encloses half of the mass  */
  double e_field;      /* sum m Phi in the forces from outside, 0 without. With them e_total and e_gpu
                        * contain it and e_bulk, since only that sum is conserved                 */
  double e_jacobi;     /* e_total - omega L_z, L_z about the origin, if the field gives an omega; else NaN */
  /* e_total by part, e_cluster + binaries.energy + e_orbit: */
  double
      e_cluster; /* with binaries as points: kinetic, mutual, and in a field sum m (Phi(x) - Phi(X)), X the center of mass */
  struct hb_binaries binaries;
  double
      e_orbit; /* in a field e_bulk + M Phi(X), 0 without. Where X is far deeper in it than the stars, as at a point mass in
                   * the middle of a cluster, there is no such orbit: it goes to 0, and e_cluster has all of it */
  double
      e_scale; /* what errors of e_total are compared with: of the cluster with binaries as points, without the field, |E|
                   * or the kinetic energy if larger. Of fewer than three points, and for virial_ratio, too: with binaries as
                   * stars. With no such energy, |e_total| or e_bulk */
  double e_changed; /* what hb_sim_change has brought: e_total + e_lost - e_changed is conserved */
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

/* ---- who orbits whom ---- */

/* Two parts that are bound and orbit each other, each a star or such a pair itself: hard binaries, and those among these and the other
 * stars, as `holmberg analyse` lists them. The relative orbit is that of part 1 about part 0. */
struct hb_bound {
  uint64_t id[2];  /* a part's identity; of a pair that of its heaviest star */
  int64_t part[2]; /* which row of the list a part is; -1: a star */
  uint64_t stars;  /* of both together */
  int64_t outer;   /* the row that it is part of; -1: none */
  double m[2];     /* of the parts */
  double a, e, E;  /* semi-major axis, eccentricity, energy */
  double period;
  double inclination, node,
      pericenter; /* to the plane x y: angle, longitude of the ascending node, argument of the pericenter */
  double anomaly; /* true anomaly at t; all in radians */
  double x[3], v[3]; /* of its center of mass */
};

/* At a time as for hb_sim_state: bound[*count], pairs before what they are part of, the tightest first, valid until the next call or the end of
 * sim. Errors: as hb_sim_state, HB_ERR_USAGE (another interaction than gravity). */
enum hb_status hb_sim_bound(struct hb_sim *sim, double t, size_t *count, const struct hb_bound **bound);

/* ---- what happened ---- */

/* Binaries are the hard ones of struct hb_binaries; they are looked for at the first step that ends at or after each multiple
 * of 2 dt_max, and followed until their stars are unbound. */
enum hb_event_kind {
  HB_EVENT_INITIAL,   /* a binary that was there when the watch began                                    */
  HB_EVENT_FORMED,    /* a new one                                                                       */
  HB_EVENT_HARDENED,  /* one whose binding energy has grown by a fifth since it was last told            */
  HB_EVENT_EXCHANGED, /* one in which a star has taken the place of another, the third member            */
  HB_EVENT_BROKEN,    /* one whose stars are no longer bound, or of which one no longer exists            */
  HB_EVENT_ENCOUNTER, /* unbound stars or groups come as close as groups form; eps 0, hermite4, correct host */
  HB_EVENT_COLLISION, /* two particles touch; the first of them remains, if one does                     */
  HB_EVENT_ESCAPE,    /* a particle leaves the system                                                    */
  HB_EVENT_APPROACH,  /* two particles are at their nearest, as near as is asked for: approach_distance   */
  HB_EVENT_KINDS
};
extern const char *const hb_event_names[]; /* "initial", ..., NULL */

enum { HB_EVENT_MOST = 8 };
struct hb_event {
  enum hb_event_kind kind;
  double t;
  size_t n;
  uint64_t id[HB_EVENT_MOST]; /* the n members'; of a group with more members, the first of these */
  double a, e,
      E; /* the relative orbit: semi-major axis (< 0: unbound), eccentricity, energy; E alone of an escape; NaN: none */
  double r; /* of a collision and an approach: how far apart the two are; else NaN */
};

/* Events of these kinds, bits 1 << kind, are looked for from now on, besides those that are already. HB_EVENT_INITIAL begins
 * to watch binaries anew: those that exist are told at once. A resumed simulation watches what it did. The trajectory does not change. Errors: HB_ERR_USAGE (binaries of
 * another interaction than gravity), as hb_sim_state. */
enum hb_status hb_sim_watch(struct hb_sim *sim, unsigned kinds);

/* Those of the last hb_sim_step, in the order in which they were found, valid until the next. A function of the state: the same
 * on any number of threads, and when the run was resumed. */
const struct hb_event *hb_sim_events(const struct hb_sim *sim, size_t *count);

/* The first of these at which a simulation stops, by its params collisions and stop_at: it is at the end of that step, of a contact
 * at the first tick (dt_min) after it, and can go on. NULL: none, so that hb_sim_integrate has reached its time. */
const struct hb_event *hb_sim_stopped(const struct hb_sim *sim);

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

/* The same with sizes, see "Releases" in holmberg.h. */
enum hb_status hb_sim_diagnose_sized(size_t size, struct hb_sim *sim, double t,
                                     struct hb_diagnostics *diagnostics);
enum hb_status hb_sim_structure_sized(size_t size, struct hb_sim *sim, double t,
                                      struct hb_structure *structure);
const struct hb_event *hb_sim_events_sized(size_t size, const struct hb_sim *sim, size_t *count);
enum hb_status hb_sim_bound_sized(size_t size, struct hb_sim *sim, double t, size_t *count,
                                  const struct hb_bound **bound);
int hb_sim_step_trouble_sized(size_t size, struct hb_sim *sim, struct hb_step_trouble *trouble);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_sim_diagnose(...)     hb_sim_diagnose_sized(sizeof(struct hb_diagnostics), __VA_ARGS__)
#define hb_sim_structure(...)    hb_sim_structure_sized(sizeof(struct hb_structure), __VA_ARGS__)
#define hb_sim_events(...)       hb_sim_events_sized(sizeof(struct hb_event), __VA_ARGS__)
#define hb_sim_bound(...)        hb_sim_bound_sized(sizeof(struct hb_bound), __VA_ARGS__)
#define hb_sim_step_trouble(...) hb_sim_step_trouble_sized(sizeof(struct hb_step_trouble), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
