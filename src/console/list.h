/* Words on the command line: those that a value may be, and lists of them. */
#ifndef HB_LIST_H
#define HB_LIST_H

#include "base/status.h"

#include <stddef.h>

/* The words that a value may be: an array that ends with NULL, or the k-th by a function, NULL behind the last. */
struct hb_words {
  const char *const *array;
  const char *(*at)(size_t k);
  const char *what; /* "scheme", for messages; NULL: "value" */
};

const char *hb_words_at(struct hb_words words, size_t k);

/* The number of word among them; -1: it is not there. */
int hb_words_find(struct hb_words words, const char *word);

/* Fails with "unknown WHAT 'word'" and the nearest of the words, or all of them where none is near. */
enum hb_status hb_words_unknown(struct hb_words words, const char *word);

/* "a, b, c" */
enum { HB_WORDS_LENGTH = 512 };
const char *hb_words_join(struct hb_words words, char all[HB_WORDS_LENGTH]);

/* The candidate that was probably meant by a word; best stays NULL where none is near enough. */
struct hb_near {
  const char *word, *best;
  size_t least;
};
struct hb_near hb_near_to(const char *word);
void hb_near_try(struct hb_near *near, const char *candidate);

/* ---- lists ---- */

enum { HB_LIST_WORDS = 32, HB_LIST_ROOM = 512 };

/* The words lie in the list itself, which must not be copied. */
struct hb_list {
  char room[HB_LIST_ROOM];
  const char *words[HB_LIST_WORDS];
  size_t count;
};

/* Whole numbers. */
struct hb_counts {
  size_t n[HB_LIST_WORDS], count;
};

/* Errors: HB_ERR_USAGE (too long, too many words, none). */
enum hb_status hb_list_split(const char *text, const char *separators, struct hb_list *list);

/* Whether word is one of them. */
int hb_list_has(const struct hb_list *list, const char *word);

#endif
