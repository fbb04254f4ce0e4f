/* A state taken apart into named arrays, as a checkpoint keeps it: who has state puts its arrays in, io/ writes and
 * reads them, and the owner takes them out again by name. Knows nothing of files. */
#ifndef HB_SECTIONS_H
#define HB_SECTIONS_H

#include "base/status.h"

#include <stdint.h>

enum hb_section_type { HB_SECTION_BYTES, HB_SECTION_WORDS /* uint64_t */, HB_SECTION_DOUBLES };

struct hb_section {
  char name[24];
  enum hb_section_type type;
  size_t count;     /* elements */
  const void *data; /* the caller's, or own */
  void *own;        /* freed with the sections; NULL: data is the caller's */
};

struct hb_sections {
  struct hb_section *at;
  size_t count, capacity;
};

/* Start from {0}. */
void hb_sections_clear(struct hb_sections *sections);

/* Bytes of one element. */
size_t hb_section_width(enum hb_section_type type);

/* data[count] stays the caller's and must live as long as the sections; names are used once. */
enum hb_status hb_sections_put(struct hb_sections *sections, const char *name, enum hb_section_type type,
                               size_t count, const void *data);

/* The same with a copy. */
enum hb_status hb_sections_put_copy(struct hb_sections *sections, const char *name, enum hb_section_type type,
                                    size_t count, const void *data);

/* An array that must be there with this type and so many elements. Errors: HB_ERR_INPUT naming the section. */
enum hb_status hb_sections_get(const struct hb_sections *sections, const char *name,
                               enum hb_section_type type, size_t count, const void **data);

/* NULL if it is not there. */
const struct hb_section *hb_sections_find(const struct hb_sections *sections, const char *name);

#endif
