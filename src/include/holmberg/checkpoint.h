/* A simulation kept in a file, and gone on with from there bit for bit. Conventions as in holmberg.h. */
#ifndef HOLMBERG_CHECKPOINT_H
#define HOLMBERG_CHECKPOINT_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hb_save_flags { HB_SAVE_KEEP = 1 /* what path holds so far becomes path~: two generations */ };

/* Everything that the simulation goes on from, bit for bit, in one file: written under a temporary name, synced,
 * renamed, its folder synced. own[own_bytes], nullable, is the caller's and comes back by hb_checkpoint_own. Errors:
 * HB_ERR_IO; what path and path~ held is then still there, under one name or the other. */
enum hb_status hb_sim_save(const struct hb_sim *sim, const char *path, const void *own, size_t own_bytes,
                           unsigned flags);

struct hb_checkpoint;

/* Reads the file and checks all of it. Errors: HB_ERR_INPUT (no checkpoint, or a damaged one), HB_ERR_IO. */
enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint);
void hb_checkpoint_close(struct hb_checkpoint *checkpoint);

/* By whom and with what it was made. */
struct hb_checkpoint_info {
  const char *version; /* hb_version()                       */
  const char *scheme, *precision, *tuning, *context, *device;
  const char *path; /* the file's */
};

void hb_checkpoint_info(const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info);
const void *hb_checkpoint_own(const struct hb_checkpoint *checkpoint, size_t *own_bytes);

/* The simulation as it was, with the forces opened again by the same params; none are evaluated. place, nullable, tells
 * another place for them: its context, device, max_draw_s, and of its flags HB_FORCE_GL_DEBUG and HB_FORCE_PHASES; NULL
 * fields stay as they were. On another device bits may differ. Errors: as hb_force_open, HB_ERR_INPUT. */
enum hb_status hb_sim_resume(const struct hb_checkpoint *checkpoint, const struct hb_force_params *place,
                             struct hb_sim **sim);

#ifdef __cplusplus
}
#endif
#endif
