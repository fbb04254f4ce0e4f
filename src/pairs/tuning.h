/* Tunings as text: "i_each=4 unroll=8 partial=256 j_source=block", for the command line and the cache file. */
#ifndef HB_TUNING_H
#define HB_TUNING_H

#include "pairs/pairs.h"

/* Of a word of a tuning, "unroll=8": what follows "name=", NULL if it is another word. And appends one, if it fits; value NULL: just the
 * name. */
enum { HB_TUNING_WORDS = 256 };
const char *hb_tuning_value(const char *word, const char *name);
void hb_tuning_append(const char *name, const char *value, size_t room, char *text);

/* Calls take for each word of text (NULL: none), which says whether it was its own; the rest become others[HB_TUNING_WORDS], NULL: there
 * is none. Errors: HB_ERR_USAGE; those of take. */
typedef enum hb_status hb_tuning_taker(const char *word, void *into, int *is_own);
enum hb_status hb_tuning_words(const char *text, hb_tuning_taker *take, void *into, char *others);

/* Sets the named fields of *tuning, leaves the others. NULL or "" sets none. Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_tuning_parse(const char *text, struct hb_pairs_tuning *tuning);

/* Writes the fields that are set. */
void hb_tuning_print(const struct hb_pairs_tuning *tuning, size_t room, char *text);

/* ---- the cache ---- */

/* Measured tunings, in $XDG_CACHE_HOME/holmberg/tunings (else ~/.cache): a line each, with the device, driver and program
 * that they belong to. With HB_SHADER_DIR nothing is found and nothing saved. The file's name, "" where there is no
 * home folder. */
const char *hb_tuning_cache_path(void);

/* ---- the search ---- */

/* Starts from the safe defaults and changes one field at a time, most important first, as long as it gets faster and
 * the seconds last. n particles in a random cube. *best holds every field; *pairs_per_s what it reaches. Tunings are
 * tried in a fixed order, but which one wins depends on the measurement, so it is saved in the cache of tunings. */
enum hb_status hb_tuning_renew(const struct hb_pairs_params *params, size_t n, double seconds,
                               struct hb_pairs_tuning *best, double *pairs_per_s);

/* Pairs with the tuning for n particles of params->scheme, precision and interaction: from the cache of tunings, or as
 * hb_tuning_renew finds it. That it cannot be saved is only logged; one in the cache that does not fit is dropped with a
 * warning. */
enum hb_status hb_tuning_open(const struct hb_pairs_params *params, size_t n, double seconds,
                              struct hb_pairs **pairs);

#endif
