/* Tunings as text: "i_each=4 unroll=8 partial=256 j_source=block", for the command line and the cache file. */
#ifndef HB_TUNING_H
#define HB_TUNING_H

#include "pairs/pairs.h"

/* Sets the named fields of *tuning, leaves the others. NULL or "" sets none. Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_tuning_parse(const char *text, struct hb_pairs_tuning *tuning);

/* Writes the fields that are set. */
void hb_tuning_print(const struct hb_pairs_tuning *tuning, size_t room, char *text);

#endif
