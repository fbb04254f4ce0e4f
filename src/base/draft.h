/* A text on its way to a file: what goes wrong while it is written is kept and comes out at the end, so that its writers read
 * as the text does. */
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

/* Keeps a failure, if it is the first. */
void hb_draft_note(struct hb_draft *draft, enum hb_status status);

/* Writes the text to its file and clears the draft. Errors: what was kept, those of hb_file_replace. */
enum hb_status hb_draft_save(struct hb_draft *draft, const char *path);
void hb_draft_clear(struct hb_draft *draft);

/* A short text for one call: one of the last 16, of at most 511 letters. */
const char *hb_phrase(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
