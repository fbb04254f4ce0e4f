/* Models of initial conditions as a command line names them. */
#ifndef HB_MODELS_H
#define HB_MODELS_H

#include <holmberg/holmberg.h>

/* The name of the k-th model; NULL behind the last. */
const char *hb_models_name(size_t k);

/* NULL: there is none of this name. */
const struct hb_ic_model *hb_models_find(const char *name);

/* Whether the word is that of a model, or can be that of a file. Errors: HB_ERR_USAGE with the model that was meant. */
enum hb_status hb_models_check(const char *word);

#endif
