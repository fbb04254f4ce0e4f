/* The functions of libholmberg 0.1 under their plain names, in the shared library alone: what programs call that were linked to
 * that release, pointers to functions, and other languages. Their structs are those of 0.1 for ever. Within the library these
 * names have ..._own behind them (gen/own.o in the Makefile). */
#include <holmberg/checkpoint.h>
#include <holmberg/device.h>
#include <holmberg/diagnostics.h>
#include <holmberg/interaction.h>
#include <holmberg/picture.h>

/* Up to the last field that 0.1 had, and what filled it up to a whole number of pointers. */
#define END(type, last) (offsetof(struct type, last) + sizeof((struct type *)0)->last)
#define PADDED(bytes)   (((bytes) + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *))

enum {
  IC_MODEL = PADDED(END(hb_ic_model, is_cluster)),
  IC_CLUSTER = END(hb_ic_cluster, units),
  IC_PARAMS = END(hb_ic_params, progress_context) - sizeof(struct hb_ic_cluster) + IC_CLUSTER,
  SCALE = END(hb_scale, virial),
  SNAPSHOT_FORMAT = END(hb_snapshot_format, extensions),
  SNAPSHOT_CONTENTS = END(hb_snapshot_contents, t_last),
  FORCE_SCHEME = END(hb_force_scheme, has_rect),
  FORCE_PARAMS = PADDED(END(hb_force_params, flags)),
  FORCE_NEED = END(hb_force_need, host_rank),
  INTEGRATOR_INFO = PADDED(END(hb_integrator_info, has_dt)),
  SIM_PARAMS = END(hb_sim_params, stop_at) - sizeof(struct hb_force_params) + FORCE_PARAMS,
  SIM_COUNTS = END(hb_sim_counts, massless),
  BOUND = END(hb_bound, v),
  BETWEEN = END(hb_between, context),
  CHANGE = END(hb_change, added),
  STAR = PADDED(END(hb_sim_star, type)),
  PHASES = END(hb_phases, correct_s),
  DIAGNOSTICS = END(hb_diagnostics, e_scale),
  STRUCTURE = END(hb_structure, binaries),
  EVENT = END(hb_event, E),
  STEP_TROUBLE = END(hb_step_trouble, at_dt_min),
  CHECKPOINT_INFO = END(hb_checkpoint_info, path),
  DEVICE_PARTICLES = END(hb_device_particles, t),
  PICTURE_PARAMS = END(hb_picture_params, exposure),
  ALL_PAIRS_PARAMS = END(hb_all_pairs_params, flags),
};

#define FROZEN(result, name, parameters, ...)                                                                \
  result name parameters { return name##_sized(__VA_ARGS__); }
#define FROZEN_VOID(name, parameters, ...)                                                                   \
  void name parameters { name##_sized(__VA_ARGS__); }

FROZEN(const struct hb_ic_model *, hb_ic_models, (size_t * count), IC_MODEL, count)
FROZEN(enum hb_status, hb_ic_make,
       (const char *model, const struct hb_ic_params *params, struct hb_particles **particles), IC_PARAMS,
       IC_CLUSTER, model, params, particles)
FROZEN(enum hb_status, hb_scale_particles, (struct hb_particles * particles, const struct hb_scale *scale),
       SCALE, particles, scale)
FROZEN(const struct hb_snapshot_format *, hb_snapshot_formats, (size_t * count), SNAPSHOT_FORMAT, count)
FROZEN(enum hb_status, hb_snapshot_read_at,
       (const char *path, const char *format, double t, struct hb_particles **particles,
        struct hb_snapshot_contents *contents),
       SNAPSHOT_CONTENTS, path, format, t, particles, contents)
FROZEN(const struct hb_force_scheme *, hb_force_schemes, (size_t * count), FORCE_SCHEME, count)
FROZEN(enum hb_status, hb_force_memory,
       (const struct hb_force_params *params, size_t n, struct hb_force_need *need), FORCE_PARAMS, FORCE_NEED,
       params, n, need)
FROZEN(enum hb_status, hb_force_open, (const struct hb_force_params *params, struct hb_force **force),
       FORCE_PARAMS, params, force)
FROZEN(const struct hb_integrator_info *, hb_integrators, (size_t * count), INTEGRATOR_INFO, count)
FROZEN(enum hb_encounters, hb_sim_default_encounters, (const struct hb_sim_params *params), SIM_PARAMS,
       FORCE_PARAMS, params)
FROZEN(enum hb_first_step, hb_sim_default_first_step,
       (const struct hb_sim_params *params, const struct hb_particles *initial), SIM_PARAMS, FORCE_PARAMS,
       params, initial)
FROZEN(int, hb_sim_default_neighbors,
       (const struct hb_sim_params *params, const struct hb_particles *initial), SIM_PARAMS, FORCE_PARAMS,
       params, initial)
FROZEN(enum hb_status, hb_sim_create,
       (const struct hb_particles *initial, const struct hb_sim_params *params, struct hb_sim **sim),
       SIM_PARAMS, FORCE_PARAMS, initial, params, sim)
FROZEN(enum hb_status, hb_sim_take,
       (struct hb_particles * initial, const struct hb_sim_params *params, struct hb_sim **sim), SIM_PARAMS,
       FORCE_PARAMS, initial, params, sim)
FROZEN(const struct hb_sim_params *, hb_sim_taken, (const struct hb_sim *sim), SIM_PARAMS, FORCE_PARAMS, sim)
FROZEN_VOID(hb_sim_counts, (const struct hb_sim *sim, struct hb_sim_counts *counts), SIM_COUNTS, sim, counts)
FROZEN_VOID(hb_sim_phases, (const struct hb_sim *sim, struct hb_phases *phases), PHASES, sim, phases)
FROZEN_VOID(hb_sim_call, (struct hb_sim * sim, const struct hb_between *between), BETWEEN, sim, between)
FROZEN(enum hb_status, hb_sim_change, (struct hb_sim * sim, const struct hb_change *change), CHANGE, sim,
       change)
FROZEN(enum hb_status, hb_sim_stars, (struct hb_sim * sim, size_t *count, const struct hb_sim_star **stars),
       STAR, sim, count, stars)
FROZEN(enum hb_status, hb_sim_diagnose, (struct hb_sim * sim, double t, struct hb_diagnostics *diagnostics),
       DIAGNOSTICS, sim, t, diagnostics)
FROZEN(enum hb_status, hb_sim_structure, (struct hb_sim * sim, double t, struct hb_structure *structure),
       STRUCTURE, sim, t, structure)
FROZEN(enum hb_status, hb_sim_bound,
       (struct hb_sim * sim, double t, size_t *count, const struct hb_bound **bound), BOUND, sim, t, count,
       bound)
FROZEN(const struct hb_event *, hb_sim_events, (const struct hb_sim *sim, size_t *count), EVENT, sim, count)
FROZEN(int, hb_sim_step_trouble, (struct hb_sim * sim, struct hb_step_trouble *trouble), STEP_TROUBLE, sim,
       trouble)
FROZEN_VOID(hb_checkpoint_info, (const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info),
            CHECKPOINT_INFO, checkpoint, info)
FROZEN(enum hb_status, hb_sim_resume,
       (const struct hb_checkpoint *checkpoint, const struct hb_force_params *place, struct hb_sim **sim),
       FORCE_PARAMS, checkpoint, place, sim)
FROZEN_VOID(hb_sim_on_device, (const struct hb_sim *sim, struct hb_device_particles *particles),
            DEVICE_PARTICLES, sim, particles)
FROZEN(enum hb_status, hb_picture_open, (const struct hb_picture_params *params, struct hb_picture **picture),
       PICTURE_PARAMS, params, picture)
FROZEN(enum hb_status, hb_all_pairs_open,
       (const struct hb_interaction *interaction, const struct hb_all_pairs_params *params,
        struct hb_all_pairs **pairs),
       ALL_PAIRS_PARAMS, interaction, params, pairs)
