/* Names of models of initial conditions on the command line. */
#ifndef HB_CONSOLE_MODELS_H
#define HB_CONSOLE_MODELS_H

#include "base/words.h"

#include <holmberg/holmberg.h>

/* The name of the k-th; NULL after the last. */
const char *hb_models_name(size_t k);
extern const struct hb_words hb_models_words;

/* NULL: not found. */
const struct hb_ic_model *hb_models_find(const char *name);

/* Whether the word names a model or may name a file. Errors: HB_ERR_USAGE, with a suggestion. */
enum hb_status hb_models_check(const char *word);

#endif
