/* Text: numbers as people type them, the word they meant, parts of a path, and growing strings. */
#ifndef HB_TEXT_H
#define HB_TEXT_H

#include "base/status.h"

#include <locale.h>
#include <stdarg.h>

/* "0.5", "1e-3", "2^-8", "1/256" as a finite double. The whole word must be a number.
 * Errors: HB_ERR_USAGE with a sentence that quotes the word. */
enum hb_status hb_text_number(const char *word, double *number);

/* The same for a whole number >= 0: "1024", "2^10", "1e6". Exact up to 2^64 - 1 in plain digits. */
enum hb_status hb_text_count(const char *word, uint64_t *number);

/* The shortest decimal that reads back as number. Returns text; HB_SHORTEST has one of its own, in its caller's scope. */
const char *hb_text_shortest(double number, char text[32]);
#define HB_SHORTEST(number) hb_text_shortest((number), (char[32]){0})

/* From here to the end of the block this thread writes and reads numbers with a point, whatever the host program's locale. */
#define HB_TEXT_IN_C                                                                                         \
  __attribute__((cleanup(hb_text_in_c_end), unused)) locale_t hb_text_callers_locale = hb_text_in_c_begin()
locale_t hb_text_in_c_begin(void);
void hb_text_in_c_end(const locale_t *callers);

/* What a noun ends with: "%zu star%s", n, hb_text_s(n). */
static inline const char *hb_text_s(uint64_t n) { return n == 1 ? "" : "s"; }

/* Splits a line, in place, into words separated by any of these blanks, `most` at most. Returns their number. */
int hb_text_words(char *line, const char *blanks, int most, const char **words);

/* Number of letters to insert, delete, replace or swap to turn a into b; for "did you mean". */
size_t hb_text_distance(const char *a, const char *b);

/* Whether word is in a blank-separated list; whether the path's extension is in one, ignoring case. */
int hb_text_is_listed(const char *word, const char *list);
int hb_text_has_extension(const char *path, const char *list);

/* Length of the UTF-8 sequence at s, 0 if it is invalid (stray or missing bytes, overlong, surrogate). */
size_t hb_text_utf8_length(const char *s);

/* The code of the character at s if a terminal would obey it: controls of ASCII but the tab, those from U+0080 to U+009F, also as
 * a byte of its own, line separators and what turns the direction of writing around; else 0. */
unsigned hb_text_command(const char *s);

/* The part of a path after its last slash, and its extension with the dot, "" if it has none. */
const char *hb_text_base_name(const char *path);
const char *hb_text_extension(const char *path);

/* A growing string: start from {0}, free text with hb_mem_free. A failed append leaves it unchanged. */
struct hb_text {
  char *text; /* NULL before the first append, then NUL-terminated */
  size_t length, capacity;
};

enum hb_status hb_text_append(struct hb_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum hb_status hb_text_append_list(struct hb_text *text, const char *format, va_list arguments);
enum hb_status hb_text_append_bytes(struct hb_text *text, const void *bytes, size_t count);

/* ---- words: the possible values of a setting, lists, what a misspelled one may mean ---- */

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

/* What a misspelled word probably means: *best, NULL at first, becomes the candidate if that is nearer, and near enough. */
void hb_guess(const char *word, const char *candidate, const char **best);

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
