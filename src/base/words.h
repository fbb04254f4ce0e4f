/* Words: the possible values of a setting, lists, what a misspelled one may mean. */
#ifndef HB_WORDS_H
#define HB_WORDS_H

#include "base/status.h"

#include <stddef.h>

/* The possible values: an array that ends with NULL, or a function that returns the k-th, NULL after the last. */
struct hb_words {
  const char *const *array;
  const char *(*at)(size_t k);
  const char *what;    /* "scheme", for messages; NULL: "value" */
  const char *also[2]; /* a word that stands for one of them, in another spelling, and which; NULL: none */
};

int hb_words_any(struct hb_words words); /* 0: neither of them */
const char *hb_words_at(struct hb_words words, size_t k);

/* The index of word among them; -1: not found. */
int hb_words_find(struct hb_words words, const char *word);

/* Fails with "unknown WHAT 'word'" and the nearest of the words, or all of them if none is near. */
enum hb_status hb_words_unknown(struct hb_words words, const char *word);

/* "a, b, c" */
enum { HB_WORDS_LENGTH = 512 };
const char *hb_words_join(struct hb_words words, char all[HB_WORDS_LENGTH]);

/* The candidate that a misspelled word probably means; best stays NULL if none is near enough. */
struct hb_near {
  const char *word, *best;
  size_t least;
};
struct hb_near hb_near_to(const char *word);
void hb_near_try(struct hb_near *near, const char *candidate);

/* ---- lists ---- */

enum { HB_LIST_WORDS = 32, HB_LIST_BYTES = 512 };

/* The words point into the list itself, which must not be copied. */
struct hb_list {
  char text[HB_LIST_BYTES];
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
