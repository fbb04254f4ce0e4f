#ifndef HOLMBERG_CHECKPOINT_H
#define HOLMBERG_CHECKPOINT_H
#include <holmberg/holmberg.h>
#ifdef __cplusplus
extern "C" {
#endif
enum hb_save_flags { HB_SAVE_KEEP = 1 };
enum hb_status hb_sim_save(const struct hb_sim *sim, const char *path, const void *own, size_t own_bytes,
                           unsigned flags);
struct hb_checkpoint;
enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint);
void hb_checkpoint_close(struct hb_checkpoint *checkpoint);
struct hb_checkpoint_info {
  const char *version;
  const char *scheme, *precision, *tuning, *context, *device;
  const char *path;
};
void hb_checkpoint_info(const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info);
const void *hb_checkpoint_own(const struct hb_checkpoint *checkpoint, size_t *own_bytes);
enum hb_status hb_checkpoint_units(const struct hb_checkpoint *checkpoint, struct hb_units *units,
                                   int *are_known);
enum hb_status hb_sim_resume(const struct hb_checkpoint *checkpoint, const struct hb_force_params *place,
                             struct hb_sim **sim);
#ifdef __cplusplus
}
#endif
#endif
