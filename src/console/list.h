/* Lists on the command line: words between separators. */
#ifndef HB_LIST_H
#define HB_LIST_H

#include "base/status.h"

#include <stddef.h>

enum { HB_LIST_WORDS = 32, HB_LIST_ROOM = 512 };

/* The words lie in the list itself, which must not be copied. */
struct hb_list {
  char room[HB_LIST_ROOM];
  const char *words[HB_LIST_WORDS];
  size_t count;
};

/* Errors: HB_ERR_USAGE (too long, too many words, none). */
enum hb_status hb_list_split(const char *text, const char *separators, struct hb_list *list);

/* Between commas, every word one of choice(0), choice(1), ... NULL. Errors: as before; HB_ERR_USAGE with "unknown WHAT" and the
 * nearest choice. */
enum hb_status hb_list_choose(const char *text, const char *what, const char *(*choice)(size_t k),
                              struct hb_list *list);

/* Whole numbers of an option, "option --n". Errors: HB_ERR_USAGE (not a whole number, or below least). */
enum hb_status hb_list_counts(const char *option, const char *text, size_t least, size_t n[HB_LIST_WORDS],
                              size_t *count);

/* Numbers of particles, of option -n, 2 at least. */
enum hb_status hb_list_sizes(const char *text, size_t n[HB_LIST_WORDS], size_t *count);

/* WIDTHxHEIGHT in pixels, of option --size, each from least to most. Errors: HB_ERR_USAGE. */
enum hb_status hb_list_pixels(const char *text, int least, int most, int *width, int *height);

/* Whether word is one of them. */
int hb_list_has(const struct hb_list *list, const char *word);

#endif
