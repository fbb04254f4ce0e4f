#ifndef HOLMBERG_DIAGNOSTICS_H
#define HOLMBERG_DIAGNOSTICS_H
#include <holmberg/holmberg.h>
#ifdef __cplusplus
extern "C" {
#endif
struct hb_binaries {
  size_t count;
  double energy;
  double a_hardest;
  double hard_above;
};
struct hb_diagnostics {
  double t;
  int exact_energy;
  double e_total;
  double e_kin, e_pot;
  double e_bulk;
  double e_lost;
  double e_gpu;
  double virial_ratio;
  double r_half;
  double e_field;
  double e_jacobi;
  double e_cluster;
  struct hb_binaries binaries;
  double e_orbit;
  double e_scale;
};
enum { HB_LAGRANGE_COUNT = 8 };
const double *hb_lagrange_fractions(void);
struct hb_structure {
  double t;
  double momentum[3], angular_momentum[3];
  double x_mass[3], v_mass[3];
  double x_density[3], r_core;
  double r_lagrange[HB_LAGRANGE_COUNT];
  struct hb_binaries binaries;
};
enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics);
enum hb_status hb_sim_structure(struct hb_sim *sim, double t, struct hb_structure *structure);
enum hb_event_kind {
  HB_EVENT_INITIAL,
  HB_EVENT_FORMED,
  HB_EVENT_HARDENED,
  HB_EVENT_EXCHANGED,
  HB_EVENT_BROKEN,
  HB_EVENT_ENCOUNTER,
  HB_EVENT_COLLISION,
  HB_EVENT_ESCAPE,
  HB_EVENT_KINDS
};
extern const char *const hb_event_names[];
enum { HB_EVENT_MOST = 8 };
struct hb_event {
  enum hb_event_kind kind;
  double t;
  size_t n;
  uint64_t id[HB_EVENT_MOST];
  double a, e, E;
};
enum hb_status hb_sim_watch(struct hb_sim *sim, unsigned kinds);
const struct hb_event *hb_sim_events(const struct hb_sim *sim, size_t *count);
const struct hb_event *hb_sim_stopped(const struct hb_sim *sim);
struct hb_step_trouble {
  double noisy;
  double n_steps;
  double n_steps_usual;
  uint64_t at_dt_min;
};
int hb_sim_step_trouble(struct hb_sim *sim, struct hb_step_trouble *trouble);
#ifdef __cplusplus
}
#endif
#endif
