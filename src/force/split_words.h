/* Words of a tuning, "name=value", by which a source of forces that shares out blocks says how; what it does not know are words
 * of the sources behind it. */
#ifndef HB_SPLIT_WORDS_H
#define HB_SPLIT_WORDS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { HB_SPLIT_WORDS = 256 };      /* characters of the others' words */
#define HB_SPLIT_WORDS_ALL SIZE_MAX /* the bound "all" */

/* Calls take for each word of text (NULL: none), which says whether it was its own; the rest become others[HB_SPLIT_WORDS]. Errors:
 * HB_ERR_USAGE; those of take. */
typedef enum hb_status (*hb_split_words_taker)(const char *word, void *plan, int *is_own);
enum hb_status hb_split_words_parse(const char *text, hb_split_words_taker take, void *plan, char *others);

/* What follows "name=" in word, NULL if it is another word. */
const char *hb_split_words_value(const char *word, const char *name);

/* A number of sinks from 1 on, or "all". Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_split_words_bound(const char *word, const char *value, size_t *bound);

/* Appends a word, if it fits; a bound of 0 is unknown and has none. */
void hb_split_words_append(const char *name, const char *value, size_t room, char *text);
void hb_split_words_append_bound(const char *name, size_t bound, size_t room, char *text);

#endif
