/* A text on its way to a file. Errors are collected and reported at the end, so that the code that writes a text reads like
 * the text. */
#ifndef HB_DRAFT_H
#define HB_DRAFT_H

#include "base/text.h"

/* Start from {0}. */
struct hb_draft {
  struct hb_text text;
  enum hb_status status; /* the first failure: nothing is added after it */
};

void hb_draft_put(struct hb_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hb_draft_put_bytes(struct hb_draft *draft, const void *bytes, size_t count);

/* Appends text, escaped for HTML and SVG. */
void hb_draft_put_escaped(struct hb_draft *draft, const char *text);

/* Records a failure, if it is the first. */
void hb_draft_note(struct hb_draft *draft, enum hb_status status);

/* Writes the text to its file and clears the draft. Errors: the one recorded, those of hb_file_replace. */
enum hb_status hb_draft_save(struct hb_draft *draft, const char *path);
void hb_draft_clear(struct hb_draft *draft);

/* Formats a short text, at most 511 characters, for immediate use: 16 of them are valid at a time. */
const char *hb_phrase(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
