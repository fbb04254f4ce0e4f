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

#endif
