#ifndef HOLMBERG_HOLMBERG_H
#define HOLMBERG_HOLMBERG_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum hb_status {
  HB_OK = 0,
  HB_ERR_INTERNAL = 1,
  HB_ERR_USAGE = 2,
  HB_ERR_INPUT = 3,
  HB_ERR_IO = 4,
  HB_ERR_GL = 5,
  HB_ERR_DEVICE = 6,
  HB_ERR_NUMERIC = 7,
  HB_ERR_STOPPED = 75
};
const char *hb_library_version(void);
const char *hb_error(void);
struct hb_particles;
enum hb_status hb_particles_create(size_t n, struct hb_particles **particles);
enum hb_status hb_particles_copy(const struct hb_particles *from, struct hb_particles **particles);
void hb_particles_destroy(struct hb_particles *particles);
size_t hb_particles_n(const struct hb_particles *particles);
double hb_particles_time(const struct hb_particles *particles);
void hb_particles_set_time(struct hb_particles *particles, double t);
double *hb_particles_m(struct hb_particles *particles);
double *hb_particles_x(struct hb_particles *particles);
double *hb_particles_v(struct hb_particles *particles);
uint64_t *hb_particles_id(struct hb_particles *particles);
double *hb_particles_radius(struct hb_particles *particles);
enum hb_status hb_particles_set_radii(struct hb_particles *particles, const char *formula);
uint64_t hb_particles_hash(const struct hb_particles *particles);
enum hb_status hb_particles_set_note(struct hb_particles *particles, const char *key, const char *value);
enum hb_status hb_particles_add_history(struct hb_particles *particles, const char *line);
const char *hb_particles_note(const struct hb_particles *particles, const char *key);
const char *hb_particles_note_key(const struct hb_particles *particles, size_t k);
enum hb_status hb_particles_eps(const struct hb_particles *particles, double *eps);
struct hb_units {
  double mass;
  double length;
  double time;
};
enum hb_status hb_units_complete(struct hb_units *units);
enum hb_status hb_units_set(struct hb_particles *particles, const struct hb_units *units);
enum hb_status hb_units_get(const struct hb_particles *particles, struct hb_units *units, int *are_known);
double hb_units_velocity(const struct hb_units *units);
enum hb_dimension {
  HB_DIMENSION_NONE = 0,
  HB_DIMENSION_TIME = 1,
  HB_DIMENSION_LENGTH = 2,
  HB_DIMENSION_VELOCITY = 3,
  HB_DIMENSION_MASS = 4,
  HB_DIMENSION_RATE = 5
};
enum hb_status hb_units_number(const struct hb_units *units, enum hb_dimension of, const char *word,
                               double *number);
enum hb_status hb_units_field(const struct hb_units *units, const char *words, char *text, size_t size);
enum hb_ic_scaling { HB_IC_SCALING_AUTO = 0, HB_IC_SCALING_MEASURED = 1, HB_IC_SCALING_MODEL = 2 };
extern const char *const hb_ic_scaling_names[];
enum { HB_IC_MEASURED_MOST = 1 << 17 };
enum hb_ic_scaling hb_ic_scaling_for(size_t n);
enum hb_ic_shape { HB_IC_SHAPE_SHELL = 0, HB_IC_SHAPE_RANDOM = 1, HB_IC_SHAPE_EXPAND = 2 };
extern const char *const hb_ic_shape_names[];
enum hb_ic_pairing { HB_IC_PAIRING_RANDOM = 0, HB_IC_PAIRING_ORDERED = 1, HB_IC_PAIRING_UNIFORM = 2 };
enum hb_ic_orbits { HB_IC_ORBITS_OPIK = 0, HB_IC_ORBITS_KROUPA1995 = 1, HB_IC_ORBITS_DUQUENNOY1991 = 2 };
enum hb_ic_eccentricities { HB_IC_THERMAL = 0, HB_IC_UNIFORM = 1, HB_IC_CIRCULAR = 2 };
extern const char *const hb_ic_pairing_names[], *const hb_ic_orbits_names[],
                                                    *const hb_ic_eccentricities_names[];
struct hb_ic_cluster {
  const char *masses;
  double mass_min, mass_max;
  double mass_ratio;
  double heavy;
  double segregation;
  double virial;
  double rotation;
  double fractal;
  double tidal_radius;
  double binaries;
  double a_min, a_max;
  enum hb_ic_pairing pairing;
  enum hb_ic_orbits orbits;
  enum hb_ic_eccentricities eccentricities;
  int reserved;
  struct hb_units units;
};
struct hb_ic_params {
  size_t n;
  uint64_t seed;
  double r_cut;
  double m1, m2;
  double a, e;
  double velocity;
  double spin;
  enum hb_ic_scaling scaling;
  enum hb_ic_shape shape;
  double w0;
  struct hb_ic_cluster cluster;
  void (*progress)(void *context, double done);
  void *progress_context;
};
struct hb_ic_model {
  const char *name;
  const char *summary;
  const char *source;
  const char *options;
  size_t n;
  size_t n_min, n_max;
  double speed;
  int is_cluster;
};
const struct hb_ic_model *hb_ic_models(size_t *count);
enum hb_status hb_ic_make(const char *model, const struct hb_ic_params *params,
                          struct hb_particles **particles);
enum hb_status hb_combine_particles(const struct hb_particles *first, const struct hb_particles *second,
                                    const double at[3], const double velocity[3],
                                    struct hb_particles **particles);
struct hb_scale {
  double mass, radius, virial;
};
enum hb_status hb_scale_particles(struct hb_particles *particles, const struct hb_scale *scale);
enum hb_status hb_scale_to_standard(struct hb_particles *particles);
enum hb_status hb_scale_from_astro(struct hb_particles *particles);
struct hb_snapshot_format {
  const char *name;
  const char *summary;
  const char *extensions;
};
const struct hb_snapshot_format *hb_snapshot_formats(size_t *count);
enum hb_status hb_snapshot_read(const char *path, const char *format, struct hb_particles **particles);
enum hb_status hb_snapshot_write(const char *path, const char *format, const struct hb_particles *particles);
struct hb_snapshot_contents {
  const char *format;
  size_t count;
  double t_first, t_last;
};
enum hb_status hb_snapshot_read_at(const char *path, const char *format, double t,
                                   struct hb_particles **particles, struct hb_snapshot_contents *contents);
enum hb_force_flags {
  HB_FORCE_CG2007_RECT = 1,
  HB_FORCE_GL_DEBUG = 2,
  HB_FORCE_NO_TUNE = 4,
  HB_FORCE_PHASES = 8,
  HB_FORCE_UNSOFTENED = 16
};
struct hb_interaction;
struct hb_force_params {
  const char *scheme;
  const char *precision;
  const char *interaction;
  const struct hb_interaction *custom_interaction;
  const char *parameters;
  const char *context;
  const char *device;
  const char *tuning;
  double max_draw_s;
  double eps;
  unsigned flags;
};
struct hb_force_scheme {
  const char *name;
  const char *summary;
  const char *source;
  const char *precisions;
  const char *modes;
  int flops_per_pair;
  int needs_gl;
  int on_host;
  int is_compute;
  int is_exact;
  int is_historic;
  int has_tuning;
  int has_rect;
};
struct hb_force;
const struct hb_force_scheme *hb_force_schemes(size_t *count);
const char *hb_force_auto_summary(void);
const struct hb_force_scheme *hb_force_scheme_find(const char *name);
struct hb_force_need {
  double device_source;
  double device_sink;
  double device_fixed;
  double device_kept;
  double device;
  double host_particle;
  double host_fixed;
  double host;
  double host_rank;
};
enum hb_status hb_force_memory(const struct hb_force_params *params, size_t n, struct hb_force_need *need);
enum hb_status hb_force_open(const struct hb_force_params *params, struct hb_force **force);
void hb_force_close(struct hb_force *force);
const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force);
const char *hb_force_precision(const struct hb_force *force);
extern const char *const hb_precision_names[];
int hb_force_position_bits(const char *precision);
int hb_force_is_reproducible(const char *precision);
const char *hb_force_tuning(const struct hb_force *force);
const char *hb_force_context(const struct hb_force *force);
const char *hb_force_device(const struct hb_force *force);
enum hb_status hb_force_set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                              const double *v);
enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi);
#define HB_NO_SOURCE UINT32_MAX
enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi);
enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi);
enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi);
enum hb_status hb_force_finish(struct hb_force *force);
enum hb_rounding { HB_ROUND_DOWN = 0, HB_ROUND_NEAREST = 1, HB_ROUND_UP = 2 };
extern const char *const hb_rounding_names[];
enum hb_first_step { HB_FIRST_STEP_AUTO = 0, HB_FIRST_STEP_EQ9 = 1, HB_FIRST_STEP_EQ2 = 2 };
extern const char *const hb_first_step_names[];
enum hb_steps { HB_STEPS_BLOCK = 0, HB_STEPS_SHARED = 1 };
extern const char *const hb_steps_names[];
enum hb_encounters { HB_ENCOUNTERS_AUTO = 0, HB_ENCOUNTERS_NONE = 1, HB_ENCOUNTERS_GROUPS = 2 };
extern const char *const hb_encounters_names[];
enum hb_collisions { HB_COLLISIONS_NONE = 0, HB_COLLISIONS_STOP = 1, HB_COLLISIONS_MERGE = 2 };
extern const char *const hb_collisions_names[];
enum hb_escapers { HB_ESCAPERS_NONE = 0, HB_ESCAPERS_LIST = 1, HB_ESCAPERS_REMOVE = 2 };
extern const char *const hb_escapers_names[];
enum hb_stop_at { HB_STOP_AT_NONE = 0, HB_STOP_AT_COLLISION = 1, HB_STOP_AT_PAIR = 2, HB_STOP_AT_ESCAPE = 3 };
extern const char *const hb_stop_at_names[];
struct hb_integrator_info {
  const char *name, *summary;
  const char *source;
  int has_dt;
};
const struct hb_integrator_info *hb_integrators(size_t *count);
const struct hb_integrator_info *hb_integrator_named(const char *name);
enum hb_transfer { HB_TRANSFER_ALL = 0, HB_TRANSFER_BLOCK = 1 };
enum hb_place { HB_PLACE_HOST = 0, HB_PLACE_GPU = 1 };
extern const char *const hb_transfer_names[], *const hb_place_names[];
enum hb_exact_energy { HB_EXACT_ENERGY_AUTO = 0, HB_EXACT_ENERGY_YES = 1, HB_EXACT_ENERGY_NO = 2 };
extern const char *const hb_exact_energy_names[];
struct hb_sim_params {
  struct hb_force_params force;
  const char *integrator;
  double eta;
  double dt_max;
  double dt_min;
  enum hb_rounding rounding;
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  enum hb_exact_energy exact_energy;
  enum hb_steps steps;
  double dt;
  double damping;
  const char *field;
  enum hb_encounters encounters;
  enum hb_collisions collisions;
  enum hb_escapers escapers;
  double escape_radius;
  enum hb_first_step first_step;
  enum hb_stop_at stop_at;
};
double hb_sim_default_dt_min(double eps);
enum hb_encounters hb_sim_default_encounters(const struct hb_sim_params *params);
enum hb_first_step hb_sim_default_first_step(const struct hb_sim_params *params,
                                             const struct hb_particles *initial);
struct hb_cut_steps {
  double dt_min;
  uint64_t count, particle;
  double t, wanted;
};
struct hb_energy_made {
  double error, t;
  uint64_t particle;
};
struct hb_sim_counts {
  uint64_t n;
  uint64_t block_steps;
  uint64_t particle_steps;
  uint64_t pairs;
  uint64_t sources;
  uint64_t merged, escaped;
  double e_lost;
  uint64_t noisy_steps;
  uint64_t at_dt_min;
  double dt_least;
  struct hb_cut_steps cut;
  struct hb_energy_made massless;
};
struct hb_phases {
  double predict_s, send_s, force_s, receive_s, correct_s;
};
struct hb_sim;
enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_sim **sim);
enum hb_status hb_sim_take(struct hb_particles *initial, const struct hb_sim_params *params,
                           struct hb_sim **sim);
void hb_sim_destroy(struct hb_sim *sim);
double hb_sim_time(const struct hb_sim *sim);
double hb_sim_next_time(const struct hb_sim *sim);
enum hb_status hb_sim_step(struct hb_sim *sim);
enum hb_status hb_sim_integrate(struct hb_sim *sim, double t);
void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts);
void hb_sim_phases(const struct hb_sim *sim, struct hb_phases *phases);
enum { HB_BLOCK_SIZES = 32 };
void hb_sim_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES]);
const struct hb_force *hb_sim_force(const struct hb_sim *sim);
const struct hb_sim_params *hb_sim_taken(const struct hb_sim *sim);
enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles);
#ifdef __cplusplus
}
#endif
#endif
