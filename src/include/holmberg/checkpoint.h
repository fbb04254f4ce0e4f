/* Saving a simulation to a file and resuming it bit for bit. Conventions as in holmberg.h. */
#ifndef HOLMBERG_CHECKPOINT_H
#define HOLMBERG_CHECKPOINT_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hb_save_flags { HB_SAVE_KEEP = 1 /* the previous file is renamed to path~: two generations */ };

/* Writes all that is needed to continue bit for bit to one file: under a temporary name, synced, renamed, its folder
 * synced. own[own_bytes], nullable, is data of the caller's, returned by hb_checkpoint_own. Errors: HB_ERR_IO; the files
 * path and path~ then still exist, under one name or the other. */
enum hb_status hb_sim_save(const struct hb_sim *sim, const char *path, const void *own, size_t own_bytes,
                           unsigned flags);

struct hb_checkpoint;

/* Reads the file and checks all of it. Errors: HB_ERR_INPUT (not a checkpoint, or damaged), HB_ERR_IO. */
enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint);
void hb_checkpoint_close(struct hb_checkpoint *checkpoint);

/* What it was written by. */
struct hb_checkpoint_info {
  const char *version; /* hb_library_version()                       */
  const char *scheme, *precision, *tuning, *context, *device;
  const char *path; /* the file's */
};

void hb_checkpoint_info(const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info);
const void *hb_checkpoint_own(const struct hb_checkpoint *checkpoint, size_t *own_bytes);

/* The units of its particles, as hb_units_get. */
enum hb_status hb_checkpoint_units(const struct hb_checkpoint *checkpoint, struct hb_units *units,
                                   int *are_known);

/* The simulation as it was, with the forces reopened with the same params; none are evaluated. place, nullable, moves them
 * elsewhere: its context and device, unless NULL, its max_draw_s, its custom_interaction (needed where the run had one), and of its flags HB_FORCE_GL_DEBUG and HB_FORCE_PHASES.
 * On another device bits may differ. An interaction must have the code that it had. Errors: as hb_force_open,
 * HB_ERR_INPUT. */
enum hb_status hb_sim_resume(const struct hb_checkpoint *checkpoint, const struct hb_force_params *place,
                             struct hb_sim **sim);

/* The same with sizes, see "Releases" in holmberg.h. */
void hb_checkpoint_info_sized(size_t size, const struct hb_checkpoint *checkpoint,
                              struct hb_checkpoint_info *info);
enum hb_status hb_sim_resume_sized(size_t size, const struct hb_checkpoint *checkpoint,
                                   const struct hb_force_params *place, struct hb_sim **sim);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_checkpoint_info(...) hb_checkpoint_info_sized(sizeof(struct hb_checkpoint_info), __VA_ARGS__)
#define hb_sim_resume(...)      hb_sim_resume_sized(sizeof(struct hb_force_params), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
