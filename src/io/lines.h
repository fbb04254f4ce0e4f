/* Text that others wrote: lines and words with their places for messages, and notes as lines of comment. */
#ifndef HB_LINES_H
#define HB_LINES_H

#include "base/text.h"
#include "core/particles.h"

/* A line, from begin to end, without blanks in front and its line break. */
struct hb_lines {
  const char *name; /* of the file, for messages */
  const char *next, *limit;
  const char *begin, *end;
  size_t line; /* its number, from 1 */
};

/* bytes[count] are followed by a NUL. */
struct hb_lines hb_lines_at_start(const char *name, const char *bytes, size_t count);

/* Moves to the next line; 0 after the last one. */
int hb_lines_next(struct hb_lines *lines);

static inline int hb_lines_is_blank(char c) { return c == ' ' || c == '\t'; }
void hb_lines_skip_blanks(const struct hb_lines *lines, const char **at);

/* The length of the word at `at` in a message, truncated if it is long. */
int hb_lines_shown(const struct hb_lines *lines, const char *at);

/* A finite double that is all of the word at *at, which moves to the end of the word; 0 if it is not one. With
 * exponents of Fortran's, 1.5D-3. */
int hb_lines_number(const struct hb_lines *lines, const char **at, double *number);

/* The same for a whole number from 0 to 2^64 - 1. */
int hb_lines_whole(const struct hb_lines *lines, const char **at, uint64_t *number);

/* Longer words before a colon are prose. */
enum { HB_LINES_KEY = 64 };

/* `# key: value` of a line that starts with '#': the key and the start of the value; 0 for another comment. */
int hb_lines_note(const struct hb_lines *lines, const char **key, size_t *length, const char **value);

/* Adds a line to a note, which may already have lines; file is for messages. Errors: HB_ERR_INPUT (a great many notes), HB_ERR_INTERNAL. */
enum hb_status hb_lines_add_note(struct hb_particles *particles, const char *file, const char *key,
                                 const char *line, size_t length);

/* Calls put for each line of the notes, in order: those of the key `plain` as they are, others as `# key: value`; last the
 * version, if there is none. Stops at the first failure. */
#define HB_LINES_HISTORY "history"
enum hb_status hb_lines_put_notes(const struct hb_particles *particles, const char *plain,
                                  enum hb_status (*put)(void *context, const char *line, size_t length),
                                  void *context);

/* Takes a line back whose history is plain: what is not a note is a line of history. NUL bytes end it. Errors: as hb_lines_add_note. */
enum hb_status hb_lines_take_note(struct hb_particles *particles, const char *file, const char *line,
                                  size_t length);

#endif
