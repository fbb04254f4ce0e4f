/* What a command starts from and writes to: names of models; the file that a result goes to, checked before hours of computing,
 * numbered in a series. */
#ifndef HB_TARGET_H
#define HB_TARGET_H

#include "base/text.h"
#include "core/particles.h"

/* Names of the snapshot formats, and of the schemes of forces, for an option's choices. */
const char *hb_target_format(size_t k);
const char *hb_target_scheme(size_t k);

/* Whether a snapshot can be written to path: a known format, an existing writable folder, and nothing but a
 * regular file under that name. format NULL: by extension; "": it is no snapshot. Errors: HB_ERR_USAGE, HB_ERR_IO. */
enum hb_status hb_target_check(const char *path, const char *format);

/* Refuses to write to path if that, or a file written beside it, would replace `other`. Errors: HB_ERR_USAGE. */
enum hb_status hb_target_spare(const char *path, const char *format, const char *other);

/* hb_snapshot_write, also noticing when standard output has lost its reader. */
enum hb_status hb_target_write(const char *path, const char *format, const struct hb_particles *particles);

/* "run/a.csv", "png" -> "run/a.png". */
enum hb_status hb_target_beside(const char *path, const char *extension, struct hb_text *name);

/* The name of the k-th; NULL after the last. */
const char *hb_models_name(size_t k);
extern const struct hb_words hb_models_words;

/* NULL: not found. */
const struct hb_ic_model *hb_models_find(const char *name);

/* Whether the word names a model or may name a file. Errors: HB_ERR_USAGE, with a suggestion. */
enum hb_status hb_models_check(const char *word);

#endif
