/* Measured tunings, in $XDG_CACHE_HOME/holmberg/tunings (else ~/.cache): a line each, with the device, driver and program
 * that they belong to. With HB_SHADER_DIR nothing is found and nothing saved. */
#ifndef HB_TUNING_CACHE_H
#define HB_TUNING_CACHE_H

#include "gl/gl_context.h"
#include "pairs/tuning.h"

/* What a tuning is for. */
struct hb_tuning_key {
  const struct hb_gl_context *context;
  const char *scheme, *precision, *interaction;
  size_t n; /* as hb_tuning_class gives it */
};

/* The number of particles that stands for all n of a similar size. */
size_t hb_tuning_class(size_t n);

/* Removes the tuning of the key. */
void hb_tuning_cache_drop(const struct hb_tuning_key *key);

/* 1 and *tuning if it is there. What is damaged is skipped, with a warning: of a line each time, of the file once in a process. */
int hb_tuning_cache_get(const struct hb_tuning_key *key, struct hb_pairs_tuning *tuning);

/* Saves it; the file is replaced atomically. Errors: HB_ERR_IO (only this tuning is lost). */
enum hb_status hb_tuning_cache_put(const struct hb_tuning_key *key, const struct hb_pairs_tuning *tuning);

/* The file's name, "" where there is no home folder. */
const char *hb_tuning_cache_path(void);

#endif
